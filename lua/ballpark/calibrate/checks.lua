-- Rows of a calibration that look wrong: far from what the fitted profile says, or from their twins.
local errors = require("ballpark.errors")
local folds = require("ballpark.calibrate.folds")
local statistics = require("ballpark.validate.statistics")

local checks = {}

-- Robust standard deviations beyond which a row looks wrong: one in 370 of a normal distribution.
local FAR <const> = 3

-- A fit to few rows leaves hardly any spread; below this a residual is never wrong.
local LEAST_FAR <const> = 0.1

-- Runs of one configuration that differ by more contradict each other: published repetitions differ by
-- 4 % in the median and 21 % in the ninth decile (releases of one benchmark).
local TWIN_RATIO <const> = 1.5

-- The same against their estimates where only the number of devices differs, and what grows with it: a choice of
-- ours.
local NEAR_RATIO <const> = 2

-- From this share of contradicting rows on there is nothing to fit to.
local MOST_CONTRADICTING <const> = 1 / 3

-- Times this far from their estimates are in another unit, or of another job: published steps are within three times, and
-- what one client waits for under overload within some hundred (choices of ours, for the median and for any).
local FAR_MEDIAN <const>, FAR_ANY <const> = 30, 1e5

--- Refuses measurements that cannot be of what they are said to be.
---@param path string what an error calls them
---@param residuals (number|false)[] ln(estimated / measured) by the built-in coefficients
---@param units string what they should be in
function checks.check_units(path, residuals, units)
  local sizes = {}
  for _, r in pairs(residuals) do
    if r then sizes[#sizes + 1] = math.abs(r) end
  end
  if #sizes == 0 then return end
  table.sort(sizes)
  local middle, most = statistics.median(sizes), sizes[#sizes]
  if middle > math.log(FAR_MEDIAN) or most > math.log(FAR_ANY) then
    errors.input(path, ("is %.3g times off the estimate in the median and %.3g at most: is it %s?"):format(math.exp(middle),
      math.exp(most), units))
  end
end

local function name_of(case) return case.row.case_id or ("line " .. case.row.line) end

local function far_rows(cases, residuals, scale, wrong)
  local limit = math.max(LEAST_FAR, FAR * scale)
  for i, case in ipairs(cases) do
    if residuals[i] and math.abs(residuals[i]) > limit then
      wrong[#wrong + 1] = { row = name_of(case), error = math.exp(residuals[i]) - 1,
        reason = ("%.1f times the usual spread away"):format(math.abs(residuals[i]) / scale) }
    end
  end
end

-- Adds the rows of groups of one name whose values (of ln seconds) differ by more than a factor, once each.
local function add_apart(wrong, cases, about)
  local names, parts = {}, {}
  for i, case in ipairs(cases) do
    local name = about.group(case)
    if not parts[name] then names[#names + 1], parts[name] = name, { least = math.huge, most = -math.huge } end
    local part, value = parts[name], about.value(i)
    part[#part + 1] = i
    if value then part.least, part.most = math.min(part.least, value), math.max(part.most, value) end
  end
  for _, name in ipairs(names) do
    local part = parts[name]
    for _, i in ipairs(part.most - part.least > math.log(about.ratio) and part or {}) do
      if not wrong.has[i] then
        wrong.has[i] = true
        wrong[#wrong + 1] = { row = name_of(cases[i]),
          reason = about.text:format(#part, math.exp(part.most - part.least)) }
      end
    end
  end
end

--- Rows that took much less or more time than runs of the same configuration, or, against their estimates, of the
--- same settings on other numbers of devices: a list of { row, reason }, and whether they are so many that the
--- table contradicts itself.
---@param cases table[]
---@param residuals (number|false)[] ln(estimated / measured) by the built-in profile
function checks.contradictions(cases, residuals)
  local wrong = { has = {} }
  add_apart(wrong, cases, { group = folds.configuration, ratio = TWIN_RATIO,
    value = function(i) return math.log(cases[i].measured_step_s) end,
    text = "one of %d runs of one configuration that differ by a factor of %.2f" })
  add_apart(wrong, cases, { group = folds.settings, ratio = NEAR_RATIO,
    value = function(i) return residuals[i] end,
    text = "one of %d runs of the same settings that differ by a factor of %.2f against their estimates" })
  wrong.has = nil
  return wrong, #wrong > MOST_CONTRADICTING * #cases
end

--- The same for rows that a fit leaves far off.
function checks.far(cases, residuals, scale)
  local wrong = {}
  far_rows(cases, residuals, scale, wrong)
  return wrong
end

return checks
