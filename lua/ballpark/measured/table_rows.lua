-- Rows of a table of measurements: read by its columns, and tried one by one.
local cells = require("ballpark.measured.cells")
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")

local table_rows = {}

-- The same header, or cells by header, by the names that columns have here.
local function named_header(header, meant)
  local list = {}
  for i, name in ipairs(header) do list[i] = meant[name] or name end
  return list
end

local function named_cells(texts, meant)
  for other, name in pairs(meant) do texts[name], texts[other] = texts[other], nil end
  return texts
end

--- Rows of a table's text, each with its `line`, and the names of columns nobody knows; missing ones are an
--- error.
---@param columns table with check(header, name) and row(texts), as ballpark.measured.training_columns
---@param text string
---@param name string of the file
---@return table[] rows
---@return string[] ignored
function table_rows.read(columns, text, name)
  local header, records = csv.records(text, name)
  local meant = cells.otherwise(columns.list, header)
  local ignored, list = columns.check(named_header(header, meant), name), {}
  for i, record in ipairs(records) do
    list[i] = columns.row(named_cells(record.cells, meant))
    list[i].line = record.line
  end
  return list, ignored
end

-- Names, and lines of one, that a sentence lists.
local LISTED <const>, LINES <const> = 3, 12

local function lines_listed(lines)
  local more = #lines - LINES
  return table.concat(lines, ", ", 1, math.min(LINES, #lines)) .. (more > 0 and (" and %d more"):format(more) or "")
end

--- A sentence on rows that share a case_id, each of which counts by itself all the same; nil where there are none.
---@param rows table[] from table_rows.read
---@return string|nil
function table_rows.repeated(rows)
  local lines_of, shared = {}, {}
  for _, row in ipairs(rows) do
    local id = row.case_id
    local lines = id and lines_of[id]
    if lines then
      if #lines == 1 then shared[#shared + 1] = id end
      lines[#lines + 1] = row.line
    elseif id then
      lines_of[id] = { row.line }
    end
  end
  if #shared == 0 then return nil end
  local said = {}
  for i = 1, math.min(LISTED, #shared) do
    said[i] = ("'%s' on lines %s"):format(shared[i], lines_listed(lines_of[shared[i]]))
  end
  return "case_id is not unique, every row counts: " .. table.concat(said, "; ")
    .. (#shared > LISTED and ("; and %d more"):format(#shared - LISTED) or "")
end

--- What fn(...) returns, or nil and the text of an error that the row caused, and the place that it names. Any other
--- error goes on: so does a field that the core does not know, for no row names fields of the core.
function table_rows.attempt(fn, ...)
  local ok, result = errors.attempt(fn, ...)
  if ok then return result end
  if result.message:find("^unknown field") then error(result, 0) end
  return nil, tostring(result), result.path
end

return table_rows
