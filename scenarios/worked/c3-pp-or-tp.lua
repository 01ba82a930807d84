-- C3: Two GPUs and a model that is too large for one: pipeline or tensor parallelism? NVLink, PCIe?
title "Two GPUs: pipeline against tensor parallelism"

local function ask(device_name, tokens, micro_batches)
  local pair = cluster { device = device_name, devices = 2 }
  return kernel.pp_or_tp {
    device = pair.device, network = pair.network, layers = 40, hidden = 5120, ffn_hidden = 20480,
    tokens = tokens, micro_batches = micro_batches,
  }
end

local function row(name, kind, cost, pick)
  return { name, kind, cost.weights_bytes, cost.stream_bytes, cost.messages, cost.message_bytes,
    cost.network_s, cost.latency_s, cost.whole_s, cost.micro_s, cost.bubble_frac, cost.tokens_per_s, pick }
end

local nvlink = ask("A100-80GB-SXM", 2048, 8)
local pcie = ask("A100-80GB-PCIe", 2048, 8)
local list = {}
for _, case in ipairs { { "NVLink", nvlink }, { "PCIe", pcie } } do
  for _, kind in ipairs { "pp", "tp" } do
    local a = case[2]
    local pick = (a.latency_pick == kind and "latency" or "") .. (a.throughput_pick == kind and " throughput" or "")
    list[#list + 1] = row(case[1], kind, a[kind], pick)
  end
end
rows {
  name = "choices", title = "40 blocks of width 5120, 8 micro-batches of 2048 tokens, forward",
  columns = { { name = "link" }, { name = "split" }, { name = "weights_bytes", unit = "B", title = "weights" },
    { name = "stream_bytes", unit = "B", title = "stream" }, { name = "messages" },
    { name = "message_bytes", unit = "B", title = "message" },
    { name = "network_s", unit = "s", title = "network" }, { name = "latency_s", unit = "s", title = "latency" },
    { name = "whole_s", unit = "s", title = "one batch" }, { name = "micro_s", unit = "s", title = "micro-batches" },
    { name = "bubble_frac", unit = "frac", title = "bubble" },
    { name = "tokens_per_s", unit = "tok/s", title = "throughput" }, { name = "best_for", title = "best for" } },
  rows = list,
}
facts("The rule: tensor parallelism wins where its all-reduces reach more than this", {
  { "latency_breakeven", nvlink.latency_breakeven_bytes_s, "B/s", "For latency" },
  { "throughput_breakeven", nvlink.throughput_breakeven_bytes_s, "B/s", "For throughput, 8 micro-batches" },
  { "nvlink_reached", nvlink.tp.reached_bytes_s, "B/s", "NVLink reaches" },
  { "pcie_reached", pcie.tp.reached_bytes_s, "B/s", "PCIe reaches" },
})
note("Weights are cut in half either way, the residual stream is whole on both. PP sends it once per "
  .. "micro-batch; TP all-reduces it twice per block, and has no bubble.")
note("PP needs micro-batches: without them its two devices take turns, and one batch takes as long as on one.")

expect("C3 weights are sharded either way", nvlink.pp.weights_bytes, { equals = nvlink.tp.weights_bytes })
expect("C3 collectives of TP", nvlink.tp.messages, { equals = 2 * 40 })
expect("C3 sends of PP", nvlink.pp.messages, { equals = 1 })
expect("C3 bubble", nvlink.pp.bubble_frac, { equals = 1 / 9 })
expect("C3 PP does not shorten latency", nvlink.pp.latency_s, { least = nvlink.alone_s })
expect("C3 latency on NVLink", nvlink.latency_pick, { equals = "tp" })
expect("C3 latency on PCIe", pcie.latency_pick, { equals = "pp" })
expect("C3 throughput on PCIe", pcie.throughput_pick, { equals = "pp" })
expect("C3 PCIe is below the break-even", pcie.tp.reached_bytes_s, { most = pcie.latency_breakeven_bytes_s })
expect("C3 NVLink is above it", nvlink.tp.reached_bytes_s, { least = nvlink.latency_breakeven_bytes_s })
