-- What a row of measured fine-tuning states, in the words of a scenario. Nothing blank is filled here; see
-- ballpark.resolve.training for the rest.
local clusters = require("ballpark.catalog.clusters")
local data_sets = require("ballpark.catalog.data_sets")
local described_model = require("ballpark.resolve.described_model")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local image_sets = require("ballpark.catalog.image_sets")
local labels = require("ballpark.measured.labels")
local lengths = require("ballpark.resolve.training.lengths")
local models = require("ballpark.catalog.models")
local model_names = require("ballpark.resolve.model_names")
local name_length = require("ballpark.name_length")
local near = require("ballpark.near")
local plan_words = require("ballpark.measured.plan_words")
local profiles = require("ballpark.catalog.profiles")
local tables = require("ballpark.tables")
local variants = require("ballpark.catalog.models.variants")

local finetuning_facts = {}

--- { column, how it is read }, for explain.
finetuning_facts.reference = {
  { "device", "a catalog name or a label that means one; any other is not covered" },
  { "model", "a catalog name decides over params_b where the name itself says a size; of an unknown name without a size, such "
    .. "as a data set's, the title of the source may say the model; what the catalog does not have is taken as a decoder of "
    .. "as many parameters, kin first; -bnb-4bit means a plain 4-bit checkpoint, -unsloth-bnb-4bit a dynamic one, which "
    .. "leaves some matrices and towers in 16 bit" },
  { "method", "lora, qlora and adapter freeze the weights; + embeddings trains embedding and head along; lisa_2 trains two "
    .. "layers at a time; galore keeps moments of low rank; llamapro trains the layers that it adds; full trains all" },
  { "framework", ("blank: %s"):format(profiles.USUAL_FINETUNING) },
  { "precision", "blank: fp32 of Transformers, PEFT, TRL and Accelerate until 2025, which load weights so, where no time is "
    .. "measured; else as for training" },
  { "batch_per_gpu", "blank: 1, of torchtune 2; memory alone is asked then" },
  { "sharding", "device_map cuts the layers over the devices, of which one computes at a time; 'sequence parallel N': N "
    .. "ranks share a sequence" },
  { "seq_len", ("blank, or a limit beyond it of samples whose lengths nobody says: %d, of embedders a pair of texts, %d; at most "
    .. "the longest sample of a data set that is known"):format(lengths.USUAL, lengths.usual({ lm_head = false })) },
  { "seq_kind", "fixed and packed: every sequence has seq_len tokens; a named data set or a mean: samples are as long as "
    .. "that says, as those of a data set that the title of the source names; torchtune's recipes train on Alpaca unless that is said; else memory is asked, and no time" },
  { "mem_stat", "allocated and active: without context and fragmentation; reserved: without context; else what the software logs (torchtune: "
    .. "allocated), or the device's" },
}

local known_devices = {}

local function device_of(row)
  local label = row.device
  if not label then errors.input("device", "not stated") end
  if not known_devices[label] then
    local name = labels.resolve(label)
    if not name then errors.input("device", near.missing(label, devices.known())) end
    known_devices[label] = devices.get(name)
  end
  return known_devices[label]
end

local function cluster(row)
  local count, nodes = row.gpus or 1, row.nodes or 1
  if count % nodes ~= 0 then errors.input("nodes", ("%d do not share %d devices evenly"):format(nodes, count)) end
  return clusters.make({ device = device_of(row), devices = count, node_size = count // nodes })
end

-- Words in the names of models that embed texts: without a shape they are no decoder of usual proportions.
local ENCODERS <const> = { "bert", "minilm", "bge", "gte%-", "e5%-", "embed" }

local function refuse_encoder(name)
  for _, word in ipairs(ENCODERS) do
    if (name or ""):lower():find(word) and not models.resolve(name) then
      errors.input("model", models.missing(name))
    end
  end
end

-- Rounding in billions below which a count was printed by software, not read off a title.
local COUNTED <const> = 0.0049

local function title_of(row)
  local title = (row.source or ""):match("([^/]+)$") or ""
  return name_length.is_over(title) and "" or title
end

-- Where the name is that of a data set, the title of its source may say the model.
local function name_of(row)
  local name = row.model
  if not name or not row.params_b or not row.source or models.resolve(name) or model_names.stated(name) then return name end
  return described_model.titled(title_of(row), row.params_b) or name
end

-- Whether a name has a size in it, of experts or of all ("8x7B", "0.6B").
local function says_size(name) return name:lower():find("%d[bm]%f[%W]") ~= nil end

-- A name of the catalog that says a size itself is believed over a rounded count. One that the catalog does not have is
-- taken as a decoder that it has, of that size.
local function model_of(row, length)
  local name = name_of(row)
  refuse_encoder(name)
  local known = name and models.resolve(name)
  local counted = row.params_b and row.params_rounding_b < COUNTED
  if known and model_names.stated(name) and not counted then return models.get(known) end
  local stated = { model = name, params_b = row.params_b, params_rounding_b = row.params_rounding_b }
  if row.params_b and name and not described_model.is_named(stated) then
    local kin, said = described_model.kin(says_size(name) and name or title_of(row), row.params_b)
    if kin then return kin, said end
  end
  return described_model.of(stated, length)
end

-- What sources call a method: whether weights are frozen, and their bits where nothing else says them; changes of the
-- plan that a method is. Methods that train few numbers beside frozen weights are taken as adapters; prefixes that attention
-- reads (arXiv:2303.16199) as those of queries, keys and values.
-- LISA trains two or four layers at a time, and embedding and head (arXiv:2403.17919); LLaMA Pro adds layers and trains
-- those (arXiv:2401.02415).
local METHODS <const> = { { "q%-galore", unknown = true },
  { "galore.*emb", plan = { optimizer = "adafactor" } },
  { "galore", plan = { optimizer = "galore" } },
  { "lisa", layers = "lisa_(%d+)", plan = { lora_ends = true } }, { "llamapro", layers = "num_blocks=(%d+)", adds = true },
  { "qadapter_?v2", frozen = true, outputs = true, bits = 4 }, { "adapter_?v2", frozen = true, outputs = true },
  { "dora", frozen = true }, { "vera", frozen = true }, { "boft", frozen = true }, { "ia3", frozen = true },
  { "bone", frozen = true }, { "reft", frozen = true }, { "prompt", frozen = true }, { "prefix", frozen = true },
  { "qlora", frozen = true, bits = 4 }, { "qadapter", frozen = true, bits = 4, targets = "qkv", plan = { lora_dropout = 0 } },
  { "lora", frozen = true }, { "adapter", frozen = true, targets = "qkv", plan = { lora_dropout = 0 } }, { "full" } }

local function method_of(row)
  for _, method in ipairs(METHODS) do
    if row.method and row.method:lower():find(method[1]) then
      if method.unknown then errors.input("method", ("'%s' is not modelled"):format(row.method)) end
      return method
    end
  end
  errors.input("method", ("'%s' is none of full, lora, qlora and adapter"):format(row.method or ""))
end

local function bits_of(row, method)
  local stated = row.base_bits
  if not stated then return method.bits end
  for _, bits in ipairs({ 2, 3, 4, 8, 16 }) do
    if stated >= bits and stated < 1.2 * bits then return bits end
  end
  errors.input("base_bits", ("must be near 2, 3, 4, 8 or 16, got %g"):format(stated))
end

-- What stores frozen weights, by notes, by the name of the model or the title of its source, and by bits that count the
-- scales.
local function format_of(row)
  local packer = variants.packer(row.model or "")
  if packer then return packer end
  local notes = table.concat({ row.notes or "", row.method, row.model or "", title_of(row) }, " "):lower()
  for _, name in ipairs({ "gptq", "awq", "aqlm" }) do
    if notes:find(name, 1, true) then return "gptq" end
  end
  return row.base_bits == 4.5 and "bitsandbytes_single" or nil
end

-- Matrices by words and by names of modules; the first pattern found decides. And whether embedding and head are
-- trained along.
local TARGETS <const> = { { "all", "all" }, { "qkv", "qkv" }, { "q k v o", "attention" }, { "q v", "qv" },
  { "q_proj.*down_proj", "all" }, { "c_attn.*w1", "all" }, { "q_proj.*o_proj", "attention" },
  { "q_proj.*k_proj", "qkv" }, { "q_proj.*v_proj", "qv" }, { "query_key_value", "qkv" }, { "c_attn", "qkv" },
  { "attention", "attention" }, { "mlp", "mlp" } }

local function targets_of(row)
  local text = (row.target_modules or ""):lower()
  local ends = text:find("lm_head", 1, true) ~= nil or row.method:lower():find("embedding", 1, true) ~= nil
  for _, pattern in ipairs(TARGETS) do
    if text:find(pattern[1]) then return pattern[2], ends or nil end
  end
  return nil, ends or nil
end

-- Layers that a method trains, by its name or by notes.
local function trained_layers(row, method)
  if not method.layers then return nil end
  local count = (row.method .. " " .. (row.notes or "")):lower():match(method.layers)
  if not count then errors.input("method", ("'%s' does not say how many layers it trains"):format(row.method)) end
  return math.tointeger(tonumber(count))
end

local function adapters(row, plan)
  local method = method_of(row)
  for field, value in pairs(method.plan or {}) do plan[field] = value end
  plan.trained_layers = trained_layers(row, method)
  if not method.frozen then return end
  local bits = bits_of(row, method)
  plan.lora_rank = row.rank
  plan.adapters = "lora"
  plan.base_bits = bits ~= 16 and bits or nil
  plan.base_format = bits ~= 16 and format_of(row) or nil
  plan.lora_targets, plan.lora_ends = targets_of(row)
  plan.lora_targets = plan.lora_targets or method.targets
  if method.outputs then plan.lora_rank, plan.lora_targets = 2, "outputs" end
end

local function sharding(row, plan)
  local label = (row.sharding or ""):lower()
  if label:find("device_map", 1, true) then
    plan.pp, plan.zero = row.gpus, 0
    return
  end
  plan.zero = plan_words.zero(label)
  local ranks = math.tointeger(tonumber(label:match("sequence parallel (%d+)")))
  if ranks and ranks > 1 then
    if (row.gpus or 1) % ranks ~= 0 then errors.input("sharding", ("%d do not share %d devices evenly"):format(ranks, row.gpus or 1)) end
    plan.cp = ranks
  end
end

-- Stages of ZeRO are DeepSpeed's where Transformers trains: FSDP has names of its own for them.
local function framework(row)
  local name, label = row.framework or profiles.USUAL_FINETUNING, (row.sharding or ""):lower()
  if name:lower():find("deepspeed", 1, true) or not label:find("zero", 1, true) then return name end
  return profiles.traits(profiles.classify(name), name).authors_code and name .. " + deepspeed" or name
end

local function software(row)
  local text, compiled = row.kernels or "", nil
  if text:find("compile", 1, true) then compiled = true end
  return { name = text:find("unsloth", 1, true) and "unsloth" or framework(row), year = row.year, compiled = compiled }
end

local function traits_of(row)
  local name = software(row).name
  return profiles.traits(profiles.classify(name), name)
end

-- Lightning's word for weights, gradients and moments in bf16 without a copy in fp32.
local PURE <const> = "bf16-true"

local function is_pure(row) return (row.precision or ""):lower() == PURE end

-- Moments of a plain AdamW have the format of the weights that it updates, which some software keeps in bf16.
local function plain_adam(row)
  local traits = traits_of(row)
  local narrow = is_pure(row) or traits.pure_bf16 and (row.year or math.huge) >= traits.pure_bf16
  return narrow and not (row.precision or ""):lower():find("fp") and profiles.PURE_BF16.optimizer or "adam"
end

local function optimizer(row)
  local text = (row.optimizer or ""):lower()
  if text == "" then return nil end
  local name = plan_words.optimizer(text)
  if name == "adam" then return plain_adam(row) end
  if name then return name end
  errors.input("optimizer", ("'%s' is not known"):format(row.optimizer))
end

local formats = { bf16 = "bf16", [PURE] = "bf16", fp16 = "fp16", fp32 = "fp32" }

-- As stated, else as the software loads weights where nobody tells it. Packed ones are unpacked to 16 bit, and whoever publishes
-- how fast a device with matmul units trains has told it to use them (assumption).
local function precision(row)
  if row.precision then
    return formats[row.precision:lower()] or errors.choice("precision", row.precision, tables.sorted_keys(formats))
  end
  local method = method_of(row)
  if method.frozen and (bits_of(row, method) or 16) < 16 or row.step_s or row.tokens_per_s_per_gpu then return nil end
  return (row.year or math.huge) <= (traits_of(row).loads_wide_until or 0) and "fp32" or nil
end

-- Software that shares sequences puts fused attention in place of that of a model's own code, on one rank as on several.
local function with_attention(row, model)
  local shares = (row.sharding or ""):lower():find("sequence parallel", 1, true)
  return shares and model.own_attention and tables.with(model, { own_attention = "fused" }) or model
end

local function offloaded(row, plan)
  local text = (row.cpu_offload or "0"):lower()
  if text:find("activation", 1, true) then plan.offload_activations = 1 end
  if text:find("optimizer", 1, true) then plan.offload = "optimizer" end
  if text == "1" or text:find("weight", 1, true) or text:find("param", 1, true) then
    plan.offload = "optimizer_weights"
  end
end

-- A step of a ladder of options has those that it names and no others.
local function is_ladder(row) return (row.notes or ""):find("cumulative options", 1, true) ~= nil end

local function kernels(row, plan)
  local text = (row.kernels or ""):lower()
  -- Losses over chunks of the head's output, as torchtune's, keep all of it in 16 bit.
  if text:find("chunked", 1, true) then plan.cross_entropy = "fused"
  elseif is_ladder(row) then plan.cross_entropy = "plain" end
  if text:find("optimizer in backward", 1, true) then plan.update_in_backward = true end
end

local function plan_of(row)
  local plan = { micro_batch = row.batch_per_gpu, flash = row.flash_attn, optimizer = optimizer(row) }
  adapters(row, plan)
  sharding(row, plan)
  offloaded(row, plan)
  kernels(row, plan)
  plan.precision = precision(row)
  if is_pure(row) then
    local traits, pure = traits_of(row), profiles.PURE_BF16
    plan.master_bytes, plan.grad_bytes = pure.master_bytes, pure.grad_bytes
    if not (traits.optimizer or traits.one_device) then plan.optimizer = plan.optimizer or pure.optimizer end
  end
  if row.grad_checkpointing ~= nil then plan.recompute = row.grad_checkpointing and "full" or "none" end
  return plan
end

-- Sequences of an optimizer step (nil where nobody says those of a micro-batch), and steps that a measured one is. Layers that
-- are split over devices compute one micro-batch at a time, on one device after the other: a step is as many of them, and
-- one is asked.
local function batch(row, plan)
  local each, accumulated, gpus = plan.micro_batch, row.grad_accum or 1, row.gpus or 1
  if plan.pp then return each, accumulated end
  return each and each * accumulated * gpus // (plan.cp or 1), 1
end

-- The first of the sets by name that is named in the words.
local function named_in(words, sets)
  for _, name in ipairs(tables.sorted_keys(sets)) do
    if words:find(name, 1, true) then return sets[name] end
  end
end

-- What is said of the lengths of samples: false where they are not known, nil where all are as long as seq_len.
local function lengths_of(row)
  local kind = (row.seq_kind or ""):lower()
  local plain = kind:gsub("(%d),(%d)", "%1%2")
  local mean, deviation = plain:match("mean%s+([%d%.]+)%s*±%s*([%d%.]+)")
  if mean then
    return { mean = tonumber(mean), deviation = tonumber(deviation) }
  end
  local words = kind .. " " .. title_of(row):lower()
  local set = named_in(words, data_sets)
  if set then return set end
  if kind:find("^fixed") or kind:find("^packed") then return nil end
  return data_sets[traits_of(row).data_set] or false
end

local MEMORY_STATS <const> = { { "reserved", "reserved" }, { "allocated", "allocated" }, { "active", "allocated" } }

-- What a log of memory means: allocated, reserved or all that the device holds; where nobody says, what the software logs.
local function memory_log(row)
  for _, stat in ipairs(MEMORY_STATS) do
    if (row.mem_stat or ""):lower():find(stat[1], 1, true) then return stat[2] end
  end
  return traits_of(row).memory_log or "device"
end

-- Ranks that share a sequence pad it to even pieces.
local function padded(tokens, ranks)
  local pieces = 2 * ranks
  return ranks > 1 and -(-tokens // pieces) * pieces or tokens
end

-- Whether the length of a row is that of a usual sample, not a limit.
local function is_mean(row) return (row.seq_kind or ""):lower():find("^mean") ~= nil end

-- The longest sample of a data set that a run sees, in steps that notes count.
local function longest_seen(row, about)
  local most, steps = lengths.longest(about), math.tointeger(tonumber((row.notes or ""):match("%f[%w]steps (%d+)")))
  if not most or not steps then return most end
  local samples = steps * (row.batch_per_gpu or 1) * (row.grad_accum or 1) * (row.gpus or 1)
  return lengths.longest_of(about, most, samples)
end

-- Words of titles and names whose samples have an image each.
local SEE <const> = { "vision", "%f[%w]vl%f[%W]", "%f[%w]ocr%f[%W]" }

-- What images samples have, as lengths.usual takes it: without such words a model that can see is taken to do so where no
-- limit of tokens is said (nil).
local function images_of(row)
  local words = title_of(row):lower() .. " " .. (row.model or ""):lower()
  local set = named_in(words, image_sets)
  if set then return set end
  words = words:gsub("_", " ")
  for _, word in ipairs(SEE) do
    if words:find(word) then return true end
  end
  return row.seq_len and false
end

-- The longest sequence, and whether it is an assumption. Where nobody says how long samples are, a limit beyond those of
-- most recipes says nothing of them.
local function longest(row, model, about)
  local usual, limit = lengths.usual(model, images_of(row)), row.seq_len or math.huge
  if is_mean(row) then return row.seq_len or usual, row.seq_len == nil end
  local most = about and longest_seen(row, about)
  if most and most < limit then return most, true end
  if not row.seq_len or about == false and usual < limit then return usual, true end
  return limit
end

--- The facts of a row, as ballpark.resolve.training takes them, and sentences on what had to be read into it. Errors of
--- the row are raised.
---@param row table of ballpark.measured.finetuning_columns
---@return table facts
---@return string[] said
---@return table about lengths (of lengths.of; nil: all full, false: not known), steps (that one measured step is),
--- memory_log
function finetuning_facts.of(row)
  if row.wrong then errors.input("row", row.wrong) end
  local plan = plan_of(row)
  local sequences, steps = batch(row, plan)
  local model, words = model_of(row, row.seq_len or lengths.USUAL)
  model = with_attention(row, model)
  if method_of(row).adds then model = tables.with(model, { layers = model.layers + plan.trained_layers }) end
  local about, said = lengths_of(row), { words }
  local tokens, assumed = longest(row, model, about)
  if assumed then said[#said + 1] = ("seq_len %d"):format(tokens) end
  if not row.framework then said[#said + 1] = "software " .. software(row).name end
  if plan.precision == "fp32" and not row.precision then said[#said + 1] = "precision fp32, in which the software loads weights" end
  local facts = { software = software(row), ran = not row.oom, assume = true, plan = plan, model = model, cluster = cluster(row),
    job = { seq_len = padded(tokens, plan.cp or 1), global_batch = sequences } }
  return facts, said, { lengths = about, steps = steps, memory_log = memory_log(row) }
end

return finetuning_facts
