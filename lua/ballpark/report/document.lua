-- What a report in JSON consists of: the fields of its parts with type and meaning. The writer makes parts by this list
-- (document.part), and the JSON Schema of answers is made from it (document.schema).
local json = require("ballpark.json")

local document = {}

--- Of the document: goes up when a field goes or changes what it means, not when one comes.
document.version = 1

local VALUE <const> = { "number", "string", "boolean", "null" }

-- By part: { name, type, meaning, required? }. A type is one of JSON, a list of them, "value", "part NAME",
-- "list NAME" or "by_name NAME" (an object whose keys are free).
local PARTS <const> = {
  report = {
    { "title", "string", "what was asked" },
    { "command", "string", "the command that was given" },
    { "facts", "by_name facts", "blocks of single values by name; the block answer is the answer", true },
    { "tables", "by_name table", "tables by name", true },
    { "order", "list string", "names of facts and tables as a report for people has them", true },
    { "assumed", "list string", "what nobody stated and was filled in", true },
    { "notes", "list string", "what is worth knowing", true },
    { "warnings", "list string", "what may make the answer wrong", true },
    { "expectations", "list expectation", "what the scenario expected, and whether it holds", true },
    { "ranges", "object", "distributions of inputs and of what follows from them, where some were given" },
    { "lints", "list lint", "mistakes that the question may hold", true },
    { "explained", "list lint", "such mistakes that the scenario explained", true },
  },
  facts = {
    { "title", "string", "what people read above the block" },
    { "values", "by_name value", "base units: seconds, bytes, FLOP, USD, shares of one", true },
    { "range", "by_name range", "80 % ranges of the values of these names", true },
    { "units", "by_name string", "units of the values", true },
    { "titles", "by_name string", "what people read beside the values", true },
  },
  range = {
    { "low", "number", "one run in ten is below", true },
    { "high", "number", "one run in ten is above", true },
    { "why", "list string", "what the range comes from, where it is known", true },
  },
  table = {
    { "title", "string", "what people read above the table" },
    { "columns", "list column", "columns in order", true },
    { "rows", "list row", "rows, each an object by the columns' names", true },
  },
  column = {
    { "name", "string", "key in the rows", true },
    { "unit", "string", "base unit of its values", true },
    { "title", "string", "what people read above it", true },
  },
  expectation = {
    { "id", "string", "its name", true },
    { "actual", "value", "what it is", true },
    { "expected", "value", "what it should be", true },
    { "rel", "number", "how far apart they may be, as a share" },
    { "least", "number", "it should be at least" },
    { "most", "number", "it should be at most" },
    { "ok", "boolean", "whether it holds", true },
  },
  lint = {
    { "code", "string", "its name: ballpark help lint", true },
    { "severity", "string", "how grave it is", true },
    { "where", "string", "the input or figure" },
    { "message", "string", "what is suspicious", true },
    { "fix", "string", "what to do" },
    { "because", "string", "the scenario's explanation" },
  },
}

local names_of = {}
for part, rows in pairs(PARTS) do
  names_of[part] = {}
  for _, row in ipairs(rows) do names_of[part][row[1]] = true end
end

--- A part of the document; a field that is not declared is a mistake of the program.
---@param name string
---@param values table
function document.part(name, values)
  for field in pairs(values) do
    if not names_of[name][field] then error("report/document.lua does not declare " .. name .. "." .. tostring(field)) end
  end
  return values
end

local function type_of(text)
  local kind, of = text:match("^(%S+)%s*(%S*)$")
  if kind == "value" then return { type = VALUE } end
  if kind == "row" then return { type = "object", additionalProperties = { type = VALUE } } end
  if kind == "part" then return { ["$ref"] = "#/$defs/" .. of } end
  local inner = PARTS[of] and { ["$ref"] = "#/$defs/" .. of } or of ~= "" and type_of(of)
  if kind == "list" then return { type = "array", items = inner } end
  if kind == "by_name" then return { type = "object", additionalProperties = inner } end
  return { type = kind }
end

local function schema_of(part)
  local properties, required = json.object({}), json.array({})
  for _, row in ipairs(PARTS[part]) do
    local property = type_of(row[2])
    property.description = row[3]
    properties[row[1]] = property
    if row[4] then required[#required + 1] = row[1] end
  end
  return { type = "object", properties = properties, required = required, additionalProperties = false }
end

--- JSON Schema (2020-12) of a report.
---@return table
function document.schema()
  local schema, parts = schema_of("report"), {}
  for part in pairs(PARTS) do
    if part ~= "report" then parts[part] = schema_of(part) end
  end
  schema["$schema"], schema["$defs"] = "https://json-schema.org/draft/2020-12/schema", parts
  return schema
end

return document
