-- What connects devices: how a collective's time follows from size and ranks, per kind of link. The
-- bandwidth itself belongs to the device (scale-up) or to the cluster (scale-out).
local curves = require("ballpark.catalog.curves")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local fabrics = {}

-- Links inside a domain. Where `fitted` names a set of curves.collective, the numbers come from there.
local scaleup = {
  nvlink1 = { like = "nvlink3", source = "assumption: as NVLink3" },
  nvlink2 = { like = "nvlink3", source = "assumption: as NVLink3" },
  nvlink3 = { fitted = "nvlink3" },
  nvlink4 = { fitted = "nvlink4" },
  nvlink5 = { fitted = "nvlink5" },
  -- Engines' own all-reduces gain nothing over PCIe: TensorRT-LLM's takes 6.4 us on two RTX PRO 6000 and NCCL 6.3,
  -- on L40S 7.0 and 6.3 (ai-dynamo/aiconfigurator@095f58a51c); vLLM and SGLang have theirs off there.
  pcie = { fitted = "pcie", peer_stores = false, shares_link = true },
  xgmi = {
    util = 0.70, alpha_s = 12e-6, step_s = 1.5e-6, ramp = 6e-3, reduce_gain = 0,
    source = "assumption: between NVLink and PCIe; RCCL reaches about 310 of 448 GB/s bus bandwidth on MI300X",
  },
  ici = {
    util = 0.85, alpha_s = 5e-6, step_s = 0.1e-6, ramp = 2e-3, reduce_gain = 0,
    source = "assumption: 1 us per hop along three torus axes (jax-ml/scaling-book@0819a7d8), not along one ring",
  },
  neuronlink = {
    util = 0.70, alpha_s = 20e-6, step_s = 2e-6, ramp = 6e-3, reduce_gain = 0,
    source = "assumption: no public measurements",
  },
  roce_onchip = {
    util = 0.85, alpha_s = 20e-6, step_s = 3e-6, ramp = 6e-3, reduce_gain = 0,
    source = "assumption: Gaudi's on-chip Ethernet reaches what RoCE does",
  },
  xelink = {
    util = 0.70, alpha_s = 20e-6, step_s = 2e-6, ramp = 6e-3, reduce_gain = 0,
    source = "assumption: as NeuronLink; no public measurements",
  },
  hccs = {
    util = 0.70, alpha_s = 15e-6, step_s = 2e-6, ramp = 6e-3, reduce_gain = 0,
    source = "assumption: no public measurements",
  },
}

-- Networks between domains, seen by one device with its share of the NICs.
local scaleout = {
  infiniband = {
    util = 0.92, alpha_s = 25e-6, step_s = 4e-6, ramp = 3e-3, reduce_gain = 0,
    source = "32-rank all-reduce of stas00/ml-engineering@744d01e18b (68 us at 32 KiB, 0.92 of the wire at "
      .. "16 GiB; hardware not stated there); step: NCCL's own latency table for network hops",
  },
  roce = {
    util = 0.88, alpha_s = 35e-6, step_s = 6e-6, ramp = 4e-3, reduce_gain = 0,
    source = "assumption: InfiniBand with half as much latency again",
  },
  -- waited_s: what collectives of tensor parallelism over 16 and 32 devices take longer than over 8, by step of the ring and
  -- whatever their size (0.4 and 0.9 ms each; sweeps of nanotron on H100, vinjn/nanotron-ultrascale-playbook@924e4d0b).
  efa = { fitted = "efa", waited_s = 30e-6 },
  ethernet = {
    util = 0.75, alpha_s = 100e-6, step_s = 25e-6, ramp = 1e-2, reduce_gain = 0,
    source = "assumption: TCP sockets, about 25 us per hop",
  },
  tcpx = {
    util = 0.80, alpha_s = 80e-6, step_s = 15e-6, ramp = 8e-3, reduce_gain = 0,
    source = "assumption: GPUDirect-TCPX of Google Cloud A3, between RoCE and sockets",
  },
  ["omni-path"] = {
    util = 0.85, alpha_s = 35e-6, step_s = 6e-6, ramp = 4e-3, reduce_gain = 0,
    source = "assumption: as RoCE",
  },
  slingshot = {
    util = 0.85, alpha_s = 35e-6, step_s = 6e-6, ramp = 4e-3, reduce_gain = 0,
    source = "assumption: as RoCE",
  },
  dcn = {
    util = 0.80, alpha_s = 200e-6, step_s = 1e-6, ramp = 8e-3, reduce_gain = 0,
    source = "assumption: data-centre network between TPU slices, crossed after each slice has its sum: no ring of "
      .. "all chips",
  },
}

local tier_fields = { "util", "alpha_s", "step_s", "waited_s", "ramp", "reduce_gain" }

local function provenance(fit)
  return string.format("%s, %d timings, median error %.1f %% (group sizes left out: %.1f %%)",
    fit.from, fit.points, 100 * fit.median, 100 * fit.held_out_median)
end

local function resolve(entry)
  local from = entry.like and scaleup[entry.like] or entry
  local fit = from.fitted and curves.collective[from.fitted]
  local tier = {}
  for _, field in ipairs(tier_fields) do tier[field] = fit and fit[field] or entry[field] end
  tier.peer_stores, tier.shares_link = from.peer_stores, from.shares_link
  return tier, entry.source or provenance(fit)
end

--- Kinds of link inside a domain.
function fabrics.scaleup_names() return tables.sorted_keys(scaleup) end

--- Kinds of network between domains.
function fabrics.scaleout_names() return tables.sorted_keys(scaleout) end

--- Tier of a link inside the domain (without bandwidth), and where its numbers come from.
function fabrics.scaleup(kind)
  if not scaleup[kind] then errors.choice("device.link", kind, fabrics.scaleup_names()) end
  return resolve(scaleup[kind])
end

--- Tier of a network between domains (without bandwidth), and where its numbers come from.
function fabrics.scaleout(kind)
  if not scaleout[kind] then
    if tostring(kind):find(" ") then
      errors.input("cluster.fabric", ("'%s' is more than a name: words go into cluster.network (--network)"):format(kind))
    end
    errors.choice("cluster.fabric", kind, fabrics.scaleout_names())
  end
  return resolve(scaleout[kind])
end

return fabrics
