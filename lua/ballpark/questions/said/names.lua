-- Names of devices and models in a text, as people write them.
local devices = require("ballpark.catalog.devices")
local diffusion = require("ballpark.catalog.diffusion")
local errors = require("ballpark.errors")
local models = require("ballpark.catalog.models")
local model_of_size = require("ballpark.resolve.model_of_size")
local near = require("ballpark.near")
local networks = require("ballpark.catalog.networks")
local recommenders = require("ballpark.catalog.recommenders")
local remembered = require("ballpark.remembered")
local tables = require("ballpark.tables")
local vocabulary = require("ballpark.questions.said.vocabulary")
local voices = require("ballpark.catalog.voices")

local names = {}

-- Shorter words are too short for the name of a model.
local LEAST_NAME <const> = 3
-- A device named by up to four words, as "RTX 4090" and "M3 Max 64 GB".
local MOST_DEVICE_WORDS <const> = 4
-- A model named by up to six words and numbers, as "Llama 3.1 70B" and "Qwen 2.5 72B Instruct AWQ".
local MOST_MODEL_WORDS <const> = 6

-- Shorter parts of a name are written together with its number: "7950X".
local LEAST_SERIES <const> = 2

local function clean(word) return word and word:gsub("s$", "") end

local function resolved(label) return devices.resolve(label) or devices.resolve((clean(label))) end

-- A label with the unit of the memory that its last word ends with, where it names a device so: "A100-80" is one of 80 GB.
local function with_unit(reader, last, label)
  if not (reader:word(last) or ""):find("%w%-%d+s?$") or resolved(label) then return label end
  local whole = clean(label) .. "gb"
  return devices.resolve(whole) and whole or label
end

--- Words that vendors put around a name, and names of series that mean nothing by themselves.
names.AROUND = tables.set({ "mac-studio", "mac-mini", "macbook-air", "macbook-pro", "macbook", "mac", "imac", "studio", "pro", "air", "mini", "laptop" })
local AROUND <const> = names.AROUND

-- Words before a card that is called by its number alone.
local BEFORE_CARD <const> = tables.set({ "on", "a", "x", "my", "one", "single" })

-- "On two 3090 tokens per second", "on a 4090 tokens/s": cards whose speed is asked, and no speed.
local function is_card_of_speed(reader, offset)
  if vocabulary.NOUNS[reader:word(offset + 1) or ""] ~= "tokens" or not reader:per(offset + 2) then return false end
  return BEFORE_CARD[reader:word(offset - 1) or ""] or reader:number(offset - 1) ~= nil
end

-- A device whose name begins with a number, as "7900 XTX" and "5800X3D": the name and how many tokens.
local function numbered_device(reader, offset)
  local token, second = reader.list[reader.at + offset], reader.list[reader.at + offset + 1]
  if token.spelled or not token.text:find("^%d+$") or not (second and second.word) or second.is_cut then return nil end
  -- "7950X" is a name, "7950 x 3" a product.
  if #second.text < LEAST_SERIES and second.at ~= token.at + #token.text then return nil end
  if names.device(reader, offset + 1) then return nil end -- a number of those
  if is_card_of_speed(reader, offset) then return devices.resolve(token.text), 1 end
  if vocabulary.BYTES[second.text] and AROUND[reader:word(offset + 2) or ""] then return nil end -- "48GB MacBook Pro M4 Max"
  for length = MOST_DEVICE_WORDS, 2, -1 do
    local label = reader:label(offset, length, true)
    local name = label and resolved(label)
    -- A memory that the catalog's name does not say is a part of the name: "48GB M4 Max".
    local memory, chip = (label or ""):match("^(%d+gb)%-(.+)$")
    if name then return memory and not name:lower():find(memory, 1, true) and ("%s-%s"):format(chip, memory) or name, length end
  end
end

-- Whether a comma, or the sign of a currency, stands in so many words: "256 TPU v5p, 20 days" is no slice of 20.
local function goes_on(reader, offset, length)
  for at = offset + 1, offset + length - 1 do
    if reader:is_cut(at) or reader:word(at) == "$" then return true end
  end
  return false
end

-- "TPU v5p 256 chips" are so many of them, and no slice that is called by its cores.
local function is_count(reader, offset, length)
  return length > 1 and reader:number(offset + length - 1) ~= nil and reader:word(offset + length) == "chips"
end

--- A device named at an offset: the name, how many tokens, and how many of it one such machine has.
function names.device(reader, offset)
  if reader:number(offset) then return numbered_device(reader, offset) end
  local first = reader:word(offset)
  if first == "a" or first == "an" then return nil end -- "a 16GB GPU" is no A16
  for length = MOST_DEVICE_WORDS, 1, -1 do
    local label = not goes_on(reader, offset, length) and not is_count(reader, offset, length) and reader:label(offset, length)
    label = label and with_unit(reader, offset + length - 1, label)
    local name = label and #label >= 2 and resolved(label)
    if name and not vocabulary.TIMES[label] and not vocabulary.NOUNS[label] then
      -- A memory that the catalog's name does not say is a part of the name: "M3 Max 64GB".
      local memory = label:match("%-(%d+gb)$")
      local of_machine = devices.in_machine(label) or devices.in_machine(clean(label))
      return memory and not name:lower():find(memory, 1, true) and label or name, length, of_machine
    end
  end
end

--- Words before the name of a computer's chip: "MacBook Pro M2 Max" is an M2 Max.
function names.is_around(reader)
  local offset = 0
  while AROUND[reader:word(offset) or ""] do offset = offset + 1 end
  return offset > 0 and (reader:word(offset) or ""):find("^m%d$") and offset or nil
end

--- The model of any kind that a word names in the catalogs.
function names.model_of(word)
  if diffusion.resolve(word) or voices.resolve(word) then return diffusion.resolve(word) or voices.resolve(word) end
  if #word < LEAST_NAME or not word:find("%d") and not word:find("-", 1, true) and word ~= "bert" then return nil end
  return models.resolve(word) or networks.resolve(word) and word
    or tables.contains(recommenders.names(), word) and word or nil
end

-- Of a list of names the latest that begins with a word and ends with a size.
local function latest_of(list, word, size)
  local latest, latest_variant
  for _, name in ipairs(list) do
    local plain = name:lower()
    if plain:find(word, 1, true) == 1 and plain:find("^[%-%d]", #word + 1) and plain:find("%f[%w%.]" .. size:gsub("%.", "%%.") .. "$") then
      -- Between the two stands a release, or what makes it a variant: "vl", "coder", "distill".
      if plain:sub(#word + 1, -#size - 1):find("^[%-%d%.]*$") then
        latest = (not latest or plain > latest:lower()) and name or latest
      else
        latest_variant = (not latest_variant or plain > latest_variant:lower()) and name or latest_variant
      end
    end
  end
  return latest or latest_variant
end

--- A family with a size, as "Llama 8B", "70B Qwen" and "DeepSeek-R1 14B": the model of the catalog with the latest name,
--- of names that others have for it where there is none.
function names.of_family(word, size)
  return latest_of(models.names(), word, size) or models.resolve(latest_of(models.known(), word, size) or "")
end

-- The model with the latest name that has all words of a label in their order, with or without their release:
-- "nemotron-nano-30b" is Nemotron-3-Nano-30B-A3B, "qwen-coder-7b" is Qwen2.5-Coder-7B.
local of_words = remembered(function(label)
  local latest
  for _, name in ipairs(models.known()) do
    local plain, at = name:lower(), 1
    for word in label:gmatch("[^%-]+") do
      local _, behind = plain:find("%f[%w]" .. word:gsub("%p", "%%%0") .. (word:find("^%a+$") and "[%d%.]*" or "") .. "%f[^%w%.]", at)
      at = behind and (at > 1 or plain:find(word, 1, true) == 1) and behind + 1
      if not at then break end
    end
    if at and (not latest or plain > latest:lower()) then latest = name end
  end
  return latest and models.resolve(latest)
end)

-- Words behind a number that is the length of a prompt: "llama 3.1 70b 1500/300", "1024 in".
local LENGTH_BEHIND <const> = tables.set({ "/", "in", "input", "out", "output", "context", "ctx" })

-- Whether so many words are no one name: a comma stands in them, or the last is a number of what stands behind
-- ("llama 3.1 8b, 8192 tokens").
local function is_apart(reader, offset, length)
  for at = offset + 1, offset + length - 1 do
    if reader:is_cut(at) then return true end
  end
  local last, behind = reader.list[reader.at + offset + length - 1], reader:word(offset + length) or ""
  return length > 1 and last ~= nil and last.number ~= nil and last.scale ~= "b" and not reader:is_cut(offset + length)
    and (vocabulary.NOUNS[behind] ~= nil or LENGTH_BEHIND[behind] == true)
end

--- A model named at an offset: the name, how many tokens, and the label as it stands.
function names.model(reader, offset)
  for length = MOST_MODEL_WORDS, 1, -1 do
    local label = not is_apart(reader, offset, length) and reader:label(offset, length)
    local name = label and names.model_of(label)
    for inside = offset + 1, offset + length do
      -- "Qwen 72B AWQ + FP8 KV": the last format is that of the cache.
      if name and length > 1 and reader:word(inside) == "kv" then name = nil end
    end
    if name and not devices.resolve(label) then
      -- "DeepSeek-R1 32B" is one of the family, not the one that bears its name, and "Qwen 14B" the latest of the family.
      local behind = reader.list[reader.at + offset + length]
      local sized = behind and behind.scale == "b" and names.of_family(label, behind.text)
      local second = length > 1 and reader.list[reader.at + offset + 1]
      local latest = second and second.scale == "b" and names.of_family(reader:word(offset), second.text)
      return sized or latest or name, length + (sized and 1 or 0), label
    end
    local last = length > 2 and label and reader.list[reader.at + offset + length - 1]
    name = last and last.scale == "b" and of_words(label)
    if name then return name, length, label end
  end
end

--- The model of a word of a family and the size behind it, and how many tokens both take.
function names.family(reader, word)
  if #word < LEAST_NAME or not word:find("^%a+$") then return nil end
  local behind = reader.list[reader.at + 1]
  if behind and behind.number and behind.scale == "b" then return names.of_family(word, behind.text), 2 end
end

--- The model of a size in front of a word of a family: "70B Qwen".
function names.family_behind(word, size)
  return word and #word >= LEAST_NAME and word:find("^%a+$") and names.of_family(word, size)
end

--- The model that is usual of a family where no size is said.
function names.usual(word) return vocabulary.FAMILIES[word] or vocabulary.FAMILIES[clean(word)] end

local MOST_SIZES <const> = 4

--- Refuses a family of models of several sizes, with some of the catalog.
function names.check_writers(word)
  local family, such = word:gsub("%-", ""), {}
  for _, name in ipairs(models.names()) do
    if name:lower():gsub("%-", ""):find(family, 1, true) == 1 then such[#such + 1] = name end
  end
  local step = math.max(1, #such // MOST_SIZES)
  local some = {}
  for at = 1, #such, step do some[#some + 1] = #some < MOST_SIZES and such[at] or nil end
  errors.input("'" .. word .. "'", ("has several sizes: say which, as %s or %s"):format(table.concat(some, ", ", 1, #some - 1), some[#some]))
end

-- Fewer parameters are those of no decoder of text that people name by its size.
local LEAST_SIZE <const> = 1e8

--- The sizes that the name of an unknown model says, "acme-30b-a3b": { all, active }; nil where it says none.
function names.size_of(word)
  local sizes = word:find("^%a") and model_of_size.sizes(word)
  return sizes and (sizes.all or 0) >= LEAST_SIZE and sizes or nil
end

--- Why a model of images or a voice is not estimated, in words; nil of others.
function names.unpriced(word)
  local is_whole = word:find("^%a+$") ~= nil -- "wan" is a name, "want" is none
  return diffusion.unpriced(word, is_whole) or voices.unpriced(word, is_whole)
end

--- Refuses a name with digits in it that nearly is one of the catalog: a device or a model that is misspelt.
function names.check_unknown(word)
  local machine = devices.missing(word)
  if machine then errors.input("'" .. word .. "'", machine) end
  if #word <= LEAST_NAME and not models.unrepresented(word) and not names.unpriced(word) then return end
  if models.unrepresented(word) then errors.input("'" .. word .. "'", models.missing(word)) end
  if names.unpriced(word) then errors.input("'" .. word .. "'", names.unpriced(word)) end
  local known = devices.known()
  for _, list in ipairs({ models.known(), networks.names() }) do table.move(list, 1, #list, #known + 1, known) end
  local meant = near.typo(word, known)
  if meant then errors.input("'" .. word .. "'", "is no device or model of the catalog, did you mean '" .. meant .. "'?") end
end

return names
