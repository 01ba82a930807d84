-- Sums and products that somebody wrote down with what they make: "1B users x 128 dims x 4 bytes = 512 MB".
local slips = require("ballpark.lints.slips")
local powers = require("ballpark.questions.said.powers")
local units = require("ballpark.units")

local sums = {}

local SCALES <const> = { k = 1e3, K = 1e3, M = 1e6, B = 1e9, T = 1e12, bn = 1e9 }
local SPELLED <const> = { thousand = 1e3, million = 1e6, billion = 1e9, trillion = 1e12 }

-- Units behind a number: their factor and base unit. Longer forms first.
local UNITS <const> = {
  { "^([kMGTPE])i?B()%f[^%w/]", "B" }, { "^([kMGTPE])i?B/s()", "B/s" }, { "^([kMGTPE])FLOPs?/s()", "FLOP/s" },
  { "^([kMGTPE])FLOPS()%f[%A]", "FLOP/s" }, { "^([kMGTPE])FLOPs?()%f[%A]", "FLOP" },
}
local PREFIXES <const> = { k = 1e3, M = 1e6, G = 1e9, T = 1e12, P = 1e15, E = 1e18 }
local BINARY <const> = { k = 2^10, K = 2^10, M = 2^20, G = 2^30, T = 2^40, P = 2^50, E = 2^60 }
local TIMES <const> = { ms = 1e-3, s = 1, sec = 1, second = 1, min = 60, minute = 60, h = 3600, hour = 3600, d = 86400, day = 86400,
  week = 604800, month = units.months(1), year = units.years(1) }

-- The unit at the beginning of a text: factor, base unit, letters taken.
local function unit_at(text)
  for _, row in ipairs(UNITS) do
    local prefix, behind = text:match(row[1])
    if prefix then return (text:find("^.iB") and BINARY or PREFIXES)[prefix], row[2], behind - 1 end
  end
  if text:find("^bytes?%f[%A]") then return 1, "B", #text:match("^bytes?") end
  local word = text:match("^%a+")
  -- "960 GPU-hours" are hours.
  local hours = text:match("^%a+%-hours?%f[%A]")
  if hours then return 3600, "s", #hours end
  local seconds = word and (TIMES[word] or TIMES[(word:gsub("s$", ""))])
  if seconds then return seconds, "s", #word end
  if text:find("^%%") then return 0.01, "frac", 1 end
  return 1, nil, 0
end

-- The number at a place: plain value (with "M" and "billion"), value in base units, base unit, and where it ends.
local function number_at(text, at)
  local digits, from = text:match("^%d[%d,]*%.?%d*", at), at
  if not digits then return nil end
  local power = text:match("^[eE][+-]?%d+", at + #digits) or ""
  at = at + #digits + #power
  local value = tonumber((digits:gsub(",(%d%d%d)", "%1"):gsub("[,%.]$", "") .. power))
  if not value then return nil end
  local letters = text:match("^%a+", at)
  local unit_first = select(2, unit_at(text:sub(at)))
  if letters and SCALES[letters] and not unit_first then
    value, at = value * SCALES[letters], at + #letters
  else
    local gap, word = text:match("^(%s+)(%a+)", at)
    if word and SPELLED[word:lower()] then value, at = value * SPELLED[word:lower()], at + #gap + #word end
  end
  local behind = text:match("^%s*()", at)
  local factor, unit, taken = unit_at(text:sub(behind))
  if taken > 0 then at = behind + taken end
  return { plain = value, full = value * factor, unit = unit, factor = factor, text = text:sub(from, at - 1) }, at
end

-- Words that end what is multiplied.
local BREAKS <const> = { ["and"] = true, so = true, ["then"] = true, on = true, ["for"] = true, at = true, with = true, we = true, is = true,
  are = true, of = true, to = true, than = true, per = true }

-- A clause as a list of numbers, signs ("*", "/", "+", "(", ")", "=") and "|" where something else stands.
local function signs_of(text)
  local list, at = {}, 1
  text = powers.plain((text:gsub("×", "*"))):gsub("·", "*"):gsub("≈", "="):gsub("−", "-")
  local function add(item) list[#list + 1] = item end
  while at <= #text do
    local before = text:sub(at - 1, at - 1)
    local number, behind
    if not (at > 1 and before:find("[%w%.]")) then number, behind = number_at(text, at) end
    if number then
      add(number)
      at = behind
    else
      local word = text:match("^%a[%w%-]*", at)
      local sign = text:sub(at, at)
      if word == "x" or word == "times" then
        add("*")
      elseif word then
        add(BREAKS[word:lower()] and "|" or list[#list] ~= "word" and "word" or "|")
      elseif sign == "/" and text:find("^/%s*%a", at) then
        at = at + #text:match("^/%s*%a+", at) - 1 -- "images/s" is a noun
      elseif sign:find("[%*/%+%(%)=]") then
        add(sign)
      elseif sign == "-" and text:find("^%-%s", at) and before == " " then
        add("-")
      elseif sign:find("[,;:]") then
        add("|")
      end
      at = at + (word and #word or 1)
    end
  end
  return list
end

local function without_nouns(list, from, to)
  local out = {}
  for i = from, to do
    -- A word behind a number is its noun; any other means that this is no sum of numbers.
    if list[i] ~= "word" then
      out[#out + 1] = list[i]
    elseif type(list[i - 1]) ~= "table" then
      return nil
    end
  end
  return out
end

local PRODUCTS <const> = { ["*"] = function(a, b) return a * b end, ["/"] = function(a, b) return a / b end }
local SUMS <const> = { ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end }

-- The value of such a list by the field of its numbers; nil where it is no sum.
local function value_of(list, field)
  local at = 1
  local sum
  local function factor()
    local item = list[at]
    if type(item) == "table" then
      at = at + 1
      return item[field]
    elseif item == "(" then
      at = at + 1
      local inner = sum()
      if list[at] ~= ")" then return nil end
      at = at + 1
      return inner
    end
  end
  -- Parts with signs between them, from left to right.
  local function chain(part, signs)
    local value = part()
    while value and signs[list[at]] do
      local apply = signs[list[at]]
      at = at + 1
      local other = part()
      if not other then return nil end
      value = apply(value, other)
    end
    return value
  end
  local function product() return chain(factor, PRODUCTS) end
  function sum() return chain(product, SUMS) end
  local value = sum()
  return at == #list + 1 and value or nil
end

local function signs_in(list)
  local count = 0
  for _, item in ipairs(list) do count = count + (type(item) == "string" and item:find("^[%*/%+%-]$") and 1 or 0) end
  return count
end

-- "2.5 + 5 + 1.25 TB": the unit of the last is that of all.
local function with_last_unit(list)
  local last = list[#list]
  if type(last) ~= "table" or not last.unit then return list end
  for _, item in ipairs(list) do
    if item == "*" or item == "/" then return list end
  end
  local out = {}
  for i, item in ipairs(list) do
    out[i] = type(item) == "table" and not item.unit and { plain = item.plain, full = item.plain * last.factor, unit = last.unit } or item
  end
  return out
end

-- Whether a sum is of things of a unit.
local function is_of(list, unit)
  for _, item in ipairs(list) do
    if type(item) == "table" and item.unit == unit then return true end
  end
  return false
end

-- The longest sum that ends before a place.
local function sum_before(list, at)
  local from = at - 1
  while from >= 1 and list[from] ~= "=" and list[from] ~= "|" do from = from - 1 end
  for first = from + 1, at - 1 do
    local part = (type(list[first]) == "table" or list[first] == "(") and without_nouns(list, first, at - 1)
    if part and signs_in(part) > 0 and value_of(part, "plain") then return with_last_unit(part) end
  end
end

-- Three digits, without a power of ten as far as people read it.
local function short(value)
  if value < 100 or value >= 1e15 then return ("%.3g"):format(value) end
  return units.number(value, 0)
end

-- Two ways to say one number agree so far.
local AGREE <const> = 1.06

local function apart(a, b) return a > 0 and b > 0 and math.max(a / b, b / a) or math.huge end

--- Sums of a clause that are not what stands behind their "=": calls say(code, message, fix) for each.
function sums.check(text, say)
  local list = signs_of(text)
  for at = 2, #list - 1 do
    local said, part = list[at + 1], list[at] == "=" and sum_before(list, at)
    if part and type(said) == "table" then
      local full, plain = value_of(part, "full"), value_of(part, "plain")
      -- Prices of an hour times hours are money, and what is counted may have its unit on one side alone.
      local least = apart(full, said.full)
      if not (said.unit and is_of(part, said.unit)) then
        least = math.min(least, apart(plain, said.plain), apart(full, said.plain), apart(plain, said.full))
      end
      if least > AGREE then
        local right = said.unit and full or plain
        local slip = slips.of(said.full, right, said.unit)
        say(slip and slip.code or "contradiction", ("'%s' is said, and what stands before it makes %s: %s"):format(said.text,
          said.unit == "B" and units.format(right, "stored") or short(right / said.factor) .. " of these", slip and slip.text or ("off by %.3g"):format(apart(said.unit and said.full or said.plain, right))), slips.FIX)
      end
    end
  end
end

return sums
