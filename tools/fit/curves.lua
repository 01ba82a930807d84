-- Fits the curves of matmuls, attention and collectives to measured timings and writes the catalog's
-- table of them.
--
--   build/ballpark lua tools/fit/curves.lua DATA_DIR            fits, prints, writes
--   build/ballpark lua tools/fit/curves.lua DATA_DIR PATTERN    fits the sets whose name matches, prints
--
-- DATA_DIR holds measured_gemm.csv, measured_attention.csv and measured_hw.csv. Deterministic; takes a
-- few minutes. Errors printed are |predicted / measured - 1| of the core's own kernels.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local curve_attention = require("curve_attention")
local curve_collective = require("curve_collective")
local curve_fit = require("curve_fit")
local curve_gemm = require("curve_gemm")
local curve_table = require("curve_table")
local timings = require("timings")

local function show(set, quality)
  io.write(string.format("%-12s %-50s %5d rows %3d groups  median %4.1f %%  p90 %4.1f %%  left out %4.1f / %4.1f %%\n",
    set.kind, set.device .. " " .. set.format, quality.points, quality.groups, 100 * quality.median,
    100 * quality.p90, 100 * quality.held_out_median, 100 * quality.held_out_p90))
  io.flush()
end

local function fit_all(kind, sets, pattern)
  local results = {}
  for _, set in ipairs(sets) do
    set.kind = kind
    if not pattern or (kind .. " " .. set.device .. " " .. set.format):find(pattern) then
      local values, quality = curve_fit.run(set)
      show(set, quality)
      results[#results + 1] = { set = set, values = values, quality = quality }
    end
  end
  return results
end

local function main(data_dir, pattern)
  assert(data_dir, "usage: curves.lua DATA_DIR [PATTERN]")
  local hardware = timings.read(data_dir .. "/measured_hw.csv")
  local collective = fit_all("collective", curve_collective.sets(hardware), pattern)
  for _, result in ipairs(fit_all("collective", curve_collective.between(hardware, collective), pattern)) do
    collective[#collective + 1] = result
  end
  local prompts, matmuls = timings.read(data_dir .. "/measured_attention.csv"),
    timings.read(data_dir .. "/measured_gemm.csv")
  local attention = fit_all("attention", curve_attention.sets(prompts, "bfloat16"), pattern)
  local gemm = fit_all("gemm", curve_gemm.sets(matmuls), pattern)
  if pattern then return end
  local path = here .. "/../../lua/ballpark/catalog/curves.lua"
  local file = assert(io.open(path, "wb"))
  file:write(curve_table.text(gemm, attention, collective))
  file:close()
end

main(arg[1], arg[2])
