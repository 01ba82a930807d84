-- ballpark latency: a latency budget as a sum of distributions, described by options.
local errors = require("ballpark.errors")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local question = require("ballpark.cli.question")
local scenario = require("ballpark.scenario")

local latency = {
  summary = "Add up what a request goes through: the percentile of the sum against an SLO",
  examples = {
    "ballpark latency --sla 0.4 --percentile 99 --part network=fixed:0.02 \\",
    "    --part features=mean:0.015,cv:0.5 --part inference=median:0.1,p99:0.3",
    "ballpark latency --sla 'ms(50)' --part 'network=fixed:ms(5)' \\",
    "    --part 'search=p50:ms(5),p90:ms(9),p99:ms(15)'",
  },
}

-- Field of a part by its word in --part.
local WORDS <const> = { fixed = "fixed_s", median = "median_s", mean = "mean_s", cv = "cv", p50 = "p50_s",
  p90 = "p90_s", p99 = "p99_s" }

function latency.define(command)
  command:option("--part", "Something that takes time: NAME=fixed:S, median:S,p99:S, mean:S,cv:X, or "
    .. "p50:S,p90:S,p99:S. May be repeated; parts follow one after another."):argname("PART"):count("*")
  command:option("--sla", "SLO: seconds, as 0.4 or 'ms(400)'."):argname("S")
  command:option("--percentile", "For how many requests in a hundred it holds: 1 to 99.9, usually 99."):argname("P")
  options.define_overrides(command)
  options.define_output(command)
end

local function ask(chosen, state)
  local parts = {}
  for i, text in ipairs(chosen.part) do parts[i] = question.named_record("--part", text, WORDS, "name=fixed:0.02") end
  return scenario.answer(state, "latency", { sla_s = question.time(chosen, "sla"),
    percentile = question.number(chosen, "percentile"), parts = parts[1] and parts or nil })
end

-- A wrong value of a part is blamed on the option that gave it.
local function blamed(chosen, ...)
  local outcome = table.pack(pcall(ask, chosen, ...))
  if outcome[1] then return table.unpack(outcome, 2, outcome.n) end
  local e = outcome[2]
  local at = errors.is(e) and e.path and e.path:match("^parts%[(%d+)%]")
  if at then e.where = "--part " .. chosen.part[tonumber(at)] end
  error(e, 0)
end

function latency.run(chosen)
  options.format(chosen)
  local state = scenario.state(nil, { command = "latency", overrides = overrides.parse(chosen.define) })
  return options.emit(question.blamed(chosen, { sla_s = "sla" }, blamed, chosen, state), chosen)
end

return latency
