-- What the report of an answer about training says beside its numbers.
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local report = require("ballpark.report")
local scenario = require("ballpark.scenario")

-- The text of what a search or an estimate of `input` reports, and its answer. "shown" is a run without
-- the explanations that search again.
local function told(question, input, command)
  local state = scenario.state(nil, { command = command or "shown" })
  local env = environment.new(state)
  local answer = env[question](input)
  env.show(answer)
  local text = report.render(state.result, "table", { width = 1000 })
  return text, answer, state.result
end

-- The value of a fact of a result, or of an end of its range (step_s_low).
local function fact(r, name)
  for _, item in ipairs(r:scalars()) do
    if item.name == name then return item.value end
  end
end

local function case(changes)
  local input = { model = "llama-3.1-8b", cluster = { device = "H100", devices = 16 },
    job = { global_batch = 128, seq_len = 8192 } }
  for key, value in pairs(changes or {}) do input[key] = value end
  return input
end

local function with_device(device, changes)
  local input = case(changes)
  input.cluster = { device = device, devices = 16 }
  return input
end

describe("the report of an answer", function()
  it("gives step, throughput, run and cost with their range", function()
    local _, _, r = told("estimate", case({ plan = { tp = 2 },
      job = { global_batch = 128, seq_len = 8192, tokens = 1e12 } }))
    for _, name in ipairs({ "step_s", "tokens_per_s", "run_s", "cost_usd" }) do
      assert.is_true(fact(r, name .. "_low") < fact(r, name) and fact(r, name) < fact(r, name .. "_high"), name)
    end
  end)

  it("has the spread of published prices in the range of the cost, where nobody states one", function()
    local job = { global_batch = 128, seq_len = 8192, tokens = 1e12 }
    local text, answer = told("estimate", case({ plan = { tp = 2 }, job = job }))
    local stated, own = told("estimate", case({ plan = { tp = 2 }, job = job, price = answer.input.cluster.usd_h }))
    local wide, narrow, spread = answer.range.cost_usd, own.range.cost_usd, answer.input.cluster.usd_h_spread
    assert.equal(narrow.value, wide.value)
    local up, price = math.log(narrow.high / narrow.value), math.log(spread.high / answer.input.cluster.usd_h)
    assert.near(math.sqrt(up ^ 2 + price ^ 2), math.log(wide.high / wide.value), 1e-9)
    assert.is_true(wide.low < narrow.low)
    assert.same(narrow.value / own.range.run_s.value, wide.value / answer.range.run_s.value)
    assert.matches("cost with the spread of prices", text)
    assert.not_matches("cost with the spread of prices", stated)
  end)

  it("says of a feasible plan where its seconds go, and finds nothing slower with its values", function()
    local text, answer, r = told("search", case({ why = { tp = 8, recompute = "full", recompute_share = 0.5 } }), "search")
    assert.equal("feasible", answer.why.verdict)
    assert.matches("Filled in +[^\n]*vpp 1, cp 1", text)
    assert.matches("Where its seconds go", text)
    assert.is_true(fact(r, "best_step_s") <= answer.why.time.step_s)
    assert.matches("step +%d", text:match("Where its seconds go.*"))
  end)

  it("does not reject for memory the one plan that ran, and says where it cannot tell which did", function()
    local plan = { tp = 1, pp = 1, vpp = 1, cp = 1, ep = 1, zero = 1, recompute = "none", micro_batch = 1 }
    local _, rejected = told("search", case({ plan = plan }))
    local _, ran = told("search", case({ plan = plan, ran = true }))
    assert.is_false(rejected.fits)
    assert.is_true(ran.fits)
    plan.zero = nil
    local _, several = told("search", case({ plan = plan, ran = true }))
    assert.matches("not which", table.concat(several.warnings))
  end)

  it("says which precision was assumed where runs mostly have another, and what that would take", function()
    local plan = { tp = 1, micro_batch = 1, recompute = "none" }
    local text, answer, r = told("estimate", with_device("B200", { plan = plan }))
    assert.equal("bf16", answer.plan.precision)
    assert.matches("Precision +bf16 assumed; in fp8 this plan would take", text)
    local fp8 = { tp = 1, micro_batch = 1, recompute = "none", precision = "fp8", grad_bytes = 4, quantized_params = false }
    local narrow, other = told("estimate", with_device("B200", { plan = fp8 }))
    assert.equal(other.time.step_s, fact(r, "other_step_s"))
    assert.not_matches("assumed; in", narrow)
    assert.not_matches("assumed; in", (told("estimate", case({ plan = plan }))))
  end)

  it("counts one micro-batch in the singular", function()
    assert.matches(", 1 micro%-batch\n", (told("estimate", case({ plan = { tp = 1, micro_batch = 8 } }))))
    assert.matches(", 2 micro%-batches\n", (told("estimate", case({ plan = { tp = 1, micro_batch = 4 } }))))
  end)

  it("speaks of a causal mask only where there is one", function()
    local decoder = told("estimate", case({ plan = { tp = 2 } }))
    local encoder = told("estimate", case({ model = "bert-large-uncased",
      job = { global_batch = 128, seq_len = 512 } }))
    assert.matches("causal counted half", decoder)
    assert.matches("MFU", encoder)
    assert.not_matches("causal", encoder)
  end)

  it("warns of sequences longer than the model was made for", function()
    local _, _, long = told("estimate", case({ model = "bert-large-uncased",
      job = { global_batch = 128, seq_len = 513 } }))
    assert.same({ "job.seq_len is 513, longer than the 512 tokens bert-large-uncased was made for." }, long.warnings)
    local _, _, fine = told("estimate", case({ model = "bert-large-uncased",
      job = { global_batch = 128, seq_len = 512 } }))
    assert.same({}, fine.warnings)
  end)

  it("takes the length of an image from its shape", function()
    local _, answer = told("estimate", case({ model = "vit-b-16-224", job = { global_batch = 1024 } }))
    assert.equal(197, answer.input.job.seq_len)
    assert.matches("needs %-%-seq%-len", errors.catch(told, "estimate", case({ job = { global_batch = 128 } })))
  end)

  it("takes the software that a vendor's devices are used with", function()
    for device, class in pairs({ ["TPU-v4"] = "tpu", ["Trainium2"] = "neuron", ["Gaudi3"] = "gaudi",
      ["Ascend-910B"] = "ascend", ["H100"] = "megatron", ["MI300X"] = "megatron" }) do
      local _, answer = told("estimate", with_device(device))
      assert.equal(class, answer.input.profile.name, device)
      assert.equal(2026, answer.input.case.year, device)
    end
    local _, given = told("estimate", with_device("TPU-v4", { profile = "fsdp" }))
    assert.equal("fsdp", given.input.profile.name)
  end)

  it("says that experts get as many tokens as each other, where nobody says otherwise", function()
    local moe = { model = "mixtral-8x7b", job = { global_batch = 128, seq_len = 4096 } }
    assert.matches("Experts: tokens are routed evenly", (told("estimate", case(moe))))
    assert.not_matches("Experts: ", (told("estimate", case({ job = { global_batch = 128, seq_len = 4096 } }))))
    moe.profile = { imbalance = 1.5, host_layer_s = 8e-4 }
    assert.not_matches("Experts: ", (told("estimate", case(moe))))
  end)
end)

describe("the report of a search", function()
  it("says what was held fixed", function()
    local text = told("search", case())
    for _, held in ipairs({ "precision (bf16)", "schedule (1f1b)", "optimizer (adam)", "gradients (by the rest of the plan)",
      "sequence parallelism (on)" }) do
      local said = text:match("Not searched: [^\n]*")
      assert.is_truthy(said:find(held, 1, true), held .. " is missing in " .. said)
    end
    assert.not_matches("overlap_ep", text) -- no experts
    local narrower = told("search", case({ plan = { precision = "fp8" }, space = { schedule = { "1f1b", "gpipe" } } }))
    assert.not_matches("precision %(", narrower)
    assert.not_matches("schedule %(", narrower)
  end)

  it("names the rule that sets the price instead of the price it replaces", function()
    local rule = { name = "contract", price = function() return 1.5 end }
    local free, ruled = told("search", case()), told("search", case({ rules = { rule } }))
    assert.matches("USD per device%-hour", free)
    assert.not_matches("USD per device%-hour", ruled)
    assert.matches("Price: by the rule 'contract'%.", ruled)
    local given = told("search", case({ price = 2 }))
    assert.not_matches("USD per device%-hour", given)
  end)

  it("takes the short names of objectives", function()
    for short, name in pairs({ cost = "step_usd", mfu = "mfu_frac", throughput = "tokens_per_s", time = "step_s" }) do
      local _, answer = told("search", case({ objective = short }))
      assert.equal(name, answer.found.objective)
    end
  end)
end)

describe("a search without an answer", function()
  it("names the check at which the plan that got furthest was stopped", function()
    local text, _, r = told("search", with_device("A100", { space = { precision = "fp8" } }))
    assert.equal("precision", fact(r, "reason"))
    assert.matches("Why +plan%.precision: the device has no peak for fp8", text)
    -- Units that take scales of 32 elements came with those of 4 bit.
    text, _, r = told("search", with_device("H100", { space = { precision = "mxfp8" } }))
    assert.equal("precision", fact(r, "reason"))
    assert.matches("the device has no peak for mxfp8", text)
    assert.is_not_nil(select(2, told("search", with_device("B200", { space = { precision = "mxfp8" } }))).best)
    local input = case({ job = { global_batch = 1024, seq_len = 8192 } })
    input.cluster = { device = "H100", devices = 1000 }
    text, _, r = told("search", input)
    assert.equal("batch", fact(r, "reason"))
    assert.not_matches("dp 0", text)
  end)

  it("suggests the nearest numbers of devices that have a plan", function()
    local input = case({ job = { global_batch = 1024, seq_len = 8192 } })
    input.cluster = { device = "H100", devices = 1000 }
    local _, _, r = told("search", input, "search")
    local counts = {}
    for _, row in ipairs(r:pick("relax").rows) do
      if row[1] == "devices" then counts[#counts + 1] = row[4] end
    end
    table.sort(counts)
    assert.same({ 992, 1024 }, counts)
  end)

  it("says how far from the chance asked the nearest plan is", function()
    local input = case({ model = "llama-3.1-70b", job = { global_batch = 1024, seq_len = 8192 } })
    local _, answer, r = told("search", input)
    assert.equal("memory", fact(r, "reason"))
    assert.equal(0.9, fact(r, "fit_chance"))
    assert.is_true(fact(r, "fit_probability") < 0.9 and fact(r, "short_bytes") > 0)
    local miss = answer.nearest_miss
    assert.equal(miss.memory.total_bytes - miss.short_bytes, fact(r, "limit_bytes"))
  end)

  it("names the rule where plans fit and only a rule stops them", function()
    local rule = { name = "nothing", why = "none is good enough", reject = function() return true end }
    local _, answer, r = told("search", case({ rules = { rule } }))
    assert.equal("rule: nothing", fact(r, "reason"))
    assert.is_nil(answer.nearest_miss.short_bytes)
  end)
end)

describe("why", function()
  it("names the rule, and the fields that nobody asked for", function()
    local rule = { name = "narrow", why = "no wide plans", reject = function(c) return c.tp > 2 end }
    local _, _, r = told("search", case({ rules = { rule }, why = { tp = 4, pp = 2 } }))
    assert.same({ "rule", "narrow", "no wide plans" }, { fact(r, "verdict"), fact(r, "rule"), fact(r, "why") })
    assert.matches("recompute", fact(r, "filled_in"))
  end)

  it("gives the best plan that has the values asked for", function()
    local _, answer, r = told("search", case({ why = { tp = 4, pp = 2 } }), "search")
    local _, fixed = told("search", case({ plan = { tp = 4, pp = 2 } }))
    assert.equal(fixed.best.time.step_s, fact(r, "best_step_s"))
    assert.is_true(fact(r, "best_step_s") >= answer.best.time.step_s)
  end)
end)

describe("a simpler plan", function()
  local simpler = require("ballpark.questions.search.simpler")
  local KINDS = { "tp", "pp", "vpp", "cp", "ep", "etp" }
  local function kinds(plan)
    local count = 0
    for _, field in ipairs(KINDS) do count = count + (plan[field] > 1 and 1 or 0) end
    return count
  end

  it("is within one per cent of the best and has no more kinds of parallelism", function()
    local shown = 0
    for _, devices in ipairs({ 16, 64, 256 }) do
      local input = case({ model = "llama-3.1-70b", job = { global_batch = 1024, seq_len = 8192 } })
      input.cluster = { device = "H200", devices = devices }
      local _, answer = told("search", input)
      local plan = answer.best and simpler.of(answer.input, answer.found.plans[1], answer.found.objective)
      if plan then
        shown = shown + 1
        assert.is_true(kinds(plan.plan) <= kinds(answer.best.plan))
        assert.is_true(plan.time.step_s <= 1.01 * answer.best.time.step_s)
        assert.is_not.same(plan.plan, answer.best.plan)
      end
    end
    assert.is_true(shown > 0, "no case had a simpler plan")
  end)

  it("shares no weights where a plan that does not is as fast", function()
    local input = case({ model = "gpt2", job = { global_batch = 512, seq_len = 1024 } })
    input.cluster = { device = "A100", devices = 8 }
    local _, answer = told("search", input)
    local plan = simpler.of(answer.input, answer.found.plans[1], answer.found.objective) or answer.best
    assert.is_true(plan.plan.zero < 3)
    assert.equal(0, kinds(plan.plan))
  end)

  it("is said with its step and how much slower it is", function()
    local input = case({ model = "llama-3.1-70b", job = { global_batch = 1024, seq_len = 8192 } })
    input.cluster = { device = "A100", devices = 128 }
    local _, answer, r = told("search", input, "search")
    assert.is_string(fact(r, "simpler_plan"))
    assert.near(fact(r, "simpler_step_s") / answer.best.time.step_s - 1, fact(r, "simpler_frac"), 1e-12)
  end)
end)

describe("the table of best plans", function()
  it("shows the money that the plans are ordered by", function()
    local function money_shown(changes)
      local _, _, r = told("search", case(changes))
      local shown = {}
      for _, column in ipairs(r:pick("plans").columns) do
        if column.unit == "USD" and not column.hide then shown[#shown + 1] = column.name end
      end
      return shown
    end
    assert.same({ "cost_usd" }, money_shown())
    assert.same({ "cost_usd", "step_usd" }, money_shown({ objective = "cost" }))
    assert.same({ "cost_usd", "mtok_usd" }, money_shown({ objective = "tok_usd" }))
  end)
end)

describe("explanations that search again", function()
  local explained = require("ballpark.questions.training.explained")
  local searched = require("ballpark.search.searched")

  it("are for people, after searches that were short and whole", function()
    local search, sweep = { command = "search" }, { command = "sweep" }
    local function found(size, why) return { searched = searched.of(size, 1, why) } end
    assert.is_true(explained.wanted(search, found(1000000)))
    assert.is_true(explained.wanted(search))
    assert.is_false(explained.wanted(sweep, found(1000000)))
    assert.is_false(explained.wanted(search, found(100000000000000)))
    assert.is_false(explained.wanted(search, found(1000000, "interrupted")))
  end)
end)
