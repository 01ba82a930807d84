-- Dense peak of a device in the number format of the plan's matmuls.
local peak = {}

local FIELD <const> = { fp32 = "fp32_flop_s", tf32 = "tf32_flop_s", fp16 = "bf16_flop_s", bf16 = "bf16_flop_s",
  fp8 = "fp8_flop_s", mxfp8 = "fp8_flop_s", int8 = "int8_flop_s", nvfp4 = "fp4_flop_s" }

--- FLOP/s, or nil where the device has no such format.
---@param device table
---@param precision string
function peak.of(device, precision)
  local flop_s = device[FIELD[precision]]
  return flop_s and flop_s > 0 and flop_s or nil
end

return peak
