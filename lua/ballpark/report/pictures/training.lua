-- Pictures of training: memory by part and stage, time by part, the plan's pipeline, plans against each other.
local columns = require("ballpark.report.pictures.columns")
local units = require("ballpark.units")

local training = {}

-- The rows of a table of parts without its sum, which is the last.
local function parts_of(block, value)
  local names, values = columns.values(block, "part"), columns.values(block, value)
  if not names or not values then return nil end
  return { table.unpack(names, 1, #names - 1) }, { table.unpack(values, 1, #values - 1) }, values[#values]
end

local function largest(names, values)
  local most = 1
  for i, value in ipairs(values) do
    if value > values[most] then most = i end
  end
  return names[most], values[most]
end

-- Parts below each other.
local function part_bars(block, names, values, what, unit)
  local drawn, sum = {}, 0
  for _, value in ipairs(values) do sum = sum + value end
  local scaled, label = columns.scale({ sum, table.unpack(values) }, unit) -- as the table beside it has
  for i, value in ipairs(values) do drawn[i] = scaled(value) end
  local name, most = largest(names, values)
  return { kind = "bars", title = block.title, flat = true, categories = names, series = { { name = what, values = drawn } },
    y = columns.axis(what, label), about = ("Bars of the %d parts of %s; the largest is %s with %s."):format(#names,
      units.format(sum, unit), name, units.format(most, unit)) }
end

local function limit_of(around, scaled)
  local capacity = around.facts.capacity_bytes
  return capacity and capacity.value and { name = "memory of the device", value = scaled(capacity.value) } or nil
end

local function range_text(around, unit)
  local total = around.facts.total_bytes
  local range = total and total.range
  return range and (", of which four runs in five use %s to %s"):format(units.format(range.low, unit),
    units.format(range.high, unit)) or ""
end

--- One bar of a device's memory, with the limit and the range of the sum.
function training.memory(block, around)
  local names, values, all = parts_of(block, "part_bytes")
  if not names or not values[1] then return nil end
  local capacity = around.facts.capacity_bytes
  if around.tables.stages then return part_bars(block, names, values, "memory", "B") end
  local scaled, label = columns.scale({ all, capacity and capacity.value }, "B")
  local series = {}
  for i, name in ipairs(names) do series[i] = { name = name, values = { scaled(values[i]) } } end
  local total = around.facts.total_bytes
  local range = total and total.range
  return { kind = "bars", title = block.title, flat = true, stacked = true, categories = { "device" }, series = series,
    y = columns.axis("memory", label), limit = limit_of(around, scaled),
    whiskers = range and { { 0, scaled(range.low), scaled(range.high) } } or nil,
    about = ("One bar of %s of memory%s; the largest part is %s."):format(units.format(all, "B"),
      range_text(around, "B"), (largest(names, values))) }
end

local STAGE_PARTS <const> = { { "weights_bytes", "weights" }, { "gradients_bytes", "gradients" },
  { "optimizer_bytes", "optimizer states" }, { "activations_bytes", "activations" }, { "working_bytes", "working set" },
  { "logits_bytes", "logits" }, { "overhead_bytes", "context, fragmentation" } }

-- The range of the fullest stage, at its place.
local function whiskers_of(around, peaks, scaled)
  local total, at = around.facts.total_bytes, 1
  local range = total and total.range
  if not range then return nil end
  for i, peak in ipairs(peaks) do
    if peak > peaks[at] then at = i end
  end
  return { { at - 1, scaled(range.low), scaled(range.high) } }
end

--- Memory of every stage of a pipeline by part.
function training.stages(block, around)
  local peaks, stages = columns.values(block, "peak_bytes"), columns.values(block, "stage")
  if not peaks or not columns.at(block, "weights_bytes") then return nil end
  local capacity, all = around.facts.capacity_bytes, table.move(peaks, 1, #peaks, 1, {})
  all[#all + 1] = capacity and capacity.value
  local scaled, label = columns.scale(all, "B")
  local series, categories = {}, {}
  for i, stage in ipairs(stages) do categories[i] = ("%d"):format(stage) end
  for _, part in ipairs(STAGE_PARTS) do
    local values, sum = {}, 0
    for i, value in ipairs(columns.values(block, part[1])) do values[i], sum = scaled(value or 0), sum + (value or 0) end
    if sum > 0 then series[#series + 1] = { name = part[2], values = values } end
  end
  return { kind = "bars", title = "Memory by stage and part", stacked = true, categories = categories, series = series,
    x = { title = "stage" }, y = columns.axis("memory", label), limit = limit_of(around, scaled),
    whiskers = whiskers_of(around, peaks, scaled),
    about = ("Stacked bars of memory for %d stages; the fullest needs %s%s."):format(#stages,
      units.format(math.max(table.unpack(peaks)), "B"), range_text(around, "B")) }
end

--- What a step is spent on.
function training.time(block)
  local names, values = parts_of(block, "part_s")
  return names and values[1] and part_bars(block, names, values, "time", "s") or nil
end

-- Operations that one chart shows; beyond, it shows both ends of the step.
local SHOWN <const> = 700

local KINDS <const> = { { "F", "forward" }, { "B", "backward" }, { "W", "weight gradients" } }

-- Of the table of operations, whose rows are { device, kind, chunk, micro-batch, start, end, kept }: the devices' names,
-- and the place of each.
local function devices_of(list)
  local devices, at = {}, {}
  for _, operation in ipairs(list) do
    if not at[operation[1]] then
      devices[#devices + 1] = "device " .. operation[1]
      at[operation[1]] = #devices - 1
    end
  end
  return devices, at
end

local function spans_picture(block, list, title)
  local rows, at = devices_of(block.rows)
  local latest = 0
  for _, operation in ipairs(list) do latest = math.max(latest, operation[6]) end
  local scaled, label = columns.scale({ latest }, "s")
  local spans, kinds, used = {}, {}, {}
  for i, operation in ipairs(list) do
    local kind = operation[2]
    spans[i] = { at[operation[1]], scaled(operation[5]), scaled(operation[6]), kind .. (operation[3] % 2),
      ("%d"):format(operation[4]) }
    used[kind] = true
  end
  for _, kind in ipairs(KINDS) do
    if used[kind[1]] then kinds[#kinds + 1] = kind end
  end
  return { kind = "spans", title = title, rows = rows, spans = spans, kinds = kinds, x = columns.axis("time", label),
    about = ("Timeline of %d devices: forwards and backwards of micro-batches, by their numbers; odd chunks of layers are pale."):format(
      #rows) }
end

-- Operations that start before `to` and end after `from`, at most SHOWN of them.
local function windows(list)
  if #list <= SHOWN then return { { list, "Timeline" } } end
  local by_start, by_end = table.move(list, 1, #list, 1, {}), table.move(list, 1, #list, 1, {})
  local function order(at)
    return function(a, b)
      if a[at] ~= b[at] then return a[at] < b[at] end
      return a[1] < b[1]
    end
  end
  table.sort(by_start, order(5))
  table.sort(by_end, order(6))
  local half = SHOWN // 2
  return { { { table.unpack(by_start, 1, half) }, "Timeline, the beginning" },
    { { table.unpack(by_end, #by_end - half + 1) }, "Timeline, the end" } }
end

-- Points of a curve that an eye can tell apart.
local POINTS <const> = 150

-- What a device keeps over time, above what is always there; of many operations the most of each slot.
local function kept_points(operations, makespan, x, y, standing)
  local points, slots = {}, {}
  for _, operation in ipairs(operations) do
    local at = operation[2] == "F" and operation[5] or operation[6]
    if #operations <= POINTS then
      points[#points + 1] = { x(at), y(standing + math.max(0, operation[7])) }
    else
      local slot = math.min(POINTS, math.floor(at / makespan * POINTS) + 1)
      slots[slot] = math.max(slots[slot] or 0, operation[7])
    end
  end
  for slot = 1, POINTS do
    if slots[slot] then points[#points + 1] = { x(makespan * (slot - 1) / POINTS), y(standing + slots[slot]) } end
  end
  table.insert(points, 1, { 0, y(standing) })
  return points
end

-- Devices that one chart can tell apart.
local CURVES <const> = 8

-- What is always in a stage, by its device: none of it where the table is not in bytes.
local function standing_of(around, in_bytes)
  local stages = in_bytes and around.tables.stages
  return stages and columns.values(stages, "standing_bytes") or {}
end

local function kept_picture(block, around)
  local list = block.rows
  local rows, at = devices_of(list)
  local in_bytes = block.columns[columns.at(block, "kept")].unit == "B"
  local standing = standing_of(around, in_bytes)
  local by_device, makespan, kept, most = {}, 0, {}, 0
  for i, operation in ipairs(list) do
    local device = at[operation[1]] + 1
    by_device[device] = by_device[device] or {}
    table.insert(by_device[device], operation)
    makespan, kept[i] = math.max(makespan, operation[6]), math.max(0, operation[7]) + (standing[device] or 0)
    most = math.max(most, kept[i])
  end
  local x, x_label = columns.scale({ makespan }, "s")
  local y, y_label = columns.scale(kept, in_bytes and "B" or "")
  local series, every = {}, math.ceil(#rows / CURVES)
  for device = 1, #rows, every do
    table.sort(by_device[device], function(a, b) return a[6] < b[6] end)
    series[#series + 1] = { name = rows[device], steps = true, points = kept_points(by_device[device], makespan, x, y,
      standing[device] or 0) }
  end
  local limit = standing[1] and limit_of(around, y)
  return { kind = "lines", title = standing[1] and "Memory over a step" or in_bytes and "Activations kept over a step"
      or "Micro-batches kept over a step", limits = limit and { limit } or nil,
    series = series, x = columns.axis("time", x_label), y = columns.axis(standing[1] and "memory" or in_bytes and "activations"
      or "micro-batches", y_label), about = (standing[1] and "What each of %d stages holds over a step: what is always there and "
      .. "the activations it keeps, without the working set; the most is %s."
      or "What each of %d devices keeps of activations over a step; the most is %s."):format(#rows,
      units.format(most, in_bytes and "B" or "")) }
end

--- The simulated operations of a pipeline: when what runs, and what is kept.
function training.operations(block, around)
  if not block.rows[1] then return nil end
  local made = {}
  for _, window in ipairs(windows(block.rows)) do
    made[#made + 1] = spans_picture(block, window[1], window[2])
  end
  made[#made + 1] = kept_picture(block, around)
  made[1].beside = around.tables.devices and "devices" or "stages"
  return table.unpack(made)
end

-- Fields of a plan that its point is called by.
local NAMED <const> = { { "device" }, { "devices", "on" }, { "tp", "tp" }, { "pp", "pp" }, { "dp", "dp" }, { "cp", "cp", 1 },
  { "ep", "ep", 1 }, { "vpp", "vpp", 1 }, { "micro_batch", "mb" }, { "zero", "ZeRO" }, { "recompute", "recompute", "none" } }

local function plan_words(block, row)
  local words = {}
  for _, field in ipairs(NAMED) do
    local at = columns.at(block, field[1])
    local value = at and row[at]
    if value ~= nil and value ~= field[3] then
      words[#words + 1] = (field[2] and field[2] .. " " or "") .. tostring(value)
    end
  end
  return table.concat(words, " ")
end

-- Pairs of columns that plans are drawn by: the first pair that says something of these plans.
local AXES <const> = { memory = { "total_bytes", "B", "memory" }, step = { "step_s", "s", "step" },
  run = { "run_s", "s", "run" }, cost = { "cost_usd", "USD", "cost" }, token = { "mtok_usd", "USD", "cost of a million tokens" } }

local function varies(block, name)
  local first
  for _, value in ipairs(columns.values(block, name) or {}) do
    if value and first and math.abs(value - first) > 1e-6 * math.abs(first) then return true end
    first = first or value
  end
  return false
end

-- Time against money where money says more than time (several systems), else against memory.
local function axes_of(block)
  if not varies(block, "usd_h") and not varies(block, "devices") then return AXES.step, AXES.memory end
  if varies(block, "cost_usd") then return AXES.run, AXES.cost end
  return AXES.step, varies(block, "mtok_usd") and AXES.token or AXES.memory
end

-- Points of a table of plans that are not in `seen` yet.
local function plan_points(block, x, y, seen)
  local points, x_at, y_at = {}, columns.at(block, x.field), columns.at(block, y.field)
  for _, row in ipairs(block.rows) do
    local text = plan_words(block, row)
    if row[x_at] and row[y_at] and not seen[text] then
      seen[text] = true
      points[#points + 1] = { x.scaled(row[x_at]), y.scaled(row[y_at]), text }
    end
  end
  return points
end

-- Those of the points that no other beats in both.
local function undominated(points)
  table.sort(points, function(a, b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2] < b[2]
  end)
  local front, others, least = {}, {}, math.huge
  for _, point in ipairs(points) do
    if point[2] < least then
      front[#front + 1], least = point, point[2]
    else
      others[#others + 1] = point
    end
  end
  return front, others
end

local function axis_scale(axis, blocks)
  local all = {}
  for _, block in ipairs(blocks) do
    for _, value in ipairs(columns.values(block, axis[1]) or {}) do all[#all + 1] = value end
  end
  local scaled, label = columns.scale(all, axis[2])
  return { field = axis[1], scaled = scaled, axis = columns.axis(axis[3], label) }
end

-- Whether points lie so far apart that they are told apart by factors.
local function is_wide(points, at)
  local least, most = math.huge, 0
  for _, point in ipairs(points) do least, most = math.min(least, point[at]), math.max(most, point[at]) end
  return least > 0 and most > 5 * least
end

-- Plans of a search against each other: those that nothing beats, the others faint.
function training.plans(block, around)
  local blocks = { around.tables.front, block, around.tables.other_plans }
  local list = {}
  for i = 1, 3 do list[#list + 1] = blocks[i] end
  local first, second = axes_of(around.tables.other_plans or block)
  local x, y = axis_scale(first, list), axis_scale(second, list)
  if not columns.at(block, x.field) then return nil end
  local points, seen = {}, {}
  for _, one in ipairs(list) do
    local more = plan_points(one, x, y, seen)
    table.move(more, 1, #more, #points + 1, points)
  end
  if #points < 3 then return nil end
  local front, others = undominated(points)
  for at, one in ipairs({ x, y }) do one.axis.log = is_wide(points, at) end
  return { kind = "points", title = ("Plans by %s and %s"):format(first[3], second[3]), x = x.axis, y = y.axis,
    series = { { name = "no other is better in both", points = front, joined = true },
      others[1] and { name = "other plans", points = others, faint = true } or nil },
    about = ("%d plans; %d of them no other beats in both %s and %s. The first is %s."):format(#points, #front,
      first[3], second[3], front[1][3]) }
end

--- The best plan of each system, by time and by money.
function training.systems(block)
  local first, second = axes_of(block)
  local x, y = axis_scale(first, { block }), axis_scale(second, { block })
  if not columns.at(block, x.field) then return nil end
  local points = plan_points(block, x, y, {})
  if #points < 2 then return nil end
  local device, devices = columns.at(block, "device"), columns.at(block, "devices")
  for i, row in ipairs(block.rows) do
    if points[i] then points[i][3] = ("%d x %s: %s"):format(row[devices], row[device], points[i][3]) end
  end
  local front, others = undominated(points)
  return { kind = "points", title = ("Systems by %s and %s"):format(first[3], second[3]), x = x.axis, y = y.axis, labelled = true,
    series = { { name = "no other is better in both", points = front },
      others[1] and { name = "other systems", points = others, faint = true } or nil },
    about = ("%d systems; %d of them no other beats in both %s and %s."):format(#points, #front, first[3], second[3]) }
end

return training
