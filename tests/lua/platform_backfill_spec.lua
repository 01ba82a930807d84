-- EASY backfill of the simulation of jobs, against one of its own that knows nodes only by their number: jobs of whole nodes,
-- and jobs inside a single node.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local core = require("ballpark.core")
local drawn = dofile(here .. "/drawn.lua")

-- When enough is free for `need`, and what is then free beyond it (Lifka, 1995); `running`: { ends_s, size }, earliest first.
local function shadow(running, free, need)
  local at_s
  for _, job in ipairs(running) do
    if at_s and job.ends_s > at_s then break end
    free = free + job.size
    if free >= need then at_s = job.ends_s end
  end
  return at_s, free - need
end

local function start(state, job, i, now_s)
  state.starts[i], state.free = now_s, state.free - job.size
  local place = 1
  while state.running[place] and state.running[place].ends_s <= now_s + job.run_s do place = place + 1 end
  table.insert(state.running, place, { ends_s = now_s + job.run_s, size = job.size })
end

-- The first jobs while they have room, then those behind the one that has none.
local function schedule(state, jobs, now_s)
  local queue = state.queue
  while queue[1] and jobs[queue[1]].size <= state.free do start(state, jobs[queue[1]], table.remove(queue, 1), now_s) end
  if not queue[1] then return end
  local at_s, extra = shadow(state.running, state.free, jobs[queue[1]].size)
  local place = 2
  while queue[place] do
    local job = jobs[queue[place]]
    local in_time = now_s + job.run_s <= at_s
    if job.size <= state.free and (in_time or job.size <= extra) then
      if not in_time then extra = extra - job.size end
      start(state, job, table.remove(queue, place), now_s)
    else
      place = place + 1
    end
  end
end

-- Starts of jobs { submit_s, run_s, size }, sorted by submission, on `total`.
local function easy(jobs, total)
  local state = { starts = {}, free = total, running = {}, queue = {} }
  local function until_s(at_s)
    while state.running[1] and state.running[1].ends_s <= at_s do
      local now_s = state.running[1].ends_s
      while state.running[1] and state.running[1].ends_s <= now_s do
        state.free = state.free + table.remove(state.running, 1).size
      end
      schedule(state, jobs, now_s)
    end
  end
  for i, job in ipairs(jobs) do
    until_s(job.submit_s)
    table.insert(state.queue, i)
    schedule(state, jobs, job.submit_s)
  end
  until_s(math.huge)
  return state.starts
end

-- Starts by the simulation, each of `size` taking so many devices.
local function simulated(jobs, fields, devices, policy)
  local trace = { submit_s = {}, run_s = {}, devices = {}, class = {} }
  for i, job in ipairs(jobs) do
    trace.submit_s[i], trace.run_s[i], trace.devices[i], trace.class[i] = job.submit_s, job.run_s, job.size * devices, 1
  end
  return core.platform({ nodes = fields.nodes, node_size = fields.node_size, backfill = true, backfill_depth = 1000000,
    order = policy }, { {} }, trace, true).starts
end

-- Jobs of 1 to `total`, small ones more often, that keep so much of it busy; in whole seconds, so that times meet, or not.
local function log_of(seed, count, total, load, whole)
  local unit, jobs, at_s = drawn.stream(seed), {}, 0
  local function time(s) return whole and math.ceil(s) or s end
  for i = 1, count do
    local size = math.min(total, math.ceil(drawn.between(unit, 0.5, 0.8 * total)))
    local run_s = time(drawn.between(unit, 10, 3000))
    jobs[i] = { submit_s = at_s, run_s = run_s, size = size }
    at_s = at_s + time(-math.log(1 - unit()) * size * run_s / total / load)
  end
  return jobs
end

local function mean_wait(jobs, starts)
  local sum = 0
  for i, job in ipairs(jobs) do sum = sum + starts[i] - job.submit_s end
  return sum / #jobs
end

describe("EASY backfill", function()
  it("starts what the first job can do without", function()
    -- At 100 seven are free, five go to the second, and the third has had one of the other two.
    local jobs = { { submit_s = 0, run_s = 100, size = 4 }, { submit_s = 1, run_s = 100, size = 5 },
      { submit_s = 2, run_s = 1000, size = 2 }, { submit_s = 3, run_s = 1000, size = 1 } }
    assert.same({ 0, 100, 2, 200 }, easy(jobs, 7))
    assert.same({ 0, 100, 2, 200 }, simulated(jobs, { nodes = 7, node_size = 1 }, 1))
    assert.same({ 0, 100, 2, 200 }, simulated(jobs, { nodes = 7, node_size = 1 }, 1, "fair_share"))
    assert.same({ 0, 100, 2, 200 }, simulated(jobs, { nodes = 7, node_size = 8 }, 8))
    assert.same({ 0, 100, 2, 200 }, simulated(jobs, { nodes = 1, node_size = 7 }, 1))
  end)

  it("starts every job when counts of nodes say", function()
    for seed = 1, 12 do
      local total = ({ 7, 16, 60, 128 })[seed % 4 + 1]
      local jobs = log_of(seed, 600, total, ({ 0.6, 0.8, 0.95 })[seed % 3 + 1], seed % 2 == 0)
      local expected = easy(jobs, total)
      assert.is_true(mean_wait(jobs, expected) > 1)
      assert.same(expected, simulated(jobs, { nodes = total, node_size = 1 }, 1))
      assert.same(expected, simulated(jobs, { nodes = total, node_size = 4 }, 4))
      assert.same(expected, simulated(jobs, { nodes = 1, node_size = total }, 1))
    end
  end)
end)
