-- Levers of any fleet: each says what its question says when it is asked again, and what cost{} makes of it.
local catalog = require("ballpark.catalog")
local cost = require("ballpark.questions.cost.run")
local encode = require("ballpark.questions.encode.run")
local errors = require("ballpark.errors")
local hourly_cost = require("ballpark.questions.cost.hourly")
local levers = require("ballpark.questions.levers.run")
local platform = require("ballpark.questions.platform.run")
local result = require("ballpark.result")
local show = require("ballpark.questions.levers.show")
local same = require("ballpark.questions.levers.same")
local transcribe = require("ballpark.questions.transcribe.run")
local vector_search = require("ballpark.questions.vector_search.run")

local function by_name(answer)
  local rows = {}
  for _, row in ipairs(answer.rows) do rows[row.name] = row end
  return rows
end

local function encoder(changes)
  local input = { model = "bert-base", device = "A100", tokens = 128, price_usd_h = 2,
    load = { rate_per_s = 20000, sla_s = 0.1, spares = 1 } }
  for key, value in pairs(changes or {}) do input[key] = value end
  return encode.run(input)
end

local function hourly(answer) return answer.fleet.replicas * answer.price_usd_h end

describe("levers of voices", function()
  local base = transcribe.run({ model = "whisper-large-v3", device = "L4", audio_per_s = 500, price_usd_h = 1 })
  local rows = by_name(levers.run({ of = base }))

  it("say what the question says with the change", function()
    local batched = transcribe.run({ model = "whisper-large-v3", device = "L4", audio_per_s = 500, price_usd_h = 1, batch = 16 })
    assert.is_true(batched.devices < base.devices)
    assert.is_true(rows.batch.cost_usd_h <= batched.devices)
    assert.near(1 - rows.batch.cost_usd_h / base.devices, rows.batch.saves_frac, 1e-12)
    assert.is_nil(rows.batch.same)
    assert.is_true(rows.terms.cost_usd_h < base.devices)
  end)
end)

describe("levers of calls", function()
  local base = encoder()
  local answer = levers.run({ of = base, growth_month_frac = 0.1, horizon_s = 2 * 730 * 3600 })
  local rows = by_name(answer)

  it("are the same question, asked again with one change", function()
    assert.equal(hourly(base), answer.cost_usd_h)
    local load = base.asked.load
    local half = encoder({ load = { rate_per_s = load.rate_per_s / 2, sla_s = load.sla_s, spares = 1 } })
    assert.equal(hourly(half), rows.cache.cost_usd_h)
    assert.near(1 - hourly(half) / hourly(base), rows.cache.saves_frac, 1e-12)
    assert.equal(hourly(base) - 2, rows.spares.cost_usd_h)
    assert.near(0.65 * hourly(base), rows.terms.cost_usd_h, 1e-9)
    local moved = encoder({ device = catalog.device(rows.device.which) })
    moved.price_usd_h = catalog.price(rows.device.which)
    assert.near(hourly(moved), rows.device.cost_usd_h, 1e-9)
  end)

  it("are added up over a horizon as they grow, the best first", function()
    assert.near(hourly(base) * 730 * 2.1, answer.cost.usd_horizon, 1e-6)
    assert.near(rows.terms.cost_usd_h * 730 * 2.1, rows.terms.usd_horizon, 1e-6)
    for i = 2, #answer.rows do
      assert.is_true(not answer.rows[i].fits or answer.rows[i - 1].cost_usd_h <= answer.rows[i].cost_usd_h)
    end
    local r = result.new({})
    show.answer(r, answer)
    assert.equal(1 + #answer.rows, #r.blocks[1].rows + #r.notes)
  end)
end)

describe("levers of an index", function()
  it("take other indexes with the same recall, and less of it", function()
    local base = vector_search.run({ vectors = 10000000, dim = 96, index = "ivf", recall = 0.95, rate_per_s = 20000,
      price_usd_h = 3 })
    assert.equal(3 * base.load.replicas, levers.run({ of = base }).cost_usd_h)
    local rows = by_name(levers.run({ of = base }))
    assert.is_true(rows.recall.cost_usd_h <= 3 * base.load.replicas)
    assert.equal("hnsw", rows.index.which)
    assert.near(730 * 3 * base.load.replicas, cost.run({ fleets = { { answer = base } } }).usd_month, 1e-6)
  end)
end)

describe("levers of an index with fields of its own", function()
  it("leave out what the other does not have, and name the field where one is refused", function()
    local base = vector_search.run({ vectors = 22795744, dim = 768, index = "pq", code_bytes = 32, metadata_bytes = 200, rate_per_s = 502.8,
      price_usd_h = 6.724 })
    local hnsw = vector_search.run({ vectors = 22795744, dim = 768, index = "hnsw", metadata_bytes = 200, rate_per_s = 502.8,
      price_usd_h = 6.724, recall = base.out.recall })
    local row = by_name(levers.run({ of = base })).index
    assert.near(3 * 6.724, hourly_cost.of(base), 1e-9)
    assert.near(hourly_cost.of(hnsw), row.cost_usd_h, 1e-9)
    assert.near(6.724, row.cost_usd_h, 1e-9)
    local low = vector_search.run({ vectors = 22795744, dim = 768, index = "ivf", recall = 0.04, rate_per_s = 5, price_usd_h = 3 })
    assert.matches("^recall: must be above 0", by_name(levers.run({ of = low })).recall.refused)
  end)

  it("say where they find less than the index does", function()
    local base = vector_search.run({ vectors = 1000000, dim = 96, index = "flat", rate_per_s = 2000, price_usd_h = 3 })
    assert.equal("hnsw, 99 % of it", by_name(levers.run({ of = base })).index.which)
  end)
end)

describe("levers of a platform", function()
  it("take the fewest nodes that keep the wait, terms and shorter retention", function()
    local base = platform.run({ classes = { { name = "a", per_day = 100, duration = 5 * 3600, bytes = 1e12, ttl_s = 20 * 86400 } },
      nodes = 8, price = 2, wait_target_s = 3600, simulation = { jobs = 3000 } })
    local rows = by_name(levers.run({ of = base }))
    assert.near(base.target.devices * 2 + base.storage_usd_month / 730, rows.target.cost_usd_h, 1e-9)
    assert.near(64 * 2 * 0.65 + base.storage_usd_month / 730, rows.terms.cost_usd_h, 1e-9)
    assert.near(64 * 2 + base.storage_usd_month / 730 / 2, rows.retention.cost_usd_h, 1e-9)
    assert.near(base.usd_month, cost.run({ fleets = { { answer = base } } }).usd_month, 1e-6)
  end)
end)

describe("levers of what is no fleet", function()
  local function said(of) return errors.catch(levers.run, { of = of }) end
  it("are refused, with what is", function()
    assert.matches("of: must be an answer of diffusion, encode, platform", said({ kind = "budget" }))
    assert.matches("of: has no fleet with a price", said(encode.run({ model = "bert-base", device = "A100", tokens = 8 })))
  end)
end)

describe("a lever that costs the same", function()
  it("says that the count is, and how busy it is", function()
    assert.equal("", same.words(nil))
    assert.equal("; still 5 of them, 40 % busy (66 % as it is)", same.words({ count = 5, busy_frac = 0.66, own_busy_frac = 0.4 }))
    assert.equal("; still 5 of them, 66 % busy as it is", same.words({ count = 5, busy_frac = 0.66, own_busy_frac = 0.66 }))
    assert.equal("; still 5 of them", same.words({ count = 5 }))
    -- Two replicas, one of them spare: half of the calls need no fewer.
    local base = encode.run({ model = "bert-base", device = "A100", tokens = 128, price_usd_h = 2, load = { rate_per_s = 10, spares = 1 } })
    local row = by_name(levers.run({ of = base })).cache
    assert.equal(base.fleet.replicas, row.same.count)
    assert.is_true(row.same.own_busy_frac == nil or row.same.own_busy_frac < row.same.busy_frac)
  end)
end)
