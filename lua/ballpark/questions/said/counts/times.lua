-- Numbers of seconds: latencies, deadlines, how often.
local labels = require("ballpark.questions.said.labels")
local mentions = require("ballpark.mentions")
local sound = require("ballpark.questions.said.counts.sound")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")

local times = {}

local NOUNS <const>, TIMES <const>, TIME_OF <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.TIME_OF

-- Longer times without words around them are those of a run, not latencies (assumption).
local LONGEST_LATENCY <const> = 60

-- P4, P40 and P100 are cards.
local LEAST_PERCENTILE <const> = 50
times.LEAST_PERCENTILE = LEAST_PERCENTILE

--- The percentile that a word names: "p99".
function times.percentile_of(word)
  local percentile = tonumber(word and word:match("^p(%d+%.?%d*)$"))
  return percentile and percentile >= LEAST_PERCENTILE and percentile < 100 and percentile or nil
end

local ANSWERS <const> = tables.set({ "answer", "answers", "response", "responses", "reply", "replies", "completion", "completions" })
local BEFORE_ANSWER <const> = tables.set({ "for", "an", "a", "the", "each", "every", "whole", "full", "complete", "entire", "token", "tokens", "per" })

-- "Under 2 seconds for a 500-token answer": the time is that of the whole answer.
local function is_of_answer(reader, at)
  if reader:word(at) ~= "for" and reader:word(at) ~= "per" then return false end
  while not reader:is_cut(at) and (BEFORE_ANSWER[reader:word(at) or ""] or reader:number(at)) do at = at + 1 end
  return not reader:is_cut(at) and ANSWERS[reader:word(at) or ""] or false
end

-- Names of times that are no deadline, no latency and no length of a run, and what may stand between.
local OTHER_TIMES <const> = tables.set({ "mtbf", "mttf", "mttr", "failure", "failures", "restart", "restarts", "recovery", "outage",
  "warmup", "warm-up", "startup", "loading", "checkpoint" })
local OTHER_LINKS <const> = tables.with(vocabulary.TIME_LINKS, { takes = true, take = true, taking = true, lasts = true })
-- Of those the ones that say how checkpoints are written.
local OF_SAVING <const> = { mtbf = "mtbf_s", mttf = "mtbf_s", checkpoint = "write_s", checkpointing = "write_s", save = "write_s", saving = "write_s",
  write = "write_s", writing = "write_s" }
local ONE_ASKED <const> = tables.set({ "request", "query", "question", "prompt", "message", "call" })
local WITH_TIMES <const> = tables.set({ "checkpoint", "checkpoints", "failure", "failures", "saved" })

-- Words behind the time of a whole answer: "6 seconds total".
local WHOLE <const> = tables.set({ "total", "overall", "altogether" })

-- Whether a time is one that no question has a place for: "MTBF of 10 days", "8 hours a day", "500 hours of video".
local function is_other(reader, value, at)
  if reader:named(OTHER_TIMES, OTHER_LINKS) then return true end
  if reader:is_cut(at) then return false end
  return value >= TIMES.minute and reader:per(at) ~= nil or reader:word(at) == "of" and vocabulary.FILMS[reader:word(at + 1) or ""] == true
end

--- How often something comes: "a request every 3 seconds" of all, else of what is counted; that of each user is settled when
--- all is read.
---@param what string|nil the word before
function times.say_every(reader, value, text, what)
  if ONE_ASKED[what or ""] and not reader.facts.rate_per_s then
    reader.single_rate = { per_s = 1 / value }
    return reader:say("rate_per_s", 1 / value, text)
  end
  return reader:say("every_s", value, text)
end

-- What stands between words of thinking and their time.
local THINKS <const> = vocabulary.THINKS
local THINK_LINKS <const> = tables.with(vocabulary.TIME_LINKS, tables.set({ "for", "a", "about", "around" }))

-- Words of a model that thinks, and of thinking that is a part of the answer.
local OF_MODEL <const> = { "reasoning", "model [%a ]*think", "thinking model", "thinking included", "including [%a ]*thinking", "thinking tokens" }

-- "A think time of 20 s", "20 s of thinking", "20 s think time": how many words of it stand behind; nil where none does.
local function thought(reader, at)
  if reader:named(THINKS, THINK_LINKS) then return 0 end
  if reader:is_cut(at) then return nil end
  local first = reader:word(at) == "of" and 1 or 0
  if not THINKS[reader:word(at + first) or ""] then return nil end
  return first + (reader:word(at + first + 1) == "time" and not reader:is_cut(at + first + 1) and 2 or 1)
end

--- A time that people think before they ask again, and so are there all the time: how many words; nil where it is none.
function times.read_thinking(reader, value, text, at)
  local behind = reader.lenient and not mentions.any(reader.text, OF_MODEL) and thought(reader, at)
  if not behind then return nil end
  reader.has_thinkers = true
  return reader:say("interval_s", value, text) and at + behind
end

-- Words of a part of a day in which people ask.
local OF_DAY <const> = tables.set({ "day", "days", "workday", "workdays", "shift", "shifts", "window", "windows" })
local DURING <const>, WORKING <const> = tables.set({ "within", "in", "over", "during", "for" }), tables.set({ "working", "work", "business", "office" })
local OF_JOBS <const>, WORK <const> = { "jobs_per_s", "jobs_per_user_day" }, { "items", "vectors", "examples", "audio_s" }
local ASKED_BY <const> = { "users", "monthly_users", "concurrency", "requests_per_user_day" }

-- "An 8 hour day", "a working day of 8 hours", "25 questions a day (each) within 8 hours" of users: hours of a day in which they ask,
-- which is no deadline and no SLO; how many words stand behind the time.
local function hours_of_day(reader, value, at)
  if value < TIMES.hour or value > TIMES.day or reader.trained or reader.tuned or tables.has_any(reader.facts, OF_JOBS) then return nil end
  local has_users = tables.has_any(reader.facts, ASKED_BY)
  if tables.has_any(reader.facts, WORK) and not has_users then return nil end -- what is done once has a deadline
  local first = not reader:is_cut(at) and WORKING[reader:word(at) or ""] and 1 or 0
  if not reader:is_cut(at) and OF_DAY[reader:word(at + first) or ""] then return first + 1 end
  local before, back = reader:word(-1) or "", reader:word(-2) == "each" and -3 or -2
  local day = reader:word(back) or ""
  if before == "of" and OF_DAY[day] and not reader:is_cut(-1) then return 0 end
  return has_users and DURING[before] and (vocabulary.EVERY[day] or day == "day" and reader:per(back - 1)) and 0 or nil
end

--- A time by the words around it; without any, short ones are latencies and long ones that of the run.
function times.read_time(reader, value, text, at)
  local behind, before = reader:word(at), reader:word(-1)
  local after = sound.sound_at(reader, at)
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
    return times.say_every(reader, value, text, reader:word(-2)) and at
  elseif before == "each" and (WITH_TIMES[reader:word(-2) or ""] or reader.saved and reader:number(-2)) then
    reader:say("every_s", value, text)
    return at
  end
  local of_saving = reader.saved and reader:named(OF_SAVING, OTHER_LINKS)
  if of_saving and not (reader:per(at) and value >= TIMES.minute) then return reader:say(of_saving, value, text) and at end
  if is_other(reader, value, at) then return nil end
  local of_day = reader.lenient and hours_of_day(reader, value, at)
  if of_day then
    reader:say("day_s", value, text)
    reader.words.day_s = ("%s of a day"):format(units.format(value, "s"))
    return at + of_day
  end
  if before == "/" or before == "per" then behind = nil end
  if behind == "between" and NOUNS[reader:word(at + 1) or ""] == "tokens" then return reader:say("tpot_s", value, text) and at + 2 end
  local of_thinking = times.read_thinking(reader, value, text, at)
  if of_thinking then return of_thinking end
  if behind == "between" and vocabulary.ASKED[reader:word(at + 1) or ""] then
    reader:say("interval_s", value, text)
    return at + 2
  end
  local percentile = times.percentile_of(behind) or times.percentile_of(before)
  if percentile then reader:say("percentile", percentile, text) end
  -- "6 h, wait under 30 min": what stands behind a comma belongs to the next.
  local next_token = reader.list[reader.at + at]
  if next_token and next_token.is_cut then behind = nil end
  -- "ttft 500 ms tpot 30 ms": each stands before its number.
  local named = reader:named(TIME_OF, vocabulary.TIME_LINKS)
  local is_next = behind and TIME_OF[behind] and named and named ~= "slo_s" and labels.heads(reader, at)
  if is_next then behind = nil end
  local name = TIME_OF[behind or ""] or named
  if name == "within_s" and before == "within" and not reader:is_cut(-1) then name = TIME_OF[reader:word(-2) or ""] or name end -- "ttft within 1 s"
  if (behind == "/" or behind == "per") and NOUNS[reader:word(at + 1) or ""] == "tokens" then
    name, at = "tpot_s", at + 2
  elseif (behind == "/" or behind == "per" or behind == "a") and reader:word(at + 1) == "step" then
    name, at = "step_s", at + 2
  elseif behind and TIME_OF[behind] then
    at = at + 1
  elseif before == "horizon" or before == "over" then
    name = "horizon_s"
  end
  if (not name or name == "slo_s") and value < LONGEST_LATENCY and is_of_answer(reader, at) then name = "e2e_s" end
  if (not name or name == "slo_s") and value < LONGEST_LATENCY and WHOLE[reader:word(at) or ""] and not reader:is_cut(at) then name, at = "e2e_s", at + 1 end
  reader:say(name or (value < LONGEST_LATENCY and "slo_s" or "time_s"), value, text)
  return at
end

return times
