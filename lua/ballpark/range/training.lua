-- Ranges of answers about training: of a step's time and of peak memory, and of what goes with them.
--
-- The shipped law (ballpark.catalog.fitted.training_range) comes from published runs, each estimated by a fit that
-- saw nothing of its family. A calibrated profile carries the errors of its own rows instead, on
-- devices, formats, lengths and kinds of model that it was calibrated on.
local coefficients = require("ballpark.catalog.coefficients")
local core = require("ballpark.core")
local extrapolated = require("ballpark.range.extrapolated")
local features = require("ballpark.range.features")
local finetuning = require("ballpark.range.finetuning")
local law = require("ballpark.range.law")
local learn = require("ballpark.range.learn")
local log_widths = require("ballpark.range.log_widths")
local range = require("ballpark.range")
local shipped = require("ballpark.catalog.fitted.training_range")
local sources = require("ballpark.range.sources")
local step_input = require("ballpark.resolve.step_input")

local training = {}

-- The class of software whose name is in no other: its ranges are as much wider as published runs ask for whose names
-- are kept from the estimate.
local UNKNOWN <const> = "generic"

local function deviation_of(coefficient)
  return shipped.deviations[coefficients.name(coefficient)] or 1
end

-- Coefficients that apply to one kind of case, as factors on its profile: made once for many estimates.
local kinds = {}

local function kind_of(case)
  local name = coefficients.kind(case)
  if kinds[name] then return kinds[name] end
  local kind = { coefficients = {}, deviations = {}, start = {} }
  for _, coefficient in ipairs(coefficients.published) do
    if coefficients.applies(coefficient, case) then
      local n = #kind.start + 1
      kind.coefficients[n] = { field = "profile." .. coefficient[1], prior = 1, width = coefficient[4], times = true }
      kind.deviations[n], kind.start[n] = deviation_of(coefficient), 0
    end
  end
  kinds[name] = kind
  return kind
end

local function batch_of(inputs, kind) return core.batch({ inputs = inputs, coefficients = kind.coefficients }) end

local function spreads_of(inputs, kind) return batch_of(inputs, kind):spreads(kind.start, kind.deviations) end

--- By how much ln(step) of each input moves when a coefficient does by what the shipped fit leaves of it: per input a
--- list in an order that all of them share; false where one has no estimate.
---@param case {class: string, input: table} what says which coefficients apply to all of the inputs
---@param inputs table[] of core.train_step
---@return (number[]|false)[]
function training.moves(case, inputs)
  local kind = kind_of(case)
  local list = batch_of(inputs, kind):slopes(kind.start)
  for _, slopes in ipairs(list) do
    for j = 1, slopes and #slopes or 0 do slopes[j] = slopes[j] * kind.deviations[j] end
  end
  return list
end

--- Spread of ln(step) that the shipped fit's coefficients leave, for each case { input, class }; false
--- where a case has no estimate.
---@param cases table[]
---@return (number|false)[]
function training.unlearned(cases)
  local parts, names, result = {}, {}, {}
  for i, case in ipairs(cases) do
    local name = coefficients.kind(case)
    if not parts[name] then
      parts[name], names[#names + 1] = { kind = kind_of(case), inputs = {}, at = {} }, name
    end
    local part = parts[name]
    part.inputs[#part.inputs + 1], part.at[#part.at + 1] = case.input, i
  end
  for _, name in ipairs(names) do
    for n, spread in ipairs(spreads_of(parts[name].inputs, parts[name].kind)) do
      result[parts[name].at[n]] = spread
    end
  end
  return result
end

-- Half of the range on runs like those of a calibration, which holds what its errors on them were; else nil.
local function own_half(about)
  local own = about.input.profile.calibration
  return own and own.half and extrapolated.is_like(about.input, own) and own.half or nil
end

local function few(sums, cell, what)
  local count = sources.count(sums, cell)
  return count <= 1 and ("%s published %s"):format(count == 0 and "no source has" or "one source alone has", what) or nil
end

--- That nobody or one source alone has published runs of this software on such devices, which widens the range; else nil.
---@return string|nil
function training.few_sources(about)
  local what = ("runs of %s on such devices (%s)"):format(about.class, sources.kind(about.input.device))
  return not own_half(about) and few(shipped.time.sources, sources.cell(about), what) or nil
end

--- Half of the range of a step's time, in e-folds, by all but what is left open; what widened it; and why the
--- estimate is extrapolated.
---@param about {input: table, class: string, known: boolean, open: string[], unlearned: number|nil}
---@return number
---@return string[] why
---@return string[] reasons
function training.half(about)
  local own = own_half(about)
  if own then return own, { "calibration: as far off as it was on its own runs" }, {} end
  about.unlearned = about.unlearned or training.unlearned({ about })[1] or 0
  local half, why = learn.half(shipped.time, features.of(about), about.unlearned, sources.cell(about)), {}
  if about.class == UNKNOWN then half = half * shipped.unknown.time end
  local reasons = extrapolated.reasons(about)
  if #reasons > 0 then half = half * shipped.widening end
  for i, reason in ipairs(reasons) do why[i] = range.beyond(reason) end
  why[#why + 1] = training.few_sources(about)
  half = log_widths.together(half, extrapolated.half(about))
  -- Runs of one's own that the built-in profile misses by more than its range, or the calibrated one among its own.
  local seen = about.input.profile.calibration
  local least = seen and (seen.half or seen.least_half) or 0
  if least > half then why[#why + 1] = "calibration: its own runs were off by more" end
  return math.max(half, least), why, reasons
end

local function factor(half, open, why) return law.factor({ half, half }, { open }, why) end

--- The range of a step's time as factors on it, and why it is extrapolated. `wide`: log widths { time, memory } by
--- what the settings that were assumed may have been instead; a calibration on runs alike has them in its own range.
---@param about {input: table, class: string, known: boolean, open: string[], unlearned: number|nil, wide: table|nil}
---@return ballpark.range
---@return string[]
function training.time(about)
  local half, why, reasons = training.half(about)
  return factor(half, not own_half(about) and about.wide and about.wide.time or nil, why), reasons
end

--- The same of peak memory; finetuning: by software for fine-tuning, unsaid_lengths: of samples of which nobody says how
--- long they are.
---@return ballpark.range
function training.memory(about)
  local open = about.wide and about.wide.memory
  if about.finetuning then return factor(finetuning.half(about.unsaid_lengths), open) end
  local half = learn.half(shipped.memory, features.of(about), nil, about.class)
  if about.class == UNKNOWN then half = half * shipped.unknown.memory end
  return factor(half, open,
    { few(shipped.memory.sources, about.class, "peaks of memory of " .. about.class) })
end

--- The range of bytes of a device by factors on them: states are counted, so that no run has less than these.
---@param factors ballpark.range
---@param bytes number
---@param memory table of train_step, with counted_bytes
function training.bytes(factors, bytes, memory)
  local r = range.times(factors, bytes)
  return range.new(bytes, math.max(r.low, math.min(bytes, memory.counted_bytes)), r.high, r.why)
end

local function about(input, plan)
  local case = input.case
  return { class = case.class, known = case.known, open = case.open, year = case.year,
    finetuning = case.traits.finetuning, input = step_input.plain(input, plan) }
end

--- Standard deviation of ln(measured / estimated) step time that the range of plain plans implies:
--- what the chance of meeting a deadline goes by.
function training.spread(input)
  local asked = about(input, { precision = input.plan.precision })
  asked.unlearned = 0 -- what coefficients leave open goes by the plan, which the search has yet to find
  return (training.half(asked)) / law.HALF_80
end

-- What a list of prices adds to the range of a cost, as another cause of its own: factors on the price that nobody
-- stated.
local function with_prices(time, input)
  local spread, usd_h = input.price == nil and input.cluster.usd_h_spread, input.cluster.usd_h
  if not spread or not usd_h or usd_h <= 0 then return time end
  local down = log_widths.together(math.log(time.value / time.low), math.log(usd_h / spread.low))
  local up = log_widths.together(math.log(time.high / time.value), math.log(spread.high / usd_h))
  local why = table.move(time.why, 1, #time.why, 1, {})
  why[#why + 1] = "price: nine providers in ten ask more than one end, and less than the other"
  return range.new(time.value, time.value * math.exp(-down), time.value * math.exp(up), why)
end

--- Puts range and extrapolated into an answer with input, plan, time, memory and run: the ranges of its figures by
--- name, and why the estimate goes beyond what was measured. `wide`: of ballpark.range.training_open.
function training.add(answer, wide)
  local asked, run = about(answer.input, answer.plan), answer.run
  asked.wide = wide and { time = wide.step, memory = wide.memory }
  local time, reasons = training.time(asked)
  local memory = training.memory(asked)
  asked.wide = wide and { time = wide.token }
  local token = training.time(asked)
  answer.extrapolated, answer.few_sources = reasons, training.few_sources(asked)
  answer.range = {
    step_s = range.times(time, answer.time.step_s),
    tokens_per_s = range.under(token, answer.time.tokens_per_s),
    run_s = run.run_s and range.times(token, run.run_s),
    cost_usd = run.run_s and run.cost_usd and range.times(with_prices(token, answer.input), run.cost_usd) or nil,
    total_bytes = training.bytes(memory, answer.memory.total_bytes, answer.memory),
    allocated_bytes = training.bytes(memory, answer.allocated_bytes, answer.memory),
  }
  return answer
end

return training
