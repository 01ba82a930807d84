-- ballpark budget: of money, time and efficiency, any two give the third.
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local question = require("ballpark.cli.question")
local scenario = require("ballpark.scenario")
local systems = require("ballpark.cli.systems")
local tables = require("ballpark.tables")
local uncertain = require("ballpark.uncertain")

local budget = {
  summary = "Of budget, deadline and efficiency, any two give the third, and the devices",
  examples = {
    "ballpark budget --model llama-3.1-70b --device H100 --tokens 'trillion(2)' --seq-len 8192 \\",
    "    --budget 'million(4)' --deadline 'days(60)'",
    "ballpark budget --model llama-3.1-8b --device H100 --tokens 'trillion(1)' --seq-len 8192 \\",
    "    --deadline 'days(30)' --mfu 0.4",
    "ballpark budget --model llama-3.1-8b --device H100 --tokens 'trillion(1)' --seq-len 8192 \\",
    "    --deadline 'days(30)' --global-batch 512",
  },
}

-- Options that are not called as the inputs of budget{} that they give.
local OPTION_OF <const> = { budget_usd = "budget", deadline_s = "deadline", mfu_frac = "mfu" }

function budget.define(command)
  command:option("--budget", "What may be spent, in USD, as 2e6 or 'million(2)'."):argname("USD")
  command:option("--deadline", "Time for all tokens, as in 'days(30)'."):argname("TIME")
  command:option("--mfu", "Model FLOP utilisation over all of the time, goodput included, as in 0.4. With "
    .. "--global-batch a search says what plans reach."):argname("SHARE")
  options.define_model(command)
  systems.define(command)
  options.define_software(command)
  command:option("--tokens", "Tokens of the whole run, as 15e12 or 'trillion(15)'."):argname("N")
  options.define_overrides(command)
  options.define_output(command)
end

-- A share that was meant as a percentage is the usual mistake.
local function share(chosen)
  local value = question.number(chosen, "mfu")
  for _, stated in ipairs(value and uncertain.ends(value) or {}) do
    if not (stated > 0 and stated <= 1) then
      errors.usage(("--mfu %s: must be a share above 0, at most 1%s"):format(chosen.mfu,
        stated > 1 and stated <= 100 and (", did you mean %.15g?"):format(stated / 100) or ""))
    end
  end
  return value
end

local function ask(chosen, state)
  local env, fixed, space = environment.new(state), systems.read(chosen, true)
  for _, name in ipairs(tables.sorted_keys(space)) do
    errors.usage("--" .. tables.sorted_keys(space[name])[1]:gsub("_", "-") .. ": takes one value here; ballpark search takes several")
  end
  fixed.job.tokens = question.number(chosen, "tokens")
  env.show(env.budget({ model = options.model(chosen), job = fixed.job, mfu_frac = share(chosen),
    cluster = systems.cluster(chosen, env, fixed.system, space), budget_usd = question.number(chosen, "budget"),
    deadline_s = question.time(chosen, "deadline") }))
  return scenario.finish(state, "this question")
end

function budget.run(chosen)
  options.format(chosen)
  local state = scenario.state(nil, { command = "budget",
    overrides = options.override_profile(chosen, overrides.parse(chosen.define)) })
  return options.emit(question.blamed(chosen, OPTION_OF, ask, chosen, state), chosen)
end

return budget
