-- Whether a value is of the type that the record of a question declares for an input, as editors know it:
-- "number", "string|table[]", "fun(x: table): table", "ballpark.job".
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local tables = require("ballpark.tables")

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

local classes

local function add_class(schema, name)
  name = "ballpark." .. name:gsub("%.", "_")
  if classes[name] then return end
  classes[name] = schema.fields
  for _, field in ipairs(schema.fields) do
    if field.schema then add_class(field.schema, field.schema.name) end
  end
end

-- Fields of the structs that kernels and simulations take, by the names that editors have for them.
local function fields_of(name)
  if not classes then
    classes = {}
    for _, kernel in ipairs(core.kernels()) do add_class(kernel.input, kernel.name .. "_in") end
    for _, field in ipairs(core.serve_about().input.fields) do
      if field.schema then add_class(field.schema, field.name == "load" and "serve_load" or field.schema.name) end
    end
  end
  return classes[name]
end

-- Declarations of the values of fields by their kind. What takes names may take more than a name.
local OF_FIELD <const> = { num = "number", int = "integer", flag = "boolean", enum = "string" }

-- Words in place of numbers, by struct: "auto" leaves any setting to the engine; virtual stages by what a source says of them.
local AUTO <const> = { auto = true }
local WORDS <const> = {
  ["ballpark.engine"] = function() return AUTO end,
  ["ballpark.plan"] = function(field) return field == "vpp" and { max = true, some = true } or {} end,
}

-- Declarations of what kernels only hand on, and what describes it is read by.
local OF_NOTE <const> = { name = "string", vendor = "string", architecture = "string", family = "string", source = "string",
  date = "string", die_of = "string", curves_from = "string", link = "string", fabric = "string", quantization = "string",
  class = "string", checkpoint = "string", client = "string", protocol = "string", method = "string", own_attention = "string",
  published_source = "string", from_memory = "string|table", rope = "table", router = "table", texts = "table", calibration = "table", fitted_model = "string", fitted_device = "string", node_size = "integer",
  version = "string|number", year = "number|string" }

-- Words that a table of somebody's own may stand for: an order of the pipeline.
local OF_WORD <const> = { schedule = "string|table" }

local check_fields

local function check_field(path, value, field)
  local declared = field.kind == "enum" and OF_WORD[field.name] or OF_FIELD[field.kind] or field.kind == "note" and OF_NOTE[field.name] or field.schema and "string|table"
  if declared then types.check(path, value, declared) end
  if field.schema and type(value) == "table" then check_fields(path, value, field.schema.fields) end
end

-- What else is in the table is somebody else's to look at.
function check_fields(path, value, list, words_of)
  local known_fields = fields.by_name(list)
  for _, name in ipairs(tables.sorted_keys(value)) do
    local is_word = words_of and words_of(name)[value[name]]
    if known_fields[name] and not is_word then check_field(path .. "." .. name, value[name], known_fields[name]) end
  end
end

-- What a declaration says of the items of a list; nil where it is of none.
local function element_of(declared) return declared:match("^%((.*)%)%[%]$") or declared:match("^([%w_.]+)%[%]$") end

-- A name in a table that can be nothing but a list, such as one item without the braces of the list; nil where all is well.
local function name_in_list(value, declared)
  for _, one in ipairs(alternatives(declared)) do
    if kind_of(one).words == "a table" and not element_of(one) then return nil end
  end
  for _, key in ipairs(tables.sorted_keys(value)) do
    if math.type(key) ~= "integer" then return key end
  end
end

--- Refuses a value that is not of the type, a list of which an item is not, a table of names in place of a list, and a
--- table of which a field is not.
---@param path string
---@param value any
---@param declared string
function types.check(path, value, declared)
  local words = {}
  for i, kind in ipairs(kinds_of(declared)) do
    if kind.holds(value) then
      words = nil
      break
    end
    words[i] = kind.words
  end
  if words then
    errors.input(path, ("must be %s, got %s"):format(table.concat(words, " or "), tostring(value)))
  end
  local name = type(value) == "table" and name_in_list(value, declared)
  if name then errors.input(path, ("must be a list, got a table that has '%s'"):format(name)) end
  for _, one in ipairs(type(value) == "table" and alternatives(declared) or {}) do
    local element = element_of(one)
    for i, item in ipairs(element and value or {}) do types.check(("%s[%d]"):format(path, i), item, element) end
    if fields_of(one) then check_fields(path, value, fields_of(one), WORDS[one]) end
  end
end

--- Refuses a table that is no whole struct: what is missing of it, of another type, or not in its range.
---@param path string
---@param value any
---@param class string name that editors have for it
function types.check_whole(path, value, class)
  types.check(path, value, class)
  for _, field in ipairs(fields_of(class)) do
    local item = value[field.name]
    if field.required and item == nil then errors.input(path .. "." .. field.name, "is missing") end
    if type(item) == "number" and field.min and not (item >= field.min and item <= field.max) then
      errors.input(path .. "." .. field.name, ("must be from %g to %g, got %.15g"):format(field.min, field.max, item))
    end
  end
end

return types
