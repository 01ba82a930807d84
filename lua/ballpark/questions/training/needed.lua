-- What would have to change for a plan to win: per input the nearest value at which no plan of the space
-- is faster, found by evaluating again; or that no value does it.
local errors = require("ballpark.errors")
local halves = require("ballpark.halves")
local host = require("ballpark.questions.training.host")
local varied = require("ballpark.questions.training.varied")
local search = require("ballpark.search.plans")

local needed = {}

-- How far an input is turned, and in how many steps, before "no value does it" is said.
local FARTHEST, STEPS = 64, 24
-- Halvings of the last step: about nine digits.
local HALVINGS = 30

local SPEEDS = { varied.link, varied.nic, varied.memory_bandwidth, varied.peak, varied.power }

-- Rounds of "beaten by yet another plan" after which an input is given up.
local ROUNDS = 16

-- Whether the plan fits and is as fast as every rival that fits, all on the input.
local function beats(input, plan, rivals)
  local mine = varied.step(input, plan)
  if not mine or not mine.fits then return false end
  for _, rival in ipairs(rivals) do
    local theirs = varied.step(input, rival)
    if theirs and theirs.fits and theirs.time.step_s < mine.time.step_s then return false end
  end
  return true
end

-- The factor nearest to 1 in one direction at which the test holds, or nil.
local function crossing(holds, direction)
  local grow = FARTHEST ^ (direction / STEPS)
  local below = 1.0
  for _ = 1, STEPS do
    local above = below * grow
    if holds(above) then
      for _ = 1, HALVINGS do
        local middle = math.sqrt(below * above)
        if holds(middle) then above = middle else below = middle end
      end
      return above
    end
    below = above
  end
end

-- The plan's place when the input has this value.
local function place(input, plan)
  local ok, why = errors.attempt(search.why, input, plan)
  return ok and why.rank or nil
end

local function line(item, input, plan, now, factor, bound)
  local changed = item.set(input, now * factor)
  local step = varied.step(changed, plan)
  return { input = item.title, name = item.name, unit = item.unit, value = now, bound = bound,
    needed = item.get(changed), factor = factor, step_s = step.time.step_s, rank = place(changed, plan) }
end

local function nothing(item, now)
  return { input = item.title, name = item.name, unit = item.unit, value = now, bound = "none" }
end

-- The factor in one direction at which the plan wins. Where it has caught up with the best of today,
-- another plan may lead: that one becomes a rival, too, until the plan is in front or out of reach.
local function winning(item, input, plan, best, direction)
  local now, rivals = item.get(input), { best }
  for _ = 1, ROUNDS do
    local factor = crossing(function(f) return beats(item.set(input, now * f), plan, rivals) end, direction)
    if not factor then return nil end
    local changed = item.set(input, now * factor)
    local leader = varied.best(changed)
    if not leader or beats(changed, plan, { leader.plan }) then return factor end
    rivals[#rivals + 1] = leader.plan
  end
end

-- Rows of one speed: at least so much, at most so little, or none.
local function speed(list, item, input, plan, best)
  local now = item.get(input)
  if not now or now <= 0 then return end
  local up = winning(item, input, plan, best, 1)
  local down = winning(item, input, plan, best, -1)
  if up then list[#list + 1] = line(item, input, plan, now, up, "at least") end
  if down then list[#list + 1] = line(item, input, plan, now, down, "at most") end
  if up or down then return end
  local level = crossing(function(f) return beats(item.set(input, now * f), plan, { best }) end, 1)
  list[#list + 1] = level and line(item, input, plan, now, level, "passes today's best at") or nothing(item, now)
end

--- The item of the memory that a rejected plan misses: its host's or its device's.
---@param rejected table with memory and short_bytes, or without where nothing is missed
function needed.short_of(rejected)
  local short_bytes = rejected.short_bytes
  return short_bytes and host.is_short(rejected.memory, short_bytes) and varied.host_memory or varied.memory
end

--- Least memory of a device, or of a host, with which a step fits with the chance asked, to the byte; nil when
--- none within FARTHEST times is large enough.
---@param item table varied.memory or varied.host_memory
function needed.memory(input, plan, item)
  local now = item.get(input)
  local function fits(bytes)
    local step = varied.step(item.set(input, bytes), plan)
    return step and step.fits
  end
  if fits(now) then return now end
  local high = now
  repeat
    if high > now * FARTHEST then return nil end
    high = high * 2
  until fits(high)
  local bytes = halves.smallest(high // 2, high, fits)
  return math.tointeger(bytes) or bytes
end

local function memory(list, input, plan, item)
  local now = item.get(input)
  local bytes = needed.memory(input, plan, item)
  if not bytes or bytes == now then
    list[#list + 1] = nothing(item, now)
    return
  end
  local row = line(item, input, plan, now, bytes / now, "at least")
  row.needed = bytes
  local changed = item.set(input, bytes)
  local leader = varied.best(changed)
  if not leader or not beats(changed, plan, { leader.plan }) then row.bound = "fits with" end
  list[#list + 1] = row
end

-- The same plan with another micro-batch: the fastest that fits.
local function micro_batch(list, input, plan, best)
  local share, found = input.job.global_batch // plan.dp, nil
  for size = 1, math.min(share, FARTHEST) do
    if share % size == 0 and size ~= plan.micro_batch then
      local step = varied.step(input, varied.with(plan, { "micro_batch" }, size))
      if step and step.fits and (not found or step.time.step_s < found.step.time.step_s) then
        found = { size = size, step = step }
      end
    end
  end
  local row = { input = "micro-batch", name = "micro_batch", unit = "", value = plan.micro_batch, bound = "none" }
  if found and found.step.time.step_s <= varied.step(input, best).time.step_s then
    row.bound, row.needed, row.factor = "exactly", found.size, found.size / plan.micro_batch
    row.step_s = found.step.time.step_s
    row.rank = place(input, found.step.plan)
  end
  list[#list + 1] = row
end

-- Objectives that order the plans of one system as their step times do.
local AS_TIME = { step_s = true, tokens_per_s = true, step_usd = true, tok_usd = true, step_j = true, devices = true }

--- What the rows of needed.of are for: they go by step time, whatever else a search orders by.
function needed.goal(objective) return AS_TIME[objective] and "to win" or "to be the fastest" end

--- Rows { input, name, unit, value, bound = "at least" | "at most" | "exactly" | "fits with" |
--- "passes today's best at" (another one wins there) | "none",
--- needed, factor, step_s, rank } for a plan that is not the best; empty for the best itself, for a plan
--- that contradicts model or cluster, or one that a rule rejects.
---@param input table what was searched, complete
---@param why table what search.why said of the plan
---@param best table the best plan, resolved
function needed.of(input, why, best)
  local plan, list = why.plan, {}
  input = varied.with(input, { "objective" }, "step_s")
  if why.verdict ~= "memory" and (why.verdict ~= "feasible" or not best or varied.same_plan(plan, best)) then
    return list
  end
  if why.verdict == "memory" or not best then
    memory(list, input, plan, needed.short_of(why))
  else
    for _, item in ipairs(SPEEDS) do speed(list, item, input, plan, best) end
    list[#list + 1] = nothing(varied.memory, varied.memory.get(input))
  end
  if best then micro_batch(list, input, plan, best) end
  return list
end

return needed
