-- What completion offers as values of options and arguments: names that the program knows.
local report = require("ballpark.report")

local completion_values = {}

--- Models as people type them.
function completion_values.models()
  local list = {}
  for i, name in ipairs(require("ballpark.catalog.models").names()) do list[i] = name:lower() end
  return list
end

-- Options by their long name, on whatever command: names for a shell, or where they are from.
local OPTIONS <const> = {
  ["--device"] = function() return require("ballpark.catalog.devices").names() end,
  ["--model"] = completion_values.models,
  ["--profile"] = function() return require("ballpark.catalog.profiles").names() end,
  ["--engine"] = function() return require("ballpark.catalog.engines").names() end,
  ["--weights"] = function() return require("ballpark.catalog.weight_formats").names() end,
  ["--fabric"] = function() return require("ballpark.catalog.fabrics").scaleout_names() end,
  ["--emit"] = function() return require("ballpark.emit").names() end,
  ["--format"] = function() return report.formats end,
  ["--units"] = function() return { "si", "iec" } end,
}

local function explained()
  local index = require("ballpark.cli.index")
  return index.names(index.build())
end

-- Arguments by command and name.
local ARGUMENTS <const> = {
  ["completion shell"] = function() return { "bash", "zsh", "fish" } end,
  ["local model"] = completion_values.models,
  ["fit model"] = completion_values.models,
  ["help topic"] = function() return require("ballpark.manual").topics end,
  ["explain name"] = explained,
  ["catalog kind"] = function() return require("ballpark.catalog").kinds end,
  ["schema question"] = function() return require("ballpark.questions").names end,
  ["from format"] = function() return require("ballpark.from").names() end,
}

-- Fields of a plan that are one of some names, by their option.
local function plan_values()
  local values, fields = {}, require("ballpark.fields")
  for _, field in ipairs(fields.input("train_step", "plan")) do
    if field.names then values["--" .. field.name:gsub("_", "-")] = field.names end
  end
  return values
end

-- Names that every shell takes as one word, as they are.
local function plain(names)
  local list = {}
  for _, name in ipairs(names) do
    if name:find("^[%w%-%._+/]+$") then list[#list + 1] = name end
  end
  return list[1] and list or nil
end

local function option_values(option, of_plan)
  for _, alias in ipairs(option._aliases) do
    local from = OPTIONS[alias]
    if from then return plain(from()) end
    if of_plan[alias] then return plain(of_plan[alias]) end
  end
end

--- What the arguments of commands can be: list of { command, names }.
function completion_values.arguments(parser)
  local list = {}
  for _, command in ipairs(parser._commands) do
    for _, argument in ipairs(command._arguments) do
      if argument._choices then list[#list + 1] = { command._name, argument._choices } end
    end
  end
  return list
end

--- Gives a parser what its options and arguments can be, for the scripts that it makes; it then parses nothing.
function completion_values.add(parser)
  local of_plan = plan_values()
  for _, command in ipairs(parser._commands) do
    for _, option in ipairs(command._options) do
      if option._maxargs > 0 then option._choices = option_values(option, of_plan) end
    end
    for _, argument in ipairs(command._arguments) do
      local from = ARGUMENTS[command._name .. " " .. argument._name]
      argument._choices = from and plain(from())
    end
  end
end

return completion_values
