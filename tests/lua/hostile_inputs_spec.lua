-- Values that nobody means in inputs of questions, a few of every question and what an attack once found; all of them:
-- tools/check-deep inputs
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local drawn = dofile(here .. "/drawn.lua")
local embedded = require("ballpark.embedded")
local hostile = dofile(here .. "/hostile_inputs.lua")
local json = require("ballpark.json")

local DRAWN <const> = 10

local SLOW <const> = { levers = 1, tune = 2, finetune = 3, search = 4, ask = 3 }

describe("a question with a value that nobody means", function()
  it("is answered without it", function()
    for _, name in ipairs(hostile.names) do assert.is_nil(hostile.refused(name), name) end
  end)

  for _, name in ipairs(hostile.names) do
    it("is " .. name, function()
      local unit, places = drawn.stream(#name), hostile.places(name)
      for _ = 1, SLOW[name] or DRAWN do
        local path = drawn.one_of(unit, places)
        local index = 1 + math.floor(unit() * #hostile.values)
        local wrong = hostile.wrong(name, path, hostile.values[index])
        assert.is_nil(wrong, ("%s, value %d: %s"):format(table.concat(path, "."), index, wrong))
      end
    end)
  end

  it("is one that was found", function()
    for _, found in ipairs({
      { "ask", "facts", { [1.5] = 1, x = 2 } }, { "ask", "text", 0 }, { "budget", "budget_usd", "x" }, { "budget", "cluster", "price", true },
      { "finetune", "software", { name = 4 } }, { "budget", "profile", { calibration = 16 } }, { "search", "profile", { source = { 2 } } },
      { "serve_search", "engine", { version = false } }, { "budget", "cluster", "network", 7 }, { "serve_search", "load", "client", "x" },
      { "fit", "on", { { name = 7, memory_bytes = 80e9, mem_bw_bytes_s = 1e12, bf16_flop_s = 1e15 } } }, { "estimate", "token_bytes", (1 << 53) + 1 },
      { "platform", "projects", { { name = "a", budget_device_hours = (1 << 53) + 1 } } },
      { "replica", "engine", "name", true }, { "replica", "plan", "tp", 1e308 }, { "replica", "plan", "tp", "x" }, { "serve", "trace", { 1, 2 } },
      { "serve", "pool_tokens", "x" }, { "pipeline", "backward_s", 1 << 53 }, { "pipeline", "forward_s", 1e-320 },
      { "finetune", "epochs", 1e-320 }, { "finetune", "lengths", "mean", 1 / 0 }, { "finetune", "lengths", "deviation", 1e308 }, { "finetune", "lengths", "mean", 1e308 },
      { "platform", "classes", 1, "name", 0 / 0 },
      { "platform", "classes", 1, "devices", 1000000 }, { "platform", "failures", "node_mtbf_s", 1.5 }, { "levers", "gpus", 1000000 }, { "levers", "gpus", math.maxinteger }, { "serve_search", "gpus", math.maxinteger },
      { "search", "space", "ep", "x" }, { "search", "space", "ep", 0 }, { "search", "space", { ep = "all" } }, { "finetune", "plan", { tp = 0 } }, { "finetune", "lengths", { samples = 5 } },
      { "finetune", "plan", { cp = 1e300 } }, { "encode", "network", { layers = 2, hidden = 64, heads = 2, vocab = 100, mamba_layers = true } },
      { "budget", "cluster", "device", { "H100", 3 } }, { "ask", "facts", { time_s = 1e25, params = 7e9 } }, { "ask", "facts", { params = "x" } },
      { "batch_job", "deadline_s", { [1.5] = 1 } }, { "check", "text", ("/ "):rep(1 << 20) }, { "ask", "text", ("1 "):rep(1 << 20) }, { "cost", "fleets", 1, "name", ("x"):rep(70000) }, { "cost", "horizon_s", 1e308 },
      { "serve_search", "space", "tp", { 1, nil, 3 } }, { "batch_job", "space", { ep = { 1, nil, 3 } } },
    }) do
      local path = table.move(found, 2, #found - 1, 1, {})
      assert.is_nil(hostile.wrong(found[1], path, found[#found]), table.concat(path, "."))
    end
  end)

  it("would be told from one that is refused", function()
    assert.is_nil(hostile.wrong("cost", { "horizon_s" }, -1))
    local broken = setmetatable({}, { __index = function() error("broken") end })
    assert.matches("broken", hostile.wrong("cost", { "fleets" }, broken))
  end)
end)

describe("a whole number of an input", function()
  local function answered(name, input)
    return embedded.answer("scenario", json.encode({ source = ("show(%s(%s))"):format(name, input) }))
  end

  -- Floats do not wrap.
  it("wraps in no product", function()
    for _, case in ipairs({
      { "cost", "{ fleets = { { name = 'a', usd_h = 2%s, replicas = 9200000000000000000%s } }, horizon_s = 1000000000%s }" },
      { "cost", "{ fleets = { { name = 'a', usd_h = 3000000000000000000%s, replicas = 3%s } } }" },
      { "check", "{ params = 7e9, tokens = 1e12, device = 'A100', devices = 512, tokens_per_s_device = 9223372036854775000%s }" },
      { "check", "{ params = 7e9, tokens = 1e12, device = 'A100', devices = 512, time_s = 3000000000000000000%s, usd_h = 2%s }" },
      { "finetune", "{ model = 'llama-3.1-8b', cluster = cluster { device = 'H100', devices = 2 }, method = 'lora', examples = 1000,"
        .. " seq_len = 1024, evaluation = 9000000000000000000%s }" },
    }) do
      local whole_code, whole = answered(case[1], (case[2]:gsub("%%s", "")))
      local code, float = answered(case[1], (case[2]:gsub("%%s", ".0")))
      assert.equal(code, whole_code, whole)
      assert.equal(float:gsub("%s", ""), whole:gsub("%s", ""))
      assert.is_nil(whole:find('"[%w_]*usd[%w_]*": ?%-') or whole:find('"[%w_]*_s": ?%-'), whole)
    end
  end)
end)

describe("a name that is too long for one", function()
  local function refused(question, input)
    local began = os.clock()
    local code, text = embedded.answer(question, json.encode(input))
    assert.equal(2, code, text)
    assert.matches("a name has at most 256 bytes, got 20000", text, 1, true)
    assert.is_true(os.clock() - began < 5, "took " .. os.clock() - began)
  end

  it("is refused in one line at once", function()
    for _, part in ipairs({ "8x7b-", "H100-SXM-", "llama-3.1-8b ", "8x H100-", "1" }) do
      local name = part:rep(20000 // #part + 1):sub(1, 20000)
      local requests = { input_tokens = 5, output_tokens = 5 }
      refused("fit", { model = name, on = "RTX-4090" })
      refused("fit", { model = "llama-3.1-8b", on = name })
      refused("transcribe", { model = name, device = "L4", audio_s = 60 })
      refused("serve", { model = name, cluster = { device = "H100", devices = 1 }, load = requests })
      refused("serve", { model = "llama-3.1-8b", cluster = { device = name, devices = 1 }, load = requests })
      refused("estimate", { model = "llama-3.1-8b", cluster = { device = "H100", devices = 8 }, software = { name = name },
        job = { global_batch = 64, seq_len = 2048 } })
    end
  end)

  it("and one of 256 bytes is looked up", function()
    local code, text = embedded.answer("fit", json.encode({ model = ("x"):rep(256), on = "RTX-4090" }))
    assert.equal(2, code)
    assert.matches("unknown model", text, 1, true)
  end)
end)
