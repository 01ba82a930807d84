-- What one replica can do: how many requests at one time, how fast alone and full. replica{} answers.
local api_price = require("ballpark.questions.ask.api_price")
local asked = require("ballpark.questions.ask.asked")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local check_facts = require("ballpark.questions.check.facts")
local energy = require("ballpark.questions.ask.energy")
local errors = require("ballpark.errors")
local mentions = require("ballpark.mentions")
local prices = require("ballpark.catalog.prices")
local proposals = require("ballpark.questions.ask.proposals")
local replica = require("ballpark.questions.replica.run")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local wanted = require("ballpark.questions.ask.wanted")

-- No one reader has more tokens a second; it is the speed of all (assumption).
local FASTEST_EACH <const> = 300

-- Words of those of whom each has a speed of its own.
local EACH <const> = { "how many[%a%s]-users", "how many[%a%s]-streams", "how many[%a%s]-clients", "how many[%a%s]-sessions", "how many[%a%s]-people", "how many[%a%s]-readers" }

local NARROWER <const> = { "fp8", "int4" }

local model, params = proposals.said_model()

-- Tokens of a prompt and of an answer where nobody says them.
local INPUT <const>, OUTPUT <const> = 1000, 300

-- Bytes of a weight in a format, or as the model is published.
local function bytes_of(shape, format) return (select(2, check_facts.stored({ weights = format }, { model = shape }))) end

-- Fewer bits where the devices that are said do not hold the weights as published: what people then take.
local function narrower(f)
  if not (f.model or f.params) or not f.devices then return nil end
  local shape = proposals.decoder(f)
  local function holds(format) return proposals.least_devices(shape, f.device, bytes_of(shape, format)) <= f.devices end
  if holds() then return nil end
  for _, format in ipairs(NARROWER) do
    if holds(format) then return format, "so many devices do not hold the weights as published" end
  end
end

local function plan_of(f)
  local plan = { checkpoint = proposals.served_format(f.weights), kv = proposals.served_kv(f.kv), draft_tokens = not f.no_drafts and f.draft_tokens or nil, tp = f.tp, pp = f.pp, ep = f.ep,
    dp = f.dp }
  return next(plan) and plan or nil
end

-- The input of replica{}: on so many tensor-parallel ranks, with as many copies as there are devices for.
local function input_of(f)
  local promised = f.ttft_s or f.tpot_s or f.e2e_s
  return { sla = promised and { ttft_s = f.ttft_s, tpot_s = f.tpot_s, e2e_s = f.e2e_s, percentile = f.percentile } or nil,
    model = proposals.model_of(f), cluster = { device = f.device, devices = f.devices, price = f.usd_h }, plan = plan_of(f),
    engine = (f.engine or f.memory_frac) and { name = f.engine or "vllm", memory_frac = f.memory_frac } or nil,
    load = { input_tokens = f.input_tokens, output_tokens = f.output_tokens, concurrency = f.concurrency,
      prefix_tokens = proposals.prefix_tokens(f), shared_tokens = proposals.shared_tokens(f) } }
end

-- Tokens a second that a layout writes: to the clients that are asked about, within the SLO, or at most; nil where it has no
-- room.
local function written_by(f, tp)
  local own = { model = f.model or f.params and (proposals.decoder(f)), tp = tp, dp = f.devices // tp }
  local input = input_of(setmetatable(own, { __index = f }))
  input.model = type(input.model) == "table" and input.model or catalog.model(input.model)
  input.cluster = catalog.cluster({ device = catalog.device(f.device), devices = f.devices })
  local answer = errors.try(replica.run, input)
  if not answer then return nil end
  local last = answer.curve and answer.curve[#answer.curve]
  local row = answer.asked_row or answer.sla and answer.within or not answer.sla and last
  return row and row.output_tok_s
end

-- Devices of a node at most, over which tensor-parallel ranks are dealt.
local OF_NODE <const> = 8

-- The tensor-parallel ranks of the layout that writes most, of whole copies; nil where one is said, or there is no choice.
local function best_tp(f)
  if f.devices < 2 or f.tp or f.pp or f.ep or f.dp or not (f.model or f.params) then return nil end
  local best, most
  local tp = 1
  while tp <= math.min(OF_NODE, f.devices) do
    local per_s = f.devices % tp == 0 and written_by(f, tp)
    if per_s and (not most or per_s > most) then best, most = tp, per_s end
    tp = 2 * tp
  end
  return best
end

-- Requests at one time that a replica has room for beside its weights (assumption: one that has less serves nobody).
local ROOM <const> = 8

local function room_bytes(f, shape)
  local length = math.ceil((f.input_tokens or INPUT) + (f.output_tokens or OUTPUT))
  return math.min(ROOM, f.concurrency or ROOM) * core.kv_cache({ model = shape, tokens = length }).sequence_bytes
end

-- Devices that the ranks take which somebody said: before the devices are known none is proposed.
local function ranks_said(f)
  return (f.tp or 1) * (f.pp or 1) * (f.dp or 1)
end

-- Quantities of tokens, of which it does not matter how many are said: "kWh of a million tokens".
local OF_TOKENS <const> = tables.set({ "energy_each", "carbon_each" })

local function is_of_tokens(text, given)
  for _, row in ipairs(wanted.of(text, given)) do
    if OF_TOKENS[row.name] then return true end
  end
  return false
end

return {
  name = "replica", title = "One replica", words = "How many requests can so many devices answer, and how fast?",
  question = "replica",
  facts = {
    model, params, proposals.active, energy.grid_fact, proposals.device("H100"), tables.with(proposals.weights, { propose = narrower }), proposals.kv,
    tables.with(proposals.price, { propose = function(f)
      if not prices.get(catalog.device(f.device).name) then return proposals.price.propose(f) end -- of a card that is owned
    end }),
    { "engine", "Which engine: vllm, sglang, trtllm?", type = "string", title = "Engine" }, proposals.memory_frac,
    { "devices", "How many devices?", unit = "", type = "integer", title = "Devices", propose = function(f)
      if not (f.model or f.params) then return 1, "one" end
      local shape = proposals.decoder(f)
      local bytes = bytes_of(shape, proposals.served_format(f.weights))
      local least, said = proposals.least_devices(shape, f.device, bytes, room_bytes(f, shape)), ranks_said(f)
      if said > 1 then return said * ((least + said - 1) // said), "as the ranks that are said need them" end
      return least, ("the fewest that hold the weights and have room for some requests, %d unless said"):format(ROOM)
    end },
    { "input_tokens", "Tokens of a prompt?", unit = "tok", type = "integer", title = "Prompt", also = { "seq_len" },
      propose = proposals.constant(INPUT, "a system prompt and a few turns") },
    { "output_tokens", "Tokens of an answer?", unit = "tok", type = "integer", title = "Answer",
      propose = function(f)
        if f.prefill then return 1, "the prompt alone is asked about" end
        return OUTPUT, "a few paragraphs"
      end },
    { "prefill", "Is the speed of prompts asked?", type = "string", title = "Speed of prompts" },
    proposals.prefix, proposals.prefix_said,
    { "draft_tokens", "Tokens of a draft in speculative decoding?", unit = "", type = "integer", title = "Draft tokens" },
    { "no_drafts", "Is it asked without drafts?", type = "string", title = "Without drafts" },
    { "concurrency", "How many at one time?", unit = "", type = "integer", title = "At one time", also = { "batch", "users" }, also_means = "users are taken to ask all at one time" },
    { "ttft_s", "SLO of the first token, seconds?", unit = "s", title = "SLO first token" },
    { "tpot_s", "SLO of a further token, seconds?", unit = "s", title = "SLO further token" },
    { "e2e_s", "SLO of the whole answer, seconds?", unit = "s", title = "SLO whole answer" },
    { "utilization_frac", "For which share of the time is it full?", unit = "frac", title = "Full for" },
    api_price.facts[1], api_price.facts[2], api_price.facts[3],
    { "tokens_month", "Tokens of a month, beside the price of an API?", unit = "tok", title = "Tokens a month" },
    { "percentile", "Requests in a hundred that it holds for?", unit = "", title = "Percentile" },
    proposals.ranks[2], proposals.ranks[5], tables.with(proposals.ranks[1], { propose = function(f)
      local tp = best_tp(f)
      if tp then return tp, "of the layouts of these devices the one that writes most" end
    end }),
    tables.with(proposals.ranks[3], { also = { "replicas" }, propose = function(f)
      if f.tp and not f:is_given("tp") and f.devices > f.tp then return f.devices // f.tp, "copies of it side by side", nil, nil, true end
    end }),
  },
  -- "How many users at 30 tokens per second": the speed of each.
  given = function(given, _, text)
    if asked.is_about("prefill", text) and not given.output_tokens then given = tables.with(given, { prefill = "asked" }) end
    given = api_price.with_one(given, INPUT, OUTPUT)
    -- Beside the price of an API a load is what it is paid for a month.
    if given.usd_mtok and given.tokens_per_s and not given.devices then
      given = tables.with(given, { tokens_month = given.tokens_per_s * units.months(1) })
      given.tokens_per_s = nil
    end
    if given.tokens and is_of_tokens(text, given) then
      given = tables.with(given)
      given.tokens = nil
    end
    local speed = given.tokens_per_s
    if not speed or speed > FASTEST_EACH or not mentions.any(text, EACH) then return given end
    given = tables.with(given, { tpot_s = given.tpot_s or 1 / speed })
    given.tokens_per_s = nil
    return given
  end,
  input = input_of,
}
