-- What an engine prints at its start of the KV cache of a replica.
local core = require("ballpark.core")
local tables = require("ballpark.tables")

local cache = {}

--- Tokens of the KV cache, how many requests of the greatest length it holds (max_concurrency of max_model_len), and how
--- many of mean length (sequences).
---@param setup table of a replica, as core.infer_memory takes it
---@param memory table what core.infer_memory says of requests of mean length
---@param asked {request_tokens: number, max_model_len: integer|nil, pool_tokens: number|nil} pool_tokens: as printed
function cache.of(setup, memory, asked)
  local longest, sequences = asked.max_model_len or setup.model.max_seq or 0, memory.max_sequences
  if asked.pool_tokens then sequences = asked.pool_tokens // asked.request_tokens end
  if longest < 1 or not memory.fits then
    return { tokens = asked.pool_tokens or memory.pool_tokens, sequences = sequences }
  end
  local tokens = asked.pool_tokens or core.infer_memory(tables.with(setup, { sequence_tokens = longest })).pool_tokens
  return { tokens = tokens, sequences = sequences, max_model_len = longest, max_concurrency = tokens / longest }
end

return cache
