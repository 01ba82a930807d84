-- A platform's jobs in a report.
local comparables = require("ballpark.questions.comparables.show")
local policies = require("ballpark.questions.platform.policies")
local projects = require("ballpark.questions.platform.projects")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local show = {}

-- Starts of jobs, and what keeps CPU cores busy.
local function add_rates(fact, answer)
  fact("starts_per_day", answer.starts_per_s * 86400, "", nil)
  fact("starts_per_s", answer.starts_per_s, "1/s", "Starts", { text = "{starts_per_s}, {starts_per_minute} a minute, "
    .. "{starts_per_day} a day"
    .. (answer.activities_per_s ~= answer.starts_per_s and "; {activities_per_s} steps" or "") })
  fact("starts_per_minute", answer.starts_per_s * 60, "")
  fact("activities_per_s", answer.activities_per_s, "1/s")
  fact("cpu_cores", answer.cpu_cores, "", answer.cpu_cores > 0 and "CPU cores" or nil, { text = "{cpu_cores} busy in the mean" })
  fact("preprocessing_workers", answer.preprocessing_workers, "", answer.preprocessing_workers > 0 and "Preprocessing" or nil,
    { text = "{preprocessing_workers} workers busy in the mean, for the data of every job" })
end

local function facts(answer, r)
  local list = { name = "platform", title = answer.trace and ("%s logged jobs"):format(units.tally(answer.jobs))
    or ("%s of jobs on a platform"):format(units.count(#answer.classes, #answer.classes == 1 and "class" or "classe")) }
  local function fact(name, value, unit, title, more)
    local item = { name = name, value = value, unit = unit, title = title or name, hide = title == nil }
    for key, extra in pairs(more or {}) do item[key] = extra end
    list[#list + 1] = item
  end
  local seen = answer.seen
  for i, item in ipairs(answer.contradictions) do
    fact("contradiction_" .. i, item.text, "", i == 1 and "Does not go" or "")
  end
  fact("fits", answer.fits, "", nil)
  fact("nodes", answer.nodes, "")
  fact("node_size", answer.node_size, "")
  fact("devices", answer.devices, "", "Devices", { text = ("{devices}, {nodes} node%s of {node_size}"):format(
    answer.nodes == 1 and "" or "s") })
  fact("span_s", answer.span_s, "s", answer.span_s and "Span" or nil)
  fact("device_s", answer.device_s, "device s", answer.device_s and "Device time" or nil)
  fact("device_s_per_day", answer.device_s_per_day, "device s", "Device time a day")
  fact("sustained", answer.sustained, "", "Busy in the mean")
  fact("peak", answer.peak, "", "Most asked for", { text = "{peak} devices at one time if nobody waited, {peak_running} jobs" })
  fact("peak_running", answer.peak_running, "")
  fact("concurrent", answer.concurrent, "", "Jobs at one time", { text = "{concurrent} in the mean (Little's law)" })
  fact("policy", answer.policy, "", "Policy")
  fact("percentile", answer.percentile, "")
  fact("wait_at_s", seen.wait.at_s, "s")
  fact("wait_p99_s", seen.wait.p99_s, "s")
  fact("wait_s", seen.wait.mean_s, "s", "A job waits", { range = answer.range and answer.range.wait_s,
    text = (answer.overloaded and "longer and longer; of the simulated jobs " or "")
      .. "{wait_s} in the mean, P{percentile} {wait_at_s}, P99 {wait_p99_s}" })
  fact("lost_frac", seen.lost_frac, "frac")
  fact("down_frac", seen.down_frac, "frac")
  fact("rounding_frac", seen.rounding_frac, "frac")
  fact("fragmented_frac", seen.fragmented_frac, "frac")
  fact("held_frac", seen.held_frac, "frac")
  fact("utilization_frac", seen.utilization_frac, "frac", "Utilisation", { text = "{utilization_frac}; idle while jobs wait: "
    .. "{held_frac} held for the first, {fragmented_frac} on too many nodes; {rounding_frac} unused parts of whole nodes" })
  if seen.down_frac + seen.lost_frac > 0 then
    fact("interruptions", seen.interruptions, "", "Failures and upkeep", { text =
      "{down_frac} of the time away, {lost_frac} lost work, {interruptions} jobs interrupted" })
  end
  comparables.platform(fact, r, seen.utilization_frac)
  local target = answer.target
  if answer.wait_target_s then
    fact("wait_target_s", answer.wait_target_s, "s")
    fact("target_devices", target and target.devices, "", "For the target", { text = target
      and "{target_devices} devices: P{percentile} of the wait at most {wait_target_s}" or "no number of devices keeps it" })
  end
  add_rates(fact, answer)
  fact("usd_h", answer.usd_h, "USD/h", nil)
  fact("storage_usd_month", answer.storage_usd_month, "USD", nil)
  fact("usd_month", answer.usd_month, "USD", answer.usd_month and "Cost a month" or nil, { text = answer.storage
    and "{usd_month}, {storage_usd_month} of it storage" or nil })
  return list
end

local WAIT_COLUMNS <const> = { { name = "mean_s", unit = "s", title = "mean" }, { name = "p50_s", unit = "s", title = "P50" },
  { name = "p90_s", unit = "s", title = "P90" }, { name = "p99_s", unit = "s", title = "P99" } }

local function columns(first, more)
  local list = table.move(WAIT_COLUMNS, 1, #WAIT_COLUMNS, 2, { first })
  return table.move(more, 1, #more, #list + 1, list)
end

local function wait_row(first, wait, more)
  local row = { first, wait.mean_s, wait.p50_s, wait.p90_s, wait.p99_s }
  return table.move(more, 1, #more, #row + 1, row)
end

local function add_policies(r, answer)
  local rows = {}
  if answer.recorded then
    local recorded = answer.recorded
    rows[1] = wait_row("as recorded", recorded.wait, { answer.sustained / answer.devices })
  end
  for _, row in ipairs(answer.policies) do
    local apart = row.apart or {}
    rows[#rows + 1] = wait_row(row.policy, row.wait, { row.utilization_frac, row.fragmented_frac, row.held_frac,
      row.preemptions > 0 and row.preemptions or nil, apart.mean_frac, apart.mean_s })
  end
  local more = { { name = "utilization_frac", unit = "frac", title = "used" },
    { name = "fragmented_frac", unit = "frac", title = "fragmented" }, { name = "held_frac", unit = "frac", title = "held" },
    { name = "preemptions", title = "displaced" } }
  if answer.recorded then
    more[#more + 1] = { name = "apart_frac", unit = "frac", title = "mean off" }
    more[#more + 1] = { name = "apart_s", unit = "s", title = "off, a job" }
  end
  r:table({ name = "policies", title = "Waits under each policy", columns = columns({ name = "policy", title = "" }, more),
    rows = rows })
  for _, row in ipairs(answer.policies) do
    if row.grows then r:note(("Under %s the queue grows without end: its waits are those of as many jobs."):format(row.policy)) end
  end
end

local function add_classes(r, answer)
  if answer.trace and #answer.classes == 1 then return end
  local rows, seen = {}, answer.seen
  for i, class in ipairs(answer.classes) do
    local own, jobs = seen.classes[i], answer.rows and answer.rows[i]
    if own.counted > 0 then
      rows[#rows + 1] = wait_row(class.name, own.wait, { jobs and class.rate_per_s * 86400 or nil, jobs and class.duration_s or nil,
        class.devices or (jobs and 1) or nil, jobs and jobs.device_s_per_day or own.device_s, jobs and jobs.concurrent or nil,
        own.tries > own.counted and own.tries / own.counted or nil })
    end
  end
  local logged = answer.trace ~= nil
  r:table({ name = "classes", title = "Waits per class, " .. policies.words(answer.policy), rows = rows,
    columns = columns({ name = "class", title = "" }, { { name = "per_day", title = "a day" }, { name = "duration_s", unit = "s",
      title = "runs" }, { name = "devices" }, { name = "device_s", unit = "device s", title = logged and "device time"
        or "device time a day" }, { name = "concurrent", title = "running" }, { name = "tries", title = "starts each" } }) })
end

local function add_target(r, answer)
  if not answer.target then return end
  local rows = {}
  for i, row in ipairs(answer.target.tried) do
    rows[i] = { row.devices, row.nodes, row.wait_s, row.utilization_frac, row.met }
  end
  r:table({ name = "sizes", title = ("Devices against the wait, P%g"):format(answer.percentile), rows = rows, columns = {
    { name = "devices" }, { name = "nodes" }, { name = "wait_s", unit = "s", title = "wait" },
    { name = "utilization_frac", unit = "frac", title = "used" }, { name = "met", title = "in time" } } })
end

local function add_storage(r, answer)
  local kept = answer.storage
  if not kept then return end
  local rows = {}
  for i, row in ipairs(kept.rows) do
    rows[i] = { row.name, row.per_day_bytes, row.ttl_s > 0 and row.ttl_s or nil, row.hot_bytes,
      row.cold_bytes > 0 and row.cold_bytes or nil, row.usd_month }
  end
  rows[#rows + 1] = { "all", kept.per_day_bytes, nil, kept.bytes, nil, kept.usd_month }
  r:table({ name = "storage", title = "Kept in the steady state", rows = rows, columns = { { name = "class", title = "" },
    { name = "per_day_bytes", unit = "B", title = "written a day", stored = true }, { name = "ttl_s", unit = "s", title = "kept for" },
    { name = "bytes", unit = "B", title = "kept", stored = true }, { name = "cold_bytes", unit = "B", title = "colder tier",
      stored = true }, { name = "usd_month", unit = "USD", title = "a month" } } })
  if kept.grows then r:warn("What has no ttl_s is never deleted and grows without end; it is counted at the horizon.") end
  for _, source in ipairs(kept.sources) do r:assume("Storage: " .. source .. ", retrieval apart.") end
end

local function add_preprocessing(r, answer)
  if #answer.preprocessing == 0 then return end
  local rows = {}
  for i, work in ipairs(answer.preprocessing) do
    rows[i] = { work.name, work.items, work.time_s, work.rate_per_s, work.workers_needed > 0 and work.workers_needed or nil }
  end
  r:table({ name = "preprocessing", title = "Preprocessing", rows = rows, columns = { { name = "name", title = "" },
    { name = "items" }, { name = "time_s", unit = "s", title = "takes" }, { name = "rate_per_s", unit = "1/s", title = "items a second" },
    { name = "workers_needed", title = "workers needed" } } })
end

local function add_sweeps(r, answer)
  if #answer.sweeps == 0 then return end
  local rows, assumed = {}, false
  for i, sweep in ipairs(answer.sweeps) do
    rows[i] = { sweep.name, sweep.trials, sweep.full_device_s, sweep.device_s, sweep.saved_frac, sweep.usd, sweep.allowed,
      sweep.over_device_s and sweep.over_device_s > 0 and sweep.over_device_s or nil }
    assumed = assumed or sweep.assumed
    if sweep.allowed == false then r:warn(projects.refusal(sweep)) end
  end
  r:table({ name = "sweeps", title = "Sweeps", rows = rows, columns = { { name = "sweep", title = "" }, { name = "trials" },
    { name = "full_device_s", unit = "device s", title = "all to the end" }, { name = "device_s", unit = "device s",
      title = "with early stops" }, { name = "saved_frac", unit = "frac", title = "saved" }, { name = "usd", unit = "USD", title = "cost" },
    { name = "allowed" }, { name = "over_device_s", unit = "device s", title = "over by" } } })
  if assumed then
    r:assume("Sweeps: random search does with 75 trials, Bayesian search with 35 of which half stop after a fifth, successive "
      .. "halving starts 81 and keeps one in three: rules of thumb; give trials.")
  end
end

local function add_projects(r, answer)
  if #answer.projects == 0 then return end
  local rows = {}
  for i, project in ipairs(answer.projects) do
    rows[i] = { project.name, project.budget_device_s, project.need_device_s, project.jobs, project.refused,
      project.refused_device_s > 0 and project.refused_device_s or nil, project.lasts_s }
    if project.jobs == 0 and not project.swept then
      r:warn(("no class and no sweep is of project %s: its budget guards nothing"):format(project.name))
    end
  end
  r:table({ name = "projects", title = "Budgets a month", rows = rows, columns = { { name = "project", title = "" },
    { name = "budget_device_s", unit = "device s", title = "budget" }, { name = "need_device_s", unit = "device s", title = "asked for" },
    { name = "jobs" }, { name = "refused", title = "refused" }, { name = "refused_device_s", unit = "device s", title = "refused time" },
    { name = "lasts_s", unit = "s", title = "first refusal after" } } })
end

local function say_left_out(r, answer)
  local left_out = answer.trace and answer.trace.left_out or {}
  for _, why in ipairs(tables.sorted_keys(left_out)) do
    r:note(("%s left out: %s"):format(units.count(left_out[why], "row"), why))
  end
end

--- Adds an answer of platform.run to a result.
function show.answer(r, answer)
  r:facts(facts(answer, r))
  add_policies(r, answer)
  add_classes(r, answer)
  add_target(r, answer)
  add_storage(r, answer)
  add_preprocessing(r, answer)
  add_sweeps(r, answer)
  add_projects(r, answer)
  say_left_out(r, answer)
  for _, text in ipairs(answer.assumed) do r:assume(text .. ".") end
  if answer.trace then
    r:assume("The simulation starts with nothing running and knows how long each job runs; what a scheduler of its own does "
      .. "besides (limits of users, reservations, jobs without devices) is not in a log.")
  else
    r:assume(("Arrivals at random; durations lognormal, deviation as large as the mean, unless a class says another; %s jobs, "
      .. "the first %s not counted."):format(units.number(answer.seen.jobs, 0), units.format(answer.seen.skip_frac, "frac")))
  end
  if answer.range then
    r:assume(("Range of the wait: the mean of %s%s lies there four times in five; the model's own error is not in it."):format(
      units.format(answer.range_span_s, "s"), answer.trace and ", its days drawn again from those of the log," or ""))
  elseif answer.trace then
    r:assume("The wait has no range: the log has fewer than three days.")
  end
end

return show
