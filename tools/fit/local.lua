-- Fits how well local engines use devices; tools/fit/local_range.lua then says how far their speeds are from that:
--
--   build/ballpark lua tools/fit/local.lua LOCAL.csv tools/fit/local_recalled.csv > lua/ballpark/catalog/fitted/local.lua
--
-- It begins at the fit that is there. local_recalled.csv: speeds that users of llama.cpp collected on chips of Apple, AMD and Intel and on DGX Spark, from memory.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local calibrate = require("ballpark.calibrate.local_inference")
local local_cases = require("local_cases")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")

local cases = local_cases.read(arg)
local fit = calibrate.fit(cases, calibrate.start_at(cases, require("ballpark.catalog.fitted.local")))

local function number(value) return ("%.4g"):format(value) end

local function table_of(values)
  local parts = {}
  for _, name in ipairs(tables.sorted_keys(values)) do parts[#parts + 1] = ("%s = %s"):format(name, number(values[name])) end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

local function list_of(names)
  local quoted = {}
  for i, name in ipairs(names) do quoted[i] = ("%q"):format(name) end
  return quoted[1] and "{ " .. table.concat(quoted, ", ") .. " }" or "{}"
end

local out = {}
local function say(text, ...) out[#out + 1] = text:format(...) end

-- Median errors in the fit, as lines.
local function medians()
  local errors, parts = { generation = {}, prompt = {} }, {}
  for _, case in ipairs(cases) do
    local said = calibrate.out(case, fit)
    for _, metric in ipairs(case.metrics) do
      table.insert(errors[metric.metric], math.abs(math.log(metric.measured / metric.predict(said))))
    end
  end
  for _, name in ipairs(tables.sorted_keys(errors)) do
    parts[#parts + 1] = ("-- %s: %d speeds, median error %.1f %%"):format(name, #errors[name], 100 * statistics.median(errors[name]))
  end
  return table.concat(parts, "\n")
end

say("-- How well local engines use devices, fitted to published speeds by tools/fit/local.lua, never by hand. Factors on the")
say("-- coefficients of local_engines.lua by engine and, shared by engines, by architecture.")
say("%s", medians())
say("return {")
for _, group in ipairs({ "engines", "architectures" }) do
  say("  %s = {", group)
  for _, key in ipairs(tables.sorted_keys(fit[group])) do say("    [%q] = %s,", key, table_of(fit[group][key])) end
  say("  },")
end
say("  seen = {")
for _, key in ipairs(tables.sorted_keys(fit.seen)) do
  say("    [%q] = {", key)
  for _, metric in ipairs(tables.sorted_keys(fit.seen[key])) do
    local names = fit.seen[key][metric]
    say("      %s = { architectures = %s,", metric, list_of(names.architectures))
    say("        devices = %s,", list_of(names.devices))
    say("        vendors = %s, kinds = %s },", list_of(names.vendors), list_of(names.kinds))
  end
  say("    },")
end
say("  },")
say("}")
io.write(table.concat(out, "\n"), "\n")
