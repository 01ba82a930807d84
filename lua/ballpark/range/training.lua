-- The range of an answer about training: what follows from the interval of its step time.
local step_input = require("ballpark.questions.estimate.step_input")
local intervals = require("ballpark.range.interval")
local plan_text = require("ballpark.questions.estimate.plan_text")

local range = {}

-- Settings of a plan whose defaults are guesses about a run that states nothing.
local GUESSED = { "recompute", "micro_batch", "precision", "zero" }

--- Names of what the scenario leaves open. `varied` are the plan fields that a search chooses.
---@param input table of an estimate; input.plan as the scenario gave it
---@param varied table<string, boolean>
---@return string[]
function range.open(input, varied)
  local open, plan = {}, input.plan or {}
  for _, name in ipairs(GUESSED) do
    local said = plan[name] ~= nil or varied[name] or name == "recompute" and plan_text.remakes(plan)
    if not said then open[#open + 1] = name end
  end
  if (plan.pp or 1) > 1 and plan.vpp == nil and not varied.vpp then open[#open + 1] = "vpp" end
  if not input.profile_given then open[#open + 1] = "profile" end
  return open
end

local function about(input, plan, open)
  local class, known = intervals.class_of(input.profile)
  return { class = class, known = known, open = open, input = step_input.of(input, plan) }
end

-- What goes up with the step's time, and what goes down.
local function scaled(answer, time, memory)
  local run = answer.run
  return {
    step_s = answer.time.step_s * time,
    tokens_per_s = answer.time.tokens_per_s / time,
    run_s = run.run_s and run.run_s * time,
    cost_usd = run.run_s and run.cost_usd and run.cost_usd * time,
    total_bytes = answer.memory.total_bytes * memory,
  }
end

-- Half of an 80 % interval in standard deviations of a normal distribution.
local HALF_80 <const> = 1.2816

--- Standard deviation of ln(measured / estimated) step time that the interval of plain plans implies:
--- what the chance of meeting a deadline goes by.
function range.spread(input, open)
  local asked = about(input, { precision = input.plan and input.plan.precision }, open)
  asked.unlearned = 0 -- what coefficients leave open goes by the plan, which the search has yet to find
  return intervals.of(asked).half / HALF_80
end

--- Puts low, high and extrapolated into an answer with input, plan, time, memory and run. low and high
--- hold the ends of the 80 % range by name; tokens_per_s is lowest where step_s is highest. `wide`: see
--- intervals.of.
function range.add(answer, open, wide)
  local asked = about(answer.input, answer.plan, open)
  asked.wide = wide
  local time, memory = intervals.of(asked), intervals.memory(asked)
  answer.low, answer.high = scaled(answer, time.low, memory.low), scaled(answer, time.high, memory.high)
  answer.low.tokens_per_s, answer.high.tokens_per_s = answer.high.tokens_per_s, answer.low.tokens_per_s
  answer.extrapolated = time.extrapolated
  return answer
end

return range
