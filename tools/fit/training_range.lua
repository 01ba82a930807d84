-- Learns how wide the range of an estimate has to be, from published runs that the fit of the
-- coefficients did not see: the fit is made again without each family, and scored there.
--
--   build/ballpark lua tools/fit/training_range.lua RUNS.csv FLAGS.csv          learns and prints
--   build/ballpark lua tools/fit/training_range.lua RUNS.csv FLAGS.csv --write    also writes the table
--
-- To be run after tools/fit/profiles.lua --write: the posterior widths belong to that fit.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local borrowed = require("borrowed")
local coefficients = require("ballpark.catalog.coefficients")
local coverage = require("coverage")
local extrapolated = require("ballpark.range.extrapolated")
local features = require("ballpark.range.features")
local files = require("ballpark.files")
local law = require("ballpark.range.law")
local learn = require("ballpark.range.learn")
local left_out = require("ballpark.calibrate.left_out")
local lua_source = require("ballpark.lua_source")
local measured = require("measured_runs")
local memory_fit = require("memory_fit")
local problem = require("ballpark.calibrate.problem")
local sources = require("ballpark.range.sources")
local training_open = require("ballpark.range.training_open")
local widths = require("ballpark.range.log_widths")

-- Runs on a device that the fit did not see are never estimated better than others: least widening.
local LEAST_WIDENING <const> = 1.1

local function sound(case) return not case.flagged end

-- Runs whose software is kept from the estimate are in no fit.
local function fitted_to(case) return sound(case) and not case.unnamed end

local function family(case) return case.family end
local function device(case) return case.input.device.name end

local known = {}

-- Log widths by what a row leaves blank, which widen its range by themselves: the law is what is left.
local function wide_of(case)
  known[case] = known[case] or training_open.widths(case.whole, case.whole.out)
  return known[case]
end

-- Of the step, or of a token where the measured figure is a rate.
local function time_width(case)
  local wide = wide_of(case)
  return case.time and case.time.of_step and wide.step or wide.token
end

-- A residual is ln(predicted / measured).
local function beyond(residual, wide) return -widths.beyond(-residual, wide[1], wide[2]) end

-- The residual of a step, beside what is left open of it and what tensor parallelism between domains adds.
local function of_step(case, residual)
  local between = extrapolated.crossing(case)
  return beyond(beyond(residual, time_width(case)), { between, between })
end

-- Residuals with features of a fit without the group of each case.
local function samples_of(all, group)
  local list = {}
  for i, out in pairs(left_out.fit(all, group, fitted_to)) do
    local case = all.cases[i]
    list[#list + 1] = { index = i, case = case, family = case.family, features = out.features,
      cell = sources.cell(case), unlearned = out.unlearned, residual = of_step(case, out.residual) }
  end
  table.sort(list, function(a, b) return a.index < b.index end)
  return list
end

-- Residuals of peaks of memory under fits without the family of each. What a program keeps hardly hangs on the device:
-- sources differ by their software.
local function memory_samples(cases)
  local list = {}
  local errors = memory_fit.unseen(cases)
  for i, case in ipairs(cases) do
    if not case.flagged then
      list[#list + 1] = { case = case, family = case.family, cell = case.class,
        residual = beyond(errors[i], wide_of(case).memory),
        features = features.of({ input = case.input, known = case.known, open = case.open }) }
    end
  end
  return list
end

-- Of steps, those with and those without the name of the software.
local function parted(samples)
  local named, unnamed = {}, {}
  for _, sample in ipairs(samples) do
    local list = sample.case.unnamed and unnamed or named
    list[#list + 1] = sample
  end
  return named, unnamed
end

-- How much wider ranges are of software whose name is in no class.
local function unknown_widening(law_of, samples, power)
  return math.max(1, learn.times(law_of, samples, power))
end

local function set_of(cases, key)
  local set = {}
  for _, case in ipairs(cases) do set[key(case)] = true end
  return set
end

local function counts_of(cases, key)
  local counts = {}
  for _, case in ipairs(cases) do counts[key(case)] = (counts[key(case)] or 0) + 1 end
  return counts
end

local function most_of(cases, key)
  local most = 0
  for _, case in ipairs(cases) do most = math.max(most, key(case)) end
  return most
end

-- Of the runs that the fit is made of.
local function ranges_of(all)
  local cases = {}
  for _, case in ipairs(all) do
    if sound(case) then cases[#cases + 1] = case end
  end
  return {
    devices = counts_of(cases, device),
    precisions = set_of(cases, function(case) return case.input.plan.precision or "bf16" end),
    most_devices = most_of(cases, function(case) return case.input.network.devices end),
    longest_seq_len = most_of(cases, function(case) return case.input.job.seq_len end),
  }
end

local function deviations_of(fit)
  local named = {}
  for j, coefficient in ipairs(coefficients.published) do
    named[coefficients.name(coefficient)] = math.min(1, fit.deviations[j])
  end
  return named
end

local HEADER = [[
-- How far estimates are off on runs that no fit has seen, written by tools/fit/training_range.lua; do not
-- edit. Half a range of 80 %% in ln(measured / estimated) is width * exp(level + slopes . features), and what
-- deviations make of the step beside it; what sources of the same software and kind of device differ by
-- (ballpark.range.sources) is beside that; times `widening` outside of `ranges` (devices: runs that the fit is
-- made of) and times `unknown` for software whose name is in no class (what these runs ask for, their software kept from
-- the estimate), beside what curves borrowed from another device leave open (`borrowed`: holds for matmuls of four in
-- five pairs of timed devices, tools/fit/borrowed.lua); features are those of ballpark.range.features, the sum is in
-- ballpark.range.learn. deviations: what these runs left open of each coefficient, in prior widths.
-- %d steps, %d peaks of memory.
return ]]

local function main(path, flags, mode)
  local cases, unnamed, weighed = measured.cases(path, flags), measured.unnamed_cases(path, flags)
  local all, both = problem.new(cases, coefficients.published), table.move(cases, 1, #cases, 1, {})
  for _, case in ipairs(unnamed) do
    case.unnamed = true
    both[#both + 1] = case
  end
  local time, unknown_time = parted(samples_of(problem.new(both, coefficients.published), family))
  local memory, unknown_memory = memory_samples(measured.memory_cases(path, flags)), memory_samples(weighed)
  local fitted = assert(learn.law(time, learn.FAMILIES_AND_ROWS))
  local held = assert(learn.law(memory))
  local answer = {
    time = fitted, memory = held,
    unknown = { time = unknown_widening(fitted, unknown_time, learn.FAMILIES_AND_ROWS),
      memory = unknown_widening(held, unknown_memory) },
    widening = math.max(LEAST_WIDENING, learn.widening(fitted, samples_of(all, device))),
    borrowed = borrowed.width(law.COVERAGE),
    ranges = ranges_of(all.cases), deviations = deviations_of(all:fit(sound)),
  }
  coverage.print("step time, family left out", time, learn.FAMILIES_AND_ROWS)
  coverage.print("peak memory, family left out", memory)
  print("wider by", answer.widening, "by borrowed curves", answer.borrowed, "of unknown software", answer.unknown.time,
    answer.unknown.memory)
  if mode == "--write" then
    files.write("lua/ballpark/catalog/fitted/training_range.lua",
      HEADER:format(#time, #memory) .. lua_source.of(answer, 4) .. "\n")
  end
end

main(arg[1], arg[2], arg[3])
