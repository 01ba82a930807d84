-- Where no constraint relaxed by itself is enough: the fewest that are in the way together. One after the other is
-- loosened until something is feasible, memory first: all at once may be more plans than anybody waits for. Then one after
-- the other is put back unless that leaves nothing feasible.
local varied = require("ballpark.questions.training.varied")
local least = require("ballpark.questions.training.relax_least")

local together = {}

-- The most that the core takes for a device: memory is no constraint.
local FREE_MEMORY_BYTES <const> = 1000000000000000

-- The least memory with which something is feasible, everything else as it is.
local function least_memory(input)
  local high = varied.memory.get(input)
  while not varied.best(varied.memory.set(input, high)) do high = math.min(high * 2, FREE_MEMORY_BYTES) end
  return (least.memory_below(input, math.tointeger(high) or high, varied.memory))
end

local function memory(input)
  return { name = "memory of a device", unit = "B", now = varied.memory.get(input),
    loosen = function(i) return varied.memory.set(i, FREE_MEMORY_BYTES) end,
    least = function(i) return least_memory(varied.memory.set(i, varied.memory.get(input))) end }
end

-- The input with all constraints of the list loosened but the one at `put_back`.
local function loosened(input, list, put_back)
  for i, constraint in ipairs(list) do
    if i ~= put_back then input = constraint.loosen(input) end
  end
  return input
end

-- Takes out of the list whatever need not be loose; what is left is needed, each of it.
local function tighten(input, list)
  local i = 1
  while i <= #list do
    if varied.best(loosened(input, list, i)) then
      table.remove(list, i)
    else
      i = i + 1
    end
  end
end

-- The first constraints of the list that leave something feasible when they are loosened; nil where all do not.
local function enough_of(input, list)
  local found = {}
  for i, constraint in ipairs(list) do
    found[i] = constraint
    if varied.best(loosened(input, found)) then return found end
  end
end

--- Rows as of relax.search, all of which have to be relaxed together; empty when even that leaves
--- nothing: model, job and cluster contradict each other.
---@param input table what was searched, complete
---@param constraints table[] of rules and fields: { name, now, loosen = function(input) -> input,
--- needed = function(best) -> text }, in the order in which they are put back
function together.rows(input, constraints)
  local list = { memory(input) }
  for _, constraint in ipairs(constraints) do list[#list + 1] = constraint end
  list = enough_of(input, list)
  if not list then return {} end
  tighten(input, list)
  local final = loosened(input, list)
  local bytes = list[1] and list[1].least and list[1].least(final)
  if bytes then final = varied.memory.set(final, bytes) end
  local best, rows = varied.best(final), {}
  for i, constraint in ipairs(list) do
    rows[i] = { constraint = constraint.name, now = constraint.now, unit = constraint.unit or "",
      needed = constraint.needed and constraint.needed(best) or bytes, plan = best.plan,
      step_s = best.time.step_s }
  end
  return rows
end

return together
