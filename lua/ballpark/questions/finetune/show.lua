-- A fine-tuning run in a report.
local choice_show = require("ballpark.questions.finetune.choice_show")
local comparables = require("ballpark.questions.comparables.show")
local estimate_show = require("ballpark.questions.estimate.show")
local plan_text = require("ballpark.questions.training.plan_text")
local ranges = require("ballpark.range")
local trained_length = require("ballpark.questions.trained_length")
local units = require("ballpark.units")

local show = {}

local function fit_words(answer)
  local rest = answer.memory.fit_probability
  return "needs {total_bytes} of {capacity_bytes}; fits with {fit_probability} chance"
    .. (rest < 0.9 and "; what would help is below" or "")
end

-- Largest values that fit, in words.
local function largest_words(largest)
  local words = {}
  if largest.micro_batch then words[1] = "micro-batch of {largest_micro_batch} example" .. (largest.micro_batch == 1 and "" or "s") end
  if largest.seq_len then words[#words + 1] = "sequences of {largest_seq_len}, one at a time" end
  return #words > 0 and table.concat(words, "; ") or "nothing that was tried fits with 90 % chance"
end

-- What the share of the peak is of.
local function mfu_words(answer)
  local kind, words = answer.kind_facts, "{mfu_frac} of the dense " .. answer.plan.precision .. " peak"
  if answer.rollout or kind.references + kind.forwards > 0 then words = words .. " in forward and backward" end
  return words .. ((answer.plan.lora_rank or 0) > 0 and "; frozen weights have no gradients to count" or "")
end

local function add_passes(add, answer)
  local kind = answer.kind_facts
  add({ name = "train_s", title = "Forward and backward", value = answer.train_s, unit = "s",
    hide = kind.trained == 1 and kind.references + kind.forwards == 0 and not answer.rollout })
  if kind.trained > 1 then add({ name = "critic_s", title = "The same of the critic", value = answer.critic_s, unit = "s" }) end
  add({ name = "forward_s", title = "A forward pass of the batch", value = answer.forward_s, unit = "s",
    hide = kind.references + kind.forwards == 0 })
  if kind.scorings > 0 then add({ name = "scoring_s", title = "One that scores", value = answer.scoring_s, unit = "s" }) end
  local rollout = answer.rollout
  if rollout then
    local dealt = answer.input.cluster.network.devices > 1
      and (", by %s of tp %d"):format(units.count(rollout.replicas, "replica"), rollout.tp) or ""
    add({ name = "rollout_tokens_per_s", title = "Tokens generated", value = rollout.tokens_per_s, unit = "tok/s",
      hide = true })
    add({ name = "rollout_s", title = "Generation", value = rollout.seconds, unit = "s",
      text = rollout.refused and "no room: " .. rollout.refused
        or "{rollout_s} of every step, {rollout_tokens_per_s}" .. dealt })
  end
end

local function facts_of(answer, result)
  local memory, run, list = answer.memory, answer.run, { name = "finetune", title = estimate_show.subject(answer) }
  local function add(fact) list[#list + 1] = fact end
  for i, item in ipairs(answer.contradictions) do
    add({ name = "contradiction_" .. i, title = "Does not go", value = item.text })
  end
  if answer.systems then choice_show.facts(add, answer.systems) end
  add({ name = "fits", title = "Fits", value = answer.fits, hide = true })
  add({ name = "capacity_bytes", title = "Memory of the device", value = memory.capacity_bytes, unit = "B", hide = true })
  add({ name = "fit_probability", title = "Chance that it fits", value = memory.fit_probability, unit = "frac",
    hide = true, chance = true })
  add({ name = "total_bytes", title = "Memory", value = memory.total_bytes, unit = "B", range = answer.range.total_bytes,
    text = fit_words(answer) })
  add({ name = "cached_bytes", title = "Allocator", value = answer.cached_bytes, unit = "B",
    hide = answer.cached_bytes == 0,
    text = "may show {cached_bytes} more: blocks of other lengths, given back when memory runs short" })
  add({ name = "plan", title = "Plan", value = answer.method .. ", " .. plan_text.words(answer.plan) })
  add({ name = "trained_params", title = "Parameters that learn", value = answer.trained_params, hide = true })
  add({ name = "tokens_per_s", title = "Throughput", value = answer.tokens_per_s, unit = "tok/s",
    range = answer.range.tokens_per_s, text = "{tokens_per_s} of samples, without padding" })
  add({ name = "mfu_frac", title = "MFU", value = answer.mfu_frac, unit = "frac",
    as_sure = ranges.against(answer.range.step_s, answer.mfu_frac), text = mfu_words(answer) })
  add({ name = "examples", title = "Examples of an epoch", value = run.examples, tally = true, hide = true })
  add({ name = "dropped_examples", title = "Dropped", value = run.dropped, tally = true, hide = run.dropped == 0,
    text = ("{dropped_examples} of %s examples, those of more than %d tokens"):format(units.tally(run.examples + run.dropped), answer.seq_len) })
  add({ name = "steps", title = "Steps", value = run.steps, hide = true })
  local is_even = run.shorter_steps == 0
  add({ name = "shorter_steps", title = "Steps that end an epoch with fewer", value = run.shorter_steps, hide = true })
  add({ name = "shorter_step_s", title = "Such a step", value = run.shorter_step_s, unit = "s", hide = true })
  add({ name = "step_s", title = "Step", value = answer.step_s, unit = "s", range = answer.range.step_s,
    text = "{step_s}, {steps} of them" .. (is_even and "" or "; {shorter_step_s} where an epoch ends with fewer examples") })
  add_passes(add, answer)
  add({ name = "evaluation_s", title = "Evaluation", value = run.evaluation_s, unit = "s", hide = run.evaluation_s == 0 })
  add({ name = "save_s", title = "Saving", value = run.save_s, unit = "s", hide = true })
  add({ name = "tokens", title = "Tokens", value = run.tokens, unit = "tok", hide = true })
  add({ name = "run_s", title = "Run", value = run.run_s, unit = "s", range = answer.range.run_s,
    text = "{run_s} for {tokens}" })
  add({ name = "device_s", title = "Device time", value = run.device_s, unit = "s", hide = true })
  add({ name = "cost_usd", title = "Cost", value = run.cost_usd, unit = "USD", range = answer.range.cost_usd,
    hide = not run.cost_usd })
  add({ name = "usd_month", title = "A month", value = run.usd_month, unit = "USD", hide = not run.usd_month,
    as_sure = ranges.along(answer.range.cost_usd, run.usd_month) })
  add({ name = "examples_per_s", title = "Examples per second", value = run.examples_per_s, unit = "1/s", hide = true })
  add({ name = "examples_per_usd", title = "Examples", value = run.examples_per_usd, hide = not run.examples_per_usd,
    as_sure = ranges.against(answer.range.cost_usd, run.examples_per_usd), tally = true, text = "{examples_per_usd} per USD, {examples_per_s}" })
  add({ name = "largest_micro_batch", title = "Largest micro-batch", value = answer.largest.micro_batch, hide = true })
  add({ name = "largest_seq_len", title = "Longest sequence", value = answer.largest.seq_len, unit = "tok",
    hide = true })
  add({ name = "largest", title = "Largest", value = answer.largest.micro_batch or 0,
    text = largest_words(answer.largest) })
  comparables.of_finetuning(add, result, answer)
  return list
end

local PARTS <const> = { { "weights_bytes", "weights" }, { "gradients_bytes", "gradients" },
  { "optimizer_bytes", "optimizer states" }, { "activations_bytes", "activations" }, { "working_bytes", "working set" },
  { "logits_bytes", "logits" } }

local function memory_table(answer)
  local memory, rows = answer.memory, {}
  for _, part in ipairs(PARTS) do
    if memory[part[1]] > 0 then rows[#rows + 1] = { part[2], memory[part[1]], memory[part[1]] / memory.total_bytes } end
  end
  local function add(words, bytes) rows[#rows + 1] = { words, bytes, bytes / memory.total_bytes } end
  if answer.others_bytes > 0 then add("other models", answer.others_bytes) end
  add("context, fragmentation", memory.overhead_bytes - answer.others_bytes)
  add("all", memory.total_bytes)
  return { name = "memory", title = "Memory per device", rows = rows, columns = { { name = "part", title = "" },
    { name = "part_bytes", unit = "B", title = "" }, { name = "share_frac", unit = "frac", title = "" } } }
end

local function changes_table(answer)
  local rows, of_host = {}, false
  for i, change in ipairs(answer.changes) do
    rows[i] = { change.words, change.total_bytes, change.capacity_bytes, change.fit_probability,
      change.host_bytes, change.times }
    of_host = of_host or change.host_bytes > 0
  end
  return { name = "changes", title = "Changed by itself", rows = rows, columns = { { name = "change", title = "Change" },
    { name = "total_bytes", title = "Needs", unit = "B" }, { name = "capacity_bytes", title = "Of", unit = "B" },
    { name = "fit_probability", title = "Fits", unit = "frac" }, { name = "host_bytes", title = "Of a host", unit = "B",
      hide = not of_host },
    { name = "times_run", title = "Run, times" } } }
end

--- Adds an answer of finetune{} to a result.
function show.answer(result, answer)
  result:facts(facts_of(answer, result))
  if answer.systems then choice_show.table(result, answer.systems) end
  result:table(memory_table(answer))
  result:table(changes_table(answer))
  trained_length.warn(result, answer.input.model, answer.seq_len)
  for _, text in ipairs(answer.assumed) do result:assume(text) end
end

return show
