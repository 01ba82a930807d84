-- A log of jobs as a platform's load, and what it says of itself.
local draws = require("ballpark.uncertain.draws")
local errors = require("ballpark.errors")

local logged = {}

local DAY_S <const>, HOUR_S <const> = 86400, 3600

-- As many as the simulation takes (core/sim/platform.h).
local MOST_CLASSES <const> = 4096

-- What may be said of a class of a log: what the log does not know.
local SAID <const> = { "name", "priority", "share", "project", "preemptible", "checkpoint_s", "restart_s" }

-- The same, of what its jobs keep, compute beside the devices and prepare.
local BESIDES <const> = { "bytes", "ttl_s", "replication", "tier", "cold_after_s", "cold_tier", "cpu_hours", "items",
  "items_per_s" }

-- Classes of the jobs by name, as the simulation takes them, with what is said of them; their names, their numbers by
-- name, and what the simulation does not take.
local function classes_of(jobs, said)
  local names, index, list, known = {}, {}, {}, {}
  for _, job in ipairs(jobs) do
    if not index[job.class] then
      names[#names + 1] = job.class
      index[job.class] = #names
    end
  end
  if #names > MOST_CLASSES then
    errors.input("by", ("%s has %d different values of %s, and a platform has at most %d classes: take another column"):format(
      jobs.name or "the log", #names, jobs.group, MOST_CLASSES))
  end
  for i, class in ipairs(said or {}) do
    local path = ("classes[%d]"):format(i)
    errors.named(path, class, table.move(BESIDES, 1, #BESIDES, #SAID + 1, table.move(SAID, 1, #SAID, 1, {})))
    if not index[class.name] then errors.choice(path .. ".name", tostring(class.name), names) end
    known[class.name] = class
  end
  local projects, count, besides = {}, 0, {}
  for i, name in ipairs(names) do
    local class = {}
    for key, value in pairs(known[name] or {}) do class[key] = value end
    local project = class.project or name
    if not projects[project] then projects[project], count = count, count + 1 end
    class.name, class.project = nil, projects[project]
    list[i] = class
    besides[i] = {}
    for _, field in ipairs(BESIDES) do besides[i][field], class[field] = class[field], nil end
  end
  return list, names, index, besides
end

-- Lists for the simulation; times from the first submission on.
local function lists_of(jobs, index)
  local trace, first = { submit_s = {}, run_s = {}, devices = {}, class = {} }, jobs[1].submit
  for i, job in ipairs(jobs) do
    trace.submit_s[i], trace.run_s[i] = job.submit - first, job.ends - job.start
    trace.devices[i], trace.class[i] = job.devices, index[job.class]
  end
  return trace
end

-- Most devices, and jobs, between recorded starts and ends; ends come first.
local function peaks(jobs)
  local events = {}
  for _, job in ipairs(jobs) do
    events[#events + 1] = { job.start, job.devices, 1 }
    events[#events + 1] = { job.ends, -job.devices, -1 }
  end
  table.sort(events, function(a, b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2] < b[2]
  end)
  local devices, running, most_devices, most_running = 0, 0, 0, 0
  for _, event in ipairs(events) do
    devices, running = devices + event[2], running + event[3]
    most_devices, most_running = math.max(most_devices, devices), math.max(most_running, running)
  end
  return most_devices, most_running
end

local function by_class(jobs)
  local groups = {}
  for _, job in ipairs(jobs) do
    local group = groups[job.class] or {}
    groups[job.class], group[#group + 1] = group, job
  end
  return groups
end

-- Recorded waits of jobs.
local function waits(jobs)
  local list, sum = {}, 0
  for i, job in ipairs(jobs) do
    list[i] = job.start - job.submit
    sum = sum + list[i]
  end
  table.sort(list)
  local function at(share) return draws.quantile(list, share) end
  return { mean_s = sum / #list, p50_s = at(0.5), p90_s = at(0.9), p99_s = at(0.99), jobs = #list }
end

local function add_sums(answer, jobs)
  local device_s, run_s, latest, largest = 0, 0, jobs[1].ends, 1
  for _, job in ipairs(jobs) do
    device_s, run_s = device_s + job.devices * (job.ends - job.start), run_s + job.ends - job.start
    latest, largest = math.max(latest, job.ends), math.max(largest, job.devices)
  end
  local span = math.max(latest - jobs[1].submit, 1e-9)
  answer.span_s, answer.jobs, answer.largest = span, #jobs, largest
  answer.device_s, answer.device_s_per_day = device_s, device_s / span * DAY_S
  answer.sustained, answer.concurrent = device_s / span, run_s / span
  answer.starts_per_s, answer.activities_per_s = #jobs / span, #jobs / span
end

-- Of every class: its rate, and what its jobs write and compute, as logged or else as said. Adds up the CPU cores.
local function add_besides(answer, jobs, index, besides)
  local core_s = 0
  for i, class in ipairs(answer.classes) do
    for field, value in pairs(besides[i]) do class[field] = value end
    class.count, class.written = 0, 0
  end
  for _, job in ipairs(jobs) do
    local class = answer.classes[index[job.class]]
    class.count, class.written = class.count + 1, class.written + (job.bytes or 0)
    core_s = core_s + (job.cpus or 0) * (job.ends - job.start)
  end
  for _, class in ipairs(answer.classes) do
    class.rate_per_s = class.count / answer.span_s
    if class.written > 0 then class.bytes = class.written / class.count end
    core_s = core_s + class.count * (class.cpu_hours or 0) * HOUR_S
    class.count, class.written = nil, nil
  end
  answer.cpu_cores = core_s / answer.span_s
end

--- Fills the answer with what the log says, and gives the classes and the lists of the simulation.
---@param answer table
---@param jobs table[] of measured.job_trace
---@param said table[]|nil of its classes
function logged.add(answer, jobs, said)
  local list, names, index, besides = classes_of(jobs, said)
  add_sums(answer, jobs)
  local recorded, groups = { wait = waits(jobs), classes = {} }, by_class(jobs)
  recorded.peak_held, recorded.peak_running = peaks(jobs)
  answer.recorded, answer.classes = recorded, {}
  for i, name in ipairs(names) do
    recorded.classes[i] = waits(groups[name])
    answer.classes[i] = { name = name }
  end
  add_besides(answer, jobs, index, besides)
  return list, lists_of(jobs, index)
end

-- Beyond so many times the recorded mean a share says nothing: hardly anybody waited.
local MOST_OFF <const> = 100

--- How far simulated waits are from recorded ones: { mean_frac (of the mean), mean_s (mean of the absolute differences,
--- job by job), within_frac (share of the jobs within a tenth of the recorded mean wait, or a minute) }.
function logged.apart(jobs, out)
  local first, off, near, recorded, simulated = jobs[1].submit, 0, 0, 0, 0
  for _, job in ipairs(jobs) do recorded = recorded + job.start - job.submit end
  local close = math.max(60, recorded / #jobs / 10)
  for i, job in ipairs(jobs) do
    local difference = out.starts[i] - (job.start - first)
    simulated = simulated + out.starts[i] - (job.submit - first)
    off = off + math.abs(difference)
    near = near + (math.abs(difference) <= close and 1 or 0)
  end
  local frac = recorded > 0 and simulated / recorded - 1
  return { mean_frac = frac and frac < MOST_OFF and frac or nil, mean_s = off / #jobs, within_frac = near / #jobs }
end

return logged
