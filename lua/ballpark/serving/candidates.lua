-- Plans of a replica and what closed forms say of them: which fleets may hold the promise.
local core = require("ballpark.core")
local errors = require("ballpark.errors")

local candidates = {}

local function formats_of(format)
  if type(format) == "table" then return format end
  return { weights = format }
end

local function plan_of(tp, pp, dp, ep, format)
  local plan = { tp = tp, pp = pp, dp = dp, ep = ep }
  for key, value in pairs(formats_of(format)) do plan[key] = value end
  return plan
end

-- Calls take(pool, ranks, plan, engine) for every point of the space that has devices.
local function each(ask, engine, take)
  local space = ask.space
  local engines = {}
  for i, running in ipairs(space.max_running) do
    local changed = {}
    for key, value in pairs(engine) do changed[key] = value end
    changed.max_running = running or engine.max_running
    engines[i] = changed
  end
  local function formats(pool, tp, pp, dp, ep)
    for _, format in ipairs(space.format) do
      for _, changed in ipairs(engines) do
        take(pool, tp * pp * dp, plan_of(tp, pp, dp, ep, format), changed)
      end
    end
  end
  for _, pool in ipairs(ask.pools) do
    for _, tp in ipairs(space.tp) do
      for _, pp in ipairs(space.pp) do
        for _, dp in ipairs(space.attention_dp) do
          for _, ep in ipairs(tp * pp * dp <= ask.gpus and space.ep or {}) do
            -- Experts are dealt to ranks of a stage.
            if ep <= tp * dp then formats(pool, tp, pp, dp, ep) end
          end
        end
      end
    end
  end
end

-- Replicas that can be up, spares not counted, from most to least that the devices and space.replicas allow.
local function up_counts(ask, ranks)
  local counts, most = {}, ask.gpus // ranks
  if ask.space.replicas then
    for _, all in ipairs(ask.space.replicas) do
      if all <= most and all > ask.spares then counts[#counts + 1] = all - ask.spares end
    end
    table.sort(counts)
  else
    for up = 1, most - ask.spares do counts[up] = up end
  end
  return counts
end

local Candidate = {}
Candidate.__index = Candidate

--- What a replica's requests see in the mean when `up` replicas share the load.
function Candidate:steady(up)
  local known = self.seen[up]
  if not known then
    local load = self.ask.load
    local input = self.input
    input.rate_per_s = load.rate_per_s / up
    known = core.infer_load(input)
    self.seen[up] = known
  end
  return known
end

--- Names of what `up` replicas break, in the mean: "rate", "ttft_s", "tpot_s", "e2e_s"; value over limit each.
function Candidate:broken(up)
  local steady, ask = self:steady(up), self.ask
  local asked = ask.load.rate_per_s / up / (steady.capacity_per_s * ask.utilization_frac)
  local list = {}
  if asked > 1 then list.rate = asked end
  if not steady.stable then return list end
  for name, limit in pairs(ask.sla.limits) do
    if steady[name] > limit then list[name] = steady[name] / limit end
  end
  return list
end

--- Index into self.ups of the fewest replicas that hold the promise in the mean, or nil. More replicas are
--- never worse for a request, so that the list can be halved.
function Candidate:fewest()
  local low, high = 1, #self.ups
  if high == 0 or next(self:broken(self.ups[high])) then return nil end
  while low < high do
    local middle = (low + high) // 2
    if next(self:broken(self.ups[middle])) then low = middle + 1 else high = middle end
  end
  return low
end

--- USD of one hour of the fleet, spares included.
function Candidate:cost(up) return (up + self.ask.spares) * self.ranks * self.pool.usd_h end

--- The setup of a replica, as core.serve takes it.
function Candidate:setup()
  local input = self.input
  return { model = input.model, device = input.device, network = input.network, curves = input.curves,
    plan = input.plan, engine = input.engine }
end

local function length_cv(load)
  return load.lengths == "lognormal" and math.sqrt(math.exp((load.spread or 0.8) ^ 2) - 1) or nil
end

local function new(ask, pool, ranks, plan, engine)
  local load = ask.load
  local input = { model = ask.model, device = pool.device, network = pool.network(ranks), curves = pool.curves,
    plan = plan, engine = engine }
  input.sequence_tokens = (load.input_tokens or 1024) + (load.output_tokens or 1024)
  local memory = core.infer_memory(input)
  input.sequence_tokens = nil
  input.input_tokens, input.output_tokens = load.input_tokens, load.output_tokens
  input.length_cv, input.pool_tokens = length_cv(load), memory.pool_tokens
  return setmetatable({ ask = ask, pool = pool, ranks = ranks, plan = plan, engine = engine, memory = memory,
    input = input, seen = {}, ups = up_counts(ask, ranks) }, Candidate)
end

--- Every point of the space: { list = those that fit, tried =, unfit = those that do not fit, refused = points
--- that no replica can have (heads that do not divide), refusal = the first reason }.
function candidates.all(ask, engine)
  local found = { list = {}, unfit = {}, tried = 0, refused = 0 }
  each(ask, engine, function(pool, ranks, plan, changed)
    found.tried = found.tried + 1
    local ok, made = pcall(new, ask, pool, ranks, plan, changed)
    if not ok then
      if tostring(made):find("interrupted", 1, true) then error(made, 0) end
      found.refused, found.refusal = found.refused + 1, found.refusal or made
    elseif made.memory.fits then
      found.list[#found.list + 1] = made
    else
      found.unfit[#found.unfit + 1] = made
    end
  end)
  if found.tried == 0 then errors.input("space", "no point of it has " .. ask.gpus .. " devices or fewer") end
  if found.refused == found.tried then error(found.refusal, 0) end
  return found
end

return candidates
