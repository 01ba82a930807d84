-- The forty questions of the manual: each is answered, and the answers that were measured or that a hand can count are
-- near that.
local cli = require("ballpark.cli")
local errors = require("ballpark.errors")
local foreign = require("ballpark.cli.foreign")
local groups = require("ballpark.manual.questions")
local json = require("ballpark.json")

-- Of a command: figure of the answer, least and most, and by what.
local KNOWN <const> = {
  ["ballpark fit llama-3.1-8b --on 'RTX 4090'"] = {
    -- 8.03 billion weights of 2 bytes, and 4,096 tokens of 131,072 bytes, with up to a tenth of workspace
    { "need_bytes", 16.6e9, 18.2e9 }, { "fits_chance", 0.99, 1 } },
  ["ballpark fit llama-3.1-70b:Q4_K_M --on 'RTX 3090' --devices 2"] = {
    { "need_bytes", 21.3e9, 23.5e9 }, { "fits_chance", 0.9, 1 } }, -- a file of 42.5 GB, half of it each, and its cache
  ["ballpark fit llama-3.1-405b --on H100 --devices 8 --weights fp8"] = {
    -- 8 H100 of 80 GB hold it in fp8: arXiv:2407.21783, section 6
    { "need_bytes", 405e9 / 8, 60e9 }, { "fits_chance", 0.9, 1 } },
  ["ballpark fit llama-3.1-8b --on A6000 --context 65536"] = {
    { "need_bytes", 16.06e9 + 65536 * 131072, 1.1 * (16.06e9 + 65536 * 131072) } },
  ["ballpark fit llama-2-7b --on 'RTX 3090' --for lora --context 512"] = {
    { "need_bytes", 2 * 6.74e9, 24e9 }, { "fits_chance", 0.9, 1 } },
  -- 65 billion weights are tuned on one device of 48 GB: arXiv:2305.14314, abstract
  ["ballpark fit llama-2-70b --on A6000 --for qlora --context 512"] = { { "need_bytes", 35e9, 48e9 }, { "fits_chance", 0.5, 1 } },
  -- 189 and 14,771 tokens per second of Llama 2 7B in Q4_0 (llama.cpp, discussion 15013, 2025), by the bytes and weights of this
  -- model: 4.62 in place of 3.75 GB, 8.03 in place of 6.74 billion.
  ["ballpark local llama3.1:8b --device 'RTX 4090' --context 8192"] = {
    { "generation_tok_s", 0.85 * 153, 1.15 * 153 }, { "prompt_tok_s", 0.8 * 12400, 1.2 * 12400 } },
  -- Generation and prompts, tokens per second, as XiongjieDai's GPU-Benchmarks-on-LLM-Inference has them (2024): 49.0 and 693;
  -- 16.6, whose prompts are of kernels that are no more. Other rows of these are in the fit.
  ["ballpark local llama3.1:8b --device 'M3 Max 64GB'"] = {
    { "generation_tok_s", 0.85 * 49, 1.15 * 49 }, { "prompt_tok_s", 0.8 * 693, 1.2 * 693 } },
  ["ballpark local llama3.1:70b --device 'RTX 3090' --devices 2"] = {
    { "generation_tok_s", 0.85 * 16.57, 1.15 * 16.57 } },
  -- 4.6 to 5.6 (geerlingguy/ai-benchmarks, 2025)
  ["ballpark local llama3.2:3b --device 'Raspberry Pi 5'"] = { { "generation_tok_s", 4, 6.3 } },
  -- 51 to 57 with ROCm 6 and 7 (kyuz0/amd-strix-halo-toolboxes, 2026); the answer is of Vulkan
  ["ballpark local gpt-oss-120b --device 'Strix Halo'"] = { { "generation_tok_s", 35, 60 } },
  -- 37 billion active weights of 4.85 bits from 460 GB/s, at most
  ["ballpark local deepseek-r1:671b --device 'EPYC 9654' --weights Q4_K_M"] = { { "generation_tok_s", 4, 460 / 22.4 } },
  -- "43 % MFU", 41 on 16,384: arXiv:2407.21783, table 4
  ["ballpark search --model llama-3.1-405b --device H100 --devices 16384 --global-batch 2048 --seq-len 8192"] = {
    { "mfu_frac", 0.35, 0.5 } },
  -- 24 thousand tokens per second and device, 90 days planned: README of TinyLlama
  ["ballpark search --model tinyllama-1.1b --device A100-40GB --devices 16 --global-batch 1024 --seq-len 2048 --tokens 'trillion(3)'"] = {
    { "tokens_per_s_device", 0.85 * 24e3, 1.15 * 24e3 } },
  -- No more than the dense peak: 22.3 GFLOP of a text at 65 TFLOP/s, 123 GFLOP of an image at 312
  ["ballpark encode --model bert-base --device T4 --tokens 128 --batch 32"] = { { "per_s", 0.2 * 2900, 2900 } },
  ["ballpark encode --model vit-l-16-224 --device A100 --batch 32"] = { { "per_s", 0.2 * 2540, 2540 } },
  ["ballpark fit llama-2-7b --on H200,MI300X --for full"] = { { "fitting", 1, 2 } },
}

-- The words of a command line with words in single quotes.
local function words_of(command)
  local words = {}
  local at = 1
  while at <= #command do
    local from, to, text = command:find("^'([^']*)'", at)
    if not from then from, to, text = command:find("^([^%s']+)", at) end
    if from then words[#words + 1] = text end
    at = (to or at) + 1
  end
  return table.move(words, 2, #words, 1, {})
end

local function asked(words, path)
  local code = cli.main(table.move({ "-f", "json", "-o", path }, 1, 4, #words + 1, words))
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return code, text
end

local function value_of(answer, name)
  for _, block in pairs(answer.facts) do
    if block.values[name] ~= nil then return block.values[name] end
  end
end

describe("the forty questions", function()
  local commands = {}
  for _, group in ipairs(groups) do
    for _, question in ipairs(group[2]) do commands[#commands + 1] = question[2] end
  end

  it("are forty", function()
    assert.equal(40, #commands)
    local seen = {}
    for _, command in ipairs(commands) do
      assert.is_nil(seen[command], command)
      seen[command] = true
    end
    for command in pairs(KNOWN) do assert.is_true(seen[command], command) end
  end)

  it("are answered, as was measured where that is known", function()
    local path = os.tmpname()
    for _, command in ipairs(commands) do
      local words = words_of(command)
      if command:find(" --emit ", 1, true) then
        table.move({ "-o", path }, 1, 2, #words + 1, words)
        assert.equal(0, cli.main(words), command)
      else
        local code, text = asked(words, path)
        assert.equal(0, code, command)
        local answer = json.decode(text)
        assert.is_truthy(next(answer.facts), command)
        for _, known in ipairs(KNOWN[command] or {}) do
          local value = value_of(answer, known[1])
          assert.is_truthy(value, command .. " lacks " .. known[1])
          assert.is_true(value >= known[2] and value <= known[3], ("%s: %s is %.4g, not in %.4g to %.4g"):format(command,
            known[1], value, known[2], known[3]))
        end
      end
    end
    os.remove(path)
  end)
end)

describe("a word of another program", function()
  it("leads to ours", function()
    for _, row in ipairs({ { "fit", "--lora", "--for" }, { "fit", "--batch-size", "--batch" },
      { "fit", "--gradient-checkpointing", "--recompute" }, { "fit", "--max-model-len", "--context" },
      { "fit", "-ngl", "--device-layers" }, { "finetune", "--vram", "--device (24GB" }, { "local", "-fa", "--no-flash" },
      { "fit", "--per_device_train_batch_size", "--batch" }, { "fit", "--quantization", "--weights" },
      { "fit", "--max-seq-len", "--context" }, { "fit", "--num-gpus", "--devices" }, { "fit", "--gpu", "--on" },
      { "fit", "--gpu-memory-utilization", "--memory-frac" }, { "fit", "--kv-cache-dtype", "--kv" },
      { "finetune", "--lora", "--method" }, { "finetune", "--per_device_train_batch_size", "--micro-batch" },
      { "finetune", "--max_seq_length", "--seq-len" }, { "finetune", "--gradient_checkpointing", "--recompute" },
      { "finetune", "--num_train_epochs", "--epochs" }, { "serve", "--context", "--max-model-len" },
      { "serve", "--tensor-parallel-size", "--tp" }, { "serve", "--max-num-seqs", "--max-running" },
      { "serve", "--num-gpus", "--gpus" }, { "local", "--n-gpu-layers", "--device-layers" },
      { "local", "--num_ctx", "--context" }, { "local", "--cache-type-k", "--kv" } }) do
      local text = errors.catch(cli.parse, { row[1], row[2], "1" })
      assert.matches("use " .. row[3], text, 1, true)
    end
  end)

  it("says what is so where there is no option of ours", function()
    for _, words in ipairs({ { "fit", "llama-3.1-8b", "-fa" }, { "fit", "llama-3.1-8b", "-fa", "1" }, { "fit", "llama-3.1-8b", "--flash-attn" } }) do
      local text = errors.catch(cli.parse, words)
      assert.matches("unknown option '" .. words[3] .. "': attention is fused", text, 1, true)
    end
    assert.equal("json", cli.parse({ "fit", "llama-3.1-8b", "-fjson" }).format) -- ours, with its value behind it
  end)

  it("keeps the number that was given", function()
    for _, row in ipairs({ { { "serve", "--gpu-memory-utilization", "0.95" }, "-D engine.memory_frac=0.95" },
      { { "fit", "--gpu-memory-utilization=0.95" }, "--memory-frac 0.95" },
      { { "fit", "--gpu-memory-utilization", "--json" }, "--memory-frac (see" } }) do
      assert.matches("use " .. row[2], errors.catch(cli.parse, row[1]), 1, true)
    end
  end)

  it("in the place of a command or topic leads to one", function()
    for word, wanted in pairs({ vram = "fit", VRAM = "fit", train = "search", lora = "finetune", vllm = "serve",
      ollama = "local", rag = "vector-search", embeddings = "encode" }) do
      assert.matches("ballpark " .. wanted, foreign.command(word), 1, true)
      assert.matches("ballpark " .. wanted, errors.catch(cli.parse, { word }), 1, true)
    end
    assert.is_nil(foreign.command("fit"))
  end)
end)
