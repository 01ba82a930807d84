-- Plain values as Lua source: what files of coefficients are written as, and how they are read. Reading runs nothing:
-- the text is data, whoever wrote it.
local blanks = require("ballpark.blanks")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local lua_source = {}

local write_value

local function write_table(value, digits, indent)
  local lines, inner = { "{" }, indent .. "  "
  for _, item in ipairs(value) do lines[#lines + 1] = inner .. write_value(item, digits, inner) .. "," end
  for _, key in ipairs(#value == 0 and tables.sorted_keys(value) or {}) do
    local name = key:find("^[%a_][%w_]*$") and key or ("[%q]"):format(key)
    lines[#lines + 1] = inner .. name .. " = " .. write_value(value[key], digits, inner) .. ","
  end
  lines[#lines + 1] = indent .. "}"
  return table.concat(lines, "\n")
end

local EXACT <const> = 17

local function float(value, digits)
  local text = ("%%.%dg"):format(digits or 15):format(value)
  return (digits or tonumber(text) == value) and text or ("%%.%dg"):format(EXACT):format(value)
end

function write_value(value, digits, indent)
  if type(value) == "table" then return write_table(value, digits, indent) end
  if type(value) == "string" then return ("%q"):format(value) end
  if math.type(value) == "float" then return float(value, digits) end
  return tostring(value)
end

--- Lua source of a table of lists and of tables with text keys, floats in so many digits, or in as many as they take.
---@param value table
---@param digits integer|nil
---@return string
function lua_source.of(value, digits) return write_table(value, digits, "") end

-- Reading ------------------------------------------------------------------------------------------------

-- Far deeper than any file we write, far less than what recursion can take.
local DEPTH_MAX <const> = 100

local Reader = {}
Reader.__index = Reader

function Reader:fail(what)
  local _, line = self.text:sub(1, self.at - 1):gsub("\n", "")
  errors.usage(("%s:%d: %s"):format(self.name, line + 1, what))
end

-- What stands at the present place, without going on; blanks and comments are passed over.
function Reader:peek()
  while true do
    self.at = self.text:find("[^ \t\r\n\v\f]", self.at) or #self.text + 1
    if self.text:sub(self.at, self.at + 1) ~= "--" then return self.text:sub(self.at, self.at) end
    local level = self.text:match("^%-%-%[(=*)%[", self.at)
    local _, stop = self.text:find(level and "]" .. level .. "]" or "\n", self.at, true)
    self.at = (stop or #self.text) + 1
  end
end

-- The text that the pattern matches here, or nil.
function Reader:take(pattern)
  local found = self.text:match("^" .. pattern, self.at)
  if found then self.at = self.at + #found end
  return found
end

function Reader:accept(sign)
  if self:peek() ~= sign then return false end
  self.at = self.at + 1
  return true
end

function Reader:need(sign)
  if not self:accept(sign) then self:fail(("'%s' expected, got '%s'"):format(sign, self:shown())) end
end

-- What stands here, for a message.
function Reader:shown()
  if self.at > #self.text then return "the end" end
  return self.text:match("^[%w_]+", self.at) and self.text:match("^[%w_]+", self.at):sub(1, 40)
    or self.text:sub(self.at, self.at)
end

local ESCAPES <const> = { n = "\n", t = "\t", r = "\r", a = "\a", b = "\b", f = "\f", v = "\v", ["\\"] = "\\",
  ['"'] = '"', ["'"] = "'", ["\n"] = "\n" }

-- The largest that Lua's own texts may have, beyond Unicode's last.
local LAST_POINT <const> = 0x7FFFFFFF

function Reader:escape()
  local plain = ESCAPES[self.text:sub(self.at, self.at)]
  if plain then
    self.at = self.at + 1
    return plain
  end
  local hex = self:take("x%x%x")
  if hex then return string.char(tonumber(hex:sub(2), 16)) end
  local code = self:take("u{%x+}")
  local point = code and #code <= 11 and tonumber(code:sub(3, -2), 16)
  if point and point <= LAST_POINT then return utf8.char(point) end
  if self:take("z") then
    self:take("%s*")
    return ""
  end
  local digits = self:take("%d%d?%d?")
  if not digits or tonumber(digits) > 255 then self:fail("invalid escape sequence") end
  return string.char(tonumber(digits))
end

function Reader:quoted(quote)
  local parts = {}
  self.at = self.at + 1
  while true do
    parts[#parts + 1] = self:take("[^\\\n" .. quote .. "]+")
    local sign = self.text:sub(self.at, self.at)
    self.at = self.at + 1
    if sign == quote then return table.concat(parts) end
    if sign ~= "\\" then
      self.at = self.at - 1
      self:fail("unfinished string")
    end
    parts[#parts + 1] = self:escape()
  end
end

function Reader:long_string(level)
  local first = self.at + #level + 2
  local stop = self.text:find("]" .. level .. "]", first, true)
  if not stop then self:fail("unfinished string") end
  self.at = stop + #level + 2
  return (self.text:sub(first, stop - 1):gsub("^\r?\n", ""))
end

function Reader:number()
  local text = self:take("0[xX]%x*%.?%x*")
  if text then
    text = text .. (self:take("[pP][+-]?%d+") or "")
  else
    text = (self:take("%d+%.?%d*") or self:take("%.%d+") or "") .. (self:take("[eE][+-]?%d+") or "")
  end
  local value = tonumber(text)
  if not value or self.text:find("^[%w_%.]", self.at) then self:fail("malformed number near '" .. text:sub(1, 40) .. "'") end
  return value
end

function Reader:table_key()
  if self:accept("[") then
    local key = self:value()
    self:need("]")
    self:need("=")
    if (type(key) ~= "string" and type(key) ~= "number") or key ~= key then self:fail("a key is no text or number") end
    return key
  end
  local name = self.text:match("^([%a_][%w_]*)%s*=[^=]", self.at)
  if name then
    self.at = self.at + #name
    self:need("=")
  end
  return name
end

function Reader:table()
  local result, place = {}, 0
  self:need("{")
  while self:peek() ~= "}" do
    local key = self:table_key()
    if key == nil then
      place = place + 1
      key = place
    end
    if result[key] ~= nil then self:fail(("'%s' is said twice"):format(tostring(key):sub(1, 40))) end
    result[key] = self:value()
    if not self:accept(",") and not self:accept(";") then break end
  end
  self:need("}")
  return result
end

local WORDS <const> = { ["true"] = { true }, ["false"] = { false }, ["nil"] = {} }

-- A call of one of the functions that may be called, with values as arguments.
function Reader:call(name)
  local fn = self.functions[name]
  if not fn then self:fail(("'%s' is not data: only numbers, texts, true, false and tables are read"):format(name)) end
  local arguments, count = {}, 0
  if self:peek() == "{" or self:peek() == '"' or self:peek() == "'" then return fn(self:value()) end
  self:need("(")
  while self:peek() ~= ")" do
    count = count + 1
    arguments[count] = self:value()
    if not self:accept(",") then break end
  end
  self:need(")")
  return (fn(table.unpack(arguments, 1, count)))
end

function Reader:single()
  local sign = self:peek()
  if sign == "{" then return self:table() end
  if sign == '"' or sign == "'" then return self:quoted(sign) end
  local level = self.text:match("^%[(=*)%[", self.at)
  if level then return self:long_string(level) end
  if sign == "(" then
    self.at = self.at + 1
    local value = self:value()
    self:need(")")
    return value
  end
  if sign == "-" then
    self.at = self.at + 1
    return self:arithmetic("-", 0, self:power())
  end
  if sign:find("[%d%.]") then return self:number() end
  local name = self:take("[%a_][%w_]*")
  if not name then self:fail(("a value expected, got '%s'"):format(self:shown())) end
  if WORDS[name] then return WORDS[name][1] end
  return self:call(name)
end

local OPERATIONS <const> = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end, ["/"] = function(a, b) return a / b end,
  ["^"] = function(a, b) return a ^ b end,
}

function Reader:arithmetic(sign, a, b)
  local ok, value = pcall(OPERATIONS[sign], a, b)
  if ok then return value end
  if errors.is(value) then error(value, 0) end
  self:fail(("'%s' of what are no numbers"):format(sign))
end

function Reader:power()
  local value = self:deeper(self.single)
  if self:accept("^") then return self:arithmetic("^", value, self:deeper(self.power)) end
  return value
end

local function chain(signs, part)
  return function(self)
    local value = part(self)
    while signs:find(self:peek(), 1, true) and self:peek() ~= "" do
      local sign = self:peek()
      self.at = self.at + 1
      value = self:arithmetic(sign, value, part(self))
    end
    return value
  end
end

Reader.product = chain("*/", Reader.power)
Reader.value = chain("+-", Reader.product)

function Reader:deeper(part)
  self.depth = self.depth + 1
  if self.depth > DEPTH_MAX then self:fail("nested too deeply") end
  local value = part(self)
  self.depth = self.depth - 1
  return value
end

local function reader(text, name, functions)
  return setmetatable({ text = text, name = name, functions = functions or {}, at = 1, depth = 0 }, Reader)
end

function Reader:rest_of(value)
  if self:peek() ~= "" then self:fail(("the end expected, got '%s'"):format(self:shown())) end
  return value
end

--- The value that a Lua file of the form `return { … }` holds: numbers, texts, true, false and tables, which may be
--- computed by + - * / ^ only.
---@param text string
---@param name string what an error calls the file
function lua_source.read(text, name)
  local self = reader(blanks.without_mark(text), name)
  self:peek()
  if self:take("[%a_][%w_]*") ~= "return" then
    self.at = 1
    self:fail("is read as data: it has to begin with return and a table")
  end
  local value = self:value()
  self:accept(";")
  return self:rest_of(value)
end

--- The value of an expression that may call the functions of a table: GiB(80) * 2, range(2, 4).
---@param text string
---@param name string
---@param functions table<string, function>
function lua_source.value(text, name, functions)
  local self = reader(text, name, functions)
  return self:rest_of(self:value())
end

return lua_source
