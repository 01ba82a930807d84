-- What a row of measured training states, in the words of a scenario: texts of columns become names of the catalog,
-- fields of a plan and rates of a network. Nothing blank is filled here but the shape of the model, which names and
-- figures of several columns tell together; see ballpark.resolve.training for the rest.
local batch = require("ballpark.resolve.training.batch")
local clusters = require("ballpark.catalog.clusters")
local described_model = require("ballpark.resolve.described_model")
local devices = require("ballpark.catalog.devices")
local divisors = require("ballpark.divisors")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local labels = require("ballpark.measured.labels")
local lengths = require("ballpark.resolve.training.lengths")
local near = require("ballpark.near")
local network_words = require("ballpark.catalog.network_words")
local packages = require("ballpark.measured.packages")
local plan_words = require("ballpark.measured.plan_words")
local profiles = require("ballpark.catalog.profiles")
local recompute_modules = require("ballpark.resolve.training.recompute_modules")
local shapes = require("ballpark.resolve.shapes")
local tables = require("ballpark.tables")

local training_facts = {}

--- { column, how it is read }, for explain.
training_facts.reference = {
  { "gpu", "a catalog name or a label that means one, else gpu_label, else a catalog name with figures behind it "
    .. "(H100-96GB-HBM2e-500W); any other device is not covered" },
  { "gpus", packages.says .. "; blank: tp * pp * dp * cp where they are stated; else, where rates are per device and no step is "
    .. "stated, nodes enough for the model and the stated ranks, doubled, which is open; else not covered" },
  { "tokens_per_s_per_gpu", "beside step_s and global_batch_seqs: how many devices there are, where gpus and a rank are blank" },
  { "gpus_per_node", "blank: as the device is usually sold" },
  { "model", described_model.says },
  { "framework", "the name of the software, with year; blank: software that the words of source name" },
  { "precision", "what names no format is refused" },
  { "sharding_label", "ZeRO stage in words where zero is blank; 'FSDP=64', 'dp_shard=64' or 'HSDP 4x64' is the size of the "
    .. "sharding group where dp_shard is blank, replicated over the rest, FSDP2 a product; HYBRID_SHARD without a number "
    .. "shards inside a node; 'TP 8' or 'ici_tensor_parallelism=8' are ranks where their column is blank; 'DP xN over DCN' "
    .. "makes N slices, each one domain" },
  { "recompute", "'gradient checkpointing', 'uniform', 'remat' are full, 'per-op SAC' and policies by name (minimal, "
    .. "save_dot_except_mlpwi) selective, names of modules those modules; what else says none of it is refused" },
  { "lora_rank", "blank: LoRA or QLoRA in the name of the model says that there are adapters" },
  { "packed", "attention stays inside samples of the data set that the software trains on unasked, where it keeps them "
    .. "apart (torchtune: alpaca); elsewhere nobody says how long they are, and the sequence is one" },
  { "global_batch_seqs", "up to 2 % off from what the ranks share: the nearest that they do; blank: as many as dp ranks take in grad_accum "
    .. "micro-batches, or what step_s and tokens_per_s_per_gpu imply, where these are given" },
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

-- Bytes per parameter of a run that shards all it can: weights in 16 bit, gradients in fp32, Adam's 12, and as much again
-- for activations (an assumption).
local BYTES_PER_PARAMETER <const> = 2 * 18

-- Columns of counts by the struct of train_step that has them.
local COUNTS <const> = { network = { devices = "gpus", node_size = "gpus_per_node" }, job = { global_batch = "global_batch_seqs" },
  plan = { tp = "tp", pp = "pp", dp = "dp", cp = "cp", ep = "ep", etp = "etp", micro_batch = "micro_batch" } }

-- Refuses what no estimate takes, as the core would: before counts are multiplied and searched.
local function check_most(struct, name, value)
  local most = math.tointeger(fields.by_name(fields.input("train_step", struct))[name].max)
  if value > most then errors.input(struct .. "." .. name, ("must be from 1 to %d, got %.15g"):format(most, value)) end
end

local function check_counts(row)
  for _, struct in ipairs(tables.sorted_keys(COUNTS)) do
    for _, name in ipairs(tables.sorted_keys(COUNTS[struct])) do
      local value = row[COUNTS[struct][name]]
      if value then check_most(struct, name, value) end
    end
  end
end

-- A product of counts, whatever its size: beyond what a double counts by ones it is about that.
local function product(...)
  local value = 1.0
  for _, count in ipairs({ ... }) do value = value * count end
  return math.tointeger(value) or value
end

-- The devices that a product is of; more than any network has are refused.
local function as_devices(count)
  check_most("network", "devices", count)
  return count
end

-- The least number of devices that is a multiple of both.
local function common_multiple(a, b)
  return as_devices(divisors.least_multiple(as_devices(a), as_devices(b)))
end

-- Nodes enough for a model and the ranks that are stated, doubled: what is measured per device hardly hangs on their number.
local function enough_devices(row, about, model)
  local pp = row.pp or 1
  local dense, expert = product(pp, row.tp or 1, row.cp or 1), product(pp, row.ep or 1, row.etp or 1)
  local count = common_multiple(common_multiple(about.node_size or 8, dense), expert)
  while product(count, about.memory_bytes) < BYTES_PER_PARAMETER * shapes.params(model) do count = as_devices(2 * count) end
  return count
end

-- By how much a stated batch may be off from what ranks share, as sources round it: GPT-NeoX-20B was trained on batches
-- of 1,538 sequences by ranks of 48 (arXiv:2204.06745).
local ROUNDED <const> = 0.02

-- Devices that a batch, the time of a step and the throughput of each of them imply: a whole number, but for how sources
-- round.
local function implied_devices(row, seq_len)
  local batch_seqs = row.global_batch_seqs
  if not (batch_seqs and row.step_s and row.tokens_per_s_per_gpu) then return nil end
  local devices_in_all = batch_seqs * seq_len / (row.step_s * row.tokens_per_s_per_gpu)
  local count = math.floor(devices_in_all + 0.5)
  if count < 1 or math.abs(devices_in_all / count - 1) > ROUNDED then return nil end
  return as_devices(count), ("%d devices, from batch, step time and throughput"):format(count)
end

-- Devices in all: stated, the product of the ranks, or what other figures imply; of a run that is measured per device else
-- enough of them. And whether they were assumed.
local function device_count(row, about, model, seq_len)
  if row.gpus then return row.gpus end
  if row.tp and row.pp and row.dp then
    local count = as_devices(product(row.tp, row.pp, row.dp, row.cp or 1))
    return count, ("%d devices, the product of the ranks"):format(count)
  end
  local implied, words = implied_devices(row, seq_len)
  if implied then return implied, words end
  local per_device = row.tokens_per_s_per_gpu or row.tflops_per_gpu or row.mfu_pct
  if not per_device or row.step_s then errors.input("gpus", "not stated") end
  local count = enough_devices(row, about, model)
  return count, ("%d devices, enough for the model"):format(count), true
end

-- A value of an enum of the plan or the software, by the words of sources.
local function worded(name, text, read, names)
  if not text then return nil end
  local value = read(text)
  if value ~= nil then return value end
  errors.choice(name, text, names or fields.by_name(fields.input("train_step", "plan"))[name].names)
end

-- Words that a cell has where nothing is said.
local function said_in(text) return text and text:find("%w") and text or nil end

local function shard_of(row)
  local column = row.dp_shard and row.dp_shard:lower()
  if column == "all" or column == "-1" then return nil end
  local text, name = column, "dp_shard"
  if not text then text, name = plan_words.shard(row.sharding_label or ""), "sharding_label" end
  local ranks = text and text:find("^%s*%d+%s*$") and math.tointeger(tonumber(text))
  if text and not (ranks and ranks >= 1) then
    errors.input(name, ("'%s' is no number of ranks to shard over"):format(row[name]))
  end
  if ranks then check_most("plan", "shard", ranks) end
  return ranks
end

-- Shards that a label means without their number: what replicas leave, or the devices of a node.
local function implied_shard(row, ranks)
  local label = row.sharding_label or ""
  local replicas = plan_words.replicas(label)
  if replicas then return ranks % replicas == 0 and ranks // replicas or nil end
  return not row.dp_shard and plan_words.hybrid(label) and row.gpus_per_node or nil
end

-- The divisors of a number next to another below it, and of one above it the number itself twice.
local function divisors_around(number, at)
  local below, above = 1, number
  for one = 1, math.floor(math.sqrt(number)) do
    for _, divisor in ipairs(number % one == 0 and { one, number // one } or {}) do
      if divisor <= at then below = math.max(below, divisor) else above = math.min(above, divisor) end
    end
  end
  return below, above
end

-- The group that a row states splits its ranks evenly, where it says how many there are.
local function check_shard(row, shard, ranks)
  if not (row.gpus and shard) or ranks % shard == 0 then return end
  local below, above = divisors_around(ranks, shard)
  local nearest = shard < ranks and ("near it are %d and %d"):format(below, above) or ("the nearest is %d"):format(below)
  errors.input(row.dp_shard and "dp_shard" or "sharding_label", ("groups of %d do not divide the %d ranks of the batch, %s")
    :format(shard, ranks, nearest))
end

local function sharding(row, plan, count)
  plan.zero = row.zero or plan_words.zero(row.sharding_label or "")
  local ranks = count // ((plan.tp or 1) * (plan.pp or 1))
  local shards = plan.zero == 3 or row.dp_shard
  local stated = shards and shard_of(row)
  check_shard(row, stated, ranks)
  local shard = stated or shards and implied_shard(row, ranks)
  -- All that split the batch: context-parallel ranks hold the same weights and share them, too.
  if shard and shard * (plan.cp or 1) == ranks then shard = nil end
  if shard == 1 then
    plan.zero = 0
  elseif shard and ranks % shard == 0 then
    plan.shard = shard
  end
end

-- Ranks that only the label of the sharding says, where they divide the devices.
local function labelled_ranks(row, plan, count)
  local found = plan_words.ranks(row.sharding_label or "")
  local degrees = {}
  for i, name in ipairs({ "tp", "pp", "cp" }) do degrees[i] = plan[name] or found[name] or 1 end
  if row.dp or count % product(table.unpack(degrees)) ~= 0 then return end
  for name, ranks in pairs(found) do plan[name] = plan[name] or ranks end
end

-- Modules that backward computes again; they say more than the word selective, and nothing beside full. A column for
-- recomputation may name modules, too.
local function modules(row)
  local mode = said_in(row.recompute)
  local text = row.recompute_modules or mode
  if not text or mode and plan_words.recompute(mode) == "full" then return nil end
  local list = plan_words.list(text)
  if row.recompute_modules then return list end
  local names = {}
  for _, module in ipairs(recompute_modules.reference()) do names[#names + 1] = module[1] end
  for _, name in ipairs(list) do
    if not tables.contains(names, name) then return nil end
  end
  return list
end

-- Fine-tuning with adapters says so in the name of the model: "Llama-3.1 8B (QLoRA finetune)".
local function adapters(row)
  local name = (row.model or ""):lower()
  if row.lora_rank or not name:find("lora") then return nil end
  return name:find("qlora") and "qlora" or "lora"
end

-- The optimizer, by its column or the words that a source has for it, joined by +. States on the host may stand with
-- the sharding: "ZeRO-3 offload".
local function optimizer(row, plan)
  local label = (row.optimizer_label or ""):lower()
  plan.optimizer = worded("optimizer", row.optimizer, plan_words.optimizer)
    or label:find("8bit", 1, true) and plan_words.optimizer(label) or nil
  plan.update_in_backward = label:find("in_backward", 1, true) and true or nil
  local sharded = (row.sharding_label or ""):lower()
  plan.offload = row.offload or sharded:find("offload") and (plan.zero == 3 and "optimizer_weights" or "optimizer") or nil
end

-- The format of the matmuls, by its column or, where that is blank, by what the source calls it.
local function precision(row)
  if row.precision then return worded("precision", row.precision, plan_words.precision) end
  return row.precision_label and plan_words.precision(row.precision_label) or nil
end

-- Scales of 8-bit matmuls, by their column or by what the precision is called.
local function fp8_recipe(row)
  if row.fp8_recipe then return row.fp8_recipe:lower() end
  local label = row.precision_label or ""
  if plan_words.precision(row.precision or label) ~= "fp8" then return nil end
  return row.precision and plan_words.fp8_recipe(row.precision) or plan_words.fp8_recipe(label)
end

local PLAIN <const> = { "tp", "pp", "dp", "cp", "ep", "etp", "flash", "sequence_parallel", "micro_batch", "lora_rank",
  "base_bits" }

-- The schedule, by its column or the source's words; interleaved stages of which nobody says the number are some.
local function schedule(row, plan)
  local text = row.schedule or row.schedule_label
  if not text then return end
  local meant = plan_words.schedule(text)
  if meant == nil and row.schedule then meant = row.schedule:lower() end
  plan.schedule = meant or nil
  if meant == false then plan.vpp = plan.vpp or "some" end
end

local STAGES <const> = { "a whole number", "max", "interleaved", "none" }
local OVERLAPS <const> = { "none", "async", "userbuffer" }

local function plan(row, count)
  local stated = {}
  for _, name in ipairs(PLAIN) do stated[name] = row[name] end
  labelled_ranks(row, stated, count)
  stated.precision = precision(row)
  stated.fp8_recipe = fp8_recipe(row)
  stated.recompute_modules = modules(row)
  stated.recompute = not stated.recompute_modules
    and worded("recompute", said_in(row.recompute), plan_words.recompute) or nil
  if stated.ep ~= 1 then stated.overlap_ep = row.ep_overlap end
  if stated.tp ~= 1 then stated.overlap_tp = worded("tp_overlap", row.tp_overlap, plan_words.tp_overlap, OVERLAPS) end
  if stated.recompute and stated.recompute ~= "none" and row.recompute:lower():find("offload") then
    stated.offload_activations = 1 -- "minimal_offloaded", "full + CPU offload"
  end
  stated.adapters = adapters(row)
  stated.vpp = worded("vpp", row.vpp, plan_words.stages, STAGES)
  schedule(row, stated)
  sharding(row, stated, count)
  optimizer(row, stated)
  return stated
end

-- The software that words of a source name, as "vinjn/nanotron-ultrascale-playbook", by the first word that does.
local function named_software(words, vendor)
  local class, known = profiles.classify(words, vendor)
  for word in (known and words or ""):gmatch("[^%s/@,:;()]+") do
    local of_word, is_known = profiles.classify(word, vendor)
    if is_known and of_word == class then return word end
  end
  return nil
end

-- The software and what is said of how it runs; and what had to be read.
local function software(row, vendor)
  local name, said = row.framework, nil
  if not name and row.source then
    name = named_software(row.source, vendor)
    said = name and ("software '%s', which the source names"):format(name)
  end
  return { name = name, year = row.year, version = row.software_version,
    cuda_graph = row.cuda_graph and (plan_words.graphs(row.cuda_graph) or row.cuda_graph),
    attention_counted = row.attention_counted, compiled = row.compiled,
    moe_dispatcher = row.moe_dispatcher and (plan_words.dispatcher(row.moe_dispatcher) or row.moe_dispatcher),
    moe_routing = row.moe_routing and (plan_words.routing(row.moe_routing) or row.moe_routing) }, said
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

-- Tokens that attention stays inside where samples are packed, of software that trains on a data set of its own and keeps
-- samples apart.
local function document_tok(row, name, vendor, seq_len)
  local traits = row.packed and profiles.traits(profiles.classify(name, vendor), name)
  if not (traits and traits.data_set) then return nil end
  local tokens = lengths.apart(lengths.checked(traits.data_set), seq_len, traits, row.year or profiles.NEWEST_YEAR)
  if tokens == 0 then return nil end
  return tokens, ("attention inside packed samples of %s"):format(traits.data_set)
end

-- Ranks that split the batch: stated, or what the others leave.
local function batch_ranks(row, ranked, count)
  local group = (ranked.tp or 1) * (ranked.pp or 1) * (ranked.cp or 1)
  return row.dp or count % group == 0 and count // group or nil
end

-- The batch of so many micro-batches on every rank, where ranks and micro-batch are stated.
local function accumulated_batch(row, ranked, count)
  local dp = (row.dp or row.tp and row.pp) and batch_ranks(row, ranked, count)
  if not (dp and row.micro_batch and row.grad_accum) then return nil end
  return product(dp, row.micro_batch, row.grad_accum)
end

-- A stated batch that no rank's micro-batches make up is taken as the nearest that they do.
local function whole_batch(row, ranked, count)
  local stated, dp = row.global_batch_seqs, batch_ranks(row, ranked, count)
  local wave = (dp or 1) * (row.micro_batch or 1)
  if not stated or stated % wave == 0 then return stated end
  local whole = math.floor(stated / wave + 0.5) * wave
  if math.abs(whole / stated - 1) > ROUNDED then return stated end
  return whole, ("global batch %d, the nearest to %d that %d ranks share"):format(whole, stated, dp or 1)
end

-- "FSDP x64 within slice, DP x4 over DCN": a slice is one scale-up domain.
local function slice_of(row, count)
  local label = row.sharding_label or ""
  local slices = tonumber(label:match("[Dd][Pp]%s*[x=×]?%s*(%d+)%s+over%s+DCN")
    or label:lower():match("dcn_data[%a_]*%s*=%s*(%d+)"))
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
    network = row.interconnect_inter, network_of = "system", domain = inside.domain or slice_of(row, count) })
end

-- What a status says of a run that failed, and of one that did not.
local FAILED <const> = { "oom", "out of memory", "out_of_memory", "crash", "fail" }
local RAN <const> = { "ok", "ran", "done", "success", "succeeded", "complete", "completed", "finished", "passed" }

--- Whether a row is of a configuration that did not run; nil where its status says neither.
---@return boolean|nil
function training_facts.failed(row)
  local status = (row.status or ""):lower()
  for _, word in ipairs(FAILED) do
    if status:find(word, 1, true) then return true end
  end
  if status == "" or tables.contains(RAN, status) then return false end
  return nil
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
  check_counts(row)
  local said = {}
  local function note(value, words)
    if words then said[#said + 1] = words end
    return value
  end
  local about = note(device(row))
  if row.dies_of then note(nil, ("%s counts packages of two dies: twice the devices at half the rates"):format(row.dies_of)) end
  local length = row.seq_len or batch.usual_length(row.year)
  local model, of_model = described_model.of(row, length)
  local count, of_count, assumed = device_count(row, about, model, length)
  note(count, of_count)
  local facts = { software = note(software(row, about.vendor)), ran = not training_facts.failed(row), assume = true, plan = plan(row, count),
    model = note(model, of_model), devices_assumed = assumed }
  facts.job = { seq_len = row.seq_len,
    document_tok = note(document_tok(row, facts.software.name, about.vendor, length)),
    global_batch = note(whole_batch(row, facts.plan, count))
      or accumulated_batch(row, facts.plan, count) or note(implied_batch(row, count, length)) }
  if row.recompute_layers and facts.plan.recompute == "full" then
    local of_stage = -(-facts.model.layers // (facts.plan.pp or 1))
    facts.plan.recompute_share = math.min(1, row.recompute_layers / of_stage)
  end
  if row.offload_layers then
    facts.plan.offload_activations = math.min(1, row.offload_layers / facts.model.layers)
  end
  facts.cluster = cluster(row, about, count)
  for _, words in ipairs(facts.cluster.network_assumed) do note(nil, words) end
  return facts, said
end

return training_facts
