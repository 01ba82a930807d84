-- The range of the tokens that the KV cache of a replica holds. The cache is what all else leaves of the memory, so that
-- what is not known is a share of the device: where the cache has little of it, its tokens are known the less.
local range = require("ballpark.range")

local kv_cache = {}

-- What caches took that engines printed at their start, less what was predicted, as shares of the device's memory (71 rows
-- of three sources, vLLM mostly, each source as much as the others): within these 81 % of them are.
local LEAST <const>, MOST <const> = -0.06, 0.05

--- The range of so many tokens which so many bytes of each device hold; none where nothing is held.
---@param tokens number
---@param pool_bytes number
---@param device_bytes number
---@return ballpark.range|nil
function kv_cache.tokens(tokens, pool_bytes, device_bytes)
  if not (pool_bytes > 0 and tokens > 0 and tokens < math.huge) then return nil end
  local function with(share) return tokens * math.max(0, 1 + share * device_bytes / pool_bytes) end
  return range.new(tokens, with(LEAST), with(MOST))
end

return kv_cache
