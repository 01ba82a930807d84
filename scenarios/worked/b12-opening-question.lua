-- B12: 30B on 128 H100: memory per GPU, time per step, tokens per second. Which plan, and why?
title "A 30B model on 128 H100"

local answer = search {
  model = model { -- the shape of GPT-3's family at 30B
    layers = 48, hidden = 7168, heads = 56, ffn_hidden = 4 * 7168, gated_mlp = false, norm = "layer",
    vocab = 50304, tied_embeddings = true,
  },
  cluster = cluster { device = "H100-SXM-80GB", nodes = 16, node_size = 8, fabric = "infiniband" },
  job = { global_batch = 512, seq_len = 4096, tokens = billion(600) },
  top = 3,
}
show(answer)

local best = answer.best
expect("B12 there is a plan", answer.fits, { equals = true })
expect("B12 it fits", best.memory.total_bytes, { most = best.memory.capacity_bytes })
-- What the model says today; the tolerance leaves room for coefficients that are fitted again.
expect("B12 memory per device", best.memory.total_bytes, { equals = GiB(60), rel = 0.2 })
expect("B12 time of a step", best.time.step_s, { equals = 6.36, rel = 0.15 })
expect("B12 tokens per second", best.time.tokens_per_s, { equals = 330e3, rel = 0.15 })
expect("B12 MFU is one that such runs reach", best.time.mfu_frac, { least = 0.35, most = 0.65 })
expect("B12 throughput follows from the step", best.time.tokens_per_s * best.time.step_s,
  { equals = 512 * 4096 })
expect("B12 parts add up to the step", best.time.matmul_s + best.time.attention_s + best.time.elementwise_s
  + best.time.recompute_s + best.time.host_s + best.time.tp_s + best.time.cp_s + best.time.ep_s
  + best.time.pp_s + best.time.bubble_s + best.time.dp_s + best.time.optimizer_s + best.time.straggler_s,
  { equals = best.time.step_s, rel = 1e-6 })
