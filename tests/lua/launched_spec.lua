-- What software does not launch: an estimate of it is an answer with a warning, and a search never proposes it.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local estimating = require("ballpark.questions.estimate.run")
local search = require("ballpark.search.plans")
local tables = require("ballpark.tables")

local function input_of(changes)
  return tables.with({ model = catalog.model("llama-3.1-8b"), cluster = catalog.cluster({ device = "H100", devices = 16 }),
    job = { global_batch = 64, seq_len = 4096 } }, changes)
end

local function warned(changes) return table.concat(estimating.run(input_of(changes)).warnings, " ") end

describe("what software does not launch", function()
  it("is warned of in an estimate, in the words of the search", function()
    assert.equal("search calls it impossible: the software has no ZeRO 1.",
      warned({ plan = { tp = 1, zero = 1, micro_batch = 1 }, software = "fsdp" }))
    assert.equal("search calls it impossible: the software has no context parallelism.",
      warned({ cluster = catalog.cluster({ device = "Gaudi2", devices = 16 }), plan = { cp = 2 } }))
    assert.equal("search calls it impossible: interleaved stages take at least as many micro-batches as pp: 4 for pp 8.",
      warned({ job = { global_batch = 8, seq_len = 4096 }, plan = { tp = 1, pp = 8, vpp = 2, micro_batch = 1 } }))
  end)

  it("is named all of it, on one line", function()
    local answer = estimating.run(input_of({ plan = { cp = 2, pp = 2, zero = 3, micro_batch = 1 }, software = "deepspeed" }))
    assert.equal(1, #answer.warnings)
    assert.matches("^search calls it impossible: [^;]+; [^;]+%.$", answer.warnings[1])
  end)

  it("is not said of what is launched, nor of what nobody stated", function()
    for _, software in ipairs({ "megatron", "deepspeed", "fsdp", "gaudi", "tpu", "peft" }) do
      for _, devices in ipairs({ 8, 64 }) do
        assert.equal("", warned({ software = software, cluster = catalog.cluster({ device = "H100", devices = devices }) }))
      end
    end
    assert.equal("", warned({ plan = { tp = 2, pp = 2, vpp = 2, zero = 1 } }))
  end)

  it("is what a search refuses, and nothing else", function()
    local said, silent = 0, 0
    for _, software in ipairs({ "megatron", "deepspeed", "fsdp", "gaudi", "tpu" }) do
      for i = 0, 4 * 2 * 2 * 2 - 1 do
        local plan = { zero = i % 4, cp = 1 + i // 4 % 2, pp = 1 + i // 8 % 2, vpp = 1 + i // 16 % 2, tp = 1, micro_batch = 4 }
        local input = input_of({ plan = plan, software = software })
        local ok, answer = errors.attempt(estimating.run, input)
        if ok then
          local one = tables.with(answer.input, { fit_chance = 0.5 })
          local refused = search.why(one, answer.plan)
          local text = refused.verdict == "schedule" and refused.text:match("^plan%.%a+: (.*)$")
          local warning = table.concat(answer.warnings)
          if text then
            assert.is_truthy(warning:find("search calls it impossible: " .. text, 1, true), warning)
            said = said + 1
          else
            assert.equal("", warning)
            silent = silent + 1
          end
        end
      end
    end
    assert.is_true(said > 10 and silent > 10, said .. ", " .. silent)
  end)
end)
