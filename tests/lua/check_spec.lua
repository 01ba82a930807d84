-- Claims in free words, what follows from them, what they contradict; and published systems beside answers. Numbers are
-- worked out by hand.
local calls = require("ballpark.questions.comparables.calls")
local catalog = require("ballpark.catalog")
local check = require("ballpark.questions.check.run")
local errors = require("ballpark.errors")
local grammar = require("ballpark.questions.said.grammar")
local ratio = require("ballpark.questions.comparables.ratio")
local services = require("ballpark.questions.comparables.services")
local slips = require("ballpark.lints.slips")
local tables = require("ballpark.tables")
local trainings = require("ballpark.questions.comparables.trainings")

local function facts(text) return grammar.read(text).facts end

local function codes(text)
  local list = {}
  for i, item in ipairs(check.run({ text = text }).contradictions) do list[i] = item.code end
  return list
end

describe("a claim of far too few tokens", function()
  it("has an MFU that is implausibly low, as a device may do less than a token in a second", function()
    for _, tokens in ipairs({ 1e6, 1e3, 10 }) do
      local answer = check.run({ params = 7e9, tokens = tokens, device = "A100", devices = 512, time_s = 432000 })
      assert.near(6 * 7e9 * tokens / (512 * 432000 * 312e12), answer.known.mfu_frac, 1e-6 * answer.known.mfu_frac)
      assert.is_true(answer.fits)
      assert.matches("implausibly low", answer.remarks[1])
    end
    local low = check.run({ text = "7B, 512 A100, 10 % MFU" })
    assert.matches("below every published run", low.remarks[1])
  end)
end)

describe("free words", function()
  it("are sizes, tokens, devices and times", function()
    assert.same({ params = 7e9, tokens = 1e12, device = "A100-80GB-SXM", devices = 512, time_s = 432000 },
      facts("7B on 1T tokens, 512 A100, 5 days"))
    assert.same({ params = 7e9, tokens = 1e12 }, facts("Train a model of 7 B on 1 trillion tokens: how long?"))
    assert.same({ device_s = 82432 * 3600, device = "A100-80GB-SXM", cost_usd = 3e5 }, facts("82,432 A100-hours, $300k"))
    assert.same({ devices = 8, device = "RTX-4090" }, facts("8 x RTX 4090"))
    assert.same({ devices = 2, memory_bytes = 24e9 }, facts("two GPUs of 24 GB"))
  end)

  it("are speeds, lengths and rates", function()
    assert.same({ tokens_per_s = 150e3 }, facts("150k tokens/s"))
    assert.same({ tokens_per_s_device = 2344 }, facts("2344 tokens/s/GPU"))
    assert.same({ input_tokens = 1000, output_tokens = 200, rate_per_s = 50 }, facts("1000 in, 200 out, 50 QPS"))
    assert.same({ input_tokens = 1000, output_tokens = 300, weights = "fp8" }, facts("1000 in, 300 out, fp8"))
    assert.same({ params = 70e9, time_s = 432000 }, facts("70B in 5 days"))
    assert.near(1e6 / 3600, facts("1 M uploads an hour").rate_per_s, 1e-9)
    assert.same({ rate_per_s = 50e3, slo_s = 0.1, percentile = 99 }, facts("50,000 QPS, 100 ms P99"))
    assert.same({ tpot_s = 0.02, batch = 1 }, facts("batch 1, 20 ms per token"))
    assert.same({ params = 70e9, weights = "fp8" }, facts("70B in fp8"))
    assert.same({ flop_s = 5e14 }, facts("500 TFLOP/s"))
    assert.same({ flop_s_device = 4e14 }, facts("400 TFLOP/s per GPU"))
    assert.matches("in a second, or in all", errors.catch(grammar.read, "500 tflop"))
    assert.matches("devices must be a whole number", errors.catch(grammar.read, "7B on 1T tokens, 5.12 A100, 5 days"))
  end)

  it("are money, shares and growth", function()
    assert.same({ budget_usd_month = 3e5 }, facts("300,000 USD a month"))
    assert.same({ usd_h = 4 }, facts("4 USD/h"))
    assert.same({ mfu_frac = 0.4 }, facts("40 % MFU"))
    assert.same({ mfu_frac = 0.4 }, facts("MFU 40 %"))
    assert.same({ users = 1e9, growth_month_frac = 0.03, replicas = 3 }, facts("1 B users, 3 replicas, 3 % a month"))
    assert.same({ peak_ratio = 3, within_s = 600 }, facts("burst 3x, done within 10 minutes"))
  end)

  it("leave out no number", function()
    assert.matches("'5 foo'", errors.catch(grammar.read, "7B, 5 foo"))
    assert.matches("did you mean 'tokens'", errors.catch(grammar.read, "5 tokns"))
    assert.matches("did you mean 'H100'", errors.catch(grammar.read, "7B on h1000"))
    assert.matches("devices again", errors.catch(grammar.read, "4 A100 and 8 GPUs"))
    assert.matches("says nothing", errors.catch(grammar.read, " ,, "))
    assert.matches("of what", errors.catch(grammar.read, "7B, 40 %"))
  end)

  it("say what kind of question it is", function()
    assert.same({ training = 4 }, grammar.read("pretrain 7B").weights)
    assert.is_true(grammar.read("Serve recommendations at 5 QPS").weights.recommend > grammar.read("serve at 5 QPS").weights.llm)
    assert.same({}, grammar.read("7B on 8 A100").weights)
  end)
end)

describe("an estimate in prose", function()
  local prose = require("ballpark.questions.check.prose")

  local function found(text)
    local list = {}
    for _, item in ipairs(prose.lints(text)) do list[item.code] = item.message end
    return list
  end

  it("is caught at prices that nobody asks, and not at those that are asked", function()
    assert.matches("^0.30 USD/h, and the cheapest", found("We pay 0.30 USD an hour for an H100").below_price)
    assert.matches("^3,900 USD/h, and the dearest", found("An H100 costs 3,900 USD/h").above_price)
    local usual = found("An H100 costs 3.90 USD/h")
    assert.is_nil(usual.below_price or usual.above_price)
  end)

  it("has devices that are called by their memory, which is no figure of weights", function()
    assert.is_nil(found("70B has weights of 140 GB in fp16, so 2 x A100 80GB hold them").contradiction)
    assert.matches("weights of 70 GB", found("70B has weights of 70 GB in fp16, so 2 x A100 80GB hold them").contradiction)
  end)

  it("names networks in short", function()
    assert.matches("vit%-l%-16%-224", found("ViT-L needs 61 GFLOP an image").mac_for_flop)
  end)
end)

describe("an estimate that is a book", function()
  it("is refused", function()
    local prose = require("ballpark.questions.check.prose")
    assert.matches("65537 bytes, more than the 65536", (require("ballpark.errors").catch(prose.lints, ("1"):rep((64 << 10) + 1))))
  end)
end)

describe("the arithmetic of an estimate in prose", function()
  local prose = require("ballpark.questions.check.prose")

  local function found(text)
    local list = {}
    for _, item in ipairs(prose.lints(text)) do list[item.code] = item.message end
    return list
  end

  -- A sentence that is right, and what of a wrong one is said.
  local ROWS <const> = {
    { "1B users x 128 dims x 4 bytes = 512 GB", "1B users x 128 dims x 4 bytes = 512 MB", "thousands", "makes 512 GB" },
    { "time = 1.56e23 / (256 * 312e12) = 22.6 days", "time = 1.56e23 / (256 * 312e12) = 226 days", "contradiction", "22.6 of these.*off by 10" },
    { "it costs $3.90 x 730 h = $2,847 a month", "it costs $3.90 x 730 h = $28,470 a month", "contradiction", "2,847 of these" },
    { "256 * 24 * 22.6 * $2 = $277,708", "256 * 24 * 22.6 * $2 = $377,708", "contradiction", "off by 1.36" },
    { "50 fine-tunes x 6 h + 10 sweeps x 48 h + 5 RLHF x 16 h + 100 evals x 1 h = 960 GPU-hours a day",
      "50 fine-tunes x 6 h + 10 sweeps x 48 h = 960 GPU-hours a day", "contradiction", "780 of these" },
    { "2.5 + 5 + 1.25 + 0.025 TB a day = 8.775 TB", "2.5 + 5 + 1.25 TB = 8.775 MB", "millions", "off by" },
    { "time = 8.4×10²² / (512 × 312x10^12 × 0.4) = 1.31×10⁶ s", "8.4 x 10^22 / (512 x 312x10¹² x 0.4) = 1.31 x 10^{7} s", "contradiction", "off by 9.9" },
    { "6 x 7e9 x 2e12 = 8.4 x 10^22 FLOP", "6 x 7e9 * 10^3 = 8.4 x 10^13 FLOP", "contradiction", "off by 2" },
    { "70B x 2 bytes = 140 GB", "70B x 2 bytes = 140 TB", "thousands", "off by 1000" },
    { "train 13B on 2T tokens, FLOPs = 6ND = 1.56e23", "train 13B on 2T tokens, FLOPs = 6ND = 1.56e22", "contradiction", "is 1.56e%+23: off by 10" },
    { "KV cache of LLaMA-7B, batch 32 and 512 tokens: 8.59 GB", "KV cache of LLaMA-7B, batch 32 and 512 tokens: 4.3 GB", "contradiction",
      "keys and values are two" },
    { "all-reduce of the gradients of 70B over 128 GPUs at 50 GB/s takes 5.56 s", "all-reduce of the gradients of 70B over 128 GPUs at 50 GB/s "
      .. "takes 2.8 s", "contradiction", "goes round twice" },
    { "8 stages, 32 micro-batches: the bubble is 17.9 %", "8 stages, 32 micro-batches: the bubble is 21.9 %", "bubble_of_ideal", "17.9 %% of the step" },
    { "8.775 TB a day, 263 TB a month", "8.775 TB a day, 26 TB a month", "contradiction", "off by 10" },
    { "a batch of 1,024 sequences", "a batch of 4,000,000 sequences", "tokens_as_sequences", "one of so many tokens" },
    { "50 jobs x 6 h + 10 jobs x 48 h, so 30-35 runs concurrent", "50 jobs x 6 h + 10 jobs x 48 h, so 100-200 runs concurrent", "littles_law", "32.5" },
  }

  it("is worked out again", function()
    for _, row in ipairs(ROWS) do
      assert.matches(row[4], found(row[2])[row[3]] or "nothing", row[2])
      assert.is_nil(found(row[1])[row[3]], row[1])
    end
  end)

  it("is not that of training where nobody speaks of it, and a memory may be that of a card", function()
    assert.is_nil(found("LLaMA-7B with 512 tokens in fp16 on one A100, 200 tokens/s").unusual)
    assert.is_nil(found("Weights of 13B are 26 GB in bf16, which fits one 40 GB card").contradiction)
  end)
end)

describe("a claim about training", function()
  it("sees tokens as often as is said", function()
    assert.equal(1e12, check.run({ text = "7B for 2 epochs of 500B tokens, 512 A100, 10 days" }).claim.tokens)
  end)

  it("implies MFU and device-hours", function()
    local known = check.run({ text = "7B on 1T tokens, 512 A100, 5 days" }).known
    -- 6 * 7e9 * 1e12 / (512 * 432000 s * 312e12)
    assert.near(4.2e22 / (512 * 432000 * 312e12), known.mfu_frac, 1e-12)
    assert.near(61440 * 3600, known.device_s, 1e-6)
    assert.near(1e12 / (512 * 432000), known.tokens_per_s_device, 1e-6)
  end)

  it("may be an MFU alone, which stands among those of published runs", function()
    local answer = check.run({ text = "13B on 64 H100 at 55% MFU" })
    assert.near(0.55 * 989e12 / (6 * 13e9), answer.known.tokens_per_s_device, 1e-6)
    assert.equal(answer.normal.count, #answer.published)
    assert.equal(answer.normal.high, answer.published[1].mfu_frac)
    assert.equal(answer.normal.low, answer.published[#answer.published].mfu_frac)
  end)

  it("is not unusual for a little less than the one run of its kind", function()
    assert.equal("usual", trainings.verdict(0.33, { low = 0.34, high = 0.34, count = 1 }))
    assert.equal("below", trainings.verdict(0.33, { low = 0.34, high = 0.5, count = 3 }))
    assert.equal("below", trainings.verdict(0.2, { low = 0.34, high = 0.34, count = 1 }))
  end)

  it("says what it read and does not look at, and of which kind it took a speed alone", function()
    assert.same({ "3 replicas" }, check.run({ text = "7B on 1T tokens, 512 A100, 5 days, 3 replicas" }).unread)
    assert.same({}, check.run({ text = "7B on 1T tokens, 512 A100 80GB, 5 days" }).unread)
    assert.same({ "64 x H100-SXM-80GB" }, check.run({ text = "7B on 1T tokens, 512 A100 and 64 H100, 5 days" }).unread)
    assert.matches("^the speed is that of training", check.run({ text = "8B, 2 L4, 100 tokens/s" }).assumed[1])
    assert.same({}, check.run({ text = "train 8B, 2 L4, 100 tokens/s" }).assumed)
  end)

  it("is about serving where a token's time is said, and tokens are those of a prompt", function()
    local answer = check.run({ text = "TTFT of 5 ms for a 70B with 4000 token prompts on 4 H100" })
    assert.equal("serving", answer.about)
    assert.equal("above_peak", answer.contradictions[1].code) -- 2 N L over four peaks is 142 ms
    assert.near(2 * 70e9 * 4000 / (4 * 989e12), answer.known.floor_ttft_s, 1e-6)
  end)

  it("of items in a time is a rate", function()
    local answer = check.run({ text = "ResNet-50 on 2 T4, 1 M images in 1000 s" })
    assert.near(500, answer.known.rate_per_s_device or 0, 1e-9)
  end)

  it("finds MFU from a speed, against the dense peak", function()
    local known = check.run({ text = "150k tokens/s, 7B, 64 H100" }).known
    assert.near(0.0995, known.mfu_frac, 5e-5)
  end)

  it("cannot be faster than the peak, nor smaller than the weights", function()
    assert.same({ "above_peak", "no_room" }, codes("70B on 1 A100, 1T tokens, 3 days"))
    -- 4.2e22 FLOP over 624e12 a second are 2 devices' peak for 779 days; a day less than that is too fast.
    assert.same({}, codes("7B on 1T tokens, 2 A100, 780 days"))
    assert.same({ "above_peak" }, codes("7B on 1T tokens, 2 A100, 778 days"))
  end)

  it("is told by its slip where figures do not agree", function()
    assert.same({ "thousands" }, codes("7B at 17% MFU on 1T tokens, one A100, 25,000 years"))
    assert.same({}, codes("7B at 17% MFU on 1T tokens, one A100, 25 years"))
    assert.same({ "contradiction" }, codes("7B at 40% MFU on 1T tokens, 1000 A100, 20 days"))
    assert.same({}, codes("7B at 40% MFU on 1T tokens, 1000 A100, 94 hours"))
  end)

  it("cannot be far below every price", function()
    -- 61,440 device-hours for 10,000 USD are 0.16 USD each; 300,000 USD are 4.88.
    assert.same({ "below_price" }, codes("7B on 1T tokens, 512 A100, 5 days, 10k USD"))
    assert.same({}, codes("7B on 1T tokens, 512 A100, 5 days, 300k USD"))
  end)

  it("is remarked on outside of what is published", function()
    assert.matches("above every published", check.run({ text = "7B on 1T tokens, 512 A100, 5 days" }).remarks[1])
    assert.matches("below every published", check.run({ text = "150k tokens/s, 7B, 64 H100" }).remarks[1])
    assert.same({}, check.run({ text = "7B on 1T tokens, 512 A100, 7 days" }).remarks)
  end)

  it("says all that it lacks", function()
    local text = errors.catch(check.run, { text = "7B" })
    assert.matches("the device and tokens of the run, or a speed and a time and how many devices", text)
    local run = { model = "llama-3.1-8b", tokens = 1e12, device = "A100", devices = 512, time_s = 864000 }
    assert.matches("Llama%-3.1%-8B has 8.03 billion parameters, and 70 billion are said: give one",
      errors.catch(check.run, tables.with(run, { params = 70e9 })))
    assert.matches("has 12.9 billion active parameters, and 47 billion are said",
      errors.catch(check.run, tables.with(run, { model = "mixtral-8x7b", active_params = 47e9 })))
    assert.equal("Llama-3.1-8B", check.run(tables.with(run, { params = 8e9 })).subject.name)
    assert.matches("tokens_per_s: must be above 0", errors.catch(check.run, { tokens_per_s = -1, params = 1e9 }))
  end)
end)

describe("a claim about serving", function()
  it("cannot be faster than the weights are read", function()
    -- 70e9 bytes over 4 * 3.35e12 bytes/s: 5.224 ms.
    local answer = check.run({ text = "70B in fp8 on 4 H100, batch 1, 5 ms per token" })
    assert.near(70e9 / (4 * catalog.device("H100").mem_bw_bytes_s), answer.known.floor_token_s, 1e-12)
    assert.equal("above_bandwidth", answer.contradictions[1].code)
    assert.same({}, codes("70B in fp8 on 4 H100, batch 1, 6 ms per token"))
  end)

  it("has the tokens that a published model was trained on where none are said, by its time or its money", function()
    local hours = check.run({ text = "DeepSeek V3 took 2.788M H800 hours" })
    assert.near(14.8e12, hours.claim.tokens, 1)
    assert.matches("what it was trained on", table.concat(hours.assumed, "; "), 1, true)
    local money = check.run({ text = "DeepSeek V3 cost 5.6M USD to train on H800 at 2 USD per hour" })
    assert.near(2.8e6 * 3600, money.known.device_s, 1)
  end)

  it("is heard in any word for it", function()
    for _, word in ipairs({ "served", "serving", "hosted", "generates", "decoding", "inference", "on vLLM", "with SGLang" }) do
      local answer = check.run({ text = ("8B %s on 1 H100 at 30000 tokens/s"):format(word) })
      assert.equal("serving", answer.about)
      assert.same({}, answer.contradictions)
    end
    assert.equal("training", check.run({ text = "8B on 1 H100 at 10000 tokens/s" }).about)
    assert.equal("training", check.run({ text = "8B trained on 8 H100 at 300000 tokens/s" }).about)
    -- 6 N FLOP a token are more than the peak, 2 N are not; a price of tokens is a service's.
    assert.equal("serving", check.run({ text = "8B on 8 H100 at 300000 tokens/s" }).about)
    assert.equal("serving", check.run({ text = "llama 8b on L4 costs 0.10 USD per million tokens" }).about)
  end)

  it("cannot take more than the peak, nor weights that do not fit", function()
    -- 50 * 1200 tokens/s * 16e9 FLOP over 2 * 121e12.
    assert.same({ "above_peak" }, codes("8B, 1000 in, 200 out, 50 QPS on 2 L4"))
    assert.same({}, codes("8B, 1000 in, 200 out, 10 QPS on 2 L4"))
    assert.same({ "no_room" }, codes("70B on one H100, 1000 in, 200 out, 0.1 QPS"))
    assert.same({}, codes("70B in fp8 on one H100, 1000 in, 200 out, 0.1 QPS"))
  end)

  it("has weights in the format of a file, or as they are published", function()
    -- 40.4 GiB: 70 B parameters in the mix of Q4_K_M, 4.9 bits each; 24 GiB a card.
    for _, text in ipairs({ "70B Q4 at 20 tok/s on two 3090s", "Llama-3.1-70B-AWQ at 15 tok/s on 2 RTX 3090",
      "70B nf4 on 2 RTX 3090 at 10 tokens/s", "gpt-oss-120b serving on 1 H100 at 150 tokens/s",
      "deepseek-v3 serving on 8 H200 at 1500 tokens/s", "kimi-k2 serving on 16 H100", "gpt-oss-120b on 1 H100 at 150 tokens/s" }) do
      local answer = check.run({ text = text })
      assert.equal("serving", answer.about, text)
      assert.same({}, answer.contradictions, text)
    end
    assert.near(4.9 / 8 * 70e9, check.run({ text = "70B Q4 at 20 tok/s on two 3090s" }).known.weights_bytes, 1.5e9)
    assert.same({ "no_room" }, codes("70B Q8 at 10 tok/s on two 3090s"))
    -- 61 GiB are published (12.8 + 2 x 25.5 GB in bf16 and mxfp4 beside it).
    assert.near(65e9, check.run({ text = "gpt-oss-120b serving on 1 H100" }).known.weights_bytes, 2e9)
  end)

  it("may have sequences in the mean that are no whole number", function()
    assert.same({}, codes("8B serving on 1 H100 at 3000 tokens/s, 8-16 concurrent users"))
    assert.same({ "above_bandwidth" }, codes("8B serving on 1 H100 at 3000 tokens/s, 4-8 concurrent users"))
    for _, load in ipairs({ "8-16 concurrent users", "concurrency 8.5", "mean batch 12.5" }) do
      assert.equal("above_bandwidth", check.run({ text = "70B serving on 1 H200 at 3000 tokens/s, " .. load }).contradictions[1].code)
    end
  end)

  it("sells no more tokens than the devices compute", function()
    assert.same({ "above_peak" }, codes("serving 8B on one L4 costs 0.002 USD per million tokens"))
    assert.same({}, codes("serving 8B on one L4 costs 0.2 USD per million tokens"))
  end)

  it("hears the speed of what is written", function()
    assert.same({ "above_peak" }, codes("70B fp8 on 4 H100 at 250000 output tokens per second"))
    assert.equal(2500, check.run({ text = "70B fp8 served on 4 H100 at 2500 output tok/s" }).claim.tokens_per_s)
  end)

  it("is no claim about fine-tuning", function()
    assert.matches("checks no training of adapters", errors.catch(check.run, { text = "fine-tuned 7B LoRA on a 4090 with 10k "
      .. "examples of 500 tokens in 20 minutes" }))
    local full = check.run({ text = "full fine-tune of 7B on 8 H100 with 10k examples of 500 tokens in 20 minutes" })
    assert.equal("training", full.about)
    assert.equal(10000 * 500, full.claim.tokens)
  end)

  it("counts encoders by their arithmetic", function()
    local answer = check.run({ text = "vit-l 1200 img/s on an A100" })
    assert.equal("calls", answer.about)
    assert.near(1200 * 123e9 / 312e12, answer.known.peak_frac, 5e-3)
    assert.same({ "above_peak" }, codes("vit-l 3000 img/s on an A100"))
  end)
end)

describe("a claim beside an estimate", function()
  it("is of one sequence where it is a file on one's own machine, or one user", function()
    -- 42.5 GB over 400 GB/s are 0.1 s a token.
    assert.same({ "above_bandwidth" }, codes("Llama 3.1 70B Q4_K_M, 30 tok/s, M2 Max, one user"))
    assert.same({ "above_bandwidth" }, codes("Qwen2.5 32B Q4_K_M at 60 tok/s on an RTX 4090"))
    local near = check.run({ text = "Qwen2.5 32B Q4_K_M at 42 tok/s on an RTX 4090" })
    assert.same({}, near.remarks)
    assert.near(42, near.known.estimated_per_s, 5)
    assert.matches("80 %% range", check.run({ text = "gpt-oss-120b at 900 tok/s per user on one H100" }).remarks[1])
  end)

  it("of a file is what one's own machine is said to do, of a size as of a model", function()
    local ask = require("ballpark.questions.ask.run")
    local own = require("ballpark.questions.local_inference.run")
    for _, what in ipairs({ "32B q4 on a 3090", "70B Q4_K_M on two 3090s", "70B Q4_K_M on a 4090", "13B Q5_K_M on a 3090",
      "8B Q8 on a 4090", "30B with 3B active Q4_K_M on a 3090", "qwen3-32b q4_k_m on a 3090", "22B Q6_K on a 7900 XTX",
      "14B q4 on an M3 Max 64GB", "32B gguf on a 3090", "32B on ollama on a 3090", "llama-3.1-8b with llama.cpp on a 3090",
      "8B awq on a 4090" }) do
      local kind, input = ask.handed_over({ text = "how fast is " .. what })
      assert.equal("local_inference", kind, what)
      local known = check.run({ text = "20 tok/s with " .. what }).known
      assert.near(own.run(input).out.tokens_per_s, known.estimated_per_s, 1e-6 * known.estimated_per_s, what)
    end
    assert.same({}, check.run({ text = "25 tok/s with a 32B q4 on a 3090" }).remarks)
    assert.same({}, codes("25 tok/s with a 32B gguf on a 3090"))
    -- What says its format is taken by its word, and what is published in few bits as published.
    assert.equal("bf16 with experts in mxfp4", check.run({ text = "gpt-oss-20b on ollama at 90 tok/s on a 4090" }).known.format)
    assert.same({ "no_room" }, codes("25 tok/s with a 32B in bf16 on a 3090"))
  end)

  it("takes no longer for a million sequences, of which no replica runs so many", function()
    local function estimated(count)
      return check.run({ text = "llama-3.1-8b on H100, tpot 20 ms", batch = count }).known.estimated_per_s
    end
    local before = os.clock()
    local some = estimated(8192)
    local after = os.clock()
    assert.equal(some, estimated(1000000))
    assert.is_true(os.clock() - after < 5 * (after - before))
  end)

  it("counts users at one time, each of whom sees the speed", function()
    local known = check.run({ text = "DeepSeek-V3 at 20 tok/s per user on 8 H200, 100 users" }).known
    assert.near(2000, known.output_per_s, 1e-6)
    assert.equal(100, known.sequences)
  end)

  it("is of one call of an encoder where a time is said", function()
    local known = check.run({ text = "BERT-large inference takes 2 ms on T4 with 128 tokens" }).known
    assert.near(0.002, known.call_s, 1e-12)
    assert.same({ "above_peak" }, codes("BERT-large inference takes 0.1 ms on T4 with 128 tokens"))
    assert.same({ "above_peak" }, codes("bge-large embeds 10000 documents of 512 tokens per second on one L4"))
  end)

  it("is not contradicted by what nobody said", function()
    assert.same({}, codes("$0.10 per million tokens for Llama 3.3 70B on H100 at $2/hour, 1k in, 1k out"))
    assert.same({ "no_room" }, codes("Llama 3.3 70B in bf16 on one H100"))
    -- Users at one time have keys and values beside the weights: 320 KiB a token of a 70B, of 510 GiB.
    assert.same({ "no_room" }, codes("Serve 70B for 10k concurrent users on 8 H100"))
    assert.same({ "no_room" }, codes("Llama 3.1 70B, 2000 in 500 out, 300 concurrent users on 4 H100"))
    assert.same({}, codes("Llama 3.1 70B, 2000 in 500 out, 250 concurrent users on 4 H100"))
    assert.same({}, codes("Serve 70B for 1000 concurrent users on 8 H100"))
    assert.same({ "above_bandwidth" }, codes("Llama 3.1 8B generates 2000 tokens per second for a single user on H100"))
  end)

  it("is refused where nothing of it is looked at", function()
    assert.matches("1m users", errors.catch(check.run, { text = "Serving 1M users of a 70B with 4 A100" }))
  end)

  it("needs no devices where device-hours or money at a price are said", function()
    local llama = check.run({ text = "Llama 2 70B was trained in 1.72M A100 GPU hours on 2T tokens" }).known
    assert.near(6 * 69e9 * 2e12 / (1.72e6 * 3600 * 312e12), llama.mfu_frac, 0.01)
    local money = check.run({ text = "Training 13B on 1T tokens costs 50,000 dollars on H100 at 2 dollars per hour" }).known
    assert.near(25000 * 3600, money.device_s, 1)
    assert.near(0.341, check.run({ text = "GPT-4 1.8T MoE with 280B active, 13T tokens, 25000 A100, 95 days" }).known.mfu_frac, 0.001)
  end)
end)

describe("published systems", function()
  it("are counted alike", function()
    local row = trainings.all()[1]
    assert.near(6 * 6.738e9 * 1e12 / (82432 * 3600) / 312e12, row.mfu_frac, 1e-9)
    local normal = trainings.normal(false)
    assert.is_true(normal.low < normal.median and normal.median < normal.high and normal.high < 0.6)
  end)

  it("are the nearest by size, device and kind", function()
    local function near(changes)
      local own = { params = 7e9, active = 7e9, peak_flop_s = 312e12, flop_s_device = 136e12 }
      for key, value in pairs(changes or {}) do own[key] = value end
      return trainings.nearest(own)
    end
    assert.equal("LLaMA-7B", near().name)
    assert.near(1, near().ratio, 0.01)
    assert.matches("Llama%-3.1%-405B,", near({ params = 400e9, active = 400e9, peak_flop_s = 989e12 }).name)
    -- The same share of the peak on another device is the same.
    assert.near(near().ratio, near({ peak_flop_s = 2 * 312e12, flop_s_device = 2 * 136e12 }).ratio, 1e-9)
    assert.equal("DeepSeek-V3", near({ params = 600e9, active = 30e9, peak_flop_s = 989e12 }).name)
    assert.is_nil(near({ params = 1e7, active = 1e7 }))
  end)

  it("have devices and models of the catalog", function()
    for _, row in ipairs(require("ballpark.catalog.published_calls")) do
      assert.is_truthy(catalog.device(row.device).bf16_flop_s, row.device)
      assert.is_truthy(row.source and row.date, row.model)
    end
    local vit = calls.nearest({ spread = "vision", item_flop = 35e9, device = catalog.device("Inferentia2"),
      per_s_device = 1955 })
    assert.matches("vit%-b%-16", vit.text)
    assert.near(1, vit.ratio, 0.02)
  end)

  it("are listed in the catalog, each with source and date", function()
    local names = catalog.list("comparables")
    assert.is_true(#names > 40)
    for _, name in ipairs(names) do
      local row = catalog.comparable(name)
      assert.is_truthy(row.source and row.date and row.figure, name)
      assert.is_truthy(row.kind == "storage" or catalog.device(row.device), name)
    end
    assert.matches("not one of", errors.catch(catalog.comparable, "nothing"))
  end)

  it("of services are compared by tokens of a device", function()
    local near = services.nearest({ model = catalog.model("llama-3.1-8b"), device = catalog.device("H200"),
      input_tokens = 1000, output_tokens = 1000, weight_bytes = 1, tok_s_device = 2 * 17537.96 })
    assert.near(1, near.ratio, 1e-9)
    assert.equal("2025-02", near.date)
  end)

  it("of services are the nearest by all tokens, lengths at half the weight of the model's size", function()
    local function near(model, device, input, output, bytes)
      return services.nearest({ model = catalog.model(model), device = catalog.device(device), input_tokens = input,
        output_tokens = output, weight_bytes = bytes, tok_s_device = 1000 })
    end
    local wide = near("llama-3.1-405b", "B200", 2048, 128, 0.5625)
    assert.matches("405B nvfp4 on 4 x B200", wide.text)
    assert.near(1000 / (693.55 / 4 * (2048 + 128) / 128), wide.ratio, 1e-9)
    assert.equal("2025-06", wide.date)
    -- Prompts of twice the length of the published ones; the model that stands there is nearer than another of its lengths.
    assert.matches("^Llama%-3.1%-8B bf16 on 1 x A100", near("llama-3.1-8b", "A100-80GB", 10000, 1000, 2).text)
    assert.is_nil(near("llama-3.1-405b", "T4", 1000, 1000, 2))
  end)

  it("are noted at three times and doubted at ten", function()
    assert.equal("usual", ratio.verdict(2.9))
    assert.equal("notable", ratio.verdict(1 / 3.1))
    assert.equal("suspect", ratio.verdict(10.5))
  end)
end)

describe("slips of units", function()
  it("are told by factor and unit", function()
    assert.equal("years_for_days", slips.of(365, 1, "s").code)
    assert.equal("per_minute_for_per_second", slips.of(0.35, 500 / 86400, "1/s").code)
    assert.equal("mac_for_flop", slips.of(61.6e9, 123.2e9, "FLOP").code)
    assert.equal("sparse_for_dense", slips.of(1979e12, 989e12, "FLOP/s").code)
    assert.equal("both_directions", slips.of(900e9, 450e9, "B/s").code)
    assert.equal("bits_for_bytes", slips.of(400e9, 50e9, "B/s").code)
    assert.is_nil(slips.of(3, 2, "s"))
    assert.is_nil(slips.of(2, 1, "s"))
    assert.is_nil(slips.of(0, 1, "s"))
  end)
end)

describe("published fine-tuning", function()
  local finetunes = require("ballpark.questions.comparables.finetunes")

  local function near(changes)
    local own = { method = "qlora", params = 7.72e9, devices = 1, seq_len = 4096, peak_flop_s = 312e12, tok_s_device = 8 * 4096 / 11.6 }
    for name, value in pairs(changes or {}) do own[name] = value end
    return finetunes.nearest(own)
  end

  it("stands beside fine-tuning by the same method, of about its size, length and device", function()
    assert.near(1, near().ratio, 1e-9)
    assert.near(2, near({ tok_s_device = 16 * 4096 / 11.6 }).ratio, 1e-9)
    assert.matches("^Qwen%-7B, qlora on 1 x A100", near().text)
    assert.matches("^Llama%-3.2%-3B, full", near({ method = "full", params = 3e9 }).text)
    assert.matches("^Qwen%-72B, qlora", near({ params = 70e9 }).text)
    assert.is_nil(near({ method = "ia3" }))
    assert.is_nil(near({ seq_len = 60 }))
  end)
end)

describe("a claimed speed of arithmetic", function()
  it("is the share of the peak that it says, of each device or of all", function()
    local function mfu(text)
      return check.run({ text = text }).known.mfu_frac
    end
    assert.near(500 / 989.5, mfu("7B on 64 H100 at 500 TFLOP/s"), 2e-3)
    assert.near(400 / 989.5, mfu("7B on 64 H100 at 25.6 PFLOP/s"), 2e-3)
    assert.is_true(#check.run({ text = "7B on 64 H100 at 1500 teraflops per GPU" }).contradictions > 0)
    assert.same({}, check.run({ text = "7B on 64 H100 at 500 TFLOP/s" }).contradictions)
  end)
end)

describe("published stores of vectors", function()
  local measured = require("ballpark.questions.comparables.measured")

  it("are estimated beside what was measured of an index of the same kind", function()
    -- 128 bytes and 4 (2 x 16 + 16 / 15) of links a vector.
    assert.near(200e6 * (128 + 4 * (32 + 16 / 15)) / 64e9, measured.nearest_store("hnsw", 1e9).ratio, 1e-9)
    assert.matches("64 bytes", measured.nearest_store("ivf_pq", 40e9).text)
    assert.matches("32 bytes", measured.nearest_store("ivf_pq", 1e9).text)
    assert.is_nil(measured.nearest_store("flat", 1e9))
  end)
end)

describe("figures of a claim that are said twice", function()
  it("are device time at a price, and the cost", function()
    -- 512 x 8 x 24 h x 1.5 USD = 147,456 USD.
    assert.same({ "contradiction" }, codes("7B on 1T tokens, 512 A100, 8 days, $1.5 per hour, total $50k"))
    assert.same({}, codes("7B on 1T tokens, 512 A100, 8 days, $1.5 per hour, total $147k"))
    assert.same({ "contradiction" }, codes("7B on 1T tokens, 98304 A100-hours, total $1.5M, $1.5 per hour"))
    -- Twice that may have other things in it.
    local more = check.run({ text = "7B on 1T tokens, 512 A100, 8 days, $1.5 per hour, total $300k" })
    assert.same({}, more.contradictions)
    assert.matches("2.03 times device time", table.concat(more.remarks, "; "))
    assert.same({}, codes("7B on 1T tokens, 512 A100, 8 days, total $147k"))
  end)

  it("are a speed, and what the requests write", function()
    local of = "70B fp8 serving on 4 H100, %s, 10 requests/s of 1000 in and 500 out"
    assert.same({ "contradiction" }, codes(of:format("2000 tokens/s"))) -- 10 x 500
    assert.same({}, codes(of:format("5000 tokens/s")))
    assert.same({}, codes(of:format("15000 tokens/s"))) -- prompts, too
    assert.same({ "contradiction" }, codes(of:format("500 tokens/s/GPU")))
    assert.equal(0, #check.run({ text = of:format("15000 tokens/s") }).remarks)
    assert.equal(1, #check.run({ text = of:format("50000 tokens/s") }).remarks)
  end)

  it("are the price of a million tokens, and of the devices that write them", function()
    local of = "70B fp8 serving on 4 H100, 2000 tokens/s, $%s per million tokens%s"
    assert.same({ "below_price" }, codes(of:format("0.0001", "")))
    assert.same({ "above_price" }, codes(of:format("100", "")))
    assert.same({}, codes(of:format("2", "")))
    -- 4 x 4 USD/h over 7.2 million tokens are 2.22 USD.
    assert.same({}, codes(of:format("2.22", ", 4 USD/h")))
    assert.same({ "contradiction" }, codes(of:format("0.5", ", 4 USD/h")))
    assert.same({ "contradiction" }, codes(of:format("100", ", 4 USD/h")))
    assert.matches("2.25 times what the devices cost", table.concat(check.run({ text = of:format("5", ", 4 USD/h") }).remarks, "; "))
    assert.same({}, check.run({ text = of:format("2", "") }).unread)
    assert.equal(2, check.run({ text = of:format("2", "") }).known.usd_mtok)
  end)

  it("are those of the device that is named behind per", function()
    local said = facts("our 7B model trains at 4000 tokens/s per H100")
    assert.same({ "H100-SXM-80GB", 4000 }, { said.device, said.tokens_per_s_device })
    assert.equal("A100-40GB-SXM", facts("7B, 3000 tokens/s per A100 40GB").device)
    local labelled = facts("params: 7B, tokens: 1T, gpus: 512 A100, time: 10 days")
    assert.same({ 7e9, 1e12, 512, 864000 }, { labelled.params, labelled.tokens, labelled.devices, labelled.time_s })
    assert.same({ "3 x" }, check.run({ text = "7B on 1T tokens, 512 A100, 10 days, peak 3x" }).unread)
  end)

  it("are a speed, and the sequences that the memory has room for", function()
    -- 2 x 32 layers x 8 heads x 128 x 2 B = 131,072 B of keys and values a token.
    local known = check.run({ text = "Mistral 7B does 3000 tok/s on one L4" }).known
    assert.near((known.memory_bytes - known.weights_bytes) / 131072 / known.least_together, known.room_tok, 1e-6)
    local of = "Mistral 7B writes 600 tok/s on one L4, %d input and %d output tokens"
    assert.matches("room for", table.concat(check.run({ text = of:format(100, 8000) }).remarks, "; "))
    assert.same({}, check.run({ text = of:format(100, 300) }).remarks)
  end)

  it("are images a second, and what is estimated at the best batch", function()
    local of = "ResNet-50 inference at %d images/s on a V100"
    assert.matches("times the estimate", table.concat(check.run({ text = of:format(10000) }).remarks, "; "))
    assert.same({}, check.run({ text = of:format(5000) }).remarks)
  end)

  it("are tokens that are written in a time", function()
    local said = check.run({ text = "8B on 8 H100 generates 1B tokens in 5 hours" })
    assert.equal("serving", said.about)
    assert.near(1e9 / 18000, said.known.output_per_s, 1e-6)
  end)

  it("are of formats that there are, and of peaks that the device has", function()
    local text = "7B on 1T tokens, 512 H100, 5 days"
    for _, word in ipairs({ "xyz", "nan" }) do
      assert.matches("'" .. word .. "' is not one of", errors.catch(check.run, { text = text, weights = word }))
    end
    for format, precision in pairs({ fp8 = "fp8", fp4 = "bf16", Q4_K_M = "bf16" }) do
      assert.equal(precision, check.run({ text = text, weights = format }).known.precision)
    end
  end)
end)
