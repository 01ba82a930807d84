-- What a row of measured training does not say, and how much that may matter: the same row is estimated with
-- each blank column at values that are just as plausible.
local table_rows = require("ballpark.measured.table_rows")
local tables = require("ballpark.tables")
local training_case = require("ballpark.validate.training_case")
local widths = require("ballpark.range.log_widths")

local training_unknown = {}

-- Estimated share of the memory up to which a run may have fitted: nine estimates of memory in ten are less
-- than this too high.
local MAY_FIT <const> = 1.2

-- From this year on fused attention was everywhere.
local ALL_FUSED <const> = 2025

-- Values of one column, as rows of changes.
local function each(column, values)
  local list = {}
  for i, value in ipairs(values) do list[i] = { [column] = value } end
  return list
end

local function half_and_twice(column, value)
  return value > 1 and each(column, { value // 2, 2 * value }) or each(column, { 2 })
end

local function flash(case)
  return case.year < ALL_FUSED and { { flash = not case.plan.flash } } or {}
end

local function precision(case)
  return (case.device.fp8_flop_s or 0) > 0 and each("precision", { "bf16", "fp8" }) or {}
end

-- Of a blank layout: what cuts a model inside a node, or into stages.
local function ranks(case)
  if case.row.dp then return {} end
  local list = {}
  if not case.row.tp then list = each("tp", { 1, 2, 4, 8 }) end
  if not case.row.pp then
    for _, pp in ipairs({ 2, 4, 8 }) do list[#list + 1] = { pp = pp } end
  end
  return list
end

local function experts(case)
  if (case.model.experts or 0) == 0 then return {} end
  return each("ep", { math.max(1, case.plan.ep // 4), 4 * case.plan.ep })
end

-- A step of another batch takes longer in proportion; where a throughput was measured that does not show.
local function batch(case)
  return each("global_batch_seqs", { math.max(1, case.job.global_batch // 4), 4 * case.job.global_batch })
end

-- Column of a rule that assumed something -> what the row may as well have been, as changes of it.
local others = {
  recompute = function() return each("recompute", { "none", "selective", "full" }) end,
  micro_batch = function(case) return half_and_twice("micro_batch", case.plan.micro_batch) end,
  vpp = function(case) return each("vpp", { "1", tostring(2 * case.plan.vpp) }) end,
  zero = function() return each("zero", { 1, 3 }) end,
  flash = flash,
  precision = precision,
  seq_len = function() return each("seq_len", { 2048, 8192 }) end,
  global_batch_seqs = batch,
  ["tp, pp, cp, dp"] = ranks,
  ep = experts,
}

-- ln of how much more, against what was measured, the changed row's step takes, and its memory; nil where that is
-- no run or would not have fitted.
local function moved(case, change)
  local row, context = tables.with(case.row, change), case.context
  local other = table_rows.attempt(training_case.of, row, context)
  if not other then return nil end
  local memory, before = other.out.memory, case.out.memory
  local limit = math.max(MAY_FIT * memory.capacity_bytes, before.total_bytes)
  if memory.total_bytes > limit then return nil end
  local time = case.measured_step_s
    and math.log(other.step_s / other.measured_step_s * case.measured_step_s / case.step_s) or 0
  return { time = time, memory = math.log(memory.total_bytes / before.total_bytes) }
end

--- Log widths down and up of a case's step time and memory by what its row leaves blank: { time = { down, up },
--- memory = { down, up } }, of all columns, taken as independent.
---@param case table of training_case.of
---@return {time: number[], memory: number[]}
function training_unknown.widths(case)
  local all = widths.none({ "time", "memory" })
  for _, column in ipairs(tables.sorted_keys(others)) do
    if case.row[column] == nil and tables.contains(case.open, column) then
      widths.widen(all, others[column](case), function(change) return moved(case, change) end)
    end
  end
  return all
end

return training_unknown
