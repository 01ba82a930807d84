-- Engines that the coefficients of the catalog were not fitted to: which one of it they are like, what differs by
-- their documents, and the host times, paces and ranges that tools/fit/engine_kinds.lua finds in published tables
-- (github:argonne-lcf/LLM-Inference-Bench@4211f5d4e9 of 2024; for the generic one also FasterTransformer,
-- DeepSpeed, Megatron, gpt-fast and NeuronX; for ranges all that have them). range: measured over predicted times,
-- four in five, of sources more than of rows. on: what it is on devices of other vendors, or of one architecture. slowed: 16_bit where that of no
-- other weights is known. release: the last one that it is, of
-- the engine it is like.

local tables = require("ballpark.tables")

-- vLLM 0.6 documentation, engine arguments (2024): prompts first and whole, 256 sequences. Scheduling and output
-- processing waited for the device and took as long as it (vLLM's blog, 2024-09-05).
local function before_v1(source, more)
  return tables.with({
    source = "vLLM 0.6 documentation, engine arguments (2024); " .. source, policy = "prefill_first",
    chunked_prefill = false, max_running = 256, graph_tokens = 256, graph_pieces = false, overlap = false,
    step_s = 1e-3, sequence_s = 6e-5, slowdown = 1,
    -- FlashAttention read no narrow cache then; vLLM's own kernel has a block of threads for each query head (recalled).
    heads_widen = true,
    -- Blocks are of all layers.
    window_kept = 1,
    -- What its profiling printed (0.7 and 0.8, 2025, four notebooks of Unsloth): 39 to 41 bytes for vocabularies of
    -- 128,256 and 32,768 and 160 to 320 sequences.
    logit_bytes = 39,
  }, more)
end

return {
  vllm_v0 = {
    like = "vllm", on = { AMD = "vllm_v0_rocm", ["xe-hpc"] = "vllm_v0_xpu" },
    engine = before_v1("host times fitted to 472 points on A100, H100 and GH200", {}), range = { 0.82, 1.52 },
  },
  -- All of its points multiply in 16 bit, by the matmuls that PyTorch of 2024 took there, rocBLAS's; those of fp8 are
  -- hipBLASLt's (torch._scaled_mm has no others; recalled). AMD's submissions to MLPerf, in fp8, are not slow. The
  -- engine's own all-reduce was CUDA's alone, and decoding attention vLLM's own kernels, not FlashAttention's (its code of
  -- 2024; recalled).
  vllm_v0_rocm = {
    like = "vllm", slowed = "16_bit", engine = before_v1("slowdown and reads fitted to 450 points on MI300X and 202 on MI250",
      { slowdown = 1.8, apart = 2, own_collectives = false }), range = { 0.75, 1.51 },
  },
  vllm_v0_xpu = {
    like = "vllm", engine = before_v1("slowdown fitted to 151 points on Max 1550", { slowdown = 8, own_collectives = false }),
    range = { 0.44, 2.43 },
  },
  -- Multi-block mode of the kernel of decoding attention, which splits the keys of a head over blocks, is the default
  -- since 0.14, and so are all-reduce kernels of its own in place of NCCL's (release notes and trtllm-build's options of
  -- 2024; recalled). A block of threads reads as fast as one multiprocessor: what a token of one sequence takes more behind
  -- 6,100 tokens than behind 200 says 39 GB/s on an A100, behind 3,000 it says 50 on one, two or four H100 alike.
  -- Query heads that share keys read them by themselves, from a cache of two and a half times the bandwidth (half of the 5,120 B
  -- a clock that NVIDIA's white paper of A100 gives it), but for eight: for these there were XQA kernels (gpt_attention.md
  -- and the names of its cubins, 2024; recalled).
  trtllm_v0 = {
    like = "trtllm", release = "0.13", engine = { source = "TensorRT-LLM documentation (2024): one block of threads for a "
      .. "head of a sequence, NCCL's all-reduce", head_bytes_s = 4.5e10, apart = 0.4, apart_below = 8, heads_widen = true,
      own_collectives = false, sum_fusion = "none" },
    range = { 0.82, 1.25 },
  },
  -- static: batches go in and out whole. Here kernels are launched one by one from C++, and those of attention are the ones
  -- that TensorRT-LLM began with (its repository of 2023; recalled). Matmuls are cuBLAS's and take what they take alone. A step
  -- has some twenty launches of sampling besides, and waits for the device once (counted by hand).
  fastertransformer = {
    like = "trtllm", release = "0.13", static = true, engine = { source = "FasterTransformer's repository (2023): static batches, "
      .. "no graphs, NCCL's all-reduce", policy = "prefill_first", graph_tokens = 0, step_s = 2e-4, sequence_s = 0, head_bytes_s = 4.5e10,
      own_collectives = false, sum_fusion = "none", launch = 1, stream = 1 },
    range = { 0.81, 3.19 },
  },
  -- Its text generation: eager PyTorch in static batches (its repository of 2021; recalled).
  megatron = {
    like = "vllm", static = true, engine = before_v1("", { source = "Megatron-LM's text generation (2021): static batches, every kernel launched",
      graph_tokens = 0, sequence_s = 0, own_collectives = false, launch = 1, stream = 1 }),
    range = { 0.73, 3.77 },
  },
  -- A token is one captured graph with its sampling in it, and the host has next to nothing to do; small messages go by kernels
  -- of PyTorch's own (its README and ENABLE_INTRA_NODE_COMM, 2024; recalled).
  ["gpt-fast"] = {
    like = "vllm", static = true, engine = before_v1("", { source = "gpt-fast's README (2023): static batches, one captured graph a token",
      step_s = 1e-4, sequence_s = 0 }),
    range = { 0.50, 1.37 },
  },
  -- A step of Intel's generation loop is a captured graph that picks tokens itself (its text generation example and HPU
  -- graphs, 2024; recalled).
  ["optimum-habana"] = {
    like = "vllm", static = true, engine = before_v1("", { source = "Optimum Habana's text generation (2024): static batches, one "
      .. "captured graph a token", step_s = 2e-4, sequence_s = 0, heads_widen = false }),
    range = { 0.75, 1.36 },
  },
  generic = {
    like = "vllm", on = { AWS = "generic_neuron" }, engine = before_v1("taken for engines that nobody fitted", {}),
    range = { 0.53, 2.34 },
  },
  -- Of those that capture no graphs.
  generic_launching = {
    like = "vllm", engine = before_v1("launches fitted to 93 points of DeepSpeed-MII on A100",
      { graph_tokens = 0, eager_kernel_s = 4e-5 }),
    range = { 0.68, 1.58 },
  },
  -- Transformers NeuronX, and what else is compiled for NeuronCores.
  generic_neuron = {
    like = "vllm", engine = before_v1("slowdown fitted to 50 points on Inferentia2 and Trainium1", { slowdown = 1.5 }),
    range = { 0.76, 1.56 },
  },
}
