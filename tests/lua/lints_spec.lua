-- Every lint has a scenario that fires it and one, near it, that does not; slips of units; estimates in prose; scenarios
-- that explain what they do on purpose.
local lints = require("ballpark.lints")
local scenario = require("ballpark.scenario")
local slips = require("ballpark.lints.slips")
local words = require("ballpark.lints.words")

local function run(source)
  return (scenario.run({ path = "lint.lua", source = source .. "\nfacts('x', { { 'one', 1 } })" }))
end

local function codes(source)
  local found = {}
  for _, lint in ipairs(run(source).lints) do found[lint.code] = true end
  return found
end

local RULE <const> = "local r = kernel.training_rule { params = 7e9, tokens = 1e12, peak_flop_s = 312e12, %s }\n"
local function rule(changes) return RULE:format(changes) end

local STATES <const> = "kernel.states { params = 7e9, %s }\n"
local FLEET <const> = "kernel.replicas { peak_per_s = 1000, capacity_per_s = 100, %s }\n"
local JOB <const> = "estimate { model = 'llama-3.1-8b', cluster = { device = 'H100', devices = 8 }, plan = { tp = 1, zero = 3, "
  .. "recompute = 'full' }, job = { global_batch = %d, seq_len = 4096 } }\n"

-- code → { a scenario that makes the mistake, one near it that does not }
local CASES <const> = {
  weights_only = { "kernel.weights { params = 7e9 }", "kernel.weights { params = 7e9, overhead_factor = 1.2 }" },
  mean_for_peak = { "kernel.load { average_per_s = 10, peak_ratio = 1 }\n" .. FLEET:format("utilization_frac = 0.7"),
    "kernel.load { average_per_s = 10, peak_ratio = 3 }\n" .. FLEET:format("utilization_frac = 0.7") },
  no_headroom = { FLEET:format("utilization_frac = 1"), FLEET:format("utilization_frac = 0.8") },
  inference_alone = { "latency { sla_s = 1, parts = { { name = 'model', fixed_s = 0.1 } } }",
    "latency { sla_s = 1, parts = { { name = 'model', fixed_s = 0.1 }, { name = 'network', fixed_s = 0.1 } } }" },
  fp32_by_default = { "kernel.weights { params = 7e9, bytes_per_param = 4, overhead_factor = 1.2 }",
    "kernel.weights { params = 7e9, bytes_per_param = 2, overhead_factor = 1.2 }" },
  no_range = { rule("mfu_frac = 0.4, devices = 8"), rule("mfu_frac = 0.4, devices = 8")
    .. "expect('flop', r.flop, { equals = 4.2e22 })" },
  no_comparable = { "show(estimate { model = { name = 'tiny', layers = 2, hidden = 64, heads = 1, vocab = 1000, ffn_hidden = 256 }, "
    .. "cluster = { device = 'H100', devices = 1 }, plan = {}, job = { global_batch = 8, seq_len = 128 } })",
    "show(" .. JOB:format(64):gsub("\n", "") .. ")" },
  mfu_of_peak = { rule("mfu_frac = 1, devices = 8"), rule("mfu_frac = 0.4, devices = 8") },
  optimizer_forgotten = { rule("mfu_frac = 0.4, devices = 8") .. "kernel.weights { params = 7e9, overhead_factor = 1.2 }",
    rule("mfu_frac = 0.4, devices = 8") .. "kernel.weights { params = 7e9, overhead_factor = 1.2 }\n"
      .. STATES:format("zero = 0") },
  activations_forgotten = { STATES:format("device_bytes = 80e9"), STATES:format("device_bytes = 80e9")
    .. "kernel.activation_rule { batch = 1, seq_len = 2048, hidden = 4096, heads = 32, layers = 32 }" },
  logits_forgotten = { STATES:format("device_bytes = 80e9")
    .. "kernel.activation_rule { batch = 1, seq_len = 2048, hidden = 4096, heads = 32, layers = 32 }",
    STATES:format("device_bytes = 80e9") .. JOB:format(64)
      .. "kernel.activation_rule { batch = 1, seq_len = 2048, hidden = 4096, heads = 32, layers = 32 }" },
  communication_forgotten = { rule("mfu_frac = 0.65, devices = 512"), rule("mfu_frac = 0.65, devices = 512")
    .. "kernel.ring_rule { bytes = 1e9, ranks = 8, bw_bytes_s = 450e9 }" },
  no_redundancy = { "kernel.replicas { peak_per_s = 10, capacity_per_s = 100, utilization_frac = 0.7 }",
    "kernel.replicas { peak_per_s = 10, capacity_per_s = 100, utilization_frac = 0.7, spares = 1 }" },
  fitted_factor = { rule("mfu_frac = 0.4, devices = 8, overhead_factor = 8"),
    rule("mfu_frac = 0.4, devices = 8, overhead_factor = 1.1") },
  recomputation_useful = { "kernel.mfu { params = 7e9, tokens_per_s = 1e5, devices = 64, peak_flop_s = 989e12, "
    .. "flop_per_param_tok = 8 }", "kernel.mfu { params = 7e9, tokens_per_s = 1e5, devices = 64, peak_flop_s = 989e12 }" },
  gradients_forgotten = { STATES:format("convention = '2+0+12'"), STATES:format("convention = '2+2+12'") },
  no_failures = { rule("mfu_frac = 0.1, devices = 128"), rule("mfu_frac = 0.1, devices = 128")
    .. "kernel.goodput { devices = 128, checkpoint_s = 30, restart_s = 600 }" },
  price_without_date = { "kernel.budget { flop = 1e22, peak_flop_s = 312e12, price_usd_h = 1.23, devices = 8, mfu_frac = 0.4 }",
    "assume '1.23 USD per device-hour, our contract of 2026'\n"
      .. "kernel.budget { flop = 1e22, peak_flop_s = 312e12, price_usd_h = 1.23, devices = 8, mfu_frac = 0.4 }" },
  model_without_mlp = { "estimate { model = { name = 'm', layers = 4, hidden = 1024, heads = 8, vocab = 32000, ffn_hidden = 0 }, "
    .. "cluster = { device = 'H100', devices = 1 }, plan = {}, job = { global_batch = 8, seq_len = 1024 } }",
    "estimate { model = { name = 'm', layers = 4, hidden = 1024, heads = 8, vocab = 32000 }, "
    .. "cluster = { device = 'H100', devices = 1 }, plan = {}, job = { global_batch = 8, seq_len = 1024 } }" },
  tokens_as_sequences = { JOB:format(4000000), JOB:format(1024) },
  sparse_peak = { "kernel.mfu { params = 7e9, tokens_per_s = 1e5, devices = 64, peak_flop_s = 624e12 }",
    "kernel.mfu { params = 7e9, tokens_per_s = 1e5, devices = 64, peak_flop_s = 312e12 }" },
  two_way_bandwidth = { "kernel.ring_rule { bytes = 1e9, ranks = 8, bw_bytes_s = 1200e9 }",
    "kernel.ring_rule { bytes = 1e9, ranks = 8, bw_bytes_s = 600e9 }" },
}

describe("a lint", function()
  for code, case in pairs(CASES) do
    it("fires on its mistake and not near it: " .. code, function()
      assert.is_true(codes(case[1])[code], "does not fire")
      assert.is_nil(codes(case[2])[code], "fires near it")
    end)
  end

  -- These look at what a report shows, or at what a range says.
  local function of(log) return lints.of(setmetatable(log, { __index = require("ballpark.lints.log").new() })) end

  it("fires ten times off every comparable", function()
    local function found(ratio)
      for _, lint in ipairs(of({ facts = { comparable_ratio = ratio } })) do
        if lint.code == "off_comparable" then return true end
      end
    end
    assert.is_true(found(11))
    assert.is_true(found(1 / 11))
    assert.is_nil(found(9))
  end)

  it("fires beyond the data", function()
    local function found(reasons)
      local log = require("ballpark.lints.log").new()
      log:add("estimate", "question", {}, { extrapolated = reasons })
      return lints.of(log)[1]
    end
    assert.equal("beyond_data", found({ "more devices than any" }).code)
    assert.is_nil(found({}))
  end)

  it("has a scenario of its own, why and fix in a line", function()
    for _, record in ipairs(lints.records) do
      assert.is_true(CASES[record.code] ~= nil or record.code == "off_comparable" or record.code == "beyond_data", record.code)
      assert.is_true(record.severity == "warning" or record.severity == "note", record.code)
      for _, text in ipairs({ record.why, record.fix }) do
        assert.is_nil(text:find("\n"))
        assert.is_nil(text:find("%.$"), record.code)
      end
    end
  end)

  it("can be explained, by its code and a reason", function()
    local r = run("accept('no_headroom', 'to show it')\n" .. FLEET:format("utilization_frac = 1"))
    for _, lint in ipairs(r.lints) do assert.not_equal("no_headroom", lint.code) end
    assert.equal("to show it", r.explained[1].because)
    local function said(source) return select(2, pcall(run, source)).message end
    assert.matches("did you mean 'no_headroom'", said("accept('no_headrom', 'x')"))
    assert.matches("needs a reason", said("accept('no_headroom')"))
  end)
end)

describe("a slip", function()
  it("is shown with what catches it, and explained by being shown", function()
    local r = run("slip('D7', 0.35, 500 / 86400, '1/s')\nslip('A4', hours(80), hours(93.5), 's')")
    assert.same({}, r.lints)
    local block
    for _, other in ipairs(r.blocks) do block = other.name == "slips" and other or block end
    assert.equal("per_minute_for_per_second", block.rows[1][6])
    assert.equal("expect", block.rows[2][6])
    assert.matches("two numbers above 0", tostring(select(2, pcall(run, "slip('x', 1)"))))
  end)

  it("is found in an expectation that fails", function()
    local r = run("expect('years', days(9), { equals = years(9) / 1, unit = 's' })")
    assert.equal("years_for_days", r.lints[1].code)
    assert.same({}, run("expect('years', days(9), { equals = days(9), unit = 's' })").lints)
  end)

  it("has a code of its own for each factor", function()
    for _, code in ipairs(slips.codes()) do assert.is_string(code) end
    for _, record in ipairs(lints.records) do
      for _, code in ipairs(slips.codes()) do assert.not_equal(code, record.code) end
    end
  end)
end)

describe("an estimate in prose", function()
  -- What makes each mistake, and what does not.
  local SAID <const> = {
    weights_only = { "7B in fp16: 14 GB of weights", "7B in fp16: 14 GB of weights, KV cache and overhead 20 GB" },
    mean_for_peak = { "500k requests a day on average", "500k requests a day on average, peak 4x" },
    no_headroom = { "runs at 100 % utilization", "runs at 70 % utilization" },
    inference_alone = { "latency 20 ms", "latency 20 ms and 5 ms of network" },
    fp32_by_default = { "weights in fp32", "weights in fp32, then bf16" },
    no_range = { "42 GPUs", "35 to 50 GPUs" },
    no_comparable = { "42 GPUs", "42 GPUs, and the published run took 40" },
    mfu_of_peak = { "at 100% MFU", "at 40% MFU" },
    optimizer_forgotten = { "training takes 14 GB of memory", "training takes 112 GB of memory with Adam" },
    activations_forgotten = { "Adam takes 84 GB of memory", "Adam takes 84 GB of memory, activations 30" },
    communication_forgotten = { "train on 64 GPUs", "train on 64 GPUs at 40 % MFU" },
    no_redundancy = { "one replica does it", "one replica does it, and a spare" },
    no_failures = { "train for 60 days", "train for 60 days with restarts" },
    price_without_date = { "4 USD an hour", "4 USD an hour in 2026" },
    fitted_factor = { "an overhead factor of 8", "an overhead of 3 % for restarts" },
  }

  it("makes the mistakes of a scenario", function()
    for code, pair in pairs(SAID) do
      local function makes(text)
        for _, found in ipairs(words.of(text)) do
          if found == code then return true end
        end
        return false
      end
      assert.is_true(makes(pair[1]), code .. ": " .. pair[1])
      assert.is_false(makes(pair[2]), code .. ": " .. pair[2])
    end
  end)

  it("has no code without a record", function()
    local known = {}
    for _, record in ipairs(lints.records) do known[record.code] = true end
    for code in pairs(SAID) do assert.is_true(known[code], code) end
    assert.is_true(#lints.of_text("42 GPUs") > 0)
  end)
end)

describe("shipped scenarios", function()
  it("of the worked examples have no lint that they do not explain", function()
    local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
    for _, name in ipairs({ "a9-a11-one-device-and-many", "a12-b1-b6-training-states", "a20-a22-peak-load",
      "a13-a16-two-tower-retrieval", "b10-budget", "d6-d7-preprocessing-and-starts" }) do
      local r = scenario.run(scenario.load(here .. "/../../scenarios/worked/" .. name .. ".lua"))
      assert.same({}, r.lints, name)
    end
  end)
end)

describe("figures of an estimate in prose", function()
  local lint = require("ballpark.cli.lint")

  local function found_in(text)
    local list = {}
    for _, item in ipairs(lint.answered({ text = text }, {}).lints) do list[item.code] = item.message end
    return list
  end

  -- A slip, the code that catches it, and the same sentence with the right figure, in which it is not found.
  local SLIPS <const> = {
    { "7B on 1T tokens at 17% MFU takes 25,000 years on one A100.", "thousands",
      "7B on 1T tokens at 17% MFU takes 25 years on one A100." },
    { "6ND at 40% MFU on 1000 A100 for 7B on 1T tokens takes 80 hours.", "contradiction",
      "6ND at 40% MFU on 1000 A100 for 7B on 1T tokens takes 93.5 hours." },
    { "A prompt of 100 tokens on a 7B takes 15 ms on an A100 at 40% MFU.", "contradiction",
      "A prompt of 100 tokens on a 7B takes 11.2 ms on an A100 at 40% MFU." },
    { "With an 8x real-world factor the run takes 36.7 days.", "fitted_factor",
      "With restarts and checkpoints the run takes 4.7 days." },
    { "Training a 7B model with Adam takes 98 GB of states.", "gradients_forgotten",
      "Training a 7B model with Adam takes 112 GB of states." },
    { "Training with Adam takes 14 bytes per parameter.", "gradients_forgotten",
      "Training with Adam takes 16 bytes per parameter." },
    { "ViT-L/16 needs 61 GFLOP for an image at 224.", "mac_for_flop", "ViT-L/16 needs 123 GFLOP for an image at 224." },
    { "The ViT at 61 GFLOP is 15x the ResNet at 4.1 GMAC.", "mac_for_flop", "The ViT has 61.6 GMAC, the ResNet 4.1 GMAC." },
    { "The ring of the H100 all-reduces at 900 GB/s over NVLink.", "both_directions",
      "The ring of the H100 all-reduces at 450 GB/s over NVLink." },
    { "An all-reduce over NVLink runs at 900 GB/s.", "both_directions", "An all-reduce of the B200 runs at 900 GB/s over NVLink." },
    { "An H100 has a peak of 1979 TFLOP/s in bf16.", "sparse_for_dense", "An H100 has a peak of 1979 TFLOP/s in fp8." },
    { "An H100 has a peak of 1,979 TFLOPS.", "sparse_for_dense", "An H100 has a peak of 989 TFLOPS." },
    { "150k tokens/s of 7B on 64 H100 is 5% MFU.", "sparse_for_dense", "150k tokens/s of 7B on 64 H100 is 10% MFU." },
    { "We start 500 workflows a day, which is 0.35/s.", "per_minute_for_per_second",
      "We start 500 workflows a day, which is 0.0058/s." },
    { "We start 500 workflows a day. That is 500 a day = 0.35 per second.", "per_minute_for_per_second",
      "We start 500 workflows a day. That is 500 a day = 0.35 per minute." },
    { "The InfiniBand NIC has 400 GB/s.", "bits_for_bytes", "The InfiniBand NIC has 400 Gbit/s." },
    { "7B weights in fp16 are 28 GB.", "contradiction", "7B weights in fp16 are 14 GB." },
    { "7B weights in fp16 are 14 TB.", "thousands", "7B weights in fp16 with overhead are 16.8 GB." },
    { "50 fine-tunes × 6 h + 10 sweeps × 48 h + 5 RLHF × 16 h + 100 evals × 1 h a day are 100-200 concurrent runs.",
      "littles_law", "50 fine-tunes × 6 h + 10 sweeps × 48 h + 5 RLHF × 16 h + 100 evals × 1 h a day are 40 concurrent runs." },
  }

  it("are caught by their slip, and are not where they are right", function()
    for _, row in ipairs(SLIPS) do
      if row[2] then
        assert.is_string(found_in(row[1])[row[2]], row[1])
        assert.is_nil(found_in(row[3])[row[2]], row[3])
      end
    end
  end)

  it("do not hide each other", function()
    local all = {}
    for _, row in ipairs(SLIPS) do all[#all + 1] = row[2] and row[1] or nil end
    local found = found_in(table.concat(all, "\n"))
    for _, row in ipairs(SLIPS) do
      if row[2] then assert.is_string(found[row[2]], row[1]) end
    end
  end)
end)
