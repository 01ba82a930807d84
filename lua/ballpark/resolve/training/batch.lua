-- What one step processes.
local errors = require("ballpark.errors")
local profiles = require("ballpark.catalog.profiles")

local batch = {}

-- Sequences of current base models, and of those before them: a usual choice, assumed.
local OLDER_LENGTH <const>, USUAL_LENGTH <const>, LONGER_YEAR <const> = 2048, 4096, 2024

--- Tokens of a sequence where nobody says it; without a year, today's.
function batch.usual_length(year) return (year or LONGER_YEAR) < LONGER_YEAR and OLDER_LENGTH or USUAL_LENGTH end

--- Sequences that no micro-batch parts: two of a pair, whose losses are compared; else one.
function batch.together(case) return case.facts.together or 1 end

-- Images have as many tokens as their patches and class tokens make.
local function image_tokens(model)
  local side, patch = model.image_size or 0, model.patch_size or 0
  if model.arch ~= "vision" or side == 0 or patch == 0 then return nil end
  local class_tokens, grid = model.class_tokens or 1, side // patch
  return grid * grid + class_tokens, ("%d tokens of an image: %d x %d patches and %d class token%s"):format(
    grid * grid + class_tokens, grid, grid, class_tokens, class_tokens == 1 and "" or "s")
end

-- Tokens of a step of pre-training, of the middle of published runs of 7 to 70 billion parameters: an assumption.
local PROPOSED_TOKENS <const> = 4194304

-- Without leave to assume them, length and batch are asked for, both at once.
local function ask(case)
  local job, missing = case.job, {}
  local length = job.seq_len or batch.usual_length(case.year)
  if job.seq_len == nil then missing[#missing + 1] = ("seq_len (as %d)"):format(length) end
  if job.global_batch == nil then
    missing[#missing + 1] = ("global_batch (as %d)"):format(math.max(1, PROPOSED_TOKENS // length))
  end
  if #missing > 0 then errors.input("job", "needs " .. table.concat(missing, " and ")) end
end

local function seq_len(case)
  local job = case.job
  if job.seq_len == nil then job.seq_len, case.image_words = image_tokens(case.model) end
  if not case.facts.assume then ask(case) end
  if job.seq_len then return nil end
  job.seq_len = batch.usual_length(case.year)
  return "seq_len " .. job.seq_len
end

-- Micro-batches per stage: the middle of what sources of published runs have in the middle, of which most are 4 to 32.
local PER_STAGE <const> = 8

-- Tokens of a rank's share of a step that leave nothing to gain from more: an assumption.
local ENOUGH_TOKENS <const> = 65536

-- The same of software that takes it whole: of published runs of MaxText, 8 to 32 thousand, of models that fill memory.
local WHOLE_TOKENS <const> = 16384

-- Whether a rank takes more than one micro-batch that nobody counts: where their size is open, too, it is chosen among as
-- many; and in software that is made for cutting models, whose launches state both (--micro-batch-size and
-- --global-batch-size of Megatron-LM). Its published runs without stages have four to eight of them, and 65,536 tokens a rank
-- in the middle.
local function takes_more(case) return case.micro_batch_open or profiles.cuts_models(case.class, case.traits) end

-- Micro-batches of a rank's share of a step where nobody says them: as many as are enough for it, in powers of two, while
-- the step stays within what is usual in pre-training.
local function usual_share(case)
  local enough = case.traits.whole_batch and WHOLE_TOKENS or ENOUGH_TOKENS
  local most = math.min(enough, PROPOSED_TOKENS // case.plan.dp) // (case.job.seq_len * case.plan.micro_batch)
  local count = 1
  while 2 * count <= most and takes_more(case) do count = 2 * count end
  return count
end

-- Sequences at a time of fine-tuning of which nobody says the batch: the middle of published tables, where a software's recipes
-- have no other.
local function of_finetuning(case)
  local plan = case.plan
  if not (case.facts.ran and case.traits.finetuning) or plan.micro_batch or case.job.global_batch then return nil end
  plan.micro_batch = math.max(batch.together(case), case.traits.micro_batch or 1)
  return "micro_batch " .. plan.micro_batch
end

local function global_batch(case)
  local plan, job = case.plan, case.job
  if case.searching then return nil end
  case.micro_batch_open = plan.micro_batch == nil
  plan.micro_batch = plan.micro_batch or batch.together(case)
  if job.global_batch then return nil end
  job.global_batch = plan.dp * plan.micro_batch * (plan.pp > 1 and PER_STAGE * plan.pp or usual_share(case))
  return "global batch " .. job.global_batch
end

-- Ranks that nobody stated and that do not divide the batch of a run that ran have uneven shares: the fullest sets the
-- pace.
local function uneven_batch(case)
  local plan, job, stated_ranks = case.plan, case.job, case.stated
  if case.searching or not case.facts.ran or stated_ranks.dp or stated_ranks.tp and stated_ranks.pp then return nil end
  local wave = plan.dp * plan.micro_batch
  if job.global_batch % wave == 0 then return nil end
  case.sequences = job.global_batch
  job.global_batch = -(-case.sequences // wave) * wave
  return nil
end

-- A model that had to be cut has fewer ranks that share the batch, so that shares are less uneven.
local function shared_batch(case)
  local sequences, plan, job = case.sequences, case.plan, case.job
  if not sequences then return nil end
  local wave = plan.dp * plan.micro_batch
  job.global_batch = -(-sequences // wave) * wave
  if job.global_batch == sequences then
    case.sequences = nil
    return nil
  end
  case.assumed[#case.assumed + 1] = ("global batch %d, the fullest rank's share of %d on all"):format(job.global_batch,
    sequences)
  return nil
end

-- Sequences at a time where the class does not accumulate: the whole share of a rank.
local function whole_batch(case)
  local plan = case.plan
  if case.searching or not case.micro_batch_open or not (case.traits.whole_batch and plan.pp == 1) then return nil end
  plan.micro_batch = math.max(batch.together(case), case.job.global_batch // plan.dp)
  case.micro_batch_open = false
  return "micro_batch " .. plan.micro_batch
end

-- Micro-batches of a pipeline that a product makes where nobody says how many.
local function of_stages(case)
  local plan, until_year = case.plan, case.traits.stage_batches_until
  if case.searching or not case.micro_batch_open or not until_year or plan.pp == 1 then return nil end
  local share, least = case.job.global_batch // plan.dp, batch.together(case)
  plan.micro_batch = case.year <= until_year and share % (plan.pp * least) == 0 and share // plan.pp or least
  case.micro_batch_open = false
  return ("micro_batch %d, as %s makes them in a pipeline"):format(plan.micro_batch, case.software_name)
end

batch.rules = {
  { fact = "seq_len", apply = seq_len, beside_plan = true,
    says = ("blank: the tokens of an image, where the model takes images; else %d, and %d before %d"):format(
      USUAL_LENGTH, OLDER_LENGTH, LONGER_YEAR) },
  { fact = "micro_batch", apply = of_finetuning,
    says = "blank in a published run of software for fine-tuning whose batch is blank, too: one sequence; two of torchtune" },
  { fact = "global_batch", apply = global_batch,
    says = "blank: without a pipeline one micro-batch per rank or, where that is open, too, and in software that cuts models "
      .. "(Megatron), 65,536 tokens per rank (16,384 in the class jax) and 4 million at most; with one eight micro-batches per stage" },
  { fact = "global_batch", apply = uneven_batch,
    says = "of a run that is known to have run and does not state its ranks, where they do not divide it: as many on every rank "
      .. "as on the fullest" },
  { fact = "micro_batch", apply = whole_batch,
    says = "blank in the class jax, which does not accumulate gradients: the whole share of a rank" },
  { fact = "micro_batch", apply = of_stages,
    says = "blank in a pipeline of torchtitan: as many micro-batches as stages until 2024, then of one sequence" },
}

--- Rules of the batch once a model is cut.
batch.shares = {
  { fact = "global_batch", apply = shared_batch,
    says = "of such a run whose model was cut to fit: as many on each of the ranks that are left as on the fullest" },
}

return batch
