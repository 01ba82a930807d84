-- Rules that want to take time or memory, to keep state, to tell runs apart or to get out: each ends with one line, or
-- says the same as ever. A budget that leaks shows by a spec that does not end.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local rules = require("ballpark.rules")

local function search(list)
  return core.search({
    model = { layers = 8, hidden = 1024, heads = 8, kv_heads = 8, ffn_hidden = 4096, vocab = 32000 },
    device = { memory_bytes = 40e9, mem_bw_bytes_s = 1.555e12, bf16_flop_s = 312e12 },
    network = { devices = 4, scaleup = { bw_bytes_s = 300e9 }, scaleout = { bw_bytes_s = 25e9 } },
    job = { global_batch = 16, seq_len = 1024 },
    space = { tp = { 1, 2, 4 }, pp = 1, vpp = 1, cp = 1, ep = 1, zero = { 0, 1 }, recompute = "none", micro_batch = { 1, 2 } },
    top = 100, usd_h = 2, units = rules.units(), rules = list,
  })
end

local function file(text) return { text = text, chunk = "@scratch.lua" } end
local function rule(body, before)
  return file((before or "") .. "\nreturn { name = 'bad', score = function(c) do\n" .. body .. "\nend return 1 end }")
end

local function failure(item, patterns)
  local text, raised = errors.catch(search, { item })
  assert.is_truthy(text, "no error of " .. item.text)
  assert.is_true(errors.is(raised), item.text .. "\nis no error of ours: " .. text)
  assert.is_truthy(raised.code == 4 or raised.code == 2, item.text)
  assert.is_nil(text:find("[%c\x7f]"), text)
  assert.is_nil(text:find("0x", 1, true), text)
  assert.is_true(#text < 1000, text)
  for _, pattern in ipairs(type(patterns) == "table" and patterns or { patterns }) do
    if text:find(pattern) then return text end
  end
  error(item.text .. "\nended with: " .. text)
end

-- Each for ever, and once per plan more than a plan may take.
local SLOW <const> = {
  "", "local x = 1", "local t = {}", "local t = { 1, 2, 3 }", "local f = function() return c end", "local s = 'a' .. c.tp",
  "tonumber(long)", "tonumber(digits, 2)", "tonumber((' '):rep(4000) .. '1')", "tonumber('0x' .. digits)", "tonumber(long, 36)",
  "long:reverse()", "long:upper()", "long:lower()", "long:len()", "long:byte(1, -1)", "long:sub(2)", "long:sub(-4000, -2)",
  "('%s'):format(long)", "('%q'):format(long)", "('%q'):format(('\\0'):rep(1000))", "('%99.99f'):format(1e308)",
  "('%s%s'):format(long:sub(1, 9), digits:sub(1, 9))", "long:find('b')", "long:find(long:sub(1, 2000) .. 'b')",
  "long:find(('a'):rep(100) .. 'b', -200)", "('ab'):rep(2000)", "('a'):rep(4096)", "string.char(table.unpack(few))",
  "table.concat(many)", "table.concat(many, ',', 1, 500)", "table.concat(many, long:sub(1, 3))", "table.unpack(few)",
  "table.unpack(few, 1, 249)", "table.sort({ 5, 4, 3, 2, 1 })", "local t = {} for i = 1, 300 do t[i] = -i end table.sort(t)",
  "local t = {} for i = 1, 99 do t[i] = i * 7 % 13 end table.sort(t, function(a, b) return a > b end)",
  "select('#', table.unpack(few))", "select(-1, table.unpack(few))", "math.max(table.unpack(few))",
  "math.min(table.unpack(few))", "math.floor(1.5)", "math.fmod(1e308, 3)", "math.exp(1)", "tostring(1 / 3)", "tostring(c)",
  "tostring({})", "type(c)", "for _ in ipairs(many) do end", "local a, b = long < digits, long == digits",
  "local s = long:sub(1, 2000) .. long:sub(1, 2000)", "local t = {} t[long] = 1", "local x = many[long]", "local n = #many",
  "local n = (function(...) return select('#', ...) end)(table.unpack(few))", "GiB(80)", "assert(true, long)", "local x = c.tp",
}

local BUDGET <const> = { "took more than 200000 instructions", "took more than 100 ms", "took more than 4 MiB", "made a text of more" }

local BEFORE <const> = [[
local long, digits = ("a"):rep(4000), ("1"):rep(4000)
local many, few = {}, {}
for i = 1, 500 do many[i] = "x" end
for i = 1, 249 do few[i] = i % 100 end
]]

describe("the budget of a rule", function()
  for _, statement in ipairs(SLOW) do
    it("ends " .. statement, function()
      failure(rule("while true do " .. statement .. " end", BEFORE), BUDGET)
    end)
  end

  it("ends what grows and what calls itself", function()
    for _, body in ipairs({
      "local s = 'x' while true do s = s .. s end", "local t = {} while true do t[#t + 1] = t end",
      "local t = {} while true do t = { t } end", "local function f() return f() end f()", "local function f() f() end f()",
      "local function f(...) return f(1, ...) end f()", "local t = {} for i = 1, 1e9 do t[-i] = i end",
      "local function f(n, ...) if n == 0 then return ... end return f(n - 1, n, n, n, n, n, n, n, n, ...) end while true do f(1000) end",
      "local s = '' for i = 1, 1e9 do s = s .. i end", "local t = {} for i = 1, 1e9 do t[('k'):rep(50) .. i] = i end",
      "goto again ::again:: goto again", "repeat until false", "for i = 1, math.huge do end",
      "local t = {} for i = 1, 1e9 do t[i] = function() return t end end",
    }) do failure(rule(body), BUDGET) end
  end)

  it("ends a file that does not end", function()
    for _, text in ipairs({ "while true do end", "local s = 'x' while true do s = s .. s end", "return (function() while true do end end)()",
      "local t = {} for i = 1, 1e9 do t[i] = i end return t", "local t = {} for i = 1, 1e4 do t[i] = -i end while true do table.sort(t) end" }) do
      failure(file(text), BUDGET)
    end
    failure(file("return {" .. ("--" .. ("x"):rep(1000) .. "\n"):rep(70) .. "}"), "scratch.lua: a file of rules holds at most 64 KiB")
  end)

  it("ends a sort of texts that Lua compares slowly", function()
    failure(rule("local t = {} for i = 1, 6000 do t[i] = zeros end table.sort(t)", "local zeros = ('\\0'):rep(4000)"), BUDGET)
    assert.equal(1, search({ rule([[
      local t, n = { "b", "a", "\0", "a\0", "", "b\0a" }, { 3, 1, 2.5 }
      table.sort(t) table.sort(n)
      assert(table.concat(t, ",") == ",\0,a,a\0,b,b\0a" and n[1] == 1 and n[3] == 3)]]) }).plans[1].score)
  end)

  -- With little room left Lua collects all garbage for every number that table.concat makes a text of. A leak of the budget
  -- shows by seconds of each.
  it("ends what leaves the collector no room", function()
    local closures = ("function() return c end,"):rep(40)
    for tables = 2925, 2945 do
      failure(rule(([[
        local keep, list, text = {}
        for i = 1, 1700 do keep[i] = { %s } end
        for i = 1, %d do list = { list } end
        while true do text = concat(numbers) end]]):format(closures, tables),
        "local concat, numbers = table.concat, {} for i = 1, 90 do numbers[i] = 100 + i end"), BUDGET)
    end
  end)

  -- Keys that differ in their last bits stand in one chain, which Lua goes through for each of them when it moves a full
  -- table. Less than 500 instructions do so for seconds: whichever stand between two looks at the budget, it ends.
  it("ends what moves a table with all its keys in one chain", function()
    for _, before in ipairs({ 0, 500 }) do
      failure(rule(([[
        local t, e = {}, 2 ^ -52
        for i = 1, 4096 do t[1 + i * e] = true end
        for _ = 1, %d do end
        for i = 1, 60 do
          t[1 + i * e] = nil
          t[1 + (4096 + i) * e] = true
        end]]):format(before)), BUDGET[2])
    end
  end)

  it("counts items as more than it allows where holes make them 2^59", function()
    local before = "local t, k = {}, 1 << 59 while k > 0 do t[k] = 1 k = k // 2 end assert(#t == 1 << 59)"
    for _, body in ipairs({ "type(t, t, t, t)", "type(t)", "table.sort(t)", "table.concat(t)", "select('#', t, t)", "tostring(t)" }) do
      failure(rule(body .. " while true do end", before), BUDGET[1])
    end
  end)

  it("takes no size that is too large", function()
    failure(rule("return ('x'):rep(1e18) == ''"), "at most 4096 bytes")
    failure(rule("return #{ table.unpack({}, 1, 251) }"), "at most 250 values")
    failure(rule("return #{ table.unpack({}, math.mininteger, math.maxinteger) }"), "at most 250 values")
    failure(rule("return table.concat({}, ',', 1, 1e15)"), "invalid value")
  end)

  it("names no name that is too long", function()
    for _, body in ipairs({ "return c[('x'):rep(4096)]", "return c[('total_'):rep(600)]", "c[('x'):rep(4096)] = 1",
      "return _ENV[('x'):rep(4096)]", "_ENV[('x'):rep(4096)] = 1", "return c[{}]", "return c[c]", "return c[0 / 0]", "_ENV[{}] = 1",
      "return _ENV[function() end]", "c[{}] = 1" }) do
      assert.is_true(#failure(rule(body), { "unknown field", "is not available", "cannot change", "keep no state" }) < 200)
    end
  end)
end)

describe("a rule keeps no state", function()
  local CHANGES <const> = {
    { "local n = 0", "n = n + 1" }, { "local n", "n = n or c.tp" }, { "local n = 0", "local f = function() n = n + 1 end f()" },
    { "local n = 0 local function bump() n = n + 1 end", "bump()" },
    { "local n = 0 local t = { f = function() n = n + 1 end }", "t.f()" },
    { "local t = {}", "t[1] = c.tp" }, { "local t = { n = 0 }", "t.n = t.n + 1" }, { "local t = { in_it = { n = 0 } }", "t.in_it.n = 1" },
    { "local t = { 3, 2, 1 }", "table.sort(t)" }, { "", "math.pi = 3" }, { "", "math.seen = c.tp" }, { "", "string.seen = 1" },
    { "", "table.seen = 1" }, { "", "seen = 1" }, { "", "_ENV.seen = 1" }, { "", "math = nil" }, { "", "tostring = nil" },
    { "local m = math", "m.seen = 1" }, { "local keep = _ENV", "keep = {}" }, { "", "_ENV = {}" },
    { "local a = {} local b = { a } a[1] = b", "a[1][1].x = 1" }, { "local n = 0 / 0", "n = 1" }, { "local n = 1", "n = nil" },
    { "local n = 1", "n = 1.0" }, { "local n = 0.0", "n = -0.0" }, { "local n = 0 / 0", "n = -(0 / 0)" },
  }
  for _, change in ipairs(CHANGES) do
    it("in " .. change[1] .. "; " .. change[2], function()
      failure(rule(change[2], change[1]), { "keeps no state", "keep no state" })
    end)
  end

  -- The first call takes longer than it may on any machine, because every look goes through one chain of keys; the second
  -- would put back what the first has left.
  it("between a call that was late and the same once more", function()
    for _, left in ipairs({ "1", "true", "nil" }) do
      failure(rule(([[
        if n ~= 0 then n = 0 return 1000 end
        n = %s
        local t, e = {}, 2 ^ -52
        for i = 1, 4096 do t[1 + i * e] = true end
        local missing = 1 + 5000 * e
        for _ = 1, 90000 do local x = t[missing] end
        n = 0]]):format(left), "local n = 0"), "changes 'n', but a rule keeps no state")
    end
  end)

  it("in what it is itself", function()
    failure(file("local r = { name = 'x' } r.score = function(c) r.n = (r.n or 0) + 1 return r.n end return r"), "keeps no state")
    local n, t = 0, { 0 }
    for _, score in ipairs({ function() n = n + 1 return n end, function() t[1] = t[1] + 1 return t[1] end }) do
      assert.matches("keeps no state", (errors.catch(search, { { name = "x", score = score } })))
    end
  end)

  it("and says what it could not read", function()
    failure(rule("assert(t[k] == 1)", "local k = {} local t = { [k] = 1 }"), "stands under a table")
    local f = "local f = function() end local t = { [f] = 1 }"
    assert.is_true(#search({ rule("assert(t[f] == 1)", f) }).plans > 0)
  end)

  -- Lua looks for the end of a list where it looked last, which of a list with holes is another end.
  it("in the length of a list with holes", function()
    local answer = search({ rule("local n, last = #t, t[13] assert(n == #t and n == 10 and last == 13, n)",
      "local t = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, nil, nil, 13, nil, nil, nil }") })
    assert.is_true(#answer.plans > 1)
  end)

  it("and may read what is outside of it", function()
    local answer = search({ file([[
      local most, names = { tp = 2, 7, 8, 9 }, { deep = { er = { "a", "b" } } }
      local function double(x) return 2 * x end
      local unset
      return { name = "reads", score = function(c)
        local sum, list = 0, { 3, 1, 2 }
        for i, v in ipairs(most) do sum = sum + i * v end
        table.sort(list)
        assert(#most == 3 and sum == 50 and names.deep.er[2] == "b" and #names.deep.er == 2 and unset == nil)
        assert(table.concat(names.deep.er) == "ab" and select("#", table.unpack(most)) == 3 and list[1] == 1)
        return double(c.tp) + most.tp + math.floor(0.5)
      end }]]) })
    assert.equal(10, answer.plans[1].score)
  end)
end)

describe("a rule tells no run from another", function()
  it("by addresses", function()
    for _, text in ipairs({ "tostring({})", "tostring(c)", "tostring(tostring)", "tostring(function() end)", "('%s'):format({})",
      "('%s'):format(tostring)", "('%10.9s'):format(c)", "tostring(math)", "tostring(string.rep)" }) do
      assert.equal(0, select(2, text:gsub("0x", "")))
      local answer = search({ rule("local s = " .. text .. " assert(not s:find('0x') and #s < 12, s)") })
      assert.is_true(#answer.plans > 0)
    end
    for _, text in ipairs({ "('%p'):format({})", "('%p'):format('x')", "string.format('%20p', c)", "('%s %-9p'):format(1, {})",
      "('\\0%p'):format('x')", "('\\0%%\\0%-9p'):format(c)" }) do
      failure(rule("return #" .. text), "%%p is an address")
    end
    assert.is_true(#search({ rule("assert(('%%p'):format() == '%p')") }).plans > 0)
  end)

  -- Lua's own sort asks the clock for a pivot where its first ones are bad, and items of one rank show which it was.
  it("by the order in which a sort leaves items of one rank", function()
    local answer = search({ rule([[
      local t = {}
      for i = 1, 300 do t[i] = i end
      table.sort(t, function(a, b) return a % 3 < b % 3 end)
      for i = 2, #t do assert(t[i - 1] % 3 < t[i] % 3 or t[i - 1] % 3 == t[i] % 3 and t[i - 1] < t[i], i) end]]) })
    assert.is_true(#answer.plans > 0)
  end)
end)
