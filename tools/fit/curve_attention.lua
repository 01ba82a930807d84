-- Timings of fused attention over a prompt, and the curve that is fitted to each device's.
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")
local timings = require("timings")

local curve_attention = {}

local parameters = {
  { name = "u", start = 0.6, min = 0.05, max = 1.5 },
  { name = "w", start = 0.5, min = 0.02, max = 4 },
  { name = "t0_s", start = 12e-6, min = 0, max = 1e-4 },
  { name = "walk_s", start = 5e-9, min = 0, max = 1e-6 },
  { name = "s0", start = 150, min = 0, max = 1e5 },
  { name = "throttle", start = 0.1, min = 0, max = 5 },
}

-- Operands that the passes before the kernel left in the cache are read faster where memory is no HBM. Fitted
-- to the others, this is 0.04 to 0.15 and no timing is met better: their parameters are without it.
local HBM_BYTES_S <const> = 1.9e12

local function parameters_of(device)
  if device.mem_bw_bytes_s > HBM_BYTES_S then return parameters end
  local list = table.move(parameters, 1, #parameters, 1, {})
  list[#list + 1] = { name = "cached", start = 1, min = 0, max = 20 }
  return list
end

local function model_of(device)
  local input = { device = device }
  return function(values)
    device.attention = values
    return function(row)
      input.batch, input.heads, input.kv_heads = row.batch, row.heads, row.kv_heads
      input.head_dim, input.seq_q = row.head_dim, row.seq_q
      return core.attention(input).time_s
    end
  end
end

local function row_of(cells)
  local heads, kv_heads = math.tointeger(cells.heads), math.tointeger(cells.kv_heads)
  return {
    batch = math.tointeger(cells.batch), heads = heads, kv_heads = kv_heads,
    head_dim = math.tointeger(cells.head_dim), seq_q = math.tointeger(cells.seq_or_kv_len),
    time_s = tonumber(cells.latency_us) * 1e-6, group = heads .. "/" .. kv_heads,
  }
end

local function set_of(cells)
  local device = devices.get(cells.gpu)
  return { device = cells.gpu, format = "bf16", rows = {}, parameters = parameters_of(device),
    model = model_of(device) }
end

--- The sets in `records` (rows of measured_attention.csv) of one format of queries, keys and values: bfloat16 or fp8.
function curve_attention.sets(records, format)
  return timings.sets(records, function(cells)
    return cells.phase == "context" and cells.attn_dtype == format and cells.kv_dtype == format and cells.gpu
  end, set_of, row_of)
end

return curve_attention
