-- Prompts about what is served: how long prompts and answers are, what prompts have in common, adapters and drafts beside it.
local ask = require("ballpark.questions.ask.run")
local errors = require("ballpark.errors")
local facts = require("ballpark.questions.ask.facts")
local grammar = require("ballpark.questions.said.grammar")
local rendered = require("ballpark.report")
local scenario = require("ballpark.scenario")

-- What is read of a prompt that is answered in five steps: its facts with what is proposed, its kind and words that are not read.
local function read(text)
  local kind, given, unread, more = ask.understood({ text = text })
  return facts.of(kind, given, more.spans), { about = kind.name, unread = unread }
end

-- The question that a prompt is handed to, its input, and what was read.
local function handed(text) return ask.handed_over({ text = text }) end

-- The first line of the answer.
local function answered(text)
  return scenario.answer(scenario.state(nil, { command = "ask" }), "ask", { text = text }).blocks[1].items[1].value
end

describe("a prompt about what is served", function()
  it("has the length of prompts beside that of answers, which is no job of so many prompts", function()
    local known, answer = read("serve DeepSeek-R1 with 1k prompts and 10k token reasoning answers for 500 concurrent users on H200")
    assert.same({ "llm", 1000, 10000, 500 }, { answer.about, known.input_tokens, known.output_tokens, known.concurrency })
    assert.same({}, answer.unread)
    -- So many prompts of their own are a job.
    assert.equal("batch_job", (handed("summarise 10k prompts with Llama 3.1 8B on L4 overnight")))
  end)

  it("has a history as a part of the prompt", function()
    for _, words in ipairs({ "1500 tokens history", "1500 tokens of chat history", "1.5k tokens of conversation history" }) do
      assert.equal(1500, read("chat with 2000 concurrent users on llama 3.1 8b, " .. words .. ", 200 token replies, on L4").input_tokens, words)
    end
  end)

  it("has what prompts begin with in common from the cache", function()
    local text = "3 requests per second, 12k token prompts%s, 400 token answers, llama 3.1 8b on L40S"
    local prefixed = ask.run({ text = text:format(" of which 8k are a shared prefix") })
    assert.same({ 8000, 12000 }, { prefixed.known.prefix_tok, prefixed.known.input_tokens })
    assert.is_true(prefixed.values.devices < 0.8 * ask.run({ text = text:format("") }).values.devices)
    for _, words in ipairs({ ", 8k shared system prompt", ", a 8k-token shared prefix", ", of which 8000 tokens are cached" }) do
      assert.equal(8000, read(text:format(words)).prefix_tok, words)
    end
    -- No more is cached than a prompt has, and devices that are shared are no prefix.
    local _, input = handed("how many tokens per second do 4 H100 write with Llama 3.1 70B, 1000 tokens in, of which 4000 tokens are cached")
    assert.equal(1000, input.load.prefix_tokens)
    assert.is_nil(read("serve llama 3.1 8b to 1000 users, 5 shared L4").prefix_tok)
  end)

  it("has a small sum per million as that of a million tokens", function()
    local text = "2 billion tokens a month through an 8B on L40S, today %s, worth it?"
    for _, words in ipairs({ "0.40 USD per million", "0.40 USD/M", "$0.40 per 1M", "paying 0.40 USD per million for it", "40 cents per million" }) do
      local known = read(text:format(words))
      assert.same({ 0.4, false, 8e9 }, { known.usd_mtok, known.cost_usd or false, known.params }, words)
    end
    -- Where something else is counted, the sum is none of tokens.
    assert.is_nil(read("serve llama 3.1 8b to 1000 users on L4, 0.40 USD per million requests").usd_mtok)
  end)

  it("has the most requests a second within the SLO that is said", function()
    for _, row in ipairs({ { "70B fp8 on 2 H100, 800 in / 250 out, p99 tpot below 40 ms, how many requests per second?", 0.04 },
      { "70B fp8 on 2 H100, 800 in / 250 out, p99 tpot must stay below 40 ms, how many requests per second?", 0.04 },
      { "70B fp8 on 2 H100, 800 in / 250 out, tpot should be kept under 40 ms, how many requests per second?", 0.04 },
      { "8B on H100, 500 in / 200 out, ttft below 300 ms, how many requests per second", nil } }) do
      local _, input = handed(row[1])
      if row[2] then assert.equal(row[2], input.sla.tpot_s, row[1]) end
    end
    assert.matches("^7%.[56]%d requests a second at most within the SLO;", answered("70B fp8 on 2 H100, 800 in / 250 out, p99 tpot below 40 ms, how many requests per second?"))
    local bound = answered("8B on H100, 500 in / 200 out, ttft below 300 ms, how many requests per second")
    local free = answered("8B on H100, 500 in / 200 out, how many requests per second")
    assert.is_true(tonumber(bound:match("^(%S+) requests a second at most within")) < tonumber(free:match("^(%S+) requests a second at most;")))
    assert.matches("^no request a second within the SLO", answered("8B on H100, 500 in / 200 out, ttft below 1 ms, how many requests per second"))
  end)

  it("has hours of a day in which people ask, which are no SLO and no deadline", function()
    local text = "3000 lawyers%s, prompts of 6000 tokens and 500 token answers, 70B on H200"
    for _, words in ipairs({ ", each asks 25 questions during an 8 hour day", ", 25 questions each a day within 8 hours", ", each asks 25 questions in an 8 hour workday", " asking 25 questions a day each within 8 hours",
      ", 25 questions each in a working day of 8 hours", " who each ask 25 questions in an 8-hour working day" }) do
      local known, answer = read(text:format(words))
      assert.same({ "llm", 3000, 25, 8 * 3600 }, { answer.about, known.users, known.requests_per_user_day, known.day_s }, words)
      assert.same({}, answer.unread, words)
      assert.is_nil(known.slo_s or known.within_s or known.time_s, words)
      assert.near(4.5, known.peak_ratio, 1e-9) -- 24 h over 8 h, and 1.5 within them
    end
    -- 75,000 requests over 28,800 s.
    assert.near(75000 / 28800, ask.run({ text = text:format(", each asks 25 questions during an 8 hour day") }).values.day_per_s, 1e-9)
    -- A load that is said of a moment has no use of the hours, and what is done once has them as a deadline.
    assert.equal(1, #select(2, read("400 concurrent users in an 8 hour workday, 6k tokens in and 500 out, 70B on H200")).unread)
    assert.equal("batch_job", (handed("summarise 10k prompts with Llama 3.1 8B on L4 in an 8 hour shift")))
  end)

  it("has calls of each ticket as so many requests", function()
    for _, words in ipairs({ "400 tickets a day, each takes 3 calls of 2000 tokens in and 300 out", "400 tickets a day, each needs 3 calls, 2000 tokens in and 300 out",
      "400 tickets per day, 3 calls per ticket, 2000 tokens in and 300 out" }) do
      local known, answer = read(words .. ", 8B on L4")
      assert.same({ "llm", 2000, 300 }, { answer.about, known.input_tokens, known.output_tokens }, words)
      assert.near(1200 / 86400, known.rate_per_s, 1e-12, words)
    end
  end)

  it("asks for what is open of a prompt with a range, and takes ends as they are written", function()
    assert.is_true(#ask.open({ text = "train 7B on 1T tokens with 4-8 A100" }) > 0)
    local given = { kind = "training", facts = { params = 7e9, devices = 256, device = "H100", tokens = { low = "1T", high = "2T" } } }
    local answer = ask.run(given)
    assert.near(math.sqrt(2) * 1e12, answer.known.tokens, 1)
    assert.is_true(answer.ranges.run_s.high > 1.8 * answer.ranges.run_s.low)
    given.facts.tokens = { low = 1e12, high = 2e12, value = 5e12 }
    assert.matches("tokens: 5e%+12 is not between its ends", errors.catch(ask.run, given))
  end)

  it("says the ends of what another question answers at its middle", function()
    local _, input = handed("fine-tune llama 3.1 8b with LoRA on 1k-2k token examples on A100")
    assert.equal(1414, input.seq_len) -- sqrt(1,000 x 2,000), a whole number
    local report = scenario.answer(scenario.state(nil, { command = "ask" }), "ask",
      { text = "fine-tune llama 3.1 8B with LoRA on 4-8 A100, 50k to 100k examples" })
    local text = rendered.render(report, "table", { width = 400 })
    assert.matches("devices 6 %(4 to 8%), examples%s+71,000 %(50,000 to 100,000%)", text)
    assert.matches("%-%-set devices=4%.%.8 %-%-set%s+examples=50000%.%.100000", text)
  end)

  it("has adapters under a load beside the model that is served", function()
    local known, answer = read("Serve 40 LoRA adapters of rank 16 on Llama 3.1 8B, 5 req/s, L40S")
    assert.same({ "llm", 40, 16, 5 }, { answer.about, known.adapters, known.rank, known.rate_per_s })
    assert.equal("finetune", (handed("fine-tune LoRA adapters of Llama 3.1 8B on 5000 examples, L40S")))
  end)

  it("has drafts of a replica of rented devices", function()
    local about, input = handed("Speculative decoding with EAGLE for Llama 3.3 70B at batch size 8 on 4xH100: how fast?")
    assert.same({ "replica", 3, 8 }, { about, input.plan.draft_tokens, input.load.concurrency })
  end)
end)

describe("a prompt about one replica", function()
  it("is answered in a line by what it asks for", function()
    for text, line in pairs({
      ["throughput of qwen2.5 72b awq on 2 a100 80gb at batch 64"] = "^%d+ tok/s of output from 64 clients",
      ["can we serve llama 405b in bf16 on 8 h100? if not what"] = "^it does not fit: .*; it does with weights in fp8, or on 16 devices$",
      ["llama 3.1 70b on 2 h100 nvl max concurrency at 16k"] = "^room for 5 clients at one time; ", -- (2 x 94 GB - 141 GB) / 5.4 GB, and room beside
      ["How long does llama 3.1 8B take to generate 1000 tokens on H100?"] = "^one answer of 1000 tokens takes %d+%.?%d* s; ",
      ["qwen3-32b on 2xA100 vs $0.3 api, cost per 1M tokens"] = "^an API at 0.3 USD per million tokens is dearer",
      ["fp8 vs int4 which is faster for llama 70b on 2 h100 at batch 1"] = "^INT4 is the fastest: %d+%.?%d* tok/s of output from 1 client",
      ["deepseek r1 fp8 min number of mi300x and tok/s"] = "^on %d+ devices; ",
      ["time to first token for 20k tokens RAG prompt on 8b with L40S"] = "^first token of one client after %d%.%d+ s; ",
      ["llama 8b h200 vs h100 cost per token"] = "^H100%-SXM%-80GB is the cheapest: ",
      ["tokens per watt h100 llama 70b"] = "^0%.%d+ output tokens a joule when full, ",
      ["$/Mtok llama 70b h200 fp8"] = "^%d+%.?%d* USD per million tokens of output: ",
      ["how many requests per day can one 4090 do w/ qwen 14b int4, 1k/250"] = "^%d+ thousand requests a day when full; ",
      ["how many tokens per dollar on a100 with llama 8b"] = "^%d+%.?%d* million output tokens for a USD when full; ",
      ["what tensor parallel for 32B at 50ms/token on A10G 24GB"] = "^tp 4; ",
      ["MI300X vs H200 for serving llama 70b"] = "^[MH][I2][03]%w+%-?%w*%-?%w* is the fastest: .*; [MH]",
    }) do
      assert.matches(line, answered(text), text)
    end
  end)

  it("has drafts of one size or another, and lengths with a sign of plus", function()
    local about, input, prompt = handed("spec decoding on llama 70b with 8b or 1b draft")
    assert.same({ "replica", 3, {} }, { about, input.plan.draft_tokens, prompt.unread })
    local _, given = ask.understood({ text = "5M requests per month of 1000+200 tokens on llama 8b h100" })
    assert.same({ 1000, 200 }, { given.input_tokens, given.output_tokens })
  end)

  it("has a peak that is said, and no time behind the comma of an each", function()
    local _, given = ask.understood({ text = "300 rps peak of 700 token prompts and 80 token answers with a 3B, how many L40S?" })
    assert.same({ 300, 1, 700, 80 }, { given.rate_per_s, given.peak_ratio, given.input_tokens, given.output_tokens })
    local about, input = handed("GRPO 32B, 64 H100, 1k prompts per step, 16 samples, 8k tokens each, seconds per step")
    assert.same({ "finetune", 16, 8000, 16000 }, { about, input.generation.completions, input.generation.output_tokens, input.batch })
  end)

  it("has times behind their names, and lengths behind a model with a release", function()
    local _, said = ask.understood({ text = "SLA p95 ttft 500 ms tpot 30ms llama 3.1 70b 1500/300 8 rps" })
    assert.same({ 0.5, 0.03, 95, 1500, 300, 8 }, { said.ttft_s, said.tpot_s, said.percentile, said.input_tokens, said.output_tokens, said.rate_per_s })
  end)

  it("has the time of a whole answer", function()
    local _, said = ask.understood({ text = "99p latency < 3s for full 200 token answer on 8B at 20 rps, A100" })
    assert.same({ 3, 99, 200 }, { said.e2e_s, said.percentile, said.output_tokens })
  end)

  it("has a share of the users who are there at one time", function()
    local kind, said = ask.understood({ text = "serving Qwen 72B for 20k employees, peak 3% concurrent" })
    assert.same({ "llm", 0.03 }, { kind.name, said.active_frac or said.concurrency / 20000 })
  end)

  it("has what each of the users asks behind them, and what completes code", function()
    local _, given = ask.understood({ text = "10k users, 20 a day, llama 8b on L40S" })
    assert.equal(20, given.requests_per_user_day)
    local kind, typing = ask.understood({ text = "gpus for an LLM autocomplete in IDE, 200k developers" })
    assert.equal("llm", kind.name)
    local typed = facts.of(kind, typing)
    assert.same({ "completion", 7e9, 40 }, { typed.use, typed.params, typed.output_tokens })
  end)
end)

describe("a prompt offline", function()
  it("is of a decoder that names classes, and of what is written", function()
    local about, input = handed("classify 50 million reviews with llama 8b, 200 tokens each, on 4 H100")
    assert.same({ "batch_job", 200, 10 }, { about, input.load.input_tokens, input.load.output_tokens })
    local _, written = handed("generate synthetic data 10B tokens with qwen3-235b on 32 H100, days?")
    assert.near(1e10, written.prompts * written.load.output_tokens, 1)
  end)
end)

describe("a prompt about passages", function()
  it("has them as long as it says", function()
    local _, input = handed("rerank 100 documents of 512 tokens per query with bge-reranker-large at 50 queries per second on L4")
    assert.same({ 100, 512 }, { input.documents, input.document_tokens })
  end)

  it("reads what comes and what is written in the same time", function()
    local function said(text) return grammar.read(text, { lenient = true }).facts end
    for _, text in ipairs({ "llama 3.1 8B on H100, 2M tokens per minute in and 200k out", "2M input tokens per minute and 200k output tokens llama 8b",
      "2M tokens per minute input and 200k output, llama 8b" }) do
      local f = said(text)
      assert.near(2e6 / 60, f.tokens_per_s, 1e-9, text)
      assert.near(2e5 / 60, f.output_tokens_per_s, 1e-9, text)
      assert.is_nil(f.output_tokens, text)
    end
  end)

  it("reads lengths behind the word for several, and the peak as the answer calls it", function()
    local function said(text) return grammar.read(text, { lenient = true }).facts end
    local f = said("llama 8b on L4, 5 rps, prompts 1500, answers 350, peak over mean 2")
    assert.same({ 1500, 350, 2 }, { f.input_tokens, f.output_tokens, f.peak_ratio })
    assert.is_nil(f.items)
    assert.equal(1.5, said("llama 8b on L4, 5 rps, 1500/350, a peak over the mean of 1.5").peak_ratio)
  end)

  it("reads a second price of an API whose currency stands with the first", function()
    local text = "8B on L4 or an API at 0.2 USD per million input tokens and 0.6 per million output tokens, 10M requests a month of 1000 in and 200 out"
    local f = grammar.read(text, { lenient = true }).facts
    assert.same({ 0.2, 0.6 }, { f.usd_mtok_input, f.usd_mtok_output })
  end)

  it("reads the peak of a rate of tokens, and what each may ask by the minute", function()
    local function said(text) return grammar.read(text, { lenient = true }).facts end
    for _, words in ipairs({ "250k TPM peak", "peak 250k tokens per minute", "250k tokens per minute at peak", "a peak of 250k tokens per minute" }) do
      local f = said("llama 8b on L4, " .. words .. ", 1500 tokens in and 500 out")
      assert.near(250e3 / 60, f.tokens_per_s, 1e-9, words)
      assert.equal(1, f.peak_ratio, words)
    end
    assert.is_nil(said("4k tokens per second at peak on 8 H100, llama 70b, is that normal?").peak_ratio)
    for _, words in ipairs({ "50 users, 4000 tokens per minute each", "50 users at 4000 tokens per minute per user", "4000 tokens per minute for each of 50 users" }) do
      local f = said("llama 8b on L4, " .. words .. ", 1500 tokens in and 500 out")
      assert.near(50 * 4000 / 60, f.tokens_per_s, 1e-9, words)
      assert.same({}, { f.users, f.tpot_s }, words)
    end
    -- By the second, or where they read, it is how fast an answer is written.
    assert.near(1 / 30, said("llama 8b on L4, 50 users, 30 tok/s each").tpot_s, 1e-9)
    assert.near(60 / 300, said("llama 8b on L4, 50 concurrent users reading 300 tokens per minute each").tpot_s, 1e-9)
  end)

  -- Who thinks is there all the time: a round is an answer and the thought. Who asks every so often is not.
  it("reads the time to think of users, and no SLO of it", function()
    local function said(text) return grammar.read(text, { lenient = true }).facts end
    for _, text in ipairs({ "2000 users with a think time of 20 s, llama 8b on H100", "2000 users thinking for 20 s, llama 8b", "2000 users, 20 s of thinking, TTFT 1 s, llama 8b" }) do
      local f = said(text)
      assert.same({ 2000, 20 }, { f.concurrency, f.interval_s }, text)
      assert.is_nil(f.slo_s, text)
    end
    local each = said("5000 concurrent sessions of llama 3.1 8B on H100, a message every 45 s each")
    assert.near(5000 / 45, each.rate_per_s, 1e-9) -- who are there at one time are the peak
    assert.equal(5000, each.concurrency)
    for _, row in ipairs({ { "500 users thinking 20 s between questions, llama 8b", 20 }, { "500 users pausing 20 s between messages, llama 8b", 20 },
      { "500 users, each thinks for a minute, llama 8b on L4", 60 }, { "500 users with a think time of a minute, llama 8b on L4", 60 } }) do
      local f = said(row[1])
      assert.same({ 500, row[2] }, { f.concurrency, f.interval_s }, row[1])
    end
    assert.is_nil(said("200 users, response in 10 s thinking included, llama 70b").interval_s)
    assert.is_nil(said("reasoning model that thinks for 20 s, 200 users, llama 70b").interval_s)
  end)

  it("reads how many tokens of prompts there are for each of answers", function()
    for _, text in ipairs({ "our bill is 18,000 USD a month for a 70B on H100, about 3 to 1 input to output, bring it down",
      "70B on H100 at 10 rps, input output ratio 3:1", "70B on H100 at 10 rps, 3:1 input:output" }) do
      local f = grammar.read(text, { lenient = true }).facts
      assert.same({ 900, 300 }, { f.input_tokens, f.output_tokens }, text)
    end
    local f = grammar.read("70B on H100 at 10 rps, prompts of 2000 tokens, 4:1 input to output", { lenient = true }).facts
    assert.same({ 2000, 500 }, { f.input_tokens, f.output_tokens })
  end)

  it("reads the context that is in every prompt as its length", function()
    local input = select(2, ask.handed_over({ text = "replica: 8B on H100, each user has 8k of history, how many users" }))
    assert.equal(8000, input.load and input.load.input_tokens or input.context_tok)
    local answer = ask.run({ text = "RAG with 6k tokens of context and 300 token answers, 0.5 rps, 8B on H100", brief = true })
    assert.equal(6000, answer.known and answer.known.input_tokens or answer.values.input_tokens)
  end)

  it("spreads the requests of a monthly bill over the month", function()
    local text = "What's the monthly cost of serving %s requests of 2k in and 400 out on Qwen3-32B with H100s?"
    local input = select(2, ask.understood({ text = text:format("3M") }))
    assert.near(3e6 / (730 * 3600), input.rate_per_s, 1e-6)
    assert.equal(10, select(2, ask.understood({ text = text:format("10 requests per second,") })).rate_per_s)
  end)

  it("counts the calls of every task", function()
    local rate = grammar.read("agent does 1000 tasks per hour with 5 LLM calls each, llama 70b on H100", { lenient = true }).facts.rate_per_s
    assert.near(5000 / 3600, rate, 1e-9)
  end)

  it("reads lengths behind a load", function()
    local function lengths(text)
      local f = grammar.read(text, { lenient = true }).facts
      return { f.input_tokens or f.seq_len, f.output_tokens }
    end
    assert.same({ 1e5, 1e3 }, lengths("1 request per second with 100k token prompts and 1k answers on 8 H200, deepseek v3"))
    assert.same({ 1024, 1024 }, lengths("64 concurrent requests 1024 in 1024 out llama 8b h100"))
    assert.same({ 3e3, 60 }, lengths("coding assistant with qwen3 32b on H100, 50 users, 3k context 60 tokens out"))
  end)
end)
