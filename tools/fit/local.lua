-- Fits how well local engines use devices, and how far their speeds are from what is predicted:
--
--   build/ballpark lua tools/fit/local.lua LOCAL.csv > lua/ballpark/catalog/fitted/local.lua
--
-- Widths are of 80 % of what was measured, rows of a device counting as the root of their number: of devices the fit saw,
-- and of devices predicted by a fit without them and a sixth of the others, by what that fit had seen.
local calibrate = require("ballpark.calibrate.local_inference")
local csv = require("ballpark.csv")
local ranges = require("ballpark.range.local_inference")
local statistics = require("ballpark.validate.statistics")
local table_rows = require("ballpark.measured.table_rows")
local tables = require("ballpark.tables")
local validate = require("ballpark.validate.local_inference")

local path = arg[1]
local rows = table_rows.read(require("ballpark.measured.local_columns"), csv.read(path), path)
local cases = validate.cases(rows)
local fit, start = calibrate.fit(cases)

-- Devices in so many groups, each left out in turn.
local FOLDS <const> = 6

local fold_of = {}
for _, case in ipairs(cases) do fold_of[case.resolved.input.device.name] = 0 end
for i, name in ipairs(tables.sorted_keys(fold_of)) do fold_of[name] = tostring(i % FOLDS) end

-- Absolute errors of the logarithm by metric and nearness, each with the weight of a device shared by its rows.
local found = {}
local function add(case, out, seen, near)
  local device = case.resolved.input.device.name
  near = near or ranges.nearness({ key = case.resolved.key, device = device, architecture = case.resolved.architecture }, seen)
  for _, metric in ipairs(case.metrics) do
    local id = metric.metric .. " " .. near
    found[id] = found[id] or {}
    local of_device = found[id]
    of_device[device] = of_device[device] or {}
    table.insert(of_device[device], math.abs(math.log(metric.measured / metric.predict(out))))
  end
end

for _, case in ipairs(cases) do add(case, calibrate.out(case, fit), nil, "device") end
local left = calibrate.left_out(cases, start, function(case) return fold_of[case.resolved.input.device.name] end)
for _, case in ipairs(cases) do add(case, left(case)) end

-- The quantile of errors where devices share weight: rows of a device count as the root of their number.
local function width(metric, near)
  local list, all = {}, 0
  for _, errors in pairs(found[metric .. " " .. near] or {}) do
    for _, e in ipairs(errors) do
      list[#list + 1] = { e, 1 / math.sqrt(#errors) }
      all = all + 1 / math.sqrt(#errors)
    end
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  local sum = 0
  for _, item in ipairs(list) do
    sum = sum + item[2]
    if sum >= 0.8 * all then return item[1], #list end
  end
end

local function number(value) return ("%.4g"):format(value) end

local function table_of(values)
  local parts = {}
  for _, name in ipairs(tables.sorted_keys(values)) do parts[#parts + 1] = ("%s = %s"):format(name, number(values[name])) end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

local function names_of(list)
  local quoted = {}
  for i, name in ipairs(list) do quoted[i] = ("%q"):format(name) end
  return table.concat(quoted, ", ")
end

local out = {}
local function say(text, ...) out[#out + 1] = text:format(...) end

local function medians()
  local parts = {}
  for _, metric in ipairs({ "generation", "prompt" }) do
    for _, near in ipairs({ "device", "architecture", "engine" }) do
      local all = {}
      for _, errors in pairs(found[metric .. " " .. near] or {}) do table.move(errors, 1, #errors, #all + 1, all) end
      if #all > 0 then
        parts[#parts + 1] = ("-- %s, %s: %d speeds, median error %.1f %%"):format(metric, near, #all, 100 * statistics.median(all))
      end
    end
  end
  return table.concat(parts, "\n")
end

say("-- How well local engines use devices, fitted to published speeds by tools/fit/local.lua, never by hand. Factors on the")
say("-- coefficients of local_engines.lua by engine and, shared by engines, by architecture; widths in e-folds that hold 80 %%")
say("-- of what was measured: of devices the fit saw, and of devices left out, whose architecture it saw or only the engine.")
say("%s", medians())
say("return {")
for _, group in ipairs({ "engines", "architectures" }) do
  say("  %s = {", group)
  for _, key in ipairs(tables.sorted_keys(fit[group])) do say("    [%q] = %s,", key, table_of(fit[group][key])) end
  say("  },")
end
say("  seen = {")
for _, key in ipairs(tables.sorted_keys(fit.seen)) do
  say("    [%q] = { architectures = { %s },", key, names_of(fit.seen[key].architectures))
  say("      devices = { %s } },", names_of(fit.seen[key].devices))
end
say("  },")
say("  widths = {")
for _, metric in ipairs({ "generation", "prompt" }) do
  local widths = { device = width(metric, "device"), architecture = width(metric, "architecture"),
    engine = width(metric, "engine") }
  widths.architecture = math.max(widths.device, widths.architecture or 0)
  widths.engine = math.max(widths.architecture, widths.engine or 0)
  say("    %s = %s,", metric, table_of(widths))
end
say("  },")
say("}")
io.write(table.concat(out, "\n"), "\n")
