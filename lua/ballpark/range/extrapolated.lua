-- Where an estimate of training goes beyond what the published coefficients were fitted to, and beyond what a
-- calibration saw.
local coefficients = require("ballpark.catalog.coefficients")
local core = require("ballpark.core")
local fields = require("ballpark.fields")
local features = require("ballpark.range.features")
local log_widths = require("ballpark.range.log_widths")
local profiles = require("ballpark.catalog.profiles")
local shipped = require("ballpark.catalog.fitted.training_range")
local tables = require("ballpark.tables")

local extrapolated = {}

-- A value that is missing or no number is refused by whoever reads it next, with its place.
local function add_number(reasons, value, limit, text)
  if limit and type(value) == "number" and value > limit then reasons[#reasons + 1] = text:format(limit) end
end

-- Layers that no fitted run had.
local function rare_layers(model)
  return (model.linear_layers or 0) + (model.mamba_layers or 0) > 0
end

-- No fitted run had an encoder at work beside its decoder.
local function runs_encoder(model) return (model.cross_layers or 0) > 0 or (model.images or 0) > 0 end

-- Fewer runs than this say little of a device, as of a family (ballpark.range.learn); of one whose kernels were
-- never timed it takes more of them to make up for that.
local FEW_RUNS <const>, FEW_FOR_BORROWED <const> = 10, 30

local function runs_on(device) return shipped.ranges.devices[device.name or ""] or 0 end

local function is_borrowed(device) return runs_on(device) < FEW_FOR_BORROWED and not features.measured(device) end

local function add_year(reasons, year)
  if not year or year >= profiles.FIRST_YEAR and year <= profiles.NEWEST_YEAR then return end
  reasons[#reasons + 1] = ("software of %d, what was measured is of %d to %d"):format(year, profiles.FIRST_YEAR,
    profiles.NEWEST_YEAR)
end

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

-- What a profile says, or leaves to the field's default.
local function of_profile(profile, name)
  local value = profile[name]
  if value == nil then return fields.default("train_step", "profile", name) end
  return value
end

-- How a plan cuts a model and its sequences that no published run does; a search takes it for slower for that
-- (core/search/launch.c).
local function add_cut(reasons, input)
  local plan, profile = input.plan, input.profile
  local pp, cp, zero = plan.pp or 1, plan.cp or 1, plan.zero or fields.default("train_step", "plan", "zero")
  local length = tonumber(input.job.seq_len) or math.huge
  local shortest, part = of_profile(profile, "seen_cut_tok"), of_profile(profile, "seen_part_tok")
  if cp > 1 and (length < shortest or length // cp < part) then
    reasons[#reasons + 1] = ("no measured run cuts sequences below %d tokens, or into parts below %d"):format(shortest,
      part)
  end
  if pp > 1 and of_profile(profile, "pipelines") ~= "usual" then
    reasons[#reasons + 1] = "no measured run of this software with pipeline stages"
  elseif pp > 1 and zero > of_profile(profile, "seen_pipeline_zero") then
    reasons[#reasons + 1] = ("no measured run of this software with ZeRO %d and pipeline stages"):format(zero)
  elseif pp == 1 and zero > 0 and zero == of_profile(profile, "unseen_zero") then
    reasons[#reasons + 1] = ("no measured run of this software with ZeRO %d and no stages"):format(zero)
  end
end

-- Whether tensor parallelism goes over the network between domains.
local function crosses(input) return (input.plan.tp or 1) > (input.network.domain or 1) end

--- Whether a run is like those that a calibration saw.
function extrapolated.is_like(input, calibration) return #beyond(input, calibration) == 0 end

--- Why an estimate is outside of what was fitted; an empty list inside.
---@return string[]
function extrapolated.reasons(about)
  local input, ranges, reasons = about.input, shipped.ranges, {}
  local precision = input.plan.precision or "bf16"
  add_device(reasons, input.device)
  if not ranges.precisions[precision] then
    reasons[#reasons + 1] = "no measured run in " .. precision
  end
  add_year(reasons, about.year)
  add_number(reasons, input.network.devices, ranges.most_devices,
    "more devices than the largest measured run (%d)")
  add_number(reasons, input.job.seq_len, ranges.longest_seq_len,
    "longer sequences than any measured run (%d)")
  if rare_layers(input.model) and not ranges.rare_layers then
    reasons[#reasons + 1] = "kinds of layer that no measured run had"
  end
  if runs_encoder(input.model) then reasons[#reasons + 1] = "no measured run with an encoder beside the decoder" end
  add_cut(reasons, input)
  if crosses(input) then reasons[#reasons + 1] = "no fitted run with tensor parallelism between domains" end
  add_calibration(reasons, input)
  return reasons
end

--- Log width of what kernels of another device leave open of a step.
---@param about {input: table, class: string}
---@return number
function extrapolated.borrowed(about)
  return is_borrowed(about.input.device) and not has_own_matmuls(about) and shipped.borrowed or 0
end

-- How much longer than estimated the collectives of every layer may take between domains: no fitted run has them there,
-- and networks were timed with few ranks on large messages. An assumption.
local SLOWER_BETWEEN <const> = 2

--- Log width of what tensor parallelism over the network between domains leaves open of a step.
---@param about {input: table}
---@return number
function extrapolated.crossing(about)
  if not crosses(about.input) then return 0 end
  local time = core.train_step(about.input).time
  return math.log(1 + (SLOWER_BETWEEN - 1) * time.tp_s / time.step_s)
end

--- Both of them together.
---@param about {input: table, class: string}
---@return number
function extrapolated.half(about)
  return log_widths.together(extrapolated.borrowed(about), extrapolated.crossing(about))
end

return extrapolated
