-- Embedding passages with BERT-large: what a batch takes, what padding costs, and the replicas of a load.
title "Embedding passages"

local gpu = param("gpu", "L40S", "device of a replica")

-- Passages of 170 tokens in the mean, padded to 384, or with the padding taken out.
local padded = encode { model = "bert-large-uncased", device = gpu, batch = 64, tokens = 384, mean_tokens = 170 }
local removed = encode {
  model = "bert-large-uncased", device = gpu, batch = 64, tokens = 384, mean_tokens = 170, padding = "removed",
  load = { rate_per_s = 3000, window_s = ms(5), sla_s = ms(100), utilization_frac = 0.7, spares = 1 },
}
show(removed)
facts("What padding costs", {
  { "padded_per_s", padded.out.per_s, "1/s", "Padded to 384" },
  { "removed_per_s", removed.out.per_s, "1/s", "Padding taken out" },
  { "gain", removed.out.per_s / padded.out.per_s, "", "Times as many" },
})
expect("padding is more than half of the work", padded.out.padding_frac, { equals = 1 - 170 / 384, rel = 1e-12 })
expect("without it, more than twice as many", removed.out.per_s / padded.out.per_s, { least = 2, most = 3 })
expect("the SLO holds", removed.fleet.batching.p99_s, { most = ms(100) })

-- A query of 16 tokens and a reranker that reads query and passage together, 100 passages a query.
local query = encode { model = "bert-large-uncased", device = gpu, tokens = 16 }
local rerank = encode { model = "xlm-roberta-large", device = gpu, batch = 100, tokens = 256 }
facts("One query", {
  { "query_s", query.out.time_s, "s", "Embedding it" },
  { "rerank_s", rerank.out.time_s, "s", "Reranking 100 passages" },
})
expect("a query alone is bound by launches and weights", query.out.bound ~= "compute", { equals = true })
expect("reranking takes far longer", rerank.out.time_s / query.out.time_s, { least = 20 })
