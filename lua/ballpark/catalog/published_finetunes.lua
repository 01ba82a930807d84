-- Published speeds of fine-tuning, to set an answer beside: tokens per second of all devices, as published or from the
-- time of a step of so many tokens.
local TORCHTUNE <const>, TUNED <const> = "pytorch/torchtune@bd2a0fc7c, README", "2024-12"
local QWEN <const>, PROFILED <const> = "QwenLM/Qwen@2df8e8a, README; eight micro-batches of one a step", "2023-12"

local function torchtune(name, params, method, device, seq_len, tok_s)
  return { name = name, params = params, method = method, device = device, devices = 1, seq_len = seq_len, tok_s = tok_s,
    date = TUNED, source = TORCHTUNE }
end

-- A step is of eight sequences on every device.
local function qwen(name, params, method, devices, seq_len, step_s)
  return { name = name, params = params, method = method, device = "A100-80GB-SXM", devices = devices, seq_len = seq_len,
    tok_s = 8 * devices * seq_len / step_s, date = PROFILED, source = QWEN }
end

return {
  torchtune("Llama-3.2-3B", 3.21e9, "full", "A100-80GB-SXM", 4096, 9174),
  torchtune("Llama-3.2-3B", 3.21e9, "lora", "A100-80GB-SXM", 4096, 8210),
  torchtune("Llama-3.2-3B", 3.21e9, "qlora", "A100-80GB-SXM", 4096, 8035),
  torchtune("Llama-3.1-8B", 8.03e9, "lora", "RTX-4090", nil, 3083),
  qwen("Qwen-1.8B", 1.84e9, "full", 1, 4096, 2.8),
  qwen("Qwen-1.8B", 1.84e9, "lora", 1, 4096, 3.3),
  qwen("Qwen-1.8B", 1.84e9, "qlora", 1, 4096, 3.4),
  qwen("Qwen-7B", 7.72e9, "lora", 1, 2048, 5.2),
  qwen("Qwen-7B", 7.72e9, "qlora", 1, 4096, 11.6),
  qwen("Qwen-72B", 72.29e9, "lora", 4, 4096, 83.4),
  qwen("Qwen-72B", 72.29e9, "qlora", 1, 1024, 41.4),
}
