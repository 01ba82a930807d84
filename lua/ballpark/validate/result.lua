-- The answer of a validation as a result: what people read, and the promised form of JSON.
local figure = require("ballpark.validate.figure")
local json = require("ballpark.json")
local new_result = require("ballpark.result").new
local ranges = require("ballpark.report.ranges")
local row_notes = require("ballpark.validate.row_notes")
local statistics = require("ballpark.validate.statistics")
local target = require("ballpark.validate.target")
local where = require("ballpark.validate.where")

local result = {}

local figures = { "rows", "covered", "mape", "median_ape", "bias", "within_2x", "within_interval",
  "mean_family_mape", "mean_family_within_interval", "before_mape", "before_median_ape",
  "before_mean_family_mape" }

-- Figures that only a study has: no columns of their own without one.
local of_study = { before_mape = true, before_median_ape = true, before_mean_family_mape = true }

-- Figures over families; a table of groups has none.
local of_families = { mean_family_mape = true, mean_family_within_interval = true,
  before_mean_family_mape = true }

-- In machine formats only: people find them in the row `before`, or too wide.
local hidden = { mean_family_within_interval = true, before_median_ape = true, before_mean_family_mape = true }

local counts = { rows = true, covered = true }

local function figures_object(summary)
  local object = json.object({})
  for _, name in ipairs(figures) do object[name] = json.or_null(summary[name]) end
  return object
end

local fit_columns = {
  { name = "ran", title = "Ran" }, { name = "ran_unlikely", title = "Chance below half", unit = "frac" },
  { name = "mean_family_ran_unlikely", title = "Families", unit = "frac" },
  { name = "failed", title = "Failed" }, { name = "failed_likely", title = "Chance above half", unit = "frac" },
}

local function fit_object(fit)
  local object = json.object({})
  for _, column in ipairs(fit_columns) do object[column.name] = json.or_null(fit[column.name]) end
  return object
end

local function group_objects(groups)
  local list = json.array({})
  for i, group in ipairs(groups) do
    list[i] = figures_object(group)
    list[i].group = group.group
  end
  return list
end

-- What an estimate rests on: what was assumed, and where it goes beyond what was measured.
local function remarks(row)
  local list = table.move(row.assumed, 1, #row.assumed, 1, {})
  for _, reason in ipairs(row.extrapolated or {}) do list[#list + 1] = "extrapolated: " .. reason end
  return list
end

local function row_object(row)
  return {
    case_id = row.case_id, family = row.family, metric = row.metric,
    measured = json.or_null(row.measured), predicted = json.or_null(row.predicted), error = json.or_null(row.error),
    range = ranges.object({ predicted = row.range }),
    status = row.status, reason = json.or_null(row.reason), fits = json.or_null(row.fits),
    assumed = json.array(remarks(row)),
  }
end

--- The promised JSON value: { summary, memory, fit, groups, rows }, fractions, values in the row's unit; with the
--- option `where` its groups as well.
function result.document(answer, options)
  local rows = json.array({})
  for i, row in ipairs(answer.rows) do rows[i] = row_object(row) end
  return {
    summary = figures_object(answer.summary), memory = figures_object(answer.memory), fit = fit_object(answer.fit),
    groups = group_objects(answer.groups), rows = rows,
    where = options and options.where and where.objects(where.groups(answer.times, "training", "step_s")) or nil,
  }
end

local function columns_of(by_family, study, by_group)
  local columns = { { name = "group", title = figure.titles.group } }
  for _, name in ipairs(figures) do
    if (study or not of_study[name]) and not (by_family and of_families[name]) then
      columns[#columns + 1] = { name = name, title = figure.titles[name], unit = not counts[name] and "frac" or "",
        hide = hidden[name] or (of_study[name] and not by_group) }
    end
  end
  return columns
end

local function summary_table(answer)
  local columns = columns_of(false, answer.summary.before_mape)
  columns[1].title = "Target"
  columns[1].name = "target"
  local time, memory = { target = "step time" }, { target = "peak memory" }
  for _, name in ipairs(figures) do
    time[name], memory[name] = answer.summary[name], answer.memory[name]
  end
  local rows = { time }
  if answer.summary.before_mape then
    rows[2] = { target = "  before", mape = time.before_mape, median_ape = time.before_median_ape,
      mean_family_mape = time.before_mean_family_mape }
  end
  if answer.memory.rows > 0 then rows[#rows + 1] = memory end
  return { name = "summary", title = "All rows", columns = columns, rows = rows }
end

-- Groups by family are families: a mean over families would repeat the mean.
local function group_table(name, title, groups, column, study)
  return { name = name, title = title, columns = columns_of(column == "family", study, true), rows = groups }
end

-- A row's figures are in the unit of its metric.
local row_columns = {
  { name = "case_id", title = "Row" }, { name = "family", title = "Family" },
  { name = "metric", title = "Metric" }, { name = "measured", title = "Measured", mixed = true },
  { name = "predicted", title = "Predicted", mixed = true }, { name = "error", title = "Error", unit = "frac" },
  { name = "predicted_low", title = "Low", mixed = true }, { name = "predicted_high", title = "High", mixed = true },
  { name = "status", title = "Status" }, { name = "note", title = "Reason or assumptions" },
}

local function row_table(name, title, list)
  local rows = {}
  for i, row in ipairs(list) do
    local range = row.range or {}
    rows[i] = { row.case_id, row.family, row.metric, row.measured, row.predicted, row.error, range.low, range.high,
      row.status, row.reason or table.concat(remarks(row), "; ") }
  end
  return { name = name, title = title, columns = row_columns, rows = rows }
end

-- Distance from right, the same for half and for double.
local function badness(row) return math.abs(math.log(math.max(1e-9, 1 + row.error))) end

local function worst_of(rows, count)
  local covered = {}
  for i, row in ipairs(rows) do
    if row.error then covered[#covered + 1] = { row = row, at = i, bad = badness(row) } end
  end
  table.sort(covered, function(a, b)
    if a.bad ~= b.bad then return a.bad > b.bad end
    return a.at < b.at
  end)
  local list = {}
  for i = 1, math.min(count, #covered) do list[i] = covered[i].row end
  return list
end

local function add_tables(r, answer, options)
  local listed = options.worst and worst_of(answer.rows, options.worst) or answer.rows
  local title = options.worst and ("The %d largest errors"):format(#listed) or "Rows"
  local rows = row_table("rows", title, listed)
  if options.rows_first then r:table(rows) end
  r:table(summary_table(answer))
  r:table({ name = "fit", title = "Chance that memory holds it", columns = fit_columns, rows = { answer.fit } })
  if #answer.groups > 0 then
    r:table(group_table("groups", "Step time by " .. answer.group_column, answer.groups, answer.group_column,
      answer.summary.before_mape))
  end
  if #answer.memory_groups > 0 then
    r:table(group_table("memory_groups", "Peak memory by " .. answer.group_column, answer.memory_groups,
      answer.group_column))
  end
  if options.where then
    where.show(r, "where", "the step time", where.groups(answer.times, "training", "step_s"))
    where.show(r, "where_memory", "peak memory", where.groups(answer.memories, "training", "peak_mem"))
  end
  if r.illustrated then r:table(row_table("measured", "Predicted against measured", answer.rows)) end
  row_notes.add(r, answer.rows)
  if not options.rows_first and (options.rows or options.worst) then r:table(rows) end
end

--- The result of validate.run's answer. options: rows (list all), worst (list that many), where (tables of
--- groups), rows_first, name (of the table).
function result.of(answer, options)
  options = options or {}
  local r = new_result({ title = "Estimates against measurements: " .. (options.name or "table"),
    command = "validate" })
  add_tables(r, answer, options)
  r:note("Error = predicted / measured step time - 1 (memory likewise); throughput is inverted. "
    .. "Above 0: predicted too long, or too much.")
  for _, text in ipairs(answer.notes or {}) do r:note(text) end
  r:note(figure.note({ answer.summary, answer.memory }))
  r.infeasible = answer.summary.covered + answer.memory.covered + answer.fit.failed == 0
  if r.infeasible then r:warn("No row could be predicted.") end
  local document = result.document(answer, options)
  r:document(document, document.rows)
  return r
end

--- Rules about targets and figures, as { column, says }: for explain and README.
function result.reference()
  local list = {}
  for _, rule in ipairs(target.rules) do list[#list + 1] = rule end
  for _, item in ipairs(statistics.doc) do
    list[#list + 1] = { column = item[1], says = item[2] }
  end
  return list
end

return result
