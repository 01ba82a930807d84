-- The range that holds the true value of an estimate four times in five, and whether the estimate is
-- outside of what was ever measured.
--
-- The shipped law (ballpark.catalog.fitted.training_range) comes from published runs, each estimated by a fit that
-- saw nothing of its family. A calibrated profile carries the errors of its own rows instead, on
-- devices, formats, lengths and kinds of model that it was calibrated on.
local coefficients = require("ballpark.catalog.coefficients")
local core = require("ballpark.core")
local features = require("ballpark.range.features")
local learn = require("ballpark.range.learn")
local profiles = require("ballpark.catalog.profiles")
local shipped = require("ballpark.catalog.fitted.training_range")
local tables = require("ballpark.tables")
local widths = require("ballpark.range.log_widths")

local intervals = {}

--- Share of true values inside.
intervals.COVERAGE = learn.COVERAGE

local known_classes = {}
for _, name in ipairs(profiles.names()) do known_classes[name] = name ~= "generic" end

--- The class of software that a profile stands for, and whether it is a measured one.
function intervals.class_of(profile)
  local name = profile.calibration and profile.calibration.class or profile.name
  if known_classes[name or ""] == nil then return "generic", false end
  return name, known_classes[name]
end

local function deviation_of(coefficient)
  return shipped.deviations[coefficients.name(coefficient)] or 1
end

-- Coefficients that apply to one kind of case, as factors on its profile: made once for many estimates.
local kinds = {}

local function kind_of(case)
  local name = coefficients.kind(case)
  if kinds[name] then return kinds[name] end
  local kind = { coefficients = {}, deviations = {}, start = {} }
  for _, coefficient in ipairs(coefficients.published) do
    if coefficients.applies(coefficient, case) then
      local n = #kind.start + 1
      kind.coefficients[n] = { field = "profile." .. coefficient[1], prior = 1, width = coefficient[4], times = true }
      kind.deviations[n], kind.start[n] = deviation_of(coefficient), 0
    end
  end
  kinds[name] = kind
  return kind
end

local function spreads_of(inputs, kind)
  return core.batch({ inputs = inputs, coefficients = kind.coefficients }):spreads(kind.start, kind.deviations)
end

--- Spread of ln(step) that the shipped fit's coefficients leave, for each case { input, class }; false
--- where a case has no estimate.
---@param cases table[]
---@return (number|false)[]
function intervals.unlearned(cases)
  local parts, names, result = {}, {}, {}
  for i, case in ipairs(cases) do
    local name = coefficients.kind(case)
    if not parts[name] then
      parts[name], names[#names + 1] = { kind = kind_of(case), inputs = {}, at = {} }, name
    end
    local part = parts[name]
    part.inputs[#part.inputs + 1], part.at[#part.at + 1] = case.input, i
  end
  for _, name in ipairs(names) do
    for n, spread in ipairs(spreads_of(parts[name].inputs, parts[name].kind)) do
      result[parts[name].at[n]] = spread
    end
  end
  return result
end

-- A value that is missing or no number is refused by whoever reads it next, with its place.
local function add_number(reasons, value, limit, text)
  if limit and type(value) == "number" and value > limit then reasons[#reasons + 1] = text:format(limit) end
end

-- Layers that no fitted run had.
local function rare_layers(model)
  return (model.linear_layers or 0) + (model.mamba_layers or 0) > 0
end

-- Fewer runs than this say little of a device, as of a family (ballpark.range.learn); of one whose kernels were
-- never timed it takes more of them to make up for that.
local FEW_RUNS <const>, FEW_FOR_BORROWED <const> = 10, 30

local function runs_on(device) return shipped.ranges.devices[device.name or ""] or 0 end

local function is_borrowed(device) return runs_on(device) < FEW_FOR_BORROWED and not features.measured(device) end

-- Whether the fit has matmuls of this class by themselves, and with them those of its devices (TPU, Gaudi, ...):
-- what it left open of them is in the spread of the coefficients.
local function has_own_matmuls(about)
  for _, coefficient in ipairs(coefficients.published) do
    if coefficient[1] == "gemm" and coefficient[2] ~= "all" and coefficients.applies(coefficient, about) then
      return true
    end
  end
  return false
end

local function add_device(reasons, device)
  local name = device.name or "this device"
  local runs = runs_on(device)
  if runs == 0 then
    reasons[1] = "no measured run on " .. name
  elseif runs < FEW_RUNS then
    reasons[1] = ("%d measured run%s on %s"):format(runs, runs == 1 and "" or "s", name)
  end
  if is_borrowed(device) then
    local origin = features.origin(device)
    reasons[#reasons + 1] = "kernels of " .. name .. " not timed, but shaped after "
      .. (origin and "those of " .. origin or "an average device's")
  end
end

-- What a calibration saw and what this run is instead, as two lists of the same length, empty for a run like its own;
-- older files do not say what formats, lengths and models it saw.
local function beyond(input, own)
  local seen, is = {}, {}
  local function add(outside, what, instead)
    if outside then seen[#seen + 1], is[#is + 1] = tostring(what), tostring(instead) end
  end
  local device, devices = input.device.name or "", input.network.devices
  local precision, seq_len = input.plan.precision or "bf16", tonumber(input.job.seq_len) or 0
  add(not own.devices[device], table.concat(tables.sorted_keys(own.devices), ", "),
    device == "" and "another device" or device)
  add(devices > own.most_devices, ("at most %d devices"):format(own.most_devices), devices)
  add(own.precisions and not own.precisions[precision],
    table.concat(tables.sorted_keys(own.precisions or {}), ", "), precision)
  add(own.longest_seq_len and seq_len > own.longest_seq_len,
    ("at most %d tokens a sequence"):format(own.longest_seq_len or 0), seq_len)
  add(own.experts == false and (input.model.experts or 0) > 0, "models without experts", "one with experts")
  return seen, is
end

-- A kept profile is the built-in one, which the calibration's runs changed nothing of.
local function add_calibration(reasons, input)
  local own = input.profile.calibration
  if not own or own.kept then return end
  local seen, is = beyond(input, own)
  if #seen > 0 then
    reasons[#reasons + 1] = ("profile calibrated on %s, this is %s"):format(table.concat(seen, ", "),
      table.concat(is, ", "))
  end
end

--- Why an estimate is outside of what was fitted; an empty list inside.
---@return string[]
function intervals.extrapolated(about)
  local input, ranges, reasons = about.input, shipped.ranges, {}
  local precision = input.plan.precision or "bf16"
  add_device(reasons, input.device)
  if not ranges.precisions[precision] then
    reasons[#reasons + 1] = "no measured run in " .. precision
  end
  add_number(reasons, input.network.devices, ranges.most_devices,
    "more devices than the largest measured run (%d)")
  add_number(reasons, input.job.seq_len, ranges.longest_seq_len,
    "longer sequences than any measured run (%d)")
  if rare_layers(input.model) and not ranges.rare_layers then
    reasons[#reasons + 1] = "kinds of layer that no measured run had"
  end
  add_calibration(reasons, input)
  return reasons
end

--- Log width of what kernels of another device leave open of a step.
---@param about {input: table, class: string}
---@return number
function intervals.borrowed(about)
  return is_borrowed(about.input.device) and not has_own_matmuls(about) and shipped.borrowed or 0
end

-- What a calibration says of runs like its own.
local function calibrated(about)
  local own = about.input.profile.calibration
  if not own or not own.half or #beyond(about.input, own) > 0 then return nil end
  return { low = math.exp(-own.half), high = math.exp(own.half), half = own.half, extrapolated = {} }
end

-- Factors of half a range, wider by what else is open: log widths down and up.
local function band(half, wide, extrapolated)
  local down, up = table.unpack(wide or { 0, 0 })
  return { low = math.exp(-widths.together(half, down)), high = math.exp(widths.together(half, up)), half = half,
    extrapolated = extrapolated }
end

--- Factors low and high on a step time, and why it is extrapolated. `wide`: log widths by what the settings that
--- were assumed may have been instead; a calibration on runs alike has them in its own range.
---@param about {input: table, class: string, known: boolean, open: string[], unlearned: number|nil, wide: table|nil}
---@return {low: number, high: number, half: number, extrapolated: string[]}
function intervals.of(about)
  local own = calibrated(about)
  if own then return own end
  about.unlearned = about.unlearned or intervals.unlearned({ about })[1] or 0
  local half = learn.half(shipped.time, features.of(about), about.unlearned)
  local reasons = intervals.extrapolated(about)
  if #reasons > 0 then half = half * shipped.widening end
  half = widths.together(half, intervals.borrowed(about))
  -- Runs of one's own that the built-in profile misses by more than its range, or the calibrated one among its own.
  local seen = about.input.profile.calibration
  half = math.max(half, seen and (seen.half or seen.least_half) or 0)
  return band(half, about.wide and about.wide.time, reasons)
end

--- The same for peak memory.
function intervals.memory(about)
  return band(learn.half(shipped.memory, features.of(about)), about.wide and about.wide.memory, {})
end

return intervals
