-- What does not go of a model that answers calls, and of the replicas for a load.
local units = require("ballpark.units")

--- A sentence about an answer that is not feasible.
---@param answer table of encode, recommend, rerank or diffusion
---@return string
return function(answer)
  if answer.fleet == false then
    return ("no number of replicas keeps %s: a request alone takes longer"):format(units.format(answer.load.sla_s, "s"))
  end
  return "the memory of the device does not hold it"
end
