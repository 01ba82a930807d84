-- Where the error of a table sits: for each way to group its rows the figures of every group, and which share of
-- all error it carries.
local json = require("ballpark.json")
local statistics = require("ballpark.validate.statistics")
local traits = require("ballpark.validate.traits")

local where = {}

local columns = {
  { name = "metric", title = "Metric", hide = true }, { name = "by", title = "By" },
  { name = "group", title = "Group" }, { name = "covered", title = "Rows" },
  { name = "mape", title = "Mean", unit = "frac" },
  { name = "median_ape", title = "Median", unit = "frac" }, { name = "bias", title = "Signed", unit = "frac" },
  { name = "rows_frac", title = "Of rows", unit = "frac" }, { name = "error_frac", title = "Of error", unit = "frac" },
}

-- Families of a few rows are one line: one row says nothing of where an error sits.
local function families(rows)
  local names, parts = statistics.split(rows, statistics.group_of("family"))
  local kept, few = {}, {}
  for _, name in ipairs(names) do
    local large = #parts[name] >= statistics.least_rows
    if large then kept[#kept + 1] = name end
    for _, row in ipairs(large and {} or parts[name]) do few[#few + 1] = row end
  end
  if #few > 0 and #kept > 0 then
    kept[#kept + 1] = "(families of fewer rows)"
    parts[kept[#kept]] = few
  end
  return #kept > 0 and kept or names, parts
end

local function covered(rows)
  local list = {}
  for _, row in ipairs(rows) do list[#list + 1] = row.error and row or nil end
  return list
end

local function add_groups(list, metric, column, rows)
  local all = statistics.of(rows)
  local split = column == "family" and families or function(of)
    return statistics.split(of, statistics.group_of(column))
  end
  local names, parts = split(rows)
  if #names < 2 then return end
  for _, name in ipairs(names) do
    local group = statistics.of(parts[name])
    group.metric, group.by, group.group = metric, column, name
    group.rows_frac = group.covered / all.covered
    group.error_frac = all.mape > 0 and group.mape * group.covered / (all.mape * all.covered) or nil
    list[#list + 1] = group
  end
end

--- Groups of the covered rows by family and by every trait of a kind of table, where that makes more than one:
--- { metric, by, group, covered, mape, median_ape, bias, rows_frac, error_frac }.
---@param rows table[] answered rows
---@param kind string training or serving
---@param metric string what the rows are errors of
function where.groups(rows, kind, metric)
  local list = {}
  rows = covered(rows)
  if #rows == 0 then return list end
  add_groups(list, metric, "family", rows)
  for _, trait in ipairs(traits.of[kind]) do add_groups(list, metric, trait[1], rows) end
  return list
end

--- The same for JSON.
function where.objects(groups)
  local list = json.array({})
  for i, group in ipairs(groups) do
    local object = json.object({})
    for _, column in ipairs(columns) do object[column.name] = json.or_null(group[column.name]) end
    list[i] = object
  end
  return list
end

--- Puts the groups of what was measured into a result, as a table called `name`.
function where.show(r, name, what, groups)
  if #groups == 0 then
    r:note("Where the error of " .. what .. " sits: all rows are of one kind.")
  else
    r:table({ name = name, title = "Where the error of " .. what .. " sits", columns = columns, rows = groups })
  end
end

return where
