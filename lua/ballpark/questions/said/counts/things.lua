-- Numbers of things: requests, users, jobs, vectors, and how many of them come a second.
local labels = require("ballpark.questions.said.labels")
local lengths = require("ballpark.questions.said.counts.lengths")
local mentions = require("ballpark.mentions")
local names = require("ballpark.questions.said.names")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")

local things = {}

local NOUNS <const>, TIMES <const>, BYTES <const>, NAMED <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.BYTES, vocabulary.NAMED
local TIME_OF <const>, FORMATS <const>, SIZES <const>, LENGTH_OF <const> = vocabulary.TIME_OF, vocabulary.FORMATS, vocabulary.SIZES, vocabulary.LENGTH_OF
local LINKING <const> = vocabulary.LINKING
local MOST_ANSWER <const> = lengths.MOST_ANSWER
local MOST_LENGTH <const> = lengths.MOST_LENGTH

-- Seconds below which nobody writes one message after another (assumption): such a rate is of all together.
local SOONEST_S <const> = 5

-- Numbers of a search over a grid are few; so small a number of parameters is one of those that are tuned.
local MOST_TUNED <const> = 1000

-- "at peak", "at the peak", "peak" behind a rate: how many words. A peak with a number of its own is another fact.
local function peak_behind(reader, at)
  local skipped = reader:word(at) == "at" and (reader:word(at + 1) == "the" and 2 or 1) or 0
  local after = at + skipped + 1
  if reader:word(at + skipped) ~= "peak" or reader:word(after) == "over" then return nil end
  local number = reader:word(after) == "of" and after + 1 or after
  local is_length = reader:word(after) == "of" and NOUNS[reader:word(number + 1) or ""] == "tokens" -- "300 rps peak of 700 token prompts"
  if vocabulary.RATES[reader:word(number) or ""] and not reader:is_cut(number) then number = number + 1 end -- "peak QPS 400"
  local is_apart = reader:is_cut(number) and not reader.list[reader.at + number].is_named -- "peak: 400" is not
  if skipped == 0 and reader:number(number) and not is_apart and not is_length then return nil end
  return skipped + 1
end

local PEAKS <const> = vocabulary.PEAKS

-- Words between a peak and its number, and behind the mean: "peaks of 60", "peaking at 60", "bursts up to 60"; "100 on average".
local TOPS <const>, TO_TOP <const> = tables.set({ "peak", "peaks", "peaking", "burst", "bursts", "bursting" }), tables.set({ "of", "at", "to", "up", "is", "=" })
local MEANS <const>, TO_MEAN <const> = tables.set({ "average", "avg", "mean" }), tables.set({ "on", "in", "at", "the" })
local BEFORE_BARE <const> = tables.set({ "and", "but", "with", "to" })

-- Whether nothing stands behind a place that the number before it may count.
local function is_end(reader, at)
  local word = reader:word(at)
  return reader:is_cut(at) or not word and not reader:number(at) or LINKING[word or ""] == true and word ~= "x"
end

local function mean_behind(reader)
  local at = 1
  while TO_MEAN[reader:word(at) or ""] and not reader:is_cut(at) do at = at + 1 end
  return MEANS[reader:word(at) or ""] and not reader:is_cut(at) and is_end(reader, at + 1) and at + 1 or nil
end

--- "20 rps, peak 60", "300 at peak, 100 on average": rates whose unit stands with the other one; how many words.
function things.read_bare_rate(reader, value, text)
  if reader.trained or value <= 0 then return nil end
  local back = -1
  while TO_TOP[reader:word(back) or ""] and not reader:is_cut(back + 1) do back = back - 1 end
  local is_apart = reader:is_cut(back + 1) and not reader.list[reader.at + back + 1].is_named
  local is_top = TOPS[reader:word(back) or ""] and not is_apart and reader.at + back >= reader.free
  if is_top and (is_end(reader, 1) or names.model(reader, 1) or vocabulary.WRITERS[reader:word(1) or ""]) then
    reader:hear(reader.at + back)
    reader.bare_peak = { value = value, text = text }
    return 1
  end
  local is_alone = reader:is_cut(0) or BEFORE_BARE[reader:word(-1) or ""] or reader.free == reader.at
  if not is_alone or reader:is_cut(1) then return nil end
  local mean, top = mean_behind(reader), peak_behind(reader, 1)
  if not mean and not (top and is_end(reader, 1 + top)) then return nil end
  reader[mean and "bare_mean" or "bare_peak"] = { value = value, text = text }
  return mean or 1 + top
end

local SPARES <const> = tables.set({ "spare", "spares", "standby" })

--- "4 spare GPUs", "4 spares": devices more than those that are said; how many words.
function things.read_spares(reader, value, text)
  if not SPARES[reader:word(1) or ""] or reader:is_cut(1) or value % 1 ~= 0 then return nil end
  local is_noun = NOUNS[reader:word(2) or ""] == "devices" and not reader:is_cut(2)
  local _, length = names.device(reader, 2)
  if not (is_noun or length or is_end(reader, 2)) then return nil end
  reader.spare_devices = { value = value, text = text }
  return is_noun and 3 or 2
end

-- "5 rps at night": words behind a rate of the hours that another leaves; that of a weekend changes no fleet.
local PARTS_OF_DAY <const> = { { "at", "night" }, { "by", "night" }, { "overnight" }, { "off-peak" }, { "off", "peak" }, { "otherwise" }, { "outside" }, { "during", "the", "night" }, { "in", "the", "night" }, { "on", "weekend" }, { "at", "weekend" } }

local function part_behind(reader, at)
  for _, words in ipairs(PARTS_OF_DAY) do
    local is_here = true
    for i, word in ipairs(words) do is_here = is_here and reader:word(at + i - 1) == word end
    if is_here then return #words, words[#words] == "weekend" end
  end
end

local REPLICA <const> = tables.set({ "replica", "instance", "copy" })

-- A rate, and whether it is that of the peak. Where both are said, they say the ratio.
local function say_rate(reader, value, text, at)
  if reader:word(at) == "each" and not reader:is_cut(at) then
    reader.rate_of_each = true
    at = at + 1
  elseif reader:per_device(at) then
    reader.rate_of_device = true
    at = at + reader:per_device(at)
  elseif reader:is_per_each(at) and REPLICA[reader:word(at + 1) or ""] then
    reader.rate_of_each = true
    at = at + 2
  end
  local behind, facts = peak_behind(reader, at), reader.facts
  reader.rate_unit = reader:number(0) and reader:number(0) / value or 1
  local part, is_rest = part_behind(reader, at)
  if part and (is_rest or reader.part_rate) and facts.rate_per_s then
    reader:list_apart(text .. " " .. reader:word(at + part - 1))
    return at + part
  elseif part and not is_rest then
    reader.part_rate = { value = value, text = text }
    return at + part
  end
  local is_between = PEAKS[reader:word(1) or ""] and not reader:is_cut(1) and at > 2 -- "400 peak qps"
  if not (behind or is_between or reader:named(PEAKS)) then
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

-- What has pages.
local PAGED <const> = tables.set({ "pdfs", "files", "documents", "docs", "invoices", "books", "reports", "contracts", "articles", "scans", "forms", "letters", "papers" })

-- Where the noun of the number before stands, over how often it comes: "pdfs", "pdfs nightly", "pdfs a day".
local function things_before(reader, offset)
  if vocabulary.EVERY[reader:word(offset) or ""] then return offset - 1 end
  local is_rate = TIMES[reader:word(offset) or ""] and reader:per(offset - 1)
  return is_rate and offset - 2 or offset
end

-- The fact of the things before, each of which has so many parts as the number at the reader's place counts; nil where it counts
-- none.
local function inside_of(reader)
  local f = reader.facts
  local is_part, things_of = PARTS[reader:word(1) or ""] ~= nil, f.items and "items" or f.vectors and "vectors" or nil
  if not is_part then return nil end
  local is_each = reader:word(2) == "each" or reader:word(-1) == "each"
  if is_each then return things_of or reader.has_pages and reader:word(1) == "pages" and f.rate_per_s and "rate_per_s" or nil end
  if reader:word(-1) ~= "of" or reader:is_cut(0) then return nil end
  local at = things_before(reader, -2)
  local of = NOUNS[reader:word(at) or ""]
  if not (of == "requests" or of == "vectors") or not reader:number(at - 1) then return nil end
  return at < -2 and f.rate_per_s and "rate_per_s" or things_of
end

-- Parts of all things: so many are read.
local function say_inside(reader, name, value, text, at)
  local f, token = reader.facts, reader.list[reader.at]
  local unit = name == "rate_per_s" and "1/s" or ""
  reader:note(("%s of %s %s are %s."):format(units.format(f[name], unit), text, reader:word(1), units.format(f[name] * value, unit)))
  reader:multiply(name, value, token.low and { low = token.low, high = token.high } or nil)
  return at + (reader:word(at) == "each" and not reader:is_cut(at) and 1 or 0)
end

-- More passages than a prompt carries (assumption).
local MOST_PASSAGES <const> = 100
local OF_PROMPT <const> = tables.set({ "question", "query", "prompt", "request", "answer" })

--- "5 passages of 500 tokens per question", "10 chunks a prompt": what a search hands on to a model; how many tokens.
function things.read_passages(reader, value, text)
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

-- Words between those who are counted and "at the same time".
local MOST_TO_ONCE <const> = 10

-- "100 students all use llama 8b at the same time": whether it is said of them further on, over no comma and no number but
-- the size of a model.
local function once_further(reader, at)
  for offset = at, at + MOST_TO_ONCE do
    local token = reader.list[reader.at + offset]
    if not token or token.is_cut or token.number and token.scale ~= "b" and not names.model(reader, offset - 1) then return false end
    if reader:at_once(offset) then return true end
  end
  return false
end

-- What chats and tasks are made of, and what is made of it.
local TURNS <const>, CHATS <const> = tables.set({ "messages", "turns", "questions", "replies", "prompts", "calls" }), { "%f[%a]tasks?%f[%A]", "%f[%a]workflows?%f[%A]", "%f[%a]chats?%f[%A]", "%f[%a]conversations?%f[%A]",
  "%f[%a]sessions?%f[%A]", "%f[%a]tickets?%f[%A]", "%f[%a]dialog" }
local MOST_TURNS <const> = 100
local OF_CHAT <const> = tables.set({ "chat", "conversation", "session", "ticket", "dialog", "dialogue", "task", "workflow" })

-- "400 tickets a day, each takes 3 calls": whether an "each" behind a comma is said of the number at the reader's place, over
-- no other.
local MOST_TO_EACH <const> = 3

local function is_behind_each(reader)
  for offset = -1, -MOST_TO_EACH, -1 do
    if reader:number(offset) or reader:is_cut(offset + 1) then return false end
    if reader:word(offset) == "each" then return reader:is_cut(offset) end
  end
  return false
end

-- "300 chats an hour, 10 messages each": so many requests for one that was counted; how many words say it.
local function turns_of_chats(reader, value, text, at, is_said)
  local f = reader.facts
  if value > MOST_TURNS or not TURNS[reader:word(at - 1) or ""] or not f.rate_per_s or not mentions.any(reader.words.rate_per_s or "", CHATS) then return nil end
  local used = reader:word(at) == "each" and 1 or reader:is_per(at) and OF_CHAT[reader:word(at + 1) or ""] and 2 or is_behind_each(reader) and 0 or nil
  if not used or not is_said then return used end
  reader:note(("%s of %s %s each are %s."):format(units.format(f.rate_per_s, "1/s"), text, reader:word(at - 1), units.format(f.rate_per_s * value, "1/s")))
  local token = reader.list[reader.at]
  reader:multiply("rate_per_s", value, token.low and { low = token.low, high = token.high } or nil)
  return used
end

--- What may stand behind how often it comes: "every 2 minutes 300 requests".
things.COMES = tables.set({ "requests", "vectors", "concurrency" })

-- What a job does, or is called, behind "each" of a rate of jobs.
local DOES <const> = tables.set({ "takes", "take", "taking", "needs", "need", "needing", "uses", "use", "using", "lasts", "lasting", "runs", "running", "occupies", "requires" })

-- Whether an "each" behind a rate of jobs begins what is said of each job: "30 jobs a day, each takes 10 hours", "each job", where
-- "3 jobs a day each" of people are those of one.
local function is_each_job(reader, at)
  local noun = NOUNS[reader:word(at + 1) or ""]
  if reader:word(at) ~= "each" or reader:is_cut(at + 1) or not reader:word(at + 1) then return false end
  return reader:is_cut(at) or noun == "jobs" or noun == "trials" or DOES[reader:word(at + 1)] == true
end

--- A count of things, or their rate, or that of each user.
function things.read_count(reader, what, value, text, at)
  local seconds, used = reader:per(at, what == "requests" or what == "jobs")
  local unit = not seconds and not reader:is_cut(0) and TIMES[reader:word(-1) or ""]
  local period = unit and (reader:word(-2) == "every" and unit or reader:number(-2) and reader:word(-3) == "every" and reader:number(-2) * unit)
  if period and things.COMES[what] then
    what, seconds, used = "requests", period, 0
    reader.facts.every_s, reader.words.every_s = nil, nil
  end
  -- "120k PDFs nightly": work of a night, and no rate of requests.
  if (what == "requests" or what == "vectors") and not reader:is_cut(at) and reader:word(at) == "nightly" then
    reader.period = { value = TIMES.day, text = "nightly", is_listed = true }
    seconds, at = nil, at + 1
  end
  if what == "kept" and seconds and reader.saved and not reader.facts.every_s then -- "10 checkpoints per day"
    return reader:say("every_s", seconds / value, text) and at + used
  end
  if (what == "concurrency" or what == "completions") and (seconds or reader:per_reader(at)) then what = "requests" end -- "3 sessions a week"
  if what == "vectors" and seconds and seconds < TIMES.day then what = "requests" end -- "1M embeddings per hour" come all the time
  local each = not seconds and reader:per_reader(at)
  local and_unit = each and reader:word(at + each) == "and" and TIMES[reader:word(at + each + 1) or ""]
  if and_unit then
    seconds, used = and_unit, each + 2
  elseif each and reader:per(at + each) then
    seconds, used = reader:per(at + each)
    used = used + each
  elseif seconds then
    local is_job = what == "jobs" and is_each_job(reader, at + used)
    each = not is_job and reader:per_reader(at + used) or reader:is_of_each() and 0
    if what == "jobs" then
      reader.each_behind = each == 1
      reader.few_jobs = is_job and not each and { count = value, seconds = seconds } or nil
    end
    used = used + (each or 0)
  end
  if each and seconds and what == "requests" and is_of_replicas(reader) then return say_of_replicas(reader, value / seconds, text, at + used) end
  reader.has_pages = reader.has_pages or PAGED[reader:word(at - 1) or ""]
  local inside = not seconds and inside_of(reader)
  if inside then return say_inside(reader, inside, value, text, at) end
  -- "512 prompts per step", "1024 sequences a step" are a batch.
  if (what == "requests" or what == "examples" or what == "completions") and reader:is_per(at) and reader:word(at + 1) == "step" then
    local name = reader.trained and "global_batch" or what == "requests" and "step_prompts" or "batch"
    return reader:say(name, value, text) and at + 2
  end
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
    if not seconds and turns_of_chats(reader, value, text, at) then return at + turns_of_chats(reader, value, text, at, true) end
    if not seconds and reader.facts.users and not reader.facts.requests_per_user_day and reader:is_of_each() and not reader:at_once(at) then
      reader:note(("%s %s of each are read as those of a day."):format(text, reader:word(at - 1)))
      return reader:say("requests_per_user_day", value, text) and at
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
      if seconds <= TIMES.hour then reader.each_per_s = value / seconds end
      reader.each_period_s = seconds
      reader:say("requests_per_user_day", value / seconds * TIMES.day, text)
      return at + used
    end
    if value == 1 and seconds >= SOONEST_S then reader.single_rate = { per_s = value / seconds } end
    reader.few_rate = { per_s = value / seconds, count = value, seconds = seconds }
    reader.rate_of_days = seconds >= TIMES.day
    local behind = reader:per_device(at + used)
    if not behind then return say_rate(reader, value / seconds, text, at + used) end
    reader:say("rate_per_s_device", value / seconds, text)
    return at + used + behind
  elseif what == "jobs" and seconds then
    reader:say(each and "jobs_per_user_day" or "jobs_per_s", each and value / seconds * TIMES.day or value / seconds, text)
    return at + used
  elseif what == "users" and reader:at_once(at) then
    reader:say("concurrency", value, text)
    return at + reader:at_once(at)
  elseif what == "users" and not seconds and once_further(reader, at) then
    return reader:say("concurrency", value, text) and at
  elseif what == "users" and seconds and seconds > TIMES.day then
    reader:say("monthly_users", value * TIMES.month / seconds, text)
    return at + used
  elseif what == "users" and seconds and seconds < TIMES.day then
    reader:note(("%s users per %s are read as so many all day long (assumption)."):format(text, reader:word(at + used - 1)))
    reader:say("users", value * TIMES.day / seconds, text)
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

-- "Jobs arrive 30 per hour", "requests come in at a rate of 5 per second": what comes stands before its rate.
local ARRIVES <const> = tables.set({ "arrive", "arrives", "arriving", "come", "comes", "coming", "submitted", "queued", "sent" })
local TO_RATE <const> = tables.set({ "at", "a", "rate", "of", "in", "about", "around", "with" })
local ARRIVING <const>, MOST_TO_RATE <const> = tables.set({ "jobs", "requests" }), 6

function things.read_arrivals(reader, value, text)
  if not reader:per(1, true) then return nil end
  local offset = -1
  while offset > -MOST_TO_RATE and TO_RATE[reader:word(offset) or ""] do offset = offset - 1 end
  local what = ARRIVES[reader:word(offset) or ""] and NOUNS[reader:word(offset - 1) or ""]
  if ARRIVING[what or ""] then return things.read_count(reader, what, value, text, 1) end
  -- "Classify images at 1000 per second": what comes stands before, and by the second it has no price.
  local is_rate = reader:word(-1) == "at" and reader:per(1) and reader:per(1) < TIMES.hour and not (reader.facts.rate_per_s or reader.trained or reader.tuned)
  return is_rate and not NOUNS[reader:word(3) or ""] and things.read_count(reader, "requests", value, text, 1) or nil
end

-- A word that may stand between a number and its noun: one that means nothing by itself.
local MOST_ADJECTIVES <const> = 2

local function is_adjective(reader, offset)
  local word = not reader:is_cut(offset) and reader:word(offset) or nil
  return word ~= nil and not (LINKING[word] or NOUNS[word] or TIMES[word] or BYTES[word] or NAMED[word] or TIME_OF[word]
    or FORMATS[word] or vocabulary.MONEY[word]) and word:find("^%a[%a%-]+$") ~= nil and names.device(reader, offset) == nil
    and not names.model(reader, offset) and not names.usual(word) -- "100k flux dev images"
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

--- Whether the number at the reader's place is one of billions, as sizes of models are.
function things.is_billions(reader)
  local scale = reader.list[reader.at].scale
  return SIZES[scale] and scale ~= "m"
end

-- Whether a noun at an offset is that of the number at the reader's place: none is of billions of devices, and it may head
-- the next number ("70B requests: 5 per second").
local function is_own_noun(reader, at)
  if reader.list[reader.at].scale == "t" and NOUNS[reader:word(at) or ""] == "tokens" then return true end -- "on 1T tokens: 64 H100"
  local is_signed = select(3, labels.at(reader, at))
  if is_signed or labels.is_format(reader, at) then return false end -- "budget = 100k tokens: 1T", "200 weights: fp8"
  if not things.is_billions(reader) then return not (NAMED[reader:word(at) or ""] and labels.heads(reader, at)) end
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

--- "1M 512-token prompts", "200 8-GPU jobs": how many, and a number of each before the noun.
function things.read_between(reader, value, text)
  -- "train twelve 1.3B models": the number of them, before their size.
  local size = reader:number(1) and reader.trained and not reader:is_cut(1) and SIZES[reader.list[reader.at + 1].scale]
  if size and reader:word(2) == "models" and value % 1 == 0 and not SIZES[reader.list[reader.at].scale] and not reader.facts.trials then
    return reader:say("trials", value, text) and 1
  end
  -- "Train 3 models of 7B".
  local sized = reader.trained and reader:word(1) == "models" and reader:word(2) == "of" and not reader:is_cut(1) and reader:number(3) and reader.list[reader.at + 3]
  if sized and SIZES[sized.scale] and value % 1 == 0 and not SIZES[reader.list[reader.at].scale] and not reader.facts.trials then
    return reader:say("trials", value, text) and 2
  end
  local name = reader:number(1) and vocabulary.BETWEEN[reader:word(2) or ""]
  local noun = name and NOUNS[reader:word(3) or ""]
  -- "100M 1024-dim" are so many vectors.
  if name == "dim" and not noun and SIZES[reader.list[reader.at].scale] and not reader:is_cut(1) then return reader:say("vectors", value, text) and 1 end
  if not noun then return nil end
  if name == "input_tokens" and things.is_billions(reader) then return nil end -- "70B, 500 token prompts"
  reader:say(name, reader:number(1), reader.list[reader.at + 1].text)
  if noun == "jobs" then return things.read_count(reader, noun, value, text, 4) end
  reader:say(noun == "requests" and "items" or noun, value, text)
  return 4
end

--- "32 at a time", "32 in parallel": sequences, where no word says what they are.
function things.read_together(reader, value, text)
  local taken = reader:at_once(1)
  if not taken or value < 1 or SIZES[reader.list[reader.at].scale] or reader:named(NAMED) then return nil end
  return reader:say("concurrency", value, text) and 1 + taken
end

--- "128 concurrency 1k in": so many at one time, where the word heads no number behind it by a sign.
function things.read_concurrency(reader, value, text)
  local next_token = reader.list[reader.at + 2]
  if reader:word(1) ~= "concurrency" or value % 1 ~= 0 or SIZES[reader.list[reader.at].scale] or reader:named(NAMED) then return nil end
  if next_token and not next_token.is_cut and vocabulary.LINKS[next_token.word or ""] and reader:number(3) or next_token and next_token.is_named then return nil end
  return reader:say("concurrency", value, text) and 2
end

local OF_FIRST <const> = { "ttft", "first token", "first%-token", "prefill" }

local GROWS <const> = tables.set({ "growing", "grows", "grow", "growth", "increasing", "increases", "rising" })

--- "10 times a day", "5x per day" of each user; "3x" and "4 times the mean" of a peak.
function things.read_times(reader, value, text)
  local word = reader:word(1)
  if word ~= "x" and word ~= "times" then return nil end
  -- "bs 2 x 8 grad accum": a batch of a device, and how many of them.
  if reader:named(NAMED) == "batch" and reader:number(2) and reader:word(3) == "grad-accum" then return reader:say("batch", value, text) and 2 end
  local seconds, used = reader:per(2)
  if seconds and GROWS[reader:word(reader:word(-1) == "by" and -2 or -1) or ""] then -- "growing 2x per year"
    return reader:say("growth_month_frac", value ^ (TIMES.month / seconds) - 1, text) and 2 + used
  end
  if seconds and (reader.facts.every_s == nil) then
    reader:say("requests_per_user_day", value / seconds * TIMES.day, text)
    return 2 + used
  end
  local behind = reader:word(2) == "the" and reader:word(3) or reader:word(2)
  if word == "x" or reader:named(NAMED) == "peak_ratio" or behind == "mean" or behind == "average" then
    reader:say("peak_ratio", value, text)
    return 2
  end
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

-- Tokens that the name of a model takes at most.
local LONGEST_NAME <const> = 5

--- "Two llama 8b replicas": how many, with the name of a model between.
function things.read_copies(reader, value, text)
  if things.is_billions(reader) or value % 1 ~= 0 or names.device(reader, 1) then return nil end
  for at = 1, LONGEST_NAME + 1 do
    local word, number = reader:word(at), reader:number(at)
    if reader:is_cut(at) or not (word or number) then return nil end
    if at > 1 and NOUNS[word or ""] == "replicas" then return reader:say("replicas", math.tointeger(value), text) and 1 end
    if word and (LINKING[word] or NOUNS[word] or TIMES[word] or BYTES[word]) then return nil end
  end
end

local ANSWERS <const> = tables.set({ "samples", "answers", "responses", "generations", "completions", "rollouts", "outputs" })

--- "8 samples per prompt": the answers to each that a group compares.
function things.read_per_prompt(reader, value, text)
  local behind = reader:word(3)
  if not ANSWERS[reader:word(1) or ""] or not reader:is_per_each(2) or not (behind == "prompt" or behind == "question") then return nil end
  return reader:say("completions", value, text) and 4
end

--- "A checkpoint every 1000 steps": no steps of the run.
function things.read_every_steps(reader, value, text)
  if not reader.saved or reader:word(-1) ~= "every" or NOUNS[reader:word(1) or ""] ~= "steps" then return nil end
  return reader:say("every_steps", value, text) and 2
end

-- "100k flux dev images", "1M llama 8b prompts": what a model draws or reads, with its name between.
local function read_of_model(reader, value, text)
  if things.is_billions(reader) or reader:is_cut(1) then return nil end
  local model, length, label = names.model(reader, 1)
  local noun = length and not reader:is_cut(1 + length) and NOUNS[reader:word(1 + length) or ""]
  if noun ~= "requests" and noun ~= "vectors" then return nil end
  reader:say("model", model, label)
  return things.read_count(reader, noun, value, text, 2 + length)
end

-- Requests of one person in a day at most.
local MOST_OF_ONE <const> = 500

-- "200 per developer per day": requests, where nothing says what else is counted.
local function read_of_each(reader, value, text)
  local each = reader:is_per(1) and reader:per_reader(1)
  local seconds, used = nil, nil
  if each then seconds, used = reader:per(1 + each) end
  if not seconds or seconds < TIMES.hour or value > MOST_OF_ONE or reader.facts.requests_per_user_day then return nil end
  reader:note(("'%s per %s' are read as the requests of each user."):format(text, reader:word(2)))
  reader.each_period_s = seconds
  if seconds <= TIMES.hour then reader.each_per_s = value / seconds end
  return reader:say("requests_per_user_day", value / seconds * TIMES.day, text) and 1 + each + used
end

-- "20k users, 5 a day": what each of those who were counted right before asks.
local function read_of_users(reader, value, text)
  local f, seconds, used = reader.facts, reader:per(1)
  if not seconds or seconds < TIMES.day or value > MOST_OF_ONE or not (f.users or f.monthly_users) or f.requests_per_user_day then return nil end
  if NOUNS[reader:word(-1) or ""] ~= "users" and reader:word(-1) ~= "each" then return nil end
  reader:note(("'%s %s' are read as the requests of each user."):format(text, reader:word(used) or ""))
  return reader:say("requests_per_user_day", value / seconds * TIMES.day, text) and 1 + used
end

-- Words of a context, of which lengths may stand alone: "at 2k vs 16k".
local OF_CONTEXT <const> = { "%f[%a]context", "%f[%a]ctx%f[%A]", "%f[%a]seq%a* len", "%f[%a]prompt len" }
local CHOICE <const> = tables.set({ "vs", "versus", "or", "against", "to" })

--- "At 2k vs 16k", where a context is spoken of: the first, and the one beside it.
function things.read_lengths_beside(reader, value, text)
  local other = reader.list[reader.at + 2]
  if reader.list[reader.at].scale ~= "k" or not CHOICE[reader:word(1) or ""] or not (other and other.scale == "k") or not mentions.any(reader.text, OF_CONTEXT) then return nil end
  local word = not reader:is_cut(3) and reader:word(3) or nil
  if reader.facts.seq_len or value > MOST_LENGTH or other.number > MOST_LENGTH or word and not (LINKING[word] or word == "context" or word == "ctx" or word == "tokens") then return nil end
  reader:say("seq_len", value, text)
  reader.at = reader.at + 2
  reader.beside[#reader.beside + 1] = { seq_len = reader:context(other.number) }
  reader.at = reader.at - 2
  return 3 + (word and not LINKING[word] and 1 or 0)
end

-- Words of a change from one number of devices to another.
local CHANGES <const> = { "%f[%a]going%f[%A]", "%f[%a]go%f[%A]", "%f[%a]scal", "%f[%a]mov", "%f[%a]doubl", "what happens", "%f[%a]increas" }

--- "From 64 to 128 GPUs", "64 or 128 H100": two numbers of one device, beside each other.
function things.read_devices_beside(reader, value, text)
  local link = reader:word(1)
  local is_change = link == "to" and reader:word(-1) == "from" and mentions.any(reader.text, CHANGES)
  if not (is_change or link == "or" or link == "vs" or link == "versus") or value % 1 ~= 0 or things.is_billions(reader) then return nil end
  local other = reader:number(2)
  if not other or other % 1 ~= 0 or other == value or reader.list[reader.at + 2].scale ~= "" then return nil end
  if NOUNS[reader:word(3) or ""] ~= "devices" and not names.device(reader, 3) or names.device(reader, 2) then return nil end
  reader.beside[#reader.beside + 1] = { devices = math.tointeger(value) }
  reader.words.devices = text
  return 2
end

-- Whether a word may name anything that nothing else here counts: stores, companies.
local function is_of_no_list(word)
  return word ~= nil and word:find("^%a[%a%-]+$") ~= nil and not (NOUNS[word] or TIMES[word] or BYTES[word] or LINKING[word])
end

-- "20 npcs talking at once": whatever is there at one time.
local function read_at_once(reader, value, text)
  local word = reader:word(1)
  if value % 1 ~= 0 or things.is_billions(reader) or reader:is_cut(1) or not is_of_no_list(word) or not word:find("s$") then return nil end
  if names.device(reader, 1) or names.model(reader, 1) or not once_further(reader, 2) then return nil end
  return reader:say("concurrency", value, text) and 2
end

-- Lengths of whole sequences, as they are written before a k, and the words that say that one is meant where a run is spoken of.
local LENGTHS <const>, AT_LENGTH <const> = tables.set({ 2e3, 4e3, 8e3, 16e3, 32e3, 64e3, 128e3 }), tables.set({ "with", "at", "using" })

-- "Full fine-tuning with 4k sequences": so long each, unless their length stands behind them.
local function is_length_of_run(reader, value)
  local is_run = reader.trained or reader.tuned
  local goes_on = not reader:is_cut(2) and (reader:word(2) == "of" or reader:number(2) or reader:per(2))
  return is_run and reader:word(1) == "sequences" and LENGTHS[value] and AT_LENGTH[reader:word(-1) or ""] and not goes_on
end

--- A number of the noun behind it.
function things.read_with_noun(reader, value, text)
  local at = noun_of(reader)
  local noun = NOUNS[reader:word(at) or ""]
  -- "4k seq" is a length, "4k sequences" are counted, but for those of a run "with 4k sequences".
  if at == 1 and (reader:word(1) == "seq" or reader:word(1) == "sequence") and reader.list[reader.at].scale == "k" then
    return reader:say("seq_len", value, text) and 2
  end
  if at == 1 and not reader.facts.seq_len and is_length_of_run(reader, value) then return reader:say("seq_len", value, text) and 2 end
  local is_named_length = reader:word(1) == "seq-len" or reader:word(1) == "seqlen" -- "2048 seq len"
  if is_named_length and not reader:is_cut(1) and value % 1 == 0 and value <= MOST_LENGTH and not (reader:number(2) and not reader:is_cut(2)) then
    return reader:say("seq_len", value, text) and 2
  end
  if not noun then
    return read_things(reader, value, text) or read_of_model(reader, value, text) or read_of_each(reader, value, text) or read_of_users(reader, value, text) or read_at_once(reader, value, text)
  end
  if not is_own_noun(reader, at) then return nil end
  -- "3k prompts and 1k answers": those are so long, too.
  local is_answer = at == 1 and LENGTH_OF[reader:word(1)] == "output_tokens" and reader.list[reader.at].scale == "k" and value <= MOST_LENGTH and not reader:per(2)
  if is_answer and reader:word(-1) == "and" and reader.facts.input_tokens and not reader.facts.output_tokens then return reader:say("output_tokens", value, text) and 2 end
  -- "3 million embedding requests per day" are requests.
  if noun == "vectors" and NOUNS[reader:word(at + 1) or ""] == "requests" and not reader:is_cut(at + 1) and reader:per(at + 2) then
    return things.read_count(reader, "requests", value, text, at + 2)
  end
  -- "8k prompts" beside a first token that is asked for are so long.
  local is_long = at == 1 and reader:word(1) == "prompts" and reader.list[reader.at].scale == "k" and value <= MOST_LENGTH and not reader:per(2)
  if is_long and not reader.facts.input_tokens and mentions.any(reader.text, OF_FIRST) then return reader:say("input_tokens", value, text) and 2 end
  -- "Two 8-GPU jobs" are of eight each, "8 GPU jobs a day" are eight.
  if noun == "devices" and NOUNS[reader:word(at + 1) or ""] == "jobs" and not reader:is_cut(at + 1) then
    if reader:per(at + 2, true) then return things.read_count(reader, "jobs", value, text, at + 2) end
    return reader:say("devices_per_job", value, text) and at + 2
  end
  if noun == "tokens" then
    local said = reader:word(at - 1)
    if (said == "prompt" or said == "input" or said == "output") and not reader:per(at + 1) then
      local is_all = value > (said == "output" and MOST_ANSWER or MOST_LENGTH)
      reader:say(said == "output" and (is_all and "written_tokens" or "output_tokens") or is_all and "read_tokens" or "input_tokens", value, text)
      return at + 1
    end
    return lengths.read_tokens(reader, value, text, at + 1)
  end
  if reader:word(1) == "daily" and noun == "requests" then
    reader:say("rate_per_s", value / TIMES.day, text)
    return at + 1
  end
  if reader:word(1) == "monthly" and noun == "users" then noun = "monthly_users" end
  return things.read_count(reader, noun, value, text, at + 1)
end

--- "500 stores send 20 images a minute": so many senders, each of what follows.
function things.read_senders(reader, value, text)
  local word = reader:word(1)
  if not is_of_no_list(word) or not vocabulary.SENDS[reader:word(2) or ""] or not reader:number(3) or reader:is_cut(3) then return nil end
  reader.senders = { value = value, text = text .. " " .. word }
  return 3
end

--- "200 LoRA adapters": so many beside a model that is served.
function things.read_adapters(reader, value, text)
  local at = reader:word(1) == "lora" and 2 or 1
  local word = reader:word(at)
  if word ~= "adapters" and word ~= "loras" or value % 1 ~= 0 then return nil end
  return reader:say("adapters", math.tointeger(value), text) and at + 1
end

local DRAFTS <const> = tables.set({ "draft", "drafter", "draft-model" })

-- "an 8B as draft", "1B as the drafter".
local function draft_behind(reader)
  for offset = 2, 3 do
    if DRAFTS[reader:word(offset) or ""] then return true end
  end
  return false
end

--- "A 1B draft": a model that proposes tokens, beside the one that is served.
function things.read_draft(reader, value, text)
  if reader:word(1) == "draft" and NOUNS[reader:word(2) or ""] == "tokens" and not reader:is_cut(2) then
    if reader.drafts then reader.facts.draft_tokens, reader.drafts = value, nil return 3 end
    return reader:say("draft_tokens", value, text) and 3
  end
  local is_either = reader:word(1) == "or" and reader:number(2) and SIZES[reader.list[reader.at + 2].scale] and DRAFTS[reader:word(3) or ""]
  if SIZES[reader.list[reader.at].scale] and (is_either or reader:word(1) == "as" and draft_behind(reader)) then
    reader:note(("The draft model of %s takes no memory and no time here."):format(text))
    return is_either and 2 or 1
  end
  if not SIZES[reader.list[reader.at].scale] or not DRAFTS[reader:word(1) or ""] then return nil end
  reader:note(("The draft model of %s takes no memory and no time here."):format(text))
  return 2
end

--- "20 companies with 500 users each": users in all.
function things.read_groups(reader, value, text)
  local word, link = reader:word(1), reader:word(2)
  local each = is_of_no_list(word) and (link == "with" or link == "of") and reader:number(3)
  if not each or NOUNS[reader:word(4) or ""] ~= "users" or reader:word(5) ~= "each" then return nil end
  reader:note(("%s %s of %g are %g users."):format(text, word, each, value * each))
  return reader:say("users", value * each, text) and 6
end

return things
