-- Money, time and efficiency of a run: any two give the third, and how many devices that takes. Where the
-- job says its batch, searches say what efficiency can be had.
local core = require("ballpark.core")
local divisors = require("ballpark.divisors")
local errors = require("ballpark.errors")
local peak = require("ballpark.questions.training.peak")
local questions = require("ballpark.questions")
local resolve = require("ballpark.resolve.training")
local tables = require("ballpark.tables")
local search = require("ballpark.questions.search.run")
local simulated = require("ballpark.resolve.simulated")

local budget = {}

-- Counts of nodes that searches try: each of the first, then these times powers of two, which leave batches and layers
-- few odd factors.
local EACH_TO <const>, ODD <const> = 8, { 5, 6, 8 }

-- Times as many devices on which nothing gets faster end the counts, and more devices than any cluster of one run has
-- (assumption).
local NO_FASTER <const>, MOST_DEVICES <const> = 4, 1 << 18

-- Rows of the table of sizes, each of twice the devices.
local SIZES <const> = 8

local function check_inputs(input)
  local given = tables.with(input)
  given.site, given.devices = nil, nil
  questions.check_known("budget", given)
  for _, name in ipairs({ "budget_usd", "deadline_s" }) do
    if input[name] and not (input[name] > 0) then
      errors.input(name, ("must be above 0, got %.15g"):format(input[name]))
    end
  end
  for _, name in ipairs({ "tokens", "seq_len" }) do
    if type((input.job or {})[name]) ~= "number" then errors.input("job." .. name, "is missing") end
  end
end

-- What decides before any plan is known: FLOP, peak, price, and how many devices are sold together.
local function terms_of(input)
  local site = input.site(input.devices)
  local device = site.device
  local precision = resolve.resolve(tables.with(resolve.facts(input), { cluster = site, assume = true }),
    { estimate = simulated.step, varied = {} }).plan.precision
  local flops = core.flops({ model = input.model, seq_len = input.job.seq_len })
  local usd_h = input.price or site.usd_h
  if not usd_h then errors.input("price", "is not known for " .. (device.name or "this device") .. ": state it") end
  return { flop = flops.model_token * input.job.tokens, usd_h = usd_h, precision = precision,
    peak_flop_s = peak.of(device, precision)
      or errors.input("plan.precision", (device.name or "the device") .. " has no " .. precision),
    device = device, multiple = site.network.node_size }
end

local function kernel(terms, known, devices, deadline_s)
  return core.budget({ flop = terms.flop, peak_flop_s = terms.peak_flop_s, price_usd_h = terms.usd_h,
    multiple = terms.multiple, budget_usd = known.budget_usd, deadline_s = deadline_s,
    mfu_frac = known.mfu_frac, devices = devices })
end

-- Rounding of a number of nodes, and devices beyond any number that core.budget takes.
local ROUNDING <const>, MOST_BOUGHT <const> = 1e-9, 1e8

-- As many whole nodes as the money does not last for until the deadline, until it is spent: all of it is used, which needs
-- the least efficiency, and a later deadline takes nothing away.
local function bought(terms, known)
  local nodes = known.budget_usd / (terms.usd_h * known.deadline_s / 3600) / terms.multiple
  if nodes * terms.multiple > MOST_BOUGHT then
    errors.input("deadline_s", ("is so short that the money buys %.3g devices until then"):format(nodes * terms.multiple))
  end
  local found = kernel(terms, known, math.max(1, math.ceil(nodes * (1 - ROUNDING))) * terms.multiple)
  found.bought = found.deadline_s < known.deadline_s * (1 - ROUNDING) and "spent" or "until"
  return found
end

-- The kernel's answer from what is known.
local function solve(terms, known)
  if known.budget_usd and known.deadline_s and not known.devices then return bought(terms, known) end
  return kernel(terms, known, known.devices, known.deadline_s)
end

-- What a search takes of the input beside the cluster.
local SEARCHED <const> = { "model", "job", "plan", "space", "software", "profile", "price", "goodput", "pue", "fit_chance" }

local function search_of(input, devices)
  local asked = { cluster = input.site(devices), top = 1 }
  for _, name in ipairs(SEARCHED) do asked[name] = input[name] end
  return asked
end

local function search_on(input, devices) return search.run(search_of(input, devices)) end

-- Efficiency over all of the time.
local function efficiency(reached)
  return reached.best.time.mfu_frac * reached.best.run.goodput_frac
end

local function power_of_two(count, up)
  local power = 1
  while power * 2 <= count do power = power * 2 end
  return up and power < count and power * 2 or power
end

-- The best plan on so many devices. Odd numbers divide badly: where more devices may be had, the next power
-- of two stands in when there is no plan, and where money sets the limit, the one below when it is faster.
local function reach(input, devices, up)
  local found, other = search_on(input, devices), power_of_two(devices, up)
  local run_s = found.best and found.best.run.run_s
  if other ~= devices and (not up or not run_s) then
    local second = search_on(input, other)
    if not found.best or (second.best and second.best.run.run_s < found.best.run.run_s) then found = second end
  end
  return found.best and found.best.run.run_s and found or nil
end

local function devices_of(reached) return reached.best.input.cluster.network.devices end

-- Devices that come together: whole nodes, and whole groups of a plan whose parallelism is stated.
local function unit_of(input, terms)
  local unit = terms.multiple
  for _, field in ipairs({ "tp", "pp", "cp" }) do
    local size = math.tointeger((input.plan or {})[field]) or 1
    unit = size > 0 and divisors.least_multiple(unit, size) or unit
  end
  return unit
end

-- Calls visit(count) for one number of devices after another, until it returns true.
local function each_count(unit, visit)
  for nodes = 1, EACH_TO do
    if visit(nodes * unit) then return end
  end
  local times = 2
  while ODD[1] * times * unit <= MOST_DEVICES do
    for _, odd in ipairs(ODD) do
      if visit(odd * times * unit) then return end
    end
    times = 2 * times
  end
end

local function search_all(input, terms)
  local list, fastest = {}, nil
  each_count(unit_of(input, terms), function(count)
    local reached = search_on(input, count)
    if reached.best and reached.best.run.run_s then
      list[#list + 1] = reached
      if not fastest or reached.best.run.run_s < fastest.best.run.run_s then fastest = reached end
    end
    return fastest and count >= NO_FASTER * devices_of(fastest)
  end)
  return list, fastest
end

-- The last of its answers, which draws of a budget or of a deadline ask for again; with what was asked, so that no function
-- of that is another one later.
local last = {}

-- The best plans on all counts of devices. What is tried depends on neither the deadline nor the money: so a later
-- deadline never costs more, and more money never buys less.
local function on_all_counts(input, terms)
  local asked = search_of(input, terms.multiple) -- all that search_all hangs on
  local print = core.fingerprint(asked)
  if last.print ~= print then
    local list, fastest = search_all(input, terms)
    last = { print = print, asked = asked, list = list, fastest = fastest }
  end
  return last.list, last.fastest
end

-- The cheapest run that is in time, of equal ones that on the fewest devices, and the run on the fewest devices that
-- are in time. Where none is in time, the fastest.
local function within_deadline(input, terms, deadline_s)
  local list, fastest = on_all_counts(input, terms)
  local cheapest, fewest
  for _, reached in ipairs(list) do
    if reached.best.run.run_s <= deadline_s then
      fewest = fewest or reached
      if not cheapest or reached.best.run.cost_usd < cheapest.best.run.cost_usd then cheapest = reached end
    end
  end
  return cheapest or fastest, fewest
end

-- Budget and efficiency fix the device time: what it means for clusters of several sizes.
local function sizes(terms, known)
  local device_s = terms.flop / (terms.peak_flop_s * known.mfu_frac)
  local rows, count = {}, terms.multiple
  while device_s / count > 86400 * 365 do count = count * 2 end
  for i = 1, SIZES do
    rows[i] = { devices = count, deadline_s = device_s / count, cost_usd = device_s / 3600 * terms.usd_h }
    count = count * 2
  end
  return { device_s = device_s, cost_usd = rows[1].cost_usd, mfu_frac = known.mfu_frac, sizes = rows,
    feasible = rows[1].cost_usd <= known.budget_usd }
end

-- The best plan where efficiency is not stated.
local function searched(input, terms, known)
  if not input.job.global_batch then
    errors.input("budget{}", "give two of budget_usd, deadline_s, mfu_frac (and how many devices, in cluster), or "
      .. "job.global_batch, so that a search finds the efficiency")
  end
  if known.devices then return reach(input, known.devices, true) end
  if not known.deadline_s then
    errors.input("budget{}", "money alone does not say how many devices share it: give deadline_s, mfu_frac or devices")
  end
  return within_deadline(input, terms, known.deadline_s)
end

local function count_known(known)
  local count = 0
  for _, name in ipairs({ "budget_usd", "deadline_s", "mfu_frac", "devices" }) do
    count = count + (known[name] and 1 or 0)
  end
  return count
end

-- Whether what was asked can be had by the best plan.
local function is_met(known, best)
  return best.run.run_s <= (known.deadline_s or math.huge) and best.run.cost_usd <= (known.budget_usd or math.huge)
end

-- What the run on the fewest devices in time takes, where the cheapest has more.
local function fewest_of(fewest, reached)
  if not fewest or devices_of(fewest) >= devices_of(reached) then return nil end
  local run = fewest.best.run
  return { devices = devices_of(fewest), deadline_s = run.run_s, cost_usd = run.cost_usd }
end

local function from_search(input, terms, known)
  local reached, fewest = searched(input, terms, known)
  if not reached then return { feasible = false, searched = true } end
  local run = reached.best.run
  return { devices = devices_of(reached), deadline_s = run.run_s, cost_usd = run.cost_usd, device_s = run.device_s,
    mfu_frac = efficiency(reached), searched = true, feasible = is_met(known, reached.best),
    fewest = fewest_of(fewest, reached) }, reached
end

-- The plan beside the kernel's answer: money and a deadline are both at most, so the cheapest that is in time, else the
-- best on as many devices as were found.
local function search_beside(input, terms, known, found)
  if not found.bought or known.mfu_frac then
    return reach(input, math.tointeger(found.devices), not known.budget_usd)
  end
  local reached, fewest = within_deadline(input, terms, known.deadline_s)
  if reached then found.fewest = fewest_of(fewest, reached) end
  return reached
end

--- Answers { kind, input, terms, known, found, reached }: found has devices, mfu_frac, deadline_s,
--- cost_usd, device_s, feasible, bought (devices are what the money buys: "until" the deadline, or until it is "spent")
--- and fewest (the run on the fewest devices in time, where it is not the cheapest), or sizes where the number of devices
--- stays open; reached is the search on that many devices, or on others where bought, or nil.
---@param input table model, site = function(devices) -> cluster, devices = of the cluster or nil, job, and
--- budget_usd, deadline_s, mfu_frac
function budget.run(input)
  check_inputs(input)
  local terms = terms_of(input)
  local known = { budget_usd = input.budget_usd, deadline_s = input.deadline_s, mfu_frac = input.mfu_frac,
    devices = input.devices }
  local answer = { kind = "budget", input = input, terms = terms, known = known }
  if known.budget_usd and known.mfu_frac and not known.deadline_s and not known.devices then
    answer.found = sizes(terms, known)
  elseif count_known(known) < 2 then
    answer.found, answer.reached = from_search(input, terms, known)
  else
    answer.found = solve(terms, known)
    answer.reached = input.job.global_batch and search_beside(input, terms, known, answer.found)
    -- Where nobody states the efficiency, it has to be one that a plan reaches.
    if input.job.global_batch and not known.mfu_frac then
      answer.found.feasible = answer.reached ~= nil and is_met(known, answer.reached.best)
    end
  end
  answer.fits = answer.found.feasible
  return answer
end

return budget
