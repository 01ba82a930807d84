-- A row of measured training as a scenario: what it states in the fields of estimate{}, with every blank left blank.
local catalog = require("ballpark.catalog")
local lua_source = require("ballpark.lua_source")
local models = require("ballpark.catalog.models")
local tables = require("ballpark.tables")
local training_facts = require("ballpark.measured.training_facts")

local training_scenario = {}

-- Digits by which every float reads back as the same bits: DBL_DECIMAL_DIG of IEEE 754 binary64.
local EXACT <const> = 17

-- What a row measures, in the order of the table.
local MEASURED <const> = { "step_s", "tokens_per_s_per_gpu", "tflops_per_gpu", "mfu_pct", "peak_mem" }

local function comment(lines, text) lines[#lines + 1] = "-- " .. text:gsub("%s+", " ") end

local function measured_words(row)
  local list = {}
  for _, column in ipairs(MEASURED) do
    if row[column] then list[#list + 1] = ("%s %.15g"):format(column, row[column]) end
  end
  return table.concat(list, ", ")
end

local function source(value, indent)
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" then return math.type(value) == "float" and ("%.17g"):format(value) or tostring(value) end
  return (lua_source.of(value, EXACT):gsub("\n", "\n" .. indent))
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

local function is_in_catalog(list, name, value, get)
  return name ~= nil and tables.contains(list, name) and same(get(name), value)
end

-- The model by its name where it is one of the catalog as it is there, else field by field.
local function model_source(model)
  if is_in_catalog(models.names(), model.name, model, models.get) then return ("model %q"):format(model.name) end
  return "model " .. source(model, "  ")
end

-- The device by its name, with the fields that differ from the catalog's.
local function device_source(device)
  local known, changes = catalog.device(device.name), {}
  for key, value in pairs(device) do
    if not same(value, known[key]) then changes[key] = value end
  end
  if next(changes) == nil then return ("%q"):format(device.name) end
  return ("device(%q, %s)"):format(device.name, source(changes, "  "))
end

local function cluster_source(spec)
  local parts = { "device = " .. device_source(spec.device) }
  for _, field in ipairs({ "devices", "node_size", "domain", "network" }) do
    if spec[field] ~= nil then parts[#parts + 1] = field .. " = " .. source(spec[field], "  ") end
  end
  return "cluster { " .. table.concat(parts, ", ") .. " }"
end

--- The scenario of a row as Lua source; raises where the row cannot be read.
---@param row table of ballpark.measured.training_columns
---@param name string of the table
---@param profile string|nil the class of software, named outright
---@return string
function training_scenario.of(row, name, profile)
  local facts, notes = training_facts.of(row)
  local lines = {}
  comment(lines, ("Row %s of %s."):format(row.case_id or ("on line " .. row.line), name))
  if row.source then comment(lines, "Source: " .. row.source) end
  comment(lines, "Measured: " .. measured_words(row) .. ".")
  for _, note in ipairs(notes) do comment(lines, "Read as: " .. note .. ".") end
  lines[#lines + 1] = "show(estimate {"
  lines[#lines + 1] = ("  model = %s,"):format(model_source(facts.model))
  lines[#lines + 1] = ("  cluster = %s,"):format(cluster_source(facts.cluster.spec))
  for _, field in ipairs({ "software", "ran", "assume", "job", "plan" }) do
    lines[#lines + 1] = ("  %s = %s,"):format(field, source(facts[field], "  "))
  end
  if profile then lines[#lines + 1] = ("  profile = %q,"):format(profile) end
  lines[#lines + 1] = "})"
  return table.concat(lines, "\n") .. "\n"
end

return training_scenario
