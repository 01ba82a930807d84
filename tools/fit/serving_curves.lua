-- Fits what only serving needs to measured timings, experts and decode attention of each device, and
-- writes the catalog's table of them.
--
--   build/ballpark lua tools/fit/serving_curves.lua DATA_DIR
--
-- DATA_DIR holds measured_moe.csv and measured_attention.csv. Errors printed are |predicted / measured
-- - 1| of the core's own kernels; takes some minutes.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local core = require("ballpark.core")
local curve_attention = require("curve_attention")
local curve_fit = require("curve_fit")
local curve_table = require("curve_table")
local devices = require("ballpark.catalog.devices")
local tables = require("ballpark.tables")
local timings = require("timings")

-- How alike their routing favours experts is no kernel's, so all have the core's default, 1: shapes left out are met
-- within 15.9 % in the median with it, 16.6 with 2, 17.0 with 4, 17.6 with all alike.
local moe_parameters = {
  { name = "u", start = 0.35, min = 0.01, max = 1.2 },
  { name = "w", start = 0.85, min = 0.1, max = 1.2 },
  { name = "pass", start = 0.4, min = 0.05, max = 2 },
  { name = "t0_s", start = 4e-5, min = 1e-6, max = 5e-4 },
  { name = "expert_s", start = 1e-7, min = 0, max = 2e-6 },
  { name = "skew", start = 0.2, min = 0.001, max = 2 },
}

-- Timings of packed weights are of one shape and few ways to deal it, none of them sliced: their tokens pass, and
-- crowd on one rank, as beside 16-bit weights.
local routed = { pass = true, skew = true }
local packed_parameters = {}
for _, parameter in ipairs(moe_parameters) do
  if not routed[parameter.name] then table.insert(packed_parameters, parameter) end
end

local decode_parameters = {
  { name = "decode_stream", start = 0.75, min = 0.05, max = 0.95 },
  { name = "decode_ramp_s", start = 1e-5, min = 0, max = 1e-4 },
  { name = "decode_rate", start = 0.5, min = 0.05, max = 1 },
  { name = "decode_t0_s", start = 1e-5, min = 1e-7, max = 1e-4 },
}

-- Data type of the timings -> field of bp_serving_curves, format of weights, of activations.
local formats = {
  bfloat16 = { "moe16", "bf16" }, w4a16_mxfp4 = { "moe16_packed", "mxfp4", "bf16" },
  fp8 = { "moe8", "fp8" }, fp8_block = { "moe8_block", "fp8_block" }, nvfp4 = { "moe4", "nvfp4" },
}

-- Every n-th timing is enough: tables have a thousand for five numbers.
local THIN <const> = 3

-- What of the 16-bit set of a device is shared with the packed one behind it.
local plain = {}

local function moe_model(name, format)
  local input = { device = devices.get(name), weights = format[2], activations = format[3] }
  return function(values)
    input.curve = tables.with(plain[name] or {}, values)
    return function(row)
      for key, value in pairs(row.shape) do input[key] = value end
      return core.moe(input).time_s
    end
  end
end

local function moe_row(cells)
  local shape = { tokens = tonumber(cells.num_tokens), hidden = math.tointeger(cells.hidden),
    ffn = math.tointeger(cells.inter_size), topk = math.tointeger(cells.topk),
    experts = math.tointeger(cells.experts), tp = math.tointeger(cells.moe_tp),
    ep = math.tointeger(cells.moe_ep) }
  return { shape = shape, time_s = tonumber(cells.latency_us) * 1e-6,
    group = shape.experts .. "/" .. shape.hidden, kernel = cells.kernel }
end

-- Of several kernels for the same call only the fastest counts: engines choose.
local function fastest(records)
  local best, order = {}, {}
  for _, record in ipairs(records) do
    local c = record.cells
    local key = table.concat({ c.gpu, c.dtype, c.num_tokens, c.hidden, c.inter_size, c.topk, c.experts,
      c.moe_tp, c.moe_ep, c.routing_distribution }, " ")
    if not best[key] then order[#order + 1] = key end
    if not best[key] or tonumber(c.latency_us) < tonumber(best[key].cells.latency_us) then best[key] = record end
  end
  local result = {}
  for i, key in ipairs(order) do result[i] = best[key] end
  return result
end

local function thinned(records)
  local list = {}
  for i = THIN, #records, THIN do list[#list + 1] = records[i] end
  return list
end

local function moe_sets(records)
  return timings.sets(thinned(records), function(cells)
    local wanted = formats[cells.dtype] and cells.routing_distribution ~= "balanced"
    return wanted and cells.gpu .. cells.dtype
  end, function(cells)
    local format = formats[cells.dtype]
    local is_packed = format[1] == "moe16_packed"
    return { device = cells.gpu, field = format[1], rows = {},
      parameters = is_packed and packed_parameters or moe_parameters,
      model = moe_model(cells.gpu, format) }
  end, moe_row)
end

local function decode_model(name)
  local input = { device = devices.get(name), network = { devices = 1 }, engine = { launch = 1 },
    curves = {}, plan = {} }
  return function(values)
    input.curves = values
    return function(row)
      input.model, input.plan.kv = row.model, row.kv
      input.sequences, input.context = row.sequences, row.context
      return core.infer_step(input).decode_s
    end
  end
end

local function decode_row(cells)
  local heads, kv_heads = math.tointeger(cells.heads), math.tointeger(cells.kv_heads)
  return { model = { layers = 1, hidden = 1024, ffn_hidden = 1024, heads = heads, kv_heads = kv_heads,
      head_dim = math.tointeger(cells.head_dim) },
    kv = cells.kv_dtype == "fp8" and "fp8" or "bf16", sequences = tonumber(cells.batch),
    context = tonumber(cells.seq_or_kv_len), time_s = tonumber(cells.latency_us) * 1e-6,
    group = heads .. "/" .. kv_heads }
end

-- Kernels of models whose query heads have keys of their own are others, and slower in 8 bit.
local LEAST_SHARED <const> = 4

local function decode_key(cells)
  local shared = tonumber(cells.heads) / tonumber(cells.kv_heads)
  return cells.phase == "generation" and shared >= LEAST_SHARED and cells.gpu
end

local function decode_sets(records)
  return timings.sets(thinned(records), decode_key,
    function(cells)
      return { device = cells.gpu, field = "decode", rows = {}, parameters = decode_parameters,
        model = decode_model(cells.gpu) }
    end, decode_row)
end

-- Queries, keys and values of prompts in fp8.
local function prompt_sets(records)
  local sets = curve_attention.sets(records, "fp8")
  for _, set in ipairs(sets) do set.field = "prompt8" end
  return sets
end

local HEADER <const> = [[
-- Experts, attention of prompts in 8 bit and decode attention by device, fitted to public timings; written by
-- tools/fit/serving_curves.lua, never by hand. Timings: ai-dynamo/aiconfigurator@095f58a51c
-- (Apache-2.0, NVIDIA), skewed routing (power law 1.2); decode attention: four or more query heads
-- per key head. kernels: that were the fastest somewhere; points: timings used; median, p90: |predicted /
-- measured - 1|; held_out_median: the same where every shape was predicted by a fit without it.
return {
]]

local quality_fields = { "points", "median", "p90", "held_out_median" }

-- Names of the kernels that a set was timed with, in one text.
local function kernels_of(set)
  local seen = {}
  for _, row in ipairs(set.rows) do
    if row.kernel then seen[row.kernel] = true end
  end
  return table.concat(tables.sorted_keys(seen), " ")
end

local function entry(set, values, quality)
  local parts = {}
  if kernels_of(set) ~= "" then parts[1] = ("kernels = %q"):format(kernels_of(set)) end
  for _, p in ipairs(set.parameters) do parts[#parts + 1] = p.name .. " = " .. curve_table.number(values[p.name]) end
  if set.parameters == packed_parameters then
    for field in pairs(routed) do
      parts[#parts + 1] = field .. " = " .. curve_table.number(plain[set.device][field])
    end
  end
  table.sort(parts)
  for _, field in ipairs(quality_fields) do parts[#parts + 1] = field .. " = " .. curve_table.number(quality[field]) end
  return ("    %s = { %s },\n"):format(set.field, table.concat(parts, ", "))
end

local function fit(sets, by_device)
  for _, set in ipairs(sets) do
    local values, quality = curve_fit.run(set)
    if set.field == "moe16" then plain[set.device] = { pass = values.pass, skew = values.skew } end
    io.write(("%-18s %-13s %5d rows  median %4.1f %%  p90 %4.1f %%  left out %4.1f %%\n"):format(set.device,
      set.field, quality.points, 100 * quality.median, 100 * quality.p90, 100 * quality.held_out_median))
    io.flush()
    by_device[set.device] = by_device[set.device] or {}
    table.insert(by_device[set.device], entry(set, values, quality))
  end
end

local function main(data_dir)
  assert(data_dir, "usage: serving_curves.lua DATA_DIR")
  local by_device, names = {}, {}
  local attention = timings.read(data_dir .. "/measured_attention.csv")
  fit(prompt_sets(attention), by_device)
  fit(decode_sets(attention), by_device)
  fit(moe_sets(fastest(timings.read(data_dir .. "/measured_moe.csv"))), by_device)
  for name in pairs(by_device) do names[#names + 1] = name end
  table.sort(names)
  local file = assert(io.open(here .. "/../../lua/ballpark/catalog/fitted/serving.lua", "wb"))
  file:write(HEADER)
  for _, name in ipairs(names) do
    table.sort(by_device[name])
    file:write(("  [%q] = {\n%s  },\n"):format(name, table.concat(by_device[name])))
  end
  file:write("}\n")
  file:close()
end

main(arg[1])
