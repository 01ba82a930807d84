-- ballpark validate finetuning: published memory and speed of fine-tuning runs.
local check_group = require("ballpark.cli.validate_group")
local csv = require("ballpark.csv")
local options = require("ballpark.cli.options")
local table_rows = require("ballpark.measured.table_rows")

local validate_finetuning = {}

--- `ballpark validate finetuning FILE`.
function validate_finetuning.finetuning(chosen)
  check_group(chosen.group, require("ballpark.measured.finetuning_columns").list,
    require("ballpark.validate.traits").of.training)
  local finetuning = require("ballpark.validate.finetuning")
  local rows, ignored = finetuning.read(csv.read(chosen.file), chosen.file)
  if #ignored > 0 then options.say("columns not used: " .. table.concat(ignored, ", ")) end
  local repeated = table_rows.repeated(rows)
  if repeated then options.say(repeated) end
  local started = os.clock()
  local answer = finetuning.run(rows, { group = chosen.group })
  options.tell(chosen, ("%d rows took %.3f s"):format(#rows, os.clock() - started))
  local result = require("ballpark.validate.result").of(answer, {
    rows = chosen.rows, worst = chosen.worst, where = chosen.where, name = chosen.file,
    rows_first = options.format(chosen) == "csv",
  })
  return options.emit(result, chosen)
end

return validate_finetuning
