-- JSON: dkjson with full-digit floats, sorted keys and no NaN or infinity, so that output is
-- byte-stable and parses back to the same numbers.
local dkjson = require("dkjson")
local errors = require("ballpark.errors")
local printable = require("ballpark.printable")
local tables = require("ballpark.tables")

local json = {}

json.null = dkjson.null

--- A value as a field of an object: null where there is none.
function json.or_null(value)
  if value == nil then return json.null end
  return value
end

--- The shortest text that reads back as exactly this number; refuses NaN and infinity.
---@param value number
---@return string
function json.number(value)
  if math.type(value) == "integer" then return string.format("%d", value) end
  if value ~= value or value == math.huge or value == -math.huge then
    error("a result holds " .. tostring(value) .. ", which no machine format may carry", 0)
  end
  -- Where 16 digits are not enough, 15 are not either.
  local text = string.format("%.16g", value)
  if tonumber(text) ~= value then return string.format("%.17g", value) end
  local shorter = string.format("%.15g", value)
  return tonumber(shorter) == value and shorter or text
end

local exact_number = { __tojson = function(boxed) return boxed.text end }

--- Marks a table as a JSON array even when it is empty.
function json.array(t) return setmetatable(t, { __jsontype = "array" }) end

--- Marks a table as a JSON object even when it is empty.
function json.object(t) return setmetatable(t, { __jsontype = "object" }) end

-- A copy whose floats are boxed with their text; an object knows the order of its names.
local function prepare(value)
  if math.type(value) == "float" then
    return setmetatable({ text = json.number(value) }, exact_number)
  end
  if type(value) == "string" then return printable.utf8(value) end
  if type(value) ~= "table" or value == json.null then return value end
  local copy, is_object = {}, false
  for key, item in pairs(value) do
    if type(key) == "string" then
      key, is_object = printable.utf8(key), true
    end
    copy[key] = prepare(item)
  end
  local meta = getmetatable(value)
  return setmetatable(copy, { __jsontype = meta and meta.__jsontype, __jsonorder = is_object and tables.sorted_keys(copy) or nil })
end

--- JSON text of a value; `indent` spreads it over lines.
---@param value any
---@param indent boolean|nil
---@return string
function json.encode(value, indent)
  return (dkjson.encode(prepare(value), { indent = indent or false }))
end

-- Far deeper than any file we read or write, far less than what the decoder's recursion can take.
local DEPTH_MAX <const> = 200

--- Refuses a text whose arrays and objects are nested too deep for a decoder that recurses.
---@param text string
---@param name string what an error calls it
function json.check_depth(text, name)
  local depth, at = 0, 1
  while true do
    local found = text:find('[%[%]{}"/]', at)
    if not found then return end
    local c = text:sub(found, found)
    at = found + 1
    if c == '"' or c == "/" then
      at = json.behind_opaque(text, found)
    elseif c == "[" or c == "{" then
      depth = depth + 1
      if depth > DEPTH_MAX then
        errors.input(name, ("arrays and objects nested more than %d deep"):format(DEPTH_MAX))
      end
    else
      depth = depth - 1
    end
  end
end

-- Position behind the string whose opening quote is at `first`, or behind the text.
local function behind_string(text, first)
  local at = first + 1
  while true do
    local stop = text:find('["\\]', at)
    if not stop then return #text + 1 end
    if text:sub(stop, stop) == '"' then return stop + 1 end
    at = stop + 2
  end
end

--- Position behind the string or the comment (dkjson skips both kinds of C's) that begins at `first` with a quote or a
--- slash: its quotes and brackets are not the text's. A slash alone is no JSON, which the decoder says.
function json.behind_opaque(text, first)
  local opening = text:sub(first, first + 1)
  if opening:sub(1, 1) == '"' then return behind_string(text, first) end
  if opening == "//" then return text:find("[\n\r]", first + 2) or #text + 1 end
  if opening ~= "/*" then return first + 1 end
  local _, last = text:find("*/", first + 2, true)
  return (last or #text) + 1
end

-- dkjson takes any value for a name, lists with names, and 1e999 for infinity.
local function check(value, null, name)
  if type(value) == "number" and math.abs(value) == math.huge then errors.input(name, "holds a number that is too large") end
  if type(value) ~= "table" or value == null then return end
  local is_list = getmetatable(value).__jsontype == "array"
  for key, item in pairs(value) do
    if is_list ~= (math.type(key) == "integer") or not is_list and type(key) ~= "string" then
      errors.input(name, "a list has names, or an object one that is no text")
    end
    check(item, null, name)
  end
end

-- A name as it is read, of its text in quotes.
local function unquoted(text) return text:find("\\", 1, true) and dkjson.decode(text) or text:sub(2, -2) end

-- Refuses a name that an object has twice, of a text that is JSON: readers of JSON differ in which of the values they take
-- (RFC 8259, section 4), and dkjson takes the last without a word.
local function check_names(text, name)
  local open, awaits_name, at = {}, false, 1 -- the names of each object that is open, false of a list
  while true do
    local found = text:find('[%[%]{}",/]', at)
    if not found then return end
    local c, names = text:sub(found, found), open[#open]
    at = (c == '"' or c == "/") and json.behind_opaque(text, found) or found + 1
    if c == '"' and awaits_name then
      local said = unquoted(text:sub(found, at - 1))
      if names[said] then errors.input(name, ("%s is said twice in one object"):format(text:sub(found, at - 1))) end
      names[said], awaits_name = true, false
    elseif c == "{" or c == "[" then
      awaits_name = c == "{"
      open[#open + 1] = awaits_name and {}
    elseif c == "}" or c == "]" then
      open[#open], awaits_name = nil, false
    elseif c == "," then
      awaits_name = names and true
    end
  end
end

-- dkjson takes any bytes in strings. JSON has UTF-8 and no control characters but white space (RFC 8259): others are
-- harm that a file has come to, and a name that no longer reads as one would be left out unseen.
local function check_bytes(text, name)
  local _, at = utf8.len(text)
  at = at or text:find("[\0-\8\11\12\14-\31]")
  if at then errors.input(name, ("is not valid JSON: byte %d (0x%02x) is no text in UTF-8"):format(at, text:byte(at))) end
end

--- Value of a JSON text; `name` is what an error calls it, `null` stands for null.
---@param text string
---@param name string
---@param null any
function json.parse(text, name, null)
  check_bytes(text, name)
  json.check_depth(text, name)
  local value, behind, problem = dkjson.decode(text, 1, null)
  if problem then errors.input(name, "is not valid JSON: " .. problem) end
  if text:find("%S", behind) then errors.input(name, "has text after the JSON value") end
  check(value, null, name)
  check_names(text, name)
  return value
end

--- Value of a JSON text; `name` is what an error calls it. null becomes nil.
---@param text string
---@param name string|nil
function json.decode(text, name) return json.parse(text, name or "json", nil) end

return json
