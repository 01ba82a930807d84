-- Errors of many rows as a few numbers. The error of a row is predicted / measured - 1 of the step
-- time (of the memory for memory rows), whatever unit the row is given in, so that optimism and
-- pessimism weigh the same everywhere.
local statistics = {}

--- What each figure means, for help and reference.
statistics.doc = {
  { "rows", "rows with this kind of target" },
  { "covered", "rows with a prediction" },
  { "mape", "mean of the absolute errors" },
  { "median_ape", "median of the absolute errors" },
  { "bias", "median of the signed errors; above 0: predicted steps are too long" },
  { "within_2x", "share of covered rows with predicted / measured from 1/2 to 2" },
  { "within_interval", "share of measured values inside the 80 % range of their estimate" },
  { "before_mape", "mape before what a study or calibration did; its rows only" },
  { "before_median_ape", "median_ape before it" },
  { "mean_family_mape", "mean of the mape of families with at least 10 covered rows" },
  { "before_mean_family_mape", "mean_family_mape before it" },
  { "mean_family_within_interval", "mean of within_interval over these families" },
  { "ran", "estimated rows that ran; failed: those that did not" },
  { "ran_unlikely", "share of the rows that ran whose chance of fitting into memory is less than one half" },
  { "mean_family_ran_unlikely", "mean of it over families, each as much as the others" },
  { "failed_likely", "share of the rows that failed whose chance is more than one half; crashes are among them, and plans that "
    .. "contradict themselves or the model, whose chance is 0" },
}

--- Families with fewer covered rows do not enter mean_family_mape.
statistics.least_rows = 10

--- Value below which so large a share of a list of numbers lies, between two of them in a straight line (as NumPy
--- does); nil when the list is empty.
---@param values number[] in any order
---@param share number from 0 to 1
---@return number|nil
function statistics.quantile(values, share)
  if #values == 0 then return nil end
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  local at = share * (#sorted - 1)
  local low = math.floor(at)
  local value = sorted[low + 1]
  return value + (at - low) * ((sorted[low + 2] or value) - value)
end

--- Middle of a list of numbers (mean of the two middle ones), nil when it is empty.
---@param values number[]
---@return number|nil
function statistics.median(values) return statistics.quantile(values, 0.5) end

-- Median of the absolute values of a standard normal variable.
local NORMAL_MEDIAN <const> = 0.6744897501960817

--- Standard deviation of values around the median of their group, which a few far ones do not move.
---@param groups number[][] values of each group, one at least
---@return number
function statistics.scatter(groups)
  local sizes = {}
  for _, values in pairs(groups) do
    local middle = statistics.median(values)
    for _, value in ipairs(values) do sizes[#sizes + 1] = math.abs(value - middle) end
  end
  return statistics.median(sizes) / NORMAL_MEDIAN
end

local function mean(values)
  if #values == 0 then return nil end
  local sum = 0
  for _, value in ipairs(values) do sum = sum + value end
  return sum / #values
end

local function share(rows, holds)
  local count, all = 0, 0
  for _, row in ipairs(rows) do
    local held = holds(row)
    if held ~= nil then
      all = all + 1
      count = count + (held and 1 or 0)
    end
  end
  return all > 0 and count / all or nil
end

local function near(row)
  if row.error then return row.error >= -0.5 and row.error <= 1 end
  return nil
end

--- rows, covered, mape, median_ape, bias, within_2x, within_interval and the errors before of rows that
--- carry `error` when covered, and `absolute` where the row was predicted in several ways: the mean of their |errors|.
function statistics.of(rows)
  local signed, absolute, before = {}, {}, {}
  for _, row in ipairs(rows) do
    if row.error then
      signed[#signed + 1] = row.error
      absolute[#absolute + 1] = row.absolute or math.abs(row.error)
    end
    before[#before + 1] = row.before and math.abs(row.before)
  end
  return {
    rows = #rows,
    covered = #signed,
    mape = mean(absolute),
    median_ape = statistics.median(absolute),
    bias = statistics.median(signed),
    within_2x = share(rows, near),
    within_interval = share(rows, function(row) return row.inside end),
    before_mape = mean(before),
    before_median_ape = statistics.median(before),
  }
end

-- Numbers by value, whatever follows them; all else as text.
local function before(a, b)
  local x, y = tonumber(a:match("^%d+")), tonumber(b:match("^%d+"))
  if x and y and x ~= y then return x < y end
  return a < b
end

--- Rows by the text that `key` gives for each: a sorted list of names and the rows of each name.
function statistics.split(rows, key)
  local names, parts = {}, {}
  for _, row in ipairs(rows) do
    local name = key(row)
    if not parts[name] then
      parts[name] = {}
      names[#names + 1] = name
    end
    table.insert(parts[name], row)
  end
  table.sort(names, before)
  return names, parts
end

--- What rows are grouped by: a column of their table, or one of the traits of their estimates.
---@param column string
---@return fun(answered: table): string
function statistics.group_of(column)
  return function(answered)
    local value = answered.row[column]
    if value == nil and answered.traits then value = answered.traits[column] end
    return value ~= nil and tostring(value) or "(blank)"
  end
end

--- The same as `of`, with mean_family_mape over the rows' families.
function statistics.summary(rows)
  local summary = statistics.of(rows)
  local names, parts = statistics.split(rows, function(row) return row.family end)
  local mapes, befores, inside = {}, {}, {}
  for _, name in ipairs(names) do
    local family = statistics.of(parts[name])
    if family.covered >= statistics.least_rows then
      mapes[#mapes + 1] = family.mape
      befores[#befores + 1] = family.before_mape
      inside[#inside + 1] = family.within_interval
    end
  end
  summary.mean_family_mape = mean(mapes)
  summary.before_mean_family_mape = mean(befores)
  summary.mean_family_within_interval = mean(inside)
  return summary
end

--- How well chances of fitting into memory tell what ran from what failed: { ran, ran_unlikely,
--- mean_family_ran_unlikely, failed, failed_likely }, shares nil without rows.
---@param rows table[] { family, ran, fits }; rows without a chance do not count
function statistics.fit(rows)
  local ran, gone, having = {}, {}, {}
  for _, row in ipairs(rows) do
    local list = row.ran and ran or gone
    list[#list + 1] = row.fits and row or nil
  end
  local function unlikely(row) return row.fits < 0.5 end
  local names, parts = statistics.split(ran, function(row) return row.family end)
  for i, name in ipairs(names) do having[i] = share(parts[name], unlikely) end
  return { ran = #ran, ran_unlikely = share(ran, unlikely), mean_family_ran_unlikely = mean(having),
    failed = #gone, failed_likely = share(gone, function(row) return row.fits > 0.5 end) }
end

--- Figures of rows that have a `metric`, by metric and by metric and column: { rows, metrics, groups,
--- group_column }.
---@param all table[] rows with metric, family, row and what `of` looks at
---@param metrics string[] in the order of the report
---@param column string of the rows' tables
function statistics.by_metric(all, metrics, column)
  local result = { rows = all, metrics = {}, groups = {}, group_column = column }
  local _, by_metric = statistics.split(all, function(r) return r.metric end)
  for _, metric in ipairs(metrics) do
    local list = by_metric[metric] or {}
    result.metrics[metric] = statistics.summary(list)
    local names, parts = statistics.split(list, statistics.group_of(column))
    for _, name in ipairs(names) do
      local group = statistics.summary(parts[name])
      group.group, group.metric = name, metric
      result.groups[#result.groups + 1] = group
    end
  end
  return result
end

return statistics
