-- Whether the run of a plan never ends, or that of a search's best plan misses the deadline that was given with the question.
local units = require("ballpark.units")

local late = {}

-- Words of a plan that is in time, and it: the first of those that are answered, else the first of the best of each
-- system.
local function in_time(answer, deadline_s)
  for i, plan in ipairs(answer.plans) do
    if (plan.run.run_s or math.huge) <= deadline_s then return ("plan %d"):format(i), plan end
  end
  for _, plan in ipairs(answer.systems and answer.systems.plans or {}) do
    local cluster = plan.input.cluster
    if (plan.run.run_s or math.huge) <= deadline_s then
      return ("%d x %s"):format(cluster.network.devices, cluster.device.name or "the device"), plan
    end
  end
end

--- What is said of a plan of whose run nothing is left between its interruptions; nil where it ends.
---@param answer table of estimate
---@return string|nil
function late.endless(answer) return answer.run.never and "the run never ends; " .. answer.run.never end

--- What is said of a best plan whose run never ends, or takes longer than input.deadline_s; nil where neither is so.
---@param answer table of search
---@return string|nil
function late.text(answer)
  local best = answer.best
  if best and best.run.never then return late.endless(best) end
  local deadline_s, run_s = best and answer.input.deadline_s, best and best.run.run_s
  if not (deadline_s and run_s and run_s > deadline_s) then return nil end
  local words, other = in_time(answer, deadline_s)
  return ("the run takes %s, and the deadline is %s%s"):format(units.format(run_s, "s"), units.format(deadline_s, "s"),
    other and ("; %s takes %s"):format(words, units.format(other.run.run_s, "s")) or "")
end

return late
