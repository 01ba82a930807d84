-- The verdict on a claim in words.
local ratio = require("ballpark.questions.comparables.ratio")
local trainings = require("ballpark.questions.comparables.trainings")
local units = require("ballpark.units")

local words = {}

--- Whether a claim can be, and what is published nearby.
function words.verdict(answer)
  if #answer.contradictions > 0 then return "cannot be: " .. answer.contradictions[1].text end
  if #answer.remarks > 0 then return "possible, and unusual: " .. answer.remarks[1] end
  local near = answer.comparable
  if near and ratio.verdict(near.ratio) ~= "usual" then
    return ("possible, and %.2g times what is published nearby"):format(near.ratio)
  end
  return near and "reasonable" or "nothing speaks against it, and nothing published is near"
end

-- A speed that is so much of what is estimated is as it should be (assumption: estimates of others are within this).
local LEAST <const>, MOST <const> = 0.7, 1.4

-- A speed beside the estimate of it.
local function beside_estimate(known)
  local times = known.output_per_s / known.estimated_per_s
  return ("%s: %s, and %s are estimated"):format(times < LEAST and "slow" or times > MOST and "faster than it should be" or "about what is to be expected",
    units.format(known.output_per_s, "tok/s"), units.format(known.estimated_per_s, "tok/s"))
end

-- A share of the peak beside those of published runs.
local function beside_published(answer)
  local mfu, normal = answer.known.mfu_frac, answer.normal
  local said = ({ above = "above every published run", below = "slow", usual = mfu < normal.median and "usual, in the lower half" or "usual, in the upper half" })[trainings.verdict(mfu, normal)]
  return ("%s: %s MFU, and %s to %s in published runs of the kind, %s in the median"):format(said, units.format(mfu, "frac"),
    units.format(normal.low, "frac"), units.format(normal.high, "frac"), units.format(normal.median, "frac"))
end

--- The answer in a line: what a speed is beside others, or the verdict.
function words.headline(answer)
  if #answer.contradictions > 0 then return words.verdict(answer) end
  if answer.known.estimated_per_s and answer.known.output_per_s then return beside_estimate(answer.known) end
  if answer.normal and answer.known.mfu_frac then return beside_published(answer) end
  return words.verdict(answer)
end

return words
