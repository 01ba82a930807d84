-- What free words say of a system: "7B on 1T tokens, 512 A100, 5 days" is params, tokens, device, devices and time_s. Every
-- number is read by the words beside it (counts.lua). Of a claim a number that nothing reads is an error: half a claim is
-- none. Of a prompt it is listed as not read.
local counts = require("ballpark.questions.said.counts")
local currencies = require("ballpark.catalog.currencies")
local data_sets = require("ballpark.catalog.data_sets")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local labels = require("ballpark.questions.said.labels")
local machines = require("ballpark.questions.said.counts.machines")
local mentions = require("ballpark.mentions")
local models = require("ballpark.catalog.models")
local names = require("ballpark.questions.said.names")
local networks = require("ballpark.questions.said.counts.networks")
local order = require("ballpark.questions.said.order")
local near = require("ballpark.near")
local reader_of = require("ballpark.questions.said.reader")
local settled = require("ballpark.questions.said.settled")
local subjects = require("ballpark.questions.said.subjects")
local tables = require("ballpark.tables")
local things = require("ballpark.questions.said.counts.things")
local times = require("ballpark.questions.said.counts.times")
local tokens = require("ballpark.questions.said.tokens")
local units = require("ballpark.units")
local variants = require("ballpark.catalog.models.variants")
local vocabulary = require("ballpark.questions.said.vocabulary")

local grammar = {}

local NOUNS <const>, TIMES <const>, BYTES <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.BYTES

-- A question in words is a few sentences. Each word may begin a name of any of the catalogs, which takes time.
grammar.MOST_BYTES = 4096

-- Words that say how a thing is asked, and no fact: what is read and not said here is listed as not read.
local PLAIN <const> = require("ballpark.questions.said.plain_words").is

-- Words that turn what stands behind them into something else: where no fact is made of one, it is listed with what it turns.
local TURNING <const> = tables.set({ "no", "not", "without", "never", "except", "excluding", "only" })

-- The same of a word, which goes on with the one before it, and with what turns it: "no bursts".
local function list_unread(reader, text)
  local last = reader.unread[#reader.unread]
  if last and last.at == reader.at - 1 then
    last.text, last.at = last.text .. " " .. text, reader.at
  elseif TURNING[reader:word(-1) or ""] and not reader:is_cut(0) then
    reader.heard[reader.at - 1] = true
    reader:list_apart(reader:word(-1) .. " " .. text)
  else
    reader:list_apart(text)
  end
end

-- Shorter words have neighbours that mean something else: "code" is no "node".
local LEAST_TYPED <const> = 5

local is_known, NOUN_LIST <const> = nil, tables.sorted_keys(NOUNS)

-- The noun behind a number that is one but for a slip of the finger is taken for it, and that is said.
local function mend_noun(reader)
  local token = reader.list[reader.at + 1]
  local word = token and token.word
  if not word or #word < LEAST_TYPED or NOUNS[reader:word(2) or ""] or is_known(word) or names.device(reader, 1) or names.model_of(word) then return end
  local meant = near.typo(word, NOUN_LIST)
  if not meant then return end
  reader:note(("'%s' is read as '%s'."):format(word, meant))
  token.word = meant
end

-- What is near a number that nothing reads.
local function refuse_number(token, word)
  local known = tables.sorted_keys(NOUNS)
  table.move(devices.known(), 1, #devices.known(), #known + 1, known)
  local meant = word and near.name(word, known)
  errors.input("'" .. token.text .. (word and " " .. word or "") .. "'", "is not understood" .. (meant and meant ~= word
    and (", did you mean '" .. meant .. "'?") or ": say what it counts, as in '7B', '1T tokens', '512 A100', '5 days'"))
end

-- Words behind a number that nothing reads, which say what it is of: "80 % shared prefix", "40 MB of photos".
local MOST_BEHIND <const> = 3

local function says_of(reader, offset)
  local word, bytes = reader:word(offset) or "", BYTES[reader:word(1) or ""]
  if word == "%" or offset == 1 and (bytes or TIMES[word]) or offset <= MOST_BEHIND and bytes and (word == "of" or reader:word(offset - 1) == "of") then return true end
  return not is_known(word) and not names.device(reader, offset) and not names.model(reader, offset)
end

local function with_noun(reader)
  local words = { reader.list[reader.at].text }
  for offset = 1, MOST_BEHIND do
    local token = reader.list[reader.at + offset]
    if not token or token.is_cut or not token.word or not says_of(reader, offset) then break end
    words[#words + 1] = token.text
  end
  return (table.concat(words, " "):gsub(" %%", " %%")), #words
end

-- Words before a number in words that speak of things which were said: "the two cards".
local SPOKEN_OF <const> = tables.set({ "the", "these", "those", "both", "of", "all", "either", "which" })

-- Whether a number in words counts the things behind it: "two languages", but not "one matrix", "the two".
local function counts_something(reader)
  local word = not reader:is_cut(1) and reader:word(1) or nil
  return reader.lenient and reader.list[reader.at].number >= 2 and word ~= nil and word:find("^%a+s$") ~= nil
    and not TIMES[word] and not SPOKEN_OF[reader:word(-1) or ""]
end

-- Whether a number in words counts models of a size, of which one is read: "two 7B models".
local function counts_models(reader)
  local size = reader.list[reader.at + 1]
  return reader.lenient and reader.list[reader.at].number >= 2 and size ~= nil and size.scale == "b" and not size.is_cut
    and reader:word(2) == "models" and not SPOKEN_OF[reader:word(-1) or ""]
end

-- A number that is written as a word is often no number: "one matrix". Of others nothing may be left out.
local function not_understood(reader)
  local token, word = reader.list[reader.at], reader:word(1)
  if token.spelled then
    if token.scale ~= "" or token.number < 1 then
      list_unread(reader, token.text)
    elseif counts_models(reader) then
      reader:list_apart(("%s %s models"):format(token.text, reader.list[reader.at + 1].text))
      return 1
    elseif counts_something(reader) then
      reader:list_apart(token.text .. " " .. reader.list[reader.at + 1].text)
      return 2
    end
    if TIMES[word or ""] and not reader:is_cut(1) then list_unread(reader, token.text .. " " .. word) end
    return 1
  end
  if not reader.lenient then refuse_number(token, word) end
  local text, length = with_noun(reader)
  list_unread(reader, text)
  reader.unread[#reader.unread].at = reader.at + length - 1
  reader.unread_numbers = reader.unread_numbers + 1
  return length
end

-- "half the budget", "a third of the traffic", "cut it in half": how many words, where it is one.
local function read_factor(reader)
  if reader:word(0) == "in" and reader:word(1) == "half" or reader:word(0) == "halve" then
    reader.factors.budget = 0.5
    return reader:word(0) == "in" and 2 or 1
  end
  local factor, at = vocabulary.FACTORS[reader:word(0)], 1
  if not factor then return nil end
  if factor < 1 and reader:stopped(1) then return reader:say("pruned_frac", factor, reader:word(0)) and 1 + reader:stopped(1) end
  while reader:word(at) == "the" or reader:word(at) == "of" or reader:word(at) == "our" do at = at + 1 end
  local changed = vocabulary.CHANGED[reader:word(at) or ""]
  if not changed or (at == 1 and reader:word(0) ~= "double" and reader:word(0) ~= "triple") then return nil end
  -- "Double the data: 4T tokens": what stands behind the colon is what comes of it.
  local behind = reader.list[reader.at + at + 1]
  if not (behind and behind.is_cut and behind.is_named) then reader.factors[changed] = factor end
  return at + 1
end

-- How often something comes again, where it is no rate of what is counted.
local EVERY_ALONE <const> = tables.set({ "daily", "hourly", "weekly", "yearly", "annually" })

-- Who asks, and what they do: words before how often each of them does it, so many at most.
local ASKS <const> = tables.set({ "each", "everyone", "everybody", "ask", "asks", "asking", "send", "sends", "sending", "query", "queries", "querying",
  "request", "requests", "question", "prompt", "message", "call", "calls", "calling", "chat", "chats", "chatting", "talk", "talks", "talking",
  "type", "types", "prompts", "messages", "use", "uses", "used", "using" })
local USES <const> = tables.set({ "use", "uses", "used", "using" })
local MOST_TO_HOW_OFTEN <const> = 4

-- Whether what is said to come so often is what somebody asks. Who "uses it every day" is there every day.
local function is_asked(reader, word, seconds, used)
  if NOUNS[reader:word(-1) or ""] == "users" or reader:word(used) == "each" and not reader:is_cut(used) then return true end
  for offset = -1, -MOST_TO_HOW_OFTEN, -1 do
    local before = reader:word(offset) or ""
    if ASKS[before] then return not (USES[before] and word == "every" and seconds >= TIMES.day) end
    if reader:is_cut(offset) then return false end
  end
  return false
end

-- "Each asks once a minute", "a checkpoint twice a day"; a number behind it is what comes so often.
local function read_how_often(reader)
  local word = reader:word(0)
  local seconds, used = reader:how_often(0)
  if not seconds or reader:word(-1) == "at" then return nil end
  local is_before = reader:number(used) and not reader:is_cut(used)
  if is_before and things.COMES[NOUNS[reader:word(used + 1) or ""] or ""] then return nil end
  local words = {}
  for offset = 0, used - 1 do words[offset + 1] = reader.list[reader.at + offset].text end
  local text = table.concat(words, " ")
  if reader.saved then return reader:say("every_s", seconds, text) and used end
  if not is_before and is_asked(reader, word, seconds, used) then return times.say_every(reader, seconds, text, reader:word(-1)) and used end
  if seconds >= TIMES.day and not is_before and not reader.period then
    reader.period = { value = seconds, text = text, is_listed = word ~= "every" }
    return used
  end
  if word == "every" and seconds >= TIMES.day then return nil end
  list_unread(reader, text)
  return used
end

-- How often checkpoints are written: "daily for a month".
local function read_saving(reader, word)
  return EVERY_ALONE[word] and not reader.facts.every_s and reader:say("every_s", vocabulary.EVERY[word], word) and 1
end

-- "in a day", "within an hour", "in one week": a time that says no number.
local function read_single_time(reader)
  local word, article = reader:word(0), reader:word(1)
  local used = read_how_often(reader) or reader.saved and read_saving(reader, word)
  if used then return used end
  local is_thought = (word == "a" or word == "an") and TIMES[article or ""] and not reader:is_cut(1)
  if is_thought and TIMES[article] < TIMES.day then
    used = times.read_thinking(reader, TIMES[article], word .. " " .. article, 2) -- "each thinks for a minute"
    if used then return used end
  end
  local is_for = word == "for" -- "for a year", but not "wait for a second"
  if not (word == "in" or word == "within" or word == "under" or is_for) or not (article == "a" or article == "an") then return nil end
  local seconds = TIMES[reader:word(2) or ""]
  if not seconds or is_for and seconds < TIMES.day then return nil end
  if seconds == TIMES.day and reader:word(3) == "of" and reader:number(4) then return nil end -- "in a day of 8 hours"
  reader:say(word == "within" and "within_s" or "time_s", seconds, table.concat({ word, article, reader:word(2) }, " "))
  return 3
end

-- Words that stand beside a number and say what it is, and those that name a kind of question.
function is_known(word)
  return PLAIN[word] or TIMES[word] or BYTES[word] or vocabulary.FLOPS[word] or NOUNS[word] or vocabulary.TIME_OF[word] or vocabulary.THINKS[word]
    or vocabulary.NAMED[word] or vocabulary.LENGTHS[word] or vocabulary.LINKS[word] or vocabulary.PASSED[word] or vocabulary.MONEY[word] or vocabulary.EVERY[word]
    or currencies[word] or vocabulary.READERS[word] or vocabulary.BESIDE[word] or vocabulary.COMMON[word] or word:find("^[/%%$=]$") or word == "growing" or word == "growth" or word == vocabulary.INPUT_PER_OUTPUT
end

local SUBJECT_WORDS <const> = {}
for _, subject in ipairs(subjects) do
  for _, phrases in pairs(subject[2]) do
    for _, phrase in ipairs(phrases) do
      for word in phrase:gmatch("%S+") do SUBJECT_WORDS[word] = true end
    end
  end
end

-- Words of times that questions about checkpoints have a place for.
local FAILURES <const> = tables.set({ "mtbf", "mttf" })

-- A word that neither is a fact nor stands beside one.
local function not_read(reader)
  local word = reader:word(0)
  local is_work = reader.tuned or reader.facts.vectors or reader.facts.items
  if (EVERY_ALONE[word] and is_work or word == "nightly") and not reader.period then
    reader.period = { value = vocabulary.EVERY[word], text = word, is_listed = true }
    return 1
  end
  if TURNING[word] and reader:word(-1) ~= "why" then reader.turning[#reader.turning + 1] = reader.at end
  if reader.saved and FAILURES[word] then return 1 end
  if EVERY_ALONE[word] or not is_known(word) and not SUBJECT_WORDS[word] then list_unread(reader, reader.list[reader.at].text) end
  return 1
end

local function read_model(reader)
  local name, length, label = names.model(reader, 0)
  if not name then return nil end
  reader:say("model", name, label)
  local gguf = label:gsub("%-gguf$", ""):match("%f[%w](i?q%d[%w_]*)$")
  local format = gguf or label:match("%f[%w](awq)%f[%W]") or label:match("%f[%w](gptq)%f[%W]")
    or label:match("%f[%w](qat)%f[%W]") or variants.format(label)
  if format then reader:say("weights", format, label) end
  return length
end

-- "full fine-tune": all weights are trained.
local function read_method(reader)
  local word, behind = reader:word(0), reader:word(1)
  local method = vocabulary.METHODS[word]
  if method and reader:is_denied() then
    reader:deny("method", method)
    return 1
  end
  if method then return reader:say("method", method, word) and 1 end
  local is_full = word == "full" and (reader.tuned or behind == "sft" or behind == "parameter")
  if is_full or (word == "fully" or word == "full-parameter") and reader.tuned then return reader:say("method", "full", word) and 1 end
end

-- Words behind a device that make "an A100" any number of them.
local MANY <const> = tables.set({ "cluster", "clusters", "fleet", "pod", "node", "nodes", "cards", "gpus", "cloud", "farm" })

-- "3090 x4", "A100 x 8": how many, and how many tokens say it.
local function times_behind(reader, at)
  if reader.facts.devices or reader.nodes or reader:is_cut(at) then return nil end
  local glued = (reader:word(at) or ""):match("^x(%d+)$")
  if glued then return math.tointeger(tonumber(glued)), 1 end
  local behind = reader:word(at + 2)
  if reader:word(at) ~= "x" or not reader:number(at + 1) or behind == "x" or TIMES[behind or ""] then return nil end
  if NOUNS[behind or ""] and not reader:is_cut(at + 2) and not labels.at(reader, at + 2) then return nil end
  if names.device(reader, at + 2) and not reader:is_cut(at + 2) then return nil end
  return reader:number(at + 1), 2
end

-- What stands behind a device whose price is said: "an H100 costs 2 USD an hour" counts none.
local PRICED <const> = tables.set({ "costs", "cost", "rents", "goes", "hour" })

-- A device that is named, and one of it where an article says so: "on a 4090", "a single H100"; all of a machine or of a
-- slice of a pod: "on p4d.24xlarge", "TPU v5e-256".
-- What may stand of a card behind its name, beside which it is no machine of many.
local OF_CARD <const> = tables.set({ "gpu", "card", "laptop", "desktop", "pc", "box", "workstation" })

-- "my RTX 3090", "the 4090 in my desktop": a card of somebody's own, and not "my H100 cluster".
local function is_somebodys(reader, length)
  local behind = not reader:is_cut(length) and reader:word(length) or ""
  local is_card = OF_CARD[behind] or vocabulary.LINKING[behind] or behind == "" or PRICED[behind] or TIMES[behind]
  if reader:word(-1) == "my" then return is_card end
  local at = OF_CARD[behind] and length + 1 or length
  return reader:word(at) == "in" and reader:word(at + 1) == "my" or reader:word(at) == "at" and reader:word(at + 1) == "home"
end

local function read_device(reader)
  local word = reader.list[reader.at].text
  local device, length, of_machine = names.device(reader, 0)
  if not device or not (word:find("%d") or length > 1) then return nil end
  if reader:is_denied() then
    reader:deny("device", device)
    return length
  end
  local before = reader:word(-1)
  local is_counted = reader.facts.devices or reader.nodes or MANY[reader:word(length) or ""] or word:find("s$")
  local is_one = (before == "a" or before == "an" or before == "single") and (reader:is_cut(length) or not PRICED[reader:word(length) or ""])
  local multiple, taken = times_behind(reader, length)
  local dies = (multiple or is_one) and machines.dies_of(reader, 0, device, length, multiple or 1)
  if dies then
    multiple, taken, of_machine = dies, taken or 0, nil
  end
  if before == "single" and reader:is_beside() then is_counted = nil end -- "dual 3090 vs single 4090"
  if is_one and not multiple and not reader.nodes and not reader.facts.devices and machines.is_node_of(reader, length, device) then
    reader.nodes = { value = 1, text = "1" }
    return reader:say("device", device, word) and length + 1 -- "an H100 node"
  end
  if not is_counted and not multiple and is_somebodys(reader, length) then reader.own_card = device end
  reader:say_devices(multiple and multiple * (of_machine or 1) or not is_counted and (of_machine or is_one and 1) or nil, device, word)
  return length + (multiple and taken or 0)
end

-- Ranks of a plan: "TP 8 PP 4", "tp=8", "TP8".
local RANKS <const> = tables.set({ "tp", "pp", "dp", "cp", "ep" })

local function read_ranks(reader, word)
  local name, count = word:match("^(%a%a)(%d+)$")
  if name and RANKS[name] then return reader:say(name, math.tointeger(tonumber(count)), word) and 1 end
  local at = RANKS[word] and (reader:word(1) == "=" and 2 or 1)
  local number = at and (not reader:is_cut(at) or reader.list[reader.at + at].is_named) and reader:number(at)
  if not number or math.type(number) ~= "integer" and number % 1 ~= 0 or names.device(reader, at + 1) then return nil end
  return reader:say(word, math.tointeger(number), word) and at + 1
end

-- Tokens of a draft where nobody says how many (assumption).
local DRAFT_TOKENS <const> = 3

local OF_EXPERTS <const> = tables.set({ "moe", "mixture-of-experts" })

-- An engine that serves, with its release where one is said.
local function engine_of(word)
  local name, release = word:match("^(.-)%-(%d+%.%d[%w%.]*)$")
  return vocabulary.ENGINES[word] or release and vocabulary.ENGINES[name] and vocabulary.ENGINES[name] .. " " .. release
end

-- Words before a day of the week that make it a deadline, and words between the two.
local UNTIL <const>, THIS <const> = tables.set({ "by", "before", "until", "till" }), tables.set({ "this", "the", "coming" })

local function is_deadline(reader)
  local back = -1
  while THIS[reader:word(back) or ""] do back = back - 1 end
  return UNTIL[reader:word(back) or ""] == true
end

-- Terms beside each other are what is asked.
local ON_DEMAND <const> = { "on[%- ]demand" }

-- Words that are a fact by themselves.
local function read_single_word(reader, word)
  local ranks = read_ranks(reader, word)
  if ranks then return ranks end
  if word == "all-linear" then return reader:say("targets", "all", word) and 1 end
  if word == "disaggregated" then return reader:say("pattern", word, word) and 1 end
  if word == "speculative" then
    reader.drafts = not reader.facts.draft_tokens -- a number behind it goes over the usual one
    return (not reader.drafts or reader:say("draft_tokens", DRAFT_TOKENS, word)) and 1
  end
  local network = networks.read_word(reader, word)
  if network then return network end
  if word == "unquantized" then return reader:say("weights", "bf16", word) and 1 end
  if OF_EXPERTS[word] then
    reader.has_experts = true
    return 1
  end
  if vocabulary.FORMATS[word] or word:find("^i?q%d_") or word:find("^q%d$") or word == "f16" then
    return counts.read_format(reader, word, word, 1)
  end
  if vocabulary.WEEKDAYS[word] and is_deadline(reader) then
    reader.weekday = reader.weekday or { word = word, text = reader.list[reader.at].text }
    return 1
  end
  if vocabulary.SPANS[word] then return reader:say("time_s", vocabulary.SPANS[word], word) and 1 end
  if vocabulary.INDEXES[word] then return reader:say("index", vocabulary.INDEXES[word], word) and 1 end
  if reader.tuned and vocabulary.TRAINERS[word] then return reader:say("software", vocabulary.TRAINERS[word], word) and 1 end
  if reader.trained and vocabulary.FRAMEWORKS[word] then
    reader:say("software", vocabulary.FRAMEWORKS[word], word)
    if not vocabulary.ZERO[word] then return 1 end
  end
  if (reader.tuned or reader.trained) and vocabulary.ZERO[word] then return reader:say("zero", vocabulary.ZERO[word], word) and 1 end
  if vocabulary.OFFLOADED[word] and reader:is_denied() then return reader:say("offloaded", "no", "no " .. word) and 1 end
  if (reader.tuned or reader.trained) and vocabulary.OFFLOADED[word] then return reader:say("offloaded", "yes", word) and 1 end
  if word == "weights-only" then
    return not reader.saved and 1 or reader:say("bytes_per_param", vocabulary.WEIGHTS_ONLY_BYTES, "weights only") and 1
  end
  if reader.tuned and data_sets[word] then return reader:say("data_set", word, word) and 1 end
  local tuning = vocabulary.TUNINGS[word]
  if tuning then
    if reader.facts.tuning then return 1 end -- "RLHF with PPO"
    if tuning ~= word then reader:note(("%s is read as %s (assumption)."):format(word:upper(), tuning:upper())) end
    return reader:say("tuning", tuning, word) and 1
  end
  if vocabulary.DESKTOPS[word] then return reader:say("host_bus", word, word) and 1 end
  local computer = word == "notebook" and "laptop" or word
  if vocabulary.COMPUTERS[computer] and not names.is_around(reader) then
    reader.computer = computer
    return 1
  end
  if machines.is_processor_alone(reader, word) then
    reader.on_processor = true
    return 1
  end
  local engine = engine_of(word)
  if engine then
    reader.engine = reader.engine or engine
    if reader.engine ~= engine then list_unread(reader, word) end
    return 1
  end
  -- Who rents the devices, and on what terms.
  if vocabulary.PROVIDERS[word] and not reader.provider then
    reader.provider = { name = vocabulary.PROVIDERS[word], text = word }
    return 1
  end
  if vocabulary.TERMS[word] and reader.lenient and not reader.term and not mentions.any(reader.text, ON_DEMAND) then
    reader.term = { name = vocabulary.TERMS[word], text = word }
    return 1
  end
  local own = vocabulary.LOCAL_ENGINES[word]
  if own then
    local bits = reader:number(1)
    if not bits or reader:word(2) ~= "bpw" then return reader:say("engine", own, word) and 1 end
    reader:say("weights", ("%g bpw"):format(bits), word)
    return reader:say("engine", own, word) and 3
  end
  if vocabulary.HEARERS[word] then return reader:say("software", vocabulary.HEARERS[word], word) and 1 end
  if vocabulary.PROCESSORS[word] and not names.device(reader, 0) then
    reader:note(("'%s' is read as %s (assumption)."):format(word, vocabulary.PROCESSORS[word]))
    return reader:say("device", vocabulary.PROCESSORS[word], word) and 1
  end
  if vocabulary.USES[word] and reader.facts.use and reader.lenient then -- "autocomplete in an IDE": who completes waits least
    if vocabulary.USES[word] == "completion" then reader.facts.use = "completion" end
    return 1
  end
  if vocabulary.USES[word] then return reader:say("use", vocabulary.USES[word], word) and 1 end
  local percentile = times.percentile_of(word)
  if percentile and not reader.facts.percentile then reader:say("percentile", percentile, word) end
  return percentile and 1
end

-- Words around a model that is to be replaced by one's own.
local LEFT_BEFORE <const> = tables.set({ "from", "replace", "replacing", "like", "than", "leave", "leaving", "vs", "versus", "instead" })
local LEFT_BEHIND <const> = tables.set({ "alternative", "replacement", "class", "level", "quality", "clone" })

-- Words before one that nobody else has: what is like it.
local OF_ONESELF <const> = tables.set({ "own", "private", "internal", "custom" })

local function is_left(reader)
  return LEFT_BEFORE[reader:word(-1) or ""] or LEFT_BEFORE[reader:word(-2) or ""] or LEFT_BEHIND[reader:word(1) or ""]
end

-- The names of devices and models.
local function read_name(reader, word)
  local around = names.is_around(reader)
  if around then return around end
  local usual, _, named = names.usual(word), names.model(reader, 0)
  if usual and (word == "clips" or word == "clip" and reader.facts.model) then return not_read(reader) end -- "a 5 second clip"
  if usual and (named or 1) == 1 then return reader:say("model", usual, word) and 1 end -- "whisper large v3" says which
  if TIMES[word] or NOUNS[word] or BYTES[word] then return nil end
  local taken = read_device(reader) or read_model(reader)
  if taken then return taken end
  local model, tokens_taken = names.family(reader, word)
  if model then return reader:say("model", model, word) and tokens_taken end
  if reader:word(1) == "/" and reader:word(2) and names.model_of(reader:word(2)) then return 2 end
  if reader.trained and models.is_unpublished(word) and OF_ONESELF[reader:word(-1) or ""] then -- "train our own GPT-4"
    reader.closed = reader.closed or word
    return 1
  end
  if reader.lenient and models.unrepresented(word) and (is_left(reader) or OF_ONESELF[reader:word(-1) or ""]) then
    reader:note(("'%s' is what is left, and no model that is estimated."):format(word))
    return 1
  end
  if reader.lenient and word:find("%-like$") and models.is_unpublished(word) then return 1 end -- "a ChatGPT-like service"
  if models.is_unpublished(word) then
    reader.closed = reader.closed or word
    return 1
  end
  if reader.lenient and vocabulary.WRITERS[word] and not is_left(reader) then
    reader.writers = reader.writers or { word = word, at = #reader.unread + 1 }
    return not_read(reader)
  end
  if word:find("%d") or models.unrepresented(word) or names.unpriced(word) then names.check_unknown(word) end
  local size = names.size_of(word)
  if not size or reader.facts.model or reader.facts.params then return nil end
  reader:note(("'%s' is no model of the catalog: a model of its size stands for it."):format(word))
  if size.active then reader:say("active_params", size.active, word) end
  return reader:say("params", size.all, word) and 1
end

local function read_word(reader)
  local word = reader:word(0)
  return read_factor(reader) or read_single_time(reader) or read_method(reader) or read_single_word(reader, word)
    or read_name(reader, word) or not_read(reader)
end

-- Words and spaces alone, so that phrases are found whole: "tok/s" is "tok s".
local function spaced(text)
  return (" " .. text:lower():gsub("[^%w%-%.']+", " ") .. " "):gsub("[%.%-']+ ", " ")
end

-- Whether a text, with a space around each of its words, has a phrase that it does not do without: "without reranking".
local function has_phrase(words, phrase)
  local first, last = words:find(phrase, 1, true)
  while first do
    local before = words:sub(1, first)
    if not (before:find(" without $") or before:find(" no $")) then return true end
    first, last = words:find(phrase, last, true)
  end
  return false
end

-- How much the words of a text say of each kind of question: weights by kind.
local function weighed(text)
  local words, weights = spaced(text), {}
  for _, subject in ipairs(subjects) do
    local weight = 0
    for each, phrases in pairs(subject[2]) do
      for _, phrase in ipairs(phrases) do
        if has_phrase(words, spaced(phrase)) then weight = weight + each break end
      end
    end
    if weight > 0 then weights[subject[1]] = weight end
  end
  return weights
end

-- Words that name a question and are long enough to be known with a slip in them.
local SLIPPED <const> = {}
for _, words in ipairs({ SUBJECT_WORDS, vocabulary.QUANTITIES }) do
  for word in pairs(words) do
    if #word >= LEAST_TYPED and word:find("^%a+$") and not tables.contains(SLIPPED, word) then SLIPPED[#SLIPPED + 1] = word end
  end
end
table.sort(SLIPPED)

local function letters(word)
  local list = {}
  for letter in word:gmatch(".") do list[#list + 1] = letter end
  table.sort(list)
  return table.concat(list)
end

-- Words that are one that names a question but for a letter too many, too few or out of place, not the first; another letter
-- in a place makes another word: "score" is no "store". Returns the text with them mended.
local function mend_words(reader, text)
  for at, token in ipairs(reader.list) do
    local word = token.word
    reader.at = at
    if word and #word >= LEAST_TYPED and word:find("^%a+$") and not is_known(word) and not SUBJECT_WORDS[word]
      and not names.device(reader, 0) and not names.model(reader, 0) and not names.usual(word) and not names.family(reader, word) then
      local meant = near.typo(word, SLIPPED)
      if meant and meant:sub(1, 1) == word:sub(1, 1) and (#meant ~= #word or letters(meant) == letters(word)) then
        reader:note(("'%s' is read as '%s'."):format(word, meant))
        token.word, text = meant, text:lower():gsub("%f[%w]" .. word .. "%f[%W]", meant)
      end
    end
  end
  reader.at = 1
  return text
end

-- Short forms of times behind what comes in one, as they are spelled out: "cost/mo", "per yr", "p.a.".
local SHORT_TIMES <const> = { { " ?/ ?yr%f[%A]", " per year" }, { " ?/ ?year%f[%A]", " per year" }, { " ?/ ?mo%f[%A]", " per month" }, { " ?/ ?mth%f[%A]", " per month" },
  { " ?/ ?month%f[%A]", " per month" }, { "(%f[%a]per )yr%f[%A]", "%1year" }, { "(%f[%a]a )yr%f[%A]", "%1year" }, { "(%f[%a]per )mo%f[%A]", "%1month" },
  { "(%f[%a]a )mo%f[%A]", "%1month" }, { "per annum", "per year" }, { "%f[%a]p%.a%.", "per year" }, { "each year", "per year" }, { "every year", "per year" } }

-- The text with them spelled out, for words that ask for a quantity.
local function spelled_out(text)
  local lower, changed = text:lower(), 0
  for _, row in ipairs(SHORT_TIMES) do
    local count
    lower, count = lower:gsub(row[1], row[2])
    changed = changed + count
  end
  return changed > 0 and lower or text
end

-- A fact of a number between two others: its ends, beside their geometric mean.
local function note_range(reader, token, before)
  for i = before + 1, #reader.order do
    local name = reader.order[i]
    local value = reader.facts[name]
    if type(value) == "number" and not name:find("percentile") then
      local ends = { value * token.low / token.number, value * token.high / token.number }
      reader.spans[name] = { low = math.min(ends[1], ends[2]), high = math.max(ends[1], ends[2]) }
      reader:note(("'%s' is read as %s, between the two."):format(token.text, units.format(token.number, "")))
    end
  end
end

-- So many words at the reader's place as they were written, with the sign of a currency before them.
local function phrase_of(reader, used)
  local words, first = {}, reader:word(-1) == "$" and reader.at - 1 or reader.at
  for at = first, math.min(reader.at + used - 1, #reader.list) do words[#words + 1] = reader.list[at].text end
  return (table.concat(words, " "):gsub(" ?/ ?", "/"):gsub("%$ ", "$"):gsub(" %%", "%%"))
end

-- Words behind "no" and "not" that make a bound of them: "no more than 8 devices".
local BOUNDS <const> = tables.set({ "more", "less", "fewer", "longer", "later", "slower" })

-- A word that turns another and that no fact heard is listed with it: "no growth", "weights only".
local function list_turning(reader)
  for _, at in ipairs(reader.turning) do
    local token, behind = reader.list[at], reader.list[at + 1]
    local goes_on = behind ~= nil and not behind.is_cut
    local is_heard = reader.heard[at] or goes_on and (BOUNDS[behind.word or ""] or token.word == "only")
    if not is_heard then
      local first = goes_on and token or reader.list[at - 1]
      local second = goes_on and behind or token
      reader.unread[#reader.unread + 1] = { text = (first and first.text .. " " or "") .. second.text, at = at }
    end
  end
end

-- What a reader holds, to tell whether a step changed it: its fields, its facts and its factors, and how long its lists are.
local HOLDS <const> = { "facts", "factors", "denied" }
local LISTS <const> = { "unread", "beside", "notes" }

local function held(reader)
  local state = tables.with(reader)
  for _, name in ipairs(HOLDS) do
    for key, value in pairs(reader[name]) do state[name .. "." .. key] = value end
  end
  for _, name in ipairs(LISTS) do state[name] = #reader[name] end
  return state
end

local function has_changed(before, after)
  for key, value in pairs(after) do
    if before[key] ~= value then return true end
  end
  for key in pairs(before) do
    if after[key] == nil then return true end
  end
  return false
end

-- A step that took a number and changed nothing has dropped it: it is listed in the words of the prompt.
local function list_dropped(reader, used, before)
  local last = math.min(reader.at + used - 1, #reader.list)
  local has_number = false
  for at = reader.at, last do has_number = has_number or reader.list[at].number ~= nil and not reader.list[at].spelled end
  if has_number and not has_changed(before, held(reader)) then reader:list_apart(phrase_of(reader, used)) end
end

-- What it says for a rent that somebody is named who rents devices, or its terms are: as much as a word of it (subjects.lua).
local OF_RENT <const> = 4

--- What a text says: facts by name in base units, how much its words say of each kind of question, factors by which it
--- changes what was said before ("half the budget"), devices to choose from beside the first, words that were not read and
--- how many of them are numbers, how something was read that may have been meant otherwise, facts in the words that said them,
--- and the text.
---@param text string
---@param options { lenient: boolean }|nil lenient: numbers that nothing reads are listed, not refused
---@return { facts: table<string, any>, order: string[], weights: table<string, number>, factors: table<string, number>, beside: table[], unread: string[], unread_numbers: integer, notes: string[], spans: table<string, { low: number, high: number }>, said: table<string, string>, words: integer, engine: string|nil, provider: table|nil, term: table|nil, text: string }
function grammar.read(text, options)
  if type(text) ~= "string" or not text:find("%w") then errors.input("text", "says nothing") end
  if #text > grammar.MOST_BYTES then
    errors.input("text", ("has %d bytes, more than the %d that are read as one question"):format(#text, grammar.MOST_BYTES))
  end
  local list, notes = tokens.of(text)
  list = order.of(list)
  local reader = reader_of.new(list, text, options ~= nil and options.lenient == true)
  for _, note in ipairs(notes) do reader:note(note) end
  if reader.lenient then text = spelled_out(mend_words(reader, text)) end
  while list[reader.at] do
    local used, known
    if not list[reader.at].number then labels.turn(reader) end
    known = #reader.order
    local before = reader.lenient and held(reader)
    if list[reader.at].number then
      local token = list[reader.at]
      if reader.lenient then mend_noun(reader) end
      used = read_device(reader) or counts.read(reader) or not_understood(reader)
      if before then list_dropped(reader, used, before) end
      if token.low then note_range(reader, token, known) end
      reader.free = reader.at + used
    else
      used = read_word(reader)
      if before then list_dropped(reader, used, before) end
    end
    for i = known + 1, #reader.order do reader.words[reader.order[i]] = phrase_of(reader, used) end
    reader.at = reader.at + used
  end
  settled.all(reader, text)
  list_turning(reader)
  local unread, weights = {}, weighed(text)
  for i, item in ipairs(reader.unread) do unread[i] = item.text end
  if reader.provider or reader.term then weights.rent = (weights.rent or 0) + OF_RENT end
  return { facts = reader.facts, order = reader.order, weights = weights, factors = reader.factors, beside = reader.beside,
    unread = unread, unread_numbers = reader.unread_numbers, notes = reader.notes, spans = reader.spans, said = reader.words, words = #list,
    engine = reader.engine, provider = reader.provider, term = reader.term, text = text }
end

return grammar
