-- What the fleet of an answer costs an hour, whatever question it answers.
local units = require("ballpark.units")

local hourly = {}

-- Replicas of calls and of indexes, each of so many devices or hosts.
local function of_replicas(answer)
  if not (answer.fleet and answer.price_usd_h) then return nil end
  return answer.fleet.replicas * answer.price_usd_h * (answer.input and (answer.input.devices or answer.input.shards) or 1)
end

-- Of answers that are no replicas of calls.
local OF_KIND <const> = {
  serving = function(answer) return answer.bill and answer.bill.usd_h end,
  serving_search = function(answer) return answer.winner and answer.winner.cost_usd_h end,
  transcribe = function(answer) return answer.devices and answer.price_usd_h and answer.devices * answer.price_usd_h end,
  platform = function(answer) return answer.usd_month and answer.usd_month / units.MONTH_H end,
  ask = function(answer) return answer.values.cost_usd_month and answer.values.cost_usd_month / units.MONTH_H end,
}

--- USD per hour, nil where the answer has no fleet with a price.
---@param answer table
---@return number|nil
function hourly.of(answer) return (OF_KIND[answer.kind or ""] or of_replicas)(answer) end

return hourly
