-- Numbers that are shares: of a peak, of users, of a bill.
local errors = require("ballpark.errors")
local money = require("ballpark.questions.said.counts.money")
local names = require("ballpark.questions.said.names")
local tables = require("ballpark.tables")
local times = require("ballpark.questions.said.counts.times")
local vocabulary = require("ballpark.questions.said.vocabulary")

local shares = {}

local NOUNS <const>, TIMES <const>, NAMED <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.NAMED
local LEAST_PERCENTILE <const> = times.LEAST_PERCENTILE
local SAVED <const> = money.SAVED

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
    if word == "concurrent" and not reader.list[reader.at + offset + 1] or word == "active" or word == "online" then return offset - at + (word == reader:word(offset) and 1 or 2) end
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
local BEFORE_CACHED <const> = tables.set({ "of", "the", "is", "are", "prompts", "kv", "tokens", "token", "input", "a", "our", "my",
  "each", "every", "system" })
local PROMPTS <const> = tables.set({ "prompt", "prefix" })
local MOST_CACHED_WORDS <const> = 9

-- "prefix cache hit rate", "cache hits", "of the prompt is cached" behind a share: where they end, and where the length of the
-- prompt stands among them ("of our 6k prompts is shared"); nil where none stand there.
local function cached_behind(reader, at)
  local found, length
  for offset = at, at + MOST_CACHED_WORDS - 1 do
    local word, number = not reader:is_cut(offset) and reader:word(offset), not reader:is_cut(offset) and reader:number(offset)
    if number and not length then
      length = offset
    elseif not word or not (CACHED[word] or BEFORE_CACHED[word]) then
      break
    elseif CACHED[word] and (found or not PROMPTS[word]) then
      found = offset + 1
    end
  end
  return found, found and length and length < found and length or nil
end

-- Words of devices in use: "at 25% GPU utilization", "60% usage", "70 % busy", "a 40% duty cycle".
local USED <const> = tables.set({ "utilization", "utilisation", "usage", "busy", "utilized", "utilised", "duty" })

local function used_behind(reader, at)
  if NOUNS[reader:word(at) or ""] == "devices" and not reader:is_cut(at) then at = at + 1 end
  if not USED[reader:word(at) or ""] or reader:is_cut(at) then return nil end
  return at + (reader:word(at) == "duty" and reader:word(at + 1) == "cycle" and 2 or 1)
end

-- Words of what is there beyond what is needed: "15% spare", "30% headroom".
local SPARE <const>, SPARE_OF <const> = tables.set({ "spare", "spares", "headroom", "buffer", "slack", "reserve" }), tables.set({ "capacity", "devices", "gpus", "nodes" })

--- A share: growth by the month, MFU, utilisation, what is saved.
function shares.read_share(reader, value, text, at)
  local behind, before = reader:word(at), reader:word(-1)
  local seconds, used = reader:per(at)
  if seconds then
    reader:say("growth_month_frac", value * TIMES.month / seconds, text)
    return at + used
  elseif behind == "mfu" then
    reader:say("mfu_frac", value, text)
    return at + 1
  end
  local name = reader:named(NAMED)
  if name and (name:find("_frac$") or name == "recall") then
    reader:say(name, value, text)
    return at
  elseif behind == "recall" then
    reader:say("recall", value, text)
    return at + 1
  elseif used_behind(reader, at) then
    reader:say("utilization_frac", value, text)
    return used_behind(reader, at)
  elseif behind == "of" and reader:word(at + 1) == "the" and reader:word(at + 2) == "time" then
    reader:say("utilization_frac", value, text)
    return at + 3
  elseif behind == "of" and NOUNS[reader:word(at + 1) or ""] == "requests" and value >= LEAST_PERCENTILE / 100 and value < 1 then
    reader:say("percentile", 100 * value, text)
    return at + 2
  elseif faster_behind(reader, at, value) then
    reader:say("percentile", 100 * value, text)
    return at
  elseif cached_behind(reader, at) then
    local last, length = cached_behind(reader, at)
    reader:say("prefix_frac", value, text)
    if length then reader:say("input_tokens", reader:number(length), reader.list[reader.at + length].text) end
    return last
  elseif not reader:is_cut(at) and SPARE[behind or ""] then
    reader:say("spare_frac", value, text)
    return at + (SPARE_OF[reader:word(at + 1) or ""] and 2 or 1)
  elseif active_behind(reader, at) then
    reader:say("active_frac", value, text)
    return at + active_behind(reader, at)
  elseif reader:stopped(at) then
    reader:say("pruned_frac", value, text)
    return at + reader:stopped(at)
  elseif DISCOUNT[behind or ""] and not reader:is_cut(at) or reader:named(DISCOUNT) then
    reader.factors.price = 1 - value
    return DISCOUNT[behind or ""] and at + 1 or at
  elseif CHEAPER[behind or ""] or before and SAVED[before] then
    reader.factors.budget = 1 - value
    return CHEAPER[behind or ""] and at + 1 or at
  end
  if reader.lenient then return nil end
  errors.input("'" .. text .. " %'", "of what? Say '40 % MFU', '3 % a month' or '5 % active'")
end

local REST <const> = tables.set({ "rest", "other", "others", "remaining", "remainder" })
local OF_LENGTH <const> = tables.set({ "are", "is", "have", "has", "with", "of", "at", "about", "around", "the", "and", "a", "tokens", "tok", "long", "requests", "prompts", "answers" })
local MOST_TO_LENGTH <const> = 4

-- The next number behind an offset, over words that lead to a length; nil where others stand between.
local function length_at(reader, at)
  for offset = at, at + MOST_TO_LENGTH do
    if reader:number(offset) then return offset end
    if not OF_LENGTH[reader:word(offset) or ""] then return nil end
  end
end

--- "80% of requests are 500 tokens, the rest 4000": the mean length; how many tokens.
function shares.read_mixture(reader, value, text)
  if reader:word(1) ~= "%" and reader:word(1) ~= "percent" or value >= 100 then return nil end
  local of = reader:word(2) == "of" and (reader:word(3) == "the" and 4 or 3) or 2
  local noun = reader:word(of) or ""
  if NOUNS[noun] ~= "requests" then return nil end
  local first = length_at(reader, of + 1)
  if not first or NOUNS[reader:word(first + 1) or ""] ~= "tokens" then return nil end
  local rest = first + 2
  while rest < first + 2 + MOST_TO_LENGTH and (reader:word(rest) == "and" or reader:word(rest) == "the") do rest = rest + 1 end
  local other = reader:number(rest)
  if other and math.abs(other + value - 100) < 0.5 and (reader:word(rest + 1) == "%" or reader:word(rest + 1) == "percent") then
    rest = rest + 1
  elseif not REST[reader:word(rest) or ""] then
    return nil
  end
  local second = length_at(reader, rest + 1)
  if not second then return nil end
  local share, short, long = value / 100, reader:number(first), reader:number(second)
  local mean = math.floor(share * short + (1 - share) * long + 0.5)
  reader:note(("%s %% of %g tokens and the rest of %g are %g in the mean."):format(text, short, long, mean))
  reader:say(vocabulary.LENGTH_OF[noun] or "input_tokens", mean, text)
  return second + (NOUNS[reader:word(second + 1) or ""] == "tokens" and 2 or 1)
end

local THEM <const> = tables.set({ "them", "those", "these", "whom", "which" })

--- "2000 employees, 200 of them active at the same time": so many of the users are there at one time.
function shares.read_part_active(reader, value, text)
  local users = reader.facts.users or reader.facts.monthly_users
  if not users or value < 1 or value > users or reader:word(1) ~= "of" or not THEM[reader:word(2) or ""] then return nil end
  local taken = active_behind(reader, 3)
  return taken and reader:say("concurrency", value, text) and 3 + taken
end

local OURS <const> = tables.set({ "our", "the", "these", "those", "my", "all", "an", "a" })

--- "A quarter of our 1024 H100": that share of them; "half of them at the same time": of the users.
function shares.read_fraction(reader, value, text)
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

return shares
