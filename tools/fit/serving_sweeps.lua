-- What calibrations on one's own sweeps are worth: of every sweep of five concurrencies or more in a table of serving
-- points, the errors of the catalog's engine, and of points left out in turn of what is calibrated. Writes nothing.
--
--   build/ballpark lua tools/fit/serving_sweeps.lua POINTS.csv MODELS_DIR [EVERY [FIRST]]
--
-- EVERY takes one sweep in so many, from the FIRST on: one takes some seconds. A sweep has one engine, version, model,
-- device, formats, lengths and layout; settings may change with the concurrency.
local calibrate = require("ballpark.calibrate.serving")
local csv = require("ballpark.csv")
local problem = require("ballpark.calibrate.serving.problem")
local serving = require("ballpark.validate.serving")
local statistics = require("ballpark.validate.statistics")

local LEAST <const> = 5 -- concurrencies of a sweep

local same = { "engine", "engine_version", "model", "gpu", "precision", "gemm_quant", "moe_quant", "input_len",
  "output_len", "tp", "pp", "attention_dp", "moe_ep" }

local function key_of(row)
  local parts = {}
  for i, column in ipairs(same) do parts[i] = tostring(row[column]) end
  return table.concat(parts, "|")
end

-- Lists of rows, each of a sweep in the order of its concurrencies.
local function sweeps_of(rows)
  local groups, order = {}, {}
  for _, row in ipairs(rows) do
    local key = key_of(row)
    if not groups[key] then
      groups[key] = { distinct = 0, seen = {} }
      order[#order + 1] = groups[key]
    end
    local group, clients = groups[key], row.concurrency or row.batch_per_dp
    group[#group + 1] = row
    if clients and not group.seen[clients] then
      group.seen[clients], group.distinct = true, group.distinct + 1
    end
  end
  local list = {}
  for _, group in ipairs(order) do
    if group.distinct >= LEAST then list[#list + 1] = group end
  end
  return list
end

local stages = { { "before", "catalog" }, { "after", "calibrated, left out" }, { "within", "calibrated, within" } }

local function add(errors, answer)
  for _, stage in ipairs(stages) do
    for i, item in ipairs(answer.problem.items) do
      local name = item.metric .. " " .. stage[2]
      errors[name] = errors[name] or {}
      table.insert(errors[name], { error = math.exp(answer[stage[1]][i]) - 1 })
    end
  end
end

local function main(path, models, every, first)
  assert(models, "usage: serving_sweeps.lua POINTS.csv MODELS_DIR [EVERY [FIRST]]")
  local sweeps, errors, count = sweeps_of((serving.read(csv.read(path), path))), {}, 0
  for i = first, #sweeps, every do
    add(errors, calibrate.run(problem.of_rows(sweeps[i], path, models)))
    count = count + 1
  end
  io.write(("%d of %d sweeps\n"):format(count, #sweeps))
  for _, metric in ipairs({ "ttft", "tpot" }) do
    for _, stage in ipairs(stages) do
      local s = statistics.of(errors[metric .. " " .. stage[2]])
      io.write(("  %s %-22s %5d points  mean %5.1f %%  median %5.1f %%\n"):format(metric, stage[2], s.covered,
        100 * s.mape, 100 * s.median_ape))
    end
  end
end

main(arg[1], arg[2], math.tointeger(tonumber(arg[3] or 1)), math.tointeger(tonumber(arg[4] or 1)))
