-- Abbreviations and words that reports print: what they stand for and what is meant. `explain` and the page
-- glossary of the manual read this list. An entry is { short, long, meaning }; `also` holds other spellings.
local glossary = {}

glossary.entries = {
  -- How a model is spread over devices.
  { "TP", "tensor parallelism", "every matrix is cut over these devices; they exchange activations in every layer" },
  { "PP", "pipeline parallelism", "the layers are dealt to stages; micro-batches flow through them" },
  { "VPP", "virtual pipeline stages", "parts of the model that each device of a pipeline holds (interleaved 1F1B)" },
  { "DP", "data parallelism", "replicas of the model that each take a share of the batch" },
  { "CP", "context parallelism", "the tokens of a sequence are cut over these devices" },
  { "SP", "sequence parallelism", "activations between tensor-parallel regions are cut along the sequence, too" },
  { "EP", "expert parallelism", "the experts of a MoE layer are dealt to these devices" },
  { "ETP", "expert tensor parallelism", "every expert is cut over these devices" },
  { "FSDP", "fully sharded data parallelism", "weights, gradients and optimizer states are cut over data-parallel "
    .. "ranks: ZeRO 3" },
  { "HSDP", "hybrid sharded data parallelism", "FSDP inside groups of devices, plain data parallelism between them: "
    .. "plan.shard" },
  { "ZeRO", "zero redundancy optimizer", "stage 1 cuts optimizer states over data-parallel ranks, 2 gradients as "
    .. "well, 3 weights as well" },
  { "mb", "micro-batch", "sequences that go through a pipeline stage, or a device, at one time" },
  { "GBS", "global batch size", "sequences of one optimizer step: job.global_batch" },
  { "1F1B", "one forward, one backward", "pipeline schedule that alternates them, so that few micro-batches are in "
    .. "flight" },
  { "ZB", "zero bubble", "pipeline schedules that move weight gradients into the bubble: zb_h1, zb_h2, zbv" },
  { "bubble", "pipeline bubble", "time in which a stage waits for its neighbours" },
  { "rank", "process of a group", "one device in a group of a kind of parallelism" },
  { "stage", "pipeline stage", "consecutive layers on one device or group of devices" },
  { "straggler", "slowest device", "what a step waits for beyond the mean because devices differ" },
  { "recompute", "activation recomputation", "activations are not kept but computed again in backward; also called "
    .. "gradient checkpointing" },
  { "offload", "offloading", "states or activations wait in host memory or on drives" },
  { "LoRA", "low-rank adaptation", "small matrices are trained beside frozen weights: plan.lora_rank" },
  { "QLoRA", "quantised LoRA", "LoRA over frozen weights of 8 or 4 bits: plan.base_bits" },
  { "PEFT", "parameter-efficient fine-tuning", "adapters and their kind; also Hugging Face's library of them" },
  { "SFT", "supervised fine-tuning", "training on demonstrations: finetune{ kind = 'sft' }" },
  { "DPO", "direct preference optimisation", "training on pairs of answers beside a frozen reference" },
  { "PPO", "proximal policy optimisation", "the policy answers, a reward model scores, a critic learns with it" },
  { "GRPO", "group-relative policy optimisation", "answers to one prompt are scored against each other, without a critic" },
  { "NF4", "4-bit NormalFloat", "bitsandbytes' format of frozen weights under QLoRA" },
  { "all-reduce", "collective", "every rank gets the sum of all ranks' values" },
  { "all-gather", "collective", "every rank gets the parts of all ranks" },
  { "reduce-scatter", "collective", "every rank gets its part of the sum" },
  { "all-to-all", "collective", "every rank sends a part to every other, as MoE layers do with tokens" },
  -- Models.
  { "LLM", "large language model", "a decoder of transformer layers that predicts the next token" },
  { "MoE", "mixture of experts", "layers with many MLPs of which each token visits a few" },
  { "MLP", "multi-layer perceptron", "the feed-forward part of a layer" },
  { "MHA", "multi-head attention", "every query head has keys and values of its own" },
  { "MQA", "multi-query attention", "all query heads share one head of keys and values" },
  { "GQA", "grouped-query attention", "groups of query heads share keys and values: model.kv_heads" },
  { "MLA", "multi-head latent attention", "keys and values are made from a small latent vector, which alone is cached "
    .. "(DeepSeek)" },
  { "MTP", "multi-token prediction", "extra layers that predict further tokens" },
  { "KV", "keys and values of attention", "what attention reads of earlier tokens; kept in the KV cache",
    also = { "KV cache" } },
  { "SSM", "state space model", "layers with a state of fixed size in place of a KV cache (Mamba)" },
  { "DLRM", "deep learning recommendation model", "embedding tables and MLPs that rank items" },
  { "ViT", "vision transformer", "a transformer over patches of an image" },
  { "tok", "tokens", "pieces of text that a model reads and writes" },
  -- Efficiency and hardware.
  { "MFU", "model FLOP utilisation", "FLOP that the model needs, causal attention counted half, over what the devices "
    .. "could do at their dense peak in that time" },
  { "HFU", "hardware FLOP utilisation", "like MFU, with what is computed again and without what is not computed" },
  { "FLOP", "floating-point operation", "one multiplication or addition; a multiply-add is two. FLOP/s is a rate" },
  { "goodput", "share of time that is progress", "what is left of a run after checkpoints, interruptions, evaluation "
    .. "and stalls" },
  { "HBM", "high-bandwidth memory", "the memory of the device" },
  { "NIC", "network interface card", "a device's share of the network between nodes" },
  { "NVLink", "NVIDIA's device link", "the fast link inside a domain" },
  { "PCIe", "PCI Express", "the link to the host, and between devices that have no faster one" },
  { "EFA", "Elastic Fabric Adapter", "the network between nodes of AWS" },
  { "RoCE", "RDMA over Converged Ethernet", "a network between nodes" },
  { "fabric", "network between nodes", "InfiniBand, RoCE, EFA and others: ballpark catalog clusters" },
  { "domain", "devices that fast links join", "8 in a node with NVLink, 72 in a rack of GB200" },
  { "TDP", "thermal design power", "power a board may draw: device.tdp_w" },
  { "PUE", "power usage effectiveness", "power of the data centre over that of its computers" },
  { "MTBF", "mean time between failures", "of one device or one replica" },
  { "GPU", "graphics processing unit", "one accelerator; reports say device, for TPUs and others as well" },
  { "TPU", "tensor processing unit", "Google's accelerator" },
  { "SXM", "NVIDIA's socketed board", "the form of a device with NVLink; PCIe boards draw less power" },
  { "GEMM", "general matrix multiplication", "a matmul; ballpark explain gemm says how it is timed" },
  { "matmul", "matrix multiplication", "most of the arithmetic of a model" },
  { "elementwise", "elementwise passes", "norms, activations, residuals: bound by memory bandwidth" },
  -- Serving.
  { "VRAM", "video memory", "memory of a GPU: device.memory_bytes; `ballpark fit` says what takes it" },
  { "GGUF", "file format of llama.cpp", "weights in blocks of a few bits, with other types in a few tensors: Q4_K_M has "
    .. "4.9 bits per weight of an 8B model" },
  { "TTFT", "time to first token", "from the arrival of a request to its first token", also = { "first token" } },
  { "TPOT", "time per output token", "mean time of a token after the first: (E2E - TTFT) / (tokens - 1)" },
  { "ITL", "inter-token latency", "the gap between two tokens; its mean over a request is TPOT" },
  { "E2E", "end-to-end latency", "from the arrival of a request to its last token", also = { "last token" } },
  { "SLO", "service level objective", "a latency that a share of all requests must meet" },
  { "SLA", "service level agreement", "an SLO in a contract; the field is called sla" },
  { "P50", "50th percentile", "half of the requests are at most this; P90, P99 and others likewise",
    also = { "P90", "P95", "P99", "P99.9" } },
  { "prefill", "computing a prompt", "the pass over the tokens of a prompt, bound by compute" },
  { "decode", "producing an answer", "one token of each running request per step, bound by memory bandwidth" },
  { "chunked prefill", "prefill in parts", "a prompt is cut to the token budget of a step and shares steps with "
    .. "decode" },
  { "continuous batching", "requests join and leave between steps", "how vLLM, SGLang and TensorRT-LLM run" },
  { "disaggregated", "prefill and decode in pools of their own", "the KV cache moves from one pool to the other",
    also = { "PD" } },
  { "aggregated", "prefill and decode in one replica", "the usual way to serve" },
  { "speculative decoding", "several tokens a step", "cheap draft tokens are checked by the model, and accepted with "
    .. "some chance", also = { "draft tokens" } },
  { "preemption", "a running request is pushed out", "for want of KV cache; it is computed again later" },
  { "front end", "what is before and behind the engine's steps", "HTTP, tokenising a prompt, scheduling it and sending "
    .. "tokens back: engine.front_s and front_token_s of a request, a part of TTFT",
    also = { "front-end", "frontend" } },
  { "Poisson", "arrivals by chance", "each at its own moment, independent of the others, at an even rate: what many "
    .. "users make; load.burstiness above 1 is more uneven" },
  { "maximum concurrency", "longest requests at one time", "tokens of the KV cache over max_model_len, as vLLM prints "
    .. "it at its start: what is sure to run together; shorter requests are more",
    also = { "Requests of that length at one time" } },
  { "attention DP", "attention in groups", "each group of devices has attention and KV cache for its own requests, "
    .. "experts are shared (plan.dp, --attention-dp)", also = { "attention_dp", "attention-dp" } },
  { "max_model_len", "longest request", "tokens of a prompt and its answer at most, as an engine is told",
    also = { "max-model-len", "context length" } },
  { "scheduler poll", "the engine looks for new requests", "a request waits for the next one" },
  { "token budget", "tokens of a step at most", "vLLM's max_num_batched_tokens", also = { "token_budget" } },
  { "replica", "one copy of a served model", "with all the devices that it takes" },
  { "spare", "spare replica", "one that may fail at the peak without breaking the SLO" },
  { "surge", "roll-out surge", "extra replicas while new ones start" },
  { "cv", "coefficient of variation", "standard deviation over mean" },
  -- Formats of numbers.
  { "bf16", "16-bit brain float", "8 bits of exponent, 7 of mantissa" },
  { "fp16", "16-bit float", "5 bits of exponent, 10 of mantissa" },
  { "fp8", "8-bit float", "E4M3 or E5M2, with scales" },
  { "mxfp8", "8-bit float in blocks", "32 numbers share a scale" },
  { "mxfp4", "4-bit float in blocks", "32 numbers share a scale" },
  { "nvfp4", "4-bit float in blocks", "16 numbers share a scale (Blackwell)" },
  { "fp32", "32-bit float", "gradients and master weights by default" },
  { "tf32", "TensorFloat-32", "fp32 rounded to 10 bits of mantissa for matmuls" },
  { "int8", "8-bit integer", "with scales" },
  -- Vector search.
  { "IVF", "inverted file", "vectors are dealt to lists; a query looks into a few of them" },
  { "PQ", "product quantisation", "vectors are kept as short codes" },
  { "HNSW", "hierarchical navigable small world", "a graph index" },
  { "recall", "share of nearest vectors found", "of an approximate index" },
  -- What reports say of answers.
  { "range", "80 % range", "four measured runs in five like this one would be inside" },
  { "extrapolated", "beyond what was measured", "the coefficients never saw such a device, model or engine; the range "
    .. "is wider" },
  { "feasible", "passes all checks", "and fits into memory with the chance that is asked" },
  { "tie", "too near to tell apart", "plans or fleets within 1 or 2 % of the best", also = { "ties" } },
  { "Pareto front", "plans of which none is better in everything", "by the objectives that were given" },
  { "profile", "class of software", "the coefficients of a framework: ballpark catalog profiles" },
  { "nearest miss", "the rejected plan closest to passing", "of each check" },
  { "MAPE", "mean absolute percentage error", "mean of |predicted / measured - 1|" },
}

-- Lower-case name -> entry.
local by_name = {}
for _, entry in ipairs(glossary.entries) do
  by_name[entry[1]:lower()] = entry
  for _, other in ipairs(entry.also or {}) do by_name[other:lower()] = entry end
end

--- The entry of a name in any case, or nil.
function glossary.find(name) return by_name[name:lower()] end

--- All names, as they are written.
function glossary.names()
  local names = {}
  for _, entry in ipairs(glossary.entries) do
    names[#names + 1] = entry[1]
    table.move(entry.also or {}, 1, #(entry.also or {}), #names + 1, names)
  end
  return names
end

return glossary
