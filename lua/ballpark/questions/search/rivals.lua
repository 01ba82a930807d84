-- The best plans of a space beyond those that an answer lists: what a simpler plan is looked for among, and what the
-- winner may lose to.
local search = require("ballpark.search.plans")
local varied = require("ballpark.questions.training.varied")

local rivals = {}

-- Plans looked at: enough to reach beyond one per cent of the best in all but the flattest spaces.
local LOOKED_AT <const> = 200

-- One search for all who ask about the same input.
local known = setmetatable({}, { __mode = "k" })

--- The best plans as the search keeps them, best first.
---@param input table what was searched, complete
---@return table[]
function rivals.of(input)
  known[input] = known[input] or search.run(varied.with(input, { "top" }, LOOKED_AT)).plans
  return known[input]
end

return rivals
