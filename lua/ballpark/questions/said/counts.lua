-- What a number counts, by the words beside it. Each file of the folder reads the numbers of one kind: read_x(reader, value, text)
-- says a fact of the number at the reader's place and gives how many tokens it takes, nil where it is none of its kind. `at`
-- is the offset behind what has been read before.
local carbon = require("ballpark.questions.said.counts.carbon")
local errors = require("ballpark.errors")
local graphs = require("ballpark.questions.said.counts.graphs")
local labels = require("ballpark.questions.said.labels")
local lengths = require("ballpark.questions.said.counts.lengths")
local machines = require("ballpark.questions.said.counts.machines")
local memory = require("ballpark.questions.said.counts.memory")
local money = require("ballpark.questions.said.counts.money")
local mentions = require("ballpark.mentions")
local model_of_size = require("ballpark.resolve.model_of_size")
local names = require("ballpark.questions.said.names")
local networks = require("ballpark.questions.said.counts.networks")
local shares = require("ballpark.questions.said.counts.shares")
local sound = require("ballpark.questions.said.counts.sound")
local tables = require("ballpark.tables")
local things = require("ballpark.questions.said.counts.things")
local times = require("ballpark.questions.said.counts.times")
local vocabulary = require("ballpark.questions.said.vocabulary")

local counts = {}

local NOUNS <const>, TIMES <const>, BYTES <const>, NAMED <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.BYTES, vocabulary.NAMED
local FORMATS <const>, SIZES <const>, LINKING <const> = vocabulary.FORMATS, vocabulary.SIZES, vocabulary.LINKING
local LEAST_BATCH_TOK <const> = lengths.LEAST_BATCH_TOK
local LONGEST_TEXT <const> = lengths.LONGEST_TEXT
local MOST_ANSWER <const> = lengths.MOST_ANSWER
local MOST_LENGTH <const> = lengths.MOST_LENGTH
local SINGLE_LENGTH <const> = lengths.SINGLE_LENGTH

local PRODUCTS <const> = { x = true, by = true }
local MATRICES <const> = { matrix = true, matrices = true }

-- "8192 x 8192 x 28672" of a product, "a 100k by 100k matrix": rows, columns of the first and of the second, which is square
-- where nobody says.
local function read_product(reader, value, text)
  local k, n = reader:number(2), reader:number(4)
  if not k or not PRODUCTS[reader:word(1) or ""] then return nil end
  local noun = reader:word(3) == "pixels" and 4 or 3 -- as two numbers of four digits are read
  if not (n and PRODUCTS[reader:word(3) or ""]) then
    if not MATRICES[reader:word(noun) or ""] then return nil end
    n = nil
  end
  if reader.facts.m and not n then return reader.facts.k == value and noun + 1 or nil end -- the second of two
  reader:say("m", value, text)
  reader:say("k", k, text)
  reader:say("n", n or k, text)
  return n and 5 or noun + 1
end

-- The first exascale machine did 1.1e18 in a second (TOP500, 2022).
local LEAST_RUN_FLOP <const> = 1e20

local function read_flop(reader, value, text)
  local word = reader:word(1)
  local factor = vocabulary.FLOPS[word or ""]
  if not factor then return nil end
  local seconds, taken = reader:per(2)
  -- More than any machine does in a second is that of a run.
  if not seconds and value * factor >= LEAST_RUN_FLOP then return reader:say("flop", value * factor, text) and 2 end
  if not seconds and not word:find("s$") then
    errors.input("'" .. text .. " " .. word .. "'", "computation in a second, or in all? Say '500 TFLOP/s'")
  end
  local after = seconds and 2 + taken or 2
  local each = reader:per_device(after)
  reader:say(each and "flop_s_device" or "flop_s", value * factor / (seconds or 1), text)
  return after + (each or 0)
end

-- Formats of a cache by the words for those of weights.
local CACHES <const> = { q8 = "q8_0", q4 = "q4_0", fp16 = "bf16", f16 = "bf16" }

-- Whether the cache is what is asked about, and the format that of the whole: "KV cache of llama 70b at 128k in fp8".
local CACHE_ASKED <const> = { "^%W*kv[ %-]?cache", "kv[ %-]?cache size", "size of kv[ %-]?cache", "size of the kv[ %-]?cache",
  "how large [%a ]*kv[ %-]?cache", "how big [%a ]*kv[ %-]?cache", "how much [%a ]*kv[ %-]?cache" }

local NARROW <const> = tables.set({ "fp8", "int8", "int4", "fp4", "nvfp4", "mxfp4" })

local function is_of_cache_alone(reader)
  local before = reader:word(-1)
  return (before == "in" or before == "at") and mentions.any(reader.text, CACHE_ASKED) and not mentions.any(reader.text, { "weights" })
end

--- Reads a format of so many tokens: that of the weights, or of the KV cache.
function counts.read_format(reader, format, text, length)
  if reader:is_denied() then
    reader:deny("weights", format)
    return length
  end
  local taken, both = reader:of_cache(length)
  taken = taken or NARROW[format] and is_of_cache_alone(reader) and length
  if taken then reader:say("kv", CACHES[format] or format, text) end
  if not taken or both then reader:say("weights", format, text) end
  return taken or length
end

-- Widths of films by their lines: "480p".
local LINES <const> = { [480] = 832, [720] = 1280 }

-- What has so many dimensions, and is no time of so many days: "3D parallelism", "a 2D torus", "2.5D tensor parallelism".
local DIMENSIONAL <const> = { "^parallel", "^tensor", "^vocab", "^pipeline", "^hybrid", "^torus", "^mesh", "^grid", "^conv", "^rope$", "^unet$", "^u%-net$", "^vae$",
  "^attention$", "^model[- ]?parallel", "^sharding" }

local function is_dimensional(reader)
  local word = reader:word(1) == "d" and not reader:is_cut(2) and reader:word(2) or nil
  return word ~= nil and mentions.any(word, DIMENSIONAL)
end

-- Bits in a second by one word.
local BITS_A_SECOND <const> = { mbps = 1e6, gbps = 1e9, gbe = 1e9, tbps = 1e12 }

-- Bits of a weight at most and at least, but for those that name a format.
local LEAST_BITS <const>, MOST_BITS <const> = 1, 8

-- Whether a format that says more stands right behind: "3 bit gptq", "5 bit Q5_K_M".
local function is_format_behind(reader, at)
  local word = reader:word(at) or ""
  return not reader:is_cut(at) and (FORMATS[word] or word:find("^i?q%d")) and true or false
end

-- "3 bit", "1.58-bit", "4.5 bits per weight": so many bits of each weight.
local function read_bits(reader, value, text)
  local word = reader:word(1)
  if word ~= "bit" and word ~= "bits" or reader.facts.weights or not (value > LEAST_BITS and value < MOST_BITS) or is_format_behind(reader, 2) then return nil end
  local of_weight = reader:is_per(2) and (reader:word(3) == "weight" or reader:word(3) == "parameter" or reader:word(3) == "param") and 2 or 0
  local file = vocabulary.FILE_BITS[value]
  if file then reader:note(("%s bit are read as %s (assumption)."):format(text, file:upper())) end
  return reader:say("weights", file or ("%g bpw"):format(value), text) and 2 + of_weight
end

-- A number whose unit is the word behind it.
local function read_with_unit(reader, value, token)
  local text, word = token.text, reader:word(1)
  local bits = (word == "bit" or word == "bits") and vocabulary.BITS[value]
  if bits then return counts.read_format(reader, bits, text, 2) end
  local of_bits = read_bits(reader, value, text)
  if of_bits then return of_bits end
  if SIZES[token.scale] and word == "draft" then
    reader:note("Drafts that another model writes ahead are not counted.")
    return 2
  end
  if SIZES[token.scale] and word == "active" then return reader:say("active_params", value, text) and 2 end
  local taken = things.read_times(reader, value, text)
  if taken then return taken end
  if word and TIMES[word] and reader:word(-1) ~= "batch" then return times.read_time(reader, value * TIMES[word], text, 2) end
  if BITS_A_SECOND[word or ""] and not (reader.trained or reader.tuned) then return reader:say("bytes_per_s", value * BITS_A_SECOND[word] / 8, text) and 2 end
  if word == "grad-accum" and value % 1 == 0 and (reader:is_cut(2) or not reader:number(2)) then return reader:say("accumulated", value, text) and 2 end
  if word == "bpw" then return reader:say("weights", ("%g bpw"):format(value), text) and 2 end
  if word == "p" and LINES[value] then
    reader:say("width", LINES[value], text)
    return reader:say("height", value, text) and 2
  end
  if word == "px" then return reader:say("width", value, text) and 2 end
  if word and BYTES[word] then return memory.read_bytes(reader, value * BYTES[word], text) end
  if word == "mfu" and value <= 100 and not labels.heads(reader, 1) then return reader:say("mfu_frac", value > 1 and value / 100 or value, text) and 2 end
end

-- Words before the tokens of a run, and so many that they are some.
local BEFORE_DATA <const>, LEAST_DATA <const> = tables.set({ "on", "over", "with", "of", "for", "using" }), 1e9

-- Words before a length that stands alone: "at 8k", "with 16k".
local BEFORE_CONTEXT <const> = tables.set({ "at", "with", "@" })

-- A number with its meaning in front of it, or in itself: "batch of 32", "7B fp16", "a 70B Qwen".
local function read_bare(reader, value, token)
  local text, word = token.text, not reader:is_cut(1) and reader:word(1) or nil
  if word == "by" and reader:number(2) and reader:word(3) == "pixels" then
    reader:say("width", value, text)
    reader:say("height", reader:number(2), text)
    return 4
  end
  if word and FORMATS[word] and reader:word(-1) ~= "batch" then return reader:say("params", value, text) and 1 end
  local heads_next = NAMED[word or ""] and labels.heads(reader, 1)
  if (word == "context" or word == "ctx" or word == "sequence" or word == "seq") and not heads_next then return reader:say("seq_len", value, text) and 2 end
  -- "4M batch" is one of tokens.
  if word == "batch" and value >= LEAST_BATCH_TOK and not things.is_billions(reader) and not heads_next and not reader.facts.batch_tokens then
    return reader:say("batch_tokens", value, text) and 2
  end
  local name = reader:named(NAMED)
  if lengths.is_batch_of_tokens(name, value) then return reader:say("batch_tokens", value, text) and 1 end
  if name then
    local share = name:find("_frac$") and value > 1
    return reader:say(name, share and value / 100 or value, text) and 1
  end
  local last = reader.list[reader.at + 1]
  local own = reader.list[reader.at]
  -- "At 8k" is a context.
  if BEFORE_CONTEXT[reader:word(-1) or ""] and token.scale == "k" and (not last or last.is_cut or last.word and LINKING[last.word]) and value <= MOST_LENGTH then return reader:say("seq_len", value, text) and 1 end
  local lone = SINGLE_LENGTH[reader:word(-1) or ""] and (reader:is_cut(-1) or not LINKING[reader:word(-1)] or reader:word(-2) == "and") and (own.is_named or not own.is_cut) and (not last or last.is_cut) and value <= MOST_LENGTH
  local length = lengths.length_of(reader) or lone and SINGLE_LENGTH[reader:word(-1)]
  if length then return reader:say(length, value, text) and 1 end
  if money.is_money(reader, 1) then return money.read_money(reader, value, text, 1) end
  if word == "budget" and not labels.heads(reader, 1) then return money.read_money(reader, value, text, 2) end
  if money.is_sum_for(reader, token) then
    reader:note(("'for %s' is read as so many USD (assumption)."):format(text))
    return money.read_money(reader, value, text, 1)
  end
  -- "Pretrain a 7B on 300B": the second of two is the data.
  local f = reader.facts
  local is_data = reader.trained and (f.params or f.model) and not f.tokens and value >= LEAST_DATA and BEFORE_DATA[reader:word(-1) or ""]
    and not names.family_behind(word, text)
  if is_data then return reader:say("tokens", value, text) and 1 end
  if SIZES[token.scale] and (not reader:per(1) or labels.at(reader, 1) or token.scale == "b" and (word == "every" or vocabulary.EVERY[word or ""])) then -- "add 1M a day": of what?
    local model = token.scale == "b" and names.family_behind(word, text)
    reader:say(model and "model" or "params", model or value, text)
    -- "30B-A3B": what a token uses stands behind the size.
    local active = not model and word and model_of_size.sizes(word).active
    if active and active < value then return reader:say("active_params", active, word) and 2 end
    return model and 2 or 1
  end
end

-- A number behind which a comma stands: what it means stands before it, or in itself.
local function read_alone(reader, value, token)
  local text = token.text
  local taken = graphs.read(reader, value, text) or lengths.read_system(reader, value, text) or lengths.read_labelled(reader, value, text) or money.read_bought(reader, value, text) or money.read_sum(reader, value, text)
  if taken then return taken end
  local name = reader:named(NAMED)
  if name and not name:find("_frac$") and name ~= "peak_ratio" and not lengths.is_batch_of_tokens(name, value) then return reader:say(name, value, text) and 1 end
  return read_bare(reader, value, token)
end

local ONE_ANSWER <const> = tables.set({ "answer", "response", "reply", "completion" })

-- Fewer of anything fit into a step (assumption).
local LEAST_JOB <const> = 5000
local OF_JOB <const> = tables.set({ "requests", "vectors", "items", "examples" })

-- What reads a number by the words around it before shares and names do, and after them; the first that does takes it.
local BEFORE_SHARES <const> = { carbon.read_intensity, graphs.read, things.read_devices_beside, things.read_lengths_beside, money.read_bought, networks.read_rate, lengths.read_written_beside, lengths.read_ratio, lengths.read_pair, lengths.read_beside_answers, lengths.read_prefix, lengths.read_system, things.read_passages, things.read_every_steps, things.read_per_prompt, things.read_between, things.read_together, shares.read_mixture, lengths.read_labelled, machines.read_grid, read_product, things.read_concurrency, things.read_arrivals }
local AFTER_SHARES <const> = { shares.read_fraction, shares.read_part_active, machines.read_machines, things.read_groups, sound.read_recordings, machines.read_of_them, things.read_copies, things.read_draft, things.read_senders,
  machines.read_instead, things.read_adapters, lengths.read_words, money.read_sum, machines.read_device_hours, machines.read_with_device, machines.read_with_memory, read_flop }

local function first_of(list, reader, value, text)
  for _, read in ipairs(list) do
    local taken = read(reader, value, text)
    if taken then return taken end
  end
end

-- "Max concurrency at 16k": how long each is, and not how many there are.
local AT_LENGTH <const> = tables.set({ "concurrency", "concurrent", "throughput", "batch", "users", "sequences", "size" })

local function read_at_length(reader, value, text)
  local is_so = (reader:word(-1) == "at" or reader:word(-1) == "with") and reader.list[reader.at].scale == "k" and AT_LENGTH[reader:word(-2) or ""] and value <= MOST_LENGTH
  local word = not reader:is_cut(1) and reader:word(1) or nil
  if not is_so or word and not (LINKING[word] or word == "context" or word == "ctx") then return nil end
  return reader:say("seq_len", value, text) and (word == "context" or word == "ctx") and 2 or 1
end

--- Reads the number at the reader's place: how many tokens it takes; nil where nothing reads it.
function counts.read(reader)
  local token = reader.list[reader.at]
  local value, text, word = token.number, token.text, reader:word(1)
  if money.is_bought(reader) or is_dimensional(reader) then return nil end
  if not reader.tuned and reader:is_micro_batch() then return nil end -- a plan's; the batch of a step is another number
  local at_length = read_at_length(reader, value, text)
  if at_length then return at_length end
  local of_rate = things.read_bare_rate(reader, value, text) or things.read_spares(reader, value, text)
  if of_rate then return of_rate end
  if reader:is_cut(1) then return read_alone(reader, value, token) end
  -- "rank 16 H100", "batch: 64 H100": no devices are of so close a name.
  local own = (not reader:is_cut(0) or token.is_named) and reader:named(NAMED)
  if vocabulary.OF_NO_DEVICES[own or ""] and not TIMES[word or ""] and not BYTES[word or ""] and not NOUNS[word or ""] and names.device(reader, 1) then
    return reader:say(own, value, text) and 1
  end
  local taken = first_of(BEFORE_SHARES, reader, value, text)
  if taken then return taken end
  if value < 1 and reader:stopped(1) then return reader:say("pruned_frac", value, text) and 1 + reader:stopped(1) end
  if word == "%" or word == "percent" then return shares.read_share(reader, value / 100, text, 2) end
  taken = first_of(AFTER_SHARES, reader, value, text) or read_with_unit(reader, value, token)
  if taken then return taken end
  local name = reader:named(NAMED)
  -- "a batch of 100k prompts" is a job.
  if name == "batch" and value >= LEAST_JOB and OF_JOB[NOUNS[word or ""] or ""] then name = nil end
  local of_tokens = NOUNS[word or ""] == "tokens"
  if lengths.is_batch_of_tokens(name, of_tokens and math.huge or value) then
    return reader:say("batch_tokens", value, text) and (of_tokens and 2 or 1)
  end
  if name and not name:find("_frac$") and name ~= "peak_ratio" then return reader:say(name, value, text) and 1 end
  -- "2500 output tokens per second" are a speed, "5000 input tokens per second" what comes.
  if lengths.is_direction(word) and NOUNS[reader:word(2) or ""] == "tokens" and reader:per(3) then
    return lengths.read_tokens(reader, value, text, 3)
  end
  -- "1000 in, 200 out" are lengths; "7B in fp8" and "70B in 5 days" are not.
  local of_all = value > MOST_ANSWER and NOUNS[reader:word(2) or ""] == "tokens" -- "10M output tokens" are those of all answers
  local is_length = word == "out" or word == "output" or word == "input" or word == "in" and not lengths.is_time_behind(reader, 1)
  if is_length and not of_all and not SIZES[token.scale] then
    return lengths.read_tokens(reader, value, text, 1)
  end
  -- "a 32k prompt" is one of so many tokens.
  if word == "prompt" and reader:per(2, true) then return things.read_count(reader, "requests", value, text, 2) end
  if word == "prompt" and not NOUNS[reader:word(2) or ""] and value < LONGEST_TEXT then
    return reader:say("input_tokens", value, text) and 2
  end
  -- "a 1k answer", but "an answer" is one.
  if ONE_ANSWER[word or ""] and value > 1 and value <= MOST_ANSWER and not reader:per(2, true) then
    return reader:say("output_tokens", value, text) and 2
  end
  return things.read_with_noun(reader, value, text) or read_bare(reader, value, token)
end

return counts
