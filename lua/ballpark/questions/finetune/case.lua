-- One way to fine-tune, estimated: memory at the longest sequence, time over the lengths of samples, the passes of other
-- models beside the policy's.
local core = require("ballpark.core")
local epochs = require("ballpark.questions.finetune.epochs")
local errors = require("ballpark.errors")
local estimate = require("ballpark.questions").runner("estimate")
local fields = require("ballpark.fields")
local kinds = require("ballpark.questions.finetune.kinds")
local lengths = require("ballpark.resolve.training.lengths")
local other_models = require("ballpark.questions.finetune.other_models")
local profiles = require("ballpark.catalog.profiles")
local rollout = require("ballpark.questions.finetune.rollout")
local scoring = require("ballpark.questions.finetune.scoring")
local simulated = require("ballpark.resolve.simulated")
local step_input = require("ballpark.resolve.step_input")
local tables = require("ballpark.tables")
local targets = require("ballpark.questions.finetune.targets")
local training_open = require("ballpark.range.training_open")
local usual = require("ballpark.questions.finetune.usual")
local ways = require("ballpark.questions.finetune.ways")

local case = {}

local METHODS <const> = { full = {}, lora = { adapters = "lora" }, qlora = { adapters = "qlora" } }

local function method_of(input)
  local name = input.method or usual.method(input.software)
  if not METHODS[name] then errors.choice("method", tostring(name), tables.sorted_keys(METHODS)) end
  return METHODS[name], name
end

local function software_of(input)
  local software = input.software or profiles.USUAL_FINETUNING
  if type(software) == "string" then return profiles.of_finetuning(software) end
  local name = errors.text("software.name", software.name) or profiles.USUAL_FINETUNING
  return tables.with(software, { name = profiles.of_finetuning(name) })
end

-- The lengths that are said, whole, with what the software does with longer samples where nobody says it; nil where every
-- sample fills its sequence.
local function lengths_of(input)
  if input.lengths == nil then return nil end
  local about = lengths.checked(input.lengths)
  return tables.with(about, { longer = about.longer or usual.traits(software_of(input)).longer })
end

-- The same of samples that have a sequence each.
local function about_lengths(input) return not input.packing and lengths_of(input) or nil end

-- The longest sequence where nobody says it: that of most recipes, and no longer than the longest sample.
local function longest(model, about)
  return math.min(lengths.usual(model), about and lengths.longest(about) or math.huge)
end

-- The lengths that are said of samples which are packed.
local function about_packed(input) return input.packing and lengths_of(input) or nil end

-- Mean tokens of a sample where they are packed: what is said of lengths, cut to the sequence.
local function packed_tokens(input, seq_len)
  local about = about_packed(input)
  return about and lengths.of(about, seq_len, 1).tokens or seq_len
end

-- Tokens that attention stays inside, of software that keeps packed samples apart; 0 where a sequence is one.
local function document_tok(input, seq_len)
  local about, software = about_packed(input), software_of(input)
  if not about then return 0 end
  local year = type(software) == "table" and math.tointeger(software.year) or profiles.NEWEST_YEAR
  return lengths.apart(about, seq_len, usual.traits(software), year)
end

-- Examples of a step of a product whose recipe for one device steps the optimizer in backward, which leaves no gradients
-- that could add up; nil elsewhere, and where an optimizer is said.
local function batch_of_recipe(input)
  local traits, plan = usual.traits(software_of(input)), input.plan or {}
  if not traits.one_device or input.method ~= "full" or input.cluster.network.devices > 1 or plan.optimizer
    or plan.update_in_backward ~= nil then return nil end
  return input.micro_batch or traits.micro_batch
end

-- Examples of a step where nobody says how many: as usual, and as many more as the devices share evenly.
local function usual_batch(input)
  local of_recipe = batch_of_recipe(input)
  if of_recipe then return of_recipe end
  local plan = input.plan or {}
  fields.check("train_step", "plan", { tp = plan.tp, pp = plan.pp, cp = plan.cp })
  local ranks = 1
  for _, name in ipairs({ "tp", "pp", "cp" }) do ranks = ranks * (plan[name] or 1) end
  local part = math.max(1, input.cluster.network.devices // ranks) * (math.tointeger(input.micro_batch) or 1)
  local generation = kinds.of(input.kind).rollout and rollout.checked(input.generation) or {}
  return math.ceil(usual.batch(input.kind, input.cluster.network.devices, generation.completions) / part) * part
end

-- Refuses a plan that software which holds the whole model on every device does not launch.
local function check_launched(software, plan)
  local traits, name = usual.traits(software)
  if traits.shards ~= false then return end
  for _, field in ipairs({ "zero", "tp", "pp", "cp", "ep", "offload" }) do
    local value, alone = plan[field], field == "zero" and 0 or field == "offload" and "none" or 1
    if value ~= nil and value ~= alone then
      errors.input("plan." .. field, ("%s, and %s has the whole model and its states on every device: name other software")
        :format(tostring(value), name))
    end
  end
end

-- The facts of a step, as estimate{} takes them: its sequences are those of all its examples.
local function facts_of(input, kind, seq_len)
  local method = method_of(input)
  local plan = tables.with({ lora_rank = input.rank, lora_targets = input.targets and targets.of(input.targets, "targets") },
    input.plan or {})
  check_launched(software_of(input), plan)
  if input.method ~= "full" then plan = tables.with(method, plan) else plan.lora_rank, plan.lora_targets = nil, nil end
  local micro_batch = input.micro_batch or not input.batch and batch_of_recipe(input)
  if micro_batch then plan.micro_batch = errors.whole("micro_batch", micro_batch) * kind.sequences end
  if (math.tointeger(plan.micro_batch) or kind.sequences) % kind.sequences ~= 0 then
    errors.input("plan.micro_batch", ("%d parts a pair, of which both answers go through together: %d at least"):format(
      plan.micro_batch, kind.sequences))
  end
  return { model = kind.scores and scoring.of(input.model) or input.model, cluster = input.cluster, plan = plan, software = software_of(input),
    profile = input.profile, price = input.price, pue = input.pue, assume = true, together = kind.sequences,
    job = { seq_len = seq_len, document_tok = document_tok(input, seq_len), global_batch = errors.whole("batch", input.batch or usual_batch(input)) * kind.sequences } }
end

-- Seconds of a forward pass over the sequences of a step, on the slowest stage. Nothing is kept of it.
local function forward_s(input, micro_batches)
  local slowest = 0
  local plan = tables.with(input.plan, { offload_activations = 0 })
  for _, stage in ipairs(simulated.stages(step_input.of(input, plan))) do slowest = math.max(slowest, stage.forward_s) end
  return micro_batches * slowest
end

-- What micro-batches of a way have, so many of so many sequences on every device.
local function held_of(asked, way, micro_batch, micro_batches)
  if not asked.about then return lengths.full(asked.seq_len) end
  local ranks = { dp = way.plan.dp, zero = way.plan.zero, micro_batches = micro_batches }
  return lengths.of(asked.about, asked.seq_len, micro_batch, ranks)
end

-- Seconds of a step of a critic with an input, and of a forward pass of a model that scores; none where the kind has neither.
local function scoring_times(asked, input, micro_batches)
  if asked.kind.scorings == 0 then return 0, 0 end
  local scorer = tables.with(input, { model = scoring.of(input.model) })
  return simulated.step(step_input.of(scorer, scorer.plan)).time.step_s, forward_s(scorer, micro_batches)
end

-- Means over the lengths of micro-batches: seconds of a step of the policy and of a critic, and of forward passes of the policy
-- and of a model that scores; and those in which the peak allows the model FLOP of the policy. Tokens of padding are none of
-- them.
local function times_of(asked, way, micro_batch, micro_batches)
  local held = held_of(asked, way, micro_batch, micro_batches)
  local input = tables.with(way.input, { plan = tables.with(way.input.plan, { micro_batch = micro_batch }) })
  local sequences = micro_batch * micro_batches * way.plan.dp
  local train_s, forwards, critic_s, scoring_s, flop_s, padded = 0, 0, 0, 0, 0, 0
  for _, tokens in ipairs(held.slowest) do
    local at = tables.with(input, { job = tables.with(input.job, { seq_len = tokens, global_batch = sequences }) })
    local time = simulated.step(step_input.of(at, at.plan)).time
    train_s = train_s + time.step_s / #held.slowest
    forwards = forwards + forward_s(at, time.micro_batches) / #held.slowest
    local learns_s, scores_s = scoring_times(asked, at, time.micro_batches)
    critic_s, scoring_s = critic_s + learns_s / #held.slowest, scoring_s + scores_s / #held.slowest
    flop_s = flop_s + time.mfu_frac * time.step_s / #held.slowest
    padded = padded + tokens / #held.slowest
  end
  return { train_s = train_s, forward_s = forwards, critic_s = critic_s, scoring_s = scoring_s,
    flop_s = flop_s * math.min(1, held.tokens / padded) }
end

-- The same of a step in which a device has so many sequences: as many micro-batches as they make, the last of which takes
-- as much less as it has fewer.
local function times(asked, way, sequences)
  local plan = way.plan
  local size = plan.micro_batch
  if (plan.vpp or 1) > 1 then sequences = math.ceil(sequences / size / plan.pp) * size * plan.pp end -- stages take turns in whole rounds
  if sequences <= size then return times_of(asked, way, sequences, 1) end
  local whole, rest = sequences // size, sequences % size / size
  local out = times_of(asked, way, size, whole)
  if rest == 0 then return out end
  for name, value in pairs(times_of(asked, way, size, whole + 1)) do out[name] = out[name] + rest * (value - out[name]) end
  return out
end

-- What a step of so many sequences takes over all devices, which share them as evenly as goes: { sequences, train_s,
-- forward_s, critic_s, scoring_s, mfu_frac, rollout, step_s }.
local function step_of(asked, way, sequences)
  local kind = asked.kind
  local share = math.ceil(sequences / kind.sequences / way.plan.dp) * kind.sequences
  local took = times(asked, way, share)
  local step = { sequences = sequences, train_s = took.train_s, forward_s = took.forward_s, critic_s = took.critic_s,
    scoring_s = took.scoring_s, mfu_frac = took.flop_s / took.train_s }
  if asked.generation then
    local job = tables.with(way.input.job, { global_batch = share * way.plan.dp })
    step.rollout = rollout.of(tables.with(way.input, { job = job }), asked.generation, way)
  end
  step.step_s = step.train_s + (kind.trained - 1) * step.critic_s + (kind.references + kind.forwards) * step.forward_s
    + kind.scorings * step.scoring_s + (step.rollout and step.rollout.seconds or 0)
  return step
end

-- One way to run it: the completed input, models beside the policy, step and memory with what is not known of it. What
-- nobody stated of the plan is chosen, not left open; each plan that is tried has its own bytes of other models.
local function tried(facts, kind)
  local full = estimate.completed(facts, { estimate = other_models.step(kind) })
  local profile, others = other_models.profile(kind, step_input.of(full, full.plan))
  full = tables.with(full, { profile = profile })
  local asked = step_input.of(full, full.plan)
  local step, wide = simulated.step(asked), training_open.own(full.case)
  return { input = full, others_bytes = others, step = step, wide = wide, plan = step.plan,
    memory = training_open.memory(asked, step.memory, wide, simulated.step) }
end

-- Examples that a data set of so many has left, whole ones.
local function left_of(examples, share)
  return share < 1 and math.max(1, math.floor(share * examples + 0.5)) or examples
end

-- What is asked of an input beside its plan: { input, kind, about (lengths), seq_len, generation, samples (of a sequence,
-- packed), sample_tokens (where they are packed), left (share of the examples that is not dropped), examples (of them those
-- that are left; nil where nobody says), epochs }. A pair goes with its sample: both answers follow one prompt.
local function asked_of(input)
  local kind = kinds.of(input.kind)
  local about = about_lengths(input)
  local seq_len = errors.whole("seq_len", input.seq_len or longest(input.model, about))
  local generation = kind.rollout and rollout.checked(input.generation)
  for _, name in ipairs(generation and { "seq_len", "packing" } or {}) do
    if input[name] then errors.input(name, "of kinds that generate answers, prompt and answer say how long a sequence is") end
  end
  if generation then seq_len = generation.prompt_tokens + generation.output_tokens end
  if not kind.rollout and next(input.generation or {}) then
    errors.input("generation", ("is of grpo and ppo, which generate answers, and the kind is %s"):format(input.kind or "sft"))
  end
  local sample_tokens = input.packing and packed_tokens(input, seq_len)
  local said, all = lengths_of(input), epochs.examples(input)
  local left = said and lengths.left(said, seq_len) or 1
  return { input = input, kind = kind, about = about, seq_len = seq_len, generation = generation, sample_tokens = sample_tokens,
    samples = sample_tokens and math.max(1, seq_len / sample_tokens) or 1, left = left,
    examples = all and left_of(all, left), epochs = epochs.count(input) }
end

-- Sequences that examples are made of.
local function sequences_of(asked, examples)
  return examples / asked.samples * (asked.generation and asked.generation.completions or asked.kind.sequences)
end

-- The steps of a run, see epochs.steps; of one step where nobody says how many examples there are.
local function steps_of(asked, way)
  local batch = way.input.job.global_batch
  if not asked.examples then return { whole = 1, shorter = {}, sequences = batch } end
  return epochs.steps(sequences_of(asked, asked.examples), asked.epochs, batch)
end

-- Seconds of all steps of a run, of those that end an epoch with fewer, and of generation in all.
local function taken(asked, way, step, steps)
  local shorter_s, rollout_s = 0, step.rollout and steps.whole * step.rollout.seconds or 0
  for _, shorter in ipairs(steps.shorter) do
    local own = step_of(asked, way, shorter.sequences)
    shorter_s = shorter_s + shorter.count * own.step_s
    rollout_s = rollout_s + (own.rollout and shorter.count * own.rollout.seconds or 0)
  end
  return { all_s = steps.whole * step.step_s + shorter_s, shorter_s = shorter_s, rollout_s = rollout_s }
end

-- The answer of one way, of `tried`.
local function answered(asked, way)
  local full, plan, core_step = way.input, way.plan, tables.with(way.step, { memory = way.memory })
  local answer = estimate.answer_of(full, core_step, core.params({ model = full.model }), way.wide)
  local held = held_of(asked, way, plan.micro_batch, core_step.time.micro_batches)
  local steps = steps_of(asked, way)
  local step = step_of(asked, way, steps.sequences)
  answer.kind, answer.kind_facts, answer.held, answer.seq_len = "finetune", asked.kind, held, asked.seq_len
  answer.method = select(2, method_of(asked.input))
  answer.others_bytes = way.others_bytes
  answer.cached_bytes = asked.about and lengths.cached_bytes(way.step.memory, lengths.share(held, asked.seq_len), full.case.traits) or 0
  answer.step_sequences, answer.train_s, answer.forward_s = step.sequences, step.train_s, step.forward_s
  answer.critic_s, answer.scoring_s = step.critic_s, step.scoring_s
  answer.mfu_frac, answer.rollout, answer.step_s = step.mfu_frac, step.rollout, step.step_s
  answer.sequences, answer.generation = asked.kind.sequences, asked.generation
  answer.example_sequences = sequences_of(asked, 1)
  answer.sample_tokens, answer.samples = asked.sample_tokens or held.tokens, asked.samples
  answer.steps, answer.taken = steps, taken(asked, way, step, steps)
  local all = asked.examples and asked.epochs * sequences_of(asked, asked.examples) or steps.sequences
  answer.left, answer.examples = asked.left, asked.examples
  answer.example_s = answer.taken.all_s * asked.left * asked.kind.sequences / all / asked.samples
  return answer
end

-- Micro-batches that a device's part of the batch is a multiple of, in examples, the smallest first.
local function micro_batches(asked, way)
  local part = way.input.job.global_batch // asked.kind.sequences // way.plan.dp
  local small, large = {}, {}
  for count = 1, math.floor(math.sqrt(part)) do
    if part % count == 0 then
      small[#small + 1] = count
      if count * count < part then table.insert(large, 1, part // count) end
    end
  end
  return table.move(large, 1, #large, #small + 1, small)
end

-- So many times the memory of a device no larger micro-batch comes back from: recomputation, which more memory asks for,
-- has gone as far as it goes by then. Only one that is the whole batch has less, the sum of gradients.
local BEYOND <const> = 2

local function is_beyond(way) return way and way.memory.total_bytes > BEYOND * way.memory.capacity_bytes end

-- One way with the micro-batch that is fastest of those that surely fit, or of those that take least memory. What the step
-- alone makes of it is of the longest sequences: a smaller one has less padding where lengths differ, a larger one launches
-- less for short samples, and one that is the whole batch keeps no sum of gradients.
local function best_micro_batch(asked, facts)
  local first = tried(facts, asked.kind)
  if facts.plan.micro_batch then return answered(asked, first) end
  local list, counts, beyond = { first }, micro_batches(asked, first), false
  for i, count in ipairs(counts) do
    if not beyond or i == #counts then
      local plan = tables.with(facts.plan, { micro_batch = count * asked.kind.sequences })
      local way = errors.try(tried, tables.with(facts, { plan = plan }), asked.kind) -- other ranks may not share the batch
      list[#list + 1], beyond = way, beyond or is_beyond(way)
    end
  end
  local answers = {}
  for i, way in ipairs(ways.surest(list)) do answers[i] = answered(asked, way) end
  return ways.fastest(answers)
end

--- The estimate of an input of finetune{}: what estimate{} answers of its step, and kind, held (lengths), others_bytes,
--- cached_bytes, step_s, train_s, forward_s, critic_s, scoring_s, mfu_frac, rollout, step_sequences (of a whole step), sequences (of an example),
--- example_sequences (that a step has for one: its answers where they are generated, a part of one where samples are packed), seq_len,
--- samples (of a sequence, packed), left (share of the examples that is not dropped), examples (those that are left), steps (see epochs.steps),
--- taken (seconds of the run: all_s, of that shorter_s of the shorter steps, rollout_s), example_s (seconds of an example over the run, dropped ones
--- among them, or of an answer that is generated), beside (see ways.best).
---@param input table
---@return table answer
function case.of(input)
  local asked = asked_of(input)
  return ways.best(facts_of(input, asked.kind, asked.seq_len), function(facts) return best_micro_batch(asked, facts) end)
end

--- By how much the times of a step and of the run move, as ln(ratio), with other spreads of lengths of which the mean alone
--- is said; none where more is said, or less.
---@param input table
---@param answer table of case.of
---@return number[] steps
---@return number[] runs which have fewer examples where more are dropped
function case.moves_of_spread(input, answer)
  local asked, steps, runs = asked_of(input), {}, {}
  local about = asked.about
  if not (about and about.mean) or about.deviation then return steps, runs end
  for i, spread in ipairs(lengths.SPREADS) do
    asked.about = tables.with(about, { deviation = spread * about.mean })
    steps[i] = math.log(step_of(asked, answer, answer.steps.sequences).step_s / answer.step_s)
    runs[i] = steps[i] + math.log(lengths.left(asked.about, asked.seq_len) / answer.left)
  end
  return steps, runs
end

--- The greatest chance with which a way to run an input of finetune{} fits.
---@param input table
---@return number
function case.chance(input)
  local asked = asked_of(input)
  return ways.chance(facts_of(input, asked.kind, asked.seq_len), function(facts) return tried(facts, asked.kind) end)
end

return case
