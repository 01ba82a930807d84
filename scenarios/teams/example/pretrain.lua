-- A team's own corner: its own device, its own prices, its own rules, and a scenario that uses them.
--   ballpark run scenarios/teams/example/pretrain.lua
--   ballpark run scenarios/teams/example/pretrain.lua --why tp=8,pp=1
title "Pre-training 8B on the team's own cluster"

-- An accelerator the catalog does not have. What is left out has the defaults that `ballpark explain
-- device` shows: kernel curves of an average device.
local accelerator = device {
  name = "Example-A1",
  vendor = "Example",
  source = "the vendor's data sheet, dense peaks",
  memory_bytes = GB(96),
  mem_bw_bytes_s = TB_s(2.4),
  bf16_flop_s = TFLOP_s(450),
  link = "pcie", -- behaves like PCIe, at the bandwidth below
  link_bytes_s = GB_s(64), -- per direction
  domain = 4, -- devices that share it
  node_size = 4,
  nic_bytes_s = Gbit_s(200),
  tdp_w = 500,
}

local answer = search {
  model = model "llama-3.1-8b",
  cluster = cluster { device = accelerator, nodes = 16, node_size = 4, fabric = "roce" },
  job = { global_batch = 512, seq_len = 8192, tokens = billion(500) },
  space = { tp = { 1, 2, 4, 8 }, pp = { 1, 2, 4 }, vpp = { 1 }, cp = { 1, 2 }, zero = { 1, 2, 3 },
    recompute = { "none", "full" }, micro_batch = { 1, 2 } },
  rules = { "rules/no-tp-across-nodes.lua", "rules/headroom.lua", "rules/contract-price.lua" },
  top = 3,
}
show(answer)

local by_rule = {}
for _, line in ipairs(answer.found.tally) do by_rule[line.reason] = line.count end
expect("no plan has TP across nodes", answer.best.plan.tp, { most = 4 })
expect("the rule says how many it rejected", by_rule["rule: no TP across nodes"] or 0, { least = 1 })
expect("memory stays free", answer.best.memory.total_bytes / answer.best.memory.capacity_bytes, { most = 0.95 })
expect("the contract's price is used", answer.best.run.usd_h, { equals = 1.95 })
