-- What one step processes.

-- The batch that a step time and a throughput of the same run imply, in sequences.
local function implied(case)
  local row = case.row
  if not (row.step_s and row.tokens_per_s_per_gpu) then return nil end
  local sequences = row.step_s * row.tokens_per_s_per_gpu * case.gpus / case.seq_len
  local wave = case.plan.dp * (row.micro_batch or 1)
  local waves = math.floor(sequences / wave + 0.5)
  if waves < 1 or math.abs(sequences / (waves * wave) - 1) > 0.02 then return nil end
  return waves * wave
end

-- Four micro-batches per stage keep a pipeline's bubble small; without a pipeline, no accumulation.
local function global_batch(case)
  local row, plan = case.row, case.plan
  plan.micro_batch = row.micro_batch or 1
  case.job.seq_len = case.seq_len
  case.job.global_batch = row.global_batch_seqs
  if case.job.global_batch then return nil end
  local batch = implied(case)
  case.job.global_batch = batch or plan.dp * plan.micro_batch * (plan.pp > 1 and 4 * plan.pp or 1)
  return ("global batch %d%s"):format(case.job.global_batch,
    batch and ", from step time and throughput" or "")
end

-- Sequences at a time where the class does not accumulate: the whole share of a rank.
local function whole_batch(case)
  local plan = case.plan
  if case.row.micro_batch or not (case.traits.whole_batch and plan.pp == 1) then return nil end
  plan.micro_batch = math.max(1, case.job.global_batch // plan.dp)
  return "micro_batch " .. plan.micro_batch
end

return {
  { column = "global_batch_seqs", apply = global_batch,
    says = "blank: what step_s and tokens_per_s_per_gpu imply where both are given; else one micro-batch "
      .. "per rank without a pipeline, four per stage with one" },
  { column = "micro_batch", apply = whole_batch,
    says = "blank in the class jax, which does not accumulate gradients: the whole share of a rank" },
}
