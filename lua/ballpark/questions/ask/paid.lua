-- The most that a sum pays for, of what costs the more the more there is of it: steps of whole replicas, between which a search is
-- asked again.
local paid = {}

-- How close to the most, and how often a search is asked at most.
local CLOSE <const>, MOST_ASKED <const> = 0.01, 24

--- The most, within a hundredth; nil where not even a little is paid for.
---@param first number where the search begins
---@param cost_of fun(amount: number): number|nil what so much costs; nil where it cannot be had
---@param sum number
---@return number|nil
function paid.most(first, cost_of, sum)
  local held, broken, asked = nil, nil, 0
  local function is_held(amount)
    asked = asked + 1
    local cost = cost_of(amount)
    return cost ~= nil and cost <= sum
  end
  local amount = first
  -- Twice or half as much, until one is paid for and one is not.
  while asked < MOST_ASKED and not (held and broken) do
    if is_held(amount) then
      held, amount = amount, 2 * amount
    else
      broken, amount = amount, amount / 2
    end
  end
  while held and broken and broken / held > 1 + CLOSE and asked < MOST_ASKED do
    local middle = math.sqrt(held * broken)
    if is_held(middle) then held = middle else broken = middle end
  end
  return held
end

return paid
