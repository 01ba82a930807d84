-- The least by which numbers of a question have to give until something is feasible, each found by
-- searching again: memory, chance, devices, batch, length. What is suggested is rounded to what a report
-- shows, to the side on which it works.
local halves = require("ballpark.halves")
local varied = require("ballpark.questions.training.varied")
local needed = require("ballpark.questions.training.needed")
local units = require("ballpark.units")

local least = {}

-- Memory is found to this before it is rounded.
local MEMORY_STEP_BYTES <const> = 1 << 20

-- Searches stop being tried once they have gone over so many plans: seconds, on any machine.
local PLANS_MOST <const> = 20000000

-- varied.best that counts what it looked at.
local function counted()
  local looked_at = 0
  return function(input)
    local best, found = varied.best(input)
    looked_at = looked_at + (found and found.space_size or 0)
    return best
  end, function() return looked_at < PLANS_MOST end
end

--- The least memory of a device or a host, rounded up, and the best plan with it. `high` is enough.
---@param item table varied.memory or varied.host_memory
function least.memory_below(input, high, item)
  local low = item.get(input)
  if not varied.best(item.set(input, high - MEMORY_STEP_BYTES)) then low = high - MEMORY_STEP_BYTES end
  while high - low > MEMORY_STEP_BYTES do
    local middle = (low + high) // 2
    if varied.best(item.set(input, middle)) then high = middle else low = middle end
  end
  local bytes = units.round_up(math.tointeger(high) or high, "B")
  return bytes, varied.best(item.set(input, bytes))
end

--- The same where `plan` is the one that came nearest; nil when no memory is enough.
function least.memory(input, plan, item)
  local bytes = needed.memory(input, plan, item)
  if bytes then return least.memory_below(input, bytes, item) end
end

-- A plan that has less than an even chance to fit is none to suggest.
local LEAST_CHANCE <const> = 0.5

--- The highest chance of fitting that a plan has, where that is at least even, and the best plan with it.
function least.chance(input)
  local sure = varied.best(varied.with(varied.with(input, { "fit_chance" }, LEAST_CHANCE), { "objective" },
    "fit_probability"))
  if not sure then return nil end
  local chance = units.round_down(sure.memory.fit_probability, "frac")
  return chance, varied.best(varied.with(input, { "fit_chance" }, chance))
end

-- The next number of devices in one direction: whole nodes; of less than a node, any up to the whole one.
local function next_count(count, direction, node, in_node)
  local there = count + direction
  if in_node and there <= node then return there end
  return direction > 0 and count // node * node + node or (count - 1) // node * node
end

-- The devices of a whole node, and whether today's are but a part of one.
local function node_of(input)
  local node = input.cluster.whole_node
  return node, varied.devices.get(input) < node
end

-- Times the devices that are tried when memory is what is missing.
local TIMES_MOST <const> = 64

-- Numbers of devices tried between two.
local COUNTS_TRIED <const> = 128

--- The fewest devices above today's on which there is a plan, in whole nodes, and that plan.
function least.more_devices(input)
  local now, node, in_node = varied.devices.get(input), node_of(input)
  local best_on, goes_on = counted()
  local low, high, best = now, nil, nil
  for i = 1, math.floor(math.log(TIMES_MOST, 2) + 0.5) do
    local count = now << i
    best = best_on(varied.devices.set(input, count))
    if best then
      high = count
      break
    end
    low = count
  end
  if not high then return nil end
  -- Few nodes are tried one by one from the start, for a number that failed says nothing of odd ones.
  if high - now <= COUNTS_TRIED * node then low = now end
  local count, tried = next_count(low, 1, node, in_node), 0
  while count < high and tried < COUNTS_TRIED and goes_on() do
    local there = best_on(varied.devices.set(input, count))
    if there then return count, there end
    count, tried = next_count(count, 1, node, in_node), tried + 1
  end
  return high, best
end

--- The number of devices nearest to today's in one direction on which there is a plan: whole nodes, up
--- to half and twice as many.
function least.near_devices(input, direction)
  local now, node, in_node = varied.devices.get(input), node_of(input)
  local best_on, goes_on = counted()
  local count = next_count(now, direction, node, in_node)
  for _ = 1, COUNTS_TRIED do
    if count < 1 or count < now / 2 or count > now * 2 or not goes_on() then return nil end
    local best = best_on(varied.devices.set(input, count))
    if best then return count, best end
    count = next_count(count, direction, node, in_node)
  end
end

-- Batches tried one by one before the one that the example's ranks cut up evenly.
local BATCHES_TRIED <const> = 64

--- The next larger batch for which there is a plan, and that plan. `example` failed by its batch.
function least.batch(input, example)
  local now, best_on, goes_on = input.job.global_batch, counted()
  local wave = example.dp * example.micro_batch
  local cut = (now + wave - 1) // wave * wave
  for count = now + 1, math.min(cut - 1, now + BATCHES_TRIED) do
    if not goes_on() then break end
    local best = best_on(varied.batch.set(input, count))
    if best then return count, best end
  end
  local best = cut ~= now and varied.best(varied.batch.set(input, cut))
  if best then return cut, best end
end

-- Lengths are looked for in steps of this share.
local LENGTH_STEPS <const> = 16

--- The largest shorter sequence with which a plan fits, in sixteenths of today's, and that plan.
function least.length(input)
  local now = input.job.seq_len
  if now % LENGTH_STEPS ~= 0 then return nil end
  local step, best = now // LENGTH_STEPS, nil
  local steps = halves.largest(0, LENGTH_STEPS, function(count)
    local there = varied.best(varied.with(input, { "job", "seq_len" }, count * step))
    best = there or best -- of the largest that fits so far
    return there
  end)
  if best then return steps * step, best end
end

return least
