-- What only a picture shows of a search: more of its plans, and the best one of each pair of tensor and pipeline parallel
-- degrees with why other pairs are out.
local best = require("ballpark.search.best")
local errors = require("ballpark.errors")
local search = require("ballpark.questions.search.run")
local tables = require("ballpark.tables")

local drawn = {}

-- Plans beside those that were asked for.
local PLANS <const> = 150

-- Degrees of each kind in the map.
local DEGREES <const> = 8

--- Plans of an answer about one system and job, best first.
function drawn.plans(answer) return search.more(answer, { top = PLANS }).plans end

-- Degrees of a field that some plan has, and powers of two below the largest, in order.
local function degrees_of(plans, field)
  local list, seen, most = {}, {}, 1
  for _, plan in ipairs(plans) do
    local value = plan.plan[field]
    list[#list + 1], seen[value], most = not seen[value] and value or nil, true, math.max(most, value)
  end
  local power = 1
  while power <= most do
    list[#list + 1] = not seen[power] and power or nil
    power = 2 * power
  end
  table.sort(list)
  return { table.unpack(list, 1, math.min(#list, DEGREES)) }
end

-- Why no plan of a pair is feasible.
local function reason_of(answer, tp, pp)
  local space = tables.with(answer.input.space, { tp = { tp }, pp = { pp } })
  local found, refused = errors.try(search.more, answer, { top = 1, space = space })
  if refused then return tostring(refused) end
  return found.miss and found.miss.reason or "not possible"
end

--- Rows { tp, pp, status, reason, step_s }: the best plan of each pair of degrees; none where the search goes over one
--- degree of either.
function drawn.degrees(answer)
  local plans = best.of_each(search.more(answer, { top = PLANS, differ = { "tp", "pp" } }).plans, function(plan)
    return plan.plan.tp .. " " .. plan.plan.pp
  end)
  local by_pair, rows = {}, {}
  for _, plan in ipairs(plans) do by_pair[plan.plan.tp .. " " .. plan.plan.pp] = plan end
  local tps, pps = degrees_of(plans, "tp"), degrees_of(plans, "pp")
  local space, plan = answer.input.space or {}, answer.input.plan or {}
  for _, field in ipairs({ "tp", "pp" }) do
    if space[field] ~= nil or plan[field] ~= nil then return rows end
  end
  for _, tp in ipairs(tps) do
    for _, pp in ipairs(pps) do
      local found = by_pair[tp .. " " .. pp]
      rows[#rows + 1] = { tp, pp, found and "ok" or "infeasible", not found and reason_of(answer, tp, pp) or nil,
        found and found.time.step_s }
    end
  end
  return rows
end

return drawn
