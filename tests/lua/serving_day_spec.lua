-- A fleet through a day: the curve, the bills of static and scaled fleets, and the simulation beside them.
local catalog = require("ballpark.catalog")
local curve = require("ballpark.questions.serve.curve")
local errors = require("ballpark.errors")
local search = require("ballpark.questions.serve_search.run")

local function day_of(changes, load)
  local input = { model = catalog.model("llama-3.1-8b"), devices = { { device = "H100", price = 1 } }, gpus = 32,
    engine = "vllm", sla = { ttft_s = 1, tpot_s = 0.02 }, spares = 0,
    load = { arrivals = "diurnal", rate_per_s = 40, peak_over_mean = 2, input_tokens = 1500, output_tokens = 200,
      requests = 2000 },
    space = { tp = 1, pp = 1, format = "fp8", pattern = "aggregated" } }
  for key, value in pairs(load or {}) do input.load[key] = value end
  if input.load.rates then input.load.peak_over_mean = nil end
  for key, value in pairs(changes or {}) do input[key] = value end
  if input.load.requests == 0 then input.load.requests = nil end -- as many as the day has
  local answer = search.run(input)
  return answer.day, answer
end

local function rows_of(day)
  local by_how = {}
  for _, row in ipairs(day.rows) do by_how[row.how] = row end
  return by_how
end

describe("the curve of a day", function()
  it("has mean 1 and the peak that was asked for, quietest first", function()
    for _, peak in ipairs({ 1, 1.5, 3, 8 }) do
      local weights, highest = curve.weights(nil, peak)
      local sum, most = 0, 0
      for _, weight in ipairs(weights) do sum, most = sum + weight, math.max(most, weight) end
      assert.near(1, sum / #weights, 1e-6)
      assert.near(peak, most, 1e-4 * peak)
      assert.equal(peak, highest)
      assert.is_true(weights[1] <= weights[#weights // 2])
    end
  end)

  it("is that of the rates that were given", function()
    local weights, highest = curve.weights({ 1, 3 })
    assert.equal(curve.minutes, #weights)
    assert.near(0.5, weights[1], 1e-12)
    assert.near(1.5, weights[#weights], 1e-12)
    assert.near(1.5, highest, 1e-12)
  end)

  it("refuses what is no curve", function()
    assert.matches("load.rates: ", errors.catch(curve.weights, { 0, 0 }))
    assert.matches("load.rates%[2%]: ", errors.catch(curve.weights, { 1, -1 }))
    assert.matches("load.rates: ", errors.catch(curve.weights, {}))
    assert.matches("peak_over_mean: ", errors.catch(curve.weights, nil, 30))
  end)
end)

describe("a day", function()
  it("of an even load has nothing to scale", function()
    local rows = rows_of((day_of({}, { rates = { 1 } })))
    assert.near(rows.static.cost_usd_day, rows.scaled.cost_usd_day, 1e-9)
    assert.equal(0, rows.scaled.late_frac)
    assert.near(0.65 * rows.static.cost_usd_day, rows.static_reserved.cost_usd_day, 1e-9)
    assert.near(rows.static_reserved.cost_usd_day, rows.scaled_over_reserved.cost_usd_day, 1e-9)
  end)

  it("of two halves is paid by hand", function()
    -- Half a day at a tenth of the peak, half at the peak: replicas overlap for the time an order takes.
    local day, answer = day_of({ start_s = 60 }, { rates = { 0.1, 1 }, rate_per_s = 40 })
    local rows, most = rows_of(day), answer.winner.replicas
    local quiet = math.ceil(0.1 * most / 0.85)
    assert.equal(most * 24, rows.static.cost_usd_day) -- one device of 1 USD each
    local extra = (2 + 5) / 60 -- two minutes of lag, five until one goes
    assert.near(12 * (most + quiet) + extra * (most - quiet), rows.scaled.cost_usd_day, 1e-6)
    assert.equal(quiet, rows.scaled.least)
    -- The jump to the peak is met by those of before it, for as long as a start and a look take.
    assert.near(2 / 1440 * 1 / 0.55, rows.scaled.late_frac, 1e-9)
  end)

  it("costs more the longer a replica takes to serve", function()
    local quick, slow = rows_of((day_of({ start_s = 10 }))), rows_of((day_of({ start_s = 3600 })))
    assert.is_true(slow.scaled.cost_usd_day > quick.scaled.cost_usd_day)
    assert.is_true(slow.scaled.late_frac >= quick.scaled.late_frac)
    assert.is_true(quick.scaled.cost_usd_day < quick.static.cost_usd_day)
  end)

  it("is never dearer over a committed base than with either alone", function()
    for _, peak in ipairs({ 1.2, 2, 4 }) do
      local rows = rows_of((day_of({}, { peak_over_mean = peak, rate_per_s = 80 / peak })))
      assert.is_true(rows.scaled_over_reserved.cost_usd_day <= rows.scaled.cost_usd_day + 1e-9)
      assert.is_true(rows.scaled_over_reserved.cost_usd_day <= rows.static_reserved.cost_usd_day + 1e-9)
    end
  end)

  it("knows how long weights take to load", function()
    local day, answer = day_of()
    assert.near(45 + answer.winner.candidate.memory.weights_bytes / 1.5e9, day.start_s, 1e-9)
    assert.equal(7, (day_of({ start_s = 7 })).start_s)
  end)

  it("is simulated where it is not too long", function()
    local day = day_of({ gpus = 8 }, { rate_per_s = 2, requests = 0, output_tokens = 400, input_tokens = 6000 })
    assert.is_true(day.simulated)
    local rows = rows_of(day)
    assert.is_true(rows.scaled.seen.ttft.p90_s <= 1)
    assert.near(1, rows.scaled.seen.mean_replicas / rows.scaled.mean, 0.1)
    local long = day_of()
    assert.is_false(long.simulated)
    assert.equal("load.requests asks for less than a day", long.why_not)
    assert.equal("it has 3.5 million requests, and 2 million are simulated at most",
      (day_of({}, { requests = 0 })).why_not) -- 40 per s of 86,400 s
  end)

  it("of replicas on other terms is not told about commitments", function()
    local day = day_of({ terms = "spot", devices = { "H100" } })
    assert.equal(2, #day.rows)
  end)
end)
