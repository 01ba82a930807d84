-- The explanations that cost searches of their own, as tables of a result: what to relax when nothing is
-- feasible, what would have to change for a plan to win, and what the winner hangs on. Only reports that
-- a person asked for pay for them: sweeps, comparisons and shards do not.
local plan_text = require("ballpark.questions.training.plan_text")

local explained = {}

local PAYS = { run = true, search = true }

-- Plans of a space that is searched within a few seconds, so that searching it again is no matter.
local SMALL_SPACE <const> = 20000000

--- Whether explanations are worth their time in this result. They search again: not after a search that
--- was long or not complete (`found` is what it found; nil for an estimate).
function explained.wanted(r, found)
  if found and (not found.searched.complete or found.searched.size > SMALL_SPACE) then return false end
  return PAYS[r.command] and not r.numbers_only or false
end

--- Says that explanations which search again were left out, where they are wanted and the space is too large.
function explained.say_left_out(r, found)
  if not PAYS[r.command] or r.numbers_only or not found.searched.complete or found.searched.size <= SMALL_SPACE then return end
  r:note(("What would help was not searched for: the space has more than %d million plans."):format(
    SMALL_SPACE // 1000000))
end

local function relax_rows(list)
  local rows = {}
  for i, item in ipairs(list) do
    rows[i] = { constraint = item.constraint, now = item.now, needed = item.needed, base_unit = item.unit,
      step_s = item.step_s, plan = plan_text.short(item.plan) }
    if item.unit == "B" and type(item.now) == "number" then rows[i].more_bytes = item.needed - item.now end
  end
  return rows
end

--- Which constraint to relax, by how much: each by itself, or all of the list together; `where` says on
--- which of several systems.
function explained.relax(r, list, together, where)
  if #list == 0 then
    r:note("No constraint of the plan, rule or amount of memory is in the way: model, job and cluster do "
      .. "not go together.")
    return
  end
  r:table({ name = "relax", title = "What to relax" .. (where and (" on " .. where) or "")
    .. (together and " (all of it together, tried)" or " (each tried by itself)"), columns = {
    { name = "constraint", title = "constraint" }, { name = "base_unit", hide = true },
    { name = "now", title = "now", unit_column = "base_unit" },
    { name = "needed", title = "works with", unit_column = "base_unit" },
    { name = "more_bytes", unit = "B", title = "more" },
    { name = "step_s", unit = "s", title = "step" }, { name = "plan", title = "best plan then" },
  }, rows = relax_rows(list) })
end

local function nothing_wins(list)
  for _, item in ipairs(list) do
    if item.bound ~= "none" then return false end
  end
  return true
end

--- What would have to change for the plan to reach the goal: "to win".
function explained.needed(r, list, goal)
  if #list == 0 then return end
  local rows = {}
  for i, item in ipairs(list) do
    rows[i] = { input = item.input, base_unit = item.unit, value = item.value,
      bound = item.bound == "none" and "no value does it" or item.bound, needed = item.needed,
      factor = item.factor, step_s = item.step_s, rank = item.rank }
  end
  r:table({ name = "needed", title = "What would have to change for it " .. goal, columns = {
    { name = "input", title = "" }, { name = "base_unit", hide = true },
    { name = "value", title = "now", unit_column = "base_unit" }, { name = "bound", title = "" },
    { name = "needed", title = "needed", unit_column = "base_unit" }, { name = "factor", title = "times" },
    { name = "step_s", unit = "s", title = "step then" }, { name = "rank", title = "place then" },
  }, rows = rows })
  if nothing_wins(list) then
    r:note("No single input, within 64 times and a 64th of its value, makes that plan as fast as the best.")
  end
end

local function wins_there(side)
  if not side.plan then return "no plan fits" end
  return side.same and "same" or plan_text.short(side.plan)
end

-- For people: one column for both directions.
local function winner_text(low, high)
  if low == high then return low end
  local texts = {}
  if low ~= "same" then texts[1] = "down: " .. low end
  if high ~= "same" then texts[#texts + 1] = "up: " .. high end
  return table.concat(texts, "; ")
end

-- Nobody reads a table of thousandths.
local SMALL_FRAC = 1e-4

local function sensitivity_row(item)
  local low, high = wins_there(item.low), wins_there(item.high)
  return { input = item.title, name = item.name, base_unit = item.unit, value = item.value,
    low = item.low.value, high = item.high.value,
    low_step_frac = item.low.step_frac, high_step_frac = item.high.step_frac,
    low_cost_frac = item.low.cost_frac, high_cost_frac = item.high.cost_frac,
    low_winner = low, high_winner = high, winner = winner_text(low, high) }
end

local function matters(item)
  return item.effect >= SMALL_FRAC or not item.low.same or not item.high.same
end

--- What the winner hangs on: its inputs a tenth down and up.
function explained.sensitivity(r, list)
  local rows = {}
  for _, item in ipairs(list) do
    if matters(item) then rows[#rows + 1] = sensitivity_row(item) end
  end
  r:table({ name = "sensitivity", title = "Every input 10 % down and up: step, cost and winner then", columns = {
    { name = "name", title = "input" }, { name = "input", hide = true }, { name = "base_unit", hide = true },
    { name = "value", title = "now", unit_column = "base_unit" },
    { name = "low", hide = true }, { name = "high", hide = true },
    { name = "low_step_frac", unit = "frac", title = "step down" },
    { name = "high_step_frac", unit = "frac", title = "up" },
    { name = "low_cost_frac", unit = "frac", title = "step cost down" },
    { name = "high_cost_frac", unit = "frac", title = "up" },
    { name = "low_winner", hide = true }, { name = "high_winner", hide = true },
    { name = "winner", title = "winner then", human = true },
  }, rows = rows })
  for _, item in ipairs(list) do
    if item.name == "global_batch" then
      r:note("global_batch is turned to " .. item.low.value .. " and " .. item.high.value
        .. ": it has to be cut up as before.")
    end
  end
  local rest = #list - #rows
  if rest > 0 then
    r:note(rest .. " inputs change the step by less than 0.01 % and keep the winner; they are not shown.")
  end
end

return explained
