-- What a question about training, or a row of measured training, leaves unsaid. Facts go in, in the words of a
-- scenario; the complete input of an estimate comes out, with what was assumed and what was left open. Nothing
-- else in the program fills a blank of training: estimate{}, search{}, budget{} and the tables of measurements all
-- come through here.
--
-- A rule is { fact =, says = what people read in the reference, apply = function(case), beside_plan = true where the
-- fact is none of the plan }. The rules run in this order. apply changes the case and returns one sentence where it
-- assumed something.
local errors = require("ballpark.errors")
local devices = require("ballpark.catalog.devices")
local fields = require("ballpark.fields")
local tables = require("ballpark.tables")
local schedules = require("ballpark.schedules")
local recompute_modules = require("ballpark.resolve.training.recompute_modules")
local stage_layers = require("ballpark.resolve.training.stage_layers")
local batch = require("ballpark.resolve.training.batch")
local calibration = require("ballpark.resolve.training.calibration")
local expert_modules = require("ballpark.resolve.training.expert_modules")
local layout = require("ballpark.resolve.training.layout")
local memory = require("ballpark.resolve.training.memory")
local settings = require("ballpark.resolve.training.settings")
local software = require("ballpark.resolve.training.software")

local training = {}

training.rules = {}
for _, rules in ipairs({ software.rules, layout, batch.rules, settings.kinds, expert_modules, memory.cuts, batch.shares,
  settings.overlaps, memory.choices, calibration.rules }) do
  table.move(rules, 1, #rules, #training.rules + 1, training.rules)
end

--- The rules as { fact, says } in the order in which they run: for explain.
function training.table()
  local list = {}
  for i, rule in ipairs(training.rules) do list[i] = { fact = rule.fact, says = rule.says } end
  return list
end

local function check(facts)
  local cluster = facts.cluster
  if type(cluster) ~= "table" or type(cluster.network) ~= "table" or type(cluster.device) ~= "table" then
    errors.input("cluster", "must be made with cluster{device = ..., devices = ...}")
  end
  if type(facts.model) ~= "table" then errors.input("model", "is missing") end
  if facts.job ~= nil and type(facts.job) ~= "table" then errors.input("job", "must be a table") end
end

--- The plan of the facts with what may be given in short (recompute_modules, stage_layers) as the core's fields, and a
--- schedule of the scenario as ballpark.schedules has it.
local function plan_of(facts)
  local plan = tables.with(facts.plan or {}, {})
  plan.schedule = schedules.taken(plan.schedule, "plan.schedule")
  return recompute_modules.taken(stage_layers.taken(plan, facts.model.layers), facts.model)
end

-- What may be said beside the core's fields, by struct.
local ALSO <const> = { job = {}, plan = { adapters = true, fp8_recipe = true } }

-- Rules reckon with what is given, so that it is checked before they do.
local function check_fields(struct, given)
  local known, also = fields.by_name(fields.input("train_step", struct)), ALSO[struct]
  for name in pairs(given) do
    if not known[name] and not also[name] then
      errors.only(struct, given, tables.sorted_keys(tables.with(known, also)))
    end
  end
  local checked = tables.with(given)
  if type(given.schedule) == "table" then checked.schedule = nil end -- one's own, which has been read already
  if type(given.vpp) == "string" then checked.vpp = nil end -- words, which a rule reads
  fields.check("train_step", struct, checked)
end

-- A network written by hand may leave out how many devices fast links join, which rules compare with.
local function network_of(cluster)
  local counts = {}
  for _, name in ipairs({ "node_size", "domain" }) do counts[name] = fields.default("train_step", "network", name) end
  return tables.with(counts, cluster.network)
end

-- The rules change plan and job of the case, never the facts.
local function case_of(facts, how)
  check(facts)
  local cluster, plan = facts.cluster, plan_of(facts)
  devices.check_group("cluster.devices", cluster.device, cluster.network.devices)
  check_fields("job", facts.job or {})
  check_fields("plan", plan)
  return {
    facts = facts, estimate = how.estimate, varied = how.varied or {}, searching = how.varied ~= nil,
    model = facts.model, device = cluster.device, network = network_of(cluster), devices = cluster.network.devices,
    plan = plan, job = tables.with(facts.job or {}, {}),
    assumed = {}, open = {}, also_searched = {}, follows = {},
  }
end

-- What a question about training says of a run.
local FACTS <const> = { "model", "cluster", "job", "plan", "software", "profile", "ran", "assume", "together" }

--- The facts among the inputs of a question.
function training.facts(input)
  local facts = {}
  for _, name in ipairs(FACTS) do facts[name] = input[name] end
  return facts
end

--- The complete input of an estimate.
---
--- `facts`: model (a whole model table), cluster (of catalog.clusters), job, plan, software (name, or { name =, year =
--- }), profile (coefficients, in place of the software's), ran (true: the run is known to have run, so that memory
--- held it), assume (true: batch and length may be assumed, too),
--- together (sequences that no micro-batch parts, 1). What plan and job do not say is open.
---
--- The case: model, device, network, plan, job and profile as core.train_step takes them; class, known and traits of
--- the software and its year; assumed, sentences; open, names of the facts that were assumed; facts; also_searched,
--- settings that hang on the rest of a plan, with their values, so that a search has to go over them, else empty; follows,
--- of ballpark.resolve.training.following, settings of plans that a search finds; filled_again, of
--- ballpark.resolve.training.planned, the same with other facts.
---@param facts table
---@param how {estimate: function, varied: table<string, boolean>|nil} estimate: of an input, as core.train_step;
--- varied: the fields of the plan that a search goes over, which then stay open
---@return table case
function training.resolve(facts, how)
  local case = case_of(facts, how)
  for _, rule in ipairs(training.rules) do
    local said = rule.apply(case)
    if said then case.assumed[#case.assumed + 1] = said end
    -- A search recommends a whole plan, so that nothing of it is open.
    if said and (rule.beside_plan or not case.searching) then case.open[#case.open + 1] = rule.fact end
  end
  return case
end

--- Whether published runs on a device mostly multiply in 8 bit.
training.usually_narrow = software.usually_narrow

--- What core.train_step takes, of a case.
function training.input(case)
  return { model = case.model, device = case.device, network = case.network, plan = case.plan, job = case.job,
    profile = case.profile }
end

return training
