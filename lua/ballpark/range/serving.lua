-- The range of a predicted time of serving: what published points were over what was predicted for them without their
-- model's family, and without their release, wider by what is not known of the case.
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local fitted = require("ballpark.catalog.fitted.serving_range")
local law = require("ballpark.range.law")
local log_widths = require("ballpark.range.log_widths")
local open = require("ballpark.resolve.serving.open")
local platform = require("ballpark.resolve.serving.platform")
local range = require("ballpark.range")
local serving_curves = require("ballpark.catalog.serving_curves")
local tables = require("ballpark.tables")
local unmoved = require("ballpark.range.serving_unmoved")

local serving = {}

-- Half a range more, in e-folds, where a device's kernel speeds are those of another one, or a model is of a kind that
-- nobody measured (assumption: a fifth).
local BORROWED <const> = 0.2

-- Factors { low, high } as log widths { down, up }.
local function widths_of(factors) return { -math.log(factors[1]), math.log(factors[2]) } end

-- The same of a kind of models in the table.
local function fitted_widths(kind, metric) return widths_of(fitted[kind][metric]) end

local KINDS <const> = { "dense", "experts" }

-- Measured over predicted times of all models together: the widest ends.
local function widest(metric)
  local all = { 0, 0 }
  for _, kind in ipairs(KINDS) do
    local own = fitted_widths(kind, metric)
    all = { math.max(all[1], own[1]), math.max(all[2], own[2]) }
  end
  return all
end

local function kind_of(model) return (model.experts or 0) > 0 and "experts" or "dense" end

-- Half a range more where an engine's own times are those on devices of another vendor (assumption: a third).
local OTHER_VENDOR <const> = 0.3

--- Log width that comes from the device, with its reason. Engines that nobody fitted have ranges that hold theirs.
---@param device table
---@param engine string
---@return number
---@return string|nil
function serving.of_device(device, engine)
  local _, origin = serving_curves.get(device)
  if origin == device.name then return 0, nil end
  local name = device.name or "this device"
  if platform.is_foreign(device) and not engines.beyond(engine) then
    return log_widths.together(BORROWED, OTHER_VENDOR), range.beyond(("neither decode attention nor %s itself measured on %s")
      :format(engine, name))
  end
  return BORROWED, range.beyond("decode attention not measured on " .. name)
end

--- Log width that comes from the model, with its reason: no encoder-decoder is among the published points.
---@param model table
---@return number
---@return string|nil
function serving.of_model(model)
  if (model.cross_layers or 0) == 0 then return 0, nil end
  return BORROWED, range.beyond("no encoder-decoder was measured")
end

-- The law of an engine, and what else is open of it. Those of the fit have one law: models and devices nobody has seen
-- differ by more than engines do. Of engines that were not fitted there is what published tables show of whole
-- requests; first tokens nobody compared.
local function base(engine, model, metric)
  if tables.contains(engines.fitted(), engine) then return fitted_widths(kind_of(model), metric) end
  local beyond, why = engines.beyond(engine), range.beyond("engine " .. tostring(engine) .. " is not one of the fit")
  if not beyond then return widest(metric), nil, why end
  if metric ~= "ttft_ms" then return widths_of(beyond), nil, why end
  return widest(metric), widths_of(beyond), why
end

--- The range of a time (`metric`: ttft_ms, tpot_ms, e2e_ms; full_ms, per token of an engine that is full) of an engine as
--- factors on it; one that nobody measured has the widest. `...`: further log widths { down, up } of the case, each with its `why`.
---@param engine string
---@param model table
---@param metric string
---@param ... {[1]: number, [2]: number, why: string|nil}
---@return ballpark.range
function serving.of(engine, model, metric, ...)
  local own, beyond, why = base(engine, model, metric)
  local others = { beyond }
  for _, width in ipairs({ ... }) do others[#others + 1] = width end
  return law.factor(own, others, { why })
end

-- ln of how much longer each time of the changed input is; nil where it does not run.
local function moved(input, means, run)
  local ok, other = errors.attempt(run, input)
  if not ok then return nil end
  local moves = {}
  for metric, value in pairs(other) do moves[metric] = math.log(value / means[metric]) end
  return moves
end

--- Log widths { name = { down, up, why } } around the mean times of a resolved case by what it leaves open, each cause
--- taken as independent. `run` gives the mean times of a changed input.
---@param case table of resolve.serving
---@param start table the input that is changed: that of the case, or a shorter run of it
---@param means table<string, number> by ttft_s, tpot_s and e2e_s, of start
---@param run fun(input: table): table<string, number>
---@param seen table|nil what core.serve answers to start: changes that it shows to move nothing are not run
function serving.left_open(case, start, means, run, seen)
  local all, words = log_widths.none(tables.sorted_keys(means)), open.words(case.open)
  for _, item in ipairs(case.open) do
    log_widths.widen(all, item.values, function(change)
      local input = open.changed(case, start, change)
      return input and not unmoved.is(start, input, change, seen) and moved(input, means, run) or nil
    end)
  end
  for _, width in pairs(all) do width.why = words and "left open: " .. words or nil end
  return all
end

--- Ranges of times by name of which that of the whole answer is as wide as its parts make it: an answer takes as long as its
--- first token or longer, and it may begin as soon as that may, with all tokens after it as slow as they may be. An answer of
--- one token has the range of that. The law of whole answers is of those that are long.
---@param times table<string, ballpark.range> e2e_s, and ttft_s and tpot_s
---@return table<string, ballpark.range>
function serving.with_parts(times)
  local first, each, whole = times.ttft_s, times.tpot_s, times.e2e_s
  local rest = math.max(0, whole.value - first.value)
  local longest = each.value > 0 and rest * each.high / each.value or rest
  return tables.with(times, { e2e_s = range.new(whole.value, math.min(whole.low, first.low + longest),
    math.max(whole.high, first.high), whole.why) })
end

--- The ranges { name = range } around the mean times of a resolved case, and the log widths { name = { down, up } }
--- that are its own: of what it leaves open (`widths`, of serving.left_open) and of its device.
---@param case table
---@param means table<string, number>
---@param widths table<string, number[]>
---@return table<string, ballpark.range>
---@return table<string, number[]>
function serving.around(case, means, widths)
  local borrowed, why = serving.of_device(case.input.device, case.input.engine.name)
  local unseen, reason = serving.of_model(case.input.model)
  local device, model, ranges, own = { borrowed, borrowed, why = why }, { unseen, unseen, why = reason }, {}, {}
  for name, mean in pairs(means) do
    local factor = serving.of(case.input.engine.name, case.input.model, (name:gsub("_s$", "_ms")), widths[name], device,
      model)
    ranges[name] = range.times(factor, mean)
    local further = log_widths.together(borrowed, unseen)
    own[name] = { log_widths.together(widths[name][1], further), log_widths.together(widths[name][2], further) }
  end
  return serving.with_parts(ranges), own
end

--- What is left of a measured over predicted ratio, in e-folds, once its own further widths are taken off; the law
--- that `of` widens is made of these.
function serving.beyond(ratio, down, up) return log_widths.beyond(math.log(ratio), down, up) end

return serving
