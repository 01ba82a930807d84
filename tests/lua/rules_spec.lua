-- Rules: what they see, what they decide, and that they cannot do more than that.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local lfs = require("lfs")
local rules = require("ballpark.rules")

local function request(list)
  return {
    model = { layers = 16, hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 14336, vocab = 128256 },
    device = { memory_bytes = 40e9, mem_bw_bytes_s = 1.555e12, bf16_flop_s = 312e12 },
    network = { devices = 16, scaleup = { bw_bytes_s = 300e9 }, scaleout = { bw_bytes_s = 25e9 } },
    job = { global_batch = 64, seq_len = 4096 },
    plan = { ep = 1 },
    space = { tp = { 1, 2, 4, 8, 16 }, pp = { 1, 2, 4 }, vpp = 1, cp = 1, zero = { 1, 3 },
      recompute = { "none", "full" }, micro_batch = { 1, 2 } },
    top = 1000, usd_h = 2, units = rules.units(), rules = list,
  }
end

local function run(...) return core.search(request({ ... })) end

-- A rule as the file scratch.lua would have it.
local function file(text) return { text = text, chunk = "@scratch.lua" } end

-- The text of the rule error that a search with these rules ends in.
local function failure(...)
  local text, raised = errors.catch(run, ...)
  assert.is_truthy(text, "no error")
  assert.is_true(errors.is(raised), "not an error of ours: " .. tostring(text))
  assert.equal(4, raised.code, text)
  return text
end

local function refusal(...)
  local text, raised = errors.catch(run, ...)
  assert.is_truthy(text, "no error")
  assert.equal(2, errors.is(raised) and raised.code, text)
  return text
end

local function line_of(answer, reason)
  for _, line in ipairs(answer.tally) do
    if line.reason == reason then return line end
  end
end

describe("a rule", function()
  local narrow = [[
return {
  name = "narrow",
  why = "more than four tensor-parallel ranks are not wanted",
  reject = function(c) return c.tp > 4 end,
}]]

  it("rejects, by name, with its reason and the best plan it cost", function()
    local free, ruled = run(), run(file(narrow))
    local rejected, best = 0, nil
    for _, plan in ipairs(free.plans) do
      if plan.plan.tp > 4 then rejected, best = rejected + 1, best or plan end
    end
    local line = line_of(ruled, "rule: narrow")
    assert.is_true(rejected > 0)
    assert.equal(rejected, line.count)
    assert.equal(free.feasible - rejected, ruled.feasible)
    assert.equal("more than four tensor-parallel ranks are not wanted", line.text)
    assert.equal(best.index, line.index)
    assert.same(best.plan, line.example)
    assert.same(best.time, line.time)
    for _, plan in ipairs(ruled.plans) do assert.is_true(plan.plan.tp <= 4) end
    assert.same({ { name = "narrow", why = line.text, prices = false, scores = false } }, ruled.rules)
  end)

  it("is the same inside a scenario's table, with what it refers to", function()
    local limits, floor = { tp = { most = 4 } }, math.floor
    local function too_wide(tp) return floor(tp + 0.5) > limits.tp.most end
    local inline = { name = "narrow", why = "more than four tensor-parallel ranks are not wanted",
      reject = function(c) return too_wide(c.tp) end }
    assert.same(run(file(narrow)), run(inline))
  end)

  it("may reject everything", function()
    local answer = run({ name = "no", reject = function() return true end })
    assert.equal(0, answer.feasible)
    assert.same({}, answer.plans)
    assert.equal(run().feasible, line_of(answer, "rule: no").count)
  end)

  it("scores: more is better, whatever the objective", function()
    local answer = run({ name = "small", score = function(c) return -c.total_bytes end })
    assert.equal(run().feasible, answer.feasible)
    for i = 2, #answer.plans do
      assert.is_true(answer.plans[i - 1].memory.total_bytes <= answer.plans[i].memory.total_bytes)
    end
    assert.equal(-answer.plans[1].memory.total_bytes, answer.plans[1].score)
  end)

  it("scores with one zero", function()
    for _, plan in ipairs(run({ name = "none", score = function() return -0.0 end }).plans) do
      assert.equal(math.huge, 1 / plan.score)
    end
  end)

  it("prices, and other rules see the price", function()
    local r = request({
      { name = "dear", reject = function(c) return c.usd_h > 4 end },
      { name = "spot", price = function(c) return c.zero == 3 and 1 or c.tp == 1 and 9 or 3 end },
    })
    r.objective = "step_usd"
    r.usd_h = 0
    local answer = core.search(r)
    assert.is_true(line_of(answer, "rule: dear").count > 0)
    assert.equal(9, line_of(answer, "rule: dear").worth.usd_h)
    for i, plan in ipairs(answer.plans) do
      assert.equal(plan.plan.zero == 3 and 1 or 3, plan.worth.usd_h)
      assert.equal(plan.worth.step_usd, plan.score)
      local behind = plan.score * (1 + plan.worth.handicap)
      assert.is_true(i == 1 or answer.plans[i - 1].score * (1 + answer.plans[i - 1].worth.handicap) <= behind)
    end
  end)

  it("is heard by why", function()
    local answer = core.why(request({ file(narrow) }), { tp = 8, zero = 3, recompute = "full" })
    assert.equal("rule", answer.verdict)
    assert.equal("narrow", answer.reason)
    assert.equal("more than four tensor-parallel ranks are not wanted", answer.text)
    assert.is_true(answer.time.step_s > 0)
  end)

  it("sees plan, memory, time, price, network, job and model under their names", function()
    local r = request({ { name = "look", score = function(c)
      assert(c.devices == 16 and c.node_size == 8 and c.nodes == 2 and c.domain == 8)
      assert(c.layers == 16 and c.heads == 32 and c.hidden == 4096 and c.gated_mlp == true)
      assert(c.global_batch == 64 and c.seq_len == 4096)
      assert(c.recompute == "none" or c.recompute == "full")
      assert(c.tp * c.pp * c.dp == 16 and c.sequence_parallel == true and c.usd_h == 2)
      assert(c.total_bytes <= c.capacity_bytes and c.capacity_bytes == 40000000000)
      assert(c.headroom_bytes == c.capacity_bytes - c.total_bytes and c.total_bytes < GiB(40)) -- luacheck: ignore
      assert(c.tokens_per_s > 0 and c.mfu_frac > 0 and c.mfu_frac < 1)
      return c.step_s
    end } })
    local answer = core.search(r)
    for _, plan in ipairs(answer.plans) do assert.equal(plan.time.step_s, plan.score) end
  end)
end)

describe("a rule that goes wrong", function()
  local function rejecting(body) return file("return { name = 'bad', reject = function(c)\n" .. body .. "\nend }") end

  it("stops the search with its name, file and line", function()
    assert.equal("rule 'bad': scratch.lua:2: on purpose", failure(rejecting("error('on purpose')")))
    assert.matches("^rule 'bad': scratch.lua:2: attempt to .*nil", failure(rejecting("return nil + 1")))
    assert.equal("rule 'bad': scratch.lua:2: raised a table", failure(rejecting("error({})")))
    assert.matches("^rule 'mine': .*rules_spec.lua:%d+: oops",
      failure({ name = "mine", reject = function() error("oops") end }))
  end)

  it("cannot change what it sees", function()
    assert.matches("scratch.lua:2: c.tp: a rule looks at a plan, it cannot change it",
      failure(rejecting("c.tp = 1")))
    assert.matches("c.anything: ", failure(rejecting("c.anything = 1")))
  end)

  it("is told the nearest name of a field", function()
    assert.equal("rule 'bad': scratch.lua:2: c.total_byte: unknown field, did you mean 'total_bytes'?",
      failure(rejecting("return c.total_byte > 1")))
    assert.matches("c.zzzzzz: ", failure(rejecting("return c.zzzzzz")))
    assert.matches("c.3: ", failure(rejecting("return c[3]")))
  end)

  it("must return what its function is for", function()
    assert.equal("rule 'bad': scratch.lua:1: reject must return true or false, got number",
      failure(rejecting("return 1")))
    assert.matches("rules[^:]*:%d+: score must return a finite number, got nil",
      failure({ name = "x", score = function() end }))
    assert.matches("score must return a finite number, got string",
      failure({ name = "x", score = function() return "7" end }))
    assert.matches("score must return a finite number, got one that is not",
      failure({ name = "x", score = function() return 0 / 0 end }))
    assert.matches("price must not be negative", failure({ name = "x", price = function() return -1 end }))
    assert.matches("rule 'x': price must be at most 1,000,000", failure({ name = "x", price = function() return 1e308 end }))
    assert.is_true(run({ name = "silent", reject = function() end }).feasible > 0)
  end)

  it("cannot run forever", function()
    assert.equal("rule 'bad': scratch.lua:2: took more than 200000 instructions",
      failure(rejecting("while true do end")))
    assert.matches("took more than 200000", failure(rejecting("local function f() return f() end f()")))
    assert.matches("took more than 200000",
      failure(file("return (function() while true do end end)()")))
    assert.matches("took more than 200000", failure(rejecting(
      "table.sort({ 3, 1, 2, 5, 4 }, function(a, b) while true do end end)")))
  end)

  it("cannot take all memory", function()
    local wanted = "took more than 4 MiB of memory"
    assert.matches(wanted, failure(rejecting("local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(64):rep(64) end")))
    assert.matches("made a text of more than 4096 bytes",
      failure(rejecting("local s = 'x' while true do s = s .. s end")))
    assert.matches("unpack gives at most 250 values", failure(rejecting("return (function(...) return select('#', ...) end)"
      .. "(table.unpack({}, 1, 900000)) > 0")))
    assert.matches("string.rep makes at most 4096 bytes", failure(rejecting("return ('x'):rep(1e9) == ''")))
    assert.matches("string.rep makes at most", failure(rejecting("return string.rep('xy', 2049) == ''")))
    assert.matches("string.rep makes at most", failure(rejecting("return string.rep('', 5000, ',') == ''")))
    assert.matches("a,a,a;", failure(rejecting("error(string.rep('a', 3, ',') .. ';')")))
    assert.matches(wanted, failure(rejecting("local function f() return 1 + f() end f()")))
  end)

  it("has nothing that reaches outside, hides errors or differs from run to run", function()
    for _, name in ipairs({ "io", "os", "require", "load", "loadfile", "dofile", "loadstring", "debug",
      "package", "coroutine", "pcall", "xpcall", "setmetatable", "getmetatable", "rawset", "rawget",
      "collectgarbage", "pairs", "next", "print", "_G", "utf8" }) do
      assert.equal("rule 'bad': scratch.lua:2: '" .. name .. "' is not available in a rule",
        failure(rejecting("return " .. name .. " == nil")))
    end
    for _, name in ipairs({ "string.match", "string.gmatch", "string.gsub", "string.dump", "string.pack",
      "math.random", "math.randomseed", "table.insert", "table.move" }) do
      assert.matches("attempt to call a nil value", failure(rejecting(name .. "('x')")))
    end
    assert.matches("attempt to call a nil value", failure(rejecting("return ('x'):gsub('x', 'y')")))
    assert.matches("global 'seen' is assigned", failure(rejecting("seen = 1")))
  end)

  it("can still use the harmless parts", function()
    local answer = run(rejecting([[
      local text = ("%d-%s"):format(c.tp, c.recompute:upper())
      assert(text:find("-", 1, true) == #tostring(c.tp) + 1 and not text:find("."))
      assert(("a.b"):find(".", 1) == 2 and ("abc"):find("c", -9) == 3 and ("abc"):find("d") == nil)
      local list = { 3, 1, 2 }
      table.sort(list)
      assert(table.concat(list, ",") == "1,2,3" and math.max(table.unpack(list)) == 3)
      for i, value in ipairs(list) do assert(i == value and type(i) == "number") end
      assert(("ab"):rep(2) == "abab" and GiB(2) == 2147483648 and tonumber("0x10") == 16)
      return math.floor(1.5) ~= 1]]))
    assert.equal(run().feasible, answer.feasible)
  end)
end)

describe("loading a rule", function()
  it("refuses what is not a rule", function()
    assert.equal("rules[1].rejct: unknown field, did you mean 'reject'?", refusal({ name = "x", rejct = 1 }))
    assert.equal("scratch.lua.rejct: unknown field, did you mean 'reject'?",
      refusal(file("return { name = 'x', rejct = 1 }")))
    assert.matches("^rules%[1%]%.name: ", refusal({ reject = function() end }))
    assert.matches("^rules%[1%]%.name: ", refusal({ name = 7, reject = function() end }))
    assert.matches("^rules%[1%]%.name: ", refusal({ name = ("x"):rep(64), reject = function() end }))
    assert.matches("^rules%[1%]%.reject: ", refusal({ name = "x", reject = true }))
    assert.matches("^rules%[1%]: ", refusal({ name = "x" }))
    assert.matches("^rules: ", refusal(7))
    local reject = function() end
    assert.matches("^rules%[2%]%.name: ",
      refusal({ name = "x", reject = reject }, { name = "x", reject = reject }))
    assert.equal("rules[2].score: rule 'a' gives it already, and only one can",
      refusal({ name = "a", score = reject }, { name = "b", score = reject }))
    local many = {}
    for i = 1, 65 do many[i] = { name = "rule" .. i, reject = reject } end
    assert.equal("rules: are more than 64", refusal(table.unpack(many)))
  end)

  it("stops at a file that does not compile, run or return a rule", function()
    assert.matches("^rule scratch.lua:1: .*near", failure(file("return {")))
    assert.equal("rule scratch.lua:1: at load", failure(file("error('at load')")))
    assert.equal("rule scratch.lua: must return the table of a rule, got nil", failure(file("local x = 1")))
    assert.matches("attempt to load a binary chunk", failure(file(string.dump(function() end))))
  end)

  it("refuses to carry what is not plain into the sandbox", function()
    local handle = io.stdout
    assert.matches("userdata cannot be carried",
      failure({ name = "x", reject = function() return handle ~= nil end }))
    local open = io.open
    assert.matches("not available in rules cannot be carried",
      failure({ name = "x", reject = function() return open ~= nil end }))
    local deep = {}
    for _ = 1, 100 do deep = { deep } end
    assert.matches("nested too deeply", failure({ name = "x", reject = function() return deep == nil end }))
  end)

  it("carries functions that call themselves and tables that hold themselves", function()
    local function count(n) return n == 0 and 0 or 1 + count(n - 1) end
    local ring = {}
    ring.ring = ring
    local answer = run({ name = "x", reject = function() return count(3) ~= 3 or ring.ring.ring ~= ring end })
    assert.equal(run().feasible, answer.feasible)
  end)
end)

describe("rules.load", function()
  local folder

  local function write(name, text)
    local handle = assert(io.open(folder .. "/" .. name, "w"))
    handle:write(text)
    handle:close()
    return folder .. "/" .. name
  end

  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(lfs.mkdir(folder))
  end)

  after_each(function()
    for name in lfs.dir(folder) do os.remove(folder .. "/" .. name) end
    lfs.rmdir(folder)
  end)

  it("takes paths and tables first, then the team's folder by name", function()
    local b, a = write("b.lua", "return 2"), write("a.lua", "return 1")
    write("notes.txt", "no rule")
    write(".hidden.lua", "no rule")
    local inline = { name = "inline" }
    assert.same({ inline, { text = "return 2", chunk = "@" .. b }, { text = "return 1", chunk = "@" .. a } },
      rules.load({ inline, b }, folder))
    assert.same({}, rules.load(nil, folder .. "/none"))
  end)

  it("refuses what cannot be a rule, and says which file is missing", function()
    assert.equal("rules[1]: must be the path of a rule file or a rule's table, got number",
      (errors.catch(rules.load, { 7 }, false)))
    assert.matches("rules: ", (errors.catch(rules.load, "x.lua", false)))
    local text, raised = errors.catch(rules.load, { folder .. "/none.lua" }, false)
    assert.matches("none.lua", text)
    assert.equal(3, raised.code)
  end)
end)
