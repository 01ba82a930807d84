-- A service that writes text: users to requests to replicas, for an SLO of the first token and of each further one.
local api_price = require("ballpark.questions.ask.api_price")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local ends = require("ballpark.questions.said.ends")
local energy = require("ballpark.questions.ask.energy")
local fleet_range = require("ballpark.questions.serve_search.fleet_range")
local levers = require("ballpark.questions.levers.run")
local open_size = require("ballpark.questions.serve_search.open_size")
local mentions = require("ballpark.mentions")
local page = require("ballpark.questions.ask.page")
local paid = require("ballpark.questions.ask.paid")
local prices = require("ballpark.catalog.prices")
local proposals = require("ballpark.questions.ask.proposals")
local product = require("ballpark.uncertain.product")
local same = require("ballpark.questions.levers.same")
local serve_search = require("ballpark.questions.serve_search.run")
local tables = require("ballpark.tables")
local paid_on = require("ballpark.questions.ask.paid_on")
local vocabulary = require("ballpark.questions.said.vocabulary")
local which = require("ballpark.questions.ask.which")
local words = require("ballpark.questions.serve.words")
local units = require("ballpark.units")

local n = page.n

local model, params = proposals.model("a usual size of an open assistant", 70)
local of_assistant = params.propose

-- Nobody waits for a large model while typing.
params = tables.with(params, { propose = function(f)
  if f.use == "completion" and not f.model then return 7e9, "a usual size of what completes code while somebody types" end
  return of_assistant(f)
end })

-- A context below which it is what a request has, not what one may have at most; and the share of it that is the prompt
-- (assumptions).
local SHORT <const>, PROMPT_FRAC <const>, LONG_FRAC <const> = 4500, 0.75, 0.25

-- Tokens of a long prompt that are read in a second of waiting.
local READ_TOK_S <const> = SHORT

-- Tokens of a passage that is found and put into a prompt (assumption: 200 to 1000 are usual).
local PASSAGE_TOKENS <const> = 500

-- Hours of a month.
local MONTH_H <const> = units.MONTH_H
-- The rule of thumb: arithmetic of a request at a usual share of the peak.
local RULE_MFU <const> = 0.4

-- Of the devices that money buys, the share that is not headroom or a spare, and the peak over the mean (assumptions).
local BOUGHT_FRAC <const>, USUAL_PEAK <const>, USUAL_DEVICE <const> = 0.5, 3, "H100"

-- Where money is said and no load: the mean rate that it pays for by the rule of thumb, and how.
local function paid_rate(f)
  local device = catalog.device(f.device or USUAL_DEVICE)
  local usd_h = f.usd_h or proposals.price.propose({ device = device.name })
  if not f.budget_usd_month or not usd_h then return nil end
  local devices, active = f.budget_usd_month / (usd_h * MONTH_H), core.params({ model = proposals.decoder(f) }).active_params
  local rule = core.request_rule({ params = active, tokens = f.input_tokens + f.output_tokens,
    peak_flop_s = device.bf16_flop_s, mfu_frac = RULE_MFU })
  return BOUGHT_FRAC * devices * rule.per_s / (f.peak_ratio or USUAL_PEAK),
    ("what %s of the %.3g %s that the money buys do by the rule of thumb, %g times at the peak"):format(n(BOUGHT_FRAC, "frac"),
      devices, device.name, f.peak_ratio or USUAL_PEAK)
end

-- The time of an answer that the SLO leaves it.
local function answer_time(f) return f.e2e_s or f.ttft_s + f.output_tokens * f.tpot_s end

-- The mean rate that follows from the other facts of a load, and how; nil where there are none.
local function followed(f)
  if f.concurrency then
    local answer_s = answer_time(f)
    local cycle_s = answer_s + (f.interval_s or 0)
    return f.concurrency / cycle_s, ("%s at one time, each for the %s that the SLO leaves an answer%s (Little's law)"):format(
      n(f.concurrency), n(answer_s, "s"), f.interval_s and " and " .. n(f.interval_s, "s") .. " between" or "")
  end
  if f.tokens_month then
    return f.tokens_month / (f.input_tokens + f.output_tokens) / units.months(1), "tokens of a month over those of a request"
  end
  if f.tokens_per_s then return f.tokens_per_s / (f.input_tokens + f.output_tokens), "tokens over those of a request" end
  if f.output_tokens_per_s then return f.output_tokens_per_s / f.output_tokens, "tokens written over those of an answer" end
  if f.requests_per_user_month then return proposals.monthly_rate(f) end
  if not f.users then return nil end
  if f.interval_s then
    local active_frac = f.active_frac or 1
    local active = core.load({ users = f.users, active_frac = active_frac, interval_s = f.interval_s, peak_ratio = 1 })
    return active.average_per_s, ("%s of %s users, each once in %s"):format(n(active_frac, "frac"), n(f.users), n(f.interval_s, "s"))
  end
  return core.load({ users = f.users, active_frac = 1, interval_s = 86400 / f.requests_per_user_day,
    peak_ratio = 1 }).average_per_s, ("%s users x %s a day / 86,400 s"):format(n(f.users), n(f.requests_per_user_day))
end

-- What lies between two requests as a term of the rate of those who are there at one time.
local function cycle_term(f)
  local between, answer_s = f:term("interval_s", -1), answer_time(f)
  return tables.with(between, { value = answer_s + between.value, low = between.low and answer_s + between.low, high = between.high and answer_s + between.high })
end

-- What the mean rate is a product of, beside the lengths: that which is said of it first, as `followed` has it.
local function load_terms(f)
  if f:is_given("rate_per_s") then return { f:term("rate_per_s") } end
  if f.concurrency and f.interval_s then return { f:term("concurrency"), cycle_term(f) } end
  for _, name in ipairs({ "concurrency", "tokens_month", "tokens_per_s", "output_tokens_per_s" }) do
    if f[name] then return { f:term(name) } end
  end
  if f.requests_per_user_month then return { f:term("monthly_users"), f:term("requests_per_user_month") } end
  if not f.users then return {} end
  if f.interval_s then return { f:term("users"), f:term("interval_s", -1), f.active_frac and f:term("active_frac") or nil } end
  return { f:term("users"), f:term("requests_per_user_day") }
end

-- What says how much comes, in the order in which `followed` and a rate that is given go over each other.
local LOADS <const> = { "rate_per_s", "concurrency", "tokens_month", "tokens_per_s", "output_tokens_per_s" }

-- The peak of the hours in which people ask over the mean of these hours (assumption): without the night a day is flatter.
local BUSIEST <const>, BUSIEST_LOW <const>, BUSIEST_HIGH <const> = 1.5, 1.2, 2

-- Loads that are said of those who are there, or of a second: no mean of whole days.
local OF_MOMENTS <const> = { "rate_per_s", "concurrency", "interval_s", "tokens_per_s", "output_tokens_per_s", "peak_ratio" }

-- Hours of a day in which all of it comes, where the load is that of whole days.
local function spread_s(f) return f.rate_day_s or not f:is_any_given(OF_MOMENTS) and f.day_s or nil end

-- What of a load that is given the answer does not use, as another goes over it: a set of names.
local function idle(given)
  local first, list = nil, {}
  for _, name in ipairs(LOADS) do
    if given[name] and first then list[name] = true end
    first = first or given[name] and name
  end
  for _, name in ipairs({ "requests_per_user_day", "requests_per_user_month" }) do list[name] = first and given[name] and true or nil end
  if given.rate_per_s and given.interval_s then list.interval_s = true end
  if given.day_s and tables.has_any(given, OF_MOMENTS) then list.day_s = true end
  if given.active_frac and given.requests_per_user_day and not given.interval_s then list.active_frac = true end
  return list
end

-- What is looked at: so many times the devices of the rule of thumb.
local ROOM <const> = 8

local llm
local usual_device = proposals.device("H100")

llm = {
  name = "llm", title = "LLM serving", priced = true, compares = "rented", idle = idle,
  words = "Serve a language model to users: how many replicas, what does it cost?",
  facts = {
    model, params, proposals.active, proposals.kv,
    { "turns", "Turns of a conversation, where conversations are counted?", unit = "", title = "Turns" },
    { "e2e_s", "SLO of the whole answer, seconds?", unit = "s", title = "SLO of an answer" },
    { "use", "What for: chat, code or completion?", type = "string", title = "Use" },
    proposals.monthly_users, proposals.requests_per_user_month,
    { "growth_month_frac", "By how much does the load grow a month?", unit = "frac", above_one = true, title = "Growth a month" },
    { "horizon_s", "Over what time does it grow?", unit = "s", title = "Grows for", propose = function(f)
      if f.growth_month_frac then return units.years(0.5), "half a year, in which fleets are planned again (assumption)" end
    end },
    { "pattern", "Do prefill and decode have replicas of their own?", type = "string", title = "Pattern" },
    { "adapters", "How many LoRA adapters beside it?", unit = "", type = "integer", title = "Adapters" },
    energy.grid_fact,
    { "rank", "Rank of adapters?", unit = "", type = "integer", title = "Rank" },
    { "draft_tokens", "Tokens of a draft in speculative decoding?", unit = "", type = "integer", title = "Draft tokens" },
    { "tokens_month", "Tokens a month, of prompts and answers?", unit = "tok", title = "Tokens a month" },
    { "tokens_per_s", "Tokens per second, of prompts and answers?", unit = "tok/s", title = "Tokens" },
    { "output_tokens_per_s", "Tokens per second that are written?", unit = "tok/s", title = "Tokens written" },
    { "users", "How many users a day?", unit = "", title = "Users a day", ask = 2, propose = function(f)
      if f.rate_per_s or f.concurrency or f.tokens_per_s or f.output_tokens_per_s or f.tokens_month or f.requests_per_user_month then return nil end
      if f.monthly_users then return proposals.daily_users(f) end
      if f.budget_usd_month then return nil end
      return 1e6, "a service that has found its users", 1e5, 1e7
    end },
    { "active_frac", "Share of them active at one time?", unit = "frac", title = "Active at one time" },
    { "interval_s", "Seconds between requests of one who is active?", unit = "s", title = "Between requests" },
    { "requests_per_user_day", "Requests of a user a day?", unit = "", title = "Requests a user", ask = 3,
      propose = function(f)
        if f.concurrency or f.interval_s or f.rate_per_s then return nil end
        if f.users and f.use == "completion" then return 300, "completions while typing, of a working day (assumption)", 100, 1000 end
        if f.users and f.use == "code" then return 50, "completions and edits of a working day (assumption)", 10, 300 end
        if f.users then return 5, "an assistant is asked a few times a day (assumption)", 2, 12 end
      end },
    { "day_s", "In how many hours of a day do they ask?", unit = "s", title = "Hours of a day" },
    { "rate_day_s", "In how many hours do the requests of a day come?", unit = "s", title = "Hours of a day" },
    { "passages", "Passages found that a prompt carries?", unit = "", type = "integer", title = "Passages" },
    { "passage_tokens", "Tokens of a passage?", unit = "tok", title = "Tokens of a passage" },
    { "input_tokens", "Tokens of a prompt, history included?", unit = "tok", title = "Prompt", ask = 6,
      propose = function(f)
        if f.seq_len and f.seq_len < SHORT then
          return f.seq_len * PROMPT_FRAC // 1, "three quarters of the context that is said"
        elseif f.seq_len then
          return math.max(1000, f.seq_len * LONG_FRAC // 1), "a quarter of the longest context: few requests fill it (assumption)",
            1000, f.seq_len * PROMPT_FRAC // 1
        end
        if f.passages then
          local found = f.passages * (f.passage_tokens or PASSAGE_TOKENS)
          return 1000 + found, ("%.0f passages of %.0f tokens, a system prompt and a few turns (assumption)"):format(
            f.passages, f.passage_tokens or PASSAGE_TOKENS), 500 + found, math.max(8000, 2000 + found)
        end
        if f.use == "completion" then return 1500, "what is around the cursor (assumption)", 500, 4000 end
        if f.use == "code" then return 2000, "the file and what belongs to it (assumption)", 1000, 8000 end
        return 1000, "a system prompt and a few turns", 500, 2000
      end },
    { "output_tokens", "Tokens of an answer?", unit = "tok", title = "Answer",
      propose = function(f)
        if f.use == "completion" then return 40, "a few lines (assumption)", 10, 100 end
        return 300, "a few paragraphs", 150, 500
      end },
    { "ttft_s", "SLO of the first token, seconds?", unit = "s", title = "SLO first token",
      propose = function(f)
        if f.slo_s and not f.e2e_s then return f.slo_s, "the SLO that is said", nil, nil, true end
        if f.e2e_s then return nil end
        if f.input_tokens <= SHORT then return 1, "people wait a second" end
        return f.input_tokens / READ_TOK_S, "a second for every 4,500 tokens of the prompt: who sends more waits longer (assumption)"
      end },
    { "tpot_s", "SLO of each further token, seconds?", unit = "s", title = "SLO per token", propose = function(f)
      if not f.e2e_s then return 0.05, "20 tokens a second, faster than people read" end
    end },
    { "percentile", "For how many requests in a hundred?", unit = "", title = "Percentile",
      propose = proposals.constant(90, "usual for interactive services") },
    { "slo_s", "SLO of the first token, seconds?", unit = "s", title = "SLO" },
    proposals.prefix, proposals.prefix_said,
    { "seq_len", "Tokens of context at most?", unit = "tok", title = "Context" },
    { "concurrency", "Requests at one time?", unit = "", title = "At one time" },
    { "rate_per_s", "Requests per second in the mean?", unit = "1/s", title = "Mean rate", propose = function(f)
      local rate, why = followed(f)
      if not rate then return paid_rate(f) end
      local range = product.range(rate, load_terms(f)) or {}
      return rate, why, range.low, range.high, true
    end },
    { "peak_ratio", "Peak over the mean?", unit = "", title = "Peak over mean", ask = 5, propose = function(f)
      if f.concurrency then return 1, "so many at one time are the peak" end
      if spread_s(f) then
        local ratio = 86400 / spread_s(f)
        return BUSIEST * ratio, ("24 h over the %s in which they ask, and %g within these (assumption)"):format(n(spread_s(f), "s"), BUSIEST),
          BUSIEST_LOW * ratio, BUSIEST_HIGH * ratio
      end
      return proposals.peak.propose(f)
    end },
    which.fact, proposals.utilization, tables.with(proposals.spares, { propose = function(f)
      if f.devices then return 0.0, "the devices that are said are all there are" end
      return proposals.spares.propose(f)
    end }),
    tables.with(usual_device, { propose = function(f)
      if not f.which then return usual_device.propose(f) end
      local cheapest = llm.cheapest(f)
      if cheapest then return cheapest, "the cheapest fleet that meets the SLO, of " .. which.LISTED end
      return USUAL_DEVICE, "often rented; no fleet of " .. which.LISTED .. " meets the SLO"
    end }), proposals.price, paid_on.fact, proposals.budget_month,
    api_price.facts[1], api_price.facts[2], api_price.facts[3],
    { "weights", "Format of the weights?", type = "string", title = "Weights" },
    proposals.ranks[1], proposals.ranks[2], proposals.ranks[5],
    { "devices", "Devices there are at most?", unit = "", type = "integer", title = "Devices at most" },
  },
}

-- Whether the price is another than the catalog's.
local function is_own_price(f)
  local entry = f:entry("usd_h")
  return entry ~= nil and (entry.given or entry.follows) or not prices.get(catalog.device(f.device).name)
end

-- The mean rate that the fleet is sized for: at the end of the time in which it grows.
local function planned_per_s(f)
  if not f.growth_month_frac then return f.rate_per_s end
  return f.rate_per_s * (1 + f.growth_month_frac) ^ (f.horizon_s / units.months(1))
end

local function question_of(f, shape, devices, gpus)
  return { model = shape, devices = devices, gpus = gpus, terms = f.paid_on,
    engine = f.adapters and { max_loras = f.adapters, max_lora_rank = f.rank } or nil,
    load = { rate_per_s = planned_per_s(f), peak_over_mean = f.peak_ratio, input_tokens = math.tointeger(f.input_tokens // 1),
      output_tokens = math.tointeger(f.output_tokens // 1),
      prefix_tokens = proposals.prefix_tokens(f), shared_tokens = proposals.shared_tokens(f) },
    sla = { ttft_s = f.ttft_s, tpot_s = f.tpot_s, e2e_s = f.e2e_s, percentile = f.percentile },
    max_model_len = f.seq_len and math.tointeger(math.max(f.seq_len, f.input_tokens + f.output_tokens) // 1),
    space = { format = proposals.served_format(f.weights), kv = proposals.served_kv(f.kv), pattern = f.pattern or "aggregated", draft_tokens = f.draft_tokens,
      tp = f.tp, pp = f.pp, ep = f.ep }, utilization_frac = f.utilization_frac,
    spares = math.tointeger(f.spares) }
end

local function size(p, f, shape, how)
  local counted, device = core.params({ model = shape }), catalog.device(f.device)
  p:add("size", "total_params", "Parameters", counted.total_params, "", how)
  local bf16 = core.weights({ params = counted.total_params, bytes_per_param = 2, device_bytes = device.memory_bytes })
  p:add("size", "weights_bytes", "Weights", bf16.weights_bytes, "B", ("%s x 2 bytes in bf16; half of it in fp8"):format(
    n(counted.total_params)))
  local tokens = f.input_tokens + f.output_tokens
  local cache = core.kv_cache({ model = shape, tokens = math.ceil(tokens) })
  p:add("size", "sequence_bytes", "KV cache a request", cache.sequence_bytes, "B", ("%s tokens x %s of keys and values")
    :format(n(tokens), n(cache.sequence_bytes / math.ceil(tokens), "B")),
    { terms = { { name = "tokens", value = tokens, low = f:entry("input_tokens").low and
      (f:entry("input_tokens").low + (f:entry("output_tokens").low or f.output_tokens)), high = f:entry("input_tokens").high
      and (f:entry("input_tokens").high + (f:entry("output_tokens").high or f.output_tokens)) } } })
  return counted
end

local function compute(p, f, counted)
  local device, tokens = catalog.device(f.device), f.input_tokens + f.output_tokens
  local rule = core.request_rule({ params = counted.active_params, tokens = tokens, peak_flop_s = device.bf16_flop_s,
    mfu_frac = RULE_MFU, mem_bw_bytes_s = device.mem_bw_bytes_s })
  p:add("compute", "rule_flop", "A request by rule", rule.flop, "FLOP", ("2 N L = 2 x %s x %s"):format(
    n(counted.active_params), n(tokens, "tok")))
  p:add("compute", "rule_per_s", "A device by rule", rule.per_s, "1/s", ("%s x %s / 2 N L: arithmetic alone"):format(
    n(device.bf16_flop_s, "FLOP/s"), n(RULE_MFU, "frac")))
  p:add("compute", "decode_token_s", "Weights read once", rule.decode_token_s, "s",
    "bytes over bandwidth of one device: the floor of a token in 16 bit; requests of a step share it")
  return rule
end

-- Devices that a fleet of the winner's replicas would have if `name`, the length of prompts or of answers, were `value`,
-- over what it has: capacities and the rate that follows are those of that length.
local function times_devices(f, winner, name, value)
  local other = setmetatable({ [name] = value }, { __index = f })
  local rate = f:is_given("rate_per_s") and f.rate_per_s or followed(other) or f.rate_per_s
  local devices = 0
  for _, group in ipairs(winner.groups) do
    local capacity_per_s = group.candidate:capacity_of({ [name] = value })
    devices = devices + group.replicas * group.candidate.ranks * group.steady.capacity_per_s / capacity_per_s
  end
  return devices / winner.devices * rate / f.rate_per_s
end

-- A length that is not known as a term of the fleet: longer ones take more devices, or fewer where less is then asked at
-- one time.
local function length_term(f, winner, name)
  local entry = f:entry(name)
  if not (entry and entry.low) then return nil end
  local at_low, at_high = times_devices(f, winner, name, entry.low), times_devices(f, winner, name, entry.high)
  return { name = entry.row.title, value = 1, low = math.min(1, at_low, at_high), high = math.max(1, at_low, at_high) }
end

-- Of the fleet's replicas or devices (`name`), what a load within `factor`, a range of how many times as large it may be, would
-- take.
local function load_range(winner, factor, name)
  local least, most = fleet_range.for_load(winner, factor.low), fleet_range.for_load(winner, factor.high)
  return { name = "load", value = winner[name], low = least and math.min(winner[name], least[name]),
    high = most and math.max(winner[name], most[name]), drivers = factor.drivers }
end

-- Counts at an end of a range: whole ones, `each` at a time, `least` of them at least. What rounding leaves is none.
local ROUNDING <const> = 1e-9
local function whole_at(count, each, least)
  return function(factor)
    local groups = count * factor / each
    return math.max(least, each * (factor < 1 and math.floor(groups * (1 + ROUNDING)) or math.ceil(groups * (1 - ROUNDING))))
  end
end

-- Adds the replicas, or the devices, of the fleet. Their range: the counts at either end of the engine's speed, as a search of
-- fleets has them, and those at either end of the load, whose widths add up in squares.
local function add_fleet(p, name, title, how, winner, range, terms, more)
  local factor, each = product.range(1, terms), #winner.groups == 1 and name == "devices" and winner.groups[1].candidate.ranks or 1
  local speed = range and range[name]
  local parts = { factor and load_range(winner, factor, name) or nil }
  if speed and speed.high < math.huge then
    parts[#parts + 1] = { name = "the engine's speed", value = winner[name], low = math.min(winner[name], speed.low),
      high = math.max(winner[name], speed.high) }
  end
  p:add("fleet", name, title, winner[name], "", how, tables.with(more, { basis = "estimated", terms = parts,
    counted = whole_at(winner[name], each, math.min(winner[name], fleet_range.least(winner)[name])) }))
end

local function fleet(p, f, winner, range, rule)
  local group = winner.groups[1]
  local load = load_terms(f)
  load[#load + 1] = f:term("peak_ratio")
  if f.growth_month_frac then
    p:add("fleet", "grown_per_s", "Grown to", planned_per_s(f), "1/s", ("%s x (1 + %s) a month for %s"):format(n(f.rate_per_s, "1/s"),
      n(f.growth_month_frac, "frac"), n(f.horizon_s, "s")), { terms = load, brief = true })
  end
  if spread_s(f) then
    p:add("fleet", "day_per_s", "While they ask", planned_per_s(f) * 86400 / spread_s(f), "1/s", ("%s in the mean x 24 h over %s"):format(
      n(planned_per_s(f), "1/s"), n(spread_s(f), "s")))
  end
  p:add("fleet", "peak_per_s", "Peak", winner.groups[1].candidate.ask.load.rate_per_s, "1/s", ("%s in the mean x %s"):format(
    n(planned_per_s(f), "1/s"), n(f.peak_ratio)), { terms = load })
  p:add("compute", "capacity_per_s", "A device estimated", group.steady.capacity_per_s / group.candidate.ranks, "1/s",
    ("%.2f times the rule, which knows neither the format nor that decode reads weights and caches (%s)"):format(
      group.steady.capacity_per_s / group.candidate.ranks / rule.per_s, words.plan(group.candidate.plan)),
    { basis = "estimated" })
  local terms = table.move(load, 1, #load, 1, {})
  for _, name in ipairs({ "input_tokens", "output_tokens" }) do terms[#terms + 1] = length_term(f, winner, name) end
  add_fleet(p, "replicas", "Replicas", ("peak / (%s of capacity x %s) and %.0f spare: %s"):format(
    n(group.steady.capacity_per_s, "1/s"), n(f.utilization_frac, "frac"), f.spares, words.fleet(winner)), winner, range, terms, {})
  add_fleet(p, "devices", "Devices", ("%.0f replicas of %.0f"):format(winner.replicas, group.candidate.ranks), winner, range,
    terms, { brief = true })
  if range and range.replicas and range.replicas.high == math.huge then
    p.notes[#p.notes + 1] = "The fleet's range is without the engine's speed: " .. fleet_range.NONE .. "."
  end
end

local function slo(p, f, winner, range)
  for _, part in ipairs({ { "ttft", "TTFT", f.ttft_s or false }, { "tpot", "TPOT", f.tpot_s or false }, { "e2e", "Whole answer", f.e2e_s or false } }) do
    local around, seen = range and range[part[1] .. "_s"], winner.seen[part[1]]
    if part[3] or part[1] ~= "e2e" then
      p:add("sanity", "seen_" .. part[1] .. "_s", part[2], seen.at_s, "s", ("P%g, simulated with the spares down%s"):format(
        f.percentile, part[3] and "; the SLO is " .. n(part[3], "s") or ""), { basis = "estimated",
        low = around and around.low, high = around and around.high, brief = true })
    end
  end
end

-- What an API asks for the tokens of a month; nil where no price is said.
local function beside_api(p, f)
  local requests = planned_per_s(f) * units.months(1)
  local usd, how = api_price.bill(f, requests * f.input_tokens, requests * f.output_tokens)
  if usd then p:add("sanity", "api_usd_month", "An API a month", usd, "USD", how, { terms = load_terms(f) }) end
  return usd
end

local function add_levers(p, input, answer, month)
  for _, row in ipairs(levers.run(input, answer).rows) do
    if row.fits and row.saves_frac then
      table.insert(p.levers, { name = row.name, title = row.title .. (row.which and (" (" .. row.which .. ")") or ""),
        saves_frac = row.saves_frac, cost_usd_month = month * (1 - row.saves_frac), costs = row.costs .. same.words(row.same),
        busy_frac = row.same and row.same.own_busy_frac })
    end
  end
end

-- Fewer tokens are those of a text, not of a month's bill.
local LEAST_MONTH <const> = 1e7

-- Words of a latency that is that of the whole answer, and of no first token.
local WHOLE <const> = { "e2e latency", "end%-to%-end latency", "end to end latency", "total latency", "%f[%w]whole answers?%f[%W]", "%f[%w]full answers?%f[%W]",
  "%f[%w]complete answers?%f[%W]", "%f[%w]entire answers?%f[%W]", "%f[%w]whole responses?%f[%W]", "%f[%w]full responses?%f[%W]",
  "%f[%w]complete responses?%f[%W]", "%f[%w]entire responses?%f[%W]" }
local FIRST <const> = { "ttft", "first token", "first%-token" }

local function is_of_whole(text)
  for _, phrase in ipairs(FIRST) do
    if text:find(phrase) then return false end
  end
  for _, phrase in ipairs(WHOLE) do
    if text:find(phrase) then return true end
  end
  return false
end

-- Tokens per second that one user may be shown; all users of a service see more together (assumption).
local MOST_SEEN_TOK_S <const> = 200

-- "30 concurrent users at 40 tokens/s": so few are what each of them sees.
local function as_seen(given)
  local others = given.concurrency or given.users
  local seen = given.output_tokens_per_s or given.tokens_per_s
  -- So many more are those of all who are there at one time.
  if seen and seen > MOST_SEEN_TOK_S and given.concurrency then seen = seen / given.concurrency end
  if not seen or given.output_tokens_per_s and given.tokens_per_s or seen > MOST_SEEN_TOK_S or given.tpot_s or not others or others <= 1 then
    return given
  end
  local changed = tables.with(given, { tpot_s = 1 / seen })
  changed.tokens_per_s, changed.output_tokens_per_s = nil, nil
  return changed
end

-- So many conversations as requests, each with its turns; and its ends, with those of the turns.
local function with_turns(given, name, spans)
  if not given[name] then return nil end
  spans[name] = ends.times(given[name], spans[name], given.turns, spans.turns)
  return given[name] * given.turns
end

-- Words of a bill by the month.
local OF_MONTH <const> = { "%f[%a]monthly%f[%A]", "per month", "a month%f[%A]" }

local function has_load(given) return given.users or given.monthly_users or tables.has_any(given, LOADS) end

-- Words of a context that is in every prompt, and not the most of one.
local OF_CONTEXT <const> = { "tokens of context", "tok of context", "%f[%a]rag%f[%A]", "retriev", "passages" }

-- Words of a model that writes code.
local CODE <const> = { "%f[%a]code models?%f[%A]", "%f[%a]code llms?%f[%A]", "coder model", "%f[%a]code generation%f[%A]", "write code" }

--- Conversations that are counted are so many requests as they have turns. Beside users "4k prompts" are prompts of 4k
--- tokens. Ends of what changes are changed in `spans`.
function llm.given(given, _, text, spans)
  if given.slo_s and not given.e2e_s and text and is_of_whole(text:lower()) then
    given = tables.with(given, { e2e_s = given.slo_s })
    given.slo_s = nil
  end
  if given.items and not given.input_tokens and text and text:lower():find("%dk[%s%-]+prompts?%f[%W]") then
    given = tables.with(given, { input_tokens = math.tointeger(given.items) })
    given.items = nil
  end
  -- "The monthly cost of 3M requests": so many come in a month, where nothing else says how many do.
  if given.items and not has_load(given) and mentions.any(text, OF_MONTH) then
    local seconds = units.months(1)
    given = tables.with(given, { rate_per_s = given.items / seconds })
    spans.rate_per_s = ends.times(given.items, spans.items, 1 / seconds)
    given.items, spans.items = nil, nil
  end
  -- Found passages are in every prompt.
  if given.seq_len and not given.input_tokens and mentions.any(text, OF_CONTEXT) then
    given, spans.input_tokens, spans.seq_len = tables.with(given, { input_tokens = math.tointeger(given.seq_len // 1) }), spans.seq_len, nil
    given.seq_len = nil
  end
  -- "30% headroom" is what replicas are not planned to do.
  if given.spare_frac and given.spare_frac < 1 and not given.utilization_frac then
    given = tables.with(given, { utilization_frac = 1 - given.spare_frac })
    given.spare_frac = nil
  end
  if not given.use and mentions.any(text, CODE) then given = tables.with(given, { use = "code" }) end
  given = as_seen(given)
  -- Tokens read and tokens written by the second: answers of usual length, and prompts that go with them.
  if given.tokens_per_s and given.output_tokens_per_s and not given.rate_per_s then
    local answer = given.output_tokens or vocabulary.ANSWER_TOK
    local rate = given.output_tokens_per_s / answer
    given = tables.with(given, { rate_per_s = rate, output_tokens = answer, input_tokens = given.input_tokens or math.max(1, given.tokens_per_s / rate) })
    given.tokens_per_s, given.output_tokens_per_s = nil, nil
  end
  -- Beside a bill they are those of a month.
  if given.tokens and given.tokens >= LEAST_MONTH and given.budget_usd_month then
    given = tables.with(given, { tokens_month = given.tokens })
    given.tokens = nil
  end
  -- Those of prompts and of answers apart: answers of a length, and prompts that go with them.
  local read, written = given.read_tokens, given.written_tokens
  if read and written and given.budget_usd_month then
    local answer = given.output_tokens or vocabulary.ANSWER_TOK
    given = tables.with(given, { tokens_month = read + written, output_tokens = answer,
      input_tokens = given.input_tokens or math.max(1, math.floor(read / written * answer + 0.5)) })
    given.read_tokens, given.written_tokens = nil, nil
  end
  if given.growth_month_frac and given.time_s and not given.horizon_s then
    given = tables.with(given, { horizon_s = given.time_s })
    given.time_s = nil
  end
  -- A share of the users is active at one time. Where it is said how often they ask, that is the load: who is there reads
  -- and writes, too.
  if given.users and given.active_frac and not (given.interval_s or given.concurrency or given.requests_per_user_day) then
    given = tables.with(given, { concurrency = given.users * given.active_frac })
    given.active_frac = nil
  end
  if not given.turns then return given end
  local changed = {}
  for _, name in ipairs({ "rate_per_s", "requests_per_user_day", "requests_per_user_month" }) do
    changed[name] = with_turns(given, name, spans)
  end
  return tables.with(given, changed)
end

-- Devices that are looked at: those that there are, else what is likely; nil where a search looks at so many itself.
local function room(f, shape, name)
  local rule = core.request_rule({ params = core.params({ model = shape }).active_params, tokens = f.input_tokens + f.output_tokens,
    peak_flop_s = catalog.device(name).bf16_flop_s, mfu_frac = RULE_MFU })
  local likely = math.ceil(ROOM * planned_per_s(f) * f.peak_ratio / rule.per_s)
  return f.devices or likely > open_size.MOST and likely or nil
end

--- The device whose fleet costs least of those that are rented; nil where none meets the SLO.
function llm.cheapest(f)
  local shape, devices, gpus = proposals.decoder(f), {}, nil
  for i, name in ipairs(which.RENTED) do
    devices[i] = { device = name }
    local looked_at = room(f, shape, name)
    gpus = looked_at and math.max(gpus or 0, looked_at) or gpus
  end
  local winner = serve_search.run(question_of(f, shape, devices, gpus)).winner
  return winner and winner.groups[1].candidate.pool.device.name
end

--- The fleet of a question: the answer of serve_search and its input. Devices are as many as it takes.
function llm.fleet(f)
  local shape = proposals.decoder(f)
  local devices = { { device = f.device, price = is_own_price(f) and f.usd_h or nil } }
  local input = question_of(f, shape, devices, room(f, shape, f.device))
  return serve_search.run(input), input, shape
end

-- The most requests whose fleet the money of a month pays, where the rule of thumb was all that was known before the device and
-- the SLO were.
local function refine_paid(f)
  local entry = f:entry("rate_per_s")
  if entry.given or entry.follows then return false end
  local shape, devices = proposals.decoder(f), { { device = f.device, price = is_own_price(f) and f.usd_h or nil } }
  local most = paid.most(f.rate_per_s, function(rate)
    local at = setmetatable({ rate_per_s = rate }, { __index = f })
    local winner = serve_search.run(question_of(at, shape, devices, room(at, shape, f.device))).winner
    return winner and winner.cost_usd_h * MONTH_H
  end, f.budget_usd_month)
  if not most then return false end
  f:refine("rate_per_s", most, ("the most whose cheapest fleet costs %s a month at most, %g times at the peak"):format(n(f.budget_usd_month, "USD"), f.peak_ratio))
  return true
end

--- The five steps.
function llm.steps(p, f)
  local is_paid = refine_paid(f)
  for _, name in ipairs({ "turns", "tokens_month", "growth_month_frac", "horizon_s", "pattern", "adapters", "rank", "draft_tokens", "monthly_users", "requests_per_user_month", "users", "active_frac", "interval_s", "requests_per_user_day", "concurrency", "rate_per_s", "day_s", "rate_day_s", "peak_ratio", "seq_len", "prefix_frac", "prefix_tok", "input_tokens",
    "output_tokens", "ttft_s", "tpot_s", "e2e_s", "tp", "pp", "ep", "device", "usd_h", "budget_usd_month", "usd_mtok", "usd_mtok_input", "usd_mtok_output" }) do
    p:fact(f, name, { brief = name == "rate_per_s" or nil })
  end
  local answer, input, shape = llm.fleet(f)
  local _, how = proposals.decoder(f)
  local counted = size(p, f, shape, f.model and "counted from its shape" or how)
  local rule = compute(p, f, counted)
  if not answer.winner then
    p:contradict("slo", answer.refused)
    p.headline = "no fleet of " .. catalog.device(f.device).name .. " does it: " .. answer.refused
    return
  end
  local winner = answer.winner
  fleet(p, f, winner, answer.range, rule)
  slo(p, f, winner, answer.range)
  local month = winner.cost_usd_h * MONTH_H
  p:add("sanity", "cost_usd_month", "Cost a month", month, "USD", ("%s x %.0f h"):format(n(winner.cost_usd_h, "USD/h"),
    MONTH_H), { basis = "estimated", brief = true, terms = { p:term("devices"), f:term("usd_h") } })
  p:add("sanity", "usd_per_mtok", "Million output tokens", month / (planned_per_s(f) * f.output_tokens * units.months(1)) * 1e6,
    "USD", "cost of a month over the tokens of the mean rate")
  local api_usd = beside_api(p, f)
  add_levers(p, input, answer, month)
  p:keep_budget(month, f.budget_usd_month, "the fleet costs %s a month")
  p.comparable, p.what = answer.comparable, "the tokens per second and device"
  local of_model = f.model or f:is_given("params")
  p.headline = ("%s%s: %s devices%s, %s a month"):format(of_model and "" or ("with a model of %s, as none is named: "):format(n(f.params)), words.fleet(winner), p:said("devices"),
    f.devices and winner.devices < f.devices and (" of the %d that there are"):format(f.devices) or "", p:said("cost_usd_month"))
  if is_paid then
    p.headline = ("%s requests a second in the mean, %s at the peak: %s"):format(n(f.rate_per_s), n(f.rate_per_s * f.peak_ratio), p.headline)
  end
  if f.tokens_month and f.budget_usd_month then
    p.headline = ("%s, and the bill is %s: %s"):format(p.headline, n(f.budget_usd_month, "USD"), month <= f.budget_usd_month and "it is cheaper" or "it is dearer")
  end
  if api_usd then p.headline = p.headline .. ("; the API asks %s for the same"):format(n(api_usd, "USD")) end
  p.main = "cost_usd_month"
end

return llm
