-- The command of a question whose record describes its options (command = { … }): summary, examples,
--   options   rows { option, path of the input, what it is, kind: "text" or a number unless said }
--   after     more of them, below the options that fields of the kernel make (rows of the inputs marked `kernel`)
--   complete  function(input): what options cannot say
-- Scenarios and their inputs are loaded when a question is asked: a help text needs none of them.
local options = require("ballpark.cli.options")

local command = {}

local function sentence(text) return text:gsub("^%l", string.upper) .. "." end

-- The inputs that are fields of the kernel, but for those that an option above gives.
local function of_kernel(record, list)
  local given = {}
  for _, option in ipairs(list) do given[option[2]] = true end
  for _, row in ipairs(record.inputs) do
    if row.kernel and not given[row[1]] then
      local doc = row.names and row[2] .. ": " .. table.concat(row.names, ", ") or row[2]
      list[#list + 1] = { (row[1]:gsub("_", "-")), row[1], sentence(doc),
        row.kind == "flag" and "flag" or row.names and "text" or "number" }
    end
  end
end

local function options_of(record)
  local described = record.command
  local list = table.move(described.options, 1, #described.options, 1, {})
  of_kernel(record, list)
  return table.move(described.after or {}, 1, #(described.after or {}), #list + 1, list)
end

local function target_of(option) return (option[1]:gsub("%-", "_")) end

local function value_of(option, chosen)
  local text = chosen[target_of(option)]
  if option[4] == "flag" or option[4] == "text" then return text end
  local value = require("ballpark.cli.question").number(chosen, option[1])
  return value and (math.tointeger(value) or value)
end

local function asked(list, chosen)
  local input = {}
  for _, option in ipairs(list) do
    local value = value_of(option, chosen)
    if value ~= nil then
      local group, field = option[2]:match("^(%l+)%.(.+)$")
      if group then input[group] = input[group] or {} end
      local into = group and input[group] or input
      into[field or option[2]] = value
    end
  end
  return input
end

local function ask(record, list, chosen, state)
  local environment, scenario = require("ballpark.scenario.environment"), require("ballpark.scenario")
  local env, input = environment.new(state), asked(list, chosen)
  if record.command.complete then record.command.complete(input) end
  env.show(env[record.name](input))
  return scenario.finish(state, "this question")
end

--- A command of the command line: { summary, examples, define, run }.
---@param record table of a question
function command.of(record)
  local list, names = nil, {}
  local made = { summary = record.command.summary, examples = record.command.examples }

  function made.define(parser)
    list = options_of(record)
    for _, option in ipairs(list) do
      names[option[2]:match("([%w_]+)$")] = target_of(option)
      if option[4] == "flag" then
        parser:flag("--" .. option[1], option[3])
      else
        parser:option("--" .. option[1], option[3]):argname(option[4] == "text" and "NAME" or "V")
      end
    end
    options.define_overrides(parser)
    options.define_output(parser)
  end

  function made.run(chosen)
    options.format(chosen)
    local state = require("ballpark.scenario").state(nil, { command = chosen.command,
      overrides = require("ballpark.scenario.overrides").parse(chosen.define) })
    return options.emit(require("ballpark.cli.question").blamed(chosen, names, ask, record, list, chosen, state), chosen)
  end

  return made
end

return command
