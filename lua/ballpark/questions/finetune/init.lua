-- finetune{}: a model on examples of one's own.
local inputs = require("ballpark.questions.inputs")
local job = require("ballpark.questions.finetune.job")
local errors = require("ballpark.errors")
local fits = require("ballpark.range.fits")
local kinds = require("ballpark.questions.finetune.kinds")
local lengths = require("ballpark.resolve.training.lengths")
local samples = require("ballpark.questions.finetune.samples")
local systems = require("ballpark.search.systems")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local needs = inputs.needs

-- Of inputs.training, what this question takes as it is.
local function shared()
  local list = {}
  for _, row in ipairs(inputs.training) do
    if tables.contains({ "plan", "software", "profile", "price", "pue" }, row[1]) then list[#list + 1] = row end
  end
  return list
end

-- A list of samples says how many there are, and so does a file of them.
local function has_samples(said)
  if type(said) == "table" then said = said.samples or said.name end
  return type(said) == "table" or type(said) == "string" and samples.is_path(said)
end

-- Devices that a name says ("2x RTX 3090"). The table of devices is loaded with the first question, not with the program.
local function count_said(name) return require("ballpark.catalog.devices").count_said(name) end

-- The inputs of each system of a space, on one device unless more are said or named ("2x RTX 3090").
local function each_system(input)
  local space = type(input) == "table" and input.space or nil
  if space ~= nil then errors.named("space", space, { "system" }) end
  local points, axes = systems.inputs(input)
  for _, point in ipairs(points or {}) do
    local cluster = point.cluster
    point.space, point.job = nil, nil
    if not (cluster.devices or cluster.nodes) then
      cluster.devices = type(cluster.device) == "string" and count_said(cluster.device) or 1
    end
  end
  return points, axes
end

-- Options of the system with several values are a space of it.
local function take_systems(input)
  local system, cluster = {}, input.cluster
  for _, field in ipairs({ "device", "devices" }) do
    local values = cluster[field]
    if type(values) == "table" and #values > 1 then
      system[field], cluster[field] = values, nil
    elseif type(values) == "table" and #values == 1 then
      cluster[field] = values[1]
    end
  end
  if next(system) then input.space = { system = system } end
end

-- "p50=300,p99=2000" as { p50 = 300, p99 = 2000 }.
local function percentiles_of(text)
  local list = {}
  for name, tokens in text:gmatch("(p[%d%.]+)%s*=%s*([%d%.]+)") do list[name] = tonumber(tokens) end
  return list
end

-- A change that fits more likely than not is said, too, with its chance.
local LIKELY <const> = 0.5

-- Whether a change is what the run asks for, or near it: adapters over a base of fewer bits are, other runs are not.
local function is_own(change, answer)
  return not change.hardware and (not change.another or answer.method == "lora" and change.words:find("^QLoRA") ~= nil)
end

-- What makes a run fit, in words: the change on these devices that takes least time, and other devices; nil where nothing does.
local function what_fits(answer)
  local own, hardware, list = nil, nil, {}
  for _, change in ipairs(answer.changes or {}) do
    if change.hardware and change.fit_probability >= fits.SURE then hardware = hardware or change end
    local is_better = is_own(change, answer) and change.fit_probability >= LIKELY and (not own or change.times < own.times)
    if is_better then own = change end
  end
  if own then
    local chance = own.fit_probability < fits.SURE and (" (%s chance)"):format(units.format(own.fit_probability, "frac")) or ""
    list[1] = "with this: " .. own.words .. chance
  end
  if hardware then list[#list + 1] = hardware.words:find("^on ") and hardware.words or "on " .. hardware.words end
  return list[1] and table.concat(list, "; or ") or nil
end

return {
  name = "finetune",
  title = "a model on examples of one's own: does it fit, how long, for how much",
  inputs = inputs.joined({
    inputs.model,
    inputs.cluster,
    { "method", "full, lora (frozen weights in 16 bit) or qlora (in 4 bit); unless said lora, with unsloth qlora", type = "string" },
    { "kind", table.concat(kinds.names, ", ") .. "; sft unless said", type = "string" },
    { "examples", "of the data set, before longer ones are dropped; a pair is one; the samples of lengths unless said", type = "number", required = true },
    { "epochs", "how often each is seen, 1", type = "number" },
    { "lengths", "of samples in tokens: mean and deviation, or percentiles (p50, p90, p99 …), or a CSV with a column "
      .. "tokens, and longer (cut or dropped); or the name of a data set: alpaca. Without it every sample fills seq_len",
      is = "lengths", type = "string|table" },
    { "seq_len", "longest sequence in tokens, 2048", type = "integer" },
    { "packing", "true: samples fill sequences of seq_len together", type = "boolean" },
    { "batch", "examples of an optimizer step over all devices, 16; where torchtune steps in backward, 2; of "
      .. "grpo and ppo answers, 16 on each device", type = "integer" },
    { "micro_batch", "examples that a device computes at a time; by default the fastest that fits", type = "integer" },
    { "rank", "of adapters; as the software has it", type = "integer" },
    { "targets", "matrices with adapters: all, attention, qkv, qv, mlp, or names of modules (q_proj,v_proj; all-linear); as "
      .. "the software has it", type = "string" },
    { "deadline_s", "time that the run may take", type = "number" },
    { "budget_usd", "what the run may cost", type = "number" },
    { "period_s", "after what time it is run again; a month of it is then priced", type = "number" },
    { "evaluation", "examples of an evaluation after every epoch, 0; of grpo and ppo prompts, to which answers are generated", type = "number",
      limits = { evaluation = { least = 0, most = math.huge } } },
    { "space", "system: lists of values of fields of cluster (device, devices, price): the run on each, and which to take", is = "group",
      type = "table<string, any>" },
    { "generation", "of grpo and ppo: prompt_tokens, output_tokens, completions (of a prompt, 8)", is = "group",
      type = "table", whole = { "prompt_tokens", "output_tokens", "completions" } },
  }, shared()),
  needs = { needs.model, needs.device, tables.with(needs.devices, { such = "1" }),
    { "examples", such = "10000", without = "memory alone is 'ballpark fit MODEL --for qlora'",
      met = function(input) return has_samples(input.lengths) end } },
  outputs = {
    { "fits", "boolean", "whether a step fits into memory, and the run into its deadline and its budget" },
    { "plan", "ballpark.plan", "with everything filled in" },
    { "memory", "ballpark.memory", "of one device, at the longest sequence" },
    { "others_bytes", "number", "of that, models beside the policy" },
    { "cached_bytes", "number", "what PyTorch's allocator may hold beside it where lengths vary" },
    { "step_s", "number", "seconds of a whole optimizer step, mean over the lengths of samples" },
    { "tokens_per_s", "number", "of the data, without padding" },
    { "mfu_frac", "number", "model FLOP of the data over the dense peak while the policy learns; no gradients of frozen weights" },
    { "run", "table", "examples (of an epoch), dropped (samples beyond the longest sequence), steps, shorter_steps (that end an epoch with fewer examples), shorter_step_s, run_s, examples_per_s, cost_usd, usd_month (where it comes again), examples_per_usd, evaluation_s, save_s, rollout_s" },
    { "contradictions", "table[]", "what was asked and does not go, each with code and text: a deadline that the run misses, a budget below its cost" },
    { "largest", "table", "micro_batch and seq_len that fit with a chance of 90 %" },
    { "changes", "table[]", "single changes with what each needs, its chance and its time" },
    { "range", "table<string, ballpark.range>", "80 % ranges: step_s, tokens_per_s, run_s, cost_usd, total_bytes" },
    { "systems", "table|nil", "of a space: answers, best first; best (the cheapest that surely fits), fastest, sure, how many surely fit; and refused, { input, why } of those that are no such run" },
    { "assumed", "string[]", "what was not given" },
  },
  split = each_system,
  notes = {
    "Memory is that of the longest sequence, time the mean over the lengths of samples: short ones wait for the host.",
    "Samples are padded to the longest of their micro-batch unless they are packed.",
  },
  tables = {
    function(r)
      r:table({ name = "kinds", title = "Kinds", rows = kinds.reference(),
        columns = { { name = "kind" }, { name = "doc", title = "meaning" } } })
    end,
    function(r)
      r:table({ name = "lengths", title = "Fields of lengths", rows = lengths.fields,
        columns = { { name = "field" }, { name = "doc", title = "meaning" } } })
    end,
  },
  command = {
    summary = "Fine-tune a model: memory, time, cost, and what would make it fit",
    examples = {
      "ballpark finetune llama-3.1-8b --device RTX-4090 --method qlora --examples 52000 \\",
      "    --data-set alpaca --epochs 3 --software unsloth",
      "ballpark finetune qwen2.5-7b --device A100 --method full --examples 10000 --seq-len 4096",
      "ballpark finetune llama-3.1-8b --device H100 --kind dpo --examples 60000 --mean-tokens 400",
      "ballpark finetune llama-3.1-8b --device L4,A100,H100 --method qlora --examples 52000",
    },
    options = {
      { "model", "model", "Catalog name, or a config.json or its folder.", "text" },
      { "device", "cluster.device", "Catalog name, or several to choose from, with commas.", "list" },
      { "devices", "cluster.devices", "How many, 1; several to choose from, as 1,2,4.", "numbers" },
      { "method", "method", "full, lora or qlora; lora, with unsloth qlora.", "text" },
      { "kind", "kind", table.concat(kinds.names, ", ") .. ".", "text" },
      { "examples", "examples", "Examples of the data set; a pair is one." },
      { "epochs", "epochs", "How often each is seen, 1." },
      { "mean-tokens", "lengths.mean", "Mean tokens of a sample." },
      { "deviation", "lengths.deviation", "Standard deviation of the tokens of a sample." },
      { "percentiles", "percentiles", "Tokens that shares of the samples have at most, as 'p50=300,p90=900,p99=2000'.", "text" },
      { "lengths", "lengths_file", "CSV with a column tokens, a line for each sample: their lengths and how many.", "text" },
      { "data-set", "data_set", "Lengths of a known data set: alpaca.", "text" },
      { "seq-len", "seq_len", "Longest sequence in tokens, 2048." },
      { "packing", "packing", "Samples fill sequences together.", "flag" },
      { "batch", "batch", "Examples of an optimizer step over all devices, 16; of grpo and ppo answers, 16 a device." },
      { "micro-batch", "micro_batch", "Examples that a device computes at a time." },
      { "lora-rank", "rank", "Rank of adapters." },
      { "lora-targets", "targets", "Matrices with adapters: all, attention, qkv, qv, mlp, or modules as q_proj,v_proj.", "text" },
      { "lora-dropout", "plan.lora_dropout", "Share of what comes into adapters that is dropped; as the software has it." },
      { "software", "software", "transformers, unsloth, llama-factory, axolotl, ms-swift, torchtune, litgpt, deepspeed.", "text" },
      { "year", "year", "Year of the software; the newest unless said: attention, optimizers and losses were others before." },
      { "recompute", "plan.recompute", "none, selective or full.", "text" },
      { "optimizer", "plan.optimizer", "adam, adam_8bit, paged_adam_8bit, adam_bf16, adafactor, lion, sgd.", "text" },
      { "deadline", "deadline_s", "Time that the run may take, as 'hours(10)': exit code 1 where it takes longer." },
      { "budget", "budget_usd", "What the run may cost, in USD: exit code 1 where it costs more." },
      { "every", "period_s", "After what time it is run again, as 'days(7)': a month of it is then priced." },
      { "evaluation", "evaluation", "Examples of an evaluation after every epoch; of grpo and ppo prompts." },
      { "prompt-tokens", "generation.prompt_tokens", "Of grpo and ppo: tokens of a prompt." },
      { "output-tokens", "generation.output_tokens", "Of grpo and ppo: tokens of an answer." },
      { "completions", "generation.completions", "Of grpo and ppo: answers to a prompt, 8." },
      { "price", "cluster.price", "USD per device-hour, instead of the catalog's." },
    },
    complete = function(input)
      input.cluster = input.cluster or {}
      take_systems(input)
      local device = input.cluster.device
      if not input.space then input.cluster.devices = input.cluster.devices or count_said(device or "") or 1 end
      local given = input.data_set or input.lengths_file or input.percentiles and percentiles_of(input.percentiles)
      if given then input.lengths = type(given) == "table" and tables.with(input.lengths, given) or given end
      input.data_set, input.lengths_file, input.percentiles = nil, nil, nil
      if input.year then
        local software = type(input.software) == "table" and input.software or { name = input.software }
        input.software, input.year = tables.with(software, { year = errors.whole("year", input.year) }), nil
      end
    end,
  },
  -- A training scenario whose job has a kind is fine-tuning.
  takes_over = { estimate = job.finetuning, search = job.finetuning },
  headline = function(answer, asked)
    local run = answer.run or {}
    local devices = answer.input.cluster.network.devices
    local time = ("%s%s"):format(run.run_s and units.format(run.run_s, "s") or "", run.cost_usd and ", " .. units.format(run.cost_usd, "USD") or "")
    if asked.count then time = ("on %s; %s"):format(units.count(devices, "device"), time) end
    if asked.cheaper and run.cost_usd and not asked.count then time = ("%s, %s"):format(units.format(run.cost_usd, "USD"), units.format(run.run_s, "s")) end
    if run.usd_month then time = ("%s a month; %s"):format(units.format(run.usd_month, "USD"), time) end
    local held = ("%s of %s%s"):format(units.format(answer.memory.total_bytes, "B"), units.format(answer.memory.capacity_bytes, "B"),
      devices > 1 and (" on each of %d devices"):format(devices) or "")
    local most = asked.batch and answer.largest and answer.largest.micro_batch
    if most then return ("a micro-batch of %s at most; %s, %s"):format(units.count(most, "example"), time, held) end
    if asked.step and answer.step_s then return ("%s a step; %s, %s"):format(units.format(answer.step_s, "s"), time, held) end
    if asked.adapter and answer.trained_params then
      return ("an adapter of %s in 16 bit, %s parameters; training it takes %s, %s"):format(units.format(2 * answer.trained_params, "stored"), units.tally(answer.trained_params), time, held)
    end
    if asked.trained and answer.trained_params then return ("%s parameters learn; %s, %s"):format(units.tally(answer.trained_params), time, held) end
    if not answer.fits and not answer.contradictions[1] then
      local found = what_fits(answer)
      return ("it does not fit: %s; %s"):format(held, found and "it does " .. found or "if it did, " .. time)
    end
    return asked.memory and ("%s; %s"):format(held, time) or ("%s, %s"):format(time, held)
  end,
  speed = function(answer) return answer.run and answer.run.run_s and 1 / answer.run.run_s end,
  reason = function(answer) return answer.contradictions[1] and answer.contradictions[1].text or "memory" end,
}
