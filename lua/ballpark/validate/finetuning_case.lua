-- A row of measured fine-tuning as an estimate: memory at its longest sequence, time over the lengths of its samples.
local finetuning_facts = require("ballpark.measured.finetuning_facts")
local lengths = require("ballpark.resolve.training.lengths")
local tables = require("ballpark.tables")
local training_case = require("ballpark.validate.training_case")

local finetuning_case = {}

-- Mean seconds of a step over the lengths of its micro-batches.
local function step_s(case, points)
  local sum = 0
  for _, length in ipairs(points) do
    local job = tables.with(case.input.job, { seq_len = length })
    sum = sum + case.context.estimate(tables.with(case.input, { job = job })).time.step_s
  end
  return sum / #points
end

-- What was measured, as the row's own figure and as seconds of a step.
local function measured(row, tokens, devices)
  if row.step_s then
    return { metric = "step_s", measured = row.step_s, measured_step_s = row.step_s, of_step = true }
  end
  return { metric = "tokens_per_s_per_gpu", measured = row.tokens_per_s_per_gpu,
    measured_step_s = tokens / (row.tokens_per_s_per_gpu * devices) }
end

local function held_of(case, about)
  local longest = case.job.seq_len
  if about.lengths == nil then return lengths.full(longest) end
  if about.lengths == false then return nil end
  local plan = case.plan
  return lengths.of(tables.with({ longer = case.traits.longer }, about.lengths), longest, plan.micro_batch,
    { dp = plan.dp, zero = plan.zero, micro_batches = case.out.time.micro_batches })
end

-- Micro-batches over the longest where nobody says more than that they vary: as of any length alike.
local USUAL_SHARE <const> = { mean = 1 / 2, squares = 1 / 3 }

-- Where neither the lengths nor that memory was reserved is said for sure, no blocks of other lengths are counted, nor
-- where one sample is about as long as another.
local function add_cached(case, about, held)
  local doubtful = (case.row.mem_stat or ""):find("allocated", 1, true) or lengths.is_of_sample(case.model)
  if about.lengths == nil or not held and doubtful then return end
  local share = held and lengths.share(held, case.job.seq_len) or USUAL_SHARE
  case.cached_bytes = lengths.cached_bytes(case.out.memory, share, case.traits)
end

local function add_time(case, about, held)
  local row = case.row
  if not (row.step_s or row.tokens_per_s_per_gpu) then return end
  if not row.batch_per_gpu then
    case.no_time = "batch_per_gpu: not stated"
  elseif not held then
    case.no_time = "seq_kind: how long samples are is not said"
  else
    local tokens = case.job.global_batch * held.tokens
    case.time = measured(row, tokens, case.devices)
    case.step_s = about.steps * step_s(case, held.slowest)
    case.time.tokens = tokens
    case.measured_step_s = case.time.measured_step_s
  end
end

--- As training_case.of; no_time: why what was measured is not predicted; memory_log: what the row's memory means; cached_bytes: what the
--- allocator holds beyond what it needs.
---@param row table of ballpark.measured.finetuning_columns
---@param context table
function finetuning_case.of(row, context)
  local facts, said, about = finetuning_facts.of(row)
  local bare = tables.with(row)
  bare.step_s, bare.tokens_per_s_per_gpu = nil, nil
  local case = training_case.resolved(bare, facts, said, context)
  case.row, case.memory_log, case.unsaid_lengths = row, about.memory_log, about.lengths == false
  local held = held_of(case, about)
  add_cached(case, about, held)
  add_time(case, about, held)
  return case
end

return finetuning_case
