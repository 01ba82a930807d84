-- Which changes of an engine's settings leave a simulated run as it was: limits that nothing came near. Such a run need
-- not be simulated again.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local serving_unmoved = {}

-- Lengths whose longest request is known before they are drawn.
local BOUNDED <const> = { fixed = true, uniform = true }

-- Settings that are limits of places, of captured graphs and of the cache.
local LIMITS <const> = { max_running = true, graph_tokens = true, memory_frac = true }

local function is_plain(input)
  local load, pool = input.load, input.prefill_pool
  local apart = type(pool) == "table" and (pool.replicas or 0) > 0
  return not apart and not input.trace and not input.samples and (load.turns or 1) == 1
    and (load.prefix_tokens or 0) == 0 and BOUNDED[load.lengths or "fixed"]
end

local function only_limits(change)
  for part, fields in pairs(change) do
    if part ~= "engine" then return false end
    for name in pairs(fields) do
      if not LIMITS[name] then return false end
    end
  end
  return true
end

-- Tokens of the pool, or nil where the changed engine does not fit.
local function pool_of(input)
  local ok, memory = errors.attempt(core.infer_memory, { model = input.model, device = input.device, network = input.network,
    curves = input.curves, plan = input.plan, engine = input.engine })
  return ok and memory.fits and (input.pool_tokens or memory.pool_tokens) or nil
end

-- Share of the pool that engines keep free for sequences that run, twice that of core/sim/serving_admit.c.
local KEPT <const> = 0.02

-- Whether the pool held all that asked for a place, with room for one more request and a token of each that ran.
local function has_room(input, seen, pool)
  local load = input.load
  local longest = (load.input_tokens or 0) + (load.output_tokens or 0) + (input.engine.block_tokens or 1)
  local used = seen.pool_peak_frac * seen.pool_tokens
  return used + longest + seen.peak_running * (1 + (input.plan.draft_tokens or 0)) < (1 - KEPT) * pool
end

--- Whether `changed`, which differs from `input` by `change`, answers as `input` did: `seen`, as core.serve answers.
---@param input table
---@param changed table
---@param change table<string, table>
---@param seen table|nil
---@return boolean
function serving_unmoved.is(input, changed, change, seen)
  if not (seen and seen.preemptions == 0 and only_limits(change) and is_plain(input)) then return false end
  local running, now, new = seen.peak_running, input.engine, changed.engine
  if running >= math.min(now.max_running, new.max_running) then return false end
  if running > math.min(now.graph_tokens, new.graph_tokens) then return false end
  local pool = pool_of(tables.with(input, { engine = new }))
  return pool ~= nil and has_room(input, seen, math.min(pool, seen.pool_tokens))
end

return serving_unmoved
