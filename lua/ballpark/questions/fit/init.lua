-- fit{}: does a model fit, for inference or for training, on devices or on which of the catalog.
local inputs = require("ballpark.questions.inputs")

return {
  name = "fit",
  title = "does a model fit, on which devices, and what would make it fit",
  inputs = {
    { "model", "catalog name, Hugging Face id, Ollama tag, name of a GGUF file, folder with a config.json, or a table of "
      .. "fields; a format behind it counts: llama3.1:8b, Qwen/Qwen2.5-72B-Instruct-AWQ, llama-3.1-8b:Q4_K_M; encoders, "
      .. "networks of images, diffusion and Whisper as well: bge-m3, vit-l-16-224, sdxl, whisper-large-v3",
      is = "either", type = "string|ballpark.model", required = true },
    { "on", "a device or a list of them; all of the catalog unless said", is = "devices",
      type = "string|ballpark.device|(string|ballpark.device)[]" },
    { "purpose", "inference, full (all weights are trained), lora (adapters beside 16-bit weights) or qlora (beside 4-bit "
      .. "ones); inference unless said", type = "string" },
    { "devices", "how many of each share the model; 1 unless said", type = "integer" },
    { "context_tok", "tokens of a prompt and its answer, or of a training sequence; 4096 and 2048 unless said",
      type = "integer" },
    { "batch", "sequences under way at one time; of training those that a device computes together; 1 unless said",
      type = "integer" },
    { "format", "of the weights, for inference: bf16, fp8, awq, nvfp4, a GGUF type (Q4_K_M, Q8_0, …), mlx4, exl2-4.0, …; "
      .. "what the model's name says, else as published", type = "string" },
    { "kv", "format of the KV cache: bf16, fp8; f16, q8_0, q4_0 of llama.cpp", type = "string" },
    { "software", "for inference vllm, sglang, trtllm, llama.cpp, ollama, mlx, exllama, …: vllm where it runs, else "
      .. "llama.cpp; for training transformers, unsloth, axolotl, llama-factory, torchtune, litgpt, deepspeed", type = "string" },
    { "memory_frac", "share of a device that a serving engine may use; 0.9 of vllm unless said", type = "number" },
    { "host", "processor that has what the device has not, for layers with the host", is = "device",
      type = "string|ballpark.device" },
    { "device_layers", "layers on the device, the rest with the host, of llama.cpp; unless said, with a host, as many as it has room for", type = "integer" },
    { "host_experts", "first layers whose experts stay with the host, of llama.cpp", type = "integer" },
    { "adapters", "LoRA adapters that a serving engine has room for at one time; none unless said", type = "integer" },
    { "rank", "of adapters; as the software has it, 16 of those that are served", type = "integer" },
    { "targets", "matrices with adapters: all, attention, qkv, qv, mlp; as the software has it", type = "string" },
    inputs.plan,
  },
  in_rows = function(answer) return #answer.rows > 1 end,
  needs = { { "model", such = '"llama-3.1-8b"' } },
  outputs = {
    { "fits", "boolean", "whether it is more likely than not that one of the devices holds it, or of the catalog a group" },
    { "rows", "table[]", "devices as asked, or of the catalog by price: device, software, format, need_bytes, usable_bytes, "
      .. "fits_chance, parts, max_context_tok, max_batch, kv_tokens, usd_h, card_usd, changes, cheapest" },
    { "groups", "table[]", "of the catalog, the smallest groups (2, 4 or 8 within a node) of devices that do not hold it alone, by price; "
      .. "rows with devices, how many" },
    { "named", "boolean", "whether devices were named" },
    { "refused", "table[]", "devices that cannot run it, each with the reason" },
    { "assumed", "string[]", "what was not given" },
  },
  notes = {
    "The longest context and the largest batch fit with a chance of nine in ten; kv_tokens is what an engine would print.",
    "The cheapest change is the first that needs no other device, else the one with the least rent.",
  },
  command = {
    summary = "Does it fit: a model on a device, or the cheapest devices that hold it",
    examples = {
      "ballpark fit llama-3.1-8b",
      "ballpark fit llama-3.1-70b --on 'RTX 3090,A6000,H100' --weights Q4_K_M",
      "ballpark fit Qwen/Qwen2.5-72B-Instruct-AWQ --on H100 --context 8192",
      "ballpark fit llama3.1:8b --on 'RTX 4090' --for qlora",
    },
    argument = { "model", "Catalog name, Hugging Face id, Ollama tag, GGUF file or a folder with a config.json; a format "
      .. "behind it counts, as in llama-3.1-8b:Q4_K_M." },
    options = {
      { "model", "model", "The same as an option.", "text" },
      { "on", "on", "Device, or several with commas, or the memory of a card, 24GB; all of the catalog unless said.", "list",
        alias = { "device", "vram" } },
      { "for", "purpose", "inference, full, lora or qlora; inference unless said.", "text" },
      { "devices", "devices", "How many of each share the model." },
      { "context", "context_tok", "Tokens of a prompt and its answer, or of a training sequence." },
      { "batch", "batch", "Sequences at one time on each device." },
      { "weights", "format", "Format of weights: bf16, fp8, awq, Q4_K_M, mlx4, …; by the model's name unless said.", "text" },
      { "kv", "kv", "Format of the KV cache: bf16, fp8, q8_0, q4_0.", "text" },
      { "software", "software", "vllm, sglang, trtllm, llama.cpp, ollama, mlx, …; of training transformers, unsloth, …", "text" },
      { "memory-frac", "memory_frac", "Share of a device that a serving engine may use." },
      { "host", "host", "Processor that has what the device has not.", "text" },
      { "device-layers", "device_layers", "Layers on the device, the rest with the host, of llama.cpp." },
      { "host-experts", "host_experts", "First layers whose experts stay with the host, of llama.cpp." },
      { "adapters", "adapters", "LoRA adapters that a serving engine has room for at one time." },
      { "lora-rank", "rank", "Rank of adapters." },
      { "lora-targets", "targets", "Matrices with adapters: all, attention, qkv, qv, mlp.", "text" },
      { "optimizer", "plan.optimizer", "Of training: adam, adam_8bit, paged_adam_8bit, adafactor, lion, sgd.", "text" },
      { "recompute", "plan.recompute", "Of training: none, selective or full.", "text" },
    },
  },
  headline = function(answer, asked) return require("ballpark.questions.fit.words").headline(answer, asked) end,
  reason = function() return "memory" end,
}
