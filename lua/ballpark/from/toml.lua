-- Files of TOML 1.0 (toml.io) as settings by name, section.key. Dates are texts.
local blanks = require("ballpark.blanks")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

-- Lists and tables inside of one another.
local DEEPEST <const> = 32

local Reader = {}
Reader.__index = Reader

function Reader:fail(text)
  local _, before = self.text:sub(1, self.at - 1):gsub("\n", "\n")
  errors.usage(("%s:%d: is not TOML: %s"):format(self.file, before + 1, text))
end

-- What the pattern finds at the reader's place, behind which it then stands; nil where it finds nothing.
function Reader:take(pattern)
  local from, to, found = self.text:find("^" .. pattern, self.at)
  if not from then return nil end
  self.at = to + 1
  return found or self.text:sub(from, to)
end

function Reader:skip_blanks() self:take("[ \t]*") end

-- Blanks, comments and ends of lines, as they stand between the items of a list.
function Reader:skip_lines()
  while self:take("[ \t\r\n]+") or self:take("#[^\n]*") do end
end

function Reader:end_line()
  self:skip_blanks()
  self:take("#[^\n]*")
  if not self:take("\r?\n") and self.at <= #self.text then
    self:fail(("'%s' behind a value"):format(self.text:match("^[^\r\n]*", self.at)))
  end
end

local ESCAPED <const> = { b = "\b", t = "\t", n = "\n", f = "\f", r = "\r", e = "\27", ['"'] = '"', ["\\"] = "\\" }
local DIGITS <const> = { u = 4, U = 8 }

function Reader:unescaped(text)
  return (text:gsub("\\[ \t]*\r?\n%s*", ""):gsub("\\(.)(%x*)", function(char, digits)
    local count = DIGITS[char]
    if ESCAPED[char] then return ESCAPED[char] .. digits end
    local code = count and #digits >= count and tonumber(digits:sub(1, count), 16)
    if not code or code > 0x10FFFF then self:fail("'\\" .. char .. "' in a text") end
    return utf8.char(code) .. digits:sub(count + 1)
  end))
end

-- A text up to such quotes, in which a backslash takes the next character along.
function Reader:escaped_text(quotes)
  local from = self.at
  local ends = quotes == '"' and '["\\\n]' or '["\\]'
  while true do
    local at = self.text:find(ends, self.at)
    local char = at and self.text:sub(at, at)
    if not at or char == "\n" then self:fail("a text does not end") end
    if char == "\\" then
      self.at = at + 2
    elseif self.text:sub(at, at + #quotes - 1) == quotes then
      self.at = at + #quotes
      return self:unescaped(self.text:sub(from, at - 1))
    else
      self.at = at + 1
    end
  end
end

-- A text in quotes, nil where none stands there; those of several lines begin behind the end of the first.
function Reader:quoted(several_lines)
  if several_lines and self:take('"""') then
    self:take("\r?\n")
    return self:escaped_text('"""')
  end
  if several_lines and self:take("'''") then
    self:take("\r?\n")
    return self:take("(.-)'''") or self:fail("a text does not end")
  end
  if self:take('"') then return self:escaped_text('"') end
  if self:take("'") then return self:take("([^'\n]*)'") or self:fail("a text does not end") end
end

local TRUTHS <const> = { ["true"] = true, ["false"] = false }
local NO_DIGITS <const> = { inf = math.huge, ["+inf"] = math.huge, ["-inf"] = -math.huge, nan = 0 / 0, ["+nan"] = 0 / 0, ["-nan"] = 0 / 0 }
local BASES <const> = { x = 16, o = 8, b = 2 }

local function number_of(word)
  local plain = word:gsub("(%x)_(%x)", "%1%2"):gsub("(%x)_(%x)", "%1%2")
  local base, digits = plain:match("^0([xob])(%x+)$")
  if base then return math.tointeger(tonumber(digits, BASES[base])) end
  if NO_DIGITS[plain] then return NO_DIGITS[plain] end
  if not (plain:find("^[+-]?%d+%.?%d*[eE]?[+-]?%d*$") and plain:find("%d$")) then return nil end
  return plain:find("^[+-]?%d+$") and math.tointeger(tonumber(plain)) or tonumber(plain)
end

-- A truth, a number or a date.
function Reader:bare()
  local word = self:take("[%w_.+:-]+")
  if not word then self:fail("a value is missing") end
  if TRUTHS[word] ~= nil then return TRUTHS[word] end
  if word:find("^%d%d%d%d%-%d%d%-%d%d") or word:find("^%d%d:%d%d") then return word .. (self:take(" %d%d:[%d:.Z+-]+") or "") end
  local number = number_of(word)
  if number == nil then self:fail(("'%s' is no value, and a text stands in quotes"):format(word)) end
  return number
end

-- Items with commas between them, up to a bracket; `skip` passes over what stands around them.
function Reader:items(bracket, what, skip, item)
  skip(self)
  while not self:take("%" .. bracket) do
    item()
    skip(self)
    if not self:take(",") and self.text:sub(self.at, self.at) ~= bracket then self:fail(what .. " does not end") end
    skip(self)
  end
end

function Reader:list(depth)
  local list = {}
  self:items("]", "a list", self.skip_lines, function() list[#list + 1] = self:value(depth + 1) end)
  return list
end

function Reader:key()
  local parts = {}
  repeat
    self:skip_blanks()
    parts[#parts + 1] = self:quoted() or self:take("[%w_-]+") or self:fail("a line is no KEY = VALUE")
    self:skip_blanks()
  until not self:take("%.")
  return table.concat(parts, ".")
end

function Reader:pair(depth)
  local key = self:key()
  if not self:take("=") then self:fail(("no = behind '%s'"):format(key)) end
  self:skip_blanks()
  return key, self:value(depth)
end

function Reader:table(depth)
  local set = {}
  self:items("}", "a table in braces", self.skip_blanks, function()
    local key, value = self:pair(depth + 1)
    set[key] = value
  end)
  return set
end

function Reader:value(depth)
  if depth > DEEPEST then self:fail("more than " .. DEEPEST .. " lists inside of one another") end
  if self:take("%[") then return self:list(depth) end
  if self:take("{") then return self:table(depth) end
  return self:quoted(true) or self:bare()
end

-- Gives a value its place in the settings, those of a table in braces each their own.
function Reader:give(set, name, value)
  if type(value) == "table" and #value == 0 and next(value) ~= nil then
    for _, key in ipairs(tables.sorted_keys(value)) do self:give(set, name .. "." .. key, value[key]) end
    return
  end
  if set[name] ~= nil then self:fail(("'%s' is set twice"):format(name)) end
  set[name] = value
end

local toml = {}

--- Whether a file has a section, as such files do and command lines do not.
---@param text string
---@return boolean
function toml.is(text)
  local lines = "\n" .. text
  return lines:find("\n[ \t]*%[%[?[ \t]*[%w_.\"'-]+[ \t]*%]%]?[ \t]*[\r\n#]") ~= nil
    or lines:find("\n[ \t]*%[[%w_.-]+%][ \t]*$") ~= nil
end

--- Settings of a file by name. What is no TOML is an error that says the line.
---@param text string
---@param file string its name
---@return table<string, any>
function toml.read(text, file)
  local reader = setmetatable({ text = blanks.without_mark(text), file = file, at = 1 }, Reader)
  local set, section, counts = {}, "", {}
  reader:skip_lines()
  while reader.at <= #reader.text do
    if reader:take("%[%[") then
      local name = reader:key()
      if not reader:take("%]%]") then reader:fail("the name of a section does not end") end
      counts[name] = (counts[name] or 0) + 1
      section = ("%s.%d."):format(name, counts[name])
    elseif reader:take("%[") then
      local name = reader:key()
      if not reader:take("%]") then reader:fail("the name of a section does not end") end
      if counts[name] then reader:fail(("section '%s' stands twice"):format(name)) end
      counts[name], section = 1, name .. "."
    else
      local key, value = reader:pair(0)
      reader:give(set, section .. key, value)
    end
    reader:end_line()
    reader:skip_lines()
  end
  return set
end

return toml
