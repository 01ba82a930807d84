-- Fits the coefficients of serving engines and of their releases to measured serving points, and to the published
-- throughput of experts, and writes the catalog's tables; the ranges of full engines, of published throughput of all models.
--
--   build/ballpark lua tools/fit/serving.lua [--ranges] POINTS.csv MODELS_DIR [THROUGHPUT.csv [FLAGS.csv]]
--
-- All rows count that say how many tokens are drafted. FLAGS names, by its column case_id, rows that are off against their
-- own twins or leave out what decides them: errors are said with and without these. A group of a model, device and release by the root of its rows,
-- with a loss that large errors hardly move; nothing looks at a model or a device. Beside the errors of the fit it prints
-- what a lone prompt costs the host at most of what was measured, and the errors of a third of the model families, and of
-- a third of the releases, at a time, under coefficients that were fitted from their priors without them. The ranges are
-- made of these; --ranges makes them alone and leaves the coefficients as they are.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local csv = require("ballpark.csv")
local engines = require("ballpark.catalog.engines")
local range = require("ballpark.range.serving")
local row_names = require("ballpark.measured.row_names")
local serving = require("ballpark.validate.serving")
local serving_groups = require("serving_groups")
local serving_range = require("serving_range")
local solve = require("serving_solve")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")
local terms = require("serving_terms")
local throughput = require("ballpark.validate.throughput")
local throughput_case = require("ballpark.validate.throughput_case")

local TTFT_WEIGHT <const> = 0.5 -- the time to the first token scatters twice as much from build to build
local FLOOR_WEIGHT <const> = 3  -- of a lone prompt that costs the host more than was measured

local function mark(case, row)
  case.release = terms.release(case)
  case.family, case.group = serving_groups.family(row.model), serving_groups.of(row)
  case.build = case.row.engine .. " " .. case.release
  case.cell = case.group .. " " .. case.build
end

-- The quickest case of a cell bounds what the host takes (`floor`); of a cell of many, these are enough for a fit
-- (`fitted`).
local ENOUGH <const> = 16

-- Of a cell, these are enough for a fit that leaves something out.
local FEW <const> = 5

-- Whether the i-th of so many is among `count` that are spread over them.
local function is_picked(i, of, count) return of <= count or i * count // of > (i - 1) * count // of end

-- Whether a row says how many tokens are drafted for a step: one that does not tells nothing of the time of a step.
local function says_drafts(case)
  for _, open in ipairs(case.open) do
    if open.field == "plan.draft_tokens" then return false end
  end
  return true
end

local function mark_cells(cases)
  local cells = {}
  for _, case in ipairs(cases) do
    if says_drafts(case) then
      cells[case.cell] = cells[case.cell] or {}
      table.insert(cells[case.cell], case)
    end
  end
  for _, cell in pairs(cells) do
    local best = cell[1]
    for i, case in ipairs(cell) do
      if case.row.ttft_ms < best.row.ttft_ms then best = case end
      case.fitted, case.few = is_picked(i, #cell, ENOUGH), is_picked(i, #cell, FEW)
    end
    best.floor, best.fitted, best.few = true, true, true
  end
end

local function serving_cases(path, models, flags)
  local cases, refused = serving.cases(serving.read(csv.read(path), path), { models = models })
  io.write(("%d rows, %d refused; ballpark %s\n"):format(#cases, #refused, core.version))
  local flagged = row_names.read(flags)
  for _, case in ipairs(cases) do
    mark(case, case.row)
    case.flagged = flagged[case.row.case_id]
  end
  mark_cells(cases)
  return cases
end

-- Of published throughput, that of full engines whose releases these are; as cases, whose `source` is the row.
local function published_cases(path, models)
  local list = {}
  for _, row in ipairs(path and throughput.read(csv.read(path), path) or {}) do
    local ok, value, _, own = pcall(throughput.predict, row, models)
    if ok and value and not row.static and tables.contains(engines.fitted(), own.engine.name) then
      local case = { input = { model = own.model, device = catalog.device(row.gpu), engine = own.engine }, source = row,
        fitted = true, few = true, row = { engine = own.engine.name, engine_version = row.engine } }
      mark(case, row)
      case.cell = case.cell .. " published"
      list[#list + 1] = case
    end
  end
  return list
end

-- ln of measured over predicted time.
local function published_beyond(case, models)
  return math.log(throughput.predict(case.source, models) / throughput_case.measured(case.source))
end

local function add_published(case, models, r) r[#r + 1] = -published_beyond(case, models) end

-- Only experts of the engine that they were published for say something of a coefficient.
local function is_fitted(case) return (case.input.model.experts or 0) > 0 and case.row.engine == "trtllm" end

local function add_case(case, list, x, r)
  terms.apply(list, x, case)
  local p, m = serving.predict(case), serving.measured(case.row)
  r[#r + 1] = math.log(p.tpot_ms / m.tpot_ms)
  r[#r + 1] = TTFT_WEIGHT * math.log(p.ttft_ms / m.ttft_ms)
  if case.floor then
    r[#r + 1] = FLOOR_WEIGHT * math.max(0, math.log(1e3 * terms.lone_prompt_s(case) / m.ttft_ms))
  end
end

-- Only items of `term` (nil: all) are predicted anew; the others keep `base`.
local function residuals(problem, x, term, base)
  local r = {}
  terms.into_catalog(problem.list, x)
  for _, case in ipairs(problem.cases) do
    if term and not terms.is_of(term, case) then
      for i = case.first, case.last do r[i] = base[i] end
    else
      case.first = #r + 1
      if case.source then add_published(case, problem.models, r) else add_case(case, problem.list, x, r) end
      case.last = #r
    end
  end
  return r
end

-- Of every residual: groups count by the root of their rows.
local function weights_of(cases)
  local counts, weights, sum, total = {}, {}, 0, 0
  for _, case in ipairs(cases) do counts[case.cell] = (counts[case.cell] or 0) + 1 end
  for _, case in ipairs(cases) do sum, total = sum + counts[case.cell] ^ -0.5, total + 1 end
  for _, case in ipairs(cases) do
    for i = case.first, case.last do weights[i] = counts[case.cell] ^ -0.5 * total / sum end
  end
  return weights
end

local STEP <const> = 0.05 -- of the numerical derivatives
local ITERATIONS <const> = 3
local ITERATIONS_ANEW <const> = 5 -- from the priors

local function jacobian(problem, x, base)
  local columns = {}
  for j, term in ipairs(problem.list) do
    local moved = table.move(x, 1, #x, 1, {})
    moved[j] = moved[j] + STEP / term.width
    local r = residuals(problem, moved, term, base)
    for i = 1, #r do r[i] = (r[i] - base[i]) * term.width / STEP end
    columns[j] = r
  end
  return columns
end

-- The coefficients of a problem from a start, in so many iterations.
local function fit(problem, x, iterations)
  local base = residuals(problem, x)
  problem.weights = weights_of(problem.cases)
  io.write(("%d rows fitted, %d coefficients, from %.4f\n"):format(#problem.cases, #problem.list,
    solve.loss(base, problem.weights)))
  for k = 1, iterations do
    x = solve.step(jacobian(problem, x, base), base, x, problem.weights, 1)
    base = residuals(problem, x)
    io.write(("iteration %d: %.4f\n"):format(k, solve.loss(base, problem.weights)))
    io.flush()
  end
  return x
end

local function add_errors(errors, case)
  local p, m = serving.predict(case), serving.measured(case.row)
  for _, metric in ipairs(serving.metrics) do
    errors[metric] = errors[metric] or {}
    table.insert(errors[metric], { case = case, error = p[metric] / m[metric] - 1 })
  end
end

local function show_errors(errors, of)
  for _, metric in ipairs(serving.metrics) do
    local s = statistics.of(errors[metric])
    io.write(("  %-8s %5d rows%s  mean %5.1f %%  median %5.1f %%\n"):format(metric, s.covered, of, 100 * s.mape,
      100 * s.median_ape))
  end
end

local function show(title, errors)
  local unflagged = {}
  for _, metric in ipairs(serving.metrics) do
    unflagged[metric] = {}
    for _, item in ipairs(errors[metric]) do
      if not item.case.flagged then table.insert(unflagged[metric], item) end
    end
  end
  io.write(title, "\n")
  show_errors(errors, "")
  if #unflagged.ttft_ms > 0 and #unflagged.ttft_ms < #errors.ttft_ms then show_errors(unflagged, " not flagged") end
end

-- Names dealt to so many folds, by a sum of their letters that has nothing to do with what they are.
local FOLDS <const> = 3

local function fold_of(name)
  local sum = 0
  for i = 1, #name do sum = (sum * 31 + name:byte(i)) % 1000003 end
  return 1 + sum % FOLDS
end

-- Rows under coefficients that were fitted from their priors without them and all that shares their fold. `key`: of a
-- case, family or build.
local function refitted_without(problem, key)
  local errors = {}
  for fold = 1, FOLDS do
    local part = { all = {}, cases = {}, models = problem.models }
    for _, case in ipairs(problem.cases) do
      if case.few and fold_of(case[key]) ~= fold then table.insert(part.cases, case) end
    end
    part.list = terms.list(part.cases)
    terms.forget_releases()
    local x = fit(part, terms.start_anew(part.list), ITERATIONS_ANEW)
    terms.into_catalog(part.list, x)
    local own, names = {}, {}
    for _, case in ipairs(problem.all) do
      if fold_of(case[key]) == fold then
        names[case[key]] = true
        terms.apply(part.list, x, case, true)
        add_errors(errors, case)
        add_errors(own, case)
      end
    end
    for _, case in ipairs(problem.published) do
      if fold_of(case[key]) == fold then case.unseen = published_beyond(case, problem.models) end
    end
    show(("fold %d of %s: %s"):format(fold, key, table.concat(tables.sorted_keys(names), ", ")), own)
  end
  return errors
end

local function kind_of(case) return (case.input.model.experts or 0) > 0 and "experts" or "dense" end

-- Whole engines, by their source, without their family or build.
local function add_full(items, problem)
  for _, case in ipairs(problem.published) do
    local borrowed = range.of_device(case.input.device, case.input.engine.name)
    items[#items + 1] = { group = case.source.family, cell = case.source.family, metric = serving_range.FULL, kind = kind_of(case),
      beyond = range.beyond(math.exp(case.unseen), borrowed, borrowed) }
  end
end

-- What the ranges are made of: rows predicted without their family, and without their build.
local function range_items(...)
  local items, widths = {}, {}
  for _, errors in ipairs({ ... }) do
    for _, metric in ipairs(serving.metrics) do
      for _, item in ipairs(errors[metric]) do
        local case = item.case
        widths[case] = widths[case] or serving_range.own_widths(case)
        local own = widths[case][metric] or { 0, 0 }
        items[#items + 1] = { group = case.group, cell = case.cell, metric = metric, flagged = case.flagged,
          kind = kind_of(case),
          beyond = range.beyond(1 / (1 + item.error), own[1], own[2]) }
      end
    end
  end
  return items
end

local function show_floors(problem, x)
  local over = 0
  for _, case in ipairs(problem.all) do
    if case.floor then
      terms.apply(problem.list, x, case)
      local share = 1e3 * terms.lone_prompt_s(case) / case.row.ttft_ms
      if share > 1 then
        over = over + 1
        io.write(("  a prompt of %s costs the host %.2f of the shortest time to a first token\n"):format(case.cell, share))
      end
    end
  end
  io.write(("%d groups whose shortest time to a first token is below what a prompt costs the host\n"):format(over))
end

local function write(name, header, body)
  local file = assert(io.open(here .. "/../../lua/ballpark/catalog/fitted/" .. name .. ".lua", "wb"))
  file:write(header, "return {\n", body, "}\n")
  file:close()
end

local ENGINE <const> = "-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,\n"
  .. "-- Apache-2.0, InferenceX among it; for experts TensorRT-LLM's published throughput); written by\n"
  .. "-- tools/fit/serving.lua, never by hand.\n"
local RELEASES <const> = "-- What releases of serving engines differ in from the coefficients beside: factors on them, each pulled towards 1 by\n"
  .. "-- how few points there are of it; written by tools/fit/serving.lua, never by hand.\n"

local RANGES <const> = "-- 80 % ranges of measured over predicted times of models and releases that the fit had not seen; written by\n"
  .. "-- tools/fit/serving.lua, never by hand. Of rows whose settings are all known; others are wider, see\n"
  .. "-- lua/ballpark/range/serving.lua.\n"

local function problem_of(path, models, published, flags)
  local problem = { all = serving_cases(path, models, flags), cases = {}, models = models }
  for _, case in ipairs(problem.all) do
    if case.fitted then table.insert(problem.cases, case) end
  end
  problem.published = published_cases(published, models)
  for _, case in ipairs(problem.published) do
    if is_fitted(case) then table.insert(problem.cases, case) end
  end
  return problem
end

local function write_coefficients(problem)
  local list, errors = terms.list(problem.cases), {}
  problem.list = list
  local x = fit(problem, terms.start(list), ITERATIONS)
  for _, case in ipairs(problem.all) do
    terms.apply(list, x, case)
    add_errors(errors, case)
  end
  show("fit", errors)
  show_floors(problem, x)
  write("engine", ENGINE, terms.engine_text(list, x))
  write("engine_releases", RELEASES, terms.release_text(list, x))
end

local function write_ranges(problem)
  local unseen, full = {}, {}
  for _, key in ipairs({ "family", "build" }) do
    unseen[key] = refitted_without(problem, key)
    add_full(full, problem)
    show(("a third of each %s out of sight"):format(key), unseen[key])
  end
  local items, metrics = range_items(unseen.family, unseen.build), table.move(serving.metrics, 1, #serving.metrics, 1, {})
  if full[1] then metrics[#metrics + 1] = serving_range.FULL end
  write("serving_range", RANGES, serving_range.text(table.move(full, 1, #full, #items + 1, items), metrics))
end

local function main(only_ranges, path, models, published, flags)
  assert(models, "usage: serving.lua [--ranges] POINTS.csv MODELS_DIR [THROUGHPUT.csv [FLAGS.csv]]")
  local problem = problem_of(path, models, published, flags)
  if not only_ranges then write_coefficients(problem) end
  write_ranges(problem)
end

local only_ranges = arg[1] == "--ranges"
main(only_ranges, table.unpack(arg, only_ranges and 2 or 1))
