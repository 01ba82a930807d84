-- Whether the published steps of a family lie on straight lines: runs that differ in their micro-batches only take
-- so much per step and so much per micro-batch, and what is left no estimate can meet.
--
--   build/ballpark lua tools/fit/lines.lua RUNS.csv FLAGS.csv FAMILY                of one micro-batch's size
--   build/ballpark lua tools/fit/lines.lua RUNS.csv FLAGS.csv FAMILY global_batch   of one batch, without a pipeline
--
-- Prints the lines through runs with three numbers of micro-batches or more, and how far the runs are from them. A
-- line is the one through two of its runs that the others are nearest to: a bad run bends none.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local core = require("ballpark.core")
local measured = require("measured_runs")
local statistics = require("ballpark.validate.statistics")

local LEAST <const> = 3 -- through two there is always a line

local COMMON <const> = {
  device = { "name" }, model = { "hidden", "layers", "heads" }, job = { "seq_len" },
  plan = { "tp", "pp", "dp", "zero", "recompute", "precision" },
}
local PARTS <const> = { "device", "model", "job", "plan" }

-- What the runs of a line have in common.
local function name_of(case, held)
  local words = {}
  for _, part in ipairs(PARTS) do
    for _, field in ipairs(COMMON[part]) do
      words[#words + 1] = ("%s %s"):format(field, case.input[part][field] or "-")
    end
  end
  words[#words + 1] = ("%s %s"):format(held, case.input.plan[held] or case.input.job[held])
  return table.concat(words, ", ")
end

local function lines_of(cases, family, held)
  local names, lines = {}, {}
  for _, case in ipairs(cases) do
    local in_turn = held == "global_batch" and (case.input.plan.pp or 1) > 1 -- the bubble changes as well
    if case.family == family and not in_turn then
      local name = name_of(case, held)
      if not lines[name] then names[#names + 1], lines[name] = name, {} end
      table.insert(lines[name], { x = core.train_step(case.input).time.micro_batches, y = case.measured_step_s })
    end
  end
  table.sort(names)
  return names, lines
end

local function distances_from(runs, step_s, micro_s)
  local distances, sum = {}, 0
  for i, run in ipairs(runs) do
    distances[i] = math.abs((step_s + micro_s * run.x) / run.y - 1)
    sum = sum + distances[i]
  end
  return distances, sum
end

-- { step_s, micro_s, distances, sum }, or nil if there are too few numbers of micro-batches.
local function line_through(runs)
  local best, seen, count = nil, {}, 0
  for i, a in ipairs(runs) do
    if not seen[a.x] then seen[a.x], count = true, count + 1 end
    for j = 1, i - 1 do
      local b = runs[j]
      local micro_s = a.x ~= b.x and (a.y - b.y) / (a.x - b.x)
      if micro_s and micro_s >= 0 then
        local distances, sum = distances_from(runs, a.y - micro_s * a.x, micro_s)
        if not best or sum < best.sum then
          best = { step_s = a.y - micro_s * a.x, micro_s = micro_s, distances = distances, sum = sum }
        end
      end
    end
  end
  return count >= LEAST and best or nil
end

local function main(path, flags, family, held)
  local names, lines = lines_of(measured.cases(path, flags), family, held)
  local all, sum = {}, 0
  for _, name in ipairs(names) do
    local line = line_through(lines[name])
    if line then
      print(("%s: %.3f ms and %.4f ms per micro-batch; %d runs, %.2g %% off on the mean"):format(name,
        1e3 * line.step_s, 1e3 * line.micro_s, #line.distances, 100 * line.sum / #line.distances))
      table.move(line.distances, 1, #line.distances, #all + 1, all)
      sum = sum + line.sum
    end
  end
  if #all == 0 then return print("no such lines") end
  print(("%d runs are off their lines by %.2g %% on the mean, %.2g in the median, %.2g at most"):format(#all,
    100 * sum / #all, 100 * statistics.median(all), 100 * statistics.quantile(all, 1)))
end

main(arg[1], arg[2], arg[3], arg[4] or "micro_batch")
