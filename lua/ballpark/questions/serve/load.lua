-- What a service is asked for: a load checked against itself, its means for closed forms, and what the
-- simulation needs beyond what was said.
local core = require("ballpark.core")
local curve = require("ballpark.questions.serve.curve")
local errors = require("ballpark.errors")
local resolved = require("ballpark.resolve.serving.load")
local tables = require("ballpark.tables")
local trace_of = require("ballpark.questions.serve.trace")

local load = {}

-- Fields that have no meaning under other arrivals than these.
local ONLY <const> = {
  concurrency = { closed = true }, drains = { closed = true }, ramp_s = { closed = true },
  rate_per_s = { open = true, diurnal = true },
  burstiness = { open = true, diurnal = true },
  peak_over_mean = { diurnal = true }, period_s = { diurnal = true }, rates = { diurnal = true },
}
-- Fields that a trace says itself.
local TRACED <const> = { "arrivals", "burstiness", "concurrency", "drains", "input_tokens", "lengths", "output_tokens",
  "peak_over_mean", "period_s", "ramp_s", "rate_per_s", "rates", "requests", "spread", "think_s", "turns" }

-- Of lognormal lengths: their deviation is then ten times their mean, and closed forms end.
local MOST_SPREAD <const> = 2.14

-- Tokens of a trace's prefix block where nothing is said: load.block_tokens of the core.
local BLOCK_TOKENS <const> = 512

local function words(set)
  local names = tables.sorted_keys(set)
  return table.concat(names, " and ")
end

local function check_above_zero(given, name)
  local value = given[name]
  if type(value) == "number" and not (value > 0) then
    errors.input("load." .. name, "must be above 0, got " .. tostring(value))
  end
end

-- Refuses a spread that lengths of their kind cannot have.
local function check_spread(given)
  local spread = given.spread
  if given.lengths == "uniform" and spread and spread > 1 then
    errors.input("load.spread", ("of uniform lengths is the shortest over the longest, at most 1, got %g")
      :format(spread))
  elseif given.lengths == "lognormal" and spread and spread > MOST_SPREAD then
    errors.input("load.spread", ("of lognormal lengths is the deviation of their logarithm, at most %g, got %g")
      :format(MOST_SPREAD, spread))
  end
end

-- Refuses a time between turns of sessions that have one, and so few requests that clients who think have no rate.
local function check_think(given, arrivals)
  if not given.think_s or (given.turns or 1) > 1 then return end
  if arrivals ~= "closed" then
    errors.input("load.think_s", "is the time between turns of a session, and turns is 1")
  end
  local clients = given.concurrency or 1
  if given.requests and given.requests < 2 * clients then
    errors.input("load.requests", ("must be two at least for each of %d clients that think, got %d"):format(clients, given.requests))
  end
end

--- Refuses what requests that are drawn have not under such arrivals, and what is said twice.
---@param given table
---@param arrivals string
---@param any table|nil fields, as a set, that are taken of any arrivals
function load.check_arrivals(given, arrivals, any)
  check_spread(given)
  for _, name in ipairs({ "speed", "block_tokens" }) do
    if given[name] ~= nil then errors.input("load." .. name, "is of a trace, and none is given") end
  end
  for _, name in ipairs(tables.sorted_keys(ONLY)) do
    if given[name] ~= nil and not ONLY[name][arrivals] and not (any and any[name]) then
      local hint = given.arrivals == nil and ("; give arrivals = '%s'"):format(name == "rate_per_s" and "open"
        or next(ONLY[name])) or ""
      errors.input("load." .. name,
        ("is for %s arrivals, and these are %s%s"):format(words(ONLY[name]), arrivals, hint))
    end
  end
  if given.peak_over_mean and given.rates then
    errors.input("load.peak_over_mean", "and rates both say how the rate changes: give one")
  end
  check_think(given, arrivals)
end

-- Blocks that a prompt begins with are its own: the last one may be cut.
local function check_blocks(trace, block_tokens)
  for i, request in ipairs(trace) do
    local blocks = type(request) == "table" and type(request.blocks) == "table" and #request.blocks or 0
    if blocks > 0 and type(request.input_tokens) == "number" and type(block_tokens) == "number"
      and (blocks - 1) * block_tokens >= request.input_tokens then
      errors.input("trace", ("request %d: prefix_blocks are %d of %g tokens (load.block_tokens), its prompt has %d")
        :format(i, blocks, block_tokens, request.input_tokens))
    end
  end
end

--- Refuses what the simulation would not read, whether or not it comes to one, and fields that contradict each other:
--- what is silently ignored would be answered wrongly.
function load.check(given, trace, samples)
  if type(given) ~= "table" then errors.input("load", "must be a table, got " .. type(given)) end
  for _, name in ipairs({ "rate_per_s", "speed" }) do check_above_zero(given, name) end
  core.serve_check({ load = given, trace = trace, samples = samples })
  if trace then
    for _, name in ipairs(TRACED) do
      if given[name] ~= nil then errors.input("load." .. name, "is what the trace says: give one of the two") end
    end
    if samples then errors.input("samples", "are for drawn requests, and a trace is given") end
    check_blocks(trace, given.block_tokens or BLOCK_TOKENS)
    return
  end
  load.check_arrivals(given, given.arrivals or "closed")
  if samples and given.lengths ~= "empirical" then
    errors.input("samples", "are for load.lengths = 'empirical'")
  end
  for _, name in ipairs({ "input_tokens", "output_tokens", "spread" }) do
    if samples and given[name] then errors.input("load." .. name, "is what the samples say: give one of the two") end
  end
end

-- Uniform lengths are given by the longest, and have a token at least.
local function mean_length(given, name)
  local length = given[name] or resolved.TOKENS
  return given.lengths == "uniform" and math.max(1, length * (1 + math.min(1, given.spread or 0.8)) / 2) or length
end

--- Mean tokens of a new prompt and of an answer.
---@param given table load of serve{}
---@return number input_tokens
---@return number output_tokens
function load.tokens(given) return mean_length(given, "input_tokens"), mean_length(given, "output_tokens") end

--- Deviation over mean of the lengths of a field: of answers they decide how long a request runs and what it holds.
---@param given table
---@param name string input_tokens or output_tokens
function load.length_cv(given, name)
  local spread = given.spread or 0.8
  if given.lengths == "lognormal" then return math.sqrt(math.exp(spread ^ 2) - 1) end
  if given.lengths == "exponential" then return 1 end
  if given.lengths ~= "uniform" then return 0 end
  -- As many whole numbers, each as likely as the others, between the longest and a share of it.
  local longest = given[name] or resolved.TOKENS
  local count = longest * (1 - math.min(1, spread)) + 1
  return math.sqrt((count * count - 1) / 12) / mean_length(given, name)
end

-- exp(-Euler's constant): the longest of n is in the mean about where this part of one of n is beyond.
local BEYOND <const> = 0.561

--- The longest answer of so many over their mean, in the mean.
---@param given table
---@param count number
function load.longest(given, count)
  local beyond = BEYOND / math.max(1, count)
  if given.lengths == "exponential" then return -math.log(beyond) end
  local spread = given.spread or 0.8
  if given.lengths == "lognormal" then
    return math.exp(spread * core.spread_value({ kind = "normal", a = 0, b = 1 }, 1 - beyond) - spread ^ 2 / 2)
  end
  if given.lengths ~= "uniform" then return 1 end
  local shortest = math.min(1, spread)
  return 2 * (shortest + (1 - beyond) * (1 - shortest)) / (1 + shortest)
end

-- Share of a standard normal distribution below z: Abramowitz and Stegun, 26.2.17, to 1e-7.
local function normal_below(z)
  local t = 1 / (1 + 0.2316419 * math.abs(z))
  local tail = math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * t * (0.319381530 + t * (-0.356563782
    + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return z > 0 and 1 - tail or tail
end

-- Answers that are rounded to one token.
local ONE <const> = 1.5

--- Share of the answers that are one token, by how their lengths are drawn.
function load.one_token(given, mean)
  local spread = given.spread or 0.8
  if given.lengths == "lognormal" then
    return normal_below((math.log(ONE / mean) + spread ^ 2 / 2) / math.max(spread, 1e-6))
  end
  if given.lengths == "exponential" then return 1 - math.exp(-ONE / mean) end
  if given.lengths ~= "uniform" then return mean <= 1 and 1 or 0 end
  -- Below two of whole numbers that are all as likely.
  local longest = given.output_tokens or resolved.TOKENS
  local shortest = longest * math.min(1, spread)
  return math.max(0, math.min(1, (2 - shortest) / (longest - shortest + 1)))
end

--- What is assumed of the lengths that nobody gave; nil where all are given.
---@param of table|nil the trace or the samples that they come from
function load.assumed(given, of)
  if of or given.input_tokens and given.output_tokens then return nil end
  return ("%s of %d tokens%s, no length was given"):format(not given.input_tokens and not given.output_tokens
    and "input and output" or given.input_tokens and "output" or "input", resolved.TOKENS,
    given.lengths == "uniform" and " at most" or given.lengths and given.lengths ~= "fixed" and " in the mean" or "")
end

--- Means of what arrives: { input_tokens, output_tokens, new_tokens (of a prompt, without the history of its
--- session), rate_per_s (and peak_per_s, of a day) or concurrency, length_cv, input_cv, one_token_frac }.
function load.means(given, trace, samples)
  local of = trace or samples
  local means = of and trace_of.means(of)
    or { input_tokens = mean_length(given, "input_tokens"), output_tokens = mean_length(given, "output_tokens") }
  means.new_tokens = means.input_tokens
  means.length_cv = means.length_cv or load.length_cv(given, "output_tokens")
  means.input_cv = means.input_cv or load.length_cv(given, "input_tokens")
  means.one_token_frac = means.one_token_frac or load.one_token(given, means.output_tokens)
  if trace then
    means.rate_per_s = means.rate_per_s and means.rate_per_s * (given.speed or 1)
    return means
  end
  -- Half of the other turns are over in the mean.
  means.input_tokens = means.input_tokens
    + ((given.turns or 1) - 1) / 2 * (means.new_tokens + means.output_tokens)
  local open = given.arrivals == "open" or given.arrivals == "diurnal"
  means.rate_per_s = open and (given.rate_per_s or 1) or nil
  if given.arrivals == "diurnal" then
    means.peak_per_s = means.rate_per_s * select(2, curve.weights(given.rates, given.peak_over_mean))
  end
  means.concurrency = not open and (given.concurrency or 1) or nil
  return means
end

-- Of an open load this share of the arrivals is left out at either end, while the service fills and drains.
local TRIM_FRAC <const> = 0.1
-- The rest is to be a steady state: arrivals for so many times as long as a request, or session, takes.
local SPANS <const> = 50
local LEAST <const>, MOST <const> = 2000, 300000

--- The load as core.serve takes it, filled so that an open loop is seen in its steady state; what was filled in.
---@param e2e_s number|nil mean time of a request, where closed forms know it
function load.filled(given, means, e2e_s)
  if given.arrivals ~= "open" then return given end
  local filled, said = { trim_frac = given.trim_frac or (given.skip and 0 or TRIM_FRAC) }, {}
  if not given.requests then
    local turns, answer_s = given.turns or 1, e2e_s or 0
    local span_s = turns * answer_s + (turns - 1) * (given.think_s or 0)
    local steady = math.ceil(SPANS * span_s * means.rate_per_s)
    filled.requests = math.max(LEAST, math.min(MOST, steady))
    said[1] = ("%d requests simulated"):format(filled.requests)
  end
  if filled.trim_frac > 0 then
    said[#said + 1] = ("the first and the last %g %% of the arrivals are not counted: the service fills and drains")
      :format(100 * filled.trim_frac)
  end
  return tables.with(given, filled), table.concat(said, "; ")
end

--- Tokens of the longest request that is sure to come; what is drawn may be longer.
function load.longest_sure(given) return (given.input_tokens or 0) + (given.output_tokens or 0) end

--- Refuses a greatest length of a request by which the engine would refuse requests that are sure to come.
---@param length integer|nil max_model_len
---@param longest number tokens of such a request
function load.check_length(length, longest)
  if length == nil then return end
  if math.type(length) ~= "integer" or length < 1 then
    errors.input("max_model_len", "must be a whole number of tokens, got " .. tostring(length))
  elseif longest > length then
    errors.input("max_model_len", ("is %d, and a request has %.15g tokens: the engine refuses it"):format(length, longest))
  end
end

return load
