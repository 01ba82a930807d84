-- Formats that a device has no arithmetic for: which engines refuse them, and what the others do instead.
local errors = require("ballpark.errors")

local units = {}

-- Format -> field of a device with the rate of its arithmetic.
local rates = { fp8 = "fp8_flop_s", fp8_block = "fp8_flop_s", int8 = "int8_flop_s", nvfp4 = "fp4_flop_s",
  mxfp4 = "fp4_flop_s" }

-- What an engine takes only on devices with such units. TensorRT-LLM, support matrix of the documentation (2025):
-- fp8 from Ada on, nvfp4 from Blackwell on. SGLang, ModelOptFp4Config (0.5, 2025): nvfp4 from Blackwell on.
-- vLLM, documentation of quantisation (2025): fp8 on Ampere and nvfp4 before Blackwell by Marlin, weights only.
local refused = {
  trtllm = { fp8 = true, fp8_block = true, nvfp4 = true },
  sglang = { nvfp4 = true },
}

-- Formats that only one vendor's devices run, and what others multiply in their place. nvfp4: checkpoints of ModelOpt, whose
-- kernels are CUDA's (CUTLASS, Marlin). AMD's CDNA4 multiplies the OCP formats, mxfp4 among them (its ISA, 2025).
local OWN <const> = { nvfp4 = { vendor = "NVIDIA", others = "mxfp4" } }

local function is_foreign(device, format)
  local own = OWN[format]
  return own ~= nil and device.vendor ~= nil and device.vendor ~= own.vendor
end

local function lacks(device, format)
  local rate = rates[format]
  return rate ~= nil and (device[rate] or 0) == 0
end

-- Narrow floats as weights alone are dequantised by kernels of CUDA from Turing on (Marlin: support table of vLLM's
-- documentation, 2025; mxfp4 from Ampere on): not on Volta, nor on AMD's devices without such units.
local NARROW_FLOATS <const> = { fp8 = true, fp8_block = true, nvfp4 = true, mxfp4 = true }

-- Experts in mxfp4 are dequantised on CDNA3 by Triton's kernels, which have served gpt-oss there since its first day (AMD, ROCm
-- blog, August 2025; recalled).
local function has_kernel_of_triton(device, format, part)
  return part == "experts" and format == "mxfp4" and device.architecture == "cdna3"
end

local function has_no_kernel(device, format, part)
  if not NARROW_FLOATS[format] or not lacks(device, format) or has_kernel_of_triton(device, format, part) then return false end
  return device.architecture == "volta" or device.architecture == "turing" and format == "mxfp4" or device.vendor == "AMD"
end

local function named(device) return device.name or "this device" end

local function check_vendor(format, device, path)
  if not is_foreign(device, format) then return end
  local own = OWN[format]
  local instead = lacks(device, own.others) and "" or (", which multiplies %s"):format(own.others)
  errors.input(path, ("%s is a format of %s's devices: no engine runs it on %s%s"):format(format, own.vendor,
    named(device), instead))
end

--- Refuses formats of a plan that no engine runs on devices of this vendor or architecture, or that the engine runs only on devices with
--- units for them; `path` is where it stands, "" where the format is a field of the question itself.
function units.check(plan, device, engine, path)
  for _, part in ipairs({ "weights", "experts" }) do
    local format, at = plan[part], path == "" and part or (path or "plan") .. "." .. part
    check_vendor(format, device, at)
    if has_no_kernel(device, format, part) then
      errors.input(at, ("no engine runs %s on %s, which has neither units nor kernels for it: say bf16, int8 or int4")
        :format(format, named(device)))
    end
    if lacks(device, format) and (refused[engine] or {})[format] then
      errors.input(at, ("%s runs %s only on devices that multiply it, and %s does not")
        :format(engine, format, named(device)))
    end
  end
end

--- The format of 4 bits that a device multiplies; nil where it multiplies none.
---@param device table
---@return string|nil
function units.four_bits(device)
  if (device.fp4_flop_s or 0) == 0 then return nil end
  return is_foreign(device, "nvfp4") and OWN.nvfp4.others or "nvfp4"
end

--- Whether dense weights of a plan are multiplied in 8 bit or 4, and not dequantised to 16 bit before.
function units.are_narrow(plan, device)
  return rates[plan.weights] ~= nil and not lacks(device, plan.weights) and (plan.activations or "auto") == "auto"
end

--- What becomes of formats that the device does not multiply: a sentence, or nil.
function units.said(plan, device)
  for _, part in ipairs({ "weights", "experts" }) do
    local format = plan[part]
    if lacks(device, format) and (plan.activations or "auto") == "auto" then
      return ("%s in %s are weight-only: dequantised to 16 bit, for %s does not multiply %s"):format(
        part == "weights" and "Weights" or "Experts", format, named(device), format)
    end
  end
  return nil
end

return units
