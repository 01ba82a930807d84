-- ballpark run: a scenario from file to report.
local effort = require("ballpark.cli.effort")
local best_plan = require("ballpark.cli.best_plan")
local options = require("ballpark.cli.options")

local run = {
  summary = "Run a scenario and print its report",
  examples = {
    "ballpark run scenarios/quickstart.lua",
    "ballpark run scenarios/quickstart.lua -D job.global_batch=2048 -D cluster.devices=256",
    "ballpark run scenarios/quickstart.lua -f markdown -o report.md",
    "ballpark run scenarios/quickstart.lua --why tp=8,pp=2",
    "ballpark run scenarios/quickstart.lua --sensitivity",
    "ballpark run scenarios/worked",
    "ballpark run scenarios/quickstart.lua --emit megatron -o train.sh",
  },
}

function run.define(command)
  command:argument("scenario", "A scenario: a Lua file, or - for standard input; or a folder of them, for a page.")
  command:flag("--params", "List the parameters of the scenario instead of its report.")
  options.define_overrides(command)
  options.define_software(command)
  options.define_rules(command)
  options.define_why(command)
  best_plan.define(command)
  options.define_output(command)
end

local function params_of(state)
  local rows = {}
  for i, param in ipairs(state.params) do
    local default = getmetatable(param.default) and tostring(param.default)
      or type(param.default) == "table" and table.concat(param.default, ",") or param.default
    rows[i] = { param.name, default, param.doc }
  end
  local r = require("ballpark.result").new({ command = "run" })
  r:table({ name = "params", title = "Parameters, for -D NAME=VALUE", columns = { { name = "name" },
    { name = "default" }, { name = "doc", title = "meaning" } }, rows = rows })
  return r
end

function run.run(chosen)
  local overrides = require("ballpark.scenario.overrides")
  local scenario = require("ballpark.scenario")
  best_plan.check(chosen)
  if require("lfs").attributes(chosen.scenario, "mode") == "directory" then
    options.format(chosen)
    return options.emit(require("ballpark.cli.run_folder").page(chosen.scenario, function()
      return { overrides = overrides.parse(chosen.define), rules = chosen.rules }
    end), chosen)
  end
  local started = os.clock()
  local result, state = scenario.run(scenario.load(chosen.scenario), {
    overrides = options.override_profile(chosen, overrides.parse(chosen.define)),
    rules = chosen.rules,
    execution = effort.prepare(chosen),
    search = { why = options.why(chosen) },
    partial = true,
  })
  options.tell(chosen, string.format("%s took %.3f s", chosen.scenario, os.clock() - started))
  if chosen.params then return options.emit(params_of(state), chosen) end
  best_plan.check_why(state, chosen)
  options.check_rules(state, chosen)
  return effort.code(chosen, best_plan.answer(result, state, chosen))
end

return run
