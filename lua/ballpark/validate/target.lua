-- What a row measured, as seconds of a step: directly, from a throughput, or from a FLOP rate through
-- the convention its software counts FLOP by.
local counted_flop = require("ballpark.resolve.training.counted_flop")
local range = require("ballpark.range")
local tables = require("ballpark.tables")

local target = {}

local GiB <const> = 1 << 30

--- How FLOP rates become step times: for explain and README.
target.rules = {
  { column = "tokens_per_s_per_gpu", says = "predicted in its own unit where it is given" },
  { column = "step_s", says = "predicted where tokens_per_s_per_gpu is blank" },
  { column = "tflops_per_gpu", says = "where neither is given: made a step time by flops_convention; "
    .. "hw_with_recompute counts full attention and, with full recomputation, the layers' forward twice "
    .. "(Megatron-LM 2021); model counts attention as attention_counted says, else full, in the class megatron causal "
    .. "from 2025 on, in nanotron the embedding, too; unknown is taken as model. A step that would be over before any "
    .. "attention is shows that attention was counted full, in all rows of its family, framework and year" },
  { column = "mfu_pct", says = "where no other is given: model FLOP against the dense peak of the precision" },
  { column = "peak_mem", says = "GiB per device, a row of its own in the summary of memory; "
    .. "in the class megatron what was allocated, without context and fragmentation" },
}

-- Dense peak that a utilisation is stated against.
local peak_of_precision = {
  fp8 = "fp8_flop_s", mxfp8 = "fp8_flop_s", int8 = "int8_flop_s", nvfp4 = "fp4_flop_s",
  fp32 = "fp32_flop_s", tf32 = "tf32_flop_s",
}

local function rate_flop(case, attention)
  if case.row.flops_convention ~= "hw_with_recompute" then return counted_flop.per_token(case, attention) end
  local flops, again = counted_flop.of(case), case.plan.recompute == "full"
  if case.row.attention_counted == "none" then
    return (again and 4 or 3) * flops.matmul_forward, again and "no attention, recomputation" or "no attention"
  end
  if again then return flops.megatron_token, "full attention and recomputation" end
  return flops.model_token_full, "full attention"
end

-- What was measured is of the sequences there were, not of as many as the fullest rank's share makes on all.
local function tokens(case) return (case.sequences or case.job.global_batch) * case.job.seq_len end

local function from_flop(case, flop_token, flop_s, what)
  local seconds = tokens(case) * flop_token / (flop_s * case.devices)
  return { metric = "step_s", measured = seconds, measured_step_s = seconds,
    said = "measured step from " .. what }
end

-- The time that a FLOP rate stands for when attention is counted so.
local function of_rate(case, attention)
  local row = case.row
  if row.tflops_per_gpu then
    local flop, how = rate_flop(case, attention)
    return from_flop(case, flop, row.tflops_per_gpu * 1e12, "TFLOP/s, " .. how)
  end
  local flop, how = counted_flop.per_token(case, attention)
  local peak = case.device[peak_of_precision[case.plan.precision]] or case.device.bf16_flop_s
  return from_flop(case, flop, row.mfu_pct / 100 * peak, "MFU, " .. how)
end

--- Metric, measured value in the row's unit and measured seconds of a step, of_step where the step itself was
--- measured, not tokens or FLOP per second; nil without a time.
---@param case table of ballpark.validate.training_case
---@param shown string|nil how a row of the same software is known to count attention, for rows that do not say it
function target.time(case, shown)
  local row = case.row
  if row.tokens_per_s_per_gpu then
    return { metric = "tokens_per_s_per_gpu", measured = row.tokens_per_s_per_gpu,
      measured_step_s = tokens(case) / (row.tokens_per_s_per_gpu * case.devices) }
  end
  if row.step_s then
    return { metric = "step_s", measured = row.step_s, measured_step_s = row.step_s, of_step = true }
  end
  if not (row.tflops_per_gpu or row.mfu_pct) then return nil end
  local attention, stated = case.attention_counted, case.attention_stated
  local time = of_rate(case, not stated and shown or attention)
  time.open = not stated and attention == "causal" and not shown
  return time
end

-- FLOP that attention executes over those of its forward: backward computes the scores again.
local ATTENTION_PASSES <const> = 3.5

-- Share of the dense 16-bit peak that no published attention reaches over forward and backward: FlashAttention-3 has
-- 0.75 of it forward and 0.6 backward on H100 (Shah et al., arXiv:2407.08608).
local ATTENTION_PEAK <const> = 0.7

-- Whether a step would be over before the device can have done its attention, and its matmuls at their peak.
local function too_short(case)
  local time, device, flops = case.time, case.device, counted_flop.of(case)
  if not (time and time.open) then return false end
  local peak = device[peak_of_precision[case.plan.precision]] or device.bf16_flop_s
  local token_s = 3 * flops.matmul_forward / peak
    + ATTENTION_PASSES * flops.attention_forward / (ATTENTION_PEAK * device.bf16_flop_s)
  return tokens(case) * token_s / case.devices > time.measured_step_s
end

local function software_of(row)
  return table.concat({ row.family or "", row.framework or "", row.year or "" }, "\0")
end

local function correct(case)
  local before = case.time.said
  case.time = target.time(case, "full")
  case.measured_step_s = case.time.measured_step_s
  for i, said in ipairs(case.assumed) do
    if said == before then
      case.assumed[i] = case.time.said .. ": causal, a run of its software would be faster than any attention"
    end
  end
end

--- Changes time and measured_step_s of the cases whose software is shown to count attention full by one of them, a step
--- that would otherwise be over before any device's attention is.
---@param cases table[] of ballpark.validate.training_case
function target.settle(cases)
  local full = {}
  for _, case in ipairs(cases) do
    if too_short(case) then full[software_of(case.row)] = true end
  end
  for _, case in ipairs(cases) do
    if case.time and case.time.open and full[software_of(case.row)] then correct(case) end
  end
end

--- What is asked of a row before it is resolved: metric and stated value of time and of memory.
function target.asked(row)
  local time
  if row.tokens_per_s_per_gpu then time = { "tokens_per_s_per_gpu", row.tokens_per_s_per_gpu }
  elseif row.step_s or row.tflops_per_gpu or row.mfu_pct then time = { "step_s", row.step_s }
  end
  return time, row.peak_mem and { "peak_mem", row.peak_mem } or nil
end

--- Predicted value in the unit of `metric` from seconds of a step.
function target.predicted(case, metric, step_s)
  if metric == "step_s" then return step_s end
  return (case.time and case.time.tokens or tokens(case)) / (step_s * case.devices)
end

--- The range of factors on a step time, on the unit of `metric`.
---@param metric string
---@param band ballpark.range|nil
function target.band(metric, band)
  if metric == "step_s" or not band then return band end
  return range.under(band, 1)
end

--- Of the memory of a device and what is allocated of it, the one that the class of software logs.
function target.logged_bytes(traits, total_bytes, allocated_bytes)
  return traits.memory_log == "allocated" and allocated_bytes or total_bytes
end

-- What the caching allocator holds: all but the context of the device.
local function reserved_bytes(case, memory)
  return memory.total_bytes - math.min(memory.overhead_bytes or 0, case.input.profile.context_bytes or 0)
end

-- The same with blocks that the allocator need not hold: they fill the device at most.
local function with_cached(case, memory)
  local room = math.max(0, memory.capacity_bytes - memory.total_bytes)
  local cached = math.min(case.cached_bytes, room)
  return tables.with(memory, { total_bytes = memory.total_bytes + cached,
    overhead_bytes = (memory.overhead_bytes or 0) + cached })
end

--- GiB as peak_mem states them: the whole device; what the framework allocated, where its class logs that; or what the
--- row says of its own log (case.memory_log: device, reserved or allocated).
function target.memory(case, memory)
  if case.cached_bytes then memory = with_cached(case, memory) end
  if case.memory_log == "reserved" then return reserved_bytes(case, memory) / GiB end
  return target.logged_bytes(case.memory_log and case or case.traits, memory.total_bytes,
    memory.total_bytes - (memory.overhead_bytes or 0)) / GiB
end

return target
