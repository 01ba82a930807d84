-- A fleet: replicas of one kind, or some that compute prompts and some that answer them.
local load_of = require("ballpark.questions.serve.load")

local fleet = {}

--- Sites plan for two thirds to three quarters of the capacity so that a burst finds room: assumption.
fleet.UTILIZATION_FRAC = 0.7

-- Answers hold fleets: a scenario that has one must not reach what all of them share.
local Fleet = {}
local OF_FLEET <const> = { __index = Fleet }

local function group_of(candidate, index)
  local size = candidate.sizes[index]
  return { candidate = candidate, index = index, role = candidate.role, up = size.up, replicas = size.replicas,
    most = size.most, devices = size.replicas * candidate.ranks, steady = candidate:steady(size.up),
    cost_usd_h = size.replicas * candidate.ranks * candidate.pool.usd_h }
end

--- Seconds until the keys and values of a mean prompt are where its answer is made: each device sends its part
--- over its own link to other nodes.
function fleet.transfer_s(prefill)
  local load = prefill.candidate.ask.load
  local input, output = load_of.tokens(load)
  local bytes = prefill.candidate.memory.sequence_bytes * input / (input + output)
  return bytes / prefill.candidate.pool.nic_bytes_s
end

-- What requests see in the mean of prefill in one place and decode in another.
local function steady_of(groups)
  local prefill, decode = groups[1], groups[2]
  if not decode then return prefill.steady end
  local first, rest, sent_s = prefill.steady, decode.steady, fleet.transfer_s(prefill)
  local _, output = load_of.tokens(prefill.candidate.ask.load)
  local e2e_s = first.ttft_s + sent_s + rest.e2e_s
  return { ttft_s = first.ttft_s, e2e_s = e2e_s, stable = first.stable and rest.stable,
    tpot_s = (e2e_s - first.ttft_s) / math.max(1, output - 1) }
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

--- A fleet of groups of replicas, each { candidate, index of its size }; one group, or those of prefill and of decode.
function fleet.new(parts)
  local groups = {}
  for i, part in ipairs(parts) do groups[i] = group_of(part[1], part[2]) end
  local first = groups[1]
  return setmetatable({ groups = groups, pattern = groups[2] and "disaggregated" or "aggregated",
    candidate = first.candidate, up = first.up, place = first.candidate.place,
    devices = fleet.sum(groups, "devices"), replicas = fleet.sum(groups, "replicas"),
    cost_usd_h = fleet.sum(groups, "cost_usd_h"),
    steady = steady_of(groups), capacity_per_s = capacity_of(groups) }, OF_FLEET)
end

--- Devices with those that a roll-out needs for a while.
function Fleet:most_devices()
  local total = 0
  for _, group in ipairs(self.groups) do total = total + group.most * group.candidate.ranks end
  return total
end

--- The fleet with more replicas in group i, one unless said, or nil where there are no more devices.
---@param i integer
---@param by integer|nil
function Fleet:larger(i, by)
  local parts = {}
  for j, group in ipairs(self.groups) do parts[j] = { group.candidate, group.index + (i == j and (by or 1) or 0) } end
  if not parts[i][1].sizes[parts[i][2]] then return nil end
  local more = fleet.new(parts)
  return more:most_devices() <= self.candidate.ask.gpus and more or nil
end

--- Parts of the SLO that it breaks in the mean: value over limit.
function Fleet:broken()
  local list = {}
  for name, limit in pairs(self.candidate.ask.sla.limits) do
    if self.steady[name] > limit then list[name] = self.steady[name] / limit end
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
