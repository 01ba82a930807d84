-- Published memory of indexes of vectors, to set an answer beside: the question as kernel.embedding_store takes it, and the
-- memory of a copy while it was searched.
local SOURCE <const>, DATE <const> = "arXiv:1603.09320, comparison with Faiss on 200 million vectors of SIFT", "2018-08"

local function sift(name, index, memory_bytes, more)
  local store = { entities = 200e6, dim = 128, bytes_per_value = 1, index = index }
  for key, value in pairs(more) do store[key] = value end
  return { name = name, store = store, memory_bytes = memory_bytes, source = SOURCE, recalled = true, date = DATE }
end

return {
  sift("HNSW with 16 links, 200 million vectors of 128 bytes", "hnsw", 64e9, { links = 16 }),
  sift("Faiss with codes of 64 bytes, 200 million vectors of SIFT", "ivf_pq", 30e9, { code_bytes = 64, keep_raw = false }),
  sift("Faiss with codes of 32 bytes, 200 million vectors of SIFT", "ivf_pq", 23.5e9, { code_bytes = 32, keep_raw = false }),
}
