-- What nodes carry of a platform's jobs without a simulation: how many jobs of a class run on them at one time, and how long
-- failures make a job run. Of one class of fixed durations it is exact; of others it is the most that they carry, which a
-- simulation may show to be less.
local capacity = {}

-- Nodes that a job takes, and whether they are whole ones: a job of at most a node's devices runs inside one node, beside as
-- many others as that has room for, a larger one takes whole nodes, and one of no gang is jobs of a device each.
local function room(class, node_size)
  local devices = class.devices or 1
  if class.gang == false then return devices / node_size, false end
  if devices > node_size then return math.ceil(devices / node_size), true end
  return 1 / (node_size // devices), false
end

--- Jobs of a class that so many nodes run at one time.
function capacity.slots(class, nodes, node_size)
  local each, whole = room(class, node_size)
  return whole and nodes // each or nodes / each
end

-- Devices that a job holds, used or not.
local function held(class, node_size)
  local each, whole = room(class, node_size)
  return whole and each * node_size or class.devices or 1
end

-- Failures per second of a node that a job is on.
local function failures_of(class, fields)
  local mtbf_s = fields.node_mtbf_s or 0
  local each, whole = room(class, fields.node_size)
  return mtbf_s > 0 and (whole and each or 1) / mtbf_s or 0
end

--- How long a job runs in all where failures set it back to its last checkpoint, in the mean: a stretch of W seconds between
--- two checkpoints takes (exp(f W) - 1) / f at failures of rate f, and exp(f R) times that where a start takes R. Of durations
--- that are drawn it is the least that any of that mean have: that of the largest convex function below it, by Jensen.
---@param class table duration_s, durations, checkpoint_s, restart_s, devices
---@param fields table node_size, node_mtbf_s
function capacity.runs_s(class, fields)
  local rate, duration_s = failures_of(class, fields), class.duration_s
  if rate == 0 then return duration_s end
  local function stretch_s(worked_s) return (math.exp(rate * worked_s) - 1) / rate end
  local over = math.exp(rate * (class.restart_s or 0))
  local every_s = class.checkpoint_s or 0
  local is_fixed = class.durations == "fixed" or class.duration_cv == 0
  if every_s == 0 or is_fixed and every_s >= duration_s then return over * stretch_s(duration_s) end
  if is_fixed then
    return over * (duration_s // every_s * stretch_s(every_s) + stretch_s(duration_s % every_s))
  end
  -- Along the first stretch until its slope is that of whole ones, then along that slope.
  local slope = stretch_s(every_s) / every_s
  local turn_s = math.log(slope) / rate
  if duration_s <= turn_s then return over * stretch_s(duration_s) end
  return over * (stretch_s(turn_s) + (duration_s - turn_s) * slope)
end

-- After so many the simulation gives a job up.
local MOST_STARTS <const> = 1000

--- Times that a job starts, the first one included, by the same measure.
function capacity.starts(class, fields)
  local rate = failures_of(class, fields)
  return rate > 0 and math.min(MOST_STARTS, 1 + rate * capacity.runs_s(class, fields)) or 1
end

--- Share of the nodes that is away for repair and maintenance.
function capacity.down_frac(fields)
  local mtbf_s, every_s = fields.node_mtbf_s or 0, fields.maintenance_every_s or 0
  local repair_s, maintenance_s = fields.repair_s or 3600, fields.maintenance_s or 14400
  local failed = mtbf_s > 0 and repair_s / (mtbf_s + repair_s) or 0
  local maintained = every_s > 0 and (fields.maintenance_frac or 1) * maintenance_s / (every_s + maintenance_s) or 0
  return 1 - (1 - failed) * (1 - maintained)
end

--- What the classes ask of so many nodes, and whether it is more than they carry: { busy (devices, with the work that
--- failures lose), held (with unused parts of whole nodes), over (a class that is too much by itself), running (its jobs in
--- the mean), slots (at one time at most), endless (a class whose jobs do not end between two failures), is_over }.
---@param classes table[] rate_per_s and what else the simulation takes
---@param fields table nodes, node_size, failures
function capacity.of(classes, fields)
  local size, up = fields.node_size, fields.nodes * (1 - capacity.down_frac(fields))
  local load = { busy = 0, held = 0 }
  for _, class in ipairs(classes) do
    local running = class.rate_per_s * capacity.runs_s(class, fields)
    load.busy = load.busy + running * (class.devices or 1)
    load.held = load.held + running * held(class, size)
    if capacity.starts(class, fields) >= MOST_STARTS then load.endless = load.endless or class end
    local slots = capacity.slots(class, fields.nodes, size)
    if not load.over and running >= math.min(slots, up / room(class, size)) then
      load.over, load.running, load.slots = class, running, slots
    end
  end
  load.is_over = load.over ~= nil or load.held >= up * size
  return load
end

-- Beyond so many nodes there is no answer: jobs do not end between two failures.
local MOST_NODES <const> = 1e6

--- The fewest nodes of which the classes keep at most the share busy, each by itself and all together, and which the largest
--- gang goes on; nil where there are none.
function capacity.nodes(classes, fields, share)
  local size, up_frac = fields.node_size, 1 - capacity.down_frac(fields)
  local most, all = 1, 0
  for _, class in ipairs(classes) do
    local running, each, whole = class.rate_per_s * capacity.runs_s(class, fields), room(class, size)
    local jobs = running / share
    all = all + jobs * held(class, size) / size
    most = math.max(most, jobs * each / up_frac, whole and math.max(1, math.ceil(jobs - 1e-9)) * each or 1)
  end
  most = math.max(most, all / up_frac)
  return most <= MOST_NODES and math.ceil(most - 1e-9) or nil
end

return capacity
