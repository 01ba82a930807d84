-- ballpark validate local: prompt and generation speeds of one sequence on one machine.
local check_group = require("ballpark.cli.validate_group")
local csv = require("ballpark.csv")
local options = require("ballpark.cli.options")
local table_rows = require("ballpark.measured.table_rows")

local validate_local = {}

local function study_of(chosen, local_inference)
  if not chosen.leave_out then return nil end
  local_inference.check_left_out(chosen.leave_out)
  return require("ballpark.calibrate.local_inference").leave_out(chosen.leave_out)
end

--- `ballpark validate local FILE`.
validate_local["local"] = function(chosen)
  local local_inference = require("ballpark.validate.local_inference")
  check_group(chosen.group, local_inference.columns, local_inference.traits)
  local rows, ignored = local_inference.read(csv.read(chosen.file), chosen.file)
  if #ignored > 0 then options.say("columns not used: " .. table.concat(ignored, ", ")) end
  local repeated = table_rows.repeated(rows)
  if repeated then options.say(repeated) end
  local started = os.clock()
  local answer = local_inference.run(rows, { group = chosen.group, study = study_of(chosen, local_inference) })
  options.tell(chosen, ("%d rows took %.3f s"):format(#rows, os.clock() - started))
  local result = require("ballpark.validate.serving_result").of(answer, {
    rows = chosen.rows, worst = chosen.worst, name = chosen.file, metrics = local_inference.metrics,
    rows_first = options.format(chosen) == "csv", unit = "tok/s",
    note = "Error = predicted / measured - 1 of the time: a rate counts by its inverse."
      .. (chosen.leave_out and (" Each %s left out of the fit that predicts it."):format(chosen.leave_out) or ""),
  })
  return options.emit(result, chosen)
end

return validate_local
