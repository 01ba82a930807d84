-- ballpark validate inference: published results of encoders, image networks, recommendation and search.
local check_group = require("ballpark.cli.validate_group")
local csv = require("ballpark.csv")
local options = require("ballpark.cli.options")

local validate_inference = {}

--- `ballpark validate inference FILE`.
function validate_inference.inference(chosen)
  check_group(chosen.group, require("ballpark.measured.inference_columns").list, { { "family" } })
  local inference = require("ballpark.validate.inference")
  local rows, ignored, others = inference.read(csv.read(chosen.file), chosen.file)
  if #ignored > 0 then options.say("columns not used: " .. table.concat(ignored, ", ")) end
  if others > 0 then options.say(("%d rows are of language models and left out"):format(others)) end
  local started = os.clock()
  local answer = inference.run(rows, { group = chosen.group })
  options.tell(chosen, ("%d rows took %.3f s"):format(#rows, os.clock() - started))
  local result = require("ballpark.validate.serving_result").of(answer, {
    rows = chosen.rows, worst = chosen.worst, name = chosen.file, metrics = inference.metrics,
    rows_first = options.format(chosen) == "csv", unit = "unit of the table",
    note = "Error = predicted / measured - 1 of the time: a rate counts by its inverse. recall: of itself.",
  })
  return options.emit(result, chosen)
end

return validate_inference
