-- How far predictions of serving lie from measurements, by engine and time: writes the catalog's table of
-- 80 % ranges, from the errors of `ballpark validate serving` with the shipped coefficients.
--
--   build/ballpark lua tools/fit/serving_spread.lua POINTS.csv [MODELS_DIR]
local here = arg[0]:match("^(.*)/[^/]*$") or "."

local csv = require("ballpark.csv")
local serving = require("ballpark.validate.serving")

local function quantile(sorted, share)
  local at = share * (#sorted - 1)
  local low = math.floor(at)
  return sorted[low + 1] + (at - low) * ((sorted[low + 2] or sorted[low + 1]) - sorted[low + 1])
end

-- Ratios measured / predicted by engine and metric.
local function ratios(answer)
  local result = {}
  for _, row in ipairs(answer.rows) do
    if row.predicted then
      local engine = row.row.engine
      result[engine] = result[engine] or {}
      result[engine][row.metric] = result[engine][row.metric] or {}
      table.insert(result[engine][row.metric], row.measured / row.predicted)
    end
  end
  return result
end

local function main(path, models)
  assert(path, "usage: serving_spread.lua POINTS.csv [MODELS_DIR]")
  local all = ratios(serving.run(serving.read(csv.read(path), path), { models = models }))
  local names = {}
  for name in pairs(all) do names[#names + 1] = name end
  table.sort(names)
  local file = assert(io.open(here .. "/../../lua/ballpark/catalog/serving_spread.lua", "wb"))
  file:write("-- 80 % ranges of measured over predicted times, by engine; written by tools/fit/serving_spread.lua,\n"
    .. "-- never by hand, from aiconfigurator's silicon table (Apache-2.0).\nreturn {\n")
  for _, name in ipairs(names) do
    local parts = {}
    for _, metric in ipairs(serving.metrics) do
      local list = all[name][metric]
      table.sort(list)
      parts[#parts + 1] = ("%s = { %.3f, %.3f }"):format(metric, quantile(list, 0.1), quantile(list, 0.9))
    end
    file:write(("  %s = { %s },\n"):format(name, table.concat(parts, ", ")))
  end
  file:write("}\n")
  file:close()
end

main(arg[1], arg[2])
