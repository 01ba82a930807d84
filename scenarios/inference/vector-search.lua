-- Nearest neighbours among a hundred million vectors: which index, on how many servers, at which recall.
title "Nearest neighbours among 100 million vectors"

local rate = param("rate", 20e3, "queries per second")

local function ask(index, changes)
  local input = { host = "server-2024", vectors = 100e6, dim = 128, index = index, rate_per_s = rate }
  for key, value in pairs(changes) do input[key] = value end
  return vector_search(input)
end

local answers = {
  ask("flat", { batch = 64 }), -- a query at a time would read all vectors for itself
  ask("ivf", { lists = 65536, probes = 64 }),
  ask("ivf_pq", { lists = 65536, probes = 64, code_bytes = 32 }),
  ask("hnsw", { links = 32, ef = 128 }),
}
local list = {}
for i, at in ipairs(answers) do
  list[i] = { at.input.index, at.out.memory_bytes, at.out.time_s, at.out.recall_low, at.out.recall, at.out.recall_high,
    at.out.build_s, at.load.replicas }
end
rows {
  name = "indexes", title = "On servers of 64 threads and 512 GiB",
  columns = { { name = "index" }, { name = "memory_bytes", unit = "B", title = "memory" },
    { name = "time_s", unit = "s", title = "one call" }, { name = "recall_low", unit = "frac", title = "recall, low" },
    { name = "recall", unit = "frac", title = "recall" }, { name = "recall_high", unit = "frac", title = "high" },
    { name = "build_s", unit = "s", title = "building, within 3x" }, { name = "servers" } },
  rows = list,
}
show(answers[4])

expect("exact search needs a rack", list[1][8], { least = 50 })
expect("a graph is the fastest", list[4][3] < list[2][3] and list[4][3] < list[3][3], { equals = true })
expect("codes need the least memory", list[3][2] / list[1][2], { most = 0.4 })
expect("codes lose recall", list[3][5] < list[2][5], { equals = true })
expect("links cost half of the vectors again", list[4][2] / list[1][2], { least = 1.4, most = 1.6 })
