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
-- Time of a token of the answer and of the prompt for the least rate that is looked at: slow, so that fewer would hardly come.
-- It does not depend on the SLO: a stricter one must not begin with fewer requests.
local TOKEN_S <const>, PROMPT_TOKEN_S <const> = 0.1, 1e-2

local function first_s(buckets)
  local sum = 0
  for _, bucket in ipairs(buckets) do
    sum = sum + bucket.share * (TOKEN_S * bucket.output_tokens + PROMPT_TOKEN_S * bucket.input_tokens)
  end
  return sum
end

-- What users come to: the rate that follows from how long answers take.
local function come(answer, users, rate, by_chance)
  local asked_per_s = users.count / (users.think_s + answer.e2e_s)
  answer.clients = { users = users.count, think_s = users.think_s, rate_per_s = rate or asked_per_s, e2e_s = answer.e2e_s,
    settled = not rate or math.abs(asked_per_s / rate - 1) < AGREE, by_chance = by_chance }
  return asked_per_s
end

local function at(ask, rate)
  return tables.with(ask, { mean_per_s = rate, load = tables.with(ask.load, { rate_per_s = rate }) })
end

-- Nearer to an end of what is searched than this, a rate between them says little more (chosen: two such steps agree).
local ASIDE <const> = (1 + AGREE) ^ 0.45
-- Every so many rounds it is halved all the same: what users come to may leap.
local HALVED <const> = 5

-- A rate between one that is too little and one that is enough: where half as many more come as may, if that goes by a straight
-- line, since answers hardly take longer at another rate; half-way where nobody knows who would come.
local function between(low, high, round)
  if not high.more or round % HALVED == 0 then return math.sqrt(low.rate * high.rate) end
  local share = (low.more - math.log(1 + AGREE / 2)) / (low.more - high.more)
  local rate = low.rate * (high.rate / low.rate) ^ share
  return math.max(low.rate * ASIDE, math.min(high.rate / ASIDE, rate))
end

-- run(ask) at the least rate that is as much as users come to what is found for it: that follows from how long answers take, and
-- that from the fleet. Less of a rate costs less.
local function at_least_rate(ask, rate, run)
  -- Rates that are too little, and enough or too much for any fleet. more: how many times as many come, as a logarithm.
  local low, high
  local found, refused, answer
  for round = 1, ROUNDS do
    local rated = at(ask, rate)
    rated.users = nil
    answer = run(rated)
    local asked_per_s = answer.fits and come(answer, ask.users, rate, true)
    local more = asked_per_s and math.log(asked_per_s / rate)
    if more and asked_per_s > (1 + AGREE) * rate then
      low = { rate = rate, more = more }
    else
      high = { rate = rate, more = more or nil }
      if more then found = answer else refused = answer end
    end
    if not low or high and high.rate / low.rate < 1 + AGREE then break end
    rate = high and between(low, high, round) or asked_per_s
  end
  return found or refused or answer
end

--- run(ask) of users whose requests differ in length: the cheaper of one pool for all of them, to which they come one request after
--- another, and of pools to which they come at a rate.
---@param ask table of serving.question, whose load has buckets
---@param run fun(ask: table): table of users where ask has them, else at its rate
function clients.of_lengths(ask, run)
  local rate = ask.users.count / (ask.users.think_s + first_s(ask.load.buckets))
  local whole = run(at(ask, rate))
  if whole.fits then
    local asked_per_s = come(whole, ask.users)
    whole.ask = at(ask, asked_per_s)
  end
  local dealt = at_least_rate(ask, rate, run)
  return whole.fits and not (dealt.fits and dealt.cost_usd_h < whole.cost_usd_h) and whole or dealt
end

return clients
