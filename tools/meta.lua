-- Prints the LuaCATS description of what scenarios see, so that editors complete and check them:
--
--   build/ballpark lua tools/meta.lua > lua/ballpark/meta/ballpark.lua
--
-- Made from the field lists of the core and the records of the questions; tests/golden checks that the file is
-- current.
local core = require("ballpark.core")
local questions = require("ballpark.questions")
local tables = require("ballpark.tables")
local uncertain = require("ballpark.uncertain")
local units = require("ballpark.units")

local out = {}
local function say(line) out[#out + 1] = line end

local function class_name(schema_name) return "ballpark." .. schema_name:gsub("%.", "_") end

local function type_of(field)
  if field.names then
    local quoted = {}
    for i, name in ipairs(field.names) do quoted[i] = '"' .. name .. '"' end
    return table.concat(quoted, "|")
  end
  if field.schema then return class_name(field.schema.name) end
  local plain = { int = "integer", num = "number", flag = "boolean", note = "any" }
  return plain[field.kind]
end

local function doc_of(field, is_input)
  local parts = { field.doc }
  if field.unit ~= "" then parts[#parts + 1] = "[" .. field.unit .. "]" end
  if is_input and field.default ~= nil then parts[#parts + 1] = "default " .. tostring(field.default) end
  return table.concat(parts, ", ")
end

local written = {}

-- Inputs may leave fields out, outputs have them all.
local function add_class(schema, name, is_input)
  if written[name] then return end
  written[name] = true
  for _, field in ipairs(schema.fields) do
    if field.schema then add_class(field.schema, class_name(field.schema.name), is_input) end
  end
  say("---" .. schema.doc)
  say("---@class " .. name)
  for _, field in ipairs(schema.fields) do
    local optional = is_input and not field.required and "?" or ""
    say(("---@field %s%s %s %s"):format(field.name, optional, type_of(field),
      doc_of(field, is_input)))
  end
  say("")
end

-- What serve{} takes beyond the inputs of kernels; `load` is the name of a kernel as well.
local function add_serving()
  local named = { load = "ballpark.serve_load" }
  for _, field in ipairs(core.serve_about().input.fields) do
    if field.schema then add_class(field.schema, named[field.name] or class_name(field.schema.name), true) end
  end
end

-- What platform{} takes of the simulation: its classes of jobs.
local function add_platform() add_class(core.platform_about().class, class_name("job_class"), true) end

local function add_kernels()
  local kernels = core.kernels()
  for _, kernel in ipairs(kernels) do
    add_class(kernel.input, class_name(kernel.name .. "_in"), true)
    add_class(kernel.output, class_name(kernel.name .. "_out"), false)
  end
  say("---The functions of the core.")
  say("---@class ballpark.kernels")
  for _, kernel in ipairs(kernels) do
    say(("---@field %s fun(input: %s): %s %s"):format(kernel.name, class_name(kernel.name .. "_in"),
      class_name(kernel.name .. "_out"), kernel.title))
  end
  say("kernel = {}")
  say("")
end

local function add_units()
  for _, name in ipairs(tables.sorted_keys(units.makes)) do
    say("---" .. units.makes[name])
    say("---@param value number")
    say("---@return number")
    say("function " .. name .. "(value) end")
    say("")
  end
end

local function add_uncertain()
  for _, name in ipairs(tables.sorted_keys(uncertain.says)) do
    local arguments, doc = table.unpack(uncertain.says[name])
    say("---" .. doc)
    say(("function %s(%s) end"):format(name, arguments))
    say("")
  end
end

local FUNCTIONS = [[
---What cluster{} makes.
---@class ballpark.cluster
---@field device ballpark.device
---@field network ballpark.network
---@field usd_h number|nil
---@field assumed string[]

---What is asked of a cluster.
---@class ballpark.cluster_spec
---@field device string|ballpark.device
---@field devices? integer
---@field nodes? integer
---@field node_size? integer
---@field domain? integer
---@field network? string
---@field fabric? string
---@field nic_bytes_s? number
---@field price? number|string

---A figure and the ends between which four true values in five lie.
---@class ballpark.range
---@field value number
---@field low number
---@field high number
---@field why string[] what widened it: extrapolated, left open, a calibration

---The run of job.tokens.
---@class ballpark.run
---@field steps number
---@field run_s number
---@field device_s number
---@field cost_usd number
---@field goodput_frac number
---@field losses table
---@field energy_j number
---@field data_bytes number
---@field input_bytes_s number

---A model of the catalog, of a config.json, or of a table, with changes.
---@param value string|ballpark.model
---@param changes? ballpark.model
---@return ballpark.model
function model(value, changes) end

---The model of a config.json in Hugging Face's format, or of a folder that holds one.
---@param path string
---@return ballpark.model
function hf(path) end

---@param value string|ballpark.device
---@param changes? ballpark.device
---@return ballpark.device
function device(value, changes) end

---@param spec string|ballpark.cluster_spec
---@return ballpark.cluster
function cluster(spec) end

---@param value string|ballpark.profile
---@return ballpark.profile
function profile(value) end

---USD per device-hour.
---@param device string
---@param provider? string
---@return number|nil
function price(device, provider) end

---A parameter that -D name=value overrides.
---@generic T
---@param name string
---@param default T
---@param doc? string
---@return T
function param(name, default, doc) end

---How many draws of uncertain inputs the questions after it take, and which.
---@param spec {samples?: integer, seed?: integer}
function draws(spec) end

---The chance that a figure of an answer to uncertain inputs keeps a limit; chance(x, limit) that of an uncertain number.
---@param answer table
---@param figure string|{least?: number, most?: number}
---@param limit? {least?: number, most?: number}
---@return number
function chance(answer, figure, limit) end

---@param answer table
function show(answer) end

---@param text string
function title(text) end

---@param heading string
---@param list table[] {name, value, unit, title}
function facts(heading, list) end

---@param spec table columns = {...}, rows as the list part
function rows(spec) end

---@param text string
function note(text) end

---@param text string
function assume(text) end

---@param id string
---@param actual any
---@param wanted {equals?: any, rel?: number, least?: number, most?: number}
---@return boolean holds
function expect(id, actual, wanted) end
]]

-- The functions of scenarios that ask, from the records of the questions.
local function add_questions()
  for _, record in ipairs(questions.records()) do
    local input, answer = class_name(record.name .. "_input"), class_name(record.name .. "_answer")
    say("---" .. record.title)
    say("---@class " .. input)
    for _, row in ipairs(record.inputs) do
      say(("---@field %s%s %s %s"):format(row[1], row.required and "" or "?", row.type or "any", row[2]))
    end
    say("")
    say("---@class " .. answer)
    for _, row in ipairs(record.outputs) do say(("---@field %s %s %s"):format(row[1], row[2], row[3])) end
    say("")
    say("---" .. record.title)
    say("---@param input " .. input)
    if record.also then say(("---@param %s? %s %s"):format(record.also[1], record.also[2], record.also[3])) end
    say("---@return " .. answer)
    say(("function %s(input%s) end"):format(record.name, record.also and ", " .. record.also[1] or ""))
    say("")
  end
end

say("---@meta")
say("-- Generated by tools/meta.lua from the field lists of the core; do not edit.")
say("")
add_kernels()
add_serving()
add_platform()
add_units()
add_uncertain()
add_questions()
say(FUNCTIONS:sub(1, -2))
io.write(table.concat(out, "\n"), "\n")
