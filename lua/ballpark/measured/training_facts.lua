-- What a row of measured training states, in the words of a scenario: texts of columns become names of the catalog,
-- fields of a plan and rates of a network. Nothing blank is filled here but the shape of the model, which names and
-- figures of several columns tell together; see ballpark.resolve.training for the rest.
local batch = require("ballpark.resolve.training.batch")
local clusters = require("ballpark.catalog.clusters")
local described_model = require("ballpark.resolve.described_model")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local labels = require("ballpark.measured.labels")
local near = require("ballpark.near")
local network_words = require("ballpark.catalog.network_words")
local tables = require("ballpark.tables")

local training_facts = {}

--- { column, how it is read }, for explain.
training_facts.reference = {
  { "gpu", "a catalog name or a label that means one, else gpu_label, else a catalog name with figures behind it "
    .. "(H100-96GB-HBM2e-500W); any other device is not covered" },
  { "gpus", "blank: tp * pp * dp * cp where they are stated; else not covered" },
  { "gpus_per_node", "blank: as the device is usually sold" },
  { "model", described_model.says },
  { "framework", "the name of the software, with year" },
  { "precision", "what names no format is refused" },
  { "sharding_label", "ZeRO stage in words where zero is blank; 'FSDP=64' or 'FSDP x64' is the size of the sharding "
    .. "group where dp_shard is blank, replicated over the rest, FSDP2 a product; 'DP xN over DCN' makes N slices, each "
    .. "one domain" },
  { "recompute", "other words than none, selective and full are refused; recompute_modules say which of selective" },
  { "lora_rank", "blank: LoRA or QLoRA in the name of the model says that there are adapters" },
  { "global_batch_seqs", "blank: what step_s and tokens_per_s_per_gpu imply where both are given" },
  { "interconnect_inter", "read as cluster.network is: kind and rate of the network that carries the traffic of a "
    .. "step, storage and management left out; links x Gb/s per node, one rate of a device if its adapter can do that; "
    .. "what is far below what such nodes are sold with is not believed, which widens the range" },
  { "interconnect_intra", "NVLn for the size of the domain, PCIe for the link" },
}

local known_devices = {}

-- The same table for every row of a device: nothing changes it.
local function device_of(name)
  known_devices[name] = known_devices[name] or devices.get(name)
  return known_devices[name]
end

-- A device of the catalog with other figures, one table for every row of it.
local function variant_of(label)
  local name, changes = labels.variant(label)
  if not name then return nil end
  known_devices[label] = known_devices[label] or tables.with(device_of(name), changes)
  return known_devices[label], name
end

local function unknown(label) return near.missing(label, devices.known()) end

-- The device, and what had to be read into its name.
local function device(row)
  local stated, label = row.gpu, row.gpu_label
  if not (stated or label) then errors.input("gpu", "not stated") end
  local name = stated and labels.resolve(stated)
  if name then
    return device_of(name), name:lower() ~= stated:lower() and ("'%s' is %s"):format(stated, name) or nil
  end
  name = label and labels.resolve(label)
  if not name then
    local about, base = variant_of(stated or label)
    if about then return about, ("'%s' is %s with the figures in that name"):format(stated or label, base) end
    errors.input("gpu", unknown(stated or label))
  end
  return device_of(name), ("gpu %s; gpu_label '%s' is %s"):format(stated and unknown(stated) or "is blank", label, name)
end

-- Devices in all: stated, or the product of the ranks.
local function device_count(row)
  if row.gpus then return row.gpus end
  if not (row.tp and row.pp and row.dp) then errors.input("gpus", "not stated") end
  local count = row.tp * row.pp * row.dp * (row.cp or 1)
  return count, ("%d devices, the product of the ranks"):format(count)
end

-- What sources call number formats; the first pattern found in the lower-case text decides.
local formats = {
  { "nvfp4", "nvfp4" }, { "mxfp4", "nvfp4" }, { "fp4", "nvfp4" },
  { "mxfp8", "mxfp8" }, { "fp8", "fp8" }, { "e4m3", "fp8" }, { "int8", "int8" },
  { "bf16", "bf16" }, { "bfloat16", "bf16" }, { "fp16", "fp16" }, { "float16", "fp16" }, { "half", "fp16" },
  { "amp", "fp16" }, { "mixed", "bf16" }, { "16", "bf16" },
  { "tf32", "tf32" }, { "fp32", "fp32" }, { "float32", "fp32" }, { "32", "fp32" },
}

local recomputations = {
  { "^none$", "none" }, { "^no$", "none" }, { "^false$", "none" }, { "^0$", "none" },
  { "select", "selective" }, { "full", "full" }, { "^true$", "full" }, { "^yes$", "full" }, { "^1$", "full" },
}

-- ZeRO stage that words mean.
local shardings = {
  { "zero%-?%s?(%d)" }, { "stage%s?(%d)" }, { "fsdp", 3 }, { "full_shard", 3 }, { "hsdp", 3 },
  { "shard_grad_op", 2 }, { "distributed optim", 1 }, { "ddp", 0 }, { "none", 0 },
}

-- What the first pattern found in the lower-case text stands for.
local function meaning(text, patterns)
  for _, pattern in ipairs(patterns) do
    local found = text:lower():match(pattern[1])
    if found then return pattern[2] or tonumber(found) end
  end
  return nil
end

-- A value of an enum of the plan, by the words of sources.
local function worded(name, text, patterns)
  if not text then return nil end
  local value = meaning(text, patterns)
  if value then return value end
  errors.choice(name, text, fields.by_name(fields.input("train_step", "plan"))[name].names)
end

-- Ranks that states are sharded over, as labels say it: "FSDP x128, DP x2", "FSDP=64 x DP=4". FSDP1 and FSDP2 are
-- products.
local function shard_in(label)
  local plain = label:lower():gsub("fsdp[12]%f[%W]", "fsdp")
  return plain:match("fsdp%s*[x=×:]+%s*([%d%.]+)") or plain:match("fsdp%s+([%d%.]+)") or plain:match("fsdp(%d+)")
end

local function shard_of(row)
  local column = row.dp_shard and row.dp_shard:lower()
  if column == "all" then return nil end
  local text, name = column, "dp_shard"
  if not text then text, name = shard_in(row.sharding_label or ""), "sharding_label" end
  local ranks = text and math.tointeger(tonumber(text))
  if text and not (ranks and ranks >= 1) then
    errors.input(name, ("'%s' is no number of ranks to shard over"):format(row[name]))
  end
  return ranks
end

local function sharding(row, plan, count)
  local label = row.sharding_label or ""
  plan.zero = row.zero or meaning(label, shardings)
  local shard = (plan.zero == 3 or row.dp_shard) and shard_of(row)
  local ranks = count // ((row.tp or 1) * (row.pp or 1))
  -- All that split the batch: context-parallel ranks hold the same weights and share them, too.
  if shard and shard * (row.cp or 1) == ranks then shard = nil end
  if shard == 1 then
    plan.zero = 0
  elseif shard and ranks % shard == 0 then
    plan.shard = shard
  end
end

-- Whether tensor-parallel traffic runs under matmuls.
local overlaps = { none = false, async = true, userbuffer = true }

local function tp_overlap(row)
  local word = row.tp_overlap and row.tp_overlap:lower()
  if word and overlaps[word] == nil then errors.choice("tp_overlap", word, tables.sorted_keys(overlaps)) end
  return word and overlaps[word]
end

-- Modules that backward computes again; they say more than the word selective, and nothing beside full.
local function modules(row)
  if not row.recompute_modules or meaning(row.recompute or "", recomputations) == "full" then return nil end
  local list = {}
  for name in row.recompute_modules:gmatch("[^+,%s]+") do list[#list + 1] = name end
  return list
end

-- Virtual stages as written: a number, or "max" for one layer per chunk.
local function stages(text)
  if not text then return nil end
  local count = math.tointeger(tonumber(text))
  if count and count >= 1 then return count end
  return text:lower():find("^max") and "max" or nil
end

-- "ZB-H1" is zb_h1.
local function spelled(text) return text and (text:lower():gsub("[%s%-]+", "_")) end

-- Fine-tuning with adapters says so in the name of the model: "Llama-3.1 8B (QLoRA finetune)".
local function adapters(row)
  local name = (row.model or ""):lower()
  if row.lora_rank or not name:find("lora") then return nil end
  return name:find("qlora") and "qlora" or "lora"
end

-- The optimizer, by its column or the words that a source has for it, joined by +.
local function optimizer(row, plan)
  local words = {}
  for word in (row.optimizer_label or ""):lower():gmatch("[^+%s]+") do words[word] = true end
  plan.optimizer = row.optimizer and row.optimizer:lower() or words["8bit"] and "adam_8bit" or nil
  plan.update_in_backward = words.in_backward
  plan.offload = row.offload
end

local PLAIN <const> = { "tp", "pp", "dp", "cp", "ep", "etp", "flash", "sequence_parallel", "micro_batch", "lora_rank",
  "base_bits" }

local function plan(row, count)
  local stated = {}
  for _, name in ipairs(PLAIN) do stated[name] = row[name] end
  stated.precision = worded("precision", row.precision, formats)
  stated.fp8_recipe = row.fp8_recipe and row.fp8_recipe:lower()
  stated.recompute_modules = modules(row)
  stated.recompute = not stated.recompute_modules and worded("recompute", row.recompute, recomputations) or nil
  if row.tp ~= 1 then stated.overlap_tp = tp_overlap(row) end
  optimizer(row, stated)
  stated.adapters = adapters(row)
  stated.vpp, stated.schedule = stages(row.vpp), spelled(row.schedule)
  sharding(row, stated, count)
  return stated
end

-- The software and what is said of how it runs.
local function software(row)
  return { name = row.framework, year = row.year, version = row.software_version, cuda_graph = row.cuda_graph,
    attention_counted = row.attention_counted, compiled = row.compiled, moe_dispatcher = row.moe_dispatcher, moe_routing = row.moe_routing }
end

-- The batch that a step time and a throughput of the same run imply, in sequences: whole micro-batches on every rank.
local function implied_batch(row, count, seq_len)
  if not (row.step_s and row.tokens_per_s_per_gpu) then return nil end
  local sequences = row.step_s * row.tokens_per_s_per_gpu * count / seq_len
  local dp = row.dp or count // ((row.tp or 1) * (row.pp or 1) * (row.cp or 1))
  local wave = dp * (row.micro_batch or 1)
  local waves = math.floor(sequences / wave + 0.5)
  if waves < 1 or math.abs(sequences / (waves * wave) - 1) > 0.02 then return nil end
  return waves * wave, ("global batch %d, from step time and throughput"):format(waves * wave)
end

-- "FSDP x64 within slice, DP x4 over DCN": a slice is one scale-up domain.
local function slice_of(row, count)
  local label = row.sharding_label or ""
  local slices = tonumber(label:match("[Dd][Pp]%s*[x=×]?%s*(%d+)%s+over%s+DCN"))
  if slices and slices >= 1 and count % slices == 0 then return count // slices end
  return nil
end

-- PCI Express 4.0 x16, per direction.
local PCIE_BYTES_S <const> = 32e9

local pcie_variants = {}

-- The same device with its scale-up link replaced by PCIe.
local function over_pcie(about)
  if not pcie_variants[about] then
    pcie_variants[about] = tables.with(about,
      { link = "pcie", link_bytes_s = math.min(about.link_bytes_s or PCIE_BYTES_S, PCIE_BYTES_S) })
  end
  return pcie_variants[about]
end

local known_clusters = {}

-- Rows on the same devices share one cluster.
local function cluster_of(spec)
  local key = table.concat({ tostring(spec.device), spec.devices, spec.node_size, spec.domain or "",
    spec.network or "" }, " ")
  known_clusters[key] = known_clusters[key] or clusters.make(spec)
  return known_clusters[key]
end

local function cluster(row, about, count)
  local node_size = math.min(row.gpus_per_node or about.node_size or 8, count)
  local inside = network_words.inside(row.interconnect_intra or "")
  return cluster_of({ device = inside.pcie and over_pcie(about) or about, devices = count, node_size = node_size,
    network = row.interconnect_inter, domain = inside.domain or slice_of(row, count) })
end

local failures = { "oom", "out of memory", "crash", "fail" }

--- Whether a row is of a configuration that did not run.
function training_facts.failed(row)
  local status = (row.status or ""):lower()
  for _, word in ipairs(failures) do
    if status:find(word, 1, true) then return true end
  end
  return false
end

--- What a row says of its plan, on so many devices.
training_facts.plan = plan

--- The facts of a row, as ballpark.resolve.training takes them, and sentences on what had to be read into it. Errors
--- of the row are raised.
---@param row table of ballpark.measured.training_columns
---@return table facts
---@return string[] said
function training_facts.of(row)
  if row.wrong then errors.input("row", row.wrong) end
  local said = {}
  local function note(value, words)
    if words then said[#said + 1] = words end
    return value
  end
  local about, count = note(device(row)), note(device_count(row))
  local length = row.seq_len or batch.usual_length(row.year)
  local facts = { software = software(row), ran = not training_facts.failed(row), assume = true, plan = plan(row, count) }
  facts.model = note(described_model.of(row, length))
  facts.job = { seq_len = row.seq_len,
    global_batch = row.global_batch_seqs or note(implied_batch(row, count, length)) }
  if row.offload_layers then
    facts.plan.offload_activations = math.min(1, row.offload_layers / facts.model.layers)
  end
  facts.cluster = cluster(row, about, count)
  for _, words in ipairs(facts.cluster.network_assumed) do note(nil, words) end
  return facts, said
end

return training_facts
