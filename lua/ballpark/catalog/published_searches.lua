-- Published searches among vectors, to set an answer beside: the question as it was, and the time of all its queries.
-- ballpark.range holds what times of indexes were fitted to, which includes these.
local SOURCE <const>, DATE <const> = "github:facebookresearch/faiss@02dbb4e42f, benchs/README.md", "2017"

local QUERIES <const> = 10000

local function faiss(time_s, index, vectors, dim, more)
  local input = { host = "Titan X", index = index, vectors = vectors, dim = dim, batch = QUERIES, results = 1 }
  for key, value in pairs(more or {}) do input[key] = value end
  return { input = input, time_s = time_s, source = SOURCE, date = DATE }
end

return {
  -- hnswlib on the vectors of SIFT with one thread, at 95 % recall: about 8,000 queries a second, read off a plot and recalled,
  -- within a half.
  { input = { host = "server-2024", index = "hnsw", vectors = 1e6, dim = 128, batch = 1, recall = 0.95 }, time_s = 1 / 8000,
    source = "ann-benchmarks.com, sift-128-euclidean, recalled within a half", date = "2023" },
  faiss(0.715, "flat", 1e6, 128),
  faiss(0.040, "ivf", 1e6, 128, { lists = 4096, probes = 8 }),
  faiss(0.174, "ivf", 1e6, 128, { lists = 4096, probes = 128 }),
  faiss(0.134, "ivf_pq", 1e6, 128, { lists = 4096, probes = 32, code_bytes = 64 }),
  faiss(0.244, "ivf_pq", 1e9, 128, { lists = 262144, probes = 32, code_bytes = 8 }),
}
