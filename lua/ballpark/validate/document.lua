-- JSON Schema (2020-12) of what `validate` prints: errors of all rows, of groups, and the rows. What a kind of table or an
-- option adds stands beside them.
local json = require("ballpark.json")

local document = {}

--- Of the document: goes up when a field goes or changes what it means, not when one comes.
document.version = 1

local VALUE <const> = { type = { "number", "string", "boolean", "null" } }
local FIGURES <const> = { ["$ref"] = "#/$defs/figures" }
local LIST <const> = { type = "array", items = FIGURES }

-- Top fields: { name, schema, meaning }.
local TOP <const> = {
  { "summary", { anyOf = { FIGURES, { type = "null" } } }, "errors over all rows: shares of one, bias is the mean with its sign" },
  { "memory", FIGURES, "the same of peak memory" },
  { "metrics", { type = "object", additionalProperties = FIGURES }, "the same by figure, where a table has several" },
  { "kept", { type = "object", additionalProperties = FIGURES }, "metrics without the rows of --skip, of serving" },
  { "fit", FIGURES, "chances of fitting beside what ran and what did not" },
  { "groups", LIST, "errors of each group, by family unless said" },
  { "families", LIST, "figures of each family, of --choice and --search" },
  { "of_families", { anyOf = { FIGURES, { type = "null" } } }, "means over families, of --choice and --search" },
  { "where", LIST, "where the error sits, of --where" },
  { "rows", { type = "array", items = { ["$ref"] = "#/$defs/row" } }, "every row, measured beside predicted, in the row's unit" },
}

local function row_schema()
  local range = { type = "object", additionalProperties = { type = "object", required = { "low", "high" }, properties = {
    low = { type = "number" }, high = { type = "number" }, why = { type = "array", items = { type = "string" } } } } }
  local texts = { type = "array", items = { type = "string" } }
  return { type = "object", properties = { assumed = texts, range = range, case_id = { type = "string" },
    measured = VALUE, predicted = VALUE, status = { type = "string" }, reason = { type = { "string", "null" } } },
    additionalProperties = { anyOf = { VALUE, texts } } }
end

---@return table
function document.schema()
  local properties = json.object({})
  for _, row in ipairs(TOP) do
    properties[row[1]] = { description = row[3] }
    for key, value in pairs(row[2]) do properties[row[1]][key] = value end
  end
  return { ["$schema"] = "https://json-schema.org/draft/2020-12/schema",
    ["$id"] = ("urn:ballpark:validate:%d"):format(document.version), title = "validate", type = "object", properties = properties,
    required = { "summary" }, additionalProperties = false, ["$defs"] = { row = row_schema(),
      figures = { type = "object", additionalProperties = VALUE } } }
end

return document
