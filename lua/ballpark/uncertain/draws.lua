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

--- Share of values beyond a limit { least =, most = }.
function draws.broken(values, limit)
  local count = 0
  for _, value in ipairs(values) do
    if value < (limit.least or -math.huge) or value > (limit.most or math.huge) then count = count + 1 end
  end
  return count / #values
end

-- Values of the leaves in draw i of a matrix, input `swapped` from the other one.
local function at(leaves, matrix, i, swapped, other)
  local of = {}
  for k, leaf in ipairs(leaves) do of[leaf] = (k == swapped and other or matrix)[k][i] end
  return of
end

local function column(rows, name, field)
  local values = {}
  for i, row in ipairs(rows) do
    local figure = row[name]
    if not figure or type(figure[field]) ~= "number" then return nil end
    values[i] = figure[field]
  end
  return values
end

-- Names of the figures that every draw has and that are not the same in all.
local function varying(rows)
  local names = {}
  for name, figure in pairs(rows[1]) do
    local values = column(rows, name, "value")
    local same = true
    for _, value in ipairs(values or {}) do same = same and value == figure.value end
    if values and not same then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- Deviations of ln(measured / estimated) below and above that an 80 % range of the model stands for, which often reaches
-- further to one side.
local function model_deviations(figure)
  if not figure.low or not (figure.low > 0 and figure.high > figure.low) then return 0, 0 end
  return math.max(0, math.log(figure.value / figure.low)) / spread.SCORE,
    math.max(0, math.log(figure.high / figure.value)) / spread.SCORE
end

-- The draws with the model's own error put over each of them, scores[i] deviations of it; and the factors to the ends of
-- the model's own range in the median of the draws, { low, high }, nil where it has none.
local function with_model(rows, name, scores)
  local values, any, lows, highs = {}, false, {}, {}
  for i, row in ipairs(rows) do
    local below, above = model_deviations(row[name])
    any = any or below + above > 0
    values[i] = row[name].value * math.exp((scores[i] < 0 and below or above) * scores[i])
    lows[i], highs[i] = math.exp(-below * spread.SCORE), math.exp(above * spread.SCORE)
  end
  return values, any and { low = ends(lows).median, high = ends(highs).median } or nil
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

local function value_of(row, name) return row[name] and row[name].value end

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

-- What one figure is in all draws.
local function figure_of(name, rows, scores, first_row)
  local inputs = ends(column(rows, name, "value"))
  local combined, model = with_model(rows, name, scores)
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
  local list, a, b = {}, column(rows_a, name, "value"), column(rows_b, name, "value")
  for k, rows in ipairs(swapped) do
    local ab = column(rows, name, "value")
    if not ab then return nil end
    list[k] = {}
    list[k].first, list[k].total = core.sobol_indices(a, b, ab)
  end
  return list
end

-- What each of the inputs brings of the variance of y, and what all of it comes to; correlated ones each by itself.
local function by_polynomial(matrix, count, y, correlated)
  if not correlated then return indices.of(table.move(matrix, 1, count, 1, {}), y) end
  local list = {}
  for k = 1, count do list[k] = { first = indices.of({ matrix[k] }, y)[1].first } end
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
--- explained_frac (of the variance, by the polynomial) }
---@return table[] rows what evaluate gave for the draws of the quantiles
function draws.run(spec)
  local leaves, correlations = spec.leaves, tape.correlations(spec.leaves)
  local asked = { inputs = {}, samples = spec.samples, seed = spec.seed or 1, correlations = correlations }
  for i, leaf in ipairs(leaves) do asked.inputs[i] = leaf.spread end
  asked.inputs[#leaves + 1] = { kind = "normal", a = 0, b = 1 }
  local full = spec.indices == "saltelli" and not correlations[1]
  local seen <close> = progress.new(spec.samples * (full and 2 + #leaves or 1) + 2 * #leaves, nil, nil, "draws")
  local function evaluate(of)
    local row = spec.evaluate(of)
    seen:step()
    return row
  end
  local a = core.draw_values(asked)
  local rows, scores, rows_b = run_rows(spec.samples, leaves, a, evaluate), a[#leaves + 1], nil
  local all, all_scores = rows, scores
  local swapped = {}
  if full then
    asked.other = true
    local b = core.draw_values(asked)
    rows_b = run_rows(spec.samples, leaves, b, evaluate)
    all = table.move(rows_b, 1, #rows_b, #rows + 1, table.move(rows, 1, #rows, 1, {}))
    all_scores = table.move(b[#leaves + 1], 1, spec.samples, spec.samples + 1, table.move(scores, 1, #scores, 1, {}))
    for k = 1, #leaves do swapped[k] = run_rows(spec.samples, leaves, a, evaluate, k, b) end
  end
  local turns, figures = {}, {}
  for k, leaf in ipairs(leaves) do turns[k] = turned(leaf, evaluate) end
  for _, name in ipairs(varying(all)) do
    local figure = figure_of(name, all, all_scores, rows[1][name])
    local shares = full and by_swaps(name, rows, rows_b, swapped)
    if not shares then
      shares, figure.explained_frac = by_polynomial(a, #leaves, column(rows, name, "value"), correlations[1])
    end
    for k, turn in ipairs(turns) do figure.drivers[k] = driver(turn, name, shares[k].first, shares[k].total) end
    table.sort(figure.drivers, by_weight)
    figures[#figures + 1] = figure
  end
  return figures, all
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
  figure.broken = limit and draws.broken(figure.values, limit) or nil
  return figure
end

return draws
