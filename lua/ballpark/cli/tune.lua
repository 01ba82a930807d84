-- ballpark tune: which run to measure next, and when to stop.
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local question = require("ballpark.cli.question")
local questions = require("ballpark.questions")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")

local tune = {
  summary = "Which plan to measure next, and when to stop",
  examples = {
    "ballpark tune scenarios/quickstart.lua",
    "ballpark tune scenarios/quickstart.lua --measured runs.csv --runs 2 --within 0.05",
  },
}

function tune.define(command)
  command:argument("scenario", "A scenario whose last search{} says model, devices, job and space.")
  command:option("--measured", "Runs measured so far, a CSV table with the columns of validate training: those of the "
    .. "plan, and step_s or tokens_per_s_per_gpu; status oom for what ran out of memory. - is standard input. Default: "
    .. "none."):argname("RUNS.csv")
  command:option("--runs", "How many runs to propose. Default: 3."):argname("N")
  command:option("--within", "How near to the best there is the best measured plan is to come. Default: 0.03.")
    :argname("SHARE")
  options.define_profile(command)
  options.define_overrides(command)
  options.define_output(command)
end

local function search_of(path, state)
  for i = #state.answers, 1, -1 do
    if state.answers[i].kind == "search" then return state.answers[i] end
  end
  errors.input(path, "has no search{} to go on from")
end

function tune.run(chosen)
  options.format(chosen)
  local run = questions.runner("tune")
  local asked = { runs = question.whole(chosen, "runs"), within = question.number(chosen, "within") }
  run.check(asked)
  local rows, ignored = {}, {}
  if chosen.measured then
    rows, ignored = require("ballpark.questions.tune.measured").read(csv.read(chosen.measured), chosen.measured)
  end
  local _, state = scenario.run(scenario.load(chosen.scenario), { command = "tune",
    overrides = options.override_profile(chosen, overrides.parse(chosen.define)) })
  local answer = run.of(search_of(chosen.scenario, state), rows, asked)
  local r = result.new({ command = "tune", title = "Runs to measure" })
  questions.show(r, answer)
  if #ignored > 0 then r:note("Columns not used: " .. table.concat(ignored, ", ") .. ".") end
  r.infeasible = not answer.fits
  return options.emit(r, chosen)
end

return tune
