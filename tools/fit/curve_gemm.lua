-- Matmul timings by device and number format, and the curve that is fitted to each.
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")
local timings = require("timings")

local curve_gemm = {}

-- Formats of the timings: name in the catalog, format of the core, its curve, bytes of a weight.
local formats = {
  bfloat16 = { name = "bf16", dtype = "bf16", curve = "gemm16", bytes = 2 },
  fp8 = { name = "fp8", dtype = "fp8", curve = "gemm8", bytes = 1 },
  fp8_block = { name = "fp8_block", dtype = "fp8", curve = "gemm8", bytes = 1 },
  sq = { name = "int8", dtype = "int8", curve = "gemm8", bytes = 1 },
  nvfp4 = { name = "fp4", dtype = "fp4", curve = "gemm4", bytes = 0.5625 },
}

-- A few rows of the published timings are clock noise: no matmul takes less than a microsecond.
local LEAST_S <const> = 1e-6

-- The benchmark repeats six copies of a call. Weights that fit the last-level cache six times over
-- are read from there: on L40S and RTX PRO 6000 timings double in speed at just that size, within
-- some tens of percent (a power of 8 of the ratio).
local COPIES <const> = 6
local EDGE <const> = 8

local function cached_share(weight_bytes, cache_bytes)
  return 1 / (1 + (COPIES * weight_bytes / cache_bytes) ^ EDGE)
end

local parameters = {
  { name = "u", start = 0.8, min = 0.05, max = 1 },
  { name = "w", start = 0.8, min = 0.05, max = 3 },
  { name = "t0_s", start = 4e-6, min = 0, max = 1e-4 },
  { name = "depth_s", start = 2e-10, min = 0, max = 1e-7 },
  { name = "k0", start = 100, min = 0, max = 1e5 },
  { name = "tiles0", start = 10, min = 0, max = 1e4 },
  { name = "wave", start = 0.3, min = 0, max = 1 },
  { name = "throttle", start = 0.1, min = 0, max = 5 },
  { name = "q", start = 0.3, min = 0, max = 50 },
  { name = "cached", start = 0.5, min = 0, max = 20 },
}

-- 16-bit activations need no quantisation.
local function parameters_of(format)
  if format.dtype ~= "bf16" then return parameters end
  local without = {}
  for _, p in ipairs(parameters) do
    if p.name ~= "q" then without[#without + 1] = p end
  end
  return without
end

local function model_of(device, format)
  local input = { device = device, dtype = format.dtype }
  return function(values)
    device[format.curve] = values
    return function(row)
      input.m, input.n, input.k, input.cached = row.m, row.n, row.k, row.cached
      return core.gemm(input).time_s
    end
  end
end

local function row_of(cells, set)
  local m, n, k = math.tointeger(cells.m), math.tointeger(cells.n), math.tointeger(cells.k)
  return {
    m = m, n = n, k = k, time_s = tonumber(cells.latency_us) * 1e-6, group = n .. "x" .. k,
    cached = cached_share(n * k * set.weight_bytes, set.l2_bytes),
  }
end

-- Device and format of a timing that counts.
local function key_of(cells)
  local format = formats[cells.dtype]
  return format and tonumber(cells.latency_us) * 1e-6 >= LEAST_S and cells.gpu .. " " .. format.name
end

local function set_of(cells)
  local device, format = devices.get(cells.gpu), formats[cells.dtype]
  return { device = device.name, format = format.name, rows = {}, parameters = parameters_of(format),
    model = model_of(device, format), l2_bytes = device.l2_bytes, weight_bytes = format.bytes }
end

--- The sets in `records` (rows of measured_gemm.csv), sorted by device and format.
function curve_gemm.sets(records) return timings.sets(records, key_of, set_of, row_of) end

return curve_gemm
