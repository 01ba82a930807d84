-- One way to fine-tune, estimated: memory at the longest sequence, time over the lengths of samples, the passes of other
-- models beside the policy's.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local estimate = require("ballpark.questions").runner("estimate")
local fields = require("ballpark.fields")
local kinds = require("ballpark.questions.finetune.kinds")
local lengths = require("ballpark.resolve.training.lengths")
local profiles = require("ballpark.catalog.profiles")
local rollout = require("ballpark.questions.finetune.rollout")
local shapes = require("ballpark.resolve.shapes")
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

-- The lengths that are said, whole; nil where every sample fills its sequence.
local function about_lengths(input)
  if input.packing or input.lengths == nil then return nil end
  return lengths.checked(input.lengths)
end

-- The longest sequence where nobody says it: that of most recipes, and no longer than the longest sample.
local function longest(model, about)
  return math.min(lengths.usual(model), about and lengths.longest(about) or math.huge)
end

-- The lengths that are said of samples which are packed.
local function about_packed(input) return input.packing and about_lengths(tables.with(input, { packing = false })) end

-- Mean tokens of a sample where they are packed: what is said of lengths, cut to the sequence.
local function packed_tokens(input, seq_len)
  local about = about_packed(input)
  return about and lengths.of(about, seq_len, 1).tokens or seq_len
end

local function software_of(input)
  local software = input.software or "transformers"
  if type(software) == "string" then return profiles.of_finetuning(software) end
  local name = errors.text("software.name", software.name) or "transformers"
  return tables.with(software, { name = profiles.of_finetuning(name) })
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
  return { model = input.model, cluster = input.cluster, plan = plan, software = software_of(input),
    profile = input.profile, price = input.price, pue = input.pue, assume = true, together = kind.sequences,
    job = { seq_len = seq_len, document_tok = document_tok(input, seq_len), global_batch = errors.whole("batch", input.batch or usual_batch(input)) * kind.sequences } }
end

-- Bytes of models beside the policy on one device. Under adapters the reference is the policy without them, and a critic
-- or a reward model is another set of adapters.
local function others_bytes(kind, full, memory)
  local frozen = (full.plan.lora_rank or 0) > 0
  local ranks = full.plan.zero == 3 and full.plan.dp or 1
  local copy = 2 * shapes.params(full.model) / ranks / full.plan.tp
  local states = memory.gradients_bytes + memory.optimizer_bytes
  local learning = (kind.trained - 1) * (frozen and states or states + memory.weights_bytes)
  return learning + (frozen and 0 or (kind.references + kind.frozen) * copy)
end

-- Seconds of a forward pass over the sequences of a step, on the slowest stage. Nothing is kept of it.
local function forward_s(input, micro_batches)
  local slowest = 0
  local plan = tables.with(input.plan, { offload_activations = 0 })
  for _, stage in ipairs(simulated.stages(step_input.of(input, plan))) do slowest = math.max(slowest, stage.forward_s) end
  return micro_batches * slowest
end

local function step_at(input, seq_len)
  return tables.with(input, { job = tables.with(input.job, { seq_len = seq_len }) })
end

-- Means over the lengths of micro-batches: seconds of a step of the policy, and of the other models' passes; and the
-- model FLOP of the policy over what the peak allows in its seconds. Tokens of padding are none of them.
local function times(input, held)
  local train_s, forwards, flop_s, padded = 0, 0, 0, 0
  for _, tokens in ipairs(held.slowest) do
    local at = step_at(input, tokens)
    local time = simulated.step(step_input.of(at, input.plan)).time
    train_s = train_s + time.step_s / #held.slowest
    forwards = forwards + forward_s(at, time.micro_batches) / #held.slowest
    flop_s = flop_s + time.mfu_frac * time.step_s / #held.slowest
    padded = padded + tokens / #held.slowest
  end
  return train_s, forwards, flop_s / train_s * math.min(1, held.tokens / padded)
end

-- The completed input of a step with room for models beside the policy, and their bytes.
local function completed(facts, kind)
  local full = estimate.completed(facts)
  local step = simulated.step(step_input.of(full, full.plan))
  local bytes = others_bytes(kind, { plan = step.plan, model = full.model }, step.memory)
  if bytes <= 0 then return full, 0 end
  local profile = tables.with(full.profile, { context_bytes = (full.profile.context_bytes or 0) + bytes })
  return estimate.completed(tables.with(facts, { profile = profile })), bytes
end

-- One way to run it: the completed input, models beside the policy, step and memory with what is not known of it. What
-- nobody stated of the plan is chosen, not left open.
local function tried(facts, kind)
  local full, others = completed(facts, kind)
  local asked = step_input.of(full, full.plan)
  local step, wide = simulated.step(asked), training_open.own(full.case)
  return { input = full, others = others, step = step, wide = wide, plan = step.plan,
    memory = training_open.memory(asked, step.memory, wide, simulated.step) }
end

-- What is asked of an input beside its plan: { input, kind, about (lengths), seq_len, generation }.
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
  return { input = input, kind = kind, about = about, seq_len = seq_len, generation = generation }
end

-- The answer of one way.
local function answered(asked, facts)
  local kind, about, seq_len, generation = asked.kind, asked.about, asked.seq_len, asked.generation
  local way = tried(facts, kind)
  local full, step = way.input, tables.with(way.step, { memory = way.memory })
  local answer = estimate.answer_of(full, step, core.params({ model = full.model }), way.wide)
  local longer = about and { longer = about.longer or full.case.traits.longer }
  local ranks = { dp = answer.plan.dp, zero = answer.plan.zero, micro_batches = step.time.micro_batches }
  local held = about and lengths.of(tables.with(about, longer), seq_len, answer.plan.micro_batch, ranks) or lengths.full(seq_len)
  answer.kind, answer.kind_facts, answer.held, answer.seq_len = "finetune", kind, held, seq_len
  answer.method = select(2, method_of(asked.input))
  answer.others_bytes = way.others
  answer.cached_bytes = about and lengths.cached_bytes(step.memory, lengths.share(held, seq_len), full.case.traits) or 0
  answer.train_s, answer.forward_s, answer.mfu_frac = times(full, held)
  answer.rollout = generation and rollout.of(full, generation, answer)
  answer.step_s = kind.trained * answer.train_s + (kind.references + kind.forwards) * answer.forward_s
    + (answer.rollout and answer.rollout.seconds or 0)
  answer.sequences, answer.generation = kind.sequences, generation
  answer.sample_tokens = asked.input.packing and packed_tokens(asked.input, seq_len) or held.tokens
  answer.samples = asked.input.packing and math.max(1, seq_len / answer.sample_tokens) or 1
  answer.example_s = answer.step_s * kind.sequences / full.job.global_batch / answer.samples
  return answer
end

-- Examples of a step that a device has.
local function part_of(answer) return answer.input.job.global_batch // answer.sequences // answer.plan.dp end

-- The most examples at a time, below `count`, that a device's part of the batch is a multiple of; nil where none are.
local function fewer_than(count, answer)
  local part = part_of(answer)
  for fewer = count - 1, 1, -1 do
    if part % fewer == 0 then return fewer end
  end
  return nil
end

-- The fewest examples at a time, above `count`, that a device's part of the batch is a multiple of; nil where none are.
local function more_than(count, answer)
  local part = part_of(answer)
  for more = count + 1, part do
    if part % more == 0 then return more end
  end
  return nil
end

-- An answer, or a better one on the way to micro-batches that `following` names one after the other.
local function best_on_the_way(asked, facts, best, following)
  local count = following(best.plan.micro_batch // best.sequences, best)
  while count do
    local plan = tables.with(facts.plan, { micro_batch = count * best.sequences })
    local other = answered(asked, tables.with(facts, { plan = plan }))
    if not ways.is_better(other, best) then return best end
    best, count = other, following(count, best)
  end
  return best
end

-- One way with the best of the micro-batches around what the step alone makes of it, which is of the longest sequences: a
-- smaller one needs less memory, and has less padding where lengths differ; a larger one launches less for short samples.
local function best_micro_batch(asked, facts)
  local first = answered(asked, facts)
  if facts.plan.micro_batch then return first end
  local best = best_on_the_way(asked, facts, first, fewer_than)
  return best == first and asked.about and best_on_the_way(asked, facts, first, more_than) or best
end

--- The estimate of an input of finetune{}: what estimate{} answers of its step, and kind, held (lengths), others_bytes,
--- cached_bytes, step_s, train_s, forward_s, mfu_frac, rollout, sequences (of an example), seq_len, samples (of a sequence, packed),
--- example_s (seconds of an example, or of an answer that is generated), beside (see ways.best).
---@param input table
---@return table answer
function case.of(input)
  local asked = asked_of(input)
  return ways.best(facts_of(input, asked.kind, asked.seq_len), function(facts) return best_micro_batch(asked, facts) end)
end

--- The greatest chance with which a way to run an input of finetune{} fits.
---@param input table
---@return number
function case.chance(input)
  local asked = asked_of(input)
  return ways.chance(facts_of(input, asked.kind, asked.seq_len), function(facts) return tried(facts, asked.kind) end)
end

return case
