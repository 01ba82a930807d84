-- Replays jobs that were published with several plans as if they were tuned run by run:
--   build/ballpark lua tools/replay.lua RUNS.csv FLAGS.csv               of the families that fits take
--   build/ballpark lua tools/replay.lua RUNS.csv FLAGS.csv --kept-apart  of those that none takes
-- Each family is estimated by a fit that saw nothing of it; those that no fit takes (tools/fit/kept_apart.lua) by the
-- fit to all others. A plan is run by taking what was measured; steps that FLAGS.csv doubts, for they disagree with their
-- twins, are left out. Printed per family: runs until one is within 3 % of the
-- fastest measured, as ballpark tune proposes them, in predicted order, in a random order and as a plain Gaussian
-- process proposes them; after how many runs tune says that four in five it is within 3 %, and how often it then was.
-- Behind it, over all moments of all replays: how often it was of what chance tune gave it, and the same with every
-- family for as much as the others.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. here .. "/fit/?.lua;" .. package.path

local between_plans = require("ballpark.range.between_plans")
local choice = require("ballpark.validate.choice")
local coefficients = require("ballpark.catalog.coefficients")
local kept_apart = require("kept_apart")
local measured_runs = require("measured_runs")
local next_runs = require("ballpark.range.next_runs")
local problem = require("ballpark.calibrate.problem")
local process = require("gaussian_process")
local tables = require("ballpark.tables")
local training = require("ballpark.range.training")

local WITHIN <const>, SURE <const> = 0.03, 0.8

local apart = tables.set(kept_apart)

-- The jobs of one family under the coefficients x: plans with their input and what was measured.
local function jobs_of(all, family, x)
  local residuals, runs, at = all:residuals(x), {}, {}
  for i, case in ipairs(all.cases) do
    if case.row.family == family and residuals[i] and not case.flagged then
      local id = "run " .. i
      at[id] = i
      runs[#runs + 1] = { case_id = id, family = family, row = case.row, measured_s = case.measured_step_s,
        predicted_s = case.measured_step_s * math.exp(residuals[i]) }
    end
  end
  local jobs = {}
  for _, group in ipairs(choice.groups(runs)) do
    local job = { plans = group.plans, inputs = {}, shapes = {} }
    for i, plan in ipairs(group.plans) do
      job.case = all:moved(at[plan.case_id], x)
      job.inputs[i], job.shapes[i] = job.case.input, job.case.input.plan
    end
    jobs[#jobs + 1] = job
  end
  return jobs
end

local function fastest(job)
  local least = math.huge
  for _, plan in ipairs(job.plans) do least = math.min(least, plan.measured_s) end
  return least
end

-- Runs of the plans in the order that `next_of(taken, count)` gives, until one is near the fastest.
local function runs_until(job, next_of)
  local limit, taken = (1 + WITHIN) * fastest(job), {}
  for count = 1, #job.plans do
    local i = next_of(taken, count)
    taken[i] = job.plans[i].measured_s
    if taken[i] <= limit then return count end
  end
end

local function in_predicted_order(job)
  return runs_until(job, function(taken)
    local first
    for i, plan in ipairs(job.plans) do
      if not taken[i] and (not first or plan.predicted_s < job.plans[first].predicted_s) then first = i end
    end
    return first
  end)
end

local function at_random(job)
  local limit, good = (1 + WITHIN) * fastest(job), 0
  for _, plan in ipairs(job.plans) do good = good + (plan.measured_s <= limit and 1 or 0) end
  return (#job.plans + 1) / (good + 1)
end

-- Seeds that the process starts from, for its first run is any.
local STARTS <const> = 5

local function by_process(job)
  local sum = 0
  for seed = 1, STARTS do
    sum = sum + runs_until(job, function(taken) return process.next_of(job.shapes, taken, seed) end)
  end
  return sum / STARTS
end

-- All plans one by one as tune proposes them: runs until one is near, and what it said after each run.
local function tuned(job, words, family)
  local moves = training.moves(job.case, job.inputs)
  local covariance = between_plans.covariance(job.shapes, moves)
  local limit, plans = (1 + WITHIN) * fastest(job), {}
  for i, plan in ipairs(job.plans) do plans[i] = { log_s = math.log(plan.predicted_s), log_fill = -10 } end
  local runs, stopped, right
  local best = math.huge
  for count = 0, #plans do
    local found = next_runs.of(plans, covariance, { count = 1, within = WITHIN, memory_spread = 0.1 })
    if count > 0 and count < #plans then
      words[#words + 1] = { family = family, chance = found.within, right = best <= limit }
    end
    if count > 0 and not stopped and found.within >= SURE then stopped, right = count, best <= limit end
    if runs and stopped then break end
    local i = found.next[1].place
    plans[i].ran, plans[i].measured_s = true, job.plans[i].measured_s
    best = math.min(best, plans[i].measured_s)
    runs = runs or (best <= limit and count + 1) or nil
  end
  return runs, stopped, right
end

local function add(sums, name, values)
  local of = sums[name]
  if not of then
    of = { jobs = 0 }
    sums[name], sums[#sums + 1] = of, name
  end
  of.jobs = of.jobs + 1
  for key, value in pairs(values) do of[key] = (of[key] or 0) + value end
end

local function print_sums(sums)
  print("| family | jobs | plans | tune | predicted order | random | Gaussian process | stops after "
    .. "| then within 3 %, % |")
  print("|---|---|---|---|---|---|---|---|---|")
  for _, name in ipairs(sums) do
    local of = sums[name]
    print(("| %s | %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.0f |"):format(name, of.jobs, of.plans,
      of.tune / of.jobs, of.predicted / of.jobs, of.random / of.jobs, of.process / of.jobs, of.stopped / of.jobs,
      100 * of.right / of.jobs))
  end
end

-- How often it was true of what was said with a chance near a tenth.
local function print_words(words)
  local parts = {}
  for _, word in ipairs(words) do
    local tenth = math.min(9, word.chance * 10 // 1)
    local part = parts[tenth] or { count = 0, right = 0, said = 0 }
    parts[tenth] = part
    part.count, part.right, part.said = part.count + 1, part.right + (word.right and 1 or 0), part.said + word.chance
  end
  for tenth = 0, 9 do
    local part = parts[tenth]
    if part then
      print(("said %3.0f %%: true of %3.0f %% of %d"):format(100 * part.said / part.count,
        100 * part.right / part.count, part.count))
    end
  end
end

-- Of what was said with four in five and more, the mean of families.
local function print_families(words)
  local parts, said, right = {}, 0, 0
  for _, word in ipairs(words) do
    local part = parts[word.family] or { count = 0, right = 0, said = 0 }
    if word.chance >= SURE then
      parts[word.family] = part
      part.count, part.right, part.said = part.count + 1, part.right + (word.right and 1 or 0), part.said + word.chance
    end
  end
  local names = tables.sorted_keys(parts)
  for _, name in ipairs(names) do
    local part = parts[name]
    said, right = said + part.said / part.count / #names, right + part.right / part.count / #names
  end
  print(("in the mean of %d families, of four in five and more: said %3.0f %%, true of %3.0f %%"):format(#names, 100 * said,
    100 * right))
end

local function replay(all, names, use, title)
  local sums, words = {}, {}
  for _, family in ipairs(names) do
    local fit = all:fit(function(case) return use(case) and case.row.family ~= family end)
    for _, job in ipairs(jobs_of(all, family, fit.x)) do
      local runs, stopped, right = tuned(job, words, family)
      local values = { plans = #job.plans, tune = runs, predicted = in_predicted_order(job), random = at_random(job),
        process = by_process(job), stopped = stopped or #job.plans, right = (right or not stopped) and 1 or 0 }
      add(sums, family, values)
      add(sums, title, values)
    end
  end
  print_sums(sums)
  print_words(words)
  print_families(words)
end

local function names_of(cases)
  local set = {}
  for _, case in ipairs(cases) do set[case.row.family] = true end
  return tables.sorted_keys(set)
end

local function main(path, flags, unopened)
  local cases = measured_runs.cases(path, flags)
  local seen = problem.new(cases, coefficients.published)
  if unopened ~= "--kept-apart" then
    replay(seen, names_of(cases), function(case) return not case.flagged end, "all jobs")
    return
  end
  local others, all = measured_runs.cases_apart(path, flags), table.move(cases, 1, #cases, 1, {})
  table.move(others, 1, #others, #all + 1, all)
  replay(problem.new(all, coefficients.published), kept_apart, function(case)
    return not case.flagged and not apart[case.row.family]
  end, "all jobs kept apart")
end

main(arg[1], arg[2], arg[3])
