-- Who runs it: the class of software, its year, and the format it multiplies in.
local attention_kernels = require("ballpark.catalog.attention_kernels")
local calibration = require("ballpark.resolve.training.calibration")
local counted_flop = require("ballpark.resolve.training.counted_flop")
local errors = require("ballpark.errors")
local launch_settings = require("ballpark.resolve.training.launch_settings")
local name_length = require("ballpark.name_length")
local profiles = require("ballpark.catalog.profiles")
local tables = require("ballpark.tables")

local software_rules = {}

-- Software for those who name none where none is usual: the class the base coefficients were fitted to.
local BASE_CLASS <const> = "megatron"

local function named(case)
  local software = case.facts.software
  if type(software) == "string" then software = { name = software } end
  if software ~= nil and type(software) ~= "table" then
    errors.input("software", "must be a name, or { name =, year = }, got " .. type(software))
  end
  errors.only("software", software or {}, launch_settings.names({ "name", "year", "version", "attention_counted" }), "input")
  return software or {}
end

-- Releases that are called after their month: "25.09", "v24.11.1".
local function year_of(version)
  if version ~= nil and type(version) ~= "string" then
    errors.input("software.version", "must be text, got " .. type(version))
  end
  local short = (version or ""):match("^v?(%d%d)%.[01]%d%f[%D]")
  return short and tonumber(short) >= 18 and 2000 + tonumber(short) or nil
end

local function year(case)
  local software = named(case)
  local of_version = year_of(software.version)
  local stated = software.year or of_version
  case.released = of_version ~= nil
  local whole = type(stated) == "number" and math.tointeger(stated) or nil
  if stated ~= nil and not whole then errors.input("software.year", "must be a whole number, got " .. tostring(stated)) end
  stated = whole
  if stated and stated < profiles.LEAST_YEAR then
    errors.input("software.year", ("%d is before the Transformer (%d); what was measured is of %d to %d"):format(stated,
      profiles.LEAST_YEAR, profiles.FIRST_YEAR, profiles.NEWEST_YEAR))
  end
  local profile = case.facts.profile
  local calibrated = profile and profile.calibration and profile.calibration.year
  -- Software whose year nobody says is as in the runs of one's own, or as in the newest that were measured.
  case.year = stated or calibrated or profiles.NEWEST_YEAR
  return nil
end

local known_profiles = {}

local function profile_of(class, case)
  local fabric, attention = case.network.fabric, profiles.traits(class, case.software_name).attention
  local own = attention ~= profiles.traits(class).attention and case.software_name or ""
  local key = table.concat({ class, case.year, attention_kernels.unit(case.device) or "",
    tostring(profiles.in_rack(case.device)), fabric or "", own }, "\0")
  known_profiles[key] = known_profiles[key] or profiles.of_year(class, case.year, case.device, fabric, attention)
  return known_profiles[key]
end

-- The class by what is said: software by name, a profile, or neither.
local function class_of(case, name)
  local vendor, profile = case.device.vendor, case.facts.profile
  if name then return profiles.classify(name, vendor) end
  if profile then return profiles.of_coefficients(profile) end
  return profiles.usual(vendor) or BASE_CLASS, true
end

-- The coefficients: a scenario's own whole table, or those of the class with what is said over them.
local function coefficients_of(case, class)
  local given = case.facts.profile
  case.own_profile = given ~= nil and given.class == nil
  if case.own_profile then return given end
  local of_class = tables.with(profile_of(given and given.class or class, case), case.traits.fields)
  local full = tables.with(of_class, given and calibration.said(given))
  full.class = nil
  return full
end

local function software(case)
  local name = named(case).name
  if name ~= nil and type(name) ~= "string" then
    errors.input("software.name", "must be text, got " .. type(name))
  end
  if name then name_length.check("software", name) end
  case.software_name = name
  local class, known = class_of(case, name)
  local meant = name and not known and profiles.misspelt(name)
  if name and not known and profiles.only_serves(name) then
    local path = type(case.facts.software) == "string" and "software" or "software.name"
    errors.input(path, ("'%s' serves models and trains none; its place is engine, of serve{}"):format(name))
  end
  if meant then errors.input("software", ("'%s' is not known, did you mean '%s'?"):format(name, meant)) end
  case.class, case.known, case.traits = class, known, tables.copy(profiles.traits(class, name))
  case.compiled = named(case).compiled == true and not case.own_profile
  case.profile = launch_settings.applied(coefficients_of(case, class), named(case))
  case.attention_counted, case.attention_stated = counted_flop.attention(named(case).attention_counted, case.traits,
    case.year)
  if known or not name then return nil end
  return ("software '%s' taken as %s"):format(name, class)
end

-- HybridEP is what Megatron's recipes of 2026 dispatch with in domains of more devices than a node (NVIDIA's
-- performance scripts of Megatron-Bridge for GB200 and GB300; recalled).
local HYBRIDEP_YEAR <const>, NODE <const> = 2026, 8

local function dispatcher(case)
  local usual = case.class == "megatron" and case.year >= HYBRIDEP_YEAR and case.network.domain > NODE
  local experts = (case.model.experts or 0) > 0
  case.dispatcher = named(case).moe_dispatcher
  if case.dispatcher or case.own_profile or not (usual and experts) then return nil end
  case.profile = launch_settings.applied(case.profile,
    { moe_dispatcher = "hybridep", cuda_graph = named(case).cuda_graph })
  return "experts dispatched by HybridEP"
end

-- Where nothing at all is said of the software, its class is a guess.
local function unnamed(case)
  if case.software_name or case.facts.profile then return nil end
  local usual = profiles.usual(case.device.vendor)
  return ("software %s%s"):format(case.class, usual and ", usual on devices of " .. case.device.vendor or "")
end

-- Devices from before Ampere know fp16 only.
local function only_fp16(case)
  if case.plan.precision ~= "bf16" or case.device.has_bf16 ~= false then return nil end
  case.plan.precision = "fp16"
  return "precision fp16, which the device has instead of bf16"
end

-- How 8-bit matmuls scale their operands, and the format of the matmuls that a recipe means. Blocks that software scales
-- cost what fp8 does: published runs with them are none the faster for the timings of matmuls whose hardware does it.
local recipes = { delayed = "fp8", current = "fp8", tensorwise = "fp8", rowwise = "fp8", blockwise = "fp8",
  mxfp8 = "mxfp8" }

local function take_recipe(case)
  local plan = case.plan
  local recipe, precision = plan.fp8_recipe, plan.precision
  plan.fp8_recipe = nil
  if recipe == nil then return end
  local meant = recipes[recipe]
  if not meant then errors.choice("plan.fp8_recipe", tostring(recipe), tables.sorted_keys(recipes)) end
  case.profile = launch_settings.with_scales(case.profile, recipe)
  if case.varied.precision then return end
  if precision ~= nil and precision ~= "fp8" and precision ~= "mxfp8" then
    errors.input("plan.fp8_recipe", ("is of 8-bit matmuls, and plan.precision is %s"):format(tostring(precision)))
  end
  plan.precision = precision == "mxfp8" and precision or meant
end

--- Whether published runs on a device mostly multiply in 8 bit: of 217 on Blackwell and MI350 that say their format,
--- 23 do so in 16.
function software_rules.usually_narrow(device) return (device.fp4_flop_s or 0) > 0 end

-- Those runs are of software with recipes of 8 bit.
local function ran_narrow(case)
  return case.facts.ran and case.traits.narrow_recipes and software_rules.usually_narrow(case.device)
end

local function precision(case)
  take_recipe(case)
  if case.varied.precision then return nil end
  if case.plan.precision then return only_fp16(case) end
  case.precision_assumed = true
  case.plan.precision = ran_narrow(case) and "fp8" or "bf16"
  return only_fp16(case) or "precision " .. case.plan.precision
end

--- In the order in which they run.
software_rules.rules = {
  { fact = "year", beside_plan = true, apply = year,
    says = "blank: that of a version called after its month (25.09), that of the runs that a profile was calibrated on, or "
      .. "the newest that was measured, "
      .. profiles.NEWEST_YEAR },
  { fact = "software_name", apply = software, beside_plan = true,
    says = "its name gives the class of software; unknown names are 'generic', misspelt ones are refused; "
      .. "graphs, compilation and dispatch of experts change what stands for them: ballpark explain software" },
  { fact = "moe_dispatcher", apply = dispatcher, beside_plan = true,
    says = "blank: hybridep in the class megatron from 2026 on where a domain has more than 8 devices; else as the "
      .. "class: copies of a token for experts of one rank are sent once in the class megatron from 2025 on" },
  { fact = "software", apply = unnamed, beside_plan = true,
    says = "blank, without a profile: what is usual on devices of the vendor, else " .. BASE_CLASS },
  { fact = "precision", apply = precision,
    says = "blank: bf16 (fp16 on devices without it), whatever is compared with what; of a run that is known to have "
      .. "run on a device with fp4 matmul units (Blackwell and later), in the classes megatron and jax: fp8; "
      .. "fp8_recipe mxfp8: mxfp8, any other: fp8" },
}
return software_rules
