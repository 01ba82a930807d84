-- The order of words: a rate stands behind what it counts, and a size behind that. "10,000 documents of 500 tokens per day"
-- is read as "10,000 documents per day of 500 tokens".
local tables = require("ballpark.tables")
local tokens = require("ballpark.questions.said.tokens")
local vocabulary = require("ballpark.questions.said.vocabulary")

local order = {}

local OF <const> = tables.set({ "of", "with" })
local PER <const> = tables.set({ "per", "each", "every", "a", "an", "/" })

-- What a thing that comes at a rate may have so many of: its size.
local SIZES <const> = tables.set({ "token", "tokens", "tok", "words", "word", "pages", "page", "px", "pixels", "chars", "characters", "turns",
  "messages", "rounds" })

-- What is none of such things: who asks, and what is rented.
local NO_THINGS <const> = tables.set({ "users", "monthly_users", "devices", "nodes", "tokens", "params", "rate" })

local function is_thing(word)
  local noun = word and vocabulary.NOUNS[word]
  if noun and NO_THINGS[noun] then return false end
  return word ~= nil and not (vocabulary.TIMES[word] or vocabulary.BYTES[word] or vocabulary.LINKS[word]) and word:find("^%a[%a%-]+$") ~= nil
end

-- Where a number's things are named: behind it, or behind one more word.
local function thing_behind(list, at)
  for offset = 1, 2 do
    local token, behind = list[at + offset], list[at + offset + 1]
    if not token or not is_thing(token.word) then return nil end
    local is_plural = vocabulary.NOUNS[token.word] or token.word:find("s$")
    if behind and OF[behind.word or ""] then return is_plural and at + offset or nil end
  end
end

-- Where a size ends that begins at a place: "512 x 512", "500 tokens", "5 minutes".
local function size_end(list, at)
  if not (list[at] and list[at].number) then return nil end
  if list[at + 1] and (list[at + 1].word == "x" or list[at + 1].word == "by") and list[at + 2] and list[at + 2].number then
    return list[at + 3] and SIZES[list[at + 3].word or ""] and at + 3 or at + 2
  end
  local unit = list[at + 1] and list[at + 1].word
  return unit and (SIZES[unit] or vocabulary.TIMES[unit]) and at + 1 or nil
end

-- Where "per day", "per user per day" and "per task" end that begin at a place.
local function rate_end(list, at)
  local word = list[at] and list[at].word
  if not word then return nil end
  if vocabulary.EVERY[word] then return at end
  local behind = list[at + 1] and list[at + 1].word
  if PER[word] and vocabulary.READERS[behind or ""] then return rate_end(list, at + 2) or at + 1 end
  if PER[word] and vocabulary.TASKS[behind or ""] then return at + 1 end
  return PER[word] and vocabulary.TIMES[behind or ""] and at + 1 or nil
end

local function is_cut_within(list, from, to)
  for i = from, to do
    if list[i].is_cut then return true end
  end
  return false
end

--- Puts rates behind what they count.
---@param list table[] of ballpark.questions.said.tokens
---@return table[]
function order.of(list)
  return tokens.rewritten(list, function(at)
    local thing = list[at].number and thing_behind(list, at)
    local size = thing and size_end(list, thing + 2)
    local rate = size and rate_end(list, size + 1)
    if not rate or is_cut_within(list, at + 1, rate) then return nil end
    local out = table.move(list, at, thing, 1, {})
    table.move(list, size + 1, rate, #out + 1, out)
    return table.move(list, thing + 1, size, #out + 1, out), rate + 1 - at
  end)
end

return order
