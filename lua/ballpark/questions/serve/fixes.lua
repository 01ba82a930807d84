-- What would do where a replica does not hold a request, or replicas do not carry the load.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local fleet = require("ballpark.questions.serve.fleet")
local formats = require("ballpark.resolve.serving.formats")
local tables = require("ballpark.tables")
local units = require("ballpark.resolve.serving.units")

local fixes = {}

-- Most tensor-parallel ranks that are tried: the largest domains of fast links in the catalog have 72 devices.
local MOST_RANKS <const> = 64
-- Formats of weights that are tried, the widest first.
local NARROWER <const> = { "fp8", "int4" }

-- Tokens of a mean request.
local function tokens_of(answer) return answer.means.input_tokens + answer.means.output_tokens end

-- The memory of a replica with another plan; nil where there is no such replica.
local function memory_with(answer, changes, tokens)
  local input = answer.input
  local plan = tables.with(input.plan, changes)
  local ranks = (plan.tp or 1) * (plan.pp or 1) * (plan.dp or 1)
  local ok, memory = errors.attempt(core.infer_memory, { model = input.model, device = input.device, plan = plan,
    network = tables.with(input.network, { devices = math.max(ranks, input.network.devices) }), engine = input.engine,
    sequence_tokens = tokens })
  return ok and memory or nil
end

local function fits_with(answer, changes)
  local memory = memory_with(answer, changes, tokens_of(answer))
  return memory ~= nil and memory.fits
end

local function ranks_that_fit(answer)
  local tp = answer.input.plan.tp or 1
  while 2 * tp <= MOST_RANKS and answer.input.model.heads % (2 * tp) == 0 do
    tp = 2 * tp
    if fits_with(answer, { tp = tp }) then
      return ("plan.tp = %d on %d devices"):format(tp, tp * (answer.input.plan.pp or 1) * (answer.input.plan.dp or 1))
    end
  end
end

-- Of models with experts these are most of the weights.
local function format_that_fits(answer)
  local input = answer.input
  local part = (input.model.experts or 0) > 0 and "experts" or "weights"
  local now = input.plan[part] or (formats.published(input.model) or {})[part]
  for _, format in ipairs(NARROWER) do
    local changes = { [part] = format }
    local runs = format ~= now and errors.attempt(units.check, changes, input.device, input.engine.name)
    if runs and fits_with(answer, changes) then
      return ("plan.%s = '%s'"):format(part, format)
    end
  end
end

-- Where the weights have room, a shorter request may have it, too: in whole blocks, tried again as the workspace of a
-- step changes with it.
local function length_that_fits(answer)
  local memory, tokens = answer.memory, tokens_of(answer)
  local block = answer.input.engine.block_tokens or 1
  while memory and memory.pool_bytes > 0 do
    tokens = tokens * math.min(1, memory.pool_bytes / memory.sequence_bytes) // block * block
    if tokens <= 0 then return nil end
    memory = memory_with(answer, {}, tokens)
    if memory and memory.fits then return ("requests of %.0f tokens at most"):format(tokens) end
    tokens = tokens - block
  end
end

--- What would make room for a request of an answer of serving.run that does not fit, in words; "" where nothing does.
function fixes.of_memory(answer)
  local list = {}
  for _, find in ipairs({ ranks_that_fit, format_that_fits, length_that_fits }) do list[#list + 1] = find(answer) end
  return list[1] and "; it fits with " .. table.concat(list, ", or with ") or ""
end

--- Replicas that would carry the load of an answer of serving.run that is beyond capacity, as words.
function fixes.of_rate(answer)
  local rate = answer.means.peak_per_s or answer.means.rate_per_s
  local each, used = answer.steady.capacity_per_s, fleet.UTILIZATION_FRAC
  return ("; %s = %d carry it at %g %% of what they can do, %d just so"):format(answer.input.autoscale
    and "autoscale.max" or "replicas", math.ceil(rate / (used * each)), 100 * used, math.floor(rate / each) + 1)
end

return fixes
