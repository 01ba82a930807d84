-- The axes of a search over serving fleets: which values each takes, and every point of their product.
local errors = require("ballpark.errors")
local formats = require("ballpark.resolve.serving.formats")
local ranges = require("ballpark.number_list")
local spaces = require("ballpark.search.space")
local tables = require("ballpark.tables")

local space = {}

--- Names of the axes.
space.axes = { "tp", "pp", "ep", "attention_dp", "format", "kv", "engine", "max_running", "token_budget", "draft_tokens",
  "pattern", "replicas" }

space.patterns = { "aggregated", "disaggregated" }

-- Axes that cut a replica into ranks, and those that replicas which work together share, whatever their size: formats,
-- engine and its settings.
local CUT <const> = { "tp", "pp", "attention_dp", "ep" }
local FLAVOUR <const> = { "format", "kv", "draft_tokens", "engine", "max_running", "token_budget" }

local function powers(most) return ranges.list(1, most, nil, 2) end

-- 16 and 8 bit; what the checkpoint is published in where that is narrower, for nobody widens it.
local function usual_formats(model)
  local published = formats.published(model)
  local narrowest = published and (published.experts or published.weights)
  return narrowest and not narrowest:find("^fp8") and { published } or { "bf16", "fp8" }
end

-- Axes that are not given: powers of two; attention groups and expert ranks where there are experts. false
-- leaves a field as it is.
local function defaults(model, gpus)
  local moe = (model.experts or 0) > 0
  return { tp = powers(gpus), pp = { 1, 2 }, ep = powers(moe and gpus or 1),
    attention_dp = powers(moe and gpus or 1), format = usual_formats(model), kv = { false }, engine = { false },
    max_running = { false }, token_budget = { false }, draft_tokens = { 0 }, pattern = tables.with(space.patterns), replicas = false }
end

local LEAST <const> = { tp = 1, pp = 1, ep = 1, attention_dp = 1, max_running = 1, token_budget = 1, draft_tokens = 0,
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

-- A table of formats or of an engine is one value, not a list.
local function is_value(given) return given.weights ~= nil or given.name ~= nil end

--- Every axis with its values: those given over the usual ones.
function space.of(given, model, gpus)
  local axes = defaults(model, gpus)
  for _, axis in ipairs(tables.sorted_keys(given)) do
    if axes[axis] == nil then errors.unknown("space", tostring(axis), space.axes) end
    axes[axis] = check_values(axis, spaces.values("space." .. axis, given[axis], { is_value = is_value }))
  end
  return axes
end

local function plan_of(tp, pp, dp, ep, rest)
  local format = type(rest.format) == "table" and rest.format or rest.format == "auto" and {} or { checkpoint = rest.format }
  local plan = tables.with(format, { tp = tp, pp = pp, dp = dp, ep = ep })
  if rest.kv then plan.kv = rest.kv end
  if rest.draft_tokens > 0 then plan.draft_tokens = rest.draft_tokens end
  return plan
end

-- The space of some of the axes.
local function part_of(axes, names)
  local list = {}
  for i, name in ipairs(names) do list[i] = { name = name, values = axes[name] } end
  return spaces.new(list)
end

--- How many formats, engines and settings of them a space has, all combinations.
function space.flavours(axes)
  local count = 1
  for _, axis in ipairs(FLAVOUR) do count = count * #axes[axis] end
  return count
end

-- The engine of a flavour, with the settings that the space gives.
local function engine_with(engine, flavour)
  if not (flavour.max_running or flavour.token_budget) then return engine end
  return tables.with(engine, { max_running = flavour.max_running or nil, token_budget = flavour.token_budget or nil })
end

-- Whether a replica of at most `gpus` devices can be cut so. Experts are dealt to the ranks of a stage.
local function is_cut(cut, gpus)
  return cut.tp * cut.pp * cut.attention_dp <= gpus and cut.ep <= cut.tp * cut.attention_dp
end

--- Calls take(ranks, plan, engine, flavour) for every replica of the space; flavour is the number of its formats
--- and engine, which replicas that work together share. engine_of(name or false, draft_tokens) makes an engine.
function space.each(axes, gpus, engine_of, take)
  local flavours = {}
  for number, flavour in part_of(axes, FLAVOUR):points() do
    local engine = engine_of(flavour.engine, flavour.draft_tokens)
    flavours[number] = tables.with(flavour, { engine = engine_with(engine, flavour) })
  end
  for _, cut in part_of(axes, CUT):points() do
    for number, flavour in ipairs(is_cut(cut, gpus) and flavours or {}) do
      take(cut.tp * cut.pp * cut.attention_dp, plan_of(cut.tp, cut.pp, cut.attention_dp, cut.ep, flavour),
        flavour.engine, number)
    end
  end
end

return space
