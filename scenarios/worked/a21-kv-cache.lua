-- A21: How large is the KV cache of LLaMA-7B for 32 sequences of 512 tokens?
title "KV cache of LLaMA-7B"

local cache = kernel.kv_cache { model = model "llama-7b", sequences = 32, tokens = 512 }
facts("fp16, 32 x 512 tokens", {
  { "bytes_per_token", cache.bytes_per_token, "B", "Per token" },
  { "total_bytes", cache.total_bytes, "B", "All sequences" },
})
note(string.format("In decimal gigabytes: %.2f GB.", cache.total_bytes / GB(1)))
expect("A21 per token", cache.bytes_per_token, { equals = 524288 })
expect("A21", cache.total_bytes, { equals = GB(8.59), rel = 1e-4 })

-- The same load under other kinds of attention.
local list = {}
for i, name in ipairs { "llama-7b", "llama-3.1-8b", "mistral-7b-v0.1", "deepseek-v3" } do
  local other = kernel.kv_cache { model = model(name), sequences = 32, tokens = 512 }
  list[i] = { name, other.bytes_per_token, other.total_bytes }
end
rows {
  name = "models", title = "By model",
  columns = { { name = "model" }, { name = "bytes_per_token", unit = "B", title = "per token" },
    { name = "total_bytes", unit = "B", title = "32 x 512 tokens" } },
  rows = list,
}
expect("grouped queries: 32 heads share 8", list[1][2] / list[2][2], { equals = 4 })
