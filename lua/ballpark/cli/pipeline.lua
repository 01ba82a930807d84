-- ballpark pipeline: simulates a pipeline schedule and draws it.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")
local show = require("ballpark.pipeline.show")
local simulation = require("ballpark.pipeline")

local pipeline = {
  summary = "Simulate a pipeline schedule: bubble, memory over time, timeline",
  examples = {
    "ballpark pipeline --pp 8 --micro-batches 32 --vpp 2",
    "ballpark pipeline --pp 4 --micro-batches 12 --schedule zb_h1 --svg zero-bubble.svg",
    "ballpark pipeline --pp 4 --micro-batches 16 --forward 'ms(10)' --backward 'ms(21)' \\",
    "    --activation 'GiB(1.5)' --send 'us(400)' --operations -f csv --table operations",
    "ballpark pipeline scenarios/pipeline-schedules.lua --svg schedule.svg",
  },
}

-- Option, field of the simulation, what it is, whether it may be a list by stage.
local NUMBERS = {
  { "forward", "forward_s", "Seconds of a forward on one device, or one per stage: 1,1,1,1.5. Default: 1.", true },
  { "backward", "backward_s", "Seconds of its whole backward. Default: twice the forward.", true },
  { "weight", "weight_s", "Seconds of its weight-gradient part. Default: half the backward.", true },
  { "activation", "activation_bytes", "Bytes that a device keeps of a micro-batch: 'GiB(2)'.", true },
  { "send", "send_s", "Seconds from the end on one device to the arrival on the next. Default: 0." },
  { "group", "group", "Micro-batches that interleaving takes through one chunk at a time. Default: even groups." },
  { "pair", "pair_frac", "Time of a forward and a backward run together, over their sum (dualpipe). Default: 1." },
}

function pipeline.define(command)
  command:argument("scenario", "A scenario whose last pipeline{...} is drawn, instead of the options."):args("?")
  command:option("--pp", "Devices (or groups of devices) of the pipeline."):argname("N")
  command:option("--micro-batches", "Micro-batches of a step."):argname("N")
  command:option("--schedule", "1f1b, gpipe, zb_h1, zb_h2, zbv, dualpipe or dualpipe_v. Default: 1f1b."):argname("NAME")
  command:option("--vpp", "Virtual stages per device (interleaving)."):argname("N")
  for _, number in ipairs(NUMBERS) do
    command:option("--" .. number[1], number[3]):argname("X")
  end
  command:option("--svg", "Draw timeline and memory into FILE."):argname("FILE")
  command:flag("--operations", "List every operation with its start and end.")
  options.define_overrides(command)
  options.define_output(command)
end

local function whole(chosen, option, required)
  local text = chosen[option:gsub("%-", "_")]
  if not text then
    if required then
      errors.usage("pipeline needs --" .. option .. " (or a scenario; see 'ballpark pipeline --help')")
    end
    return nil
  end
  return math.tointeger(tonumber(text))
    or errors.usage("--" .. option .. ": must be a whole number, got '" .. text .. "'")
end

local function number(chosen, spec)
  local text = chosen[spec[1]]
  if not text then return nil end
  local value = overrides.value(text)
  local list = type(value) == "table" and value or { value }
  for _, item in ipairs(list) do
    if type(item) ~= "number" or (#list > 1 and not spec[4]) then
      errors.usage("--" .. spec[1] .. ": must be a number" .. (spec[4] and " or a list of them" or "")
        .. ", got '" .. text .. "'")
    end
  end
  return value
end

local function from_options(chosen)
  local input = { stages = whole(chosen, "pp", true), micro_batches = whole(chosen, "micro-batches", true),
    schedule = chosen.schedule, vpp = whole(chosen, "vpp") }
  for _, spec in ipairs(NUMBERS) do input[spec[2]] = number(chosen, spec) end
  input.group = math.tointeger(input.group)
  local r, answer = result.new({ command = "pipeline" }), simulation.simulate(input)
  show.answer(r, answer)
  return r, answer
end

local function from_scenario(chosen)
  for _, option in ipairs({ "pp", "micro_batches", "schedule", "vpp" }) do
    if chosen[option] then
      errors.usage("--" .. option:gsub("_", "-") .. " and a scenario: change the scenario with -D instead")
    end
  end
  local r, state = scenario.run(scenario.load(chosen.scenario),
    { command = "pipeline", overrides = overrides.parse(chosen.define) })
  for i = #state.answers, 1, -1 do
    if state.answers[i].kind == "pipeline" then return r, state.answers[i] end
  end
  errors.usage(chosen.scenario .. " asks for no pipeline{...}")
end

function pipeline.run(chosen)
  options.format(chosen)
  local r, answer
  if chosen.scenario then
    r, answer = from_scenario(chosen)
  else
    r, answer = from_options(chosen)
  end
  if chosen.operations then show.operations(r, answer) end
  if chosen.svg then
    files.write(chosen.svg, require("ballpark.report.pipeline_svg")(answer))
    options.tell(chosen, "wrote " .. chosen.svg)
  end
  return options.emit(r, chosen)
end

return pipeline
