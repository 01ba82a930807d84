-- What Tab offers on a line of `ballpark repl`: of a command its options, their values, names and files; of Lua what a
-- scenario sees, models and devices.
local completion_values = require("ballpark.cli.completion_values")
local lfs = require("lfs")
local tables = require("ballpark.tables")

local repl_completion = {}

-- Options and names of arguments by command: { options = list, values = by option, names = list, files = whether }.
local function described(parser)
  local by_command = {}
  completion_values.add(parser)
  for _, command in ipairs(parser._commands) do
    local one = { options = {}, values = {}, names = {} }
    for _, option in ipairs(command._options) do
      for _, alias in ipairs(option._aliases) do
        one.options[#one.options + 1] = alias
        if option._maxargs > 0 then one.values[alias] = option._choices or {} end
      end
    end
    for _, argument in ipairs(command._arguments) do
      if argument._choices then table.move(argument._choices, 1, #argument._choices, #one.names + 1, one.names) end
    end
    by_command[command._name] = one
  end
  return by_command
end

-- Files and folders that a path can go on to.
local function files_from(start)
  local folder, found = start:match("^(.*/)[^/]*$") or "", {}
  local is_there, each, state = pcall(lfs.dir, folder == "" and "." or folder)
  if not is_there then return found end
  for name in each, state do
    if not name:find("^%.") then
      local path = folder .. name
      found[#found + 1] = lfs.attributes(path, "mode") == "directory" and path .. "/" or path
    end
  end
  table.sort(found)
  return found
end

local function add_from(list, names, start, before)
  for _, name in ipairs(names) do
    if name:sub(1, #start) == start then list[#list + 1] = before .. name end
  end
end

-- What a word of a command can be: behind an option its value, the last of several parted by commas.
local function of_command(one, last, word)
  local list, values = {}, one.values[last]
  if values then
    local before, start = word:match("^(.*,)([^,]*)$")
    add_from(list, values, start or word, before or "")
    if not values[1] then add_from(list, files_from(word), word, "") end
  elseif word:sub(1, 1) == "-" then
    add_from(list, one.options, word, "")
  else
    add_from(list, one.names, word, "")
    if not list[1] then add_from(list, files_from(word), word, "") end
  end
  return list
end

--- A function of a line and the places of its word in it, first and last, that lists what the word can become.
---@param parser table of ballpark.cli
---@param names string[] what lines of Lua know
function repl_completion.new(parser, names)
  local commands, models, devices
  return function(line, from, to)
    commands = commands or described(parser)
    local before, word, list = line:sub(1, from - 1), line:sub(from, to), {}
    local command = commands[before:match("^%s*([%w-]+)%s")]
    if command then return of_command(command, before:match("(%S+)%s+$"), word) end
    if before:find("^%s*$") then add_from(list, tables.sorted_keys(commands), word, "") end
    models = models or completion_values.models()
    devices = devices or require("ballpark.catalog.devices").names()
    for _, more in ipairs({ names, models, devices }) do add_from(list, more, word, "") end
    return list
  end
end

return repl_completion
