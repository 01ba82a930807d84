-- A search for plans that run a schedule of the scenario. The search itself ranks by the closed form of a built-in
-- schedule; its best plans are estimated again with the schedule simulated, and ordered by that.
local best = require("ballpark.search.best")
local errors = require("ballpark.errors")
local objectives = require("ballpark.search.objectives")
local schedules = require("ballpark.schedules")
local simulated = require("ballpark.resolve.simulated")
local step_input = require("ballpark.resolve.step_input")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local own_schedule = {}

-- Plans that are estimated again for one that is answered, for the order changes where schedules waste differently; and
-- plans that are looked at for so many that fit.
local AGAIN_FOR_ONE <const>, LOOKED_AT_FOR_ONE <const> = 4, 20

-- Plans that a search answers unless told otherwise.
local USUAL_TOP <const> = 10

-- One schedule, no list of them.
local function is_one(given)
  return type(given) == "function" or type(given) == "table" and given.order ~= nil
end

--- The input with a schedule that the space names as its only one in the plan; a list may only hold names.
function own_schedule.in_plan(input)
  local given = type(input.space) == "table" and input.space.schedule
  if is_one(given) then
    local space = tables.with(input.space)
    space.schedule = nil
    return tables.with(input, { space = space, plan = tables.with(input.plan, { schedule = given }) })
  end
  for _, value in ipairs(type(given) == "table" and given or {}) do
    if is_one(value) then
      errors.input("space.schedule", "lists built-in schedules only: give a function alone, as plan.schedule")
    end
  end
  return input
end

--- What is searched; `input` is complete.
function own_schedule.searched(input)
  if not schedules.is_own(input.plan.schedule) then return input end
  if input.deadline_s then
    errors.input("deadline_s", "is only reckoned with under a built-in schedule, not " .. input.plan.schedule.name)
  end
  return tables.with(input, { top = LOOKED_AT_FOR_ONE * (input.top or USUAL_TOP) })
end

-- What a plan is worth with another step and memory; no deadline is asked for.
local function worth_of(worth, before, step)
  local ratio = step.time.step_s / before.step_s
  return tables.with(worth, { step_usd = worth.step_usd * ratio, tok_usd = worth.tok_usd * ratio,
    step_j = worth.step_j * ratio, headroom_bytes = step.memory.capacity_bytes - step.memory.total_bytes })
end

-- The plan under the schedule, and whether it fits; without a pipeline there is nothing to order.
local function again(input, objective, kept)
  if kept.plan.pp == 1 then return kept, true end
  local plan = tables.with(kept.plan, { schedule = input.plan.schedule })
  local step = simulated.step(step_input.of(input, plan))
  local other = tables.with(kept, { plan = step.plan, time = step.time, memory = step.memory,
    worth = worth_of(kept.worth, kept.time, step) })
  other.score = objectives.value(objective, other, input.cluster.network.devices) or kept.score
  return other, step.memory.fit_probability >= input.fit_chance
end

-- The plans of a list that fit under the schedule, up to `most`; how many were looked at, and the one that came nearest
-- of those that do not fit.
local function fitting(input, objective, list, most)
  local kept, looked_at, nearest = {}, 0, nil
  for _, plan in ipairs(list) do
    if #kept == most then break end
    local other, fits = again(input, objective, plan)
    looked_at = looked_at + 1
    if fits then
      kept[#kept + 1] = other
    elseif not nearest or other.memory.total_bytes < nearest.memory.total_bytes then
      nearest = other
    end
  end
  return kept, looked_at, nearest
end

-- A line of the tally for the plans that do not fit under the schedule.
local function rejected(name, count, nearest)
  local memory = nearest.memory
  return { reason = "memory under " .. name, count = count, index = nearest.index, example = nearest.plan,
    time = nearest.time, memory = memory,
    text = ("needs %.1f of %.1f GiB under %s, with %d micro-batches in flight on stage %d"):format(
      memory.total_bytes / units.GiB(1), memory.capacity_bytes / units.GiB(1), name, memory.in_flight, memory.stage) }
end

local function words(name, looked_at, fitted, why)
  return ("Schedule: the search ranks plans by the closed form of 1f1b; the best %d of them are estimated again with %s, "
    .. "simulated, and ordered by that%s. Plans that fit only under %s are not looked for.%s"):format(looked_at, name,
    fitted < looked_at and ("; %d of them do not fit"):format(looked_at - fitted) or "", name,
    why and " What is said of the plan that was asked about goes by 1f1b." or "")
end

--- What a search found, with the schedule of the scenario: plans and front estimated again; own_schedule, a sentence
--- that says so; and own_miss, the line of the tally that came nearest where no plan fits.
function own_schedule.estimated(input, found, top)
  local own = input.plan.schedule
  if not schedules.is_own(own) then return found end
  top = top or USUAL_TOP
  local function ranks_of(kept)
    local ranks = {}
    for i, name in ipairs(found.objectives) do
      ranks[i] = objectives.rank(name, objectives.value(name, kept, input.cluster.network.devices) or kept.score)
    end
    return ranks
  end
  local plans, looked_at, nearest = fitting(input, found.objective, found.plans, AGAIN_FOR_ONE * top)
  local function order_of(kept)
    return { objectives.order(found.objective, kept, input.cluster.network.devices) or kept.score }
  end
  local result = tables.with(found, { plans = best.first(best.sorted(plans, order_of), top),
    own_schedule = words(own.name, looked_at, #plans, input.why) })
  if found.front then result.front = best.front(fitting(input, found.objective, found.front), ranks_of) end
  if nearest then
    local line = rejected(own.name, looked_at - #plans, nearest)
    result.tally = table.move(found.tally, 1, #found.tally, 2, { line })
    result.own_miss = #plans == 0 and line or nil
  end
  return result
end

return own_schedule
