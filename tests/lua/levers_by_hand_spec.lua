-- Levers against the same questions restated by hand, drawn: what a lever says is what its question says with that change.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local catalog = require("ballpark.catalog")
local drawn = dofile(here .. "/drawn.lua")
local encode = require("ballpark.questions.encode.run")
local errors = require("ballpark.errors")
local hourly = require("ballpark.questions.cost.hourly")
local levers = require("ballpark.questions.levers.run")
local search = require("ballpark.questions.serve_search.run")
local tables = require("ballpark.tables")
local vector_search = require("ballpark.questions.vector_search.run")

local one_of = drawn.one_of

local function by_name(list)
  local rows = {}
  for _, row in ipairs(list) do rows[row.name] = row end
  return rows
end

-- Compares a lever with the answer to its question by hand, or with none.
local function compare(row, usd_h, base_usd_h, why)
  assert.equal(usd_h ~= nil, row.fits, why)
  if not usd_h then return end
  assert.near(usd_h, row.cost_usd_h, 1e-9 * math.max(1, usd_h), why)
  assert.equal(base_usd_h > 0, row.saves_frac ~= nil, why)
  if row.saves_frac then assert.near(1 - usd_h / base_usd_h, row.saves_frac, 1e-9, why) end
end

local SERVED <const> = 12
local DEVICES <const> = { "L4", { device = "L4", price = 0.9 }, { device = "L4", term = "on_demand" },
  { device = "L4", price = 0.9, term = "on_demand" }, { device = "L4", price = 0 } }
local ARRIVALS <const> = { {}, { peak_over_mean = 3 }, { arrivals = "diurnal" }, { arrivals = "diurnal", peak_over_mean = 3 },
  { arrivals = "diurnal", rates = { 1, 1, 1, 6, 6, 1 } } }
local CACHED <const> = { {}, { prefix_tokens = 300 }, { prefix_tokens = 900, shared_tokens = 200 }, { prefix_tokens = 600 } }

local function served_of(unit)
  local model, smaller = catalog.model("qwen3-8b"), catalog.model("qwen3-4b")
  if unit() < 0.5 then
    local images = { images = 1, image_size = 448 }
    model, smaller = tables.with(catalog.model("Qwen2.5-VL-7B"), images), tables.with(catalog.model("Qwen2.5-VL-3B"), images)
  end
  local load = tables.with({ rate_per_s = drawn.between(unit, 1, 6), input_tokens = 1000, output_tokens = 100, requests = 1000 },
    tables.with(one_of(unit, ARRIVALS), one_of(unit, CACHED)))
  return { model = model, devices = { one_of(unit, DEVICES) }, gpus = 64, engine = "vllm", load = load, sla = { ttft_s = 2 },
    space = { tp = 1, pp = 1, format = "bf16", pattern = "aggregated" } }, smaller
end

-- The questions of levers as somebody asks them who has no levers.
local function restated(input, smaller)
  local load, given = input.load, input.devices[1]
  local price = type(given) == "table" and given.price or catalog.price("L4")
  local function with_load(changes) return { load = tables.with(load, changes) } end
  return { cache_format = { space = tables.with(input.space, { kv = "fp8" }) }, slo = { sla = { ttft_s = 3 } },
    weights = { space = tables.with(input.space, { format = "fp8" }) }, model = { model = smaller },
    terms = { devices = { { device = "L4", price = 0.65 * price, term = "reserved" } } },
    prefix = (load.prefix_tokens or 0) < 500 and with_load({ prefix_tokens = 500 }) or nil,
    context = with_load({ input_tokens = 750, prefix_tokens = load.prefix_tokens and 3 * load.prefix_tokens // 4,
      shared_tokens = load.shared_tokens and 150 }) }
end

describe("levers of a drawn fleet", function()
  it("say what the question says with that change by hand, through a day, at stated prices, with images", function()
    for index = 1, SERVED do
      local input, smaller = served_of(drawn.stream(index))
      local answer = levers.run(input)
      local rows, base_usd_h = by_name(answer.rows), answer.base.winner.cost_usd_h
      local changes = restated(input, smaller)
      for _, name in ipairs(tables.sorted_keys(changes)) do
        -- By hand the day is in the question.
        local winner = search.run(tables.with(input, changes[name])).winner
        if name == "model" then assert.equal(smaller.name, rows.model.which) end
        compare(rows[name], winner and winner.cost_usd_h, base_usd_h, ("%d %s"):format(index, name))
      end
      assert.equal(changes.prefix == nil, rows.prefix == nil)
      assert.equal(changes.prefix == nil, by_name(answer.pointless).prefix ~= nil)
    end
  end)
end)

local INDEXES <const>, FOUND <const> = { "flat", "pq", "ivf", "ivf_pq", "hnsw", "hnsw_pq", "binary" }, 120
-- Fields that an index has, with values; what says how hard to look first.
local OF_INDEX <const> = { flat = {}, pq = { code_bytes = 32 }, ivf = { probes = 64, lists = 4096 },
  ivf_pq = { probes = 64, lists = 4096, code_bytes = 32, rescored = 50 }, binary = { rescored = 40 },
  hnsw = { ef = 128, links = 16, segments = 2, ef_construction = 100 },
  hnsw_pq = { ef = 256, links = 16, segments = 2, ef_construction = 100, code_bytes = 16, rescored = 50 } }
local EFFORT <const> = { ivf = "probes", ivf_pq = "probes", hnsw = "ef", hnsw_pq = "ef", binary = "rescored" }

local function index_of(unit)
  local index = one_of(unit, INDEXES)
  local input = { vectors = drawn.between(unit, 1e6, 3e7) // 1, dim = 128, index = index, rate_per_s = drawn.between(unit, 500, 100000),
    metadata_bytes = unit() < 0.5 and 200 or nil, price_usd_h = one_of(unit, { false, 3, 0 }) or nil,
    utilization_frac = one_of(unit, { false, 0.5, 0.9 }) or nil }
  for _, name in ipairs(tables.sorted_keys(OF_INDEX[index])) do
    if unit() < 0.6 then input[name] = OF_INDEX[index][name] end
  end
  if EFFORT[index] and not input[EFFORT[index]] and unit() < 0.7 then input.recall = 0.4 end
  return input
end

-- USD an hour of an index that finds what was asked for; nil where it does not.
local function cost_of(input)
  local answer = errors.try(vector_search.run, input)
  return answer and answer.fits and hourly.of(answer) or nil
end

-- The cheapest of the other indexes, each with those fields of the first that it has, and with the recall in place of effort.
local function cheapest_other(input, recall)
  local least
  for _, index in ipairs({ "hnsw", "ivf", "ivf_pq", "flat" }) do
    local own = { vectors = input.vectors, dim = 128, index = index, rate_per_s = input.rate_per_s, metadata_bytes = input.metadata_bytes,
      price_usd_h = input.price_usd_h, utilization_frac = input.utilization_frac, recall = index ~= "flat" and recall or nil }
    for name in pairs(OF_INDEX[index]) do
      if name ~= EFFORT[index] then own[name] = input[name] end
    end
    local usd_h = index ~= input.index and cost_of(own)
    if usd_h and not (least and least <= usd_h) then least = usd_h end
  end
  return least
end

describe("levers of a drawn index", function()
  it("say what the question says with that change by hand, whatever fields are stated", function()
    local asked = 0
    for draw = 1, FOUND do
      local input = index_of(drawn.stream(draw))
      local base = vector_search.run(input)
      local answer = levers.run({ of = base })
      local rows, usd_h, recall = by_name(answer.rows), hourly.of(base), input.recall or base.out.recall
      local function check(name, by_hand) compare(rows[name], by_hand, usd_h, ("%d %s of %s"):format(draw, name, input.index)) end
      check("index", cheapest_other(input, input.recall or math.min(0.99, recall)))
      check("cache", cost_of(tables.with(input, { rate_per_s = input.rate_per_s / 2 })) or nil)
      check("terms", cost_of(tables.with(input, { price_usd_h = 0.65 * base.price_usd_h })))
      if EFFORT[input.index] then
        local less = tables.with(input, { recall = recall - 0.05 })
        less[EFFORT[input.index]] = nil
        check("recall", cost_of(less))
        asked = asked + 1
      else
        assert.is_nil(rows.recall)
      end
      if (input.utilization_frac or 0) < 0.85 then
        check("utilization", cost_of(tables.with(input, { utilization_frac = 0.85 })))
      else
        assert.is_nil(rows.utilization)
        assert.matches("^90 %% are planned with already$", by_name(answer.pointless).utilization.why)
      end
    end
    assert.is_true(asked > FOUND / 3)
  end)
end)

local CALLED <const> = 60

describe("levers of drawn calls", function()
  it("say what the question says with that change by hand, at stated prices and plans", function()
    for draw = 1, CALLED do
      local unit = drawn.stream(draw)
      local input = { model = "bert-base", device = "A100", tokens = 128, price_usd_h = one_of(unit, { 2, 0, false }) or nil,
        dtype = one_of(unit, { false, "bf16", "int8" }) or nil,
        load = { rate_per_s = drawn.between(unit, 100, 50000), sla_s = one_of(unit, { false, 0.1, 0.02 }) or nil,
          spares = one_of(unit, { 0, 1, 2 }), utilization_frac = one_of(unit, { false, 0.5, 0.9 }) or nil } }
      local base = encode.run(input)
      local answer = levers.run({ of = base })
      local rows, usd_h, load = by_name(answer.rows), hourly.of(base), input.load
      local function check(name, changes)
        local asked = encode.run(tables.with(input, changes))
        compare(rows[name], asked.fits and hourly.of(asked) or nil, usd_h, ("%d %s"):format(draw, name))
      end
      local function check_load(name, changes) check(name, { load = tables.with(load, changes) }) end
      check_load("cache", { rate_per_s = load.rate_per_s / 2 })
      check("terms", { price_usd_h = 0.65 * base.price_usd_h })
      check("spot", { price_usd_h = 0.4 / 0.8 * base.price_usd_h })
      if load.sla_s then check_load("slo", { sla_s = 1.5 * load.sla_s }) else assert.is_nil(rows.slo) end
      if load.spares > 0 then check_load("spares", { spares = 0 }) else assert.is_nil(rows.spares) end
      if (load.utilization_frac or 0) < 0.85 then
        check_load("utilization", { utilization_frac = 0.85 })
      else
        assert.is_nil(rows.utilization)
      end
    end
  end)
end)
