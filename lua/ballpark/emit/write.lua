-- Settings as text: values of TOML, YAML, Python and shell, and lines of comments.
local blanks = require("ballpark.blanks")
local printable = require("ballpark.printable")

local write = {}

--- Lines with a comment sign in front. A name that has line ends, as one of a stranger's file may, does not leave its line.
function write.comments(lines, sign)
  local out = {}
  for i, line in ipairs(lines) do out[i] = blanks.cut_end(sign .. " " .. printable.line(line)) end
  return table.concat(out, "\n") .. "\n"
end

-- Full digits; a float keeps its point so that readers with types read a float.
local function number(value)
  if math.type(value) == "integer" then return string.format("%d", value) end
  local text = string.format("%.15g", value)
  if tonumber(text) ~= value then text = string.format("%.17g", value) end
  return text:find("[%.eE]") and text or (text .. ".0")
end

--- A value in a shell command; only words that need no quoting are made here or quotes are put on.
function write.shell(value)
  if type(value) == "number" then return number(value) end
  if value:find("^[%w_%.,:/=-]+$") then return value end
  return "'" .. value:gsub("'", "'\\''") .. "'"
end

-- TOML, YAML and Python read the same escapes.
local function quoted(value)
  local text = value:gsub('[\\"]', "\\%0"):gsub("%c", function(c) return ("\\u%04x"):format(c:byte()) end)
  return '"' .. text .. '"'
end

local function literal(value, yes, no)
  if type(value) == "boolean" then return value and yes or no end
  if type(value) == "number" then return number(value) end
  if type(value) == "string" then return quoted(value) end
  local parts = {}
  for i, item in ipairs(value) do parts[i] = literal(item, yes, no) end
  return "[" .. table.concat(parts, ", ") .. "]"
end

--- A value of TOML or of YAML's flow style.
function write.toml(value) return literal(value, "true", "false") end

--- A Python literal.
function write.python(value) return literal(value, "True", "False") end

return write
