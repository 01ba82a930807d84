-- Published throughput of served models, to see whether an answer is of the right order: output tokens per second of
-- all devices, offline, with as many sequences as fit. NVIDIA TensorRT-LLM, docs/source/performance/perf-overview.md,
-- v0.17 at commit 258c7540 (2025): { model, device, devices, weights, prompt tokens, answer tokens, tok/s }.
return {
  source = "TensorRT-LLM 0.17 performance overview",
  rows = {
    { "Llama-3.1-8B", "H200-SXM-141GB", 1, "fp8", 1000, 1000, 17537.96 },
    { "Llama-3.1-8B", "H200-SXM-141GB", 1, "fp8", 2048, 128, 3794.14 },
    { "Llama-3.1-8B", "H200-SXM-141GB", 1, "fp8", 128, 2048, 25398.86 },
    { "Llama-3.1-8B", "L40S", 1, "fp8", 1000, 1000, 4054.71 },
    { "Llama-3.1-8B", "L40S", 1, "fp8", 2048, 128, 1066.52 },
    { "Llama-3.1-8B", "A100-80GB-SXM", 1, "bf16", 1000, 1000, 3786.83 },
    { "Llama-3.1-8B", "A100-80GB-SXM", 1, "bf16", 2048, 128, 799.61 },
    { "Llama-3.1-70B", "H200-SXM-141GB", 2, "fp8", 1000, 1000, 5164.76 },
    { "Llama-3.1-70B", "H200-SXM-141GB", 2, "fp8", 2048, 128, 809 },
    { "Llama-3.1-70B", "H100-SXM-80GB", 2, "fp8", 1000, 1000, 4390.53 },
    { "Llama-3.1-70B", "H100-SXM-80GB", 2, "fp8", 2048, 128, 772.66 },
    { "Llama-3.1-70B", "H100-SXM-80GB", 4, "fp8", 128, 2048, 11511.93 },
    { "Llama-3.1-70B", "L40S", 4, "fp8", 1000, 1000, 1209.25 },
    { "Llama-3.1-70B", "A100-80GB-SXM", 4, "bf16", 1000, 1000, 1921.77 },
    { "Mixtral-8x7B-v0.1", "H100-SXM-80GB", 2, "fp8", 1000, 1000, 15770.89 },
    { "Mixtral-8x7B-v0.1", "H100-SXM-80GB", 2, "fp8", 2048, 128, 3333.68 },
    { "Mixtral-8x7B-v0.1", "L40S", 4, "fp8", 1000, 1000, 5251.49 },
    { "Mixtral-8x22B-v0.1", "H200-SXM-141GB", 8, "fp8", 1000, 1000, 19712.35 },
    { "Mixtral-8x22B-v0.1", "H100-SXM-80GB", 8, "fp8", 1000, 1000, 16573.24 },
    { "Mixtral-8x22B-v0.1", "H100-SXM-80GB", 8, "fp8", 2048, 128, 2794.97 },
    { "Mixtral-8x22B-v0.1", "A100-80GB-SXM", 8, "bf16", 1000, 1000, 4549.46 },
  },
}
