-- What runs of one's own changed of a class of software: factors, which go on whatever the class says of a year, a
-- product, a device and its network, of dispatch of experts and scales of 8 bit. A profile that names its class has
-- them in calibration.factors; one that names none is a whole table of coefficients, and stands for itself.
local coefficients = require("ballpark.catalog.coefficients")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local profiles = require("ballpark.catalog.profiles")
local tables = require("ballpark.tables")

local calibration = {}

-- Of a range, in logarithms: a factor of 22,000 says nothing any more (assumption).
local WIDEST <const> = 10

-- Widths of its prior that a factor is from 1 at most: runs thirty times off their estimates, which a calibration refuses
-- beyond, lead to five (assumption: twice that).
local MOST_WIDTHS <const> = 10

local function is_width(value) return type(value) == "number" and value >= 0 and value <= WIDEST end

local function is_count(value) return math.type(value) == "integer" and value >= 1 end

local function is_text(value) return type(value) == "string" end

local function is_class(value) return tables.contains(profiles.names(), value) end

local function is_flag(value) return type(value) == "boolean" end

local function is_year(value) return math.type(value) == "integer" and value >= profiles.LEAST_YEAR end

-- Names that each hold true.
local function are_names(value)
  if type(value) ~= "table" then return false end
  for name, holds in pairs(value) do
    if not is_text(name) or holds ~= true then return false end
  end
  return true
end

local COUNT <const>, WIDTH <const> = "a whole number of at least 1", ("a number from 0 to %d"):format(WIDEST)
local NAMES <const> = "a table of names that each hold true"

-- What a calibration says of itself: name, what holds of it and in words, whether no file is without.
local FIELDS <const> = {
  { "class", is_class, "a class of software", true }, { "rows", is_count, COUNT }, { "date", is_text, "text" },
  { "year", is_year, ("a year from %d on"):format(profiles.LEAST_YEAR) }, { "devices", are_names, NAMES, true },
  { "precisions", are_names, NAMES }, { "most_devices", is_count, COUNT, true }, { "longest_seq_len", is_count, COUNT },
  { "experts", is_flag, "true or false" }, { "kept", is_flag, "true or false" }, { "least_half", is_width, WIDTH },
  { "half", is_width, WIDTH }, { "spread", is_width, WIDTH },
}

local KNOWN <const> = { "factors" }
for i, field in ipairs(FIELDS) do KNOWN[i + 1] = field[1] end

-- Widths of the priors, by coefficient.
local function fitted()
  local widths = {}
  for _, coefficient in ipairs(coefficients.own) do widths[coefficient[1]] = coefficient[4] end
  return widths
end

local function check_factors(factors, path)
  local widths = fitted()
  local function refuse()
    errors.input(path, "calibration.factors: must be numbers above 0, of coefficients that a calibration fits")
  end
  if type(factors) ~= "table" then refuse() end
  for _, name in ipairs(tables.sorted_keys(factors)) do
    local factor, width = factors[name], widths[name]
    if not width or type(factor) ~= "number" or not (factor > 0 and factor < math.huge) then refuse() end
    local most = math.exp(MOST_WIDTHS * width)
    if factor > most or factor < 1 / most then
      errors.input(path, ("calibration.factors.%s: must be from %.3g to %.3g, got %.6g"):format(name, 1 / most, most, factor))
    end
  end
end

--- Refuses a calibration that is none.
---@param profile table
---@param path string what an error calls the profile
function calibration.check(profile, path)
  local about = profile.calibration
  if about == nil then return end
  if type(about) ~= "table" then errors.input(path, "calibration: must be a table, got " .. type(about)) end
  errors.only(path .. ": calibration", about, KNOWN)
  for _, field in ipairs(FIELDS) do
    local name, value = field[1], about[field[1]]
    if value == nil and field[4] then errors.input(path, ("calibration.%s is missing"):format(name)) end
    if value ~= nil and not field[2](value) then
      errors.input(path, ("calibration.%s: must be %s, got %s"):format(name, field[3], type(value) == "table" and "another table" or tostring(value)))
    end
  end
  if (about.half == nil) ~= (about.spread == nil) then
    errors.input(path, ("calibration.%s is missing beside %s"):format(about.half and "spread" or "half", about.half and "half" or "spread"))
  end
  if about.factors == nil then return end
  if not profile.class then errors.input(path, "class is missing: calibration.factors go on what a class says") end
  check_factors(about.factors, path)
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
