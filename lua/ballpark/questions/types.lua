-- Whether a value is of the type that the record of a question declares for an input, as editors know it:
-- "number", "string|table[]", "fun(x: table): table".
local errors = require("ballpark.errors")

local types = {}

local function is_whole(value) return math.type(value) == "integer" or math.type(value) == "float" and value % 1 == 0 end

-- Kinds of values, in the order of a message, by how their declaration begins. Other declarations are of tables.
local KINDS <const> = {
  { "number", words = "a number", holds = function(value) return type(value) == "number" and value == value end },
  { "integer", words = "a whole number", holds = function(value) return type(value) == "number" and is_whole(value) end },
  { "boolean", words = "true or false", holds = function(value) return type(value) == "boolean" end },
  { "string", words = "text", holds = function(value) return type(value) == "string" end },
  { "fun", words = "a function", holds = function(value) return type(value) == "function" end },
  { "", words = "a table", holds = function(value) return type(value) == "table" end },
}

-- The kind of one declaration.
local function kind_of(declared)
  local is_list = declared:find("[]", 1, true) or declared:find("^%(")
  for _, kind in ipairs(KINDS) do
    if not is_list and declared:find("^" .. kind[1]) or kind[1] == "" then return kind end
  end
end

-- The declarations that "|" joins, outside of brackets.
local function alternatives(declared)
  local list, depth, from = {}, 0, 1
  for at = 1, #declared do
    local c = declared:sub(at, at)
    if c:find("[({<]") then depth = depth + 1 elseif c:find("[)}>]") then depth = depth - 1 end
    if c == "|" and depth == 0 then
      list[#list + 1] = declared:sub(from, at - 1)
      from = at + 1
    end
  end
  list[#list + 1] = declared:sub(from)
  return list
end

local known = {}

local function kinds_of(declared)
  if known[declared] then return known[declared] end
  local list, seen = {}, {}
  for i, one in ipairs(alternatives(declared)) do
    local kind = kind_of(one)
    if not seen[kind] then list[#list + 1] = kind end
    seen[kind] = i
  end
  known[declared] = list
  return list
end

--- Refuses a value that is not of the type.
---@param path string
---@param value any
---@param declared string
function types.check(path, value, declared)
  local words = {}
  for i, kind in ipairs(kinds_of(declared)) do
    if kind.holds(value) then return end
    words[i] = kind.words
  end
  errors.input(path, ("must be %s, got %s"):format(table.concat(words, " or "), tostring(value)))
end

return types
