-- Predictions against published throughput of serving engines: output tokens per second, of a full engine by
-- the closed form's steady state, with as many sequences as the batch says, or as the engine and its cache hold; of
-- a static batch by simulating it from its first prompt to its last token.
local catalog = require("ballpark.catalog")
local columns = require("ballpark.measured.throughput_columns")
local core = require("ballpark.core")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local local_case = require("ballpark.validate.local_case")
local local_inference = require("ballpark.validate.local_inference")
local number_list = require("ballpark.number_list")
local range = require("ballpark.range")
local ranges = require("ballpark.range.serving")
local resolve = require("ballpark.resolve.serving")
local serving_curves = require("ballpark.catalog.serving_curves")
local statistics = require("ballpark.validate.statistics")
local table_rows = require("ballpark.measured.table_rows")
local tables = require("ballpark.tables")
local throughput_case = require("ballpark.validate.throughput_case")

local throughput = {}

throughput.metrics = { "tokens_per_s" }

throughput.columns = columns.list

throughput.read = columns.read

local function plan_of(case, width, grouped)
  local plan = { tp = width, pp = case.pp, weights = case.weights, experts = case.experts, kv = case.kv }
  if (case.model.experts or 0) == 0 then return plan end
  if grouped then
    plan.tp = case.group or 1
    plan.dp = width // plan.tp
  end
  plan.ep = case.ep or grouped and width or 1
  return plan
end

local function setup_of(case, width, grouped)
  local cluster = catalog.cluster({ device = case.row.gpu, devices = width * case.pp })
  local plan = plan_of(case, width, grouped)
  return { model = case.model, device = cluster.device, network = cluster.network,
    curves = (serving_curves.get(cluster.device)), engine = resolve.in_process(case.engine), plan = plan, pool_tokens = case.pool_tokens }
end

-- Tokens that count for one token of an answer: of a rate of prompts those that it was written after.
local function tokens_counted(case) return case.prompts and case.input_tokens or 1 end

-- Tokens per second of one replica, and the sequences that ran.
local function steady(case, width, grouped)
  local setup = setup_of(case, width, grouped)
  local out = core.infer_load(tables.with(setup, {
    concurrency = case.concurrency or case.engine.max_running * (setup.plan.dp or 1), input_tokens = case.input_tokens,
    output_tokens = case.output_tokens, length_cv = case.together and 0 or nil }))
  return out.output_tok_s * tokens_counted(case), out.running
end

local function static_batch(case, width, grouped)
  local setup = setup_of(case, width, grouped)
  local out = core.serve(tables.with(setup, { load = {
    arrivals = "closed", lengths = "fixed", concurrency = case.concurrency, requests = case.concurrency,
    input_tokens = case.input_tokens, output_tokens = case.output_tokens * case.longest } }))
  return out.output_tok_s * tokens_counted(case) / case.longest, case.concurrency
end

-- The same per device.
local function per_device(case, width, grouped)
  local whole = case.static or case.prompts and case.concurrency
  local rate, running = (whole and static_batch or steady)(case, width, grouped)
  return rate / (width * case.pp), running
end

-- A stated batch did run: where our count leaves no room for it, it is taken to have had room.
local function stated_width(case)
  local ok, rate, running = errors.attempt(per_device, case, case.width, case.grouped)
  if ok then return rate, running end
  if not (rate.path == "memory" and case.concurrency) then error(rate, 0) end
  case.pool_tokens = (case.input_tokens + case.output_tokens + 64) * case.concurrency
  case.assumed[#case.assumed + 1] = "memory: by our count it does not fit; the batch taken to have room"
  return per_device(case, case.width, case.grouped)
end

-- Widths to try where none is stated: all that fill the devices with replicas.
local function widths(gpus) return number_list.list(1, gpus, nil, 2) end

-- Whether the ranks are one attention group or one each: as notes say, else both, where the model has experts to deal,
-- nobody says to how many and the engine is of 2025, since when it has such groups.
local function groupings(case, ranks)
  local has = (case.model.experts or 0) > 0 and ranks > 1 and not engines.beyond(case.engine.name)
  return has and not case.grouped and not case.ep and case.pp == 1 and { false, true } or { case.grouped }
end

local function best_width(case)
  local best, running, said, problem
  for _, ranks in ipairs(widths(case.gpus)) do
    for _, grouped in ipairs(groupings(case, ranks)) do
      local ok, rate, k = errors.attempt(per_device, case, ranks, grouped)
      if ok and (not best or rate > best) then
        best, running = rate, k
        said = grouped and not case.grouped and ("%d attention groups of one rank, experts dealt to all"):format(ranks)
          or ("tp %d"):format(ranks)
      end
      problem = not ok and rate or problem
    end
  end
  if not best then error(problem, 0) end
  case.assumed[#case.assumed + 1] = said .. ", the width that gives most"
  return best, running
end

--- Predicted value of a row, in the row's own measure, what was assumed, and the case.
function throughput.predict(row, models)
  local case = throughput_case.of(row, models)
  local rate, running
  if case.width then
    rate, running = stated_width(case)
  else
    rate, running = best_width(case)
  end
  if not case.concurrency then
    case.assumed[#case.assumed + 1] = ("%.0f sequences per replica, as many as there is room for"):format(running)
  end
  return row.metric_kind == "tokens_per_s_per_gpu" and rate or rate * case.gpus, case.assumed, case
end

-- The 80 % range of a throughput: that of the time of a full engine, turned over.
local function add_range(result, case)
  local borrowed, why = ranges.of_device(catalog.device(case.row.gpu), case.engine.name)
  local time = ranges.of(case.engine.name, case.model, "full_ms", { borrowed, borrowed, why = why })
  result.range = range.under(time, result.predicted)
  result.inside = range.holds(result.range, result.measured)
end

-- What an engine of one sequence or of a static batch says, by the kernel that is fitted to such.
-- The longest answer is waited for.
local function of_local_engine(row, one, longest, waits)
  local case = local_case.of(one)
  local answer = local_inference.answered(case, case.metrics[1], core.local_inference(case.resolved.input))
  local predicted, around = answer.predicted / longest, range.times(answer.range, 1 / longest)
  local assumed = table.move(answer.assumed, 1, #answer.assumed, 1, {})
  assumed[#assumed + 1] = waits
  return tables.with(answer, { row = row, metric = "tokens_per_s", assumed = assumed, predicted = predicted, range = around,
    inside = range.holds(around, answer.measured), error = predicted / answer.measured - 1 })
end

local function result_of(row, models)
  local result = { case_id = row.case_id or ("line " .. row.line), family = row.family, row = row,
    metric = "tokens_per_s", status = "uncovered", assumed = {} }
  local _, reason = table_rows.attempt(function()
    local one, longest, waits = throughput_case.of_local_engine(row)
    if one then
      result = of_local_engine(row, one, longest, waits)
      return
    end
    result.measured = throughput_case.measured(row)
    local case
    result.predicted, result.assumed, case = throughput.predict(row, models)
    add_range(result, case)
    result.error = result.predicted / result.measured - 1
    result.status = "ok"
  end)
  result.reason = reason
  return result
end

--- Predicts every row: { metrics, groups, rows } as validate.serving does.
function throughput.run(rows, options)
  local all = {}
  for i, row in ipairs(rows) do all[i] = result_of(row, options and options.models) end
  return statistics.by_metric(all, throughput.metrics, options and options.group or "family")
end

return throughput
