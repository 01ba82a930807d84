-- How a fine-tuning is run where nobody states it: as the software does unasked, unless that does not surely fit, or
-- another way is clearly faster: states sharded, or layers recomputed so that more samples go through at a time.
local fits = require("ballpark.range.fits")
local recompute_modules = require("ballpark.resolve.training.recompute_modules")
local tables = require("ballpark.tables")

local ways = {}

-- What the plan may have besides, each with its words; none of it where it is stated or so already.
local function others(facts, plan, case)
  local list = {}
  if case.zero_open and plan.zero < 3 and plan.dp * plan.cp > 1 then
    list[#list + 1] = { changes = { zero = 3 }, words = "ZeRO stage 3" }
  end
  if not facts.plan.recompute and not recompute_modules.any(facts.plan) then
    -- Recomputing alone is another way only where the first does not recompute; beside a sharding it always is, since
    -- what a plan of sharded states recomputes of itself depends on the memory that is left.
    for i = plan.recompute == "full" and 1 or 0, #list do
      local beside = list[i] or { changes = {}, words = "" }
      list[#list + 1] = { changes = tables.with(beside.changes, { recompute = "full" }),
        words = beside.words .. (i > 0 and ", " or "") .. "full recomputation" }
    end
  end
  return list
end

--- So much faster another way has to be for software to be run otherwise than as it comes: estimates of a step are no
--- closer (assumption).
ways.WORTH_IT = 1.05

-- Whether a way is to be preferred to another: one that surely fits, then one that is `by` times as fast; else the
-- likelier to fit.
local function is_better(way, than, by)
  local sure, other_sure = way.memory.fit_probability >= fits.SURE, than.memory.fit_probability >= fits.SURE
  if sure ~= other_sure then return sure end
  if sure then return by * way.step.time.step_s < than.step.time.step_s end
  return way.memory.fit_probability > than.memory.fit_probability
end

--- The best way of try(facts), a table with full (the completed input), step and memory.
---@param facts table as estimate{} takes them
---@param try fun(facts: table): table
function ways.best(facts, try)
  local first = try(facts)
  local best, words = first, nil
  for _, other in ipairs(others(facts, first.full.plan, first.full.case)) do
    local way = try(tables.with(facts, { plan = tables.with(facts.plan, other.changes) }))
    if is_better(way, best, best == first and ways.WORTH_IT or 1) then best, words = way, other.words end
  end
  if words then
    local assumed, sure = best.full.case.assumed, best.memory.fit_probability >= fits.SURE
    assumed[#assumed + 1] = words .. (sure and ", the fastest that surely fits" or ", the likeliest to fit")
  end
  return best
end

return ways
