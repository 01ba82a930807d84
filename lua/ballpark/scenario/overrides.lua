-- -D key=value, and what other options say in its words: values that a command line puts over the parameters and
-- inputs of a scenario.
-- A key is the name of a param(), a path such as plan.tp, or a whole input (model=gpt3-175b,
-- plan=tp=8,pp=4). An override that nothing used is an error.
local dimensions = require("ballpark.dimensions")
local errors = require("ballpark.errors")
local field_lists = require("ballpark.fields")
local json = require("ballpark.json")
local lua_source = require("ballpark.lua_source")
local near = require("ballpark.near")
local plain = require("ballpark.scenario.plain")
local quantity = require("ballpark.quantity")
local ranges = require("ballpark.number_list")
local tables = require("ballpark.tables")
local uncertain = require("ballpark.uncertain")

local overrides = {}

local Overrides = {}
Overrides.__index = Overrides

-- Units and distributions: what values of the command line may call.
local SCOPE <const> = tables.with(quantity.scope, uncertain.scope)

-- GiB(80) and the like: only these functions and numbers are visible.
local function unit_expression(text)
  if not text:find("^[%a_]+%(") then return nil end
  local ok, value = errors.attempt(lua_source.value, text, "value", SCOPE)
  if not ok and value.kind ~= "usage" then error(value, 0) end
  return ok and value or nil
end

-- What people write behind a number, as the functions of a scenario that mean it; others are those functions themselves,
-- as ms, h or GiB.
local BEHIND <const> = { k = "thousand", K = "thousand", M = "million", B = "billion", T = "trillion", min = "minutes", mins = "minutes",
  h = "hours", hr = "hours", hrs = "hours", d = "days", ["%"] = "percent", rps = "per_s", qps = "per_s", rpm = "per_minute" }
for _, time in ipairs({ "second", "minute", "hour", "day", "week", "month", "year" }) do
  BEHIND[time], BEHIND[time .. "s"] = time .. "s", time .. "s"
end
BEHIND.sec, BEHIND.second, BEHIND.seconds = "s", "s", "s"

-- Times behind "/", "per" and "a": "100/min", "5 per second".
local EACH <const> = { s = "per_s", sec = "per_s", second = "per_s", min = "per_minute", minute = "per_minute", h = "per_hour",
  hour = "per_hour", d = "per_day", day = "per_day" }

-- The number and the function of a rate, or of money and of a price an hour; nil of all other texts.
local function rate_of(text)
  local number, each = text:match("^(%d[%d%.]*)%s*/%s*(%a+)$")
  if not number then number, each = text:match("^(%d[%d%.]*)%s+pe?r?%s+(%a+)$") end
  if number then return number, SCOPE[EACH[each] or ""] end
  local behind
  number, behind = text:match("^%$%s*(%d[%d%.]*)%s*(.*)$")
  if not number then number, behind = text:match("^(%d[%d%.]*)%s*USD%s*(.*)$") end
  if number and (behind:find("^/%s*h%a*$") or behind:find("^per hour$") or behind:find("^an hour$")) then return number, SCOPE.USD_h end
  if number and behind == "" then return number, tonumber end -- in the unit of what it is given for
end

-- "500B" is billion(500), "30 s" and "30s" are s(30), "100GB/s" is GB_s(100), "100/min" is per_minute(100).
local function written_behind(text)
  local number, unit = text:match("^(%d[%d%.]*)%s*([%a%%][%a/_]*)$")
  local makes = unit and SCOPE[BEHIND[unit] or unit:gsub("/", "_")]
  if not makes or unit == "USD" then number, makes = rate_of(text) end
  number = makes and tonumber(number)
  local value = number and makes(number)
  return type(value) == "number" and math.tointeger(value) or value
end

--- The letter behind a number that counts thousands, millions or more, which no time has: "M" of "7200M".
function overrides.scale(text) return text:match("^[%d%.%s]*([kKMBT])$") or text:match("%d%s*([kKMBT])%.%.") end

-- A misspelt function is no text that somebody meant.
local function check_name(text, where)
  local name = text:match("^([%a_]+)%b()$")
  if not name or SCOPE[name] then return end
  local meant = near.name(name, tables.sorted_keys(SCOPE))
  if not meant then return end
  errors.usage(("%sno function '%s', did you mean '%s'?"):format(where and where .. ": " or "", name, meant))
end

local function single(text)
  if text == "true" then return true end
  if text == "false" then return false end
  local value = tonumber(text) or unit_expression(text) or written_behind(text)
  if value ~= nil then return value end
  return text
end

-- The parts of a text between its commas, but for those within parentheses: "range(2,4),8" has two.
local function parts_of(text)
  local list = {}
  local hidden = text:gsub("%b()", function(inner) return (inner:gsub(",", "\0")) end)
  for part in (hidden .. ","):gmatch("(.-),") do list[#list + 1] = (part:gsub("%z", ",")) end
  return list
end

--- The values of a comma-separated text as texts, ranges written out: "1,4..16x2" is 1, 4, 8 and 16.
--- `where` names what the text was given for.
function overrides.texts(text, where)
  local list = {}
  for _, part in ipairs(parts_of(text)) do
    local numbers, problem = ranges.parse(part)
    if problem then errors.usage((where and (where .. ": ") or "") .. problem) end
    for _, number in ipairs(numbers or {}) do list[#list + 1] = json.number(number) end
    if not numbers then list[#list + 1] = part end
  end
  return list
end

-- range(2, 4), or days(20)..days(40): one uncertain number or quantity; nil of all other texts.
local function call(text)
  if text:find("^[%a_]+%b()$") then return unit_expression(text) end
  local low, high = text:match("^([%a_]+%b())%.%.([%a_]+%b())$")
  if low then return uncertain.scope.range(single(low), single(high)) end
end

--- The uncertain number that A..B stands for where a single number is wanted; nil of all other texts.
function overrides.range(text)
  local low, high = text:match("^(%-?[%d.][%d.e+-]-)%.%.(%-?[%d.][%d.e+-]*)$")
  low, high = tonumber(low), tonumber(high)
  local is_finite = low and high and math.max(math.abs(low), math.abs(high)) < math.huge
  return is_finite and uncertain.scope.range(low, high) or nil
end

--- The value a text stands for: a number, true/false, GiB(80), a list or range of those, else the text.
function overrides.value(text, where)
  check_name(text, where)
  local made = call(text)
  if made ~= nil then return made end
  if not text:find(",", 1, true) and not text:find("..", 1, true) then return single(text) end
  local texts, list = overrides.texts(text, where), {}
  if #texts == 1 and texts[1] == text then return single(text) end
  for i, part in ipairs(texts) do list[i] = single(part) end
  return list
end

--- The values that an option lists, ranges or leaves free: a list, or "free".
function overrides.values(text, where)
  local value = overrides.value(text, where)
  if quantity.is(value) or uncertain.is(value) then return { value } end
  return (type(value) == "table" or value == "free") and value or { value }
end

-- Calls add(field, value) for each part of "tp=8,pp=4", or of "tp:8,pp:4" where `sign` is a colon. A function's commas are
-- its own: "usd_h=range(2,4),devices=8" has two parts.
local function each_field(where, text, add, sign)
  sign = sign or "="
  for _, part in ipairs(parts_of(text)) do
    local field, value = part:match("^%s*([%a_][%w_]*)%s*" .. sign .. "%s*(%S+)%s*$")
    if not field then
      errors.usage(("%s: expected field%svalue, got '%s'"):format(where, sign, part))
    end
    add(errors.short[field] or field, value)
  end
end

--- The fields that "tp=8,pp=4,recompute=full" stands for; `where` names the option it came with, `sign` what parts
--- a field from its value where that is no equals sign.
function overrides.record(where, text, sign)
  local record = {}
  each_field(where .. " " .. text, text, function(field, value)
    if record[field] ~= nil then errors.usage(("%s %s: %s is given twice"):format(where, text, field)) end
    record[field] = single(value)
  end, sign)
  return record
end

-- plan=tp=8,pp=4 stands for plan.tp=8 and plan.pp=4.
local function expand(key, text, flag, add)
  if not text:find("=", 1, true) or key:find(".", 1, true) then return add(key, text) end
  local seen = {}
  each_field(flag .. " " .. key .. "=" .. text, text, function(field, value)
    if seen[field] then errors.usage(("%s %s=%s: %s is given twice"):format(flag, key, text, field)) end
    seen[field] = true
    add(key .. "." .. field, value)
  end)
end

local function empty() return setmetatable({ entries = {}, order = {}, offered = {}, params = {} }, Overrides) end

--- From the texts of the command line; a later one wins.
---@param definitions string[]|nil
function overrides.parse(definitions)
  return empty():define(definitions or {}, "-D")
end

--- Sets what `definitions` say, which an option of this name was given; gives itself back.
---@param definitions string[]
---@param flag string
function Overrides:define(definitions, flag)
  for _, definition in ipairs(definitions) do
    local key, text = definition:match("^([%a_][%w_%.]*)=(.*)$")
    if not key then errors.usage(flag .. " " .. definition .. ": expected key=value") end
    local short = errors.short[key:match("^plan%.(%w+)$")]
    expand(short and "plan." .. short or key, text, flag, function(name, value) self:set(name, value, flag) end)
  end
  return self
end

--- Sets one override; `value` is the text of a command line or a value already made, `flag` the option it came with,
--- -D unless said; `written`: option and value as they were written, where that is not FLAG KEY=VALUE.
function Overrides:set(key, value, flag, written)
  flag = flag or "-D"
  if not self.entries[key] then self.order[#self.order + 1] = key end
  local text = type(value) == "string" and value or tostring(value)
  if type(value) == "string" then value = overrides.value(value, flag .. " " .. key) end
  self.entries[key] = { key = key, text = text, value = value, range = overrides.range(text), flag = flag, used = false,
    written = written }
end

-- As it was written on the command line.
local function words(entry) return entry.written or entry.flag .. " " .. entry.key .. "=" .. entry.text end

--- A copy that can be changed without touching this one.
function Overrides:copy()
  local other = empty()
  for _, key in ipairs(self.order) do
    local entry = self.entries[key]
    other.order[#other.order + 1] = key
    other.entries[key] = { key = key, text = entry.text, value = entry.value, range = entry.range, flag = entry.flag, used = false,
      written = entry.written }
  end
  return other
end

local function wrong_type(entry, wanted)
  errors.usage(words(entry) .. ": must be " .. wanted)
end

-- A parameter that is a quantity takes one of its dimension, or a number in base units.
local function param_quantity(entry, default)
  if uncertain.is(entry.value) then return entry.value end
  if type(entry.value) == "number" then return quantity.new(entry.value, default.dimension) end
  if not quantity.is(entry.value) then wrong_type(entry, "a number or a quantity") end
  plain.number(entry.key, entry.value, dimensions.unit(default.dimension))
  return entry.value
end

--- The value of the parameter `name`: the override where there is one, of the type of the default.
function Overrides:param(name, default)
  self.offered[name], self.params[name] = true, true
  local entry = self.entries[name]
  if not entry then return default end
  entry.used = true
  local kind = type(default)
  if kind == "string" then return entry.text end
  if quantity.is(default) then return param_quantity(entry, default) end
  if kind == "number" and (quantity.is(entry.value) or uncertain.is(entry.value)) then return entry.value end
  if kind == "number" and entry.range then return entry.range end
  if kind == "number" and type(entry.value) ~= "number" then wrong_type(entry, "a number") end
  if kind == "boolean" and type(entry.value) ~= "boolean" then wrong_type(entry, "true or false") end
  if kind == "table" and type(entry.value) ~= "table" then return { entry.value } end
  return entry.value
end

-- What an entry says of the input at `path`: of a field that takes one number A..B is a range, of a space a list.
local function value_for(path, entry)
  if not entry.range or path:find("^space%.") or not field_lists.unit(path:match("[%w_]+$")) then return entry.value end
  return entry.range
end

--- The whole input `group` (a model or device name) where the command line replaces it.
function Overrides:whole(group, value)
  self.offered[group] = true
  local entry = self.entries[group]
  if not entry then return value end
  entry.used = true
  return plain.inputs(group, value_for(group, entry))
end

--- The plain input `name` of a question: the override, unless a parameter of the scenario has that name.
function Overrides:input(name, value)
  if self.params[name] then return value end
  return self:whole(name, value)
end

-- fields with value at the dotted `path`, every table on the way a copy; a number is a place in a list.
local function with_value(fields, path, value)
  local name, rest = path:match("^([^%.]+)%.(.+)$")
  local copy = {}
  for k, v in pairs(type(fields) == "table" and fields or {}) do copy[k] = v end
  local key = math.tointeger(tonumber(name or path)) or name or path
  if rest then value = with_value(copy[key], rest, value) end
  copy[key] = value
  return copy
end

--- The table `fields` of the input `group` with the overrides group.field put over a copy; a field may be a path, as
--- in prefill_pool.plan.tp and parts.1.fixed_s.
function Overrides:fields(group, fields)
  self.offered[group .. "."] = true
  for _, key in ipairs(self.order) do
    local path = key:match("^" .. group .. "%.([%w_%.]+)$")
    if path then
      self.entries[key].used = true
      fields = with_value(fields, path, plain.inputs(key, value_for(key, self.entries[key])))
    end
  end
  return fields
end

--- What the command line wrote for the field at `path`, or nil: `-D plan.tp=3`.
function Overrides:written(path)
  local entry = path and (self.entries[path] or self.entries[path:match("^([%w_]+)%.") or ""])
  return entry and words(entry)
end

--- Raises for the first override that nothing used, with the nearest name that would have been.
function Overrides:check_used(where)
  for _, key in ipairs(self.order) do
    local entry = self.entries[key]
    if not entry.used then
      local names = {}
      local field = key:match("^[%w_]+%.(.+)$")
      for name in pairs(self.offered) do
        names[#names + 1] = name:sub(-1) == "." and field and (name .. field) or name
      end
      table.sort(names)
      local meant = near.name(key, names)
      errors.usage(words(entry) .. ": nothing in " .. where .. " uses '" .. key .. "'"
        .. (meant and (", did you mean '" .. meant .. "'?") or ""))
    end
  end
end

return overrides
