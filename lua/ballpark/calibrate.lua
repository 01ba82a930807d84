-- A profile of one's own software, from measured runs: tables as `validate training` takes them, and
-- training logs.
local calibration = require("ballpark.resolve.training.calibration")
local checks = require("ballpark.calibrate.checks")
local coefficients = require("ballpark.catalog.coefficients")
local columns = require("ballpark.measured.training_columns")
local errors = require("ballpark.errors")
local kept = require("ballpark.calibrate.kept")
local logs = require("ballpark.calibrate.logs")
local own = require("ballpark.calibrate.own")
local problem = require("ballpark.calibrate.problem")
local profiles = require("ballpark.catalog.profiles")
local table_rows = require("ballpark.measured.table_rows")
local tables = require("ballpark.tables")
local validate = require("ballpark.validate")

local calibrate = {}

-- Columns that a log states itself.
local FROM_LOG = { step_s = true, tokens_per_s_per_gpu = true }

local function logged_row(log, name, given)
  local cells = tables.with(given)
  for _, column in ipairs(tables.sorted_keys(FROM_LOG)) do
    if cells[column] then errors.usage("-D " .. column .. ": the log states it") end
  end
  cells.case_id, cells.family = cells.case_id or name, cells.family or name
  cells.framework = cells.framework or log.kind
  cells.step_s = log.step_s and ("%.17g"):format(log.step_s)
  cells.tokens_per_s_per_gpu = log.tokens_per_s_device and ("%.17g"):format(log.tokens_per_s_device)
  cells.peak_mem = cells.peak_mem or (log.peak_bytes and ("%.17g"):format(log.peak_bytes / (1 << 30)))
  if log.global_batch then
    local stated = tonumber(cells.global_batch_seqs)
    if stated and stated ~= log.global_batch then
      errors.input(name, ("its global batch is %d, stated is %s"):format(log.global_batch,
        cells.global_batch_seqs))
    end
    cells.global_batch_seqs = tostring(log.global_batch)
  end
  local row = columns.row(cells)
  row.line = 1
  return row
end

-- The case of a log whose run an estimate of a scenario describes.
local function described_case(log, name, answer)
  local input = answer.input
  local job = tables.with(input.job)
  if log.global_batch and log.global_batch ~= job.global_batch then
    errors.input(name, ("its global batch is %d, the scenario's %d"):format(log.global_batch, job.global_batch))
  end
  local devices = input.cluster.network.devices
  local class, known = profiles.of_coefficients(input.profile)
  return {
    row = { case_id = name, family = name, line = 1 }, class = class, known = known, year = input.case.year, open = {},
    assumed = {},
    input = { model = input.model, device = input.cluster.device, network = input.cluster.network,
      plan = answer.plan, job = job, profile = input.profile },
    measured_step_s = log.step_s
      or job.global_batch * job.seq_len / (log.tokens_per_s_device * devices),
  }
end

local function check_given(given)
  local names = {}
  for _, column in ipairs(columns.list) do names[#names + 1] = column[1] end
  for _, name in ipairs(tables.sorted_keys(given)) do
    local known = false
    for _, column in ipairs(names) do known = known or column == name end
    if not known then errors.choice("-D", name, names) end
  end
end

local function add_log(state, source)
  local log = logs.read(source.text, source.name)
  state.notes[#state.notes + 1] = ("%s: log of %s, median of %d steps, %d of warm-up skipped."):format(
    source.name, log.kind, log.steps, log.skipped)
  if state.described then
    state.cases[#state.cases + 1] = described_case(log, source.name, state.described)
    return
  end
  if not next(state.given) then
    errors.usage(source.name .. ": a log does not say what was run: give --scenario FILE or the columns "
      .. "of a table with -D (model, gpu, gpus, seq_len, tp, ...)")
  end
  state.rows[#state.rows + 1] = logged_row(log, source.name, state.given)
end

local function add_table(state, source)
  local rows, ignored = validate.read(source.text, source.name)
  table.move(rows, 1, #rows, #state.rows + 1, state.rows)
  if #ignored > 0 then
    state.notes[#state.notes + 1] = source.name .. ": columns not used: " .. table.concat(ignored, ", ") .. "."
  end
  local repeated = table_rows.repeated(rows)
  if repeated then state.notes[#state.notes + 1] = source.name .. ": " .. repeated .. "." end
end

-- Whether the first line names a column of runs: what does not is no table of them.
local function has_column(text)
  local named = {}
  for name in text:match("^[^\r\n]*"):gsub("[%s\"]", ""):gmatch("[^,]+") do named[name] = true end
  for _, column in ipairs(columns.list) do
    if named[column[1]] then return true end
  end
  return false
end

-- All cases with a measured step, and the rows without an answer.
local function gather(sources, options)
  local state = { given = options.given or {}, described = options.described, rows = {}, cases = {}, notes = {} }
  check_given(state.given)
  for _, source in ipairs(sources) do
    local is_log = logs.recognises(source.text)
    if not is_log and not has_column(source.text) then
      errors.input(source.name, "is no log with step lines of Megatron-LM or torchtitan, and no table of runs "
        .. "(columns: ballpark explain validate)")
    end
    local add = is_log and add_log or add_table
    add(state, source)
  end
  local cases, refused = validate.cases(state.rows, { profile = options.class })
  table.move(cases, 1, #cases, #state.cases + 1, state.cases)
  return problem.timed(state.cases), refused, state.notes
end

local function most_frequent(cases, key)
  local counts, names = {}, {}
  for _, case in ipairs(cases) do
    local name = key(case)
    if not counts[name] then names[#names + 1] = name end
    counts[name] = (counts[name] or 0) + 1
  end
  table.sort(names, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  return names[1], #names
end

-- The cases of one class of software; a profile is for one.
local function of_class(cases, class, notes)
  if class then
    for _, case in ipairs(cases) do case.class, case.known = class, class ~= "generic" end
    return cases, class
  end
  local chosen, count = most_frequent(cases, function(case) return case.class end)
  local own_cases = {}
  for _, case in ipairs(cases) do
    if case.class == chosen then own_cases[#own_cases + 1] = case end
  end
  if count > 1 then
    notes[#notes + 1] = ("%d rows of other software than %s are left out: a profile is for one class."):format(
      #cases - #own_cases, chosen)
  end
  return own_cases, chosen
end

-- The one year of all cases, or nil.
local function year_of(cases)
  local year, count = most_frequent(cases, function(case) return case.year end)
  return count == 1 and year or nil
end

-- The built-in profile that a reader sees the factors on: of the year and device of most rows.
local function base_profile(cases, class)
  local year = most_frequent(cases, function(case) return case.year end)
  local name = most_frequent(cases, function(case) return case.input.device.name or "" end)
  for _, case in ipairs(cases) do
    if (case.input.device.name or "") == name then
      return profiles.of_year(class, year, case.input.device, case.input.network.fabric)
    end
  end
end

-- What estimates with the profile need to know of the calibration.
local function about(answer)
  local devices, precisions, most, longest, experts = {}, {}, 0, 0, false
  for _, case in ipairs(answer.cases) do
    local input = case.input
    devices[input.device.name or ""] = true
    precisions[input.plan.precision or "bf16"] = true
    most = math.max(most, input.network.devices)
    longest = math.max(longest, input.job.seq_len)
    experts = experts or (input.model.experts or 0) > 0
  end
  return { class = answer.class, rows = #answer.cases, date = answer.date, year = year_of(answer.cases), devices = devices,
    precisions = precisions, most_devices = most, longest_seq_len = longest, experts = experts }
end

-- Factors by name, none where the built-in profile stays.
local function factors_of(answer)
  local factors = {}
  for j, coefficient in ipairs(answer.kept and {} or coefficients.own) do
    factors[coefficient[1]] = answer.own.values[j]
  end
  return factors
end

-- A profile with the factors over it, and those that are left for its class: beside what a calibration found before.
-- What the profile says of a coefficient outright, or of all of them, takes its factor up.
local function put_over(given, factors)
  local profile, taken, left = calibration.said(given), {}, tables.with((given.calibration or {}).factors)
  for name, factor in pairs(factors) do
    if given.class and profile[name] == nil then
      left[name] = factor * (left[name] or 1)
    else
      taken[name] = factor
    end
  end
  return calibration.times(profile, taken), next(left) and left or nil
end

-- `given`: the profile of the scenario that describes the runs, or nil.
local function add_profile(answer, given)
  local factors, seen = factors_of(answer), about(answer)
  if answer.kept or not answer.own.half then
    answer.least_half = kept.least_half(answer.cases, answer.kept and answer.own.before or answer.own.within)
    seen.least_half, seen.kept = answer.least_half, answer.kept and true
  else
    seen.half, seen.spread = answer.own.half, answer.own.fit.scale
  end
  local profile, left = put_over(given or { class = answer.class }, factors)
  seen.factors, profile.calibration = left, seen
  profile.source = answer.kept and ("not calibrated: %s"):format(answer.kept)
    or ("calibrated on %d run%s on %s"):format(#answer.cases, #answer.cases == 1 and "" or "s", answer.date)
  answer.base = base_profile(answer.cases, answer.class)
  -- What the profile leaves to its class reads as on most rows.
  answer.profile = setmetatable(profile, { __index = calibration.times(answer.base, factors) })
end

-- What is shown of a class is as on most rows; the factors are on each year's own.
local function add_years(answer)
  local year, count = most_frequent(answer.cases, function(case) return case.year end)
  answer.notes[#answer.notes + 1] = count == 1 and ("The profile stands for software of %d."):format(year)
    or ("Coefficients are shown as of %d, the year of most rows; the profile has factors on what the class says of each year."):format(year)
end

--- Calibrates to sources { name, text }: tables or logs. Returns { profile, base, class, kept, cases,
--- own, wrong, refused, notes }: kept is why the built-in profile stays, or nil.
---@param sources {name: string, text: string}[]
---@param options {class: string|nil, given: table|nil, described: table|nil, few: boolean|nil, date: string}
function calibrate.run(sources, options)
  local cases, refused, notes = gather(sources, options)
  if #cases == 0 then
    errors.input(sources[1].name, "no row that can be estimated has a measured time"
      .. (refused[1] and (": " .. refused[1].reason) or ""))
  end
  local class
  cases, class = of_class(cases, options.class, notes)
  local answer = { cases = cases, class = class, refused = refused, notes = notes, date = options.date,
    own = own.fit(cases, options.few) }
  checks.check_units(sources[1].name, answer.own.before, "of these plans, steps in seconds and rates of one device")
  local wrong, contradicting = checks.contradictions(cases, answer.own.before)
  answer.kept = kept.reason(answer.own, contradicting)
  if answer.own.after then
    local far = checks.far(cases, answer.own.all:residuals(answer.own.fit.x), answer.own.fit.scale)
    table.move(far, 1, #far, #wrong + 1, wrong)
  end
  answer.wrong = wrong
  add_profile(answer, options.described and options.described.input.case.facts.profile)
  add_years(answer)
  return answer
end

--- Share of a coefficient's prior width that the data took away.
function calibrate.learned(answer, j)
  return answer.own.fit and 1 - math.min(1, answer.own.fit.deviations[j]) or 0
end

calibrate.coefficients, calibrate.LEAST = coefficients.own, own.LEAST

return calibrate
