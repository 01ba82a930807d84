-- Labels before their numbers: "examples 5000", "gpus: 512", "requests per second = 20". Each is turned round, so that what is
-- counted stands behind its number and is read as everywhere: "5000 examples", "512 gpus", "20 requests per second".
local devices = require("ballpark.catalog.devices")
local names = require("ballpark.questions.said.names")
local tables = require("ballpark.tables")
local vocabulary = require("ballpark.questions.said.vocabulary")

local labels = {}

local NOUNS <const>, TIMES <const>, SIZES <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.SIZES

-- Nouns that are no label: "tensor parallel 8", "cost times 3".
local NO_LABEL <const> = tables.set({ "parallel", "times", "simultaneous" })
-- Nouns of which the singular heads a count as well: "gpu: 8", but "image: 512" is a size.
local SINGULAR <const> = tables.set({ "rate", "devices", "epochs", "params", "tokens", "users", "monthly_users", "concurrency",
  "dim", "nodes" })
-- What a number of billions may be of without a sign between: others are the size of a model ("answer questions 7B").
local OF_BILLIONS <const> = tables.set({ "tokens", "params" })
-- What no device is counted behind: "epochs 3 H100" are three epochs.
local OF_NO_DEVICES <const> = tables.set({ "epochs", "examples", "steps", "layers", "dim" })
-- Words before a noun that ask for its number.
local ASKED <const> = tables.set({ "many", "much", "which", "what" })
-- Words between a label and its number.
local SIGNS <const> = tables.set({ "=", "is", "are" })
-- Tokens of an answer at most, behind the word (assumption).
local MOST_LENGTH <const> = 8192
local PER <const> = tables.set({ "per", "/" })
-- Words behind tokens that say which they are.
local SIDES <const> = tables.set({ "in", "out", "input", "output" })
-- Words behind a number which belong to the next part of the sentence.
local ENDS <const> = tables.set({ "on", "with", "at", "to", "and", "or", "for", "in", "using", "over", "within", "from", "via", "but" })

-- The noun that heads a label: "gpus", "num_epochs", "n_gpus".
local function noun_of(word)
  if not word or NO_LABEL[word] then return nil end
  local plain = word:match("^num_.-(%a+)$") or word:match("^n_(%a+)$") or word
  local noun = NOUNS[plain]
  return noun and (plain:find("s$") or SINGULAR[noun]) and noun or nil, plain
end

-- Whether an offset says the unit of a rate or whose a number is: "per second", "/ user", "per GPU"; how many words.
local function per_at(reader, offset)
  if reader:is_cut(offset) then return nil end
  local word, behind = reader:word(offset), reader:word(offset + 1) or ""
  if vocabulary.EVERY[word or ""] then return 1 end
  if not PER[word or ""] and not ((word == "a" or word == "an") and TIMES[behind]) then return nil end
  return (TIMES[behind] or vocabulary.READERS[behind] or NOUNS[behind] or devices.resolve(behind)) and 2 or nil
end

-- Whether the tokens at an offset are those of a number before them: "400 output tokens 70B", but "7B input tokens 500".
local function is_counted(reader, offset)
  if reader:is_cut(offset) or reader:is_cut(offset - 1) or not vocabulary.LENGTHS[reader:word(offset - 1) or ""] then return false end
  local number = reader.list[reader.at + offset - 2]
  return number ~= nil and number.number ~= nil and number.scale ~= "b"
end

-- A label at an offset: its noun, where it ends, and whether a sign stands behind it; nil where none stands there.
local function label_at(reader, offset)
  local at = offset
  local second, head = noun_of(reader:word(at + 1)), noun_of(reader:word(at))
  if second and not reader:is_cut(at + 1) and (head == "concurrency" or vocabulary.PASSED[reader:word(at) or ""]) then at, head = at + 1, second end
  if not head then return nil end
  if head == "tokens" and is_counted(reader, at) then return nil end
  at = at + 1
  if reader:word(at) == "count" and not reader:is_cut(at) then at = at + 1 end
  while per_at(reader, at) do at = at + per_at(reader, at) end
  local last = at
  if SIGNS[reader:word(at) or ""] and not reader:is_cut(at) then at = at + 1 end
  local number = reader.list[reader.at + at]
  if not number or not number.number or number.is_cut and not number.is_named then return nil end
  if vocabulary.LENGTHS[reader:word(last - 1) or ""] and number.number <= MOST_LENGTH then return nil end -- "answers 200" are so long
  return head, last, at, at > last or number.is_named == true
end

-- Whether a word behind a number is its unit or its noun.
local function is_own(reader, offset)
  local word = reader:word(offset)
  if not word or reader:is_cut(offset) or label_at(reader, offset) then return false end
  if NOUNS[word] == "devices" and names.device(reader, offset + 1) then return false end -- "prompts: 100k gpu H100"
  return NOUNS[word] or TIMES[word] or vocabulary.BYTES[word] or vocabulary.FLOPS[word] or word == "%" or word == "x"
    or vocabulary.PASSED[word] and NOUNS[reader:word(offset + 1) or ""]
end

--- Whether a word with a meaning of its own heads the number behind it: "batch size 64", "ttft under 1 s", "budget $100k".
function labels.heads(reader, offset)
  local word = reader:word(offset) or ""
  if not (vocabulary.NAMED[word] or vocabulary.LENGTHS[word] or vocabulary.TIME_OF[word] or vocabulary.MONEY[word]) then return false end
  local at = offset + 1
  local links = vocabulary.TIME_OF[word] and vocabulary.TIME_LINKS or vocabulary.LINKS
  local function goes_on(said) return links[said] or said == "$" or said == "tokens" end
  while goes_on(reader:word(at) or "") and (not reader:is_cut(at) or reader.list[reader.at + at].is_named) do at = at + 1 end
  local number = reader.list[reader.at + at]
  if not number or not number.number or number.is_cut and not number.is_named then return false end
  local behind = reader:word(at + 1) or ""
  if NOUNS[behind] == "tokens" and not reader:is_cut(at + 2) and SIDES[reader:word(at + 2) or ""] then return false end -- "3k context 60 tokens out"
  if vocabulary.TIME_OF[word] and TIMES[behind] or NOUNS[behind] == "tokens" or NOUNS[behind] == "requests" and not per_at(reader, at + 2) then return true end
  if behind == "%" and (vocabulary.NAMED[word] or ""):find("_frac$") then return true end
  return not is_own(reader, at + 1) and (reader:is_cut(at + 1) or vocabulary.OF_NO_DEVICES[vocabulary.NAMED[word] or ""] or not names.device(reader, at + 1))
end

-- Whether a device is named at an offset: "H100", "gpu H100", "device: H100".
local function is_device(reader, offset)
  local at = NOUNS[reader:word(offset) or ""] == "devices" and offset + 1 or offset
  return reader:word(at) ~= nil and names.device(reader, at) ~= nil
end

--- Whether a format is said at an offset: "fp8", "weights in fp8", "kv: fp8".
function labels.is_format(reader, offset)
  local word = reader:word(offset) or ""
  if vocabulary.FORMATS[word] then return true end
  if word ~= "weights" and word ~= "kv" then return false end
  return vocabulary.FORMATS[reader:word(offset + (reader:word(offset + 1) == "in" and 2 or 1)) or ""] == true
end

--- Whether what stands at an offset belongs to no number before it: a comma, the end, a linking word or a label of the next.
function labels.ends(reader, offset)
  local word = reader:word(offset)
  if not reader.list[reader.at + offset] or reader:is_cut(offset) or ENDS[word or ""] or labels.heads(reader, offset) then return true end
  if is_device(reader, offset) or labels.is_format(reader, offset) then return true end
  if word == "of" and reader:number(offset + 1) then return true end -- "examples 5000 of 1k tokens"
  local head, _, number = label_at(reader, offset)
  return head ~= nil and (labels.ends(reader, number + 1) or per_at(reader, number + 1) ~= nil)
end

--- Whether the words at an offset are the label of the number behind them: where the label ends, where its number stands, and
--- whether a sign is between.
---@return integer|nil last, integer|nil number, boolean|nil is_signed
function labels.at(reader, offset)
  local head, last, number, is_signed = label_at(reader, offset)
  if not head then return nil end
  local of_devices = head == "devices" or head == "nodes"
  is_signed = is_signed or reader:word(offset - 1) == "of" and reader:word(offset - 2) == "number"
  if names.device(reader, number) then return nil end
  -- "64 concurrent requests 1024 in 1024 out" are so long.
  if reader:word(number + 1) == "in" and not reader:is_cut(number + 2) and reader:number(number + 2) and not TIMES[reader:word(number + 3) or ""] then return nil end
  -- "gpus: 8 H100" is read as everywhere; "documents: 100k H100" are documents.
  local has_device = not reader:is_cut(number + 1) and NOUNS[reader:word(number + 1) or ""] ~= "devices" and names.device(reader, number + 1)
  if has_device and head ~= "nodes" and (of_devices or not is_signed and not OF_NO_DEVICES[head]) then return nil end
  local scale = reader.list[reader.at + number].scale
  local of_rate = per_at(reader, number + 1) and not reader:is_cut(number + 1)
  local is_rate = last > offset + 1 and not NOUNS[reader:word(last - 1) or ""] -- "jobs per day 20"
  if is_signed and is_own(reader, number + 1) then return nil end
  if is_signed then return last, number, true end
  local is_billions = SIZES[scale] and scale ~= "million" and scale ~= "m"
  if ASKED[reader:word(offset - 1) or ""] or is_billions and (is_rate or not OF_BILLIONS[head]) then return nil end
  if is_rate then return not is_own(reader, number + 1) and last or nil, number end
  if head == "nodes" and names.device(reader, number + 1) then return last, number end
  return (of_rate or labels.ends(reader, number + 1)) and last or nil, number
end

--- Turns a label at the reader's place round, where one stands there.
function labels.turn(reader)
  local last, number = labels.at(reader, 0)
  if not last then return end
  local list, from = reader.list, reader.at
  local first, moved, behind = list[from], list[from + number], list[from + number + 1]
  moved = tables.with(moved, { is_cut = first.is_cut or false, is_named = first.is_named or false })
  local words = { moved }
  for at = 0, last - 1 do
    local token = list[from + at]
    local _, plain = noun_of(token.word)
    words[#words + 1] = tables.with(token, { word = plain or token.word, is_cut = at > 0 and token.is_cut or false })
  end
  -- The sign goes.
  for _ = 0, number do table.remove(list, from) end
  for i, token in ipairs(words) do table.insert(list, from + i - 1, token) end
  if behind and not per_at(reader, #words) then behind.is_cut = true end
end

return labels
