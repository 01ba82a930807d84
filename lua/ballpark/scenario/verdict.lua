-- Whether an answer can be done as it was asked, and what stands in its way, in a word or a line.
local budget_show = require("ballpark.questions.budget.show")

local verdict = {}

-- A service whose load is beyond its capacity was not simulated. A trace has an end and is simulated all the same;
-- of two pools, which have no closed form, the simulation says whether they keep up.
local function is_overloaded(answer)
  if answer.kind ~= "serving" then return false end
  if answer.seen and not answer.steady then return not answer.keeps_up end
  return not (answer.seen and answer.steady.stable)
end

--- Whether the answer can be done as asked.
function verdict.is_feasible(answer) return answer.fits and not is_overloaded(answer) end

local function of_training(answer)
  return answer.memory.total_bytes <= answer.memory.capacity_bytes and "memory of the host" or "memory"
end

local function of_batches(answer) return answer.out.fits and "no replica keeps the promise" or "memory" end

-- By kind of answer, of one that is not feasible.
local REASONS = {
  estimate = of_training,
  search = function(answer) return answer.nearest_miss and answer.nearest_miss.reason end,
  budget = function(answer) return (budget_show.verdict(answer):gsub("^no: ", "")) end,
  serving = function(answer) return answer.fits and "the load is beyond the capacity" or "memory" end,
  serving_search = function(answer) return answer.refused end,
  serving_mix = function(answer) return answer.refused end,
  latency = function() return "the parts take longer than was promised" end,
  encode = of_batches,
  recommend = of_batches,
  vector_search = function(answer) return answer.out.fits and "recall" or "memory" end,
}

--- What stands in the way of an answer; nil where nothing does, or nobody knows.
---@return string|nil
function verdict.reason(answer)
  local reason = REASONS[answer.kind]
  if not reason or verdict.is_feasible(answer) then return nil end
  return reason(answer)
end

return verdict
