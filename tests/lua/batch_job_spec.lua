-- Many prompts that nobody waits for: time and money by hand, and what holds of any of them.
local batch_job = require("ballpark.questions.batch_job.run")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local report = require("ballpark.report")
local result = require("ballpark.result")
local show = require("ballpark.questions.batch_job.show")
local tables = require("ballpark.tables")

local function ask(changes)
  return tables.with({ model = catalog.model("llama-3.1-8b"), devices = { { device = "H100", price = 2 } },
    prompts = 1e6, start_s = 100, load = { input_tokens = 1000, output_tokens = 200 },
    space = { tp = 1, pp = 1, format = "fp8" } }, changes)
end

-- The longest of few answers differs from draw to draw.
local SEEDS <const> = 8

describe("a batch job", function()
  it("takes the prompts over the throughput of full replicas, and costs their time", function()
    local answer = batch_job.run(ask({ deadline_s = 4 * 3600 }))
    local job = answer.winner
    local one = job.kind
    -- Answers of one length: while the last run, half of one that is alone is lost.
    assert.near(100 + 1e6 / (job.replicas * one.per_s) + one.lone_s / 2, job.time_s, 1e-6)
    assert.near(2 * job.replicas * job.time_s / 3600, job.usd, 1e-9)
    assert.is_true(job.time_s <= 4 * 3600)
    -- One replica fewer would be late.
    assert.is_true(100 + 1e6 / ((job.replicas - 1) * one.per_s) + one.lone_s / 2 > 4 * 3600)
    assert.is_true(answer.range.time_s.low < job.time_s and answer.range.time_s.high > job.time_s)
    assert.is_true(answer.sure.replicas >= job.replicas)
  end)

  it("uses the devices that are there where nobody says until when, as far as starting them costs hardly more", function()
    local many = { prompts = 1e7 }
    local one, all = batch_job.run(ask(many)).winner, batch_job.run(ask(tables.with(many, { gpus = 8 }))).winner
    assert.equal(1, one.replicas)
    assert.equal(8 // all.candidate.ranks, all.replicas)
    assert.is_true(all.time_s < one.time_s and all.usd <= 1.02 * one.usd)
    -- The start of a second replica is most of the cost of few prompts.
    assert.equal(1, batch_job.run(ask({ gpus = 8, prompts = 10 })).winner.replicas)
  end)

  it("says rates and prices of the tokens that there are in the mean, of uniform lengths too", function()
    local load = { input_tokens = 1000, output_tokens = 200, lengths = "uniform", spread = 0.5 }
    local answer = batch_job.run(ask({ load = load }))
    local r = result.new({})
    show.answer(r, answer)
    local said = {}
    for _, fact in ipairs(r:scalars()) do said[fact.name] = fact.value end
    -- Half of the longest to the longest: 750 and 150 in the mean.
    assert.near(150 * answer.winner.per_s, said.output_tok_s, 1e-6)
    assert.near(750 * answer.winner.per_s, said.input_tok_s, 1e-6)
    assert.near(answer.winner.usd / (1e6 * 150) * 1e6, said.usd_per_million, 1e-9)
    local of = require("ballpark.questions.serve.bill").of({ cost_usd_h = 3.6, groups = {} }, load, 1)
    assert.near(1e-3 / 150 * 1e6, of.usd_per_million, 1e-9)
    assert.near(1e-3 / 900 * 1e6, of.usd_per_million_all, 1e-9)
  end)

  it("has it where sequences that begin together outgrow the memory, too", function()
    for _, case in ipairs({ { "gemma-3-27b", 20, 1000 }, { "gemma-3-27b", 200, 1000 } }) do
      local one = batch_job.run(ask({ model = catalog.model(case[1]), load = { input_tokens = case[2], output_tokens = case[3] },
        space = { tp = 1, pp = 1, format = "bf16" } })).winner
      local candidate = one.candidate
      local seen = core.serve(tables.with(candidate:setup(), { engine = tables.with(candidate.engine, { front_s = 0,
        front_sequence_s = 0, front_token_s = 0, submit_s = 0 }), load = { arrivals = "closed", input_tokens = case[2],
        output_tokens = case[3], concurrency = 256, requests = 2000 } }))
      assert.near(seen.requests_per_s, one.per_s, 0.05 * one.per_s)
      assert.is_true(seen.preemptions > 1000 and candidate.memory.max_sequences < 40)
    end
  end)

  it("has the throughput of a simulated replica that never lacks prompts", function()
    local one = batch_job.run(ask()).winner
    local candidate = one.candidate
    local seen = core.serve(tables.with(candidate:setup(), { engine = tables.with(candidate.engine, { front_s = 0,
      front_sequence_s = 0, front_token_s = 0, submit_s = 0 }), load = { arrivals = "closed", lengths = "uniform",
      spread = 0.9, input_tokens = 1052, output_tokens = 210, concurrency = candidate.engine.max_running,
      requests = 20 * candidate.engine.max_running } }))
    assert.near(seen.requests_per_s, one.per_s, 0.15 * one.per_s)
  end)

  it("takes what a simulated replica takes from the first to the last of few prompts and of many", function()
    for _, case in ipairs({ { 1, "fixed" }, { 60, "fixed" }, { 300, "fixed" }, { 1000, "fixed" }, { 60, "exponential" },
      { 300, "exponential" }, { 5000, "exponential" }, { 60, "lognormal" }, { 300, "lognormal" }, { 2000, "lognormal" },
      { 100, "uniform" } }) do
      local prompts, lengths = case[1], case[2]
      local job = batch_job.run(ask({ prompts = prompts, start_s = 1e-6, devices = { { device = "L40S", price = 2 } },
        load = { input_tokens = 200, output_tokens = 400, lengths = lengths } })).winner
      local candidate = job.candidate
      local span_s = 0
      for seed = 1, SEEDS do
        local seen = core.serve(tables.with(candidate:setup(), { engine = tables.with(candidate.engine, { front_s = 0,
          front_sequence_s = 0, front_token_s = 0, submit_s = 0 }), load = { arrivals = "closed", lengths = lengths, seed = seed,
          input_tokens = 200, output_tokens = 400, concurrency = prompts, requests = prompts } }))
        span_s = span_s + prompts / seen.requests_per_s / SEEDS
      end
      assert.near(span_s, job.time_s, 0.15 * span_s, ("%d %s"):format(prompts, lengths))
    end
  end)

  it("is no dearer on a device of more memory, that holds more than all prompts", function()
    local function usd(times, prompts)
      local device = catalog.device("L40S")
      return batch_job.run(ask({ devices = { { device = tables.with(device, { memory_bytes = times * device.memory_bytes }),
        price = 2 } }, load = { input_tokens = 216, output_tokens = 427 }, prompts = prompts })).winner.usd
    end
    for _, prompts in ipairs({ 1, 100, 578, 2000, 10000 }) do
      local last = usd(1, prompts)
      for _, times in ipairs({ 2, 4, 8 }) do
        local more = usd(times, prompts)
        assert.is_true(more <= last * 1.02, ("%d prompts, %g times the memory: %g to %g"):format(prompts, times, last, more))
        last = more
      end
    end
  end)

  it("takes one replica where nobody is in a hurry, and twice as many for half the time", function()
    local slow = batch_job.run(ask()).winner
    assert.equal(1, slow.replicas)
    local sizes = batch_job.run(ask()).sizes
    assert.equal(2, sizes[2].replicas)
    assert.near((slow.time_s - 100 - slow.kind.lone_s / 2) / 2, sizes[2].time_s - 100 - slow.kind.lone_s / 2, 1e-6)
    -- The start is paid twice.
    assert.is_true(sizes[2].usd > slow.usd)
  end)

  it("costs two fifths on spot, where a fifth is missing: half as much", function()
    local function usd(term)
      return batch_job.run(ask({ devices = { "H100" }, terms = term, start_s = 1e-3, prompts = 1e8 })).winner.usd
    end
    assert.near(0.4 / 0.8, usd("spot") / usd("on_demand"), 1e-3)
  end)

  it("is dearer the sooner it has to be done, and refused where no devices are fast enough", function()
    local last = 0
    for _, hours in ipairs({ 24, 12, 6, 3 }) do
      local job = batch_job.run(ask({ deadline_s = hours * 3600, devices = { "H100", "L4" } })).winner
      assert.is_true(job.usd >= last)
      last = job.usd
    end
    local answer = batch_job.run(ask({ deadline_s = 600, gpus = 2 }))
    assert.is_false(answer.fits)
    assert.matches("the fastest replicas of 2 devices take", answer.refused)
    assert.equal(2, answer.fastest.devices)
    assert.is_false(batch_job.run(ask({ deadline_s = 50 })).fits) -- it takes 100 s to start
    assert.equal("the model does not fit into memory",
      batch_job.run(ask({ model = catalog.model("llama-3.1-405b"), deadline_s = 1e6 })).refused)
  end)

  it("is shown with what is paid, and refuses what it cannot mean", function()
    local r = result.new({})
    show.answer(r, batch_job.run(ask({ deadline_s = 4 * 3600, terms = "spot", devices = { "H100", "L4" } })))
    local text = report.render(r, "table", { width = 1000 })
    for _, wanted in ipairs({ "Done in", "per thousand prompts", "The cheapest of each device", "20 %% of the replicas" }) do
      assert.matches(wanted, text)
    end
    local function complaint(changes) return (errors.catch(batch_job.run, ask(changes))) end
    assert.matches("prompts: must be a number above 0", complaint({ prompts = 0 }))
    assert.matches("deadline_s: must be a number above 0", complaint({ deadline_s = -1 }))
    assert.matches("load.*rate_per_s", complaint({ load = { rate_per_s = 3 } }))
  end)
end)
