-- Curves that only serving needs, by device: those of a measured device, or of the one whose kernels
-- its entry borrows.
local devices = require("ballpark.catalog.devices")
local fit = require("ballpark.catalog.fitted.serving")
local tables = require("ballpark.tables")

local serving_curves = {}

local DEFAULT <const> = "H100-SXM-80GB"

-- A set whose shapes a fit without them misses by more than this is not used.
local WORST_HELD_OUT <const> = 0.5

local qualities = { points = true, median = true, p90 = true, held_out_median = true, kernels = true }

-- Devices of one design, which run the same kernels whoever of them was timed with it (NVIDIA, Blackwell architecture
-- brief, 2025: B300 and GB300 are the B200 and GB200 with more memory and 4-bit arithmetic).
local siblings = {
  ["B200-SXM-180GB"] = "B300-SXM-288GB", ["B300-SXM-288GB"] = "B200-SXM-180GB", GB200 = "GB300", GB300 = "GB200",
}

-- Whose curves serve a device: its own, or those its matmul curves are borrowed from.
local function origin_of(device)
  if fit[device.name] then return device.name end
  local borrowed = tostring(device.curves_from or ""):match("^([^:]+): ")
  return borrowed and fit[borrowed] and borrowed or DEFAULT
end

local function plain(set)
  local result = {}
  for key, value in pairs(set) do
    if not qualities[key] then result[key] = value end
  end
  return result
end

-- Whether a set was timed with a kernel that another one was not.
local function has_more_kernels(set, other)
  for kernel in set.kernels:gmatch("%S+") do
    if not other.kernels:find(kernel, 1, true) then return true end
  end
  return false
end

-- The set of a device; where its sibling was timed with a further kernel, that one's: its shares are of the device's
-- own peak and bandwidth.
local function set_of(origin, name)
  local own, other = fit[origin][name], (fit[siblings[origin]] or {})[name]
  if not (own and other) then return own or other end
  return has_more_kernels(other, own) and other or own
end

-- The curve itself, or the nearest one there is.
local function curve(origin, names)
  for _, name in ipairs(names) do
    local set = set_of(origin, name)
    if set and set.held_out_median <= WORST_HELD_OUT then return plain(set) end
  end
end

-- Devices that FlashAttention 3 or 4 has kernels for; the others run FlashAttention 2 (vLLM,
-- vllm/v1/attention/backends/fa_utils.py, 2025: by compute capability).
local LATER_FLASH <const> = { ["H100-SXM-80GB"] = true, ["H200-SXM-141GB"] = true, ["B200-SXM-180GB"] = true,
  ["B300-SXM-288GB"] = true, GB200 = true, GB300 = true }

-- Engines unpack 4-bit experts in kernels (Marlin) that read them nearly as fast as plain ones; the
-- timings at hand are of a kernel that reads slower. Many rows are multiplied as fast as was timed.
local PACKED_STREAM <const> = 0.85

-- Arithmetic of the tensor cores over that of the ordinary ones; nil where one of them is not known.
local function tensor_share(device)
  local tensor, ordinary = device.bf16_flop_s or 0, device.fp32_flop_s or 0
  return tensor > 0 and ordinary > 0 and tensor / ordinary or nil
end

-- The least share of the peak that the kernel takes.
local LEAST_SHARE <const> = 0.001

-- Weights are unpacked by the ordinary cores, for the tensor ones to multiply, and sums of scaled blocks are added up there
-- (arXiv:2412.19437, section 3.3.2): of a chip with fewer tensor cores, as H20 is beside the H100 that was timed, that takes
-- less of the peak, and never lets more be reached than without it.
local function beside_tensors(device, origin, plain_u, timed_u)
  local own, timed = tensor_share(device), tensor_share(devices.get(origin))
  if not (own and timed) then return timed_u end
  return math.max(LEAST_SHARE, math.min(plain_u, timed_u * timed / own))
end

local function of_blocks(device, origin, plain_curve, timed)
  return tables.with(timed, { u = beside_tensors(device, origin, math.max(plain_curve.u, timed.u), timed.u) })
end

local function packed(device, origin, plain_curve, timed)
  local u = timed and beside_tensors(device, origin, plain_curve.u, timed.u)
  return tables.with(plain_curve, { w = plain_curve.w * PACKED_STREAM, u = u })
end

--- Fields of bp_serving_curves for a device table, and the name of the device they were measured on.
---@param device table
---@return table curves
---@return string origin
function serving_curves.get(device)
  local origin = origin_of(device)
  local sets = fit[origin]
  local result = plain(sets.decode)
  result.packs_beside = LATER_FLASH[origin] or false
  result.prompt8 = sets.prompt8 and plain(sets.prompt8)
  result.prompts8 = sets.prompt8 ~= nil and result.packs_beside
  result.moe16 = curve(origin, { "moe16" })
  result.moe16_packed = packed(device, origin, result.moe16, sets.moe16_packed)
  result.moe8 = curve(origin, { "moe8", "moe16" })
  result.moe8_block = of_blocks(device, origin, result.moe8, curve(origin, { "moe8_block", "moe8", "moe16" }))
  result.moe4 = curve(origin, { "moe4", "moe8", "moe16" })
  return result, origin
end

return serving_curves
