-- Prompts in five steps: each kind against numbers worked out by hand, proposals and what is given, follow-ups,
-- contradictions.
local ask = require("ballpark.questions.ask.run")
local catalog = require("ballpark.catalog")
local check = require("ballpark.questions.check.run")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local facts = require("ballpark.questions.ask.facts")
local fit = require("ballpark.questions.fit.run")
local grammar = require("ballpark.questions.said.grammar")
local kinds = require("ballpark.questions.ask.kinds")
local page = require("ballpark.questions.ask.page")
local prices = require("ballpark.catalog.prices")
local product = require("ballpark.uncertain.product")
local report = require("ballpark.report")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")
local show = require("ballpark.questions.ask.show")
local tables = require("ballpark.tables")
local trainings = require("ballpark.questions.comparables.trainings")

local function values(text, given) return ask.run({ text = text, facts = given }).values end

-- The facts of a prompt with what is proposed, without its answer.
local function known_of(text, given)
  local kind, all, _, more = ask.understood({ text = text, facts = given })
  return facts.of(kind, all, more.spans), kind.name
end

describe("a fact that is given as a range", function()
  local TEXT <const> = "train a 7B model with 256 H100"
  local said = ask.run({ text = "train a 7B model on 1T to 2T tokens with 256 H100" })

  it("widens the answer as one in words does", function()
    local given = ask.run({ text = TEXT, facts = { tokens = { low = 1e12, high = 2e12 } } })
    assert.same(said.ranges, given.ranges)
    assert.same("tokens", given.drivers[1].name:lower())
    -- A number by name goes over a range of the words.
    local number = ask.run({ text = "train a 7B model on 1T to 2T tokens with 256 H100", facts = { tokens = 1.5e12 } })
    assert.is_nil(number.spans.tokens)
    local _, counted = ask.understood({ text = "train 7B on 1T tokens", facts = { devices = { low = 128, high = 256 } } })
    assert.equal(181, counted.devices)
    assert.matches("starts above its end", errors.catch(ask.run, { text = TEXT, facts = { tokens = { low = 2e12, high = 1e12 } } }))
    assert.matches("must be a name", errors.catch(ask.run, { text = TEXT, facts = { device = { low = 1, high = 2 } } }))
    assert.matches("at most 1", errors.catch(ask.run, { text = TEXT, facts = { tokens = 1e12, mfu_frac = { low = 0.3, high = 1.4 } } }))
  end)

  it("stays one in what goes on, and where several devices stand beside each other", function()
    local on = ask.run({ text = "train a 7B model on 1T to 2T tokens with 256 H100; then half the tokens; then 3T tokens" })
    assert.is_nil(on.spans.tokens) -- the last has a number
    assert.near(0.5e12, on.stages[1].spans.tokens.low, 1)
    assert.near(1e12, on.stages[1].spans.tokens.high, 1)
    local parts = ask.parts({ text = "train a 7B model on 1T to 2T tokens with 256 H100 or 256 A100" })
    for _, part in ipairs(parts) do assert.same({ 1e12, 2e12 }, { part.facts.tokens.low, part.facts.tokens.high }) end
  end)

  it("stays one under the name that a kind has for it", function()
    local _, given, _, more = ask.understood({ text = "train 7B on 1T tokens within 10 to 20 days" })
    assert.near(864000, more.spans.time_s.low, 1)
    assert.near(math.sqrt(200) * 86400, given.time_s, 1)
  end)
end)

describe("a document to follow", function()
  local cli = require("ballpark.cli.ask")
  local json = require("ballpark.json")

  local function refusal(document)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(json.encode(document))
    file:close()
    local refused = tostring(errors.catch(cli.run, { follow = path, prompt = { "with 512 H100" }, set = {}, also = {}, define = {}, format = "table", yes = true }))
    os.remove(path)
    return refused
  end

  -- What a follow-up looks at of an answer.
  local function document()
    return { facts = { answer = { values = { about = "training" } }, given = { values = { tokens = 1.4e12 }, range = { tokens = { low = 1e12, high = 2e12 } } } } }
  end

  it("is refused where anything of it is another thing than an answer has there", function()
    for _, path in ipairs({ { "facts" }, { "facts", "answer" }, { "facts", "answer", "values" }, { "facts", "answer", "values", "about" },
      { "facts", "given" }, { "facts", "given", "values" }, { "facts", "given", "range", "tokens" }, { "facts", "given", "range", "tokens", "low" } }) do
      for _, wrong in ipairs({ 1, true, "x", json.object({}), json.array({ 1 }) }) do
        local mutated = document()
        local inner = mutated
        for at = 1, #path - 1 do inner = inner[path[at]] end
        inner[path[#path]] = wrong
        local is_whole = path[#path] == "values" and path[2] == "given" and type(wrong) == "table" and next(wrong) == nil -- of a prompt without facts
          or path[#path] == "low" and wrong == 1
        if not is_whole then
          assert.matches("is no answer of 'ballpark ask %-f json'", refusal(mutated), table.concat(path, ".") .. " " .. tostring(wrong))
        end
      end
    end
  end)
end)

describe("several prompts", function()
  it("are read before the first is answered", function()
    assert.matches("does not understand", errors.catch(ask.parts, { parts = { { text = "train 7B on 1T tokens" }, { text = "1k" } } }))
    assert.equal(2, #ask.parts({ parts = { { text = "train 7B on 1T tokens with 8 H100 or 8 A100" }, { text = "chat of 8B for 1000 users" } } }))
  end)
end)

describe("how often each of the users asks", function()
  -- What lies between two requests of each, by words.
  local function between(words)
    local read = grammar.read(("GPUs for %s with llama 3.1 8b"):format(words), { lenient = true })
    assert.same({}, read.unread)
    return read.facts.interval_s, read
  end

  it("is read without a number", function()
    for words, seconds in pairs({
      ["each asks once a minute"] = 60, ["each asks once per minute"] = 60, ["each asks once an hour"] = 3600, ["each asks once a day"] = 86400,
      ["each twice a minute"] = 30, ["each asks twice daily"] = 43200, ["each asks thrice a day"] = 28800, ["each asks every minute"] = 60,
      ["every minute each"] = 60, ["asking every second"] = 1, ["who ask every half minute"] = 30, ["a question every half hour"] = 1800,
      ["each asks every hour"] = 3600, ["each asks every day"] = 86400, ["each asks every other minute"] = 120, ["each asks every second minute"] = 120,
      ["each asks once every 2 minutes"] = 120, ["a question once an hour"] = 3600, ["who use it once a day"] = 86400,
    }) do
      assert.equal(seconds, between("2000 users, " .. words), words)
      local _, there = between("500 concurrent users, " .. words)
      assert.near(500 / seconds, there.facts.rate_per_s, 1e-6, words)
    end
    local _, monthly = between("2M MAU, each asks once a week")
    assert.near(365 / 12 / 7, monthly.facts.requests_per_user_month, 1e-3)
    -- Who is there every day is no request a day.
    assert.is_nil(between("2M people who use it every day"))
  end)

  it("is that of what is counted behind it, or is not read", function()
    assert.near(5, grammar.read("every minute 300 requests to llama 8b", { lenient = true }).facts.rate_per_s, 1e-9)
    local read = grammar.read("llama 8b for 2000 users, reindexed every hour", { lenient = true })
    assert.is_nil(read.facts.interval_s)
    assert.matches("every hour", table.concat(read.unread, ", "))
    assert.equal(43200, grammar.read("storage for a checkpoint twice a day of 8b", { lenient = true }).facts.every_s)
  end)

  it("keeps its range, and that of all that stands behind it", function()
    local _, read = between("2000 users, each asks every 30 to 60 seconds")
    assert.same({ low = 30, high = 60 }, read.spans.interval_s)
    -- Said as another fact: per month, a day, of all who are there, of each of them.
    local function ends(text, name)
      local span = grammar.read(text, { lenient = true }).spans[name]
      return span and { tonumber(("%.4g"):format(span.low)), tonumber(("%.4g"):format(span.high)) }
    end
    assert.same({ 10.14, 15.21 }, ends("100k monthly users, each every 2 to 3 days", "requests_per_user_month"))
    assert.same({ 0.4286, 0.7143 }, ends("10k users, 3 to 5 sessions a week", "requests_per_user_day"))
    assert.same({ 83.33, 166.7 }, ends("5000 concurrent users sending 1 to 2 requests per minute", "rate_per_s"))
    assert.same({ 33.33, 166.7 }, ends("2000 to 5000 concurrent users sending 1 to 2 requests per minute", "rate_per_s"))
    assert.same({ 60, 96 }, ends("5 to 8 rps each for 12 customers", "rate_per_s"))
    assert.same({ 60, 100 }, ends("5 rps each for 12 to 20 customers", "rate_per_s"))
    assert.same({ 50, 100 }, ends("10 to 20 tasks per second, 5 requests per task", "rate_per_s"))
    local ranges = ask.run({ text = "GPUs for 20 users with llama 3.1 8b, each asks every minute, on L4" }).ranges
    assert.is_true(ranges.peak_per_s.low < ranges.peak_per_s.high) -- that of the peak
    assert.is_nil(ranges.rate_per_s)
    -- From one request to the next; of who thinks, a second to the first token and 300 at 50 ms, and the thought.
    local there = known_of("GPUs for 20 concurrent users with llama 3.1 8b, each asks every 30 to 60 seconds, on L4"):entry("rate_per_s")
    assert.near(20 / 60, there.low, 1e-6)
    there = known_of("GPUs for 20 concurrent users with llama 3.1 8b, 30 to 60 seconds of thinking, on L4"):entry("rate_per_s")
    assert.near(20 / (1 + 300 * 0.05 + 60), there.low, 1e-6)
  end)
end)

describe("a prompt about training", function()
  local answer = ask.run({ text = "Train a model of 7 B on 1 T tokens: how long, how many GPUs, what does it cost?" })

  it("has the rule of thumb beside the estimate", function()
    assert.equal("training", answer.about)
    assert.near(4.2e22, answer.values.rule_flop, 1e9)
    assert.equal(7e9 * 16, answer.values.states_bytes)
    -- The estimate's device time at its own MFU is the FLOP that are counted over the peak.
    assert.is_true(answer.values.device_s > 0.5 * answer.values.rule_device_s
      and answer.values.device_s < 2 * answer.values.rule_device_s)
    assert.is_true(answer.values.run_s <= 30 * 86400)
    assert.near(answer.values.device_s / 3600 * 3.9, answer.values.cost, 1)
    assert.is_true(answer.fits)
  end)

  it("reads powers of ten and words for them as the number that they are", function()
    local function read(text, fact) return grammar.read(text, { lenient = true }).facts[fact] end
    for _, written in ipairs({ "2 x 10^12", "2×10^12", "2·10¹²", "2 × 10¹²", "2*10**12", "2 x 10^{12}", "2e12", "2 tn", "2 trn",
      "2000 bn", "2\u{202f}000\u{202f}000\u{a0}000\u{a0}000" }) do
      assert.equal(2e12, read("train a 70B model on " .. written .. " tokens with 512 H100", "tokens"), written)
    end
    assert.equal(2^40, read("train a 70B model on 2^40 tokens with 512 H100", "tokens"))
    for _, written in ipairs({ "10^7", "1x10^7", "10⁷", "10 mn", "10 mln", "10mln", "10 MM", "10MM", "10 mil", "10 mill", "10 mio.", "100 lakh",
      "1 crore", "1,00,00,000", "10'000'000", "10 000 000", "0.01 bln", "10 mega" }) do
      assert.equal(1e7, read("storage of embeddings for " .. written .. " users", "users"), written)
    end
    assert.equal(1500250, read("storage of embeddings for 1 500 250 users", "users"))
    assert.equal(1500, read("storage of embeddings for 1.500 users", "users"))
    assert.equal(1500, read("storage of embeddings for 1.500 daily users", "users"))
  end)

  it("reads no nodes as none, wherever they stand beside devices", function()
    for _, text in ipairs({ "train 7B on 8 H100 with 0 nodes", "train 7B on 0 nodes of 64 H100", "train 7B on 0 nodes, 64 H100",
      "chat assistant of 70B for 8 GPUs on 0 nodes", "train 7B on 0 nodes" }) do
      local ok, refusal = pcall(ask.run, { text = text })
      assert.is_true(ok or errors.is(refusal), text .. ": " .. tostring(refusal))
    end
  end)

  it("ends where the FLOP of a run are no number, and refuses its tokens by name", function()
    local ok, refusal = pcall(ask.run, { text = "train 7B on 1e308 tokens on 8 H100" })
    assert.is_false(ok)
    assert.matches("job%.tokens: must be from 0 to 1e%+18 tok, got 1e%+308", tostring(refusal))
  end)

  it("says that a run on too many devices never ends, and refuses more than a network has", function()
    local got = ask.run({ text = "train a 7B on 1T tokens on 250000 H100 in 3 days for $1M, 10 runs" })
    assert.is_false(got.fits)
    assert.equal("run", got.contradictions[1].code)
    assert.matches("the run never ends; nothing is left of the time", got.headline)
    assert.is_nil(got.values.device_s)
    for _, devices in ipairs({ 100000001, math.maxinteger }) do
      assert.matches("devices: must be at most 100000000", (errors.catch(ask.run,
        { kind = "training", facts = { params = 7e9, tokens = 1e12, devices = devices } })))
    end
  end)

  it("says which MFU time and money need", function()
    local given = { params = 30e9, tokens = 600e9, device = "H100", devices = 128, time_s = 30 * 86400, cost_usd = 2e6,
      usd_h = 4 }
    local got = ask.run({ kind = "training", facts = given }).values
    assert.near(6 * 30e9 * 600e9 / (128 * 989e12 * 30 * 86400), got.needed_mfu_frac, 1e-5)
    assert.equal(694, got.bought_devices) -- 2e6 / (4 * 720)
    assert.near(6 * 30e9 * 600e9 / (694 * 989e12 * 30 * 86400), got.bought_mfu_frac, 1e-5)
  end)

  it("spends a computation that is said on 20 tokens for each parameter, or on the size that is said", function()
    local best = ask.run({ text = "chinchilla optimal for 1e24 FLOP" })
    assert.near(1e24, best.values.rule_flop, 1e16)
    assert.near(math.sqrt(1e24 / 120), best.known.params, 1e9) -- in two digits
    local sized = ask.run({ kind = "training", facts = { flop = 6e22, params = 10e9, devices = 256 } })
    assert.near(1e12, sized.known.tokens, 1)
  end)

  it("is no rental where a price by the hour stands beside what is to be trained", function()
    for _, text in ipairs({ "what can we train on 64 H100 at 2 USD an hour for 400k USD", "how big a model can we train on 64 H100 at 2 USD an hour for 400k USD",
      "largest model to train for 400k USD, 64 H100 at 2 USD per hour", "train the largest model on 64 H100 at 2 USD an hour with 400k USD",
      "we have 400k USD and 64 H100 at 2 USD an hour: what size of model can we train" }) do
      local kind, said = ask.understood({ text = text })
      assert.same({ "training", 2, 4e5, 64 }, { kind.name, said.usd_h, said.cost_usd, said.devices }, text)
    end
    for _, text in ipairs({ "rent 64 H100 for a training run, 2 USD an hour, 400k USD", "what do 64 H100 at 2 USD an hour cost for a month" }) do
      assert.equal("rent", (ask.understood({ text = text })).name, text)
    end
  end)

  it("of several runs says, and holds against time and money, what all of them take", function()
    local one = ask.run({ text = "train a 1.3B model on 26B tokens on 8 A100 at 2 USD an hour" }).values
    for _, text in ipairs({ "12 runs of a 1.3B model at 26B tokens each on 8 A100 at 2 USD an hour, total GPU hours and cost",
      "12 ablations of a 1.3B model on 26B tokens each on 8 A100 at 2 USD an hour, how many GPU hours?",
      "how many GPU hours to train twelve 1.3B models on 26B tokens each on 8 A100 at 2 USD an hour",
      "how many GPU hours to train 12 models of 1.3B on 26B tokens each on 8 A100 at 2 USD an hour" }) do
      local all = ask.run({ text = text })
      assert.near(12 * one.device_s, all.values.trials_device_s, 1, text)
      assert.near(24 * one.device_s / 3600, all.values.trials_usd, 0.01, text) -- twelve at 2 USD an hour
      assert.matches("^4,%d00 device%-hours", all.headline, text)
    end
    local drawn = ask.run({ text = "12 runs of a 1.3B model at 26B tokens each on 8 A100, how much energy?" })
    assert.near(12 * one.energy_j, drawn.values.trials_energy_j, 1)
    assert.matches("^1%.8%d MWh", drawn.headline)
    -- 22 days in all: 7 are too few, 30 are not, though one run takes two.
    for _, row in ipairs({ { "deadline 7 days", { "deadline" } }, { "deadline 30 days", {} }, { "budget 5000 USD", { "budget" } },
      { "budget 20000 USD", {} }, { "deadline 7 days, budget 5000 USD", { "deadline", "budget" } } }) do
      local got, codes = ask.run({ text = "12 runs of a 1.3B model at 26B tokens each on 8 A100, " .. row[1] }), {}
      for i, each in ipairs(got.contradictions) do codes[i] = each.code end
      assert.same(row[2], codes, row[1])
    end
    local got = ask.run({ text = "12 runs of a 1.3B model at 26B tokens each on A100 in 7 days" }).values
    assert.is_true(got.trials_s <= 7 * 86400 and got.devices > 8)
  end)

  it("says what the run draws from the net", function()
    local got = ask.run({ text = "how much energy does training a 70B on 2T tokens on 1024 H100 use" })
    assert.near(got.values.device_s * 700 * 1.1, got.values.energy_j, 1)
    assert.same({}, got.unread)
  end)

  it("takes a discount off the price that is proposed, and off its range", function()
    local list = ask.run({ text = "train 7B on 1T tokens on 128 H100" })
    local off = ask.run({ text = "train 7B on 1T tokens on 128 H100 with a 60% discount" })
    assert.near(0.4 * list.values.cost, off.values.cost, 1)
    local all, cut = list.known:entry("usd_h"), off.known:entry("usd_h")
    assert.near(0.4 * all.low, cut.low, 1e-9)
    assert.near(0.4 * all.high, cut.high, 1e-9)
  end)

  it("has the device time at a share of the peak that is said", function()
    local said = ask.run({ text = "How many A100-80GB hours does it take to train a 1.3B model on 300B tokens at 40% MFU?" })
    assert.near(6 * 1.3e9 * 300e9 / (312e12 * 0.4), said.values.rule_device_s, 1)
    assert.same({}, said.unread)
  end)

  it("is read with slips in it, and says how", function()
    local slipped = ask.run({ text = "trian a 3B model on 500 billoin tokens with 32 A100 how long" })
    assert.near(6 * 3e9 * 500e9, slipped.values.rule_flop, 1)
    local notes = table.concat(slipped.assumed, "; ")
    assert.matches("'trian' is read as 'train'", notes)
    assert.matches("'billoin' is read as 'billion'", notes)
    -- Another letter in a place is another word.
    assert.equal(0, #ask.run({ text = "score 7B on 1T tokens, train it on 64 H100" }).notes)
  end)

  it("says in the head what does not go", function()
    local bad = ask.run({ text = "30B on 128 H100, 600B tokens, 10 days, 100k USD" })
    assert.is_false(bad.fits)
    assert.equal("deadline", bad.contradictions[1].code)
    assert.equal("budget", bad.contradictions[2].code)
    local none = ask.run({ text = "train 70B on 2 H100" })
    assert.equal("memory", none.contradictions[1].code)
    assert.equal(14, none.values.least_devices) -- 70e9 * 16 / 80 GiB
  end)
end)

describe("a prompt about a network", function()
  it("is answered for it, in words as people write it", function()
    for words, network in pairs({ ["connected with 100 Gbit/s ethernet"] = "100 Gb/s ethernet", ["over 200 Gb/s InfiniBand"] = "200 Gb/s infiniband",
      ["with 8x 400 Gb/s RoCE"] = "8x 400 Gb/s roce", ["with 25 GbE network"] = "25 GbE network", ["over InfiniBand"] = "infiniband",
      ["with Ethernet at 100 Gb/s per GPU"] = "100 Gb/s ethernet per gpu", ["with 50 GB/s InfiniBand per GPU"] = "50 GB/s infiniband per gpu" }) do
      assert.equal(network, known_of("train 7B on 1T tokens on 64 H100 " .. words).network, words)
    end
    assert.is_nil(known_of("train 7B on 100 GB of text with 64 H100").network)
    local plain, slow = values("train 70B on 1T tokens on 256 H100"), ask.run({ text = "train 70B on 1T tokens on 256 H100 with 100 Gb/s ethernet" })
    assert.is_true(slow.values.run_s > 1.2 * plain.run_s)
    assert.matches("12.5 Gbit/s per device", table.concat(slow.warnings, " "), 1, true)
    local _, tuned = ask.handed_over({ text = "fine-tune llama 3.1 70b on 16 H100 over 100 Gb/s ethernet, 5000 examples" })
    assert.equal("100 Gb/s ethernet", tuned.cluster.network)
  end)
end)

describe("a price behind a question", function()
  it("is no question of its own", function()
    for _, price in ipairs({ ": days and cost at $1.80/h", ", and what would it cost at 1.8 dollars per GPU hour?" }) do
      local text = "pretrain a 7B model on 1T tokens with 256 A100 40GB" .. price
      assert.is_nil(ask.parts({ text = text }), price)
      assert.equal(1.8, known_of(text).usd_h, price)
    end
  end)
end)

describe("a prompt about recommendations", function()
  it("ranks so many candidates as are said", function()
    local function flop(words) return values("feed ranking: 5k rps, 80 ms" .. words).request_flop end
    assert.near(2000 / 270, flop(", 2000 candidates per request") / flop(""), 1e-6)
  end)
end)

describe("a prompt about stored vectors", function()
  it("counts what it names", function()
    local got = values("store 768-dim fp16 embeddings for 4B images, 3 copies, growing 5% per month for 2 years")
    assert.near(4e9 * 768 * 2, got.raw_bytes, 1)
    local parts = ask.run({ text = "an 8B assistant for 250k daily users; also embed 50M docs of 300 tokens; and keep the vectors for a year" }).parts
    assert.equal("storage", parts[3].about)
    assert.equal(50e6, parts[3].known.vectors)
  end)

  it("of texts has an encoder of texts, whoever writes the answers", function()
    local parts = ask.run({ text = "RAG over 10M chunks, 50 qps, llama 8B answers of 300 tokens, first token in 2 s" }).parts
    assert.equal("bge-large-en-v1.5", parts[1].known.model)
    assert.equal(2, parts[2].known.ttft_s)
    assert.matches("given", parts[2].known:entry("ttft_s").why)
  end)
end)

describe("a prompt whose numbers leave nothing over", function()
  it("has one checkpoint at the end of a run shorter than the interval", function()
    for _, text in ipairs({ "checkpoints of a 70B every 2 hours for 1 hour", "checkpoints of a 7B, run of 1 hour" }) do
      assert.equal(1, values(text).written, text)
    end
    assert.near(405e9 * 14 / 60, values("save a 405B checkpoint in 60 seconds").write_bytes_s, 1e10)
  end)

  it("has a speed of each device as a share of its peak, and that of the format", function()
    local _, given = ask.understood({ text = "train 7B on 1T tokens, 64 A100 at 140 TFLOPs per GPU" })
    assert.near(140 / 312, given.mfu_frac, 1e-3)
    local shown = result.new({})
    show.answer(shown, ask.run({ text = "matmul of 8192x8192x8192 in fp8 on H100" }))
    assert.matches("of 1.979 PFLOP/s", report.render(shown, "table", { width = 1000 }))
  end)

  it("has the MFU of a deadline on devices that nobody rents", function()
    local got = values("train 7B on 100B tokens with 16 MI250X in a month")
    assert.is_nil(got.cost)
    assert.is_true(got.needed_mfu_frac > 0)
    assert.is_true(values("train 7B on 100B tokens with 64 Gaudi3 in 10 days").needed_mfu_frac < 0.1)
  end)
end)

describe("a prompt about an encoder of a size", function()
  it("is of passes, not of a service that writes", function()
    for _, row in ipairs({
      { "300M-parameter encoder, 5000 texts/s of 64 tokens on T4", "encode", { params = 3e8, rate_per_s = 5000, seq_len = 64, device = "T4" } },
      { "an encoder of 110M parameters, 2000 requests/s of 128 tokens on A10G", "encode", { params = 1.1e8, rate_per_s = 2000, seq_len = 128 } },
      { "embedding model of 7B parameters, 300 docs/s", "encode", { params = 7e9, rate_per_s = 300 } },
      { "encoder model 335M, 10k requests per second, 128 tokens, L4", "encode", { params = 3.35e8, rate_per_s = 1e4, seq_len = 128 } },
      { "image classifier with 300M parameters, 500 images per second", "encode", { params = 3e8, of_images = "yes" } },
      { "embed 1B documents with a 7B embedding model on 8 H100", "corpus", { params = 7e9, items = 1e9, devices = 8 } },
      { "classify 1000 texts per second with a 7B LLM", "llm", { params = 7e9, rate_per_s = 1000 } },
      { "a 770M encoder-decoder, 100 requests per second", "llm", { params = 7.7e8 } },
    }) do
      local kind, given = ask.understood({ text = row[1] })
      assert.equal(row[2], kind.name, row[1])
      for name, value in pairs(row[3]) do assert.equal(value, given[name], row[1] .. ": " .. name) end
    end
  end)

  it("has the layers of the nearest encoder, and the parameters that are said", function()
    for _, params in ipairs({ 6e7, 1.1e8, 3e8, 1e9, 7e9 }) do
      local got = ask.run({ kind = "encode", facts = { params = params, seq_len = 128, rate_per_s = 100.0, device = "H100" } }).values
      assert.near(params, got.total_params, 0.02 * params)
      -- A pass is two FLOP for each parameter that multiplies and for each token, beside attention.
      assert.is_true(got.item_flop < 2.2 * params * 128 and got.item_flop > params * 128)
    end
  end)

  it("has no training", function()
    for _, text in ipairs({ "pretrain bert-large on 137B tokens with 16 V100", "train bert-large on 137B tokens with 16 V100",
      "pretraining of roberta-base on 2T tokens, 1024 V100", "how long to pre-train ModernBERT-base on 1T tokens with 8 H100" }) do
      assert.matches("training models that write text", errors.catch(ask.understood, { text = text }))
    end
    assert.equal("corpus", (ask.understood({ text = "embed a pretraining corpus of 1T tokens with bge-large on 64 H100" }).name))
  end)
end)

describe("a prompt about an encoder without a load", function()
  it("has an SLO that a slow device keeps with few, where nobody says one", function()
    local text = "classify 300k emails per day of 700 tokens with llama 8b on "
    local got = ask.run({ text = text .. "L4" })
    assert.is_true(got.values.replicas >= 3 and got.values.replicas <= 10, got.values.replicas)
    assert.equal("T4 does not hold it", ask.run({ text = text .. "T4" }).headline)
  end)

  it("leads with what a device does", function()
    local answer = ask.run({ text = "how many texts of 512 tokens per second does bge-large-en-v1.5 embed on T4" })
    assert.equal("encode", answer.about)
    assert.equal(512, answer.known.seq_len)
    assert.matches("^" .. ("%.1f per s on a T4"):format(answer.values.per_s), answer.headline)
    assert.is_nil(ask.run({ text = "embed 100 texts of 512 tokens per second with bge-large on T4",
      facts = { rate_per_s = 100 } }).headline:find("on a T4"))
  end)
end)

describe("a prompt about a service", function()
  it("reads tokens of a corpus as those of all texts, and tokens beside texts as those of each", function()
    local all = ask.run({ text = "how much does it cost to embed 1B tokens with bge-large on an L4" })
    assert.equal("corpus", all.about)
    assert.near(1e9 / 512, all.known.items, 1)
    local each = ask.run({ text = "embed 5M texts, 300 tokens, with bge-base" })
    assert.same({ 5e6, 300 }, { each.known.items, each.known.seq_len })
  end)

  it("leads with the MFU that is said", function()
    local got = ask.run({ text = "how long does training a 3B on 200B tokens take on 64 H100 at 40% MFU" })
    -- 6 N D / (64 x 989 TFLOP/s x 0.4), and attention and goodput.
    local rule_s = 6 * 3e9 * 2e11 / (64 * 989e12 * 0.4)
    assert.is_true(got.values.stated_s > rule_s and got.values.stated_s < 1.15 * rule_s)
    local more = ask.run({ text = "how long does training a 3B on 200B tokens take on 64 H100 at 60% MFU" })
    assert.near(40 / 60, more.values.stated_s / got.values.stated_s, 1e-9)
    assert.is_true(got.values.stated_s > got.values.run_s and got.values.run_s > more.values.stated_s)
    local twice = ask.run({ text = "how long does training a 3B on 100B tokens for 2 epochs take on 64 H100" })
    assert.near(got.values.run_s, twice.values.run_s, 1e-6 * got.values.run_s)
  end)

  it("asks for the price of what nobody rents, where money is counted", function()
    for _, text in ipairs({ "our platform has 16 V100-32GB, 20 jobs a day of 6 hours on 1 GPU", "recommend with dlrm on 8 V100 32GB",
      "serve 8B on Gaudi3 with budget of 3000 dollars a month", "semantic search over 50M documents on V100 32GB",
      "hyperparameter sweep of 20 trials of 7B on V100 32GB", "serve llama 8b to 100 users on H100 PCIe" }) do
      assert.matches("^usd_h: [%w%-]+ has no price in the catalog", errors.catch(ask.run, { text = text }))
    end
    -- A card of one's own costs what it did over three years.
    assert.is_true(ask.run({ text = "how many users can I serve with 8B on RTX 4090 for 1000 dollars a month" }).fits)
  end)

  it("has users who ask every so often", function()
    local got = ask.run({ text = "serve mistral 7b, 50 users, each asks every 30 seconds, 500 in 300 out" })
    assert.near(50 / 30, got.values.rate_per_s, 1e-9)
  end)

  it("has prompts of a length beside users", function()
    local known = known_of("how many L40S to serve qwen2.5 32b awq for 50 concurrent users at 30 tok/s each with 4k prompts")
    assert.same({ 4000, 50 }, { known.input_tokens, known.concurrency })
  end)

  it("has no training of what it knows a pass of, and takes no price of tokens for a bill", function()
    assert.matches("of vit%-l%-16%-224 it knows what a pass costs", errors.catch(ask.run, {
      text = "train a ViT-L on ImageNet for 300 epochs on 8 A100" }))
    assert.is_nil(select(2, ask.understood({ text = "serve 70B with no more than 0.5 USD per million tokens" })).cost_usd)
  end)

  it("takes facts by name that are numbers, whichever question is asked", function()
    for name, value in pairs({ params = "x", memory_bytes = "abc", host_memory_bytes = {}, devices = true }) do
      assert.matches("^" .. name .. ": must be a number above 0", errors.catch(ask.run, { text = "llama-3.1-8b on an RTX 4090",
        facts = { [name] = value } }))
    end
    assert.is_true(ask.run({ text = "checkpoints of a 7B model", facts = { time_s = 1e25 } }).values ~= nil)
  end)

  it("goes from users to a rate and its peak", function()
    local got = ask.run({ text = "A chat assistant of 8 B for 10k daily users", facts = { device = "H100" } })
    assert.equal("llm", got.about)
    assert.near(1e4 * 5 / 86400, got.values.rate_per_s, 1e-9)
    assert.near(3 * 1e4 * 5 / 86400, got.values.peak_per_s, 1e-9)
    assert.near(got.values.rate_per_s * 2 / 5, got.ranges.rate_per_s.low, 1e-9)
    -- 2 N L, with the 8.03 billion parameters of the shape that is nearest.
    assert.near(2 * 8.03e9 * 1300, got.values.rule_flop, 1e-3 * got.values.rule_flop)
    assert.is_true(got.values.seen_ttft_s <= 1 and got.values.seen_tpot_s <= 0.05)
    assert.is_true(#got.levers > 3)
    local paid = ask.run({ text = "what would 9k USD per month buy us to serve llama 8B on H100?" })
    assert.is_true(paid.fits)
    assert.is_true(paid.values.cost_usd_month <= 9000)
    -- What the money buys: one per cent more requests take a replica more.
    local more = ask.run({ text = "llama 8B on H100", kind = "llm", facts = { rate_per_s = 1.02 * paid.values.rate_per_s } })
    assert.is_true(more.values.cost_usd_month > 9000)
    local streams = known_of("1 million daily users, 3% active at one time, each streaming 20 tok/s from a 8B on H100")
    assert.equal(30000, streams.concurrency)
    assert.near(30000 / (1 + 300 * 0.05), streams.rate_per_s, 1e-6) -- a first token within 1 s, 300 of 50 ms
    assert.is_nil(streams.requests_per_user_day)
    local tight = ask.run({ kind = got.about, facts = { params = 8e9, users = 1e4, device = "H100",
      budget_usd_month = 100 } })
    assert.equal("budget", tight.contradictions[1].code)
  end)

  it("counts images for a backlog", function()
    local got = ask.run({ text = "Moderate images: 1 M uploads an hour, burst 3x, done within 10 minutes, ViT-L" })
    assert.equal("encode", got.about)
    assert.near(1e6 / 3600 * 3, got.values.peak_per_s, 1e-9)
    assert.near(123e9, got.values.item_flop, 0.6e9)
    assert.is_true(got.values.wait_s <= 600)
    assert.equal(got.values.replicas, math.ceil(got.values.replicas))
    -- Of the same facts half the budget does not do.
    local half = ask.run({ kind = "encode", facts = { model = "vit-l-16-224", rate_per_s = 1e6 / 3600, peak_ratio = 3,
      within_s = 600, budget_usd_month = got.values.cost_usd_month / 2 } })
    assert.equal("budget", half.contradictions[1].code)
    assert.is_true(half.levers[1].saves_frac > 0)
  end)

  it("takes a budget without a time for a month's, of what is paid by the month", function()
    for _, text in ipairs({ "chat for 1000 users with an 8B", "search over 10M vectors", "2M images a day through ViT-L" }) do
      local answer = ask.run({ text = text .. ", budget 20 USD" })
      assert.equal(20, answer.known.budget_usd_month, text)
      assert.equal("budget", answer.contradictions[1].code, text)
      assert.is_true(require("ballpark.tables").contains(answer.assumed, "A budget without a time is of a month."), text)
    end
    assert.equal(20, known_of("train 1B on 20B tokens, budget 20 USD").cost_usd)
  end)

  it("ranks what is asked for, and says what is missing", function()
    local got = ask.run({ text = "Serve recommendations [100,000 QPS, 200 ms]" })
    assert.equal(1e5, got.values.rate_per_s)
    assert.same({ "the model" }, got.missing)
    assert.is_true(got.values.latency_s < 0.2)
    local vague = ask.run({ text = "Recommendations for a video site" })
    assert.same({ "traffic", "the SLO", "the model" }, vague.missing)
    assert.near(1e7 * 0.05 / 30, vague.values.rate_per_s, 1e-6)
    -- A feature store that takes as long as usual breaks it; one that is proposed suits the SLO, and a warning says so.
    local tight = "recommendations at 1000 QPS, 20 ms"
    assert.equal("slo", ask.run({ text = tight, facts = { features_s = 0.015 } }).contradictions[1].code)
    local suited = ask.run({ text = tight })
    assert.is_true(suited.fits)
    assert.near(0.002, suited.known.features_s, 1e-12)
    assert.matches("with the usual ones P99 is", suited.warnings[1])
  end)

  it("searches vectors behind an encoder", function()
    local got = values("Real-time embedding retrieval [50,000 QPS, 100 ms P99], CLIP-like, ANN over [500 M] items")
    assert.equal("clip-vit-l-14-text", got.model)
    assert.equal(500e6 * 768 * 4, got.raw_bytes)
    assert.is_true(got.latency_s < 0.1)
    assert.is_true(got.encoders >= 2 and got.servers >= 2)
  end)
end)

describe("a prompt about memory and jobs", function()
  it("stores embeddings and lets them grow", function()
    local got = values("Storage of embeddings for 1 B users, with 3 replicas and an index, growing 3 % a month",
      { index = "flat" })
    assert.equal(512e9, got.raw_bytes)
    assert.equal(1536e9, got.total_bytes)
    assert.near(1e9 * 1.03 ^ 12, got.later_entities, 1e6)
    assert.near(30e6 * 512 * 3, got.growth_month_bytes, 1e3)
    assert.equal(3, got.servers)
    assert.near(1536 * 5.3, got.cost_usd_month, 1e-6)
  end)

  it("cuts one matrix product", function()
    local got = values("One matrix product on [two GPUs of 24 GB]: does it fit, PP or TP, why; then training")
    assert.equal("RTX-4090", got.device)
    assert.equal(2 * (8192 * 8192 + 2 * 8192 * 28672), got.operand_bytes)
    assert.equal(2 * 8192 * 8192 * 28672, got.flop)
    -- Nobody multiplies faster than the peak, trained or not.
    local trained = ask.run({ kind = "matmul", facts = { device = "RTX-4090", training = "yes" } }).values
    assert.equal(3 * got.flop, trained.flop)
    assert.is_true(trained.flop / 3 / trained.gemm_s < 165.2e12)
    -- Column: A whole, W and Y halved. Row: A and W halved, Y whole.
    assert.equal(2 * (8192 * 8192 + 8192 * 28672), got.column_bytes)
    assert.equal(2 * (8192 * 8192 / 2 + 8192 * 28672 / 2 + 8192 * 28672), got.row_bytes)
    local eight = ask.run({ kind = "matmul", facts = { device = "A100", devices = 8, training = "yes" } })
    assert.is_true(eight.values.hidden_bytes > got.hidden_bytes)
    assert.matches("not one of", errors.catch(ask.run, { kind = "matmul", facts = { training = "maybe" } }))
  end)

  it("adds up a platform's jobs", function()
    local got = values("A fine-tuning platform [500 jobs a day of four kinds]")
    assert.near(500, got.jobs_per_day, 1e-9)
    -- 200 * 6 + 150 * 4 + 25 * 16 * 4 + 125 * 1 device-hours.
    assert.near(3525 * 3600, got.device_s, 1)
    assert.near(500 / 86400, got.starts_per_s, 1e-12)
    assert.near(500 / 24, got.cpu_cores, 1e-9)
    assert.equal(math.ceil(3525 / 24 / 0.7), got.devices)
    -- 200 * 50 GB * 14 + 150 * 50 * 3 + 25 * 250 * 30 + 125 * 0.25 * 90 days.
    assert.near(352.8125e12, got.steady_bytes, 1e6)
    assert.near(48 * 3600, got.sweep_device_s, 1e-6) -- 20 * 4 h * (0.5 + 0.5 * 0.2)
    assert.equal(125, got.cap_trials)
  end)

  it("ranks levers of a bill", function()
    local answer = ask.run({ text = "Bring [300,000 USD a month] down: ranked levers", facts = { params = 8e9 } })
    assert.equal(math.floor(3e5 / (730 * 3.9)), answer.values.devices)
    for i = 2, #answer.levers do assert.is_true(answer.levers[i - 1].saves_frac >= answer.levers[i].saves_frac) end
    assert.near(answer.values.best_usd_month, 3e5 * (1 - answer.levers[1].saves_frac), 1e-6)
  end)
end)

describe("the facts of a prompt", function()
  it("are those of the words, with those by name over them, and proposals last", function()
    local kind, given = ask.understood({ text = "train 7B on 1T tokens", facts = { tokens = 2e12 } })
    assert.equal("training", kind.name)
    assert.equal(2e12, given.tokens)
    local all = facts.of(kind, given)
    assert.is_true(all:is_given("params") and not all:is_given("device"))
    assert.equal("H100", all.device)
    assert.equal(512, all.global_batch) -- 512 sequences of 4,096 tokens: the power of two below 4 million tokens
  end)

  it("read 'within' as the kind has it: a backlog, an SLO, a deadline", function()
    local function given(text) return ask.run({ text = text }).given end
    assert.equal(600, given("moderate images, 1M uploads an hour, within 10 minutes").within_s)
    assert.equal(0.2, given("serve recommendations at 100,000 QPS within 200 ms").slo_s)
    assert.equal(20 * 86400, given("train 7B on 1T tokens within 20 days").time_s)
  end)

  it("know a card by its number, and who else answers", function()
    local function given(text) return ask.understood({ text = text }).name, select(2, ask.understood({ text = text })) end
    local _, facts_of = given("train 7B on 1T tokens with 4090s")
    assert.equal("RTX-4090", facts_of.device)
    assert.is_nil(facts_of.time_s)
    _, facts_of = given("train 7B on 8x3090")
    assert.same({ "RTX-3090", 8 }, { facts_of.device, facts_of.devices })
    assert.equal("llm", (given("host a 30B bot on RTX 4090 for 300 users")))
    assert.equal("recommend", (given("recommend videos to 5M users")))
    assert.equal("finetune", (given("LoRA of a 13B on a 3090")))
    assert.equal("platform", (given("a fine-tuning platform, 500 jobs a day")))
  end)

  it("by name are read as people write them", function()
    local function given(name, text, kind) return facts.of(kinds.get(kind or "training"), { [name] = text })[name] end
    assert.equal(7e9, given("params", "7B"))
    assert.equal(5e8, given("params", "half a billion"))
    assert.equal(30 * 86400, given("time_s", "30 days"))
    assert.near(0.03, given("growth_month_frac", "3 %", "storage"), 1e-15)
    assert.equal(24e9, given("memory_bytes", "24 GB", "matmul"))
    assert.equal(128, given("devices", "128"))
    assert.matches("7 parameters.*7B", errors.catch(facts.of, kinds.get("training"), { params = 7 }))
    assert.matches("must be a number", errors.catch(facts.of, kinds.get("training"), { time_s = "soon" }))
  end)

  it("of yes or no may be true or false", function()
    local trained = ask.run({ kind = "matmul", facts = { training = true } })
    assert.equal("yes", facts.of(kinds.get("matmul"), { training = "true" }).training)
    assert.equal(3 * ask.run({ kind = "matmul", facts = { training = "no" } }).values.flop, trained.values.flop)
    assert.matches("training: 'maybe' is not one of no, yes", errors.catch(ask.run, { kind = "matmul",
      facts = { training = "maybe" } }))
  end)

  it("propose a stack that the devices hold", function()
    for _, device in ipairs({ "T4", "RTX-4090", "H100" }) do
      local answer = ask.run({ kind = "matmul", facts = { device = device } })
      assert.is_true(answer.values.tp_bytes < require("ballpark.catalog").device(device).memory_bytes, device)
    end
  end)

  it("are asked for in the order in which they matter, six at most", function()
    local open = ask.open({ text = "a chat assistant" })
    assert.is_true(#open <= 6)
    assert.equal("params", open[1].row[1])
    for _, entry in ipairs(ask.open({ text = "a chat assistant of 70B" })) do assert.not_equal("params", entry.row[1]) end
  end)

  it("about a sweep are its trials, not jobs of a platform", function()
    local answer = ask.run({ text = "what does a sweep of 64 trials of 3 hours on 8 A100 cost, 3000 USD", facts = { usd_h = 2 } })
    assert.equal("sweep", answer.about)
    assert.near(64 * 24 * 3600, answer.values.device_s, 1e-6)
    assert.near(0.6 * 64 * 24 * 3600, answer.values.early_device_s, 1e-6) -- half of them stop after a fifth
    assert.near(3072, answer.values.cost, 1e-9)
    assert.equal(62, answer.values.cap_trials) -- 3,000 USD over 48
    assert.matches("it costs 3,070 USD, and the budget is 3,000 USD; kept by", answer.contradictions[1].text)
    assert.equal("sweep", ask.run({ text = "a sweep of 100 trials of 8 GPU-hours" }).about)
    assert.equal("platform", ask.run({ text = "500 jobs a day, and what does a sweep cost?" }).about)
    assert.equal("training", ask.run({ text = "sweep 20 trials of a 1B model on 10B tokens" }).about)
  end)

  it("says of a platform that its nodes have no room for the jobs at one time", function()
    local answer = ask.run({ text = "platform with 3 jobs per day of 12 hours on 64 GPUs each and 120 H100" })
    assert.is_false(answer.fits)
    assert.matches("the 120 that there are, nodes of 8, run 1 job at one time: the queue grows without end; 128 devices carry",
      answer.contradictions[1].text)
    assert.is_true(ask.run({ text = "platform with 3 jobs per day of 12 hours on 64 GPUs each and 128 H100" }).fits)
    answer = ask.run({ text = "platform with 80 jobs per day of 6 hours on 5 GPUs each" })
    assert.is_true(answer.fits)
    assert.equal(29 * 8, answer.values.devices) -- 20 / 0.7 jobs, a node each
  end)

  it("are refused all at once, devices that nobody knows among them", function()
    local said = errors.catch(ask.run, { kind = "training", facts = { params = -7e9, tokns = 1e12, device = "H1000" } })
    assert.matches("tokns: unknown fact, did you mean 'tokens'", said)
    assert.matches("params: must be a number above 0", said)
    assert.matches("device: 'H1000' is not one of .*, did you mean 'H100'", said)
  end)

  it("that are shares are at most one; growth is none", function()
    local given = { rate_per_s = 100, vectors = 1e6 }
    local function said(more) return errors.catch(ask.run, { kind = "retrieval", facts = tables.with(given, more) }) end
    assert.matches("recall: must be a share, at most 1, got 95: write", said({ recall = 95 }))
    assert.matches("recall: must be a share, at most 1, got 1.01", said({ recall = 1.01 }))
    assert.near(0.95, ask.run({ kind = "retrieval", facts = tables.with(given, { recall = "95 %" }) }).known.recall, 1e-12)
    local grown = ask.run({ kind = "storage", facts = { users = 1e9, growth_month_frac = 1.5, time_s = 2 * 86400 * 365 / 12 } })
    assert.equal(1.5, grown.known.growth_month_frac)
  end)

  it("are doubted where nobody asks such a price or waits so little", function()
    local function warned(text)
      return table.concat(ask.run({ text = text }).warnings, "; ")
    end
    assert.matches("0.02 USD/h, and the cheapest that is known of H100.SXM.80GB is", warned("train 7B on 1T tokens, 64 H100, 0.02 USD/h"))
    assert.equal("", warned("train 7B on 1T tokens, 64 H100, 3 USD/h"))
    assert.matches("ttft_s", warned("serve llama 8B on H100 at 1 request per second with TTFT 3 hours"))
  end)

  it("are refused with the nearest name", function()
    local function said(input) return errors.catch(ask.run, input) end
    assert.matches("did you mean 'tokens'", said({ text = "train 7B", facts = { tokns = 1 } }))
    assert.matches("tokens: must be a number above 0", said({ text = "train 7B", facts = { tokens = -1 } }))
    assert.matches("device: must be a name", said({ text = "train 7B", facts = { device = 3 } }))
    -- Every fact that is a name, whichever kind is asked.
    for _, kind in ipairs(kinds.all()) do
      for _, row in ipairs(kind.facts) do
        for _, value in ipairs(row.type == "string" and { true, -1, {}, { name = "x" }, { low = 1, high = 2 } } or {}) do
          local message = said({ text = "how many users can one H100 handle?", facts = { [row[1]] = value } })
          assert.matches("^" .. row[1] .. ": must be a name, got ", message)
          assert.is_nil(message:find("0x", 1, true))
        end
      end
    end
    assert.matches("does not know what this is about", said({ text = "hello there" }))
    assert.matches("did you mean 'tokens'.*device: must be a name", said({ text = "train 7B", facts = { tokns = 1, device = 3 } }))
    assert.matches("model: must be a name.*device: must be a name", said({ text = "train 7B", facts = { model = true, device = 3 } }))
    assert.matches("needs a prompt", said({}))
    assert.matches("not one of", said({ kind = "trainin" }))
    assert.matches("stand alone", said({ text = "x", parts = {} }))
  end)

  it("have a question, and a proposal that says why, in every kind", function()
    for _, name in ipairs(kinds.names) do
      local kind = kinds.get(name)
      assert.equal(name, kind.name)
      local seen = {}
      for _, row in ipairs(kind.facts) do
        assert.is_nil(seen[row[1]], name .. "." .. row[1])
        seen[row[1]] = true
        assert.is_string(row[2])
      end
      local all = facts.of(kind, {})
      for _, fact in ipairs(all.order) do assert.is_string(all:entry(fact).why, name .. "." .. fact) end
    end
  end)
end)

describe("a page", function()
  it("combines ranges of independent terms in squares", function()
    local wide = product.range(6, { { name = "a", value = 2, low = 1, high = 4 }, { name = "b", value = 3 } })
    assert.near(3, wide.low, 1e-12)
    assert.near(12, wide.high, 1e-12)
    local both = product.range(1, { { name = "a", value = 1, low = 0.5, high = 2 },
      { name = "b", value = 1, low = 0.5, high = 2 } })
    assert.near(2 ^ math.sqrt(2), both.high, 1e-12)
    assert.near(0.5, both.drivers[1].share, 1e-12)
    -- What divides turns around.
    local over = product.range(1, { { name = "a", value = 1, low = 0.5, high = 4, power = -1 } })
    assert.near(0.25, over.low, 1e-12)
    assert.near(2, over.high, 1e-12)
    assert.is_nil(product.range(1, { { name = "a", value = 1 } }))
  end)

  it("has five steps, and ten lines where it is brief", function()
    local r = result.new({})
    show.answer(r, ask.run({ text = "storage for 1B users" }))
    local names = {}
    for _, block in ipairs(r.blocks) do names[block.name] = block end
    for _, step in ipairs(page.STEPS) do assert.is_truthy(names[step[1]], step[1]) end
    assert.is_truthy(names.given and names.values)
    for _, text in ipairs({ "storage for 1B users", "train 7B on 1T tokens on 64 H100", "serve recommendations, 100,000 QPS, 200 ms",
      "retrieval, 50,000 QPS, 100 ms P99, 500 M items", "a chat assistant of 8B for 100k daily users on H100" }) do
      local brief, shown = result.new({}), 0
      show.answer(brief, ask.run({ text = text, brief = true }))
      for _, block in ipairs(brief.blocks) do
        for _, item in ipairs(not block.hide and block.items or {}) do shown = shown + (item.hide and 0 or 1) end
        if block.columns then assert.is_true(block.hide) end
      end
      assert.is_true(shown >= 5 and shown <= 10, ("%s: %d lines"):format(text, shown))
    end
  end)

  it("of a mix adds up what its parts cost", function()
    local answer = ask.run({ parts = { { text = "storage for 1B users" }, { text = "storage for 2B users" } } })
    assert.near(answer.parts[1].values.cost_usd_month + answer.parts[2].values.cost_usd_month,
      answer.values.cost_usd_month, 1e-9)
    local r = result.new({})
    show.answer(r, answer)
    assert.equal("answer", r.blocks[1].name)
  end)
end)

describe("words of a prompt", function()
  local function said(text) return grammar.read(text).facts end

  it("may be numbers and times without digits", function()
    assert.equal(5e8, said("half a billion parameters").params)
    assert.equal(25e9, said("twenty-five billion on 8 H100").params)
    assert.equal(2e5, said("two hundred thousand users").users)
    assert.equal(24, said("two dozen GPUs").devices)
    assert.equal(1800, said("half an hour of burst").time_s)
    assert.equal(1e6 / 3600, said("a million uploads an hour").rate_per_s)
    local day = said("7B on 20 billion tokens in a day")
    assert.same({ 20e9, 86400 }, { day.tokens, day.time_s })
    assert.equal(5 * 86400, said("7B on 1T tokens in 5 days").time_s)
    local lengths = said("1000 tokens in, 200 tokens out")
    assert.same({ 1000, 200 }, { lengths.input_tokens, lengths.output_tokens })
  end)

  it("that nobody reads are listed", function()
    assert.same({ "friday" }, grammar.read("train 7B on 1T tokens on a Friday").unread)
    assert.same({}, grammar.read("Train a model of 7 B on 1 T tokens: how long, how many GPUs, what does it cost?").unread)
    local answer = ask.run({ text = "storage of embeddings for 1B users, 40,000 QPS" })
    assert.same({ "40000 qps" }, answer.unread)
  end)

  it("are a deadline of at most six days where a day of the week is one", function()
    local week = grammar.read("train 7B on 1T tokens by Friday")
    assert.same({ 6 * 86400, 0 }, { week.facts.time_s, #week.unread })
    assert.is_true(week.notes[1]:find("Friday: at most 6 days", 1, true) ~= nil)
    assert.equal(6 * 86400, grammar.read("7B on 1T tokens before this monday").facts.time_s)
    -- A time that is said goes over it, wherever it stands; a day that is none is no deadline.
    assert.equal(3 * 86400, grammar.read("7B on 1T tokens by Friday, in 3 days").facts.time_s)
    assert.equal(3 * 86400, grammar.read("7B on 1T tokens in 3 days, by Friday").facts.time_s)
    for _, text in ipairs({ "7B on 1T tokens, Friday", "7B on 1T tokens by next Friday" }) do
      assert.is_nil(grammar.read(text, { lenient = true }).facts.time_s, text)
    end
  end)

  it("are listed where they turn something and no fact is made of them", function()
    local function unread(text) return grammar.read(text, { lenient = true }).unread end
    assert.same({ "requests only" }, unread("serve 8B on L4, 10 rps, long requests only"))
    assert.same({ "no growth" }, unread("storage of embeddings for 100M items, no growth"))
    assert.same({ "no bursts" }, unread("serve 8B, no bursts, 10 rps, L4"))
    assert.same({}, unread("serve 8B on L4, not on A100, no fp8, without offloading, only 8 GPUs, no more than 3 replicas"))
  end)

  it("choose no kind of question that is done without", function()
    assert.is_nil(grammar.read("retrieval without reranking, 500 qps").weights.rerank)
    assert.is_truthy(grammar.read("retrieval with reranking, 500 qps").weights.rerank)
  end)
end)

describe("a prompt about one fleet", function()
  local several = require("ballpark.questions.ask.several")

  it("is one question where a clause says no more than its facts", function()
    for _, text in ipairs({ "serve Llama 2 13B for 2M daily users, 300-token outputs and 1.5k-token inputs, on L40S with an fp8 KV cache",
      "serve llama-3-8b at 10 rps, a prompt of 10K and a 1K response, p99 TTFT below 500 ms, max context 16k, on L40S",
      "TTFT < 1s, with an fp8 KV cache, on H100. Chatbot with Mixtral 8x22B, 8.64M requests per day" }) do
      assert.is_nil(several.of(text), text)
    end
    assert.equal(2, #several.of("serve an 8B to 1M users and does a 70B with an fp8 KV cache fit 80 GB"))
  end)

  it("has an SLO of the whole answer where that is said, and one of the first token otherwise", function()
    local function given(words) return select(2, ask.understood({ text = "serve Llama 3 8B on H100 at 12 req/s, " .. words })) end
    for _, words in ipairs({ "end-to-end latency of 8 s", "the whole answer within 8 s", "full response in under 8 s" }) do
      assert.equal(8, given(words).e2e_s, words)
      assert.is_nil(given(words).slo_s, words)
    end
    assert.equal(8, given("latency of 8 s").slo_s)
  end)
end)

describe("words of a prompt as people type them", function()
  local function read(text) return grammar.read(text, { lenient = true }) end

  -- Text, and every fact that it says.
  local ROWS <const> = {
    -- Rates of one word, and rates of each user.
    { "1200 rpm", { rate_per_s = 20 } },
    { "86,400 rpd", { rate_per_s = 1 } },
    { "5k DAU, each asks ~10 times a day", { users = 5000, requests_per_user_day = 10 } },
    { "30M DAU, 20 page views each per day", { users = 3e7, requests_per_user_day = 20 } },
    { "40 people, everyone runs 5 experiments a day of 4 GPUs", { users = 40, jobs_per_user_day = 5, devices_per_job = 4 } },
    { "10 million MAU", { monthly_users = 1e7 } },
    { "2 million monthly active users", { monthly_users = 2e6 } },
    { "6000 users a month", { monthly_users = 6000 } },
    -- Money with its name alone, in other currencies, and what is to be saved.
    { "budget 20k", { cost_usd = 20000 } },
    { "our bill is 120k/month", { budget_usd_month = 120000 } },
    { "2 million EUR", { cost_usd = 2.2e6 } },
    { "€20k a month", { budget_usd_month = 22000 } },
    { "cut 1.2 million dollars a year from the bill", { saved_usd_month = 1e5 } },
    { "bring the bill of $80k a month to $50k", { budget_usd_month = 80000, target_usd_month = 50000 } },
    -- Numbers as they are written elsewhere.
    { "1,5B", { params = 1.5e9 } },
    { "2.000.000 users", { users = 2e6 } },
    { "10.000 users", { users = 10000 } },
    { "1'000 users", { users = 1000 } },
    { "50 000 users", { users = 50000 } },
    { "a few thousand users", { users = 3000 } },
    { "tens of thousands of users", { users = 30000 } },
    { "2 millions of users", { users = 2e6 } },
    -- Nodes, machines, and one of a device.
    { "4 nodes of 8 H100", { devices = 32, device = "H100-SXM-80GB" } },
    { "four 8-GPU H100 nodes", { devices = 32, device = "H100-SXM-80GB" } },
    { "four 4-GPU A100 boxes", { devices = 16, device = "A100-80GB-SXM" } },
    { "2 eight-GPU nodes of H100", { devices = 16, device = "H100-SXM-80GB" } },
    { "one GB200 NVL72", { devices = 72, device = "GB200" } },
    { "two GB300 NVL72 racks", { devices = 144, device = "GB300" } },
    { "64 GB200 NVL72", { devices = 64, device = "GB200" } },
    { "1,099,511,627,776 tokens", { tokens = 2^40 } },
    { "1'000'000'000'000 tokens", { tokens = 1e12 } },
    { "1_000_000_000_000 tokens", { tokens = 1e12 } },
    { "a token budget of 600B", { tokens = 6e11 } },
    { "token budget: 600 billion tokens", { tokens = 6e11 } },
    { "N = 7B, D = 2T", { params = 7e9, tokens = 2e12 } },
    { "30 tps per user", { tpot_s = 1 / 30 } },
    { "5000 fraud transactions, 40 tps", { rate_per_s = 40, items = 5000 } },
    { "1,460 USD per GPU per month", { usd_h = 2 } },
    { "98.32 USD an hour per p5.48xlarge", { usd_h = 12.29 } },
    { "16 MI250X", { devices = 32, device = "MI250X-GCD" } },
    { "16 MI250X GCDs", { devices = 16, device = "MI250X-GCD" } },
    { "on a MI250X", { devices = 2, device = "MI250X-GCD" } },
    { "8 Max 1550", { devices = 16, device = "Max-1550-tile" } },
    { "8 x 22B mixtral at 3 rps", { model = "Mixtral-8x22B-v0.1", rate_per_s = 3 } },
    { "8x22b mixtral", { model = "Mixtral-8x22B-v0.1" } },
    { "with 8k prompts: ttft?", { input_tokens = 8000 } },
    { "99th percentile 2s", { percentile = 99, slo_s = 2 } },
    { "140 TFLOPs per GPU", { flop_s_device = 1.4e14 } },
    { "double the data: 7B on 4T tokens", { params = 7e9, tokens = 4e12 } },
    { "KV cache of llama 70b at 128k context in fp8", { model = "Llama-3.1-70B", kv = "fp8", seq_len = 131072 } },
    { "tensor parallel 8, pipeline parallelism of 2", { tp = 8, pp = 2 } },
    { "16 nodes of H200", { devices = 128, device = "H200-SXM-141GB" } },
    { "2 p5", { devices = 16, device = "H100-SXM-80GB" } },
    { "on a single RTX 3090", { devices = 1, device = "RTX-3090" } },
    { "on 4 p4d.24xlarge", { devices = 32, device = "A100-40GB-SXM" } },
    { "on a g5.12xlarge", { devices = 4, device = "A10G" } },
    { "2 DGX Spark", { devices = 2, device = "GB10" } },
    { "on a DGX Spark", { devices = 1, device = "GB10" } },
    { "on a DGX H100", { devices = 8, device = "H100-SXM-80GB" } },
    { "with TPU v5e-256", { devices = 256, device = "TPU-v5e" } },
    -- Software that trains, and how it shards; of a fine-tuning DeepSpeed is a word of another list.
    { "pretrain with Megatron-LM, ZeRO stage 1", { software = "megatron-lm", zero = 1 } },
    { "training with FSDP", { software = "fsdp", zero = 3 } },
    -- Tokens in a format are no lengths, those of a batch are no sequences, and contexts are powers of two.
    { "7B on 1T tokens in fp8", { params = 7e9, tokens = 1e12, weights = "fp8" } },
    { "global batch size of 4M tokens", { batch_tokens = 4e6 } },
    { "sequence length 8k", { seq_len = 8192 } },
    { "context of 10k", { seq_len = 10000 } },
    { "3-year reserved H100s", { device = "H100-SXM-80GB" } },
    { "on an A100 cluster", { device = "A100-80GB-SXM" } },
    { "MacBook Pro M2 Max 96GB", { device = "m2-max-96gb" } },
    -- Lengths, and times with a name further before.
    { "prompts of 3k tokens and answers of 150", { input_tokens = 3000, output_tokens = 150 } },
    { "2k input 400 output", { input_tokens = 2000, output_tokens = 400 } },
    { "p95 ttft under 800ms", { percentile = 95, ttft_s = 0.8 } },
    { "time to first token of 2 s", { ttft_s = 2 } },
    { "jobs of 6 h, wait time under 30 min", { time_s = 21600, wait_s = 1800 } },
    { "500 hours of call center audio a day", { streams = 500 / 24 } },
    -- What else stands before or behind.
    { "top 10 passages", { passages = 10 } },
    { "keep last 5, every 30 min", { kept = 5, every_s = 1800 } },
    { "5 params, 4 values each, 2 gpu hours per trial", { parameters = 5, values_each = 4, device_s = 7200 } },
    { "hnsw index, recall 0.95", { index = "hnsw", recall = 0.95 } },
    { "serve qwen 2.5 7b to 10k users", { model = "Qwen2.5-7B", users = 1e4 } },
    { "serve a 7B to 2k to 4k users", { params = 7e9, users = math.sqrt(2000 * 4000) } },
    { "15 cents per kWh", { usd_kwh = 0.15 } },
    { "100 chats at once", { concurrency = 100 } },
    { "with 128 concurrency, 1k in, 1k out", { concurrency = 128, input_tokens = 1000, output_tokens = 1000 } },
    { "128 concurrency 1k in 1k out", { concurrency = 128, input_tokens = 1000, output_tokens = 1000 } },
    { "64 concurrency 2k/512 on 4 H100", { concurrency = 64, input_tokens = 2000, output_tokens = 512, devices = 4, device = "H100-SXM-80GB" } },
    { "8 H100, 500 in, 100 out, concurrency 200", { concurrency = 200, input_tokens = 500, output_tokens = 100, devices = 8, device = "H100-SXM-80GB" } },
    { "prompt 2k concurrency 64", { concurrency = 64, input_tokens = 2000 } },
    { "batch 8 concurrency = 64", { concurrency = 64, batch = 8 } },
    { "100k users, 8 messages each", { users = 1e5, requests_per_user_day = 8 } },
    { "4 learning rates, 3 batch sizes and 2 warmups, 8 A100 hours of a run", { trials = 24, device_s = 8 * 3600,
      device = "A100-80GB-SXM" } },
    { "each streaming 20 tok/s", { tpot_s = 0.05 } },
    { "double the traffic of 20 rps", { rate_per_s = 40 } },
    { "500 checkpoints", { kept = 500 } },
    { "clip vit-l", { model = "clip-vit-l-14" } },
    -- "1.7b" ends in "7b", and is another size.
    { "qwen 7b", { model = "Qwen2.5-7B" } },
    -- A rate and its peak.
    { "peak 300 requests per second", { rate_per_s = 300, peak_ratio = 1 } },
    { "300 rps at peak", { rate_per_s = 300, peak_ratio = 1 } },
    { "100 qps mean, 300 qps peak", { rate_per_s = 100, peak_ratio = 3 } },
    { "peak of 500 qps, 200 qps on average", { rate_per_s = 200, peak_ratio = 2.5 } },
    { "peak 3x the mean", { peak_ratio = 3 } },
    -- Shapes.
    { "matmul of 16384 x 16384 x 65536", { m = 16384, k = 16384, n = 65536 } },
    { "4096x4096x1024 matmul", { m = 4096, k = 4096, n = 1024 } },
    { "multiply a 100k by 50k matrix", { m = 1e5, k = 5e4, n = 5e4 } },
    { "a 8000 x 8000 matrix by a 8000 x 8000 matrix", { m = 8000, k = 8000, n = 8000 } },
    { "2 million 1024px images", { items = 2e6, width = 1024 } },
    { "images of 512px", { width = 512 } },
    -- Shares, sums, lengths and times.
    { "half of the trials are stopped early", { pruned_frac = 0.5 } },
    { "30 % of them pruned", { pruned_frac = 0.3 } },
    { "our bill is 120k per month, cut it to 80k", { budget_usd_month = 120e3, target_usd_month = 80e3 } },
    { "documents of 12k tokens into 500 tokens each", { input_tokens = 12e3, output_tokens = 500 } },
    { "keep them for a year", { time_s = 365 * 86400 } },
    { "texts of 512 tokens per second", { input_tokens = 512 } },
    { "512 tokens per second", { tokens_per_s = 512 } },
    { "3k video frames/s", { rate_per_s = 3000 } },
    { "Qwen 14B", { model = "Qwen3-14B" } },
  }

  it("say what they mean", function()
    for _, row in ipairs(ROWS) do assert.same(row[2], read(row[1]).facts, row[1]) end
  end)

  it("that are fractions of one sign are numbers", function()
    assert.equal(43200, read("7B in ½ day").facts.time_s)
    assert.equal(1.5 * 86400, read("7B in 1½ days").facts.time_s)
    assert.equal(2.75 * 3600, read("7B in 2 ¾ hours").facts.time_s)
    assert.equal(43200, read("7B in 1/2 day").facts.time_s)
    assert.equal(1.5 * 86400, read("7B in 1 1/2 days").facts.time_s)
  end)

  it("that are fractions of a device are refused, and dates and lists are no fractions", function()
    for _, text in ipairs({ "8B on 1/2 H100", "8B on ½ H100", "8B on 1 1/2 H100" }) do
      assert.matches("devices must be a whole number", errors.catch(read, text))
    end
    assert.same({ input_tokens = 3, output_tokens = 4 }, read("3/4 tokens").facts)
  end)

  it("name machines that there are", function()
    assert.same({ devices = 16, device = "H100-SXM-80GB" }, read("on 2 Standard_ND96isr_H100_v5").facts)
    assert.same({ devices = 2, device = "H100-NVL-94GB" }, read("on an NC80adis_H100_v5").facts)
    assert.matches("'p5.24xlarge'.*p5.48xlarge", errors.catch(read, "8B on p5.24xlarge"))
    assert.matches("'v5e%-0'.*without a chip", errors.catch(read, "8B on TPU v5e-0"))
  end)

  it("name one engine: of two the second is not read", function()
    local said = grammar.read("llama-3.1-8b with SGLang and vLLM", { lenient = true })
    assert.equal("sglang", said.engine)
    assert.same({ "vllm" }, said.unread)
    for text, engine in pairs({ ["vLLM 0.6.3"] = "vllm 0.6.3", ["vLLM v0.10.1, 64 users"] = "vllm 0.10.1",
      ["TensorRT-LLM 1.0"] = "trtllm 1.0", ["sglang-0.4.6.post1"] = "sglang 0.4.6.post1", ["vllm with 8 H100"] = "vllm" }) do
      assert.equal(engine, grammar.read("llama-3.1-8b with " .. text, { lenient = true }).engine)
    end
  end)

  it("say a step's batch once, in tokens or in sequences", function()
    assert.matches("'512': says the batch again, 4000000.* tokens before: give one", errors.catch(read, "train 7B with batch of 4M tokens and batch of 512"))
    assert.matches("'4m': says the batch again, 512 sequences before: give one", errors.catch(read,
      "train 7B with batch of 512, global batch of 4M tokens"))
  end)

  it("are noted where they could mean something else", function()
    assert.matches("10.000' is read as 10 thousand", read("10.000 users").notes[1])
    assert.matches("'a few' is read as 3", read("a few thousand users").notes[1])
    assert.matches("EUR are 2.2 million USD", read("2 million EUR").notes[1])
    assert.matches("'toknes' is read as 'tokens'", read("5M toknes").notes[1])
    local below = read("7B on 1T tokens, 512 A100, -5 days")
    assert.matches("'%-5' is read as 5", below.notes[1])
    assert.equal(5 * 86400, below.facts.time_s)
    for _, text in ipairs({ "- 5 GPUs", "-5 GPUs", "A100-80GB", "vit-l/16, 5 GPUs" }) do
      assert.same({}, read(text).notes, text)
    end
    local between = read("chat for 2-3M users")
    assert.near(math.sqrt(6) * 1e6, between.facts.users, 1)
    assert.same({ low = 2e6, high = 3e6 }, { low = math.floor(between.spans.users.low + 0.5), high = math.floor(between.spans.users.high + 0.5) })
  end)

  it("are a range with 'to' between them, where that is no change", function()
    local function ends(text, name)
      local said = read(text)
      local span = said.spans[name]
      return span and { math.floor(span.low + 0.5), math.floor(span.high + 0.5) } or said.facts[name]
    end
    assert.same({ 1e12, 2e12 }, ends("train 7B on 1T to 2T tokens on 100 H100", "tokens"))
    assert.same({ 7e9, 13e9 }, ends("train a 7B to 13B model on 1T tokens", "params"))
    assert.same({ 500, 2000 }, ends("serve 8B to 100k users, 500 to 2000 input tokens", "input_tokens"))
    assert.same({ 10000, 20000 }, ends("chat for 10 to 20 thousand users", "users"))
    assert.same(2000, ends("prompts grow from 500 to 2000 input tokens", "input_tokens"))
    assert.same(300, ends("serve 8B with 500 to 300 input tokens", "input_tokens"))
  end)

  it("that are numbers and mean nothing are listed, not refused; of a prompt of such numbers nothing is answered", function()
    local said = read("translate 5M descriptions into 3 languages")
    assert.same({ "3 languages" }, said.unread)
    assert.equal(1, said.unread_numbers)
    assert.matches("does not understand most numbers", errors.catch(ask.run, { text = "train with 5 foos and 7 bars" }))
    assert.matches("it reads English", errors.catch(ask.run, { text = "zwei Wochen Zeit, 7B Modell, wie viele H100 brauchen wir dafür" }))
  end)

  it("are one question where a clause says no more than a price", function()
    for _, row in ipairs({ { "power of 64 A100 and its cost at 15 cents per kWh", 64, 0.15 }, { "8 H100 for a month: energy and cost at 0.2 EUR/kWh", 8 },
      { "how much power do 512 H200 draw and what does it cost at 0.12 per kWh?", 512, 0.12 } }) do
      assert.is_nil(ask.parts({ text = row[1] }), row[1])
      local kind, given = ask.understood({ text = row[1] })
      assert.same({ "rent", row[2], row[3] or given.usd_kwh }, { kind.name, given.devices, given.usd_kwh })
    end
  end)

  it("may be several questions, which share what they are about", function()
    local several = require("ballpark.questions.ask.several")
    local parts = several.of("Serve a 405B with 128k context to 100 users, and train an 8B on 200B tokens on 64 H100")
    assert.equal(2, #parts)
    assert.is_nil(parts[2].facts.params)
    local one = several.of("summarise 30k emails a day and also answer 100 chats at once with llama 70b")
    assert.equal("Llama-3.1-70B", one[1].facts.model)
    for _, text in ipairs({ "Train a model of 7B on 1T tokens: how long, how many GPUs, and what does it cost?",
      "RAG over 10M documents and a 70B model for 1000 users", "storage for 1B users with replicas and an index, growing 3 % a month",
      "moderate images, 1M uploads an hour and a burst of 3x" }) do
      assert.is_nil(several.of(text), text)
    end
    local mixed = ask.run({ text = "train 7B on 1T tokens and serve it to 100k users on H100" })
    assert.same({ "training", "llm" }, { mixed.parts[1].about, mixed.parts[2].about })
    assert.equal(7e9, mixed.parts[2].known.params)
  end)

  it("may be two numbers of devices, of which one is to be chosen", function()
    local parts, named = ask.parts({ text = "does a 34b fit on 2x3090 or 1x4090?" })
    assert.same({ "2 x RTX-3090", "1 x RTX-4090" }, named)
    assert.same({ 2, 1 }, { parts[1].facts.devices, parts[2].facts.devices })
    parts, named = ask.parts({ text = "should I buy a 5060 Ti 16GB or a used 3090 for qwen2.5 32b?" })
    assert.same({ "1 x RTX-5060-Ti-16GB", "1 x RTX-3090" }, named)
    assert.is_nil(parts[1].facts.other)
  end)
end)

describe("a prompt that another question answers", function()
  local function handed(text) return ask.handed_over({ text = text }) end

  -- Prompts as people type them: the question that answers, and what of its input the words say.
  local PROMPTS <const> = {
    { "Can I run a 70B model on two RTX 4090s?", "fit", { on = "RTX-4090", devices = 2 } },
    { "does Llama-3.3-70B-Instruct fit on 2x A100 80GB in fp8?", "fit", { model = "Llama-3.3-70B-Instruct", format = "fp8", devices = 2 } },
    { "What is the memory footprint of llama 3.1 8B in 4 bit?", "fit", { model = "Llama-3.1-8B", format = "int4" } },
    { "what does a 13B model need in memory for training with Adam?", "fit", { purpose = "full", devices = 4 } },
    { "How fast is Llama 3.1 8B Q4_K_M on an M3 Max 64GB?", "local_inference", { device = "m3-max-64gb", format = "q4_k_m" } },
    { "How many concurrent users can one H100 handle with Llama 3 70B in fp8?", "replica", { model = "Llama-3-70B" } },
    { "tokens per second of DeepSeek-R1 on 8 H200", "replica", { model = "DeepSeek-R1" } },
    { "half of the requests are 500 tokens, the rest 2000, llama 8b on one L40S, how many req/s?", "replica", { model = "Llama-3.1-8B" } },
    { "summarise 1M documents of 2k tokens over 3 days with llama 8b", "batch_job", { prompts = 1e6, deadline_s = 3 * 86400 } },
    -- Sixteen windows are usual, and need 10.3 GiB; eight of them fit 8 GB.
    { "how fast is whisper large-v3 on an RTX 4060", "transcribe", { batch = 8 } },
    { "how fast is whisper large-v3 on an A10G", "transcribe", { batch = 16 } },
    { "QLoRA of a 70B on two 4090s with 52k examples, 3 epochs", "finetune", { method = "qlora", examples = 52000, epochs = 3 } },
    { "Full fine-tune of Mistral 7B on 8xA100 with 100M tokens", "finetune", { method = "full", examples = 48829 } },
    { "GRPO on a 7B with 8 H100, 1000 steps, 16 rollouts of 4k tokens", "finetune", { kind = "grpo", examples = 8000, batch = 128 } },
    { "Summarise 2 million documents of 3k tokens each overnight with Llama 8B", "batch_job", { model = "Llama-3.1-8B",
      prompts = 2e6, deadline_s = 36000 } },
    { "generate 1M synthetic examples with Llama 405B, 500 tokens in, 1000 out", "batch_job", { prompts = 1e6 } },
    { "transcribe 10,000 hours of audio with whisper large-v3, how long on 8 A10G?", "transcribe", { audio_s = 4.5e6, device = "A10G" } },
    { "image generation service with SDXL, 1M images per day", "diffusion", { model = "sdxl" } },
    { "Is 40% MFU reasonable for 7B on 64 A100?", "check", { mfu_frac = 0.4, devices = 64 } },
    { "how many A100 80GB to serve falcon 180B?", "replica", { model = "falcon-180B" } },
    { "inference cost per 1M tokens for DeepSeek V3 on 8xH200", "replica", { model = "DeepSeek-V3" } },
    { "need to process 500k pdf pages per day with Qwen2.5-VL-7B on L40S", "batch_job", { prompts = 5e5, deadline_s = 86400 } },
    { "rerank 200 passages per query at 50 qps", "rerank", { documents = 200 } },
    { "how much VRAM for a LoRA of mistral 7b at 4k context?", "fit", { purpose = "lora", context_tok = 4096 } },
    -- 50,000 USD at 3.90 USD/h, the median of the catalog.
    { "is $50k for pretraining a 7B on 300B tokens plausible?", "check", { device_s = 5e4 / 3.9 * 3600 } },
    -- 671e9 bytes in fp8 are over 8 devices of 80 GB.
    { "GPU memory for serving DeepSeek-V3 in fp8 with 128k context", "fit", { devices = 16, context_tok = 131072 } },
    { "summarise 400k legal documents of 12k tokens into 500 tokens each over a weekend with llama 70B on H100", "batch_job",
      { prompts = 4e5, deadline_s = 60 * 3600 } },
    { "generate 2 million 1024px images with SDXL in a week", "diffusion", { width = 1024 } },
    { "rerank 80 documents of 512 tokens for one query on A10G", "rerank", { documents = 80, document_tokens = 512 } },
    { "rerank the top 50 of a search", "rerank", { documents = 50 } },
    { "how many tokens is a 1280x720 image for Qwen2.5-VL-7B", "image_prompt", { width = 1280, height = 720, images = 1 } },
    { "caption 1M videos of 30 seconds with Qwen2.5-VL-7B on 8 H100", "batch_job", { prompts = 1e6, load = { input_tokens = 8192, output_tokens = 200 } } },
    { "llama 70b on 4 H100 with 8k prompts: ttft?", "replica", { model = "Llama-3.1-70B" } },
    -- The release of a model is no lower end of a range, and users of what draws ask for images.
    { "serve stable diffusion 3.5 to 200 users a day", "diffusion", { model = "sd3.5-large", load = { rate_per_s = 3 * 200 * 5 / 86400 } } },
    { "stable diffusion 1.5 to 10k users a day, 4 images each", "diffusion", { model = "sd-1.5", load = { rate_per_s = 3 * 1e4 * 4 / 86400 } } },
    { "serve flux.1 to 10k users", "diffusion", { model = "flux.1-dev", load = { rate_per_s = 3 * 1e4 * 5 / 86400 } } },
    { "image tokens of 3 images in gemma-3-4b-it", "image_prompt", { images = 3 } },
    { "a voice assistant with 300 concurrent streams (orpheus)", "speak", { model = "orpheus-3b", streams = 300 } },
    -- Memory of the host beside a card, of a machine without one, and of a chip that shares it.
    { "gpt-oss-120b with 24GB VRAM and 96GB DDR5, how fast?", "local_inference", { device = "RTX-4090", host = "Ryzen-9-7950X-96gb" } },
    { "Can I run Llama 3.3 70B on a single RTX 4090 with 64GB of RAM?", "local_inference", { device = "RTX-4090", host = "Ryzen-9-7950X-64gb" } },
    { "glm-4.5-air q4 on 2x 3090 and 64GB", "local_inference", { devices = 2, host = "Ryzen-9-7950X-64gb" } },
    { "Llama 3.1 8B on an A100 40GB and 80GB VRAM", "fit", { on = "A100-40GB-SXM" } },
    -- More memory than a desktop's board holds is a server's.
    { "deepseek-r1 671b q4 on one RTX 4090 and 384 GB RAM", "local_inference", { host = "EPYC-9654-384gb" } },
    { "deepseek r1 671b on dual EPYC 7763 with 512 GB DDR4, how fast", "local_inference", { device = "EPYC-7763-512gb", devices = 2 } },
    -- A processor serves nobody.
    { "deepseek r1 671b Q4_K_M on EPYC 9654 with 512 GB RAM, how many tokens/s", "local_inference", { device = "EPYC-9654-512gb" } },
    -- Whether it fits and how fast it is: the machine's estimate says both. The largest model is one of memory.
    { "will gemma 3 27b q4 fit on my 7900 XTX and how many tokens per second?", "local_inference", { device = "RX-7900-XTX" } },
    { "what is the biggest model I can run on a MacBook Air M4 with 16GB?", "fit", { on = "M4-16gb" } },
    -- Files of llama.cpp are run by oneself, unless there are users.
    { "how many tokens per second will I get with Llama 3.3 70B Q4_K_M on two RTX 3090s?", "local_inference", { devices = 2 } },
    { "how many users can I serve with Llama-3.1-8B Q4_K_M on an RTX 4090?", "replica", { model = "Llama-3.1-8B" } },
    { "exl2 llama 3 70b 4.0bpw 2x 4090 speed", "local_inference", { engine = "exllama", format = "4 bpw", devices = 2 } },
    -- A beginning that one model alone has, and a size where nobody knows the name.
    { "how fast is qwen3-coder-30b q4 on M4 Max 64GB", "local_inference", { model = "Qwen3-30B-A3B" } },
    { "qwen3-next-80b on M4 Max 128gb", "local_inference", { model = "Qwen3-Next-80B-A3B" } },
    -- Images and speech on a card that is said by its memory, in a format of fewer bits, their parts in turns where it must be.
    { "does FLUX dev fit 12 GB with GGUF Q4", "diffusion", { device = "RTX-3060-12GB", weights = "q4", offload = true } },
    { "SDXL on 24 GB", "diffusion", { device = "RTX-4090" } },
    { "wan 2.1 14b 480p 5 s video on a 4090", "diffusion", { model = "wan2.1-t2v-14b", width = 832, height = 480, frames = 81 } },
    { "qwen3-vl-8b image on 12 gb", "image_prompt", { device = "RTX-3060-12GB" } },
    { "whisper-large-v3 on rtx 3060", "transcribe", { device = "RTX-3060-12GB" } },
    -- A model and a machine of one's own, and a question about lengths.
    { "llama 3.1 8b on a steam deck", "local_inference", { device = "Steam-Deck" } },
    { "vLLM max model len for llama-3.1-70b awq on 2x 3090", "replica", { model = "Llama-3.1-70B" } },
    { "How fast is gpt-oss-120b on an RTX 4090 with a Ryzen 9 9950X?", "local_inference", { device = "RTX-4090", host = "Ryzen-9-9950X" } },
    { "Can I run Mixtral 8x7B on 32GB RAM without a GPU?", "fit", { on = "Ryzen-9-7950X-32gb" } },
    { "Is 8GB of unified memory on an M1 enough for llama 3 8B?", "fit", { on = "M1-8gb" } },
    { "llama.cpp on a Ryzen 7 5800X with 32GB DDR4, 7B model, tokens per second", "local_inference", { device = "Ryzen-7-5800X-32gb" } },
    { "rerank 100 documents per query with bge-reranker-v2-m3 on CPU", "rerank", { device = "Ryzen-9-7950X" } },
    { "Time to first token for a 32k prompt with Llama 3.1 70B on 4 H100", "replica", { model = "Llama-3.1-70B" } },
    { "Raspberry Pi 5 with 8GB, can it run Phi-3 mini?", "fit", { model = "Phi-3-mini-4k-instruct", on = "Raspberry-Pi-5-8gb" } },
    -- What is too large in 16 bit for the devices that are said is taken in fewer.
    { "Is it cheaper to use the GPT-4o API or rent an H100 for Llama 70B?", "replica", { model = "Llama-3.1-70B" } },
    { "does gemma 3 27b fit on a 4090", "fit", { format = "q4_k_m" } },
    { "does gemma 3 4b fit on a 4090", "fit", { format = false } },
    { "does gpt-oss-20b fit on 16 GB", "fit", { format = false } },
    -- Training further is none of what the model does.
    { "Fine-tune Whisper small on 100 hours of audio on a T4", "finetune", { examples = 12000, method = "full" } },
    { "What batch size can I use to fine-tune bert-base on a 16GB GPU?", "finetune", { seq_len = 160, method = "full" } },
    -- What devices can do under an SLO is no fleet of a load; whether they are enough for a load is one.
    { "What throughput can I get serving Llama 3.1 70B on 4 H100 with 2k input and 500 output tokens at TTFT under 2s?",
      "replica", { sla = { ttft_s = 2 } } },
    { "unsloth QLoRA of llama 3.1 8b on a T4, 10k examples", "finetune", { software = "unsloth", seq_len = 2048 } },
    -- Cards of a laptop are others than those of the same name, and a laptop without one has its processor.
    { "how fast is llama 8b on a laptop RTX 4060", "local_inference", { device = "RTX-4060-Laptop" } },
    { "fine-tune roberta-base on 50k examples on my notebook with an RTX 4060", "finetune", { cluster = { device = "RTX-4060-Laptop", devices = 1 } } },
    { "I have a laptop with 32GB of RAM and no GPU, which LLM can I run?", "fit", { on = "Core-Ultra-7-155H-32gb", format = "q4_k_m" } },
    { "best model on a 24GB card", "fit", { on = "RTX-4090" } },
    -- A memory that no card of the list has is that of a card of its own.
    { "flux dev on a 6 GB card", "diffusion", { device = "6GB" } },
    -- The memory of a computer is no memory of cards: the least that is sold and holds it.
    { "How much RAM do I need for Mixtral 8x7B at Q4_K_M?", "fit", { on = "Ryzen-9-7950X-48gb", devices = false } },
    { "how many concurrent users on one H100 with gpu_memory_utilization 0.85 for Llama 3.1 8B with 8k context?", "replica",
      { engine = { name = "vllm", memory_frac = 0.85 } } },
    { "does llama 70b awq fit on an A6000 with --gpu-memory-utilization 0.95", "fit", { memory_frac = 0.95 } },
    { "how many words per minute does a llama 70b on H100 produce", "replica", { model = "Llama-3.1-70B" } },
    { "prompt processing of 10k tokens on M2 Max with a 14B", "local_inference", { prompt_tok = 10000 } },
    { "MFU of 12,000 tokens/s per GPU on a 7B on H100", "check", { tokens_per_s_device = 12000 } },
    { "GRPO of a 7B with 8 samples per prompt and 1000 steps on 8 H100", "finetune", { kind = "grpo", generation = { completions = 8 } } },
    { "fine-tune Llama 3 70B on 50 million tokens with LoRA on H100s", "finetune", { method = "lora", cluster = { device = "H100-SXM-80GB", devices = 3 } } },
    -- What the device does not hold as it is published is stored in fewer bits.
    { "Can I run Flux on 12GB VRAM?", "diffusion", { device = "RTX-3060-12GB", weights = "nf4", offload = true } },
  }

  it("is read as it is meant", function()
    for _, row in ipairs(PROMPTS) do
      local question, input = handed(row[1])
      assert.equal(row[2], question, row[1])
      for name, value in pairs(row[3]) do assert.same(value, input[name] or false, row[1] .. ": " .. name) end
    end
  end)

  -- The answer's first line is what is asked for.
  it("is answered in a line by what it asks for", function()
    local LINES <const> = {
      { "KV cache size of Llama 3.1 70B at 128k context with batch 16", "^640 GiB of keys and values for 16 sequences of 131,072 tok;" }, -- 2 x 80 layers x 8 x 128 x 2 bytes
      { "How many GB is llama 70b in 4 bit?", "^weights of 39.8 GB in int4;" },
      { "what's the longest context I can use with Qwen3 14B on a 16GB GPU?", "^40,960 tok of context" },
      { "will a 13b model fit in 8gb vram", "^it does not fit: " },
      { "how much vram for stable diffusion xl", "^8.86 GiB, 2.56 GiB with this" },
      { "LoRA rank 16 trainable parameters for Llama 2 7B", "^8.39 million parameters learn;" }, -- 32 layers x 2 x 16 x 8,192
      { "Time to first token for an 8k prompt on llama 70b, 4xH100", "^first token of one client after %d+ ms;" },
      { "how many GPUs to transcribe 1000 hours of calls per day", "^with whisper%-large%-v3, as none is named: 2 devices keep up;" },
      -- 0.9 USD a million: 2 H100 at 3.90 USD/h are 5,694 USD a month.
      { "At what volume does self-hosting a 70B beat paying $0.9 per million tokens?", "^an API at 0.9 USD per million tokens is dearer from 6%.33 billion tokens a month" },
      { "how many FLOPs does it take to generate one token with a 70B", "^14%d GFLOP for a token" },
      { "how many H100 hours to pretrain a 3B model on 1 trillion tokens", "^1%d,%d00 device%-hours" },
      { "How many tokens can I train a 1.3B model on with 8 A100s in a month?", "^4%d%d billion tokens in 30.4 days" },
      { "Carbon footprint of training a 7B on 2T tokens", "kg .* of CO2:" },
      { "co2 of training 1.3B on 20B tokens on 8 A100", "kg .* of CO2:" },
      { "What fraction of peak will I get training 1.3B on 8 A100s?", "^%d%d%.?%d* %% of the peak, the MFU: " },
      { "How many tokens is compute optimal for a 1.3B model on 8 H100s", "^26 billion tokens: " },
      { "steps/sec for 1.3B gpt, seq 2048, batch 512 on 32 A100", "^%d%.%d+ s a step, %d+,000 tok/s, " },
      { "what does 3d parallel config look like for 1.3B on 8 A100 80GB", "^tp %d pp %d dp %d .*: 8 x A100" },
      { "how much slower is 4k to 32k context when pretraining a 7b on 64 H100?", "^4,096 tok: .*; 32,768 tok %(1%.%d+ times the device time%): " }, -- (42 + 26) / (42 + 3) GFLOP a token
      { "scaling law: 100M params how many tokens", "^2 billion tokens: " },
      { "gpt3 1.3b pretraining flops on 8 A100", "^%d%.%d+ ZFLOP, 6 N D 2%.%d+ ZFLOP: " }, -- 6 x 1.3 billion x 300 billion
      { "dataset 200GB text, how many tokens for 1.5B chinchilla on 64 H100", "^50 billion tokens, 33%.3 for each parameter" },
      { "Can 8 A100 40GB train a 1.3B with zero3 and 4k sequence", "^it fits: %d+%.?%d* GiB of 40 GiB of a device: " },
      { "Cost of 3 year ownership of 8xH100 server versus renting at $2/hr", "^buying pays below 3%d%d,000 USD" },
      { "Is it worth buying 8 H100s at $2/hr if we use them 40% of the time?", "^buying pays below 15%d,000 USD" }, -- 0.4 x (421,000 - 31,000)
      { "checkpoints of a 70B training run every 1000 steps for 100k steps", "^100 checkpoints of 98%d GB" },
      { "What does it cost to build our own ChatGPT for 2000 employees?", "devices, " },
      { "image generation service, 5 SDXL images per second, how many A100s?", "^%d+ replicas of one A100%-80GB%-SXM;" },
    }
    for _, row in ipairs(LINES) do
      local r = scenario.answer(scenario.state(nil, { command = "ask" }), "ask", { text = row[1] })
      assert.equal("headline", r.blocks[1].items[1].name)
      assert.matches(row[2], r.blocks[1].items[1].value, row[1])
    end
  end)

  it("moves states to the host where a training says so, and not where it is denied", function()
    local question = "train 13B for 1B tokens, deepspeed zero 3 %s cpu offload, on 2 x 3090"
    assert.matches("^2 x RTX%-3090 for", ask.run({ text = question:format("with") }).headline)
    assert.matches("^no plan fits 2 x RTX%-3090; the states alone take", ask.run({ text = question:format("without") }).headline)
  end)

  it("has devices for the ranks that are said, where nobody says how many", function()
    for text, devices in pairs({ ["vllm serve llama-3.1-70b -tp 4 on H100, how many users"] = 4,
      ["serve llama 70b with tp 2 pp 4 on H100, what throughput"] = 8, ["serve llama 3.1 405b with tp 8 on H100, what throughput"] = 16,
      ["one replica of llama 70b on H100, what throughput"] = 2,
      ["one replica of deepseek v4 pro on H200, what throughput"] = 8 }) do
      local question, input = handed(text)
      assert.equal("replica", question)
      assert.equal(devices, input.cluster.devices, text)
    end
  end)

  it("compares formats of as many bits with 'or' between them", function()
    local both = ask.run({ text = "llama 70b in fp8 or int8 on 4 H100, 5 rps" })
    assert.is_true(both.is_choice)
    assert.equal(2, #both.parts)
  end)

  it("compares devices with 'and' between them where that is asked", function()
    local both = ask.run({ text = "compare A100 and H100 for training 13B on 1T tokens on 64 devices" })
    assert.is_true(both.is_choice)
    assert.equal(2, #both.parts)
  end)

  it("refuses a family of models of several sizes, with some of them", function()
    for _, family in ipairs({ "qwen", "llama", "gemma", "gpt-oss" }) do
      local said = tostring(errors.catch(ask.run, { text = "can I run " .. family .. " on a 3090" }))
      assert.matches("'" .. family .. "': has several sizes: say which, as ", said, 1, true)
    end
  end)

  it("is read by names that are like other words", function()
    local rows = {
      -- A format with its digits, a distilled model by its size, cards that look like percentiles.
      { "Llama 3.1 8B on RTX 4060 Ti 16GB, what context length can I use with Q8_0?", "fit", { format = "q8_0" } },
      { "tokens per second for DeepSeek R1 distill 32B on M2 Max 64GB", "local_inference", { model = "Qwen2.5-32B" } },
      { "Can I run llama 3.1 8B on a P40?", "fit", { on = "Tesla-P40" } },
      { "Can I run Kimi K2 on an EPYC with 512GB RAM and one 4090?", "local_inference", { device = "RTX-4090", host = "EPYC-9654-512gb" } },
      { "whisper.cpp medium on M1, 1 hour of audio", "transcribe", { model = "whisper-medium", software = "whisper.cpp", batch = 1 } },
      { "latency of bge-reranker-large for 50 docs on T4", "rerank", { documents = 50 } },
      { "LoRA rank 64 on a 13B with 4k context, which GPU?", "fit", { rank = 64, purpose = "lora" } },
      { "OOM when fine-tuning llama 3 8b on one A100 40GB, batch size 4, seq 4096", "finetune", { micro_batch = 4, seq_len = 4096 } },
      -- Fifty lines that talk at one time, not fifty recordings.
      { "real-time transcription of 50 calls, which GPU?", "transcribe", { audio_per_s = 50 } },
      { "transcribe 50 calls on an L4", "transcribe", { audio_s = 50 * 300 } },
      { "How much electricity does a 3090 use running a 8B model all day?", "local_inference", { device = "RTX-3090" } },
    }
    for _, row in ipairs(rows) do
      local question, input = handed(row[1])
      assert.equal(row[2], question, row[1])
      for name, value in pairs(row[3]) do assert.equal(value, input[name], row[1] .. ": " .. name) end
    end
    -- Layers go to where the words behind them say, the others stay.
    local _, dealt = handed("How slow is offloading 20 layers of a 70B Q4_K_M to CPU with a 3090?")
    assert.equal(60, dealt.device_layers) -- of 80
    _, dealt = handed("llama.cpp 70B Q4_K_M with 45 layers on the GPU of a 3090")
    assert.equal(45, dealt.device_layers)
    -- A card that nobody rents costs what it did over three years.
    local _, own = handed("Should I buy a 5090 or rent? 8B serving 24/7")
    assert.near(1999 / (3 * 8760), own.cluster.price, 1e-9)
    local _, rented = handed("tokens per second of an 8B on an H100")
    assert.is_nil(rented.cluster.price)
    -- The size of a name that nobody knows.
    local _, of_size = handed("how fast is acme-30b-a3b on a 3090")
    assert.near(30e9, core.params({ model = of_size.model }).total_params, 1.5e9)
    -- Formats of 16 bit are one to an engine.
    local _, wide = handed("how many concurrent requests can an A100 80GB serve with qwen2.5-32b fp16")
    assert.equal("bf16", wide.plan.checkpoint)
    -- What is known and not estimated is no other model.
    for text, why in pairs({ ["how fast is kokoro on a 3060"] = "all sound at once", ["parakeet tdt 0.6b on a 3090"] = "Whisper",
      ["train resnet50 on imagenet with 8 V100"] = "of resnet50 it knows what a pass costs" }) do
      assert.matches(why, errors.catch(handed, text))
    end
    assert.equal("fit", (handed("I want to run llama 8b on an A100"))) -- "want" is no Wan
    -- What is translated comes out as long.
    local _, job = handed("translate 1M sentences of 40 tokens with nllb-200-3.3B on a T4")
    assert.same({ 40, 40 }, { job.load.input_tokens, job.load.output_tokens })
    -- Device time of a model is that of its training.
    assert.equal("training", (ask.understood({ text = "how many GPU hours for Llama 2 7B?" })).name)
    -- An engine is one where the question has a place for it.
    local _, served = handed("What is the throughput of TensorRT-LLM on H100 for Llama 3 8B fp8?")
    assert.equal("trtllm", served.engine.name)
    assert.same({ "sglang" }, ask.run({ text = "serve llama 3.1 8B with sglang to 1M users" }).unread)
    assert.same({}, ask.run({ text = "serve llama 3.1 8B with vLLM to 1M users" }).unread)
    -- A 16 GB GPU is no A16.
    local _, tuned = handed("fine-tune bert-base on a 16GB GPU")
    assert.equal("RTX-4060-Ti-16GB", tuned.cluster.device)
    local about, both = handed("RTX 3090 plus RTX 3060, can I run a 70B Q4?")
    assert.same({ "local_inference", "RTX-3090", "RTX-3060-12GB" }, { about, both.device, both.other })
    local _, more = handed("tokens per second of llama 70B on 2x 3090 and 1x 4060 Ti 16GB")
    assert.same({ 2, "RTX-4060-Ti-16GB", 1 }, { more.devices, more.other, more.others })
    assert.matches("two kinds of device", errors.catch(handed, "fine-tune llama 8B on a 3090 plus a 4090"))
    assert.matches("third kind", errors.catch(handed, "70B Q4 on a 3090 and a 4090 and a 3060"))
  end)

  it("sets machines beside each other by their speed", function()
    local parts, names = ask.parts({ text = "how much faster is a 4090 than a 3090 for a 13B Q4_K_M?" })
    assert.same({ "1 x RTX-4090", "1 x RTX-3090" }, names)
    assert.equal("local", parts[1].kind)
    local questions = require("ballpark.questions")
    local answer = require("ballpark.questions.local_inference.run").run({ model = "llama3.1:8b", device = "RTX 3090" })
    answer.kind = "local_inference"
    assert.matches("^%d+ tok/s, of a prompt [%d,]+ tok/s; ", questions.headline(answer))
    names = select(2, ask.parts({ text = "P40 24GB vs 3060 12GB for LLM inference" }))
    assert.same({ "p40-24gb", "RTX-3060-12GB" }, names)
  end)

  it("has memory of vectors as their storage", function()
    local answer = ask.run({ text = "Qdrant with 20M vectors of 1024 dims, how much RAM?" })
    assert.equal("storage", answer.about)
    assert.near(20e6 * 1024 * 4, answer.values.raw_bytes, 1)
  end)

  it("counts as people who wait and devices that are there have it", function()
    -- The only device there is serves, without a spare.
    local one = ask.run({ text = "Can I serve Llama 3.1 8B to 20 users on a 3090?" })
    assert.is_true(one.fits)
    assert.equal(1, one.values.devices)
    -- Ten million tokens a day are 115.7 a second, of 1,300 each.
    local rate = known_of("self hosting for 10M tokens per day with 70B chat").rate_per_s
    assert.near(1e7 / 86400 / 1300, rate, 1e-6)
    -- A long prompt is waited for longer.
    local long = known_of("serve a 70B with prompts of 18000 tokens to 100 users")
    assert.near(4, long.ttft_s, 1e-9)
  end)

  it("has states in the host's memory where a prompt says so", function()
    local _, input = handed("Can I full fine-tune a 7B on 2 A100 40GB with DeepSpeed ZeRO-3 offload?")
    assert.same({ zero = 3, offload = "optimizer_weights" }, input.plan)
    _, input = handed("full fine-tune a 7B on 2 A100 40GB with ZeRO stage 2 and offloading")
    assert.same({ zero = 2, offload = "optimizer" }, input.plan)
  end)

  it("takes fewer bits where the devices that are said do not hold the weights", function()
    local _, input = handed("inference of Llama 70B on an H100, tokens per second")
    assert.equal("fp8", input.plan.checkpoint) -- 70.6 billion bytes of 80 GiB, not 141
    _, input = handed("inference of Llama 70B on 4 H100, tokens per second")
    assert.is_nil((input.plan or {}).checkpoint)
  end)

  it("compares formats that stand beside each other", function()
    local parts, names = ask.parts({ text = "What is the difference in speed between Q4 and Q8 for a 13B on a 3080?" })
    assert.same({ "Q4", "Q8" }, names)
    assert.same({ "q4", "q8" }, { parts[1].facts.weights, parts[2].facts.weights })
    assert.equal("local", parts[1].kind)
  end)

  it("takes a size for a model whose shape is not published", function()
    local _, given, _, more = ask.understood({ text = "train a GPT-4 like 1.8T MoE with 280B active on 13T tokens" })
    assert.same({ 1.8e12, 280e9, 13e12 }, { given.params, given.active_params, given.tokens })
    assert.matches("The shape of 'gpt%-4' is not published", table.concat(more.notes, "; "))
    assert.matches("say a size", errors.catch(handed, "serve 1M users with GPT-4"))
  end)

  it("keeps a model and its size together", function()
    assert.matches("671 billion.*90 billion are said", errors.catch(handed, "can I run deepseek-r1 90b on a 4090"))
    -- A size of the family's own, under a name that others have for it, and words of a name in their order.
    for text, model in pairs({ ["deepseek-r1 32b"] = "Qwen2.5-32B", ["ollama deepseek-r1:14b"] = "Qwen2.5-14B",
      ["nemotron nano 30b"] = "Nemotron-3-Nano-30B-A3B", ["qwen coder 7b"] = "Qwen2.5-7B" }) do
      local _, input = handed(text .. " on a 4090")
      assert.equal(model, input.model, text)
    end
    local _, qat = handed("gemma-3-27b-it-qat-q4_0-gguf on rtx 4080")
    assert.same({ "Gemma-3-27b-it", "q4_0" }, { qat.model, qat.format })
    _, qat = handed("gemma 3 27b qat on a 24gb card tokens per second")
    assert.same({ "Gemma-3-27b-it", "qat" }, { qat.model, qat.format })
    assert.matches("its shape is not published", errors.catch(handed, "serve 1M users with GPT-4"))
  end)

  it("is refused where it goes on, and where most of it has no place", function()
    assert.matches("stands alone", errors.catch(ask.run, { text = "Can I run a 70B on a 4090; then 2 GPUs" }))
    assert.matches("has no place for", errors.catch(ask.run, { text = "storage at 5 QPS on cards of 64 GB, 9 layers" }))
  end)
end)

describe("a prompt of money, devices or runs", function()
  it("sizes the model that they train best", function()
    local answer = ask.run({ text = "We have 16 H100 for 30 days. What can we train?" })
    -- sqrt(16 x 30 d x 989 TFLOP/s x MFU / 120) with the MFU that the best plan reaches, and not much time left over.
    assert.near(math.sqrt(16 * 30 * 86400 * 989e12 * 0.5 / 120), answer.values.total_params, 1.5e9)
    assert.is_true(answer.values.run_s < 30 * 86400 and answer.values.run_s > 0.8 * 30 * 86400)
    local money = ask.run({ text = "budget of 100k USD, the largest model to train compute-optimally on H100" })
    assert.is_true(money.fits and money.values.cost < 1e5)
  end)

  it("compares devices of which one is to be chosen", function()
    local answer = ask.run({ text = "serve a 70B to 500 users on H100 or B200?" })
    assert.is_true(answer.is_choice and answer.fits)
    assert.equal(2, #answer.parts)
    local cost = math.min(answer.parts[1].values.cost_usd_month, answer.parts[2].values.cost_usd_month)
    assert.equal(cost, answer.values.cost_usd_month)
    assert.matches("stands alone", errors.catch(ask.run, { text = "serve an 8B on L4 or T4; then twice the users" }))
  end)

  it("reads sound of a day as lines that talk at one time", function()
    local question, asked, from = ask.handed_over({ text = "transcribe 2400 hours of speech a day" })
    assert.equal("transcribe", question)
    assert.near(100, from.known.streams, 1e-9)
    assert.near(100, asked.audio_per_s, 1e-9)
  end)

  it("counts the jobs of people", function()
    local few, many = values("GPU platform for 20 researchers"), values("GPU platform for 200 researchers")
    assert.is_true(many.devices > few.devices)
  end)

  it("asks the search that a service's answers rest on, at its rate", function()
    local answer = ask.run({ text = "RAG over 10 million documents with a 70B model for 1000 users" })
    assert.same({ "retrieval", "llm" }, { answer.parts[1].about, answer.parts[2].about })
    local service = answer.parts[2].known
    assert.near(service.rate_per_s * service.peak_ratio, answer.parts[1].known.peak_per_s, 1e-9)
    assert.equal(answer.parts[1].values.cost_usd_month + answer.parts[2].values.cost_usd_month, answer.values.cost_usd_month)
    assert.equal("retrieval", ask.run({ text = "RAG over 2M documents" }).about)
    assert.equal("retrieval", ask.run({ text = "10M images searched with CLIP, 50 queries per second" }).about)
  end)

  it("takes larger steps for larger runs", function()
    local function batch(text) return known_of(text).global_batch end
    assert.equal(512, batch("train 7B on 1T tokens on 64 H100"))
    assert.equal(4096, batch("train 405B on 15T tokens on 16384 H100")) -- 16.8 million tokens
    assert.equal(125 * 32, batch("train 405B on 15T tokens on 16000 H100")) -- 125 ranks share it
  end)

  it("serves so many at one time by Little's law", function()
    local got = values("serve an 8B to 200 concurrent users, 1000 tokens in, 300 out")
    assert.near(200 / (1 + 300 * 0.05), got.rate_per_s, 1e-9)
    assert.equal(1, got.peak_ratio)
  end)

  it("reads tokens in and out of one time, and what each of the users sends", function()
    local function said(text)
      local kind, given = ask.understood({ text = text })
      assert.equal("llm", kind.name, text)
      return given
    end
    for _, text in ipairs({ "serve llama 70b, 40 million input and 10 million output tokens per day",
      "serve llama 70b, 40 million input tokens and 10 million output tokens a day",
      "serve llama 70b, 40M input tokens per day and 10M output tokens per day" }) do
      local given = said(text)
      assert.near(1e7 / 86400, given.rate_per_s * given.output_tokens, 1e-6)
      assert.near(4e7 / 86400, given.rate_per_s * given.input_tokens, 1e-6)
    end
    assert.equal(1000, said("serve 8B, 1000 input and 200 output tokens per request, 10 requests per second").input_tokens)
    local each, there = said("serve 70B for 50 users, one message every 30 s"), said("serve 70B to 50 concurrent users, one message every 30 s")
    assert.equal(30, each.interval_s)
    assert.is_nil(each.rate_per_s)
    assert.near(50 / 30, there.rate_per_s, 1e-9) -- those who are there are the peak
    assert.is_nil(there.interval_s)
    assert.equal(0.5, said("serve 70B, one request every 2 seconds").rate_per_s)
    assert.equal(1, said("serve 70B to 1000 users, one request per second").rate_per_s)
  end)

  it("asks what each of a month's users asks in a month, and what those of a day ask in a day", function()
    local MONTH_S <const>, WEEK_S <const> = 365 / 12 * 86400, 7 * 86400
    for _, row in ipairs({
      { "a chat assistant for 1M MAU with 20 requests per user per month, llama 8b", 2e7 / MONTH_S },
      { "10M MAU chat app, 3 conversations per user per month of 6 turns, llama 8b", 1.8e8 / MONTH_S },
      { "10M users a month, 100 messages per user per month, llama 8b", 1e9 / MONTH_S },
      { "2M MAU, each sends 60 messages a month, llama 8b", 1.2e8 / MONTH_S },
      { "2M MAU, 20 messages a month each, llama 8b", 4e7 / MONTH_S },
      { "1M MAU, 2 messages per user per week, llama 8b", 2e6 / WEEK_S },
      { "1M MAU with 20 requests per user per day, llama 8b", 2e5 * 20 / 86400 },
      { "10k users, 3 sessions a week, llama 8b", 3e4 / WEEK_S },
    }) do
      local kind, given = ask.understood({ text = row[1] })
      assert.equal("llm", kind.name, row[1])
      assert.near(row[2], facts.of(kind, given).rate_per_s, 1e-9 * row[2], row[1])
    end
    local recommended = ask.understood({ text = "recommend items to 30M MAU" })
    local given = { monthly_users = 3e7, requests_per_user_month = 30, peak_ratio = 2 }
    assert.near(2 * 9e8 / MONTH_S, facts.of(recommended, given).peak_per_s, 1e-6)
  end)

  -- What a prompt says, as facts, those that it must not say, and what is listed as not read.
  it("takes no number for another that its words do not say", function()
    local cases = {
      -- Rates of tokens are a load, whatever their size.
      { "serve 8B at 5000 input and 1000 output tokens per second", { rate_per_s = 1000 / 300, input_tokens = 1500 } },
      { "serve 8B, 5000 input tokens/s and 1000 output tokens/s", { rate_per_s = 1000 / 300, input_tokens = 1500 } },
      { "serve 8B with 5k input / 1k output tokens per second", { rate_per_s = 1000 / 300, input_tokens = 1500 } },
      { "serve 8B: 3000 tok/s in and 600 tok/s out", { rate_per_s = 2, input_tokens = 1500 } },
      { "serve 8B: 20M input and 4M output tokens daily", { rate_per_s = 4e6 / 86400 / 300, input_tokens = 1500 } },
      -- Short runs, and the time in which a checkpoint is written.
      { "save a 405B checkpoint in 60 seconds: bandwidth", { write_s = 60, time_s = false } },
      { "save a 70B checkpoint within 30 s", { write_s = 30, time_s = false } },
      { "checkpoints of a 70B every 2 hours for 1 hour", { every_s = 7200, time_s = 3600 } },
      { "storage for 10B embeddings of 1536 floats, 2 replicas", { vectors = 1e10, dim = 1536, replicas = 2 } },
      { "disk for 500M embeddings of 384 dims", { vectors = 5e8, dim = 384 } },
      { "embedding table for 500M users with 64 dims in fp16, 2 copies", { users = 5e8, dim = 64, replicas = 2 } },
      { "5 TB of text, how many tokens and how long to train a 7B on 128 H100?", { tokens = 1.25e12, devices = 128 } },
      { "100 million product images of 224x224, CLIP ViT-L embeddings, L4", { items = 1e8, usd_h = false } },
      -- Scales before tokens.
      { "train a 2.7B on 300 Gtokens with 64 H100", { tokens = 3e11 } },
      { "train 7B on 2 Ttok with 64 H100", { tokens = 2e12 } },
      { "train 7B on 1 000 G tokens with 64 H100", { tokens = 1e12 } },
      -- What one device computes at a time is no batch of a step.
      { "train 7B on 2T tokens, micro batch 2, TP 4, 256 H100", { global_batch = false, batch = false }, "2" },
      { "train 7B on 2T tokens, micro-batch size 1, global batch size 512, 64 H100", { global_batch = 512 }, "1" },
      { "train 7B on 2T tokens, per-GPU batch size 4, 64 H100", { global_batch = false, batch = false }, "4" },
      { "train 7B on 2T tokens with a batch size of 4 per GPU on 64 H100", { global_batch = false, batch = false }, "4" },
      { "GRPO on a 7B, 8 rollouts per prompt, 64 prompts per step, 200 steps, max 4k tokens, 8 H100",
        { batch = 512, examples = 12800, output_tokens = 4000, tokens = false } },
      { "ppo 7B, 16 H100, 20k prompts, 512 tokens response", { output_tokens = 512, tokens = false } },
      -- Prices of an hour, of one device.
      { "train 7B on 1T tokens with 128 H100 at $2/GPU-hr", { usd_h = 2, cost_usd = false } },
      { "train 7B on 1T tokens with 64 H100 at 2 USD/GPUh", { usd_h = 2, cost_usd = false } },
      { "train 7B on 1T tokens with 64 H100 at $2.2 each", { usd_h = 2.2, cost_usd = false } },
      { "train 7B on 1T tokens, H100 at $2.2, $1.5M max", { usd_h = 2.2, cost_usd = 1.5e6 } },
      { "train 7B on 1T tokens on 64 H100 at $1000", { usd_h = false, cost_usd = 1000 } },
      { "p5.48xlarge at $98.32/hr, train 7B on 1T tokens", { usd_h = 98.32 / 8 } },
      { "8xH100 at $20/h, train 1B on 50B tokens", { usd_h = 2.5 } },
      { "8xH100 at $3/h, train 1B on 50B tokens", { usd_h = 3 } },
      { "H100 @ $2.49, 8B chat, 100 rps", { usd_h = 2.49, budget_usd_month = false } },
      { "serve 70B on an 8xH100 node costing $24 per hour, 10 qps", { usd_h = 3 } },
      { "serve 70B at 10 qps, H100 costs 30000 USD to buy", { budget_usd_month = false, cost_usd = false }, "30000" },
      -- Times that are no deadline.
      { "train 7B on 1T tokens on 512 H100, MTBF 5 hours", { time_s = false }, "mtbf 5 hours" },
      { "train 7B on 1T tokens on 512 H100, checkpoint takes 90 seconds", { time_s = false }, "90 seconds" },
      { "train 7B on 1T tokens on 512 H100, restart takes five minutes", { time_s = false }, "five minutes" },
      { "checkpoints of a 7B each 30 minutes for 10 days", { every_s = 1800, time_s = 864000 } },
      { "llama 70B on H100, 40 qps, weekdays 8 hours a day", { rate_per_s = 40, time_s = false }, "weekdays 8 hours" },
      { "transcribe 500 hours of video with whisper", { audio_s = 1.8e6, time_s = false } },
      { "serve 70B, 10 qps, first token within 800 ms, 25ms between tokens", { ttft_s = 0.8, tpot_s = 0.025, slo_s = false } },
      { "fine-tune an 8B on 20k examples, 8xA100, in one night", { time_s = 36000 } },
      { "13B chat, per-user 30 tok/s, 2k users, 5% active", { tpot_s = 1 / 30, tokens_per_s = false } },
      { "train 70B on 1T tokens with 3D parallelism on 512 H100", { time_s = false, devices = 512 }, "3 d parallelism" },
      { "train 70B on 1T tokens with 2.5D tensor parallelism on 512 H100", { time_s = false, devices = 512 }, "2.5 d tensor parallelism" },
      { "train 70B on 1T tokens, 1D vocab parallel, 512 H100", { time_s = false, devices = 512 }, "1 d" },
      { "train 7B on 1T tokens in 3d with 512 H100", { time_s = 3 * 86400 } },
      -- Lengths.
      { "DPO of an 8B on 8 A100 with 4k seq", { seq_len = 4096, examples = false } },
      { "train a model from llama 8B on H100, 512 tokens", { seq_len = 512, tokens = false } },
      -- Others.
      { "a quarter million users, 8B chatbot", { users = 250000 } },
      { "half million users, 8B chatbot", { users = 500000 } },
      { "200 agents running in parallel, Qwen3-32B, chat", { concurrency = 200, users = false } },
      { "serve 70B at 10 qps growing 2x per year", { growth_month_frac = 2 ^ (1 / 12) - 1, requests_per_user_day = false } },
      { "serve 70B at 10 qps, peak factor 3", { peak_ratio = 3 } },
      { "serve 70B at 10 qps with speculative decoding, 4 draft tokens", { draft_tokens = 4 } },
      { "mixtral 8x7b q5_K_M on 64GB DDR5 5600 ryzen 7950x", { devices = false, host_memory_bytes = 6.4e10 } },
      { "storage of 100M x 768 vectors", { vectors = 1e8, dim = 768 } },
      { "caption 10M images with a 7B in 5 days", { prompts = 1e7, time_s = 432000 } },
      { "1M TPM with llama 70B, 2:1 input output ratio", { tokens_per_s = 1e6 / 60, input_tokens = 600, output_tokens = 300 } },
    }
    for _, case in ipairs(cases) do
      local _, given, unread = ask.understood({ text = case[1] })
      for name, value in pairs(case[2]) do
        if value then
          assert.near(value, given[name] or 0, 1e-9 * value, case[1] .. ": " .. name)
        else
          assert.is_nil(given[name], case[1] .. ": " .. name)
        end
      end
      if case[3] then assert.is_true(tables.contains(unread, case[3]), case[1] .. ": " .. table.concat(unread, "|")) end
    end
    assert.matches("training models that write text", errors.catch(ask.understood, { text = "train a stable diffusion model on 500M images" }))
  end)

  it("widens a fleet by every part of its load that is a range", function()
    local function page_of(text, given) return ask.run({ text = text, facts = given }) end
    local lengths = { input_tokens = 1000, output_tokens = 300 }
    local known = page_of("serve an 8B to 2000 concurrent users", lengths)
    local between = page_of("serve an 8B to 1000-4000 concurrent users", lengths)
    assert.near(2, between.ranges.rate_per_s.high / between.values.rate_per_s, 1e-9)
    assert.near(2, between.values.rate_per_s / between.ranges.rate_per_s.low, 1e-9)
    local usual, wide = known.ranges.devices, between.ranges.devices
    assert.is_true(wide.high >= 2 * known.values.devices - 2 and usual.high < wide.high, "twice as many at the upper end")
    -- Lengths that nobody said are a part of what nobody knows.
    local function width(range) return range.high / range.low end
    local open = page_of("serve an 8B to 2000 concurrent users")
    assert.is_true(width(open.ranges.cost_usd_month) > 1.2 * width(known.ranges.cost_usd_month))
    local drivers = {}
    for _, driver in ipairs(open.drivers) do drivers[driver.name] = driver.share end
    assert.is_true(drivers.Prompt > 0.02, "the prompt drives it")
    -- Tokens of a month are so many requests more or less as well.
    local month = known_of("serve an 8B, 100-400 billion tokens a month", lengths):entry("rate_per_s")
    assert.near(4, width(month), 1e-9)
  end)

  it("says the range of its figures in the headline", function()
    local answer = ask.run({ text = "serve an 8B to 1000-4000 concurrent users" })
    assert.matches("%d+ %(%d+ to %d+%) devices, [%d,]+ USD %([%d,]+ to [%d,]+%) a month$", answer.headline)
  end)

  it("counts jobs of a time on several devices", function()
    local got = values("platform: 200 experiments a week, 8 GPUs for 12 hours each")
    assert.near(200 / 7 * 8 * 12 * 3600, got.device_s, 1)
  end)

  it("writes checkpoints as often as loses least, where the devices of the run are said", function()
    local answer = ask.run({ text = "How often should I checkpoint a 70B run on 1024 H100?" })
    assert.equal("checkpoints", answer.about)
    -- sqrt(2 x 60 s x 50,000 device-hours / 1024), and 14 bytes a parameter in a minute.
    assert.near(math.sqrt(2 * 60 * 50000 * 3600 / 1024), answer.known.every_s, 1)
    assert.near(70e9 * 14 / 60, answer.values.write_bytes_s, 1)
  end)

  it("keeps checkpoints", function()
    local got = values("storage for checkpoints of a 70B run, one every 2 hours for 30 days")
    assert.equal(70e9 * 14, got.checkpoint_bytes)
    assert.equal(360 * 70e9 * 14, got.kept_bytes)
  end)

  it("embeds a corpus once", function()
    local got = values("embed 100M documents of 500 tokens with bge-large on A10")
    assert.near(100e6 / got.per_s, got.device_s, 1)
    assert.equal("bge-large-en-v1.5", got.model)
  end)
end)

describe("a prompt about devices of which nobody says what they do", function()
  local DAY <const> = 86400

  it("is about their rent, whatever is asked of it", function()
    for text, known in pairs({
      ["price of 3 A100 for 2 months"] = { devices = 3, time_s = 2 * 365 / 12 * DAY },
      ["what does it cost to rent 8 H100 for 3 weeks?"] = { devices = 8, time_s = 21 * DAY },
      ["how much is an H100 per hour?"] = { devices = 1 },
      ["power draw of 1000 H100 for a month?"] = { devices = 1000 },
      ["electricity cost of 16 RTX 4090 for a year at 0.30 USD per kWh"] = { devices = 16, time_s = 365 * DAY, usd_kwh = 0.3 },
      ["cheapest cloud for 8x H100"] = { devices = 8 },
    }) do
      local answer = ask.run({ text = text })
      assert.equal("rent", answer.about, text)
      for name, value in pairs(known) do assert.near(value, answer.known[name], 1e-3 * value, text .. ": " .. name) end
    end
  end)

  it("costs devices times hours times the price, and draws boards times servers times PUE", function()
    local answer = ask.run({ text = "rent 8 H100 for 10 days at 2 USD/h, 0.1 USD per kWh", facts = { host_ratio = 1.5 } })
    assert.near(8 * 240 * 2, answer.values.cost, 1e-6)
    assert.near(8 * 700 * 1.5 * 1.1, answer.values.power_w, 1e-6)
    assert.near(8 * 700 * 1.5 * 1.1 / 1000 * 240 * 0.1, answer.values.electricity_usd, 1e-6)
  end)

  it("is of as many as the money pays", function()
    assert.equal(37, known_of("how many H100 can I rent for 50k USD for 2 weeks at 4 USD/h").devices)
    local short = ask.run({ text = "rent 64 H100 for 4 weeks at 2 USD/h, budget 50k USD" })
    assert.same("budget", short.contradictions[1].code)
  end)
end)

describe("users of whom a share is there", function()
  it("ask as often as it is said, and the share is listed as not read", function()
    local text = "llama 8b to 100k users, 5% active at peak hour, 20 messages per day"
    assert.near(100000 * 20 / 86400, ask.run({ text = text }).values.rate_per_s, 1e-6)
    local _, _, unread = ask.understood({ text = text })
    assert.same({ "5% active" }, unread)
  end)
end)

describe("a prompt that goes on", function()
  it("changes facts of the answer before", function()
    local answer = ask.run({ text = "One matrix product on two GPUs of 24 GB: does it fit, PP or TP, why; then 8 GPUs; "
      .. "then training." })
    assert.equal(2, answer.values.devices)
    assert.equal(2, #answer.stages)
    assert.equal(8, answer.stages[1].known.devices)
    assert.equal("no", answer.stages[1].known.training)
    assert.equal("yes", answer.stages[2].known.training)
    assert.equal(3 * answer.values.flop, answer.stages[2].values.flop)
    assert.same({ 8, "yes" }, { answer.given.devices, answer.given.training }) -- a follow-up goes on from there
  end)

  it("takes a factor of what was there, and says who keeps a budget", function()
    local answer = ask.run({ text = "Moderate images 1 M uploads an hour, burst 3×, done within 10 minutes, ViT-L; then: "
      .. "half the budget, how?" })
    local half = answer.stages[1]
    assert.equal(answer.values.cost_usd_month / 2, half.given.budget_usd_month)
    assert.is_false(answer.fits)
    assert.equal(0, #answer.contradictions)
    assert.matches("kept by a smaller network", half.contradictions[1].text)
    local twice = ask.run({ text = "storage of embeddings for 1B users. Then twice the users." })
    assert.equal(2e9, twice.stages[1].known.users)
    assert.near(2 * twice.values.raw_bytes, twice.stages[1].values.raw_bytes, 1)
  end)

  it("asks which MFU time and money need", function()
    local answer = ask.run({ text = "30 B on 128 H100: memory per GPU, step, tokens/s; then: 30 days and 2 M USD, which MFU "
      .. "is needed, is that normal?", facts = { usd_h = 4 } })
    local got = answer.stages[1].values
    assert.near(6 * 30e9 * 600e9 / (128 * 989e12 * 30 * 86400), got.needed_mfu_frac, 1e-5)
    assert.equal(694, got.bought_devices)
    assert.near(0.0607, got.bought_mfu_frac, 1e-4) -- on 694; 6.58 % on 640
    local r = result.new({})
    show.answer(r, answer)
    local found = false
    for _, block in ipairs(r.blocks) do found = found or block.name == "then_1" end
    assert.is_true(found)
  end)
end)

describe("the model of a size", function()
  local proposals = require("ballpark.questions.ask.proposals")

  it("has the parameters that were said", function()
    for _, billions in ipairs({ 0.5, 3, 7, 20, 30, 100 }) do
      local shape = proposals.decoder({ params = billions * 1e9 })
      assert.near(1, core.params({ model = shape }).total_params / (billions * 1e9), 0.005)
    end
    assert.equal("Llama-3.1-70B", proposals.decoder({ params = 70e9 }).name)
  end)

  it("has the parameters in all and at a token that were said of experts", function()
    for _, row in ipairs({ { 1.8e12, 180e9 }, { 600e9, 30e9 }, { 200e9, 60e9 }, { 50e9, 5e9 } }) do
      local shape = proposals.decoder({ params = row[1], active_params = row[2] })
      local counted = core.params({ model = shape })
      assert.near(1, counted.total_params / row[1], 0.05)
      assert.near(1, counted.active_params / row[2], 0.12)
    end
    -- Mixtral is near enough to itself.
    assert.equal("Mixtral-8x7B-v0.1", proposals.decoder({ params = 46.7e9, active_params = 12.9e9 }).name)
  end)

  it("is trained at most as long as it sees, on what it was trained on", function()
    local function scope(text) return known_of(text) end
    assert.equal(1024, scope("train GPT-2 from scratch on one RTX 4090").seq_len)
    assert.equal(4096, scope("train a 7B on 1T tokens").seq_len)
    assert.equal(15e12, scope("How many H100 hours to train Llama 3.1 8B?").tokens)
    -- 6 x 175 billion x 3.5 trillion over 4,096 devices and 30 days: beyond what an integer of 64 bits holds.
    local large = ask.run({ text = "train a 175B in 30 days on 4096 H100" })
    assert.near(6 * 175e9 * 20 * 175e9 / (4096 * 989e12 * 30 * 86400), large.values.needed_mfu_frac, 0.01)
    assert.equal(300e9, trainings.of("GPT-3").tokens) -- arXiv:2005.14165
    assert.near(20 * 7e9, scope("train a 7B on 64 H100").tokens, 1)
  end)
end)

describe("a prompt that goes on and on", function()
  local function refused(text, with)
    local message, raised = errors.catch(ask.run, { text = text })
    assert.is_true(errors.is(raised))
    assert.matches(with, message)
  end

  it("is refused where telling its questions apart would read it again and again", function()
    refused(("7 and "):rep(600), "too many clauses")
    refused(("7. "):rep(1300), "too many clauses")
  end)

  it("has at most fifteen pieces after the first", function()
    refused("train 7B on 1T tokens" .. ("; then 8 GPUs"):rep(16), "goes on more than 15 times")
  end)

  it("is too long as a whole, whatever its clauses are", function()
    refused(("train 7B on 1T tokens and "):rep(200), "more than the 4096")
  end)
end)

-- What is understood of a prompt: the kind, the facts, and what nothing read.
local function understood(text)
  local kind, given, unread = ask.understood({ text = text })
  return kind.name, given, unread
end

local function assert_read(rows)
  for _, row in ipairs(rows) do
    local kind, given, unread = understood(row[1])
    assert.equal(row[2], kind, row[1])
    for name, value in pairs(row[3]) do
      if type(value) == "number" then
        assert.near(value, given[name] or -1, 1e-6 * value, row[1] .. ": " .. name)
      else
        assert.equal(value, given[name] or false, row[1] .. ": " .. name)
      end
    end
    assert.same(row[4] or {}, unread, row[1])
  end
end

describe("words beside a number", function()
  it("make a size of what a cost is of, and a sum of what a cost is", function()
    assert_read({
      { "inference cost of 13B for 10 requests per second", "llm", { params = 13e9, budget_usd_month = false } },
      { "training cost of 7B on 1T tokens", "training", { params = 7e9, tokens = 1e12, cost_usd = false } },
      { "fine-tuning cost of 8B with 10k examples", "finetune", { params = 8e9 } },
      { "monthly cost of 8B with 1000 users", "llm", { params = 8e9, users = 1000 } },
      { "training cost of 350M on 10B tokens with A100", "training", { params = 350e6 } },
      { "training a 7B at a cost of 2M", "training", { params = 7e9, cost_usd = 2e6 } },
      { "budget of 2B for 100 users", "llm", { budget_usd_month = 2e9 } },
      { "train 7B with a 100k budget on A100", "training", { params = 7e9, cost_usd = 1e5, devices = false } },
    })
  end)

  it("bind it over no comma", function()
    assert_read({
      { "train 7B on 1T tokens, budget 100k, A100", "training", { cost_usd = 1e5, devices = false } },
      { "budget 500k, H100, 13B on 2T tokens", "training", { cost_usd = 5e5, params = 13e9, devices = false } },
      { "train 7B for 100k, H100, 1T tokens", "training", { cost_usd = 1e5, devices = false } },
      { "finetune 8B lora, 10k, H100", "finetune", { devices = false }, { "10k" } },
      { "GPUs: 8, device: H100, train 8B on 100B tokens", "training", { devices = 8, tokens = 100e9 } },
      { "train 7B on 1T tokens, 512 A100", "training", { devices = 512 } },
    })
  end)

  it("tell what is written and read offline from what is trained on", function()
    assert_read({
      { "generate 1 billion tokens with llama 8B on L4", "batch", { written_tokens = 1e9 } },
      { "cheapest way to generate 1 billion tokens with 8B model", "batch", { written_tokens = 1e9 } },
      { "decode 1B tokens with 8B on H100", "batch", { written_tokens = 1e9 } },
      { "output 1B tokens with llama 8B", "batch", { written_tokens = 1e9 } },
      { "I need 3 billion synthetic tokens from a 70B on H100", "batch", { written_tokens = 3e9 } },
      { "run inference of 1B tokens with 8B on H100", "batch", { read_tokens = 1e9 } },
      { "process 5B tokens with llama 8B over the weekend", "batch", { read_tokens = 5e9, time_s = 216000 } },
      { "train 7B on 1T generated tokens with 64 H100", "training", { tokens = 1e12 } },
      { "serve 8B, each request generates 300 tokens, 20 requests per second", "llm", { output_tokens = 300, rate_per_s = 20 } },
      { "we generate 2B tokens a month with llama 70B", "llm", { tokens_per_s = 2e9 / (365 / 12 * 86400) } },
    })
    local _, job = ask.handed_over({ text = "generate 1 billion tokens with llama 8B on L4, answers of 500 tokens" })
    assert.equal(2e6, job.prompts) -- 1e9 / 500
    assert.equal(500, job.load.output_tokens)
  end)

  it("say whose length it is", function()
    assert_read({
      { "DPO of 8B on 4 H100 with 60k pairs of 800 tokens", "finetune", { seq_len = 800, examples = 60e3, tokens = false } },
      { "fine-tune 8B on 4 H100, 60k rows with 800 tokens", "finetune", { seq_len = 800, examples = 60e3, tokens = false } },
      { "fine-tune 8B on 20k conversations averaging 1500 tokens", "finetune", { mean_tok = 1500, examples = 20e3 } },
      { "sft of llama 8b, 100k examples with about 700 tokens each", "finetune", { seq_len = 700 } },
      { "finetune 8B on 3M tokens of our docs with qlora", "finetune", { tokens = 3e6 } },
      { "can a 4090 fine-tune 13B with qlora at 4096 tokens", "finetune", { seq_len = 4096, tokens = false } },
      { "lora 8B with 512 tokens, 2000 examples, RTX 4090", "finetune", { seq_len = 512, tokens = false } },
      { "PPO on 8 H100, 7B, 5000 prompts, 500 token answers", "finetune", { output_tokens = 500, examples = 5000, tokens = false } },
      { "GRPO of 8B on 8 H100 with 10k prompts of 300 tokens, answers of 1000 tokens, 8 completions", "finetune",
        { prompt_tokens = 300, output_tokens = 1000, completions = 8, seq_len = false } },
      { "ppo 13B 8 A100 2000 prompts 300 token prompts 200 token answers", "finetune", { prompt_tokens = 300, output_tokens = 200 } },
      { "serve 70B, prompt 300 tokens answer 200 tokens, 5 rps", "llm", { input_tokens = 300, output_tokens = 200 } },
    })
    local _, tuned = ask.handed_over({ text = "GRPO of 8B on 8 H100 with prompts of 300 tokens" })
    assert.equal(300, tuned.generation.prompt_tokens)
  end)

  it("tell the format of the cache from that of the weights", function()
    assert_read({
      { "fit llama 8b with 64k context and fp8 kv cache on a 3090", "fit", { kv = "fp8", weights = false } },
      { "will llama 8b q8 with 64k context and q8 kv cache fit a 3090", "fit", { kv = "q8_0", weights = "q8" } },
      { "fit llama 8b awq with 64k context and 8 bit kv cache on a 3090", "fit", { kv = "int8", weights = "awq" } },
      { "fit llama 8b fp8 with 64k context, kv cache in fp8 on a 3090", "fit", { kv = "fp8", weights = "fp8" } },
      { "weights and kv cache in fp8, llama 70b on 2 H100", "fit", { kv = "fp8", weights = "fp8" } },
      { "how large is the kv cache of llama 8b at 32k context in bf16", "fit", { kv = false, weights = "bf16" } },
      { "serve llama 70b with fp8 kv cache to 500 users", "llm", { kv = "fp8", users = 500 } },
      { "train 7B on 1T tokens with fp8 kv cache", "training", { kv = false }, { "fp8 kv cache" } },
    })
    local _, cached = ask.handed_over({ text = "fit llama 8b q4_k_m with 32k context and int4 kv cache on a 3090" })
    assert.equal("q4_0", cached.kv)
    assert.equal(2, #ask.parts({ text = "kv cache in fp8 or bf16 for llama 8b on H100" }))
  end)

  it("are a device's name where it begins with a number", function()
    assert_read({
      { "how fast is llama 8b on a 7900 XTX", "local", { device = "RX-7900-XTX", devices = 1 } },
      { "how fast is llama 8b on 2 7900 XTX", "local", { device = "RX-7900-XTX", devices = 2 } },
      { "how fast is llama 8b on 2x7900 XTX", "local", { device = "RX-7900-XTX", devices = 2 } },
      { "how fast is llama 8b on a 9070 XT", "local", { device = "RX-9070-XT" } },
      { "how fast is llama 8b q4 on a 5800X3D", "local", { device = "Ryzen-7-5800X3D" } },
      { "7900 requests a day to llama 8b", "llm", { rate_per_s = 7900 / 86400 } },
    })
  end)

  it("say what each of those who are active asks", function()
    assert_read({
      { "serve 8B to 1000 users, 10% active, one question a minute", "llm", { users = 1000, active_frac = 0.1, interval_s = 60 } },
      { "serve 8B to 1000 users, 10% active, one question a minute each", "llm", { interval_s = 60 } },
      { "5000 users, 5% of them active, one message every 2 minutes, 8B", "llm", { active_frac = 0.05, interval_s = 120 } },
      { "10% active of 2000 users, a question a minute, llama 8B", "llm", { interval_s = 60 } },
      { "serve 8B, 100 requests per minute and user, 20 users", "llm", { requests_per_user_day = 144000 } },
      { "serve 8B to 1000 users, 10% active, 50 requests per second", "llm", { concurrency = 100, rate_per_s = 50 } },
      { "1200 requests per 5 minutes to llama 8b", "llm", { rate_per_s = 4 } },
      { "864k requests per day, peak 3x, 8B", "llm", { rate_per_s = 10, peak_ratio = 3 } },
      { "864k requests per day, peak of 3x, 8B", "llm", { rate_per_s = 10, peak_ratio = 3 } },
      { "20 rps, peak 100 rps, 8B", "llm", { rate_per_s = 20, peak_ratio = 5 } },
      { "100 rps at peak 8 H100 8B", "llm", { rate_per_s = 100, peak_ratio = 1 } },
    })
    local kind, given = understood("serve 8B to 1000 users, 10% active, one question a minute")
    assert.equal("llm", kind)
    assert.near(100 / 60, facts.of(kinds.get(kind), given).rate_per_s, 1e-9)
  end)

  it("say whose a number is and what it is a length of, over what stands between", function()
    assert_read({
      { "300 agents each make 20 calls an hour of 4k tokens with 70B", "llm", { requests_per_user_day = 480, input_tokens = 4000 } },
      { "each of our 50 users asks 40 prompts a day of 600 tokens of 8B", "llm", { requests_per_user_day = 40, input_tokens = 600 } },
      { "llama 8b on 4 H100 each at 2 requests per second", "llm", { devices = 4, rate_per_s = 2 } },
      { "300 engineers, each makes 200 code completions per day, 14B", "llm", { users = 300, requests_per_user_day = 200 } },
      { "40 researchers share 64 H100, each runs 3 jobs a day of 8 GPUs", "platform", { own_devices = 64, devices_per_job = 8 } },
      { "every user asks 10 questions a day, 3000 users, 8B", "llm", { requests_per_user_day = 10 } },
      { "10 questions per user and day of 300 tokens, 4000 users, 13B", "llm", { requests_per_user_day = 10, input_tokens = 300 } },
      { "each of the 20 GPUs serves 8B, 50 requests per second", "llm", { rate_per_s = 50 } },
      { "cluster of 128 H100: 50 jobs a day, 8 GPUs each, 6 hours", "platform", { own_devices = 128, devices_per_job = 8 } },
      { "prompt 2k, answer 300, 70B, 8 rps", "llm", { input_tokens = 2000, output_tokens = 300 } },
      { "serve 8B for 1k users; 2% at once; 30 s between messages", "llm", { active_frac = 0.02, interval_s = 30, slo_s = false } },
      { "batch of 64 at 2k context on 34B A100 80GB: does it fit", "fit", { params = 34e9, devices = false } },
      { "does a 70B in q4 fit on two 24 GB cards", "fit", { devices = 2, memory_bytes = 24e9 } },
      { "does a 70B in q4 fit on 2 x 48GB GPUs", "fit", { devices = 2, memory_bytes = 48e9 } },
      { "fine-tune llama 3.1 8b, epochs 3, on 4 H100, examples 5000 of 1k tokens", "finetune", { epochs = 3, examples = 5000, seq_len = 1000, devices = 4 } },
      { "fine-tune llama 8b epochs 3 H100", "finetune", { epochs = 3, devices = false } },
      { "100 replicas of llama 8b on L4, each 3 requests per second", "llm", { rate_per_s = 300 } },
      { "100k pdfs of 20 pages each to embed with bge-m3", "corpus", { items = 2e6 } },
      { "extract fields from 100k pdfs of 20 pages each with llama 8b on L4", "batch", { prompts = 2e6 } },
      { "max batch size for llama 3 70b fp8 on 2 H100 at 8k context", "fit", { devices = 2, context_tok = 8192 } },
      { "use fp8 instead of bf16 for llama 70b on 4 H100, 20 rps of 1k/300", "llm", { weights = "fp8", input_tokens = 1000, output_tokens = 300 } },
      { "llama 8b on L40S, no fp8, 20 rps with 1024/128 tokens", "llm", { weights = "bf16", input_tokens = 1024, output_tokens = 128 } },
      { "train 7B on 1T tokens on 128 H100 with a discount of 30% on $3/h", "training", { usd_h = 2.1 } },
      { "2000 tokens/s of output from qwen2.5 72b, how many A100?", "llm", { output_tokens_per_s = 2000 } },
      { "2500 output tokens per second of llama 8b on L40S, how many?", "llm", { output_tokens_per_s = 2500 } },
      { "llama 70b on 8 A100 gives 2500 output tokens per second, plausible?", "check", { output_tokens_per_s = 2500 } },
      { "cost of 1M requests of 800 in/200 out with gpt-oss-20b on H100", "batch", { prompts = 1e6, input_tokens = 800 } },
      { "checkpoint 70B every hour to storage at 20 GB/s", "checkpoints", { params = 70e9, every_s = 3600, bytes_per_s = 20e9 } },
      { "wan 2.1 14b, 5 second 720p clip on a 4090", "draw", { frames = 81, height = 720 } },
      { "transcribe 100k hours of audio with whisper large v3 on A10G in one week", "transcribe", { time_s = 7 * 86400 } },
      { "how long to transcribe 500 hours on a 4090", "transcribe", { audio_s = 500 * 3600, time_s = false } },
      { "can I run mistral on a 3090", "fit", { model = "Mistral-7B-v0.1" } },
      { "serve llama on H100, 70B, 4 rps", "llm", { model = "Llama-3.1-70B" } },
      { "does gemma 3 27b fit on a 4090", "fit", { model = "Gemma-3-27b-it", devices = 1 } },
      { "llama 70b q4_k_m on two 3090 tokens per second", "local", { devices = 2, device = "RTX-3090" } },
      { "kimi k2 on a mac studio 512gb", "local", { device = "M3-Ultra-80-512gb" } },
      { "mac mini 16gb, llama 8b, speed", "local", { device = "M4-16gb" } },
      { "1M embeddings per hour with bge-m3, 8192 tokens each", "encode", { rate_per_s = 1e6 / 3600, seq_len = 8192 } },
      { "serve 1M users of whom 1% concurrently active, one message per minute, llama 8b", "llm", { active_frac = 0.01, interval_s = 60 } },
      { "llama 3.1 8b, 8192 tokens context, on an A100, 5 rps", "llm", { model = "Llama-3.1-8B", seq_len = 8192 } },
      { "a 4k prompt and a 1k answer of llama 70b on 8 H100, 2 rps", "llm", { input_tokens = 4000, output_tokens = 1000 } },
      { "SFT 70B full on 64 H100, 100k examples of 4k tokens", "finetune", { method = "full", seq_len = 4000 } },
      { "serve with 4 bit awq llama 70b on a single A100 80gb, 2 rps", "llm", { weights = "awq" } },
      { "serve llama 70b awq in 4 bit on a single A100 80gb, 2 rps", "llm", { weights = "awq" } },
      { "RAG: 5 passages of 500 tokens per question, 2 rps, llama 8b on L4", "llm", { passages = 5, passage_tokens = 500, rate_per_s = 2 } },
      { "vector db 100M 1024-dim, 500 qps, p99 20 ms", "retrieval", { vectors = 1e8, dim = 1024, slo_s = 0.02 } },
      { "500 GB of logs per day to summarize with llama 8b", "batch", { time_s = 86400 } },
      { "inference of mixtral 8x7b on 2 A100: tokens/s at batch 32", "replica", { concurrency = 32 } },
      { "mixtral 8x7b on 2 A100: tokens/s, 32 at a time", "replica", { concurrency = 32 } },
      { "llama 70b on 4 H100 serving 32 in parallel, throughput", "replica", { concurrency = 32 } },
      { "chinchilla optimal for 1e24 FLOP", "training", { flop = 1e24 } },
      { "how many 8xH100 nodes for 400 rps with 70B", "llm", { device = "H100-SXM-80GB", devices = false } },
      { "5B tokens/day through gpt-oss-120b", "llm", { tokens_per_s = 5e9 / 86400 } },
      { "the biggest model I can full fine-tune on 8 A100 40GB", "fit", { method = "full", weights = false } },
      { "10 A100 nodes, 20 researchers, 3 jobs each per day of 8 GPUs for 4 h", "platform", { own_devices = 80 } },
      { "how many steps are 2T tokens of a 7B with batch 4M", "training", { batch_tokens = 4e6 } },
      { "5 GPUs of 24GB: can I host mixtral", "fit", { devices = 5, memory_bytes = 24e9 } },
      { "kv cache size for 64 users at 16k context with llama 70b fp8 kv", "fit", { kv = "fp8", sequences = 64 } },
      { "llm for 200 call center agents, 15 queries per hour each, 8B", "llm", { users = 200 } },
      { "rag with 20 chunks of 300 tokens, 8b, 10 rps", "llm", { passages = 20, passage_tokens = 300 } },
      { "tokens per watt of llama 8b on L4", "replica", { device = "L4" } },
      { "70B, 8k context, 4M tokens batch, 512 H100, TP 8 PP 4: what MFU when training", "training", { tp = 8, pp = 4, batch_tokens = 4e6 } },
      { "serve llama 70b with TP8 on 8 H100 at 5 rps", "llm", { tp = 8, devices = 8 } },
      { "what TP PP DP for training 70B on 64 H100", "training", { tp = false } },
      { "how many checkpoints of a 175B run fit in 500 TB", "checkpoints", { storage_bytes = 500e12 } },
      { "ZeRO-3 30B on 16 A100 40GB", "training", { zero = 3 } },
      { "how big is the optimizer state of a 30B", "fit", { method = "full" } },
      { "speech recognition of 1000 hours per day with whisper small", "transcribe", { streams = 1000 / 24 } },
      { "how long does a 128k prompt take on llama 8b, 1 H100", "replica", { input_tokens = 128000 } },
      { "what batch size saturates an H100 with llama 8b", "replica", { device = "H100-SXM-80GB" } },
      { "99% of requests under 2 s with llama 70b, 1500 in 250 out, 8 rps", "llm", { percentile = 99, slo_s = 2 } },
      { "throughput of llama 70b on 4 H100 at 8k", "replica", { input_tokens = 8192 } },
      { "5 users, 70B, 3090 x4, awq, 8k context", "llm", { devices = 4, device = "RTX-3090" } },
      { "train 7B on 1T tokens, A100 x512", "training", { devices = 512 } },
      { "train 7B on 1T tokens with H100x64", "training", { devices = 64 } },
      { "A100 x 8 nodes for 70B on 2T tokens", "training", { devices = 64 } },
      { "H100 at 2.10/h, 70B, 5 rps: monthly cost", "llm", { usd_h = 2.1 } },
      { "serve qwen 72b awq + fp8 kv on 2 L40S, 40 concurrent users", "replica", { weights = "awq", kv = "fp8", concurrency = 40 } },
      { "batch of 100k prompts through llama 70b, input 1k, output 1k, deadline 12h", "batch", { output_tokens = 1000, input_tokens = 1000 } },
      { "7B on 1T tokens, 256 TPU v5p, 20 days", "training", { devices = 256, time_s = 20 * 86400 } },
      { "serve 70B, 4 rps, input 500, output 500", "llm", { input_tokens = 500, output_tokens = 500 } },
      { "serve 70B at 4 rps, input=600, output=300", "llm", { input_tokens = 600, output_tokens = 300 } },
      { "serve 70B at 4 rps with prompt length 600 and generation length 300", "llm", { input_tokens = 600, output_tokens = 300 } },
      { "serve 70B at 4 rps, 1000 input 200 output", "llm", { input_tokens = 1000, output_tokens = 200 } },
      { "train 7B on 1T tokens with 64 x 8 A100", "training", { devices = 512 } },
      { "train a 500M model on 100 billion tokens using 2x 8xH100 nodes", "training", { devices = 16 } },
      { "train llama 3 8b on 2T tokens with seq 8k and 4M batch on 16x8 H100", "training",
        { devices = 128, seq_len = 8192, batch_tokens = 4e6 } },
      { "throughput of qwen3 32b on 2 H100 with 50 users at once", "replica", { devices = 2, concurrency = 50 } },
      { "how many L40S for qwen2.5 32b awq and 50 concurrent users", "llm", { concurrency = 50 } },
      { "max requests per second of 4 L4 with llama 8b 500 in 100 out", "replica", { devices = 4, input_tokens = 500 } },
      { "reindex 200M documents weekly, budget 500 USD", "corpus", { cost_usd = 500, period_s = 7 * 86400 } },
    })
    assert_read({
      { "generate 2M descriptions of 150 tokens with mixtral-8x7b", "batch", { prompts = 2e6, output_tokens = 150, input_tokens = false } },
      { "score 10B tokens with 8B on 8 H100", "batch", { read_tokens = 10e9 } },
      { "100k users, 1% online at peak, one prompt per minute, 8B", "llm", { active_frac = 0.01, interval_s = 60, input_tokens = false } },
      { "serve 8B with a 32k prompt at 3 rps", "llm", { input_tokens = 32000 } },
      { "7B; 2T tokens; 256 H100; 14 days; 2.5 USD per GPU hour", "training", { usd_h = 2.5, cost_usd = false } },
      { "7B, 2T tokens, 256 H100, $2.5 per GPU-hour", "training", { usd_h = 2.5, cost_usd = false } },
      { "7B, 2T tokens, 256 H100, $2.5 per H100-hour", "training", { usd_h = 2.5, cost_usd = false } },
      { "25 jobs a day, each of 4 GPUs for 3 hours", "platform", { jobs_per_s = 25 / 86400, devices_per_job = 4 } },
      { "serve: model 70B, in 1500, out 300, qps 6, gpu H100", "llm", { input_tokens = 1500, output_tokens = 300, rate_per_s = 6 } },
      { "serve 8B; rps: 12; input: 800; output: 200", "llm", { input_tokens = 800, output_tokens = 200, rate_per_s = 12 } },
      { "llama 8b to 100k users, 20 messages per day", "llm", { requests_per_user_day = 20, rate_per_s = false } },
      { "llama 8b for 10k employees, 10% online at peak, 5 prompts per hour", "llm", { interval_s = 720, active_frac = 0.1 } },
      { "llama 8b, 5000 concurrent users sending 2 requests per minute", "llm", { rate_per_s = 5000 / 30 } },
      { "llama 8b 10k users per hour, 3 requests each", "llm", { users = 240000, requests_per_user_day = 3 } },
      { "llama 8b, 2000 employees, 200 of them active at the same time, 10 prompts per hour", "llm", { rate_per_s = 200 / 360 } },
      { "serve 70B on 2 H100, how many rps at 1000 in 200 out", "replica", { input_tokens = 1000, output_tokens = 200, seq_len = false } },
      { "anything but A100 for training 13B on 1T tokens", "training", { device = false }, { "not A100-80GB-SXM" } },
      { "don't use L4, serve 8B to 300 users", "llm", { device = false }, { "not L4" } },
    })
    local kind = understood("inference of 405B fp8 on 8 H200, 32k context")
    assert.is_true(kind ~= "training")
  end)

  it("may be a label before it, with a sign or without", function()
    assert_read({
      { "finetune llama 8b lora, examples 5000, epochs 3, seq 1024, on A100", "finetune", { examples = 5000, epochs = 3, seq_len = 1024 } },
      { "finetune 8B lora on H100: examples = 5000; num_train_epochs=3; max_seq_len: 1024; batch_size=64", "finetune",
        { examples = 5000, epochs = 3, seq_len = 1024, batch = 64, params = 8e9 } },
      { "finetune 8B lora examples 5000 epochs 3 rank 16 H100", "finetune", { examples = 5000, epochs = 3, rank = 16, devices = false } },
      { "train model 7B, tokens 1T, gpus 256 H100", "training", { params = 7e9, tokens = 1e12, devices = 256 } },
      { "train: params: 7B, tokens: 2T, gpus: 512, mfu 40%", "training", { params = 7e9, tokens = 2e12, devices = 512, mfu_frac = 0.4 } },
      { "train\nmodel: 7B\ntokens: 1T\ngpus: 64 x 8 A100\ndeadline: 30 days", "training", { params = 7e9, tokens = 1e12, devices = 512, time_s = 2592000 } },
      { "tokens 300B, params 13B, deadline 10 days, train", "training", { params = 13e9, tokens = 3e11, time_s = 864000 } },
      { "train 7B tokens 1T on 64 H100", "training", { params = 7e9, tokens = 1e12 } },
      { "train on 300B tokens 13B on 64 H100", "training", { params = 13e9, tokens = 3e11 } },
      { "train 7B on 1T tokens, nodes: 64, gpus per node: 8, H100", "training", { devices = 512 } },
      { "train 7B on 1T tokens with 8 GPUs per node, 4 nodes of H100", "training", { devices = 32 } },
      { "serve 70B, requests per second: 5, input tokens: 500, output tokens 200, gpus: 8 H100", "llm",
        { rate_per_s = 5, input_tokens = 500, output_tokens = 200, devices = 8 } },
      { "serve 8B, concurrent users: 50, prompt: 500 tokens, max_new_tokens=200", "llm", { concurrency = 50, input_tokens = 500, output_tokens = 200 } },
      { "serve 8B, daily requests: 432k, ttft: 1s, max-model-len 8192", "llm", { rate_per_s = 5, ttft_s = 1, seq_len = 8192 } },
      { "serve 70B first token in 1 s, MAU: 2M, budget: $20k per month", "llm", { ttft_s = 1, monthly_users = 2e6, budget_usd_month = 20000 } },
      { "summarise offline with 8B: number of prompts 100000, input 500", "batch", { prompts = 1e5, input_tokens = 500 } },
      { "platform, jobs per day: 20, 3 hours each, H100", "platform", { jobs_per_s = 20 / 86400, job_s = 10800 } },
      -- No labels: a question, the size of a model, a degree.
      { "how many gpus 70B for 10 rps", "llm", { params = 70e9, devices = false } },
      { "answer questions 7B on H100, 10 rps", "llm", { params = 7e9, rate_per_s = 10 } },
      { "train 7B on 1T tokens with tensor parallel 8 on 64 H100", "training", { devices = 64, concurrency = false, tp = 8 } },
      { "serve 70B $2 per hour, 5 rps on H100", "llm", { params = 70e9, usd_h = 2 } },
    })
  end)

  it("tell bytes of text, and how long what becomes of texts is", function()
    assert_read({
      { "lora finetune of 13B on 50 MB of text", "finetune", { tokens = 12.5e6, memory_bytes = false } },
      { "train 7B on a 4 TB corpus with 64 H100", "training", { tokens = 1e12 } },
      { "finetune 8B lora, data: 12 MB, on an RTX 4090", "finetune", { tokens = 3e6, devices = 1 } },
      { "finetune 8B lora on 10k examples on a 24 GB card", "finetune", { memory_bytes = 24e9 } },
      { "finetune 8B lora on 10k examples, 40 MB of photos", "finetune", { memory_bytes = false, tokens = false }, { "40 mb of photos" } },
      { "summarise 50k reports of 20k tokens to 1k tokens each with llama 70b within 24 hours", "batch",
        { prompts = 50e3, input_tokens = 20e3, output_tokens = 1e3, time_s = 86400 } },
      { "summarise offline 10k letters of 4 KB with llama 8b", "batch", { prompts = 10e3, input_tokens = 1000 } },
      { "serve 70B, 5 rps, prompts of 800 tokens, output as long as the input", "llm", { output_tokens = 800 } },
      { "serve qwen2.5 72b at 5 requests/s, 10k token prompts with 80% shared prefix, 200 out", "llm",
        { input_tokens = 10e3, output_tokens = 200, prefix_frac = 0.8 } },
      { "autocomplete for 300 developers with qwen coder 7b, 200 ms per completion of 30 tokens, 1500 token prompts", "llm",
        { output_tokens = 30, input_tokens = 1500 } },
    })
    local _, job = ask.handed_over({ text = "batch: rewrite 1k texts of 700 tokens with 8B offline, output as long as input, on H100 at $2/h" })
    assert.equal(700, job.load.output_tokens)
    assert.equal(2, job.devices[1].price)
    local notes = select(4, ask.understood({ text = "lora finetune of 13B on 50 MB of text" })).notes
    assert.matches("50 MB of text are read as 12.5 million tok: 4 bytes a token", table.concat(notes, "; "))
  end)

  it("tell devices of a job from all that there are, and requests of a user from those of all", function()
    assert_read({
      { "20 fine-tunes a day on 1 GPU of 3 hours each on 16 A100, what is the wait", "platform", { devices_per_job = 1, own_devices = 16 } },
      { "20 fine-tunes a day on 1 A100 of 3 hours each on 16 A100", "platform", { devices_per_job = 1, own_devices = 16 } },
      { "our team submits 100 training jobs per week, each 2 GPUs for 12 hours, on 16 A100: what is the wait", "platform",
        { devices_per_job = 2, own_devices = 16 }, { "submits" } },
      { "how many researchers can share 128 H100 if each runs two 8-GPU jobs a day of 6 hours", "platform",
        { devices_per_job = 8, own_devices = 128, jobs_per_user_day = 2 } },
      { "lab of 40 researchers, 3 jobs a day each, 8 hours, 2 GPUs per job", "platform", { jobs_per_user_day = 3, users = 40, devices_per_job = 2 } },
      { "30 jobs a day, each job takes 10 hours on 8 H100", "platform", { jobs_per_s = 30 / 86400, jobs_per_user_day = false, job_s = 36000, devices_per_job = 8 } },
      { "120 fine-tuning jobs a day, each takes 3 hours on 4 A100", "platform", { jobs_per_s = 120 / 86400, jobs_per_user_day = false, devices_per_job = 4 } },
      { "120 sweeps a day, each trial takes 1 hour on 2 H100", "platform", { jobs_per_s = 120 / 86400, jobs_per_user_day = false } },
      { "30 jobs a day. Each needs 8 H100 for 10 hours", "platform", { jobs_per_s = 30 / 86400, jobs_per_user_day = false } },
      { "30 jobs a day each, on 8 H100 for 10 hours", "platform", { jobs_per_s = 30 / 86400, jobs_per_user_day = false } },
      { "40 people run 300 jobs a day, each takes 2 hours on 1 A100", "platform", { jobs_per_s = 300 / 86400, jobs_per_user_day = false } },
      { "40 researchers run 3 jobs a day, each takes 8 hours on 2 GPUs", "platform", { jobs_per_user_day = 3, users = 40, jobs_per_s = false } },
      { "8 H100 x 3 nodes, finetune 70b full, 100k examples", "finetune", { devices = 24 } },
      { "8 H100 on 3 nodes, finetune 70b full, 100k examples", "finetune", { devices = 8 }, { "3 nodes" } },
      { "train 7B on 1T tokens, 64 nodes, 512 A100", "training", { devices = 512 } },
      { "2 nodes 16 H100, train 7B on 100B tokens", "training", { devices = 16 } },
      { "jobs of 4 GPUs, 30 a day, platform of 64 H100", "platform", { devices_per_job = 4, own_devices = 64 }, { "30" } },
      { "7B chatbot, 10k MAU, 3 sessions per week, 8 turns each", "llm", { requests_per_user_month = 24 / 7 * 365 / 12, concurrency = false } },
      { "serve 8B to 1000 users, 20 questions a day", "llm", { requests_per_user_day = 20, rate_per_s = false } },
      { "serve 8B to 1000 users, 5000 questions a day", "llm", { rate_per_s = 5000 / 86400 } },
      { "50 users of llama 8b chat, each asks every 30 seconds", "llm", { interval_s = 30 } },
      { "100 concurrent users, each 2 requests per minute, 70B", "llm",
        { rate_per_s = 100 / 30, concurrency = 100, requests_per_user_day = false } },
      { "50 concurrent users, one question a minute each, llama 8b", "llm", { rate_per_s = 50 / 60 } },
      { "100 concurrent users, 20 messages per user per day, 70B", "llm", { concurrency = 100, rate_per_s = false },
        { "20 messages per user per day" } },
      { "a request every 3 seconds on llama 8b", "llm", { rate_per_s = 1 / 3, every_s = false } },
      { "a prompt every 200 ms, llama 8b on H100", "llm", { rate_per_s = 5 } },
      { "llama 70b for 30 concurrent users at 40 tokens/s", "llm", { tpot_s = 1 / 40, concurrency = 30, tokens_per_s = false } },
      { "200 users send a request every 30 seconds, llama 8b", "llm", { interval_s = 30, rate_per_s = false }, { "send" } },
      { "50k DAU, 12 messages each, 800 tokens context, 250 tokens reply, llama 8b", "llm",
        { seq_len = 800, output_tokens = 250, input_tokens = false } },
      { "10 rps 1500 input tokens 400 output tokens 70B", "llm", { input_tokens = 1500, output_tokens = 400, params = 7e10 } },
      { "2 million API calls a month 1500 input tokens 400 output tokens 70B", "llm",
        { rate_per_s = 2e6 / (365 / 12 * 86400), input_tokens = 1500, output_tokens = 400 } },
      { "bring $1.2M a year down to $600k for llama 70b serving on A100", "cost",
        { budget_usd_month = 1e5, target_usd_month = 5e4 } },
      { "bring $80k a month down to $60k for llama 70b", "cost", { target_usd_month = 6e4 } },
      { "sdxl 3 images per second on L40S at 1 dollar per hour", "draw", { usd_h = 1, rate_per_s = 3 } },
      { "fit llama 70b on 2 H100 at $3/h", "fit", { devices = 2 }, { "$3/h" } },
    })
    local _, drawn = ask.handed_over({ text = "sdxl 3 images per second on L40S at 1 dollar per hour" })
    assert.equal(1, drawn.price_usd_h)
  end)

  it("are in a fact that the answer uses, or are listed as not read", function()
    assert_read({
      { "how long to generate 1000 tokens with llama 70b q4 on 2 3090", "local", { devices = 2, output_tokens = 1000 } },
      { "two llama 8b replicas on L4, what rps", "replica", { dp = 2 } },
      { "three copies of qwen 32b on 2 H100 each, how many users", "replica", { dp = 3, devices = 6 } },
      { "serve llama 8b, 3 replicas of 2 GPUs each, 20 rps", "llm", { devices = 6 }, { "3 replicas" } },
      { "two 7B models for 40 rps", "llm", { params = 7e9, rate_per_s = 40 }, { "two 7b models" } },
      { "serve llama 8b with 4 replicas on L4, 10 rps", "llm", { rate_per_s = 10 }, { "4 replicas" } },
      { "30 concurrent users, 2000 tokens/s in total", "llm", { concurrency = 30, tpot_s = 0.015 } },
      { "serve llama 8b to 30 concurrent users at 40000 tokens per second", "llm", { concurrency = 30, tpot_s = false }, { "40000 tokens per second" } },
      { "10 rps of llama 8b with 5 concurrent users on 2 L4", "llm", { rate_per_s = 10 }, { "5 concurrent" } },
      { "100 students all use llama 8b at the same time", "llm", { concurrency = 100, users = false } },
      { "80% of requests are 500 tokens, the rest 4000", "llm", { input_tokens = 1200, percentile = false } },
      { "serve llama 8b at 10 rps, 75% of prompts have 1000 tokens and 25% have 5000 tokens", "llm", { input_tokens = 2000 } },
      { "serve llama 8b at 5 requests/second/replica on L4", "llm", { rate_per_s = 5 } },
      { "serve llama 8b at 5 requests/second/replica with 4 replicas on L4", "llm", { rate_per_s = 20 } },
      { "translate 5M reviews of 120 words into four languages with qwen 7b", "batch", { prompts = 5e6 }, { "four languages" } },
    })
    local _, _, _, more = ask.understood({ text = "serve llama 8b at 5 requests/second/replica on L4" })
    assert.matches("those of each, and nobody says of how many", more.notes[1])
  end)

  it("set a device aside", function()
    assert_read({
      { "serve llama 70B in fp8 to 200 users, not on A100 but H100", "llm", { device = "H100-SXM-80GB", weights = "fp8" } },
      { "train 7B on 1T tokens with A100 instead of H100", "training", { device = "A100-80GB-SXM" } },
      { "rather than 8 A100 take 4 H100 for training 7B on 100B tokens", "training", { device = "H100-SXM-80GB", devices = 4 } },
      { "train 13B on 2T tokens, no H100, only A100", "training", { device = "A100-80GB-SXM" } },
      { "no more than 8 H100 for 70B serving 50 users", "llm", { device = "H100-SXM-80GB", devices = 8 } },
      { "why not use A100 for training 7B on 1T tokens", "training", { device = "A100-80GB-SXM" } },
      { "serve 8B to 100 users without H100", "llm", { device = false }, { "not H100-SXM-80GB" } },
    })
  end)
end)

describe("what is said otherwise", function()
  it("is a way to train that is denied, or is of all weights", function()
    assert_read({
      { "I want to finetune llama 3.1 8b without LoRA on an A100 80GB, does it fit?", "fit", { method = "full", devices = 1 } },
      { "finetune mistral 7b with no lora on 2 A100", "finetune", { method = "full" } },
      { "Can I fully fine-tune a 3B model on one RTX 3090?", "finetune", { method = "full" } },
      { "Fine-tune all parameters of a 13B on 8 A100 40GB", "finetune", { method = "full", devices = 8 } },
      { "SFT of Llama 3.1 8B on 8 H100, all weights, 100k examples of 1k tokens", "finetune", { method = "full" } },
      { "Fine-tune 7B on one A100 with LoRA, not QLoRA", "finetune", { method = "lora" } },
      { "instead of LoRA do full fine-tuning of 7B on 4 A100", "finetune", { method = "full", devices = 4 } },
      { "How much VRAM to finetune Llama 3.1 8B?", "fit", { tuning = "sft", method = false } },
      { "How much GPU memory do I need to fully finetune a 7B model?", "fit", { method = "full" } },
      { "Llama 3.1 70B without quantization on 2 RTX 4090, does it fit?", "fit", { weights = "bf16", devices = 2 } },
    })
  end)

  it("is how many devices it takes, which the answer counts", function()
    local function input_of(text) return select(2, ask.handed_over({ text = text })) end
    assert.equal(2, input_of("How many 4090s do I need to run Llama 3.1 70B in 4 bit?").devices)
    assert.equal(24, input_of("Full fine-tune of 70B, how many H100?").cluster.devices)
    -- 671 GB in 8 bit are nine devices of 72 GB at least: two nodes.
    assert.equal(16, input_of("How many A100 80GB to hold DeepSeek V3 in fp8?").devices)
    assert_read({ { "How many GPU hours to train 7B on 1T tokens?", "training", { how_many = false } },
      { "How long would it take to train Llama 2 7B on 2T tokens with A100s if I have 1000 of them?", "training", { devices = 1000 } },
      { "train 7B on 1T tokens with 32 nodes", "training", { devices = 256 } } })
  end)

  it("is a rate behind the size of what comes at it", function()
    local day = 86400
    assert_read({
      { "answer 2 million prompts of 1000 tokens per day with llama 3.1 8B on L4", "llm", { rate_per_s = 2e6 / day, input_tokens = 1000 } },
      { "serve 100 requests of 2000 tokens per second with llama 3.1 8B on H100", "llm", { rate_per_s = 100, input_tokens = 2000 } },
      { "Draw 1000 images of 512x512 per hour with SD 1.5 on T4", "draw", { rate_per_s = 1000 / 3600, width = 512 } },
      { "embed 10M documents of 500 tokens per day with bge-large on A10G", "corpus", { items = 1e7, seq_len = 500, period_s = day } },
      { "summarise 20,000 documents of 5k tokens every day with qwen2.5 14B on A100", "batch",
        { prompts = 20000, input_tokens = 5000, period_s = day } },
      { "30 chats of 10 turns per user per day, 50k users, llama 3.1 8B on L40S", "llm",
        { requests_per_user_day = 300, users = 50000 } },
      { "an agent makes 30 calls of 4000 tokens per task, 1000 tasks per day, Llama 3.3 70B on H100", "llm",
        { rate_per_s = 30000 / day, input_tokens = 4000 } },
      { "coding assistant for 2000 developers, 50 completions per developer per hour, 2000 tokens in and 100 out", "llm",
        { requests_per_user_day = 1200, users = 2000 } },
    })
    local month = ask.run({ text = "embed 10M documents of 500 tokens per day with bge-large on A10G" }).values
    assert.near(month.cost * 365 / 12, month.usd_month, 0.01 * month.usd_month)
  end)

  it("is so many recordings of a length", function()
    assert_read({
      { "transcribe 500 podcasts of 1 hour with whisper large-v3 on A100", "transcribe", { audio_s = 500 * 3600 } },
      { "transcribe 10,000 calls of 5 minutes per day with whisper large-v3-turbo on T4", "transcribe", { streams = 3e6 / 86400 } },
      { "transcribe 10,000 5-minute calls per day with whisper large-v3-turbo on T4", "transcribe", { streams = 3e6 / 86400 } },
      { "2000 meetings of 45 minutes each day, whisper large-v3 on L4", "transcribe", { streams = 62.5 } },
    })
  end)

  it("is words in place of tokens, a share that is cached or in time, and the time of an answer", function()
    assert_read({
      { "train a 7B model on 1 trillion words with 512 H100", "training", { tokens = 1e12 / 0.75, devices = 512 } },
      { "Serve Llama 3.1 8B at 10 rps with 90% prefix cache hit, 4000 in 100 out, on L40S", "llm", { prefix_frac = 0.9 } },
      { "I need 99% under 2 seconds for a 500-token answer of Llama 3.1 8B on H100 at 10 requests per second", "llm",
        { percentile = 99, e2e_s = 2, output_tokens = 500 } },
      { "how much do 10M output tokens cost with llama 3.1 8B on an A10G?", "batch", { written_tokens = 1e7 } },
      { "What is the cost per 1M tokens of Llama 3.1 8B on L4?", "replica", { device = "L4" } },
      { "cost of 1M tokens with Llama 3.1 70B on 4 H100", "replica", { devices = 4 } },
      { "Which GPU do I need to run Llama 3.3 70B at home?", "fit", { owner = "one's own" } },
    })
    local full = ask.run({ text = "Serve Llama 3.1 8B at 10 rps, 4000 in 100 out, on L40S" }).values.devices
    local cached = ask.run({ text = "Serve Llama 3.1 8B at 10 rps with 90% prefix cache hit, 4000 in 100 out, on L40S" }).values.devices
    assert.is_true(cached < 0.7 * full)
  end)

  it("is a load that grows, tokens of a bill, a pattern of a fleet and drafts", function()
    assert_read({
      { "serve llama 3.1 8B at 5 rps growing 10% per month for a year", "llm", { growth_month_frac = 0.1, horizon_s = 365 * 86400 } },
      { "we pay 20k USD a month for 2B tokens, would self-hosting llama 3.1 70B be cheaper?", "llm",
        { tokens_month = 2e9, budget_usd_month = 20e3 } },
      { "disaggregated prefill and decode for llama 3.1 70B, 50 rps, H100", "llm", { pattern = "disaggregated" } },
      { "speculative decoding with a 1B draft for llama 3.1 70B on 4 H100, 20 rps", "llm", { draft_tokens = 3 } },
    })
    local paid = ask.run({ text = "serve llama 3.1 8B at 0.5 rps growing 10% per month for a year" }).values
    assert.near(0.5 * 1.1 ^ 12, paid.grown_per_s, 0.002)
    local tokens = known_of("we pay 20k USD a month for 2B tokens, would self-hosting llama 3.1 70B be cheaper?")
    assert.near(2e9 / 1300 / (730 * 3600), tokens.rate_per_s, 1e-3)
  end)

  it("is those who send, films, images of a job and money of a year", function()
    assert_read({
      { "500 stores send 20 images a minute, ResNet-50, how many L4", "encode", { rate_per_s = 500 * 20 / 60 } },
      { "video generation: 100 clips of 5 seconds a day with wan 2.1 14b on H100", "draw", { rate_per_s = 100 / 86400, frames = 81 } },
      { "caption 5M images with qwen2.5-vl 7b on 4 H100, how long and how much", "batch", { prompts = 5e6, of_images = "yes" } },
      { "we have a budget of 2M USD per year for inference of a 70B, how many requests per day is that", "llm",
        { budget_usd_month = 2e6 / 12 } },
      { "1000 engineers use a code assistant, 8B model, how many L40S", "llm", { use = "code", users = 1000 } },
    })
  end)

  it("is tokens by parameters or steps, clusters, device time, a price that counts nothing", function()
    assert_read({
      { "train 3b parameter model 60 tokens per parameter on 16 A100 how long", "training", { tokens = 180e9, devices = 16 } },
      { "two clusters of 512 H100 each, 70B, 3T tokens", "training", { devices = 1024 } },
      { "7B model, batch of 4M tokens, 250k steps, 128 H100: how long?", "training", { tokens = 1e12 } },
      { "how long for 100k steps of batch size 1024 and seq len 2048 with a 2.7B model on 32 A100 40GB", "training",
        { tokens = 1e5 * 1024 * 2048, seq_len = 2048 } },
      { "what does a 70B training on 2T tokens cost when an H100 costs 1.80 USD an hour", "training", { usd_h = 1.8, devices = false } },
      { "ablation of 12 runs at 3B, each 60B tokens, on 64 H100", "training", { trials = 12 }, { "ablation" } },
      { "half a million GPU hours of H100: what can I train?", "training", { device_s = 5e5 * 3600 } },
      { "7B on 1T tokens with 128 instead of 64 H100", "training", { devices = 128 } },
      { "1e24 FLOP on 1024 H100, how long?", "training", { flop = 1e24 } },
      { "Pretrain 500M on 10B tokens on 8 RTX 3090, electricity 0.35 USD per kWh", "training", { usd_kwh = 0.35, cost_usd = false } },
      { "200 LoRA adapters of 8B served on one A100, how much memory do they need?", "fit", { adapters = 200, method = false } },
      { "LoRA rank 64 on all linear layers of Llama 3.1 70B with 4 H100, 8k context", "finetune", { targets = "all", rank = 64 } },
      { "GRPO with Qwen2.5 7B on 16 H100, 200 steps of 512 rollouts, 4k tokens each", "finetune",
        { batch = 512, examples = 12800, completions = 8, output_tokens = 4000 } },
      { "GPT-OSS 120B on a single H100 - how many users at 30 tokens per second?", "replica", { tpot_s = 1 / 30 } },
      { "what's the kv cache size of qwen2.5 72b at 128k with batch 4", "fit", { context_tok = 131072, sequences = 4 } },
    })
    local power = ask.run({ text = "Pretrain 500M on 10B tokens on 8 RTX 3090, electricity 0.35 USD per kWh" }).values
    assert.near(power.energy_j / 3.6e6 * 0.35, power.electricity_usd, 1e-9)
    local many = ask.run({ text = "train a 70B on 15T tokens with 25000 H100" }).values
    assert.equal(24576, many.devices) -- 3 x 8192
    assert.is_true(many.run_s < 60 * 86400)
    assert.equal(3, #ask.parts({ text = "which is cheaper for 70B inference at 5 rps: H100, A100 or L40S" }))
  end)

  it("is a sum, a multiple of machines, what each has, or what is left out", function()
    assert_read({
      { "train 7B on 500B tokens and 500B tokens more with 64 H100", "training", { tokens = 1e12 } },
      { "train a 13B on 500B tokens plus 300B tokens on 128 H100", "training", { tokens = 800e9 } },
      { "train 7B on 1T tokens on 64 H100 and 64 H100", "training", { devices = 128 } },
      { "train 7B on 1T tokens with a dozen 8xA100 boxes", "training", { devices = 96 } },
      { "train a 7B on 1T tokens with a pair of 8xH100 servers", "training", { devices = 16 } },
      { "does llama 3.1 70b fit on half of an 8xH100 node?", "fit", { devices = 4 } },
      { "train 7B on 1T tokens with p5.48xlarge x 4", "training", { devices = 32 } },
      { "train 7B on 1T tokens with two hundred and fifty six H100", "training", { devices = 256 } },
      { "a quarter of our 1024 H100 cluster trains a 13B on 1T tokens, how long?", "training", { devices = 256 } },
      { "storage of embeddings for 1B users, 4 vectors per user, 128 dims", "storage", { vectors = 4e9, dim = 128 } },
      { "storage for 50M pdf pages, 3 chunks each, 1536-dim", "storage", { users = 150e6 } },
      { "serve 70B, 3 rps per GPU on 8 H100", "llm", { rate_per_s = 24 } },
      { "5 rps each for 12 customers, llama 3.1 8B, L4", "llm", { rate_per_s = 60 } },
      { "llama 3.1 8B, 10 requests per second per replica, 6 replicas on L40S", "llm", { rate_per_s = 60 } },
      { "serve 8B to 20 companies with 500 users each on L40S", "llm", { users = 10000 } },
      { "serve llama-3.1-8b to 10,000 users, half of them at the same time, on H100", "llm", { concurrency = 5000 } },
      { "transcribe 20 calls of 10 minutes per agent per day, 300 agents, whisper large-v3 on L4", "transcribe",
        { streams = 300 * 12000 / 86400 } },
      { "transcribe 10 million voice commands of 3 seconds with whisper small on T4", "transcribe", { audio_s = 3e8 } },
      { "every 10 minutes 5000 log lines of 200 tokens go through llama 3.2 3B on a T4, 20 tokens out", "llm",
        { rate_per_s = 5000 / 600, input_tokens = 200 } },
      { "Mixtral 8x7B, 12 requests/s, prompts of 500 tokens, answers 200, A100", "llm", { rate_per_s = 12, output_tokens = 200 } },
      { "QLoRA of 70B without offload on one A100 80GB", "finetune", { offloaded = "no" } },
      { "checkpoints of 70B weights only, daily for 30 days", "checkpoints", { bytes_per_param = 2, every_s = 86400 } },
      { "checkpoints of 70B hourly for a week", "checkpoints", { params = 70e9, every_s = 3600, time_s = 604800 } },
      { "checkpoints of 8B twice a day for 30 days", "checkpoints", { params = 8e9, every_s = 43200 } },
      { "10 checkpoints per day of an 8B with optimizer for 2 weeks", "checkpoints", { every_s = 8640, time_s = 1209600 } },
      { "fine-tune 8B daily with 10k examples on one H100", "finetune", { params = 8e9, period_s = 86400 } },
      { "train 7B on 1T tokens with 64 H100 at 20 USD per node hour", "training", { usd_h = 2.5 } },
      { "llama 3.1 70b on H100: 4M input tokens per minute and 200k output tokens per minute", "llm",
        { rate_per_s = 200e3 / 60 / 300, input_tokens = 4e6 / 200e3 * 300 } },
      { "generate speech with a TTS model on a 4090", "speak", {} },
      { "how long does a 20,000 token prompt take on an M1 Max with mistral 7b q4", "local", { prompt_tok = 20000 } },
      { "storage of 500 million embeddings of 384 dims", "storage", { dim = 384 } },
    })
    assert.equal(2, #ask.parts({ text = "is a 5090 twice as fast as a 4090 for gemma 3 27b q4?" }))
    local both = select(2, ask.handed_over({ text = "10 billion input tokens and 1 billion output tokens with llama 3.1 8B on H100, offline" }))
    assert.near(1e10, both.prompts * both.load.input_tokens, 1e7)
    assert.near(1e9, both.prompts * both.load.output_tokens, 1e7)
    local room = select(2, ask.handed_over({ text = "I own a 3060 12GB, what's the biggest model in Q4 I can run with 16k context?" }))
    assert.is_true(fit.run({ model = room.model, on = { catalog.device("RTX-3060-12GB") }, format = room.format, context_tok = room.context_tok }).rows[1].sure)
  end)

  it("deals devices to copies of a replica where that writes more", function()
    local input = select(2, ask.handed_over({ text = "how many tokens per second do I get from 8 H100 with llama 3.1 8B?" }))
    assert.same({ 1, 8 }, { input.plan.tp, input.plan.dp })
    assert.equal(4, select(2, ask.handed_over({ text = "llama 3.1 8B on 4 L4 at tp 4, throughput" })).plan.tp)
  end)

  it("takes the batch of a step as one micro-batch where it has room, or where that is asked", function()
    local function micro(text) return select(2, ask.handed_over({ text = text })).micro_batch end
    assert.is_nil(micro("LoRA of 8B on one H100 with batch 64, sequence 2048, 10k examples"))
    assert.equal(4, micro("LoRA of 8B on one H100 with batch 4, sequence 2048, 10k examples"))
    assert.equal(4, micro("OOM when fine-tuning llama 3 8b on one A100 40GB, batch size 4, seq 4096"))
  end)

  it("is the speed of a run that is measured, whose time and MFU are arithmetic", function()
    local function claimed(text) return check.run((select(2, ask.handed_over({ text = text })))).known end
    assert.near(6 * 7e9 * 200e3 / (64 * 312e12), claimed("What is the MFU if 64 A100 train 7B at 200k tokens per second?").mfu_frac, 1e-9)
    assert.near(2e12 / 1.2e6, claimed("If my 7B run on 128 H100 does 1.2M tokens per second, how long for 2T tokens?").time_s, 1)
  end)

  it("is refused where it asks about something else", function()
    for _, text in ipairs({ "How long to load a 70B model in bf16 from NVMe?",
      "how many LoRA adapters of rank 16 fit beside llama 3.1 8B on an A100 80GB?", "Train 1B on 20B tokens in fp8 on 8 A100" }) do
      assert.is_true(errors.catch(ask.run, { text = text }) ~= nil, text)
    end
  end)

  it("counts devices in eighths of a power of two, and says where even the most are too few", function()
    local found = ask.run({ text = "How many H100s do I need to train Llama 3.1 70B on 1T tokens in 30 days?" }).values
    assert.equal(384, found.devices)
    assert.is_true(found.run_s <= 30 * 86400)
    local short = ask.run({ text = "How many GPUs for training a 1T parameter model?", brief = true })
    assert.equal("deadline", short.contradictions[1].code)
  end)

  it("says what all images cost, without a service of them", function()
    local _, input = ask.handed_over({ text = "Generate 1 million images with Flux.1-dev on H100, cost?" })
    assert.equal(1e6, input.images)
    assert.is_nil(input.load)
  end)
end)

describe("a rule of the napkin", function()
  it("is answered by what it asks for", function()
    local function said(text) return ask.run({ text = text }).values end
    assert.near(7 / 39, said("If I have 8 stages and 32 microbatches how large is pipeline bubble").bubble_frac, 1e-9)
    -- 2 x 63 / 64 x 140 GB over 50 GB/s; bits have a lower-case b.
    assert.near(2 * 63 / 64 * 140 / 50, said("all-reduce of 140GB gradients over 400Gb/s network with 64 gpus, how long?").ideal_s, 1e-9)
    assert.near(2 * 15 / 16 * 10 / 25, said("allreduce 10 GB with 200 Gbps, 16 gpus").ideal_s, 1e-9)
    local shape = said("how many parameters does a transformer with 48 layers, d_model 8192 and vocab 128k have")
    assert.near(48 * 12 * 8192 ^ 2 + 128000 * 8192, shape.total_params, 3e7) -- norms and biases beside
    assert.near(2 * 32 * 8192, said("tensor parallel all reduce size per layer llama 70b batch 32 decode").bytes, 1e-6)
    assert.near(140 / 3.125, said("time to load 140GB weights from S3 at 25Gbps onto 8 GPUs").time_s, 1e-9)
    assert.near(70.6e9 * 0.6 * 30, said("memory bandwidth needed to decode llama 3.1 70b q4 at 30 tok/s").bandwidth, 1e10)
    local device = catalog.device("H100")
    local ridge = said("What batch size makes decode of llama 8b compute bound on H100 in fp8?")
    assert.near(device.fp8_flop_s / device.mem_bw_bytes_s / 2, ridge.batch, 1e-6)
    assert.near(8, said("is llama 8b in bf16 on a 4090 memory bound at batch 8").intensity, 1e-9)
  end)

  it("is none of a run or a load", function()
    assert.equal("training", kinds.of(grammar.read("train 7B on 1T tokens, 4 pipeline stages, 64 H100, bubble?", { lenient = true })))
    assert.equal("llm", kinds.of(grammar.read("is serving 10k users with llama 8b compute bound?", { lenient = true })))
  end)
end)

describe("jobs of several devices", function()
  it("are planned on as many as hold whole ones", function()
    -- 200 x 4 h x 8 devices over a month of 730.5 h are 8.76 devices, 12.5 at 70 %: two jobs of 8.
    local eight = values("200 experiments a month of 4 hours on 8 GPUs each, how many GPUs")
    assert.near(8.76, eight.sustained, 0.01)
    assert.equal(16, eight.devices)
    assert.equal(32, eight.burst_devices) -- 25.03
    local large = values("10 jobs a month of 10 hours on 64 GPUs each, how many GPUs")
    assert.equal(64, large.devices)
    assert.equal(128, values("platform with 3 jobs a week of 12 hours on 128 H100 each").devices)
    assert.equal(13, values("200 jobs a month of 32 hours on one GPU each").devices) -- 12.51
  end)
end)

-- The first line of an answer of another question, and the kind that words mean.
local function led(text) return scenario.answer(scenario.state(nil, { command = "ask" }), "ask", { text = text }).blocks[1].items[1].value end
local function meant(text) return kinds.of(grammar.read(text, { lenient = true })) end

describe("a prompt as people type it", function()
  it("reads what a token uses behind the size", function()
    for _, written in ipairs({ "30B-A3B", "30b a3b", "30B-a3b" }) do
      local said = grammar.read(written .. " Q4_K_M speed on a 3090", { lenient = true }).facts
      assert.same({ 30e9, 3e9 }, { said.params, said.active_params }, written)
    end
  end)

  it("sizes the fleet of a model of experts by what a token meets", function()
    -- 6 x 37.6e9 x 1e12 / (0.4 x 989e12 x 100 days) are 66 devices; by all 671e9 they would be 1,180.
    local got = ask.run({ text = "how many H100 to train deepseek v3 on 1T tokens in 100 days", brief = true }).values
    assert.is_true(got.devices <= 256)
    assert.is_true(got.run_s <= 100 * 86400)
  end)

  it("counts chips, and no slice that is called by so many cores", function()
    for words, count in pairs({ ["tpu v5p 256 chips"] = 256, ["256 TPU v5p chips"] = 256, ["TPU v5p-256"] = 128 }) do
      assert.equal(count, grammar.read("train 30B on 600B tokens on " .. words, { lenient = true }).facts.devices, words)
    end
  end)

  it("has the time of weights over a network", function()
    local got = values("how long to download a 405B model in bf16 over 10 Gbps")
    assert.near(405e9 * 2 / 1.25e9, got.time_s, 1)
    assert.near(70e9 * 0.6 / 1.25e8, values("time to copy a 70b q4 over 1 Gbps").time_s, 15)
    assert.near(70e9 * 2 / 1.25e9, values("time to transfer 70B weights over 10GbE to 20 nodes").time_s, 1e-6)
    assert.near(140 / 3.125, values("time to broadcast 140 GB to 20 nodes over 25 GbE").time_s, 1e-9)
    assert.near(70.6e9 * 2 / 2e9, values("cold start time of Llama-3.1-70B from S3 at 2 GB/s to 8 H100").time_s, 0.1)
  end)

  it("lists what holds a model where no machine is said", function()
    assert.equal("fit", meant("what gpu should i buy for running 13b models at home"))
    local _, input = ask.handed_over({ text = "deepseek r1 671b locally, what do i need" })
    assert.matches("EPYC", input.on) -- no cards that people have hold it
    for _, text in ipairs({ "I've got a macbook pro m3 max w/ 36gb. what size model can I comfortably run?", "how big a model can my 4090 run" }) do
      assert.equal("fit", meant(text), text)
      assert.matches("^a model of %d", led(text), text)
    end
  end)

  it("reads how long the sequences of a run are", function()
    local function said(text) return grammar.read(text, { lenient = true }).facts end
    assert.equal(4096, said("largest batch to fully fine-tune a 3B on one A100 with 4k sequences").seq_len)
    assert.equal(4000, said("fine-tune 3B on 4k sequences").items)
    assert.equal(8000, said("fine-tune 3B with 8k sequences of 2k tokens").items)
  end)

  it("has the memory of states under a ZeRO stage", function()
    local text = "What is the memory of gradients and optimizer for 13B with ZeRO-2 over 16 GPUs?"
    assert.equal("fit", meant(text))
    assert.equal(2, select(2, ask.handed_over({ text = text })).plan.zero)
    assert.equal("training", meant("How many tokens per second should I see training Llama 8B on 8xH100?"))
  end)

  it("leads with what is asked: states of the optimizer, tokens read, the write of a checkpoint, a latency", function()
    assert.matches("^[%d%.]+ GiB of optimizer states", led("how much memory does adam use for a 3 billion parameter model?"))
    assert.matches("tok/s of prompts of 1000 tokens", led("How many input tokens/sec can an 8xH100 node prefill with Llama 405B FP8?"))
    assert.matches("^one of 980 GB is written in 60 s at 16.3 GB/s, 3.3 %% of the time",
      ask.run({ text = "checkpoint every 30 min for a 70B on 512 gpus, how much io bandwidth and overhead" }).headline)
    assert.matches("^P99 ", ask.run({ text = "p99 latency for bert-base at 2000 qps on T4" }).headline)
    assert.matches("^10 Gb/s ethernet slows it: ", ask.run({ text = "would 10 Gbit ethernet be enough to train a 1.3B on 4 nodes of 8 H100" }).headline)
  end)

  it("has room for requests beside the weights of a replica", function()
    local _, input = ask.handed_over({ text = "how many tokens per second does an H100 write when serving a 70B in fp8" })
    assert.equal(1, input.cluster.devices) -- as it is said
    _, input = ask.handed_over({ text = "throughput of a 70B in fp8 on H100" })
    assert.equal(2, input.cluster.devices)
  end)

  it("reads requests for embeddings as requests, and short texts as short", function()
    local said = grammar.read("3 million embedding requests per day, 256 tokens, e5-large, how many T4", { lenient = true })
    assert.near(3e6 / 86400, said.facts.rate_per_s, 1e-9)
    assert.is_nil(said.facts.vectors)
    local _, input = ask.handed_over({ text = "classify 2 billion tweets with an 8b llm on 16 h100s" })
    assert.equal(200, input.load.input_tokens)
    assert.equal("all-MiniLM-L6-v2", known_of("embed 7M articles with a small embedding model on a 3090").model)
  end)

  it("has the electricity of a power bill", function()
    assert.equal("rent", meant("whats the power bill for 1000 h100 running a month"))
  end)

  it("has a speed of training where training is said", function()
    assert.equal("training", meant("Training throughput of Llama-3 8B on 64 H100, tokens per second?"))
    assert.equal("replica", meant("gpt-oss-120b on a single h100? tokens per sec?"))
  end)

  it("counts whatever is there at one time, and the messages of chats", function()
    local function said(text) return grammar.read(text, { lenient = true }).facts end
    assert.equal(20, said("llama 3 8b for a game, 20 npcs talking at once, one 4080").concurrency)
    assert.near(3000 / 3600, said("a support bot, 300 chats an hour, 10 messages each").rate_per_s, 1e-9)
    assert.equal(2048, said("largest batch for a 7B with 2048 seq len on an A100").seq_len)
  end)

  it("has two numbers of devices beside each other", function()
    for _, text in ipairs({ "what happens to throughput if I go from 64 to 128 GPUs training 13B?", "training 13B on 64 or 128 H100" }) do
      local parts, list = ask.parts({ text = text })
      assert.equal(2, #parts, text)
      assert.same({ 128, 64 }, { parts[1].facts.devices, parts[2].facts.devices }, text)
      assert.matches("64", list[2])
    end
    assert.is_nil(ask.parts({ text = "train 13B on 100B tokens on 8 to 16 H100" })) -- a range
  end)

  it("has a card with its bridge beside the one without", function()
    local parts = ask.parts({ text = "do i need nvlink for 2x 3090 inference of a 70b?" })
    assert.same({ "RTX-3090", "RTX-3090-NVLink" }, { parts[1].facts.device, parts[2].facts.device })
    assert.matches("does not compare links", (errors.catch(ask.run, { text = "do i need nvlink for 2x 4090 inference of a 70b?" })))
    assert.is_nil(ask.parts({ text = "serve a 70B on 8 A100 with NVLink" }))
  end)

  it("leads with bytes of tokens, of an index, of keys and values, and with a context", function()
    assert.near(6e13, values("how much disk do I need to store 15T tokens").bytes, 1)
    assert.matches("^[%d%.]+ GB in memory; ", ask.run({ text = "vector db for 50M embeddings 1536 dims, how much RAM" }).headline)
    assert.matches("^[%d,]+ tok of keys and values beside the weights", led("A100 80GB, llama 2 13b fp16, how many tokens total fit in kv"))
    assert.matches("^8,192 tok of context", led("4060 ti 16gb context for gemma 2 9b q8?"))
  end)

  it("writes checkpoints to the storage that is spoken of beside them", function()
    assert.is_nil(ask.parts({ text = "How big is a checkpoint of a 175B model and how fast must storage be to write it in 1 minute?" }))
    assert.matches("^one of 2.45 TB is written in 60 s at 40.8 GB/s",
      ask.run({ text = "How big is a checkpoint of a 175B model and how fast must storage be to write it in 1 minute?" }).headline)
  end)

  it("holds what draws images, and has no price for cards that have none", function()
    assert.matches("^it does not fit: .- it does with", led("Running FLUX.1-dev on a 12 GB card - will it fit?"))
    local question, input = ask.handed_over({ text = "i have 4x a4000 16gb. can i serve llama 70b awq to 10 users?" })
    assert.same({ "replica", 10 }, { question, input.load.concurrency })
    -- Images that are made all day long have no peak.
    local _, drawn = ask.handed_over({ text = "how many gpus to generate 1 million images a day with sdxl" })
    assert.near(1e6 / 86400, drawn.load.rate_per_s, 1e-9)
  end)

  it("serves code to who writes it", function()
    assert.equal("code", known_of("serve a 34b code model for 300 developers on 40 A6000").use)
  end)

  it("leads with one answer, its energy, a batch, the sound of a day, and images a second", function()
    for text, line in pairs({
      ["how long would it take to generate a 2000 word essay with 32b on m2 max"] = "^[%d%.]+ min for 2,667 tok; ",
      ["How much electricity does a 4090 use to generate 1 million tokens with 8b?"] = "^[%d%.]+ Wh at the most that the board draws, ",
      ["how do I pick a batch size for a 1B model on a single 4090 with seq 1024"] = "^a batch of %d+ sequences of 1024 tok",
      ["how many hours of audio can a single 4090 transcribe per day with whisper medium?"] = "^[%d,]+ hours of sound a day; ",
      ["maximum model size i can full finetune on 4x a100 40gb"] = "^a model of %d[%d%.]*B; it fits",
      ["how much ram to run qwen3 235b a22b q4 on cpu"] = "it fits: ",
    }) do
      assert.matches(line, led(text), text)
    end
    assert.matches("^[%d,]+ per s on a A10; ", ask.run({ text = "how many images per sec can a vit-b/16 classify on an A10" }).headline)
    assert.matches("^it fits: ", ask.run({ text = "GPU memory breakdown for training 7B with ZeRO-3 on 8 GPUs" }).headline)
  end)

  it("reads gigabits of a network that is named behind them", function()
    assert.near(2 * 127 / 128 * 26e9 / 50e9, values("all-reduce of gradients of a 13b over 16 nodes w/ 400gb IB").ideal_s, 1e-3)
    assert.equal("400 Gb/s infiniband", known_of("train 7B on 1T tokens on 64 H100 with 400g ib").network)
  end)

  it("says in the head what is asked and not led with", function()
    local function rows(text)
      local list = {}
      for _, item in ipairs(scenario.answer(scenario.state(nil, { command = "ask" }), "ask", { text = text }).blocks[1].items) do list[item.name] = item.value end
      return list
    end
    assert.matches("^a context: not in the answer above", rows("kimi k2 on 8x h200 does it fit in fp8 and how much context").unled)
    assert.matches("^a share of the peak: ", rows("gpu utilization if I serve 1 req/s on an h100 with a 7b").unled)
    for _, text in ipairs({ "train 7B on 1T tokens with 64 H100, how long, what does it cost", "how fast is llama 8b on a 4090", "how much vram for a 70b in 4 bit" }) do
      assert.is_nil(rows(text).unled, text)
    end
  end)

  it("leads with a month, a share of the time, a ceiling, an adapter, tokens and jobs of a day", function()
    for text, line in pairs({
      ["how much does it cost to run llama 3.3 70b 24/7 on h100s"] = "^[%d,]+ USD a month, 7.8 USD an hour for 2 devices; ",
      ["price per million tokens of self hosting llama 8b on l4 at 50% utilization"] = " of output, full for 50 %% of the time; ",
      ["size of a LoRA adapter file rank 64 for 7b"] = "^an adapter of [%d%.]+ MB in 16 bit, ",
      ["tokens/day of a mac mini m4 pro 64gb running 32b q4 all day"] = "^%d+ thousand tokens a day; ",
      ["time to prefill 128k tokens on an m3 ultra with 70b q4"] = "^first token after [%d%.]+ min; ",
      ["how many 80gb gpus do i need to hold a 405b in bf16 for inference"] = " on 16 x A100%-80GB%-SXM$",
      ["memory for 500 lora adapters rank 16 on llama 8b"] = "^[%d%.]+ GiB; ",
    }) do
      assert.matches(line, led(text), text)
    end
    assert.near(catalog.device("A100").mem_bw_bytes_s / 14e9, values("whats the max tokens/sec theoretical for 7b fp16 on a100").tokens_per_s, 1)
    -- 50 jobs at one time, four times a day.
    assert.equal(200, values("I have 200 gpus and each job takes 4 gpus for 6 hours. How many jobs per day?").most_jobs_day)
    assert.matches("bound by memory bandwidth: ", ask.run({ text = "is compute or bandwidth the bottleneck for decode on a 4090" }).headline)
    assert.matches("per s on a T4; ", ask.run({ text = "qps of e5-base on one T4 with 64 token queries" }).headline)
    -- 0.88 kW x 8 h x 365 x 0.3 USD.
    assert.near(767, values("yearly electricity cost of a dual 3090 rig running inference 8 hours a day at $0.30/kWh").electricity_usd, 3)
  end)

  it("has lengths and memories of a host beside each other", function()
    local parts = ask.parts({ text = "how much does context length affect speed, 8b on 3060 at 2k vs 16k" })
    assert.same({ 2048, 16384 }, { parts[1].facts.context_tok, parts[2].facts.context_tok })
    parts = ask.parts({ text = "how much slower is ddr4 vs ddr5 for cpu inference of 8b q4" })
    assert.same({ "Ryzen-7-5800X", "Ryzen-9-7950X" }, { parts[1].facts.device, parts[2].facts.device })
    assert.equal("fp32", grammar.read("full precision fp32 training of a 100M model", { lenient = true }).facts.weights)
  end)

  it("has drafts beside none where their gain is asked, and what a run was", function()
    local parts, list = ask.parts({ text = "speculative decoding with 1b draft for 70b, 4xH100, speedup?" })
    assert.same({ "with drafts", "without" }, list)
    assert.equal("asked", parts[2].facts.no_drafts)
    assert.equal(1, parts[2].facts.concurrency)
    assert.is_nil(ask.parts({ text = "70B with speculative decoding on 4xH100, throughput" }))
    assert.equal("training", meant("how many A100 hours was llama 2 70b"))
    assert.equal("rent", meant("monthly aws bill for 8 p4d.24xlarge on demand"))
    assert.equal("encode", meant("Could a single A10G keep up with 20 requests per second for MiniLM embeddings?"))
    assert.matches("^2 TB holds 20 of 40: all take 3.92 TB; ",
      ask.run({ text = "is a 2tb ssd enough to store all checkpoints of a 7b run every 500 steps for 20k steps" }).headline)
    assert.matches("^%d replicas of one A10; ", led("rerank 100 docs per query, 10 qps peak, bge-reranker-large on A10"))
  end)

  it("refuses what it would answer about something else", function()
    assert.matches("answers about training models that write text", (errors.catch(ask.run, { text = "training a vision transformer vit-l/16 for 90 epochs, gpu hours on A100" })))
    assert.matches("does not know how large wikipedia is", (errors.catch(ask.run, { text = "embed the whole wikipedia on one 3090" })))
    assert.matches("its shape is not published", (errors.catch(ask.run, { text = "could we train our own GPT-4? What would that take?" })))
    assert.matches("does not know what memory training sdxl takes", (errors.catch(ask.handed_over, { text = "Vram for lora training of SDXL?" })))
    assert.matches("of networks of images it knows", (errors.catch(ask.run, { text = "storage throughput needed to feed 64 A100 training ViT on 150KB images" })))
    assert.matches("does not know how large the pile is", (errors.catch(ask.run, { text = "train a 1B on the pile with 8 A100" })))
  end)

  -- The name of a set between a number and its noun was lost, and examples had more than twice its length.
  it("takes lengths of a known data set wherever its name stands", function()
    for _, text in ipairs({ "fine-tune llama-3.1-8b with qlora on one RTX 4090 on alpaca, 52k examples, 3 epochs",
      "fine-tune llama-3.1-8b with qlora on one RTX 4090, 52000 Alpaca examples, 3 epochs" }) do
      local kind, given, unread = ask.understood({ text = text })
      assert.equal("alpaca", given.data_set)
      assert.same({}, unread)
      assert.equal("alpaca", kind.input(facts.of(kind, given)).lengths)
    end
    local kind, given = ask.understood({ text = "fine-tune llama-3.1-8b with qlora on one RTX 4090, 52000 examples, 3 epochs" })
    assert.equal(400, kind.input(facts.of(kind, given)).lengths.mean)
  end)
end)

describe("what people leave out or say in short", function()
  it("is the unit of a memory in a name, and where a name's memory stands", function()
    assert_read({
      { "throughput of vllm with llama 3.1 70b on 4xA100-80, 64 concurrent", "replica", { device = "A100-80GB-SXM", devices = 4, concurrency = 64 } },
      { "llama 70b q4 on a 48GB macbook pro m4 max, how fast", "local", { device = "M4-Max-40-48gb" } },
      { "llama 70b q4 on a 48GB M4 Max, how fast", "local", { device = "m4-max-48gb" } },
      { "llama 70b q4 on an m2-ultra-192, how fast", "local", { device = "m2-ultra-192gb" } },
      { "how fast is llama 8b q4_k_m on a 3090 with 64G of RAM", "local", { host_memory_bytes = 64e9, device = "RTX-3090" } },
      { "monthly budget $12k: how many A100 80s can I keep running, and what if 1yr reserved?", "rent", { device = "A100-80GB-SXM", cost_usd = 12000, time_s = false } },
      { "does llama 8b fit on two cards of 24G VRAM", "fit", { memory_bytes = 24e9, devices = 2 } },
    })
    -- Links and phones are called by Gb/s and by generations.
    for _, text in ipairs({ "400G network", "a 5G operator" }) do
      assert.is_nil(grammar.read(text, { lenient = true }).facts.memory_bytes, text)
    end
  end)

  it("is the format of weights of so many bits", function()
    assert_read({
      { "does deepseek r1 fit on 2 H100 at 1.58bit", "fit", { weights = "1.58 bpw" } },
      { "qwen 32b 6 bit on a 5090, how fast", "local", { weights = "q6_k" } },
      { "qwen 32b at 4.5 bits per weight on a 5090, how fast", "local", { weights = "4.5 bpw" } },
    })
    assert.equal("awq", grammar.read("3 bit awq", { lenient = true }).facts.weights)
  end)

  it("is who rents the devices, and on what terms", function()
    assert_read({
      { "fine-tune 8B with LoRA on 30M tokens, cost on AWS", "finetune", { usd_h = 6.88 } }, -- the catalog's price of an H100 there
      { "train a 7B on 200B tokens on 64 H100 at lambda labs", "training", { usd_h = 2.99 } },
      { "8 H100 on AWS for 3 weeks", "rent", { usd_h = 6.88, devices = 8 } },
      { "serve 8B to 10 rps on L4 at runpod", "llm", { usd_h = false }, { "runpod" } },
      { "train a 7B on 200B tokens on 64 spot H100 at 1.5 USD/h", "training", { usd_h = 1.5, devices = 64 } },
      -- 40 % of the median on demand, and of the 6.88 of one who is named
      { "fine-tune 8B with LoRA on 30M tokens on spot H100", "finetune", { usd_h = 0.4 * prices.get("H100-SXM-80GB") } },
      { "fine-tune 8B with LoRA on 30M tokens on spot H100 on AWS", "finetune", { usd_h = 0.4 * 6.88 } },
      { "train a 7B on 200B tokens on 64 H100, 3-year reserved", "training", { usd_h = 0.45 * prices.get("H100-SXM-80GB") } },
      { "does a 70b fit on 2 spot H100", "fit", {}, { "spot" } },
    })
  end)

  it("is what a device of several computes at a time, and how often before a step", function()
    assert_read({
      { "qlora of gemma 2 9b, batch size 4 grad accum 8, 20k examples", "finetune", { micro_batch = 4, accumulated = 8, batch = false } },
      { "full ft 8b, per device batch 4, gradient accumulation steps = 2, 8 H100, 10k examples", "finetune", { micro_batch = 4, accumulated = 2, method = "full" } },
      { "sft of 8b bs 2 x 8 grad accum, 10k examples", "finetune", { micro_batch = 2, accumulated = 8 } },
      { "sft of 8b with batch 2 and 16 gradient accumulation steps, 10k examples", "finetune", { micro_batch = 2, accumulated = 16 } },
      { "sft of 8b with batch 32, 10k examples", "finetune", { batch = 32, micro_batch = false } },
    })
    local _, input = ask.handed_over({ text = "full ft 8b, per device batch 4, gradient accumulation steps = 2, 8 H100, 10k examples" })
    assert.same({ 4, 64 }, { input.micro_batch, input.batch }) -- 4 x 2 x 8
    -- Devices that nobody counts share a step evenly.
    _, input = ask.handed_over({ text = "full finetune of llama 3.1 8b on A100-80s, bs 32, 10M tokens" })
    assert.equal(0, 32 % input.cluster.devices)
  end)

  it("is how often work comes again, and what it may cost", function()
    assert_read({
      { "fine-tune 8B every week on 5k examples", "finetune", { period_s = 604800 } },
      { "fine-tune 8B twice a month on 5k examples", "finetune", { period_s = 365 * 86400 / 24 } },
      { "summarise 2M docs every night with llama 8b", "batch", { period_s = 86400 } },
      { "embed 800k docs of 1.2k tokens nightly w/ bge-large on one L4", "corpus", { period_s = 86400, items = 8e5 } },
      { "fine-tune 70B with LoRA on 10k examples, budget 2,000 €", "finetune", { cost_usd = 2000 * require("ballpark.catalog.currencies").eur } },
    })
    assert.is_nil(grammar.read("2M people who use it every day", { lenient = true }).facts.period_s)
    assert.matches("^1%.8%d USD a month; 0%.43%d USD, ", led("fine-tune Llama-3-8B every week on 5k conversations of 1500 tokens on an L40S at $0.8/hr"))
    -- 3 H100 for ten days at the list price are more than 500 USD.
    local report_of = scenario.answer(scenario.state(nil, { command = "ask" }), "ask", { text = "lora of a 70B with 3 epochs on 1M examples of 1k tokens for under $500" })
    local over
    for _, block in ipairs(report_of.blocks) do
      for _, item in ipairs(block.kind == "facts" and block.items or {}) do over = over or item.name == "contradiction_1" and item.value end
    end
    assert.matches("the budget is 500 USD", over)
  end)

  it("is what all prompts begin with", function()
    assert_read({
      { "llama 70b, 2k token system prompt, 300 token questions, 10 rps", "llm", { prefix_tok = 2000, input_tokens = 2300 } },
      { "llama 70b, system prompt of 4k tokens, prompts of 6k, 10 rps", "llm", { prefix_tok = 4000, input_tokens = 6000 } },
      { "llama 70b, 6k-token shared system prompt, 5 rps", "llm", { prefix_tok = 6000, input_tokens = 6300 } },
      { "40 rps, 4k prompts of which 3k shared, 150 out, llama 3.1 8b", "llm", { prefix_tok = 3000, input_tokens = 4000, rate_per_s = 40 } },
      { "llama 70b, 90% of our 6k system prompt is shared, 40 rps", "llm", { prefix_frac = 0.9, input_tokens = 6000, rate_per_s = 40 } },
    })
    local span = grammar.read("llama 70b, 6k-token shared system prompt, 5 rps", { lenient = true }).spans.input_tokens
    assert.same({ 6050, 8000 }, { span.low, span.high })
  end)

  it("is what each of those who are there asks and sees", function()
    assert_read({
      { "code assistant for 1200 devs with a 32b, ~200 per dev per day", "llm", { users = 1200, requests_per_user_day = 200 } },
      { "chat api with 3 req/min, mixtral 8x22b, at least 30 tok/s", "llm", { tpot_s = 1 / 30, rate_per_s = 0.05 } },
      { "5M calls a month of 1.8k/220, qwen2.5 72B, p95 below 6 seconds total", "llm", { e2e_s = 6, percentile = 95 } },
      { "how many concurrent streams at 15 tok/s can 2xL40S do with mistral nemo 12B fp8?", "replica", { tpot_s = 1 / 15 } },
      { "rerank 50 candidates for 300 queries/s with minilm on T4s", "rerank", { documents = 50 } },
      { "tuning of llama 3.3 70B with adapters, 8,000 Q&A pairs, 2 passes over the data", "finetune", { examples = 8000, epochs = 2 } },
      { "ORPO of gemma-2-2b on a T4, 3000 examples", "finetune", { tuning = "orpo" } },
      { "our bill is $85k/mo for 40 A100 at 25% gpu usage, cut it in half", "cost", { utilization_frac = 0.25 } },
    })
  end)

  it("is the tokens of a size, and the time of a run", function()
    assert_read({
      { "min number of H100 to finish pretraining 13B/2T within 60 days", "training", { params = 13e9, tokens = 2e12 } },
      { "pretrain 6B/300B on 32 A100-40, how many days", "training", { params = 6e9, tokens = 300e9, device = "A100-40GB-SXM" } },
      { "what do 128 H100 draw and what does it cost at 9 ct/kWh", "rent", { usd_kwh = 0.09 } },
      { "I have 5,000 GPU-hours of H100. Chinchilla-optimal model size?", "training", { device_s = 1.8e7 } },
      { "32 nodes with 8 MI300X each. How many tokens can a 30B see in two weeks?", "training", { devices = 256, time_s = 14 * 86400 }, { "see" } },
      { "cost of electricity of 16 H100 per yr", "rent", { time_s = 365 * 86400 } },
      { "buy vs rent: 8xH100 server costs $280k. at $2.2 per gpu-hour and 60% usage when do we break even?", "rent",
        { buy_usd = 280000, utilization_frac = 0.6, cost_usd = false }, { "break" } },
    })
  end)

  it("is asked of layers, of an image, and of vectors that a model makes", function()
    assert.equal("local", meant("gemma 3 27b, 16gb vram, 8k ctx, kv cache q8. how many layers can i offload to the gpu"))
    assert.matches("^0%.0%d+ USD an image; ", led("flux dev, 500k images per month, $ per image on H100"))
    -- sqrt(2 x 91 s x 20 h): the time that writing takes at the bandwidth that is said.
    assert.near(math.sqrt(2 * 91 * 72000), ask.run({ text = "how often to write checkpoints of a 13B to 2 GB/s storage if mtbf is 20 h?" }).known.every_s, 5)
    assert.matches("^one of 980 GB is written in 98%.?%d* s", led("how long to save a 70B checkpoint to 10 GB/s storage"))
    assert_read({ { "store 5M bge-m3 vectors in qdrant", "storage", { vectors = 5e6, dim = 1024 } } })
    local parts = ask.parts({ text = "RAG over 5M pdf pages, bge-m3, embedding cost and storage of vectors? 500 tok chunks" })
    assert.same({ 1024, 5e6 }, { parts[2].facts.dim, parts[2].facts.users })
  end)

  it("is a speed that is seen, beside which the estimate stands", function()
    assert.matches("^3%.%d+ tok/s, of a prompt %d+ tok/s, 0%.%d+ times the 5 tok/s that are said; ",
      led("is 5 tokens/s normal for a 32B q6 on a 4080 16gb w/ 64gb ddr5 6000?"))
    -- An L40S is no L40s.
    assert.is_nil((select(2, ask.understood({ text = "fine-tune 8B on 5k examples on spot L40S at $0.8/hr" }))).how_many)
  end)

  it("is the mean of examples, and not the longest", function()
    local longest <const> = { mean_tok = 600, seq_len = 2048 }
    assert_read({
      { "lora of llama 3.1 8b on an H100 with 30k examples averaging 600 tokens", "finetune", { mean_tok = 600, seq_len = false } },
      { "lora of llama 3.1 8b on an H100 with 30k examples of 600 tokens on average", "finetune", { mean_tok = 600, seq_len = false } },
      { "lora of llama 3.1 8b on an H100, 30k examples, average length 600 tokens, max 2048 tokens", "finetune", longest },
      { "lora of llama 3.1 8b on an H100, 30k examples, seq len 2048, avg 600 tokens", "finetune", longest },
      { "lora of llama 3.1 8b on an H100 with 30k examples of 600 tokens", "finetune", { mean_tok = false, seq_len = 600 } },
    })
  end)

  it("is a budget of a month for work that comes again", function()
    local text <const> = "weekly lora fine-tune of llama 3.1 8b on 30k examples of 600 tokens, "
    assert_read({ { text .. "monthly budget $5", "finetune", { budget_usd_month = 5, cost_usd = false } },
      { text .. "budget 5 USD a month", "finetune", { budget_usd_month = 5 } } })
    -- A run costs 1.45 USD, and there are 4.3 of them in a month.
    local _, small = ask.handed_over({ text = text .. "monthly budget $5" })
    assert.near(5 * 7 / 30.4375, small.budget_usd, 0.02)
  end)
end)
