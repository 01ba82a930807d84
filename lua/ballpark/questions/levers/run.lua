-- What could be changed about a served model, each change searched again: what it saves and what it costs.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local fleets = require("ballpark.questions.levers.fleets")
local progress = require("ballpark.report.progress")
local search = require("ballpark.questions.serve_search.run")
local tables = require("ballpark.tables")
local units = require("ballpark.resolve.serving.units")

local levers = {}

-- Share of a prompt that a cache of prefixes may hold where nothing is known: assumption.
local CACHED_FRAC <const> = 0.5
-- Prompts cut by a quarter, an SLO looser by half: sizes to compare with, assumptions.
local SHORTER_FRAC <const>, LOOSER <const> = 0.75, 1.5
-- Tokens drafted per step, and the chance of each that the plan has when nothing is said.
local DRAFTS <const> = 3
-- A model of the family counts as smaller from that share of the weights on.
local SMALLER_FRAC <const> = 0.6

local function in_space(changes)
  return function(input) return { space = tables.with(input.space, changes) } end
end

local function in_load(field, of)
  return function(input)
    local load = input.load
    return { load = tables.with(load, { [field] = math.max(1, math.floor(of * (load.input_tokens or 1024))) }) }
  end
end

-- The next narrower format of weights that the devices multiply or unpack. Experts are most of the weights.
local function narrower(fleet)
  local plan, device = fleet.candidate.plan, fleet.candidate.pool.device
  local now = plan.experts or plan.weights or "bf16"
  if now == "bf16" then return "fp8" end
  if now ~= "fp8" and now ~= "fp8_block" and now ~= "int8" then return nil end
  return units.four_bits(device) or "int4"
end

local function quantise_weights(input, fleet)
  local format = narrower(fleet)
  return format and in_space({ format = format })(input), format
end

local function quantise_cache(input, fleet)
  if fleet.candidate.plan.kv then return nil end
  return in_space({ kv = "fp8" })(input)
end

local function larger_batch(input, fleet)
  local engine = fleet.candidate.engine
  return in_space({ max_running = 2 * engine.max_running, token_budget = 2 * engine.token_budget })(input)
end

local function other_pattern(input, fleet)
  if #fleet.groups == 2 or fleet.candidate.ask.gpus < 2 then return nil end
  return in_space({ pattern = "disaggregated" })(input)
end

local function speculate(input, fleet)
  if (fleet.candidate.plan.draft_tokens or 0) > 0 then return nil end
  return in_space({ draft_tokens = DRAFTS })(input)
end

-- Devices of the catalog that have a price and were not asked about.
local function other_devices(_, fleet)
  local asked, list = {}, {}
  for _, pool in ipairs(fleet.candidate.ask.pools) do asked[pool.device.name or ""] = true end
  for _, name in ipairs(catalog.list("prices")) do
    local device = catalog.device(name)
    -- Engines of the fit are of these two vendors' devices.
    if not asked[name] and (device.vendor == "NVIDIA" or device.vendor == "AMD") then list[#list + 1] = name end
  end
  return list[1] and { devices = list }
end

local function weights_of(model) return core.params({ model = model }).total_params end

-- The largest model of the family that is clearly smaller.
local function smaller_model(input)
  local model, best, most = input.model, nil, 0
  local limit = SMALLER_FRAC * weights_of(model)
  for _, name in ipairs(catalog.list("models")) do
    local other = catalog.model(name)
    local weights = model.family and other.family == model.family and other.arch == model.arch and weights_of(other)
    if weights and weights > most and weights < limit then best, most = other, weights end
  end
  return best and { model = best }, best and best.name
end

local function other_engine(input, fleet)
  local name, list = fleet.candidate.engine.name, {}
  for _, other in ipairs({ "sglang", "trtllm", "vllm" }) do
    if other ~= name then list[#list + 1] = other end
  end
  return in_space({ engine = list })(input)
end

local function committed(_, fleet)
  return fleet.candidate.pool.term == "on_demand" and { terms = "reserved" } or nil
end

local function looser(input)
  local sla = tables.with(input.sla, {})
  for _, name in ipairs({ "ttft_s", "tpot_s", "e2e_s" }) do sla[name] = sla[name] and LOOSER * sla[name] end
  return { sla = sla }
end

-- Name, what it is, what it costs beside money, changes(input, fleet) -> changes of the question or nil where it
-- does not apply, and a word on which; or that word of what was found. `fleet` is the one there is, or the nearest
-- to the SLO.
local LEVERS <const> = {
  { "weights", "narrower weights", "accuracy: evaluate the quantised checkpoint", quantise_weights },
  { "cache_format", "KV cache in fp8", "accuracy of long contexts: evaluate it", quantise_cache },
  { "batch", "twice the sequences and tokens", "time per token; memory for them", larger_batch },
  { "device", "another device", "moving; other kernels", other_devices,
    function(candidate) return candidate.pool.device.name end },
  { "model", "a smaller model", "quality: evaluate it on the task", smaller_model },
  { "prefix", "half of each prompt from a cache", "prompts must share their beginnings; routing by prefix",
    in_load("prefix_tokens", CACHED_FRAC) },
  { "pattern", "disaggregated prefill and decode", "two pools to run, transfers between them", other_pattern },
  { "speculation", "speculative decoding, three draft tokens", "a draft model or heads; 0.7 accepted", speculate },
  { "context", "prompts shorter by a quarter", "what is left out of the prompt",
    in_load("input_tokens", SHORTER_FRAC) },
  { "engine", "another engine", "moving; other features", other_engine,
    function(candidate) return candidate.engine.name end },
  { "terms", "devices committed for a year", "they are paid when nobody needs them", committed },
  { "slo", "an SLO looser by half", "users wait longer", looser },
}

--- Names of all levers.
function levers.names()
  local names = {}
  for i, lever in ipairs(LEVERS) do names[i] = lever[1] end
  return names
end

-- Replicas of a fleet, and the share of what those that are up can do that the peak takes: of two pools of the first.
local function size_of(fleet, rate_per_s)
  local group, count = fleet.groups[1], 0
  for _, one in ipairs(fleet.groups) do count = count + one.replicas end
  return count, rate_per_s and rate_per_s / (group.up * group.steady.capacity_per_s)
end

-- What is said of a fleet of as many replicas at the same price.
local function same_of(before, after)
  local count, busy = size_of(before, before.candidate.ask.load.rate_per_s)
  local own, own_busy = size_of(after, after.candidate.ask.load.rate_per_s)
  return own == count and #before.groups == #after.groups and { count = count, busy_frac = busy, own_busy_frac = own_busy } or nil
end

-- The question without the day, which is about one fleet and not about which is cheaper.
local function plain(input)
  if input.load.arrivals ~= "diurnal" then return input end
  return tables.with(input, { load = tables.with(input.load, { arrivals = "open" }) })
end

local function pulled(lever, input, base, fleet)
  local changes, which = lever[4](input, fleet)
  if not changes then return nil end
  local row = { name = lever[1], title = lever[2], which = which, costs = lever[3], fits = false }
  local answer, refused = errors.try(search.run, tables.with(input, changes))
  if refused then
    row.refused = refused.message
    return row
  end
  row.fits, row.answer, row.fleet = answer.fits, answer, answer.winner or answer.nearest
  row.which = row.which or lever[5] and row.fleet and lever[5](row.fleet.candidate)
  if answer.fits then
    row.cost_usd_h = answer.winner.cost_usd_h
    row.same = base.fits and row.cost_usd_h == base.winner.cost_usd_h and same_of(base.winner, answer.winner) or nil
    row.saves_frac = base.fits and 1 - row.cost_usd_h / base.winner.cost_usd_h or nil
  end
  return row
end

--- Pulls every lever that applies to the question of serving.search, whose answer is `base` where it is known:
--- { kind, fits, base, rows = { name, title, which, costs, fits, cost_usd_h, saves_frac, fleet, answer }, best first }.
function levers.run(input, base)
  if input.of ~= nil then return fleets.run(input) end
  if type(input.load) == "table" and input.load.buckets then
    errors.input("load.buckets", "levers are about one kind of replica: ask about each length by itself")
  end
  if base ~= nil and not (type(base) == "table" and base.ask) then
    errors.input("levers", "takes a question and what serve_search answered to it, got " .. type(base))
  end
  base = base or search.run(input)
  local fleet = base.winner or base.nearest
  local answer = { kind = "levers", base = base, fits = base.fits, rows = {} }
  if not fleet then return answer end
  local seen <close> = progress.new(#LEVERS, nil, nil, "levers")
  for _, lever in ipairs(LEVERS) do
    answer.rows[#answer.rows + 1] = pulled(lever, plain(input), base, fleet)
    seen:step()
  end
  table.sort(answer.rows, fleets.before)
  answer.fits = answer.fits or (answer.rows[1] ~= nil and answer.rows[1].fits)
  return answer
end

return levers
