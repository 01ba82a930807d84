-- Prompts of one length that share a step: one, or as many as add nothing to its time.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local packing = require("ballpark.resolve.serving.packing")
local resolve = require("ballpark.resolve.serving")
local serve = require("ballpark.questions.serve.run")
local tables = require("ballpark.tables")

local BUDGET <const> = 8192

local function case_of(load, more)
  return resolve.of(tables.with({ model = catalog.model("llama-3.1-8b"),
    cluster = catalog.cluster({ device = "H100", devices = 1 }), engine = "trtllm", load = load }, more))
end

-- The setup of a case whose host takes so long for a kernel that it launches.
local function setup_of(load, eager_kernel_s, more)
  local i = case_of(load, more).input
  return { model = i.model, device = i.device, network = i.network, curves = i.curves, plan = i.plan,
    engine = tables.with(i.engine, { eager_kernel_s = eager_kernel_s }) }
end

local function load_of(input, clients) return { concurrency = clients, input_tokens = input, output_tokens = 256 } end

local function prompts(input, clients, eager_kernel_s)
  local load = load_of(input, clients)
  return packing.for_nothing(setup_of(load, eager_kernel_s), load, clients, BUDGET)
end

describe("prompts of one length that share a step", function()
  it("are one where the device binds it", function()
    for _, input in ipairs({ 1000, 2000, 4000 }) do
      for _, clients in ipairs({ 2, 32, 256 }) do assert.equal(1, prompts(input, clients, 0)) end
    end
  end)

  it("are all that there are where the host binds even a full one", function()
    -- 0.1 s a kernel: the host needs longer for one prompt than the device for a full budget. 8192 // 100 = 81 fit.
    assert.equal(7, prompts(100, 7, 0.1))
    assert.equal(81, prompts(100, 500, 0.1))
    assert.equal(8, prompts(1000, 500, 0.1))
  end)

  it("are whole ones, of one token, too", function() assert.equal(500, prompts(1, 500, 0.1)) end)

  it("are one of clients that are one, or of a budget that holds one", function()
    assert.equal(1, prompts(100, 1, 0.1))
    assert.equal(1, prompts(5000, 500, 0.1))
  end)

  it("are never fewer where the device multiplies faster, past captured graphs too", function()
    local load = { concurrency = 64, input_tokens = 168, output_tokens = 238 }
    for _, model in ipairs({ "Nemotron-H-8B", "Qwen3-30B-A3B", "Llama-3.1-8B" }) do
      local before = 1
      for _, by in ipairs({ 1, 1.5, 1.8, 2, 4 }) do
        local device = tables.with(catalog.device("H200"), {})
        device.bf16_flop_s, device.fp8_flop_s = by * device.bf16_flop_s, by * device.fp8_flop_s
        local i = case_of(load, { model = catalog.model(model), engine = "vllm",
          cluster = catalog.cluster({ device = device, devices = 8 }) }).input
        local n = packing.for_nothing({ model = i.model, device = i.device, network = i.network, curves = i.curves,
          plan = i.plan, engine = i.engine }, load, 64, BUDGET)
        assert.is_true(n >= before, ("%s, %g times the peak: %g after %g"):format(model, by, n, before))
        before = n
      end
      assert.is_true(before > 1, model)
    end
  end)

  it("are never fewer where the host takes longer, and add next to nothing", function()
    for _, input in ipairs({ 64, 256, 1000 }) do
      local before = 1
      for _, eager_kernel_s in ipairs({ 0, 1e-5, 2e-5, 4e-5, 8e-5, 1.6e-4 }) do
        local load = load_of(input, 64)
        local setup = setup_of(load, eager_kernel_s)
        local n = packing.for_nothing(setup, load, 64, BUDGET)
        local function step_s(count)
          return core.infer_step(tables.with(setup, { sequences = 64, context = input + 128, prompts = count,
            prompt_tokens = count * input })).time_s
        end
        assert.is_true(n >= before, ("%d tokens, %g s"):format(input, eager_kernel_s))
        -- Where reading weights takes as long as multiplying with them a step takes a fourth more (the root of the sum of
        -- their cubes), where the host takes as long as the device nothing more.
        assert.is_true(step_s(n) <= 1.26 * step_s(1), ("%d tokens, %g s"):format(input, eager_kernel_s))
        before = n
      end
      assert.is_true(before > 1)
    end
  end)
end)

describe("the budget of a step for prompts of one length", function()
  local function budget(load, eager_kernel_s, more)
    return packing.under(setup_of(load, eager_kernel_s, more), load, load.concurrency).token_budget
  end

  it("holds those that share it beside a token of each client", function()
    assert.equal(8 * 1000 + 60, budget(load_of(1000, 60), 0.1))
    assert.equal(BUDGET, budget(load_of(100, 512), 0.1)) -- 81 * 100 + 512 are more
    assert.equal(7 * 100 + 7, budget(load_of(100, 7), 0.1))
    assert.equal(4000 + 32, budget(load_of(4000, 32), 0))
  end)

  it("holds the tokens drafted for each client, and the prompts that follow answers that end sooner", function()
    local drafts = { plan = { draft_tokens = 3, acceptance = 0.5 } }
    assert.equal(4000 + 4 * 32, budget(load_of(4000, 32), 0, drafts))
    -- 1 + 1/2 + 1/4 + 1/8 tokens a step: of 256 answers of 256 tokens 1.875 end in a step.
    assert.equal(1875 + 4 * 256, budget(load_of(1000, 256), 0, drafts))
  end)

  it("lets drafts be as fast as where lengths differ a little", function()
    local function e2e_s(load)
      local input = { model = catalog.model("llama-3.1-8b"), cluster = catalog.cluster({ device = "H100", devices = 1 }),
        engine = "vllm", plan = { draft_tokens = 3, acceptance = 0.7 }, load = load }
      local answer = serve.run(input)
      assert.near(answer.steady.e2e_s, answer.seen.e2e.mean_s, 0.1 * answer.seen.e2e.mean_s)
      return answer.seen.e2e.mean_s
    end
    for _, prompt in ipairs({ 4, 64, 512 }) do
      local load = { arrivals = "closed", concurrency = 64, requests = 192, input_tokens = prompt, output_tokens = 300 }
      local alike, unlike = e2e_s(load), e2e_s(tables.with(load, { lengths = "lognormal", spread = 0.05 }))
      assert.near(unlike, alike, 0.1 * unlike)
    end
  end)

  it("holds on each rank its part of them", function()
    local load = load_of(100, 8)
    local engine = packing.under(setup_of(load, 0.1, { cluster = catalog.cluster({ device = "H100", devices = 2 }),
      plan = { dp = 2 } }), load, 8)
    assert.equal(4 * 100 + 8, engine.token_budget)
  end)

  it("stays as it is where lengths differ, requests come by themselves or prompts run apart", function()
    local function same(load, engine)
      local input = case_of(load, { engine = engine }).input
      assert.equal(input.engine, packing.under(input, load, load.concurrency or 1))
      assert.equal(0, input.engine.profile_tokens or 0)
    end
    same(tables.with(load_of(100, 8), { lengths = "uniform", spread = 0.8 }), "vllm")
    same({ arrivals = "poisson", rate_per_s = 1, input_tokens = 100, output_tokens = 256 }, "vllm")
    same(load_of(100, 8), "sglang")
  end)

  it("is found again as it was, and said", function()
    local deep = { model = catalog.model("qwen3-235b-a22b"), cluster = catalog.cluster({ device = "H100", devices = 4 }),
      plan = { tp = 4, ep = 4, weights = "fp8", experts = "fp8" } }
    local case = case_of(load_of(128, 64), deep)
    local found = case.input.engine.token_budget
    resolve.pack(case)
    assert.equal(found, case.input.engine.token_budget)
    assert.is_true(found > 2 * 128 + 64)
    assert.matches("prompts of one length share a step", table.concat(case.assumed, "\n"))
    assert.matches("prompts of one length come one per step", table.concat(case_of(load_of(4000, 32)).assumed, "\n"))
  end)
end)
