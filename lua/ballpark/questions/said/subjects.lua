-- What a prompt is about, by its words: phrases of each kind of question (questions/ask/kinds) and how much each says. A
-- phrase is whole words. Facts weigh too: see kinds.lua beside those kinds.

-- Names a thing that only one kind is about; names what is mostly asked there; a word that others use as well.
local ONLY <const>, MOSTLY <const>, OFTEN <const> = 6, 4, 2

return {
  { "matmul", { [2 * ONLY] = { "matmul", "matrix", "gemm" } } },
  { "finetune", {
    [ONLY] = { "finetune", "fine-tune", "fine tune", "finetuning", "fine-tuning", "fine tuning", "finetuned", "fine-tuned", "sft",
      "dpo", "grpo", "ppo", "rlhf", "lora", "qlora", "adapters", "instruction tuning" },
    [OFTEN] = { "examples", "unsloth", "axolotl" } } },
  { "training", { [MOSTLY] = { "train", "training", "pretrain", "pretraining", "pre-training", "pre-train", "trained",
    "from scratch", "compute-optimally", "compute-optimal", "chinchilla" }, [OFTEN] = { "step", "mfu" } } },
  { "platform", { [ONLY] = { "platform", "platforms" }, [MOSTLY] = { "jobs", "fine-tunes", "sweep", "sweeps" } } },
  { "checkpoints", { [ONLY] = { "checkpoint", "checkpoints", "checkpointing" } } },
  { "retrieval", { [ONLY] = { "vector database", "vector db", "vector search", "nearest neighbours", "nearest neighbors",
    "semantic search", "similarity search" }, [MOSTLY] = { "retrieval", "ann", "nearest", "rag" } } },
  { "storage", { [MOSTLY] = { "storage", "store", "stored" } } },
  { "rerank", { [ONLY] = { "rerank", "reranker", "reranking", "re-rank", "re-ranker" } } },
  { "recommend", { [ONLY] = { "recommend", "recommends", "recommending", "recommendation", "recommendations", "recommender" },
    [MOSTLY] = { "ranker", "ranking" } } },
  { "draw", { [ONLY] = { "image generation", "generate images", "generating images", "generates images", "text-to-image",
    "text to image", "stable diffusion", "diffusion", "sdxl", "flux", "draw", "drawing images" } } },
  { "transcribe", { [ONLY] = { "transcribe", "transcribes", "transcribing", "transcription", "whisper", "speech-to-text",
    "speech to text", "speech recognition", "asr", "subtitles", "hours of audio", "hours of speech" } } },
  { "speak", { [ONLY] = { "text-to-speech", "text to speech", "tts", "speech synthesis", "orpheus", "voice bot",
    "synthesize speech" } } },
  { "encode", { [MOSTLY] = { "moderate", "moderation", "encode", "encoder", "classify", "classification", "embed", "embeds",
    "embedder" }, [OFTEN] = { "image", "images", "uploads" } } },
  { "corpus", { [MOSTLY] = { "embed", "embeds", "embedding of", "classify", "encode" }, [OFTEN] = { "corpus", "documents", "embedding" } } },
  { "cost", { [MOSTLY] = { "levers", "down", "cheaper" } } },
  { "batch", { [ONLY] = { "synthetic" }, [MOSTLY] = { "offline", "batch inference", "overnight", "summarise", "summarize", "summarising", "summarizing",
    "translate", "label", "annotate", "synthetic data", "over the weekend" }, [OFTEN] = { "documents", "prompts", "process", "batch", "nightly" } } },
  { "fit", { [ONLY] = { "does it fit", "can i run", "can i fit", "can i load", "can we run", "will it fit", "kv cache", "kv-cache",
    "vram", "enough memory", "memory footprint", "what gpu do i need", "which gpu do i need", "which gpu", "max context", "maximum context",
    "longest context", "how much context", "how much memory", "how much ram", "memory requirements", "enough for", "fit on", "fit in", "fit into",
    "fits on", "fits in", "fit my", "fits my", "run on my", "need in memory", "memory for training", "memory to train",
    "memory needed", "memory does", "memory do i need" }, [OFTEN] = { "memory", "fit", "fits" } } },
  { "check", { [ONLY] = { "reasonable", "plausible", "realistic", "is this number", "sanity check", "believable" } } },
  { "local", { [ONLY] = { "ollama", "llama.cpp", "lm studio", "laptop", "macbook", "gguf", "exllama", "koboldcpp", "at home" },
    [MOSTLY] = { "mac", "mac studio", "my machine", "my pc", "my gpu", "my card" },
    [OFTEN] = { "how fast", "tokens per second", "tok/s", "tokens/s" } } },
  { "replica", { [MOSTLY] = { "throughput", "saturation", "how many tokens", "how many users", "how many concurrent", "how many requests", "can handle",
    "handle", "max concurrency", "maximum concurrency", "per million tokens", "per token" }, [OFTEN] = { "serve", "serving", "inference", "latency", "how fast", "per gpu", "capacity", "tokens per second", "tok/s", "tokens/s", "token speed" } } },
  { "llm", { [MOSTLY] = { "chat", "assistant", "serve", "serves", "serving", "host", "hosting", "bot", "chatbot", "llm", "copilot",
    "api" }, [OFTEN] = { "decode", "inference", "generate" } } },
}
