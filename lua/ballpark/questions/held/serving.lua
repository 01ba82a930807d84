-- Memory of a model under an engine that serves many sequences, by the kernel of serve{} and replica{}.
local catalog = require("ballpark.catalog")
local fits = require("ballpark.range.fits")
local layout = require("ballpark.resolve.serving.layout")
local replica = require("ballpark.questions.replica.run")
local resolve = require("ballpark.resolve.fit")
local tables = require("ballpark.tables")

local serving = {}

local function cluster_of(setup)
  return catalog.cluster({ device = setup.device, devices = setup.devices })
end

-- How devices share a model: matrices within a fast domain as far as the heads divide, else layers.
local function cut_of(setup, cluster)
  local tp, pp = layout.within(setup.model, setup.devices, cluster.network.domain)
  return { tp = tp, pp = pp }
end

local function said_of(setup, cluster)
  local cut = cut_of(setup, cluster)
  if cut.pp == 1 then return nil end
  local why = layout.tp({}, setup.model, setup.devices) > cut.tp and ("matrices are cut within a domain of %d devices"):format(cluster.network.domain)
    or ("%d does not divide the %d heads"):format(setup.devices, setup.model.heads)
  return ("TP %d, PP %d: %s"):format(cut.tp, cut.pp, why)
end

-- The answer of replica{} for one length of requests.
local function held(setup, cluster, context)
  local engine = { name = setup.software or "vllm", memory_frac = setup.memory_frac, max_loras = setup.adapters,
    max_lora_rank = setup.adapters and setup.rank }
  return replica.run({ model = setup.model, engine = engine, cluster = cluster, curve = false,
    plan = tables.with(cut_of(setup, cluster), { checkpoint = resolve.checkpoint(setup.format), kv = setup.kv or nil }),
    load = { input_tokens = math.max(1, context - 1), output_tokens = 1 }, max_model_len = math.max(2, context) })
end

-- Bytes of a device beside the sequences.
local function fixed(memory) return memory.usable_bytes - memory.pool_bytes end

-- Tries of a length before it is taken as found: a cache with windows grows more slowly than its length.
local TRIES <const> = 6

-- The longest length with which a batch surely fits; 0 where none does.
local function longest(setup, cluster, answer)
  local trained = answer.input.model.max_seq or 0
  local most = trained > 0 and math.max(trained, setup.context_tok) or 1 << 20 -- of a longer one it is said that nobody trained it
  local block = answer.input.engine.block_tokens or 1
  local room = fits.room(answer.memory.usable_bytes) - fixed(answer.memory)
  local at, each = setup.context_tok, answer.memory.sequence_bytes
  if room <= 0 then return 0 end
  for _ = 1, TRIES do
    local next_at = math.min(most, at * room / (setup.batch * each) // block * block) // 1
    if next_at < 1 then return 0 end
    if math.abs(next_at - at) < block then break end
    at = math.tointeger(next_at)
    each = held(setup, cluster, at).memory.sequence_bytes
  end
  while at > 0 and setup.batch * each > room do
    at = at - block
    each = at > 0 and held(setup, cluster, at).memory.sequence_bytes or 0
  end
  return math.max(0, at)
end

local function parts_of(memory, batch)
  return { { "weights and rotary positions", memory.weights_bytes + memory.rotary_bytes },
    { "LoRA adapters", memory.adapters_bytes }, { "KV cache, states", batch * memory.sequence_bytes },
    { "workspace of a step", memory.activations_bytes },
    { "captured graphs", memory.beside_bytes > 0 and 0 or memory.graphs_bytes },
    { "libraries, buffers", memory.buffers_bytes },
    { "context of the device", memory.beside_bytes > 0 and 0 or memory.context_bytes } }
end

local function format_of(plan)
  local experts = plan.experts and plan.experts ~= "auto" and plan.experts ~= plan.weights
  return (plan.weights or "bf16") .. (experts and ", experts " .. plan.experts or "")
end

--- The row of a setup with its device, see questions/fit/run.lua.
function serving.row(setup)
  local cluster = cluster_of(setup)
  local answer = held(setup, cluster, setup.context_tok)
  local memory = answer.memory
  local assumed = table.move(answer.assumed, 1, #answer.assumed, 1, {})
  assumed[#assumed + 1] = said_of(setup, cluster)
  local need = fixed(memory) + setup.batch * memory.sequence_bytes
  local room = fits.room(memory.usable_bytes) - fixed(memory)
  return { format = format_of(answer.input.plan), kv = answer.input.plan.kv or "bf16", narrow_kv = "fp8",
    software = answer.input.engine.name, need_bytes = need, usable_bytes = memory.usable_bytes,
    fits_chance = fits.chance(need, memory.usable_bytes, memory.weights_bytes + setup.batch * memory.sequence_bytes), parts = parts_of(memory, setup.batch),
    kv_tokens = math.max(0, memory.pool_tokens),
    sequence_bytes = memory.sequence_bytes * (setup.devices or 1), max_batch = math.max(0, math.floor(room / memory.sequence_bytes)),
    max_context_tok = longest(setup, cluster, answer), assumed = assumed,
    usd_h = cluster.usd_h and cluster.usd_h * setup.devices }
end

return serving
