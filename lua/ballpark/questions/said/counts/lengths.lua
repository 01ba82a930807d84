-- Numbers of tokens: how long a prompt or an answer is, those of a run, of a batch, and how many come a second.
local errors = require("ballpark.errors")
local labels = require("ballpark.questions.said.labels")
local mentions = require("ballpark.mentions")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")

local lengths = {}

local NOUNS <const>, TIMES <const>, BYTES <const>, NAMED <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.BYTES, vocabulary.NAMED
local FORMATS <const>, LENGTH_OF <const> = vocabulary.FORMATS, vocabulary.LENGTH_OF

-- Batches of fewer are counted in sequences (assumption).
local LEAST_BATCH_TOK <const> = 100000
lengths.LEAST_BATCH_TOK = LEAST_BATCH_TOK
-- More tokens than a text has.
local LONGEST_TEXT <const> = 1e7
lengths.LONGEST_TEXT = LONGEST_TEXT

--- "in a day" and "in 5 days" behind a count are a time; "1000 in, 200 out" are lengths.
function lengths.is_time_behind(reader, at)
  if reader:is_cut(at + 1) then return false end
  local article = reader:word(at + 1) == "a" or reader:word(at + 1) == "an"
  return (article or reader:number(at + 1) ~= nil) and TIMES[reader:word(at + 2) or ""] ~= nil
end

--- Whose length a number behind "of" is: "prompts of 3k tokens", "answers of 150".
function lengths.length_of(reader) return reader:word(-1) == "of" and LENGTH_OF[reader:word(-2) or ""] end

-- More tokens than one text, and more than one answer has.
local MOST_LENGTH <const>, MOST_ANSWER <const> = 1e6, 65536
lengths.MOST_LENGTH = MOST_LENGTH
lengths.MOST_ANSWER = MOST_ANSWER

local BEFORE_LENGTH <const> = tables.set({ "of", "with", "at", "about", "around", "roughly", "approximately", "averaging", "average",
  "each", "is", "are", "has", "have", "having", "mean", "long", "length" })
local MOST_BEFORE_LENGTH <const> = 3
-- Words by which what is written stands behind images: "caption 10M images, 60 tokens each".
local CAPTIONS <const> = mentions.whole({ "captions?", "captioning" })

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
local function length_behind(reader, value, at, is_unit)
  if value > MOST_LENGTH or reader:is_cut(at) or not is_unit and BEFORE_LENGTH[reader:word(at + 1) or ""] then return nil end
  return LENGTH_OF[reader:word(at) or ""]
end

-- Words between a length and what is so long: "10k token reasoning answers".
local ADJECTIVES <const> = tables.set({ "reasoning", "thinking", "long", "short", "average", "typical", "final", "generated", "chat", "user", "user's", "rag" })

-- The same over a word of them.
local function length_further(reader, value, at)
  local of = length_behind(reader, value, at, true)
  if of then return of, at + 1 end
  if not ADJECTIVES[reader:word(at) or ""] or reader:is_cut(at) then return nil end
  of = length_behind(reader, value, at + 1, true)
  return of, at + 2
end

-- Words before tokens that are written, that a model reads, and what may stand between.
local WRITES <const> = tables.set({ "generate", "generates", "generating", "generated", "generation", "produce", "produces", "producing",
  "write", "writes", "writing", "output", "outputs", "decode", "decodes", "decoding", "emit", "emits", "sample", "sampling",
  "synthesize", "synthesise" })
local READS <const> = tables.set({ "inference", "infer", "process", "processes", "processing", "score", "scoring" })
local WORK_LINKS <const> = tables.set({ "of", "on", "over", "for", "about", "around", "roughly", "up", "to", "total", "a", "the", "another" })
local DATA <const> = tables.set({ "synthetic", "data", "dataset", "data-set", "training", "text", "corpus" })
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
  -- "generate synthetic data 10B tokens"
  local first = offset
  while DATA[reader:word(first) or ""] and not reader:is_cut(first + 1) do first = first - 1 end
  if first < offset and value > MOST_ANSWER and (WRITES[reader:word(first) or ""] or reader:word(first + 1) == "synthetic") then return "written_tokens" end
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

--- Whether a word before tokens says that they are read or written: "input", "output".
function lengths.is_direction(word) return word ~= nil and (vocabulary.LENGTHS[word] ~= nil or WRITES[word] == true) end

-- "output tokens per second", "tokens/s of output", "tokens/s decode": tokens that are written; how many words say it behind.
local function written_behind(reader, noun_end, at)
  local before, word = reader:word(noun_end - 2), not reader:is_cut(at) and reader:word(at) or nil
  if WRITES[before or ""] then return 0 end
  if word == "of" and WRITES[reader:word(at + 1) or ""] then return 2 end
  if word == "out" then return 1 end
  return WRITES[word or ""] and not reader:number(at + 1) and 1 or nil
end

-- Words of prompts and of answers in a rate of tokens.
local OF_PROMPTS <const>, OF_ANSWERS <const> = tables.set({ "in", "input", "prompt", "prompts" }), tables.set({ "out", "output", "written", "generated" })

-- Keeps that a rate of tokens is that of prompts, for one of answers beside it: "2M tokens per minute in and 200k out"; how many
-- words say it behind.
local function note_prompts(reader, noun_end, at, seconds)
  local behind = not reader:is_cut(at) and OF_PROMPTS[reader:word(at) or ""] and not reader:number(at + 1) and 1 or 0
  if behind > 0 or OF_PROMPTS[reader:word(noun_end - 2) or ""] then reader.prompts_every_s = seconds end
  return behind
end

--- "200k out", "300k output tokens" behind a rate of prompts: what is written in the same time.
function lengths.read_written_beside(reader, value, text)
  local seconds = reader.prompts_every_s
  if not seconds or reader.facts.output_tokens_per_s then return nil end
  local at = NOUNS[reader:word(1) or ""] == "tokens" and 2 or 1
  if not OF_ANSWERS[reader:word(at) or ""] or reader:is_cut(at) then return nil end
  if at == 1 and NOUNS[reader:word(2) or ""] == "tokens" and not reader:is_cut(2) then at = 2 end
  if reader:per(at + 1) then return nil end
  return reader:say("output_tokens_per_s", value / seconds, text) and at + 1
end

-- "250k TPM peak", but not "peak over mean 3" and not "a peak of 3x", which say a ratio.
local function is_peak_behind(reader, at)
  if not vocabulary.PEAKS[reader:word(at) or ""] or reader:is_cut(at) then return false end
  local further = reader:word(at + 1) == "of" and at + 2 or at + 1
  return reader:is_cut(at + 1) or reader:word(at + 1) ~= "over" and not reader:number(further)
end

-- Words of a speed at which people read: it may be said by the minute. What else each of them has by the minute is a quota of
-- what is asked; by the second it is how fast an answer is written.
local OF_READING <const> = { "%f[%a]reads?%f[%A]", "%f[%a]reading", "%f[%a]speed" }

-- What is read one at a time, by the word for one.
local READ <const> = tables.set({ "page", "pdf", "document", "doc", "file", "article", "email", "ticket", "record", "review", "paragraph", "passage", "chunk", "invoice", "book", "report", "transcript" })

--- What a count of tokens is: a speed, a length or those of the whole run.
function lengths.read_tokens(reader, value, text, at)
  local of_param = reader:is_per(at) and NOUNS[reader:word(at + 1) or ""] == "params"
  if of_param then
    reader.tokens_per_param = { value = value, text = text }
    return at + 2
  end
  local seconds, used = reader:per(at)
  if seconds and lengths.length_of(reader) then
    -- "texts of 512 tokens per second": what comes by the second are texts.
    reader:say(lengths.length_of(reader), value, text)
    return at + used
  elseif seconds then
    local is_quota = seconds >= TIMES.minute and reader.lenient and not mentions.any(reader.text, OF_READING)
    local each = reader:per_reader(at + used) or (seconds == 1 or is_quota) and reader:is_of_each() and 0
    if each and not is_quota then
      reader:say("tpot_s", seconds / value, text)
      return at + used + each
    end
    -- "500 tokens/s for a single user": what one sees, who is counted behind it.
    if seconds == 1 and reader:word(at + used) == "for" and reader:number(at + used + 1) == 1 and vocabulary.READERS[reader:word(at + used + 2) or ""] then
      return reader:say("tpot_s", seconds / value, text) and at + used
    end
    local behind = reader:per_device(at + used)
    local written = not behind and written_behind(reader, at, at + used)
    local name = behind and "tokens_per_s_device" or written and "output_tokens_per_s" or "tokens_per_s"
    reader:say(name, value / seconds, text)
    if each then reader.tokens_of_each = name end
    at = at + used + (each or behind or written or note_prompts(reader, at, at + used, seconds))
    local peak = is_peak_behind(reader, at)
    reader.is_peak_of_tokens = reader.is_peak_of_tokens or peak or reader:named(vocabulary.PEAKS) ~= nil
    return peak and at + 1 or at
  end
  -- "700 tokens a page": the length of each of what is read.
  if reader:is_per_each(at) and not reader:is_cut(at) and READ[reader:word(at + 1) or ""] and value < LONGEST_TEXT then
    return reader:say("input_tokens", value, text) and at + 2
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
  local adjective = reader:word(at - 1) == "token" or reader:word(at - 1) == "tok" or reader:word(at - 1) == "tokens" and ADJECTIVES[reader:word(at) or ""]
  local of, further = nil, nil
  if adjective then of, further = length_further(reader, value, at) end
  if of then
    reader:say(of, value, text)
    return further
  end
  -- "12 messages each, 800 tokens context": what stands behind says which length it is; not so "500 tokens in 20 minutes".
  of = (word == "in" or not DIRECTIONS[word or ""]) and length_of_tokens(reader, value) or becomes(reader, value) and "output_tokens"
    or word == "each" and value < LONGEST_TEXT and (mentions.any(reader.text, CAPTIONS) and "output_tokens" or "input_tokens")
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
  elseif word == "in" and value < LONGEST_TEXT and not lengths.is_time_behind(reader, at) and not (FORMATS[reader:word(at + 1) or ""] and not reader:is_cut(at + 1))
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

-- Fewer tokens of a prompt or an answer are a share: "3/4 of them".
local LEAST_OF_PAIR <const> = 16

--- "1k/300", "1024/128": lengths of prompts and answers, as benchmarks write them.
function lengths.read_pair(reader, value, text)
  local answer, behind = reader:word(1) == "/" and not reader:is_cut(1) and reader:number(2), reader:word(3) or ""
  if not answer or reader.trained or reader.tuned or reader.facts.input_tokens or reader.facts.output_tokens then return nil end
  if math.min(value, answer) < LEAST_OF_PAIR or math.max(value, answer) > MOST_LENGTH then return nil end
  if not reader:is_cut(3) and (TIMES[behind] or BYTES[behind] or NOUNS[behind] and NOUNS[behind] ~= "tokens") then return nil end
  reader:say("input_tokens", value, text)
  reader:say("output_tokens", answer, reader.list[reader.at + 2].text)
  return NOUNS[behind] == "tokens" and not reader:is_cut(3) and 4 or 3
end

--- "3 to 1 input to output": tokens of prompts for each of answers, whatever lengths they have.
function lengths.read_ratio(reader, value)
  local output = reader:word(1) == "/" and reader:number(2)
  if reader:word(-1) ~= vocabulary.INPUT_PER_OUTPUT or not output or output <= 0 or value <= 0 then return nil end
  reader.input_per_output = value / output
  return 3
end

-- Most words from the length of an answer to the word for it: "10k token reasoning answers".
local MOST_TO_ANSWER <const> = 3

--- "1k prompts and 10k token answers": the length of prompts beside that of answers, and not how many there are.
function lengths.read_beside_answers(reader, value, text)
  local word, answer = reader:word(1), reader:word(2) == "and" and reader:number(3)
  if word ~= "prompts" and word ~= "inputs" or reader:is_cut(1) or not answer or value > MOST_LENGTH or answer > MOST_ANSWER then return nil end
  if reader.list[reader.at].scale ~= reader.list[reader.at + 3].scale then return nil end
  for offset = 4, 4 + MOST_TO_ANSWER do
    if reader:is_cut(offset) or reader:per(offset) then return nil end
    if LENGTH_OF[reader:word(offset) or ""] == "output_tokens" then return reader:say("input_tokens", value, text) and 2 end
  end
end

-- Words before what prompts have in common, and what they begin with.
local COMMON <const> = vocabulary.COMMON
local BEFORE_COMMON <const> = tables.set({ "are", "is", "of", "a", "an", "the", "long", "all" })
local BEGINNINGS <const> = tables.set({ "prefix", "prefixes", "system", "prompt", "beginning", "preamble" })
local MOST_BEFORE_COMMON <const> = 3

--- "8k are a shared prefix", "a 6k-token shared system prompt", "of which 2000 tokens are cached": what prompts have in common.
function lengths.read_prefix(reader, value, text)
  if value > MOST_LENGTH or reader.trained or reader.tuned then return nil end
  local first = NOUNS[reader:word(1) or ""] == "tokens" and 2 or 1
  local at, verb = first, reader:word(first)
  while at - first < MOST_BEFORE_COMMON and BEFORE_COMMON[reader:word(at) or ""] and not reader:is_cut(at) do at = at + 1 end
  local is_common = COMMON[reader:word(at) or ""] and not reader:is_cut(at)
  if is_common then at = at + 1 end
  local behind = at
  while BEGINNINGS[reader:word(at) or ""] and not reader:is_cut(at) do at = at + 1 end
  local last = reader:word(at - 1)
  local is_named = at > behind and (is_common or last == "prefix" or last == "prefixes")
  local is_part = is_common and reader:word(-1) == "which" -- "4k prompts, of which 3k shared"
  if not (is_named or is_part or is_common and (verb == "are" or verb == "is")) then return nil end
  return reader:say("prefix_tok", value, text) and at
end

-- Words between "system prompt" and its length.
local OF_SYSTEM <const> = tables.set({ "of", "is", "has", "with", "=", "about", "around", "roughly", "a", "the", "at" })
local MOST_OF_SYSTEM <const> = 4

--- "A 2k-token system prompt", "the system prompt is 3k tokens": what is sent before every question, and is the same in all.
function lengths.read_system(reader, value, text)
  if value > MOST_LENGTH or reader.trained or reader.tuned or reader.system then return nil end
  local at, back = NOUNS[reader:word(1) or ""] == "tokens" and 2 or 1, -1
  if reader:word(at) == "long" then at = at + 1 end
  while back > -MOST_OF_SYSTEM and OF_SYSTEM[reader:word(back) or ""] do back = back - 1 end
  local is_behind = reader:word(at) == "system" and reader:word(at + 1) == "prompt" and not reader:is_cut(at)
  local is_apart = reader:is_cut(0) and not reader.list[reader.at].is_named
  local is_before = not is_apart and reader:word(back) == "prompt" and reader:word(back - 1) == "system" and not reader:per(at)
  if not (is_behind or is_before) then return nil end
  reader.system = { value = value, text = text }
  return is_behind and at + 2 or at
end

-- "Prompt 2k, answer 300", "in 1500, out 300": numbers that stand alone behind them.
local LABELS <const> = vocabulary.LENGTHS
local SINGLE_LENGTH <const> = tables.with(LABELS, { ["in"] = "input_tokens", out = "output_tokens" })
lengths.SINGLE_LENGTH = SINGLE_LENGTH

local BETWEEN_LABEL <const> = tables.set({ "=", "length", "len", "tokens", "of" })

-- Words behind a number which are the unit of a length, or begin the next one.
local function ends_length(reader, at) return reader:number(at) ~= nil or labels.ends(reader, at) end

--- "Prompt 2k", "in 1500": a length by the label before it.
function lengths.read_labelled(reader, value, text)
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

--- Whether a batch of so many is counted in tokens, not in sequences.
function lengths.is_batch_of_tokens(name, value) return (name == "batch" or name == "global_batch") and value >= LEAST_BATCH_TOK end

--- "500-word answers", "1 trillion words": as tokens.
function lengths.read_words(reader, value, text)
  local word = reader:word(1)
  if word ~= "words" and word ~= "word" or value <= 1 then return nil end
  local tokens = math.floor(value / vocabulary.WORDS_OF_TOKEN + 0.5)
  reader:note(("%s words are read as %s: %g words a token (assumption)."):format(text, units.format(tokens, "tok"), vocabulary.WORDS_OF_TOKEN))
  local length = word == "word" and length_behind(reader, tokens, 2, true)
  if length then return reader:say(length, tokens, text) and 3 end
  return lengths.read_tokens(reader, tokens, text, 2)
end

return lengths
