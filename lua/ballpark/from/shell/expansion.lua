-- What a shell makes of a word: its variables by their values, split where it would split them.
local syntax = require("ballpark.from.shell.syntax")
local tables = require("ballpark.tables")

local expansion = {}

-- Letters of the values in a word; further ones stay as they are written.
local LONGEST <const> = 32 << 10

-- A product of whole numbers, worth what a shell makes of it; nil where it is something else.
local function product(text, known)
  text = text:gsub("[%a_][%w_]*", function(name) return type(known[name]) == "string" and known[name] or nil end)
  if not (text:find("^%s*%d+[%d%s*/]*$")) then return nil end
  local value = math.tointeger(tonumber(text:match("%d+")))
  for op, number in text:gmatch("([*/])%s*(%d+)") do
    number = math.tointeger(tonumber(number))
    if not value or not number or op == "/" and number == 0 then return nil end
    value = op == "*" and value * number or value // number
  end
  return value and tostring(value)
end

--- A value as one text, the items of an array with blanks between them.
---@param value string|string[]
---@return string
function expansion.joined(value) return type(value) == "table" and table.concat(value, " ") or value end

local joined = expansion.joined

-- In ${NAME:-other}, what lets the other stand where the name has no value.
local OTHERWISE <const> = tables.set({ ":-", "-", ":=", "=" })

-- The value of what begins with a $, a text or the list of an array; nil where the script does not say it.
local function value_of(raw, known, depth)
  local sum = raw:match("^%$%(%((.*)%)%)$")
  if sum then return product((expansion.text(syntax.parts(sum), known, depth + 1)), known) end
  local name = raw:match("^%$([%a_][%w_]*)$") or raw:match("^%${([%a_][%w_]*)}$")
  if name then return known[name] end
  local listed, index = raw:match("^%${([%a_][%w_]*)%[([@*%d]+)%]}$")
  if listed then
    local value = known[listed]
    if type(value) ~= "table" or not index:find("%d") then return value end
    return value[(tonumber(index) or 0) + 1] or ""
  end
  local of, op, other = raw:match("^%${([%a_][%w_]*)%[?@?%]?(:?[-=?+])(.*)}$")
  if not of then return nil end
  local value = known[of]
  local is_there = value ~= nil and (op:sub(1, 1) ~= ":" or #value > 0)
  if op:find("+", 1, true) then
    if value == nil then return nil end
    return is_there and expansion.text(syntax.parts(other), known, depth + 1) or ""
  end
  if is_there or not OTHERWISE[op] then return value end
  return (expansion.text(syntax.parts((other:gsub('^"(.*)"$', "%1"):gsub("^'(.*)'$", "%1"))), known, depth + 1))
end

-- The name that stands in what begins with a $.
local function name_in(raw) return raw:match("^%${?[#!]?([%a_][%w_]*)") or raw:match("^%${?([%d@*#])") end

-- What a part is worth, and the name of what the script leaves open in it.
local function worth(part, known, depth)
  if part.text then return part.text, nil end
  local value = depth < 8 and value_of(part.raw, known, depth) or nil
  if value == nil then return part.raw, name_in(part.raw) or part.raw end
  return value, joined(value):find("$", 1, true) and (name_in(part.raw) or part.raw) or nil
end

--- The text of a word in quotes or of an assignment, and the name of what the script leaves open in it.
---@param word table[] parts
---@param known table<string, string|string[]>
---@return string text
---@return string|nil open
function expansion.text(word, known, depth)
  local texts, open, size = {}, nil, 0
  for i, part in ipairs(word) do
    local value, lacks = worth(part, known, depth or 0)
    texts[i] = joined(value)
    size = size + (part.raw and #texts[i] or 0)
    if size > LONGEST and part.raw then texts[i], lacks = part.raw, part.raw end
    open = open or lacks
  end
  return table.concat(texts), open
end

--- The words of a line as a shell parts them, quotes taken off.
---@param line string
---@return string[]
function expansion.split(line)
  local words, at = {}, 1
  while true do
    at = line:find("[^%s\\]", at)
    if not at then return words end
    local texts = {}
    while at <= #line and not line:find("^%s", at) do
      local quote = line:match("^['\"]", at)
      local stop = quote and line:find(quote, at + 1, true)
      if stop then
        texts[#texts + 1] = line:sub(at + 1, stop - 1)
        at = stop + 1
      else
        local plain = line:match("^[^%s'\"]+", at) or quote
        texts[#texts + 1] = plain
        at = at + #plain
      end
    end
    words[#words + 1] = table.concat(texts)
  end
end

--- The words that a command gets for one word of the script.
---@param word table[] parts
---@param known table<string, string|string[]>
---@param made string[] to which they are added
---@return string|nil open name of what the script leaves open
function expansion.words(word, known, made)
  local current, open, size = nil, nil, 0
  local function close()
    if current then made[#made + 1] = table.concat(current) end
    current = nil
  end
  local function add(text)
    current = current or {}
    current[#current + 1] = text
  end
  local function add_split(text)
    if text:find("^%s") then close() end
    for i, item in ipairs(expansion.split(text)) do
      if i > 1 then close() end
      add(item)
    end
    if text:find("%s$") then close() end
  end
  for _, part in ipairs(word) do
    local value, lacks = worth(part, known, 0)
    open = open or lacks
    size = size + (part.raw and #joined(value) or 0)
    if size > LONGEST and part.raw then value = part.raw end
    if type(value) == "table" then
      for i, item in ipairs(value) do
        if i > 1 then close() end
        if not part.quoted and item:find("^%-.*%s") then add_split(item) else add(item) end -- "--fp8-format hybrid"
      end
    elseif part.raw and not part.quoted and value ~= part.raw and value:find("%s") then
      add_split(value)
    elseif value ~= "" or part.quoted then
      add(value)
    end
  end
  close()
  return open
end

return expansion
