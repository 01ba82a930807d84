-- Learns how far speeds of local engines are from what is predicted:
--
--   build/ballpark lua tools/fit/local_range.lua LOCAL.csv tools/fit/local_recalled.csv          learns and prints
--   build/ballpark lua tools/fit/local_range.lua LOCAL.csv tools/fit/local_recalled.csv --write    also writes the table
--
-- The fits see all tables, the ranges are learned from the first: what was written down from memory is of a few makes.
--
-- From every speed by the shipped fit, which saw its device, and by a fit to all other devices, which may have seen its
-- architecture, its engine or neither: the errors of both are printed, too. To be run after tools/fit/local.lua; ten minutes.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local calibrate = require("ballpark.calibrate.local_inference")
local core = require("ballpark.core")
local coverage = require("coverage")
local files = require("ballpark.files")
local learn = require("ballpark.range.learn")
local local_cases = require("local_cases")
local lua_source = require("ballpark.lua_source")
local ranges = require("ballpark.range.local_inference")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")
local validate = require("ballpark.validate.local_inference")

local HEADER = [[
-- How far speeds of local engines are from what is predicted, written by tools/fit/local_range.lua; do not edit. As the laws
-- of training_range.lua; a family is a source's rows on a device, features are those of ballpark.range.local_inference.
-- %d speeds of generation and %d of prompts, each in the fit and left out of it.
return ]]

local samples = { generation = {}, prompt = {} }

-- seen: as of ranges.nearness; nil of the shipped fit.
local function add(case, out, seen)
  local about = validate.about(case)
  for _, metric in ipairs(case.metrics) do
    table.insert(samples[metric.metric], { group = about.device,
      family = ("%s, %s, %s"):format(about.device, case.row.family, seen and "left out" or "in the fit"),
      residual = math.log(metric.predict(out) / metric.measured), features = ranges.features(metric.metric, about, seen),
      near = seen and "left out, " .. ranges.nearness(metric.metric, about, seen) or "in the fit" })
  end
end

-- Errors and the share inside the ranges of a law, by what the fit saw.
local function print_errors(title, list, law)
  local groups = {}
  local function count(name, sample)
    local group = groups[name] or { errors = {}, sum = 0, inside = 0 }
    groups[name] = group
    local apart = math.abs(math.exp(-sample.residual) - 1)
    group.errors[#group.errors + 1], group.sum = apart, group.sum + apart
    if math.abs(sample.residual) <= learn.half(law, sample.features) then group.inside = group.inside + 1 end
  end
  for _, sample in ipairs(list) do
    count(sample.near, sample)
    if sample.near ~= "in the fit" then count("left out", sample) end
  end
  for _, name in ipairs(tables.sorted_keys(groups)) do
    local group = groups[name]
    local n = #group.errors
    print(("%s, %-24s %4d mean %5.1f %% median %5.1f %% inside %5.1f %%"):format(title, name, n, 100 * group.sum / n,
      100 * statistics.median(group.errors), 100 * group.inside / n))
  end
end

local function main(paths)
  local writes = paths[#paths] == "--write" and table.remove(paths)
  local cases = local_cases.read({ paths[1] })
  for _, case in ipairs(cases) do add(case, core.local_inference(case.resolved.input), nil) end
  local left = calibrate.leave_out("device")(local_cases.read(paths))
  for _, case in ipairs(cases) do add(case, left(case)) end
  local fitted = {}
  for _, metric in ipairs({ "generation", "prompt" }) do
    local list = samples[metric]
    fitted[metric] = assert(learn.law(list))
    print_errors(metric, list, fitted[metric])
    coverage.print(metric .. ", device left out", list)
  end
  if writes then
    files.write("lua/ballpark/catalog/fitted/local_range.lua",
      HEADER:format(#samples.generation // 2, #samples.prompt // 2) .. lua_source.of(fitted, 4) .. "\n")
  end
end

main({ table.unpack(arg) })
