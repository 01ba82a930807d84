-- ballpark pipeline: simulates a pipeline schedule and draws it.
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local quantity = require("ballpark.quantity")
local question = require("ballpark.cli.question")
local scenario = require("ballpark.scenario")
local schedules = require("ballpark.schedules")
local show = require("ballpark.questions.pipeline.show")

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

local PAIRING <const> = schedules.names(function(facts) return facts.pairs end, "and")

-- Option, field of the simulation, what its value is, what it says, whether it may be a list by stage.
local NUMBERS = {
  { "forward", "forward_s", "TIME", "Forward of one micro-batch on one device, or one per stage in the order of the "
    .. "model: 1,1,1,1.5. Default: 1 s.", true },
  { "backward", "backward_s", "TIME", "Its whole backward. Default: twice the forward.", true },
  { "weight", "weight_s", "TIME", "The part of the backward that makes weight gradients, which zero-bubble schedules "
    .. "move. Default: half the backward.", true },
  { "activation", "activation_bytes", "BYTES", "What a device keeps of one micro-batch, as in 'GiB(2)', or one per "
    .. "stage. Default: memory is counted in micro-batches.", true },
  { "send", "send_s", "TIME", "From the end of an operation to its arrival on the next device. Default: 0." },
  { "group", "group", "N", "With --vpp: micro-batches that go through one virtual stage before the next, at least "
    .. "--pp. Default: the fewest that leave no group below --pp." },
  { "pair", "pair_frac", "SHARE", "With " .. PAIRING .. ": time of a forward and a backward that run together, "
    .. "over the sum of both, as in 0.85. Default: 1." },
}

-- Fields of the simulation by the option that gives them.
local OPTION_OF = { stages = "pp" }
for _, number in ipairs(NUMBERS) do OPTION_OF[number[2]] = number[1] end

function pipeline.define(command)
  command:argument("scenario", "A scenario whose last pipeline{...} is drawn, instead of the options."):args("?")
  command:option("--pp", "Stages: devices, or groups of devices, in a row."):argname("N")
  command:option("--micro-batches", "Micro-batches of a step; need not be a multiple of --pp."):argname("N")
  command:option("--schedule", schedules.names() .. ". Default: 1f1b. A scenario may give a function instead."):argname("NAME")
  command:option("--vpp", "Virtual stages per device: interleaves 1f1b. Default: 1."):argname("N")
  for _, number in ipairs(NUMBERS) do
    command:option("--" .. number[1], number[4]):argname(number[3])
  end
  command:option("--svg", "Draw timeline and memory of every device into FILE."):argname("FILE")
  command:flag("--operations", "List every operation with its start, its end and what is kept then.")
  options.define_overrides(command)
  options.define_output(command)
end

local function whole(chosen, option, least)
  local value = question.whole(chosen, option)
  if value and (math.type(value) ~= "integer" or value < least) then
    errors.usage(("--%s: must be a whole number of at least %d, got '%s'"):format(option, least,
      chosen[option:gsub("%-", "_")]))
  end
  return value
end

local function number(chosen, spec)
  local text = chosen[spec[1]]
  if not text then return nil end
  local value = overrides.value(text)
  local list = quantity.is(value) and { value } or type(value) == "table" and value or { value }
  for _, item in ipairs(list) do
    if type(item) ~= "number" and not quantity.is(item) or (#list > 1 and not spec[5]) then
      errors.usage("--" .. spec[1] .. ": must be a number" .. (spec[5] and " or a list of them" or "")
        .. ", got '" .. text .. "'")
    end
  end
  return value
end

-- Options without effect are mistakes of those who give them.
local function check_used(chosen, input)
  if input.group and (input.vpp or 1) == 1 then errors.usage("--group: only interleaving has groups, give --vpp") end
  if input.group and input.stages and input.group < input.stages then
    errors.usage(("--group %s: must be at least --pp, %d: a group's first has to be back before it goes on"):format(
      chosen.group, input.stages))
  end
  local facts = schedules.of(input.schedule or "1f1b")
  if input.pair_frac and facts and not facts.pairs then
    errors.usage("--pair: only " .. PAIRING .. " run a forward and a backward together")
  end
end

-- Operations beyond which a picture is megabytes of lines that no eye tells apart: some 350 bytes each, and a band
-- is 4000 pixels wide at most.
local DRAWN <const> = 50000

local function check_drawable(answer)
  local count = 0
  for _, device in ipairs(answer.devices) do count = count + #device.steps end
  if count > DRAWN then
    errors.usage(("--svg: %d operations cannot be told apart in a picture, which takes %d at most: give fewer "
      .. "micro-batches"):format(count, DRAWN))
  end
end

local function from_options(chosen)
  local input = { stages = whole(chosen, "pp", 1), micro_batches = whole(chosen, "micro-batches", 1),
    schedule = chosen.schedule, vpp = whole(chosen, "vpp", 1) }
  for _, spec in ipairs(NUMBERS) do input[spec[2]] = number(chosen, spec) end
  input.group = whole(chosen, "group", 1)
  check_used(chosen, input)
  local state = scenario.state(nil, { command = "pipeline", overrides = overrides.parse(chosen.define) })
  local env = environment.new(state)
  local answer = question.blamed(chosen, OPTION_OF, env.pipeline, input)
  env.show(answer)
  return scenario.finish(state, "this pipeline"), answer
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
    check_drawable(answer)
    local picture = require("ballpark.report.pipeline_svg")(answer)
    if chosen.svg == "-" then
      files.print(picture)
      if not chosen.output then return 0 end
    else
      files.write(chosen.svg, picture)
      options.tell(chosen, "wrote " .. chosen.svg)
    end
  end
  return options.emit(r, chosen)
end

return pipeline
