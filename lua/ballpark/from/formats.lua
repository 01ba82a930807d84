-- Launch files as settings by name: command lines of a shell (from/shell.lua finds them in a script), Python assignments, JSON; TOML and YAML have
-- files of their own. They are data: nothing in them is run.
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local literal = require("ballpark.from.literal")
local tables = require("ballpark.tables")

local formats = {}

-- Command lines ------------------------------------------------------------------------------------------

local function take_values(set, name, list)
  if #list == 0 then set[name] = true end
  if #list == 1 then set[name] = literal.of_word(list[1]) end
  if #list > 1 then
    set[name] = {}
    for i, item in ipairs(list) do set[name][i] = literal.of_word(item) end
  end
end

-- Whether a word begins another setting: a dash, and not a number.
local function is_option(word) return word:find("^%-%-?[%a]") ~= nil end

-- Where a command ends and other words begin that belong to no option.
local function is_end(word) return word:find("^[|;&<>]") or word:find("^%$") or word == "exec" or word == "cat" end

--- Settings of commands of a shell, by name without dashes; a setting without a value is true, several values are a list.
--- Words that belong to none are `loose`. The commands that start a program also by themselves.
---@param commands { words: string[], is_program: boolean }[] of shell.readings
---@return table<string, any> settings
---@return string[] loose
---@return { set: table<string, any>, loose: string[] }[] programs
function formats.command_lines(commands)
  local set, loose, programs = {}, {}, {}
  for _, command in ipairs(commands) do
    local own, name, list = { set = {}, loose = {} }, nil, nil
    local function close()
      if name then take_values(own.set, name, list) end
      name = nil
    end
    for _, word in ipairs(command.words) do
      if is_option(word) then
        close()
        local given, value = word:match("^%-+([^=]+)=?(.*)$")
        name, list = given, value ~= "" and { value } or {}
        if value ~= "" then close() end
      elseif name and not is_end(word) and not (#list > 0 and word:find("%.py$")) then
        list[#list + 1] = word
      else
        close()
        own.loose[#own.loose + 1] = word
      end
    end
    close()
    for key, value in pairs(own.set) do set[key] = value end
    table.move(own.loose, 1, #own.loose, #loose + 1, loose)
    if command.is_program then programs[#programs + 1] = own end
  end
  return set, loose, programs
end

-- Assignments --------------------------------------------------------------------------------------------

--- Settings that Python assigns to parts of a recipe, and those of a command line NAME=value without dashes.
function formats.python(text)
  local set = {}
  for line in text:gmatch("[^\n]+") do
    local name, value = line:match("^%s*[%w_]*recipe%.([%w_.]+)%s*=%s*(.+)$")
    if not name then name, value = line:match("^%s*([%a_]+%.[%w_.]+)%s*=%s*([^=%s\\][^\\]*)") end
    if name then set[name] = literal.read(value) end
  end
  return set
end

local function flatten(value, path, set)
  for _, key in ipairs(tables.sorted_keys(value)) do
    local item = value[key]
    local name = (path and path .. "." or "") .. tostring(key)
    if type(item) == "table" and #item == 0 then flatten(item, name, set) else set[name] = item end
  end
  return set
end

--- Settings of a JSON file, keys of inner levels joined by points.
function formats.json(text, name)
  local ok, value = errors.attempt(json.decode, text, name)
  if not ok then errors.usage(tostring(value)) end
  if type(value) ~= "table" then errors.usage(name .. " is not a JSON object") end
  return flatten(value, nil, {})
end

return formats
