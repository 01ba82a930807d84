-- How far predictions of serving lie from measurements, by engine and time: writes the catalog's table of
-- 80 % ranges, from the errors of `ballpark validate serving` with the shipped coefficients. What a row does not
-- say, or a device that borrows its curves, widens the range of that row by itself: the table holds what is left.
--
--   build/ballpark lua tools/fit/serving_range.lua POINTS.csv [MODELS_DIR]
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local csv = require("ballpark.csv")
local serving_range = require("ballpark.range.serving")
local serving = require("ballpark.validate.serving")
local statistics = require("ballpark.validate.statistics")

-- Lists of { group, beyond } by engine and metric: measured over predicted, in e-folds, beyond the row's own widths;
-- a group is a (model, device).
local function ratios(answer)
  local result = {}
  for _, row in ipairs(answer.rows) do
    if row.predicted then
      local engine = row.row.engine
      result[engine] = result[engine] or {}
      result[engine][row.metric] = result[engine][row.metric] or {}
      table.insert(result[engine][row.metric],
        { group = row.row.model .. " " .. row.row.gpu,
          beyond = serving_range.beyond(row.measured / row.predicted, row.down, row.up),
          wide = row.down + row.up > 0 })
    end
  end
  return result
end

-- The 80 % range of a list without a group.
local function range(list, without)
  local values = {}
  for _, item in ipairs(list) do
    if item.group ~= without then values[#values + 1] = item.beyond end
  end
  return statistics.quantile(values, 0.1), statistics.quantile(values, 0.9)
end

-- How many of a list's rows, of those with widths of their own or of the others, are in the range of the others'
-- groups; and how many there are.
local function held(list, wide)
  local ranges, count, rows = {}, 0, 0
  for _, item in ipairs(list) do
    ranges[item.group] = ranges[item.group] or table.pack(range(list, item.group))
    local low, high = ranges[item.group][1], ranges[item.group][2]
    if item.wide == wide then
      rows = rows + 1
      count = count + (low and item.beyond >= low and item.beyond <= high and 1 or 0)
    end
  end
  return count, rows
end

local function show_held(all, names, wide)
  for _, metric in ipairs(serving.metrics) do
    local count, rows = 0, 0
    for _, name in ipairs(names) do
      local inside, of = held(all[name][metric], wide)
      count, rows = count + inside, rows + of
    end
    io.write(("%-8s %5d rows %s, %.1f %% in the range of the other (model, device) pairs\n"):format(metric, rows,
      wide and "with unknown settings" or "without", 100 * count / rows))
  end
end

local function main(path, models)
  assert(path, "usage: serving_range.lua POINTS.csv [MODELS_DIR]")
  local all = ratios(serving.run(serving.read(csv.read(path), path), { models = models }))
  local names = {}
  for name in pairs(all) do names[#names + 1] = name end
  table.sort(names)
  show_held(all, names, false)
  show_held(all, names, true)
  local file = assert(io.open(here .. "/../../lua/ballpark/catalog/fitted/serving_range.lua", "wb"))
  file:write("-- 80 % ranges of measured over predicted times, by engine; written by tools/fit/serving_range.lua,\n"
    .. "-- never by hand, from aiconfigurator's silicon table (Apache-2.0). Of rows whose settings are all\n"
    .. "-- known; others are wider, see lua/ballpark/range/serving.lua.\nreturn {\n")
  for _, name in ipairs(names) do
    local parts = {}
    for _, metric in ipairs(serving.metrics) do
      local low, high = range(all[name][metric])
      parts[#parts + 1] = ("%s = { %.3f, %.3f }"):format(metric, math.exp(low), math.exp(high))
    end
    file:write(("  %s = { %s },\n"):format(name, table.concat(parts, ", ")))
  end
  file:write("}\n")
  file:close()
end

main(arg[1], arg[2])
