-- Who ran it, when, on what, in which format.
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local labels = require("ballpark.measured.labels")
local near = require("ballpark.near")
local profiles = require("ballpark.catalog.profiles")

local function year(case)
  case.year = case.row.year or 2024
  return not case.row.year and "year 2024" or nil
end

local known_devices = {}

-- The same table for every row of a device: nothing changes it.
local function device_of(name)
  known_devices[name] = known_devices[name] or devices.get(name)
  return known_devices[name]
end

local function unknown(label) return near.missing(label, devices.known()) end

local function device(case)
  local stated, label = case.row.gpu, case.row.gpu_label
  if not (stated or label) then errors.input("gpu", "not stated") end
  local name = stated and labels.resolve(stated)
  if name then
    case.device = device_of(name)
    return name:lower() ~= stated:lower() and ("'%s' is %s"):format(stated, name) or nil
  end
  name = label and labels.resolve(label)
  if not name then errors.input("gpu", unknown(stated or label)) end
  case.device = device_of(name)
  return ("gpu %s; gpu_label '%s' is %s"):format(stated and unknown(stated) or "is blank", label, name)
end

local known_profiles = {}

local function profile_of(class, case)
  local newer = (case.device.fp8_flop_s or 0) > 0
  local key = class .. "\0" .. case.year .. "\0" .. tostring(newer)
  known_profiles[key] = known_profiles[key] or profiles.of_year(class, case.year, case.device)
  return known_profiles[key]
end

local function framework(case)
  local name = case.row.framework
  local class, known = profiles.classify(name, case.device.vendor)
  local meant = name and not known and profiles.misspelt(name)
  if meant then errors.input("framework", ("'%s' is not known, did you mean '%s'?"):format(name, meant)) end
  case.class, case.known, case.traits = class, known, profiles.traits(class)
  local forced = case.context.profile
  if type(forced) == "table" then
    case.profile = forced
  else
    case.profile = profile_of(forced or class, case)
  end
  if known then return nil end
  return name and ("framework '%s' taken as %s"):format(name, class) or "framework " .. class
end

-- What sources call number formats; the first pattern found in the lower-case text decides.
local formats = {
  { "nvfp4", "nvfp4" }, { "mxfp4", "nvfp4" }, { "fp4", "nvfp4" },
  { "mxfp8", "mxfp8" }, { "fp8", "fp8" }, { "e4m3", "fp8" }, { "int8", "int8" },
  { "bf16", "bf16" }, { "bfloat16", "bf16" }, { "fp16", "fp16" }, { "float16", "fp16" }, { "half", "fp16" },
  { "amp", "fp16" }, { "mixed", "bf16" }, { "16", "bf16" },
  { "tf32", "tf32" }, { "fp32", "fp32" }, { "float32", "fp32" }, { "32", "fp32" },
}

-- Devices from before Ampere know fp16 only.
local function only_fp16(case)
  if case.plan.precision ~= "bf16" or case.device.has_bf16 ~= false then return nil end
  case.plan.precision = "fp16"
  return "precision fp16, which the device has instead of bf16"
end

local function stated_format(text)
  if not text then return nil end
  for _, format in ipairs(formats) do
    if text:lower():find(format[1]) then return format[2] end
  end
  errors.choice("precision", text, fields.by_name(fields.input("train_step", "plan")).precision.names)
end

local function precision(case)
  case.plan.precision = stated_format(case.row.precision)
  if case.plan.precision then return only_fp16(case) end
  local modern = (case.device.fp4_flop_s or 0) > 0
  case.plan.precision = modern and "fp8" or "bf16"
  return only_fp16(case) or "precision " .. case.plan.precision
end

return {
  { column = "year", says = "blank: 2024", apply = year },
  { column = "gpu", apply = device,
    says = "a catalog name or a label that means one, else gpu_label; any other device is not covered" },
  { column = "framework", apply = framework,
    says = "its name gives the class of software (profile); unknown names are 'generic', misspelt ones are refused" },
  { column = "precision", apply = precision,
    says = "blank: bf16 (fp16 on devices without it); fp8 on devices with fp4 matmul units (Blackwell and later); what "
      .. "names no format is refused" },
}
