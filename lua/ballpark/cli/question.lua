-- Options of a question that needs no scenario, as values.
local errors = require("ballpark.errors")
local overrides = require("ballpark.scenario.overrides")
local quantity = require("ballpark.quantity")
local tables = require("ballpark.tables")
local uncertain = require("ballpark.uncertain")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")

local question = {}

--- An option as a number, 'days(30)' included, or nil.
function question.number(chosen, option)
  local text = chosen[option:gsub("%-", "_")]
  if not text then return nil end
  local flag = "--" .. option:gsub("_", "-")
  local value = overrides.range(text) or overrides.value(text, flag)
  if type(value) ~= "number" and not quantity.is(value) and not uncertain.is(value) then
    if vocabulary.WEEKDAYS[text:lower()] then
      errors.usage(("%s: must be a time from now, got '%s': that is at most 'days(%d)'"):format(flag, text, vocabulary.WEEKDAY_DAYS))
    end
    errors.usage(("%s: must be a number, with a unit behind it as 30d or 1T, or a call as 'days(30)', got '%s'%s"):format(flag,
      text, units.point_words(text)))
  end
  return value
end

--- Refuses a number with a letter that counts, as "7200M", where a time is taken.
---@param where string what takes it, as people write it
---@param text string
function question.check_time(where, text)
  local scale = overrides.scale(text)
  if not scale then return end
  local of = where:find(text, 1, true) and "" or (" in '%s'"):format(text)
  errors.usage(("%s: takes a time, and '%s'%s is none: write 's', 'min', 'h' or 'd' behind the number"):format(where, scale, of))
end

--- An option as a time, or nil: "30d", "7200 min", 'days(30)', a number of seconds.
function question.time(chosen, option)
  local text = chosen[option:gsub("%-", "_")]
  if text then question.check_time("--" .. option:gsub("_", "-"), text) end
  return question.number(chosen, option)
end

--- An option as a whole number, or nil.
function question.whole(chosen, option)
  local given = question.number(chosen, option)
  local value = (quantity.is(given) or uncertain.is(given)) and given or given and math.tointeger(given)
  if given and not value then errors.usage("--" .. option .. ": must be a whole number") end
  return value
end

--- An option "NAME=word:value,word:value" as { name, field = value }.
---@param option string the flag
---@param text string
---@param fields table<string, string> fields of the record by their word
---@param such string what one looks like, for an error
function question.named_record(option, text, fields, such)
  local name, rest = text:match("^([^=]+)=(.+)$")
  if not name then errors.usage(("%s %s: expected %s or the like"):format(option, text, such)) end
  local record = { name = name }
  local said = overrides.record(option, rest, ":")
  for _, word in ipairs(tables.sorted_keys(said)) do
    local value = said[word]
    if not fields[word] then errors.choice(option .. " " .. text, word, tables.sorted_keys(fields)) end
    record[fields[word]] = type(value) == "string" and overrides.range(value) or value
  end
  return record
end

-- The option that gave a field: its own name, that of a plan's field, or the one that `options` says.
local function option_of(chosen, field, options)
  local name = options and options[field] or field
  return chosen["plan_" .. name] and "plan_" .. name or name, name
end

-- The -D that gave the field at `path`, as it was written.
local function defined(chosen, path)
  for _, text in ipairs(chosen.define or {}) do
    if text:match("^([^=]+)=") == path then return "-D " .. text end
  end
end

--- fn(...), where a wrong value is blamed on the option that gave it.
---@param options table<string, string>|nil names of options that are not those of the fields
function question.blamed(chosen, options, fn, ...)
  local outcome = table.pack(pcall(fn, ...))
  if outcome[1] then return table.unpack(outcome, 2, outcome.n) end
  local e = outcome[2]
  if errors.is(e) and e.path then e.where = e.where or defined(chosen, e.path) end
  local field = errors.is(e) and not e.where and e.path and e.path:match("([%w_]+)$")
  if field then
    local option, name = option_of(chosen, field, options)
    if type(chosen[option]) == "string" then e.where = "--" .. name:gsub("_", "-") .. " " .. chosen[option] end
  end
  error(e, 0)
end

return question
