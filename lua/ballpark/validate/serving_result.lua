-- The answer of a serving validation as a result: what people read, and the promised form of JSON.
local figure = require("ballpark.validate.figure")
local json = require("ballpark.json")
local new_result = require("ballpark.result").new
local ranges = require("ballpark.report.ranges")
local row_notes = require("ballpark.validate.row_notes")
local statistics = require("ballpark.validate.statistics")
local where = require("ballpark.validate.where")

local serving_result = {}

local figures = { "rows", "covered", "mape", "median_ape", "bias", "within_2x", "within_interval", "mean_family_mape" }

local counts = { rows = true, covered = true }

local function figures_object(summary, more)
  local object = json.object({})
  for _, name in ipairs(figures) do object[name] = json.or_null(summary[name]) end
  for key, value in pairs(more or {}) do object[key] = value end
  return object
end

local function row_object(row)
  return {
    case_id = row.case_id, family = row.family, metric = row.metric, measured = json.or_null(row.measured),
    predicted = json.or_null(row.predicted), range = ranges.object({ predicted = row.range }),
    status = row.status, reason = json.or_null(row.reason),
    assumed = json.array(table.move(row.assumed, 1, #row.assumed, 1, {})),
  }
end

-- Groups of where the error sits, of every metric.
local function where_groups(answer, metrics)
  local groups = {}
  local _, by_metric = statistics.split(answer.rows, function(row) return row.metric end)
  for _, metric in ipairs(metrics) do
    local of_metric = where.groups(by_metric[metric] or {}, "serving", metric)
    table.move(of_metric, 1, #of_metric, #groups + 1, groups)
  end
  return groups
end

--- The promised JSON value: summary is that of all rows, metrics the same by metric, groups by both; with the
--- option `where` its groups as well.
function serving_result.document(answer, options)
  local rows, groups, metrics = json.array({}), json.array({}), json.object({})
  for i, row in ipairs(answer.rows) do rows[i] = row_object(row) end
  for i, group in ipairs(answer.groups) do
    groups[i] = figures_object(group, { group = group.group, metric = group.metric })
  end
  for name, summary in pairs(answer.metrics) do metrics[name] = figures_object(summary) end
  local kept = answer.kept and json.object({})
  for name, summary in pairs(answer.kept or {}) do kept[name] = figures_object(summary) end
  return { summary = figures_object(statistics.summary(answer.rows)), metrics = metrics, kept = kept, groups = groups,
    rows = rows, where = options and options.where and where.objects(where_groups(answer, options.metrics)) or nil }
end

local function columns_of(first)
  local columns = table.move(first, 1, #first, 1, {})
  for _, name in ipairs(figures) do
    columns[#columns + 1] = { name = name, title = figure.titles[name], unit = not counts[name] and "frac" or "" }
  end
  return columns
end

local function summary_table(name, title, summaries, metrics)
  local rows = {}
  for _, metric in ipairs(metrics) do
    local row = { metric = metric }
    for _, figure_name in ipairs(figures) do row[figure_name] = summaries[metric][figure_name] end
    if row.rows ~= 0 then rows[#rows + 1] = row end
  end
  return { name = name, title = title, columns = columns_of({ { name = "metric", title = "Metric" } }), rows = rows }
end

local function row_columns(unit)
  return {
    { name = "case_id", title = "Row" }, { name = "family", title = "Family", hide = true },
    { name = "metric", title = "Metric" }, { name = "measured", title = "Measured, " .. unit },
    { name = "predicted", title = "Predicted, " .. unit }, { name = "error", title = "Error", unit = "frac" },
    { name = "predicted_low", title = "Low" }, { name = "predicted_high", title = "High" },
    { name = "status", title = "Status", hide = true }, { name = "note", title = "Reason or assumptions" },
  }
end

local function badness(row) return row.error and math.abs(math.log(math.max(1e-9, 1 + row.error))) or -1 end

local function listed(answer, options, name)
  local list = {}
  for i, row in ipairs(answer.rows) do list[i] = { row = row, at = i } end
  if options.worst then
    table.sort(list, function(a, b)
      local x, y = badness(a.row), badness(b.row)
      if x ~= y then return x > y end
      return a.at < b.at
    end)
  end
  local rows = {}
  for i = 1, math.min(#list, options.worst or #list) do
    local row = list[i].row
    local range = row.range or {}
    rows[i] = { row.case_id, row.family, row.metric, row.measured, row.predicted, row.error, range.low, range.high,
      row.status, row.reason or (#row.assumed > 0 and table.concat(row.assumed, "; ") or nil) }
  end
  return { name = name or "rows", title = name and "Predicted against measured" or options.worst and "The largest errors" or "Rows",
    columns = row_columns(options.unit or "ms"), rows = rows }
end

--- The result of an answer. options: rows (list all), worst (list that many), where (tables of groups), rows_first,
--- name, metrics,
--- unit of the rows' values (ms), note (what the error is of).
function serving_result.of(answer, options)
  local r = new_result({ title = "Estimates against measurements: " .. options.name, command = "validate" })
  if options.rows_first then r:table(listed(answer, options)) end
  r:table(summary_table("summary", "All rows", answer.metrics, options.metrics))
  if answer.kept then
    r:table(summary_table("kept", "Without the rows of --skip", answer.kept, options.metrics))
  end
  if answer.group_column then
    r:table({ name = "groups", title = "By " .. answer.group_column,
      columns = columns_of({ { name = "metric", title = "Metric" }, { name = "group", title = "Group" } }),
      rows = answer.groups })
  end
  for _, metric in ipairs(options.where and options.metrics or {}) do
    where.show(r, "where_" .. metric, metric, where_groups(answer, { metric }))
  end
  if r.illustrated then r:table(listed(answer, { unit = options.unit }, "measured")) end
  row_notes.add(r, answer.rows)
  if not options.rows_first and (options.rows or options.worst) then r:table(listed(answer, options)) end
  r:note(options.note
    or "Error = predicted / measured - 1. Where e2e_ms is not measured it is ttft_ms + tpot_ms (n - 1) of a mean "
    .. "answer of n tokens.")
  r:note(figure.note(answer.metrics))
  r.infeasible = statistics.summary(answer.rows).covered == 0
  if r.infeasible then r:warn("No row could be predicted.") end
  local document = serving_result.document(answer, options)
  r:document(document, document.rows)
  return r
end

return serving_result
