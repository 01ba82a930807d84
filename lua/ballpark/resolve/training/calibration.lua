-- What runs of one's own changed of a class of software: factors, which go on whatever the class says of a year, a
-- product, a device and its network, of dispatch of experts and scales of 8 bit. A profile that names its class has
-- them in calibration.factors; one that names none is a whole table of coefficients, and stands for itself.
local coefficients = require("ballpark.catalog.coefficients")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local tables = require("ballpark.tables")

local calibration = {}

local NAMES <const> = { "class", "rows", "date", "devices", "precisions", "most_devices", "longest_seq_len", "experts",
  "least_half", "kept", "half", "spread", "factors", "year" }

-- Of a range, in logarithms: a factor of 22,000 says nothing any more (assumption).
local WIDEST <const> = 10

local function is_width(value) return value == nil or (type(value) == "number" and value >= 0 and value <= WIDEST) end

local function fitted()
  local names = {}
  for _, coefficient in ipairs(coefficients.own) do names[coefficient[1]] = true end
  return names
end

local function are_factors(factors)
  if type(factors) ~= "table" then return false end
  local known = fitted()
  for name, factor in pairs(factors) do
    if not known[name] or type(factor) ~= "number" or not (factor > 0 and factor < math.huge) then return false end
  end
  return true
end

--- Refuses a calibration that is none.
---@param profile table
---@param path string what an error calls the profile
function calibration.check(profile, path)
  local about = profile.calibration
  if about == nil then return end
  local good = type(about) == "table" and type(about.class) == "string" and type(about.devices) == "table"
    and math.type(about.most_devices) == "integer" and is_width(about.half) and is_width(about.least_half)
    and (about.precisions == nil or type(about.precisions) == "table")
    and (about.longest_seq_len == nil or math.type(about.longest_seq_len) == "integer")
    and (about.rows == nil or math.type(about.rows) == "integer" and about.rows >= 0) and is_width(about.spread)
    and (about.date == nil or type(about.date) == "string")
    and (about.year == nil or math.type(about.year) == "integer")
  if good then errors.only(path .. ": calibration", about, NAMES) end
  if not good then errors.input(path, "calibration: not as `ballpark calibrate` writes it") end
  if about.factors == nil then return end
  if not profile.class then errors.input(path, "class is missing: calibration.factors go on what a class says") end
  if not are_factors(about.factors) then
    errors.input(path, "calibration.factors: must be numbers above 0, of coefficients that a calibration fits")
  end
end

--- A class's coefficients with factors on some of them, inside of what each may be.
---@param profile table
---@param factors table<string, number>
function calibration.times(profile, factors)
  local result, limits = tables.with(profile), fields.by_name(fields.input("train_step", "profile"))
  for name, factor in pairs(factors) do
    if factor ~= 1 then
      result[name] = math.min(limits[name].max, math.max(limits[name].min, (result[name] or limits[name].default) * factor))
    end
  end
  return result
end

--- What a profile says over its class, without what runs of one's own made of it.
function calibration.said(profile)
  local said = tables.with(profile)
  said.calibration = nil
  return said
end

-- What is said outright is of no class, and stays.
local function apply(case)
  local given = case.facts.profile
  if not (given and given.class and given.calibration) then return nil end
  local said, factors = calibration.said(given), {}
  for name, factor in pairs(given.calibration.factors or {}) do
    if said[name] == nil then factors[name] = factor end
  end
  case.profile = tables.with(calibration.times(case.profile, factors), { calibration = given.calibration })
  return nil
end

calibration.rules = { { fact = "calibration", apply = apply, beside_plan = true,
  says = "a profile of `ballpark calibrate`: last of all, its factors go on what the class says of the year, product, "
    .. "device and network; what a scenario says of a coefficient itself stays" } }

return calibration
