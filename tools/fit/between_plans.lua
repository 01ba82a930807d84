-- Learns how plans of one job are off against each other, from jobs that were published with several plans:
--
--   build/ballpark lua tools/fit/between_plans.lua RUNS.csv FLAGS.csv          learns and prints
--   build/ballpark lua tools/fit/between_plans.lua RUNS.csv FLAGS.csv --write  also writes the table
--
-- To be run after tools/fit/training_range.lua --write. Each family is predicted by a fit that saw nothing of it; of
-- the laws of a grid the one is taken under which what remains is most likely (all plans of a family together, which share
-- a scale), every family counting as much as its plans, but none for more than FULL_PLANS. Each family is scored by the
-- law that the others give, too.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local between_plans = require("ballpark.range.between_plans")
local choice = require("ballpark.validate.choice")
local coefficients = require("ballpark.catalog.coefficients")
local core = require("ballpark.core")
local files = require("ballpark.files")
local left_out = require("ballpark.calibrate.left_out")
local lua_source = require("ballpark.lua_source")
local measured = require("measured_runs")
local problem = require("ballpark.calibrate.problem")
local tables = require("ballpark.tables")
local training = require("ballpark.range.training")

local FULL_PLANS <const> = 15

local GRID <const> = {
  coefficients = { 2, 3, 4.5 },
  plan = { 0.03, 0.045, 0.06, 0.08 },
  reach = { 2, 5, 12 },
  own = { 0, 0.015, 0.03, 0.045, 0.06 },
  freedom = { 1, 2, 3, 4, 6, 10 },
}

-- Jobs { family, plans, moves, residuals } of what the families left out are predicted by.
local function jobs_of(cases)
  local all = problem.new(cases, coefficients.published)
  local found = left_out.fit(all, function(case) return case.family end, function(case) return not case.flagged end)
  local runs, at = {}, {}
  for i, case in ipairs(cases) do
    if found[i] and not case.flagged then
      local id = "run " .. i
      runs[#runs + 1] = { case_id = id, family = case.family, row = case.row, measured_s = case.measured_step_s,
        predicted_s = case.measured_step_s * math.exp(found[i].residual) }
      at[id] = all:moved(i, found[i].x)
    end
  end
  local jobs = {}
  for _, group in ipairs(choice.groups(runs)) do
    local job = { family = group.family, plans = {}, inputs = {}, residuals = {} }
    for i, plan in ipairs(group.plans) do
      local case = at[plan.case_id]
      job.case, job.inputs[i], job.plans[i] = case, case.input, case.input.plan
      job.residuals[i] = math.log(plan.predicted_s / plan.measured_s)
    end
    job.moves = training.moves(job.case, job.inputs)
    jobs[#jobs + 1] = job
  end
  return jobs
end

-- Of the residuals of a job: ln of the determinant of their covariance (half of it), the sum of their squares by it, and
-- how many numbers they are beside what is off alike in all.
local function parts_of(job, law)
  local n = #job.residuals
  local covariance = between_plans.covariance(job.plans, job.moves, law)
  for i = 1, n do covariance[(i - 1) * n + i] = covariance[(i - 1) * n + i] + between_plans.REPEAT ^ 2 end
  local factor = core.joint_factor(covariance, n)
  local sum, squares, white = 0, 0, {}
  for i = 1, n do
    local rest = job.residuals[i]
    for j = 1, i - 1 do rest = rest - factor[(i - 1) * n + j] * white[j] end
    local own = factor[(i - 1) * n + i]
    white[i] = rest / own
    sum, squares = sum + math.log(own), squares + white[i] ^ 2
  end
  return sum, squares, n - 1
end

-- ln of the gamma function: Stirling's series, from 8 on.
local function log_gamma(x)
  local below = 0
  while x < 8 do
    below, x = below + math.log(x), x + 1
  end
  return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi) + 1 / (12 * x) - 1 / (360 * x ^ 3) - below
end

-- Minus ln of how likely the residuals of a family are, whose jobs have one scale (Student's t of so many numbers).
local function surprise(of, freedom)
  local weight = math.min(1, FULL_PLANS / of.count)
  local n = weight * of.count
  return weight * of.sum + (freedom + n) / 2 * math.log(1 + weight * of.squares / freedom)
    + log_gamma(freedom / 2) - log_gamma((freedom + n) / 2) + n / 2 * math.log(freedom)
end

local function by_family(jobs, law)
  local sums, names = {}, {}
  for _, job in ipairs(jobs) do
    local of = sums[job.family]
    if not of then of, names[#names + 1] = { sum = 0, squares = 0, count = 0 }, job.family end
    sums[job.family] = of
    local sum, squares, count = parts_of(job, law)
    of.sum, of.squares, of.count = of.sum + sum, of.squares + squares, of.count + count
  end
  return sums, names
end

local function score(item, but)
  local all = 0
  for _, name in ipairs(item.names) do
    if name ~= but then all = all + surprise(item.sums[name], item.law.freedom) end
  end
  return all
end

-- All laws of the grid but for the scale.
local function laws()
  local list = {}
  for _, c in ipairs(GRID.coefficients) do
    for _, p in ipairs(GRID.plan) do
      for _, r in ipairs(GRID.reach) do
        for _, o in ipairs(GRID.own) do list[#list + 1] = { coefficients = c, plan = p, reach = r, own = o } end
      end
    end
  end
  return list
end

-- All laws of the grid with what the jobs say of them.
local function tried_on(jobs)
  local list = {}
  for _, law in ipairs(laws()) do
    local sums, names = by_family(jobs, law)
    for _, f in ipairs(GRID.freedom) do
      list[#list + 1] = { sums = sums, names = names, law = tables.with(law, { freedom = f }) }
    end
  end
  return list
end

local function best_of(tried, but)
  local best, least
  for _, item in ipairs(tried) do
    local of = score(item, but)
    if not best or of < least then best, least = item, of end
  end
  return best
end

local function words_of(law)
  return ("coefficients %.1f plan %.3f reach %.1f own %.3f freedom %d"):format(law.coefficients, law.plan, law.reach,
    law.own, law.freedom)
end

local HEADER = [[
-- How plans of one job are off against each other, written by tools/fit/between_plans.lua; do not edit. coefficients:
-- what the fit leaves open of them (training_range.lua) times this, for sources differ by more than one fit tells;
-- plan: deviation of ln(measured / estimated) that is a plan's own; reach: how far plans are from each other
-- (doublings, and settings that differ) where they share an e-th of it; own: what is of one plan alone; freedom: degrees of freedom of the scale of all
-- that, which differs from source to source. %d jobs with %d plans, each family left out.
return ]]

local function main(path, flags, mode)
  local jobs = jobs_of(measured.cases(path, flags))
  local tried, plans = tried_on(jobs), 0
  local best = best_of(tried)
  for _, job in ipairs(jobs) do plans = plans + #job.plans end
  print(("%-16s %6s %9s %9s %6s   %s"):format("family", "plans", "with it", "without", "scale", "law of the others"))
  for _, name in ipairs(best.names) do
    local others, own = best_of(tried, name), best.sums[name]
    print(("%-16s %6d %9.2f %9.2f %6.2f   %s"):format(name, own.count, surprise(own, best.law.freedom),
      surprise(others.sums[name], others.law.freedom), math.sqrt(own.squares / own.count), words_of(others.law)))
  end
  print(words_of(best.law))
  if mode == "--write" then
    files.write("lua/ballpark/catalog/fitted/between_plans.lua",
      HEADER:format(#jobs, plans) .. lua_source.of(best.law, 4) .. "\n")
  end
end

main(arg[1], arg[2], arg[3])
