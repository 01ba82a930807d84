-- JSON Schemas of questions, made from where fields are declared: inputs from the question's record, the report from
-- report/document.lua, what an answer about training holds from its columns.
local columns = require("ballpark.questions.training.columns")
local core = require("ballpark.core")
local document = require("ballpark.report.document")
local json = require("ballpark.json")

local question_schema = {}

local JSON_TYPES <const> = { string = "string", number = "number", integer = "integer", boolean = "boolean" }

--- Schema of a question's input.
---@param record table of the question
---@param hidden table<string, boolean>|nil inputs that are not shown
function question_schema.input(record, hidden)
  local properties, required = json.object({}), json.array({})
  for _, row in ipairs(record.inputs) do
    if not (hidden or {})[row[1]] then
      properties[row[1]] = { description = row[2], type = JSON_TYPES[row.type or ""] }
      if row.required then required[#required + 1] = row[1] end
    end
  end
  return { type = "object", properties = properties, required = required, additionalProperties = false }
end

-- Values of an answer about training that are declared with unit and meaning; the core's fields are open beside them.
local function training_values()
  local properties = json.object({})
  for _, column in ipairs(columns.list) do
    properties[column.name] = { title = column.title, description = column.doc,
      ["x-unit"] = column.unit ~= "" and column.unit or nil }
  end
  return { type = "object", properties = properties }
end

--- Schema of the report that answers a question, with that of its input under $defs.
---@param record table of the question
function question_schema.answer(record)
  local schema = document.schema()
  schema["$id"] = ("urn:ballpark:answer:%s:%d"):format(record.name, document.version)
  schema.title, schema.description = record.name, record.title
  schema["$defs"].input = question_schema.input(record)
  schema["$comment"] = "ballpark " .. core.version
  if record.emit == "training" then
    schema.properties.facts = { type = "object", description = schema.properties.facts.description,
      additionalProperties = { ["$ref"] = "#/$defs/facts" }, properties = { answer = { allOf = json.array({
        { ["$ref"] = "#/$defs/facts" }, { properties = { values = training_values() } } }) } } }
  end
  return schema
end

--- Schema of the report of any question or scenario.
function question_schema.any()
  local schema = document.schema()
  schema["$id"] = ("urn:ballpark:report:%d"):format(document.version)
  schema.title, schema["$comment"] = "report", "ballpark " .. core.version
  return schema
end

return question_schema
