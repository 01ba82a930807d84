-- One door: a row of a shipped table, the scenario it is printed as, and a search for its plan say the same to the last
-- bit.
local csv = require("ballpark.csv")
local doors = require("ballpark.cli.training_doors")
local overrides = require("ballpark.scenario.overrides")
local profiles = require("ballpark.catalog.profiles")
local scenario = require("ballpark.scenario")
local tables = require("ballpark.tables")
local validate = require("ballpark.validate")

local folder = (debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or ".") .. "/../validate/"

local function rows_of(file)
  local path = folder .. file
  return (validate.read(csv.read(path), path)), path
end

describe("the doors of training", function()
  for _, file in ipairs({ "training_megatron.csv", "training_frameworks.csv", "training_memory.csv",
    "training_moe.csv" }) do
    it("say the same of every row of " .. file, function()
      local rows, path = rows_of(file)
      assert.is_true(#rows > 10)
      for _, row in ipairs(rows) do assert.same({}, doors.differences(row, path, {}), row.case_id) end
    end)
  end

  -- A search of ZeRO 3 alone had gradients of two bytes, one of all stages four, and found no plan or a slower one.
  it("find over a list of settings the best of what each finds alone", function()
    local found = 0
    -- Of all that are kept: the first of them may be a plain one that is next to as fast.
    local function best_s(words, field, values)
      local _, state = scenario.run({ path = "list.lua", source = ([[search { top = 200, %s, space = { %s = %s } }]]):format(words, field,
        values) })
      local best = math.huge
      for _, plan in ipairs(state.answers[1].plans) do best = math.min(best, plan.time.step_s) end
      return best
    end
    local asked = {
      [[model = "qwen3-32b", cluster = cluster { device = "A100", devices = 8, fabric = "infiniband" }, job = { global_batch = 32, seq_len = 1024 }]],
      [[model = "llama-3.1-8b", software = "megatron", cluster = cluster { device = "B200", devices = 1 }, job = { global_batch = 4, seq_len = 4096 }]],
      [[model = "llama-3.1-8b", software = { name = "nemo", year = 2024 }, cluster = cluster { device = "H100", devices = 8 }, job = { global_batch = 32, seq_len = 4096 }]],
      [[model = "llama-3.1-8b", cluster = cluster { device = "L40S", devices = 8 }, job = { global_batch = 16, seq_len = 1024 }]],
    }
    local lists = { zero = { "0", "1", "2", "3" }, precision = { "'bf16'", "'fp8'" }, sequence_parallel = { "true", "false" } }
    for _, words in ipairs(asked) do
      for field, values in pairs(lists) do
        local alone = math.huge
        for _, value in ipairs(values) do
          local ok, step_s = pcall(best_s, words, field, value)
          if ok then alone = math.min(alone, step_s) end
        end
        local ok, together = pcall(best_s, words, field, "{ " .. table.concat(values, ", ") .. " }")
        if ok and alone < math.huge then
          found = found + 1
          assert.equal(alone, together, words .. " over " .. field)
        end
      end
    end
    assert.is_true(found >= 10, found)
  end)

  -- The search left out what a network of unsaid rate may be, which the estimate of its plan counts.
  it("give the plan of a search the range of its estimate", function()
    local words = [[model = "llama-3.1-8b", software = "fsdp", job = { global_batch = 16, seq_len = 2048 },
      cluster = cluster { device = "H200", devices = 32, fabric = "infiniband"%s }]]
    local widths = {}
    for i, network in ipairs({ "", ", nic_bytes_s = 50e9" }) do
      local _, state = scenario.run({ path = "range.lua", source = ([[local found = search { %s }
        local plan = {}
        for name, value in pairs(found.best.plan) do plan[name] = value end
        estimate { %s, plan = plan }]]):format(words:format(network), words:format(network)) })
      local found, alone = state.answers[1].best, state.answers[2]
      assert.equal(alone.time.step_s, found.time.step_s)
      assert.equal(alone.range.step_s.high, found.range.step_s.high)
      assert.equal(alone.range.step_s.low, found.range.step_s.low)
      widths[i] = found.range.step_s.high / found.range.step_s.low
    end
    assert.is_true(widths[1] > 1.5 * widths[2])
  end)

  it("take virtual stages in the words of a source", function()
    local function vpp_of(words)
      local _, state = scenario.run({ path = "staged.lua", source = ([[estimate {
        model = "llama-2-7b", cluster = cluster { device = "H100", devices = 16 }, software = "megatron",
        job = { global_batch = 64, seq_len = 2048 }, plan = { tp = 1, pp = 4, vpp = %q } }]]):format(words) })
      return state.answers[1].plan.vpp
    end
    assert.same({ 8, 2 }, { vpp_of("max"), vpp_of("some") }) -- 32 layers on four stages
    assert.is_false((pcall(vpp_of, "many")))
  end)

  it("name a class outright with what is said over it, and the rest as of year, device and network", function()
    local function profile_of(software, profile, more)
      local _, state = scenario.run({ path = "named.lua", source = ([[estimate {
        model = "llama-2-7b", cluster = cluster { device = "A100-80GB-SXM", devices = 16, fabric = "roce" },
        %s %s job = { global_batch = 64, seq_len = 4096 }, plan = { tp = 2 } }]]):format(software, profile) },
        { overrides = overrides.parse({ more }) })
      return state.answers[1].input.profile
    end
    local old = 'software = { name = "megatron", year = 2023 },'
    local built_in = profile_of(old, "")
    assert.equal("each", built_in.expert_copies)
    assert.same(built_in, profile_of('software = { year = 2023 },', 'profile = "megatron",'))
    assert.same(built_in, profile_of(old, 'profile = profile "megatron",'))
    -- What is said stays, if it is what the class's base has, too.
    local base = profiles.get("megatron")
    local said = profile_of(old, ('profile = profile("megatron", { expert_copies = %q }),'):format(base.expert_copies))
    assert.same(tables.with(built_in, { expert_copies = base.expert_copies }), said)
    assert.same(tables.with(built_in, { scaleout = 0.3 }), profile_of(old, 'profile = "megatron",',
      "profile.scaleout=0.3"))
    assert.same(tables.with(built_in, { gemm = 1.5 }), profile_of(old, 'profile = { class = "megatron", gemm = 1.5 },'))
  end)

  it("differ where a scenario says something else", function()
    local row, path = rows_of("training_megatron.csv")[1], "t.csv"
    local text = doors.write(row, path, {})
    local function step(source)
      local _, state = scenario.run({ path = "row.lua", source = source })
      return state.answers[1].time.step_s
    end
    local changed, count = text:gsub("year = %d+", "year = 2019", 1)
    assert.equal(1, count)
    assert.not_equal(step(text), step(changed))
  end)
end)
