-- Rows of a table of measured runs that a CSV file names, by its column case_id.
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")

local row_names = {}

--- { case_id = true } of a file; of none, nobody's.
---@param path string|nil
---@return table<string, boolean>
function row_names.read(path)
  local names = {}
  if not path then return names end
  local header, records = csv.records(csv.read(path), path)
  local found = false
  for _, name in ipairs(header) do found = found or name == "case_id" end
  if not found then errors.input(path, "has no column case_id") end
  for _, record in ipairs(records) do names[record.cells.case_id] = true end
  return names
end

return row_names
