-- Attention kernels by generation. The curves of devices are of kernels of 2025, forward; what other software runs, and
-- backward, are factors on them, fitted. How much slower an older generation is depends on what the device has that it
-- does not use.
local fit = require("ballpark.catalog.fitted.profile")

local attention_kernels = {}

-- Kinds of matmul unit behind the timings that a curve comes from. Those of Hopper and Blackwell read operands from
-- shared memory and run beside copies, which kernels written for Ampere do not use.
local units = {
  ["A100-80GB-SXM"] = "ampere", ["L40S"] = "ada", ["RTX-PRO-6000-BSE"] = "ada",
  ["H100-SXM-80GB"] = "hopper", ["H200-SXM-141GB"] = "hopper",
  ["B200-SXM-180GB"] = "blackwell", ["B300-SXM-288GB"] = "blackwell", ["GB200"] = "blackwell", ["GB300"] = "blackwell",
}

--- The kind of matmul unit of a device of NVIDIA, else nil: curves of others are assumptions on the kernels that they
--- have.
---@param device table
---@return string|nil
function attention_kernels.unit(device)
  if device.vendor ~= "NVIDIA" then return nil end
  return units[(device.attention and device.attention.from or ""):match("^(%S+) ")]
end

-- Generation -> kind of unit -> coefficients that stand for it there; what is not named is as the curve. first:
-- FlashAttention-1 and its kind; second: FlashAttention-2; cudnn_2024: the first of cuDNN's in Transformer Engine;
-- today: cuDNN's of 2025 and FlashAttention-3, whose backward comes nearer to forward on Hopper than on Blackwell. Neither
-- brought anything to Ampere, where training runs FlashAttention-2 or what is as fast; its curve is of serving.
local scopes = {
  first = { ampere = "first_attention", ada = "first_attention", hopper = "first_attention_hopper",
    blackwell = "first_attention_hopper" },
  second = { ampere = "second_attention_ampere", hopper = "second_attention_hopper",
    blackwell = "second_attention_hopper" },
  cudnn_2024 = { ampere = "second_attention_ampere", hopper = "cudnn_2024_hopper", blackwell = "cudnn_2024_hopper" },
  today = { ampere = "second_attention_ampere", hopper = "today_attention_hopper" },
}

--- Names of the coefficients that stand for a generation on some device, sorted.
attention_kernels.SCOPES = { "cudnn_2024_hopper", "first_attention", "first_attention_hopper",
  "second_attention_ampere", "second_attention_hopper", "today_attention_hopper" }

--- Which coefficients of the fit stand for a generation of kernels on a device; nil where the curve does.
---@param generation string|nil first, second or cudnn_2024; nil is today's
---@param device table
---@return string|nil
function attention_kernels.scope(generation, device)
  return (scopes[generation or "today"] or scopes.today)[attention_kernels.unit(device) or ""]
end

--- Fields of the profile that a generation of kernels changes on a device.
---@param generation string|nil
---@param device table
---@return table<string, number>
function attention_kernels.fields(generation, device)
  return fit[attention_kernels.scope(generation, device) or ""] or {}
end

return attention_kernels
