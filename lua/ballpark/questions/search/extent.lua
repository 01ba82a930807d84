-- What a search says of itself: how far it went, what bounds spared it, which plans tie.
local objectives = require("ballpark.search.objectives")
local systems = require("ballpark.questions.search.systems")
local units = require("ballpark.units")

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
  local scored = objectives.scoring_rule(answer.found)
  return extent.tied(ties, answer) .. " plans below are within " .. near
    .. " of the best" .. (scored and (" by the score of rule '%s'"):format(scored) or ": an estimate cannot tell them apart" .. order)
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
  return list
end

-- Other systems that are named in the head; a table has all.
local OTHERS <const> = 3

-- "H100-SXM-80GB: 6.55 s, 18.2 days, 109,000 USD".
local function other_text(answer, plan)
  local run, texts = plan.run, { units.format(plan.time.step_s, "s") }
  texts[#texts + 1] = run.run_s and units.format(run.run_s, "s")
  texts[#texts + 1] = (run.cost_usd or run.step_usd) and units.format(run.cost_usd or run.step_usd, "USD")
  return systems.words(answer.systems.axes, plan.input) .. ": " .. table.concat(texts, ", ")
end

-- What the best plans of the next systems come to.
local function others_text(answer)
  local plans, texts = answer.systems.plans, {}
  for i = 2, math.min(#plans, OTHERS + 1) do texts[i - 1] = other_text(answer, plans[i]) end
  local rest = #plans - 1 - #texts
  return table.concat(texts, "; ") .. (rest > 0 and ("; %d more below"):format(rest) or "")
end

--- Facts for above those of the best plan: the systems and jobs that were searched, and the best plans of the next.
function extent.systems(answer, own)
  local of = answer.systems
  if not of then return {} end
  local list = { own("systems", of.all, { text = systems_text(of, answer.best) }) }
  if #of.plans > 1 then list[2] = own("other_systems", others_text(answer)) end
  return list
end

return extent
