-- ballpark search: the best plans for a model on a cluster, described by options or by a scenario.
local effort = require("ballpark.cli.effort")
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local best_plan = require("ballpark.cli.best_plan")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local question = require("ballpark.cli.question")
local scenario = require("ballpark.scenario")
local systems = require("ballpark.cli.systems")
local tables = require("ballpark.tables")

local search = {
  summary = "Search all plans for a model on a cluster",
  examples = {
    "ballpark search --model llama-3.1-70b --device H100 --devices 128 \\",
    "    --global-batch 1024 --seq-len 8192 --tokens 'trillion(15)'",
    "ballpark search --model path/to/config.json --device H200 --nodes 4 --global-batch 512 \\",
    "    --seq-len 8192 --tp 1,2,4 --zero 1 --objective step_usd --top 20",
    "ballpark search --model llama-3.1-8b --device A100,H100 --devices 16..128x2 \\",
    "    --global-batch 512 --seq-len 8192 --micro-batch 1..4 --objective tok_usd",
    "ballpark search scenarios/quickstart.lua --why tp=8,pp=4",
    "ballpark search scenarios/quickstart.lua --emit slurm -o train.sbatch",
  },
  notes = {
    "VALUES are one value, several as in 1,2,4, a range as in 1..8 (every whole number), 0..4+2",
    "or 16..128x2 (doubling), a mixture of these, or free: whatever can be valid. Several systems",
    "and jobs are searched one by one and answered together; of their options free may be --device",
    "(all with a price), --devices, --nodes, --global-batch and --seq-len (powers of two; ask for tokens,",
    "not for time), --fabric, and --price of one device (those of the catalog).",
  },
}

-- The plan as the core describes it: every field is an option that fixes or lists its values.
local function plan_fields() return fields.input("train_step", "plan") end

-- Fields whose names are options of another meaning.
local OTHER_NAMES = { shard = "plan-shard" }

local function option_of(field) return OTHER_NAMES[field] or (field:gsub("_", "-")) end

local function define_plan(command)
  for _, field in ipairs(plan_fields()) do
    if field.kind ~= "note" then
      local values = field.kind == "flag" and "true,false"
        or field.names and table.concat(field.names, ", ")
      command:option("--" .. option_of(field.name),
        field.doc .. (values and (": " .. values) or "") .. "."):argname("VALUES"):target("plan_" .. field.name)
    end
  end
end

function search.define(command)
  command:argument("scenario", "A scenario that searches, instead of the options."):args("?")
  command:option("--model", "Catalog name, or a config.json or its folder."):argname("MODEL")
  systems.define(command)
  options.define_software(command)
  command:option("--tokens", "Tokens of the whole run, as 15e12 or 'trillion(15)'."):argname("N")
  command:option("--objective", "What to order by: time, throughput, mfu, cost, cost_per_token, energy, memory "
    .. "(free), devices, fit, deadline, or their columns as step_s; several, as in time,cost, give their Pareto "
    .. "front as well."):argname("NAME,...")
  command:option("--differ", "Of plans that agree in these fields keep the best only, as in tp,pp; of several "
    .. "systems also device, devices, nodes, fabric, ...")
    :argname("FIELD,...")
  command:option("--deadline", "Time for all tokens, as in 'days(30)': a best plan that takes longer exits with 1; and for the objective "
    .. "deadline.")
    :argname("TIME")
  command:option("--fit-chance", "Least chance of fitting into memory; 0.9 unless said."):argname("SHARE")
  command:option("--top", "How many plans to show."):argname("N")
  options.define_why(command)
  best_plan.define(command)
  effort.define(command)
  options.define_rules(command)
  options.define_overrides(command)
  options.define_output(command)
  options.define_full(command)
  define_plan(command)
end

local function space_of(chosen)
  local space = {}
  for _, field in ipairs(plan_fields()) do
    local text = chosen["plan_" .. field.name]
    if text then space[field.name] = overrides.values(text, "--" .. option_of(field.name)) end
  end
  return space
end

local function from_options(chosen, state)
  local env = environment.new(state)
  local fixed, space = systems.read(chosen)
  for field, values in pairs(space_of(chosen)) do space[field] = values end
  fixed.job.tokens = question.number(chosen, "tokens")
  env.show(env.search({ model = chosen.model, job = fixed.job, space = space,
    cluster = systems.cluster(chosen, env, fixed.system, space) }))
  return scenario.finish(state, "this search"), state
end

-- Options that describe a search are pointless beside a scenario that does.
local function check_alone(chosen)
  local option = chosen.model and "--model" or systems.given(chosen)
  if option then errors.usage(option .. " and a scenario: change the scenario with -D instead") end
end

local function from_scenario(chosen, settings)
  check_alone(chosen)
  local space = space_of(chosen)
  for _, field in ipairs(tables.sorted_keys(space)) do settings.overrides:set("space." .. field, space[field]) end
  return scenario.run(scenario.load(chosen.scenario), settings)
end

-- "step_s,step_usd" as a list; a single name stays what it is.
local function names(text)
  local list = {}
  for name in text:gmatch("[^,]+") do list[#list + 1] = name end
  return #list == 1 and list[1] or list
end

function search.run(chosen)
  best_plan.check(chosen)
  chosen.first_screen = options.wants_first_screen(chosen)
  local settings = {
    command = "search", rules = chosen.rules, execution = effort.prepare(chosen), partial = true, numbers_only = chosen.shard ~= nil,
    overrides = options.override_profile(chosen, overrides.parse(chosen.define)),
    search = {
      why = options.why(chosen),
      top = chosen.top and question.whole(chosen, "top"), objective = chosen.objective and names(chosen.objective),
      fit_chance = chosen.fit_chance and question.number(chosen, "fit_chance"),
      differ = chosen.differ and names(chosen.differ), deadline_s = question.time(chosen, "deadline"),
      exhaustive = chosen.exhaustive,
    },
  }
  local result, state
  if chosen.scenario then
    result, state = from_scenario(chosen, settings)
  else
    result, state = question.blamed(chosen, nil, from_options, chosen, scenario.state(nil, settings))
  end
  if effort.was_interrupted(chosen) then chosen.first_screen = false end -- what was not searched is said farther down
  if effort.is_helper() then return 0 end
  if effort.wrote_part(chosen) then return effort.code(chosen, 0) end
  return effort.code(chosen, best_plan.answer(result, state, chosen))
end

return search
