-- What could be changed about a served model, each change searched again: what it saves and what it costs.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local curve = require("ballpark.questions.serve.curve")
local errors = require("ballpark.errors")
local fleets = require("ballpark.questions.levers.fleets")
local loads = require("ballpark.resolve.serving.load")
local price_terms = require("ballpark.catalog.price_terms")
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

local function in_load(input, changes) return { load = tables.with(input.load, changes) } end

-- An encoder reads each prompt whole: nothing of it is cached, and of sound it is no text that somebody wrote.
local function is_read_whole(input) return (input.model.cross_layers or 0) > 0 end

local function prompt_tokens(load) return load.input_tokens or loads.TOKENS end

local function part_of(tokens, frac) return math.max(1, math.floor(frac * tokens)) end

-- A prompt from a cache, or why not.
local function cached(input)
  local load = input.load
  local all, now = prompt_tokens(load), load.prefix_tokens or 0
  local tokens = part_of(all, CACHED_FRAC)
  if is_read_whole(input) then return nil, nil, "an encoder reads prompts whole" end
  if now >= tokens then return nil, nil, ("%g of %g tokens come from it already"):format(now, all) end
  return in_load(input, { prefix_tokens = tokens })
end

-- What is left out of a prompt is left out of its cached part, and of what all share, by as much.
local function shorter(input)
  local load = input.load
  if is_read_whole(input) and not load.input_tokens then return nil end
  local changes = { input_tokens = part_of(prompt_tokens(load), SHORTER_FRAC) }
  for _, name in ipairs({ "prefix_tokens", "shared_tokens" }) do
    changes[name] = load[name] and math.floor(SHORTER_FRAC * load[name])
  end
  return in_load(input, changes)
end

local EIGHT_BITS <const> = tables.set({ "fp8", "fp8_block", "int8" })

-- Formats narrower than one, the widest first.
local function narrower_than(format, device)
  local four = units.four_bits(device) or "int4"
  if format == "bf16" then return { "fp8", "int8", four, "int4" } end
  return EIGHT_BITS[format] and { four, "int4" } or {}
end

-- The next narrower format of weights that the engine runs on the devices. Experts are most of the weights.
local function narrower(fleet)
  local plan, device, engine = fleet.candidate.plan, fleet.candidate.pool.device, fleet.candidate.engine
  for _, format in ipairs(narrower_than(plan.experts or plan.weights or "bf16", device)) do
    if not errors.catch(units.check, { weights = format }, device, engine.name) then return format end
  end
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

-- Terms that the devices of a question are paid on, each once.
local function terms_of(ask)
  local list = {}
  for _, pool in ipairs(ask.pools) do
    if not tables.contains(list, pool.term) then list[#list + 1] = pool.term end
  end
  return list
end

-- Devices of the catalog that have a price and were not asked about, on the terms of those that were.
local function other_devices(_, fleet)
  local asked, list = {}, {}
  for _, pool in ipairs(fleet.candidate.ask.pools) do asked[pool.device.name or ""] = true end
  for _, name in ipairs(catalog.list("prices")) do
    local device = catalog.device(name)
    -- Engines of the fit are of these two vendors' devices.
    if not asked[name] and (device.vendor == "NVIDIA" or device.vendor == "AMD") then list[#list + 1] = name end
  end
  return list[1] and { devices = list, terms = terms_of(fleet.candidate.ask) }
end

local function weights_of(model) return core.params({ model = model }).total_params end

-- What a question says of the images of its prompts: fields of a model, and none of its shape.
local OF_PROMPT <const> = { "images", "image_tok", "image_size", "cross_tok" }

-- The fields of a model about its prompts that are not as in the catalog.
local function said_of_prompts(model)
  local known, said = errors.try(catalog.model, model.name) or {}, {}
  for _, field in ipairs(OF_PROMPT) do
    if model[field] ~= known[field] then said[field] = model[field] end
  end
  return said
end

local function sees(model) return ((model.encoder or {}).layers or 0) > 0 end

-- The largest model of the family that is clearly smaller and reads the same prompts.
local function smaller_model(input)
  local model, best, most = input.model, nil, 0
  local limit = SMALLER_FRAC * weights_of(model)
  for _, name in ipairs(catalog.list("models")) do
    local other = catalog.model(name)
    local is_kin = model.family and other.family == model.family and other.arch == model.arch
      and (sees(other) or (model.images or 0) == 0)
    local weights = is_kin and weights_of(other)
    if weights and weights > most and weights < limit then best, most = other, weights end
  end
  return best and { model = tables.with(best, said_of_prompts(model)) }, best and best.name
end

local function other_engine(input, fleet)
  local name, list = fleet.candidate.engine.name, {}
  for _, other in ipairs({ "sglang", "trtllm", "vllm" }) do
    if other ~= name then list[#list + 1] = other end
  end
  return in_space({ engine = list })(input)
end

-- Devices of a question as if they were committed for a year, and whether one has a stated price: it is what is paid now,
-- and a commitment is the usual discount on it. A term of a device that is none on demand stays.
local function with_discount(devices, frac)
  if type(devices) == "string" or devices.device then devices = { devices } end
  local list, is_stated = {}, false
  for i, given in ipairs(devices) do
    list[i] = given
    if type(given) == "table" and given.device and (given.term or "on_demand") == "on_demand" then
      local price = type(given.price) == "number" and frac * given.price or nil
      list[i], is_stated = tables.with(given, { price = price }), is_stated or price ~= nil
      list[i].term = nil
    end
  end
  return list, is_stated
end

local function committed(input, fleet)
  local now, reserved = fleet.candidate.pool.term, price_terms.get("reserved", "terms")
  if now ~= "on_demand" then return nil, nil, ("they are paid as %s already"):format(now:gsub("_", " ")) end
  local devices, is_stated = with_discount(input.devices, reserved.frac)
  return { devices = devices, terms = "reserved" }, is_stated and ("%.0f %% of the stated price"):format(100 * reserved.frac) or nil
end

local function looser(input)
  local sla = tables.with(input.sla, {})
  for _, name in ipairs({ "ttft_s", "tpot_s", "e2e_s" }) do sla[name] = sla[name] and LOOSER * sla[name] end
  return { sla = sla }
end

-- Name, what it is, what it costs beside money, changes(input, fleet) -> changes of the question or nil where it
-- does not apply, a word on which, and why it does not; or that word of what was found. `fleet` is the one there is, or the
-- nearest to the SLO.
local LEVERS <const> = {
  { "weights", "narrower weights", "accuracy: evaluate the quantised checkpoint", quantise_weights },
  { "cache_format", "KV cache in fp8", "accuracy of long contexts: evaluate it", quantise_cache },
  { "batch", "twice the sequences and tokens", "time per token; memory for them", larger_batch },
  { "device", "another device", "moving; other kernels", other_devices,
    function(candidate) return candidate.pool.device.name end },
  { "model", "a smaller model", "quality: evaluate it on the task", smaller_model },
  { "prefix", "half of each prompt from a cache", "prompts must share their beginnings; routing by prefix", cached },
  { "pattern", "disaggregated prefill and decode", "two pools to run, transfers between them", other_pattern },
  { "speculation", "speculative decoding, three draft tokens", "a draft model or heads; 0.7 accepted", speculate },
  { "context", "prompts shorter by a quarter", "what is left out of the prompt", shorter },
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

-- The question without the day, at its peak: what fleets are sized for. The day is about one fleet, not about which is
-- cheaper.
local function plain(input)
  local load = input.load
  if load.arrivals ~= "diurnal" then return input end
  local _, ratio = curve.weights(load.rates, load.peak_over_mean)
  local peak = tables.with(load, { arrivals = "open", peak_over_mean = math.max(1, ratio) })
  peak.rates = nil
  return tables.with(input, { load = peak })
end

-- The row of a lever; nil where it does not apply, and why where that is to be said.
local function pulled(lever, input, base, fleet)
  local changes, which, why = lever[4](input, fleet)
  if not changes then return nil, why end
  local row = { name = lever[1], title = lever[2], which = which, costs = lever[3], fits = false }
  local answer, refused = errors.try(search.run, tables.with(input, changes))
  if refused then
    row.refused = tostring(refused)
    return row
  end
  row.fits, row.answer, row.fleet = answer.fits, answer, answer.winner or answer.nearest
  row.which = row.which or lever[5] and row.fleet and lever[5](row.fleet.candidate)
  if answer.fits then
    row.cost_usd_h = answer.winner.cost_usd_h
    row.same = base.fits and row.cost_usd_h == base.winner.cost_usd_h and same_of(base.winner, answer.winner) or nil
    row.saves_frac = base.fits and fleets.saved(base.winner.cost_usd_h, row.cost_usd_h) or nil
  end
  return row
end

--- Pulls every lever that applies to the question of serving.search, whose answer is `base` where it is known:
--- { kind, fits, base, rows = { name, title, which, costs, fits, cost_usd_h, saves_frac, fleet, answer }, best first, pointless
--- (levers that do not apply: name, title, why) }.
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
  local answer = { kind = "levers", base = base, fits = base.fits, rows = {}, pointless = {} }
  if not fleet then return answer end
  local seen <close> = progress.new(#LEVERS, nil, nil, "levers")
  for _, lever in ipairs(LEVERS) do
    fleets.add(answer, lever, pulled(lever, plain(input), base, fleet))
    seen:step()
  end
  table.sort(answer.rows, fleets.before)
  answer.fits = answer.fits or (answer.rows[1] ~= nil and answer.rows[1].fits)
  return answer
end

return levers
