-- How far the matmuls of a device are from what the curve of another makes of them: what is not known of a device
-- whose kernels nobody timed. Every device with timings is looked at through the curves of all others.
local core = require("ballpark.core")
local curves = require("ballpark.catalog.curves")
local devices = require("ballpark.catalog.devices")

local borrowed = {}

-- Rows, columns and depth of matmuls in training.
local ROWS <const> = { 2048, 8192 }
local SIZES <const> = { 2048, 4096, 8192, 16384 }

-- Mean over sizes of ln of the time by the device's fields.
local function log_time(device)
  local sum, count = 0, 0
  for _, m in ipairs(ROWS) do
    for _, n in ipairs(SIZES) do
      for _, k in ipairs(SIZES) do
        sum = sum + math.log(core.gemm({ device = device, dtype = "bf16", m = m, n = n, k = k }).time_s)
        count = count + 1
      end
    end
  end
  return sum / count
end

-- The device with the curve of the other: what fills a chip goes with its cores, as in ballpark.catalog.devices.
local function through(name, other)
  local device, origin = devices.get(name), devices.get(other)
  device.gemm16 = origin.gemm16
  device.gemm16.tiles0 = origin.gemm16.tiles0 * device.cores / origin.cores
  return device
end

--- Half a range in ln(time) that holds for the share `coverage` of pairs of timed devices.
---@param coverage number
---@return number
function borrowed.width(coverage)
  local scores, weights = {}, {}
  for name in pairs(curves.gemm) do
    local own = log_time(devices.get(name))
    for other in pairs(curves.gemm) do
      if other ~= name then
        scores[#scores + 1] = math.abs(log_time(through(name, other)) - own)
        weights[#weights + 1] = 1
      end
    end
  end
  return core.conformal_width(scores, weights, #scores, coverage)
end

return borrowed
