-- Published training runs as the fits take them.
local files = require("ballpark.files")
local kept_apart = require("kept_apart")
local row_names = require("ballpark.measured.row_names")
local tables = require("ballpark.tables")
local validate = require("ballpark.validate")

local measured_runs = {}

local apart = tables.set(kept_apart)

-- Of the families that fits take, or of those that none does; by software of another name, if one is given.
local function read(path, flags, of_apart, software)
  local list, flagged, rows = {}, row_names.read(flags), (validate.read(files.read(path), path))
  for _, row in ipairs(rows) do row.framework = software or row.framework end
  for _, case in ipairs(validate.cases(rows)) do
    case.family = case.row.family
    case.flagged = flagged[case.row.case_id]
    if (apart[case.family] or false) == of_apart then list[#list + 1] = case end
  end
  return list
end

local function timed(cases)
  local list = {}
  for _, case in ipairs(cases) do
    if case.measured_step_s then list[#list + 1] = case end
  end
  return list
end

--- Cases of validate.cases, without those of families kept apart, with a measured step, `family`, and `flagged` where the table at `flags`
--- names the row.
function measured_runs.cases(path, flags) return timed(read(path, flags, false)) end

--- The same of families kept apart.
function measured_runs.cases_apart(path, flags) return timed(read(path, flags, true)) end

local function weighed(cases)
  local list = {}
  for _, case in ipairs(cases) do
    if case.measured_bytes then list[#list + 1] = case end
  end
  return list
end

--- The same for runs with a measured peak of memory.
function measured_runs.memory_cases(path, flags) return weighed(read(path, flags, false)) end

local UNKNOWN <const> = "in-house"

-- But on devices whose vendor's own software is what everybody runs there.
local function of_no_class(cases)
  local list = {}
  for _, case in ipairs(cases) do
    if case.class == "generic" then list[#list + 1] = case end
  end
  return list
end

--- The same runs, as if their software had a name that is in no class: those with a measured step, and those with a
--- measured peak.
function measured_runs.unnamed_cases(path, flags)
  local cases = of_no_class(read(path, flags, false, UNKNOWN))
  return timed(cases), weighed(cases)
end

return measured_runs
