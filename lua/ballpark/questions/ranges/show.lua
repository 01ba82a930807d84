-- Ranges of an answer in a report: every figure with its 80 % range and what it comes from, and a tornado.
local dimensions = require("ballpark.dimensions")
local draws = require("ballpark.uncertain.draws")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local show = {}

-- Figures in the order of the report that has them, then by name.
local function ordered(ranges)
  local list = {}
  for _, name in ipairs(tables.sorted_keys(ranges)) do list[#list + 1] = ranges[name] end
  table.sort(list, function(a, b)
    local pa, pb = a.place or math.huge, b.place or math.huge
    if pa ~= pb then return pa < pb end
    return a.name < b.name
  end)
  return list
end

-- Inputs that explain less than this of the variance are not named.
local NAMED_FRAC <const> = 0.05

local function weight(driver) return driver.total or driver.first or 0 end

local function drivers_text(figure)
  local parts = {}
  for _, driver in ipairs(figure.drivers) do
    if weight(driver) >= NAMED_FRAC then
      parts[#parts + 1] = ("%s %.0f %%"):format(driver.name or "?", 100 * weight(driver))
    end
  end
  return table.concat(parts, ", ")
end

-- Bytes of storage and traffic are counted by powers of ten.
local function shown_in(figure) return figure.stored and "stored" or figure.unit end

local function row_of(figure)
  local model, inputs = figure.model or {}, figure.inputs or figure
  return { figure = figure.name, title = figure.hide and figure.name or figure.title, unit = figure.unit, shown_in = shown_in(figure), median = figure.median, low = figure.low,
    high = figure.high, inputs_low = inputs.low, inputs_high = inputs.high, model_low = model.low,
    model_high = model.high, larger = figure.larger or "inputs", broken = figure.broken, had = figure.had_frac, drivers = drivers_text(figure) }
end

-- What a search did, not what it found: no figures for people.
local OF_SEARCH <const> = { evaluated = true, ties = true }

local function is_shown(figure) return not (figure.hide or OF_SEARCH[figure.name]) end

local function add_table(r, figures)
  local rows, skip, any_limit, any_model, any_had = {}, {}, false, false, false
  for i, figure in ipairs(figures) do
    rows[i], skip[i] = row_of(figure), not is_shown(figure) or nil
    any_limit, any_model = any_limit or figure.broken ~= nil, any_model or figure.model ~= nil
    any_had = any_had or figure.had_frac ~= nil
  end
  r:table({ name = "ranges", title = "Ranges (80 %) under uncertain inputs", skip = skip, rows = rows, columns = {
    { name = "figure", hide = true }, { name = "title", title = "" }, { name = "unit", hide = true }, { name = "shown_in", hide = true },
    { name = "median", unit_column = "shown_in" }, { name = "low", unit_column = "shown_in" },
    { name = "high", unit_column = "shown_in" },
    { name = "inputs_low", hide = true }, { name = "inputs_high", hide = true },
    { name = "model_low", hide = true }, { name = "model_high", hide = true },
    { name = "broken", title = "breaks its limit", unit = "frac", hide = not any_limit, chance = true },
    { name = "had", title = "of the draws", unit = "frac", hide = not any_had },
    { name = "larger", title = "mostly from the", hide = not any_model }, { name = "drivers", title = "share of each input" } } })
end

-- What most people ask about first; else the first that is shown, of figures some of which are.
local MAIN <const> = { "cost_usd", "run_s", "step_s", "usd_h", "cost_usd_month" }

local function main_of(figures)
  for _, name in ipairs(MAIN) do
    for _, figure in ipairs(figures) do
      if figure.name == name and is_shown(figure) then return figure end
    end
  end
  for _, figure in ipairs(figures) do
    if is_shown(figure) then return figure end
  end
end

local BAR <const> = 12

-- "   ███|██████": how far a figure goes to either side of its median, of the farthest.
local function bar(low, high, median, farthest)
  local function cells(distance) return math.floor(BAR * distance / farthest + 0.5) end
  local left, right = cells(math.max(0, median - math.min(low, high))), cells(math.max(0, math.max(low, high) - median))
  return (" "):rep(BAR - left) .. ("█"):rep(left) .. "|" .. ("█"):rep(right)
end

local function farthest_of(figure)
  local most = 0
  for _, driver in ipairs(figure.drivers) do
    for _, value in pairs({ driver.low, driver.high }) do most = math.max(most, math.abs(value - figure.at_medians)) end
  end
  return most
end

local function input_text(driver, value)
  if not driver.dimension or driver.dimension == dimensions.none then return ("%.4g"):format(value) end
  return units.format(value, dimensions.unit(driver.dimension))
end

local function add_tornado(r, figure)
  local rows = {}
  figure.at_medians = figure.inputs and figure.inputs.median or figure.median
  local farthest = farthest_of(figure)
  if not (farthest > 0) then return end
  for i, driver in ipairs(figure.drivers) do
    rows[i] = { input = driver.name, from = input_text(driver, driver.low_at), to = input_text(driver, driver.high_at),
      low = driver.low, high = driver.high, unit = shown_in(figure), median = figure.at_medians, first = driver.first, total = driver.total,
      bar = driver.low and driver.high and bar(driver.low, driver.high, figure.at_medians, farthest) or nil }
  end
  r:table({ name = "tornado", title = ("%s: every input from its 10th to its 90th percentile, the others at their "
    .. "medians"):format(figure.title), rows = rows, columns = {
    { name = "input", title = "" }, { name = "from" }, { name = "to" },
    { name = "low", title = "gives", unit_column = "unit" }, { name = "high", title = "to", unit_column = "unit" },
    { name = "unit", hide = true }, { name = "median", title = "at the medians", unit_column = "unit", hide = true },
    { name = "first", title = "alone", unit = "frac" }, { name = "total", title = "with others", unit = "frac" },
    { name = "bar", title = "", human = true, drawn = true } } })
end

local function add_winners(r, winners)
  if not winners then return end
  local rows = {}
  for i, winner in ipairs(winners) do rows[i] = { i, winner.share, winner.plan } end
  r:table({ name = "winners", title = "How often each plan is the best of a draw", rows = rows, columns = {
    { name = "place", title = "#" }, { name = "share", title = "draws", unit = "frac" },
    { name = "plan", title = "plan" } } })
end

local function object(figure)
  local function ends(e) return e and { low = e.low, high = e.high, median = e.median } or nil end
  local drivers = {}
  for i, driver in ipairs(figure.drivers) do
    drivers[i] = { name = driver.name, low_at = driver.low_at, high_at = driver.high_at, low = driver.low,
      high = driver.high, first = driver.first, total = driver.total }
  end
  return { unit = figure.unit, median = figure.median, low = figure.low, high = figure.high,
    inputs = ends(figure.inputs), model = ends(figure.model), larger = figure.larger, broken = figure.broken,
    had_frac = figure.had_frac,
    explained_frac = figure.explained_frac, drivers = drivers }
end

-- Where the shares of the inputs come from.
local function indices_text(figure)
  local driver = figure.drivers[1]
  if not driver or not driver.total then
    return "'alone' is the share that a parabola in this input explains; correlated inputs have no total index"
  end
  return "'with others' is the total Sobol index" .. (figure.explained_frac
    and (" of a polynomial of degree two in the inputs, which explains %s of the variance of '%s'"):format(
      units.format(figure.explained_frac, "frac"), figure.title) or "")
end

local function any(figures, holds)
  for _, figure in ipairs(figures) do
    if holds(figure) then return true end
  end
  return false
end

-- What the share of the draws that can be done means for the figures.
local function left_out_text(answer, has_shown, figures)
  local share = answer.fits_share
  if answer.scarce then
    return ("What fewer than %s of the draws have, such as a price, has no range."):format(units.format(draws.LEAST_HAD, "frac"))
  elseif not has_shown then
    return "No figure depends on the uncertain inputs" .. (share > 0 and share < 1 and ", only whether it can be done." or ".")
  elseif any(figures, function(figure) return figure.had_frac end) then
    return ("What only draws have that can be done, such as a price, has the range of those %s: harder draws are left out.")
      :format(units.format(share, "frac"))
  end
end

--- Adds the ranges of an answer under uncertain inputs.
---@param r table result
---@param answer table with ranges = figures by name, samples, and where it is known fits_share, winners, scarce and
--- refused
function show.ranges(r, answer)
  local figures = ordered(answer.ranges)
  local has_shown, objects = any(figures, is_shown), {}
  for _, figure in ipairs(figures) do objects[figure.name] = object(figure) end
  if figures[1] then r:uncertain(objects) end
  if not (has_shown or answer.fits_share or answer.winners) then
    return r:note("No figure depends on the uncertain inputs.")
  end
  if has_shown then
    add_table(r, figures)
    add_tornado(r, main_of(figures))
  end
  add_winners(r, answer.winners)
  if answer.fits_share then
    r:facts({ name = "ranges_limits", { name = "feasible_share", value = answer.fits_share, unit = "frac",
      title = "Can be done in", chance = true, text = "{feasible_share} of the draws of the inputs" } })
    local text = left_out_text(answer, has_shown, figures)
    if text then r:note(text) end
    if answer.refused then
      r:note(("%s of the draws are refused, and so cannot be done, such as %s"):format(units.format(answer.refused.share, "frac"), answer.refused.why))
    end
  end
  r:assume(table.concat({ ("Ranges: %s draws of the inputs, quasi-random"):format(units.number(answer.samples, 0)),
    has_shown and indices_text(main_of(figures)) or nil }, "; ") .. ".")
end

--- Adds an answer of ranges.run to a result.
function show.answer(r, answer)
  if answer.title and not r.title then r.title = answer.title end
  show.ranges(r, answer)
end

return show
