-- The command of a question whose record describes its options (command = { … }): summary, examples,
--   argument  { path of the input, what it is }: a word without an option, where there is one
--   options   rows { option, path of the input, what it is, kind: "text", "flag", "list" (words with commas between them),
--             "numbers" (one, or a list with commas between them) or a number unless said, alias = other names of the option,
--             a list }
--   after     more of them, below the options that fields of the kernel make (rows of the inputs marked `kernel`)
--   complete  function(input): what options cannot say
-- Scenarios and their inputs are loaded when a question is asked: a help text needs none of them.
local blanks = require("ballpark.blanks")
local errors = require("ballpark.errors")
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

-- "H100,RTX 4090" as a list.
local function words_of(text)
  local list = {}
  for word in text:gmatch("[^,]+") do
    word = blanks.cut(word)
    if word ~= "" then list[#list + 1] = word end
  end
  return list
end

local function value_of(option, chosen)
  local text = chosen[target_of(option)]
  if option[4] == "flag" or option[4] == "text" then return text end
  if option[4] == "list" then return text and words_of(text) end
  if option[4] == "numbers" and text and text:find(",", 1, true) then
    return require("ballpark.scenario.overrides").values(text, "--" .. option[1])
  end
  local value = require("ballpark.cli.question").number(chosen, option[1])
  return value and (math.tointeger(value) or value)
end

-- The word without an option: the one that is said, else the model where an option gives it.
local function argument_of(record)
  for _, option in ipairs(record.command.options) do
    if option[2] == "model" and not record.command.argument then return { "model", "The same as --model." } end
  end
  return record.command.argument
end

-- What the word without an option gives.
local function add_argument(record, chosen, input)
  local argument = argument_of(record)
  if not argument or not chosen.named then return end
  local name = argument[1]
  if input[name] ~= nil then errors.usage(("--%s: the %s is given already, %s"):format(name, name, chosen.named)) end
  input[name] = chosen.named
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
  local input = asked(list, chosen)
  add_argument(record, chosen, input)
  if record.command.complete then record.command.complete(input) end
  return require("ballpark.scenario").answer(state, record.name, input)
end

--- A command of the command line: { summary, examples, define, run }.
---@param record table of a question
function command.of(record)
  local list, names = nil, {}
  local made = { summary = record.command.summary, examples = record.command.examples }

  function made.define(parser)
    list = options_of(record)
    local argument = argument_of(record)
    if argument then parser:argument(argument[1], argument[2]):args("?"):target("named") end
    for _, option in ipairs(list) do
      names[option[2]:match("([%w_]+)$")] = target_of(option)
      if option[4] == "flag" then
        parser:flag("--" .. option[1], option[3])
      else
        local words = option[4] == "text" or option[4] == "list"
        parser:option("--" .. table.concat({ option[1], table.unpack(option.alias or {}) }, " --"), option[3])
          :argname(words and "NAME" or "V")
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
