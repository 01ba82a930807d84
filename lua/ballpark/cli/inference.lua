-- What ballpark encode, recommend and vector-search have in common: their options are the fields of the kernel of
-- that name, and a few of what is around it.
local environment = require("ballpark.scenario.environment")
local fields = require("ballpark.fields")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local question = require("ballpark.cli.question")
local scenario = require("ballpark.scenario")

local inference = {}

--- Options of requests that are batched in front of replicas: option, path of the field, what it is, kind.
inference.load = {
  { "rate", "load.rate_per_s", "Requests per second, as 700 or 'per_minute(500)': answers the replicas." },
  { "window", "load.window_s", "Seconds that a batch waits for company, as 'ms(20)'." },
  { "max-batch", "load.max_batch", "Requests of a batch at most." },
  { "sla", "load.sla_s", "Promise: seconds for 99 requests in a hundred." },
  { "utilization", "load.utilization_frac", "Share of the capacity to plan with; 0.7 unless said." },
  { "spares", "load.spares", "Replicas that may fail." },
}

local function sentence(text) return text:gsub("^%l", string.upper) .. "." end

-- The kernel's fields that are numbers, names or flags, as options.
local function own_options(spec)
  local list = {}
  for _, field in ipairs(fields.input(spec.kind)) do
    if field.kind ~= "struct" and not (spec.without or {})[field.name] then
      local doc = field.names and field.doc .. ": " .. table.concat(field.names, ", ") or field.doc
      list[#list + 1] = { (field.name:gsub("_", "-")), field.name, sentence(doc),
        field.kind == "flag" and "flag" or field.names and "text" or "number" }
    end
  end
  return list
end

local function all_options(spec)
  local list = table.move(spec.options, 1, #spec.options, 1, {})
  list = table.move(own_options(spec), 1, #own_options(spec), #list + 1, list)
  return spec.load and table.move(spec.load, 1, #spec.load, #list + 1, list) or list
end

local function target_of(option) return (option[1]:gsub("%-", "_")) end

local function value_of(option, chosen)
  local text = chosen[target_of(option)]
  if option[4] == "flag" or option[4] == "text" then return text end
  local value = question.number(chosen, option[1])
  return value and (math.tointeger(value) or value)
end

local function asked(list, chosen)
  local input = {}
  for _, option in ipairs(list) do
    local value = value_of(option, chosen)
    if value ~= nil then
      local group, field = option[2]:match("^(%l+)%.(.+)$")
      if group then input[group] = input[group] or {} end
      local into = group and input[group] or input
      into[field or option[2]] = value
    end
  end
  return input
end

local function ask(spec, list, chosen, state)
  for _, name in ipairs(spec.required) do question.required(chosen, name) end
  local env, input = environment.new(state), asked(list, chosen)
  if spec.complete then spec.complete(input, env) end
  env.show(env[spec.kind](input))
  return scenario.finish(state, "this question")
end

--- A command of the command line.
---@param spec table kind (a procedure and its kernel), summary, examples, options (beside the kernel's: option, field,
--- what it is, kind: text or number), required options, without (set of the kernel's fields that are no options),
--- load (more options), complete (function(input, env) that fills in what options cannot say)
function inference.command(spec)
  local command = { summary = spec.summary, examples = spec.examples }
  local list, names = nil, {}

  function command.define(parser)
    list = all_options(spec)
    for _, option in ipairs(list) do
      names[option[2]:match("([%w_]+)$")] = target_of(option)
      if option[4] == "flag" then
        parser:flag("--" .. option[1], option[3])
      else
        parser:option("--" .. option[1], option[3]):argname(option[4] == "text" and "NAME" or "V")
      end
    end
    options.define_overrides(parser)
    options.define_output(parser)
  end

  function command.run(chosen)
    options.format(chosen)
    local state = scenario.state(nil, { command = chosen.command, overrides = overrides.parse(chosen.define) })
    return options.emit(question.blamed(chosen, names, ask, spec, list, chosen, state), chosen)
  end

  return command
end

return inference
