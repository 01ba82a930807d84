-- How much the winner depends on its inputs: each turned by a tenth down and up, its step estimated
-- again, and the whole search run again to see whether another plan wins.
local fields = require("ballpark.fields")
local varied = require("ballpark.questions.training.varied")
local space = require("ballpark.search.space")

local sensitivity = {}

local SHARE <const> = 0.1

local PLAIN = { varied.link, varied.nic, varied.memory_bandwidth, varied.peak, varied.power, varied.memory,
  varied.price }

-- A batch has to be cut up as before: it changes by the largest part that every plan's cut shares, an
-- eighth at most where it can.
local function batch_unit(input, plan)
  local batch = input.job.global_batch
  local unit = plan.dp * plan.micro_batch * (plan.vpp > 1 and plan.pp or 1)
  while unit * 2 <= batch // 8 and batch % (unit * 2) == 0 do unit = unit * 2 end
  return unit
end

local function values(item, input, plan)
  local now = item.get(input)
  if type(now) ~= "number" or now == 0 then return nil end
  if item ~= varied.batch then return now, now * (1 - SHARE), now * (1 + SHARE) end
  local unit = batch_unit(input, plan)
  return now, math.max(unit, now - unit), now + unit
end

-- The winner's step and cost on the changed input, and who wins there.
local function side(item, input, winner, value)
  local changed = item.set(input, value)
  local step = varied.step(changed, winner.plan)
  local best = varied.best(changed)
  local out = { value = item.get(changed), plan = best and best.plan }
  if step then
    out.step_frac = step.time.step_s / winner.time.step_s - 1
    local before, after = varied.price.get(input), varied.price.get(changed)
    if before and before > 0 then out.cost_frac = (1 + out.step_frac) * after / before - 1 end
  end
  out.fits = step ~= nil and step.fits
  out.same = best ~= nil and step ~= nil and varied.same_plan(best.plan, step.plan)
  return out
end

local function effect(row)
  return math.max(math.abs(row.low.step_frac or 0), math.abs(row.high.step_frac or 0),
    math.abs(row.low.cost_frac or 0), math.abs(row.high.cost_frac or 0))
end

local function turn(list, item, input, winner)
  local now, low, high = values(item, input, winner.plan)
  if not now then return end
  local row = { name = item.name, title = item.title, unit = item.unit, value = now,
    low = side(item, input, winner, low), high = side(item, input, winner, high) }
  row.effect = effect(row)
  list[#list + 1] = row
end

-- All inputs that are turned.
local function all_varied()
  local list = table.move(PLAIN, 1, #PLAIN, 1, {})
  list[#list + 1] = varied.batch
  return table.move(varied.coefficients(), 1, #varied.coefficients(), #list + 1, list)
end

--- How many that are: what `tick` is called for.
function sensitivity.count() return #all_varied() end

--- One row per input, the largest effect first: { name, title, unit, value, low, high, effect }; low and
--- high are { value, step_frac, cost_frac, fits, same, plan }: what the winner's step and cost change by,
--- and the plan that wins there (same: still the winner).
---@param input table what was searched, complete
---@param winner table the best plan: { plan =, time = }
---@param tick fun()|nil called after every input: large spaces take their time
function sensitivity.of(input, winner, tick)
  local list = {}
  for _, item in ipairs(all_varied()) do
    turn(list, item, input, winner)
    if tick then tick() end
  end
  for i, row in ipairs(list) do row.place = i end
  table.sort(list, function(a, b)
    if a.effect ~= b.effect then return a.effect > b.effect end
    return a.place < b.place
  end)
  return list
end

-- An estimate has one plan; the search beside it varies nothing.
local function as_search(answer)
  local plan = {}
  for field, value in pairs(answer.input.plan or {}) do plan[field] = value end
  for _, field in ipairs(fields.searched()) do plan[field] = answer.plan[field] end
  for field in pairs(space.follows()) do plan[field] = nil end
  return varied.with(varied.with(answer.input, { "plan" }, plan), { "fit_chance" }, 0.5)
end

--- The same for what search or estimate answered.
function sensitivity.answer(answer, tick)
  if answer.kind == "search" then return sensitivity.of(answer.input, answer.best, tick) end
  return sensitivity.of(as_search(answer), answer, tick)
end

return sensitivity
