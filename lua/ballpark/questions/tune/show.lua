-- What a report says of runs to make next.
local assumed_show = require("ballpark.questions.training.facts")
local plan_columns = require("ballpark.questions.training.plan_columns")
local plan_text = require("ballpark.questions.training.plan_text")
local show = require("ballpark.questions.estimate.show")

local tune_show = {}

local own = assumed_show.own

local function best_of(answer)
  for _, run in ipairs(answer.runs) do
    if run.best then return run end
  end
end

local function counted(count, word) return ("%d %s%s"):format(count, word, count == 1 and "" or "s") end

local function advice(answer, best)
  if not best then return "run the first of these plans" end
  if answer.stop then return "stop: more runs are hardly worth it" end
  return "run on"
end

local function add_facts(r, answer)
  local best, failed = best_of(answer), 0
  for _, run in ipairs(answer.runs) do failed = failed + (run.failed and 1 or 0) end
  local list = { name = "tune", title = show.subject({ input = answer.input }) }
  list[#list + 1] = own("measured_runs", #answer.runs, { title = "Measured",
    text = counted(#answer.runs - failed, "plan") .. (failed > 0 and (", " .. failed .. " more did not run") or "")
      .. "; {candidates} are thought of" })
  list[#list + 1] = own("candidates", answer.candidates, { hide = true })
  if best then
    list[#list + 1] = own("best_measured_s", best.measured_s, { title = "Best so far",
      text = "{best_measured_s}: " .. plan_text.short(best.plan) })
    list[#list + 1] = own("within_chance", answer.within_chance, { title = "Good enough",
      text = "{within_chance} chance that it is within {within_frac} of the best there is; {regret_frac} behind it in the "
        .. "mean" })
    list[#list + 1] = own("within_frac", answer.within_frac, { hide = true })
    list[#list + 1] = own("regret_frac", answer.regret_frac, { hide = true })
  end
  list[#list + 1] = own("advice", advice(answer, best), { title = "Advice" })
  r:facts(list)
end

local NUMBERS <const> = {
  { name = "step_s", unit = "s", title = "step" }, { name = "low", unit = "s" }, { name = "high", unit = "s" },
  { name = "fits", unit = "frac", chance = true }, { name = "fastest_chance", unit = "frac", title = "fastest" },
  { name = "regret_frac", unit = "frac", title = "regret then" }, { name = "estimated_s", unit = "s", hide = true },
}

local function add_next(r, answer)
  local columns, rows, shapes = { { name = "rank", title = "#" } }, {}, {}
  for i, item in ipairs(answer.next) do
    rows[i], shapes[i] = { rank = i, fastest_chance = item.fastest }, item.plan
    for _, name in ipairs({ "step_s", "low", "high", "fits", "regret_frac", "estimated_s" }) do rows[i][name] = item[name] end
    plan_columns.fill(rows[i], item.plan)
  end
  for _, column in ipairs(plan_columns.of(shapes)) do columns[#columns + 1] = column end
  table.move(NUMBERS, 1, #NUMBERS, #columns + 1, columns)
  r:table({ name = "next", title = answer.stop and "Runs to make next, if any" or "Runs to make next", columns = columns,
    rows = rows })
end

local function add_runs(r, answer)
  if #answer.runs == 0 then return end
  local rows = {}
  for i, run in ipairs(answer.runs) do
    rows[i] = { plan = plan_text.short(run.plan), measured_s = run.measured_s, estimated_s = run.estimated_s,
      off_frac = run.measured_s and run.estimated_s / run.measured_s - 1, status = run.failed and "failed" or "ran",
      fastest_chance = run.fastest }
  end
  r:table({ name = "runs", title = "Measured so far", columns = { { name = "plan" },
    { name = "status", title = "run" }, { name = "measured_s", unit = "s", title = "measured" },
    { name = "estimated_s", unit = "s", title = "estimated" }, { name = "off_frac", unit = "frac", title = "error" },
    { name = "fastest_chance", unit = "frac", title = "fastest" } }, rows = rows })
end

--- Puts an answer of tune{} into a result.
function tune_show.answer(r, answer)
  if not answer.fits then
    r:warn("No plan is likely enough to fit: ballpark search says what would help.")
    return
  end
  add_facts(r, answer)
  add_next(r, answer)
  add_runs(r, answer)
  for _, text in ipairs(answer.assumed) do r:assume(text) end
  for _, text in ipairs(answer.warnings) do r:warn(text) end
end

return tune_show
