-- Classes of a platform's jobs as people describe them, and as the simulation and the kernels take them.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local tables = require("ballpark.tables")

local classes = {}

local DAY_S <const>, HOUR_S <const> = 86400, 3600

-- What a class says beside the fields of the simulation.
local OWN <const> = { "name", "per_day", "gpu_hours", "duration", "project", "bytes", "ttl_s", "replication", "tier",
  "cold_after_s", "cold_tier", "cpu_hours", "activities", "items", "items_per_s" }

local simulated

-- Fields of the simulation by name.
local function known_fields()
  simulated = simulated or fields.by_name(core.platform_about().class.fields)
  return simulated
end

local function check_known(path, class)
  if type(class) ~= "table" then errors.input(path, "must be a table, got " .. type(class)) end
  local names = table.move(OWN, 1, #OWN, 1, {})
  for name in pairs(known_fields()) do names[#names + 1] = name end
  table.sort(names)
  errors.only(path, class, names)
end

local function rate_of(path, class, lack)
  local field = errors.either(path, class, "per_day", "rate_per_s")
  if not field then return lack(path .. ".per_day", "jobs a day, such as 50") end
  return errors.number(path .. "." .. field, class[field], 0) / (field == "per_day" and DAY_S or 1)
end

-- Of a job that runs on several devices, gpu_hours are those of all of them.
local function duration_of(path, class, lack)
  local field = errors.either(path, class, "gpu_hours", "duration", "duration_s")
  if not field then
    return lack(path .. ".duration", "how long a job runs, such as hours(6); or gpu_hours of all its devices")
  end
  local value = errors.positive(path .. "." .. field, class[field])
  return field == "gpu_hours" and value * HOUR_S / (class.devices or 1) or value
end

local function one(path, class, index, lack)
  check_known(path, class)
  local made = {}
  for key, value in pairs(class) do made[key] = value end
  made.name = errors.text(path .. ".name", class.name) or ("class " .. index)
  errors.text(path .. ".project", class.project)
  fields.check_numbers(path, core.platform_about().class.fields, tables.with(class, { project = 0 }))
  local cv = { fixed = 0, exponential = 1 }
  if class.duration_cv ~= nil and cv[class.durations] and class.duration_cv ~= cv[class.durations] then
    errors.input(path .. ".duration_cv", ("is %d of %s durations, got %s: give one"):format(cv[class.durations], class.durations, tostring(class.duration_cv)))
  end
  made.rate_per_s, made.duration_s = rate_of(path, class, lack), duration_of(path, class, lack)
  for _, field in ipairs({ "bytes", "ttl_s", "cpu_hours", "activities", "items", "items_per_s", "cold_after_s" }) do
    if class[field] ~= nil then errors.number(path .. "." .. field, class[field], 0) end
  end
  return made
end

-- What all classes lack, in one error at the place of the first.
local function refuse(lacks)
  local more = {}
  for i = 2, #lacks do more[i - 1] = ("; %s is missing: %s"):format(lacks[i][1], lacks[i][2]) end
  errors.input(lacks[1][1], "is missing: " .. lacks[1][2] .. table.concat(more))
end

--- The classes with rate_per_s, duration_s and a name each; what is missing or unknown is an error at its place, with all
--- that is missing.
function classes.read(list)
  if type(list) ~= "table" or #list == 0 then
    errors.input("classes", "must list classes of jobs: { { name = \"fine-tunes\", per_day = 50, duration = hours(6) } }")
  end
  local made, lacks = {}, {}
  local function lack(path, what) lacks[#lacks + 1] = { path, what } end
  for i, class in ipairs(list) do made[i] = one(("classes[%d]"):format(i), class, i, lack) end
  if lacks[1] then refuse(lacks) end
  return made
end

--- Numbers of the projects of classes, from 0, by name: without one a class is its own.
local function projects_of(list)
  local numbers, count = {}, 0
  for _, class in ipairs(list) do
    local name = class.project or class.name
    if not numbers[name] then numbers[name], count = count, count + 1 end
  end
  return numbers
end

--- The classes as the simulation takes them.
function classes.simulated(list)
  local known, numbers, made = known_fields(), projects_of(list), {}
  for i, class in ipairs(list) do
    local to = {}
    for name in pairs(known) do to[name] = class[name] end
    to.project = numbers[class.project or class.name]
    made[i] = to
  end
  return made
end

--- Sums without a simulation: { device_s_per_day, sustained, burst_devices, concurrent, starts_per_s, activities_per_s,
--- cpu_cores, largest (devices of the largest gang), rows (per class) }.
function classes.sums(list, utilization_frac)
  local sum = { device_s_per_day = 0, sustained = 0, planned = 0, burst_devices = 0, concurrent = 0, starts_per_s = 0,
    activities_per_s = 0, cpu_cores = 0, largest = 1, rows = {} }
  for i, class in ipairs(list) do
    local jobs = core.jobs({ rate_per_s = class.rate_per_s, duration_s = class.duration_s,
      devices_per_job = class.devices or 1, utilization_frac = utilization_frac, burst = class.burst or 1,
      activities_per_job = class.activities or 1 })
    sum.rows[i] = jobs
    sum.device_s_per_day = sum.device_s_per_day + jobs.device_s_per_day
    sum.sustained, sum.planned = sum.sustained + jobs.sustained_devices, sum.planned + jobs.planned_devices
    sum.burst_devices = sum.burst_devices + jobs.burst_devices
    sum.concurrent = sum.concurrent + jobs.concurrent
    sum.starts_per_s = sum.starts_per_s + jobs.starts_per_s
    sum.activities_per_s = sum.activities_per_s + jobs.activities_per_s
    sum.cpu_cores = sum.cpu_cores + class.rate_per_s * (class.cpu_hours or 0) * HOUR_S
    if class.gang ~= false then sum.largest = math.max(sum.largest, class.devices or 1) end
  end
  return sum
end

return classes
