-- Prompts by what they want: the quantity chooses between the kinds of question, and stands first in the answer.
local grammar = require("ballpark.questions.said.grammar")
local ask = require("ballpark.questions.ask.run")
local catalog = require("ballpark.catalog")
local scenario = require("ballpark.scenario")
local wanted = require("ballpark.questions.ask.wanted")
local yields = require("ballpark.questions.ask.yields")

-- The rows of the head by name.
local function head(text)
  local list = {}
  for _, item in ipairs(scenario.answer(scenario.state(nil, { command = "ask" }), "ask", { text = text }).blocks[1].items) do list[item.name] = item.value end
  return list
end

-- The kind that a prompt is read as.
local function meant(text) return (ask.understood({ text = text })).name end

local function names(text, given)
  local list = {}
  for i, row in ipairs(wanted.of(text, given or {})) do list[i] = row.name end
  return list
end

describe("what a prompt wants", function()
  it("is a list of quantities in the order of its words", function()
    assert.same({ "time", "money" }, names("how long does it take and what does it cost"))
    assert.same({ "money_month" }, names("monthly cost of running 4 A100"))
    assert.same({ "money_request" }, names("cost per 1000 requests"))
    assert.same({ "energy_each" }, names("energy per token"))
    assert.same({ "carbon" }, names("carbon emissions of the energy for it"))
    assert.same({}, names("how much does it cost in memory and nothing else"))
  end)

  it("is nothing that is given, and a judgement of a figure alone", function()
    assert.same({ "speed" }, names("how fast is it"))
    assert.same({}, names("how fast at 20 tok/s", { tokens_per_s = 20 }))
    assert.same({}, names("is that normal"))
    assert.same({ "judgement" }, names("25 tok/s, is that normal, and how long does it take", { tokens_per_s = 25 }))
  end)

  it("is yielded by some kinds, and by others not", function()
    assert.is_true(yields.of("replica", "latency"))
    assert.is_false(yields.of("fit", "money"))
    assert.is_nil(yields.of("matmul", "money"))
    assert.equal("rent", yields.kind("money_month", { device = "H100", devices = 4, model = "llama-3.1-8b" }))
    assert.is_nil(yields.kind("money_month", { device = "H100", devices = 4, model = "llama-3.1-8b", users = 100 }))
    assert.is_nil(yields.kind("money_month", { device = "H100", model = "llama-3.1-8b" }))
    assert.equal("corpus", yields.kind("time", { items = 1e6 }, { retrieval = 4 }))
    assert.is_nil(yields.kind("time", { items = 1e6 }, { batch = 4 }))
  end)
end)

describe("the kind of a prompt", function()
  it("is one that yields what is wanted from what is given", function()
    for text, kind in pairs({
      ["monthly cost of running llama 3.3 70b on 4 A100"] = "rent",
      ["monthly electricity for a 2x3090 box"] = "rent",
      ["cost per request: 3k in, 500 out, qwen 32b on h100"] = "replica",
      ["max number of users chat 8B on one A10G"] = "replica",
      ["token per second per user at 64 concurrent on 2xH100 llama 70b fp8"] = "replica",
      ["token budget for $10k with 1B model"] = "training",
      ["how large should my dataset be for a 2B model"] = "training",
      ["best batch size to train 1b on a 3090 seq 1024"] = "fit",
      ["we get 25 tok/s with vllm on a100 for 70b awq single user, normal?"] = "check",
      ["rtx 5090 vs 4090 for llms"] = "local",
    }) do
      assert.equal(kind, meant(text), text)
    end
  end)
end)

describe("the first line of an answer", function()
  it("has what is wanted, as the report says it or as it follows from device time, prices and power", function()
    for text, line in pairs({
      ["How much would it cost us per month to transcribe 5000 hours of calls w/ whisper large"] = "^[%d%.]+ USD for [%d%.]+ device%-hours of L4; ",
      ["energy per token of llama 8b on h100"] = "^[%d%.]+ J a token; ",
      ["CO2 of serving 1M requests a day on a 8B"] = "^[%d,]+ kg %([%d,]+ to [%d,]+%) of CO2 a month",
      ["cost per request: 3k in, 500 out, qwen 32b on h100"] = "^[%d%.]+ USD per thousand requests when full; ",
      ["annual cost for serving 5 req/s on llama 70b"] = "^[%d,]+ USD a year; ",
      ["what latency per token on 4xA100 for 70B bf16 batch 1"] = "^TPOT [%d%.]+ ms",
      ["minimum vram llama 4 scout q4"] = "^[%d%.]+ GiB; ",
      ["gpu hours for qlora llama 3 70b 30k examples"] = "^[%d%.]+ device%-hours; ",
      ["how much would a finetune of mistral 7b on 20k chats cost on a100"] = "^[%d%.]+ USD, ",
      ["how many A100s for dpo of 70b"] = "^on %d+ devices; ",
      ["max number of users chat 8B on one A10G"] = "^room for %d+ clients at one time; ",
      ["token per second per user at 64 concurrent on 2xH100 llama 70b fp8"] = "^[%d%.]+ tok/s for each; ",
      ["roofline: is matmul 4096x4096x4096 compute bound on an A100"] = "^bound by arithmetic %(compute%-bound%): ",
      ["monthly cost of 200 concurrent whisper streams on L4"] = "^[%d,]+ USD a month for %d x L4 all the time; ",
      ["cost to draw 1M images a day with sdxl on l4 per month"] = "^[%d,]+ USD a month; ",
      ["energy to summarise 1M documents of 2k tokens with llama 8b on 2 l4"] = "^253 W of 2 x L4 .-, [%d%.]+ kWh in all; ",
      ["carbon of finetuning llama 8b with lora on 100k examples"] = "^[%d%.]+ kg %([%d%.]+ to [%d%.]+%) of CO2, at most: ",
      ["carbon per million tokens llama 70b h100"] = "^[%d%.]+ kg %([%d%.]+ to [%d%.]+%) of CO2 per million tokens of output",
      ["how many requests/s can one L4 do with gemma 2 9b, 500 in 100 out"] = "^[%d%.]+ requests a second at most; ",
      ["size on disk of qwen3 32b q4_k_m"] = "^weights of 19%.%d GB in Q4_K_M; ",
      ["total energy bill training 13B on 1T tokens at 0.15 per kwh"] = "^%d+ MWh %(%d+ to %d+%), [%d,]+ USD %([%d,]+ to [%d,]+%) of electricity: ",
      ["is a 4060ti 16gb ok for 14b q6?"] = "^it fits: ",
      ["how much memory for adam states of a 1.5B param model in fp32"] = "^16%.8 GiB of optimizer states, ",
    }) do
      local rows = head(text)
      assert.matches(line, rows.headline, text)
      assert.is_nil(rows.unled, text)
    end
  end)

  -- 2 x 350 W of the boards with the desktop around them.
  it("has the power of desktops without a server around them", function()
    assert.matches("^2 x RTX%-3090: 880 W", head("monthly electricity for a 2x3090 box").headline)
  end)

  it("reads words of what is wanted with a slip in them", function()
    assert.matches("^[%d,]+ tok of context", head("context lenght possible with 24gb for mistral small 24b q4").headline)
    assert.matches("^[%d,]+ tok of context", head("max context for llama 3.1 8b fp16 on a 24 gig card").headline)
  end)

  it("puts an API beside one's own for the tokens of a month", function()
    local line = head("Is it cheaper to use an api at $0.30 per million tokens or self-host an 8B for 200M tokens a month?").headline
    assert.matches("^the API is cheaper: 200 million tokens a month are 60 USD ", line)
    assert.matches("^one's own is cheaper: ", head("Is it cheaper to use an api at $3 per million tokens or self-host an 8B for 9B tokens a month?").headline)
  end)

  -- 5 billion tokens of requests of 1000 and 300: 3.846 billion at 0.6 USD and 1.154 billion at 2.4 USD are 5,077 USD.
  it("reads what an API asks for prompts and for answers apart", function()
    local text = "Is it cheaper to use an API at $0.60 per million input and $2.40 per million output or to host Llama-3.3-70B for 5B tokens a month?"
    local usd = head(text).headline:match("; the API asks ([%d,]+) USD for the same$"):gsub(",", "")
    assert.near(5e3 / 1.3 * 0.6 + 5e3 * 0.3 / 1.3 * 2.4, tonumber(usd), 10)
    for _, words in ipairs({ "$0.5 input and $1.5 output per 1M tokens", "$0.5/M input, $1.5/M output", "$0.5 per million prompt tokens plus $1.5 per 1M output tokens" }) do
      local line = head("Self-host Llama 70B versus API: " .. words .. ", 800M tokens a month").headline
      usd = line:match("the API asks (%d+) USD") or line:match("a month are (%d+) USD at the API's 0%.731 USD per million %(0%.5 USD of prompts, 1%.5 USD of answers%)")
      assert.near(800 / 1.3 * 0.5 + 240 / 1.3 * 1.5, tonumber(usd), 1)
    end
  end)

  it("reads whose tokens the price of an API is of, before and behind it", function()
    for _, prices in ipairs({ "input $0.5/M, output $1.5/M", "input price $0.5/M, output price $1.5/M", "$0.5 per million prompts and $1.5 per million answers",
      "$0.5 per 1M, output $1.5", "input tokens at $0.5/M, output tokens at $1.5/M", "input $0.5 per Mtok, output $1.5 per Mtok",
      "$0.5 per 1M input tokens, $1.5 per 1M output tokens; cached input $0.1 per 1M tokens" }) do
      local f = grammar.read("llama 8b on L4, API: " .. prices .. ", 100M tokens a month", { lenient = true }).facts
      assert.same({ 0.5, 1.5 }, { f.usd_mtok_input, f.usd_mtok_output }, prices)
      assert.same({}, { f.usd_mtok, f.budget_usd_month, f.cost_usd, f.usd_h }, prices)
    end
    local alone = grammar.read("llama 8b on L4 vs API $0.5 per million input tokens, 100M tokens a month", { lenient = true })
    assert.equal(0.5, alone.facts.usd_mtok)
    assert.matches("said of prompts alone", table.concat(alone.notes, " "))
  end)

  it("says how many tokens a month devices write", function()
    assert.matches("^[%d%.]+ billion of output a month when full; ", head("How many tokens a month can 4 H100 produce with Llama-3.1-70B?").headline)
  end)

  it("says whether the devices that there are do it", function()
    assert.matches("^4 are too few: %d+ ", head("We plan 4 A10G for bge-m3 embeddings, 300 docs/s of 400 tokens. Enough?").headline)
    assert.matches("^40 are enough: %d+ ", head("We plan 40 A10G for bge-m3 embeddings, 300 docs/s of 400 tokens. Enough?").headline)
  end)

  it("judges a figure beside what is estimated or published", function()
    assert.matches("^about what is to be expected: 25 tok/s, and ", head("we get 25 tok/s with vllm on a100 for 70b awq single user, normal?").headline)
    assert.matches("^usual, in the lower half: 40 %% MFU, ", head("is 40% mfu realistic for 70b on 512 h100?").headline)
    assert.matches("^slow: 19%.%d %% MFU, ", head("we're at 450 tok/s/gpu on H100 training a 70b. good or bad?").headline)
    assert.matches("^slow: ", head("is 15% mfu realistic for 70b on 512 h100?").headline)
  end)

  it("has cards within a sum", function()
    local usd = tonumber(head("best card for 8b q4 below $300").headline:match("^within 300 USD, .-%((%d+) USD"))
    assert.is_true(usd <= 300)
    assert.matches("^none within 20 USD; ", head("best card for 8b q4 below $20").headline)
  end)

  it("names what saves most where savings are asked", function()
    assert.matches("^most is saved by ", head("we spend $80k/mo on inference for a 70b chatbot running on 40 A100s. where can we save?").headline)
  end)

  it("has the time as published runs were, where the best plan is clearly ahead of them", function()
    local text = "train 7B on 1T tokens with 256 A100"
    local answer = ask.run({ text = text })
    -- 6 N D at the median of published runs of the kind.
    local peak = 256 * catalog.device("A100").bf16_flop_s
    local share = 6 * 7e9 * 1e12 / (answer.values.published_s * peak)
    assert.is_true(share > 0.3 and share < 0.55)
    assert.is_true(answer.ranges.published_s.low < answer.values.published_s and answer.values.published_s < answer.ranges.published_s.high)
    assert.matches("; as published runs of the kind went, ", head(text).headline)
    assert.is_nil(answer.headline:find("published runs", 1, true))
  end)
end)

describe("facts of a prompt", function()
  it("are there at one time, and in bits a second, where words say so", function()
    local known = select(2, ask.understood({ text = "what latency if 200 people hit our llama 3.3 70b on 2 H100 at the same time" }))
    assert.same({ 200 }, { known.concurrency, known.users })
    assert.matches("^1%.4 s at the full bandwidth", head("time of a ring allreduce of 10GB over 8 gpus at 100 Gbit/s").headline)
    assert.equal(200, select(2, ask.understood({ text = "price of serving gemma 27b to a 200 person company" })).users)
  end)

  it("are those of a cache where one is asked about", function()
    assert.matches("^31%.5 GiB of keys and values ", head("kv cache of llama-3.1-405b at 128k context, fp8").headline)
  end)

  it("lead each of two ways that stand side by side", function()
    assert.matches("^method lora: [%d%.]+ GiB of 80 GiB; .*; method full .-: [%d%.]+ GiB of 80 GiB", head("lora vs full finetune memory for llama 8b").headline)
  end)
end)

describe("values of one fact with 'or' between them", function()
  it("stand side by side", function()
    for text, list in pairs({
      ["zero3 or zero2 for 30b on 64 a100?"] = { "ZeRO 3", "ZeRO 2" },
      ["llama 70b tp 4 or tp 8 on 8 h100 throughput"] = { "TP 4", "TP 8" },
      ["lora rank 16 vs rank 64 for llama 8b on a 4090, 10k examples"] = { "rank 16", "rank 64" },
    }) do
      local parts, said = ask.parts({ text = text })
      assert.same(list, said, text)
      assert.equal(2, #parts)
    end
  end)
end)

-- The line under a title of the head, or nil.
local function line(text, name) return head(text)[name] end

describe("the net that is said", function()
  local function facts_of(text) return grammar.read(text, { lenient = true }).facts end

  it("is so many kilograms of CO2 of a kWh", function()
    assert.near(0.4, facts_of("train 7B, our grid is 400 g CO2/kWh").grid_kg_kwh, 1e-12)
    assert.near(0.2, facts_of("16 H100 on a grid of 0.2 kg per kWh").grid_kg_kwh, 1e-12)
    assert.near(0.05, facts_of("16 H100 at 50gCO2e/kWh").grid_kg_kwh, 1e-12)
    assert.near(0.35, facts_of("16 H100, carbon intensity: 350 grams of CO2 per kWh").grid_kg_kwh, 1e-12)
    assert.near(0.4, facts_of("16 H100, 400 kg CO2 per MWh").grid_kg_kwh, 1e-12)
    assert.is_nil(facts_of("16 H100 at 0.2 USD per kWh").grid_kg_kwh)
  end)

  it("takes the place of the world's mean in every answer about CO2", function()
    local prompt = "carbon footprint of training a 7B on 1T tokens on 64 A100%s"
    local world, own = ask.run({ text = prompt:format("") }), ask.run({ text = prompt:format(", our grid is 48 g CO2/kWh") })
    assert.near(0.1, own.values.carbon_kg / world.values.carbon_kg, 1e-9) -- 48 g of the 480 of the world
    assert.same({}, own.unread)
    assert.is_truthy(line("yearly co2 of 16 H100 at 50gCO2e/kWh", "headline"):find("of a net with 0.05 kg a kWh", 1, true))
    assert.is_nil(line("carbon per million tokens of llama 70b on 4 H100, 200 g CO2 per kWh", "unread"))
  end)
end)

describe("the energy of a million tokens", function()
  it("is that of a server with many clients, and no long prompt", function()
    local said = line("how many kWh does a million tokens of llama 70b on H100 use?", "headline")
    local joule, kwh = said:match("^([%d%.]+) J a token; ([%d%.]+) kWh per million tokens")
    assert.near(tonumber(joule) * 1e6 * 1.6 * 1.1 / 3.6e6, tonumber(kwh), 0.01 * tonumber(kwh))
    assert.equal("replica", meant("how many kWh does a million tokens of llama 70b on H100 use?"))
    assert.equal("local", meant("how many kWh does a million tokens of llama 8b on my 4090 use?"))
  end)
end)
