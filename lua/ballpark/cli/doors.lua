-- `ballpark validate … --scenario CASE_ID` and `--doors`: rows of a table as scenarios, and whether both say the same.
-- A kind of table brings write(row, name, context), its scenario, and differences(row, name, context), sentences.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local near = require("ballpark.near")

local doors = {}

--- The scenario of the row of that name; an unknown name is an error with the nearest.
---@param kind table
---@param rows table[]
---@param case_id string
---@param name string of the table
---@param context table of the kind
---@return string
function doors.scenario(kind, rows, case_id, name, context)
  local names = {}
  for i, row in ipairs(rows) do
    if row.case_id == case_id then return kind.write(row, name, context) end
    names[i] = row.case_id or ""
  end
  local meant = near.name(case_id, names)
  errors.usage(("--scenario: no row of %s is called '%s'%s"):format(name, case_id,
    meant and (", did you mean '" .. meant .. "'?") or ""))
end

--- Takes every row through both doors: calls say(case_id, sentence) for each difference, and answers how many there
--- are.
function doors.all(kind, rows, name, context, say)
  local count = 0
  for _, row in ipairs(rows) do
    for _, sentence in ipairs(kind.differences(row, name, context)) do
      count = count + 1
      say(row.case_id or ("line " .. row.line), sentence)
    end
  end
  return count
end

--- Prints what the command line asks for and returns the exit code: 1 where the doors differ.
function doors.print(kind, rows, chosen, context)
  if chosen.scenario then
    files.print(doors.scenario(kind, rows, chosen.scenario, chosen.file, context))
    return 0
  end
  local count = doors.all(kind, rows, chosen.file, context, function(case_id, sentence)
    files.print(case_id .. ": " .. sentence .. "\n")
  end)
  files.print(("%d rows, %d differences\n"):format(#rows, count))
  return count == 0 and 0 or 1
end

return doors
