-- Why nothing is feasible, turned round: every constraint is loosened by itself and the search run
-- again; what then is feasible names the constraint and how far it has to give.
local fields = require("ballpark.fields")
local varied = require("ballpark.questions.training.varied")
local least = require("ballpark.questions.training.relax_least")
local needed = require("ballpark.questions.training.needed")
local nearest = require("ballpark.questions.training.relax_nearest")
local search = require("ballpark.search.plans")
local step_input = require("ballpark.resolve.step_input")
local spaces = require("ballpark.search.space")
local tables = require("ballpark.tables")

local relax = {}

local function shown(value)
  if type(value) ~= "table" then return tostring(value) end
  if value.from ~= nil then
    return ("%s to %s, %s %s"):format(value.from, value.to, value.step and "by" or "times", value.step or value.times)
  end
  local texts = {}
  for i, item in ipairs(value) do texts[i] = tostring(item) end
  return #texts > 0 and table.concat(texts, ", ") or "nothing"
end

local function line(constraint, now, best, wanted, unit)
  return { constraint = constraint, now = now, needed = wanted, unit = unit or "", plan = best.plan,
    step_s = best.time.step_s }
end

-- The input with one field of the plan left open.
local function freed(input, field)
  local open = varied.with(input, { "plan", field }, nil)
  open = varied.with(open, { "space", field }, "free")
  if field == "dp" or field == "shard" then open.space[field] = nil end -- follow from the others
  return open
end

-- A constraint: { name, now, loosen(input) -> input, needed(best) -> text, nearest(input) -> best }, the
-- last where another plan than the best of the loosened input is nearer to what was asked.
local function field_constraint(field, plan, space)
  local fixed, asked = plan ~= nil, plan
  if not fixed then asked = space end
  local contradict = fixed and space ~= nil -- the space has to give: the plan says what is wanted
  return { name = (contradict and "space." or "plan.") .. field, now = shown(contradict and space or asked),
    loosen = function(input) return freed(input, field) end,
    needed = function(best) return shown(best.plan[field]) end,
    nearest = function(input) return nearest.plan(freed(input, field), field, asked) end }
end

local function rule_constraint(place, name)
  local function loosen(input)
    return varied.with(input, { "without_rules" }, varied.with(input.without_rules or {}, { place }, true))
  end
  return { name = "rule '" .. name .. "'", now = "rejects", needed = function() return "left out" end,
    loosen = loosen, nearest = function(input) return varied.best(loosen(input)) end }
end

-- What a plan that is short of memory may still use and the search was not asked to try: fields that leave the
-- training as it is (offload, how the loss is computed, what is recomputed).
local function untried(input)
  local list, plan, space = {}, input.plan or {}, type(input.space) == "table" and input.space or {}
  for _, field in ipairs(fields.of_plan(function(f) return f.sets ~= "replicas" and f.sets ~= "training" end)) do
    if plan[field] == nil and space[field] == nil and not tables.contains(fields.searched(), field) then
      list[#list + 1] = field_constraint(field, nil, fields.default("train_step", "plan", field))
    end
  end
  return list
end

local function miss_in(tally, reason)
  for _, item in ipairs(tally) do
    if item.reason == reason then return item end
  end
end

-- The rules, then the fields of the plan that are not free.
local function constraints_of(input, found)
  local list, plan, space = {}, input.plan or {}, type(input.space) == "table" and input.space or {}
  for i, rule in ipairs(found.rules) do
    list[#list + 1] = rule_constraint(i, rule.name)
  end
  for _, field in ipairs(tables.sorted_keys(tables.with(plan, space))) do
    if space[field] ~= "free" and field ~= "name" then
      list[#list + 1] = field_constraint(field, plan[field], space[field])
    end
  end
  return list
end

-- Adds what one of the functions of `least` found: a value and the best plan with it, or nothing.
local function add(list, constraint, now, unit, wanted, best)
  if best then list[#list + 1] = line(constraint, now, best, wanted, unit) end
end

--- What would do, each by itself and each tried: { constraint, now, needed, unit, plan, step_s }; where
--- nothing does by itself, what does together, and true.
---@param input table what was searched, complete
---@param found table what the search found: nothing, and a tally of rejections
function relax.search(input, found)
  local list, constraints = {}, constraints_of(input, found)
  local short, uneven, now = miss_in(found.tally, "memory"), miss_in(found.tally, "batch"), varied.devices.get(input)
  if short then
    local item = needed.short_of(short)
    add(list, item.title, item.get(input), "B", least.memory(input, short.example, item))
    if input.fit_chance then add(list, "chance of fitting", input.fit_chance, "frac", least.chance(input)) end
  end
  if short then table.move(untried(input), 1, 64, #constraints + 1, constraints) end
  for _, constraint in ipairs(constraints) do
    local best = constraint.nearest(input)
    add(list, constraint.name, constraint.now, "", best and constraint.needed(best), best)
  end
  if short then
    add(list, "devices", now, "", least.more_devices(input))
    add(list, "job.seq_len", input.job.seq_len, "tok", least.length(input))
  elseif not (input.plan or {}).dp then
    add(list, "devices", now, "", least.near_devices(input, -1))
    add(list, "devices", now, "", least.near_devices(input, 1))
  end
  if uneven then add(list, "job.global_batch", input.job.global_batch, "", least.batch(input, uneven.example)) end
  if #list > 0 then return list, false end
  return require("ballpark.questions.training.relax_together").rows(input, constraints), true
end

--- The same for one plan that does not fit: every field of it is opened by itself. What the software does not launch of
--- the plan is no matter of memory: it stays what is asked for, and its warning says so.
---@param input table of the estimate, complete
---@param plan table its plan, resolved
function relax.estimate(input, plan)
  local fixed = {}
  for field, value in pairs(input.plan or {}) do fixed[field] = value end
  for _, field in ipairs(fields.searched()) do fixed[field] = plan[field] end
  for field in pairs(spaces.follows()) do fixed[field] = nil end
  local asked = varied.with(varied.with(input, { "plan" }, fixed), { "fit_chance" }, 0.5)
  asked.launched = step_input.plain(input, plan).plan
  return relax.search(asked, search.run(asked))
end

return relax
