-- Rows of a calibration that look wrong: far from what the fitted profile says, or from their twins.
local folds = require("ballpark.calibrate.folds")

local checks = {}

-- Robust standard deviations beyond which a row looks wrong: one in 370 of a normal distribution.
local FAR <const> = 3

-- A fit to few rows leaves hardly any spread; below this a residual is never wrong.
local LEAST_FAR <const> = 0.1

-- Runs of one configuration that differ by more contradict each other: published repetitions differ by
-- 4 % in the median and 21 % in the ninth decile (releases of one benchmark).
local TWIN_RATIO <const> = 1.5

-- From this share of contradicting rows on there is nothing to fit to.
local MOST_CONTRADICTING <const> = 1 / 3

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

local function by_configuration(cases)
  local names, parts = {}, {}
  for i, case in ipairs(cases) do
    local name = folds.configuration(case)
    if not parts[name] then names[#names + 1], parts[name] = name, {} end
    table.insert(parts[name], i)
  end
  return names, parts
end

--- Rows whose twins (same configuration) took much less or more time: a list of { row, error, reason }
--- and whether they are so many that the table contradicts itself.
function checks.twins(cases)
  local wrong = {}
  local names, parts = by_configuration(cases)
  for _, name in ipairs(names) do
    local fastest, slowest = math.huge, 0
    for _, i in ipairs(parts[name]) do
      fastest = math.min(fastest, cases[i].measured_step_s)
      slowest = math.max(slowest, cases[i].measured_step_s)
    end
    for _, i in ipairs(slowest > TWIN_RATIO * fastest and parts[name] or {}) do
      wrong[#wrong + 1] = { row = name_of(cases[i]),
        reason = ("one of %d runs of one configuration that differ by a factor of %.2f"):format(#parts[name],
          slowest / fastest) }
    end
  end
  return wrong, #wrong > MOST_CONTRADICTING * #cases
end

--- The same for rows that a fit leaves far off.
function checks.far(cases, residuals, scale)
  local wrong = {}
  far_rows(cases, residuals, scale, wrong)
  return wrong
end

return checks
