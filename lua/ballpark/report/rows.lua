-- The one table that CSV and JSON Lines carry: any block as columns and rows.
local result = require("ballpark.result")

local rows = {}

local FACT_COLUMNS = { { name = "name" }, { name = "value" }, { name = "unit" }, { name = "title" } }

--- Columns and rows of a table as machine formats carry them: all but the sentences for people.
function rows.machine(block)
  local columns, kept = {}, {}
  for i, column in ipairs(block.columns) do
    if not column.human then
      columns[#columns + 1] = column
      kept[#kept + 1] = i
    end
  end
  if #kept == #block.columns then return columns, block.rows end
  local list = {}
  for i, row in ipairs(block.rows) do
    list[i] = {}
    for j, at in ipairs(kept) do list[i][j] = row[at] end
  end
  return columns, list
end

local function add(list, fact) list[#list + 1] = { fact.name, fact.value, fact.unit, fact.title } end

--- Columns and rows of the block that options.table names (default: the first table, else facts).
function rows.of(r, options)
  local block = r:pick(options.table)
  if not block then return {}, {} end
  if block.kind == "table" then return rows.machine(block) end
  local list = {}
  for _, fact in ipairs(block.items) do
    add(list, fact)
    for _, ending in ipairs(result.ends(fact)) do add(list, ending) end
  end
  return FACT_COLUMNS, list
end

return rows
