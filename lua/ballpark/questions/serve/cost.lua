-- What a service costs, in money and energy, by what it answers and what was simulated of it.
local layout = require("ballpark.resolve.serving.layout")
local units = require("ballpark.units")

local cost = {}

-- Draw of a board that holds a model and waits, over its board power: 70 to 120 W of an H100's 700 W as
-- nvidia-smi reports them (assumption).
local IDLE_FRAC <const> = 0.15

local DAY_S <const> = 86400 -- period of a diurnal load unless given

--- Devices of a replica, and of one of the prefill pool.
function cost.devices(plan, prefill_pool)
  local split = prefill_pool and (prefill_pool.replicas or 0) > 0
  return layout.ranks(plan), split and layout.ranks(prefill_pool.plan or plan) or 0
end

-- Board power while a step runs: more than it draws in most of them.
local function add_energy(known, seen, requests_per_s, tdp_w, devices)
  if not tdp_w or tdp_w == 0 or seen.duration_s <= 0 then return end
  local busy_s = math.min(seen.busy_s, seen.replica_s)
  local energy = devices * tdp_w * (busy_s + IDLE_FRAC * (seen.replica_s - busy_s)) -- device time at board power
  known.power_w = energy / seen.replica_s * known.replicas
  known.request_j = known.power_w / requests_per_s
end

--- { requests, of_day }: of less than a day that is simulated, which begins with its quietest hours; else nil. What a request
--- costs in them is not what it costs over the day, and where replicas come and go neither is an hour.
---@param input table
---@return {requests: integer, of_day: integer}|nil
function cost.cut_short(input)
  local load = input.load or {}
  if load.arrivals ~= "diurnal" or not load.requests then return nil end
  local of_day = (load.rate_per_s or 1) * (load.period_s or DAY_S) // 1
  return load.requests < of_day and { requests = load.requests, of_day = of_day } or nil
end

--- { replicas (paid, mean), devices (in all, mean), usd_h, usd_month (not of replicas that come and go over a day cut short),
--- usd_per_mtok (million output tokens), usd_per_request, request_j (none of the three of a day cut short), power_w }; money
--- where there is a price, energy where the board power is known.
function cost.of(answer)
  local seen, answered = answer.seen, answer.answered
  local input, part = answer.input, cost.cut_short(answer.input)
  local own, prefill_ranks = cost.devices(input.plan, input.prefill_pool)
  local over = seen.replica_s > 0 and seen.mean_replicas / seen.replica_s or 0
  local prefill_replicas = seen.prefill_replica_s * over
  local known = { replicas = seen.mean_replicas, prefill_replicas = prefill_replicas,
    devices = (seen.mean_replicas - prefill_replicas) * own + prefill_replicas * prefill_ranks }
  if answer.price_usd_h then
    known.usd_h = known.devices * answer.price_usd_h
    known.usd_month = not (part and input.autoscale) and known.usd_h * units.MONTH_H or nil
    if answered.output_tok_s > 0 and not part then
      known.usd_per_mtok = known.usd_h / 3600 / answered.output_tok_s * 1e6
      known.usd_per_request = known.usd_h / 3600 / answered.requests_per_s
    end
  end
  if answered.requests_per_s > 0 then
    add_energy(known, seen, answered.requests_per_s, input.device.tdp_w, known.devices / math.max(known.replicas, 1e-9))
    if part then known.request_j = nil end
  end
  return known
end

cost.IDLE_FRAC = IDLE_FRAC

return cost
