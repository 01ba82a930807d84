-- A fleet: replicas of one kind, or some that compute prompts and some that answer them.
local load_of = require("ballpark.questions.serve.load")
local pool_link = require("ballpark.resolve.serving.pool_link")

local fleet = {}

--- Sites plan for two thirds to three quarters of the capacity so that a burst finds room: assumption.
fleet.UTILIZATION_FRAC = 0.7

-- Answers hold fleets: a scenario that has one must not reach what all of them share.
local Fleet = {}
local OF_FLEET <const> = { __index = Fleet }

local function group_of(candidate, index)
  local size = candidate.sizes[index]
  return { candidate = candidate, index = index, role = candidate.role, up = size.up, replicas = size.replicas,
    most = size.most, devices = size.replicas * candidate.ranks,
    cost_usd_h = size.replicas * candidate.ranks * candidate.pool.usd_h }
end

--- The link by which keys and values leave the replicas that compute prompts: see pool_link.of.
---@param prefill table the group of them
---@param replicas integer of them
function fleet.link(prefill, replicas)
  local candidate = prefill.candidate
  local input, output = load_of.tokens(candidate.ask.load)
  return pool_link.of(candidate.pool.between_nodes_bytes_s, candidate.ranks, replicas, candidate.memory.sequence_bytes * input / (input + output))
end

-- Rounds in which it settles how many of the users wait for prompts, and how many for answers; and the share by which a round
-- may still move the time of prompts.
local ROUNDS <const>, SETTLED <const> = 8, 1e-3

-- What requests of `times` as many users see in the mean in each half of a fleet: while they are in one they are not in the
-- other. The first guess is what the SLO leaves for prompts, the most.
local function halves_of(prefill, decode, times)
  local sent_s, first = fleet.link(prefill, prefill.up).link_latency_s, nil
  local rest = decode.candidate:steady(decode.up, times)
  for _ = 1, ROUNDS do
    local before_s = first and first.ttft_s or 0
    first = prefill.candidate:steady(prefill.up, times, rest.e2e_s + sent_s)
    rest = decode.candidate:steady(decode.up, times, first.ttft_s + sent_s)
    if math.abs(first.ttft_s - before_s) < SETTLED * first.ttft_s then break end
  end
  return first, rest
end

-- What requests see in the mean of prefill in one place and decode in another.
local function both(prefill, first, rest)
  local sent_s = fleet.link(prefill, prefill.up).link_latency_s
  local _, output = load_of.tokens(prefill.candidate.ask.load)
  local e2e_s = first.ttft_s + sent_s + rest.e2e_s
  return { ttft_s = first.ttft_s, e2e_s = e2e_s, stable = first.stable and rest.stable,
    tpot_s = (e2e_s - first.ttft_s) / math.max(1, output - 1) }
end

-- What each group sees in the mean, and the whole.
local function steady_of(groups)
  local prefill, decode = groups[1], groups[2]
  if decode and prefill.candidate.ask.users then
    prefill.steady, decode.steady = halves_of(prefill, decode)
  else
    for _, group in ipairs(groups) do group.steady = group.candidate:steady(group.up) end
  end
  return decode and both(prefill, prefill.steady, decode.steady) or prefill.steady
end

-- Requests per second of all replicas that are up.
local function capacity_of(groups)
  local least = math.huge
  for _, group in ipairs(groups) do least = math.min(least, group.up * group.steady.capacity_per_s) end
  return least
end

--- Sum of a field over groups of replicas.
function fleet.sum(groups, field)
  local total = 0
  for _, group in ipairs(groups) do total = total + group[field] end
  return total
end

--- A fleet of groups of replicas, each { candidate, index of its size }; one group, or those of prefill and of decode. What it
--- costs and breaks is known, what its requests see once it is complete.
function fleet.outline(parts)
  local groups = {}
  for i, part in ipairs(parts) do groups[i] = group_of(part[1], part[2]) end
  local first = groups[1]
  return setmetatable({ groups = groups, pattern = groups[2] and "disaggregated" or "aggregated",
    candidate = first.candidate, up = first.up, place = first.candidate.place,
    devices = fleet.sum(groups, "devices"), replicas = fleet.sum(groups, "replicas"),
    cost_usd_h = fleet.sum(groups, "cost_usd_h") }, OF_FLEET)
end

--- Completes an outline with what its requests see, and answers it.
function Fleet:complete()
  self.steady = self.steady or steady_of(self.groups)
  self.capacity_per_s = self.capacity_per_s or capacity_of(self.groups)
  return self
end

--- The same, complete.
function fleet.new(parts) return fleet.outline(parts):complete() end

--- Devices with those that a roll-out needs for a while.
function Fleet:most_devices()
  local total = 0
  for _, group in ipairs(self.groups) do total = total + group.most * group.candidate.ranks end
  return total
end

--- The fleet with more replicas in group i, one unless said, or nil where there are no more devices; of an outline an outline.
---@param i integer
---@param by integer|nil
function Fleet:larger(i, by)
  local parts = {}
  for j, group in ipairs(self.groups) do parts[j] = { group.candidate, group.index + (i == j and (by or 1) or 0) } end
  if not parts[i][1].sizes[parts[i][2]] then return nil end
  local more = fleet.outline(parts)
  if self.steady then more:complete() end
  return more:most_devices() <= self.candidate.ask.gpus and more or nil
end

-- What a fleet of two pools is planned for, in the mean, and of users those in flight over the room for them.
local function planned(self)
  local ask, prefill, decode = self.candidate.ask, self.groups[1], self.groups[2]
  if not ask.users then return self.steady or steady_of(self.groups), 0 end
  local first, rest = halves_of(prefill, decode, 1 / ask.fleet.utilization_frac)
  return both(prefill, first, rest), math.max(prefill.candidate.crowd(first), decode.candidate.crowd(rest))
end

--- Parts of the SLO that a fleet of two pools breaks in the mean: value over limit.
function Fleet:broken()
  local steady, crowd = planned(self)
  local list = { room = crowd > 1 and crowd or nil }
  for name, limit in pairs(self.candidate.ask.sla.limits) do
    if steady[name] > limit then list[name] = steady[name] / limit end
  end
  return list
end

--- What fleets are ordered by: cheaper first; of equal cost one pool before two, then the faster, then the order of
--- the space.
---@return number[]
function fleet.ranks(this)
  local second = this.groups[2]
  return { this.cost_usd_h, #this.groups, this.steady.e2e_s, this.place, second and second.candidate.place or 0,
    this.devices }
end

return fleet
