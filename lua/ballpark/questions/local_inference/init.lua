-- local_inference{}: one sequence, or some in lock-step, on a machine of one's own.
local setups = require("ballpark.questions.local_inference.setups")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")

-- A context beyond the usual one is asked for to be filled: its speed is said, too, where it is another.
local USUAL_CONTEXT <const>, SLOWER <const> = 4096, 0.97

return {
  name = "local_inference",
  title = "one sequence on a machine of one's own: does it fit, how fast is it, what would be better",
  inputs = {
    { "model", "catalog name, Hugging Face id, Ollama tag, name of a GGUF file, folder with a config.json, or a table of "
      .. "fields; a format behind it counts: llama3.1:8b, Qwen/Qwen2.5-72B-Instruct-AWQ, llama-3.1-8b:Q4_K_M",
      is = "either", type = "string|ballpark.model", required = true },
    { "device", "name or fields of a device: ballpark catalog devices; 'M3 Max 64GB' says its memory; a list of several is compared", is = "device",
      type = "string|ballpark.device|(string|ballpark.device)[]", required = true },
    { "devices", "how many of them share the model; 1 unless said", type = "integer" },
    { "other", "a second kind of card that shares the model, layers dealt so that all are equally full; 'RTX 3090 + RTX 3060' as the device says "
      .. "it, too", is = "device", type = "string|ballpark.device" },
    { "others", "how many of that kind; 1 unless said", type = "integer" },
    { "format", "of the weights: a GGUF type (Q4_K_M, Q8_0, IQ4_XS, MXFP4, …), F16, BF16, awq, gptq, gptq8, nf4, mlx4, "
      .. "exl2-4.0, …; what the model's name says, else as the engine's models mostly are: Q4_K_M of llama.cpp, mlx4, exl2-4.0, q4f16 of mlc, awq; "
      .. "16 bit of vllm and transformers, or awq where they do not fit; a list of several is compared", type = "string|string[]" },
    { "file_bytes", "size of the file, where it is known", type = "number" },
    { "engine", "llama.cpp, ollama, exllama, mlx, mlc, vllm, transformers, awq; by the format unless said",
      type = "string" },
    { "backend", "of llama.cpp: cuda, metal, rocm, vulkan, sycl or cpu; by the vendor unless said", type = "string" },
    { "host", "processor that has what the device has not: a device of the catalog", is = "device",
      type = "string|ballpark.device" },
    { "sequences", "that begin together and take every step together, a static batch; 1 unless said", type = "integer" },
    { "context_tok", "tokens of each that the KV cache has room for; 4096 unless said", type = "integer" },
    { "prompt_tok", "tokens of the prompt of each whose speed is said; 512 unless said", type = "integer" },
    { "ubatch_tok", "tokens of a prompt in one pass at most (llama.cpp's -ub); as the engine does unless said", type = "integer" },
    { "kv", "format of the KV cache: f16, q8_0, q4_0, fp8, …", type = "string" },
    { "flash", "fused attention; on unless the engine has none", type = "boolean" },
    { "device_layers", "layers on the device, the rest with the host; unless said, as many as it has room for", type = "integer" },
    { "host_experts", "first layers whose experts stay with the host", type = "integer" },
  },
  needs = {
    { "model", such = '"llama-3.1-8b:Q4_K_M"' },
    { "device", such = '"RTX 4090"' },
  },
  outputs = {
    { "fits", "boolean", "whether it is more likely than not that memory holds it" },
    { "fits_chance", "number", "the chance of that" },
    { "out", "ballpark.local_inference_out", "of the kernel, generation behind the prompt" },
    { "full", "ballpark.local_inference_out", "the same with the context full" },
    { "range", "table<string, ballpark.range>", "80 % ranges of generation, full and prompt, tokens per second" },
    { "max_context_tok", "integer", "longest context that memory holds, with what is on devices and host as it is; 0 where not even the weights fit" },
    { "dealt_context_tok", "integer|nil", "longest context with as many layers with the host as it takes, where llama.cpp or Ollama deals them" },
    { "better", "table[]", "changes, each with fits_chance, memory and speeds" },
    { "setups", "table[]|nil", "of lists: an answer of each device and format, in the order asked" },
  },
  split = setups.of,
  in_rows = function(answer) return answer.setups ~= nil end,
  command = "local",
  headline = function(answer, asked)
    local speed = ("%s, of a prompt %s"):format(units.format(answer.out.tokens_per_s, "tok/s"), units.format(answer.out.prompt_tokens_per_s, "tok/s"))
    if answer.input.context_tok > USUAL_CONTEXT and answer.full.tokens_per_s < SLOWER * answer.out.tokens_per_s then
      speed = ("%s, %s with %s full"):format(speed, units.format(answer.full.tokens_per_s, "tok/s"), units.format(answer.input.context_tok, "tok"))
    end
    if asked.seen_tok_s then
      speed = ("%s, %.2g times the %s that are said"):format(speed, answer.out.tokens_per_s / asked.seen_tok_s, units.format(asked.seen_tok_s, "tok/s"))
    end
    if asked.first_token then speed = ("first token after %s; %s"):format(units.format(answer.out.prompt_s, "s"), speed) end
    if asked.tokens_day then speed = ("%s tokens a day; %s"):format(units.tally(answer.out.tokens_per_s * vocabulary.TIMES.day), speed) end
    if asked.words then speed = ("%s: %s"):format(vocabulary.words_a_minute(answer.out.tokens_per_s), speed) end
    if asked.context and (answer.max_context_tok or 0) > 0 then speed = ("%s of context; %s"):format(units.format(answer.max_context_tok, "tok"), speed) end
    local answer_s = asked.answer_tok and answer.out.prompt_s + asked.answer_tok / answer.out.tokens_per_s
    if answer_s then speed = ("%s for %s; %s"):format(units.format(answer_s, "s"), units.format(asked.answer_tok, "tok"), speed) end
    local watts = (answer.input.device.tdp_w or 0) * answer.input.devices
    if asked.energy and watts > 0 and answer_s then
      speed = ("%s at the most that the board draws, %s a token; %s"):format(units.format(watts * answer_s, "J"), units.format(watts / answer.out.tokens_per_s, "J"), speed)
    elseif asked.energy and watts > 0 then
      speed = ("%s of the board at most, %s a day, %s a token; %s"):format(units.format(watts, "W"), units.format(watts * vocabulary.TIMES.day, "J"),
        units.format(watts / answer.out.tokens_per_s, "J"), speed)
    end
    local held = ("%s of %s"):format(units.format(answer.need_bytes, "B"), units.format(answer.usable_bytes, "B"))
    if answer.with_host then held = ("%s, with the host %s"):format(held, answer.with_host) end
    if not answer.fits then return ("it does not fit: %s; if it did, %s"):format(held, speed) end
    return asked.memory and ("%s; %s"):format(held, speed) or ("%s; %s"):format(speed, held)
  end,
  speed = function(answer) return answer.out.tokens_per_s end,
  reason = function() return "memory" end,
}
