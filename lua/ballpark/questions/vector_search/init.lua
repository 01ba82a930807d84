-- vector_search{}: nearest neighbours from an index.
local inputs = require("ballpark.questions.inputs")

return {
  name = "vector_search",
  title = "nearest neighbours from an index",
  inputs = inputs.joined({
    { "host", "name (ballpark catalog search_hosts, or an accelerator) or fields: ballpark explain search_host",
      is = "either", type = "string|ballpark.search_host" },
    { "recall", "instead of probes or ef: the share of nearest vectors to find, by the least effort",
      type = "number" },
    { "law", "fields of the law of recall that your data are known to follow: ballpark explain recall_law",
      is = "group", type = "ballpark.recall_law" },
    { "rate_per_s", "queries per second, for which replicas are counted at utilization_frac (0.7)", type = "number" },
    { "utilization_frac", "share of what replicas can do to plan with", type = "number" },
    { "price_usd_h", "USD per hour of a host, for what the replicas cost", type = "number" },
  }, inputs.of_kernel("vector_search", nil, { vectors = true })),
  needs = { { "vectors", such = "million(10)" }, { "dim", such = "768" } },
  outputs = {
    { "fits", "boolean", "whether the index fits and the recall is reached" },
    { "out", "ballpark.vector_search_out", "of the kernel" },
    { "range", "table<string, ballpark.range>", "80 % ranges of time_s, per_s, busy_per_s, recall and build_s" },
    { "trade", "table|nil", "recall by effort" },
    { "load", "table|nil", "replicas for the rate" },
  },
  command = {
    summary = "Time, recall and memory of a nearest-neighbour index, and its replicas for a rate",
    examples = {
      "ballpark vector-search --vectors 'million(100)' --dim 128 --index hnsw --ef 128 --rate 20000",
      "ballpark vector-search --vectors 'million(10)' --dim 768 --index ivf --recall 0.9",
      "ballpark vector-search --vectors 'million(100)' --dim 768 --index hnsw_pq --metadata-bytes 200 \\",
      "    --segments 8",
      "ballpark vector-search --vectors 'million(41)' --dim 1024 --index binary --rescored 40",
      "ballpark vector-search --vectors 'billion(1)' --dim 96 --index ivf_pq --probes 32 \\",
      "    --code-bytes 24 --shards 4",
    },
    options = {
      { "host", "host", "Where it runs: ballpark catalog search_hosts, or an accelerator.", "text" },
      { "recall", "recall", "Share of nearest vectors to be found, instead of --probes or --ef: the least effort." },
      { "rate", "rate_per_s", "Queries per second: answers the replicas." },
      { "utilization", "utilization_frac", "Share of the capacity to plan with; 0.7 unless said." },
      { "price", "price_usd_h", "USD per hour of a host." },
    },
  },
  contradiction = function(answer)
    if not answer.out.fits then return "the memory of the host does not hold a shard" end
    return ("a recall of %.6g %% is asked for, and %.6g %% is what it finds at most"):format(100 * answer.recall_asked,
      100 * answer.recall_missed)
  end,
  reason = function(answer) return answer.out.fits and "recall" or "memory" end,
}
