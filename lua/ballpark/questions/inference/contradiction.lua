-- What does not go of a model that answers calls, and of the replicas for a load.
local units = require("ballpark.units")

local contradiction = {}

-- Whether the memory holds the call that is asked about, and batches of the load as they are stated.
local function is_held(answer)
  local call = answer.out.fits
  if answer.room ~= nil then call = answer.room end
  return call and not answer.too_wide
end

--- A sentence about an answer that is not feasible.
---@param answer table of encode, recommend, rerank or diffusion
---@return string
function contradiction.sentence(answer)
  local wide = answer.too_wide
  if wide and wide.most > 0 then
    return ("the memory of the device does not hold batches of %d, as the load has them: %d at most"):format(wide.batch, wide.most)
  end
  if not is_held(answer) then return "the memory of the device does not hold it" end
  local sla_s = answer.load.sla_s
  if not sla_s then return "no number of replicas answers so many a second" end
  return ("no number of replicas keeps %s: a request alone takes longer"):format(units.format(sla_s, "s"))
end

--- The same in a word or a few.
---@param answer table
---@return string
function contradiction.reason(answer) return is_held(answer) and "no replica meets the SLO" or "memory" end

--- What a report says of whether it fits.
---@param answer table
---@return boolean
contradiction.is_held = is_held

return contradiction
