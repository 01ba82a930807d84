-- Cards whose matrix units multiply 16 bit at half their rate when sums are fp32: NVIDIA's GeForce (its white papers of Turing,
-- GA102, Ada and Blackwell give both rates). Their rate of int8, four times that, tells them from others, where it is twice.
local halved_sums = {}

local TELLING <const> = 3

--- Whether the stated 16-bit peak of a device is such a half. Without matrix units there is one rate, that of fp32.
---@param device table bf16_flop_s, fp32_flop_s, int8_flop_s
function halved_sums.is_in(device)
  local wide = device.bf16_flop_s or 0
  return wide > (device.fp32_flop_s or 0) and (device.int8_flop_s or 0) > TELLING * wide
end

return halved_sums
