-- Configurations in YAML as settings by name, keys of inner levels joined by points: keys with a value, a list or a level
-- of their own. Texts of several lines are passed over.
local blanks = require("ballpark.blanks")
local errors = require("ballpark.errors")
local literal = require("ballpark.from.literal")

local function fail(file, number, text)
  errors.usage(("%s:%d: is not YAML that we read: %s"):format(file, number, text))
end

-- The line without its comment: a # at its beginning or behind a blank, outside of quotes.
local function without_comment(line)
  local quote
  for at = 1, #line do
    local char = line:sub(at, at)
    if quote then
      if char == quote then quote = nil end
    elseif (char == '"' or char == "'") and not line:sub(1, at - 1):find("[%w]$") then
      quote = char
    elseif char == "#" and (at == 1 or line:sub(at - 1, at - 1):find("%s")) then
      return line:sub(1, at - 1)
    end
  end
  return line
end

-- How many brackets a text leaves open.
local function left_open(text)
  local _, opened = text:gsub("[%[{]", "")
  local _, closed = text:gsub("[%]}]", "")
  return opened - closed
end

local function key_of(line)
  local indent, name, value = line:match("^(%s*)([%w_.-]+):%s(.*)$")
  if not name then indent, name, value = line:match("^(%s*)[\"']([^\"']+)[\"']%s*:%s(.*)$") end
  return indent, name, value
end

--- Settings of a file by name; of a key that stands twice the last, as PyYAML has it. A line that is none of YAML is an
--- error.
---@param text string
---@param file string its name
---@return table<string, any>
return function(text, file)
  local set, levels, number = {}, {}, 0
  local brackets, block, listed = 0, nil, nil -- open brackets; depth of a text of several lines; key of a list
  for line in (blanks.without_mark(text) .. "\n"):gmatch("([^\n]*)\n") do
    number = number + 1
    local depth = #line:match("^%s*")
    line = without_comment(line)
    local is_blank = not line:find("%S")
    if block and not is_blank and depth <= block then block = nil end
    local item = line:match("^%s*%-%s+(.*)$")
    local indent, name, value = key_of(line .. " ")
    if brackets > 0 then
      brackets = brackets + left_open(line)
    elseif item then
      if listed and not block then set[listed][#set[listed] + 1] = literal.read(item) end
    elseif name and not block then
      while #levels > 0 and levels[#levels].depth >= #indent do levels[#levels] = nil end
      local path = (#levels > 0 and levels[#levels].path .. "." or "") .. name
      value, listed = blanks.cut(value), nil
      brackets = math.max(0, left_open(value))
      if value:find("^[|>][+-]?%d?$") then
        block = #indent
      elseif value == "" then
        levels[#levels + 1] = { depth = #indent, path = path }
        listed, set[path] = path, {}
      else
        set[path] = literal.read(value)
      end
    elseif not (is_blank or block or line:find("^%-%-%-%s*$") or line:find("^%.%.%.%s*$")) then
      fail(file, number, ("'%s'"):format(blanks.cut(line)))
    end
  end
  for key, value in pairs(set) do
    if type(value) == "table" and #value == 0 then set[key] = nil end
  end
  return set
end
