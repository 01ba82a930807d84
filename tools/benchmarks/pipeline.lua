-- The simulation of tools/benchmarks/pipeline.c (16 stages, 128 micro-batches, 1F1B) from Lua.
--   pipeline_sim_bound_us   core.pipeline: read from a table, simulated in C, one table per device back
--   pipeline_sim_lua_us     baseline: the same simulation in plain Lua
package.path = (arg[0]:match("^(.*)/[^/]*$") or ".") .. "/?.lua;" .. package.path

local core = require("ballpark.core")
local timing = require("timing")

local STAGES, MICRO_BATCHES, FORWARD, BACKWARD = 16, 128, 1, 2

-- Lists of operations: a positive number is the forward of that micro-batch, a negative its backward.
local function orders()
  local lists = {}
  for d = 1, STAGES do
    local list, warm = {}, STAGES - d
    for i = 1, MICRO_BATCHES + warm do
      if i <= MICRO_BATCHES then list[#list + 1] = i end
      if i > warm then list[#list + 1] = warm - i end
    end
    lists[d] = list
  end
  return lists
end

local function ready_at(forward, backward, d, op)
  if op > 0 then return d == 1 and 0 or forward[d - 1][op] end
  return d == STAGES and forward[d][-op] or (d < STAGES and backward[d + 1][-op]) or nil
end

local function simulate()
  local lists, forward, backward = orders(), {}, {}
  local clock, head, kept, peak = {}, {}, {}, {}
  for d = 1, STAGES do
    forward[d], backward[d] = {}, {}
    clock[d], head[d], kept[d], peak[d] = 0, 1, 0, 0
  end
  local moved = true
  while moved do
    moved = false
    for d = 1, STAGES do
      local op = lists[d][head[d]]
      local ready = op and ready_at(forward, backward, d, op)
      while ready do
        moved = true
        clock[d] = math.max(clock[d], ready) + (op > 0 and FORWARD or BACKWARD)
        if op > 0 then forward[d][op] = clock[d] else backward[d][-op] = clock[d] end
        kept[d] = kept[d] + (op > 0 and 1 or -1)
        peak[d] = math.max(peak[d], kept[d])
        head[d] = head[d] + 1
        op = lists[d][head[d]]
        ready = op and ready_at(forward, backward, d, op)
      end
    end
  end
  return math.max(table.unpack(clock)), peak
end

local input = { stages = STAGES, micro_batches = MICRO_BATCHES, forward_s = FORWARD, backward_s = BACKWARD }
local bound, makespan, peak = core.pipeline(input), simulate()
assert(bound.makespan_s == makespan and bound.devices[1].peak == peak[1], "the baseline computes something else")

local bound_us = timing.ns(200, function() return core.pipeline(input) end) / 1000
local lua_us = timing.ns(20, simulate) / 1000
timing.print("pipeline_sim_bound_us", bound_us, "us")
timing.print("pipeline_sim_lua_us", lua_us, "us")
