-- ballpark validate: how near the estimates come to published measurements.
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local options = require("ballpark.cli.options")

local validate = {
  summary = "Compare estimates with a table of measured runs",
  examples = {
    "ballpark validate training tests/validate/training_dense.csv",
    "ballpark validate training runs.csv --group gpu --worst 10",
    "ballpark validate training runs.csv -f json -o errors.json",
  },
}

local kinds = { "training" }

function validate.define(command)
  command:argument("kind", "What was measured: training.")
  command:argument("file", "A CSV file with one measured run per line; - is standard input. "
    .. "'ballpark explain validate' lists the columns and what blank cells mean.")
  command:option("--group", "Sum up by this column.", "family"):argname("COLUMN")
  command:flag("--rows", "List every row.")
  command:option("--worst", "List the N rows with the largest errors."):argname("N")
    :convert(tonumber)
  command:option("--profile", "Use this class of software for all rows instead of the one that their "
    .. "framework means."):argname("NAME")
  options.define_output(command)
end

local function check(chosen)
  if chosen.kind ~= "training" then errors.choice("kind", chosen.kind, kinds) end
  if chosen.worst and (not math.tointeger(chosen.worst) or chosen.worst < 1) then
    errors.usage("--worst needs a whole number of at least 1")
  end
  local columns = require("ballpark.validate.columns")
  local names = {}
  for i, column in ipairs(columns.list) do names[i] = column[1] end
  for _, name in ipairs(names) do
    if name == chosen.group then return end
  end
  errors.choice("--group", chosen.group, names)
end

function validate.run(chosen)
  check(chosen)
  options.format(chosen)
  if chosen.profile then require("ballpark.catalog.profiles").get(chosen.profile) end
  local engine = require("ballpark.validate")
  local rows, ignored = engine.read(csv.read(chosen.file), chosen.file)
  if #ignored > 0 then options.say("columns not used: " .. table.concat(ignored, ", ")) end
  local started = os.clock()
  local answer = engine.run(rows, { group = chosen.group, profile = chosen.profile })
  options.tell(chosen, ("%d rows took %.3f s"):format(#rows, os.clock() - started))
  local result = require("ballpark.validate.result").of(answer, {
    rows = chosen.rows, worst = chosen.worst, name = chosen.file,
    rows_first = options.format(chosen) == "csv",
  })
  return options.emit(result, chosen)
end

return validate
