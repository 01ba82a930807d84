-- The jobs of a platform, described by classes or logged: what they need, how long they wait, what they cost.
local capacity = require("ballpark.questions.platform.capacity")
local catalog = require("ballpark.catalog")
local classes = require("ballpark.questions.platform.classes")
local core = require("ballpark.core")
local described = require("ballpark.fields")
local errors = require("ballpark.errors")
local logged = require("ballpark.questions.platform.logged")
local policies = require("ballpark.questions.platform.policies")
local projects = require("ballpark.questions.platform.projects")
local questions = require("ballpark.questions")
local range = require("ballpark.range")
local simulate = require("ballpark.questions.platform.simulate")
local storage = require("ballpark.questions.platform.storage")
local sweeps = require("ballpark.questions.platform.sweeps")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local platform = {}

-- Usual where nobody says: assumptions.
local NODE_SIZE <const>, UTILIZATION <const>, PERCENTILE <const>, POLICY <const> = 8, 0.7, 90, "backfill"

local YEAR_S <const> = units.years(1)

local SIMULATION <const> = { "limit_factor", "backfill_depth", "half_life_s", "jobs", "skip_frac", "seed" }
local FAILURES <const> = { "node_mtbf_s", "repair_s", "maintenance_every_s", "maintenance_s", "maintenance_frac" }

local function assume(answer, text, ...) answer.assumed[#answer.assumed + 1] = text:format(...) end

-- Nodes as given, or those of which the mean load, with what failures lose of it, keeps the share busy that is planned with;
-- nil where a wait that is aimed at says how many.
local function nodes_of(answer, input, case, fields)
  local node_size = fields.node_size
  if input.nodes and input.devices then errors.input("devices", "and nodes say the same: give one") end
  if input.nodes then return errors.whole("nodes", input.nodes) end
  if input.devices then
    local devices = errors.whole("devices", input.devices)
    if devices % node_size ~= 0 and devices > node_size then
      errors.input("devices", ("%d are no whole nodes of %d: give nodes, or node_size"):format(devices, node_size))
    end
    return math.max(1, devices // node_size)
  end
  if input.wait_target_s then return nil end
  if input.jobs then
    local nodes = math.ceil(answer.recorded.peak_held / node_size)
    assume(answer, "%d nodes: as many devices as the log holds at its busiest time, %d; give nodes", nodes,
      answer.recorded.peak_held)
    return nodes
  end
  local share = input.utilization_frac or UTILIZATION
  local nodes = capacity.nodes(case.classes, fields, share)
    or capacity.nodes(case.classes, { node_size = node_size }, share) or math.ceil(answer.largest / node_size)
  assume(answer, "%d nodes: the mean load at %s of what they run at one time, or the largest gang; give nodes", nodes,
    units.format(share, "frac"))
  return nodes
end

-- Outages that come more often leave nothing to be planned, and a simulation has as many events.
local OUTAGES <const>, LEAST_APART_S <const> = { "node_mtbf_s", "maintenance_every_s" }, 3600

local function check_outage(name, every_s)
  if errors.number("failures." .. name, every_s, 0) > 0 and every_s < LEAST_APART_S then
    errors.input("failures." .. name, ("must be 0 for none, or an hour at least, got %g s"):format(every_s))
  end
end

local function fields_of(answer, input, case)
  local node_size = input.node_size and errors.whole("node_size", input.node_size) or NODE_SIZE
  if input.devices and input.devices < node_size then node_size = errors.whole("devices", input.devices) end
  if not input.node_size then assume(answer, "Nodes of %d devices", node_size) end
  errors.only("simulation", input.simulation or {}, SIMULATION)
  errors.only("failures", input.failures or {}, FAILURES)
  for _, group in ipairs({ "simulation", "failures" }) do
    described.check_numbers(group, core.platform_about().input.fields, input[group] or {})
  end
  for _, name in ipairs(OUTAGES) do check_outage(name, input.failures and input.failures[name] or 0) end
  local fields = tables.with(input.simulation or {}, input.failures or {})
  fields.node_size = node_size
  fields.nodes = nodes_of(answer, input, case, fields)
  fields.percentile = input.percentile or PERCENTILE
  return fields
end

local function contradict(answer, code, text, ...)
  table.insert(answer.contradictions, { code = code, text = text:format(...) })
end

-- A job of a log that no state of the platform has room for is an error at its line.
local function check_rooms(answer, nodes)
  for _, job in ipairs(answer.trace or {}) do
    if math.ceil(job.devices / answer.node_size) > nodes then
      errors.input(("%s:%d"):format(answer.trace.name, job.line), ("takes %d devices, more than the %d of the platform: give "
        .. "more nodes"):format(job.devices, nodes * answer.node_size))
    end
  end
end

local function check_log(answer)
  local free = 1 - answer.seen.down_frac - answer.seen.rounding_frac
  if answer.sustained >= answer.devices * free then
    contradict(answer, "load", "the jobs held %s devices in the mean of the log, and there are %d: waits grow as long as it "
      .. "goes on", units.number(answer.sustained, 0), answer.devices)
  end
end

-- What the jobs ask for and what there is of it: devices; where these are enough, room on whole nodes for the jobs of a class
-- at one time; where that is, what the simulation gets done of their work.
local function shortage(answer, load)
  local over, down = load.over, answer.seen.down_frac
  if over and load.held < answer.devices * (1 - down) then
    return ("%s jobs of %s run at one time in the mean, and %s of %d devices run %s"):format(units.number(load.running, 1),
      over.name, units.count(answer.nodes, "node"), answer.node_size, units.number(load.slots, 0))
  end
  local busy = ("the jobs keep %s devices busy in the mean"):format(units.number(load.busy, 0))
  if not load.is_over then
    return ("%s, and under %s the %d that there are do the work of %s"):format(busy, answer.policy, answer.devices,
      units.number(answer.seen.busy_devices - answer.seen.lost_frac * answer.devices, 0))
  end
  if load.busy > answer.sustained * 1.001 then busy = busy .. ", with the work that failures lose" end
  if load.held > load.busy * 1.001 then
    busy = ("%s, and hold %s as whole nodes"):format(busy, units.number(load.held, 0))
  end
  return ("%s, and there are %d%s"):format(busy, answer.devices, down > 0
    and (", of which %s are away"):format(units.format(down, "frac")) or "")
end

local function check_load(answer, case)
  local load = capacity.of(answer.classes, case.fields)
  answer.overloaded = load.is_over or answer.seen.grows
  if not answer.overloaded then return end
  if load.endless then
    contradict(answer, "load", "failures stop the jobs of %s before they end: no number of nodes carries them, shorter jobs or "
      .. "checkpoint_s would", load.endless.name)
    return
  end
  local does = answer.target and answer.target.nodes or simulate.carrying(case, answer.policy, answer.nodes + 1)
  contradict(answer, "load", "%s: the queue grows without end; %s", shortage(answer, load), does
    and ("%s, %d devices, carry the load"):format(units.count(does, "node"), does * answer.node_size)
    or "no number of nodes carries the load")
end

local function search_target(answer, input, case)
  if not input.wait_target_s then return end
  answer.wait_target_s = errors.number("wait_target_s", input.wait_target_s, 0)
  local gang = math.ceil(answer.largest / case.fields.node_size)
  if case.fields.nodes and gang > case.fields.nodes then return end -- no room for a job, which its run refuses
  local least = math.max(gang, answer.trace and 1 or capacity.nodes(case.classes, case.fields, 1) or 1)
  answer.target = simulate.nodes_for(case, answer.policy, answer.wait_target_s, least)
  if case.fields.nodes then return end
  case.fields.nodes = answer.target and answer.target.nodes or least
  assume(answer, "%d nodes: %s; give nodes to ask about so many", case.fields.nodes, answer.target
    and "the fewest that keep the wait" or "the least that carries the load")
end

local function check_target(answer)
  local target = answer.wait_target_s
  if target and answer.seen.wait.at_s > target then
    contradict(answer, "wait", "%g %% of the jobs wait up to %s, and the target is %s%s", answer.percentile,
      units.format(answer.seen.wait.at_s, "s"), units.format(target, "s"), answer.target
        and ("; %d devices keep it"):format(answer.target.devices) or "; no number of devices keeps it")
  end
end

local function price_of(answer, input)
  if input.price then return errors.number("price", input.price, 0) end
  if not input.device then
    if input.budget_usd_month then errors.input("budget_usd_month", "needs a price: give price or device") end
    return nil
  end
  local usd_h, source = catalog.price(input.device)
  if not usd_h then errors.input("device", ("%s is not rented by the hour: give price"):format(input.device)) end
  assume(answer, "%s USD per device-hour of %s (%s)", units.number(usd_h, 2), input.device, source)
  return usd_h
end

local function add_cost(answer, input)
  answer.storage_usd_month = answer.storage and answer.storage.usd_month or 0
  if not answer.price_usd_h then return end
  answer.usd_h = answer.devices * answer.price_usd_h
  answer.usd_month = answer.usd_h * units.MONTH_H + answer.storage_usd_month
  local budget = input.budget_usd_month and errors.number("budget_usd_month", input.budget_usd_month, 0)
  answer.budget_usd_month = budget
  if budget and answer.usd_month > budget then
    contradict(answer, "budget", "it costs %s a month, and the budget is %s", units.format(answer.usd_month, "USD"),
      units.format(budget, "USD"))
  end
end

local PREPROCESSING <const> = { "name", "items", "rate_per_s", "workers", "parallel_frac", "deadline_s" }

-- Work on data before jobs can start: what is listed, and what the items of a class's jobs keep busy.
local function add_preprocessing(answer, input)
  answer.preprocessing = {}
  for i, work in ipairs(input.preprocessing or {}) do
    local path = ("preprocessing[%d]"):format(i)
    errors.named(path, work, PREPROCESSING)
    local asked = tables.with(work, {})
    asked.name = nil
    answer.preprocessing[i] = tables.with(core.throughput(asked), { name = errors.text(path .. ".name", work.name) or path, items = work.items,
      deadline_s = work.deadline_s })
  end
  for i, class in ipairs(answer.classes) do
    if class.items then
      local path = ("classes[%d].items_per_s"):format(i)
      local one = core.throughput({ items = class.items, rate_per_s = errors.positive(path, class.items_per_s) })
      answer.preprocessing[#answer.preprocessing + 1] = tables.with(one, { name = class.name .. ", each job",
        items = class.items, workers_needed = class.rate_per_s * one.time_s, each_job = true })
    end
  end
  answer.preprocessing_workers = 0
  for _, work in ipairs(answer.preprocessing) do
    if work.each_job then answer.preprocessing_workers = answer.preprocessing_workers + work.workers_needed end
    if work.deadline_s and work.time_s > work.deadline_s then
      contradict(answer, "preprocessing", "%s takes %s, and has %s: %s workers do it", work.name, units.format(work.time_s, "s"),
        units.format(work.deadline_s, "s"), units.number(work.workers_needed, 0))
    end
  end
end

local function add_sums(answer, list, utilization_frac)
  local sum = classes.sums(list, utilization_frac)
  for name, value in pairs(sum) do answer[name] = value end
end

-- Nobody waits: what the jobs would hold if there were devices for all of them.
local function peak_of(case, policy)
  local free = simulate.run(case, policy, { nodes = 0, node_mtbf_s = 0, maintenance_every_s = 0 })
  return free.peak_devices, free.peak_running
end

local function add_policies(answer, case)
  local names = policies.distinct(case.classes)
  if not tables.contains(names, answer.policy) then names[#names + 1] = answer.policy end
  answer.policies = simulate.policies(case, names)
  for _, row in ipairs(answer.policies) do
    if row.policy == answer.policy then answer.seen = row end
    if answer.trace then row.apart = logged.apart(answer.trace, row) end
  end
end

local function take_nodes(answer, case)
  answer.nodes = case.fields.nodes
  answer.devices = answer.nodes * answer.node_size
  add_policies(answer, case)
end

-- Nodes that nobody gave are as many as the queue does not grow on.
local function add_nodes(answer, case)
  local nodes = simulate.carrying(case, answer.policy, answer.nodes + 1)
  if not nodes then return end
  assume(answer, "%d nodes instead: on fewer the queue grows without end", nodes)
  case.fields.nodes = nodes
  take_nodes(answer, case)
end

--- Answers platform{}: see its record.
function platform.run(input)
  questions.check_known("platform", input)
  local answer = { kind = "platform", assumed = {}, contradictions = {}, asked = input, trace = input.jobs,
    policy = input.policy or POLICY, percentile = errors.number("percentile", input.percentile or PERCENTILE, 1) }
  policies.fields("policy", answer.policy)
  local utilization = errors.number("utilization_frac", input.utilization_frac or UTILIZATION, 0.01)
  local case = {}
  if input.jobs then
    case.classes, case.trace = logged.add(answer, input.jobs, input.classes)
  else
    answer.classes = classes.read(input.classes)
    add_sums(answer, answer.classes, utilization)
    case.classes = classes.simulated(answer.classes)
  end
  case.fields = fields_of(answer, input, case)
  search_target(answer, input, case)
  answer.node_size = case.fields.node_size
  check_rooms(answer, case.fields.nodes)
  if not input.policy then assume(answer, "Policy backfill, as schedulers of clusters usually run") end
  take_nodes(answer, case)
  if answer.seen.grows and not (input.nodes or input.devices or input.wait_target_s) then add_nodes(answer, case) end
  answer.peak, answer.peak_running = peak_of(case, answer.policy)
  if answer.trace then check_log(answer) else check_load(answer, case) end
  local months = not answer.overloaded and simulate.months(case, answer.policy, answer.seen)
  if months then
    answer.range = { wait_s = range.new(answer.seen.wait.mean_s, math.min(months.mean.low, answer.seen.wait.mean_s),
      math.max(months.mean.high, answer.seen.wait.mean_s)) }
    answer.range_span_s = months.span_s
  end
  check_target(answer)
  answer.price_usd_h = price_of(answer, input)
  answer.storage = storage.of(answer.classes, input.storage, errors.number("horizon_s", input.horizon_s or YEAR_S, 0))
  add_preprocessing(answer, input)
  answer.sweeps = sweeps.rows(input.sweeps, answer.price_usd_h)
  answer.projects = projects.rows(input.projects, answer.classes, input.jobs, answer.sweeps, answer.price_usd_h)
  for _, text in ipairs(projects.refusals(answer.projects, answer.sweeps)) do contradict(answer, "project", "%s", text) end
  local swept = sweeps.busy(answer.sweeps)
  if swept > 0 then
    assume(answer, "Sweeps keep %s devices busy in the mean besides: they are no part of the load, the waits and the cost; "
      .. "as a class they are", units.number(swept, 1))
  end
  add_cost(answer, input)
  answer.fits = #answer.contradictions == 0
  return answer
end

return platform
