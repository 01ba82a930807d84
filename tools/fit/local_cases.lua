-- Cases of several tables of measured local inference, in the order of the paths.
local csv = require("ballpark.csv")
local validate = require("ballpark.validate.local_inference")

local local_cases = {}

---@param paths string[]
---@return table[] of validate.local_case
function local_cases.read(paths)
  local rows = {}
  for _, path in ipairs(paths) do
    local read = validate.read(csv.read(path), path)
    table.move(read, 1, #read, #rows + 1, rows)
  end
  return (validate.cases(rows))
end

return local_cases
