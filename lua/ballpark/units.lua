-- Units. Functions make base-unit numbers (GiB(80), TFLOP_s(989), per_day(500)); only reports turn base-unit numbers
-- back into text, with `units.format`. What a scenario sees are quantities of the same units: quantity.lua.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local units = {}

local HOUR, DAY, YEAR = 3600, 86400, 365 * 86400

--- Hours of a month, by which a price per hour becomes one of a month, as bills have it.
units.MONTH_H = YEAR / 12 / HOUR

-- name -> {factor, base unit, what it makes where that is not the base unit in words}. Decimal and binary prefixes are
-- never mixed.
local definitions = {
  B = { 1, "B" },
  kB = { 1000, "B" },
  MB = { 1000000, "B" },
  GB = { 1000000000, "B" },
  TB = { 1000000000000, "B" },
  PB = { 1000000000000000, "B" },
  KiB = { 1 << 10, "B" },
  MiB = { 1 << 20, "B" },
  GiB = { 1 << 30, "B" },
  TiB = { 1 << 40, "B" },
  PiB = { 1 << 50, "B" },
  FLOP = { 1, "FLOP" },
  GFLOP = { 1e9, "FLOP" },
  TFLOP = { 1e12, "FLOP" },
  PFLOP = { 1e15, "FLOP" },
  EFLOP = { 1e18, "FLOP" },
  ZFLOP = { 1e21, "FLOP" },
  GFLOP_s = { 1e9, "FLOP/s" },
  TFLOP_s = { 1e12, "FLOP/s" },
  PFLOP_s = { 1e15, "FLOP/s" },
  EFLOP_s = { 1e18, "FLOP/s" },
  MB_s = { 1e6, "B/s" },
  GB_s = { 1e9, "B/s" },
  TB_s = { 1e12, "B/s" },
  Mbit_s = { 1e6 / 8, "B/s" },
  Gbit_s = { 1e9 / 8, "B/s" },
  Tbit_s = { 1e12 / 8, "B/s" },
  ns = { 1e-9, "s" },
  us = { 1e-6, "s" },
  ms = { 1e-3, "s" },
  s = { 1, "s" },
  minutes = { 60, "s" },
  hours = { HOUR, "s" },
  days = { DAY, "s" },
  weeks = { 7 * DAY, "s" },
  months = { YEAR / 12, "s", "seconds (a twelfth of a year: 730 hours, as bills count)" },
  years = { YEAR, "s", "seconds (365 days)" },
  per_s = { 1, "1/s" },
  per_minute = { 1 / 60, "1/s" },
  per_hour = { 1 / HOUR, "1/s" },
  per_day = { 1 / DAY, "1/s" },
  device_hours = { HOUR, "device s" },
  USD = { 1, "USD" },
  USD_h = { 1, "USD/h" },
  W = { 1, "W" },
  kW = { 1e3, "W" },
  MW = { 1e6, "W" },
  Wh = { 3600, "J" },
  kWh = { 3.6e6, "J" },
  MWh = { 3.6e9, "J" },
  tokens = { 1, "tok" },
  tokens_s = { 1, "tok/s" },
  requests = { 1, "req" },
  items = { 1, "item" },
  devices = { 1, "device" },
  -- Floats: a product of such counts (6 N D) is beyond what an integer holds, and would wrap.
  thousand = { 1e3, "", "a count" },
  million = { 1e6, "", "a count" },
  billion = { 1e9, "", "a count" },
  trillion = { 1e12, "", "a count" },
  percent = { 1 / 100, "frac", "a fraction" },
}

-- The largest number a double holds without a gap.
local EXACT = 1 << 53

-- Whole numbers of bytes stay whole as long as an integer surely holds them.
local LARGEST <const> = 2.0 ^ 62

--- compute(a, b) of numbers: whole where it is, and a float where no integer would hold it, which would wrap.
---@param compute fun(a: number, b: number): number
function units.unwrapped(compute, a, b)
  local value = compute(a, b)
  if math.type(value) ~= "integer" then return value end
  local near = compute(a + 0.0, b)
  return math.abs(near) < LARGEST and value or near
end

local function times(a, b) return a * b end

-- A whole result stays a Lua integer where the unit counts whole things, so that bytes are exact.
local function convert(value, factor, whole_unit)
  local result = units.unwrapped(times, value, factor)
  if whole_unit and math.type(result) == "float" and math.abs(result) < EXACT then
    return math.floor(result + 0.5)
  end
  return result
end

local function constructor(name, factor, unit)
  local whole_unit = unit == "B"
  return function(value)
    if math.type(value) == nil then
      errors.input(name, "takes a number, got " .. type(value))
    end
    return convert(value, factor, whole_unit)
  end
end

--- The constructors by name.
units.scope = {}
--- What each constructor makes, by name, in words and as a base unit.
units.makes, units.base = {}, {}

-- Steps of each base unit for people: {from this size on, divisor, label}, largest first.
local SI = { { 1e24, "Y" }, { 1e21, "Z" }, { 1e18, "E" }, { 1e15, "P" }, { 1e12, "T" },
  { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" } }

local function si(label, from)
  local steps = {}
  for _, step in ipairs(SI) do
    if step[1] <= from then steps[#steps + 1] = { step[1], step[1], step[2] .. label } end
  end
  return steps
end

local COUNT = { { 1e15, 1e12, "trillion" }, { 1e12, 1e12, "trillion" }, { 1e9, 1e9, "billion" },
  { 1e7, 1e6, "million" } }

local function counted(label)
  local steps = {}
  for i, step in ipairs(COUNT) do steps[i] = { step[1], step[2], step[3] .. " " .. label } end
  steps[#steps + 1] = { 0, 1, label }
  return steps
end

-- Bytes by powers of two and of ten.
local IEC = { { 1 << 50, 1 << 50, "PiB" }, { 1 << 40, 1 << 40, "TiB" }, { 1 << 30, 1 << 30, "GiB" },
  { 1 << 20, 1 << 20, "MiB" }, { 1 << 10, 1 << 10, "KiB" }, { 0, 1, "B" } }

local function per_second(steps)
  local rates = {}
  for i, step in ipairs(steps) do rates[i] = { step[1], step[2], step[3] .. "/s" } end
  return rates
end

-- "stored" is no unit of a field but how bytes of storage and traffic are shown.
local scales = {
  [""] = { COUNT[1], COUNT[2], COUNT[3], COUNT[4], { 0, 1, "" } },
  B = IEC, stored = si("B", 1e18),
  ["B/s"] = si("B/s", 1e18),
  FLOP = si("FLOP", 1e24),
  ["FLOP/s"] = si("FLOP/s", 1e24),
  ["FLOP/s/W"] = si("FLOP/s/W", 1e24),
  W = si("W", 1e9),
  J = { { 3.6e9, 3.6e9, "MWh" }, { 3.6e6, 3.6e6, "kWh" }, { 3600, 3600, "Wh" }, { 0, 1, "J" } },
  s = { { 10 * YEAR, YEAR, "years" }, { 2 * DAY, DAY, "days" },
    { 2 * HOUR, HOUR, "h" }, { 120, 60, "min" }, { 1, 1, "s" }, { 1e-3, 1e-3, "ms" },
    { 1e-6, 1e-6, "µs" }, { 0, 1e-9, "ns" } },
  ["1/s"] = { { 0, 1, "per s" } },
  ["device s"] = { { 2 * HOUR, HOUR, "device-hours" }, { 0, 1, "device-seconds" } },
  tok = counted("tok"),
  ["tok/s"] = counted("tok/s"),
  USD = { { 1e9, 1e9, "billion USD" }, { 1e6, 1e6, "million USD" }, { 0, 1, "USD" } },
  frac = { { 0, 1 / 100, "%" } },
  points = { { 0, 1 / 100, "points" } }, -- differences of two fractions: percentage points
}


-- What a base unit of the scales is called in words.
local WORDS <const> = { [""] = "of a count", B = "bytes", stored = "bytes", ["B/s"] = "bytes per second",
  FLOP = "FLOP", ["1/s"] = "per second", ["USD/h"] = "US dollars per hour", req = "requests", item = "items",
  device = "devices", ["FLOP/s"] = "FLOP per second", ["FLOP/s/W"] = "FLOP per second and watt", W = "watts",
  J = "joules", s = "seconds", ["device s"] = "seconds of one device", tok = "tokens", ["tok/s"] = "tokens per second",
  USD = "US dollars", points = "of a difference between two percentages" }

for name, definition in pairs(definitions) do
  local factor, unit, words = table.unpack(definition)
  units.scope[name] = constructor(name, factor, unit)
  units.makes[name], units.base[name] = words or WORDS[unit], unit
  units[name] = units.scope[name]
end

-- "GB/s", "Gbit/s": what a constructor of this name makes, its slash written as "_".
local function constructed(label)
  local definition = definitions[(label:gsub("/s$", "_s"))]
  return definition and { factor = definition[1], unit = units.makes[(label:gsub("/s$", "_s"))] } or nil
end

--- What a unit that reports print stands for: { factor, unit }, as of "TFLOP/s" 1e12 and "FLOP per second"; nil of what
--- is no unit.
---@param label string
function units.shown(label)
  local per = label:match("^USD/(%a+)$")
  if per then return { factor = 1, unit = "US dollars per " .. (per == "h" and "hour" or per) } end
  for _, unit in ipairs(tables.sorted_keys(scales)) do
    for _, step in ipairs(scales[unit]) do
      if step[3] == label and label ~= "" then return { factor = step[2], unit = WORDS[unit] or unit } end
    end
  end
  return constructed(label)
end

--- Sets how reports of this run count bytes.
---@param style "mixed"|"si"|"iec"
function units.count_bytes(style)
  scales.B = style == "si" and si("B", 1e18) or IEC
  scales.stored = style == "iec" and IEC or si("B", 1e18)
  scales["B/s"] = style == "iec" and per_second(IEC) or si("B/s", 1e18)
end

local function scale_of(magnitude, unit)
  local steps = scales[unit]
  if not steps or (magnitude == 0 and unit ~= "frac") then return { 0, 1, unit } end
  for _, step in ipairs(steps) do
    if magnitude >= step[1] then return step end
  end
  return steps[#steps]
end

local function grouped(text)
  local sign, whole, rest = text:match("^(-?)(%d+)(.*)$")
  if not whole then return text end
  local with = whole:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
  return sign .. with .. rest
end

-- Decimals that show four significant digits of numbers of this size: 1.234, 12.34, 123.4, 1234.
local function decimals_for(magnitude, significant)
  if magnitude == 0 then return 0 end
  local exponent = math.floor(math.log(magnitude, 10) + 1e-12)
  return math.max(0, math.min(9, significant - 1 - exponent))
end

-- Digits before the point, and decimals, beyond which a number is written with its power of ten.
local MOST_SIZE <const>, MOST_DECIMALS <const> = 1e16, 16

--- The number as text with thousands separators and the given decimals.
function units.number(value, decimals)
  if value ~= value then return "nan" end
  if value == math.huge or value == -math.huge then return value > 0 and "inf" or "-inf" end
  if math.abs(value) >= MOST_SIZE or decimals > MOST_DECIMALS then return string.format("%.4g", value) end
  local text = string.format("%." .. decimals .. "f", value)
  return grouped(text:find("^%-[0%.]+$") and text:sub(2) or text)
end

--- What to write for a number with a decimal comma, as words behind an error: ": write 2.5" of "2,5"; none of other texts.
function units.point_words(text)
  local whole, rest = tostring(text):match("^(%d+),(%d+)$")
  return whole and (": write %s.%s"):format(whole, rest) or ""
end

--- "1 device", "2,048 micro-batches".
function units.count(value, what)
  local plural = what:find("ch$") and "es" or "s"
  return units.number(value, 0) .. " " .. what .. (value == 1 and "" or plural)
end

local function is_whole(value)
  return math.abs(value) < EXACT and value == math.floor(value)
end

-- Digits of what is stated, and of what is estimated: an estimate within some percent has no more of them.
local STATED_DIGITS <const>, ESTIMATED_DIGITS <const> = 4, 3

-- Units of what is worked out from estimates, however round it comes out: shares, money, energy.
local WORKED_OUT <const> = { frac = true, USD = true, J = true }

local function digits_of(unit) return WORKED_OUT[unit] and ESTIMATED_DIGITS or STATED_DIGITS end

-- Decimals after the last digit that is not 0.
local function needed_decimals(text)
  local decimals = text:match("%.(%d-)0*$")
  return decimals and #decimals or 0
end

-- The decimals of a number that so few digits hold exactly, as data sheets and people state them; nil of all others.
local function stated_decimals(scaled, digits)
  local text = string.format("%.9f", scaled)
  local decimals = needed_decimals(text)
  if decimals > decimals_for(math.abs(scaled), digits) then return nil end
  local zeros = math.max(0, math.floor(math.log(math.abs(scaled), 10) + 1e-12) + 1 - digits)
  local head = scaled / 10.0 ^ zeros
  return (zeros == 0 or math.abs(head - math.floor(head + 0.5)) < 1e-9) and decimals or nil
end

-- Rounded to so many digits, as text and as number; 9.98 to two is 10, not 10.0.
local function significant(scaled, digits)
  if scaled == 0 then return "0", 0 end
  local unit = 10.0 ^ (math.floor(math.log(math.abs(scaled), 10) + 1e-12) + 1 - digits)
  local rounded = math.floor(scaled / unit + 0.5) * unit
  return units.number(rounded, decimals_for(math.abs(rounded), digits)), rounded
end

-- A share in percent: one decimal, of less than a tenth one digit, of many times the whole three.
local function percent_text(scaled)
  local size = math.abs(scaled)
  if size >= 99.95 then return (significant(scaled, ESTIMATED_DIGITS)) end
  return size < 0.1 and string.format("%.1g", scaled) or units.number(scaled, 1)
end

local function one_number(scaled, unit)
  if scaled == 0 or is_whole(scaled) and (unit == "" or unit == "tok") then return units.number(scaled, 0) end
  if math.abs(scaled) < 1e-4 and unit ~= "USD" then return string.format("%.3g", scaled) end
  local decimals = stated_decimals(scaled, digits_of(unit))
  if decimals then return units.number(scaled, decimals) end
  return unit == "frac" and percent_text(scaled) or (significant(scaled, ESTIMATED_DIGITS))
end

-- Prices have cents, larger rates of money three digits.
local CENTS_BELOW <const> = 100

local function money_rate(value)
  if math.abs(value) < CENTS_BELOW then return units.number(value, 2) end
  return (significant(value, ESTIMATED_DIGITS))
end

-- A value below this share of the unit of what it stands beside makes that unit the smaller one, if numbers stay
-- below five digits.
local LEAST_BESIDE <const>, LONGEST_BESIDE <const> = 0.1, 1e4

--- The one scale of values that a sentence names side by side, and the decimals that the largest of them has: what
--- units.format and units.ranged take.
---@param values number[]
---@param unit string
---@return table|nil scale nil where all are 0
function units.beside(values, unit)
  local least, most = math.huge, 0
  for _, value in ipairs(values) do
    local size = math.abs(value)
    if size > 0 then least, most = math.min(least, size), math.max(most, size) end
  end
  if most == 0 then return nil end
  local step, smaller = scale_of(most, unit), scale_of(least, unit)
  if least < LEAST_BESIDE * step[2] and most < LONGEST_BESIDE * smaller[2] then step = smaller end
  return { step = step, decimals = math.max(1, decimals_for(most / step[2], ESTIMATED_DIGITS)) }
end

-- A number without decimals that the largest of those beside it does not have.
local function beside_text(scaled, scale)
  local text, least = one_number(scaled, "B"), 10.0 ^ -scale.decimals
  if math.abs(scaled) < least then return "under " .. units.number(least, scale.decimals) end
  return needed_decimals(text) <= scale.decimals and text or units.number(scaled, scale.decimals)
end

local function labelled(text, step) return step[3] == "" and text or (text .. " " .. step[3]) end

--- One value for people: "79.6 GiB", "9.87 s", "41.3 %". What is stated in four digits is shown as stated, all else
--- in three. Machine formats never call this.
---@param value number
---@param unit string base unit as in the field lists: "B" "s" "FLOP" "B/s" "USD" "frac" "tok" ""
---@param scale table|nil of units.beside: that of the values beside it
---@return string
function units.format(value, unit, scale)
  unit = unit or ""
  local rate, per = unit:match("^(USD)/(%a+)$")
  if rate then return money_rate(value) .. " USD/" .. per end
  if scale and value ~= 0 then return labelled(beside_text(value / scale.step[2], scale), scale.step) end
  local step = scale_of(math.abs(value), unit)
  return labelled(one_number(value / step[2], step[2] == scales.frac[1][2] and "frac" or unit), step)
end

-- Counts from here on are said in words.
local COUNTED_OUT <const> = 10000
local TALLY <const> = { { 1e15, 1e12, "trillion" }, { 1e12, 1e12, "trillion" }, { 1e9, 1e9, "billion" },
  { 1e6, 1e6, "million" }, { 0, 1e3, "thousand" } }

--- How many there are of what nobody counts one by one, as plans of a search: "9,663", "1.05 million".
---@param count number
---@return string
function units.tally(count)
  if count < COUNTED_OUT then return units.number(count, 0) end
  for _, step in ipairs(TALLY) do
    if count >= step[1] then return (significant(count / step[2], ESTIMATED_DIGITS)) .. " " .. step[3] end
  end
end

-- The number of last digits that units.format shows of a value, rounded by `fn`, as a reader gets it who
-- writes it with its unit; and a function that adds some of them.
local function shown(value, unit, fn)
  local divisor = scale_of(math.abs(value), unit)[2]
  local decimals = decimals_for(math.abs(value) / divisor, unit == "frac" and 3 or 4)
  local digits = fn(value / divisor * 10 ^ decimals)
  return function(more)
    local base = tonumber(("%.0fe-%d"):format(digits + more, decimals)) * divisor
    return unit == "B" and math.floor(base + 0.5) or base
  end
end

--- The least number that units.format shows exactly and that is not below `value`. Bytes are whole: a number that is shown
--- may be a fraction of one above its digits, which are then one less than the ceiling says.
function units.round_up(value, unit)
  local number = shown(value, unit, math.ceil)
  for more = -1, 0 do
    if number(more) >= value then return number(more) end
  end
  return number(1)
end

--- The greatest number that units.format shows exactly and that is not above `value`.
function units.round_down(value, unit)
  local number = shown(value, unit, math.floor)
  for more = 1, 0, -1 do
    if number(more) <= value then return number(more) end
  end
  return number(-1)
end

-- A range leaves meaning to the decimal place that is at most this share of its width; a value has two digits or three,
-- the ends of a wide range one.
local RESOLVED_FRAC <const>, FEWEST_DIGITS <const>, FEWEST_OF_END <const> = 1 / 5, 2, 1

-- A number without more digits than a range of this width leaves meaning to, as text and as number.
local function within(scaled, width, fewest)
  if scaled == 0 or width <= 0 then return significant(scaled, ESTIMATED_DIGITS) end
  local exponent = math.floor(math.log(math.abs(scaled), 10) + 1e-12)
  local last = math.floor(math.log(RESOLVED_FRAC * width, 10) + 1e-12)
  last = math.max(exponent + 1 - ESTIMATED_DIGITS, math.min(last, exponent + 1 - fewest))
  local rounded = math.floor(scaled / 10.0 ^ last + 0.5) * 10.0 ^ last
  return units.number(rounded, math.max(0, -last)), rounded
end

--- A value with its range, all without more digits than the range leaves meaning to:
--- "65 s (58 to 74)"; the value alone where the ends are the same.
---@param scale table|nil of units.beside
function units.ranged(value, low, high, unit, scale)
  if low == high then return units.format(value, unit, scale) end
  if (unit or "") == "" and value < COUNTED_OUT and is_whole(value) and is_whole(low) and is_whole(high) then
    return ("%s (%s to %s)"):format(units.number(value, 0), units.number(low, 0), units.number(high, 0))
  end
  local step = scale and scale.step or scale_of(math.abs(value), unit or "")
  local width = (high - low) / step[2]
  local text, middle = within(value / step[2], width, FEWEST_DIGITS)
  local function ending(bound, sign)
    local brief, rounded = within(bound / step[2], width, FEWEST_OF_END)
    -- An end that rounding has put beyond the value has the value's digits.
    return sign * (rounded - middle) >= 0 and brief or (within(bound / step[2], width, FEWEST_DIGITS))
  end
  return ("%s (%s to %s)"):format(labelled(text, step), ending(low, -1), ending(high, 1))
end

--- A value that is as sure as another whose range has ends of this ratio, without more digits than that leaves
--- meaning to: "41 %".
---@param ratio number high over low
function units.as_sure(value, ratio, unit)
  local step = scale_of(math.abs(value), unit or "")
  local scaled, half = value / step[2], math.sqrt(ratio)
  return labelled((within(scaled, math.abs(scaled) * (half - 1 / half), FEWEST_DIGITS)), step)
end

-- Beyond these a chance hangs on the tail of a distribution nobody knows.
local SURE_FRAC <const> = 0.999

--- A chance as a percentage; what is next to never or always is said to be no more exact than that.
--- `bare` leaves out the unit and the words, for columns.
function units.chance(value, bare)
  if value < 1 - SURE_FRAC then return bare and "<0.1" or "under 0.1 %" end
  if value > SURE_FRAC then return bare and ">99.9" or "over 99.9 %" end
  return bare and units.number(100 * value, 1) or units.format(value, "frac")
end

-- The step for a column: by its largest value, or by its middle one where that keeps all numbers
-- below five digits (data sheets: 5,000 TFLOP/s beside 312, not 0.312 PFLOP/s).
local function column_step(sorted, unit)
  local largest = sorted[#sorted] or 0
  local step = scale_of(largest, unit)
  local middle = scale_of(sorted[(#sorted + 1) // 2] or 0, unit)
  return largest / middle[2] < 1e4 and middle or step
end

-- Decimals that show all numbers of a column as they are stated, nil where one is no stated number.
local function column_stated(sorted, divisor)
  local most = 0
  for _, value in ipairs(sorted) do
    local decimals = stated_decimals(value / divisor, STATED_DIGITS)
    if not decimals then return nil end
    most = math.max(most, decimals)
  end
  return most
end

-- Decimals of a column of estimates: three digits of the largest, two of the middle one.
local function column_estimated(sorted, divisor)
  local largest, middle = sorted[#sorted] or 0, sorted[(#sorted + 1) // 2] or 0
  return math.max(decimals_for(largest / divisor, ESTIMATED_DIGITS), math.min(1, decimals_for(middle / divisor, 2)))
end

-- Decimals of a column of data sheets and fits: four digits of the largest, three of the middle one.
local function column_exact(sorted, divisor)
  local largest, middle = sorted[#sorted] or 0, sorted[(#sorted + 1) // 2] or 0
  return math.max(decimals_for(largest / divisor, STATED_DIGITS),
    math.min(1, decimals_for(middle / divisor, ESTIMATED_DIGITS)))
end

--- One scale and number of decimals for a whole column: {divisor, label, decimals, rounded}; `rounded` where no more
--- than three digits of a number mean anything.
---@param values number[]
---@param unit string
---@param exact boolean|nil the numbers are data, not estimates
function units.column(values, unit, exact)
  unit = unit or ""
  local sorted, whole = {}, true
  for _, value in ipairs(values) do
    if value ~= 0 then sorted[#sorted + 1] = math.abs(value) end
    whole = whole and is_whole(value)
  end
  table.sort(sorted)
  local step = column_step(sorted, unit)
  local scale = { divisor = step[2], label = step[3] }
  if step[2] == 1 and whole and (unit == "" or unit == "tok") then
    scale.decimals = 0
    return scale
  end
  local stated = exact and column_exact(sorted, step[2])
    or not WORKED_OUT[unit] and column_stated(sorted, step[2]) or nil
  scale.decimals, scale.rounded = stated or column_estimated(sorted, step[2]), not stated
  if unit == "frac" then scale.decimals, scale.rounded = 1, false end
  if unit:find("^USD/") and (exact or (sorted[#sorted] or 0) < CENTS_BELOW) then
    scale.decimals, scale.rounded = 2, false
  end
  return scale
end

--- A number of a column as text, by what units.column says of it.
function units.cell(value, scale)
  local scaled = value / scale.divisor
  if scale.rounded and scale.decimals == 0 then scaled = select(2, significant(scaled, ESTIMATED_DIGITS)) end
  return units.number(scaled, scale.decimals)
end

return units
