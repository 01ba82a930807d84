-- ballpark run: a scenario from file to report.
local options = require("ballpark.cli.options")

local run = {
  summary = "Run a scenario and print its report",
  examples = {
    "ballpark run scenarios/quickstart.lua",
    "ballpark run scenarios/quickstart.lua -D job.global_batch=2048 -D cluster.devices=256",
    "ballpark run scenarios/quickstart.lua -f markdown -o report.md",
    "ballpark run scenarios/quickstart.lua --why tp=8,pp=2",
  },
}

function run.define(command)
  command:argument("scenario", "A scenario: a Lua file.")
  options.define_overrides(command)
  options.define_rules(command)
  options.define_why(command)
  options.define_output(command)
end

function run.run(chosen)
  local overrides = require("ballpark.scenario.overrides")
  local scenario = require("ballpark.scenario")
  options.format(chosen)
  local started = os.clock()
  local result = scenario.run(scenario.load(chosen.scenario), {
    overrides = overrides.parse(chosen.define),
    rules = chosen.rules,
    why = chosen.why and overrides.plan("--why", chosen.why),
  })
  options.tell(chosen, string.format("%s took %.3f s", chosen.scenario, os.clock() - started))
  return options.emit(result, chosen)
end

return run
