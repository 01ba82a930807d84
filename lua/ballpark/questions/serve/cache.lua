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

--- Tokens of the KV cache and their range, how many requests of the greatest length it holds (max_concurrency of max_model_len), and how
--- many of mean length (sequences).
---@param setup table of a replica, as core.infer_memory takes it
---@param memory table what core.infer_memory says of requests of mean length
---@param asked {request_tokens: number, max_model_len: integer|nil, pool_tokens: number|nil, room: number|nil} pool_tokens:
--- as printed; room: the same in tokens of requests of mean length
function cache.of(setup, memory, asked)
  local longest, sequences = asked.max_model_len or setup.model.max_seq or 0, memory.max_sequences
  if asked.pool_tokens then sequences = asked.room // (blocks_of(setup, asked.request_tokens) * setup.engine.block_tokens) end
  if longest < 1 or not memory.fits then
    return with_range({ tokens = asked.pool_tokens or memory.pool_tokens, sequences = sequences }, setup, memory, asked)
  end
  local tokens = asked.pool_tokens or core.infer_memory(tables.with(setup, { sequence_tokens = longest })).pool_tokens
  return with_range({ tokens = tokens, sequences = sequences, max_model_len = longest, max_concurrency = tokens / longest },
    setup, memory, asked)
end

return cache
