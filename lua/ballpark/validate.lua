-- Predictions against published measurements: every row of a table gets a prediction or the reason
-- why there is none, and the errors are summed up by group. See ballpark.resolve.training for what blank
-- cells mean and validate/statistics.lua for the figures.
local columns = require("ballpark.measured.training_columns")
local core = require("ballpark.core")
local device_could_hold = require("ballpark.validate.device_could_hold")
local range = require("ballpark.range")
local statistics = require("ballpark.validate.statistics")
local table_rows = require("ballpark.measured.table_rows")
local target = require("ballpark.validate.target")
local training = require("ballpark.range.training")
local traits = require("ballpark.validate.traits")
local training_case = require("ballpark.validate.training_case")
local training_facts = require("ballpark.measured.training_facts")
local training_open = require("ballpark.range.training_open")

local validate = {}

--- Rows of a table's text. Columns nobody knows are returned by name; missing ones are an error.
---@param text string
---@param name string
---@return table[] rows
---@return string[] ignored
function validate.read(text, name) return table_rows.read(columns, text, name) end

local function context_of(options)
  options = options or {}
  return { estimate = options.estimate or core.train_step, profile = options.profile,
    case = options.case or training_case.of }
end

-- The row's case with its prediction, or nil and why there is none, and the field that is to blame.
local function estimated(row, context) return table_rows.attempt(context.case, row, context) end

--- The rows that can be estimated, as inputs of core.train_step with what was measured: for tools that
--- evaluate many sets of coefficients. { row, input, assumed, gpus, whole (see training_case), measured_step_s,
--- measured_bytes }, the last two nil where not measured; and the rows that cannot, as { row, reason }.
---@param rows table[]
---@param options {estimate: function|nil, profile: string|table|nil}|nil
function validate.cases(rows, options)
  local context = context_of(options)
  local wholes, cases, refused = {}, {}, {}
  for _, row in ipairs(rows) do
    local case, reason = estimated(row, context)
    if case then
      wholes[#wholes + 1] = case
    else
      refused[#refused + 1] = { row = row, reason = reason }
    end
  end
  target.settle(wholes)
  for i, case in ipairs(wholes) do
    local row = case.row
    cases[i] = { row = row, input = case.input, assumed = case.assumed, open = case.open,
      gpus = case.devices, class = case.class, known = case.known, year = case.year, whole = case,
      measured_step_s = case.time and case.time.measured_step_s,
      measured_bytes = row.peak_mem and row.peak_mem * (1 << 30) }
  end
  return cases, refused
end

local function uncovered(row, asked, reason)
  return { case_id = row.case_id or ("line " .. row.line), family = row.family or "", row = row,
    metric = asked[1], measured = asked[2], status = "uncovered", reason = reason,
    assumed = {} }
end

local function refuse(row, reason, times, memories)
  local time, memory = target.asked(row)
  if time or not memory then times[#times + 1] = uncovered(row, time or { "step_s" }, reason) end
  if memory then memories[#memories + 1] = uncovered(row, memory, reason) end
end

-- `band`: the range of the prediction as factors on it.
local function answer(case, metric, measured, predicted, err, band)
  local row, around = case.row, band and range.times(band, predicted) or nil
  return { case_id = row.case_id or ("line " .. row.line), family = row.family or "", row = row,
    metric = metric, measured = measured, predicted = predicted, error = err, status = "ok",
    assumed = case.assumed, traits = case.groups, range = around, fits = case.fits,
    inside = around and range.holds(around, measured) }
end

-- A row that a calibration has seen is not scored.
local function seen(case)
  local row = case.row
  return { case_id = row.case_id or ("line " .. row.line), family = row.family or "", row = row,
    metric = case.time.metric, measured = case.time.measured, status = "calibration",
    assumed = case.assumed }
end

local function add_case(case, times, memories)
  local row, time, out = case.row, case.time, case.out
  case.groups = traits.training(case.input, out, case.devices)
  if time and not case.seen then
    times[#times + 1] = answer(case, time.metric, time.measured, target.predicted(case, time.metric, case.step_s),
      case.step_s / time.measured_step_s - 1, target.band(time.metric, case.band))
    times[#times].before, times[#times].measured_step_s = case.before, time.measured_step_s
    times[#times].absolute = case.absolute
    times[#times].extrapolated = case.band and case.extrapolated
  end
  if case.no_time then times[#times + 1] = uncovered(row, target.asked(row), case.no_time) end
  if row.peak_mem then
    local predicted = target.memory(case, out.memory)
    memories[#memories + 1] = answer(case, "peak_mem", row.peak_mem, predicted,
      predicted / row.peak_mem - 1, case.memory_band)
  end
end

-- A configuration that failed: what is asked is whether memory holds it.
local function failed(row, fits, assumed)
  return { case_id = row.case_id or ("line " .. row.line), family = row.family or "", row = row, metric = "fits",
    measured = 0, predicted = fits, status = "ok", assumed = assumed, fits = fits }
end

-- A configuration that failed and that no software launches, for its plan contradicts itself or the model: it has no
-- chance.
local function impossible(entry)
  return training_facts.failed(entry.row) and (entry.place or ""):find("^plan%.") ~= nil
end

-- The same of rows that measured something, or failed.
local function predicted_case(row, context)
  local time, memory = target.asked(row)
  if not row.wrong and not time and not memory and not training_facts.failed(row) then
    return nil, "nothing measured"
  end
  return estimated(row, context)
end

-- Ranges of all cases: of the time of a step (step_band), of a token (token_band) and of memory; band is that of what
-- was measured. A study brings its own for the step times that it predicts.
local function add_bands(cases)
  local unlearned = training.unlearned(cases)
  for i, case in ipairs(cases) do
    local wide = training_open.widths(case, case.out)
    local function about(time)
      return { input = case.input, class = case.class, known = case.known, open = case.open,
        finetuning = case.traits.finetuning, unsaid_lengths = case.unsaid_lengths,
        unlearned = unlearned[i] or 0, wide = { time = time, memory = wide.memory } }
    end
    case.wide = { time = case.time and case.time.of_step and wide.step or wide.token, memory = wide.memory }
    case.step_band, case.extrapolated = training.time(about(wide.step))
    case.token_band = training.time(about(wide.token))
    case.memory_band = training.memory(about())
    case.fits = training_open.memory(case.input, case.out.memory, wide, core.train_step).fit_probability
    case.band = case.time and case.time.of_step and case.step_band or case.token_band
  end
end

--- The case of one row with its estimate and ranges, or nil and why there is none.
---@param row table
---@param options {profile: string|table|nil}|nil as of validate.run
---@return table|nil
---@return string|nil
function validate.explained(row, options)
  local case, reason = estimated(row, context_of(options))
  if not case then return nil, reason end
  add_bands({ case })
  return case
end

local function groups(times, column)
  local list = {}
  local names, parts = statistics.split(times, statistics.group_of(column))
  for _, name in ipairs(names) do
    local group = statistics.summary(parts[name])
    group.group = name
    list[#list + 1] = group
  end
  return list
end

local function predict_all(rows, context, options)
  local entries, cases = {}, {}
  for i, row in ipairs(rows) do
    local case, reason, place = predicted_case(row, context)
    entries[i] = { row = row, case = case, reason = reason, place = place }
    if case then cases[#cases + 1] = case end
  end
  target.settle(cases)
  if not options.estimate then add_bands(cases) end
  for _, case in ipairs(cases) do case.fits = case.fits or case.out.memory.fit_probability end
  local notes = options.study and options.study(cases) or {}
  return entries, notes
end

--- Predicts every row. { summary, memory, fit, groups, memory_groups, times, memories, rows, notes }: summary and
--- groups over times, memory over peak_mem; rows in the order of the table, a row with both a time and a memory
--- twice. A study gets the cases { row, input, step_s, measured_step_s, band, ... } and may predict
--- anew: it sets step_s, band, before (the error it replaces) and absolute (the row's mean |error| where it was predicted
--- in several ways), or seen; it returns notes.
---@param rows table[] from validate.read
--- `case`: what makes a case of a row, as training_case.of, for tables of other columns.
---@param options {estimate: function|nil, profile: string|table|nil, group: string|nil, study: function|nil, case: function|nil}|nil
function validate.run(rows, options)
  options = options or {}
  local entries, notes = predict_all(rows, context_of(options), options)
  local times, memories, all, chances = {}, {}, {}, {}
  for _, entry in ipairs(entries) do
    local t, m = #times, #memories
    if entry.case then
      chances[#chances + 1] = { family = entry.row.family or "", ran = not training_facts.failed(entry.row),
        fits = not device_could_hold.states_more(entry.case) and entry.case.fits or nil }
    end
    if entry.case and training_facts.failed(entry.row) then
      all[#all + 1] = failed(entry.row, entry.case.fits, entry.case.assumed)
    elseif impossible(entry) then
      chances[#chances + 1] = { family = entry.row.family or "", ran = false, fits = 0 }
      all[#all + 1] = failed(entry.row, 0, { entry.reason })
    elseif entry.case then
      add_case(entry.case, times, memories)
      if entry.case.seen then all[#all + 1] = seen(entry.case) end
    else
      refuse(entry.row, entry.reason, times, memories)
    end
    all[#all + 1] = times[t + 1]
    all[#all + 1] = memories[m + 1]
  end
  local column = options.group or "family"
  return {
    group_column = column,
    summary = statistics.summary(times),
    memory = statistics.summary(memories),
    groups = groups(times, column),
    memory_groups = groups(memories, column),
    times = times, memories = memories, rows = all, notes = notes, fit = statistics.fit(chances),
  }
end

return validate
