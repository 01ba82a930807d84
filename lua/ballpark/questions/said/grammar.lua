-- What free words say of a system: "7B on 1T tokens, 512 A100, 5 days" is params, tokens, device, devices and time_s. Every
-- number is read by the words beside it. A number that nothing reads is an error: an answer to half of a question is none.
local devices = require("ballpark.catalog.devices")
local diffusion = require("ballpark.catalog.diffusion")
local errors = require("ballpark.errors")
local models = require("ballpark.catalog.models")
local near = require("ballpark.near")
local networks = require("ballpark.catalog.networks")
local recommenders = require("ballpark.catalog.recommenders")
local tables = require("ballpark.tables")
local subjects = require("ballpark.questions.said.subjects")
local tokens = require("ballpark.questions.said.tokens")
local units = require("ballpark.units")
local variants = require("ballpark.catalog.models.variants")
local voices = require("ballpark.catalog.voices")

local grammar = {}

-- Seconds of a unit of time by the words for it.
local TIMES <const> = { ms = 1e-3, millisecond = 1e-3, milliseconds = 1e-3, s = 1, sec = 1, second = 1, seconds = 1,
  min = 60, minute = 60, minutes = 60, h = 3600, hr = 3600, hrs = 3600, hour = 3600, hours = 3600, d = 86400,
  day = 86400, days = 86400, week = 604800, weeks = 604800, month = units.months(1), months = units.months(1),
  year = units.years(1), years = units.years(1) }

local BYTES <const> = { kb = 1e3, mb = 1e6, gb = 1e9, tb = 1e12, pb = 1e15, gib = 2^30, tib = 2^40, mib = 2^20 }

-- Speeds of arithmetic: "500 TFLOP/s", "989 teraflops".
local FLOPS <const> = { gflop = 1e9, gflops = 1e9, tflop = 1e12, tflops = 1e12, teraflop = 1e12, teraflops = 1e12, pflop = 1e15,
  pflops = 1e15, petaflop = 1e15, petaflops = 1e15, exaflop = 1e18, exaflops = 1e18 }

local FORMATS <const> = tables.set({ "bf16", "fp16", "fp32", "fp8", "int8", "int4", "nvfp4", "mxfp4", "awq", "gptq" })

-- "in 4 bit": formats of so many bits.
local BITS <const> = { [4] = "int4", [8] = "int8", [16] = "bf16" }

-- Nouns of what is counted, by what a count of them is; a rate of most is a rate of requests.
local NOUNS <const> = {
  tokens = "tokens", token = "tokens", tok = "tokens",
  parameters = "params", params = "params", weights = "params",
  gpus = "devices", gpu = "devices", devices = "devices", cards = "devices", accelerators = "devices",
  users = "users", people = "users", ppl = "users", dau = "users",
  items = "vectors", vectors = "vectors", documents = "vectors", embeddings = "vectors", videos = "vectors",
  requests = "requests", queries = "requests", uploads = "requests", images = "requests", sequences = "requests",
  seq = "requests", img = "requests", calls = "requests", qps = "rate", rps = "rate", ["req"] = "requests",
  jobs = "jobs", runs = "jobs", sweeps = "jobs", replicas = "replicas", copies = "replicas",
  clients = "concurrency", concurrent = "concurrency", simultaneous = "concurrency", parallel = "concurrency",
  sessions = "concurrency", streams = "concurrency", layers = "layers", dimensions = "dim", dim = "dim", dimensional = "dim",
  employees = "users", customers = "users", students = "users", members = "users", developers = "users",
  engineers = "users", researchers = "users", scientists = "users", analysts = "users", visitors = "users",
  lines = "concurrency", questions = "requests", messages = "requests",
  docs = "vectors", passages = "vectors", chunks = "vectors", products = "vectors", experiments = "jobs",
  trials = "trials", kinds = "kinds", examples = "examples", pairs = "examples", epochs = "epochs", epoch = "epochs",
  steps = "steps", rollouts = "completions", completions = "completions", pixels = "pixels",
  samples = "requests", prompts = "requests", pages = "requests", texts = "requests", reviews = "requests",
  descriptions = "requests", titles = "requests", tweets = "requests", sentences = "requests", records = "requests",
  comments = "requests", posts = "requests", files = "requests", pdfs = "requests", invoices = "requests", dims = "dim",
  emails = "requests", tickets = "requests", chats = "requests", conversations = "requests", articles = "requests",
}

-- Words of kinds of times, before or behind them.
local TIME_OF <const> = { tpot = "tpot_s", ttft = "ttft_s", p50 = "slo_s", p90 = "slo_s", p95 = "slo_s", p99 = "slo_s",
  latency = "slo_s", slo = "slo_s", sla = "slo_s", within = "within_s", step = "step_s", deadline = "time_s" }

-- Names of a number that stands behind them: "mfu 40", "batch 32".
local NAMED <const> = { mfu = "mfu_frac", batch = "batch", concurrency = "concurrency", seq = "seq_len",
  length = "seq_len", seq_len = "seq_len", context = "seq_len", dim = "dim", dimension = "dim", horizon = "horizon_s",
  utilization = "utilization_frac", utilisation = "utilization_frac", burst = "peak_ratio", peak = "peak_ratio",
  ctx = "seq_len", global_batch = "global_batch", rank = "rank", recall = "recall" }

-- Words between such a name and its number: "a batch size of 8", "a context window of 128k".
local LINKS <const> = tables.set({ "of", "is", "=", "size", "length", "window", "at", "to" })

-- Shorter words are too short for the name of a model.
local LEAST_NAME <const> = 3

-- Words that say how a thing is asked, and no fact: what is read and not said here is listed as not read.
local plain_words = require("ballpark.questions.said.plain_words")
local PLAIN <const> = tables.set(plain_words.all)
-- Of them, those that stand between things and never belong to a noun.
local LINKING <const> = tables.set(plain_words.linking)

-- "half the budget", "twice the users": what a factor changes.
local FACTORS <const> = { half = 0.5, double = 2, twice = 2, triple = 3, third = 1 / 3, quarter = 0.25 }
local CHANGED <const> = { budget = "budget", cost = "budget", costs = "budget", bill = "budget", money = "budget",
  price = "budget", users = "users", people = "users", traffic = "rate_per_s", load = "rate_per_s", qps = "rate_per_s",
  rate = "rate_per_s", requests = "rate_per_s", uploads = "rate_per_s", devices = "devices", gpus = "devices",
  tokens = "tokens", data = "tokens", jobs = "jobs_per_s", items = "vectors", vectors = "vectors" }

local Reader = {}
Reader.__index = Reader

function Reader:word(offset)
  local token = self.list[self.at + (offset or 0)]
  return token and token.word
end

function Reader:number(offset)
  local token = self.list[self.at + (offset or 0)]
  return token and token.number
end

-- Words between things of which one is to be chosen.
local BESIDE <const> = tables.set({ "or", "vs", "versus" })

-- What is counted and has no halves.
local WHOLE <const> = tables.set({ "devices", "layers", "dim", "replicas" })

-- Sets a fact; the first word on it stands unless it is the same. Of devices, one more behind "or" stands beside it.
function Reader:say(name, value, text)
  if name == "device" and self.facts.device and self.facts.device ~= value and BESIDE[self:word(-1) or ""] then
    self.beside[#self.beside + 1] = value
    return true
  end
  if self.facts[name] ~= nil and self.facts[name] ~= value then
    errors.input("'" .. text .. "'", ("says %s again, %s before: give one"):format(name, tostring(self.facts[name])))
  end
  if WHOLE[name] and value % 1 ~= 0 then
    errors.input("'" .. text .. "'", ("%s must be a whole number"):format(name))
  end
  if self.facts[name] == nil then self.order[#self.order + 1] = name end
  self.facts[name] = value
  return true
end

-- "/ s", "per second", "an hour" at an offset: seconds of the unit and how many tokens that takes.
function Reader:per(offset)
  local word = self:word(offset)
  if word ~= "/" and word ~= "per" and word ~= "a" and word ~= "an" and word ~= "each" then
    if word == "daily" or word == "hourly" then return word == "daily" and 86400 or 3600, 1 end
    return nil
  end
  local unit = self:word(offset + 1)
  return unit and TIMES[unit], 2
end

-- "/ gpu", "per device".
function Reader:per_device(offset)
  local word, noun = self:word(offset), self:word(offset + 1)
  return (word == "/" or word == "per" or word == "each" or word == "a") and noun
    and (NOUNS[noun] == "devices" or devices.resolve(noun) ~= nil)
end

-- "/ user", "per request", "each": what one reader sees.
local READERS <const> = tables.set({ "user", "request", "stream", "client", "person", "session" })

function Reader:per_reader(offset)
  local word = self:word(offset)
  if word == "each" then return 1 end
  return (word == "/" or word == "per" or word == "a" or word == "for") and READERS[self:word(offset + 1) or ""] and 2 or nil
end

-- More tokens than a text has.
local LONGEST_TEXT <const> = 1e7

-- Whose lengths in tokens stand behind "of": "2M documents of 3k tokens".
local LENGTH_OF <const> = { prompt = "input_tokens", prompts = "input_tokens", documents = "input_tokens",
  document = "input_tokens", pages = "input_tokens", texts = "input_tokens", articles = "input_tokens",
  requests = "input_tokens", examples = "input_tokens", samples = "input_tokens", tickets = "input_tokens",
  emails = "input_tokens", reviews = "input_tokens", transcripts = "input_tokens", answers = "output_tokens",
  rollouts = "output_tokens", completions = "output_tokens", context = "seq_len", sequences = "seq_len" }

local function clean(word) return word and word:gsub("s$", "") end

-- So many tokens from an offset as one name, which begins with a word: "llama 3.1 70b" is llama-3.1-70b.
function Reader:label(offset, length)
  local words = {}
  for i = 0, length - 1 do
    local token = self.list[self.at + offset + i]
    if not token or i == 0 and not token.word then return nil end
    local glued = i > 0 and BYTES[token.word or ""] and self.list[self.at + offset + i - 1].number -- "64 GB" is one word
    words[#words + 1] = (glued or i == 0) and token.text or "-" .. token.text
  end
  return table.concat(words)
end

-- A device named by up to four words, as "RTX 4090" and "M3 Max 64 GB".
local MOST_DEVICE_WORDS <const> = 4

function Reader:device(offset)
  for length = MOST_DEVICE_WORDS, 1, -1 do
    local label = self:label(offset, length)
    local name = label and #label >= 2 and (devices.resolve(label) or devices.resolve(clean(label)))
    if name and not TIMES[label] and not NOUNS[label] then
      -- A memory that the catalog's name does not say is a part of the name: "M3 Max 64GB".
      local memory = label:match("%-(%d+gb)$")
      return memory and not name:lower():find(memory, 1, true) and label or name, length
    end
  end
end

-- "bge-large" is bge-large-en-v1.5: the one model whose name begins so.
local LEAST_BEGINNING <const> = 6

local function beginning(word)
  if #word < LEAST_BEGINNING or not word:find("^%a[%w%.]*%-%a+$") then return nil end
  local only
  for _, name in ipairs(models.known()) do
    if name:lower():sub(1, #word + 1) == word .. "-" then
      local meant = models.resolve(name)
      if only and only ~= meant then return nil end
      only = meant
    end
  end
  return only
end

-- A catalog name of a model of any kind.
local function model_of(word)
  if diffusion.resolve(word) or voices.resolve(word) then return diffusion.resolve(word) or voices.resolve(word) end
  if #word < LEAST_NAME or not word:find("%d") and not word:find("-", 1, true) and word ~= "bert" then return nil end
  return models.resolve(word) or networks.resolve(word) and word
    or tables.contains(recommenders.names(), word) and word or beginning(word)
end

-- A family with a size, as "Llama 8B" and "70B Qwen": the model of the catalog with the latest name.
local function of_family(word, size)
  local latest
  for _, name in ipairs(models.names()) do
    local plain = name:lower()
    if plain:find(word, 1, true) == 1 and plain:find("^[%-%d]", #word + 1) and plain:find("%f[%w]" .. size:gsub("%.", "%%.") .. "$")
      and (not latest or plain > latest:lower()) then
      latest = name
    end
  end
  return latest
end

-- A model named by up to six words and numbers, as "Llama 3.1 70B" and "Qwen 2.5 72B Instruct AWQ".
local MOST_MODEL_WORDS <const> = 6

function Reader:model(offset)
  for length = MOST_MODEL_WORDS, 1, -1 do
    local label = self:label(offset, length)
    local name = label and model_of(label)
    if name and not devices.resolve(label) then
      -- "DeepSeek-R1 32B" is one of the family, not the one that bears its name.
      local behind = self.list[self.at + offset + length]
      local sized = behind and behind.scale == "b" and of_family(label, behind.text)
      return sized or name, length + (sized and 1 or 0), label
    end
  end
end

-- The size behind or before a word of a family: the model, and how many tokens are left to read.
function Reader:family(word)
  if #word < LEAST_NAME or not word:find("^%a+$") then return nil end
  local behind = self.list[self.at + 1]
  if behind and behind.number and behind.scale == "b" then return of_family(word, behind.text), 2 end
end

-- "in a day" and "in 5 days" behind a count are a time; "1000 in, 200 out" are lengths.
local function is_time_behind(reader, at)
  local article = reader:word(at + 1) == "a" or reader:word(at + 1) == "an"
  return (article or reader:number(at + 1) ~= nil) and TIMES[reader:word(at + 2) or ""] ~= nil
end

-- What a count of tokens is: a speed, a length or those of the whole run.
local function read_tokens(reader, value, text, at)
  local seconds, used = reader:per(at)
  if seconds then
    local each = reader:per_reader(at + used)
    if each then
      reader:say("tpot_s", seconds / value, text)
      return at + used + each
    end
    local behind = reader:per_device(at + used)
    reader:say(behind and "tokens_per_s_device" or "tokens_per_s", value / seconds, text)
    return at + used + (behind and 2 or 0)
  end
  local per_device = reader:per_device(at)
  local word = reader:word(at)
  local of = reader:word(-1) == "of" and LENGTH_OF[reader:word(-2) or ""] or reader:word(at) == "each" and value < LONGEST_TEXT and "input_tokens"
  if of then
    reader:say(of, value, text)
    return at
  elseif word == "context" or word == "ctx" or word == "of" and reader:word(at + 1) == "context" then
    reader:say("seq_len", value, text)
    return at + (word == "of" and 2 or 1)
  elseif word == "in" and not is_time_behind(reader, at) or word == "input" or word == "prompt" then
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

-- Money: of a run, by the month, by the hour.
local function read_money(reader, value, text, at)
  if reader:word(at) == "usd" or reader:word(at) == "dollars" or reader:word(at) == "$" then at = at + 1 end
  local seconds, used = reader:per(at)
  if not seconds and reader:per_device(at) then
    at = at + 2
    seconds, used = reader:per(at)
  end
  if seconds == 3600 then
    reader:say("usd_h", value, text)
  elseif seconds == TIMES.month then
    reader:say("budget_usd_month", value, text)
  elseif seconds == TIMES.year then
    reader:say("budget_usd_month", value / 12, text)
  elseif seconds then
    errors.input("'" .. text .. "'", "money by the hour, by the month, or in all?")
  else
    reader:say("cost_usd", value, text)
    return at
  end
  return at + used
end

-- A time by the words around it; without any, short ones are latencies and long ones that of the run.
local LONGEST_LATENCY <const> = 60

local function percentile_of(word)
  local digits = word and word:match("^p(%d+%.?%d*)$")
  return digits and tonumber(digits)
end

local SOUND <const> = tables.set({ "audio", "speech", "sound", "recordings", "calls", "podcasts", "voice", "talk" })

local function read_time(reader, value, text, at)
  local behind, before, further = reader:word(at), reader:word(-1), reader:word(-2)
  local of = behind == "of" and 1 or 0
  if SOUND[reader:word(at + of) or ""] then
    -- "10,000 hours of speech a day" is a rate: so many lines talk at one time.
    local seconds, used = reader:per(at + of + 1)
    reader:say(seconds and "streams" or "audio_s", value / (seconds or 1), text)
    return at + of + 1 + (used or 0)
  elseif before == "every" then
    reader:say("every_s", value, text)
    return at
  end
  if (before == "/" or before == "per" or before == "every") then behind = nil end
  local percentile = percentile_of(behind) or percentile_of(before)
  if percentile then reader:say("percentile", percentile, text) end
  local name = TIME_OF[behind or ""] or TIME_OF[before or ""] or TIME_OF[further or ""]
  if (behind == "/" or behind == "per") and NOUNS[reader:word(at + 1) or ""] == "tokens" then
    name, at = "tpot_s", at + 2
  elseif (behind == "/" or behind == "per" or behind == "a") and reader:word(at + 1) == "step" then
    name, at = "step_s", at + 2
  elseif behind and TIME_OF[behind] then
    at = at + 1
  elseif before == "horizon" or before == "over" then
    name = "horizon_s"
  end
  reader:say(name or (value < LONGEST_LATENCY and "slo_s" or "time_s"), value, text)
  return at
end

-- A share: growth by the month, MFU, utilisation.
local function read_share(reader, value, text, at)
  local behind, before = reader:word(at), reader:word(-1)
  local seconds, used = reader:per(at)
  if seconds then
    reader:say("growth_month_frac", value * TIMES.month / seconds, text)
    return at + used
  elseif behind == "mfu" then
    reader:say("mfu_frac", value, text)
    return at + 1
  elseif NAMED[before or ""] and NAMED[before]:find("_frac$") then
    reader:say(NAMED[before], value, text)
    return at
  elseif behind == "utilization" or behind == "utilisation" then
    reader:say("utilization_frac", value, text)
    return at + 1
  elseif behind == "active" then
    reader:say("active_frac", value, text)
    return at + 1
  end
  errors.input("'" .. text .. " %'", "of what? Say '40 % MFU', '3 % a month' or '5 % active'")
end

-- "at once", "at the same time", "in parallel" behind users: how many words.
function Reader:at_once(offset)
  local first, second = self:word(offset), self:word(offset + 1)
  if first == "concurrently" or first == "simultaneously" then return 1 end
  if first == "at" and second == "once" or first == "in" and second == "parallel" then return 2 end
  if first == "at" and (second == "the" or second == "a" or second == "one") then return self:word(offset + 2) == "time" and 3 or 4 end
end

-- A count of things, or their rate.
local function read_count(reader, what, value, text, at)
  local seconds, used = reader:per(at)
  if what == "devices" and reader:word(-1) == "of" and reader.facts.jobs_per_s then
    reader:say("devices_per_job", value, text)
    return at
  elseif what == "devices" and reader:word(at) == "of" and reader:number(at + 1) and BYTES[reader:word(at + 2) or ""] then
    reader:say("devices", value, text)
    reader:say("memory_bytes", reader:number(at + 1) * BYTES[reader:word(at + 2)], text)
    return at + 3
  elseif what == "rate" then
    reader:say("rate_per_s", value, text)
    return at
  elseif what == "requests" then
    if not seconds then
      reader:say("items", value, text)
      return at
    end
    if reader:per_reader(at + used) then
      reader:say("requests_per_user_day", value / seconds * 86400, text)
      return at + used + reader:per_reader(at + used)
    end
    local device = reader:per_device(at + used)
    reader:say(device and "rate_per_s_device" or "rate_per_s", value / seconds, text)
    return at + used + (device and 2 or 0)
  elseif what == "jobs" and seconds then
    reader:say("jobs_per_s", value / seconds, text)
    return at + used
  elseif what == "users" and reader:at_once(at) then
    reader:say("concurrency", value, text)
    return at + reader:at_once(at)
  end
  reader:say(what, value, text)
  return at
end

-- Adjectives between a number and its noun.
local PASSED <const> = tables.set({ "daily", "monthly", "active", "training", "new", "more", "input", "user", "prompt",
  "output", "of", "the", "peak", "different" })

-- Scales that say a number of parameters where nothing else does.
local SIZES <const> = tables.set({ "b", "bn", "billion", "t", "m" })

-- A word that may stand between a number and its noun: one that means nothing by itself.
local MOST_ADJECTIVES <const> = 2

local function is_adjective(reader, offset)
  local word = reader:word(offset)
  return word ~= nil and not (LINKING[word] or NOUNS[word] or TIMES[word] or BYTES[word] or NAMED[word] or TIME_OF[word]
    or FORMATS[word]) and word:find("^%a[%a%-]+$") ~= nil and reader:device(offset) == nil
end

-- Where the noun of a number stands: "2M active users", "64 hyperparameter trials".
local function noun_of(reader)
  local at = 1
  while PASSED[reader:word(at) or ""] and NOUNS[reader:word(at + 1) or ""] do at = at + 1 end
  if NOUNS[reader:word(at) or ""] then return at end
  for further = 1, MOST_ADJECTIVES do
    if not is_adjective(reader, further) then break end
    local noun = NOUNS[reader:word(further + 1) or ""]
    if noun and noun ~= "tokens" and noun ~= "params" then return further + 1 end
  end
  return at
end

-- "1 billion 768-dim embeddings", "1M 2k-token prompts": the number of another one that stands between.
local BETWEEN <const> = { dim = "dim", dimensional = "dim", d = "dim", token = "input_tokens", tok = "input_tokens",
  ["token-long"] = "input_tokens" }

local function read_between(reader, value, text)
  local name = reader:number(1) and BETWEEN[reader:word(2) or ""]
  local noun = name and NOUNS[reader:word(3) or ""]
  if not noun then return nil end
  reader:say(name, reader:number(1), reader.list[reader.at + 1].text)
  reader:say(noun == "requests" and "items" or noun, value, text)
  return 4
end

-- The name of a number that stands before it: "mfu 40", "a batch size of 8".
local function name_before(reader)
  local offset = -1
  while offset >= -3 and LINKS[reader:word(offset) or ""] and not NAMED[reader:word(offset) or ""] do offset = offset - 1 end
  if reader.at + offset < reader.free then return nil end -- "32k context, 50 users": the word is that of the number before
  return NAMED[reader:word(offset) or ""]
end

-- Reads the number at the reader's place; whether something took it.
local function read_number(reader)
  local token = reader.list[reader.at]
  local value, text, at = token.number, token.text, 1
  local word = reader:word(1)
  local between = read_between(reader, value, text)
  if between then return between end
  local noun_at = noun_of(reader)
  local noun = reader:word(noun_at)
  local device, length = reader:device(word == "x" and 2 or 1)
  if word == "%" or word == "percent" then return read_share(reader, value / 100, text, 2) end
  if reader:word(-1) == "$" or word == "$" or word == "usd" or word == "dollars" then
    return read_money(reader, value, text, 1)
  end
  if device and (word == "x" or not TIMES[word]) then
    reader:say("devices", value, text)
    reader:say("device", device, text)
    return (word == "x" and 2 or 1) + length
  end
  local hours = word and (word:match("^(.+)-hours?$") or (reader:word(2) == "hours" and word))
  if hours and (NOUNS[hours] == "devices" or NOUNS[hours .. "s"] == "devices" or devices.resolve(hours)) then
    reader:say("device_s", value * 3600, text)
    if devices.resolve(hours) then reader:say("device", devices.resolve(hours), text) end
    return reader:word(2) == "hours" and 3 or 2
  end
  if word and FLOPS[word] then
    local seconds, taken = reader:per(2)
    if not seconds and not word:find("s$") then
      errors.input("'" .. text .. " " .. word .. "'", "computation in a second, or in all? Say '500 TFLOP/s'")
    end
    local after = 2 + (taken or 0)
    local each = reader:per_device(after)
    reader:say(each and "flop_s_device" or "flop_s", value * FLOPS[word] / (seconds or 1), text)
    return after + (each and 2 or 0)
  end
  local bits = (word == "bit" or word == "bits") and BITS[value]
  if bits then
    reader:say("weights", bits, text)
    return 2
  end
  if SIZES[token.scale] and word == "active" then
    reader:say("active_params", value, text)
    return 2
  end
  if word == "x" then
    reader:say("peak_ratio", value, text)
    return 2
  end
  if word and TIMES[word] and reader:word(-1) ~= "batch" then return read_time(reader, value * TIMES[word], text, 2) end
  if word and BYTES[word] then
    reader:say("memory_bytes", value * BYTES[word], text)
    return 2
  end
  if word == "mfu" and value <= 100 then
    reader:say("mfu_frac", value > 1 and value / 100 or value, text)
    return 2
  end
  local name = name_before(reader)
  if name and not name:find("_frac$") and name ~= "peak_ratio" then
    reader:say(name, value, text)
    return at
  end
  -- "1000 in, 200 out" are lengths; "7B in fp8" and "70B in 5 days" are not.
  if word == "out" or word == "in" and not SIZES[token.scale] and not is_time_behind(reader, 1) then return read_tokens(reader, value, text, 1) end
  if noun and NOUNS[noun] == "tokens" then
    local said = reader:word(noun_at - 1)
    if said == "prompt" or said == "input" or said == "output" then
      reader:say(said == "output" and "output_tokens" or "input_tokens", value, text)
      return noun_at + 1
    end
    return read_tokens(reader, value, text, noun_at + 1)
  end
  if noun and NOUNS[noun] then
    if reader:word(1) == "daily" and NOUNS[noun] == "requests" then
      reader:say("rate_per_s", value / 86400, text)
      return noun_at + 1
    end
    return read_count(reader, NOUNS[noun], value, text, noun_at + 1)
  end
  if word and FORMATS[word] and reader:word(-1) ~= "batch" then -- "7B fp16"
    reader:say("params", value, text)
    return at
  end
  if word == "by" and reader:number(2) and reader:word(3) == "pixels" then
    reader:say("width", value, text)
    reader:say("height", reader:number(2), text)
    return 4
  end
  if word == "context" or word == "ctx" then
    reader:say("seq_len", value, text)
    return 2
  end
  if name then
    local share = name:find("_frac$") and value > 1
    reader:say(name, share and value / 100 or value, text)
    return at
  end
  if SIZES[token.scale] then
    local model = token.scale == "b" and word and #word >= LEAST_NAME and word:find("^%a+$") and of_family(word, text)
    reader:say(model and "model" or "params", model or value, text)
    return model and 2 or at
  end
  return nil
end

-- Families that a word stands for where no size is said: the model of the catalog that is usual.
local FAMILIES <const> = { clip = "clip-vit-l-14", ["clip-like"] = "clip-vit-l-14", ["vit-l"] = "vit-l-16-224",
  ["vit-b"] = "vit-b-16-224", ["vit-h"] = "vit-h-14-224", bert = "bert-base-uncased", ["bert-base"] = "bert-base-uncased",
  ["bert-large"] = "bert-large-uncased", dlrm = "dlrm-dcnv2",
  whisper = "whisper-large-v3", orpheus = "orpheus-3b" }

-- A number that is written as a word is often no number: "one matrix". Of others nothing may be left out.
local function not_understood(reader)
  local token, word = reader.list[reader.at], reader:word(1)
  if token.spelled then
    if token.scale ~= "" then reader.unread[#reader.unread + 1] = { text = token.text, at = reader.at } end
    return 1
  end
  local names = tables.sorted_keys(NOUNS)
  table.move(devices.known(), 1, #devices.known(), #names + 1, names)
  local meant = word and near.name(word, names)
  errors.input("'" .. token.text .. (word and " " .. word or "") .. "'", "is not understood" .. (meant and meant ~= word
    and (", did you mean '" .. meant .. "'?") or ": say what it counts, as in '7B', '1T tokens', '512 A100', '5 days'"))
end

-- A name with digits in it means something: a device or a model that is misspelt.
local function unknown_name(word)
  if models.unrepresented(word) then errors.input("'" .. word .. "'", models.missing(word)) end
  local names = devices.known()
  for _, list in ipairs({ models.known(), networks.names() }) do table.move(list, 1, #list, #names + 1, names) end
  local meant = near.typo(word, names)
  if meant then errors.input("'" .. word .. "'", "is no device or model of the catalog, did you mean '" .. meant .. "'?") end
end

-- "half the budget", "a third of the traffic": how many words, where it is one.
local function read_factor(reader)
  local factor, at = FACTORS[reader:word(0)], 1
  if not factor then return nil end
  while reader:word(at) == "the" or reader:word(at) == "of" or reader:word(at) == "our" do at = at + 1 end
  local changed = CHANGED[reader:word(at) or ""]
  if not changed or (at == 1 and reader:word(0) ~= "double" and reader:word(0) ~= "triple") then return nil end
  reader.factors[changed] = factor
  return at + 1
end

-- "in a day", "within an hour", "in one week": a time that says no number.
local function read_single_time(reader)
  local word, article = reader:word(0), reader:word(1)
  if not (word == "in" or word == "within" or word == "under") or not (article == "a" or article == "an") then return nil end
  local seconds = TIMES[reader:word(2) or ""]
  if not seconds then return nil end
  reader:say(word == "within" and "within_s" or "time_s", seconds, table.concat({ word, article, reader:word(2) }, " "))
  return 3
end

-- Words that stand beside a number and say what it is, and those that name a kind of question.
local function is_known(word)
  return PLAIN[word] or TIMES[word] or BYTES[word] or FLOPS[word] or NOUNS[word] or TIME_OF[word] or NAMED[word] or PASSED[word]
    or word:find("^[/%%$=]$") or word == "growing" or word == "growth"
end

local SUBJECT_WORDS <const> = {}
for _, subject in ipairs(subjects) do
  for _, phrases in pairs(subject[2]) do
    for _, phrase in ipairs(phrases) do
      for word in phrase:gmatch("%S+") do SUBJECT_WORDS[word] = true end
    end
  end
end

-- A word that neither is a fact nor stands beside one.
local function not_read(reader)
  local word, token = reader:word(0), reader.list[reader.at]
  if not is_known(word) and not SUBJECT_WORDS[word] then
    local last = reader.unread[#reader.unread]
    if last and last.at == reader.at - 1 then
      last.text, last.at = last.text .. " " .. token.text, reader.at
    else
      reader.unread[#reader.unread + 1] = { text = token.text, at = reader.at }
    end
  end
  return 1
end

-- Times that are words: a night's work is done by the morning, and a weekend's by Monday (assumptions).
local SPANS <const> = { overnight = 10 * 3600, weekend = 60 * 3600, tomorrow = 24 * 3600 }

-- How a model is trained further, where a word says it.
local METHODS <const> = { lora = "lora", qlora = "qlora", adapters = "lora" }
local TUNINGS <const> = tables.set({ "sft", "dpo", "grpo", "ppo" })

local function read_model(reader)
  local name, length, label = reader:model(0)
  if not name then return nil end
  reader:say("model", name, label)
  local gguf = label:match("%f[%w](i?q%d[%w_]*)$")
  local format = gguf or label:match("%f[%w](awq)%f[%W]") or label:match("%f[%w](gptq)%f[%W]") or variants.format(label)
  if format then reader:say("weights", format, label) end
  return length
end

-- "full fine-tune": all weights are trained.
local function read_method(reader)
  local word, behind = reader:word(0), reader:word(1)
  if METHODS[word] then return reader:say("method", METHODS[word], word) and 1 end
  if word == "full" and (reader.tuned or behind == "sft" or behind == "parameter") then
    return reader:say("method", "full", word) and 1
  end
end

local function read_word(reader)
  local word = reader:word(0)
  local used = read_factor(reader) or read_single_time(reader)
  if used then return used end
  if FORMATS[word] or word:find("^i?q%d_") then return reader:say("weights", word, word) and 1 end
  if SPANS[word] then return reader:say("time_s", SPANS[word], word) and 1 end
  local method = read_method(reader)
  if method then return method end
  if TUNINGS[word] then return reader:say("tuning", word, word) and 1 end
  if percentile_of(word) then return 1 end
  local family = FAMILIES[word] or FAMILIES[clean(word)]
  local _, named = reader:model(0)
  if family and (named or 1) > 1 then family = nil end -- "whisper large v3" says which of them
  if family then return reader:say("model", family, word) and 1 end
  if not TIMES[word] and not NOUNS[word] and not BYTES[word] then
    local device, length = reader:device(0)
    if device and (word:find("%d") or length > 1) then return reader:say("device", device, word) and length end
    local taken = read_model(reader)
    if taken then return taken end
    local model, tokens_taken = reader:family(word)
    if model then return reader:say("model", model, word) and tokens_taken end
    if reader:word(1) == "/" and reader:word(2) and model_of(reader:word(2)) then return 2 end
    if word:find("%d") and #word > LEAST_NAME or models.unrepresented(word) then unknown_name(word) end
  end
  return not_read(reader)
end

-- How much the words of a text say of each kind of question: weights by kind.
local function weighed(text)
  local words, weights = " " .. text:lower():gsub("[^%w%-%.']+", " ") .. " ", {}
  words = words:gsub("[%.%-']+ ", " ")
  for _, subject in ipairs(subjects) do
    local weight = 0
    for each, phrases in pairs(subject[2]) do
      for _, phrase in ipairs(phrases) do
        if words:find(" " .. phrase .. " ", 1, true) then weight = weight + each break end
      end
    end
    if weight > 0 then weights[subject[1]] = weight end
  end
  return weights
end

--- What a text says: facts by name in base units, how much its words say of each kind of question, factors by which it
--- changes what was said before ("half the budget"), devices to choose from beside the first, words that were not read,
--- and the text.
---@param text string
---@return { facts: table<string, any>, order: string[], weights: table<string, number>, factors: table<string, number>, beside: string[], unread: string[], text: string }
function grammar.read(text)
  if type(text) ~= "string" or not text:find("%w") then errors.input("text", "says nothing") end
  local list = tokens.of(text)
  local reader = setmetatable({ list = list, at = 1, free = 1, tuned = text:lower():find("fine[%-%s]?tun") ~= nil,
    facts = {}, order = {}, factors = {}, beside = {}, unread = {} }, Reader)
  while list[reader.at] do
    local token = list[reader.at]
    local used
    if token.number then
      used = read_number(reader) or not_understood(reader)
      reader.free = reader.at + used
    else
      used = read_word(reader)
    end
    reader.at = reader.at + used
  end
  local unread = {}
  for i, item in ipairs(reader.unread) do unread[i] = item.text end
  return { facts = reader.facts, order = reader.order, weights = weighed(text), factors = reader.factors, beside = reader.beside,
    unread = unread, text = text }
end

return grammar
