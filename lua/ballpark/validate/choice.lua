-- How good the plans are that estimates choose. Rows that differ in their plan only make a group: the plan predicted
-- fastest is taken, and what was measured says what that costs. Times are seconds of a step.
local columns = require("ballpark.measured.training_columns")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")

local choice = {}

-- Columns of a plan; rows of a group may differ in them.
local PLAN <const> = tables.set({ "tp", "pp", "vpp", "schedule", "schedule_label", "dp", "cp", "ep", "etp", "zero", "sharding_label",
  "dp_shard", "sequence_parallel", "tp_overlap", "ep_overlap", "recompute", "recompute_modules", "micro_batch", "flash" })

-- Columns that name a row or measure it.
local BESIDE <const> = tables.set({ "case_id", "source", "gpu_label", "step_s", "tokens_per_s_per_gpu", "tflops_per_gpu",
  "flops_convention", "attention_counted", "mfu_pct", "peak_mem" })

-- Plans whose measured steps differ by less are equally good.
local CLOSE <const> = 0.03

-- Regret that people hardly notice.
local SMALL <const> = 0.05

--- What each figure means, for explain.
choice.doc = {
  { "groups", "groups of rows that differ in the columns of their plan only, with two plans or more" },
  { "regret", "measured step of the plan predicted fastest over that of the fastest measured, less 1" },
  { "within_5", "share of groups with a regret of at most 5 %" },
  { "pairs", "of two plans of a group whose measured steps differ by 3 % and more, share predicted in the right order" },
  { "runs", "plans run in predicted order until one is within 3 % of the fastest measured, mean over groups" },
  { "random_runs", "the same in a random order, expected" },
}

local function columns_of(wanted)
  local names = {}
  for _, column in ipairs(columns.list) do
    if wanted(column[1]) then names[#names + 1] = column[1] end
  end
  return names
end

local SHARED <const> = columns_of(function(name) return not PLAN[name] and not BESIDE[name] end)
local OWN <const> = columns_of(function(name) return PLAN[name] end)

local function key(row, names)
  local parts = {}
  for i, name in ipairs(names) do parts[i] = tostring(row[name]) end
  return table.concat(parts, "\0")
end

-- Runs of one plan as one: the mean of their measured steps.
local function plan_of(group, run)
  local id = key(run.row, OWN)
  local plan = group.by_plan[id]
  if not plan then
    plan = { case_id = run.case_id, predicted_s = run.predicted_s, sum_s = 0, runs = 0 }
    group.by_plan[id], group.plans[#group.plans + 1] = plan, plan
  end
  plan.sum_s, plan.runs = plan.sum_s + run.measured_s, plan.runs + 1
  plan.measured_s = plan.sum_s / plan.runs
end

--- What two rows of one job share: all that is stated but plan and measurements.
function choice.job_key(row) return key(row, SHARED) end

--- Groups of runs { case_id, family, row, predicted_s, measured_s } as lists of plans { case_id, predicted_s, measured_s
--- }, in the order of the table; those with one plan are left out.
---@param runs table[]
---@return table[] groups { family, plans }
function choice.groups(runs)
  local all, found = {}, {}
  for _, run in ipairs(runs) do
    local id = choice.job_key(run.row)
    if not found[id] then
      found[id] = { family = run.family, row = run.row, plans = {}, by_plan = {} }
      all[#all + 1] = found[id]
    end
    plan_of(found[id], run)
  end
  local groups = {}
  for _, group in ipairs(all) do groups[#groups + 1] = #group.plans > 1 and group or nil end
  return groups
end

local function by_prediction(plans)
  local order = {}
  for i, plan in ipairs(plans) do order[i] = { plan = plan, at = i } end
  table.sort(order, function(a, b)
    if a.plan.predicted_s ~= b.plan.predicted_s then return a.plan.predicted_s < b.plan.predicted_s end
    return a.at < b.at
  end)
  for i, entry in ipairs(order) do order[i] = entry.plan end
  return order
end

-- Pairs that differ by CLOSE and more, and those of them in the right order.
local function pairs_of(plans)
  local count, right = 0, 0
  for i = 1, #plans do
    for j = i + 1, #plans do
      local fast, slow = plans[i], plans[j]
      if fast.measured_s > slow.measured_s then fast, slow = slow, fast end
      if slow.measured_s >= (1 + CLOSE) * fast.measured_s then
        count, right = count + 1, right + (fast.predicted_s < slow.predicted_s and 1 or 0)
      end
    end
  end
  return count, right
end

--- The figures of one group: { case_id (chosen), best_id, plans (how many), regret, pairs, right, runs, random_runs }.
---@param plans table[] { case_id, predicted_s, measured_s }
function choice.of(plans)
  local order, best = by_prediction(plans), plans[1]
  for _, plan in ipairs(plans) do
    if plan.measured_s < best.measured_s then best = plan end
  end
  local good, runs = 0, nil
  for i, plan in ipairs(order) do
    if plan.measured_s <= (1 + CLOSE) * best.measured_s then good, runs = good + 1, runs or i end
  end
  local pair_count, right = pairs_of(plans)
  return { case_id = order[1].case_id, best_id = best.case_id, plans = #plans,
    regret = order[1].measured_s / best.measured_s - 1, pairs = pair_count, right = right, runs = runs,
    random_runs = (#plans + 1) / (good + 1) }
end

local function mean(list, field)
  local sum = 0
  for _, item in ipairs(list) do sum = sum + item[field] end
  return sum / #list
end

local function values(list, field)
  local found = {}
  for i, item in ipairs(list) do found[i] = item[field] end
  return found
end

-- The figures of several groups together: { groups, plans, mean_regret, median_regret, within_5, pairs (share in the
-- right order, nil without pairs), runs, random_runs }.
local function summary(list)
  local close, pair_count, right, plans = 0, 0, 0, 0
  for _, group in ipairs(list) do
    close = close + (group.regret <= SMALL and 1 or 0)
    pair_count, right, plans = pair_count + group.pairs, right + group.right, plans + group.plans
  end
  return { groups = #list, plans = plans, mean_regret = mean(list, "regret"),
    median_regret = statistics.median(values(list, "regret")), within_5 = close / #list,
    pairs = pair_count > 0 and right / pair_count or nil, runs = mean(list, "runs"),
    random_runs = mean(list, "random_runs") }
end

-- What families have on average, each as much as the others.
local function mean_of_families(families)
  local all = { groups = 0, plans = 0 }
  for _, name in ipairs({ "mean_regret", "median_regret", "within_5", "pairs", "runs", "random_runs" }) do
    local having = {}
    for _, family in ipairs(families) do having[#having + 1] = family[name] and family or nil end
    all[name] = #having > 0 and mean(having, name) or nil
  end
  for _, family in ipairs(families) do
    all.groups, all.plans = all.groups + family.groups, all.plans + family.plans
  end
  return all
end

--- How good the choices are: { summary (over all groups), of_families (mean over families), families (sorted by name),
--- groups (in the order of the table) }; summary and of_families are nil without a group.
---@param runs table[] see choice.groups
function choice.figures(runs)
  local groups = {}
  for i, group in ipairs(choice.groups(runs)) do
    groups[i] = tables.with(choice.of(group.plans), { family = group.family, model = group.row.model,
      gpus = group.row.gpus })
  end
  local names, parts = statistics.split(groups, function(group) return group.family end)
  local families = {}
  for i, name in ipairs(names) do families[i] = tables.with(summary(parts[name]), { family = name }) end
  local any = #groups > 0
  return { summary = any and summary(groups) or nil, of_families = any and mean_of_families(families) or nil,
    families = families, groups = groups }
end

--- The runs of an answer of ballpark.validate.run that were timed and predicted, but for those named in `skipped`.
---@param answer table
---@param skipped table<string, boolean>
function choice.runs(answer, skipped)
  local runs = {}
  for _, row in ipairs(answer.times) do
    if row.error and not skipped[row.case_id] then
      runs[#runs + 1] = { case_id = row.case_id, family = row.family, row = row.row,
        predicted_s = (1 + row.error) * row.measured_step_s, measured_s = row.measured_step_s }
    end
  end
  return runs
end

return choice
