-- What an engine prints at its start of the KV cache of a replica.
local core = require("ballpark.core")
local kv_cache = require("ballpark.range.kv_cache")
local tables = require("ballpark.tables")

local cache = {}

-- What an engine has printed has no range.
local function with_range(held, setup, memory, asked)
  if asked.pool_tokens then return held end
  held.range = kv_cache.tokens(held.tokens, memory.pool_bytes, setup.device.memory_bytes)
  return held
end

-- Blocks of a request of so many tokens.
local function blocks_of(setup, tokens) return math.ceil(tokens / setup.engine.block_tokens) end

-- Bytes of a block of the KV cache where it holds requests of so many tokens.
local function block_bytes(setup, tokens)
  return core.infer_memory(tables.with(setup, { sequence_tokens = tokens })).sequence_bytes / blocks_of(setup, tokens)
end

--- Tokens of requests of a length for which there is room in a cache of so many tokens as an engine prints them, which are
--- tokens of requests of the greatest length. Of those, layers with a window or a state keep fewer bytes a token.
---@param setup table of a replica, as core.infer_memory takes it
---@param printed number
---@param request_tokens number
---@param max_model_len integer|nil
---@return number
function cache.room(setup, printed, request_tokens, max_model_len)
  local longest = max_model_len or setup.model.max_seq or 0
  if longest < 1 then return printed end
  return printed * (block_bytes(setup, longest) / block_bytes(setup, request_tokens))
end

-- Requests of mean length that the cache holds. What all of them begin with, in whole blocks, is held once in each attention
-- group.
local function sequences_of(setup, memory, asked)
  local block, blocks = setup.engine.block_tokens, blocks_of(setup, asked.request_tokens)
  local shared = (asked.shared_tokens or 0) // block * block
  if shared == 0 then return asked.room and asked.room // (blocks * block) or memory.max_sequences end
  local groups, ranks = setup.plan.dp or 1, setup.plan.cp or 1
  local own = core.infer_memory(tables.with(setup, { sequence_tokens = math.max(1, asked.request_tokens - shared) })).sequence_bytes
  local pool = asked.room and asked.room / groups / (blocks * block) * memory.sequence_bytes or ranks * memory.pool_bytes
  return groups * ((pool - (memory.sequence_bytes - own)) // own)
end

--- Tokens of the KV cache and their range, how many requests of the greatest length it holds (max_concurrency of max_model_len), and how
--- many of mean length (sequences).
---@param setup table of a replica, as core.infer_memory takes it
---@param memory table what core.infer_memory says of requests of mean length
---@param asked {request_tokens: number, shared_tokens: number|nil, max_model_len: integer|nil, pool_tokens: number|nil, room: number|nil}
--- shared_tokens: that all requests begin with; pool_tokens: as printed; room: the same in tokens of requests of mean length
function cache.of(setup, memory, asked)
  local longest = asked.max_model_len or setup.model.max_seq or 0
  local sequences = memory.fits and sequences_of(setup, memory, asked) or memory.max_sequences
  if longest < 1 or not memory.fits then
    return with_range({ tokens = asked.pool_tokens or memory.pool_tokens, sequences = sequences }, setup, memory, asked)
  end
  local tokens = asked.pool_tokens or core.infer_memory(tables.with(setup, { sequence_tokens = longest })).pool_tokens
  return with_range({ tokens = tokens, sequences = sequences, max_model_len = longest, max_concurrency = tokens / longest },
    setup, memory, asked)
end

return cache
