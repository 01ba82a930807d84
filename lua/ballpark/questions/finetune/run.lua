-- finetune{}: memory, time and cost of a run over examples, the largest batch and sequence, and what would make it fit.
local case = require("ballpark.questions.finetune.case")
local changes = require("ballpark.questions.finetune.changes")
local choice = require("ballpark.questions.finetune.choice")
local epochs = require("ballpark.questions.finetune.epochs")
local errors = require("ballpark.errors")
local largest = require("ballpark.questions.finetune.largest")
local lengths = require("ballpark.resolve.training.lengths")
local assumed = require("ballpark.questions.training.assumed")
local questions = require("ballpark.questions")
local range = require("ballpark.range")
local shapes = require("ballpark.resolve.shapes")
local simulated = require("ballpark.resolve.simulated")
local step_input = require("ballpark.resolve.step_input")
local stored = require("ballpark.catalog.models.stored")
local systems = require("ballpark.questions.search.systems")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local widths = require("ballpark.range.log_widths")

local finetune = {}

-- A drive that a checkpoint is written to (assumption).
local DRIVE_BYTES_S <const> = 1e9

-- Adapter parameters of one device. A step of one micro-batch has no gradients yet at its peak, one of two adds them up.
local function adapter_params(answer)
  local input = answer.input
  local job = tables.with(input.job, { global_batch = 2 * input.job.global_batch })
  local plan = tables.with(input.plan, { update_in_backward = false })
  local step = simulated.step(step_input.of(tables.with(input, { job = job }), plan))
  return step.memory.gradients_bytes / math.max(1, step.plan.grad_bytes)
end

local function is_frozen(answer) return (answer.plan.lora_rank or 0) > 0 end

-- What is saved after an epoch, in 16 bit: adapters of one device, or all weights.
local function saved_params(answer)
  return is_frozen(answer) and adapter_params(answer) or shapes.params(answer.input.model)
end

-- Parameters that learn, which are those that are saved; of ranks that share gradients of adapters nobody counts them.
local function trained_params(answer, saved)
  local plan = answer.plan
  if is_frozen(answer) and (plan.tp > 1 or plan.pp > 1 or (plan.zero or 0) > 1) then return nil end
  return saved
end

-- Seconds of an evaluation, which takes examples as training does. They are packed together where those are, which is what
-- TRL (eval_packing), axolotl (eval_sample_packing) and ms-swift do unless told otherwise, and as many answers to a prompt are
-- generated first (num_generations_eval of TRL's GRPOConfig is num_generations unless said; all recalled).
local function evaluation_s(input, answer)
  local examples = answer.left * errors.number("evaluation", input.evaluation or 0, 0)
  local pass_s = answer.forward_s + (answer.rollout and answer.rollout.seconds or 0)
  return examples * answer.example_sequences / answer.step_sequences * pass_s
end

local function whole_run(input, answer, saved)
  local examples, count = answer.examples, epochs.count(input)
  local shorter, ends = 0, math.ceil(count) -- a part of an epoch ends as a whole one does
  for _, of in ipairs(answer.steps.shorter) do shorter = shorter + of.count end
  local evaluation, save_s = ends * evaluation_s(input, answer), ends * 2 * saved / DRIVE_BYTES_S
  local run_s = answer.taken.all_s + evaluation + save_s
  local devices, usd_h = answer.input.cluster.network.devices, answer.run.usd_h
  local cost_usd = usd_h and usd_h * devices * run_s / 3600
  return { examples = examples, dropped = epochs.examples(input) - examples,
    steps = answer.steps.whole + shorter, shorter_steps = shorter,
    shorter_step_s = shorter > 0 and answer.taken.shorter_s / shorter or nil,
    examples_per_s = count * examples / run_s,
    examples_per_usd = (cost_usd or 0) > 0 and count * examples / cost_usd or nil,
    run_s = run_s, evaluation_s = evaluation, save_s = save_s, rollout_s = answer.taken.rollout_s,
    tokens = count * examples * (answer.generation and answer.generation.completions * answer.seq_len
      or answer.sample_tokens * answer.sequences),
    usd_h = usd_h, cost_usd = cost_usd, device_s = devices * run_s }
end

-- How many times longer a step may take that generates its answers first: the longest answer, an engine that takes new
-- weights and models that wait for each other are not counted, and no such step is among those that ranges are learned
-- from. Assumed, by what DeepSpeed-Chat and OpenRLHF published of theirs in 2023 and 2024 (recalled): one to three times.
local IN_TURNS <const> = 3

local SPREAD_OPEN <const> = "left open: lengths.deviation"

-- Moves that a report need not speak of.
local SLIGHT <const> = 0.01

-- The range of a step as a share of it, by how far it moves with what is not said of lengths.
local function share_of(steps, step_s, moves)
  local all = { step = { math.log(step_s / steps.low), math.log(steps.high / step_s) } }
  local own = widths.widen(all, moves, function(move) return { step = move } end).step
  local why = table.move(steps.why, 1, #steps.why, 1, {})
  if math.max(own[1], own[2]) > SLIGHT then why[#why + 1] = SPREAD_OPEN end
  return range.new(1, math.exp(-all.step[1]), math.exp(all.step[2]), why)
end

local function add_ranges(answer, of_steps, of_runs)
  local memory, own = answer.range.total_bytes, answer.range.step_s
  local function shares_of(moves)
    local shares = share_of(own, answer.time.step_s, moves)
    return answer.rollout and range.new(1, shares.low, IN_TURNS * shares.high, shares.why) or shares
  end
  local step, run = shares_of(of_steps), shares_of(of_runs)
  answer.range = { step_s = range.times(step, answer.step_s), run_s = range.times(run, answer.run.run_s),
    cost_usd = answer.run.cost_usd and range.times(run, answer.run.cost_usd), total_bytes = memory,
    tokens_per_s = range.under(step, answer.tokens_per_s) }
end

-- Weights that a checkpoint stores in four bits stay frozen: those of bitsandbytes, and others by their own kernels.
local BASE_FORMATS <const> = { int4 = "bitsandbytes", nf4 = "bitsandbytes", w4a16 = "gptq", awq = "gptq", gptq = "gptq" }

-- The input of a model whose name or config says four bits, and how that was taken.
local function of_stored(input)
  local said = stored.read(input.model)
  local word = said.weights
  local base_format = BASE_FORMATS[word or ""] and (said.packer or BASE_FORMATS[word])
  if not base_format or (input.plan or {}).base_bits then return input end
  if input.method == "full" then
    errors.input("method", ("full: the weights of %s are stored in 4 bit (%s), which adapters alone train beside: say qlora, or the model without it")
      :format(input.model.name or "the model", word))
  end
  if input.method == "qlora" and base_format:find("^bitsandbytes") then return input end
  local plan = tables.with({ base_format = base_format }, input.plan or {})
  return tables.with(input, { method = "qlora", plan = plan }), ("Frozen weights in 4 bit, as the checkpoint stores them (%s)."):format(word)
end

local METHOD_WORDS <const> = { lora = "Method: LoRA.", qlora = "Method: QLoRA, which the software's own recipes are for." }

-- What is trained on of a mean that is said, where longer samples are cut or dropped; nil where it is all but a hundredth.
local function cut_words(said, answer)
  local about = said and lengths.checked(said)
  local mean = about and about.mean
  if not mean or not answer.held or answer.held.tokens >= 0.99 * mean then return nil end
  local spread = about.deviation and "" or ", their standard deviation taken as 0.8 of it"
  return ("Samples have %.4g tokens in the mean%s: those of more than %d are %s, and %.4g of a sample are trained on."):format(mean, spread,
    answer.seq_len, answer.left < 1 and "dropped" or "cut", answer.held.tokens)
end

-- How lengths are taken to differ of which the mean alone is said, where that counts and nothing said it yet.
local function spread_words(answer)
  if not tables.contains(answer.range.run_s.why, SPREAD_OPEN) then return nil end
  return "Standard deviation of samples taken as 0.8 of their mean: nobody says it, which widens the range."
end

-- What packed samples see of each other; nil where nobody says how long they are.
local function packed_words(input, answer)
  if not (input.packing and input.lengths) then return nil end
  local document_tok = answer.input.job.document_tok
  if document_tok == 0 or not answer.plan.flash then return "Attention over whole sequences of packed samples." end
  return ("Attention stays inside packed samples; a token's sample has %d tokens in the mean."):format(
    math.floor(document_tok + 0.5))
end

local function said(input, answer, of_weights)
  local list = assumed.estimate(answer.input)
  local function add(text) list[#list + 1] = text end
  if of_weights then add(of_weights) end
  if input.method == nil then add(METHOD_WORDS[answer.method]) end
  if input.seq_len == nil and not answer.generation then add(("Sequences of at most %d tokens."):format(answer.seq_len)) end
  if input.batch == nil then add(("A step of %d sequences."):format(answer.input.job.global_batch)) end
  if input.lengths == nil and not answer.generation then
    add("Every sample fills its sequence: say lengths, or a data set, where samples are shorter.")
  end
  if not answer.generation then add(cut_words(input.lengths, answer) or spread_words(answer)) end
  add(packed_words(input, answer))
  if answer.generation then
    add(("Generation by vLLM on the same devices, in the memory that training leaves; %d tokens of prompt, %d of answer, "
      .. "%d answers to a prompt; a reward that costs nothing beside the model's."):format(
      answer.generation.prompt_tokens, answer.generation.output_tokens, answer.generation.completions))
    if answer.run.evaluation_s > 0 then
      add(("An evaluation generates as many answers to a prompt as a step, %d."):format(answer.generation.completions))
    end
  end
  if answer.kind_facts.references > 0 then
    add((answer.plan.lora_rank or 0) > 0 and "The reference is the policy without its adapters: it takes time and no memory."
      or "The reference is a frozen 16-bit copy of the policy.")
  end
  if answer.kind_facts.scorings > 0 then add("Critic and reward model have a head of one number, and no logits.") end
  if answer.kind_facts.scores then add("The head of a reward model is one number a sequence.") end
  add("Saved after every epoch at 1 GB/s.")
  return list
end

-- Says what does not go, and how many times what is allowed it is, where that is a number.
local function miss(answer, code, over, text)
  answer.contradictions[#answer.contradictions + 1] = { code = code, text = text, over = over }
  answer.fits = false
end

-- The answer without what would change it: memory, time and cost of the run.
local function estimated(input)
  questions.check_known("finetune", input)
  if type(input.model) ~= "table" then errors.input("model", "is missing") end
  local of_weights
  input, of_weights = of_stored(input)
  errors.positive("examples", epochs.examples(input))
  local answer = case.of(input)
  local saved = saved_params(answer)
  answer.run, answer.trained_params = whole_run(input, answer, saved), trained_params(answer, saved)
  answer.tokens_per_s = answer.run.tokens / answer.taken.all_s
  add_ranges(answer, case.moves_of_spread(input, answer))
  answer.contradictions = {}
  if answer.rollout and answer.rollout.refused then
    miss(answer, "memory", nil, ("answers cannot be generated beside the states of training: %s; times and costs are without them")
      :format(answer.rollout.refused))
  end
  local run = answer.run
  if input.period_s ~= nil and errors.positive("period_s", input.period_s) and run.cost_usd then
    run.usd_month = run.cost_usd * units.months(1) / input.period_s
  end
  if input.deadline_s and run.run_s > errors.number("deadline_s", input.deadline_s, 0) then
    miss(answer, "deadline", run.run_s / input.deadline_s, ("the run takes %s, and the deadline is %s"):format(
      units.format(run.run_s, "s"), units.format(input.deadline_s, "s")))
  end
  local budget = input.budget_usd and errors.positive("budget_usd", input.budget_usd)
  if budget and not run.cost_usd then
    miss(answer, "price", math.huge, ("no price is known for %s, and the budget is %s"):format(
      input.cluster.device.name or "the device", units.format(budget, "USD")))
  elseif budget and run.cost_usd > budget then
    miss(answer, "budget", run.cost_usd / budget, ("the run costs %s, and the budget is %s"):format(
      units.format(run.cost_usd, "USD"), units.format(budget, "USD")))
  end
  answer.assumed = said(input, answer, of_weights)
  return answer, input
end

-- With the largest that fits, and what would change it.
local function completed(answer, input)
  answer.largest = largest.of(input, answer)
  answer.changes = changes.of(input, answer, case.of)
  return answer
end

--- The answer of finetune{}.
---@param input table
function finetune.run(input) return completed(estimated(input)) end

--- The same on each of several systems: the answer of the one to choose, with `systems`, see choice.of, and beside them those
--- that are refused, { input, why }. Where all are, that of the first is raised.
---@param inputs table[]
---@param axes table[] of ballpark.search.systems
function finetune.systems(inputs, axes)
  local answers, own, refused, first = {}, {}, {}, nil
  for _, input in ipairs(inputs) do
    local ok, answer, full = errors.attempt(estimated, input)
    if ok then
      answers[#answers + 1], own[answer] = answer, full
    elseif answer.kind == "input" then
      refused[#refused + 1] = { input = input, why = tostring(answer) }
      answer.message = ("%s (on %s)"):format(answer.message, systems.words(axes, input))
      first = first or answer
    else
      error(answer, 0)
    end
  end
  if not answers[1] then error(first, 0) end
  local chosen = tables.with(choice.of(answers), { refused = refused })
  return tables.with(completed(chosen.best, own[chosen.best]), { systems = chosen })
end

return finetune
