-- One run on each of several systems: which of them to take.
local best = require("ballpark.search.best")
local fits = require("ballpark.range.fits")

local choice = {}

local function has_room(answer) return answer.memory.fit_probability >= fits.SURE end

--- Whether a run surely fits, and is in time where that is asked.
---@param answer table of finetune{}
function choice.is_sure(answer) return answer.fits and has_room(answer) end

-- How many times what is allowed the time takes, or the money, whichever misses more; 0 where neither does.
local function over(answer)
  local most = 0
  for _, miss in ipairs(answer.contradictions) do most = math.max(most, miss.over or 0) end
  return most
end

-- What surely fits first, of that the cheapest that has a price, then the fastest; behind it what is late or too dear, the nearest
-- first, and what has no room, the fullest last.
local function ranks(answer)
  local memory, run = answer.memory, answer.run
  if choice.is_sure(answer) then return { 0, run.cost_usd or math.huge, run.run_s } end
  if has_room(answer) then return { 1, over(answer), run.run_s } end
  return { 2, memory.total_bytes / memory.capacity_bytes, run.run_s }
end

local function speed(answer) return { choice.is_sure(answer) and 0 or 1, answer.run.run_s } end

--- Of answers of the same run { best (the cheapest that surely fits, else the nearest to it), fastest, answers (best first),
--- sure (how many surely fit) }.
---@param answers table[] of finetune{}
function choice.of(answers)
  local ordered, sure = best.sorted(answers, ranks), 0
  for _, answer in ipairs(answers) do sure = sure + (choice.is_sure(answer) and 1 or 0) end
  return { best = ordered[1], fastest = best.sorted(answers, speed)[1], answers = ordered, sure = sure }
end

return choice
