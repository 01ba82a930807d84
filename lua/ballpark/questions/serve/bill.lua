-- What a fleet costs and draws, per hour, month, token and request.
local load_of = require("ballpark.questions.serve.load")
local units = require("ballpark.units")

local bill = {}

local MONTHS <const> = 12
local HOUR_S <const> = 3600

-- Watts of all devices at their board power, or nil where a device does not say it.
local function power_w(fleet)
  local sum = 0
  for _, group in ipairs(fleet.groups) do
    local each = group.candidate.pool.device.tdp_w
    if not each or each <= 0 then return nil end
    sum = sum + group.devices * each
  end
  return sum
end

--- { cost_usd_h, cost_usd_month, cost_usd_year, usd_per_million (output tokens), usd_per_million_all (input tokens, too),
--- usd_per_request, power_w, month_j, request_j } of a fleet that answers `mean_per_s` requests on average.
function bill.of(fleet, load, mean_per_s)
  local hourly, power = fleet.cost_usd_h, power_w(fleet)
  local per_request = hourly / HOUR_S / mean_per_s
  local input, output = load_of.tokens(load)
  return { cost_usd_h = hourly, cost_usd_month = hourly * units.MONTH_H, cost_usd_year = hourly * units.MONTH_H * MONTHS,
    usd_per_request = per_request,
    usd_per_million = per_request / output * 1e6, usd_per_million_all = per_request / (input + output) * 1e6,
    power_w = power, month_j = power and power * units.months(1), request_j = power and power / mean_per_s }
end

return bill
