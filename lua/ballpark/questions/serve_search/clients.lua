-- Users in place of a rate: each asks, waits for the answer, thinks and asks again.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local clients = {}

-- Users that are simulated one by one.
local MOST <const> = 1000000

-- What is of a rate.
local OF_RATES <const> = { "rate_per_s", "rates", "peak_over_mean", "turns" }

--- Whether a load is of users.
---@param load any
function clients.are_in(load) return type(load) == "table" and (load.users ~= nil or load.concurrency ~= nil) end

--- The users of a load that has them, { count, think_s }, and the load without them.
---@param load table
---@return table users
---@return table load
function clients.of(load)
  errors.either("load", load, "users", "concurrency")
  for _, other in ipairs(OF_RATES) do
    if load[other] ~= nil then errors.input("load." .. other, "is not for so many users: give users or a rate") end
  end
  if load.arrivals ~= nil and load.arrivals ~= "closed" then
    errors.input("load.arrivals", ("is for a rate: users ask one after another, and these are %s"):format(tostring(load.arrivals)))
  end
  local name = load.users and "users" or "concurrency"
  local rest = tables.with(load)
  rest.users, rest.concurrency, rest.think_s, rest.arrivals = nil, nil, nil, nil
  local count = errors.number("load." .. name, load[name], 1)
  if count > MOST then errors.input("load." .. name, ("are %d at most, got %.0f"):format(MOST, count)) end
  return { count = math.floor(count + 0.5), think_s = errors.number("load.think_s", load.think_s or 0, 0) }, rest
end

-- Searches before it is given up that rate and answers agree, and the share by which they may differ.
local ROUNDS <const>, AGREE <const> = 12, 0.02
-- Time of a token of the answer and of the prompt for the first guess: slow, so that the first fleet at which rate and answers
-- agree is the smallest. It does not depend on the SLO: a stricter one must not begin with fewer requests.
local TOKEN_S <const>, PROMPT_TOKEN_S <const> = 0.1, 1e-2

local function first_s(buckets)
  local sum = 0
  for _, bucket in ipairs(buckets) do
    sum = sum + bucket.share * (TOKEN_S * bucket.output_tokens + PROMPT_TOKEN_S * bucket.input_tokens)
  end
  return sum
end

--- run(ask) of users whose requests differ in length, at the rate at which they come: that follows from how long answers
--- take, and that from the fleet, so that both are found in turn.
---@param ask table of serving.question, whose load has buckets
---@param run fun(ask: table): table
function clients.at_a_rate(ask, run)
  local users, e2e_s = ask.users, first_s(ask.load.buckets)
  local answer
  for _ = 1, ROUNDS do
    local rate = users.count / (users.think_s + e2e_s)
    local rated = tables.with(ask, { mean_per_s = rate, load = tables.with(ask.load, { rate_per_s = rate }) })
    rated.users = nil
    answer = run(rated)
    if not answer.fits then break end
    local agreed = math.abs(users.count / (users.think_s + answer.e2e_s) / rate - 1) < AGREE
    answer.clients = { users = users.count, think_s = users.think_s, rate_per_s = rate, e2e_s = answer.e2e_s, settled = agreed }
    if agreed then break end
    e2e_s = math.sqrt(e2e_s * answer.e2e_s) -- a replica more is faster, so that the next round would have one less
  end
  return answer
end

return clients
