-- The run behind a step: losses, energy, data and checkpoints, from numbers worked out by hand.
local catalog = require("ballpark.catalog")
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local overrides = require("ballpark.scenario.overrides")
local questions = require("ballpark.questions")
local report = require("ballpark.report")
local scenario = require("ballpark.scenario")

-- An estimate of 8B on 64 H100, with changes to its input and the words of a command line.
local function estimate(changes, definitions)
  local state = scenario.state(nil, { overrides = overrides.parse(definitions) })
  local env = environment.new(state)
  local input = { model = env.model("llama-3.1-8b"), cluster = env.cluster({ device = "H100", devices = 64 }),
    job = { global_batch = 512, seq_len = 8192, tokens = 1e12 }, plan = { tp = 2 } }
  for key, value in pairs(changes or {}) do input[key] = value end
  local answer = env.estimate(input)
  env.show(answer)
  return answer, scenario.finish(state, "this test")
end

describe("a whole run", function()
  it("loses to checkpoints, interruptions, evaluation and stalls what was stated", function()
    local answer = estimate({ goodput = { checkpoint_s = 60, interval_s = 3600, restart_s = 1200,
      device_mtbf_s = 64 * 1e5, evaluation_frac = 0.02, stall_frac = 0.01 } })
    local losses = answer.run.losses
    assert.near(60 / 3600, losses.checkpoint_frac, 1e-12)
    assert.near(3600 / 2e5 + 1200 / 1e5, losses.interruption_frac, 1e-12)
    assert.near(60 / 3600 + 0.018 + 0.012 + 0.03, losses.lost_frac, 1e-12)
    assert.near(1 - losses.lost_frac, answer.run.goodput_frac, 1e-12)
    assert.near(answer.run.steps * answer.time.step_s / (1 - losses.lost_frac), answer.run.run_s, 1e-3)
  end)

  it("takes the usual losses where one of them is stated", function()
    local one, r = estimate({ goodput = { evaluation_frac = 0.05 } })
    local usual = estimate()
    assert.near(usual.run.losses.lost_frac + 0.05, one.run.losses.lost_frac, 1e-12)
    local text = report.render(r, "table")
    assert.matches("evaluation 5 %%", text)
    assert.matches("no data stalls", text)
    assert.not_matches("no evaluation", text)
  end)

  it("takes losses from the command line", function()
    assert.near(0.03, estimate(nil, { "goodput.stall_frac=0.03" }).run.losses.stall_frac, 0)
    local answer = estimate({ goodput = { stall_frac = 0.1 } }, { "goodput=0.5" })
    assert.equal(0.5, answer.run.goodput_frac)
    assert.is_nil(answer.run.losses)
  end)

  it("spends board power times PUE for as long as it holds the devices", function()
    local run = estimate({ pue = 1.25 }).run
    assert.near(run.run_s * 64 * 700 * 1.25, run.energy_j, 1e-9 * run.energy_j)
    assert.near(1.1, estimate().run.pue, 0)
    assert.near(1.5, estimate(nil, { "pue=1.5" }).run.pue, 0)
  end)

  it("reads its tokens and writes its checkpoints", function()
    local answer, r = estimate({ goodput = { checkpoint_s = 20 } })
    local run = answer.run
    assert.equal(4, run.token_bytes) -- 128,256 tokens are more than 16 bits tell apart
    assert.equal(4e12, run.data_bytes)
    assert.near(512 * 8192 * 4 / answer.time.step_s, run.input_bytes_s, 1e-6)
    assert.near(run.input_bytes_s / 8, run.input_node_bytes_s, 1e-6)
    assert.equal(14 * answer.params.total_params, run.checkpoint_bytes)
    assert.near(run.checkpoint_bytes / 20, run.checkpoint_bytes_s, 1e-3)
    assert.matches("Data +4 TB of tokens read at", report.render(r, "table"))
    assert.equal(2e12, estimate({ token_bytes = 2 }).run.data_bytes)
    assert.equal(2, estimate({ model = "gpt3-175b" }).run.token_bytes)
  end)

  it("saves adapters only, and knows nothing of images on disk", function()
    local adapters = estimate({ plan = { tp = 2, lora_rank = 16 } })
    assert.is_nil(adapters.run.checkpoint_bytes)
    -- Nothing is said where a parameter has other states than Adam's in mixed precision.
    for _, plan in ipairs({ { optimizer = "sgd" }, { optimizer = "adam_8bit" }, { precision = "fp32" }, { trained_layers = 1 },
      { master_bytes = 0 } }) do
      plan.tp = 8
      assert.is_nil(estimate({ plan = plan }).run.checkpoint_bytes)
    end
    local function says_base(plan)
      return table.concat(estimate({ plan = plan }).assumed, "\n"):find("wide again", 1, true) ~= nil
    end
    assert.is_false(says_base({ tp = 2, lora_rank = 16 }))
    assert.is_true(says_base({ tp = 2, lora_rank = 16, base_bits = 4 }))
    local image = estimate({ model = "vit-l-16-224", job = { global_batch = 4096, tokens = 1e11 }, plan = {} })
    assert.is_nil(image.run.data_bytes)
    assert.is_true(image.run.checkpoint_bytes > 0)
  end)

  it("refuses shares and sizes that are none", function()
    for _, case in ipairs({ { { goodput = "much" }, "goodput: must be" },
      { { token_bytes = 0 }, "token_bytes: must be" },
      { { goodput = { stal_frac = 0.1 } }, "did you mean 'stall_frac'" } }) do
      assert.matches(case[2], (errors.catch(estimate, case[1])))
    end
  end)
end)

describe("a goodput that is none", function()
  it("is refused whether or not a run is asked about", function()
    local refused = {}
    for _, name in ipairs({ "estimate", "search" }) do
      for _, tokens in ipairs({ false, 1e12 }) do
        for message, goodput in pairs({ ["must be a share of the run"] = 7, ["got -3"] = -3, ["unknown field"] = { xx = "x" },
          ["must be from 0"] = { checkpoint_s = -5 } }) do
          local said = errors.catch(questions.runner(name).run, { model = catalog.model("llama-3.1-8b"), goodput = goodput,
            cluster = catalog.cluster({ device = "H100", devices = 8 }), job = { global_batch = 64, seq_len = 4096, tokens = tokens or nil } })
          assert.matches(message, said or "nothing", 1, true)
          refused[#refused + 1] = said
        end
      end
    end
    assert.equal(16, #refused)
  end)
end)
