-- What run and search offer beyond the report: the plan as launch settings, and what the winner hangs on.
local emit = require("ballpark.emit")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local options = require("ballpark.cli.options")
local printable = require("ballpark.printable")
local progress = require("ballpark.report.progress")

local best_plan = {}

--- --emit on a command.
function best_plan.define_emit(command)
  command:option("--emit", "Print the best plan as launch settings instead of the report: "
    .. table.concat(emit.names(), ", ") .. "; TARGET@VERSION for one that is not the newest known."):argname("TARGET")
end

--- --emit and --sensitivity on a command.
function best_plan.define(command)
  best_plan.define_emit(command)
  command:flag("--sensitivity", "Turn every input by 10 % and say what the winner's step and cost do, and "
    .. "whether another plan wins.")
end

--- Refuses what cannot be done before any work is.
function best_plan.check(chosen)
  if not chosen.emit then
    options.format(chosen)
    return
  end
  emit.target(chosen.emit, "--emit")
  if chosen.format or chosen.table or chosen.sensitivity then
    errors.usage("--emit prints launch settings: leave out --format, --table and --sensitivity")
  end
end

local TRAINING <const> = { search = true, estimate = true }

local function last_answer(state, what, kinds)
  for i = #state.answers, 1, -1 do
    if kinds[state.answers[i].kind] then return state.answers[i] end
  end
  errors.usage(what .. (kinds.serving and " needs a scenario that serves"
    or " needs a scenario that estimates or searches"))
end

local function launch(state, chosen)
  local text, missing = emit.text(last_answer(state, "--emit", emit.kinds(chosen.emit)), chosen.emit)
  for _, line in ipairs(missing) do options.say("not expressed by " .. chosen.emit .. ": " .. line) end
  if chosen.output and chosen.output ~= "-" then
    files.write(chosen.output, text)
  else
    files.print(printable.text(text))
  end
  return 0
end

local function add_sensitivity(result, state)
  local answer = last_answer(state, "--sensitivity", TRAINING)
  if not answer.fits then return end
  local sensitivity = require("ballpark.questions.training.sensitivity")
  local shown <close> = progress.new(sensitivity.count(), nil, nil, "inputs")
  local list = sensitivity.answer(answer, function() shown:step() end)
  require("ballpark.questions.training.explained").sensitivity(result, list)
end

--- Refuses --why where nothing was searched.
function best_plan.check_why(state, chosen)
  if not chosen.why then return end
  for _, answer in ipairs(state.answers) do
    if answer.kind == "search" then return end
  end
  errors.usage("--why needs a scenario that searches plans of training")
end

--- Prints what was asked for and returns the exit code.
function best_plan.answer(result, state, chosen)
  if chosen.sensitivity then add_sensitivity(result, state) end
  if not chosen.emit then return options.emit(result, chosen) end
  return launch(state, chosen)
end

return best_plan
