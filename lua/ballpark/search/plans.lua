-- The search for plans: from the inputs of a scenario to the core and back.
local best = require("ballpark.search.best")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local rules = require("ballpark.rules")
local searched = require("ballpark.search.searched")
local simulated = require("ballpark.resolve.simulated")
local spaces = require("ballpark.search.space")
local tables = require("ballpark.tables")

local plans = {}

-- `without_rules` leaves some out by their place: what relaxing constraints needs.
local function loaded_rules(input)
  local loaded, kept = rules.load(input.rules), {}
  for i, rule in ipairs(loaded) do
    if not (input.without_rules and input.without_rules[i]) then kept[#kept + 1] = rule end
  end
  return kept
end

-- Settings that each plan has by the rest of it, but for those that the input has got another value of since, or a list.
local function follows(input)
  local case, kept = input.case, {}
  local space = type(input.space) == "table" and input.space or {}
  for _, rule in ipairs(case and case.follows or {}) do
    if space[rule.field] == nil and (input.plan or {})[rule.field] == case.plan[rule.field] then kept[#kept + 1] = rule end
  end
  return kept
end

-- What the core is asked, and the fields of the space that have no value.
local function request(input)
  local cluster = input.cluster
  if type(cluster) ~= "table" or not cluster.device or not cluster.network then
    errors.input("cluster", "must be made with cluster{device = ..., devices = ...}")
  end
  local plan = simulated.plain(input.plan or {})
  local space, empty = spaces.split(plan, input.space)
  return {
    model = input.model, device = cluster.device, network = cluster.network,
    job = input.job, profile = input.profile, plan = plan, space = space, follows = follows(input),
    objective = input.objective, top = input.top, fit_chance = input.fit_chance, usd_h = input.price or cluster.usd_h,
    differ = input.differ, front = input.front, deadline_s = input.deadline_s,
    goodput_frac = input.goodput_frac, time_spread = input.time_spread, pue = input.pue, exhaustive = input.exhaustive,
    launched = input.launched, rules = loaded_rules(input), units = rules.units(),
  }, empty
end

-- What a search answers that had nothing to look at; `found` is what it finds with the fields open: its best
-- plan is the nearest there is.
local function none_of(found, empty)
  local near = found.plans[1] and found.plans[1].plan or found.tally[1] and found.tally[1].example
  return { objective = found.objective, objectives = found.objectives, rules = found.rules, plans = {}, tally = {},
    front = found.front and {}, space_size = 0, evaluated = 0, feasible = 0, duplicates = 0, bounded = 0,
    empty = { reason = "space", text = empty[1].text, example = near, count = 0 } }
end

-- The answer with how much of the space it rests on.
local function looked_at(found)
  local cut = found.interrupted
  found.interrupted = nil
  found.searched = searched.of(found.space_size, cut and cut.looked_at or found.space_size, cut and "interrupted")
  return found
end

--- The best plans of a space.
---
--- `space` says per field of the plan what it may be: one value, a list, or "free" for every value
--- that can be valid. Fields that nobody mentions are free where they shape the plan (tp, pp, vpp, cp,
--- ep, zero, recompute, micro_batch) and at their default elsewhere; those in `plan` are fixed.
---
--- The answer: objective; space_size; evaluated = feasible + everything in tally; duplicates (plans
--- that mean the same as an earlier one); plans = { { index, score, plan, memory, time, worth }, ... },
--- best first; front: the Pareto front where objective is a list; bounded: plans of a large space that
--- were not looked at because none can be better than bound, and are in none of the other counts;
--- tally = { { reason, count, index, example, text, memory?, short_bytes?, time? }, ... }, the most
--- frequent reason first, each with its nearest miss; rules = { { name, why }, ... }; empty: the line that
--- says why the space is written so that it holds no plan; searched: how much of the space was looked at, see
--- ballpark.search.searched. No feasible plan is an answer, not an error.
---
--- `launched` is a resolved plan that is taken to run as it is: what the software does not launch of it is no reason
--- against plans that have the same.
---
--- `execution` carries the main search of a command out on the threads, as the shard, from the checkpoint that the
--- command line asks for.
---@param input table model, cluster, job; and, optional, plan, space, profile, price, objective, top, rules, launched
---@param execution table|nil of ballpark.search.execution
---@param point integer|nil which of the systems and jobs of one question this is, from 1
function plans.run(input, execution, point)
  local asked, empty = request(input)
  if #empty == 0 then
    if execution then return looked_at(rules.call(asked.rules, execution.run, execution, asked, point)) end
    return looked_at(rules.call(asked.rules, core.search, asked))
  end
  if execution then execution:refuse_shard(empty[1].text) end
  asked = request(spaces.opened(input, empty))
  return looked_at(none_of(rules.call(asked.rules, core.search, asked), empty))
end

local function default_of(field)
  local about = fields.by_name(fields.input("train_step", "plan"))[field]
  return about and about.default
end

-- The value that a field of the space says where only one can be meant: its only value, or the first of a list
-- that leaves the default out.
local function told(field, values)
  local list = spaces.listed(values)
  if not list or #list == 0 then return nil end
  if #list > 1 and (spaces.follows()[field] or tables.contains(list, default_of(field))) then return nil end
  return list[1]
end

-- The plan asked about: what the search was told, in its plan and in its space, with the fields of `plan` over it.
local function whole_plan(input, plan)
  local whole, space = {}, type(input.space) == "table" and input.space or {}
  for field, values in pairs(space) do whole[field] = told(field, values) end
  return simulated.plain(tables.with(tables.with(whole, input.plan), plan))
end

--- What the search says about one plan, which has what the search was told where it does not say otherwise:
--- verdict ("feasible", "rule", or the reason as the tally has it: "memory", "devices", ...), reason, text,
--- the resolved plan, what is known of memory, time and worth, and for a feasible plan its rank among the feasible
--- plans of the space.
function plans.why(input, plan)
  if type(plan) ~= "table" then errors.input("why", "must be a table of plan fields, got " .. type(plan)) end
  local asked, empty = request(input)
  if #empty > 0 then asked = request(spaces.opened(input, empty)) end
  return rules.call(asked.rules, core.why, asked, whole_plan(input, plan))
end

-- The order in which plans are checked; memory and rules come behind.
local CHECKS = { "devices", "heads", "layers", "sequence", "experts", "sharding", "batch", "schedule", "precision" }

local place = {}
for i, reason in ipairs(CHECKS) do place[reason] = i end

--- The rejection that came nearest to a plan: the best plan that only a rule rejected (it fits), else the
--- least memory short, else the plan that got furthest in the order of the checks. nil when nothing was rejected.
function plans.nearest_miss(answer)
  return answer.empty or (best.nearest(answer.tally, function(line)
    return line.reason:find("^rule: ") and 1 or line.short_bytes and 2 or 3 + #CHECKS - (place[line.reason] or 0)
  end))
end

return plans
