-- The kinds of question that a prompt may be, one file each in the folder of this name, and which of them words mean.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local lfs = require("lfs")
local mentions = require("ballpark.mentions")
local tables = require("ballpark.tables")
local wanted = require("ballpark.questions.ask.wanted")
local which = require("ballpark.questions.ask.which")
local yields = require("ballpark.questions.ask.yields")

local kinds = { names = {} }

-- A part of the catalog, loaded when a prompt is asked: commands know the kinds only.
local function part(name) return require("ballpark.catalog." .. name) end

-- Whether a text asks for it; the words load tables, too.
local function is_about(name, text) return require("ballpark.questions.ask.asked").is_about(name, text) end

-- Whether it speaks of what only training has in memory; those words load the catalog.
local function speaks_of_states(text) return mentions.any(text, require("ballpark.questions.said.vocabulary").STATES) end

for name in lfs.dir((package.searchpath("ballpark.questions.ask.kinds", package.path):gsub("%.lua$", ""))) do
  if name:find("%.lua$") then kinds.names[#kinds.names + 1] = name:gsub("%.lua$", "") end
end
table.sort(kinds.names)

-- Where words and facts say as much for two, the first of these is meant.
local ORDER <const> = { "matmul", "training", "llm", "platform", "retrieval", "storage", "recommend", "encode", "corpus", "cost", "fit",
  "finetune", "batch", "checkpoints", "draw", "look", "replica", "check", "local", "rent", "rerank", "rule", "speak", "sweep", "transcribe" }

--- The record of a kind.
function kinds.get(name)
  if not tables.contains(kinds.names, name) then errors.choice("kind", tostring(name), kinds.names) end
  return require("ballpark.questions.ask.kinds." .. name)
end

--- The records of all kinds.
function kinds.all()
  local list = {}
  for i, name in ipairs(kinds.names) do list[i] = kinds.get(name) end
  return list
end

-- What a fact of a kind says for it, and one that it has no place for against it; words weigh 2 to 6
-- (questions/said/subjects.lua). A fact under another name of the kind says as much.
local HELD <const>, STRANGE <const> = 1, -1.5

-- The kinds that a model is of by what it does, beside those of decoders of text.
local OF_CLASS <const> = { draw = { "draw" }, speak = { "speak" }, transcribe = { "transcribe" }, recommend = { "recommend" },
  encode = { "encode", "corpus", "retrieval", "rerank" } }
local CLASS_SAYS <const> = 3
local WRITES <const> = tables.set({ "llm", "replica", "batch", "training", "local" })

-- Of those the ones that know no model of another kind.
local SERVES <const> = tables.set({ "llm", "replica", "local" })

-- A decoder of text that sees images.
local function has_eyes(name)
  local ok, model = errors.attempt(catalog.model, name)
  return ok and ((model.encoder or {}).patch_size or 0) > 0
end

local function class_of(name)
  if part("diffusion").resolve(name) then return "draw" end
  if part("voices").resolve(name) then return "speak" end
  if tables.contains(part("recommenders").names(), name) then return "recommend" end
  if part("networks").resolve(name) then return "encode" end
  local ok, model = errors.attempt(catalog.model, name)
  if not ok then return nil end
  if (model.cross_layers or 0) > 0 and ((model.encoder or {}).mel_bins or 0) > 0 then return "transcribe" end
  return (model.arch == "encoder" or model.arch == "vision") and "encode" or nil
end

-- Words of a model that turns texts into vectors or classes, of which nobody says the name, and of those that do more.
local ENCODES <const>, SEES_OR_WRITES <const> = { "%f[%a]encoders?%f[%A]", "%f[%a]embedders?%f[%A]", "%f[%a]embedding models?%f[%A]" },
  { "encoder%A+decoder", "decoder", "vision", "image", "speech", "audio", "video" }

-- The kind of network that a size is of, by the words of the prompt.
local function class_of_size(said)
  if not said.facts.params or said.facts.model then return nil end
  return mentions.any(said.text, ENCODES) and not mentions.any(said.text, SEES_OR_WRITES) and "encode" or nil
end

-- Words that say that a model is trained further say more than what it does.
local FURTHER <const> = 6

local function is_trained_further(name, said)
  return (said.weights.finetune or 0) >= FURTHER and name ~= "finetune" and not WRITES[name]
end

-- What the model says for a kind: one that does not write tokens is none of a service that does.
local function class_score(name, class)
  if not class then return 0 end
  return tables.contains(OF_CLASS[class], name) and CLASS_SAYS or WRITES[name] and -CLASS_SAYS or 0
end

-- Facts that hardly anybody gives but for one kind.
local TELLING <const> = { tokens = "training", mfu_frac = "training", vectors = "retrieval",
  growth_month_frac = "storage", users = "llm", monthly_users = "llm", concurrency = "llm", input_tokens = "llm",
  output_tokens = "llm", ttft_s = "llm", tpot_s = "llm", within_s = "encode", audio_s = "transcribe", examples = "finetune",
  method = "finetune", tuning = "finetune", every_s = "checkpoints", trials = "training",
  written_tokens = "batch", read_tokens = "batch", budget_usd_month = "cost", completions = "finetune" }
local TELLS <const> = 1
-- What it says for a kind that it yields what is wanted from what is given.
local CLAIMS <const> = 3
-- Fewer tokens are those of a text.
local LEAST_RUN <const> = 2e6

-- So many devices are a cluster, and train where nothing else is said.
local CLUSTER <const> = 8

local function has(kind, name)
  for _, row in ipairs(kind.facts) do
    if row[1] == name or row.also and tables.contains(row.also, name) then return true end
  end
  return false
end

-- What a rate of jobs says for a platform.
local RATE_OF_JOBS <const> = 4

-- What devices can do is asked, not how many a load takes: a model and devices are said, and nobody who asks anything.
local OF_DEVICES <const> = 3

local function has_load(f)
  local several = (f.concurrency or 0) > 1 and f.concurrency or nil -- one alone is no load
  -- So many tokens per second of devices that nobody counts are what they have to reach.
  return f.users or f.monthly_users or f.rate_per_s or several or f.budget_usd_month or f.output_tokens_per_s or f.tokens_per_s and not f.devices
end

-- A device that nobody rents is somebody's own.
local function is_own(name)
  local device = name and part("devices").called(name)
  return device ~= nil and part("prices").get(device) == nil
end

-- A device of which no price is known, neither to rent nor to buy: a service on it has no cost.
local function is_unpriced(name) return is_own(name) and part("card_prices").get(part("devices").called(name)) == nil end

local function is_processor(name)
  local known = name and part("devices").resolve(name)
  return known ~= nil and part("local_engines").is_processor(catalog.device(known))
end

-- Memory of a host is said beside that of a card.
local function has_own_host(f)
  return f.host_memory_bytes and (f.device and not catalog.device(f.device).shared_memory or f.memory_bytes)
end

local function is_without_load(f)
  return (f.model or f.params or is_own(f.device)) and (f.device or f.devices) and not has_load(f)
end

-- No device has so much memory: it is a storage.
local MOST_MEMORY <const> = 4e12

-- Words by which one's own machine is asked for a format.
local FORMATS <const> = { "%f[%a]quants?%f[%A]", "which quanti[sz]ation", "what quanti[sz]ation", "%f[%a]gguf%f[%A]" }

-- Words that say more than that a kind may be meant.
local MFU <const>, SPEECH <const>, RERANKS <const> = { "mfu" }, { "%f[%a]tts%f[%A]", "text%-to%-speech" }, { "rerank" }

-- Words of how states are sharded, and of a run: what it makes in a second is no answer to anybody.
local SHARDED <const>, RUNS <const> = { "%f[%a]zero[%- ]?[123]" }, { "%f[%a]training%f[%A]" }

-- Which device a run is to be tuned on is asked of time and money, too, unless memory is spoken of.
local TUNES <const>, HOLDS <const> = { "fine[%-%s]?tun", "%f[%a]tun[ei]", "%f[%a]train" }, { "%f[%a]fits?%f[%A]", "memory", "%f[%a]v?ram%f[%A]",
  "%f[%a]oom%f[%A]", "%f[%a]holds?%f[%A]" }

-- Words by which it is asked what money and devices train: "what can we train", "how big a model can we train".
local SIZED_RUN <const> = { "what [%a ]-train%f[%A]", "which [%a ]-train%f[%A]", "how big [%a ]-train%f[%A]", "how large [%a ]-train%f[%A]", "model [%a ]-train%f[%A]",
  "%f[%a]train [%a ]-model" }

-- Engines that serve nobody but one's own machine.
local function is_engine_at_home(name)
  return name ~= nil and not part("engines").named(name) and part("local_engines").family(name) ~= nil
end

-- Words for a speed.
local SPEEDS <const> = { "how fast", "tokens per second", "tok/s", "toks/s", "tokens/s", "tok%a* per sec", "tok%a* a sec", "tok%a*/sec" }

-- Whether a type of llama.cpp's files is named whole: Q4_K_M, not q4.
local function names_file(weights) return tostring(weights):find("^i?q%d_") ~= nil end

local FIRST_TOKEN <const> = { "%f[%a]ttft%f[%A]", "first token" }

-- Whether nothing is said but of devices, of which nobody says what they do, or only the model that they run.
local function is_bare(kind, f, but_model)
  for fact in pairs(f) do
    if not has(kind, fact) and not (but_model and (fact == "model" or fact == "params" or fact == "weights")) then return false end
  end
  return f.device ~= nil
end

-- Words by which texts become vectors, and by which it is asked on what to run a model.
local EMBEDS <const>, ASKS_MACHINE <const> = { "embed", "vector", "encod" }, { "gpu for", "card for", "pc for", "machine for", "server for", "computer for", "%f[%a]build%f[%A]", "setup for", "hardware for", "cheapest", "what do i need", "what would i need", "which machine", "what machine",
  "what setup", "which setup", "what hardware", "which hardware", "what computer", "which computer", "what pc", "which mac", "what mac", "budget build" }

-- Words of a model that writes, of which only the size is said.
local WRITERS <const> = { "%f[%a]llms?%f[%A]", "language model", "%f[%a]gpt%f[%A]" }

-- What is served, where words name one of these, and neither a model that writes nor how long prompts are is said.
local SERVED_ELSE <const> = { "recommend", "retrieval", "rerank", "encode", "draw", "speak", "transcribe" }
local OF_WRITERS <const> = { "%f[%a]chat", "assistant", "%f[%a]llms?%f[%A]", "language model", "%f[%a]gpt", "%f[%a]bots?%f[%A]", "copilot", "%f[%a]rag%f[%A]", "prompt", "token", "%f[%a]answers?%f[%A]" }
local LENGTHS <const> = { "model", "params", "input_tokens", "output_tokens", "seq_len", "tokens_month", "tpot_s", "ttft_s" }

-- Words by which one answer is waited for.
local ONE_ANSWER <const> = { "how long .-take", "how many seconds", "how fast", "latency", "time to generate", "how long to generate", "how long would" }

-- Words of what a device does in a time.
local THROUGHPUT <const> = { "throughput", "per second", "per sec%f[%A]", "/sec%f[%A]", "a sec%f[%A]", "/s%f[%W]", "a second", "per hour", "how fast", "speed", "%f[%a]qps%f[%A]", "%f[%a]rps%f[%A]" }

-- Formats of engines that serve.
local SERVED <const> = tables.set({ "fp8", "int8", "int4", "awq", "gptq", "nvfp4", "mxfp4", "bf16", "w4a16", "w8a8" })

-- Words of bills of machines that always run.
local PAID <const> = { "monthly bill", "bill [%a ]*24/7", "cost [%a ]*24/7", "24/7 cost", "monthly cost of %S+%.", "per month 24/7", "running 24/7" }

-- Words of the device time of a run that was.
local RUN_HOURS <const> = { "how many [%w%-]+ hours was", "how many [%w%-]+ hours did", "how many [%w%-]+ hours were", "hours [%a ]*to create" }

-- What words weigh that name a question, and not what many are about.
local MEANT <const> = 4

-- Words of which is faster.
local FASTER <const> = { "faster", "slower", "speed" }

-- Words of what draws power.
local DRAWS_POWER <const> = { "%f[%a][km]?watts?%f[%A]", "%f[%a][km]w%f[%A]", "power", "electric", "%f[%a]energy" }

-- Words of layers that a card takes, and the host the rest.
local OFFLOADS <const> = { "layers [%a ]*offload", "offload [%a%d ]*layers", "layers [%a ]*on [%a ]*gpu", "layers [%a ]*in [%a ]*vram", "gpu layers", "%f[%a]ngl%f[%A]" }

-- Tokens of days are those of a run, unless words say that they are written or answered.
local A_DAY <const>, ANSWERED <const> = 86400, { "generat", "serv", "output", "answer", "infer", "writ", "produc", "process", "decod", "prefill", "user", "chat", "batch" }

-- More images than one prompt has.
local MOST_SHOWN <const> = 100

-- More tokens than one text has that is read at once.
local LONGEST_TEXT <const> = 2e5

-- Messages of a chat that are read, and not written.
local OF_CHATS <const> = "%f[%a]chat (messages?)"

local function names_other(said)
  if mentions.any((said.text or ""):lower():gsub(OF_CHATS, "%1"), OF_WRITERS) then return false end
  for _, name in ipairs(SERVED_ELSE) do
    if (said.weights[name] or 0) >= MEANT then return true end
  end
  return false
end

-- What words and facts say for a kind; nil where they say nothing of it: a model, a device or a time may be of any.
-- claimed: whether the kind yields what is wanted from what is given, whatever the words.
local function score(name, said, claimed)
  local kind, sum, f = kinds.get(name), said.weights[name] or 0, said.facts
  -- A machine that is paid all the time: what it runs is no matter.
  local is_paid = f.device and not has_load(f) and (f.usd_kwh and not (f.tokens or f.examples or f.items or f.method) or mentions.any(said.text, PAID))
  if name == "rent" and not is_bare(kind, f, is_paid or claimed) then return nil end
  if name == "rent" and is_paid then sum = sum + FURTHER end
  if name == "rule" then
    if not kind.asked(f, said.text) then return nil end
    sum = sum + FURTHER
  end
  -- So many tokens are those of a run, and no context.
  if name == "fit" and (f.tokens or 0) >= LEAST_RUN then return nil end
  local class = f.model and class_of(f.model) or class_of_size(said)
  if (class == "draw" or class == "speak") and SERVES[name] then return nil end
  -- A model that draws no images is none of what draws.
  if name == "draw" and f.model and class ~= "draw" then return nil end
  if name == "draw" and not f.model and not f.items and mentions.any(said.text, DRAWS_POWER) then return nil end -- "how many kW do 8 H100 draw"
  -- Vectors that are kept, and that nobody searches or makes.
  local is_kept = f.vectors and said.weights.storage and not has_load(f)
  if (name == "retrieval" or name == "corpus" or name == "encode" or name == "rerank") and is_kept and not said.weights[name] then return nil end
  -- An encoder of which nobody says what is searched is a service of its own.
  if name == "retrieval" and class == "encode" and not said.weights.retrieval and not f.vectors then return nil end
  local of_class = not (class == "transcribe" and is_trained_further(name, said)) and class_score(name, class) or 0
  -- "Serve recommendations at 50,000 requests per second": whoever serves them serves no text.
  if SERVES[name] and not tables.has_any(f, LENGTHS) and names_other(said) then return nil end
  local about = sum > 0 or of_class > 0 or claimed
  if claimed then sum = sum + CLAIMS end
  sum = sum + of_class
  for fact in pairs(f) do
    local of_part = kind.part_facts and tables.contains(kind.part_facts, fact)
    -- A length of answers says nothing for one's own machine, which has a place for it.
    local is_of_service = name == "local" and (fact == "output_tokens" or fact == "written_tokens")
    local is_of_card = name == "fit" and fact == "cost_usd" -- what a card may cost says nothing for its memory
    local has_place = has(kind, fact) and not is_of_service and not is_of_card and not (fact == "params" and tables.contains(OF_CLASS.encode, name) and not class)
    sum = sum + (has_place and HELD or (fact == "within_s" or of_part) and 0 or STRANGE)
    if TELLING[fact] == name and not (fact == "tokens" and f.tokens < LEAST_RUN) and not (fact == "concurrency" and f.concurrency == 1) then sum, about = sum + TELLS, true end
  end
  if name == "training" and f.params and (f.time_s or (f.devices or 0) >= CLUSTER) then sum, about = sum + TELLS, true end
  -- The speed of a run that is measured: what it makes of its MFU, or of its time, is arithmetic.
  local is_measured = (f.tokens_per_s and f.devices or f.tokens_per_s_device) and (f.params or f.model) and not f.users and not f.concurrency
    and (f.tokens or mentions.any(said.text, MFU))
  if name == "check" and is_measured then sum, about = sum + FURTHER, true end
  -- "Train 350M on 10B tokens on a 4090, realistic in a week?": of a run without a speed that somebody claims it is asked how long it takes.
  local is_to_run = (f.tokens or 0) >= LEAST_RUN and (f.params or f.model) and (said.weights.training or 0) >= MEANT
    and not tables.has_any(f, { "tokens_per_s", "tokens_per_s_device", "flop_s_device", "flop_s", "mfu_frac", "tpot_s", "cost_usd" })
  if name == "check" and is_to_run then return nil end
  if name == "training" and (f.tuning or f.method and f.method ~= "full") then sum = sum - FURTHER end -- "seconds of a step of GRPO"
  -- "How many A100 hours was Llama 2 70B": what it took to train.
  local asks_hours = (f.model or f.params) and not class and mentions.any(said.text, RUN_HOURS) and not (f.items or f.examples or f.vectors or f.written_tokens or f.method or f.tuning)
  if name == "training" and asks_hours and not has_load(f) then sum, about = sum + FURTHER, true end
  -- A price "an hour" of a run is no question of rent, nor its size one of memory.
  local is_bought = f.device and f.cost_usd and f.usd_h and not (f.model or f.params or f.method or f.examples) and (said.weights.training or 0) >= MEANT
  if is_bought and name == "training" and mentions.any(said.text, SIZED_RUN) then sum = sum + FURTHER end
  if name == "training" and f.flop then sum, about = sum + FURTHER, true end
  if name == "storage" and f.dim and (said.weights.storage or 0) > 0 then sum, about = sum + FURTHER, true end
  if name == "speak" and mentions.any(said.text, SPEECH) then sum, about = sum + FURTHER, true end
  -- So many replicas and no load: what do they take?
  if name == "replica" and f.replicas and (f.model or f.params) and not has_load(f) then sum, about = sum + FURTHER, true end
  -- Nobody serves many from a computer that shares its memory.
  local own = f.device and part("devices").resolve(f.device)
  if name == "replica" and own and catalog.device(own).shared_memory and is_own(f.device) and not has_load(f) then sum = sum - OF_DEVICES end
  -- Words of serving say that no run is meant, where none says training.
  if name == "replica" and (f.time_s or 0) > A_DAY and (f.devices or 0) >= CLUSTER and not mentions.any(said.text, ANSWERED) then return nil end
  local is_run = (said.weights.training or 0) >= MEANT and not said.weights.llm and mentions.any(said.text, RUNS) and not mentions.any(said.text, ANSWERED)
  if (name == "replica" or name == "local") and is_run and not has_load(f) then return nil end
  if name == "training" and said.weights.llm and not said.weights.training then sum = sum - OF_DEVICES end
  -- The memory of a way to train is asked about, not a run.
  local is_compared = not f.device and which.asked(said.text) and mentions.any(said.text, TUNES) and not mentions.any(said.text, HOLDS)
  if name == "finetune" and is_compared and (said.weights.finetune or 0) > 0 then sum = sum + FURTHER end
  if name == "training" and is_compared and (f.tokens or 0) >= LEAST_RUN then sum = sum + FURTHER end
  local are_states = (f.model or f.params) and not (f.tokens or f.time_s or f.cost_usd or f.examples or has_load(f)) and is_about("memory", said.text)
    and (speaks_of_states(said.text) or mentions.any(said.text, SHARDED))
  if name == "fit" and are_states then sum, about = sum + 2 * FURTHER, true end
  if name == "fit" and about and f.method and not f.examples then sum = sum + 2 * TELLS end
  local is_at_home = is_own(f.device) or tostring(f.weights):find("^i?q%d") or f.host or f.host_memory_bytes
  if name == "local" and about and is_at_home then sum = sum + TELLS end
  if name == "local" and f.device and is_without_load(f) and not f.weights and not f.method and mentions.any(said.text, FORMATS) then
    sum, about = sum + 2 * FURTHER, true
  end
  local is_offloaded = (f.device or f.memory_bytes) and (f.model or f.params) and not f.method and not has_load(f) and mentions.any(said.text, OFFLOADS)
  if name == "local" and is_offloaded then sum, about = sum + 2 * FURTHER, true end
  -- The largest model is one of memory, whatever its machine is called.
  local has_machine = is_own(f.device) or not f.device and (f.memory_bytes or f.host_memory_bytes)
  local is_largest = has_machine and not has_load(tables.with(f, { tokens_per_s = false, output_tokens_per_s = false })) and not (f.model or f.params) and not mentions.any(said.text, TUNES) and is_about("largest", said.text)
  if name == "fit" and is_largest then sum, about = sum + 2 * FURTHER, true end
  -- The largest that devices tune is one of memory, too, where no time and no tokens are said.
  local is_largest_tuned = f.device and not (f.model or f.params or f.time_s or f.tokens or f.examples or f.cost_usd) and (said.weights.finetune or 0) > 0 and is_about("largest", said.text)
  if name == "fit" and is_largest_tuned then sum, about = sum + 2 * FURTHER, true end
  -- The estimate of one's own machine says whether it fits, too, where both are asked.
  local are_both = (said.weights.fit or 0) > 0 and mentions.any(said.text, SPEEDS) and f.model and is_own(f.device)
  if name == "local" and are_both and not f.method and not has_load(f) then sum, about = sum + FURTHER, true end
  local are_rented = (said.weights.fit or 0) >= MEANT and not said.weights.training and mentions.any(said.text, SPEEDS) and (f.model or f.params) and f.device and not is_own(f.device)
  if name == "replica" and are_rented and not f.method and not class and not names_file(f.weights) then sum, about = sum + FURTHER + OF_DEVICES, true end
  -- Few serve files of llama.cpp with an engine for many: whoever names one asks of one's own machine.
  if name == "local" and about and names_file(f.weights) and not f.engine and not f.method and not has_load(f) then sum = sum + FURTHER end
  -- What engines for many multiply in, on devices that are rented, is no file of one's own machine.
  local is_served = f.device and not is_own(f.device) and SERVED[f.weights or ""] and not is_processor(f.device)
  if name == "local" and is_served and not is_engine_at_home(f.engine) then sum = sum - OF_DEVICES end
  if name == "replica" and is_served and (f.model or f.params) and not f.method and not has_load(f) and mentions.any(said.text, FASTER) then sum, about = sum + FURTHER, true end
  if name == "local" and is_engine_at_home(f.engine) and not has_load(f) then sum, about = sum + FURTHER, true end
  -- What a machine of one's own draws for what it writes.
  local is_drawn = is_own(f.device) and (f.model or f.params) and not has_load(f) and not f.method and mentions.any(said.text, DRAWS_POWER)
  if name == "local" and is_drawn and said.weights.batch then sum, about = sum + 2 * FURTHER, true end
  -- Drafts of a model are asked of those who serve it, but for cards that nobody rents.
  if name == "replica" and f.draft_tokens and not is_own(f.device) then sum, about = sum + OF_DEVICES, true end
  -- Devices of one's own that are counted, and have no price: what do those who use them see?
  local is_of_few = f.devices and (f.users or f.concurrency) and (f.model or f.params) and not f.usd_h and is_unpriced(f.device)
  if is_of_few and name == "llm" then return nil end
  if is_of_few and name == "replica" and (said.weights.llm or said.weights.replica) then sum, about = sum + 2 * FURTHER, true end
  -- The memory of adapters that nobody trains here.
  if name == "fit" and f.adapters and (said.weights.fit or 0) > 0 and not f.examples and not has_load(f) then sum, about = sum + 2 * FURTHER, true end
  -- Adapters under a load are served, unless examples are said.
  local are_served = f.adapters and has_load(f) and not f.examples
  if name == "llm" and are_served then sum, about = sum + FURTHER, true end
  -- Cards of one's own beside each other: which is faster, and does it fit?
  local beside = said.beside and said.beside[1] and said.beside[1].device
  local is_choice = beside and is_own(f.device) and is_own(beside) and (f.model or f.params) and not f.method and not has_load(f)
  if name == "local" and is_choice and said.weights.replica and not said.weights.fit then sum, about = sum + FURTHER, true end
  -- Cards of two kinds, or a card and its host, share a model on one's own machine: whether it fits is answered there, too.
  local is_shared = (f.other or f.host or has_own_host(f)) and (f.model or f.params) and not f.method
  if is_shared and (name == "fit" or name == "check") then return nil end
  if name == "fit" and (f.memory_bytes or 0) > MOST_MEMORY then return nil end
  if is_shared and name == "local" then sum, about = sum + TELLS, true end
  -- A processor serves nobody: how fast is it alone?
  if (name == "replica" or name == "llm") and is_processor(f.device) and not has_load(f) then sum = sum - OF_DEVICES end
  -- Of a model without a bill there is nothing to bring down.
  -- A bill for devices that are counted, with no sum in it, is their rent.
  local is_rent = f.device and f.devices and not (f.model or f.params or f.budget_usd_month or f.cost_usd) and (said.weights.cost or 0) > 0 and is_bare(kinds.get("rent"), f)
  if is_rent and name == "cost" then return nil end
  if is_rent and name == "rent" then sum, about = sum + FURTHER, true end
  if name == "cost" and (f.model or f.params) and not f.budget_usd_month and not f.cost_usd then sum = sum - OF_DEVICES end
  if name == "checkpoints" and f.kept and (said.weights.checkpoints or 0) > 0 then sum, about = sum + FURTHER, true end
  if name == "rerank" and mentions.any(said.text, RERANKS) then sum, about = sum + FURTHER, true end
  -- Vectors that are asked for by the second are searched, and not only kept.
  if name == "storage" and f.vectors and f.rate_per_s and said.weights.retrieval then return nil end
  -- The memory of vectors without a load is that of their storage.
  if name == "storage" and f.vectors and (said.weights.fit or 0) > 0 and not has_load(f) then sum, about = sum + FURTHER, true end
  -- Jobs that come at a rate are those of a platform, whatever they do.
  if name == "platform" and (f.jobs_per_s or f.jobs_per_user_day) then sum, about = sum + RATE_OF_JOBS, true end
  -- The size of a batch is no offline job.
  if name == "batch" and mentions.any(said.text, { "batch size" }) and not (f.items or f.examples or f.vectors or f.written_tokens or f.read_tokens) then return nil end
  if name == "batch" and f.batch and not f.items then sum = sum - OF_DEVICES end
  -- The wait for a first token is that of one prompt.
  if name == "batch" and not (f.items or f.examples or f.vectors) and mentions.any(said.text, FIRST_TOKEN) then return nil end
  -- One answer is no job: nobody says how many, and the machine is one's own.
  local is_answer = f.output_tokens and (f.model or f.params) and not (f.items or f.vectors or f.examples or f.written_tokens or f.read_tokens or f.time_s) and f.device
    and not is_own(f.device) and not has_load(f) and mentions.any(said.text, ONE_ANSWER)
  if is_answer and name == "batch" then return nil end
  if is_answer and name == "replica" then sum, about = sum + FURTHER, true end
  local is_one = f.output_tokens and not (f.items or f.vectors or f.examples or f.written_tokens or f.read_tokens) and is_own(f.device)
    and (f.model or f.params) and not has_load(f)
  if is_one and name == "batch" then return nil end
  if is_one and name == "local" then sum, about = sum + FURTHER, true end
  -- So many items and no rate are to be worked off, prompts of a length by a model that writes.
  if name == "batch" and not class and f.items and (f.input_tokens or f.output_tokens) and not has_load(f) then about = true end
  if (name == "corpus" or name == "batch") and about and (f.items or f.vectors)
    and not (f.rate_per_s or f.users or f.concurrency) then
    sum = sum + TELLS
  end
  -- A rate alone comes all the time.
  if name == "corpus" and f.rate_per_s and not (f.items or f.vectors or f.examples or (f.tokens or 0) > LONGEST_TEXT) then return nil end
  -- A decoder that answers is none of what turns texts into vectors.
  local is_decoder = (f.model ~= nil or f.params ~= nil and mentions.any(said.text, WRITERS)) and not class and not mentions.any(said.text, EMBEDS)
  if is_decoder and (name == "corpus" or name == "encode") and (not has_load(f) or f.output_tokens) then return nil end
  if is_decoder and name == "batch" and f.items and (said.weights.corpus or said.weights.encode) and not has_load(f) then sum, about = sum + OF_DEVICES, true end
  -- No machine is said, and it is asked which: devices that hold it are listed.
  if name == "local" and not (f.device or f.memory_bytes or f.host_memory_bytes) and (f.model or f.params)
    and (mentions.any(said.text, ASKS_MACHINE) or which.asked(said.text)) then return nil end
  -- More tokens than a text has are those of all texts.
  if name == "corpus" and about and (f.tokens or 0) > LONGEST_TEXT then sum = sum + TELLS end
  -- An image of a size, shown to a model that sees, is what is asked about.
  local is_job = (f.items or 0) > MOST_SHOWN and f.model ~= nil and has_eyes(f.model) and not has_load(f)
  if name == "batch" and is_job then sum, about = sum + FURTHER, true end
  if name == "look" and is_job then return nil end
  local shown = f.width or (said.weights.encode or 0) > 0
  if name == "look" and shown and f.model and not has_load(f) and has_eyes(f.model) then
    sum, about = sum + OF_DEVICES, true
  end
  if (name == "transcribe" or class and tables.contains(OF_CLASS[class], name)) and is_trained_further(name, said) then
    sum = sum - OF_DEVICES
  end
  -- A speed that devices have to reach, of which nobody says how many.
  local is_asked = (f.tokens_per_s or f.output_tokens_per_s) and not f.devices and not said.weights.check and not said.weights.training
    and not is_own(f.device) and not class
  if name == "llm" and is_asked then sum, about = sum + OF_DEVICES, true end
  -- A prompt on a device that nobody rents, and no load: how long does it take there?
  if name == "llm" and (f.model or f.params) and is_own(f.device) and f.input_tokens and not has_load(f) and not said.weights.llm then return nil end
  if name == "llm" and is_without_load(f) then sum = sum - (f.devices and 2 or 1) * OF_DEVICES end
  -- Users that are counted are a load: how many one replica serves is asked no more, unless its devices are there.
  local counted = (f.users or (f.concurrency or 0) > 1 and not f.devices) and said.weights.replica
  if name == "replica" and (counted and not is_of_few or f.budget_usd_month) then return nil end
  if name == "llm" and counted then sum, about = sum + counted, true end
  -- Whether devices are enough for a load is no question of memory.
  if name == "fit" and has_load(f) then sum = sum - OF_DEVICES end
  local is_cache = (f.model or f.params) and not (f.rate_per_s or f.monthly_users or f.budget_usd_month) and is_about("cache", said.text)
  if name == "fit" and is_cache then sum, about = sum + FURTHER, true end
  if name == "fit" and f.kv then sum = sum - FURTHER end -- the cache is spoken of for its format
  -- A bill for tokens of a month, and a model that would write them.
  if name == "llm" and kinds.is_bill(f) then
    sum, about = sum + 2 * FURTHER, true
  end
  -- What a device does of texts or images of which nobody says how many.
  local is_speed = class == "encode" and f.device and not (f.items or f.vectors or f.examples or (f.tokens or 0) > LONGEST_TEXT or f.time_s or has_load(f)) and mentions.any(said.text, THROUGHPUT)
  if name == "encode" and is_speed then sum, about = sum + FURTHER, true end
  if name == "llm" and f.rate_per_s and (f.params or f.model and not class and not said.weights.batch) then sum, about = sum + TELLS, true end
  return about and sum or nil
end

--- Whether it is a bill of a month for so many tokens, beside a model that would write them.
---@param f table<string, any> facts
function kinds.is_bill(f)
  return (f.budget_usd_month ~= nil and (f.model or f.params) and (f.tokens or 0) + (f.read_tokens or 0) + (f.written_tokens or 0) > LONGEST_TEXT) and true or false
end

-- What it says against a kind that it does not lead with what is wanted.
local LEADS_ELSEWHERE <const> = 2

--- The kind that words and facts mean; nil where they mean none.
---@param said { facts: table, weights: table<string, number> } of ballpark.questions.said.grammar
---@return string|nil
function kinds.guessed(said)
  local best, most
  local quantity = (wanted.of(said.text, said.facts)[1] or {}).name
  local claiming = quantity and yields.kind(quantity, said.facts, said.weights)
  if claiming == "training" and not said.weights.training and next(said.weights) then claiming = nil end -- "translate 1B tokens"
  for _, name in ipairs(ORDER) do
    local sum = score(name, said, name == claiming)
    -- Of kinds that are about as much meant, the one that leads with what is wanted.
    if sum and quantity and yields.of(name, quantity) == false then sum = sum - LEADS_ELSEWHERE end
    -- What tokens take on a device that is rented is that of a server with many clients.
    local is_rented = claiming == "replica" and said.facts.device and not is_own(said.facts.device)
    if sum and name == "local" and is_rented then sum = sum - OF_DEVICES end
    if sum and (not most or sum > most) then best, most = name, sum end
  end
  if best then return best end
  -- Devices beside each other, of which nobody says what they do, write what a usual model says.
  local other = said.beside and said.beside[1] and said.beside[1].device
  if other and said.facts.device and not (said.facts.model or said.facts.params) then return is_own(other) and is_own(said.facts.device) and "local" or "replica" end
  if not (said.facts.model or said.facts.params) then return nil end
  if claiming then return claiming end
  -- A model and one's own machine: how fast is it, and does it fit? Of others, does it fit?
  return is_own(said.facts.device) and not said.facts.method and class_of(said.facts.model or "") == nil and "local" or "fit"
end

-- Kinds of networks of which a pass is estimated.
local PASSES <const> = tables.set({ "encode", "corpus", "draw", "speak", "recommend", "rerank", "retrieval", "storage", "transcribe", "training" })

-- Words of a training that is asked for: "train", "pretrain bert-large", "pretraining of".
local BEGUN <const> = { "^%W*train%f[%W]", "%f[%a]pre%-?train%f[%A]", "^%W*pre%-?training%f[%A]", "%f[%a]pre%-?training of%f[%A]", "from scratch", "pre%-?training on%f[%A]",
  "^%W*training%f[%A]", "%f[%a]training%W*$" }

-- Networks of images, of which no name of the catalog is said, and what they are called where their training is refused.
local OF_IMAGES <const>, NETWORK <const> = { "%f[%a]vit%f[%A]", "vision transformer", "%f[%a]resnet", "%f[%a]convnet", "%f[%a]cnn%f[%A]", "%f[%a]yolo", "%f[%a]u%-?net%f[%A]", "image classif", "object detect" }, "networks of images"

--- Refuses the training of what does not write text: its passes are estimated.
---@param name string the kind that words and facts mean
---@param said { facts: table, weights: table<string, number>, text: string|nil }
function kinds.check_trained(name, said)
  local model, weight = said.facts.model, said.weights.training
  local is_begun = said.facts.epochs or mentions.any(said.text, BEGUN)
  if weight and not model and name == "draw" and is_begun then model = "diffusion" end -- "train a diffusion model"
  if weight and not model and name == "training" and not said.facts.params and mentions.any(said.text, OF_IMAGES) then model = NETWORK end
  if not model or not weight or not PASSES[name] or name ~= "draw" and model ~= NETWORK and not class_of(model) then return end
  local is_network = part("networks").resolve(model) and weight > (said.weights.corpus or 0)
  if not (name == "training" or is_begun or is_network) then return end
  errors.input("ask", ("answers about training models that write text; of %s it knows what a pass costs ('how many images a "
    .. "second does it classify'): leave out the training"):format(model))
end

--- The same, refused where words and facts mean none.
function kinds.of(said)
  return kinds.guessed(said) or errors.input("ask", ("does not know what this is about (it reads English): say 'train', 'fine-tune', 'chat', 'fit', "
    .. "'recommendations', 'retrieval', 'images', 'storage', 'matrix product' or 'platform', or kind = one of %s"):format(
    table.concat(kinds.names, ", ")))
end

return kinds
