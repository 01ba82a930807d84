-- What comes, how much of it and when, as a prompt says it: hours by the clock, parts of things, peaks, work of a night.
local ask = require("ballpark.questions.ask.run")
local errors = require("ballpark.errors")
local facts = require("ballpark.questions.ask.facts")
local grammar = require("ballpark.questions.said.grammar")
local paid = require("ballpark.questions.ask.paid")

local function read(text) return grammar.read(text, { lenient = true }) end
local function facts_of(text) return read(text).facts end
local function meant(text) return (ask.understood({ text = text })).name end
local function known(text)
  local kind, given, _, more = ask.understood({ text = text })
  return facts.of(kind, given, more.spans)
end

-- 50 million x 768 values of one byte, and 2 x 16 links of four bytes with a count each.
describe("an index that is a graph", function()
  it("has the links, the candidates and the format that are said", function()
    local said = read("vector search over 50M products, 768 dims, int8, HNSW M=16, ef 128, 2000 qps")
    assert.same({ 16, 128, "int8" }, { said.facts.links, said.facts.ef, said.facts.weights })
    assert.is_nil(read("vector search over 50M products, M=16").facts.links)
    local function index_bytes(text) return ask.run({ text = text }).values.index_bytes end
    local narrow = index_bytes("vector search over 50M products, 768 dims, int8, HNSW M=16, 2000 qps")
    assert.is_true(math.abs(narrow / (5e7 * (768 + 2 * 16 * 4)) - 1) < 0.02)
    local wide = index_bytes("vector search over 50M products, 768 dims, HNSW, 2000 qps")
    assert.is_true(math.abs(wide / (5e7 * (4 * 768 + 2 * 32 * 4)) - 1) < 0.02)
  end)
end)

describe("hours of a day by the clock", function()
  it("are a window of so many hours", function()
    for text, hours in pairs({
      ["5k employees between 9 and 17, each asks 20 questions per day"] = 8,
      ["5k employees from 9 to 5, each asks 20 questions per day"] = 8,
      ["300 staff, 9am-6pm, 30 prompts a day each"] = 9,
      ["300 staff, 8:30 to 17:00, 30 prompts a day each"] = 8.5,
      ["office hours 9-5, 300 employees, 20 questions a day each"] = 8,
      ["300 users from 8pm to 2am, 5 questions a day each"] = 6,
      ["2M requests per day between 9 and 17, llama 8b on L4"] = 8,
      ["2M requests a day from 9 to 5, llama 8b on L4"] = 8,
    }) do
      local said = facts_of(text)
      assert.near(hours * 3600, said.day_s or said.rate_day_s or 0, 1e-6, text)
      assert.is_nil(table.concat(read(text).unread, " "):find("%d"), text)
    end
  end)

  it("are none where things are counted, or runs last so long", function()
    for _, text in ipairs({ "50 employees on between 8 and 16 GPUs", "8 engineers scale from 8 to 16 GPUs",
      "50 users, jobs take from 8 to 16 hours", "llama 8b with batch between 8 and 16, on H100", "ratio of 9:1 for 20 users",
      "2M requests per day between 9 and 17 H100, llama 8b", "20 rps from 8 to 16 L4, llama 8b" }) do
      assert.is_nil(facts_of(text).day_s or facts_of(text).rate_day_s, text)
    end
  end)

  it("hold what comes by the day, and nothing of what is said by the second", function()
    local day = known("serve 200k requests per day between 8am and 8pm with llama 8b on L4")
    assert.near(2e5 / 86400, day.rate_per_s, 1e-9)
    assert.near(1.5 * 2, day.peak_ratio, 1e-9) -- 24 h over 12, and 1.5 within these
    local second = known("serve 5 requests per second between 8am and 8pm with llama 8b on L4")
    assert.near(3, second.peak_ratio, 1e-9)
  end)

  it("are a deadline of what is worked off", function()
    local said = facts_of("120k PDFs nightly of 12 pages, 700 tokens a page, finished from 1am to 6am")
    assert.same({ 1.44e6, 700, 18000, 86400 }, { said.items, said.input_tokens, said.time_s, said.period_s })
  end)
end)

describe("parts of what comes", function()
  it("are so many for each, where how often they come stands between", function()
    for _, text in ipairs({ "120k PDFs a day of 12 pages", "120k PDFs of 12 pages per day", "120k PDFs daily of 12 pages" }) do
      assert.near(120e3 * 12 / 86400, facts_of(text).rate_per_s, 1e-9, text)
    end
    assert.near(360e3, facts_of("120k invoices every night, 3 pages each").items, 1e-6)
    assert.equal("batch", meant("120k PDFs nightly of 12 pages, llama 8b on L4"))
    -- Images of a request are none of its pages.
    assert.near(20, facts_of("20 requests per second, 3 images each").rate_per_s, 1e-9)
  end)
end)

describe("what is served", function()
  it("is what words name, and no text where nobody speaks of a model that writes", function()
    for text, kind in pairs({
      ["serve recommendations at 50,000 requests per second on A10G, p99 50 ms"] = "recommend",
      ["serve embeddings at 5000 requests per second on L4"] = "encode",
      ["host a vector search api for 20M items at 3000 requests per second"] = "retrieval",
      ["serve rerank requests at 200 rps on L4"] = "rerank",
      ["serve a rag chatbot for 2000 users"] = "llm",
      ["serve llama 8b at 20 requests per second"] = "llm",
      ["serve 20 requests per second, 1k prompts, on H100"] = "llm",
    }) do assert.equal(kind, meant(text), text) end
  end)

  it("has a peak over the rate that is said, whatever it is", function()
    for _, text in ipairs({ "serve recommendations at 600 requests per second%s", "vector search among 20M items, 600 qps%s", "rerank 100 passages per query at 600 qps%s" }) do
      local mean, peak = known(text:format("")), known(text:format(" peak"))
      assert.near(1800, mean.peak_per_s, 1e-9, text)
      assert.near(600, peak.peak_per_s, 1e-9, text)
      assert.near(600, mean.rate_per_s, 1e-9, text)
    end
    for _, text in ipairs({ "serve llama 8b at 600 rps on L4%s", "embed 600 texts per second on L4%s", "SDXL at 600 images per second on H100%s" }) do
      assert.near(3, known(text:format("")).peak_ratio, 1e-9, text)
      assert.near(1, known(text:format(" at peak")).peak_ratio, 1e-9, text)
    end
  end)
end)

describe("a peak without a unit", function()
  it("is a rate in that of the mean, or how many times that is", function()
    for text, ratio in pairs({
      ["20 rps, peak 60"] = 3, ["20 rps peak 60 llama 8b"] = 3, ["20 rps, peaks of 60"] = 3, ["20 rps, peaking at 60"] = 3, ["20 rps (60 at peak)"] = 3,
      ["1200 requests per minute, bursts up to 3600"] = 3, ["peak 60, average 20 rps"] = 3, ["20 rps on average, 60 at peak"] = 3, ["60 rps at peak, 20 on average"] = 3,
      ["QPS 60 at peak, 20 on average"] = 3, ["20 rps, burst 3"] = 3, ["average 20 rps; peak: 60 rps"] = 3, ["20 rps, peak: 60"] = 3, ["avg QPS 20, peak QPS 60"] = 3, ["peak QPS 60, QPS 20 on average"] = 3, ["20 rps, peak of 3"] = 3, ["20 rps, peak 3x"] = 3, ["20 rps, peak-to-average 3"] = 3, ["20 rps, peak to mean of 3x"] = 3,
    }) do
      local said = read("serve " .. text .. ", llama 8b, 1k/200 on L4")
      assert.near(20, said.facts.rate_per_s or 0, 1e-9, text)
      assert.near(ratio, said.facts.peak_ratio or 0, 1e-9, text)
      assert.same({}, said.unread, text)
    end
    -- Of the requests of a day it is one of a second, or so many times the mean.
    assert.near(60 * 86400 / 1e6, facts_of("1M requests a day, peak 60, llama 8b").peak_ratio, 1e-9)
    assert.near(3, facts_of("1M requests a day, peak 3, llama 8b").peak_ratio, 1e-9)
    assert.near(60 / 20, known("recommendations at 20 rps avg, 60 peak").peak_ratio, 1e-9)
    assert.near(32, facts_of("concurrency 32 at peak, llama 8b").concurrency, 1e-9)
  end)

  it("is that of an hour", function()
    for _, text in ipairs({ "peak hour sees 36,000 requests", "36k requests in the peak hour", "36,000 requests per hour at peak" }) do
      local said = facts_of(text .. ", llama 8b on L4")
      assert.near(10, said.rate_per_s or 0, 1e-9, text)
      assert.near(1, said.peak_ratio or 0, 1e-9, text)
    end
  end)

  it("is the higher of two rates of a day", function()
    local said = facts_of("40 requests/s from 9 to 5 and 5 requests/s at night, llama 8b on L4")
    local mean = (40 * 8 + 5 * 16) / 24
    assert.near(mean, said.rate_per_s, 1e-9)
    assert.near(40 / mean, said.peak_ratio, 1e-9)
    assert.near(22.5, facts_of("40 rps by day, 5 rps at night, llama 8b on L4").rate_per_s, 1e-9) -- 12 hours of each
    assert.near(22.5, facts_of("5 rps at night, 40 rps by day, llama 8b on L4").rate_per_s, 1e-9)
    assert.near(5, facts_of("5 rps at night, llama 8b on L4").rate_per_s, 1e-9)
    local week = read("40 rps on weekdays and 5 rps on weekends, llama 8b on L4")
    assert.near(40, week.facts.rate_per_s, 1e-9)
    assert.matches("5 weekend", table.concat(week.unread, " "))
    assert.near(50, facts_of("20 rps of chat and 30 rps of search, llama 8b on L4").rate_per_s, 1e-9)
  end)
end)

describe("spare devices", function()
  it("are counted beside those that are rented", function()
    for _, text in ipairs({ "rent 64 H100 for 2 weeks at $2.2 per GPU-hour with 4 spare GPUs", "rent 64 H100 for 2 weeks, 4 spare H100", "rent 64 H100 for 2 weeks, 4 spares" }) do
      assert.equal(68, known(text).devices, text)
    end
  end)
end)

describe("what money pays for", function()
  it("is the most that costs no more, of what costs more in steps", function()
    -- A replica for every 10, and one to spare: 12 pay for 11 replicas of work.
    local function cost_of(amount) return math.ceil(amount / 10) + 1 end
    for _, first in ipairs({ 1e-3, 3, 110, 1e5 }) do
      local most = paid.most(first, cost_of, 12)
      assert.is_true(most <= 110 and most > 110 / 1.011, most)
    end
    assert.is_nil(paid.most(1, cost_of, 1.5))
    assert.is_nil(paid.most(1, function() return nil end, 1e9))
  end)

  it("stands before the fleet, in the mean and at the peak", function()
    local answer = ask.run({ text = "15k USD per month for serving llama 3.1 70B on H100 at 2.5 USD/h, 1k in 300 out. how many requests per second can we handle?" })
    local mean, peak = answer.headline:match("^([%d%.]+) requests a second in the mean, ([%d%.]+) at the peak: ")
    assert.near(tonumber(mean), answer.values.rate_per_s, 0.01 * answer.values.rate_per_s)
    assert.near(3 * answer.values.rate_per_s, tonumber(peak), 0.1)
    assert.is_true(answer.values.cost_usd_month <= 15000)
    assert.is_true(answer.values.cost_usd_month > 15000 - 2 * 2 * 2.5 * 730) -- within a replica of two devices
  end)
end)

describe("sizes beside each other", function()
  it("are questions of their own, on the same devices", function()
    local parts = ask.parts({ text = "8B and 70B on 4 H100, which handles how many users?" })
    assert.same({ 8e9, 70e9 }, { parts[1].facts.params, parts[2].facts.params })
    assert.same({ 4, 4 }, { parts[1].facts.devices, parts[2].facts.devices })
  end)
end)

describe("a speed of one user", function()
  it("is what each further token may take", function()
    local said = facts_of("500 tokens/s for a single user with Llama 3 8B on H100, is it possible?")
    assert.near(0.002, said.tpot_s, 1e-12)
    assert.equal(1, said.users)
    assert.is_nil(said.tokens_per_s)
    assert.near(5000, facts_of("5000 tokens/s for 100 users with llama 8b on H100").tokens_per_s, 1e-9)
  end)
end)

describe("a bill of a month for tokens", function()
  it("stands beside a model of one's own, whose tokens are as many", function()
    local text = "OpenAI bill is 60k/month for 10B input tokens and 1B output tokens; would llama 70b on H100 be cheaper?"
    assert.equal("llm", meant(text))
    local answer = ask.run({ text = text })
    assert.near(11e9 / (730 * 3600) / 3300, answer.values.rate_per_s, 1e-4) -- 300 written, 3,000 read for them
    assert.matches("and the bill is 60,000 USD: it is cheaper", answer.headline)
    assert.matches("and the bill is 2,000 USD: it is dearer", ask.run({ text = (text:gsub("60k", "2k")) }).headline)
    assert.same({ 2e9, 3e8 }, { facts_of("8000 USD a month for 2B input and 300M output tokens").read_tokens,
      facts_of("8000 USD a month for 2B input and 300M output tokens").written_tokens })
  end)
end)

describe("what is spare", function()
  it("is whole devices more of those that are rented, and what replicas are not planned to do", function()
    assert.equal(28, known("monthly cost of 24 H100s at 1.9$/h, plus 15% spare").devices) -- 27.6
    assert.equal(22, known("monthly cost of 20 H100s at 1.9$/h, plus 10% spare").devices)
    assert.near(0.6, known("serve llama 8b at 20 rps on L4 with 40% headroom").utilization_frac, 1e-12)
  end)
end)

describe("jobs that arrive", function()
  it("come at the rate behind the verb, on some of the devices that there are", function()
    local text = "jobs arrive 30 per hour, each takes 45 min on 4 GPUs, 128 GPUs total. what's the utilisation and queue wait?"
    local said = facts_of(text)
    assert.near(30 / 3600, said.jobs_per_s, 1e-12)
    assert.same({ 4, 128 }, { said.devices_per_job, said.devices })
    assert.near(5, facts_of("requests come in at a rate of 5 per second").rate_per_s, 1e-12)
    local sustained = ask.run({ text = text }).values.sustained
    assert.near(30 * 0.75 * 4, sustained, 1e-6) -- 90 of 128
  end)
end)

describe("a share of a link", function()
  it("is what a transfer has of it", function()
    local answer = ask.run({ text = "Transfer 200 TB over a 10 Gbps link at 70% utilisation" })
    assert.near(200e12 / (0.7 * 1.25e9), answer.values.time_s, 1)
  end)
end)

describe("a sweep on devices that all trials share", function()
  it("takes its device time over them", function()
    local answer = ask.run({ text = "hyperparameter sweep, 200 trials, each 6 gpu hours on A100, 32 gpus. wall clock and cost at $1.3/hr" })
    assert.near(37.5 * 3600, answer.values.shared_s, 1e-6)
    assert.matches("^37.5 h on 32 devices; ", answer.headline)
  end)
end)

describe("money by its unit", function()
  it("is a price by the hour of a device, and what a server costs to buy", function()
    assert.near(2.5, facts_of("7B on 1T tokens, 128 H100, at 2.5/gpu-hr").usd_h, 1e-12)
    assert.near(3e5, facts_of("buy 8 H100 (300k USD for the server) or rent at $2.5/hr for 3 years?").buy_usd, 1e-6)
    assert.is_nil(facts_of("serve 8 H100, 300k USD for the whole year").buy_usd)
  end)
end)

describe("a run that is to be judged", function()
  it("is asked how long it takes, where nobody claims a speed", function()
    assert.equal("training", meant("train a 350M gpt on 10B tokens using one 4090. realistic in a week?"))
    assert.equal("check", meant("train 7B at 150k tokens/s on 64 A100, is that normal?"))
  end)
end)

describe("memory of a full training", function()
  it("is that of mixed precision, whatever wide format is said", function()
    assert.is_nil(known("how much vram for full finetuning 8b with adamw bf16 mixed precision? batch 1 seq 4k").weights)
  end)
end)

describe("a prompt on one's own device", function()
  it("is no load of a service", function()
    assert.equal("local", meant("how long does my M4 Max 128gb take for a 30k token prompt with qwen2.5 72b q4?"))
  end)
end)

describe("the time between failures", function()
  it("is that of a device, a node or the whole run, as is said", function()
    -- sqrt(2 x write x between interruptions of all): 30 days over 128 nodes, 5 h as it is, 50,000 h over 1024 devices.
    for text, seconds in pairs({
      ["how often should we checkpoint a 1024-GPU run if MTBF of a node is 30 days and a checkpoint takes 90 s?"] = math.sqrt(2 * 90 * 30 * 86400 / 128),
      ["checkpoint interval for 1024 GPUs, MTBF of a node of 8 GPUs 40000 hours, 60 s per checkpoint"] = math.sqrt(2 * 60 * 4e4 * 3600 / 128),
      ["checkpoint interval for 1024 GPUs, MTBF 5 hours, 60 s per checkpoint"] = math.sqrt(2 * 60 * 5 * 3600),
      ["checkpoint interval for 1024 GPUs, GPU MTBF 50000 hours, 60 s per checkpoint"] = math.sqrt(2 * 60 * 5e4 * 3600 / 1024),
    }) do assert.near(seconds, known(text).every_s, 0.01 * seconds, text) end
  end)
end)

describe("a bill without a time", function()
  it("is that of a month, or of a year where words say so", function()
    assert.near(42000, known("our monthly bill today is 42k USD for 16 A100, how do we cut it by 40%?").budget_usd_month, 1e-6)
    assert.near(25200, known("our monthly bill today is 42k USD for 16 A100, how do we cut it by 40%?").target_usd_month, 1e-6)
    assert.near(42000, known("our annual bill is 504k USD for 16 A100, how do we cut it by 40%?").budget_usd_month, 1e-6)
  end)
end)

describe("captions", function()
  it("are written by a model that sees, and are no vectors", function()
    local text = "qwen2.5-vl 7b, 500k images a day with 150 token captions on A10G"
    assert.equal(150, facts_of(text).output_tokens)
    assert.is_true(meant(text) ~= "encode" and meant(text) ~= "corpus")
    local each = known("caption 10 million images with Qwen2-VL-7B, 60 tokens each, on 8 A100")
    assert.same({ 1300, 60 }, { each.input_tokens, each.output_tokens }) -- an image, and what is written of it
    assert.equal(500, facts_of("summarise 1M documents, 500 tokens each").input_tokens)
  end)
end)

describe("vectors that are asked for by the second", function()
  it("are searched, and those that nobody asks for are kept", function()
    assert.equal("retrieval", meant("RAG: 24M chunks, 1024-dim embeddings, 200 queries per second at peak, qdrant"))
    assert.equal("storage", meant("qdrant: 24M chunks, 1024-dim embeddings, how much RAM?"))
  end)
end)

describe("a rate behind what comes", function()
  it("is one where it is said by the second, and a price by the hour", function()
    assert.near(1000, facts_of("classify images at 1000 per second with vit-l on T4").rate_per_s, 1e-9)
    assert.is_nil(facts_of("7B on 1T tokens, 64 H100 at 2.10 per hour").rate_per_s)
    assert.equal("encode", meant("moderate 200 chat messages per second with a classifier"))
    assert.equal("llm", meant("a chat app with 200 messages per second"))
  end)
end)

describe("an encoder and a model that writes", function()
  it("are no two to choose from", function()
    local e = errors.catch(grammar.read, "RAG with bge-large and llama 70b over 10M documents on H100", { lenient = true })
    assert.matches("says model again", e)
  end)
end)
