-- A calibration as a result.
local calibrate = require("ballpark.calibrate")
local fields = require("ballpark.fields")
local new_result = require("ballpark.result").new
local statistics = require("ballpark.validate.statistics")

-- A coefficient of which the data say less than this stays what its prior was.
local IDENTIFIED <const> = 0.1

local function scored(title, residuals)
  local rows = {}
  for i, r in ipairs(residuals) do rows[i] = { error = math.exp(r) - 1 } end
  local s = statistics.of(rows)
  return { title, s.covered, s.mape, s.median_ape, s.bias }
end

local function error_table(r, answer)
  local rows = { scored("built-in " .. answer.class, answer.own.before) }
  if answer.own.after then rows[2] = scored("calibrated, on rows it has not seen", answer.own.after) end
  if answer.own.within then rows[#rows + 1] = scored("calibrated, on its own rows", answer.own.within) end
  r:table({ name = "errors", title = "Errors of step times", columns = {
    { name = "profile", title = "Profile" }, { name = "rows", title = "Rows" },
    { name = "mape", title = "Mean |error|", unit = "frac" },
    { name = "median_ape", title = "Median |error|", unit = "frac" },
    { name = "bias", title = "Median error", unit = "frac" },
  }, rows = rows })
end

-- Coefficients and what became of them. Where the built-in profile is kept, the fit is not shown: its factors
-- would look like an answer.
local function coefficient_table(r, answer)
  if answer.kept then return end
  local rows, unknown, units = {}, {}, fields.by_name(fields.input("train_step", "profile"))
  for j, coefficient in ipairs(calibrate.coefficients) do
    local learned = calibrate.learned(answer, j)
    local base = answer.base[coefficient[1]] or 1
    rows[j] = { coefficient[1], base, answer.profile[coefficient[1]],
      units[coefficient[1]].unit, answer.own.values[j], learned }
    if learned < IDENTIFIED then unknown[#unknown + 1] = coefficient[1] end
  end
  r:table({ name = "coefficients", title = "Coefficients", columns = {
    { name = "coefficient", title = "Coefficient" },
    { name = "built_in", title = "Built in", unit_column = "base_unit" },
    { name = "calibrated", title = "Calibrated", unit_column = "base_unit" },
    { name = "base_unit", title = "Unit", hide = true },
    { name = "factor", title = "Factor" },
    { name = "learned", title = "Learned", unit = "frac" },
  }, rows = rows })
  if #unknown > 0 then
    r:note("The data do not say: " .. table.concat(unknown, ", ") .. ". They stay near the built-in profile.")
  end
end

local function wrong_table(r, answer)
  local rows = {}
  for i, wrong in ipairs(answer.wrong) do rows[i] = { wrong.row, wrong.error, wrong.reason } end
  for _, refused in ipairs(answer.refused) do
    rows[#rows + 1] = { refused.row.case_id or ("line " .. refused.row.line), nil, refused.reason }
  end
  if #rows == 0 then return end
  r:table({ name = "wrong", title = "Rows that look wrong or cannot be used", columns = {
    { name = "row", title = "Row" }, { name = "error", title = "Error", unit = "frac" },
    { name = "reason", title = "Reason" },
  }, rows = rows })
end

local function range_text(half)
  return ("%.0f %% to +%.0f %%"):format(100 * (math.exp(-half) - 1), 100 * (math.exp(half) - 1))
end

local function mean_error(residuals)
  return scored("", residuals)[3]
end

-- Few runs cannot tell a loss from chance: the profile is written, and says what it lost.
local function add_loss(r, own)
  local before, after = mean_error(own.before), mean_error(own.after)
  if after > before then
    r:warn(("On runs it has not seen the calibrated profile errs more than the built-in one (%.1f %% to %.1f %% in the "
      .. "mean): give it more runs, or stay with the built-in one."):format(100 * after, 100 * before))
  end
end

local function add_warnings(r, answer, written)
  if not answer.kept and answer.own.after then add_loss(r, answer.own) end
  if answer.kept then
    r:warn("The built-in profile is kept: " .. answer.kept .. ".")
  elseif not answer.own.after then
    r:warn(("Unchecked: fewer than %d different runs cannot show on others what a calibration gains, so that the "
      .. "coefficients go half as far as the fit only."):format(calibrate.LEAST))
  end
  if not answer.least_half then return end
  r:warn(("%s these runs by more than its 80 %% range, so %s a range of %s."):format(
    answer.kept and "It misses" or "The profile still misses",
    written and "the profile written carries" or "a profile written with -o carries", range_text(answer.least_half)))
end

-- What the columns and figures mean.
local function add_notes(r, answer)
  if answer.own.after then r:note("Rows not seen: five folds, twins together.") end
  if answer.kept then return end
  r:note("Learned: how much narrower the data made the prior.")
  if answer.own.after and answer.own.share < 1 then
    r:note(("Runs that were not seen gain too little to be sure that it is no chance: the coefficients go %.0f %% of "
      .. "the way to what these say."):format(100 * answer.own.share))
  end
end

--- The result of calibrate.run's answer; `written` is where the profile went, or nil.
return function(answer, written)
  local r = new_result({ command = "calibrate",
    title = ("Calibration of %s on %d run%s"):format(answer.class, #answer.cases, #answer.cases == 1 and "" or "s") })
  add_warnings(r, answer, written)
  r:facts({ name = "calibration",
    { name = "class", title = "Class of software", value = answer.class },
    { name = "rows", title = "Runs used", value = #answer.cases },
    { name = "kept", title = "Built-in profile kept", value = answer.kept ~= nil },
    { name = "profile", title = "Profile", value = written or "not written (-o FILE)" },
  })
  error_table(r, answer)
  coefficient_table(r, answer)
  wrong_table(r, answer)
  add_notes(r, answer)
  for _, text in ipairs(answer.notes) do r:note(text) end
  return r
end
