-- Options that other programs have (vLLM, Megatron-LM, DeepSpeed, Transformers), in our words.
local tables = require("ballpark.tables")

local foreign = {}

-- Topics and words that people put in the place of a command, and the commands to go to.
local COMMANDS <const> = {
  { { "vram", "memory", "ram", "gpu", "gpus", "card", "cards", "can-i-run", "canirun", "which-gpu", "hardware", "size", "kv", "kv-cache",
    "fits" }, { "fit" } },
  { { "estimate", "estimates", "simulate", "step", "scenario" }, { "run", "search" } },
  { { "levers", "cost", "costs", "save", "bill" }, { "ask" } },
  { { "emit", "launch", "export" }, { "search" } },
  { { "train", "pretrain", "training", "pretraining", "mfu", "plan" }, { "search" } },
  { { "sft", "lora", "qlora", "finetuning", "fine-tune", "fine-tuning", "peft", "dpo", "grpo", "rlhf", "tuning" },
    { "finetune", "fit" } },
  { { "vllm", "sglang", "inference", "throughput", "tokens", "deploy", "infer", "tensorrt", "trtllm", "whisper" }, { "serve", "local" } },
  { { "ollama", "llama.cpp", "llamacpp", "lmstudio", "laptop", "mac", "mlx", "gguf", "speed", "run-local", "chat" }, { "local" } },
  { { "batch", "offline", "prompts" }, { "batch-job" } },
  { { "embed", "embedding", "embeddings", "rerank", "bert", "vit" }, { "encode" } },
  { { "rag", "hnsw", "faiss", "milvus", "vectors", "vector-db" }, { "vector-search" } },
  { { "image", "images", "sdxl", "flux", "stable-diffusion" }, { "diffusion" } },
  { { "tts", "voice", "voices", "text-to-speech", "orpheus" }, { "speak" } },
  { { "price", "prices", "device", "devices", "models", "list" }, { "catalog" } },
  { { "question", "faq", "examples", "howto" }, { "help questions" } },
}

-- Words of others, and what stands for them here: our options in the order of preference, of which the first that the
-- command has is named, each with what is to be known about it; and what is so where it has none.
local ROWS <const> = {
  { { "cost", "money", "spend" }, { { "budget", "what may be spent, in USD" } } },
  { { "lora" }, { { "for", "lora, with --lora-rank" }, { "method", "lora, with --lora-rank" }, { "lora-rank", "16 is usual" } } },
  { { "lora-r", "lora-dim", "r" }, { { "lora-rank", "16 is usual" } } },
  { { "full", "full-finetune", "sft", "train", "training" }, { { "for", "full, lora or qlora" }, { "method", "full, lora or qlora" } } },
  { { "max-model-len", "context", "context-length", "context-size", "max-context", "ctx", "cutoff-len", "model-max-length",
      "max-seq-len", "max-seq-length", "seq-length", "sequence-length",
      "block-size", "max-position-embeddings" },
    { { "seq-len" }, { "tokens" }, { "max-model-len" }, { "context", "tokens the KV cache has room for" } } },
  { { "c", "ctx-size", "n-ctx", "num-ctx" }, { { "context", "tokens the KV cache has room for" } } },
  { { "ngl", "n-gpu-layers", "gpu-layers", "num-gpu" },
    { { "device-layers", "layers on the device; unless said, as many as it has room for" } } },
  { { "ub", "ubatch-size", "n-ubatch" }, { { "ubatch", "tokens of a prompt in one pass" } } },
  { { "n-cpu-moe", "ncmoe", "cpu-moe", "override-tensor", "ot" },
    { { "host-experts", "first layers whose experts stay with the host" } } },
  { { "ctk", "ctv", "cache-type-k", "cache-type-v" }, { { "kv" } } },
  { { "fa", "flash-attn", "flash-attention" }, { { "no-flash", "only to do without: attention is fused unless this is given" } },
    "attention is fused wherever the engine can" },
  { { "ram", "system-ram", "host-memory", "cpu-memory" }, { { "host", "a processor with its memory: 'Ryzen 9 7950X 64GB'" },
    { "D device.memory_bytes=GiB(24)" } } },
  { { "vram", "memory", "gpu-memory", "vram-gb" }, { { "vram", "GB of a card" }, { "device", "24GB is a card of so much memory" }, { "D device.memory_bytes=GiB(24)" } } },
  { { "batch-size", "bs", "gbs", "train-batch-size", "global-batch-size", "gradient-accumulation-steps" },
    { { "global-batch", "sequences of one step on all devices; --micro-batch is what one works on at a time" },
      { "batch" }, { "concurrency", "requests under way; --max-running is the engine's limit" },
      { "requests" }, { "micro-batches" } } },
  { { "micro-batch-size", "mbs", "per-device-train-batch-size", "per-device-batch-size" },
    { { "micro-batch" }, { "batch", "sequences at one time on each device" } } },
  { { "gradient-checkpointing", "activation-checkpointing", "recompute-activations", "recompute-granularity" },
    { { "recompute", "none, selective or full" } } },
  { { "gpus", "num-gpus", "n-gpus", "ngpus", "world-size", "num-devices", "nproc-per-node", "devices", "gpu-count" },
    { { "gpus", "devices of all replicas; --tp is how many one has" }, { "devices" } } },
  { { "nnodes", "num-nodes" }, { { "nodes" } } },
  { { "node-size", "gpus-per-node", "ntasks-per-node", "devices-per-node" }, { { "D cluster.node_size=8" } } },
  { { "prompt", "prompt-tokens", "input-len", "isl", "prompt-len", "random-input-len" }, { { "input-tokens" }, { "prompt-tokens" } } },
  { { "output", "max-tokens", "max-new-tokens", "output-len", "osl", "random-output-len" }, { { "output-tokens" } } },
  { { "gpu", "gpu-type", "accelerator", "hardware", "card", "gpu-name" }, { { "on" }, { "device" }, { "host" } } },
  { { "cpu", "processor" }, { { "host" } } },
  { { "load-in-4bit", "load-in-8bit", "qlora", "quantization-bit" },
    { { "for", "qlora: frozen weights in 4 bit" }, { "method", "qlora: frozen weights in 4 bit" }, { "base-bits", "4 or 8, with --lora-rank" },
      { "weights", "format of the weights" } } },
  { { "target-modules", "lora-target", "lora-target-modules" }, { { "lora-targets", "all, attention, qkv, qv or mlp" } } },
  { { "num-train-epochs", "num-epochs" }, { { "epochs" } } },
  { { "num-samples", "samples", "max-samples" }, { { "examples" }, { "requests" } } },
  { { "dataset", "dataset-name" }, { { "data-set", "alpaca; or --mean-tokens of your samples" } } },
  { { "optim" }, { { "optimizer" } } },
  { { "finetuning-type", "peft", "finetune", "task", "purpose" }, { { "for", "full, lora or qlora" }, { "method", "full, lora or qlora" } } },
  { { "dtype", "torch-dtype", "bf16", "fp16", "fp8", "mixed-precision", "quantization", "quant",
      "bits", "quantize", "gguf" },
    { { "dtype" }, { "precision", "format of the matmuls" }, { "weights", "format of the weights" } } },
  { { "kv-cache-dtype", "kv-dtype", "kv-cache", "kv-format" }, { { "kv", "format of the KV cache" } } },
  { { "engine", "framework", "backend" }, { { "engine" }, { "software" } } },
  { { "tensor-parallel-size", "tensor-model-parallel-size", "tp-size", "tp" }, { { "tp" }, { "devices" } } },
  { { "pipeline-parallel-size", "pipeline-model-parallel-size", "pp-size" }, { { "pp" } } },
  { { "data-parallel-size", "dp-size" }, { { "dp" }, { "attention-dp" } } },
  { { "context-parallel-size" }, { { "cp" } } },
  { { "expert-parallel-size", "expert-model-parallel-size", "ep-size" }, { { "ep" } } },
  { { "enable-expert-parallel" }, { { "ep", "a number: vLLM deals experts to all tp * dp ranks" } } },
  { { "zero-stage", "deepspeed" }, { { "zero", "0 to 3" } } },
  { { "use-distributed-optimizer" }, { { "zero", "1: optimizer states over data-parallel ranks" } } },
  { { "num-layers-per-virtual-pipeline-stage", "virtual-pipeline-model-parallel-size",
      "num-virtual-stages-per-pipeline-rank" },
    { { "vpp", "parts of the model on each device: layers / (pp * layers of a virtual stage)" } } },
  { { "train-iters", "train-steps", "max-steps", "num-train-steps", "train-samples" },
    { { "tokens", "of the whole run: iterations * global batch * sequence length" } } },
  { { "speculative-config", "speculative-model", "speculative-algorithm" },
    { { "draft-tokens", "tokens drafted a step; -D plan.acceptance=0.7" } } },
  { { "enable-prefix-caching", "no-enable-prefix-caching", "enable-caching", "disable-radix-cache" },
    { { "D engine.prefix_cache=false", "on unless said; prompts that begin the same are a trace with prefix_blocks, "
      .. "sessions or -D load.prefix_tokens" } } },
  { { "fsdp", "fully-shard" }, { { "zero", "3 shards weights, gradients and optimizer states, as FSDP does" } } },
  { { "max-num-seqs", "max-batch-size", "max-running-requests" }, { { "max-running" }, { "max-batch" } } },
  { { "max-num-batched-tokens", "chunked-prefill-size" }, { { "token-budget" } } },
  { { "request-rate", "qps", "rps" }, { { "rate" } } },
  { { "num-users", "concurrent-users" }, { { "users", "with --think, seconds between answer and question" } } },
  { { "max-concurrency" }, { { "concurrency" } } },
  { { "num-speculative-tokens", "speculative-num-draft-tokens" }, { { "draft-tokens" } } },
  { { "images", "num-images", "limit-mm-per-prompt" },
    { { "D model.images=1", "with -D model.image_size=1024, pixels of one side" } } },
  { { "freeze-vision", "freeze-vision-tower", "freeze-vit", "freeze-encoder" },
    { { "D model.encoder_frozen=true" } } },
  { { "gpu-memory-utilization", "mem-fraction-static", "memory-utilization" }, { { "memory-frac" }, { "D engine.memory_frac=0.9" } } },
}

-- Options of training programs on which neither memory nor time depends.
local WITHOUT_EFFECT <const> = tables.set({ "lora-alpha", "use-rslora", "learning-rate", "lr", "min-lr", "learning-rate-schedule",
  "lr-scheduler", "lr-scheduler-type", "lr-decay-style", "lr-warmup-iters", "lr-warmup-steps", "warmup-ratio", "warmup-steps", "weight-decay", "adam-beta1",
  "adam-beta2", "adam-epsilon", "adam-eps", "max-grad-norm", "clip-grad", "label-smoothing", "neftune-noise-alpha", "dpo-beta",
  "kl-coef", "seed", "random-state", "logging-steps", "log-interval", "report-to", "run-name" })

local function has(options, name) return tables.contains(options, "--" .. name) end

local function word_of(option) return (option:gsub("^%-+", ""):gsub("_", "-")) end

-- The row of an option of another program; nil of others.
local function row_of(option)
  local word = word_of(option)
  for _, row in ipairs(ROWS) do
    if tables.contains(row[1], word) then return row end
  end
end

--- Whether an option changes neither memory nor time, whatever its value.
---@param option string with its dashes
function foreign.is_without_effect(option) return WITHOUT_EFFECT[word_of(option)] or false end

--- Whether a word of a command line is an option of another program with one dash: "-fa", to the parser "-f a".
---@param word string
function foreign.is_short(word)
  return word:find("^%-%a[%a%-]+$") ~= nil and (foreign.is_without_effect(word) or row_of(word) ~= nil)
end

--- What is so here where a command has no option for one of another program; nil where there is nothing to say.
---@param option string with its dashes
---@return string|nil
function foreign.without(option)
  local row = row_of(option)
  return row and row[3]
end

-- Our option with the value that was given to theirs; a definition has a number of its own, which only a number replaces.
local function written(ours, define, value)
  if not define then return "--" .. ours .. (value and " " .. value or "") end
  return "-" .. (value and tonumber(value) and ours:gsub("=[%d%.]+$", "=" .. value) or ours)
end

--- What to use instead of an option that the command does not have, in words; nil where nobody knows.
---@param option string with its dashes
---@param options string[] those of the command, with their dashes
---@param value string|nil what was given to it, where ours means the same: a number
---@return string|nil
function foreign.instead(option, options, value)
  local row = row_of(option)
  for _, ours in ipairs(row and row[2] or {}) do
    local define = ours[1]:match("^D ")
    if define and has(options, "define") or has(options, ours[1]) then
      return written(ours[1], define, not ours[2] and value or nil) .. (ours[2] and " (" .. ours[2] .. ")" or "")
    end
  end
end

--- What to use instead of a command or topic that there is none of, in words; nil where nobody knows.
---@param word string
---@return string|nil
function foreign.command(word)
  local wanted = word:lower():gsub("[_%s]", "-")
  for _, row in ipairs(COMMANDS) do
    for _, known in ipairs(row[1]) do
      if known == wanted then
        return ("ask 'ballpark %s'; 'ballpark help questions' has forty examples"):format(table.concat(row[2], "' or 'ballpark "))
      end
    end
  end
end

--- What to use instead of a field that a plan does not have, in words; nil where nobody knows.
---@param field string
---@param known table<string, any> by name, the fields there are
---@return string|nil
function foreign.field(field, known)
  local options = {}
  for name in pairs(known) do options[#options + 1] = "--" .. name:gsub("_", "-") end
  local instead = foreign.instead(field, options)
  return instead and (instead:gsub("^%-%-([%w%-]+)", function(name) return (name:gsub("-", "_")) end))
end

return foreign
