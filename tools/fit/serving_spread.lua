-- How far predictions of serving lie from measurements, by engine and time: writes the catalog's table of
-- 80 % ranges, from the errors of `ballpark validate serving` with the shipped coefficients.
--
--   build/ballpark lua tools/fit/serving_spread.lua POINTS.csv [MODELS_DIR]
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local coefficient_fit = require("coefficient_fit")
local csv = require("ballpark.csv")
local serving = require("ballpark.validate.serving")

-- Lists of { group, ratio } of measured over predicted, by engine and metric; a group is a (model, device).
local function ratios(answer)
  local result = {}
  for _, row in ipairs(answer.rows) do
    if row.predicted then
      local engine = row.row.engine
      result[engine] = result[engine] or {}
      result[engine][row.metric] = result[engine][row.metric] or {}
      table.insert(result[engine][row.metric],
        { group = row.row.model .. " " .. row.row.gpu, ratio = row.measured / row.predicted })
    end
  end
  return result
end

-- The 80 % range of a list without a group.
local function range(list, without)
  local sorted = {}
  for _, item in ipairs(list) do
    if item.group ~= without then sorted[#sorted + 1] = item.ratio end
  end
  table.sort(sorted)
  if #sorted == 0 then return nil end
  return coefficient_fit.quantile(sorted, 0.1), coefficient_fit.quantile(sorted, 0.9)
end

-- How many of a list are in the range of the others' groups.
local function held(list)
  local ranges, count = {}, 0
  for _, item in ipairs(list) do
    ranges[item.group] = ranges[item.group] or table.pack(range(list, item.group))
    local low, high = ranges[item.group][1], ranges[item.group][2]
    count = count + (low and item.ratio >= low and item.ratio <= high and 1 or 0)
  end
  return count
end

local function show_held(all, names)
  for _, metric in ipairs(serving.metrics) do
    local count, rows = 0, 0
    for _, name in ipairs(names) do
      count, rows = count + held(all[name][metric]), rows + #all[name][metric]
    end
    io.write(("%-8s %5d rows, %.1f %% in the range of the other (model, device) pairs\n"):format(metric, rows,
      100 * count / rows))
  end
end

local function main(path, models)
  assert(path, "usage: serving_spread.lua POINTS.csv [MODELS_DIR]")
  local all = ratios(serving.run(serving.read(csv.read(path), path), { models = models }))
  local names = {}
  for name in pairs(all) do names[#names + 1] = name end
  table.sort(names)
  show_held(all, names)
  local file = assert(io.open(here .. "/../../lua/ballpark/catalog/serving_spread.lua", "wb"))
  file:write("-- 80 % ranges of measured over predicted times, by engine; written by tools/fit/serving_spread.lua,\n"
    .. "-- never by hand, from aiconfigurator's silicon table (Apache-2.0).\nreturn {\n")
  for _, name in ipairs(names) do
    local parts = {}
    for _, metric in ipairs(serving.metrics) do
      parts[#parts + 1] = ("%s = { %.3f, %.3f }"):format(metric, range(all[name][metric]))
    end
    file:write(("  %s = { %s },\n"):format(name, table.concat(parts, ", ")))
  end
  file:write("}\n")
  file:close()
end

main(arg[1], arg[2])
