-- A model trained on examples of one's own: does it fit, how long, for how much? finetune{} answers.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local data_sets = require("ballpark.catalog.data_sets")
local energy = require("ballpark.questions.ask.energy")
local how_many = require("ballpark.questions.ask.how_many")
local lengths = require("ballpark.resolve.training.lengths")
local mentions = require("ballpark.mentions")
local prices = require("ballpark.catalog.prices")
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local usual = require("ballpark.questions.finetune.usual")
local which = require("ballpark.questions.ask.which")

local model, params = proposals.said_model()
local memory, device = proposals.said_device()

local RL <const> = { grpo = true, ppo = true }

-- Models below so many parameters are small enough to train them all (assumption).
local SMALL <const> = 1e9

local function shape_of(f) return (f.model or f.params) and (proposals.decoder(f)) or nil end

-- Seconds of sound that Whisper hears at once (arXiv:2212.04356).
local WINDOW_S <const> = 30

-- Tokens of an instruction and its answer: 120 in Alpaca, 1,000 in chats of several turns (assumption).
local MEAN_TOK <const>, LEAST_MEAN <const>, MOST_MEAN <const> = 400, 120, 1000

-- What has to have room: a sequence, or so many at one time.
local function held(f, batch)
  return { model = proposals.model_of(f), purpose = f.method, context_tok = f.seq_len, batch = batch,
    rank = f.method ~= "full" and f.rank or nil }
end

-- Whether the devices that are said hold one sequence, trained by a method; of devices of which nobody says how many, one.
local function has_room(f, method)
  local is_said = f:is_given("device") or f.memory_bytes
  if not is_said or f.how_many or not (f.model or f.params) then return false end
  local count = f.devices or 1
  return how_many.fewest({ model = proposals.model_of(f), purpose = method, context_tok = f.seq_len, batch = 1 }, f.device, count) ~= nil
end

-- Devices with less memory are cards that people have one of (assumption).
local LEAST_RENTED <const> = 40e9

-- As many devices at least as `count` that share the examples of a step evenly; `count` where none do.
local function sharing(batch, count)
  for devices = count, batch do
    if batch % devices == 0 then return devices end
  end
  return count
end

local counted = how_many.devices(function(f) return (f.model or f.params) and held(f) end, 1)

local finetune = {
  name = "finetune", title = "Fine-tuning", words = "Fine-tune a model: does it fit, how long, for how much?",
  question = "finetune", several = "space.system.device", compares = "rented",
  facts = {
    model, params, proposals.active, memory, energy.grid_fact,
    which.fact, tables.with(device, { propose = function(f)
      if f.which then return nil end
      if f.memory_bytes then return device.propose(f) end
      return "H100", "the device most often rented for it"
    end }),
    { "tuning", "Which kind: sft, dpo, grpo, ppo?", type = "string", title = "Kind",
      propose = proposals.constant("sft", "examples are shown, unless more is said") },
    { "method", "Trained how: full, lora, qlora?", type = "string", title = "Method",
      propose = function(f)
        local shape = shape_of(f)
        if shape and core.params({ model = shape }).total_params < SMALL then
          return "full", "a model of less than a billion parameters is small enough"
        end
        local method = usual.method(f.software)
        local is_card = (f:is_given("device") or f.memory_bytes) and not f.how_many and (f.devices or 1) == 1 and catalog.device(f.device).memory_bytes < LEAST_RENTED
          and how_many.fewest({ model = proposals.model_of(f), purpose = "qlora", context_tok = 1, batch = 1 }, f.device) ~= nil
        local is_there = has_room(f, "qlora") or is_card
        if method == "lora" and is_there and not has_room(f, "lora") then return "qlora", "a base in 16 bit has no room on the device" end
        return method, method == "lora" and "what most people do" or "what the software's recipes are for"
      end },
    how_many.row,
    tables.with(counted, { propose = function(f)
      -- What is rented where nobody says on what has room for it, and of what is rented to train where nobody says on how many.
      local is_rented = f:is_given("device") and catalog.device(f.device).memory_bytes >= LEAST_RENTED and prices.get(catalog.device(f.device).name)
      local is_open = (is_rented or not (f:is_given("device") or f.memory_bytes)) and (f.model or f.params)
      local count, why = is_open and how_many.fewest(held(f), f.device), "the fewest that hold it with 90 % chance"
      if not count or count <= 1 then count, why = counted.propose(f) end
      if count and f.batch and not RL[f.tuning] then count = sharing(f.batch, count) end
      return count, why
    end }),
    proposals.network,
    { "software", "With which software?", type = "string", title = "Software" },
    { "zero", "Which ZeRO stage (FSDP is 3)?", unit = "", type = "integer", title = "ZeRO" },
    proposals.offloaded,
    { "steps", "How many optimizer steps?", unit = "", title = "Steps" },
    { "accumulated", "How many micro-batches of a device make a step?", unit = "", type = "integer", title = "Accumulated" },
    { "micro_batch", "Examples that a device computes at a time?", unit = "", type = "integer", title = "Micro-batch" },
    { "batch", "Examples of a step?", unit = "", type = "integer", title = "Batch",
      propose = function(f)
        local devices = f.devices or 1
        if f.micro_batch then return f.micro_batch * (f.accumulated or 1) * devices, "micro-batches of all devices", nil, nil, true end
        local batch = usual.batch(f.tuning, devices, f.completions)
        if RL[f.tuning] then return batch, "answers of some prompts on every device" end
        return math.ceil(batch / devices) * devices, devices > batch and "one example on every device" or "usual for adapters"
      end },
    { "targets", "Which matrices have adapters: all, attention, qkv, qv, mlp?", type = "string", title = "Adapters on" },
    { "rank", "Rank of adapters?", unit = "", type = "integer", title = "Rank" },
    { "at_once", "Are the examples of a step computed at one time?", type = "string", title = "At one time" },
    { "seq_len", "Tokens of an example at most?", unit = "tok", type = "integer", title = "Sequence", also = { "input_tokens" },
      propose = function(f)
        if RL[f.tuning] and not f.tokens then return nil end -- prompt and answer are their own
        local shape = shape_of(f)
        return shape and lengths.usual(shape) or lengths.USUAL, "usual"
      end },
    { "data_set", "Which known data set: alpaca?", type = "string", title = "Data set" },
    { "mean_tok", "Mean tokens of an example?", unit = "tok", title = "Mean of an example", propose = function(f)
      if f.data_set then return nil end
      if RL[f.tuning] or f:entry("seq_len").given or f.tokens or f.seq_len <= MEAN_TOK then return nil end
      return MEAN_TOK, "instructions and answers: 120 in Alpaca, 1,000 in chats of several turns", LEAST_MEAN, MOST_MEAN
    end },
    { "tokens", "How many tokens in all?", unit = "tok", title = "Tokens" },
    { "audio_s", "How much sound?", unit = "s", title = "Sound" },
    { "examples", "How many examples?", unit = "", title = "Examples", ask = 3, also = { "items", "vectors" },
      propose = function(f)
        if f.tokens then return math.ceil(f.tokens / f.seq_len), "tokens over those of an example" end
        if f.audio_s then return math.ceil(f.audio_s / WINDOW_S), "windows of 30 s of the sound" end
        if f.steps and RL[f.tuning] then
          return math.ceil(f.steps * f.batch / (f.completions or usual.COMPLETIONS)), "steps times the prompts of one"
        end
        if f.steps then return f.steps * f.batch, "steps times the batch" end
        return 1e4, "a set that somebody wrote or chose", 1e3, 1e5
      end },
    { "epochs", "How often is each seen?", unit = "", title = "Epochs", propose = proposals.constant(1, "once") },
    { "prompt_tokens", "Tokens of a prompt that is answered?", unit = "tok", type = "integer", title = "Prompt" },
    { "output_tokens", "Tokens of an answer that is sampled?", unit = "tok", type = "integer", title = "Answer" },
    { "completions", "Answers to a prompt?", unit = "", type = "integer", title = "Answers to a prompt" },
    { "time_s", "In what time?", unit = "s", title = "Deadline", also = { "horizon_s" } },
    proposals.period,
    { "cost_usd", "What may it cost, in USD?", unit = "USD", title = "Budget" },
    { "budget_usd_month", "What may it cost a month, in USD?", unit = "USD", title = "Budget a month" },
    proposals.own_price,
  },
}

local function plan_of(f)
  if not f.zero and f.offloaded ~= "yes" then return nil end
  return { zero = f.zero, offload = proposals.offload(f) }
end

-- A set of fewer tokens than this for each of its examples, or in all, is none: they are those of an example.
local LEAST_EXAMPLE <const>, LEAST_SET <const> = 8, 32768

-- Words by which a batch is what a device computes at one time: it is asked whether it has room.
local AT_ONCE <const> = mentions.whole({ "oom", "out of memory", "fit", "fits", "per device", "per gpu", "micro batch", "micro%-batch" })

-- Words by which a batch is that of one device.
local OF_ONE <const> = mentions.whole({ "per device", "per gpu", "per%-device", "per%-gpu", "each gpu", "each device", "micro batch", "micro%-batch", "per_device_train_batch_size" })

-- A batch of a device, or one of which several are accumulated, makes a step with those of the others.
local function of_micro_batches(given, text)
  if not given.batch or RL[given.tuning] or not (given.accumulated or mentions.any(text, OF_ONE)) then return given end
  local made = tables.with(given, { micro_batch = given.batch })
  made.batch = nil
  return made
end

-- More answers than this are those of a step (assumption).
local MOST_ANSWERS <const> = 64

-- "200 steps of 512 rollouts of 4k tokens": answers of a step, and the length of each.
local function of_rollouts(given)
  if not RL[given.tuning] or not given.completions or given.completions <= MOST_ANSWERS then return given end
  local prompts = math.max(1, math.ceil(given.completions / usual.COMPLETIONS))
  local made = tables.with(given, { completions = usual.COMPLETIONS, batch = given.batch or math.tointeger(given.completions),
    examples = given.examples or given.steps and given.steps * prompts })
  if given.seq_len and not given.output_tokens then made.output_tokens, made.seq_len = given.seq_len, nil end
  return made
end

-- "512 prompts per step": examples of it, or as many times the answers to each; few tokens are then the length of one answer.
local function of_step(given)
  local prompts, made = given.step_prompts, tables.with(given)
  made.step_prompts = nil
  if prompts then made.batch = given.batch or prompts * (RL[given.tuning] and (given.completions or usual.COMPLETIONS) or 1) end
  -- "1k prompts per step, 16 samples, 8k tokens each": answers to each, and how long they are.
  local each = prompts and RL[given.tuning] and not given.completions and given.examples
  if each and each <= MOST_ANSWERS then
    made.completions, made.examples = math.tointeger(each), nil
    made.batch = given.batch or math.tointeger(prompts * each)
    if given.seq_len and not given.output_tokens then made.output_tokens, made.seq_len = given.seq_len, nil end
  end
  if prompts and given.steps and RL[given.tuning] and not given.examples then made.examples = given.steps * prompts end
  if RL[given.tuning] and given.tokens and given.tokens <= LEAST_SET and not given.output_tokens then
    made.output_tokens, made.tokens = math.tointeger(given.tokens) or given.tokens, nil
  end
  return made
end

-- "52k alpaca examples" is a count to the grammar, and the name in it says how long they are.
local function of_set(given, text)
  if given.data_set or given.mean_tok or RL[given.tuning] then return given end
  return tables.with(given, { data_set = mentions.named(text, tables.sorted_keys(data_sets)) })
end

-- A number of tokens as a mean, before it or behind it.
local MEANS <const> = { "averag%a*[%a ]- (%d[%d.,]*)(k?)", "avg%.?[%a ]- (%d[%d.,]*)(k?)", "mean[%a ]- (%d[%d.,]*)(k?)",
  "(%d[%d.,]*)(k?) ?tok%a*[%a ]- on average", "(%d[%d.,]*)(k?) ?tok%a* averag", "(%d[%d.,]*)(k?) ?tok%a* avg" }
local AT_MOST <const> = { "max", "longest", "up to", "at most", "no more than" }

-- "30k examples averaging 600 tokens, 2048 at most": what is said to be the mean is no longest sequence.
local function of_mean(given, text)
  if given.mean_tok or RL[given.tuning] then return given end
  for _, pattern in ipairs(MEANS) do
    local digits, thousands = (text or ""):lower():match(pattern)
    local value = digits and tonumber((digits:gsub(",", ""):gsub("%.$", "")))
    value = value and value * (thousands == "k" and 1000 or 1)
    if value and (value == given.seq_len or value == given.tokens) then
      local made = tables.with(given, { mean_tok = value })
      if value == given.tokens then
        made.tokens = nil
      elseif given.tokens and mentions.any(text, AT_MOST) then
        made.seq_len, made.tokens = given.tokens, nil
      else
        made.seq_len = nil
      end
      return made
    end
  end
  return given
end

-- Words of what is spent by the month.
local MONTHLY <const> = { "monthly budget", "monthly spend", "monthly cost" }

-- "Every week, monthly budget $5": of work that comes again the money is that of a month.
local function of_month(given, text)
  if not (given.period_s and given.cost_usd and mentions.any(text, MONTHLY)) then return given end
  local made = tables.with(given, { budget_usd_month = given.cost_usd })
  made.cost_usd = nil
  return made
end

--- Lengths of what is sampled are those of its prompts; few tokens are the length of an example.
function finetune.given(given, _, text)
  given = of_month(of_mean(given, text), text)
  given = of_set(of_step(of_rollouts(how_many.open(proposals.of_machine(given), text))), text)
  given = of_micro_batches(given, text)
  if given.batch and mentions.any(text, AT_ONCE) then given = tables.with(given, { at_once = "yes" }) end
  local tokens = given.tokens
  if tokens and not RL[given.tuning] and not (given.seq_len or given.input_tokens)
    and (tokens < LEAST_EXAMPLE * (given.examples or 0) or tokens <= LEAST_SET and not given.examples) then
    given = tables.with(given, { seq_len = tokens })
    given.tokens = nil
  end
  if not RL[given.tuning] or given.prompt_tokens or not given.seq_len then return given end
  given = tables.with(given, { prompt_tokens = given.seq_len })
  given.seq_len = nil
  return given
end

-- Devices of a machine that is rented.
local MOST_RENTED <const> = 8

-- Whether one device holds the examples of a step together; else they are micro-batches of it.
local function fits_at_once(f)
  if not f:is_given("batch") or f.devices ~= 1 or RL[f.tuning] then return false end
  if f.at_once then return true end
  return how_many.fewest(held(f, f.batch), f.device, 1) == 1
end

-- As many of each rented device as are said, else the fewest that hold it or a whole machine, as a space of systems.
local function rented(f)
  local list = {}
  for _, name in ipairs(which.RENTED) do
    local count = f:is_given("devices") and f.devices or how_many.fewest(held(f), name, MOST_RENTED) or MOST_RENTED
    list[#list + 1] = ("%dx %s"):format(count, name)
  end
  return { system = { device = list } }
end

-- What one run may cost: of a budget of a month its part of one that comes again.
local function budget_of(f)
  local month = f.budget_usd_month
  return f.cost_usd or month and month * (f.period_s or units.months(1)) / units.months(1)
end

function finetune.input(f)
  local samples = RL[f.tuning] and (f.output_tokens or f.completions or f.prompt_tokens)
  local cluster = { device = f.device, devices = not f.which and f.devices or nil, price = f.usd_h, network = f.network }
  return { model = proposals.model_of(f), cluster = cluster, space = f.which and rented(f) or nil,
    deadline_s = f.time_s, budget_usd = budget_of(f), period_s = f.period_s, kind = f.tuning, method = f.method, examples = f.examples, epochs = f.epochs,
    batch = (not f.which or f:is_given("batch")) and f.batch or nil,
    seq_len = not RL[f.tuning] and f.seq_len or nil, lengths = f.mean_tok and { mean = f.mean_tok } or f.data_set, software = f.software, rank = f.method ~= "full" and f.rank or nil, targets = f.method ~= "full" and f.targets or nil,
    micro_batch = f.micro_batch or fits_at_once(f) and f.batch or nil, plan = plan_of(f),
    generation = samples and { prompt_tokens = f.prompt_tokens, output_tokens = f.output_tokens, completions = f.completions } or nil }
end

return finetune
