-- Host times, paces and ranges of engines that the catalog's coefficients were not fitted to, for
-- lua/ballpark/catalog/fitted/engine_kinds.lua, from published throughput: prints what each value of a grid leaves of
-- error,
-- with each (model, device) left out of the choice, and the 80 % ranges of measured over predicted times: a source counts by
-- the root of its rows, and the fewer sources there are, the wider they are.
--
--   build/ballpark lua tools/fit/engine_kinds.lua TABLE.csv [MODELS_DIR]
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local catalog = require("ballpark.catalog")
local csv = require("ballpark.csv")
local engines = require("ballpark.catalog.engines")
local kinds = require("ballpark.catalog.fitted.engine_kinds")
local log_widths = require("ballpark.range.log_widths")
local serving_range = require("serving_range")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")
local throughput = require("ballpark.validate.throughput")
local throughput_case = require("ballpark.validate.throughput_case")

local STEPS <const>, SEQUENCES <const> = { 5e-4, 1e-3, 1.5e-3, 2e-3 }, { 3e-5, 4.5e-5, 6e-5, 7.5e-5, 1e-4 }
local PACES <const> = { 1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.5, 3, 4, 5, 6, 7, 8 }
local LAUNCHES <const> = { 1.5e-5, 2e-5, 2.5e-5, 3e-5, 4e-5, 5e-5 }
local APARTS <const> = { 1, 1.2, 1.5, 1.7, 2, 2.5 } -- where heads are read apart

-- Predicted over measured throughput, measured over predicted time, in e-folds; rows that nothing answers are left.
local function ratios(rows, models)
  local list = {}
  for _, result in ipairs(throughput.run(rows, { models = models }).rows) do
    if result.predicted then
      list[#list + 1] = { group = result.row.model .. " " .. result.row.gpu, engine = result.row.engine, source = result.row.family,
        off = math.log(result.predicted / result.measured) }
    end
  end
  return list
end

local function mean_without(list, group)
  local sum, count = 0, 0
  for _, item in ipairs(list) do
    if item.group ~= group then sum, count = sum + math.abs(item.off), count + 1 end
  end
  return count > 0 and sum / count or math.huge
end

local function quantiles(list)
  local values = {}
  for i, item in ipairs(list) do values[i] = item.off end
  local function at(q) return math.exp(statistics.quantile(values, q)) end
  return at(0.1), at(0.5), at(0.9)
end

-- What sources differ by, in e-folds, where there is one (assumption: as those of vllm_v0 and trtllm_v0, whose ranges are
-- wider by 0.1 to 0.4 than what one of four says).
local BETWEEN <const> = 0.25

-- Ends of the range, of what each source left.
local function ends(list, source_of)
  local items, sources = {}, {}
  for i, item in ipairs(list) do
    local source = source_of(item)
    items[i], sources[source] = { group = source, cell = source, beyond = item.off }, true
  end
  if #tables.sorted_keys(sources) == 1 then
    local low, _, high = quantiles(list)
    return math.exp(-log_widths.together(-math.log(low), BETWEEN)), math.exp(log_widths.together(math.log(high), BETWEEN))
  end
  local low, high = serving_range.ends(items)
  return math.exp(low), math.exp(high)
end

local function source_of(item) return item.source end

local function engine_of_source(item) return item.source .. " " .. item.engine end

-- The best of settings { name, apply() }, and the mean error of groups by the setting that is best without them.
local function choose(title, settings, rows, models)
  local lists, best = {}, 1
  for i, setting in ipairs(settings) do
    setting.apply()
    lists[i] = ratios(rows, models)
    if mean_without(lists[i]) < mean_without(lists[best]) then best = i end
    print(("  %s: %.4f"):format(setting.name, mean_without(lists[i])))
  end
  local sum, choice = 0, {}
  for j, item in ipairs(lists[best]) do
    if not choice[item.group] then
      choice[item.group] = 1
      for i = 2, #settings do
        if mean_without(lists[i], item.group) < mean_without(lists[choice[item.group]], item.group) then
          choice[item.group] = i
        end
      end
    end
    sum = sum + math.abs(lists[choice[item.group]][j].off)
  end
  settings[best].apply()
  print(("%s: %s, %d rows, mean |log| %.4f in the fit, %.4f left out; time 10, 50, 90 %%: %.2f %.2f %.2f"):format(title,
    settings[best].name, #lists[best], mean_without(lists[best]), sum / #lists[best], quantiles(lists[best])))
  print(("  range %.2f %.2f"):format(ends(lists[best], source_of)))
end

local function of_engines(list)
  local names, parts = {}, {}
  for _, item in ipairs(list) do
    if not parts[item.engine] then
      parts[item.engine] = {}
      names[#names + 1] = item.engine
    end
    table.insert(parts[item.engine], item)
  end
  table.sort(names)
  for _, name in ipairs(names) do
    print(("  %-40s %4d rows, time 10, 50, 90 %%: %.2f %.2f %.2f"):format(name, #parts[name], quantiles(parts[name])))
  end
  print(("generic, of sources and engines: range %.2f %.2f"):format(ends(list, engine_of_source)))
end

-- Whether a row is answered as local inference, and not by the generic engine.
local function is_alone(row)
  local read, one = pcall(throughput_case.of_local_engine, row)
  return read and one ~= nil
end

-- The engine that stands for a row that can be read.
local function engine_of(row)
  local read, case = pcall(throughput_case.of, row, arg[2])
  return read and case.engine.name
end

-- Kinds that engines of the fit are no release of, each with a range of its own.
local OWN <const> = tables.set({ "fastertransformer", "generic_launching", "gpt-fast", "megatron", "optimum-habana" })

-- Years of sources whose rows say neither release nor date, by what they ran (their histories; recalled).
local YEARS <const> = { rkooo = 2023 }

local rows, by_kind, others = throughput.read(csv.read(arg[1]), arg[1]), { trtllm_v0 = {} }, {}
for _, row in ipairs(rows) do
  if row.engine == "vLLM" and YEARS[row.family] then row.engine = ("vLLM %d"):format(YEARS[row.family]) end
  local known, device = pcall(catalog.device, row.gpu)
  local name = engines.named(row.engine)
  if known and name == "trtllm" and engine_of(row) == "trtllm_v0" then
    table.insert(by_kind.trtllm_v0, row)
  elseif known and name == "vllm" and (row.static or row.concurrency) then
    local on = kinds.vllm_v0.on
    local kind = on[device.architecture] or on[device.vendor] or device.vendor == "NVIDIA" and "vllm_v0"
    if kind then
      by_kind[kind] = by_kind[kind] or {}
      table.insert(by_kind[kind], row)
    end
  elseif known and (not name or OWN[name]) and not (row.notes or ""):find("MLPerf", 1, true) and not is_alone(row) then
    local own = engine_of(row)
    local kind = kinds.generic.on[device.vendor] or OWN[own] and own
    if kind then by_kind[kind] = by_kind[kind] or {} end
    table.insert(by_kind[kind] or others, row)
    -- An engine that nobody knows may be one of these as well.
    if engines.is_static(own or "") then others[#others + 1] = tables.with(row, { engine = "another " .. row.engine }) end
  end
end

local old, grid = kinds.vllm_v0, {}
for _, step_s in ipairs(STEPS) do
  for _, sequence_s in ipairs(SEQUENCES) do
    grid[#grid + 1] = { name = ("step_s %g sequence_s %g"):format(step_s, sequence_s), apply = function()
      old.engine.step_s, old.engine.sequence_s = step_s, sequence_s
    end }
  end
end
choose("vllm_v0", grid, by_kind.vllm_v0 or {}, arg[2])
local paced = {}
for _, base in ipairs({ old, kinds.generic }) do
  for _, on in ipairs(tables.sorted_keys(base.on)) do paced[#paced + 1] = base.on[on] end
end
for _, name in ipairs(paced) do
  local engine, paces = kinds[name].engine, {}
  for _, apart in ipairs(engine.apart and APARTS or { 0 }) do
    for _, slowdown in ipairs(PACES) do
      paces[#paces + 1] = { name = ("slowdown %g apart %g"):format(slowdown, apart), apply = function()
        engine.slowdown, engine.apart = slowdown, apart
      end }
    end
  end
  choose(name, paces, by_kind[name] or {}, arg[2])
end
local launched = {}
for _, seconds in ipairs(LAUNCHES) do
  launched[#launched + 1] = { name = ("eager_kernel_s %g"):format(seconds), apply = function()
    kinds.generic_launching.engine.eager_kernel_s = seconds
  end }
end
choose("generic_launching", launched, by_kind.generic_launching or {}, arg[2])
for _, name in ipairs({ "fastertransformer", "gpt-fast", "megatron", "optimum-habana" }) do
  choose(name, { { name = "nothing fitted", apply = function() end } }, by_kind[name] or {}, arg[2])
end
choose("trtllm_v0", { { name = "nothing fitted", apply = function() end } }, by_kind.trtllm_v0, arg[2])
of_engines(ratios(others, arg[2]))
