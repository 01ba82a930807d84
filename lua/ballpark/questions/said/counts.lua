-- What a number counts, by the words beside it.
local currencies = require("ballpark.catalog.currencies")
local errors = require("ballpark.errors")
local devices = require("ballpark.catalog.devices")
local labels = require("ballpark.questions.said.labels")
local names = require("ballpark.questions.said.names")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")

local counts = {}

local NOUNS <const>, TIMES <const>, BYTES <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.BYTES
local NAMED <const>, TIME_OF <const>, FORMATS <const> = vocabulary.NAMED, vocabulary.TIME_OF, vocabulary.FORMATS
local SIZES <const>, LENGTH_OF <const> = vocabulary.SIZES, vocabulary.LENGTH_OF

-- Words between things, which never belong to a noun.
local LINKING <const> = tables.set(require("ballpark.questions.said.plain_words").linking)

local DAY_S <const> = 86400
-- Batches of fewer are counted in sequences (assumption).
local LEAST_BATCH_TOK <const> = 100000
-- More tokens than a text has.
local LONGEST_TEXT <const> = 1e7
-- Names of a number stand so many words before it at most.
local NAME_BEFORE <const> = 4

-- "in a day" and "in 5 days" behind a count are a time; "1000 in, 200 out" are lengths.
local function is_time_behind(reader, at)
  if reader:is_cut(at + 1) then return false end
  local article = reader:word(at + 1) == "a" or reader:word(at + 1) == "an"
  return (article or reader:number(at + 1) ~= nil) and TIMES[reader:word(at + 2) or ""] ~= nil
end

-- Whose length a number behind "of" is: "prompts of 3k tokens", "answers of 150".
local function length_of(reader) return reader:word(-1) == "of" and LENGTH_OF[reader:word(-2) or ""] end

-- More tokens than one text, and more than one answer has.
local MOST_LENGTH <const>, MOST_ANSWER <const> = 1e6, 65536
local BEFORE_LENGTH <const> = tables.set({ "of", "with", "at", "about", "around", "roughly", "approximately", "averaging", "average",
  "each", "is", "are", "has", "have", "having", "mean", "long", "length" })
local MOST_BEFORE_LENGTH <const> = 3
local A_TIME <const> = tables.set({ "a", "an", "per", "/", "and", "each", "every" })

-- The same of so many tokens, over other words: "rows with 800 tokens", "pairs, each of about 500 tokens".
local function length_of_tokens(reader, value)
  if value > MOST_LENGTH then return nil end
  local offset = -1
  while offset >= -MOST_BEFORE_LENGTH and BEFORE_LENGTH[reader:word(offset) or ""] do offset = offset - 1 end
  if offset == -1 and (reader:is_cut(0) or reader.at - 1 < reader.free) then return nil end
  -- "40 prompts a day of 600 tokens", "10 questions per user and day of 300 tokens".
  while offset < -1 and A_TIME[reader:word(offset - 1) or ""] and (TIMES[reader:word(offset) or ""] or vocabulary.READERS[reader:word(offset) or ""]
    or vocabulary.TASKS[reader:word(offset) or ""]) do
    offset = offset - 2
  end
  local word = reader:word(offset)
  return LENGTH_OF[word or ""] or word ~= nil and word == reader.thing and "input_tokens" or nil
end

-- The same where it stands behind: "500-token answers", but "500 tokens, answers of 200".
local function length_behind(reader, value, at, is_adjective)
  if value > MOST_LENGTH or reader:is_cut(at) or not is_adjective and BEFORE_LENGTH[reader:word(at + 1) or ""] then return nil end
  return LENGTH_OF[reader:word(at) or ""]
end

-- Words before tokens that are written, that a model reads, and what may stand between.
local WRITES <const> = tables.set({ "generate", "generates", "generating", "generated", "generation", "produce", "produces", "producing",
  "write", "writes", "writing", "output", "outputs", "decode", "decodes", "decoding", "emit", "emits", "sample", "sampling",
  "synthesize", "synthesise" })
local READS <const> = tables.set({ "inference", "infer", "process", "processes", "processing", "score", "scoring" })
local WORK_LINKS <const> = tables.set({ "of", "on", "over", "for", "about", "around", "roughly", "up", "to", "total", "a", "the", "another" })
local MOST_WORK_LINKS <const>, WRITTEN_BEFORE <const> = 3, 7

-- "Generate 2M descriptions of 150 tokens": what is counted is written.
local function is_of_written(reader)
  if reader:word(-1) ~= "of" then return false end
  for offset = -2, -WRITTEN_BEFORE, -1 do
    if WRITES[reader:word(offset) or ""] then return true end
    if reader:is_cut(offset) then return false end
  end
  return false
end

-- What tokens of offline work are: all that is written, or all that is read; fewer are an answer or a prompt.
local function work_of(reader, value, at)
  if reader.trained or reader.tuned then return nil end
  local offset = -1
  while offset >= -MOST_WORK_LINKS and WORK_LINKS[reader:word(offset) or ""] and not reader:is_cut(offset + 1) do offset = offset - 1 end
  local before, behind = not reader:is_cut(offset + 1) and reader:word(offset) or "", reader:word(at) or ""
  local further, kind = reader:word(at + 1) or "", reader:word(at - 2)
  if WRITES[before] or kind == "generated" or kind == "synthetic" or behind == "generated" or behind == "written" or behind == "to" and WRITES[further]
    or behind == "of" and (further == "synthetic" or further == "output") then
    return value <= MOST_ANSWER and "output_tokens" or "written_tokens"
  end
  if is_of_written(reader) and value <= MOST_ANSWER then return "output_tokens" end
  if READS[before] or before == "run" and behind == "through" then return value <= MOST_ANSWER and "input_tokens" or "read_tokens" end
end

-- "Reports of 20k tokens to 1k tokens each", "into 500 tokens": what becomes of a text.
local function becomes(reader, value)
  local before = reader:word(-1)
  if before == "into" then return true end
  return (before == "to" or before == "down") and reader.facts.input_tokens ~= nil and not reader.facts.output_tokens and value <= MOST_ANSWER
end

-- Words behind a length that say which one it is.
local DIRECTIONS <const> = tables.set({ "in", "input", "prompt", "out", "output", "answer", "context", "ctx" })

-- "output tokens per second", "tokens/s of output", "tokens/s decode": tokens that are written; how many words say it behind.
local function written_behind(reader, noun_end, at)
  local before, word = reader:word(noun_end - 2), not reader:is_cut(at) and reader:word(at) or nil
  if WRITES[before or ""] then return 0 end
  if word == "of" and WRITES[reader:word(at + 1) or ""] then return 2 end
  return WRITES[word or ""] and not reader:number(at + 1) and 1 or nil
end

-- What a count of tokens is: a speed, a length or those of the whole run.
local function read_tokens(reader, value, text, at)
  local of_param = reader:is_per(at) and NOUNS[reader:word(at + 1) or ""] == "params"
  if of_param then
    reader.tokens_per_param = { value = value, text = text }
    return at + 2
  end
  local seconds, used = reader:per(at)
  if seconds and length_of(reader) then
    -- "texts of 512 tokens per second": what comes by the second are texts.
    reader:say(length_of(reader), value, text)
    return at + used
  elseif seconds then
    local each = reader:per_reader(at + used) or seconds == 1 and reader:is_of_each() and 0
    if each then
      reader:say("tpot_s", seconds / value, text)
      return at + used + each
    end
    local behind = reader:per_device(at + used)
    local written = not behind and written_behind(reader, at, at + used)
    reader:say(behind and "tokens_per_s_device" or written and "output_tokens_per_s" or "tokens_per_s", value / seconds, text)
    return at + used + (behind or written or 0)
  end
  local per_device = reader:per_device(at)
  local word = not reader:is_cut(at) and reader:word(at) or nil
  -- "4M tokens batch", "4M tokens per step" are those of a step.
  local link = word == "per" or word == "/" or word == "a" or word == "in"
  local unit = link and reader:word(at + (reader:word(at + 1) == "a" and 2 or 1)) or word
  if value >= LEAST_BATCH_TOK and (unit == "batch" or link and unit == "step") and not (NAMED[word or ""] and labels.heads(reader, at)) then
    reader:say("batch_tokens", value, text)
    return at + (not link and 1 or reader:word(at + 1) == "a" and 3 or 2)
  end
  local adjective = reader:word(at - 1) == "token" or reader:word(at - 1) == "tok"
  local of = adjective and length_behind(reader, value, at, true)
  if of then
    reader:say(of, value, text)
    return at + 1
  end
  of = length_of_tokens(reader, value) or becomes(reader, value) and "output_tokens"
    or word == "each" and value < LONGEST_TEXT and "input_tokens"
  local work = not of and work_of(reader, value, at)
  if of or work then
    reader:say(of or work, value, text)
    return at
  elseif reader:word(-1) == "at" and value <= MOST_LENGTH and not DIRECTIONS[word or ""] then
    reader:say("seq_len", value, text)
    return at
  elseif length_behind(reader, value, at) then
    reader:say(length_behind(reader, value, at), value, text)
    return at + 1
  elseif value <= LONGEST_TEXT and (word == "context" or word == "ctx") or word == "of" and reader:word(at + 1) == "context" then
    reader:say("seq_len", value, text)
    return at + (word == "of" and 2 or 1)
  elseif word == "in" and value < LONGEST_TEXT and not is_time_behind(reader, at) and not (vocabulary.FORMATS[reader:word(at + 1) or ""] and not reader:is_cut(at + 1))
    or word == "input" or word == "prompt" then
    reader:say("input_tokens", value, text)
    return at + 1
  elseif word == "out" or word == "output" or word == "answer" then
    reader:say("output_tokens", value, text)
    return at + 1
  elseif per_device then
    errors.input("'" .. text .. "'", "tokens of a device: per second, or in all?")
  end
  reader:say("tokens", value, text)
  return at
end

local DOLLARS <const> = tables.set({ "$", "usd", "dollar", "dollars", "bucks" })

-- US dollars of a unit of the currency that a word names; nil where it names none.
local function currency(word)
  if not word then return nil end
  return DOLLARS[word] and 1 or currencies[word] or word:find("^euros?$") and currencies.eur or nil
end

-- Words before a sum that is to be saved, and before one that a bill is to come down to.
local SAVED <const> = tables.set({ "cut", "save", "saves", "saving", "by" })
local CUT_TO <const> = tables.set({ "to", "under", "below" })

-- "per million tokens", "/ 1M tokens", "per Mtok": how many words.
local function per_million_tokens(reader, at)
  if reader:word(at) ~= "per" and reader:word(at) ~= "/" then return nil end
  if reader:word(at + 1) == "mtok" then return 2 end
  local million = reader:number(at + 1) == 1e6 or reader:word(at + 1) == "million"
  local behind = (reader:word(at + 2) == "output" or reader:word(at + 2) == "input") and 3 or 2
  return million and NOUNS[reader:word(at + behind) or ""] == "tokens" and behind + 1 or nil
end

-- Units of energy that a price is of, in kWh.
local KWH <const> = { kwh = 1, ["kilowatt-hour"] = 1, mwh = 1000 }

-- "Per node hour", "an hour per node" behind a price: how many words.
local function nodes_of_price(reader, at, seconds, used)
  if reader:is_per(at) and NOUNS[reader:word(at + 1) or ""] == "nodes" then
    return TIMES[reader:word(at + 2) or ""] == TIMES.hour and 3 or reader:per(at + 2) == TIMES.hour and 4 or nil
  end
  if seconds ~= TIMES.hour then return nil end
  local behind = at + used
  return reader:word(behind) == "per" and NOUNS[reader:word(behind + 1) or ""] == "nodes" and used + 2 or nil
end

-- Money: of a run, by the month, by the hour; that of a bill may come down to another or by one.
local function read_money(reader, value, text, at)
  local of_tokens = per_million_tokens(reader, at)
  if of_tokens and not reader.lenient then
    return reader:say("usd_mtok", value, text) and at + of_tokens
  elseif of_tokens then
    reader:note(("%s for a million tokens is not searched for: the answer says what they cost."):format(units.format(value, "USD")))
    return at + of_tokens
  end
  local of_energy = reader:is_per(at) and KWH[reader:word(at + 1) or ""]
  if of_energy then return reader:say("usd_kwh", value / of_energy, text) and at + 2 end
  local seconds, used = reader:per(at)
  local of_hour = reader:is_per(at) and (reader:word(at + 1) or ""):match("^(.+)%-hours?$")
  if of_hour and (NOUNS[of_hour] == "devices" or devices.resolve(of_hour)) then
    seconds, used = TIMES.hour, 2 -- "2 USD per GPU-hour"
  elseif not seconds and reader:per_device(at) then
    at = at + reader:per_device(at)
    seconds, used = reader:per(at)
    if not seconds and TIMES[reader:word(at) or ""] then seconds, used = TIMES[reader:word(at)], 1 end -- "per GPU hour"
  end
  local before = reader:word(-1)
  if currency(before) then before = reader:word(-2) end
  -- "3.90 USD x 730 h" is the price of an hour.
  if reader:word(at) == "x" and reader:number(at + 1) and TIMES[reader:word(at + 2) or ""] == TIMES.hour then
    reader:say("usd_h", value, text)
    return at + 3
  end
  local of_nodes = nodes_of_price(reader, at, seconds, used)
  if of_nodes then
    reader:note(("%s an hour is that of a node of %d devices (assumption)."):format(units.format(value, "USD"), vocabulary.NODE_SIZE))
    return reader:say("usd_h", value / vocabulary.NODE_SIZE, text) and at + of_nodes
  end
  if seconds == TIMES.hour then
    reader:say("usd_h", value, text)
    return at + used
  elseif not seconds and reader.facts.budget_usd_month and CUT_TO[before or ""] then
    reader:say("target_usd_month", value, text)
    return at
  end
  local month = seconds and value * TIMES.month / seconds
  if seconds == TIMES.year then month = value / 12 end
  if month and SAVED[before or ""] then
    reader:say("saved_usd_month", month, text)
  elseif month and reader.facts.budget_usd_month and CUT_TO[before or ""] then
    reader:say("target_usd_month", month, text)
  elseif month then
    reader:say("budget_usd_month", month, text)
  else
    reader:say("cost_usd", value, text)
    return at
  end
  return at + used
end

-- "Inference cost of 13B": what costs, not how much. A letter B is a size, and other scales are behind "of" where no size is
-- said and no article makes a sum of it ("at a cost of 2M").
local COSTED <const> = tables.set({ "cost", "costs", "price", "pricing" })

local function is_size_of_cost(reader)
  local scale, facts = reader.list[reader.at].scale, reader.facts
  if facts.params or facts.model or not SIZES[scale] then return false end
  if scale == "b" then return reader:named(COSTED, NAME_BEFORE) ~= nil end
  return reader:word(-1) == "of" and COSTED[reader:word(-2) or ""] and not vocabulary.ARTICLES[reader:word(-3) or ""]
end

-- Whether the number at the reader's place is money though no currency is said: a word of money stands right before it, or
-- somewhere before and nothing is counted.
local function is_money(reader, at)
  if is_size_of_cost(reader) then return false end
  if reader:named(vocabulary.MONEY, NAME_BEFORE) or reader.facts.budget_usd_month and CUT_TO[reader:word(-1) or ""] then
    return true
  end
  local seconds = reader:per(at)
  if seconds == TIMES.hour and reader:word(-1) == "at" then return true end -- "H100 at 2.10/h"
  return seconds ~= nil and seconds >= TIMES.week and reader.is_about_money
end

-- The sum at the reader's place, where it is one: US dollars, and what it takes.
local function read_sum(reader, value, text)
  local before = not reader:is_cut(0) and reader.at > reader.free and currency(reader:word(-1)) or nil
  local behind = not reader:is_cut(1) and currency(reader:word(1)) or nil
  if reader:word(1) == "$" and reader:number(2) then behind = nil end -- that of the next
  local rate = before or behind
  if not rate then return nil end
  if rate ~= 1 then
    local name = (before and reader:word(-1) or reader:word(1)):upper()
    reader:note(("%s %s are %s at %g USD each, a mean of 2025 (assumption)."):format(text, name, units.format(value * rate, "USD"), rate))
  end
  local at = behind and 2 or 1
  local further = not reader:is_cut(at) and reader:word(at)
  if further == "usd" or further == "dollars" or further == "$" and not reader:number(at + 1) then at = at + 1 end
  return read_money(reader, value * rate, text, at)
end

-- A time by the words around it; without any, short ones are latencies and long ones that of the run.
local LONGEST_LATENCY <const> = 60

-- P4, P40 and P100 are cards.
local LEAST_PERCENTILE <const> = 50

--- The percentile that a word names: "p99".
function counts.percentile_of(word)
  local percentile = tonumber(word and word:match("^p(%d+%.?%d*)$"))
  return percentile and percentile >= LEAST_PERCENTILE and percentile < 100 and percentile or nil
end

local MOST_SOUND_WORDS <const> = 3

-- Where a word of sound stands behind a time: "500 hours of call center audio".
local function sound_at(reader, at)
  if reader:word(at) == "of" then at = at + 1 end
  for offset = at, at + MOST_SOUND_WORDS - 1 do
    local word = reader:word(offset)
    if vocabulary.SOUND[word or ""] and not vocabulary.SOUND[reader:word(offset + 1) or ""] then return offset + 1 end
    if not word or LINKING[word] then return nil end
  end
end

local ANSWERS <const> = tables.set({ "answer", "answers", "response", "responses", "reply", "replies", "completion", "completions" })
local BEFORE_ANSWER <const> = tables.set({ "for", "an", "a", "the", "each", "every", "whole", "full", "complete", "entire", "token", "tokens", "per" })

-- "Under 2 seconds for a 500-token answer": the time is that of the whole answer.
local function is_of_answer(reader, at)
  if reader:word(at) ~= "for" and reader:word(at) ~= "per" then return false end
  while not reader:is_cut(at) and (BEFORE_ANSWER[reader:word(at) or ""] or reader:number(at)) do at = at + 1 end
  return not reader:is_cut(at) and ANSWERS[reader:word(at) or ""] or false
end

local function read_time(reader, value, text, at)
  local behind, before = reader:word(at), reader:word(-1)
  local after = sound_at(reader, at)
  if after then
    -- "10,000 hours of speech a day" is a rate: so many lines talk at one time.
    local seconds, used = reader:per(after)
    reader:say(seconds and "streams" or "audio_s", value / (seconds or 1), text)
    return after + (used or 0)
  elseif reader.is_heard and value >= TIMES.minute and reader:per(at) then
    local seconds, used = reader:per(at) -- "1000 hours per day" of what is heard
    local each = reader:per_reader(at + used) or 0
    return reader:say("streams", value / seconds, text) and at + used + each
  elseif before == "every" then
    reader:say("every_s", value, text)
    return at
  end
  if before == "/" or before == "per" then behind = nil end
  if behind == "between" and vocabulary.ASKED[reader:word(at + 1) or ""] then
    reader:say("interval_s", value, text)
    return at + 2
  end
  local percentile = counts.percentile_of(behind) or counts.percentile_of(before)
  if percentile then reader:say("percentile", percentile, text) end
  -- "6 h, wait under 30 min": what stands behind a comma belongs to the next.
  local next_token = reader.list[reader.at + at]
  if next_token and next_token.is_cut then behind = nil end
  local name = TIME_OF[behind or ""] or reader:named(TIME_OF, NAME_BEFORE, vocabulary.TIME_LINKS)
  if (behind == "/" or behind == "per") and NOUNS[reader:word(at + 1) or ""] == "tokens" then
    name, at = "tpot_s", at + 2
  elseif (behind == "/" or behind == "per" or behind == "a") and reader:word(at + 1) == "step" then
    name, at = "step_s", at + 2
  elseif behind and TIME_OF[behind] then
    at = at + 1
  elseif before == "horizon" or before == "over" then
    name = "horizon_s"
  end
  if not name and value < LONGEST_LATENCY and is_of_answer(reader, at) then name = "e2e_s" end
  reader:say(name or (value < LONGEST_LATENCY and "slo_s" or "time_s"), value, text)
  return at
end

-- Words that make a share one that is off the list price.
local DISCOUNT <const> = tables.set({ "discount", "discounted", "discounts" })

-- Words that make a share one of a bill that is saved.
local CHEAPER <const> = tables.set({ "cheaper", "less", "savings", "saving", "off", "reduction", "lower" })

local USERS_OF <const> = tables.set({ "of", "the", "them", "those", "these", "whom", "which", "users", "people", "are", "is" })
local MOST_USERS_OF <const> = 4

-- "active", "of them are active" behind a share: how many words.
local function active_behind(reader, at)
  for offset = at, at + MOST_USERS_OF do
    local word = reader:word(offset) or ""
    if word == "concurrently" or word == "simultaneously" then word = reader:word(offset + 1) or "" end
    if word == "active" or word == "online" then return offset - at + (word == reader:word(offset) and 1 or 2) end
    if reader:at_once(offset) then return offset - at + reader:at_once(offset) end
    if not USERS_OF[word] then return nil end
  end
end

local FASTER <const> = tables.set({ "under", "below", "within", "faster", "in" })

-- "99 % under 2 seconds": that share of the answers.
local function faster_behind(reader, at, value)
  return value >= LEAST_PERCENTILE / 100 and value < 1 and not reader:is_cut(at) and FASTER[reader:word(at) or ""]
    and (reader:number(at + 1) or reader:number(at + 2)) ~= nil
end

local CACHED <const> = tables.set({ "cache", "hit", "hits", "hit-rate", "rate", "cached", "prefix", "prompt", "shared", "prefix-cache", "kv-cache" })
local BEFORE_CACHED <const> = tables.set({ "of", "the", "is", "are", "prompts", "kv", "tokens", "input", "a" })
local MOST_CACHED_WORDS <const> = 6

-- "prefix cache hit rate", "cache hits", "of the prompt is cached" behind a share: where they end; nil where none stand there.
local function cached_behind(reader, at)
  local found
  for offset = at, at + MOST_CACHED_WORDS - 1 do
    local word = not reader:is_cut(offset) and reader:word(offset)
    if not word or not (CACHED[word] or BEFORE_CACHED[word]) then break end
    if CACHED[word] and (found or word ~= "prompt" and word ~= "prefix") then found = offset + 1 end
  end
  return found
end

-- A share: growth by the month, MFU, utilisation, what is saved.
local function read_share(reader, value, text, at)
  local behind, before = reader:word(at), reader:word(-1)
  local seconds, used = reader:per(at)
  if seconds then
    reader:say("growth_month_frac", value * TIMES.month / seconds, text)
    return at + used
  elseif behind == "mfu" then
    reader:say("mfu_frac", value, text)
    return at + 1
  end
  local name = reader:named(NAMED, NAME_BEFORE)
  if name and (name:find("_frac$") or name == "recall") then
    reader:say(name, value, text)
    return at
  elseif behind == "recall" then
    reader:say("recall", value, text)
    return at + 1
  elseif behind == "utilization" or behind == "utilisation" then
    reader:say("utilization_frac", value, text)
    return at + 1
  elseif behind == "of" and NOUNS[reader:word(at + 1) or ""] == "requests" and value >= LEAST_PERCENTILE / 100 and value < 1 then
    reader:say("percentile", 100 * value, text)
    return at + 2
  elseif faster_behind(reader, at, value) then
    reader:say("percentile", 100 * value, text)
    return at
  elseif cached_behind(reader, at) then
    reader:say("prefix_frac", value, text)
    return cached_behind(reader, at)
  elseif active_behind(reader, at) then
    reader:say("active_frac", value, text)
    return at + active_behind(reader, at)
  elseif reader:stopped(at) then
    reader:say("pruned_frac", value, text)
    return at + reader:stopped(at)
  elseif DISCOUNT[behind or ""] and not reader:is_cut(at) or reader:named(DISCOUNT, NAME_BEFORE) then
    reader.factors.price = 1 - value
    return DISCOUNT[behind or ""] and at + 1 or at
  elseif CHEAPER[behind or ""] or before and SAVED[before] then
    reader.factors.budget = 1 - value
    return CHEAPER[behind or ""] and at + 1 or at
  end
  if reader.lenient then return nil end
  errors.input("'" .. text .. " %'", "of what? Say '40 % MFU', '3 % a month' or '5 % active'")
end

-- Numbers of a search over a grid are few; so small a number of parameters is one of those that are tuned.
local MOST_TUNED <const> = 1000

-- "at peak", "at the peak", "peak" behind a rate: how many words. A peak with a number of its own is another fact.
local function peak_behind(reader, at)
  local skipped = reader:word(at) == "at" and (reader:word(at + 1) == "the" and 2 or 1) or 0
  local after = at + skipped + 1
  if reader:word(at + skipped) ~= "peak" or reader:word(after) == "over" then return nil end
  local number = reader:word(after) == "of" and after + 1 or after
  if skipped == 0 and reader:number(number) and not reader:is_cut(number) then return nil end
  return skipped + 1
end

local PEAKS <const> = { peak = true, peaks = true, peaking = true }

-- A rate, and whether it is that of the peak. Where both are said, they say the ratio.
local function say_rate(reader, value, text, at)
  if reader:word(at) == "each" and not reader:is_cut(at) then
    reader.rate_of_each = true
    at = at + 1
  elseif reader:per_device(at) then
    reader.rate_of_device = true
    at = at + reader:per_device(at)
  elseif reader:word(at) == "per" and reader:word(at + 1) == "replica" then
    reader.rate_of_each = true
    at = at + 2
  end
  local behind, facts = peak_behind(reader, at), reader.facts
  if not (behind or reader:named(PEAKS, NAME_BEFORE)) then
    if reader.is_peak then
      facts.peak_ratio, facts.rate_per_s, reader.is_peak = facts.rate_per_s / value, value, nil
    else
      reader:say("rate_per_s", value, text)
    end
    return at
  end
  if facts.rate_per_s and not reader.is_peak then
    reader:say("peak_ratio", value / facts.rate_per_s, text)
  else
    reader:say("rate_per_s", value, text)
    reader:say("peak_ratio", 1, text)
    reader.is_peak = true
  end
  return at + (behind or 0)
end

-- Words before the devices of a job: "each takes 2 GPUs", "jobs of 4 GPUs", "on 8 GPUs".
local OF_JOB_BEFORE <const> = tables.set({ "of", "on", "each", "needs", "need", "takes", "take", "using", "uses", "use", "with" })

-- Whether the devices at the reader's place are those of a job, of which all have their rate or are spoken of here.
local function is_of_job(reader, at)
  local f = reader.facts
  if f.devices_per_job then return false end
  if reader:per_job(at) then return true end
  local before = OF_JOB_BEFORE[reader:word(-1) or ""]
  if before and not reader:is_cut(0) and NOUNS[reader:word(-2) or ""] == "jobs" and not reader:is_cut(-1) then return true end
  if not (f.jobs_per_s or f.jobs_per_user_day) then return false end
  return before or reader:word(at) == "each" or reader:is_of_each()
end

-- "per node", "each node" behind devices: how many words.
local function of_node(reader, at)
  return reader:is_per_each(at) and NOUNS[reader:word(at + 1) or ""] == "nodes" and 2 or nil
end

-- Whether what is said of each is said of replicas: "100 replicas, each 3 requests per second".
local function is_of_replicas(reader)
  local f = reader.facts
  return f.replicas ~= nil and not (f.users or f.monthly_users or f.active_frac)
end

-- The rate of all replicas from that of each.
local function say_of_replicas(reader, rate_per_s, text, at)
  local replicas = reader.facts.replicas
  reader.facts.replicas = nil
  reader:note(("%s of each of %g replicas are %s in all."):format(text, replicas, units.format(replicas * rate_per_s, "1/s")))
  return say_rate(reader, replicas * rate_per_s, text, at)
end

-- What is made of parts that are counted: "100k pdfs of 20 pages".
local PARTS <const> = tables.set({ "pages", "chunks", "passages", "sentences", "frames", "images", "pictures", "photos", "paragraphs" })

-- Whether the number at the reader's place counts the parts of each of the things before.
local function is_inside(reader)
  local of = NOUNS[reader:word(-2) or ""]
  local is_each = (reader.facts.items or reader.facts.vectors) ~= nil and PARTS[reader:word(1) or ""] ~= nil and (reader:word(2) == "each" or reader:word(-1) == "each")
  return is_each or reader.facts.items ~= nil and PARTS[reader:word(1) or ""] ~= nil and reader:word(-1) == "of" and not reader:is_cut(0)
    and (of == "requests" or of == "vectors") and reader:number(-3) ~= nil
end

-- Parts of all things: so many are read.
local function say_inside(reader, value, text, at)
  local f = reader.facts
  local name = f.items and "items" or "vectors"
  reader:note(("%s of %s %s are %s."):format(units.format(f[name], ""), text, reader:word(1), units.format(f[name] * value, "")))
  f[name] = f[name] * value
  return at + (reader:word(at) == "each" and not reader:is_cut(at) and 1 or 0)
end

-- More passages than a prompt carries (assumption).
local MOST_PASSAGES <const> = 100
local OF_PROMPT <const> = tables.set({ "question", "query", "prompt", "request", "answer" })

-- "5 passages of 500 tokens per question", "10 chunks a prompt": what a search hands on to a model; how many tokens.
local function read_passages(reader, value, text)
  local word = reader:word(1)
  if not (word == "passages" or word == "chunks" or word == "documents") or value > MOST_PASSAGES or reader:is_cut(1) then return nil end
  local at, each = 2, nil
  if reader:word(at) == "of" and reader:number(at + 1) and NOUNS[reader:word(at + 2) or ""] == "tokens" then
    at, each = at + 3, reader:number(at + 1)
  end
  if reader.is_rag and reader:word(-1) ~= "over" and reader:word(-1) ~= "of" and not OF_PROMPT[reader:word(at + 1) or ""] then
    reader:say("passages", value, text)
    if each then reader:say("passage_tokens", each, text) end
    return at
  end
  if not (reader:is_per_each(at) and OF_PROMPT[reader:word(at + 1) or ""]) then return nil end
  reader:say("passages", value, text)
  if each then reader:say("passage_tokens", each, text) end
  return at + 2
end

-- A count of things, or their rate, or that of each user.
local function read_count(reader, what, value, text, at)
  local seconds, used = reader:per(at, what == "requests" or what == "jobs")
  local period = not seconds and TIMES[reader:word(-1) or ""] and reader:number(-2) and reader:word(-3) == "every" and not reader:is_cut(0)
    and reader:number(-2) * TIMES[reader:word(-1)]
  if period and (what == "requests" or what == "vectors" or what == "concurrency") then
    what, seconds, used = "requests", period, 0
    reader.facts.every_s, reader.words.every_s = nil, nil
  end
  if what == "kept" and seconds and reader.saved and not reader.facts.every_s then -- "10 checkpoints per day"
    return reader:say("every_s", seconds / value, text) and at + used
  end
  if (what == "concurrency" or what == "completions") and (seconds or reader:per_reader(at)) then what = "requests" end -- "3 sessions a week"
  if what == "vectors" and seconds and seconds < DAY_S then what = "requests" end -- "1M embeddings per hour" come all the time
  local each = not seconds and reader:per_reader(at)
  local and_unit = each and reader:word(at + each) == "and" and TIMES[reader:word(at + each + 1) or ""]
  if and_unit then
    seconds, used = and_unit, each + 2
  elseif each and reader:per(at + each) then
    seconds, used = reader:per(at + each)
    used = used + each
  elseif seconds then
    each = reader:per_reader(at + used) or reader:is_of_each() and 0
    used = used + (each or 0)
  end
  if each and seconds and what == "requests" and is_of_replicas(reader) then return say_of_replicas(reader, value / seconds, text, at + used) end
  if not seconds and is_inside(reader) then return say_inside(reader, value, text, at) end
  if what == "devices" and is_of_job(reader, at) then
    reader:say("devices_per_job", value, text)
    return at + (reader:per_job(at) or 0)
  elseif what == "devices" and of_node(reader, at) then
    local size = { value = value, text = text }
    if reader.nodes then
      reader:say_devices(reader:of_nodes(value), nil, text)
    else
      reader.node_size = size
    end
    return at + of_node(reader, at)
  elseif what == "devices" and reader:word(at) == "of" and reader:number(at + 1) and BYTES[reader:word(at + 2) or ""] then
    reader:say("devices", value, text)
    reader:say("memory_bytes", reader:number(at + 1) * BYTES[reader:word(at + 2)], text)
    return at + 3
  elseif what == "devices" then
    reader:say_devices(reader:of_nodes(value), nil, text)
    return at
  elseif what == "nodes" and reader:word(-1) == "x" and reader.facts.devices and not reader.nodes then
    -- "8 H100 x 3 nodes"
    reader:note(("%s nodes of %g devices are %g devices."):format(text, reader.facts.devices, value * reader.facts.devices))
    reader.facts.devices = value * reader.facts.devices
    return at
  elseif what == "nodes" then
    reader.nodes = { value = value, text = text }
    return at
  elseif what == "rate" then
    return say_rate(reader, value / vocabulary.RATES[reader:word(at - 1)], text, at)
  elseif what == "grid_values" then
    reader.facts.trials = (reader.facts.trials or 1) * value
    if not tables.contains(reader.order, "trials") then reader.order[#reader.order + 1] = "trials" end
    return at
  elseif what == "params" and value < MOST_TUNED then
    reader:say("parameters", value, text)
    return at
  elseif what == "requests" then
    if not seconds and each and (reader.facts.users or reader.facts.monthly_users) then
      reader:note(("%s %s each are read as those of a day."):format(text, reader:word(at - 1)))
      reader:say("requests_per_user_day", value, text)
      return at + each
    end
    if not seconds and reader:is_per(at) and vocabulary.TASKS[reader:word(at + 1) or ""] then
      reader.of_task = { value = value, text = text .. " " .. reader:word(at - 1), task = reader:word(at + 1) }
      return at + 2
    end
    if not seconds then
      local together = reader:at_once(at)
      reader:say(together and "concurrency" or "items", value, text)
      return at + (together or 0)
    end
    if each and reader.facts.active_frac and seconds <= TIMES.hour then
      reader:say("interval_s", seconds / value, text)
      return at + used
    elseif each then
      reader:say("requests_per_user_day", value / seconds * DAY_S, text)
      return at + used
    end
    if value == 1 and seconds >= TIMES.minute then reader.single_rate = { per_s = value / seconds } end
    if seconds >= DAY_S then reader.rare_rate = { per_s = value / seconds, count = value } end
    local behind = reader:per_device(at + used)
    if not behind then return say_rate(reader, value / seconds, text, at + used) end
    reader:say("rate_per_s_device", value / seconds, text)
    return at + used + behind
  elseif what == "jobs" and seconds then
    reader:say(each and "jobs_per_user_day" or "jobs_per_s", each and value / seconds * DAY_S or value / seconds, text)
    return at + used
  elseif what == "users" and reader:at_once(at) then
    reader:say("concurrency", value, text)
    return at + reader:at_once(at)
  elseif what == "users" and seconds and seconds > DAY_S then
    reader:say("monthly_users", value * TIMES.month / seconds, text)
    return at + used
  end
  if what == "vectors" and not seconds and each then
    reader.per_user = { value = value, text = text }
    return at + each
  end
  if what == "devices" and reader:word(at) == "per" and reader:word(at + 1) == "replica" then
    return reader:say("gpus_per_replica", value, text) and at + 2
  end
  reader:say(what, value, text)
  -- Texts that come every day are worked off by the next.
  if what == "vectors" and seconds then
    reader:say("period_s", seconds, text)
    return at + used
  end
  return at
end

-- A word that may stand between a number and its noun: one that means nothing by itself.
local MOST_ADJECTIVES <const> = 2

local function is_adjective(reader, offset)
  local word = not reader:is_cut(offset) and reader:word(offset) or nil
  return word ~= nil and not (LINKING[word] or NOUNS[word] or TIMES[word] or BYTES[word] or NAMED[word] or TIME_OF[word]
    or FORMATS[word] or vocabulary.MONEY[word]) and word:find("^%a[%a%-]+$") ~= nil and names.device(reader, offset) == nil
end

-- Where the noun of a number stands: "2M active users", "64 hyperparameter trials".
local function noun_of(reader)
  local at = 1
  while vocabulary.PASSED[reader:word(at) or ""] and NOUNS[reader:word(at + 1) or ""] and not reader:is_cut(at + 1) do at = at + 1 end
  if NOUNS[reader:word(at) or ""] then return at end
  for further = 1, MOST_ADJECTIVES do
    if not is_adjective(reader, further) then break end
    local noun = not reader:is_cut(further + 1) and NOUNS[reader:word(further + 1) or ""]
    if noun and not labels.at(reader, further + 1) and noun ~= "tokens" and noun ~= "params" then return further + 1 end
  end
  return at
end

-- What there are billions of; a number of billions before other nouns is the size of a model.
local BILLIONS <const> = tables.set({ "tokens", "params", "vectors", "requests", "users", "monthly_users", "rate" })

-- Whether the number at the reader's place is one of billions, as sizes of models are.
local function is_billions(reader)
  local scale = reader.list[reader.at].scale
  return SIZES[scale] and scale ~= "m"
end

-- Whether a noun at an offset is that of the number at the reader's place: none is of billions of devices, and it may head
-- the next number ("70B requests: 5 per second").
local function is_own_noun(reader, at)
  if reader.list[reader.at].scale == "t" and NOUNS[reader:word(at) or ""] == "tokens" then return true end -- "on 1T tokens: 64 H100"
  local is_signed = select(3, labels.at(reader, at))
  if is_signed or labels.is_format(reader, at) then return false end -- "budget = 100k tokens: 1T", "200 weights: fp8"
  if not is_billions(reader) then return not (NAMED[reader:word(at) or ""] and labels.heads(reader, at)) end
  if not BILLIONS[NOUNS[reader:word(at) or ""] or ""] or labels.heads(reader, at) then return false end
  -- "70B answers of 200 tokens" are those of a model of that size, where no other is said.
  local of = LENGTH_OF[reader:word(at) or ""] == "output_tokens" or reader:word(at) == "prompts"
  local has_length = of and reader:word(at + 1) == "of" and reader:number(at + 2)
  if has_length and not (reader.facts.params or reader.facts.model) then return false end
  local from = at
  while from > 1 and vocabulary.PASSED[reader:word(from - 1) or ""] do from = from - 1 end
  local last, number = labels.at(reader, from)
  if from < at and (last or reader:number(at + 1) and not reader:is_cut(at + 1)) then return false end -- "70B input tokens 500"
  -- Of two numbers of billions the tokens are the more: "on 300B tokens 13B", but "7B tokens 1T".
  return not last or reader.list[reader.at + number].number <= reader.list[reader.at].number and NOUNS[reader:word(at)] == "tokens"
end

local function read_between(reader, value, text)
  local name = reader:number(1) and vocabulary.BETWEEN[reader:word(2) or ""]
  local noun = name and NOUNS[reader:word(3) or ""]
  -- "100M 1024-dim" are so many vectors.
  if name == "dim" and not noun and SIZES[reader.list[reader.at].scale] and not reader:is_cut(1) then return reader:say("vectors", value, text) and 1 end
  if not noun then return nil end
  if name == "input_tokens" and is_billions(reader) then return nil end -- "70B, 500 token prompts"
  reader:say(name, reader:number(1), reader.list[reader.at + 1].text)
  if noun == "jobs" then return read_count(reader, noun, value, text, 4) end
  reader:say(noun == "requests" and "items" or noun, value, text)
  return 4
end

-- "10 times a day", "5x per day" of each user; "3x" and "4 times the mean" of a peak.
local function read_times(reader, value, text)
  local word = reader:word(1)
  if word ~= "x" and word ~= "times" then return nil end
  local seconds, used = reader:per(2)
  if seconds and (reader.facts.every_s == nil) then
    reader:say("requests_per_user_day", value / seconds * DAY_S, text)
    return 2 + used
  end
  local behind = reader:word(2) == "the" and reader:word(3) or reader:word(2)
  if word == "x" or reader:named(NAMED, NAME_BEFORE) == "peak_ratio" or behind == "mean" or behind == "average" then
    reader:say("peak_ratio", value, text)
    return 2
  end
end

local HOURS <const> = tables.set({ "gpu-hours", "gpu-hour", "device-hours", "device-hour", "chip-hours", "tpu-hours", "card-hours" })

-- "2 A100-hours", "500 GPU-hours", "1.72M A100 GPU-hours": device time.
local function read_device_hours(reader, value, text)
  local word = reader:word(1)
  local name, length = names.device(reader, 1)
  if name and HOURS[reader:word(1 + length) or ""] then
    reader:say("device_s", value * TIMES.hour, text)
    reader:say("device", name, text)
    return 2 + length
  end
  local hours = word and (word:match("^(.+)-hours?$") or word:match("^(.+)-hrs?$")
    or ((reader:word(2) == "hours" or reader:word(2) == "hour") and word))
  local device = hours and devices.resolve(hours)
  if not hours or not (NOUNS[hours] == "devices" or NOUNS[hours .. "s"] == "devices" or device) then return nil end
  reader:say("device_s", value * TIMES.hour, text)
  if device then reader:say("device", device, text) end
  return hours == word and 3 or 2
end

-- Seconds of sound that Whisper hears at once (arXiv:2212.04356).
local WINDOW_S <const> = 30

-- A noun of what is heard: any that counts neither who asks nor devices.
local NO_RECORDING <const> = tables.set({ "users", "monthly_users", "devices", "nodes", "tokens", "params", "streams" })

local function is_recording(word)
  return word ~= nil and word:find("^%a[%a%-]+$") ~= nil and not (TIMES[word] or BYTES[word] or LINKING[word] or NO_RECORDING[NOUNS[word] or ""]
    or vocabulary.EVERY[word]) and word ~= "per" and word ~= "a" and word ~= "with" and word ~= "of"
end

local LASTING <const> = tables.set({ "of", "with", "lasting", "averaging", "at" })

-- "500 podcasts of 1 hour", "10,000 calls per day of 5 minutes", "200 30-minute meetings": recordings, and how long each is.
-- How many words say it.
local function read_recordings(reader, value, text)
  if not reader.is_heard then return nil end
  local length, seconds, used, at
  if reader:number(1) and TIMES[reader:word(2) or ""] and is_recording(reader:word(3)) then
    length, at = reader:number(1) * TIMES[reader:word(2)], 4
    seconds, used = reader:per(at)
    at = at + (used or 0)
  else
    at = is_recording(reader:word(1)) and 2
    if at and not reader:is_cut(at) and is_recording(reader:word(at)) then at = at + 1 end -- "phone calls"
    if not at then return nil end
    if reader:word(at) == "per" then at = at + (reader:per_reader(at) or 0) end
    seconds, used = reader:per(at)
    at = at + (used or 0)
    local number = LASTING[reader:word(at) or ""] and not reader:is_cut(at) and reader:number(at + 1)
    local unit = TIMES[reader:word(at + 2) or ""]
    if not (number and unit) then return nil end
    length, at = number * unit, at + 3
    if reader:word(at) == "each" and not reader:is_cut(at) then at = at + 1 end
  end
  reader:note(("%s recordings of %s each."):format(text, units.format(length, "s")))
  if length < WINDOW_S then
    reader:note(("A recording begins a window of %d s: each counts as one."):format(WINDOW_S))
    length = WINDOW_S
  end
  return reader:say(seconds and "streams" or "audio_s", value * length / (seconds or 1), text) and at
end

local PRODUCTS <const> = { x = true, by = true }
local MATRICES <const> = { matrix = true, matrices = true }

-- "8192 x 8192 x 28672" of a product, "a 100k by 100k matrix": rows, columns of the first and of the second, which is square
-- where nobody says.
local function read_product(reader, value, text)
  local k, n = reader:number(2), reader:number(4)
  if not k or not PRODUCTS[reader:word(1) or ""] then return nil end
  local noun = reader:word(3) == "pixels" and 4 or 3 -- as two numbers of four digits are read
  if not (n and PRODUCTS[reader:word(3) or ""]) then
    if not MATRICES[reader:word(noun) or ""] then return nil end
    n = nil
  end
  if reader.facts.m and not n then return reader.facts.k == value and noun + 1 or nil end -- the second of two
  reader:say("m", value, text)
  reader:say("k", k, text)
  reader:say("n", n or k, text)
  return n and 5 or noun + 1
end

-- The first exascale machine did 1.1e18 in a second (TOP500, 2022).
local LEAST_RUN_FLOP <const> = 1e20

local function read_flop(reader, value, text)
  local word = reader:word(1)
  local factor = vocabulary.FLOPS[word or ""]
  if not factor then return nil end
  local seconds, taken = reader:per(2)
  -- More than any machine does in a second is that of a run.
  if not seconds and value * factor >= LEAST_RUN_FLOP then return reader:say("flop", value * factor, text) and 2 end
  if not seconds and not word:find("s$") then
    errors.input("'" .. text .. " " .. word .. "'", "computation in a second, or in all? Say '500 TFLOP/s'")
  end
  local after = 2 + (taken or 0)
  local each = reader:per_device(after)
  reader:say(each and "flop_s_device" or "flop_s", value * factor / (seconds or 1), text)
  return after + (each or 0)
end

-- Whether so many bytes are more than a card has that was named before: "2x 3090 and 64GB".
local function is_beside_card(reader, bytes)
  local device = reader.facts.device and devices.get(devices.resolve(reader.facts.device))
  return device ~= nil and not device.shared_memory and bytes > device.memory_bytes
end

local MOST_BEFORE_DATA <const> = 3

-- Where a word of text stands behind bytes: "50 MB of clean text", "a 2 TB corpus".
local function text_behind(reader)
  for at = 2, 1 + MOST_BEFORE_DATA do
    local word = reader:word(at)
    if not word or reader:is_cut(at) then return nil end
    if vocabulary.TEXT_DATA[word] then
      -- "training data", "text data" are one.
      return vocabulary.TEXT_DATA[reader:word(at + 1) or ""] and not reader:is_cut(at + 1) and at + 1 or at
    end
    if word ~= "of" and (LINKING[word] and not vocabulary.PASSED[word] and word ~= "our" and word ~= "my" or NOUNS[word] or vocabulary.DEVICE_MEMORY[word]) then return nil end
  end
end

-- Bytes of text are tokens: of all, or of each of what they are the size of ("documents of 200 KB").
local function read_text_bytes(reader, bytes, text)
  local behind, of = text_behind(reader), reader:word(-1) == "of" and reader:word(-2) or ""
  local each = not behind and (LENGTH_OF[of] or of == reader.thing and "input_tokens") or nil
  local is_before = vocabulary.TEXT_DATA[of] or reader:named(vocabulary.TEXT_DATA, NAME_BEFORE)
  if not (behind or each or is_before) then return nil end
  local tokens = math.floor(bytes / vocabulary.TOKEN_BYTES)
  reader:note(("%s %s of text are read as %s: %d bytes a token (assumption)."):format(text, reader:word(1):upper(),
    units.format(tokens, "tok"), vocabulary.TOKEN_BYTES))
  reader:say(each or "tokens", tokens, text)
  local at = behind and behind + 1 or 2
  local seconds, used = reader:per(at)
  if each or not seconds then return at end
  reader:note(("What comes in %s is to be done in that time."):format(units.format(seconds, "s")))
  reader:say("time_s", seconds, text)
  return at + used
end

-- No device has less memory; so many bytes are of something else.
local LEAST_MEMORY <const> = 1e9

-- Whether bytes are those of a memory: nothing else is said of them, and they are as many as one has.
local function is_memory(reader, bytes)
  if bytes < LEAST_MEMORY then return false end
  if reader:word(2) ~= "of" then return true end
  for at = 3, 2 + MOST_BEFORE_DATA do
    local word = reader:word(at) or ""
    if vocabulary.HOST_MEMORY[word] or vocabulary.DEVICE_MEMORY[word] then return true end
  end
  return false
end

-- So many bytes: of a device, or of the host's memory ("64 GB of RAM", "96 GB DDR5"), or of text.
local function read_bytes(reader, bytes, text)
  local seconds, used = reader:per(2)
  if seconds then return reader:say("bytes_per_s", bytes / seconds, text) and 2 + used end
  local of_text = read_text_bytes(reader, bytes, text)
  if of_text or not is_memory(reader, bytes) then return of_text end
  local at = reader:word(2) == "of" and 3 or 2
  local kind = reader:word(at)
  if not vocabulary.HOST_MEMORY[kind or ""] then
    if kind ~= "vram" and is_beside_card(reader, bytes) then return reader:say("host_memory_bytes", bytes, text) and 2 end
    return reader:say("memory_bytes", bytes, text) and 2
  end
  if vocabulary.DESKTOPS[kind] then reader:say("host_bus", kind, kind) end
  return reader:say("host_memory_bytes", bytes, text) and at + 1
end

-- Formats of a cache by the words for those of weights.
local CACHES <const> = { q8 = "q8_0", q4 = "q4_0", fp16 = "bf16", f16 = "bf16" }

--- Reads a format of so many tokens: that of the weights, or of the KV cache.
function counts.read_format(reader, format, text, length)
  if reader:is_denied() then
    reader:deny("weights", format)
    return length
  end
  local taken, both = reader:of_cache(length)
  if taken then reader:say("kv", CACHES[format] or format, text) end
  if not taken or both then reader:say("weights", format, text) end
  return taken or length
end

-- Widths of films by their lines: "480p".
local LINES <const> = { [480] = 832, [720] = 1280 }

-- A number whose unit is the word behind it.
local function read_with_unit(reader, value, token)
  local text, word = token.text, reader:word(1)
  local bits = (word == "bit" or word == "bits") and vocabulary.BITS[value]
  if bits then return counts.read_format(reader, bits, text, 2) end
  if SIZES[token.scale] and word == "draft" then
    reader:note("Drafts that another model writes ahead are not counted.")
    return 2
  end
  if SIZES[token.scale] and word == "active" then return reader:say("active_params", value, text) and 2 end
  local taken = read_times(reader, value, text)
  if taken then return taken end
  if word and TIMES[word] and reader:word(-1) ~= "batch" then return read_time(reader, value * TIMES[word], text, 2) end
  if word == "bpw" then return reader:say("weights", ("%g bpw"):format(value), text) and 2 end
  if word == "p" and LINES[value] then
    reader:say("width", LINES[value], text)
    return reader:say("height", value, text) and 2
  end
  if word == "px" then return reader:say("width", value, text) and 2 end
  if word and BYTES[word] then return read_bytes(reader, value * BYTES[word], text) end
  if word == "mfu" and value <= 100 and not labels.heads(reader, 1) then return reader:say("mfu_frac", value > 1 and value / 100 or value, text) and 2 end
end

-- Fewer tokens of a prompt or an answer are a share: "3/4 of them".
local LEAST_OF_PAIR <const> = 16

-- "1k/300", "1024/128": lengths of prompts and answers, as benchmarks write them.
local function read_pair(reader, value, text)
  local answer, behind = reader:word(1) == "/" and not reader:is_cut(1) and reader:number(2), reader:word(3) or ""
  if not answer or reader.trained or reader.tuned or reader.facts.input_tokens or reader.facts.output_tokens then return nil end
  if math.min(value, answer) < LEAST_OF_PAIR or math.max(value, answer) > MOST_LENGTH then return nil end
  if not reader:is_cut(3) and (TIMES[behind] or BYTES[behind] or NOUNS[behind] and NOUNS[behind] ~= "tokens") then return nil end
  reader:say("input_tokens", value, text)
  reader:say("output_tokens", answer, reader.list[reader.at + 2].text)
  return NOUNS[behind] == "tokens" and not reader:is_cut(3) and 4 or 3
end

-- "50k reports of 20k tokens": things of whatever name that have a length in tokens are counted by it.
local function read_things(reader, value, text)
  local word = reader:word(1) or ""
  if not word:find("^%a+s$") or LINKING[word] or not is_adjective(reader, 1) then return nil end
  local link = reader:word(2)
  if not (link == "of" or link == "with" or link == "averaging") or not reader:number(3) then return nil end
  local unit = reader:word(4) or ""
  if NOUNS[unit] ~= "tokens" and not BYTES[unit] then return nil end
  reader.thing = word
  return reader:say("items", value, text) and 2
end

-- A number of the noun behind it.
local function read_with_noun(reader, value, text)
  local at = noun_of(reader)
  local noun = NOUNS[reader:word(at) or ""]
  if not noun then return read_things(reader, value, text) end
  if not is_own_noun(reader, at) then return nil end
  -- "Two 8-GPU jobs" are of eight each, "8 GPU jobs a day" are eight.
  if noun == "devices" and NOUNS[reader:word(at + 1) or ""] == "jobs" and not reader:is_cut(at + 1) then
    if reader:per(at + 2, true) then return read_count(reader, "jobs", value, text, at + 2) end
    return reader:say("devices_per_job", value, text) and at + 2
  end
  if noun == "tokens" then
    local said = reader:word(at - 1)
    if (said == "prompt" or said == "input" or said == "output") and not reader:per(at + 1) then
      local is_all = value > (said == "output" and MOST_ANSWER or MOST_LENGTH)
      reader:say(said == "output" and (is_all and "written_tokens" or "output_tokens") or is_all and "read_tokens" or "input_tokens", value, text)
      return at + 1
    end
    return read_tokens(reader, value, text, at + 1)
  end
  if reader:word(1) == "daily" and noun == "requests" then
    reader:say("rate_per_s", value / DAY_S, text)
    return at + 1
  end
  if reader:word(1) == "monthly" and noun == "users" then noun = "monthly_users" end
  return read_count(reader, noun, value, text, at + 1)
end

-- A number of a device: "512 A100", "8 x H100", "2 p4d" (machines of eight).
local function read_with_device(reader, value, text)
  local word, scale = reader:word(1), reader.list[reader.at].scale
  if scale ~= "million" and SIZES[scale] then return nil end -- "34B A100" is a size and a device
  local device, length, of_machine = names.device(reader, word == "x" and 2 or 1)
  if not device or word ~= "x" and TIMES[word] or reader:is_cut(1) then return nil end
  if reader:is_denied() then
    reader:deny("device", device)
    return (word == "x" and 2 or 1) + length
  end
  -- "How many 8xH100 nodes": what is asked is how many of them.
  local behind = (word == "x" and 2 or 1) + length
  if reader:word(-1) == "many" and NOUNS[reader:word(behind) or ""] == "nodes" then
    reader:note(("Nodes of %s devices: the answer says how many devices."):format(text))
    return reader:say("device", device, text) and behind + 1
  end
  -- "10 A100 nodes" are so many nodes, "a 8xH100 node" is one.
  local plural = (reader:word(behind) or ""):find("s$") ~= nil
  if word ~= "x" and plural and NOUNS[reader:word(behind) or ""] == "nodes" and not reader:is_cut(behind) and not reader.nodes then
    reader.nodes = { value = value, text = text }
    return reader:say("device", device, text) and behind + 1
  end
  if of_machine and of_machine > 1 then
    reader:note(("%s %s are %g devices: such a machine has %d."):format(text, reader:word(word == "x" and 2 or 1),
      value * of_machine, of_machine))
    value = value * of_machine
  end
  reader:say_devices(reader:of_nodes(value), device, text)
  return (word == "x" and 2 or 1) + length
end

-- What stands behind a memory that is a device's; at the end of a prompt nothing has to.
local function is_of_devices(reader, at)
  local word = reader:word(at)
  return NOUNS[word or ""] == "devices" or word == "vram" or not reader.list[reader.at + at]
end

-- "Two 24 GB cards", "2 x 48GB GPUs", "on 2x24GB": devices of so much memory, whatever they are called.
local function read_with_memory(reader, value, text)
  local glued, unit = (reader:word(1) or ""):match("^x(%d+)(%a+)$")
  if glued and BYTES[unit] and is_of_devices(reader, 2) and math.tointeger(value) then
    reader:say_devices(reader:of_nodes(value), nil, text)
    reader:say("memory_bytes", tonumber(glued) * BYTES[unit], text .. reader:word(1))
    return 2
  end
  local at = reader:word(1) == "x" and 2 or 1
  local bytes = BYTES[reader:word(at + 1) or ""]
  local size = bytes and not reader:is_cut(at + 2) and reader:number(at)
  if not size or not is_of_devices(reader, at + 2) or math.tointeger(value) == nil then return nil end
  reader:say_devices(reader:of_nodes(value), nil, text)
  reader:say("memory_bytes", size * bytes, reader.list[reader.at + at].text)
  return at + 3
end

-- "Train 7B for 100k, H100": a sum, where nothing is counted.
local function is_sum_for(reader, token)
  local last = reader.list[reader.at + 1]
  return reader:word(-1) == "for" and (token.scale == "k" or token.scale == "m") and (not last or last.is_cut == true)
end

-- "Prompt 2k, answer 300", "in 1500, out 300": numbers that stand alone behind them.
local LABELS <const> = vocabulary.LENGTHS
local SINGLE_LENGTH <const> = tables.with(LABELS, { ["in"] = "input_tokens", out = "output_tokens" })

local BETWEEN_LABEL <const> = tables.set({ "=", "length", "len", "tokens", "of" })

-- Words behind a number which are the unit of a length, or begin the next one.
local function ends_length(reader, at) return reader:number(at) ~= nil or labels.ends(reader, at) end

local function read_labelled(reader, value, text)
  local back, is_named = -1, reader.list[reader.at].is_named
  local function is_apart(at) return reader:is_cut(at) and not (at == 0 and is_named) end
  while back > -3 and BETWEEN_LABEL[reader:word(back) or ""] and not is_apart(back + 1) do back = back - 1 end
  local name = LABELS[reader:word(back) or ""]
  if not name or is_apart(back + 1) or reader.facts[name] or value >= LONGEST_TEXT then return nil end
  local at = NOUNS[reader:word(1) or ""] == "tokens" and 2 or 1
  if reader:per(at) or not ends_length(reader, at) then return nil end
  reader:say(name, value, text)
  return at
end

-- Devices of a machine at most, of those that people count by rows and columns.
local MOST_OF_NODE <const> = 1024

-- "64 x 8 A100", "16x8 H100", "2 x 8xH100": so many machines of so many devices.
local function read_grid(reader, value, text)
  local word, each, at = reader:word(1), nil, nil
  if word == "x" and reader:number(2) then
    each, at = reader:number(2), reader:word(3) == "x" and 4 or 3
  elseif word then
    each, at = tonumber(word:match("^x(%d+)$")), reader:word(2) == "x" and 3 or 2
  end
  local device, length = nil, nil
  if each and each <= MOST_OF_NODE then device, length = names.device(reader, at) end
  if not device then return nil end
  reader:note(("%s of %.0f devices are %.0f devices."):format(text, each, value * each))
  reader:say_devices(value * each, device, text)
  return at + length
end


local function is_batch_of_tokens(name, value) return (name == "batch" or name == "global_batch") and value >= LEAST_BATCH_TOK end

-- A number with its meaning in front of it, or in itself: "batch of 32", "7B fp16", "a 70B Qwen".
local function read_bare(reader, value, token)
  local text, word = token.text, not reader:is_cut(1) and reader:word(1) or nil
  if word == "by" and reader:number(2) and reader:word(3) == "pixels" then
    reader:say("width", value, text)
    reader:say("height", reader:number(2), text)
    return 4
  end
  if word and FORMATS[word] and reader:word(-1) ~= "batch" then return reader:say("params", value, text) and 1 end
  local heads_next = NAMED[word or ""] and labels.heads(reader, 1)
  if (word == "context" or word == "ctx" or word == "sequence" or word == "seq") and not heads_next then return reader:say("seq_len", value, text) and 2 end
  -- "4M batch" is one of tokens.
  if word == "batch" and value >= LEAST_BATCH_TOK and not is_billions(reader) and not heads_next and not reader.facts.batch_tokens then
    return reader:say("batch_tokens", value, text) and 2
  end
  local name = reader:named(NAMED, NAME_BEFORE)
  if is_batch_of_tokens(name, value) then return reader:say("batch_tokens", value, text) and 1 end
  if name then
    local share = name:find("_frac$") and value > 1
    return reader:say(name, share and value / 100 or value, text) and 1
  end
  local last = reader.list[reader.at + 1]
  local own = reader.list[reader.at]
  -- "At 8k" is a context.
  if reader:word(-1) == "at" and token.scale == "k" and (not last or last.is_cut or last.word and LINKING[last.word]) and value <= MOST_LENGTH then return reader:say("seq_len", value, text) and 1 end
  local lone = SINGLE_LENGTH[reader:word(-1) or ""] and (reader:is_cut(-1) or not LINKING[reader:word(-1)] or reader:word(-2) == "and") and (own.is_named or not own.is_cut) and (not last or last.is_cut) and value <= MOST_LENGTH
  local length = length_of(reader) or lone and SINGLE_LENGTH[reader:word(-1)]
  if length then return reader:say(length, value, text) and 1 end
  if is_money(reader, 1) then return read_money(reader, value, text, 1) end
  if word == "budget" and not labels.heads(reader, 1) then return read_money(reader, value, text, 2) end
  if is_sum_for(reader, token) then
    reader:note(("'for %s' is read as so many USD (assumption)."):format(text))
    return read_money(reader, value, text, 1)
  end
  if SIZES[token.scale] and (not reader:per(1) or labels.at(reader, 1) or token.scale == "b" and (word == "every" or vocabulary.EVERY[word or ""])) then -- "add 1M a day": of what?
    local model = token.scale == "b" and names.family_behind(word, text)
    reader:say(model and "model" or "params", model or value, text)
    return model and 2 or 1
  end
end

-- A number behind which a comma stands: what it means stands before it, or in itself.
local function read_alone(reader, value, token)
  local text = token.text
  local taken = read_labelled(reader, value, text) or read_sum(reader, value, text)
  if taken then return taken end
  local name = reader:named(NAMED, NAME_BEFORE)
  if name and not name:find("_frac$") and name ~= "peak_ratio" and not is_batch_of_tokens(name, value) then return reader:say(name, value, text) and 1 end
  return read_bare(reader, value, token)
end

local ON <const> = tables.set({ "on", "only", "just" })

--- Whether a word says that there is nothing but a processor: "on CPU", "on a CPU", "CPU-only".
function counts.is_processor_alone(reader, word)
  if word == "cpu-only" then return true end
  if word ~= "cpu" and word ~= "cpus" then return false end
  local before = reader:word(-1)
  return ON[before or ""] or (before == "a" or before == "the" or before == "my") and ON[reader:word(-2) or ""] or false
end

local ONE_ANSWER <const> = tables.set({ "answer", "response", "reply", "completion" })

-- Fewer of anything fit into a step (assumption).
local LEAST_JOB <const> = 5000
local OF_JOB <const> = tables.set({ "requests", "vectors", "items", "examples" })

-- Whether a word may name anything that nothing else here counts: stores, companies.
local function is_of_no_list(word)
  return word ~= nil and word:find("^%a[%a%-]+$") ~= nil and not (NOUNS[word] or TIMES[word] or BYTES[word] or LINKING[word])
end

-- "500 stores send 20 images a minute": so many senders, each of what follows.
local function read_senders(reader, value, text)
  local word = reader:word(1)
  if not is_of_no_list(word) or not vocabulary.SENDS[reader:word(2) or ""] or not reader:number(3) or reader:is_cut(3) then return nil end
  reader.senders = { value = value, text = text .. " " .. word }
  return 3
end

-- "128 instead of 64 H100": so many, and not the others.
local function read_instead(reader, value, text)
  local is_so = reader:word(1) == "instead" and reader:word(2) == "of" and reader:number(3) and not reader:is_cut(1)
  local device, length
  if is_so then device, length = names.device(reader, 4) end
  local noun = is_so and NOUNS[reader:word(4) or ""] == "devices"
  if not (device or noun) then return nil end
  reader:note(("%s is read, and %g left out: ask of each with 'or' between them to compare."):format(text, reader:number(3)))
  return reader:say_devices(value, device, text) and 4 + (length or 1)
end

-- "200 LoRA adapters": so many beside a model that is served.
local function read_adapters(reader, value, text)
  local at = reader:word(1) == "lora" and 2 or 1
  local word = reader:word(at)
  if word ~= "adapters" and word ~= "loras" or value % 1 ~= 0 then return nil end
  return reader:say("adapters", math.tointeger(value), text) and at + 1
end

local DRAFTS <const> = tables.set({ "draft", "drafter", "draft-model" })

-- "A 1B draft": a model that proposes tokens, beside the one that is served.
local function read_draft(reader, _, text)
  if not SIZES[reader.list[reader.at].scale] or not DRAFTS[reader:word(1) or ""] then return nil end
  reader:note(("The draft model of %s takes no memory and no time here."):format(text))
  return 2
end

-- More than these are no machines but another number.
local MOST_MACHINES <const> = 10000

-- "20 companies with 500 users each": users in all.
local function read_groups(reader, value, text)
  local word, link = reader:word(1), reader:word(2)
  local each = is_of_no_list(word) and (link == "with" or link == "of") and reader:number(3)
  if not each or NOUNS[reader:word(4) or ""] ~= "users" or reader:word(5) ~= "each" then return nil end
  reader:note(("%s %s of %g are %g users."):format(text, word, each, value * each))
  return reader:say("users", value * each, text) and 6
end

local OURS <const> = tables.set({ "our", "the", "these", "those", "my", "all", "an", "a" })

-- "12 8xA100 boxes": so many machines of each.
local function read_machines(reader, value, text)
  local each = reader:number(1)
  if not each or reader:word(2) ~= "x" or reader:is_cut(1) or value % 1 ~= 0 or value >= MOST_MACHINES then return nil end
  local device, length = names.device(reader, 3)
  if not device then return nil end
  reader:note(("%s of %g devices are %g devices."):format(text, each, value * each))
  local behind = 3 + length
  return reader:say_devices(math.tointeger(value * each), device, text) and behind + (NOUNS[reader:word(behind) or ""] == "nodes" and 1 or 0)
end

-- "A quarter of our 1024 H100": that share of them; "half of them at the same time": of the users.
local function read_fraction(reader, value, text)
  if not reader.list[reader.at].spelled or value >= 1 then return nil end
  local at = OURS[reader:word(1) or ""] and 2 or 1
  local number = reader:number(at)
  if number then
    if reader:word(at + 1) == "x" then at = at + 1 end
    local device, length = names.device(reader, at + 1)
    local is_noun = NOUNS[reader:word(at + 1) or ""] == "devices"
    if not (device or is_noun) or value * number % 1 ~= 0 then return nil end
    reader:note(("%s of %g are %g."):format(text, number, value * number))
    return reader:say_devices(math.tointeger(value * number), device, text) and at + 1 + (length or 1)
  end
  local taken = active_behind(reader, 1)
  return taken and reader:say("active_frac", value, text) and 1 + taken
end

local OF_DEVICES <const> = tables.set({ "them", "those", "these" })

-- "I have 1000 of them": as many of the device that was said.
local function read_of_them(reader, value, text)
  local is_so = reader:word(1) == "of" and OF_DEVICES[reader:word(2) or ""] and reader.facts.device and not reader.facts.devices
  if not is_so or value % 1 ~= 0 then return nil end
  reader:say_devices(value, nil, text)
  return 3
end

-- Words of English text that a token makes (rule of thumb of OpenAI's help pages, recalled).
local WORDS_OF_TOKEN <const> = 0.75

-- "500-word answers", "1 trillion words": as tokens.
local function read_words(reader, value, text)
  local word = reader:word(1)
  if word ~= "words" and word ~= "word" or value <= 1 then return nil end
  local tokens = math.floor(value / WORDS_OF_TOKEN + 0.5)
  reader:note(("%s words are read as %s: %g words a token (assumption)."):format(text, units.format(tokens, "tok"), WORDS_OF_TOKEN))
  local length = word == "word" and length_behind(reader, tokens, 2, true)
  if length then return reader:say(length, tokens, text) and 3 end
  return read_tokens(reader, tokens, text, 2)
end

-- What reads a number by the words around it before shares and names do, and after them; the first that does takes it.
local BEFORE_SHARES <const> = { read_pair, read_passages, read_between, read_labelled, read_grid, read_product }
local AFTER_SHARES <const> = { read_fraction, read_machines, read_groups, read_recordings, read_of_them, read_draft, read_senders,
  read_instead, read_adapters, read_words, read_sum, read_device_hours, read_with_device, read_with_memory, read_flop }

local function first_of(list, reader, value, text)
  for _, read in ipairs(list) do
    local taken = read(reader, value, text)
    if taken then return taken end
  end
end

--- Reads the number at the reader's place: how many tokens it takes; nil where nothing reads it.
function counts.read(reader)
  local token = reader.list[reader.at]
  local value, text, word = token.number, token.text, reader:word(1)
  if reader:is_cut(1) then return read_alone(reader, value, token) end
  -- "rank 16 H100", "batch: 64 H100": no devices are of so close a name.
  local own = (not reader:is_cut(0) or token.is_named) and reader:named(NAMED, NAME_BEFORE)
  if vocabulary.OF_NO_DEVICES[own or ""] and not TIMES[word or ""] and not BYTES[word or ""] and not NOUNS[word or ""] and names.device(reader, 1) then
    return reader:say(own, value, text) and 1
  end
  local taken = first_of(BEFORE_SHARES, reader, value, text)
  if taken then return taken end
  if value < 1 and reader:stopped(1) then return reader:say("pruned_frac", value, text) and 1 + reader:stopped(1) end
  if word == "%" or word == "percent" then return read_share(reader, value / 100, text, 2) end
  taken = first_of(AFTER_SHARES, reader, value, text) or read_with_unit(reader, value, token)
  if taken then return taken end
  local name = reader:named(NAMED, NAME_BEFORE)
  -- "a batch of 100k prompts" is a job.
  if name == "batch" and value >= LEAST_JOB and OF_JOB[NOUNS[word or ""] or ""] then name = nil end
  local of_tokens = NOUNS[word or ""] == "tokens"
  if is_batch_of_tokens(name, of_tokens and math.huge or value) then
    return reader:say("batch_tokens", value, text) and (of_tokens and 2 or 1)
  end
  if name and not name:find("_frac$") and name ~= "peak_ratio" then return reader:say(name, value, text) and 1 end
  -- "2500 output tokens per second" are a speed.
  if word == "output" and NOUNS[reader:word(2) or ""] == "tokens" and reader:per(3) then
    return read_tokens(reader, value, text, 3)
  end
  -- "1000 in, 200 out" are lengths; "7B in fp8" and "70B in 5 days" are not.
  local of_all = value > MOST_ANSWER and NOUNS[reader:word(2) or ""] == "tokens" -- "10M output tokens" are those of all answers
  local is_length = word == "out" or word == "output" or word == "input" or word == "in" and not is_time_behind(reader, 1)
  if is_length and not of_all and not SIZES[token.scale] then
    return read_tokens(reader, value, text, 1)
  end
  -- "a 32k prompt" is one of so many tokens.
  if word == "prompt" and reader:per(2, true) then return read_count(reader, "requests", value, text, 2) end
  if word == "prompt" and not NOUNS[reader:word(2) or ""] and value < LONGEST_TEXT then
    return reader:say("input_tokens", value, text) and 2
  end
  -- "a 1k answer", but "an answer" is one.
  if ONE_ANSWER[word or ""] and value > 1 and value <= MOST_ANSWER and not reader:per(2, true) then
    return reader:say("output_tokens", value, text) and 2
  end
  return read_with_noun(reader, value, text) or read_bare(reader, value, token)
end

return counts
