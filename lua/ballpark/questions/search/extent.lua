-- What a search says of itself: how far it went, what bounds spared it, which plans tie.
local objectives = require("ballpark.search.objectives")
local systems = require("ballpark.questions.search.systems")

local extent = {}

-- Scores this close are called a tie: far below what an estimate can tell apart. A choice of ours.
extent.TIE_FRAC = 0.01

--- How many of the best plans tie with the first, itself included: of chances, those that are as close in
--- points. Devices are counted, not estimated.
function extent.ties(plans, objective)
  local best, count = plans[1] and plans[1].score, 0
  if not best or objective == "devices" then return #plans > 0 and 1 or 0 end
  local scale = objectives.is_measure(objective) and math.abs(best) or 1
  for _, plan in ipairs(plans) do
    if math.abs(plan.score - best) <= extent.TIE_FRAC * scale then count = count + 1 end
  end
  return count
end

--- "all {ties}" of the plans of an answer, "both" or "{ties}".
function extent.tied(ties, answer)
  local all = ties == #answer.plans
  return all and ties == 2 and "both" or all and "all {ties}" or "{ties}"
end

-- Equal chances are common: the fastest plan comes first among them.
local function ties_text(ties, answer)
  local near, order = "1 %", ""
  if not objectives.is_measure(answer.found.objective) then near, order = "a point", "; equal ones go by step time" end
  return extent.tied(ties, answer) .. " plans below are within " .. near
    .. " of the best: an estimate cannot tell them apart" .. order
end

-- Lists longer than this are shown by their ends.
local LISTED <const> = 6

-- "6 systems and jobs: device A100, H100; devices 8, 16, 32".
local function systems_text(searched_over, best)
  local texts = {}
  for i, axis in ipairs(searched_over.axes) do
    local values = {}
    for n, value in ipairs(axis.values) do values[n] = systems.value(axis.field, value) end
    local list = #values <= LISTED and table.concat(values, ", ")
      or ("%d from %s to %s"):format(#values, values[1], values[#values])
    texts[i] = axis.field .. " " .. list
  end
  return "{systems} systems and jobs: " .. table.concat(texts, "; ")
    .. (best and ("; best: " .. systems.words(searched_over.axes, best.input)) or "")
end

--- Facts for below those of the best plan; `own` makes one. `told`: another line says which plans tie.
function extent.facts(answer, own, told)
  local found, list = answer.found, {}
  local ties = extent.ties(answer.plans, found.objective)
  list[#list + 1] = own("ties", ties, { title = "Tie", hide = told or ties < 2,
    text = ties_text(ties, answer) })
  if (found.bounded or 0) > 0 then
    list[#list + 1] = own("bounded", found.bounded, { title = "Spared",
      text = "{bounded} plans that cannot be among the best, by bounds on time; --exhaustive looks at them, too" })
  end
  if answer.systems then
    list[#list + 1] = own("systems", answer.systems.all, { text = systems_text(answer.systems, answer.best) })
  end
  return list
end

return extent
