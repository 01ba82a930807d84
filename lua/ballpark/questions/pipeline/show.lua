-- What a report says of a simulated pipeline.
local gantt = require("ballpark.questions.pipeline.gantt")
local units = require("ballpark.units")

local show = {}

-- A line of the chart: what a report of 100 characters leaves beside the device's number.
local CHART_WIDTH = 88

local function subject(answer)
  local chunks = answer.chunks > 1 and (" x " .. answer.chunks .. " chunks") or ""
  return ("Pipeline, %s: %s%s, %s"):format(answer.name, units.count(answer.stages, "device"), chunks,
    units.count(answer.micro_batches, "micro-batch"))
end

local function add_facts(r, answer, chart, drawn)
  local most, unit = answer.fullest, answer.in_bytes and "B" or ""
  r:facts({ name = "pipeline", title = subject(answer),
    { name = "makespan_s", unit = "s", title = "Step", value = answer.makespan_s,
      text = "{makespan_s}, {work_s} of it work" },
    { name = "work_s", unit = "s", value = answer.work_s, hide = true },
    { name = "bubble_s", unit = "s", title = "Bubble", value = answer.bubble_s,
      text = "{bubble_s}, {bubble_frac} of a device's time" },
    { name = "bubble_frac", unit = "frac", value = answer.bubble_frac, hide = true },
    { name = "closed_s", unit = "s", title = "Closed form", value = answer.closed_s,
      text = "{closed_s} of bubble", hide = answer.closed_s == nil },
    { name = "span_s", unit = "s", title = "Of one device", value = answer.span_s,
      text = "{span_s} at most from its first to its last operation",
      hide = answer.makespan_s - answer.span_s <= 1e-9 * answer.makespan_s },
    { name = "peak", unit = unit, title = "Most kept", value = most.peak,
      text = "{peak}" .. (answer.in_bytes and "" or " micro-batches")
        .. " on device {peak_device}, from {peak_at_s} on" },
    { name = "peak_device", value = most.device, hide = true },
    { name = "peak_at_s", unit = "s", value = most.peak_at_s, hide = true },
    { name = "column_s", unit = "s", title = "One character", value = chart.column_s, hide = drawn },
  })
end

local LEGEND = "F forward, B backward, W weight gradient, each with its micro-batch; "
  .. "small letters: chunks 1, 3, ...; dots: idle"

local function add_chart(r, chart)
  for i, panel in ipairs(chart.panels) do
    local rows = {}
    for j, row in ipairs(panel.rows) do rows[j] = { row[1], row[2] } end
    r:table({ name = "timeline", title = i == 1 and "Timeline" or (chart.whole and "… on" or "… the end"),
      columns = { { name = "device" }, { name = "line", title = "" } }, rows = rows })
  end
  r:note(LEGEND)
  if not chart.whole then
    r:note("The timeline shows the beginning and the end only; --svg draws all of it.")
  end
end

local function add_devices(r, answer)
  local rows = {}
  for i, device in ipairs(answer.devices) do
    rows[i] = { device = device.device, busy_s = device.busy_s, idle_s = device.idle_s,
      idle_frac = device.idle_s / answer.makespan_s, in_flight = device.in_flight,
      peak_bytes = answer.in_bytes and device.peak or nil, peak_at_s = device.peak_at_s }
  end
  r:table({ name = "devices", title = "Devices", columns = {
    { name = "device" }, { name = "busy_s", unit = "s", title = "busy" },
    { name = "idle_s", unit = "s", title = "idle" }, { name = "idle_frac", unit = "frac", title = "idle share" },
    { name = "in_flight", title = "in flight" }, { name = "peak_bytes", unit = "B", title = "peak memory" },
    { name = "peak_at_s", unit = "s", title = "peak from" } }, rows = rows })
end

--- Facts, devices and timeline.
function show.answer(r, answer)
  local chart = gantt.chart(answer, CHART_WIDTH)
  add_facts(r, answer, chart, r.illustrated)
  add_devices(r, answer)
  if r.illustrated then
    show.operations(r, answer).hide = true
  else
    add_chart(r, chart)
  end
end

--- Every operation, one row each; gives the table.
function show.operations(r, answer)
  local rows = {}
  for _, device in ipairs(answer.devices) do
    for _, step in ipairs(device.steps) do
      rows[#rows + 1] = { device.device, step.kind, step.chunk, step.micro_batch, step.start_s,
        step.end_s, step.kept }
    end
  end
  return r:table({ name = "operations", title = "Operations", columns = {
    { name = "device" }, { name = "kind" }, { name = "chunk" }, { name = "micro_batch", title = "micro-batch" },
    { name = "start_s", unit = "s", title = "start" }, { name = "end_s", unit = "s", title = "end" },
    { name = "kept", unit = answer.in_bytes and "B" or "" } }, rows = rows })
end

return show
