-- A function of uncertain inputs, evaluated for draws of them: quantiles of every figure it gives, the chance that
-- something holds, and what the width comes from. Draws are points of a lattice, the same for the same seed.
local core = require("ballpark.core")
local indices = require("ballpark.uncertain.indices")
local node = require("ballpark.uncertain.node")
local progress = require("ballpark.report.progress")
local spread = require("ballpark.uncertain.spread")
local tape = require("ballpark.uncertain.tape")

local draws = {}

-- Ends of an 80 % range.
local LOW <const>, HIGH <const> = 0.1, 0.9

--- The value of a sorted list at a share, between the two nearest by their distance.
local function quantile(sorted, share)
  local place = share * (#sorted - 1) + 1
  local below = math.floor(place)
  local above = math.min(below + 1, #sorted)
  return sorted[below] + (place - below) * (sorted[above] - sorted[below])
end

local function ends(values)
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  return { median = quantile(sorted, 0.5), low = quantile(sorted, LOW), high = quantile(sorted, HIGH) }
end

draws.ends, draws.quantile = ends, quantile

--- Share of the draws of a figure that are beyond a limit { least =, most = }, or have no such figure.
function draws.broken(figure, limit)
  local count, values = 0, figure.values
  for _, value in ipairs(values) do
    if value >= (limit.least or -math.huge) and value <= (limit.most or math.huge) then count = count + 1 end
  end
  return 1 - (figure.had_frac or 1) * count / #values
end

-- Values of the leaves in draw i of a matrix, input `swapped` from the other one.
local function at(leaves, matrix, i, swapped, other)
  local of = {}
  for k, leaf in ipairs(leaves) do of[leaf] = (k == swapped and other or matrix)[k][i] end
  return of
end

local function value_of(row, name) return row[name] and row[name].value end

-- Places of the draws that have a figure: what cannot be done has none.
local function places_of(rows, name)
  local places = {}
  for i, row in ipairs(rows) do
    if type(value_of(row, name)) == "number" then places[#places + 1] = i end
  end
  return places
end

local function picked(list, places)
  local some = {}
  for i, place in ipairs(places) do some[i] = list[place] end
  return some
end

local function column(rows, name)
  local values = {}
  for i, row in ipairs(rows) do values[i] = row[name].value end
  return values
end

--- Share of the draws that have a figure from which it has a range: what fewer have is not what is asked (assumption).
draws.LEAST_HAD = 0.5

-- The figures that are not the same in all draws that have them, by name: { name, places }; and whether there are more of
-- them that too few draws have.
local function varying(rows)
  local seen, list, scarce = {}, {}, false
  for _, row in ipairs(rows) do
    for name in pairs(row) do seen[name] = true end
  end
  for name in pairs(seen) do
    local places = places_of(rows, name)
    local same = true
    for _, place in ipairs(places) do same = same and rows[place][name].value == rows[places[1]][name].value end
    local enough = #places >= draws.LEAST_HAD * #rows
    if not same and enough then list[#list + 1] = { name = name, places = places } end
    scarce = scarce or not same and not enough
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list, scarce
end

-- Deviations of ln(measured / estimated) below and above that an 80 % range of the model stands for, which often reaches
-- further to one side.
local function model_deviations(figure)
  if not figure.low or not (figure.low > 0 and figure.high > figure.low) then return 0, 0 end
  return math.max(0, math.log(figure.value / figure.low)) / spread.SCORE,
    math.max(0, math.log(figure.high / figure.value)) / spread.SCORE
end

-- Normal scores of the model's own error: the middles of as many equal shares. Ends and median of the range are among
-- them (0.1 = 2.5 / 25), so that where no input matters the range is the model's own.
local MODEL_SHARES <const> = 25
local MODEL_SCORES <const> = {}
for i = 1, MODEL_SHARES do
  MODEL_SCORES[i] = core.spread_value({ kind = "normal", a = 0, b = 1 }, (i - 0.5) / MODEL_SHARES)
end

-- Every draw with all of the model's own error over it, so that few draws do not match one with the other by chance; and the
-- factors to the ends of the model's own range in the median of the draws, { low, high }. Where it has none, the draws alone.
local function with_model(rows, name)
  local values, any, lows, highs = {}, false, {}, {}
  for i, row in ipairs(rows) do
    local below, above = model_deviations(row[name])
    any = any or below + above > 0
    for _, score in ipairs(MODEL_SCORES) do
      values[#values + 1] = row[name].value * math.exp((score < 0 and below or above) * score)
    end
    lows[i], highs[i] = math.exp(-below * spread.SCORE), math.exp(above * spread.SCORE)
  end
  if not any then return column(rows, name), nil end
  return values, { low = ends(lows).median, high = ends(highs).median }
end

local function run_rows(count, leaves, matrix, evaluate, swapped, other)
  local rows = {}
  for i = 1, count do rows[i] = evaluate(at(leaves, matrix, i, swapped, other)) end
  return rows
end

-- What one input does to every figure by itself: the figures where it is at the ends of its own range and all others at
-- their medians.
local function turned(leaf, evaluate)
  local low, high = spread.quantile(leaf.spread, LOW), spread.quantile(leaf.spread, HIGH)
  return { leaf = leaf, at = { low, high }, low = evaluate({ [leaf] = low }), high = evaluate({ [leaf] = high }) }
end

-- An index is a share; what few draws put beyond that is their noise.
local function share(index) return index and math.max(0, math.min(1, index)) end

local function driver(turn, name, first, total)
  return { name = turn.leaf.name, low_at = turn.at[1], high_at = turn.at[2], low = value_of(turn.low, name),
    high = value_of(turn.high, name), first = share(first), total = share(total), dimension = turn.leaf.dimension }
end

local function by_weight(a, b)
  local wa, wb = a.total or a.first or 0, b.total or b.first or 0
  if wa ~= wb then return wa > wb end
  return (a.name or "") < (b.name or "")
end

local function ratio(e) return e.low > 0 and math.log(e.high / e.low) or e.high - e.low end

-- What one figure is in all draws that have it; had_frac: the share of those, of fewer than all.
local function figure_of(name, rows)
  local first_row = rows[1][name]
  local inputs = ends(column(rows, name))
  local combined, model = with_model(rows, name)
  local both = model and ends(combined) or inputs
  local figure = { name = name, unit = first_row.unit, title = first_row.title, median = inputs.median, low = both.low,
    high = both.high, inputs = inputs, values = combined, drivers = {} }
  if model then
    figure.model = { low = inputs.median * model.low, high = inputs.median * model.high }
    figure.larger = ratio(model) > ratio(inputs) and "model" or "inputs"
  end
  return figure
end

-- Sobol indices of every input where each draw was evaluated again with only this input changed; nil where such a draw
-- has no such figure.
local function by_swaps(name, rows_a, rows_b, swapped)
  local list = {}
  for _, rows in ipairs({ rows_a, rows_b, table.unpack(swapped) }) do
    if #places_of(rows, name) < #rows then return nil end
  end
  local a, b = column(rows_a, name), column(rows_b, name)
  for k, rows in ipairs(swapped) do
    list[k] = {}
    list[k].first, list[k].total = core.sobol_indices(a, b, column(rows, name))
  end
  return list
end

-- What each of the inputs brings of the variance of a figure in the draws that have it, and what all of it comes to;
-- correlated ones each by itself.
local function by_polynomial(matrix, count, rows, name, correlated)
  local places, inputs = places_of(rows, name), {}
  local y = column(picked(rows, places), name)
  for k = 1, count do inputs[k] = picked(matrix[k], places) end
  if not correlated then return indices.of(inputs, y) end
  local list = {}
  for k = 1, count do list[k] = { first = indices.of({ inputs[k] }, y)[1].first } end
  return list
end

--- Evaluates a function for draws of its inputs.
---
--- `evaluate(of)` gives the figures where leaf has the value of[leaf], and leaves that are not there their medians:
--- { name = { value, low, high, unit, title } }, low and high the model's own 80 % range where it has one.
--- `indices`: "saltelli" evaluates samples * (inputs + 2) draws for the Sobol indices; "fit" only `samples`, and takes
--- them from a polynomial through these (uncertain.indices). Of correlated inputs there are no total ones, and the first
--- is what a parabola in this input explains.
---@param spec {leaves: ballpark.uncertain[], evaluate: fun(of: table): table, samples: integer, seed: integer|nil,
--- indices: "saltelli"|"fit"}
---@return table[] figures by name: { name, unit, title, median, low, high, inputs, model, larger, values, drivers,
--- had_frac (share of the draws that have it, where others have none), explained_frac (of the variance, by the polynomial) }
---@return table[] rows what evaluate gave for the draws of the quantiles
---@return boolean scarce whether figures that vary were left out, as too few draws have them
function draws.run(spec)
  local leaves, correlations = spec.leaves, tape.correlations(spec.leaves)
  local asked = { inputs = {}, samples = spec.samples, seed = spec.seed or 1, correlations = correlations }
  for i, leaf in ipairs(leaves) do asked.inputs[i] = leaf.spread end
  local full = spec.indices == "saltelli" and not correlations[1]
  local seen <close> = progress.new(spec.samples * (full and 2 + #leaves or 1) + 2 * #leaves, nil, nil, "draws")
  local function evaluate(of)
    local row = spec.evaluate(of)
    seen:step()
    return row
  end
  local a = core.draw_values(asked)
  local rows, rows_b = run_rows(spec.samples, leaves, a, evaluate), nil
  local all = rows
  local swapped = {}
  if full then
    asked.other = true
    local b = core.draw_values(asked)
    rows_b = run_rows(spec.samples, leaves, b, evaluate)
    all = table.move(rows_b, 1, #rows_b, #rows + 1, table.move(rows, 1, #rows, 1, {}))
    for k = 1, #leaves do swapped[k] = run_rows(spec.samples, leaves, a, evaluate, k, b) end
  end
  local turns, figures = {}, {}
  for k, leaf in ipairs(leaves) do turns[k] = turned(leaf, evaluate) end
  local found_varying, scarce = varying(all)
  for _, found in ipairs(found_varying) do
    local name = found.name
    local figure = figure_of(name, picked(all, found.places))
    if #found.places < #all then figure.had_frac = #found.places / #all end
    local shares = full and by_swaps(name, rows, rows_b, swapped)
    if not shares then
      shares, figure.explained_frac = by_polynomial(a, #leaves, rows, name, correlations[1])
    end
    for k, turn in ipairs(turns) do figure.drivers[k] = driver(turn, name, shares[k].first, shares[k].total) end
    table.sort(figure.drivers, by_weight)
    figures[#figures + 1] = figure
  end
  return figures, all, scarce
end

-- Draws of a tape, and those for its indices.
local TAPE_SAMPLES <const>, TAPE_BASE <const> = 1 << 17, 1 << 13

--- The same for expressions: { name = node or number }; limits by name { least, most } give `broken`, the share of draws
--- beyond them.
---@param nodes table<string, ballpark.uncertain>
---@param spec {samples: integer|nil, seed: integer|nil, limits: table|nil, leaves: ballpark.uncertain[]|nil,
--- threads: integer|nil, base: integer|nil}|nil base: draws for the indices, 0 for none
function draws.tape(nodes, spec)
  local names, list, limits = {}, {}, {}
  for name in pairs(nodes) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do list[i], limits[i] = nodes[name], (spec.limits or {})[name] or {} end
  local asked = tape.of(list, spec.leaves)
  asked.correlations = tape.correlations(asked.leaves)
  asked.samples, asked.seed = spec.samples or TAPE_SAMPLES, spec.seed or 1
  asked.base = asked.correlations[1] and 0 or spec.base or math.min(TAPE_BASE, asked.samples)
  asked.shares, asked.limits, asked.threads = { LOW, 0.5, HIGH }, limits, spec.threads
  local answers, figures = core.draw_tape(asked), {}
  for i, name in ipairs(names) do
    local answer, n = answers[i], list[i]
    local figure = { name = name, dimension = n.dimension, mean = answer.mean, deviation = answer.deviation,
      low = answer.quantiles[1], median = answer.quantiles[2], high = answer.quantiles[3], drivers = {},
      broken = (spec.limits or {})[name] and answer.broken or nil }
    for k, leaf in ipairs(asked.leaves) do
      local turn = turned(leaf, function(of) return { [name] = { value = node.value(n, of) } } end)
      figure.drivers[k] = driver(turn, name, (answer.first or {})[k], (answer.total or {})[k])
    end
    table.sort(figure.drivers, by_weight)
    figures[i] = figure
  end
  return figures, asked.samples
end

-- Draws of one number that the core cannot work out.
local CALLED_SAMPLES <const> = 256

--- The range of one uncertain number: { median, low, high, drivers }, and the share of draws beyond a limit { least =,
--- most = } in `broken`.
---@param n ballpark.uncertain
---@param limit table|nil
function draws.number(n, limit)
  if node.is_expression(n) then return draws.tape({ value = n }, { limits = { value = limit } })[1] end
  local figures = draws.run({ leaves = node.leaves(n, {}, {}), samples = CALLED_SAMPLES, indices = "saltelli",
    evaluate = function(of) return { value = { value = node.value(n, of) } } end })
  local figure = figures[1]
  if not figure then
    local value = node.value(n, {})
    figure = { median = value, low = value, high = value, drivers = {}, values = { value } }
  end
  figure.broken = limit and draws.broken(figure, limit) or nil
  return figure
end

return draws
