-- A training platform: jobs a day of several kinds to device-hours, devices, waits, storage, starts and the cost of a sweep.
local capacity = require("ballpark.questions.platform.capacity")
local core = require("ballpark.core")
local host_prices = require("ballpark.catalog.host_prices")
local page = require("ballpark.questions.ask.page")
local platforms = require("ballpark.questions.comparables.platforms")
local price_terms = require("ballpark.catalog.price_terms")
local proposals = require("ballpark.questions.ask.proposals")
local simulate = require("ballpark.questions.platform.simulate")

local tables = require("ballpark.tables")
local paid_on = require("ballpark.questions.ask.paid_on")
local units = require("ballpark.units")

local n = page.n

local MONTH_H <const> = units.MONTH_H

-- Devices of a node, and jobs of the simulation.
local NODE_SIZE <const>, JOBS <const> = 8, 30000

-- Kinds of jobs where nothing is said: share of all, hours, devices, bytes written, days kept. Assumptions in the proportions
-- of teams that fine-tune.
local CLASSES <const> = {
  { "fine-tunes", 0.40, 6, 1, 50e9, 14 },
  { "sweep trials", 0.30, 4, 1, 50e9, 3 },
  { "preference tuning", 0.05, 16, 4, 250e9, 30 },
  { "evaluations", 0.25, 1, 1, 0.25e9, 90 },
}

-- Jobs that one of the people who work there starts a day (assumption: a few on some days, none on others).
local JOBS_OF_USER <const>, LOW_JOBS <const>, HIGH_JOBS <const> = 2, 0.5, 8

-- Share of their time that devices run jobs of which nobody says how many come (assumption).
local USED <const> = 0.7

-- Jobs that are all alike, of those that the devices there are run at one time: a node that is no whole one has room, too.
local function at_one_time(f)
  local job, own = { devices = f.devices_per_job or 1 }, f.own_devices
  if job.devices > own then return own / job.devices end
  local rest = own % NODE_SIZE
  return capacity.slots(job, own // NODE_SIZE, NODE_SIZE)
    + (job.devices <= rest and capacity.slots(job, 1, rest) or 0)
end

local function known(name, title, unit, value, why, low, high)
  return { name, title .. "?", unit = unit, title = title, propose = proposals.constant(value, why, low, high) }
end

local platform = {
  name = "platform", title = "A platform of jobs", priced = true,
  words = "Jobs a day of several kinds: devices, CPU cores, storage, starts, sweeps",
  facts = {
    { "users", "How many people start jobs?", unit = "", title = "People" },
    { "jobs_per_user_day", "How many jobs of a person a day?", unit = "", title = "Jobs of a person a day" },
    { "jobs_per_s", "How many jobs per second (per_day(500))?", unit = "1/s", title = "Jobs", ask = 1,
      propose = function(f)
        if f.users and f.jobs_per_user_day then
          return f.users * f.jobs_per_user_day / 86400, ("%s people x %s a day"):format(n(f.users), n(f.jobs_per_user_day)), nil, nil, true
        end
        if f.own_devices and f.job_s and not f.users then
          return USED * at_one_time(f) / f.job_s, ("what the devices do at %s of their time"):format(n(USED, "frac")), nil, nil, true
        end
        if not f.users then return 500 / 86400, "a few teams", 100 / 86400, 2000 / 86400 end
        local each = f.users / 86400
        return each * JOBS_OF_USER, ("%.0f jobs a day of each (assumption)"):format(JOBS_OF_USER), each * LOW_JOBS, each * HIGH_JOBS
      end },
    { "job_s", "How long does a job run, where all are alike?", unit = "s", title = "A job runs", also = { "time_s", "trial_s" } },
    { "kinds", "How many kinds of jobs?", unit = "", type = "integer", title = "Kinds", propose = function(f)
      if not f.job_s then return #CLASSES, "fine-tunes, sweeps, preference tuning, evaluations" end
    end },
    { "hours_factor", "Length of jobs over what is proposed?", unit = "", title = "Length of jobs over what is proposed",
      propose = function(f)
        if not f.job_s then return 1, "6 h, 4 h, 16 h and 1 h", 0.5, 2 end
      end },
    { "wait_target_s", "How long may nine jobs in ten wait?", unit = "s", title = "Wait aimed at", also = { "wait_s" } },
    proposals.device("H100"),
    proposals.price, paid_on.fact, proposals.utilization,
    { "own_devices", "How many devices are there?", unit = "", type = "integer", title = "Devices there are" },
    { "devices_per_job", "Devices of a job?", unit = "", type = "integer", title = "Devices a job", also = { "devices" } },
    known("burst", "Bursts over the mean", "", 2, "working hours", 1.5, 3),
    known("cpu_hours", "CPU core-hours of a job", "", 1, "tokenising and packing", 0.5, 4),
    known("activities", "Steps of a workflow", "", 12, "fetch, prepare, train, evaluate, register", 6, 30),
    known("trials", "Trials of a sweep", "", 20, "Bayesian search does with 20 to 50"),
    known("trial_hours", "Hours of a trial", "", 4, "a short fine-tune"),
    known("pruned_frac", "Trials stopped early", "frac", 0.5, "median stopping"),
    known("project_device_s", "Budget of a project a month", "device s", 500 * 3600, "500 device-hours a month"),
    known("replication", "Copies of what is stored", "", 1, "object storage keeps its own"),
    proposals.budget_month,
  },
}

--- Jobs whose time is said, or their device-hours, are alike, on as many devices each as are said beside it.
function platform.given(given)
  local each = given.devices_per_job or given.devices or 1
  local job_s = given.job_s or given.device_s and given.device_s / each or given.time_s
  -- Devices beside those of a job are all that there are.
  if given.devices_per_job and given.devices then
    given = tables.with(given, { own_devices = given.devices })
    given.devices = nil
  end
  if not job_s then return given end
  local own = tables.with(given, { job_s = job_s, devices_per_job = each })
  own.device_s, own.time_s = nil, nil
  if not given.devices_per_job then own.devices = nil end
  return own
end

-- Classes with their shares; of fewer kinds those that are left share all jobs. Jobs that are alike are one class, which
-- writes and keeps what fine-tunes do.
local function classes_of(f)
  if f.job_s then
    return { { name = "jobs", rate_per_s = f.jobs_per_s, duration_s = f.job_s, devices = f.devices_per_job or 1,
      bytes = CLASSES[1][5], ttl_s = CLASSES[1][6] * 86400 } }
  end
  local count, all, list = math.min(f.kinds, #CLASSES), 0, {}
  for i = 1, count do all = all + CLASSES[i][2] end
  for i = 1, count do
    local class = CLASSES[i]
    list[i] = { name = class[1], rate_per_s = f.jobs_per_s * class[2] / all, duration_s = class[3] * 3600 * f.hours_factor,
      devices = f.devices_per_job or class[4], bytes = class[5], ttl_s = class[6] * 86400 }
  end
  return list
end

-- Devices of the largest job: fewer run none of it.
local function largest(f)
  local most = 1
  for _, class in ipairs(classes_of(f)) do most = math.max(most, class.devices) end
  return most
end

-- The classes as the simulation takes them, bursts included.
local function simulated(f)
  local list = {}
  for i, class in ipairs(classes_of(f)) do
    list[i] = { rate_per_s = class.rate_per_s, duration_s = class.duration_s, devices = class.devices, burst = f.burst }
  end
  return list
end

local function sums(f, p)
  local sum = { device_s = 0, sustained = 0, planned = 0, concurrent = 0, written = 0, steady = 0, starts = 0,
    activities = 0 }
  for _, class in ipairs(classes_of(f)) do
    local jobs = core.jobs({ rate_per_s = class.rate_per_s, duration_s = class.duration_s, devices_per_job = class.devices,
      utilization_frac = f.utilization_frac, burst = f.burst, activities_per_job = f.activities })
    local kept = core.retention({ write_bytes_s = class.rate_per_s * class.bytes, ttl_s = class.ttl_s,
      horizon_s = units.years(1), replication = f.replication })
    sum.device_s, sum.sustained = sum.device_s + jobs.device_s_per_day, sum.sustained + jobs.sustained_devices
    sum.concurrent, sum.starts = sum.concurrent + jobs.concurrent, sum.starts + jobs.starts_per_s
    sum.activities = sum.activities + jobs.activities_per_s
    sum.written, sum.steady = sum.written + kept.per_day_bytes, sum.steady + kept.steady_bytes
    p:add("scope", class.name:gsub("[^%w]", "_") .. "_per_day", class.name:gsub("^%l", string.upper),
      class.rate_per_s * 86400, "", ("a day, %s on %.0f device%s, %s kept %s"):format(n(class.duration_s, "s"), class.devices,
        class.devices == 1 and "" or "s", n(class.bytes, "stored"), n(class.ttl_s, "s")), { basis = f.job_s and "given" or "proposed" })
  end
  return sum
end

--- The five steps.
function platform.steps(p, f)
  local jobs = f:entry("jobs_per_s")
  p:add("scope", "jobs_per_day", "Jobs a day", f.jobs_per_s * 86400, "", (jobs.given or jobs.follows) and jobs.why
    or "proposed: " .. jobs.why, { low = f:entry("jobs_per_s").low and f:entry("jobs_per_s").low * 86400,
      high = f:entry("jobs_per_s").high and f:entry("jobs_per_s").high * 86400 })
  for _, name in ipairs({ "users", "jobs_per_user_day", "own_devices", "wait_target_s", "device", "usd_h", "utilization_frac", "burst" }) do p:fact(f, name) end
  local sum = sums(f, p)
  local terms = { f:term("jobs_per_s"), f:term(f.job_s and "job_s" or "hours_factor") }
  p:add("compute", "device_s", "Device time a day", sum.device_s, "device s", "sum of jobs x hours x devices", { terms = terms,
    brief = true })
  p:add("compute", "concurrent", "Runs at one time", sum.concurrent, "", "Little's law: starts x mean duration",
    { terms = terms })
  p:add("compute", "starts_per_s", "Starts per second", sum.starts, "1/s", ("%s jobs a day / 86,400 s; %s of %g steps each")
    :format(n(f.jobs_per_s * 86400), n(sum.activities, "1/s"), f.activities), { terms = { f:term("jobs_per_s") } })
  p:add("compute", "cpu_cores", "CPU cores", sum.starts * f.cpu_hours * 3600, "", ("%s starts/s x %g core-hours"):format(
    n(sum.starts), f.cpu_hours), { terms = { f:term("jobs_per_s"), f:term("cpu_hours") } })
  p:add("size", "written_bytes", "Written a day", sum.written, "B", "checkpoints and logs of all kinds", { stored = true,
    terms = { f:term("jobs_per_s") } })
  p:add("size", "steady_bytes", "Kept in the steady state", sum.steady, "B", "each kind's bytes x the days it is kept; without "
    .. "an expiry it grows for ever", { stored = true, terms = { f:term("jobs_per_s") }, brief = true })
  local sustained = sum.sustained
  p:add("fleet", "sustained", "Devices in the mean", sustained, "", "device time / 24 h", { terms = terms })
  local each = f.devices_per_job or 1
  local exact = sustained / f.utilization_frac
  -- For so many times the load: of whole jobs, and whole nodes where parts of them are left that no job fits.
  local function whole(factor)
    local devices = math.max(math.ceil(exact * factor / each - 1e-9) * each, largest(f))
    local nodes = capacity.nodes(classes_of(f), { node_size = NODE_SIZE }, f.utilization_frac / factor) or 0
    return nodes > math.ceil(devices / NODE_SIZE) and nodes * NODE_SIZE or devices
  end
  local planned = whole(1)
  p:add("fleet", f.wait_target_s and "planned_devices" or "devices", "Devices planned", planned, "", ("mean / %s%s"):format(
    n(f.utilization_frac, "frac"), planned > math.ceil(exact) and (", whole jobs of %.0f devices on nodes of %d"):format(largest(f), NODE_SIZE) or ""), { terms = terms,
      counted = whole, brief = true })
  p:add("fleet", "burst_devices", "For bursts", whole(f.burst), "", ("x %g, or they wait")
    :format(f.burst), { terms = { terms[1], terms[2], f:term("burst") }, counted = function(factor) return whole(f.burst * factor) end })
  if f.own_devices then
    if sustained >= f.own_devices then
      p:contradict("load", ("the jobs keep %s devices busy in the mean, and there are %.0f: the queue grows without end")
        :format(n(sustained), f.own_devices))
    end
    planned = f.own_devices
  end
  planned = sustained < planned and platform.waits(p, f, planned, sustained) or planned
  platform.sweeps(p, f)
  local month = planned * f.usd_h * MONTH_H
  local object = host_prices.object_usd_gb_month
  p:add("sanity", "cost_usd_month", "Cost a month", month, "USD", ("%.0f x %s x %.0f h"):format(planned, n(f.usd_h, "USD/h"),
    MONTH_H), { brief = true, terms = { terms[1], terms[2], f:term("usd_h") } })
  p:add("sanity", "storage_usd_month", "Storage a month", sum.steady / 1e9 * object.value, "USD", object.source)
  p:keep_budget(month, f.budget_usd_month, "it costs %s a month")
  platform.levers(p, f, whole, planned, month)
  p.headline = ("%.0f x %s, %s a month; %s kept"):format(planned, f.device, p:said("cost_usd_month"), n(sum.steady, "stored"))
  p.main = "cost_usd_month"
  if f.own_devices and f.job_s and not f:is_given("jobs_per_s") and not f.users then
    local most = math.floor(at_one_time(f)) * 86400 / f.job_s
    p:add("fleet", "most_jobs_day", "Jobs a day at most", most, "", ("%.0f at one time x 24 h / %s"):format(math.floor(at_one_time(f)), n(f.job_s, "s")), { brief = true })
    p.headline = ("%s jobs a day at most, %s at %s of the time; %s"):format(n(most), n(f.jobs_per_s * 86400), n(USED, "frac"), p.headline)
  end
end

-- How long jobs wait on so many devices, simulated on nodes of the usual size.
function platform.waits(p, f, planned, sustained)
  local node_size = math.min(NODE_SIZE, planned)
  local case = { fields = { nodes = math.ceil(planned / node_size), node_size = node_size, jobs = JOBS }, classes = simulated(f) }
  if f.wait_target_s then
    local target = simulate.nodes_for(case, "backfill", f.wait_target_s, case.fields.nodes)
    if target then
      case.fields.nodes, planned = target.nodes, math.max(planned, target.nodes * node_size)
    else
      p:contradict("wait", ("no number of devices keeps a wait of %s"):format(n(f.wait_target_s, "s")))
    end
    p:add("fleet", "devices", "Devices for the wait", planned, "", ("nine jobs in ten wait at most %s: "
      .. "the fewest nodes of %.0f, simulated"):format(n(f.wait_target_s, "s"), node_size), { basis = "estimated", brief = true })
  end
  local nodes, out = case.fields.nodes, simulate.run(case, "backfill")
  if out.grows or f.own_devices and f.job_s and f.jobs_per_s * f.job_s >= at_one_time(f) then
    local carry = simulate.carrying(case, "backfill", math.floor(planned) // node_size + 1)
    if f.own_devices then
      p:contradict("load", ("the jobs keep %s devices busy in the mean, and the %.0f that there are, nodes of %.0f, %s: the queue "
        .. "grows without end; %s"):format(n(sustained), planned, node_size, f.job_s
          and ("run %s at one time"):format(units.count(at_one_time(f), "job")) or "do less",
          carry and ("%.0f devices carry the load"):format(carry * node_size) or "no number of devices carries the load"))
    elseif carry then
      nodes, case.fields.nodes, planned = carry, carry, carry * node_size
      out = simulate.run(case, "backfill")
    end
  end
  p:add("sanity", "wait_s", "A job waits", out.wait.mean_s, "s", ("mean of %s simulated jobs on %d nodes of %d, first in, "
    .. "first out with backfill; P90 %s, P99 %s; %s of the devices busy"):format(n(JOBS), nodes, node_size, n(out.wait.p90_s, "s"),
    n(out.wait.p99_s, "s"), n(out.utilization_frac, "frac")), { basis = "estimated" })
  p.comparable, p.what = platforms.nearest(out.utilization_frac), "the middle of the share in use"
  p.notes[#p.notes + 1] = "Waits by the simulation of ballpark platform, which takes your classes, policies and logs."
  return planned
end

function platform.sweeps(p, f)
  local sweep = core.sweep_size({ trials = math.tointeger(f.trials // 1), trial_device_s = f.trial_hours * 3600,
    pruned_frac = f.pruned_frac, pruned_at_frac = 0.2 })
  p:add("sanity", "sweep_device_s", "A sweep", sweep.device_s, "device s", ("%d trials x %g h, %s stopped at a fifth; %s whole")
    :format(sweep.trials, f.trial_hours, n(f.pruned_frac, "frac"), n(sweep.full_device_s, "device s")))
  p:add("sanity", "sweep_usd", "A sweep costs", sweep.device_s / 3600 * f.usd_h, "USD", n(f.usd_h, "USD/h"), { brief = true,
    terms = { f:term("usd_h") } })
  local guard = core.guardrail({ budget_device_s = f.project_device_s, spent_device_s = 0, reserved_device_s = 0,
    request_device_s = sweep.full_device_s })
  p:add("sanity", "cap_trials", "Cap of trials", math.floor(f.project_device_s / (f.trial_hours * 3600)), "",
    ("a project's %s over a trial: a sweep is refused from there on, before it runs (this one is %s)"):format(
      n(f.project_device_s, "device s"), guard.allowed and "allowed" or "refused"))
end

function platform.levers(p, f, whole, planned, month)
  local function pull(title, costs, devices, usd_h)
    local cost = devices * (usd_h or f.usd_h) * MONTH_H
    table.insert(p.levers, { title = title, cost_usd_month = cost, saves_frac = 1 - cost / month, costs = costs })
  end
  local few = whole(f.utilization_frac / 0.85)
  if not f.wait_target_s and few < planned then pull("planned at 85 %", "jobs wait longer", few) end
  if not paid_on.is_committed(f) then
    pull("committed for a year", "they are paid when nobody needs them", planned, paid_on.instead(f, "reserved") * f.usd_h)
  end
  if f.paid_on ~= "spot" then
    pull("spot devices", "jobs are taken away and start again from their checkpoints", math.ceil(planned
      / (1 - price_terms.get("spot", "terms").loss_frac)), paid_on.instead(f, "spot") * f.usd_h)
  end
end

return platform
