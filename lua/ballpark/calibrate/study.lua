-- How well estimates hold on runs that nobody tuned to: the published coefficients fitted again without
-- the group of each run, and then calibrated on a part of that group.
--
-- Each study is a function of the cases of validate.run: it puts step_s, band and before in place, or
-- marks a case as seen, and returns sentences for the reader.
local coefficients = require("ballpark.catalog.coefficients")
local extrapolated = require("ballpark.range.extrapolated")
local folds = require("ballpark.calibrate.folds")
local law = require("ballpark.range.law")
local learn = require("ballpark.range.learn")
local left_out = require("ballpark.calibrate.left_out")
local own = require("ballpark.calibrate.own")
local problem = require("ballpark.calibrate.problem")
local sources = require("ballpark.range.sources")
local widths = require("ballpark.range.log_widths")

local study = {}

-- What a study says to its reader: memory is beside the steps that it fits.
local function notes_of(cases, text)
  for _, case in ipairs(cases) do
    if case.row.peak_mem then
      return { text, "Peak memory is predicted by the built-in profiles: studies fit step times alone." }
    end
  end
  return { text }
end

local function group_by(column)
  return function(case)
    local value = case.row[column]
    return value ~= nil and tostring(value) or ""
  end
end

local function sound(skipped)
  return function(case) return not skipped[case.row.case_id or ""] end
end

-- `wide`: log widths of what the row leaves open, where half a range does not have them in it.
local function set_estimate(case, residual, half, wide)
  case.before = case.step_s / case.measured_step_s - 1
  case.step_s = case.measured_step_s * math.exp(residual)
  case.band = half and law.factor({ half, half }, { wide }) or nil
end

-- The law of ranges as learned from all groups but each.
local function laws_without(cases, group, outs)
  local samples, names, laws = {}, {}, {}
  for i, case in ipairs(cases) do
    local out, between = outs[i], extrapolated.crossing(case)
    local beside = widths.beyond(-out.residual, table.unpack(case.wide.time))
    samples[i] = { group = group(case), family = case.row.family or "",
      residual = -widths.beyond(beside, between, between), features = out.features,
      unlearned = out.unlearned, cell = sources.cell(case) }
    names[group(case)] = true
  end
  for name in pairs(names) do
    local rest = {}
    for _, sample in ipairs(samples) do
      if sample.group ~= name then rest[#rest + 1] = sample end
    end
    laws[name] = learn.law(rest, learn.FAMILIES_AND_ROWS) or false
  end
  return laws
end

-- Estimates by fits that did not see the group. Residuals, features and x by case; the problem.
local function without_group(cases, column, skipped)
  local all = problem.new(cases, coefficients.published)
  return left_out.fit(all, group_by(column), sound(skipped)), all
end

local function half_of(fitted, out, case)
  return fitted and widths.together(learn.half(fitted, out.features, out.unlearned, sources.cell(case)), extrapolated.half(case)) or nil
end

--- Every case by coefficients fitted without its group; its range from the other groups' errors.
---@param column string family, model, gpu, ...
---@param skipped table<string, boolean> case ids that no fit takes
function study.leave_out(column, skipped)
  return function(all_cases)
    local cases, group = problem.timed(all_cases), group_by(column)
    local outs = without_group(cases, column, skipped)
    local laws = laws_without(cases, group, outs)
    for i, case in ipairs(cases) do
      set_estimate(case, outs[i].residual, half_of(laws[group(case)], outs[i], case), case.wide.time)
    end
    return notes_of(all_cases, ("Left out by %s: the %d published coefficients were fitted again to the other rows "
      .. "of this table, and ranges learned from their errors. Before: the built-in profiles."):format(column,
      #coefficients.published))
  end
end

local function by_group(cases, group)
  local names, parts = {}, {}
  for i, case in ipairs(cases) do
    local name = group(case)
    if not parts[name] then names[#names + 1], parts[name] = name, {} end
    table.insert(parts[name], i)
  end
  table.sort(names)
  return names, parts
end

-- The group's cases with profiles whose fit did not see them.
local function starting_points(all, outs, indices)
  local list = {}
  for n, i in ipairs(indices) do list[n] = all:moved(i, outs[i].x) end
  return list
end

-- What a calibration on the chosen cases makes of the others: residual and half width for each.
local function calibrate(cases, chosen)
  local training = {}
  for n, case in ipairs(cases) do
    if chosen[n] then training[#training + 1] = case end
  end
  local fitted = own.fit(training)
  local rest = problem.new(cases, coefficients.own, { even = true, factors = true })
  return rest:residuals(not fitted.kept and fitted.x or nil), not fitted.kept and fitted.half or nil
end

local function replace(case, out, residual, half, fitted)
  case.step_s = case.measured_step_s * math.exp(out.residual)
  local learned = half and half < math.huge
  set_estimate(case, residual, learned and half or half_of(fitted, out, case), not learned and case.wide.time or nil)
end

-- Runs part(cases of one group from their starting points, set) over groups; set(n, residual, half, absolute)
-- gives the n-th of them its estimate.
local function over_groups(all_cases, column, skipped, part)
  local cases, group = problem.timed(all_cases), group_by(column)
  local outs, all = without_group(cases, column, skipped)
  local laws = laws_without(cases, group, outs)
  local names, parts = by_group(cases, group)
  for _, name in ipairs(names) do
    local indices = parts[name]
    part(starting_points(all, outs, indices), function(n, residual, half, absolute)
      local i = indices[n]
      cases[i].absolute = absolute
      if residual then replace(cases[i], outs[i], residual, half, laws[name])
      else cases[i].seen = true end
    end)
  end
end

--- Every group calibrated on all but one of `count` folds of it and scored on that one, in turn.
function study.cross_validate(count, column, skipped)
  return function(all_cases)
    over_groups(all_cases, column, skipped, function(cases, set)
      local fold_of = folds.deal(cases, count)
      for fold = 1, math.min(count, #cases) do
        local chosen = {}
        for n in ipairs(cases) do chosen[n] = fold_of[n] ~= fold end
        local residuals, half = calibrate(cases, chosen)
        for n in ipairs(cases) do
          if fold_of[n] == fold then set(n, residuals[n], half) end
        end
      end
    end)
    return notes_of(all_cases, ("%d-fold: every %s was calibrated on the other folds of its rows, from coefficients "
      .. "fitted without it. Before: these coefficients alone."):format(count, column))
  end
end

-- Draws of rows to calibrate on: what one of them makes of the others is chance.
local DRAWS <const> = 8

-- Calibrations on `count` of the cases, drawn in several ways: { chosen, residuals, half } each.
local function drawn(cases, count)
  local draws = {}
  for draw = 1, DRAWS do
    local chosen = folds.sample(cases, count, draw)
    local residuals, half = calibrate(cases, chosen)
    draws[draw] = { chosen = chosen, residuals = residuals, half = half }
  end
  return draws
end

-- The first draw from a number on that a case is not in, or nil.
local function draw_without(draws, n, first)
  for k = 0, #draws - 1 do
    local draw = draws[(first + k - 1) % #draws + 1]
    if not draw.chosen[n] then return draw end
  end
end

-- Mean of a case's |error| over the draws that it is not in, nil where it is in all.
local function mean_error(draws, n)
  local sum, count = 0, 0
  for _, draw in ipairs(draws) do
    if not draw.chosen[n] and draw.residuals[n] then
      sum, count = sum + math.abs(math.exp(draw.residuals[n]) - 1), count + 1
    end
  end
  return count > 0 and sum / count or nil
end

--- Every group calibrated on `count` of its rows, drawn in several ways; each row is shown by one that has not seen it,
--- and its |error| is the mean of all that have not.
---@param count integer
---@param column string
---@param skipped table<string, boolean>
function study.calibrate_with(count, column, skipped)
  return function(all_cases)
    over_groups(all_cases, column, skipped, function(cases, set)
      local draws, dealt = drawn(cases, count), folds.deal(cases, DRAWS)
      for n in ipairs(cases) do
        local draw = draw_without(draws, n, dealt[n])
        set(n, draw and draw.residuals[n], draw and draw.half, mean_error(draws, n))
      end
    end)
    return notes_of(all_cases, ("Every %s was calibrated on %d of its rows, from coefficients fitted without it; of %d "
      .. "draws of rows each row is shown by one that it is not in, and means and medians of errors are over all that it "
      .. "is not in. Before: these coefficients alone. Ranges cover %.0f %%."):format(column, count, DRAWS, 100 * law.COVERAGE))
  end
end

return study
