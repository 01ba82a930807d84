-- A simulated pipeline as text: one line per device, a letter and the micro-batch per operation.
local gantt = {}

-- What continues an operation that is wider than its label.
local FILL = { F = "-", B = "=", W = "~" }

-- Beyond so many panels one below the other, only the beginning and the end are shown.
local PANELS_MAX = 3

local DEVICES_MAX = 32

local function shortest(answer)
  local least = math.huge
  for _, device in ipairs(answer.devices) do
    for _, step in ipairs(device.steps) do
      local took = step.end_s - step.start_s
      if took > 0 then least = math.min(least, took) end
    end
  end
  return least
end

-- Seconds of one character and the windows to show, each `width` characters wide. The shortest
-- operation gets a whole number of characters, and at least what its label needs.
local function windows(answer, width)
  local label, least = 1 + #tostring(answer.micro_batches - 1), shortest(answer)
  local readable = least / label
  local whole = answer.makespan_s
  local count = math.max(1, math.ceil(whole / readable / width - 1e-9))
  if count <= PANELS_MAX then
    local column, list = least / math.floor(count * width * least / whole + 1e-9), {}
    for i = 1, count do list[i] = (i - 1) * column * width end
    return column, list
  end
  return readable, { 0, whole - readable * width }
end

-- What stands in the first characters of an operation; the rest is filled.
local function label(step, width)
  local kind = step.kind
  local letter = step.chunk % 2 == 1 and kind:lower() or kind
  local text = letter .. step.micro_batch
  return #text > width and letter or text
end

local function column_of(at, from, column) return math.floor((at - from) / column + 0.5) end

-- Operations may begin and end far outside of the window.
local function paint(cells, step, first, last, width)
  local text = label(step, math.max(1, last - first))
  for at = math.max(1, first + 1), math.min(width, math.max(last, first + 1)) do
    local i = at - first
    if last > first or cells[at] == "." then cells[at] = i <= #text and text:sub(i, i) or FILL[step.kind] end
  end
end

-- Two operations that run together share the time between them.
local function paint_all(cells, steps, from, column, width)
  local i = 1
  while i <= #steps do
    local step, next_step = steps[i], steps[i + 1]
    local first, last = column_of(step.start_s, from, column), column_of(step.end_s, from, column)
    if next_step and next_step.start_s < step.end_s and step.end_s > step.start_s then
      local middle = (first + last) // 2
      paint(cells, step, first, middle, width)
      paint(cells, next_step, middle, last, width)
      i = i + 2
    else
      paint(cells, step, first, last, width)
      i = i + 1
    end
  end
end

local function line(device, from, column, width)
  local cells = {}
  for i = 1, width do cells[i] = "." end
  paint_all(cells, device.steps, from, column, width)
  return table.concat(cells)
end

-- The devices shown: of very many, both ends.
local function shown(answer)
  local list, count = {}, #answer.devices
  for i, device in ipairs(answer.devices) do
    if count <= DEVICES_MAX or i <= DEVICES_MAX // 2 or i > count - DEVICES_MAX // 2 then
      list[#list + 1] = device
    end
  end
  return list
end

--- The chart: { column_s = seconds of one character, panels = { { from_s, to_s, rows = { { device,
--- line }, ... } }, ... }, whole = whether the panels show all of the step and all devices }.
---@param answer table from pipeline.run
---@param width integer characters of a line
function gantt.chart(answer, width)
  local column, starts = windows(answer, width)
  local chart = { column_s = column, panels = {} }
  for i, from in ipairs(starts) do
    local used = math.min(width, math.ceil((answer.makespan_s - from) / column - 1e-9))
    local panel = { from_s = from, to_s = from + column * used, rows = {} }
    for j, device in ipairs(shown(answer)) do
      panel.rows[j] = { device.device, line(device, from, column, used) }
    end
    chart.panels[i] = panel
  end
  chart.whole = #answer.devices <= DEVICES_MAX and #starts * width * column > answer.makespan_s * (1 - 1e-9)
  return chart
end

return gantt
