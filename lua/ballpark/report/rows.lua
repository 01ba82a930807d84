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

-- An answer as one row: each fact a column, with the ends of its range behind it.
local function one_row(r)
  local columns, row, n = {}, {}, 0
  for _, fact in ipairs(r:scalars()) do
    n = n + 1
    columns[n], row[n] = { name = fact.name, unit = fact.unit, title = fact.title }, fact.value
  end
  return columns, { row }
end

--- Columns and rows of the block that options.table names; by default the answer as one row, or the first table.
function rows.of(r, options)
  local block = r:pick(options.table)
  if not block then return {}, {} end
  if block.kind == "table" then return rows.machine(block) end
  if not options.table and r.one_row then return one_row(r) end
  local list = {}
  for _, fact in ipairs(block.items) do
    add(list, fact)
    for _, ending in ipairs(result.ends(fact)) do add(list, ending) end
  end
  return FACT_COLUMNS, list
end

return rows
