-- Levers of fleets that are no LLMs under an SLO: calls (encoders, recommenders, rerankers, images), indexes and platforms.
-- Each changes the question of an answer, which is asked again.
local catalog = require("ballpark.catalog")
local cost = require("ballpark.questions.cost.run")
local effort = require("ballpark.questions.inference.effort")
local errors = require("ballpark.errors")
local hourly = require("ballpark.questions.cost.hourly")
local price_terms = require("ballpark.catalog.price_terms")
local progress = require("ballpark.report.progress")
local questions = require("ballpark.questions")
local tables = require("ballpark.tables")
local vector_search = require("ballpark.questions.vector_search.run")

local fleets = {}

-- A looser SLO or wait, devices planned with, calls that a cache answers, recall given up: sizes to compare with,
-- assumptions.
local LOOSER <const>, FULLER <const>, CACHED_FRAC <const>, LESS_RECALL <const> = 1.5, 0.85, 0.5, 0.05

-- The question with changes; `none` takes a field out.
local NONE <const> = {}
local function changed(input, changes)
  local made = tables.with(input, changes)
  for key, value in pairs(changes) do
    if value == NONE then made[key] = nil end
  end
  return made
end

local function in_load(changes) return function(input) return { { load = tables.with(input.load, changes(input.load)) } } end end

local function on_terms(name, field)
  return function(_, answer)
    local terms = price_terms.get(name, "terms")
    return { { [field] = answer.price_usd_h * terms.frac / (1 - terms.loss_frac) } }
  end
end

local FORMATS <const> = { fp32 = { "fp16" }, tf32 = { "fp16" }, fp16 = { "fp8", "int8" }, bf16 = { "fp8", "int8" } }
local function narrower(input)
  local list = {}
  for i, format in ipairs(FORMATS[input.dtype or "fp16"] or {}) do list[i] = { dtype = format, which = format } end
  return list
end

-- Every other device that has a price.
local function other_devices(input, answer)
  local own, list = (answer.device or answer.input.device or {}).name, {}
  for _, name in ipairs(catalog.list("prices")) do
    local vendor = catalog.device(name).vendor
    if name ~= own and (vendor == "NVIDIA" or vendor == "AMD") then
      list[#list + 1] = input.cluster and { cluster = catalog.cluster({ device = name, devices = input.cluster.network.devices }),
        which = name, price_usd_h = NONE } or { device = catalog.device(name), which = name, price_usd_h = NONE }
    end
  end
  return list
end

-- Changes of a plan with more of what replicas can do, or why it has none: it is as full already.
local function planned_with(now, changes)
  if (now or 0) >= FULLER then return nil, ("%.3g %% are planned with already"):format(100 * now) end
  return { changes }
end

local function fuller(input)
  return planned_with(input.load.utilization_frac, { load = tables.with(input.load, { utilization_frac = FULLER }) })
end

local CALLS <const> = {
  { "format", "narrower weights", "accuracy: evaluate it", narrower },
  { "device", "another device", "moving; other kernels", other_devices },
  { "cache", "half of the calls from a cache", "memory for results; calls must repeat",
    in_load(function(load) return { rate_per_s = (1 - CACHED_FRAC) * load.rate_per_s } end) },
  { "utilization", "planned at 85 %", "bursts wait longer", fuller },
  { "slo", "an SLO looser by half", "users wait longer", function(input)
    return input.load.sla_s and { { load = tables.with(input.load, { sla_s = LOOSER * input.load.sla_s }) } } end },
  { "spares", "no spare replica", "a failure breaks the SLO", function(input)
    return (input.load.spares or 0) > 0 and { { load = tables.with(input.load, { spares = 0 }) } } end },
  { "terms", "devices committed for a year", "they are paid when nobody needs them", on_terms("reserved", "price_usd_h") },
  { "spot", "spot devices", "a fifth may be taken away at one time", on_terms("spot", "price_usd_h") },
}

-- A recall that an index of another kind is asked for where nobody stated one.
local MOST_RECALL <const> = 0.99

-- Fields that the kind of index does not have, or that say how hard to look where a recall does, taken out.
local function without_others(input, index)
  local changes, own = {}, effort.field(index)
  for name, kinds in pairs(vector_search.OF_INDEX) do
    if input[name] ~= nil and not tables.contains(kinds, index) then changes[name] = NONE end
  end
  if own then changes[own] = NONE end
  return changes
end

local function other_indexes(input, answer)
  local list = {}
  for _, index in ipairs({ "hnsw", "ivf", "ivf_pq", "flat" }) do
    if index ~= (input.index or "flat") then
      local recall = index ~= "flat" and (input.recall or math.min(MOST_RECALL, answer.out.recall)) or nil
      local is_less = recall and recall < (input.recall or answer.out.recall)
      list[#list + 1] = tables.with(without_others(input, index), { index = index, recall = recall or NONE,
        which = is_less and ("%s, %g %% of it"):format(index, 100 * recall) or index })
    end
  end
  return list
end

local function less_recall(input, answer)
  local field = effort.field(input.index or "flat")
  return field and { { recall = (input.recall or answer.out.recall) - LESS_RECALL, [field] = NONE } }
end

local INDEXES <const> = {
  { "index", "another index with the same recall", "building it; memory", other_indexes },
  { "recall", "recall lower by 5 points", "some of the nearest are missed", less_recall },
  { "utilization", "planned at 85 %", "bursts wait longer", function(input)
    return planned_with(input.utilization_frac, { utilization_frac = FULLER }) end },
  { "cache", "half of the queries from a cache", "memory for results; queries must repeat",
    function(input) return { { rate_per_s = (1 - CACHED_FRAC) * input.rate_per_s } } end },
  { "terms", "hosts committed for a year", "they are paid when nobody needs them", on_terms("reserved", "price_usd_h") },
}

-- Values of a field other than the one that is asked about.
local function other_values(field, values, default)
  return function(input)
    local list = {}
    for _, value in ipairs(values) do
      if value ~= (input[field] or default) then list[#list + 1] = { [field] = value, which = tostring(value) } end
    end
    return list
  end
end

local VOICES <const> = {
  { "batch", "windows decoded together", "memory; a window waits for the others", other_values("batch", { 4, 8, 16 }, 1) },
  { "format", "narrower weights", "accuracy: evaluate it", other_values("weights", { "fp8", "int8" }, "bf16") },
  { "software", "other software", "moving; other features",
    other_values("software", { "faster-whisper", "transformers", "vllm" }, "faster-whisper") },
  { "device", "another device", "moving; other kernels", other_devices },
  { "terms", "devices committed for a year", "they are paid when nobody needs them", on_terms("reserved", "price_usd_h") },
  { "spot", "spot devices", "a fifth may be taken away at one time", on_terms("spot", "price_usd_h") },
}

-- The fewest nodes that keep a wait.
local function nodes_for(input, answer, target_s)
  local found = questions.runner("platform").run(changed(input, { wait_target_s = target_s, nodes = answer.nodes,
    node_size = answer.node_size, devices = NONE }))
  return found.target and found.target.nodes
end

local function fewest_nodes(times)
  return function(input, answer)
    local target = input.wait_target_s and input.wait_target_s * times
    local nodes = target and nodes_for(input, answer, target)
    return nodes and { { nodes = nodes, node_size = answer.node_size, devices = NONE, wait_target_s = target } }
  end
end

local function of_classes(change)
  return function(input)
    if input.jobs then return nil end
    local list, any = {}, false
    for i, class in ipairs(input.classes) do
      local changes = change(class)
      any = any or changes ~= nil
      list[i] = tables.with(class, changes or {})
    end
    return any and { { classes = list } } or nil
  end
end

local function planned_fuller(input, answer)
  if input.jobs then return nil end
  local nodes = math.max(math.ceil(answer.sustained / FULLER / answer.node_size), math.ceil(answer.largest / answer.node_size))
  return nodes < answer.nodes and { { nodes = nodes, node_size = answer.node_size, devices = NONE } } or nil
end

local PLATFORMS <const> = {
  { "target", "no more nodes than the wait takes", "less room for growth", fewest_nodes(1) },
  { "wait", "a wait twice as long", "jobs wait longer", fewest_nodes(2) },
  { "utilization", "planned at 85 %", "jobs wait longer", planned_fuller },
  { "retention", "kept half as long", "older results are gone",
    of_classes(function(class) return class.bytes and class.ttl_s and { ttl_s = class.ttl_s / 2 } end) },
  { "tier", "a colder tier after a week", "reading it is paid", of_classes(function(class)
    return class.bytes and not class.cold_after_s and { cold_after_s = 7 * 86400 } end) },
  { "terms", "devices committed for a year", "they are paid when nobody needs them", on_terms("reserved", "price") },
  { "spot", "spot devices", "jobs start again from their checkpoints", on_terms("spot", "price") },
}

local OF_KIND <const> = { encode = CALLS, recommend = CALLS, rerank = CALLS, diffusion = CALLS, vector_search = INDEXES,
  platform = PLATFORMS, transcribe = VOICES }

-- Replicas, hosts or devices of an answer, and the share of them that is busy at the rate, where it says both.
local function size_of(answer)
  local count = answer.kind == "platform" and answer.nodes or answer.devices or answer.fleet and answer.fleet.replicas
  local load = type(answer.load) == "table" and answer.load or {}
  return count, answer.seen and answer.seen.utilization_frac or load.utilization_frac
end

-- What is said of a change that costs the same: the count is whole, and perhaps less of it is busy.
local function same_of(before, after)
  local count, busy = size_of(before)
  local own, own_busy = size_of(after)
  if not count or own ~= count then return nil end
  return { count = count, busy_frac = busy, own_busy_frac = own_busy }
end

--- Share of a cost that another saves; nil where there is nothing to save.
---@param before number
---@param after number
---@return number|nil
function fleets.saved(before, after) return before > 0 and 1 - after / before or nil end

-- The cheapest of the ways to pull a lever that works; else the first, refused or not. Where it does not apply none, and why.
local function pulled(lever, of, base_usd_h)
  local row
  local list, why = lever[4](of.asked, of)
  for _, changes in ipairs(list or {}) do
    local which = changes.which
    changes.which = nil
    local answer, refused = errors.try(questions.runner(of.kind).run, changed(of.asked, changes))
    local usd_h = answer and hourly.of(answer)
    local fits = answer and usd_h ~= nil and answer.fits
    if not row or fits and (not row.fits or usd_h < row.cost_usd_h) then
      row = { name = lever[1], title = lever[2], which = which, costs = lever[3], fits = fits and true or false,
        cost_usd_h = usd_h or nil, saves_frac = fits and fleets.saved(base_usd_h, usd_h) or nil, answer = answer,
        refused = refused and tostring(refused) }
    end
  end
  return row, why
end

--- Adds the row of a lever to an answer; or why it does not apply, where that is said.
function fleets.add(answer, lever, row, why)
  answer.rows[#answer.rows + 1] = row
  if why then answer.pointless[#answer.pointless + 1] = { name = lever[1], title = lever[2], why = why } end
end

--- The order of levers: what saves most first; then what does not meet the SLO.
function fleets.before(a, b)
  if a.fits ~= b.fits then return a.fits end
  if a.fits and a.cost_usd_h ~= b.cost_usd_h then return a.cost_usd_h < b.cost_usd_h end
  return a.name < b.name
end

--- Pulls every lever of the fleet of an answer: { kind, of, base, fits, cost_usd_h, cost (of cost{}), rows = { name, title,
--- which, costs, fits, cost_usd_h, saves_frac, usd_month, usd_horizon, refused }, best first, pointless = { name, title, why } of
--- those that do not apply }.
---@param input table of, growth_month_frac, horizon_s
function fleets.run(input)
  local of = input.of
  local list = type(of) == "table" and OF_KIND[of.kind or ""]
  if not list then
    errors.input("of", "must be an answer of " .. table.concat(tables.sorted_keys(OF_KIND), ", ")
      .. "; a served LLM is described to levers as to serve_search, and ask has levers of its own")
  end
  local usd_h = hourly.of(of)
  if not usd_h then errors.input("of", "has no fleet with a price: give a load, and a price where the catalog has none") end
  local function over(own)
    return cost.run({ fleets = { { usd_h = own } }, growth_month_frac = input.growth_month_frac, horizon_s = input.horizon_s })
  end
  local answer = { kind = "levers", of = of, base = of, cost_usd_h = usd_h, cost = over(usd_h), rows = {}, pointless = {} }
  local seen <close> = progress.new(#list, nil, nil, "levers")
  for _, lever in ipairs(list) do
    local row, why = pulled(lever, of, usd_h)
    seen:step()
    if row and row.fits then
      row.same = row.cost_usd_h == usd_h and same_of(of, row.answer) or nil
      local sum = over(row.cost_usd_h)
      row.usd_month, row.usd_horizon = sum.usd_month, sum.usd_horizon
    end
    fleets.add(answer, lever, row, why)
  end
  table.sort(answer.rows, fleets.before)
  answer.fits = of.fits or answer.rows[1] ~= nil and answer.rows[1].fits
  return answer
end

return fleets
