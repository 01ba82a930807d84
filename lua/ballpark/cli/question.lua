-- Options of a question that needs no scenario, as values.
local errors = require("ballpark.errors")
local overrides = require("ballpark.scenario.overrides")

local question = {}

--- The text of an option that the command cannot do without.
function question.required(chosen, option)
  local value = chosen[option:gsub("%-", "_")]
  if not value then
    errors.usage(("%s needs --%s (see 'ballpark %s --help')"):format(chosen.command, option, chosen.command))
  end
  return value
end

--- An option as a number, 'days(30)' included, or nil.
function question.number(chosen, option)
  local text = chosen[option:gsub("%-", "_")]
  if not text then return nil end
  local flag = "--" .. option:gsub("_", "-")
  local value = overrides.value(text, flag)
  if type(value) ~= "number" then errors.usage(flag .. ": must be a number, got '" .. text .. "'") end
  return value
end

--- An option that is given as a whole number.
function question.whole(chosen, option)
  local value = math.tointeger(question.number(chosen, option))
  if not value then errors.usage("--" .. option .. ": must be a whole number") end
  return value
end

--- fn(...), where a wrong value is blamed on the option that gave it.
function question.blamed(chosen, fn, ...)
  local outcome = table.pack(pcall(fn, ...))
  if outcome[1] then return table.unpack(outcome, 2, outcome.n) end
  local e = outcome[2]
  local field = errors.is(e) and not e.where and e.path and e.path:match("([%w_]+)$")
  local option = field and (chosen["plan_" .. field] and "plan_" .. field or field)
  if option and type(chosen[option]) == "string" then
    e.where = "--" .. field:gsub("_", "-") .. " " .. chosen[option]
  end
  error(e, 0)
end

return question
