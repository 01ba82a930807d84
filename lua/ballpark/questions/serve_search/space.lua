-- The axes of a search over serving fleets: which values each takes, and every point of their product.
local errors = require("ballpark.errors")
local formats = require("ballpark.questions.serve.formats")
local ranges = require("ballpark.number_list")
local tables = require("ballpark.tables")

local space = {}

--- Names of the axes.
space.axes = { "tp", "pp", "ep", "attention_dp", "format", "kv", "engine", "max_running", "token_budget", "drafts",
  "pattern", "replicas" }

space.patterns = { "aggregated", "disaggregated" }

-- Axes of the engine, whose values change one of its fields.
local SETTINGS <const> = { "max_running", "token_budget" }

local function powers(most) return ranges.list(1, most, nil, 2) end

-- 16 and 8 bit, and what the checkpoint is published in where that is narrower.
local function usual_formats(model)
  local list, published = { "bf16", "fp8" }, formats.published(model)
  local narrowest = published and (published.experts or published.weights)
  if narrowest and not narrowest:find("^fp8") then list[3] = published end
  return list
end

-- Axes that are not given: powers of two; attention groups and expert ranks where there are experts. false
-- leaves a field as it is.
local function defaults(model, gpus)
  local moe = (model.experts or 0) > 0
  return { tp = powers(gpus), pp = { 1, 2 }, ep = powers(moe and gpus or 1),
    attention_dp = powers(moe and gpus or 1), format = usual_formats(model), kv = { false }, engine = { false },
    max_running = { false }, token_budget = { false }, drafts = { 0 }, pattern = space.patterns, replicas = false }
end

local LEAST <const> = { tp = 1, pp = 1, ep = 1, attention_dp = 1, max_running = 1, token_budget = 1, drafts = 0,
  replicas = 1 }

local function check_values(axis, values)
  if #values == 0 then errors.input("space." .. axis, "has no values") end
  for i, value in ipairs(values) do
    local path, least = ("space.%s[%d]"):format(axis, i), LEAST[axis]
    if least and (math.type(value) ~= "integer" or value < least) then
      errors.input(path, ("must be a whole number of at least %d, got %s"):format(least, tostring(value)))
    end
    if axis == "pattern" and value ~= "aggregated" and value ~= "disaggregated" then
      errors.choice(path, tostring(value), space.patterns)
    end
  end
  return values
end

-- One value stands for a list of it; a table of formats or of an engine is one value.
local function as_list(value)
  if type(value) ~= "table" or value.weights or value.name then return { value } end
  return value
end

--- Every axis with its values: those given over the usual ones.
function space.of(given, model, gpus)
  local axes = defaults(model, gpus)
  for _, axis in ipairs(tables.sorted_keys(given)) do
    if axes[axis] == nil then errors.unknown("space", tostring(axis), space.axes) end
    axes[axis] = check_values(axis, as_list(given[axis]))
  end
  return axes
end

local function plan_of(tp, pp, dp, ep, rest)
  local format = type(rest.format) == "table" and rest.format or { weights = rest.format }
  local plan = tables.with(format, { tp = tp, pp = pp, dp = dp, ep = ep })
  if rest.kv then plan.kv = rest.kv end
  if rest.drafts > 0 then plan.drafts = rest.drafts end
  return plan
end

-- Software and formats that a replica may have, whatever its size: { format, kv, drafts, engine }.
local function flavours(axes, engine_of)
  local list = {}
  for _, format in ipairs(axes.format) do
    for _, kv in ipairs(axes.kv) do
      for _, drafts in ipairs(axes.drafts) do
        for _, name in ipairs(axes.engine) do
          list[#list + 1] = { format = format, kv = kv, drafts = drafts, engine = engine_of(name) }
        end
      end
    end
  end
  return list
end

-- Each flavour with every value of one setting of its engine.
local function with_setting(list, setting, values)
  local out = {}
  for _, flavour in ipairs(list) do
    for _, value in ipairs(values) do
      out[#out + 1] = value and tables.with(flavour, { engine = tables.with(flavour.engine, { [setting] = value }) })
        or flavour
    end
  end
  return out
end

-- Calls take(tp, pp, dp, ep) for every way to cut a replica of at most `gpus` devices. Experts are dealt to
-- the ranks of a stage.
local function each_cut(axes, gpus, take)
  for _, tp in ipairs(axes.tp) do
    for _, pp in ipairs(axes.pp) do
      for _, dp in ipairs(axes.attention_dp) do
        for _, ep in ipairs(tp * pp * dp <= gpus and axes.ep or {}) do
          if ep <= tp * dp then take(tp, pp, dp, ep) end
        end
      end
    end
  end
end

--- Calls take(ranks, plan, engine, flavour) for every replica of the space; flavour is the number of its formats
--- and engine, which replicas that work together share. engine_of(name or false) makes an engine.
function space.each(axes, gpus, engine_of, take)
  local list = flavours(axes, engine_of)
  for _, setting in ipairs(SETTINGS) do list = with_setting(list, setting, axes[setting]) end
  each_cut(axes, gpus, function(tp, pp, dp, ep)
    for number, flavour in ipairs(list) do
      take(tp * pp * dp, plan_of(tp, pp, dp, ep, flavour), flavour.engine, number)
    end
  end)
end

return space
