-- Dimensions: what a number counts, as powers of base units. A dimension is a text of them, "B^1 s^-1": quantities carry
-- theirs into scenarios, which cannot change a text. Field lists and answers name theirs as a unit: "B/s", "USD/h", "device s".
local dimensions = {}

---@alias ballpark.dimension string equal dimensions are equal texts

-- Base units in the order in which words name them: {symbol, of many, of one}.
local BASES <const> = { { "B", "bytes", "byte" }, { "FLOP", "FLOP", "FLOP" }, { "tok", "tokens", "token" },
  { "req", "requests", "request" }, { "item", "items", "item" }, { "px", "pixels", "pixel" },
  { "USD", "US dollars", "US dollar" }, { "J", "joules", "joule" }, { "device", "devices", "device" },
  { "s", "seconds", "second" } }

-- Exponents by base unit, none of them 0, of every dimension met.
local powers_of = {}

local function dimension_of(powers)
  local parts = {}
  for _, base in ipairs(BASES) do
    local power = powers[base[1]]
    if power and power ~= 0 then parts[#parts + 1] = ("%s^%g"):format(base[1], power) end
  end
  local dimension = table.concat(parts, " ")
  if not powers_of[dimension] then
    local kept = {}
    for base, power in pairs(powers) do
      if power ~= 0 then kept[base] = power end
    end
    powers_of[dimension] = kept
  end
  return dimension
end

--- The dimension of plain counts and of shares.
dimensions.none = dimension_of({})

-- What units in text are made of: {factor, powers}; a number of the unit times the factor is one of base units.
local SYMBOLS <const> = {
  ["1"] = { 1, {} }, frac = { 1, {} }, bit = { 1 / 8, { B = 1 } }, W = { 1, { J = 1, s = -1 } },
  h = { 3600, { s = 1 } }, day = { 86400, { s = 1 } }, ["s^0.5"] = { 1, { s = 0.5 } },
}
for _, base in ipairs(BASES) do SYMBOLS[base[1]] = { 1, { [base[1]] = 1 } } end

local function combined(a, b, sign)
  local powers = {}
  for base, power in pairs(a) do powers[base] = power end
  for base, power in pairs(b) do powers[base] = (powers[base] or 0) + sign * power end
  return powers
end

-- "USD/h" as factor and powers; nil where a part of it is no unit.
local function read(unit)
  local factor, powers, sign = 1, {}, 1
  for part, mark in (unit .. "/"):gmatch("([^/ ]*)([/ ])") do
    local symbol = SYMBOLS[part]
    if part ~= "" and not symbol then return nil end
    if symbol then
      factor, powers = factor * symbol[1] ^ sign, combined(powers, symbol[2], sign)
    end
    if mark == "/" then sign = -1 end
  end
  return factor, powers
end

local units = {}

--- The dimension of a unit in text, and what a number in it is multiplied by to be in base units; nil of what is no
--- unit.
---@param unit string "B/s", "1/s", "USD/h", "device s", "" of a count
---@return ballpark.dimension|nil, number
function dimensions.of(unit)
  if units[unit] == nil then
    local factor, powers = read(unit)
    units[unit] = factor and { dimension_of(powers), factor == 1 and 1 or factor } or false
  end
  local found = units[unit]
  if not found then return nil, 1 end
  return found[1], found[2]
end

--- The dimension of a product.
function dimensions.times(a, b) return dimension_of(combined(powers_of[a], powers_of[b], 1)) end

--- The dimension of a quotient.
function dimensions.over(a, b) return dimension_of(combined(powers_of[a], powers_of[b], -1)) end

--- The dimension of a power.
function dimensions.power(a, exponent)
  local powers = {}
  for base, power in pairs(powers_of[a]) do powers[base] = exponent * power end
  return dimension_of(powers)
end

-- Dimensions that have a word of their own.
local NAMED <const> = { ["J^1 s^-1"] = "watts", ["device^1 s^1"] = "device-seconds" }

local function with_power(word, power)
  return power == 1 and word or ("%s to the power of %g"):format(word, power)
end

--- A dimension in words: "bytes per second", "a count".
---@param dimension ballpark.dimension
function dimensions.words(dimension)
  if dimension == dimensions.none then return "a count" end
  if NAMED[dimension] then return NAMED[dimension] end
  local above, below = {}, {}
  for _, base in ipairs(BASES) do
    local power = powers_of[dimension][base[1]] or 0
    if power > 0 then above[#above + 1] = with_power(base[2], power) end
    if power < 0 then below[#below + 1] = with_power(base[3], -power) end
  end
  local words = above[1] and table.concat(above, " times ") or "a count"
  return below[1] and words .. " per " .. table.concat(below, " and ") or words
end

--- A unit in text for a dimension in base units: "B/s", "FLOP/J"; "W" for joules per second.
function dimensions.unit(dimension)
  if dimension == "J^1 s^-1" then return "W" end
  local above, below = {}, {}
  for _, base in ipairs(BASES) do
    local power = powers_of[dimension][base[1]] or 0
    local size = math.abs(power) == 1 and base[1] or ("%s^%g"):format(base[1], math.abs(power))
    if power > 0 then above[#above + 1] = size end
    if power < 0 then below[#below + 1] = size end
  end
  local text = table.concat(above, " ")
  for _, part in ipairs(below) do text = (text == "" and "1" or text) .. "/" .. part end
  return text
end

-- Things that are counted: where a field takes a count or a count per second, it does not say of what.
local COUNTED <const> = { "req", "item", "device" }

local function without_counted(powers)
  local rest = {}
  for base, power in pairs(powers) do rest[base] = power end
  for _, base in ipairs(COUNTED) do rest[base] = nil end
  return dimension_of(rest)
end

local rate = dimension_of({ s = -1 })

--- Whether a quantity of the dimension `given` may stand where `wanted` is asked for: requests per second are a rate,
--- device-seconds may be stated as seconds of one device.
---@param given ballpark.dimension
---@param wanted ballpark.dimension
function dimensions.fits(given, wanted)
  if given == wanted then return true end
  local rest = without_counted(powers_of[given])
  if rest ~= without_counted(powers_of[wanted]) then return false end
  return rest == given or rest == dimensions.none or rest == rate
end

-- Endings of names, longest first: `_bytes_s` is not `_s`. What has `_per_` in it spells its unit out.
local ENDINGS <const> = {
  { "_bytes_s", "B/s" }, { "_flop_s", "FLOP/s" }, { "_flop_w", "FLOP/s/W" }, { "_tok_s", "tok/s" },
  { "_usd_h", "USD/h" }, { "device_s", "device s" }, { "_bytes", "B" }, { "_flop", "FLOP" },
  { "_tok", "tok" }, { "_usd", "USD" }, { "_frac", "frac" }, { "_w", "W" }, { "_s", "s" },
}

--- The unit that a name ends with: "B/s" of nic_bytes_s; nil where it ends with none.
---@param name any key of a table: a place in a list has no unit
function dimensions.ending(name)
  if type(name) ~= "string" then return nil end
  if ("_" .. name):find("_per_", 1, true) then return nil end
  for _, ending in ipairs(ENDINGS) do
    if name:sub(-#ending[1]) == ending[1] then return ending[2] end
  end
end

return dimensions
