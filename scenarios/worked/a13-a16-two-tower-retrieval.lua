-- A13 to A16: Retrieval with a two-tower encoder of 110M parameters at 50k queries per second.
title "Two-tower retrieval"

local encoder = kernel.weights { params = million(110), bytes_per_param = 2, overhead_factor = 1.2 }
local peak = kernel.load { average_per_s = 50e3, peak_ratio = 1, window_s = ms(5) }
local fleet = kernel.replicas {
  peak_per_s = peak.peak_per_s, capacity_per_s = 4000, utilization_frac = 0.70,
}
assume "50,000 queries/s are the peak; one device encodes 4,000 sequences/s; planned at 70 %."

facts("Encoder", {
  { "footprint_bytes", encoder.footprint_bytes, "B", "Model of one replica" },
  { "raw_devices", peak.peak_per_s / 4000, "", "Devices at 100 %" },
  { "devices", fleet.devices, "", "Devices at the target" },
  { "in_window", peak.in_window, "", "Queries in a batching window of 5 ms" },
})
expect("A13", encoder.footprint_bytes, { equals = MB(264) })
expect("A14 raw", peak.peak_per_s / 4000, { equals = 12.5 })
expect("A14", fleet.devices, { equals = 18 })
expect("A15", peak.in_window, { equals = 250 })
note(string.format("The model is %.0f MB, not 270: round at the end.", encoder.footprint_bytes / MB(1)))
note "Those 250 queries arrive at the whole fleet: a window of 5 ms collects 14 on each of 18 devices."

-- The rule of 4,000 sequences/s beside an estimate: BERT-base is such an encoder.
local bert = encode { model = "bert-base-uncased", device = "A100", runtime = "tensorrt", dtype = "fp16",
  batch = 32, tokens = 128 }
facts("The encoder as an estimate: 32 queries of 128 tokens on an A100", {
  { "encode_s", bert.out.time_s, "s", "One batch" },
  { "encode_per_s", bert.out.per_s, "1/s", "Sequences per second" },
})
expect("4,000 seq/s is the right order", bert.out.per_s / 4000, { least = 0.5, most = 3 })

-- An inverted file over 10M items: 4,096 lists, of which a query looks into 64, on one thread of a server.
local index = vector_search {
  host = "server-2024", vectors = million(10), dim = 128, index = "ivf", lists = 4096, probes = 64,
}
facts("The search as an estimate: 64 of 4,096 lists on one thread", {
  { "ivf_s", index.out.time_s, "s", "One query" },
  { "recall", index.out.recall, "frac", "Nearest item found first" },
  { "index_bytes", index.out.memory_bytes, "B", "Memory" },
})
expect("A16 as an estimate", index.out.time_s, { least = ms(5), most = ms(15) })

local list = {}
for i, search_s in ipairs { ms(5), ms(10), ms(15) } do
  local budget = kernel.latency_budget {
    sla_s = ms(50), network_s = ms(5), queue_s = ms(5), inference_s = ms(10), search_s = search_s,
  }
  list[i] = { search_s, budget.search_frac, budget.left_s }
end
rows {
  name = "search", title = "Nearest-neighbour search within 50 ms (IVF, 10M items)",
  columns = { { name = "search_s", unit = "s", title = "search" },
    { name = "search_frac", unit = "frac", title = "of the budget" },
    { name = "left_s", unit = "s", title = "left" } },
  rows = list,
}
assume "Beside the search: 5 ms network, the 5 ms window, 10 ms for the encoder."
expect("A16 fastest", list[1][2], { equals = 0.10 })
expect("A16 slowest", list[3][2], { equals = 0.30 })
expect("A16 keeps the budget", list[3][3], { least = 0 })
accept("mean_for_peak", "the 50,000 queries/s that are given are the peak")
