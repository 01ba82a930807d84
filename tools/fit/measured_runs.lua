-- Published training runs as the fits take them.
local csv = require("ballpark.csv")
local files = require("ballpark.files")
local validate = require("ballpark.validate")

local measured_runs = {}

local function flagged_ids(path)
  local ids = {}
  local _, records = csv.records(files.read(path), path)
  for _, record in ipairs(records) do ids[record.cells.case_id] = true end
  return ids
end

local function read(path, flags)
  local cases, flagged = validate.cases((validate.read(files.read(path), path))), flagged_ids(flags)
  for _, case in ipairs(cases) do
    case.family = case.row.family
    case.flagged = flagged[case.row.case_id]
  end
  return cases
end

--- Cases of validate.cases with a measured step, `family`, and `flagged` where the table at `flags`
--- names the row.
function measured_runs.cases(path, flags)
  local timed = {}
  for _, case in ipairs(read(path, flags)) do
    if case.measured_step_s then timed[#timed + 1] = case end
  end
  return timed
end

--- The same for runs with a measured peak of memory.
function measured_runs.memory_cases(path, flags)
  local weighed = {}
  for _, case in ipairs(read(path, flags)) do
    if case.measured_bytes then weighed[#weighed + 1] = case end
  end
  return weighed
end

return measured_runs
