-- What is known of the objectives of a search beside their names: which way is better, and where an
-- answer of the core carries their value.
local objectives = {}

local MORE_IS_BETTER = { tokens_per_s = true, mfu_frac = true, headroom_bytes = true, fit_probability = true,
  deadline_probability = true }

local PLACES = { step_s = "time", tokens_per_s = "time", mfu_frac = "time", fit_probability = "memory" }

--- The value of an objective for a plan that the core kept; devices is what system it is of.
function objectives.value(name, kept, devices)
  if name == "devices" then return devices end
  return kept[PLACES[name] or "worth"][name]
end

--- The same, turned so that less is better.
function objectives.rank(name, value) return MORE_IS_BETTER[name] and -value or value end

--- Whether values are quantities, of which a share is meaningful; chances and counts are not.
function objectives.is_measure(name)
  return name ~= "fit_probability" and name ~= "deadline_probability" and name ~= "devices"
end

return objectives
