-- The one table that CSV and JSON Lines carry: any block as columns and rows.
local rows = {}

local FACT_COLUMNS = { { name = "name" }, { name = "value" }, { name = "unit" }, { name = "title" } }

--- Columns and rows of the block that options.table names (default: the first table, else facts).
function rows.of(r, options)
  local block = r:pick(options.table)
  if not block then return {}, {} end
  if block.kind == "table" then return block.columns, block.rows end
  local list = {}
  for i, fact in ipairs(block.items) do
    list[i] = { fact.name, fact.value, fact.unit, fact.title }
  end
  return FACT_COLUMNS, list
end

return rows
