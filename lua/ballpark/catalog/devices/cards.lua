-- Cards as rows of figures: an architecture's rates over fp32 make the peaks of every card from its own fp32 rate.
local halved_sums = require("ballpark.catalog.halved_sums")

local cards = {}

local GiB <const>, MiB <const> = 1 << 30, 1 << 20

local PCIE4_X16 <const> = 31.5e9

-- Nobody timed the kernels of these chips for us: the shape of the curve of a measured one of the vendor, with the
-- ceiling that large matmuls reach of a rate with fp32 accumulation (assumption, as of the RTX-4090).
local CURVES <const> = {
  ada = { from = "L40S", u16 = 0.9, u8 = 0.8, attention_u = 0.75, why = "L40S curve; ceiling by assumption" },
  blackwell = { from = "RTX-PRO-6000-BSE", u16 = 0.9, u8 = 0.8, attention_u = 0.75,
    why = "RTX PRO 6000 curve; ceiling by assumption" },
}
-- Chips that add in fp32 at their full rate are as the measured one of their architecture, which is held down by power, too.
local SIBLINGS <const> = {
  blackwell = { from = "RTX-PRO-6000-BSE", why = "RTX PRO 6000 curve, of the same architecture" },
  ada = { from = "L40S", why = "L40S curve, of the same architecture" },
}
-- Of the older ones only where the stated rate is half of what the units do: full rates are held down by power.
local HALVED <const> = { from = "A100-80GB-SXM", u16 = 0.9, u8 = 0.8, attention_u = 0.75, why = "A100 curve; ceiling by assumption" }
local OTHER <const> = { from = "A100-80GB-SXM", u16 = 0.7, u8 = 0.6, attention_u = 0.5,
  why = "no measurements: shape of the A100 curve, ceiling by assumption" }

local function rate(fp32, times) return times and fp32 * times or nil end

--- A device from what a row and its group say.
---@param group table vendor, architecture, rates = { b16, int8, fp8, fp4 } over fp32, and what all rows share
---@param row table { name, GiB, GB/s, fp32 TFLOP/s, cores, MiB of the last cache, W, GB/s to the host }; 0 = not stated
function cards.entry(group, row)
  local fp32, rates = row[4] * 1e12, group.rates
  local host = row[8] > 0 and row[8] * 1e9 or PCIE4_X16
  local entry = {
    name = row[1], vendor = group.vendor, architecture = group.architecture, shared_memory = group.shared_memory,
    memory_bytes = math.floor(row[2] * GiB), mem_bw_bytes_s = row[3] * 1e9,
    fp32_flop_s = fp32, tf32_flop_s = fp32, bf16_flop_s = rate(fp32, rates.b16), int8_flop_s = rate(fp32, rates.int8),
    fp8_flop_s = rate(fp32, rates.fp8), fp4_flop_s = rate(fp32, rates.fp4),
    has_bf16 = not group.no_bf16,
    cores = row[5], l2_bytes = math.floor(row[6] * MiB), tdp_w = row[7],
    link = "pcie", link_bytes_s = host, host_bytes_s = host, domain = 1,
    node_size = group.shared_memory and 1 or 8,
    from_memory = group.recalled and { "all fields" } or { "rates over fp32" },
    source = group.source or group.recalled and "data sheet of the vendor, recalled"
      or "Wikipedia's and TechPowerUp's lists of GPUs; peaks by the rates of the architecture",
    notes = group.notes,
  }
  local halved = halved_sums.is_in(entry)
  entry.curves = not halved and SIBLINGS[group.architecture] or CURVES[group.architecture] or halved and HALVED or OTHER
  return entry
end

--- Devices of groups of rows.
---@param groups table[]
function cards.entries(groups)
  local list = {}
  for _, group in ipairs(groups) do
    for _, row in ipairs(group.rows) do list[#list + 1] = cards.entry(group, row) end
  end
  return list
end

return cards
