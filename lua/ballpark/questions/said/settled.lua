-- What the facts of a text say of each other, once all of it is read: a rate of each of so many users, a price of prompts beside
-- one of answers, nodes of so many devices. grammar.lua reads the words.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local mentions = require("ballpark.mentions")
local names = require("ballpark.questions.said.names")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")

local settled = {}

local TIMES <const> = vocabulary.TIMES

-- What is done, and comes again where somebody says how often.
local WORK <const> = { "examples", "items", "vectors", "audio_s", "tokens", "written_tokens", "read_tokens", "method", "tuning" }
local ASKED_BY <const> = { "users", "monthly_users", "concurrency", "rate_per_s", "jobs_per_s", "jobs_per_user_day" }

-- "Fine-tune every week on 5k examples": work that comes again so often.
local function settle_period(reader)
  local each, f = reader.period, reader.facts
  if not each or f.period_s or f.every_s then return end
  local is_work, is_asked_for = reader.tuned, false
  for _, name in ipairs(WORK) do is_work = is_work or f[name] ~= nil end
  for _, name in ipairs(ASKED_BY) do is_asked_for = is_asked_for or f[name] ~= nil end
  if is_work and not is_asked_for and not reader.saved then
    reader:say("period_s", each.value, each.text)
    reader.words.period_s = each.text
  elseif each.is_listed then
    reader:list_apart(each.text)
  end
end

-- What a rate may be said of each of.
local OF_EACH <const> = { "users", "concurrency", "replicas" }

-- The count that a rate is said of each of; nil where nobody says how many they are.
local function counted_each(reader)
  if reader.rate_of_device then return reader.facts.devices and "devices" end
  for _, name in ipairs(reader.rate_of_each and OF_EACH or {}) do
    if reader.facts[name] then return name end
  end
end

-- "5 rps each for 12 customers": of all of them.
local function settle_rate_of_each(reader)
  local f, spans = reader.facts, reader.spans
  local what = counted_each(reader)
  local count = what and f[what]
  if not f.rate_per_s then return end
  if not count then
    if reader.rate_of_each or reader.rate_of_device then
      reader:note(("%s are those of each, and nobody says of how many: they are read as those of all (assumption)."):format(units.format(f.rate_per_s, "1/s")))
    end
    return
  end
  reader:note(("%s of each of %g are %s in all."):format(units.format(f.rate_per_s, "1/s"), count, units.format(count * f.rate_per_s, "1/s")))
  reader:multiply("rate_per_s", count, spans[what])
  if reader.rate_of_device then return end
  for _, name in ipairs(OF_EACH) do f[name], spans[name] = nil, nil end
end

-- "4000 tokens per minute each for 50 users": of all of them.
local function settle_tokens_of_each(reader)
  local f, spans, name = reader.facts, reader.spans, reader.tokens_of_each
  if not name or not f[name] then return end
  local what = f.users and "users" or f.concurrency and "concurrency" or f.monthly_users and "monthly_users"
  if not what then
    return reader:note(("%s are those of each, and nobody says of how many: they are read as those of all (assumption)."):format(units.format(f[name], "tok/s")))
  end
  reader:note(("%s of each of %g are %s in all."):format(units.format(f[name], "tok/s"), f[what], units.format(f[what] * f[name], "tok/s")))
  reader:multiply(name, f[what], spans[what])
  f[what], spans[what] = nil, nil
end

-- "4 vectors per user" of so many users.
local function settle_per_user(reader)
  local each, f = reader.per_user, reader.facts
  if not each then return end
  local users = f.users or f.monthly_users
  if not users then return reader:say("vectors", each.value, each.text) end
  reader:note(("%s of each of %s users."):format(each.text, units.format(users, "")))
  f.users, f.monthly_users = nil, nil
  reader:say("vectors", each.value * users, each.text)
end

-- "60 tokens per parameter": of the size that is said.
local function settle_per_param(reader)
  local each, f = reader.tokens_per_param, reader.facts
  if not each or f.tokens then return end
  local params = f.params or f.model and core.params({ model = catalog.model(f.model) }).total_params
  if params then
    reader:say("tokens", each.value * params, each.text)
  else
    reader:list_apart(each.text .. " tokens per parameter")
  end
end

-- Prices of an API for tokens of prompts and of answers. Beside one of them a price of which nobody says whose it is is that of the
-- others; one alone is that of all.
local function settle_api_prices(reader)
  local of, f = reader.api_prices, reader.facts
  if not of then return end
  if f.usd_mtok and not (of.input and of.output) then
    local other = { value = f.usd_mtok, text = reader.words.usd_mtok or ("%g"):format(f.usd_mtok) }
    of, f.usd_mtok = { input = of.input or other, output = of.output or other }, nil
  end
  if of.input and of.output then
    reader:say("usd_mtok_input", of.input.value, of.input.text)
    return reader:say("usd_mtok_output", of.output.value, of.output.text)
  end
  local one = of.input or of.output
  reader:note(("%s USD are said of %s alone, and are read as the price of all tokens (assumption)."):format(one.text, of.input and "prompts" or "answers"))
  reader:say("usd_mtok", one.value, one.text)
end

-- What a count of tasks is said as, of which each takes several requests.
local OF_TASKS <const> = { "rate_per_s", "requests_per_user_day", "items" }

local function settle_tasks(reader)
  local each, f = reader.of_task, reader.facts
  if not each then return end
  for _, name in ipairs(OF_TASKS) do
    if f[name] then
      reader:multiply(name, each.value)
      reader:note(("%s per %s are so many requests for each."):format(each.text, each.task))
      return
    end
  end
  reader:say("items", each.value, each.text)
end

-- A rate is that of each of those who send.
local function settle_senders(reader)
  local senders, f = reader.senders, reader.facts
  if not senders then return end
  if not f.rate_per_s then
    reader:list_apart(senders.text)
    return
  end
  reader:multiply("rate_per_s", senders.value)
  reader:note(("The rate is that of each of %s."):format(senders.text))
end

-- Whether so many nodes, which may be none, hold so many devices, as many each.
local function nodes_hold(nodes, count) return nodes.value > 0 and count % nodes.value == 0 end

-- Nodes that were said without their devices are of eight.
local function settle_nodes(reader)
  local nodes, facts = reader.nodes, reader.facts
  if not nodes then return end
  if facts.devices then
    if not nodes_hold(nodes, facts.devices) then reader:list_apart(nodes.text .. " nodes") end
    return
  end
  reader:note(("%s nodes are %g devices: a node has %d (assumption)."):format(nodes.text, nodes.value * vocabulary.NODE_SIZE, vocabulary.NODE_SIZE))
  reader:say("devices", nodes.value * vocabulary.NODE_SIZE, nodes.text)
end

local WIDE <const> = tables.set({ "bf16", "fp16", "fp32" })

-- A device or a format that is not to be taken, and no other: weights that are not to be quantised are in 16 bit, and which
-- device is taken does not look at it.
local function settle_denied(reader)
  local format = reader.denied.weights
  if format and not reader.facts.weights and not WIDE[format] then reader:say("weights", "bf16", "not " .. format) end
  -- Who wants no adapters trains all weights; who wants them beside no narrow ones takes wide ones.
  local method = reader.denied.method
  if method and not reader.facts.method then reader:say("method", method == "qlora" and "lora" or "full", "not " .. method) end
  for _, what in ipairs(tables.sorted_keys(reader.denied)) do
    if not reader.facts[what] then reader:list_apart("not " .. reader.denied[what]) end
  end
end

-- Says one fact as another, `of` its value and its ends.
local function restate(reader, from, to, of)
  local f, spans, words = reader.facts, reader.spans, reader.words
  local ends = spans[from]
  if ends then spans[to] = { low = math.min(of(ends.low), of(ends.high)), high = math.max(of(ends.low), of(ends.high)) } end
  f[to], words[to] = of(f[from]), words[from]
  f[from], spans[from] = nil, nil
  reader.order[#reader.order + 1] = to
end

-- The rate of all who are there, of each of whom the fact `name` says `per_s` a second as a share of it.
local function say_of_all_there(reader, name, per_s)
  local f, spans, text = reader.facts, reader.spans, reader.words[name]
  reader:multiply(name, per_s)
  reader:multiply(name, f.concurrency, spans.concurrency)
  local rate, around = f[name], spans[name]
  f[name], spans[name] = nil, nil
  reader:say("rate_per_s", rate, text)
  spans.rate_per_s = around
  reader.words.concurrency = nil -- they are in the rate
  reader:note(("'%s' of each of %.0f at one time are %.3g a second."):format(text, f.concurrency, f.rate_per_s))
end

-- "100 concurrent users, each 2 requests per minute": the rate of those who are there at one time.
local function settle_at_once(reader)
  local f, each_per_s = reader.facts, reader.each_per_s
  if not each_per_s or not f.concurrency or f.users or f.monthly_users or f.rate_per_s then return end
  say_of_all_there(reader, "requests_per_user_day", each_per_s / f.requests_per_user_day)
end

-- Words of what is there at one time.
local AT_ONCE <const> = { "at the same time", "%f[%a]at once", "simultaneous", "at one time", "concurrently" }

-- "200 people hit it at the same time": those are there at one time, where nothing else says how many ask.
local function settle_together(reader, text)
  local f = reader.facts
  if not reader.lenient or not f.users or f.concurrency or f.rate_per_s or f.requests_per_user_day or f.active_frac or f.interval_s then return end
  if not mentions.any(text, AT_ONCE) then return end
  f.concurrency, f.users = f.users, nil
  reader.words.concurrency = reader.words.users
  reader.order[#reader.order + 1] = "concurrency"
end

-- Who thinks between an answer and the next request is there all the time.
local function settle_thinking(reader)
  local f = reader.facts
  if not reader.has_thinkers or not f.users or f.concurrency or f.active_frac then return end
  restate(reader, "users", "concurrency", function(count) return count end)
end

-- Says that each of those who ask does so once in so many seconds, of(fact): from one request to the next, the answer included. Of those
-- who are there at one time that is a rate, and their peak.
local function say_cycle(reader, from, of)
  local f = reader.facts
  if not f.concurrency or f.users or f.active_frac then return restate(reader, from, "interval_s", of) end
  if from ~= "rate_per_s" then restate(reader, from, "rate_per_s", function(value) return 1 / of(value) end) end
  reader:multiply("rate_per_s", f.concurrency, reader.spans.concurrency)
  reader.words.concurrency = nil -- they are in the rate
  reader:note(("Each of %.0f at one time asks so often: %.3g a second."):format(f.concurrency, f.rate_per_s))
end

-- What each of the users asks: so many seconds from one request to the next. "One question a minute" is that of each where a share of them is
-- active, or where they are counted and have time to write it; "every 30 seconds" of any that are counted.
local function settle_active(reader)
  local f, one = reader.facts, reader.single_rate
  if f.interval_s then return end
  if f.every_s and f.monthly_users and not f.users and not f.requests_per_user_day then
    reader.each_period_s = f.every_s
    restate(reader, "every_s", "requests_per_user_day", function(seconds) return TIMES.day / seconds end)
  elseif f.every_s and (f.active_frac or (f.users or f.concurrency) and not f.rate_per_s) then
    say_cycle(reader, "every_s", function(seconds) return seconds end)
  elseif one and f.rate_per_s == one.per_s and (f.active_frac or f.users or f.concurrency) then
    say_cycle(reader, "rate_per_s", function(per_s) return 1 / per_s end)
  end
end

-- Requests of one person in a day or longer, in an hour and in a minute, at most, and people over them: fewer are those of
-- all together.
local MOST_A_DAY <const>, MOST_AN_HOUR <const>, MOST_A_MINUTE <const>, LEAST_USERS_OVER <const> = 200, 60, 6, 10

local function most_of_one(seconds)
  if seconds >= TIMES.day then return MOST_A_DAY end
  return seconds >= TIMES.hour and MOST_AN_HOUR or seconds >= TIMES.minute and MOST_A_MINUTE or 0
end

-- "10k users, 3 sessions a week", "5000 concurrent users sending 2 requests per minute": hardly anybody has users who do
-- nothing, so they are those of each; of those who are there, where they come in an hour or a minute.
local function settle_each(reader)
  local f, few = reader.facts, reader.few_rate
  if not few or f.rate_per_s ~= few.per_s or f.requests_per_user_day or f.interval_s then return end
  local there = few.seconds < TIMES.day and (f.concurrency or f.users and f.active_frac and f.users * f.active_frac)
  local people = there or f.users or f.monthly_users
  if not people or few.count > most_of_one(few.seconds) or people < LEAST_USERS_OVER * few.count then return end
  local text = reader.words.rate_per_s
  if there and f.concurrency then return say_of_all_there(reader, "rate_per_s", 1) end
  if few.seconds >= TIMES.day then
    restate(reader, "rate_per_s", "requests_per_user_day", function(per_s) return per_s * TIMES.day end)
    reader.each_period_s = few.seconds
  else
    restate(reader, "rate_per_s", "interval_s", function(per_s) return 1 / per_s end)
  end
  reader:note(("'%s' are read as those of each user (assumption)."):format(text))
end

-- "20 requests per user per month" beside users of a month: those of each of them, on whichever days they come.
local function settle_of_month(reader)
  local f, period_s = reader.facts, reader.each_period_s
  if not f.monthly_users or not f.requests_per_user_day or not period_s or period_s <= TIMES.day then return end
  restate(reader, "requests_per_user_day", "requests_per_user_month", function(day) return day * TIMES.month / TIMES.day end)
end

-- "200k requests a day between 8 and 20": hours in which those of a whole day come, where "5 per second" is said of these hours.
local function settle_day(reader)
  local f = reader.facts
  if f.day_s and f.rate_per_s and reader.rate_of_days then restate(reader, "day_s", "rate_day_s", function(day_s) return day_s end) end
end

-- "600 rps on L4 at peak": whatever stands between, a rate that is said once is that of the peak; that of a whole day is none.
local AT_PEAK <const> = { "at peak%f[^%w]", "at the peak%f[^%w]", "peak traffic", "peak load", "peak rate", "in peak hours", "during peak hours", "at peak hours", "peak qps", "peak rps", "peak time" }

-- A peak is at most so many times the mean where no unit says that it is a rate (assumption).
local MOST_FACTOR <const> = 20

-- "20 rps, peak 60" is a rate in the unit of the mean, and "peak 3" below the mean how many times that is; so is "peak 60" of the
-- requests of a day one of a second.
local function settle_bare_rates(reader)
  local f, peak, mean = reader.facts, reader.bare_peak, reader.bare_mean
  local unit = reader.rate_unit or 1
  if mean and f.rate_per_s and reader.is_peak then
    f.peak_ratio, f.rate_per_s, reader.is_peak = f.rate_per_s * unit / mean.value, mean.value / unit, nil
  elseif mean then
    reader:list_apart(mean.text)
  end
  if not peak then return end
  local rate = f.rate_per_s
  if rate and peak.value >= rate * unit then
    reader:say("peak_ratio", peak.value / unit / rate, peak.text)
  elseif rate and reader.rate_of_days and peak.value > MOST_FACTOR and peak.value >= rate then
    reader:note(("The peak of '%s' is read as so many a second (assumption)."):format(peak.text))
    reader:say("peak_ratio", peak.value / rate, peak.text)
  elseif peak.value <= MOST_FACTOR and peak.value >= 1 then
    reader:say("peak_ratio", peak.value, peak.text)
  else
    reader:list_apart(peak.text)
  end
end

-- "64 H100 with 4 spare GPUs": the share of them that is there beside them.
local function settle_spares(reader)
  local spare, count = reader.spare_devices, reader.facts.devices
  if not spare then return end
  if not count or spare.value > count then return reader:list_apart(spare.text .. " spare") end
  reader:say("spare_frac", spare.value / count, spare.text)
end

-- Hours of a day with its higher rate, where nobody says how many (assumption), and of a whole day.
local USUAL_HOURS <const>, HOURS <const> = 12, 24

-- "40 rps from 9 to 5 and 5 rps at night": the higher is the peak, their mean that of a day.
local function settle_parts(reader)
  local f, other = reader.facts, reader.part_rate
  if not other then return end
  if not f.rate_per_s then return reader:say("rate_per_s", other.value, other.text) end
  local high, low = math.max(f.rate_per_s, other.value), math.min(f.rate_per_s, other.value)
  local hours = f.day_s and f.day_s / TIMES.hour or USUAL_HOURS
  local mean = (high * hours + low * (HOURS - hours)) / HOURS
  f.rate_per_s = mean
  if not f.peak_ratio then reader:say("peak_ratio", high / mean, other.text) end
  f.day_s = nil
  reader:note(("Two rates of a day are read as %s for %g hours, which is the peak, and %s else (assumption)."):format(units.format(high, "1/s"), hours, units.format(low, "1/s")))
end

local function settle_peak(reader, text)
  local f = reader.facts
  -- Tokens a second of devices that are there are how fast those are.
  local is_load = f.rate_per_s or (f.tokens_per_s or f.output_tokens_per_s) and not (f.devices or reader.tuned)
  if not is_load or f.peak_ratio or reader.rate_of_days or reader.trained or not (reader.is_peak_of_tokens or mentions.any(text, AT_PEAK)) then return end
  reader:say("peak_ratio", 1, "peak")
end

-- "30 jobs a day each, on 8 H100": where nobody is counted who starts them, they are all jobs; "40 people, 3 jobs a day, each takes
-- 8 hours": so few are those of each of them.
local function settle_jobs(reader)
  local f, few, people = reader.facts, reader.few_jobs, reader.facts.users or reader.facts.monthly_users
  if reader.each_behind and f.jobs_per_user_day and not (people or f.concurrency) then
    restate(reader, "jobs_per_user_day", "jobs_per_s", function(day) return day / TIMES.day end)
  end
  if not (few and people and f.jobs_per_s) or few.count > most_of_one(few.seconds) or people < LEAST_USERS_OVER * few.count then return end
  reader:note(("'%s' are read as those of each of them (assumption)."):format(reader.words.jobs_per_s))
  restate(reader, "jobs_per_s", "jobs_per_user_day", function(per_s) return per_s * TIMES.day end)
end

-- "Train a 350M model on my RTX 3090": a card of one's own is one, where its number is not said.
local function settle_own_card(reader)
  local f = reader.facts
  if not (reader.trained and reader.own_card and reader.own_card == f.device) or f.devices or f.own_devices or reader.nodes then return end
  reader:note(("%s of one's own is read as one device."):format(f.device))
  f.devices, reader.words.devices = 1, reader.words.device
  reader.order[#reader.order + 1] = "devices"
end

-- Tokens of a question behind what all prompts begin with, where nobody says how long it is, and between how many (assumption).
local QUESTION_TOK <const>, LEAST_QUESTION <const>, MOST_QUESTION <const> = 300, 50, 2000

-- Words of what is asked behind what all prompts begin with.
local SYSTEM <const> = { "system prompt" }
local ASKED_BEHIND <const> = { "question", "user mess", "user prompt", "user input", "quer[iy]", "%+", "plus" }

-- What prompts begin with is a part of them: of a whole that is said ("6k prompts, 4k of them shared"), else before what is
-- asked ("a 2k system prompt, 300 token questions").
local function settle_beginning(reader, text)
  local f, system, spans = reader.facts, reader.system, reader.spans
  if system and not f.prefix_tok and not f.prefix_frac then
    reader:say("prefix_tok", system.value, system.text)
    reader.words.prefix_tok = system.text .. " of the system prompt"
    reader:note("The system prompt is the same in all requests: a prefix cache has it (assumption).")
  end
  local begins = system and system.value or f.prefix_tok
  if not begins or f.items and not f.input_tokens then return end
  if not f.input_tokens then
    reader:say("input_tokens", begins + QUESTION_TOK, (system or {}).text or "prefix")
    spans.input_tokens = { low = begins + LEAST_QUESTION, high = begins + MOST_QUESTION,
      why = ("%g tokens that all begin with, and a question (assumption)"):format(begins) }
  elseif mentions.any(text, SYSTEM) and (begins >= f.input_tokens or system and mentions.any(text, ASKED_BEHIND)) then
    reader:note(("%g tokens that all begin with, and %g of each, are %g."):format(begins, f.input_tokens, begins + f.input_tokens))
    f.input_tokens = begins + f.input_tokens
    if spans.input_tokens then spans.input_tokens = { low = begins + spans.input_tokens.low, high = begins + spans.input_tokens.high } end
  end
end

-- More tokens a second are those of all readers (assumption).
local FASTEST_EACH <const> = 150

-- "3 requests a minute, at least 30 tok/s": where the load is said otherwise, a speed is what each reader sees.
local function settle_speed(reader)
  local f, speed = reader.facts, reader.facts.tokens_per_s or reader.facts.output_tokens_per_s
  if not speed or speed > FASTEST_EACH or f.tpot_s or reader.trained or reader.tuned then return end
  if not (f.rate_per_s or f.users or f.monthly_users or f.requests_per_user_day or (f.concurrency or 0) > 1) then return end
  local name = f.tokens_per_s and "tokens_per_s" or "output_tokens_per_s"
  local text = reader.words[name] or ("%g"):format(speed)
  restate(reader, name, "tpot_s", function(per_s) return 1 / per_s end)
  reader:note(("'%s' are read as what each reader sees (assumption)."):format(text))
end

-- Answers as long as what is asked.
local function settle_as_long(reader, text)
  local f = reader.facts
  if not f.input_tokens or f.output_tokens or not mentions.any(text, vocabulary.AS_LONG) then return end
  reader:say("output_tokens", f.input_tokens, "as long")
end

-- Tokens of prompts for each of answers, beside the length of one of them, or of an answer that is usual.
local function settle_ratio(reader)
  local f, ratio = reader.facts, reader.input_per_output
  if not ratio or reader.trained or reader.tuned or f.input_tokens and f.output_tokens then return end
  if f.input_tokens then return reader:say("output_tokens", math.max(1, math.floor(f.input_tokens / ratio + 0.5)), "input to output") end
  if not f.output_tokens then reader:note(("%.3g tokens of prompts for each of answers: read as answers of %d (assumption)."):format(ratio, vocabulary.ANSWER_TOK)) end
  reader:say("input_tokens", math.max(1, math.floor(ratio * (f.output_tokens or vocabulary.ANSWER_TOK) + 0.5)), "input to output")
  if not f.output_tokens then reader:say("output_tokens", vocabulary.ANSWER_TOK, "input to output") end
end

-- Devices of each machine that were said apart from the machines: "8 GPUs per node, 4 nodes".
local function settle_node_size(reader)
  local nodes, each = reader.nodes, reader.node_size
  if not each or reader.facts.devices then return end
  reader.nodes = nil
  local count = nodes and nodes.value or 1
  if nodes then reader:note(("%s of %g devices are %g devices."):format(nodes.text, each.value, count * each.value)) end
  reader:say("devices", count * each.value, each.text)
end

-- "on a CPU", "without a GPU": a desktop of today, where no device is said.
local function settle_processor(reader)
  for _, item in ipairs(reader.beside) do -- "ddr4 vs ddr5"
    if item.host_bus and not reader.facts.device then
      reader.on_processor, item.device, item.host_bus = true, vocabulary.DESKTOPS[item.host_bus], nil
    end
  end
  if not reader.on_processor or reader.facts.device then return end
  local name = vocabulary.DESKTOPS[reader.facts.host_bus or ""] or vocabulary.DESKTOP
  reader:say("device", name, "cpu")
  reader:note(("A CPU is read as a %s, a desktop (assumption)."):format(name))
end

-- Cards of a laptop have the names of those of desktops, and are slower.
local function settle_laptop(reader)
  local f = reader.facts
  local card = f.device and catalog.device(f.device)
  local of_laptop = card and devices.resolve(card.name .. "-Laptop")
  if not of_laptop then return end
  f.device = of_laptop
  reader:note(("The %s of a laptop is read as %s."):format(card.name, of_laptop))
end

-- A computer that is called by its name: the first of its chips that comes with the memory that is said.
local function settle_computer(reader)
  local f, word = reader.facts, reader.computer
  if word == "laptop" then settle_laptop(reader) end
  if not word or f.device then return end
  local bytes, chips = f.memory_bytes or f.host_memory_bytes, vocabulary.COMPUTERS[word]
  local chosen = chips[1]
  for _, chip in ipairs(chips) do
    if bytes and devices.resolve(("%s-%.0fgb"):format(chip, bytes / 1e9)) then
      chosen = chip
      break
    end
  end
  local name = devices.resolve(chosen)
  reader:say("device", name, word)
  reader:note(("A %s is read as one with the %s (assumption)."):format(word:gsub("%-", " "), name))
end

-- A family of models: the one of the size that stands elsewhere, else the model that is usual of it; refused where there is none.
local function settle_writers(reader)
  local said, params = reader.writers, reader.facts.params
  if not said or reader.facts.model or reader.closed then return end
  local usual = params and names.of_family(said.word, ("%gb"):format(params / 1e9)) or vocabulary.WRITERS[said.word]
  if params and usual == vocabulary.WRITERS[said.word] then return end -- of no such size
  if usual == true then names.check_writers(said.word) end
  reader:say("model", usual, said.word)
  reader:note(("'%s' is read as %s (assumption)."):format(said.word, usual))
  table.remove(reader.unread, said.at)
end

-- A model whose shape nobody publishes: what is said beside it stands for it.
local function settle_closed(reader)
  if not reader.closed then return end
  local is_open = not (reader.facts.model or reader.facts.params)
  if is_open and reader.is_about_money then
    errors.input("'" .. reader.closed .. "'", "is sold by its vendor alone, whose prices move and are not in the catalog; what a model of one's own "
      .. "costs is answered of an open one, as 'llama-3.1-70b', with the API's price beside it, as 'against 0.6 USD per million tokens'")
  end
  if is_open then names.check_unknown(reader.closed) end
  reader:note(("The shape of '%s' is not published: the estimate is of what is said beside it."):format(reader.closed))
end

-- Parameters that a token meets over all, of models of experts: between those of Kimi K2 and of Mixtral (3 and 28 %).
local ACTIVE_FRAC <const>, LEAST_ACTIVE <const>, MOST_ACTIVE <const> = 0.1, 0.03, 0.28

-- "a 1.8T MoE": how many of its parameters a token meets, where nobody says.
local function settle_experts(reader)
  local f = reader.facts
  if not reader.has_experts or not f.params or f.active_params or f.model then return end
  reader:say("active_params", ACTIVE_FRAC * f.params, "moe")
  reader.spans.active_params = { low = LEAST_ACTIVE * f.params, high = MOST_ACTIVE * f.params,
    why = "a tenth of all (assumption: 3 % of Kimi K2 to 28 % of Mixtral)" }
end

-- "by Friday", where no other time is said.
local function settle_weekday(reader)
  local day, f = reader.weekday, reader.facts
  if not day or f.time_s or f.within_s then return end
  reader:note(("%s: at most %d days, as the date of today is not known (assumption)."):format((day.word:gsub("^%l", string.upper)),
    vocabulary.WEEKDAY_DAYS))
  reader:say("time_s", vocabulary.WEEKDAY_DAYS * 86400.0, day.text)
  reader.words.time_s = "by " .. day.text
end

-- Words by which the link between cards is asked about.
local BRIDGES <const> = { "need [%a ]*nvlink", "nvlink [%a ]*worth", "worth [%a ]*nvlink", "nvlink [%a ]*matter", "nvlink [%a ]*help", "without [%a ]*nvlink", "nvlink vs", "nvlink or",
  "vs%.? nvlink", "or nvlink", "pcie vs", "does nvlink", "nvlink bridge" }

-- "Do I need NVLink for 2x 3090": the card with a bridge beside the one without, where there is such a card.
local function settle_bridge(reader, text)
  local f = reader.facts
  if not reader.lenient or reader.beside[1] or not f.device or not mentions.any(text, BRIDGES) then return end
  local bridged = devices.resolve(catalog.device(f.device).name .. "-NVLink")
  if not bridged then
    errors.input("ask", "does not compare links between the devices of one machine, of this device: its catalog has them as they are sold")
  end
  reader.beside[1] = { device = bridged, devices = f.devices or 2 }
  f.devices = f.devices or 2
  for i = #reader.unread, 1, -1 do
    if reader.unread[i].text:lower():find("nvlink", 1, true) then table.remove(reader.unread, i) end
  end
end

-- Words by which it is asked what drafts are good for.
local GAINS <const> = { "speed%-?%s?up", "how much faster", "worth", "gain", "faster with", "does spec", "help" }

-- "Speculative decoding, speed-up?": with drafts and without, of one client where nobody says how many.
local function settle_drafts(reader, text)
  local f = reader.facts
  if not reader.lenient or not f.draft_tokens or reader.beside[1] or not mentions.any(text, GAINS) then return end
  reader.beside[1] = { no_drafts = "asked" }
  f.concurrency = f.concurrency or 1
  for i = #reader.unread, 1, -1 do
    if mentions.any(reader.unread[i].text, GAINS) then table.remove(reader.unread, i) end
  end
end

-- "double the traffic of 20 per second": what a factor changes is said beside it.
local function settle_factors(reader)
  for _, name in ipairs(tables.sorted_keys(reader.factors)) do
    local value = reader.facts[name]
    if type(value) == "number" then
      reader:note(("%g times %s are %s."):format(reader.factors[name], units.format(value, ""), units.format(
        value * reader.factors[name], "")))
      reader:multiply(name, reader.factors[name])
      reader.factors[name] = nil
    end
  end
end

--- Settles what was read, in this order: what stands first may make facts that the rest looks at.
---@param reader table as said/reader.lua makes it, at the end of its text
---@param text string as it was read
function settled.all(reader, text)
  settle_period(reader)
  settle_per_param(reader)
  settle_rate_of_each(reader)
  settle_tokens_of_each(reader)
  settle_per_user(reader)
  settle_api_prices(reader)
  settle_tasks(reader)
  settle_senders(reader)
  settle_node_size(reader)
  settle_nodes(reader)
  settle_own_card(reader)
  settle_spares(reader)
  settle_denied(reader)
  settle_at_once(reader)
  settle_together(reader, text)
  settle_thinking(reader)
  settle_active(reader)
  settle_each(reader)
  settle_of_month(reader)
  settle_day(reader)
  settle_parts(reader)
  settle_bare_rates(reader)
  settle_peak(reader, text)
  settle_jobs(reader)
  settle_speed(reader)
  settle_beginning(reader, text)
  settle_ratio(reader)
  settle_as_long(reader, text)
  settle_computer(reader)
  settle_processor(reader)
  settle_writers(reader)
  settle_closed(reader)
  settle_experts(reader)
  settle_weekday(reader)
  settle_bridge(reader, text)
  settle_drafts(reader, text)
  settle_factors(reader)
end

return settled
