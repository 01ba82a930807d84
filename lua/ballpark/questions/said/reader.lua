-- The place in a list of words and numbers at which a text is read, and what has been read of it.
local catalog = require("ballpark.catalog")
local devices = require("ballpark.catalog.devices")
local ends = require("ballpark.questions.said.ends")
local errors = require("ballpark.errors")
local local_engines = require("ballpark.catalog.local_engines")
local names = require("ballpark.questions.said.names")
local tables = require("ballpark.tables")
local vocabulary = require("ballpark.questions.said.vocabulary")

local NOUNS <const>, TIMES <const>, EVERY <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.EVERY

local reader = {}

local Reader = {}
Reader.__index = Reader

--- A reader of a list of tokens.
---@param list table[] of ballpark.questions.said.tokens
---@param text string
---@param lenient boolean whether numbers that nothing reads are listed instead of refused
function reader.new(list, text, lenient)
  local is_about_money = false
  for _, token in ipairs(list) do is_about_money = is_about_money or vocabulary.MONEY[token.word or ""] == true end
  local lower = text:lower()
  local tuned = lower:find("fine[%-%s]?tun") ~= nil or lower:find("%f[%a]ft%f[%A]") ~= nil or lower:find("%f[%a]q?lora%f[%A]") ~= nil
    or lower:find("%f[%a]sft%f[%A]") ~= nil or lower:find("%f[%a]dpo%f[%A]") ~= nil or lower:find("%f[%a]orpo%f[%A]") ~= nil or lower:find("%f[%a]kto%f[%A]") ~= nil
    or lower:find("%f[%a]grpo%f[%A]") ~= nil or lower:find("%f[%a]ppo%f[%A]") ~= nil or lower:find("%f[%a]rlhf%f[%A]") ~= nil
  return setmetatable({ list = list, at = 1, free = 1, text = text, lenient = lenient, is_about_money = is_about_money,
    tuned = tuned, trained = not tuned and (lower:find("%f[%a]p?r?e?%-?train") ~= nil or lower:find("%f[%a]zero[%- ]?[123]") ~= nil
      or lower:find("%f[%a]mfu%f[%A]") ~= nil or lower:find("megatron", 1, true) ~= nil or lower:find("%f[%a]steps ?/ ?s") ~= nil or lower:find("steps per sec", 1, true) ~= nil),
    is_heard = lower:find("transcri", 1, true) ~= nil or lower:find("whisper", 1, true) ~= nil or lower:find("speech", 1, true) ~= nil,
    is_rag = lower:find("%f[%a]rag%f[%A]") ~= nil, is_compared = lower:find("%f[%a]compar") ~= nil or lower:find("difference between", 1, true) ~= nil or lower:find("%f[%a]as %a+ as%f[%A]") ~= nil, saved = lower:find("checkpoint", 1, true) ~= nil, facts = {}, order = {}, factors = {}, beside = {}, denied = {}, unread = {},
    unread_numbers = 0, said = 0, turning = {}, heard = {}, notes = {}, spans = {}, words = {} }, Reader)
end

--- Takes so many times a fact, with its ends and those of what it is multiplied by.
---@param name string
---@param times number
---@param of { low: number, high: number }|nil ends of `times`
function Reader:multiply(name, times, of)
  local f, spans = self.facts, self.spans
  spans[name] = ends.times(f[name], spans[name], times, of)
  f[name] = times * f[name]
end

function Reader:word(offset)
  local token = self.list[self.at + (offset or 0)]
  return token and token.word
end

--- Whether a comma or the like stands before the token at an offset.
function Reader:is_cut(offset)
  local token = self.list[self.at + offset]
  return token ~= nil and token.is_cut == true
end

function Reader:number(offset)
  local token = self.list[self.at + (offset or 0)]
  return token and token.number
end

-- What is counted and has no halves.
local WHOLE <const> = tables.set({ "devices", "others", "layers", "dim", "replicas" })
-- The same said in tokens and in sequences.
local SAME_STEP <const> = { batch_tokens = "batch", batch = "batch_tokens", global_batch = "batch_tokens" }

-- What stands between such a word and the device.
local BEFORE_DEVICE <const> = tables.set({ "x", "a", "an", "on", "with", "single", "used", "new", "second-hand", "secondhand",
  "refurbished" })

-- Whether a device beside another stands behind "or": "H100 or A100", "2x 3090 or 1x 4090", "on H200 than on H100"; or behind
-- "and" where they are to be compared.
---@param noun string|nil the name of what is said, which may stand before its value: "rank 16 or rank 64"
function Reader:is_beside(noun)
  local back = -1
  if noun and self:word(back) and noun:find(self:word(back), 1, true) then back = back - 1 end
  while self:number(back) or BEFORE_DEVICE[self:word(back) or ""] or names.AROUND[self:word(back) or ""] do back = back - 1 end
  local word = self:word(back) or ""
  return vocabulary.BESIDE[word] == true or (word == "and" or word == "as") and self.is_compared or self:is_in_list()
end

-- Words of a list at most up to its "or".
local MOST_LISTED <const> = 6

--- Whether the reader's place is behind a comma of a list that ends on "or": "H100, A100 or L40S".
function Reader:is_in_list()
  if not self:is_cut(0) then return false end
  for offset = 1, MOST_LISTED do
    local word = self:word(offset)
    if word == "or" then return true end
    if not word and not self:number(offset) then return false end
  end
  return false
end

local function is_processor(name)
  local known = devices.resolve(name)
  return known ~= nil and local_engines.is_processor(devices.get(known))
end

-- A processor beside a card is its host: "an RTX 4090 with a Ryzen 9 7950X". Whether one of the two is.
function Reader:say_host(device)
  local before = self.facts.device
  if not before or is_processor(before) == is_processor(device) or self:is_beside() then return false end
  local host = is_processor(device) and device or before
  if host == before then self.facts.device = device end
  return self:say("host", host, device)
end

-- A second kind of card that shares the model; a third, and what is no card, are refused.
function Reader:say_other(value, text, count)
  local facts = self.facts
  if facts.other and facts.other ~= value then
    errors.input("'" .. text .. "'", ("is a third kind of device beside %s and %s: give two at most"):format(facts.device, facts.other))
  end
  if count then self:say("others", count, text) end
  return self:say("other", value, text)
end

-- Formats to choose from: "Q4 or Q8", "between Q4 and Q8".
function Reader:is_format_beside(name)
  return (name == "weights" or name == "kv") and (self:is_beside() or self:word(-1) == "and")
end

--- A context of "8k" or "128K" tokens is 8,192 or 131,072: such lengths are powers of two.
function Reader:context(value)
  local scale, thousands = (self.list[self.at] or {}).scale, value / 1000
  if scale ~= "k" or thousands < 1 or thousands % 1 ~= 0 then return value end
  local whole = math.tointeger(thousands)
  return whole & (whole - 1) == 0 and whole * 1024 or value
end

-- Formats that "4 bit" and "8 bit" may mean: the one that says more stands.
local OF_BITS <const> = { int4 = tables.set({ "awq", "gptq", "nf4", "nvfp4", "mxfp4", "fp4", "w4a16", "qat" }),
  int8 = tables.set({ "fp8", "w8a8" }) }

local MODELS <const> = tables.set({ "params", "model" })

-- Whether two values of such a fact may be asked the same: an encoder beside a model that writes is a part of one service.
local function are_alike(name, first, second)
  if name ~= "model" then return true end
  local function writes(model)
    local known = errors.try(catalog.model, model)
    return known ~= nil and known.arch ~= "encoder" and known.arch ~= "vision"
  end
  return writes(first) == writes(second)
end

-- Of two words for the format of weights the closer one, where both may be meant: "4 bit awq", "AWQ in 4 bit".
local function closer(before, word)
  if (OF_BITS[before] or {})[word] then return word end
  return (OF_BITS[word] or {})[before] and before
end

-- What is counted, so that two numbers of it with "and" between are a sum: "500B tokens of code and 500B of text".
local ADDED <const> = tables.set({ "tokens", "rate_per_s", "items", "vectors", "audio_s", "examples" })

-- Whether the number at the reader's place is added to one that was said: "and" or "plus" stands before it, and no range.
function Reader:is_added(name, value)
  if not ADDED[name] or self.facts[name] == nil or type(value) ~= "number" or not self:number(0) then return false end
  return self:is_after_and()
end

--- Whether "and" or "plus" stands before the reader's place, and no comparison.
function Reader:is_after_and()
  local before = self:word(-1)
  return before == "plus" or before == "and" and not self.is_compared
end

--- Sets a fact; the first word on it stands unless it is the same. Of devices, one more behind "or" stands beside it.
function Reader:say(name, value, text)
  self.said = self.said + 1
  if self:is_added(name, value) then
    self:note(("%s more are added to what is said before."):format(text))
    self.facts[name] = self.facts[name] + value
    return true
  end
  if name == "device" and self.facts.device and self.facts.device ~= value and self:is_beside() then
    self.beside[#self.beside + 1] = { device = value, devices = self.facts.devices }
    return true
  end
  if name == "weights" and self.facts.weights and not self:is_beside() and closer(self.facts.weights, value) then
    self.facts.weights = closer(self.facts.weights, value)
    return true
  end
  if name == "seq_len" and self.facts.seq_len and self.lenient and self:word(-1) == "or" then
    self.beside[#self.beside + 1] = { seq_len = self:context(value) }
    return true
  end
  if name == "host_bus" and self.facts.host_bus and self.facts.host_bus ~= value and self.lenient and self:is_beside() then
    self.beside[#self.beside + 1] = { host_bus = value }
    return true
  end
  if name == "network" and self.facts.network and self.lenient then
    self.beside[#self.beside + 1] = { network = value }
    return true
  end
  if self.facts[name] ~= nil and self.facts[name] ~= value and self:is_format_beside(name) then
    self.beside[#self.beside + 1] = { [name] = value }
    return true
  end
  -- "8B and 70B on 4 H100": sizes and models beside each other, each by itself.
  if MODELS[name] and self.lenient and self.facts[name] ~= nil and self.facts[name] ~= value and not self.trained and self:is_after_and() and are_alike(name, self.facts[name], value) then
    self:note(("%s beside what is said before is read as a question of its own, on the same devices (assumption)."):format(text))
    self.beside[#self.beside + 1] = { [name] = value }
    return true
  end
  if name == "device" and self:say_host(value) then return true end
  -- Two values of one fact with "or" between them are to choose from.
  if self.lenient and name ~= "device" and self.facts[name] ~= nil and self.facts[name] ~= value and self:is_beside(name) then
    self.beside[#self.beside + 1] = { [name] = value }
    return true
  end
  if name == "device" and self.facts.device ~= nil and self.facts.device ~= value then return self:say_other(value, text) end
  if self.facts[name] ~= nil and self.facts[name] ~= value then
    errors.input("'" .. text .. "'", ("says %s again, %s before: give one"):format(name:gsub("_", " "), tostring(self.facts[name])))
  end
  local steps = SAME_STEP[name]
  steps = steps == "batch" and self.facts.global_batch and "global_batch" or steps
  if steps and self.facts[steps] then
    errors.input("'" .. text .. "'", ("says the batch again, %s %s before: give one"):format(self.facts[steps],
      steps == "batch_tokens" and "tokens" or "sequences"))
  end
  if WHOLE[name] and (self.list[self.at] or {}).low then value = math.floor(value + 0.5) end -- "8-10 GPUs"
  if WHOLE[name] and value % 1 ~= 0 then
    errors.input("'" .. text .. "'", ("%s must be a whole number"):format(name))
  end
  if name == "seq_len" then
    value = self:context(value)
    if (self.list[self.at] or {}).low then value = math.floor(value + 0.5) end -- "4k to 32k"
  end
  if self.facts[name] == nil then self.order[#self.order + 1] = name end
  self.facts[name] = value
  return true
end

-- What sets a device aside, and what may stand between the two: "not on an A100", "instead of 8 A100", "rather than A100".
local DENIALS <const> = tables.set({ "don't", "dont", "exclude", "excluding", "not", "no", "without", "except", "avoid", "never", "instead" })
local DENIALS_OF_THAN <const>, DENIALS_OF_BUT <const> = tables.set({ "rather", "other" }), tables.set({ "anything", "everything", "any" })
local DENIED_OVER <const> = tables.set({ "a", "an", "the", "any", "on", "with", "using", "use", "x", "of" })

--- Whether the device or format at the reader's place is one that is not to be taken.
function Reader:is_denied()
  local back = -1
  while self:number(back) or DENIED_OVER[self:word(back) or ""] do
    if self:is_cut(back) then return false end
    back = back - 1
  end
  local word = self:word(back) or ""
  if self:is_cut(back + 1) or self:word(back - 1) == "why" then return false end
  if word == "but" and DENIALS_OF_BUT[self:word(back - 1) or ""] then return true end
  self.heard[self.at + back] = DENIALS[word]
  return DENIALS[word] or word == "than" and DENIALS_OF_THAN[self:word(back - 1) or ""] or false
end

--- Sets a device or a format ("device", "weights") aside, which is said.
function Reader:deny(what, name)
  self.denied[what] = name
  self:note(("%s is left out, as is said."):format(name))
end

-- Words between nodes and the devices of each; and devices of one node at most where no such word stands there and the catalog
-- does not say how many nodes of a device have.
local OF_NODES <const>, MOST_OF_NODE <const> = tables.set({ "of", "with", "x", "each", "by" }), 16

-- Devices of a node of which the catalog does not say it.
local USUAL_NODE <const> = 8

-- Words between devices and the "each" that says whose they are at most.
local MOST_TO_EACH <const> = 4

-- Whether the devices at the reader's place are those of each of the replicas that were said: "3 replicas of 2 GPUs".
local function is_of_replicas(self)
  if not self.facts.replicas or self.facts.devices or self:is_cut(0) then return false end
  local before = self:word(-1)
  if (before == "of" or before == "with") and NOUNS[self:word(-2) or ""] == "replicas" then return true end
  for offset = 1, MOST_TO_EACH do
    if self:is_cut(offset) or self:number(offset) then return false end
    if self:word(offset) == "each" then return true end
  end
  return false
end

--- So many devices of each of the nodes that were said before: "4 nodes of 8 H100" are 32, "2 nodes 16 H100" are 16, "64
--- nodes, 512 A100" are 512.
function Reader:of_nodes(count, device)
  local nodes, replicas = self.nodes, self.facts.replicas
  if not nodes and is_of_replicas(self) then
    self:note(("%g replicas of %g devices are %g devices."):format(replicas, count, replicas * count))
    return replicas * count
  end
  if not nodes or self.facts.devices then return count end
  local most = device and (devices.get(device).node_size or USUAL_NODE) or MOST_OF_NODE
  if count > most and nodes.value > 0 and count % nodes.value == 0 and not OF_NODES[self:word(-1) or ""] then return count end
  self.nodes = nil
  self:note(("%s of %g devices are %g devices."):format(nodes.text, count, nodes.value * count))
  return nodes.value * count
end

--- So many of a device; behind "or" they stand beside those before.
function Reader:say_devices(count, device, text)
  local facts = self.facts
  if device and facts.device and facts.device ~= device and self:is_beside() then
    self.beside[#self.beside + 1] = { device = device, devices = count }
    return true
  end
  if device and facts.device and facts.device ~= device and is_processor(facts.device) == is_processor(device) then
    return self:say_other(device, text, count)
  end
  -- "20 fine-tunes a day on 1 A100 of 3 hours each on 16 A100": those of a job, and all.
  local is_of_jobs = (facts.jobs_per_s or facts.jobs_per_user_day) and not facts.devices_per_job
  if count and is_of_jobs and facts.devices and facts.devices < count then
    self:say("devices_per_job", facts.devices, text)
    facts.devices = nil
  end
  if count and device and device == facts.device and facts.devices and self:is_after_and() then
    self:note(("%s more are added to what is said before."):format(text))
    facts.devices = facts.devices + count
    return true
  end
  if count then self:say("devices", count, text) end
  return device == nil or self:say("device", device, text)
end

--- Lists a text as not read.
function Reader:list_apart(text) self.unread[#self.unread + 1] = { text = text, at = self.at } end

--- Takes the word at a place, of all the list, from what is not read.
function Reader:hear(place)
  for i = #self.unread, 1, -1 do
    if self.unread[i].at == place then table.remove(self.unread, i) end
  end
end

--- Says how something was read that may have been meant otherwise.
function Reader:note(text)
  self.said = self.said + 1
  if not tables.contains(self.notes, text) then self.notes[#self.notes + 1] = text end
end

--- "/ s", "per second", "an hour", "daily" at an offset: seconds of the unit and how many tokens that takes; "every 2 minutes"
--- where a number may stand there, too.
function Reader:per(offset, counted)
  local word = not self:is_cut(offset) and self:word(offset)
  if EVERY[word or ""] then return EVERY[word], 1 end
  if word ~= "/" and word ~= "per" and word ~= "a" and word ~= "an" and word ~= "each" and word ~= "every" then return nil end
  local count = counted and word ~= "a" and word ~= "an" and word ~= "/" and not self:is_cut(offset + 1) and self:number(offset + 1)
  local unit = not (self:is_cut(offset + (count and 2 or 1)) and word == "each") and self:word(offset + (count and 2 or 1)) -- "8k tokens each, seconds"
  if count then return TIMES[unit or ""] and count * TIMES[unit], 3 end -- "every 2 minutes"
  return unit and TIMES[unit] or nil, 2
end

--- "Every minute", "every other day", "twice an hour", "once every half hour" at an offset: seconds from one time to the next
--- and how many tokens that takes.
function Reader:how_often(offset)
  local times = vocabulary.SO_OFTEN[self:word(offset) or ""]
  local at = times and offset + 1 or offset
  if times == 1 and self:word(at) == "every" and self:number(at + 1) then return nil end -- "once", and "every 2 minutes"
  local is_every = self:word(at) == "every" and not (times and self:is_cut(at)) and not self:is_cut(at + 1)
  local part = is_every and not self:is_cut(at + 2) and vocabulary.OF_UNIT[self:word(at + 1) or ""]
  local seconds, used = part and TIMES[self:word(at + 2) or ""], 3
  if seconds then
    seconds = part * seconds
  elseif is_every and TIMES[self:word(at + 1) or ""] then
    seconds, used = TIMES[self:word(at + 1)], 2
  elseif times then
    seconds, used = self:per(at, true)
  end
  return seconds and seconds / (times or 1), seconds and at + used - offset
end

local PER <const>, PER_EACH <const> = tables.set({ "per", "/", "a" }), tables.set({ "per", "/", "a", "each" })

--- Whether "per", "/" or "a" stands there: what is before it is said of each of what is behind it.
function Reader:is_per(offset) return PER[self:word(offset) or ""] == true end

--- The same, or "each".
function Reader:is_per_each(offset) return PER_EACH[self:word(offset) or ""] == true end

--- "/ gpu", "per device", "per H100", which names the device: how many words.
function Reader:per_device(offset)
  local noun = self:word(offset + 1)
  if not self:is_per_each(offset) or not noun then return nil end
  if NOUNS[noun] == "devices" then return 2 end
  local device, length = names.device(self, offset + 1)
  if device and not self.facts.device then self:say("device", device, noun) end
  return device and 1 + length
end

--- "per job", "/ run" behind the devices of one: how many words.
function Reader:per_job(offset)
  return self:is_per_each(offset) and NOUNS[self:word(offset + 1) or ""] == "jobs" and 2 or nil
end

-- Words behind ", each" by which what follows is that of each: "each on 4 GPUs", "400 tickets a day, each needs 3 calls".
local EACH_NEXT <const> = tables.set({ "on", "need", "needs", "needing", "has", "have", "having", "with", "ask", "asks", "cost", "costs" })

--- "/ user", "per request", "each": what one reader sees; how many tokens.
function Reader:per_reader(offset)
  local word = self:word(offset)
  if word == "each" then
    -- "25 jobs a day, each of 4 GPUs": what follows is that of each.
    local is_next = self:number(offset + 1) and not self:is_cut(offset + 1)
      or self:is_cut(offset) and (vocabulary.LINKS[self:word(offset + 1) or ""] or vocabulary.SENDS[self:word(offset + 1) or ""] or EACH_NEXT[self:word(offset + 1) or ""])
    return not is_next and 1 or nil
  end
  if word == "for" and self:word(offset + 1) == "each" and self:word(offset + 2) == "of" then return 3 end
  if (word == "from" or word == "by" or word == "of") and self:word(offset + 1) == "each" then
    return vocabulary.READERS[self:word(offset + 2) or ""] and 3 or 2
  end
  return (word == "/" or word == "per" or word == "a" or word == "for" or word == "and") and vocabulary.READERS[self:word(offset + 1) or ""]
    and 2 or nil
end

-- So many words before a number may say that it is that of each: "each asks about 10 questions", "everyone runs 5 jobs", and so
-- many where the users are counted between ("each of our 50 users sends 40 prompts").
local EACH_BEFORE <const>, EACH_OF_BEFORE <const> = 4, 8
local EACH <const> = tables.set({ "each", "everyone", "everybody", "apiece" })

-- Whether an "each" is said of what stands right before it, a time or a count of what are no users: "3 hours each, 20 jobs",
-- "on 4 H100 each at 2 requests per second".
function Reader:each_of_before(offset)
  if TIMES[self:word(offset - 1) or ""] then return true end
  if self:is_cut(offset) then return false end -- "share 64 H100, each runs 3 jobs"
  if self:number(offset - 1) then return true end
  return self:number(offset - 2) ~= nil and NOUNS[self:word(offset - 1) or ""] ~= "users"
end

--- Whether the number at the reader's place is that of each of those before.
function Reader:is_of_each()
  local most = EACH_BEFORE
  for offset = -1, -EACH_OF_BEFORE, -1 do
    if self:number(offset) then
      if NOUNS[self:word(offset + 1) or ""] ~= "users" or most > EACH_BEFORE then return false end
      most = EACH_OF_BEFORE
    end
    if offset < -most then return false end
    local word = self:word(offset) or ""
    if EACH[word] and (self:is_cut(offset + 1) or self:each_of_before(offset)) then return false end
    if EACH[word] or word == "every" and vocabulary.READERS[self:word(offset + 1) or ""] then return true end
  end
  return false
end

-- What those do who are counted at one time: "200 agents running in parallel".
local AT_WORK <const> = tables.set({ "running", "working", "active", "chatting", "talking", "connected", "online" })

--- "at once", "at the same time", "in parallel": how many words.
function Reader:at_once(offset)
  local first, second = self:word(offset), self:word(offset + 1)
  if AT_WORK[first or ""] then
    local further = self:at_once(offset + 1)
    return further and 1 + further
  end
  if first == "concurrently" or first == "simultaneously" then return 1 end
  if first == "at" and second == "once" or first == "in" and second == "parallel" then return 2 end
  local third = self:word(offset + 2)
  if first == "at" and (second == "a" or second == "one") and third == "time" then return 3 end
  if first == "at" and second == "the" and third == "same" and self:word(offset + 3) == "time" then return 4 end
end

-- So many words may stand before what happens to a share: "half of the trials are stopped early".
local MOST_OF <const> = 5

--- "of them are stopped early", "pruned" behind a share: how many words.
function Reader:stopped(offset)
  for at = offset, offset + MOST_OF do
    local word = self:word(at)
    if word == "stopped" or word == "pruned" then return at - offset + (self:word(at + 1) == "early" and 2 or 1) end
    if not word or TIMES[word] or self:number(at) then return nil end
  end
end

-- Names of a number stand so many words before it at most.
local NAME_BEFORE <const> = 4

--- The word before the number, over those that link the two: "batch size of 8", "p95 ttft under 800 ms"; not beyond what
--- the number before took.
function Reader:named(known, links)
  local offset = -1
  links = links or vocabulary.LINKS
  while offset >= -NAME_BEFORE and links[self:word(offset) or ""] and not known[self:word(offset) or ""] do offset = offset - 1 end
  if self.at + offset < self.free then return nil end
  return known[self:word(offset) or ""]
end

-- Names of what one device computes at a time, and words that make a batch one.
local MICRO_BATCH <const> = tables.set({ "micro-batch", "microbatch", "micro_batch", "mbs", "micro_batch_size", "microbatch_size" })
local OF_DEVICE <const> = tables.set({ "micro", "per-device", "per-gpu", "local" })
local A_BATCH <const> = tables.set({ "batch", "bs", "batch_size", "batch-size" })

--- Whether the number at the reader's place is what one device computes at a time, and no batch of a step: "micro batch 2",
--- "batch size per GPU of 4".
function Reader:is_micro_batch()
  local offset = -1
  while offset >= -NAME_BEFORE and vocabulary.LINKS[self:word(offset) or ""] do offset = offset - 1 end
  local of_device = NOUNS[self:word(offset) or ""] == "devices" and PER[self:word(offset - 1) or ""]
  if of_device then
    offset = offset - 2
    while vocabulary.LINKS[self:word(offset) or ""] do offset = offset - 1 end
  end
  local word = self:word(offset) or ""
  if MICRO_BATCH[word] then return true end
  if not A_BATCH[word] then return false end
  local before = self:word(offset - 1) or ""
  local is_per = NOUNS[before] == "devices" and self:word(offset - 2) == "per"
  return of_device or is_per or OF_DEVICE[before] or self:per_device(1) ~= nil
end

-- Words between the KV cache and its format: "KV cache in fp8", "KV cache type q8_0".
local CACHE_LINKS <const> = tables.set({ "in", "at", "as", "to", "is", "of", "=", "dtype", "type", "format", "quantized", "quantised",
  "stored", "kept", "with" })
local CACHE <const> = tables.set({ "kv", "kv-cache", "kvcache", "cache" })
local MOST_CACHE_LINKS <const> = 3

--- Whether the format at the reader's place, of so many tokens, is that of the KV cache; how many tokens both take, and
--- whether it is that of the weights as well ("weights and KV cache in fp8").
function Reader:of_cache(length)
  local at = length
  if not self:is_cut(at) and CACHE[self:word(at) or ""] then
    local behind = self:word(at) == "kv" and self:word(at + 1) == "cache" and at + 2 or at + 1
    -- "FP8 KV FP8": weights, and cache.
    return (self:is_cut(behind) or not vocabulary.FORMATS[self:word(behind) or ""]) and behind or nil, false
  end
  local back = -1
  if self:word(back) == "or" and vocabulary.FORMATS[self:word(-2) or ""] then back = -3 end -- "KV cache in fp8 or bf16"
  local most = back - MOST_CACHE_LINKS
  while back > most and CACHE_LINKS[self:word(back) or ""] and not self:is_cut(back + 1) do back = back - 1 end
  if self:is_cut(back + 1) or not CACHE[self:word(back) or ""] then return nil end
  if self:word(back) == "cache" and self:word(back - 1) == "kv" then back = back - 1 end
  if self:word(back - 1) == "the" then back = back - 1 end
  return length, self:word(back - 1) == "and" and self:word(back - 2) == "weights"
end

--- So many tokens from an offset as one name, which begins with a word, or with a number where that is said: "llama 3.1 70b"
--- is llama-3.1-70b, "7900 XTX" 7900-xtx.
function Reader:label(offset, length, with_number)
  local words = {}
  for i = 0, length - 1 do
    local token = self.list[self.at + offset + i]
    if not token or i == 0 and not token.word and not with_number then return nil end
    local glued = i > 0 and vocabulary.BYTES[token.word or ""] and self.list[self.at + offset + i - 1].number -- "64 GB" is one word
    words[#words + 1] = (glued or i == 0) and token.text or "-" .. token.text
  end
  return table.concat(words)
end

return reader
