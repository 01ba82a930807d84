-- A simulated pipeline as one SVG file: a band of operations per device, below it what the device
-- keeps over time, and one axis in seconds.
local printable = require("ballpark.printable")
local units = require("ballpark.units")

local LEFT, RIGHT, TOP = 84, 110, 64
local BAND, MEMORY, GAP = 26, 30, 14
local AXIS = 44
local NARROWEST, WIDEST = 1000, 4000
-- Pixels that a median operation should have, and below which its number is left out.
local READABLE, LABELLED = 18, 13

-- Fill per kind, for even and odd chunks; chosen to differ in lightness as well as in hue.
local COLORS = {
  F = { "#4a86c5", "#8fb8e0" },
  B = { "#e08a2e", "#f3c083" },
  W = { "#6a9e5b", "#abd09f" },
}

local STYLE = [[
text { font: 12px sans-serif; fill: #222 }
.title { font-size: 16px; font-weight: bold }
.op text { font-size: 10px; fill: #111; text-anchor: middle }
.op rect { stroke: #fff; stroke-width: 0.5 }
.idle { fill: #f1f1f1 }
.kept { fill: #c9b3dc; stroke: #6b4a8c; stroke-width: 1 }
.grid { stroke: #ccc; stroke-width: 0.5 }
.axis { stroke: #555 }
.tick { text-anchor: middle }
.side { text-anchor: end }
.small { font-size: 10px; fill: #6b4a8c }]]

local function escaped(text)
  return (printable.text(text):gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

local function count_of(answer)
  local most = 1
  for _, device in ipairs(answer.devices) do most = math.max(most, #device.steps) end
  return most
end

-- Pixels per second and the width of the bands.
local function scale_of(answer)
  local width = math.min(WIDEST, math.max(NARROWEST, READABLE * count_of(answer)))
  return { width = width, per_s = width / answer.makespan_s, rows = BAND + MEMORY + GAP }
end

local function x_of(scale, at) return LEFT + at * scale.per_s end

local function rectangle(x, y, width, height, extra)
  return ('<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f"%s/>'):format(x, y, width, height, extra)
end

-- Operations that run together are drawn one above the other.
local function placed(steps)
  local list = {}
  for i, step in ipairs(steps) do
    local before, after = steps[i - 1], steps[i + 1]
    local second = before and before.end_s > step.start_s and before.start_s < step.end_s
    local first = after and after.start_s < step.end_s and after.end_s > step.start_s
    local half = (first or second) and BAND / 2 or BAND
    list[i] = { step = step, y = second and BAND / 2 or 0, height = half }
  end
  return list
end

local function add_operation(out, scale, y, item)
  local step = item.step
  local x, width = x_of(scale, step.start_s), (step.end_s - step.start_s) * scale.per_s
  local fill = COLORS[step.kind][step.chunk % 2 + 1]
  local about = ("%s of micro-batch %d, chunk %d: %s to %s"):format(step.kind, step.micro_batch, step.chunk,
    units.format(step.start_s, "s"), units.format(step.end_s, "s"))
  out[#out + 1] = '<g class="op"><title>' .. escaped(about) .. "</title>"
    .. rectangle(x, y + item.y, width, item.height, (' fill="%s"'):format(fill))
  if width >= LABELLED then
    out[#out + 1] = ('<text x="%.2f" y="%.2f">%d</text>'):format(x + width / 2,
      y + item.y + item.height / 2 + 3.5, step.micro_batch)
  end
  out[#out + 1] = "</g>"
end

-- What is kept changes at the start of an F and at the end of a B or W.
local function kept_points(steps)
  local points = {}
  for i, step in ipairs(steps) do
    points[i] = { at = step.kind == "F" and step.start_s or step.end_s, kept = step.kept }
  end
  return points
end

local function add_memory(out, scale, y, device, most, until_s)
  local path = {}
  path[1] = ("M%.2f %.2f"):format(x_of(scale, 0), y + MEMORY)
  for _, point in ipairs(kept_points(device.steps)) do
    local height = math.max(0, point.kept) / most * MEMORY
    path[#path + 1] = ("H%.2fV%.2f"):format(x_of(scale, point.at), y + MEMORY - height)
  end
  path[#path + 1] = ("H%.2fV%.2fZ"):format(x_of(scale, until_s), y + MEMORY)
  out[#out + 1] = ('<path class="kept" d="%s"/>'):format(table.concat(path))
end

local function peak_text(answer, device)
  if answer.in_bytes then return units.format(device.peak, "B") end
  return units.format(device.peak, "") .. " in flight"
end

local function add_device(out, scale, answer, device, index)
  local y = TOP + (index - 1) * scale.rows
  out[#out + 1] = ('<text class="side" x="%d" y="%.2f">device %d</text>'):format(LEFT - 8, y + BAND / 2 + 4,
    device.device)
  out[#out + 1] = rectangle(LEFT, y, scale.width, BAND, ' class="idle"')
  for _, item in ipairs(placed(device.steps)) do add_operation(out, scale, y, item) end
  add_memory(out, scale, y + BAND, device, answer.fullest.peak, answer.makespan_s)
  out[#out + 1] = ('<text class="small" x="%.2f" y="%.2f">%s</text>'):format(LEFT + scale.width + 6,
    y + BAND + MEMORY / 2 + 4, escaped(peak_text(answer, device)))
end

-- A step of 1, 2 or 5 times a power of ten, at most ten of them.
local function tick_step(whole)
  local power = 10 ^ math.floor(math.log(whole / 10, 10))
  for _, factor in ipairs({ 1, 2, 5, 10 }) do
    if whole / (factor * power) <= 10 + 1e-9 then return factor * power end
  end
end

-- Places and texts of the ticks: round numbers of one unit, which stands at the last.
local function ticks_of(makespan_s)
  local unit = units.column({ makespan_s }, "s")
  local whole = makespan_s / unit.divisor
  local step = tick_step(whole)
  local count, decimals = math.floor(whole / step + 1e-9), math.max(0, -math.floor(math.log(step, 10) + 1e-9))
  local ticks = {}
  for i = 0, count do ticks[i + 1] = { at = i * step * unit.divisor, text = units.number(i * step, decimals) } end
  ticks[#ticks].text = ticks[#ticks].text .. " " .. unit.label
  return ticks
end

local function add_axis(out, scale, answer, bottom)
  for _, tick in ipairs(ticks_of(answer.makespan_s)) do
    local x = x_of(scale, tick.at)
    out[#out + 1] = ('<line class="grid" x1="%.2f" y1="%d" x2="%.2f" y2="%.2f"/>'):format(x, TOP - 4, x, bottom)
    out[#out + 1] = ('<text class="tick" x="%.2f" y="%.2f">%s</text>'):format(x, bottom + 16,
      escaped(tick.text))
  end
  out[#out + 1] = ('<line class="axis" x1="%d" y1="%.2f" x2="%.2f" y2="%.2f"/>'):format(LEFT, bottom,
    LEFT + scale.width, bottom)
end

local function has_kind(answer, kind)
  for _, step in ipairs(answer.devices[1].steps) do
    if step.kind == kind then return true end
  end
  return false
end

local function add_legend(out, answer)
  local x = LEFT
  local function entry(fill, words)
    out[#out + 1] = rectangle(x, 34, 14, 14, (' fill="%s"'):format(fill))
    out[#out + 1] = ('<text x="%d" y="45">%s</text>'):format(x + 19, words)
    x = x + 19 + 7 * #words + 18
  end
  entry(COLORS.F[1], "forward")
  entry(COLORS.B[1], "backward")
  if has_kind(answer, "W") then entry(COLORS.W[1], "weight gradient") end
  if answer.chunks > 1 then entry(COLORS.F[2], "light: odd chunks") end
  entry("#c9b3dc", "activations kept, to scale over all devices")
end

local function heading(answer)
  return ("%s: %s, %s, %s, bubble %s"):format(answer.name, units.count(answer.stages, "device"),
    units.count(answer.micro_batches, "micro-batch"), units.format(answer.makespan_s, "s"),
    units.format(answer.bubble_frac, "frac"))
end

--- The drawing of an answer of pipeline.run.
return function(answer)
  local scale = scale_of(answer)
  local bottom = TOP + #answer.devices * scale.rows
  local width, height = LEFT + scale.width + RIGHT, bottom + AXIS
  local out = {
    '<?xml version="1.0" encoding="UTF-8"?>',
    ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">'):format(width, height,
      width, height),
    "<title>" .. escaped(heading(answer)) .. "</title>",
    "<style>" .. STYLE .. "</style>",
    rectangle(0, 0, width, height, ' fill="#fff"'),
    ('<text class="title" x="%d" y="22">%s</text>'):format(LEFT, escaped(heading(answer))),
  }
  add_legend(out, answer)
  for i, device in ipairs(answer.devices) do add_device(out, scale, answer, device, i) end
  add_axis(out, scale, answer, bottom)
  out[#out + 1] = "</svg>"
  return table.concat(out, "\n") .. "\n"
end
