-- What takes the memory of a replica, and what its KV cache holds, as facts and a table.
local tables = require("ballpark.tables")

local memory_show = {}

local HIDDEN <const> = { hide = true }

local MEMORY <const> = {
  { "loaded_bytes", "weights and rotary positions" }, { "adapters_bytes", "LoRA adapters" },
  { "pool_bytes", "KV cache, states" }, { "activations_bytes", "workspace" },
  { "graphs_bytes", "captured graphs" }, { "buffers_bytes", "collectives and libraries" },
  { "context_bytes", "context and libraries" },
}

-- Parts that an engine which may use a share of the device leaves to the rest of it.
local BESIDE <const> = { graphs_bytes = true, context_bytes = true }

local function add_part(rows, memory, part, is_here)
  if not is_here then return end
  local bytes = math.max(0, memory[part[1]])
  rows[#rows + 1] = { part[2], bytes, bytes / memory.usable_bytes }
end

-- What a device lacks for the weights alone.
local function missing_of(memory) return math.max(0, -memory.pool_bytes) end

--- What takes the memory of a device, part by part, of core.infer_memory.
function memory_show.table(memory)
  local rows = {}
  memory = tables.with(memory, { loaded_bytes = memory.weights_bytes + memory.rotary_bytes })
  for _, part in ipairs(MEMORY) do
    local is_beside = BESIDE[part[1]] and memory.beside_bytes > 0
    add_part(rows, memory, part, not is_beside and (part[1] ~= "adapters_bytes" or memory.adapters_bytes > 0))
  end
  rows[#rows + 1] = { "all the engine may use", memory.usable_bytes, 1 }
  for _, part in ipairs(MEMORY) do
    add_part(rows, memory, { part[1], part[2] .. ", beside it" }, BESIDE[part[1]] and memory.beside_bytes > 0)
  end
  local missing = missing_of(memory)
  if missing > 0 then rows[#rows + 1] = { "missing", missing, missing / memory.usable_bytes } end
  return { name = "memory", title = "Memory per device",
    columns = { { name = "part", title = "" }, { name = "bytes", title = "Size", unit = "B" },
      { name = "share_frac", title = "", unit = "frac" } }, rows = rows }
end

-- Where the weights have room it is a request that has none.
local function memory_text(answer)
  if answer.fits or answer.memory.fits then
    return "weights {weights_bytes} of {usable_bytes} on a device; room for {max_sequences} such sequences"
  elseif answer.memory.pool_bytes > 0 then
    return "does not fit: one such request takes {sequence_bytes}, and {pool_bytes} of {usable_bytes} on a device "
      .. "are left for it"
  end
  return "does not fit: weights {weights_bytes} of {usable_bytes} on a device"
end

--- Facts of the KV cache of a replica, in the words that vLLM prints at its start. A cache that
--- does not hold the longest request is said here, unless it is said elsewhere.
---@param cache table of serve.cache
---@param elsewhere boolean|nil
function memory_show.add_cache(fact, cache, elsewhere)
  fact("max_model_len", cache.max_model_len, "tok", "Longest request", HIDDEN)
  fact("max_concurrency", cache.max_concurrency, "", "Requests of that length at one time", HIDDEN)
  local most = cache.max_concurrency
  fact("kv_tokens", cache.tokens, "tok", "KV cache", { range = cache.range, text = "{kv_tokens} of a replica"
    .. (most and "; maximum concurrency for {max_model_len} per request: {max_concurrency}" or "")
    .. (not elsewhere and most and most < 1 and "; an engine that is to hold one such request needs a smaller max_model_len" or "") })
end

--- Facts of memory and of the KV cache of a replica: fact(name, value, unit, title, options) takes one.
function memory_show.add(fact, answer)
  fact("fits", answer.fits, "", "Fits", HIDDEN)
  fact("usable_bytes", answer.memory.usable_bytes, "B", "Memory that may be used", HIDDEN)
  fact("weights_bytes", answer.memory.weights_bytes, "B", "Weights on a device", HIDDEN)
  fact("sequence_bytes", answer.memory.sequence_bytes, "B", "One request on a device", HIDDEN)
  local missing = missing_of(answer.memory)
  fact("pool_bytes", math.max(0, answer.memory.pool_bytes), "B", "Left for requests on a device", HIDDEN)
  if missing > 0 then fact("missing_bytes", missing, "B", "Missing for the weights on a device", HIDDEN) end
  local sequences = answer.cache and answer.cache.sequences or answer.memory.max_sequences
  fact("max_sequences", sequences, "", "Memory", { text = memory_text(answer) })
  if answer.fits or answer.memory.fits then
    memory_show.add_cache(fact, answer.cache, answer.kind ~= "serving")
  end
end

return memory_show
