-- Recordings and how long they last.
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")

local sound = {}

local NOUNS <const>, TIMES <const>, BYTES <const>, LINKING <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.BYTES, vocabulary.LINKING

local MOST_SOUND_WORDS <const> = 3

--- Where a word of sound stands behind a time: "500 hours of call center audio".
function sound.sound_at(reader, at)
  if reader:word(at) == "of" then at = at + 1 end
  for offset = at, at + MOST_SOUND_WORDS - 1 do
    local word = reader:word(offset)
    if reader.is_heard and vocabulary.FILMS[word or ""] then return offset + 1 end
    if vocabulary.SOUND[word or ""] and not vocabulary.SOUND[reader:word(offset + 1) or ""] then return offset + 1 end
    if not word or LINKING[word] then return nil end
  end
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

--- "500 podcasts of 1 hour", "10,000 calls per day of 5 minutes", "200 30-minute meetings": recordings, and how long each is.
-- How many words say it.
function sound.read_recordings(reader, value, text)
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

return sound
