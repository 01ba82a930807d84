-- A fleet for so many users in place of a rate: each asks, waits for the answer, thinks and asks again. The rate at which
-- they come follows from how long answers take, and that from the fleet: both are found in turn.
local errors = require("ballpark.errors")
local open_size = require("ballpark.questions.serve_search.open_size")
local tables = require("ballpark.tables")

local clients = {}

-- Searches before it is given up that rate and fleet agree, and the share by which they may differ.
local ROUNDS <const>, AGREE <const> = 12, 0.02
-- Time of a token of the answer and of the prompt for the first guess: slow, so that the first fleet at which rate and answers
-- agree is the smallest. It does not depend on the SLO: a stricter one must not begin with fewer requests.
local TOKEN_S <const>, PROMPT_TOKEN_S <const> = 0.1, 1e-2

-- Users and how long they think, and the load without both; nil where the load is a rate.
local function users_of(load)
  if type(load) ~= "table" or not (load.users or load.concurrency) then return nil end
  errors.either("load", load, "users", "concurrency")
  for _, other in ipairs({ "rate_per_s", "rates", "peak_over_mean", "turns" }) do
    if load[other] ~= nil then errors.input("load." .. other, "is not for so many users: give users or a rate") end
  end
  if load.arrivals ~= nil and load.arrivals ~= "closed" then
    errors.input("load.arrivals", ("is for a rate: users ask one after another, and these are %s"):format(tostring(load.arrivals)))
  end
  local name = load.users and "users" or "concurrency"
  local rest = tables.with(load)
  rest.users, rest.concurrency, rest.think_s, rest.arrivals = nil, nil, nil, nil
  return { users = errors.number("load." .. name, load[name], 1), think_s = errors.number("load.think_s", load.think_s or 0, 0) }, rest
end

-- The search at which rate and answers agree, or the last that was made.
local function agreed(input, run)
  local who, load = users_of(input.load)
  local answer
  who.e2e_s, who.settled = TOKEN_S * (load.output_tokens or 1024) + PROMPT_TOKEN_S * (load.input_tokens or 0), false
  for _ = 1, ROUNDS do
    who.rate_per_s = who.users / (who.think_s + who.e2e_s)
    answer = run(tables.with(input, { load = tables.with(load, { rate_per_s = who.rate_per_s }) }))
    if not answer.fits or not answer.winner then break end
    local seen_s = answer.winner.seen.e2e.mean_s
    who.settled = math.abs(who.users / (who.think_s + seen_s) / who.rate_per_s - 1) < AGREE
    if who.settled then
      who.e2e_s = seen_s
      break
    end
    who.e2e_s = math.sqrt(who.e2e_s * seen_s) -- a replica more is faster, so that the next round would have one less
  end
  answer.clients = who
  return answer
end

-- What a device of a list is called: a name, a device, or the spec of a cluster of one.
local function name_of(given)
  if type(given) ~= "table" then return given end
  return given.device and name_of(given.device) or given.name or "a device without a name"
end

-- Of the devices of a list each alone: fast ones answer sooner, so that users come more often, and the rate at which these
-- agree says nothing of slower and cheaper ones.
local function cheapest_alone(input, run, answer)
  local names = {}
  for _, device in ipairs(input.devices) do
    local ok, alone = errors.attempt(agreed, tables.with(input, { devices = { device } }), run)
    if ok and alone.fits and not (answer.fits and open_size.cost_of(answer) <= open_size.cost_of(alone)) then answer = alone end
    names[#names + 1] = name_of(device)
  end
  if #answer.ask.pools < #input.devices then
    answer.assumed[#answer.assumed + 1] = ("Users: of %s the cheapest, searched alone: fast devices have users come more often"):format(
      table.concat(names, ", "))
  end
  return answer
end

--- run(input) with the rate at which load.users, or load.concurrency, come: the answer has clients = { users, think_s,
--- rate_per_s, e2e_s, settled }. An input with a rate is run as it is.
---@param input table of serve_search{}
---@param run fun(input: table): table
function clients.settled(input, run)
  if not users_of(input.load) then return run(input) end
  local answer = agreed(input, run)
  if type(input.devices) == "table" and #input.devices > 1 then return cheapest_alone(input, run, answer) end
  return answer
end

return clients
