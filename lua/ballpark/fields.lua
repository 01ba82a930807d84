-- What the core says of the fields of its structs: name, kind, unit, default, min, max, names (of an enum), doc, and
-- the schema of a struct's own.
local core = require("ballpark.core")
local dimensions = require("ballpark.dimensions")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local fields = {}

local kernels = {}

-- The descriptions are the same in every call, and made anew by the core in each.
local function kernel(name)
  if kernels[name] == nil then kernels[name] = core.kernels(name)[1] or false end
  return kernels[name] or nil
end

local named = setmetatable({}, { __mode = "k" })

--- Fields by their names: the same table in every call with the same list.
---@param list table[]
---@return table<string, table>
function fields.by_name(list)
  if not named[list] then
    local found = {}
    for _, field in ipairs(list) do found[field.name] = field end
    named[list] = found
  end
  return named[list]
end

local function of(list, struct)
  return struct and fields.by_name(list)[struct].schema.fields or list
end

--- Fields that a kernel takes, in the core's order: its own, or those of one of the structs in them.
---@param name string of the kernel
---@param struct string|nil
---@return table[]
function fields.input(name, struct) return of(kernel(name).input.fields, struct) end

--- Fields that a kernel answers with, as `input` has those that it takes.
---@param name string
---@param struct string|nil
---@return table[]
function fields.output(name, struct) return of(kernel(name).output.fields, struct) end

--- What a kernel takes for a field of one of its structs where an input does not say it.
---@param name string of the kernel
---@param struct string
---@param field string
function fields.default(name, struct, field) return fields.by_name(fields.input(name, struct))[field].default end

--- Names of the fields of a plan whose description answers to `is`, in the core's order.
---@param is fun(field: table): any
---@return string[]
function fields.of_plan(is)
  local names = {}
  for _, field in ipairs(fields.input("train_step", "plan")) do
    if field.kind ~= "note" and is(field) then names[#names + 1] = field.name end
  end
  return names
end

--- Names of the fields of a plan that a search tries unless told otherwise.
function fields.searched()
  return fields.of_plan(function(field) return field.searched end)
end

--- Names of the fields of a plan that set one of: step, parallelism, replicas, training (how a step runs, a kind of
--- parallelism, how often weights are held, what is trained in which formats).
---@param what string
function fields.that_set(what)
  return fields.of_plan(function(field) return field.sets == what end)
end

--- Raises an input error, as `plan.ep: must be at least 1, got 0`, for a value that a field of a kernel's struct cannot
--- have. Missing fields and names that the struct does not know are no mistake here.
---@param name string of the kernel
---@param struct string
---@param values table
function fields.check(name, struct, values) core.check_fields(name, struct, values) end

--- Raises an input error for a value of a table that is no number where its field is one, or less than that takes: who
--- calculates with such values does so before a kernel looks at them.
---@param path string of the table
---@param list table[] descriptions of fields
---@param values table
function fields.check_numbers(path, list, values)
  for _, field in ipairs(list) do
    local value, is_count = values[field.name], field.kind == "int"
    if value ~= nil and (is_count or field.kind == "num") then
      errors.number(path .. "." .. field.name, value, field.min)
      if is_count and not math.tointeger(value) then
        errors.input(path .. "." .. field.name, "must be a whole number, got " .. tostring(value))
      end
    end
  end
end

-- The least number of all its digits: what is nearer to 0 is a slip, and inputs divide by it.
local LEAST <const> = 2.0 ^ -1022

--- Raises an input error for a number that is nearer to 0 than numbers of all their digits are.
---@param path string
---@param value any
function fields.check_digits(path, value)
  if type(value) == "number" and value ~= 0 and math.abs(value) < LEAST then
    errors.input(path, ("must be 0 or at least %.3g, got %.3g"):format(LEAST, value))
  end
end

--- The same of what is in a table, and in tables of it.
---@param path string
---@param values table
function fields.check_all_digits(path, values)
  for _, name in ipairs(tables.sorted_keys(values)) do
    local value = values[name]
    local inner = path .. "." .. tostring(name)
    if type(value) == "table" then fields.check_all_digits(inner, value) else fields.check_digits(inner, value) end
  end
end

local units, counts, limits

-- The widest of the limits of all fields of a name.
local function add_limits(field)
  local own = limits[field.name]
  local least, most = field.min or -math.huge, field.max or math.huge
  limits[field.name] = { least = own and math.min(own.least, least) or least, most = own and math.max(own.most, most) or most }
end

-- Units by name of all fields that kernels take, structs inside included; false where one name has two; and their limits.
local function add_units(list)
  for _, field in ipairs(list) do
    if field.kind == "struct" then
      add_units(field.schema.fields)
    elseif field.kind == "num" or field.kind == "int" then
      units[field.name] = (units[field.name] == nil or units[field.name] == field.unit) and field.unit
      counts[field.name] = counts[field.name] ~= false and field.kind == "int"
      add_limits(field)
    end
  end
end

-- What descriptions of systems and questions take beside fields of kernels.
local OTHERS <const> = { price = "USD/h", nodes = "", gpus = "" }

local function read_units()
  if units then return end
  units, counts, limits = {}, {}, {}
  for _, about in ipairs(core.kernels()) do add_units(about.input.fields) end
end

--- Whether an input takes whole numbers only, by its name.
---@param name string
function fields.counts(name)
  read_units()
  return counts[name] or OTHERS[name] == ""
end

--- The least and the most that an input by this name may be, { least, most }; nil where no kernel takes such.
---@param name string
function fields.limits(name)
  read_units()
  return limits[name]
end

--- The base unit of an input by its name: what the lists of fields say, else what the name ends with; nil where
--- neither says it.
---@param name string
function fields.unit(name)
  read_units()
  return units[name] or OTHERS[name] or dimensions.ending(name)
end

return fields
