-- ballpark vector-search: nearest neighbours from an index, described by options.
local inference = require("ballpark.cli.inference")

return inference.command({
  kind = "vector_search",
  summary = "Time, recall and memory of a nearest-neighbour index, and its replicas for a rate",
  examples = {
    "ballpark vector-search --vectors 'million(100)' --dim 128 --index hnsw --ef 128 --rate 20000",
    "ballpark vector-search --vectors 'million(10)' --dim 768 --index ivf --recall 0.9",
    "ballpark vector-search --vectors 'billion(1)' --dim 96 --index ivf_pq --probes 32 \\",
    "    --code-bytes 24 --shards 4",
  },
  options = {
    { "host", "host", "Where it runs: ballpark catalog search_hosts, or an accelerator.", "text" },
    { "recall", "recall", "Share of nearest vectors to be found, instead of --probes or --ef: the least effort." },
    { "rate", "rate_per_s", "Queries per second: answers the replicas." },
    { "utilization", "utilization_frac", "Share of the capacity to plan with; 0.7 unless said." },
  },
  required = { "vectors", "dim" },
})
