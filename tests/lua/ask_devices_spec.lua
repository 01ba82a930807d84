-- Prompts about which devices hold a model, how many of them, and two setups beside each other.
local ask = require("ballpark.questions.ask.run")
local catalog = require("ballpark.catalog")
local price_terms = require("ballpark.catalog.price_terms")
local prices = require("ballpark.catalog.prices")
local facts = require("ballpark.questions.ask.facts")
local scenario = require("ballpark.scenario")
local units = require("ballpark.units")
local several = require("ballpark.questions.ask.several")
local which = require("ballpark.questions.ask.which")

-- The question that a prompt is handed to, its input, and what was read.
local function handed(text)
  return ask.handed_over({ text = text })
end

-- What is given by the words of a prompt, and its kind.
local function given(text)
  local kind, said, unread = ask.understood({ text = text })
  return said, kind.name, unread
end

-- The first line of the answer.
local function answered(text)
  return scenario.answer(scenario.state(nil, { command = "ask" }), "ask", { text = text }).blocks[1].items[1].value
end

describe("a prompt about machines of several devices", function()
  it("has eight of a device that data centres have, one of a card", function()
    for _, text in ipairs({ "deepseek r1 fp8 on one h200 node how many tok/s total at 128 concurrent", "llama 70b on an H200 server, tokens per second",
      "deepseek v3 on 1 H200 box tok/s" }) do
      assert.equal(8, given(text).devices, text)
    end
    assert.equal(1, given("llama 8b on a 4090 server, tok/s").devices)
    assert.equal(16, given("llama 405b on 2 H100 nodes, tok/s").devices)
  end)

  it("has those of each where it is asked how many machines", function()
    local text = "We have 3 L40S per server, 50 req/s with an 8B model, 3000 token input 150 output"
    local said = given(text .. ". How many servers?")
    assert.same({ "L40S", nil }, { said.device, said.devices })
    assert.equal(3, given(text).devices)
    assert.equal(64, given("We have 4 A100 per node and 16 nodes, pretrain 7B on 1T tokens").devices)
  end)

  it("has devices before a comma and a time", function()
    assert.equal(4, given("DPO on mistral 7b with 60k pairs on 4 A100, hours?").devices)
    assert.equal(2 * 3600, given("train 1B on 2 A100-hours").device_s)
  end)
end)

describe("a prompt about training on a card", function()
  it("of one's own has one where its number is not said, and none of a cluster", function()
    for _, text in ipairs({ "train a 350M model on 8B tokens on my RTX 3090", "train a 350M model on 8B tokens on the 4090 in my desktop",
      "train a 350M model on 8B tokens using my 4090 at home", "pretrain 1B on 20B tokens on my RTX 4090, how long" }) do
      assert.equal(1, given(text).devices, text)
    end
    for _, text in ipairs({ "train a 350M model on 8B tokens on my RTX 3090s", "train a 7B model on 140B tokens on my H100 cluster",
      "train a 350M model on 8B tokens on RTX 3090" }) do
      assert.is_nil(given(text).devices, text)
    end
    assert.equal(2, given("train a 350M model on 8B tokens on my 2 RTX 3090").devices)
  end)

  it("takes the fewest that keep the time, below a node, too", function()
    local function devices(text) return ask.run({ text = text }).values.devices end
    for _, text in ipairs({ "train a 350M model on 8B tokens on RTX 3090 in 30 days, how many cards?", "train a 350M model on 8B tokens on H100",
      "pretrain 350M on 8B tokens on A100 in a month" }) do
      assert.equal(1, devices(text), text)
    end
    -- One takes 5.1 days and more, two half of it.
    local two = ask.run({ text = "train a 350M model on 8B tokens on RTX 3090 in 4 days, how many cards?" }).values
    assert.is_true(two.devices == 2 and two.run_s <= 4 * 86400)
    local of_one = ask.run({ text = "train a 350M model on 8B tokens on 1 RTX 3090" }).values
    assert.is_true(of_one.run_s > 4 * 86400)
  end)

  it("is one question with the clause that says on what it runs", function()
    for _, text in ipairs({ "train a 350M model on 8B tokens and I only have a single RTX 3090 at home",
      "train a 350M model on 8B tokens; I have one RTX 4090 at home", "LoRA of an 8B on 10k examples of 500 tokens and I have one RTX 4090 at home" }) do
      assert.is_nil(several.of(text), text)
      assert.equal(1, given(text).devices, text)
    end
    for _, text in ipairs({ "train a 350M model on 8B tokens, and how fast does an 8B run on my RTX 4090",
      "serve a 70B to 100 users, and train an 8B on 200B tokens on 64 H100" }) do
      assert.equal(2, #several.of(text), text)
    end
  end)
end)

describe("a prompt about devices", function()
  it("is two setups of one's own cards beside each other, each with its number", function()
    local parts, names = ask.parts({ text = "dual 3090 vs single 4090 for 70b inference" })
    assert.same({ "2 x RTX-3090", "1 x RTX-4090" }, names)
    for i, part in ipairs(parts) do
      assert.same({ "local", 3 - i }, { part.kind, part.facts.devices })
      assert.is_nil(part.facts.other)
    end
  end)

  it("that asks which one and names none is answered with the cheapest fleet of those that are rented", function()
    local text = " to serve llama 3.1 8B to 100 users"
    local answer = ask.run({ text = "cheapest GPU" .. text })
    local month = answer.values.cost_usd_month
    local costs = {}
    for _, name in ipairs(which.RENTED) do
      costs[name] = ask.run({ kind = "llm", facts = { model = "Llama-3.1-8B", users = 100, device = name } }).values.cost_usd_month
      assert.is_true(month <= costs[name], name)
    end
    assert.equal(costs[answer.known.device], month)
    assert.is_true(month < costs.H100)
    assert.is_true(table.concat(answer.assumed, " "):find(which.LISTED, 1, true) ~= nil)
    assert.same({}, answer.unread)
    -- A device that is named stays, and a price that is said is that of one device.
    local _, named = ask.understood({ text = "cheapest GPU plan on H100" .. text })
    assert.same({ "H100-SXM-80GB" }, { named.device, named.which })
    local _, priced, unread = ask.understood({ text = "cheapest GPU at 2 USD/h" .. text })
    assert.is_nil(priced.which)
    assert.same({ "cheapest gpu" }, unread)
  end)

  it("that asks which one of a batch job has the rented ones to choose from", function()
    local question, input = handed("cheapest GPU to summarise 1M documents with llama 3.1 8B")
    assert.same({ "batch_job", which.RENTED }, { question, input.devices })
    local _, named = handed("summarise 1M documents with llama 3.1 8B on L4")
    assert.same({ "L4" }, named.devices)
  end)

  it("that asks which one of a training run has a page of the best and a line of each", function()
    local parts, names = ask.parts({ text = "which GPU to train a 7B on 200B tokens, 64 gpus" })
    assert.same(which.RENTED, names)
    for i, part in ipairs(parts) do assert.same({ "training", names[i], 64 }, { part.kind, part.facts.device, part.facts.devices }) end
    -- Stages are of one device.
    assert.same({ "which gpu" }, ask.run({ text = "which GPU to train a 7B on 200B tokens, 64 gpus; then 100B tokens" }).unread)
  end)

  it("that asks which one of a fine-tuning has the run on each rented one, on as many as hold it", function()
    for _, text in ipairs({ "which GPU to fine-tune llama 3 8b with qlora", "fine-tune llama 3 8b, which gpu?",
      "cheapest GPU to fine-tune llama 3.1 8B with LoRA on 10k samples" }) do
      local question, input, prompt = handed(text)
      assert.same({ "finetune", #which.RENTED }, { question, #input.space.system.device }, text)
      assert.same({}, prompt.unread)
    end
    local _, large = handed("which GPU to fine-tune llama 3 70b with lora")
    assert.is_nil(large.cluster.devices)
    assert.same({ "8x L4", "3x H100", "1x MI300X" }, { large.space.system.device[1], large.space.system.device[4], large.space.system.device[7] })
    local _, two = handed("which GPU to fine-tune llama 3 70b with lora, 2 GPUs")
    assert.equal("2x L4", two.space.system.device[1])
    -- Whose memory is asked about stays a question of memory; those that are named are compared.
    assert.equal("fit", (handed("which gpu has enough memory to fine-tune llama 3 8b with qlora")))
    local _, named = handed("fine-tune llama 3 8b with qlora on RTX 4090 or A100 or H100, 52k examples")
    assert.equal(3, #named.space.system.device)
  end)

  it("that asks which one keeps to the devices that there are, and says where none meets the SLO", function()
    local few = ask.run({ text = "cheapest GPU to serve llama 3.1 8B at 2 requests per second, 2 GPUs" })
    assert.same({ true, true }, { few.fits, few.values.devices <= 2 })
    local none = ask.run({ text = "cheapest GPU to serve llama 3.1 405B to 100 users, TPOT 0.1 ms" })
    assert.is_false(none.fits)
    assert.is_true(none.known:entry("device").why:find("no fleet of " .. which.LISTED, 1, true) ~= nil)
  end)

  it("has only devices to choose from that have a rent", function()
    for _, name in ipairs(which.RENTED) do assert.is_true(prices.get(catalog.device(name).name) > 0, name) end
  end)

  it("is cards of which the number and the memory are said", function()
    for _, text in ipairs({ "QLoRA 70B on 2x24GB?", "QLoRA 70B on 2 x 24GB", "QLoRA 70B on two 24 GB cards" }) do
      local question, input = handed(text)
      assert.same({ "finetune", 2, "RTX-4090" }, { question, input.cluster.devices, input.cluster.device }, text)
    end
    local _, input = handed("can I run 70b on 2x24GB")
    assert.same({ 2, "RTX-4090" }, { input.devices, input.on })
    -- Modules of a host's memory are no cards.
    local _, host = handed("pc with 2x16GB RAM, llama 3.1 8b")
    assert.is_nil(host.devices)
  end)

  it("has a computer with so much memory, whatever is asked of it", function()
    for _, text in ipairs({ "LoRA fine-tune Mistral 7B on a MacBook Pro M3 Max with 64GB, 1000 samples", "how fast is Mistral 7B on an M3 Max with 64GB" }) do
      local _, input = handed(text)
      local device = catalog.device((input.cluster or input).device)
      assert.equal(64 << 30, device.memory_bytes, text)
    end
    -- A memory alone is that of a card that people have.
    local _, input = handed("Is 16GB of VRAM enough to run Mistral Small 24B Q4_K_M with 8k context?")
    assert.equal("RTX-4060-Ti-16GB", input.on)
  end)

  it("that asks which quant is answered with those side by side, first the one of most bits that has room", function()
    for text, first in pairs({ ["which quant of Llama 3.3 70B fits on a Mac Studio M2 Max with 96GB and how many tokens per second"] = "Q6_K",
      ["best quant of Gemma 2 27B for an RTX 3090?"] = "Q5_K_M" }) do
      local question, input = handed(text)
      assert.equal("local_inference", question, text)
      assert.equal(first, input.format[1], text)
      assert.equal(6, #input.format)
    end
    local _, said = handed("how fast is a Q4_K_M quant of Gemma 2 27B on an RTX 3090?")
    assert.equal("q4_k_m", said.format)
  end)

  it("is about one's own machine where its engine serves nobody else", function()
    local question, input = handed("How many tokens/s does a 2x RTX 3090 box give with Llama 70B exl2 4.0bpw?")
    assert.same({ "local_inference", "exllama", 2 }, { question, input.engine, input.devices })
  end)

  it("is a run on as many devices as hold it, where nobody says on what", function()
    local _, input = handed("cost to fine tune llama 3 70b with lora on 50k examples")
    assert.is_true(input.cluster.devices > 1)
    local _, small = handed("cost to fine tune llama 3 8b with lora on 50k examples")
    assert.equal(1, small.cluster.devices)
    local _, said = handed("cost to fine tune llama 3 70b with lora on 50k examples on one H100")
    assert.equal(1, said.cluster.devices)
  end)

  it("is a run on as many of a rented device as hold it, on one card of those that people have", function()
    local function count(text) return select(2, handed(text)).cluster.devices end
    assert.equal(3, count("LoRA of llama 3.3 70B with 20M tokens on H100, cost"))
    assert.equal(1, count("LoRA of llama 3.3 70B with 20M tokens on an H100, cost"))
    assert.equal(1, count("lora llama 3 8b on T4 16gb possible?"))
  end)

  it("has one who is alone on devices, and phones", function()
    local parts = ask.parts({ text = "2x4090 vs 1x a6000 ada for llama 3.3 70b awq vllm single user" })
    assert.same({ "local", "RTX-4090", "local", "RTX-6000-Ada" }, { parts[1].kind, parts[1].facts.device, parts[2].kind, parts[2].facts.device })
    assert.matches("^iPhone%-16%-Pro", given("iphone 8gb 3b model speed").device)
  end)

  it("has the length of what is read, and lengths that stand alone", function()
    assert.equal(30000, select(2, handed("prompt processing speed 30k tokens on m2 ultra llama 70b q4")).prompt_tok)
    assert.equal(8192, given("gpt-oss-20b with 8k on a 5090").context_tok)
    assert.near(14.9e9, facts.of(ask.understood({ text = "128gb strix halo, biggest model that still does 20 tok/s" })).params, 1e8) -- 0.7 x 256 / 20 / 0.6
    assert.equal(64, select(2, handed("kv cache for 64 sequences of 128k of qwen3-32b")).batch)
    assert.equal("flux.1-dev", given("100k flux dev images 1024px 28 steps on 8 a100").model)
  end)

  it("is answered in a line by what it asks for", function()
    for text, line in pairs({
      ["kv cache size per token for llama-3 70b in fp8"] = "^160 KiB of keys and values for a token;", -- 2 x 80 x 8 x 128 bytes
      ["what's the largest context for gemma 3 27b q4 on a 5090"] = "^131,072 tok of context;",
      ["kv cache gb for llama 3 8b 8k context batch 64"] = "^64 GiB of keys and values for 64 sequences", -- 64 x 8,192 x 128 KiB
      ["how much disk do I need to keep 20 checkpoints of a 13b full finetune"] = "^20 checkpoints of 182 GB: 3.64 TB,", -- 14 x 13 GB
      ["buy 8xH100 server for 280k or rent at 2.5 $/h, breakeven"] = "^bought for 280,000 USD they are cheaper than rented after 20%.%d months;", -- 280 / (14.6 - 0.86)
      ["how many racks for 1024 B200 and how many MW"] = ": 41 racks of 40 kW, 1%.8 MW", -- 1,024 x 1 kW x 1.6 / 40
      ["how many kw do 8 h100 draw"] = "^8 x H100%-SXM%-80GB: 9%.9 kW",
      ["cost per month of 16 H100 reserved vs on demand"] = "; committed for a year: ",
      ["5060 ti 16gb or 3090 for local llm"] = "^RTX%-3090 is the fastest: with Llama%-3%.1%-8B, as none is named: ",
      ["llama 8b on a 4090 8k vs 32k context speed"] = "^8,192 tok: .*, 1%d%d tok/s with 8,192 tok full; .*; 32,768 tok: .*, %d%d%.?%d* tok/s with 32,768 tok full;",
      ["do I need infiniband for finetuning 70B on 2 nodes or is 100G ethernet ok"] = "^infiniband: .*; 100 Gb/s ethernet %(%d%d%.?%d* times as long%): ",
      ["How big is the KV cache for deepseek v3 at 64k context?"] = "^4.29 GiB of keys and values for 1 sequence", -- 65,536 x 61 x 576 x 2, once
      ["How much electricity does a 3090 use running a 8B model all day?"] = "^350 W of the board at most, 8.4 kWh a day, ",
      ["electricity of one rtx 4090 running llama 8b 24/7 at 0.30 eur/kwh"] = "^1 x RTX%-4090: 560 W", -- 1.25 x 450
      ["monthly bill 24/7 of g5.12xlarge running llama 13b"] = "^4 x A10G: ",
      ["gpus for 40 rps of whisper large v3 turbo 30 sec clips"] = "^%d+ devices keep up; ",
      ["context 128k llama 3.3 70b fp8 kv fp8, how many sequences on 4xH100"] = "^room for 9 sequences of 131,072 tok", -- 218 GB / 21.5 GB
      ["store 500M embeddings 1536 dims int8 how much ram"] = "^8%d%d GB a copy, ", -- 768 GB and the graph
      ["kv cache of mistral large 123b at 32k for 10 users"] = "^110 GiB of keys and values for 10 sequences", -- 10 x 32,768 x 88 x 8 x 128 x 4
      ["L40S vs A100 for sdxl images per hour"] = "^A100%S* is the fastest: ",
      ["max ctx for llama 3.1 8b fp16 on a 4090"] = "^6%d,%d+ tok of context;",
      ["can my 4070 ti super 16gb run qwen3 32b at all"] = ", with the host 1%d of 64 layers$",
      ["batch size i can use for qlora 13b on 24gb with seq 2048"] = "^a micro%-batch of %d examples at most; ",
      ["lora llama 3 8b on T4 16gb possible?"] = "; it does with this: QLoRA.*; or on %d+ devices",
      ["i want run deepseek r1 full at home cheapest way"] = "^it fits: 3%d%d GiB of %d+ GiB on EPYC", -- 0.6 bytes of 671 billion
      ["checkpoint size and write time of a 405B training run, lustre 200GB/s"] = "^one of 5%.67 TB is written in 28%.%d+ s", -- 14 x 405 GB
      ["how often should i checkpoint with 4096 gpus, mtbf 1 gpu 50000 h, checkpoint takes 60 s"] = "^one every 38%.3 min", -- sqrt(2 x 60 x 43,945)
      ["100k flux dev images 1024px 28 steps on 8 a100"] = " on 8 devices, %d+ device%-hours for all 100 thousand",
    }) do
      assert.matches(line, answered(text), text)
    end
  end)

  it("is which device of the catalog holds it, groups of them too, where that is asked", function()
    for _, text in ipairs({ "what is the cheapest GPU to run mixtral 8x7b", "cheapest GPU for llama 3.1 70b", "which GPU do I need for llama 3.1 70b",
      "what hardware do I need to run mixtral 8x7b", "best GPU for a 70B model" }) do
      local question, input = handed(text)
      assert.same({ "fit" }, { question, input.on, input.devices }, text)
    end
    -- Nobody asks for one: how much it needs is said of what is rented most.
    local _, input = handed("how much memory does llama 3.1 70b need")
    assert.same({ "H100", 2 }, { input.on, input.devices })
  end)
end)

describe("devices that are committed", function()
  it("are owed for the whole term, however short they are used", function()
    -- 24 x 1.60 USD x 0.65 x 8,760 h.
    for _, words in ipairs({ "rent 24 A100 for 1 month at 1.60 an hour, reserved", "rent 24 A100 for 5 months at 1.60 an hour, reserved for a year",
      "on demand or a one year commitment: 24 A100 for 5 months at 1.60 an hour", "24 A100 at 1.60 an hour for 2 months, on demand or committed for a year" }) do
      assert.matches("committed for a year: 219,000 USD owed for 365 days, used or not, so on demand is cheaper", answered(words), words)
    end
    assert.same({ 8, 5 * 730 * 3600.0 }, { given("on demand or a one year commitment: 8 H100 for 5 months").devices,
      given("on demand or a one year commitment: 8 H100 for 5 months").time_s })
    -- Ten months cost more on demand than the term; of fourteen two are on demand: (0.65 + 1/6) x 24 x 1.60 x 8,760.
    assert.matches("219,000 USD owed for 365 days, used or not$", answered("rent 24 A100 for 10 months at 1.60 an hour, reserved"))
    assert.matches("committed for a year: 275,000 USD$", answered("rent 24 A100 for 14 months at 1.60 an hour, reserved"))
    assert.matches("committed for three years: 454,000 USD owed", answered("rent 24 A100 for 5 months at 1.60 an hour, 3 year commitment"))
  end)

  it("cost no less than on demand for less than two thirds of the term", function()
    for _, row in ipairs({ { 0.1, 6.5, 1 }, { 0.65, 1, 1 }, { 1, 0.65, 1 }, { 1.5, (0.65 + 0.5) / 1.5, 1 }, { 1.9, 1.3 / 1.9, 2 }, { 2, 0.65, 2 } }) do
      local frac, terms = price_terms.committed("reserved", units.years(row[1]))
      assert.near(row[2], frac, 1e-9)
      assert.equal(row[3], terms)
    end
  end)

  it("are owed beside a run that takes less than the term", function()
    -- 8 x 3.90 USD x 0.65 x 8,766 h, whatever the run takes of them; on three years 64 x 3.90 x 0.45 x 26,298 h.
    for _, words in ipairs({ "1-year commitment of 8 H100 at 2.535 USD/h for training 7B on 500B tokens", "train 7B on 500B tokens on 8 H100 reserved for a year" }) do
      assert.matches("committed for a year: 178,000 USD owed for 365 days, used or not, so on demand is cheaper", answered(words), words)
    end
    assert.matches("committed for three years: 2.95 million USD owed", answered("train 7B on 500B tokens on 64 H100 on a 3 year commitment"))
    assert.is_nil(answered("train 7B on 500B tokens on 8 H100"):find("committed", 1, true))
  end)

  it("are compared with others on the same terms, and with other terms from the price on demand", function()
    local function levers(words)
      local by_title = {}
      for _, lever in ipairs(ask.run({ text = words }).levers) do by_title[lever.title] = lever.saves_frac end
      return by_title
    end
    local function is_lever(list, words)
      for title in pairs(list) do
        if title:find(words, 1, true) then return true end
      end
      return false
    end
    local text = "train 7B on 100B tokens on 64 %sH100"
    local free, reserved, spot = levers(text:format("")), levers(text:format("reserved ")), levers(text:format("spot "))
    for _, device in ipairs({ "B200-SXM-180GB", "MI300X", "A100-80GB-SXM" }) do
      local title = ("another device (%s)"):format(device)
      assert.near(free[title], reserved[title], 1e-9, device)
      assert.near(free[title], spot[title], 1e-9, device)
    end
    assert.near(1 - 0.4 / 0.8, free["spot devices"], 1e-9)
    assert.near(1 - 0.4 / 0.65 / 0.8, reserved["spot devices"], 1e-9)
    assert.is_nil(spot["spot devices"])
    -- A service that is committed is committed once; and on spot devices it has more of them.
    local served = "serve llama 3.1 8b at 5 rps on H100%s, 1000 tokens in and 200 out"
    assert.is_true(is_lever(levers(served:format("")), "committed for a year"))
    for _, terms in ipairs({ " reserved for a year", " on spot", " at 2.5 USD/h reserved for a year" }) do
      assert.is_false(is_lever(levers(served:format(terms)), "committed for a year"), terms)
    end
    -- Two H100 with one that may fail are three where a fifth is missing.
    assert.same({ 2, 3 }, { ask.run({ text = served:format("") }).values.devices, ask.run({ text = served:format(" on spot") }).values.devices })
  end)

  it("may be said beside what the kind that answers has no place for", function()
    local _, known = ask.understood({ text = "serve llama 3.1 8b on 8 x H200, input 1500 output 350, reserved for a year, latency below 8 s for the whole answer, 400k TPM" })
    assert.near(0.65 * prices.get("H200-SXM-141GB"), known.usd_h, 1e-9)
  end)

  it("are no lever of a training run of some days", function()
    for _, words in ipairs({ "train 7B on 100B tokens on 256 H100", "train a 1B model on 20B tokens, 64 A100" }) do
      for _, lever in ipairs(ask.run({ text = words }).levers) do assert.is_nil(lever.title:find("committed"), words) end
    end
  end)
end)
