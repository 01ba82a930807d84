-- Numbers of bytes: memory of a device or of its host, and text.
local devices = require("ballpark.catalog.devices")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")

local memory = {}

local NOUNS <const>, LENGTH_OF <const>, LINKING <const> = vocabulary.NOUNS, vocabulary.LENGTH_OF, vocabulary.LINKING

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
  local is_before = vocabulary.TEXT_DATA[of] or reader:named(vocabulary.TEXT_DATA)
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

-- Bits have a lower-case b, which words have lost: "400 Gb/s".
local function is_in_bits(reader)
  local number = reader:number(0)
  return reader:word(1) == "gb" and reader.text:find("%f[%d]" .. ("%g"):format(number):gsub("%p", "%%%0") .. "%s*[GT]b[/ p]") ~= nil
end

--- So many bytes: of a device, or of the host's memory ("64 GB of RAM", "96 GB DDR5"), or of text.
function memory.read_bytes(reader, bytes, text)
  local seconds, used = reader:per(2)
  if seconds and is_in_bits(reader) then
    reader:note(("'%s Gb' are bits: 8 of them are a byte."):format(text))
    bytes = bytes / 8
  end
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

return memory
