-- ballpark platform: the jobs of a platform, from a log or from classes on the command line.
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local question = require("ballpark.cli.question")
local scenario = require("ballpark.scenario")
local uncertain = require("ballpark.uncertain")

local platform = {
  summary = "Devices, waits, storage and cost of a platform's jobs, from a log or from classes",
  examples = {
    "ballpark platform --class 'fine-tunes=per_day:50,hours:6' --class 'evals=per_day:100,hours:1'",
    "ballpark platform --class 'gangs=per_day:5,hours:16,devices:16' \\",
    "    --class 'trials=per_day:300,hours:2' --wait-target 'hours(1)' --device H100",
    "ballpark platform jobs.csv --nodes 16 --node-size 8",
    "sacct -aP -o JobID,Account,Submit,Start,End,AllocTRES,State | ballpark platform - --by account",
  },
}

-- Field of a class by its word in --class.
local WORDS <const> = { per_day = "per_day", hours = "hours", devices = "devices", burst = "burst", priority = "priority",
  gang = "gang", project = "project", bytes = "bytes", days_kept = "days_kept", cpu_hours = "cpu_hours",
  activities = "activities", items = "items", items_per_s = "items_per_s" }

-- Option, input, what its value is, what it says.
local OPTIONS <const> = {
  { "nodes", "nodes", "N", "Nodes; by default what the mean load takes at 70 %, of a log what it holds at its busiest." },
  { "devices", "devices", "N", "Instead of nodes: all devices." },
  { "node-size", "node_size", "N", "Devices of a node. Default: 8." },
  { "wait-target", "wait_target_s", "TIME", "How long jobs may wait, as 'hours(1)': answers the devices for it." },
  { "percentile", "percentile", "P", "Of the jobs that wait at most so long. Default: 90." },
  { "price", "price", "USD", "USD per device-hour." },
  { "budget", "budget_usd_month", "USD", "What it may cost a month." },
}

function platform.define(command)
  command:argument("jobs", "A log of jobs: CSV with submit, start, end and devices (and class, partition, account or user), "
    .. "or what 'sacct -P' prints; - is standard input."):args("?")
  command:option("--class", "A kind of jobs: NAME=per_day:50,hours:6,devices:8,burst:2,priority:1,gang:false,project:NAME,"
    .. "bytes:GB(50),days_kept:14,cpu_hours:2,activities:12,items:1e6,items_per_s:500. May be repeated; with a log, what it does "
    .. "not say of a class. Everything else in a scenario: platform { … }."):argname("CLASS"):count("*")
  command:option("--policy", "fifo, backfill, priority, preemption or fair_share. Default: backfill."):argname("NAME")
  command:option("--by", "Of a log: classes are its class, partition, account or user."):argname("COLUMN")
  command:flag("--skip-damaged", "Of a log: leave out rows that cannot be.")
  command:option("--device", "Name of the device, for its price."):argname("NAME")
  for _, option in ipairs(OPTIONS) do command:option("--" .. option[1], option[4]):argname(option[3]) end
  options.define_overrides(command)
  options.define_output(command)
end

-- A number, or a range of them, in seconds.
local function times(where, word, value, seconds)
  if value == nil then return nil end
  if type(value) ~= "number" and not uncertain.is(value) then
    errors.usage(("%s: %s must be a number or a range as 4..8, got '%s'"):format(where, word, tostring(value)))
  end
  return value * seconds
end

local function class_of(text)
  local class = question.named_record("--class", text, WORDS, "NAME=per_day:50,hours:6")
  class.duration, class.hours = times("--class " .. text, "hours", class.hours, 3600), nil
  class.ttl_s, class.days_kept = times("--class " .. text, "days_kept", class.days_kept, 86400), nil
  return class
end

local NUMBERED <const> = {}
for _, option in ipairs(OPTIONS) do NUMBERED[option[2]] = option[1] end

local function ask(chosen, state)
  local env = environment.new(state)
  local input = { jobs = chosen.jobs, by = chosen.by, skip_damaged = chosen.skip_damaged, policy = chosen.policy,
    device = chosen.device }
  for _, option in ipairs(OPTIONS) do
    local value = question.number(chosen, option[1])
    input[option[2]] = math.type(value) == "float" and math.tointeger(value) or value
  end
  for i, text in ipairs(chosen.class) do
    input.classes = input.classes or {}
    input.classes[i] = class_of(text)
  end
  env.show(env.platform(input))
  return scenario.finish(state, "this platform")
end

function platform.run(chosen)
  options.format(chosen)
  local state = scenario.state(nil, { command = "platform", overrides = overrides.parse(chosen.define) })
  return options.emit(question.blamed(chosen, NUMBERED, ask, chosen, state), chosen)
end

return platform
