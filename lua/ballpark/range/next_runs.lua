-- What measured runs of some plans of a job say about the others, which to measure next, and whether the best
-- measured one is good enough. Steps are normal in their logarithms together (ballpark.range.between_plans), so that
-- what is known after a run follows in closed form. Whether memory holds a plan is known by chance, part of which all
-- plans of a job share: one that ran out of memory makes others less likely to fit.
local between_plans = require("ballpark.range.between_plans")
local core = require("ballpark.core")

local next_runs = {}

-- Even; a chance of a half is known within 2 points by it.
local DRAWS <const> = 1000

-- Share of the variance of peaks that all plans of a job have in common: a choice of ours.
local SHARED_MEMORY <const> = 0.5

-- What a job that nobody has run yet loses by not knowing better: a regret that is never exceeded in the sums.
local MOST_REGRET <const> = 1

-- The covariance and means once run `i` has taken `seconds`, in place.
local function condition(mean, covariance, i, log_s)
  local n = #mean
  local gain, variance = {}, covariance[(i - 1) * n + i] + between_plans.REPEAT ^ 2
  for j = 1, n do gain[j] = covariance[(j - 1) * n + i] / variance end
  local off = log_s - mean[i]
  local row = table.move(covariance, (i - 1) * n + 1, i * n, 1, {})
  for j = 1, n do
    mean[j] = mean[j] + gain[j] * off
    for k = 1, n do
      local at = (j - 1) * n + k
      covariance[at] = covariance[at] - gain[j] * row[k]
    end
  end
  return off ^ 2 / variance
end

--- Means and covariance of ln(step) of all plans after some were measured; where the measured ones are further off
--- against each other than expected, so are the others (the scale of Student's t), and the more runs, the better the scale
--- is known.
---@param estimates number[] ln of the estimated steps
---@param covariance number[] of between_plans.covariance
---@param measured table<integer, number> seconds of a step by plan
---@return number[] mean
---@return number[] covariance
---@return integer freedom
function next_runs.learned(estimates, covariance, measured)
  local mean, left = table.move(estimates, 1, #estimates, 1, {}), table.move(covariance, 1, #covariance, 1, {})
  local squares, count = 0, 0
  for i = 1, #estimates do
    if measured[i] then
      squares, count = squares + condition(mean, left, i, math.log(measured[i])), count + 1
    end
  end
  -- The first run only tells what is off alike in all.
  -- Runs that agree are mostly of plans near each other, and no proof that others do: nothing gets narrower by it.
  local freedom = between_plans.FREEDOM + math.max(0, count - 1)
  local scale = count > 1 and math.max(1, (between_plans.FREEDOM + squares) / freedom) or 1
  for at = 1, #left do left[at] = scale * left[at] end
  return mean, left, freedom
end

-- The share of the normal distribution below z, within 0.01 (the logistic distribution of the same middle).
local function below(z) return 1 / (1 + math.exp(-1.702 * z)) end

-- Share of jobs whose memory is off by something that no estimate knows of, and the width of that in e-folds: as much
-- again is in it (assumptions). A plan that was as good as certain to fit and did not is of such a job, and all that
-- need as much may fail there, too.
local STRANGE <const>, STRANGE_WIDTH <const> = 0.01, math.log(2)

-- Steps of the grid in a deviation of what is shared, and how many of its deviations the wide part reaches.
local GRID_STEPS <const>, REACH <const> = 10, 3

-- The density of what is off alike in all plans, but for a factor.
local function density(value, shared)
  local function normal(width) return math.exp(-(value / width) ^ 2 / 2) / width end
  return (1 - STRANGE) * normal(shared) + STRANGE * normal(math.max(shared, STRANGE_WIDTH))
end

-- How much higher peaks of this job are than estimated: values of ln and how likely each is after what was seen.
local function shared_weights(plans, spread)
  local shared, own = spread * math.sqrt(SHARED_MEMORY), spread * math.sqrt(1 - SHARED_MEMORY)
  local values, weights, sum = {}, {}, 0
  local most = math.ceil(REACH * math.max(shared, STRANGE_WIDTH) * GRID_STEPS / shared)
  for g = 1, 2 * most + 1 do
    local value = (g - most - 1) * shared / GRID_STEPS
    local weight = density(value, shared)
    for _, plan in ipairs(plans) do
      if plan.ran ~= nil then
        local over = (plan.log_fill + value) / own
        weight = weight * below(plan.ran and -over or over)
      end
    end
    values[g], weights[g], sum = value, weight, sum + weight
  end
  for g = 1, #values do weights[g] = weights[g] / math.max(sum, 1e-300) end
  return values, weights, own
end

-- Values of the grid for every draw, in equal shares of its weight; `order` says which draw gets which.
local function spread_over(values, weights, order)
  local drawn, g, sum = {}, 1, weights[1]
  for place, k in ipairs(order) do
    while g < #values and sum < (place - 0.5) / #order do
      g = g + 1
      sum = sum + weights[g]
    end
    drawn[k] = values[g]
  end
  return drawn
end

local function order_of(scores)
  local order = {}
  for k = 1, #scores do order[k] = k end
  table.sort(order, function(a, b)
    if scores[a] ~= scores[b] then return scores[a] < scores[b] end
    return a < b
  end)
  return order
end

-- Per plan and draw, whether memory holds it. plan: log_fill = ln(estimated peak / memory), ran (nil: not known).
local function fitting(plans, spread, seed)
  local n = #plans
  local mean, unit = {}, {}
  for i = 1, n + 1 do mean[i] = 0 end
  for at = 1, (n + 1) ^ 2 | 0 do unit[at] = 0 end
  for i = 1, n + 1 do unit[(i - 1) * (n + 1) + i] = 1 end
  local scores = core.joint_draws({ mean = mean, covariance = unit, samples = DRAWS, seed = seed + 1 })
  local values, weights, own = shared_weights(plans, spread)
  local shared = spread_over(values, weights, order_of(scores[n + 1]))
  local fits = {}
  for i, plan in ipairs(plans) do
    fits[i] = {}
    for k = 1, DRAWS do
      if plan.ran ~= nil then
        fits[i][k] = plan.ran
      else
        fits[i][k] = plan.log_fill + shared[k] + own * scores[i][k] <= 0
      end
    end
  end
  return fits
end

-- Mean regret of running `least` (per draw the best of what was run) in place of the best there is.
local function mean_regret(least, best)
  local sum = 0
  for k = 1, DRAWS do sum = sum + math.min(MOST_REGRET, math.exp(least[k] - best[k]) - 1) end
  return sum / DRAWS
end

local function with_plan(least, draws, fits)
  local list = {}
  for k = 1, DRAWS do list[k] = fits[k] and draws[k] < least[k] and draws[k] or least[k] end
  return list
end

-- The plans that lower the expected regret most, one after the other, each beside those before it.
local function proposed(plans, draws, fits, least, best, count)
  local chosen, taken = {}, {}
  while #chosen < count do
    local found
    for i, plan in ipairs(plans) do
      if plan.ran == nil and not taken[i] then
        local after = with_plan(least, draws[i], fits[i])
        local regret = mean_regret(after, best)
        if not found or regret < found.regret then found = { place = i, regret = regret, least = after } end
      end
    end
    if not found then break end
    chosen[#chosen + 1], taken[found.place], least = { place = found.place, regret = found.regret }, true, found.least
  end
  return chosen
end

local function filled(value)
  local list = {}
  for k = 1, DRAWS do list[k] = value end
  return list
end

local function share(list)
  local count = 0
  for k = 1, #list do count = count + (list[k] and 1 or 0) end
  return count / #list
end

local function deviation(covariance, n, i) return math.sqrt(math.max(0, covariance[(i - 1) * n + i])) end

--- What to run next. plans: { log_s (ln of the estimated step), log_fill, ran (true, false: out of memory or failed; nil:
--- not run yet), measured_s, handicap (share by which a plan that was not run has to be better than others; nil: 0) }. Answers { within (chance that the best measured plan takes at most `within` longer than
--- the best there is; 0 where none was measured), regret (expected of it, nil where none was), best (its place), next = {
--- { place, regret (expected once it and those before it were run) } }, plans = { { mean_s, deviation (of ln), fits,
--- fastest } } }.
---@param plans table[]
---@param covariance number[] of between_plans.covariance
---@param options {count: integer, within: number, memory_spread: number, seed: integer|nil}
function next_runs.of(plans, covariance, options)
  local n, estimates, measured, best_measured = #plans, {}, {}, nil
  for i, plan in ipairs(plans) do
    estimates[i], measured[i] = plan.log_s, plan.measured_s
    if plan.measured_s and (not best_measured or plan.measured_s < plans[best_measured].measured_s) then
      best_measured = i
    end
  end
  local mean, left, freedom = next_runs.learned(estimates, covariance, measured)
  local seed = options.seed or 1
  local draws = between_plans.draws(mean, left, DRAWS, seed, freedom)
  local fits = fitting(plans, options.memory_spread, seed)
  for i, plan in ipairs(plans) do
    if measured[i] then
      draws[i] = filled(math.log(measured[i]))
    elseif (plan.handicap or 0) > 0 then
      for k = 1, DRAWS do draws[i][k] = draws[i][k] + math.log(1 + plan.handicap) end
    end
  end
  local best = filled(math.huge)
  for i = 1, n do best = with_plan(best, draws[i], fits[i]) end
  local fastest = {}
  for i = 1, n do fastest[i] = 0 end
  for k = 1, DRAWS do
    for i = 1, n do
      if fits[i][k] and draws[i][k] == best[k] then
        fastest[i] = fastest[i] + 1
        break
      end
    end
  end
  local least, good = filled(best_measured and math.log(plans[best_measured].measured_s) or math.huge), 0
  local limit = math.log(1 + options.within)
  for k = 1, DRAWS do good = good + (least[k] - best[k] <= limit and 1 or 0) end
  local list = {}
  for i = 1, n do
    list[i] = { mean_s = math.exp(mean[i]), deviation = deviation(left, n, i), fits = share(fits[i]),
      fastest = fastest[i] / DRAWS }
  end
  return { within = best_measured and good / DRAWS or 0, best = best_measured,
    regret = best_measured and mean_regret(least, best) or nil, plans = list,
    next = proposed(plans, draws, fits, least, best, options.count) }
end

return next_runs
