-- Does a model fit a device, for inference or for training? fit{} answers.
local catalog = require("ballpark.catalog")
local check_facts = require("ballpark.questions.check.facts")
local core = require("ballpark.core")
local diffusion = require("ballpark.catalog.diffusion")
local errors = require("ballpark.errors")
local how_many = require("ballpark.questions.ask.how_many")
local mentions = require("ballpark.mentions")
local proposals = require("ballpark.questions.ask.proposals")
local shared_memory = require("ballpark.resolve.shared_memory")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")
local wants = require("ballpark.questions.ask.asked")
local which = require("ballpark.questions.ask.which")

local model_row, params = proposals.said_model()
local memory, device = proposals.said_device()

-- Words by which a machine is one's own.
local AT_HOME <const> = mentions.whole({ "at home", "locally", "home lab", "homelab", "my own machine", "my own pc", "desktop", "gaming pc", "consumer" })

-- Formats that caches are kept in, too.
local OF_CACHE <const> = tables.set({ "fp8", "int8" })

-- Formats that all weights are trained in: what is kept beside them is the same.
local WIDE <const> = tables.set({ "bf16", "fp16", "fp32" })

-- Bytes of a parameter with Adam's states (arXiv:1910.02054); the device that is rented where nobody says one.
local TRAINED <const>, USUAL <const> = 16, "H100"

-- Bytes of a parameter in the format that is said, else as the model is published.
local function stored_bytes(f, shape)
  return (select(2, check_facts.stored({ weights = f.weights }, { model = shape })))
end

-- A size that is tried after one that has no room, and the least.
local SMALLER <const>, LEAST_SIZE <const> = 0.9, 3e8

-- Share of the memory that weights in 4 bit may take, and their bytes.
local LARGEST_FRAC <const>, BITS4_BYTES <const> = 0.75, 0.6
local LEARNS_BYTES <const> = { full = 1.25 * TRAINED, lora = 2.2, qlora = BITS4_BYTES + 0.2 } -- with activations, and what adapters have (assumption)

-- How many of the usual device hold it; nil where one of some kind may.
local function least_devices(f, name)
  if f.model and diffusion.resolve(f.model) then return nil end
  local shape = type(name) == "string" and catalog.model(name) or name
  local cache = f.method and 0
    or (f.sequences or 1) * core.kv_cache({ model = shape, tokens = math.ceil(f.context_tok or 1) }).sequence_bytes
  local count = proposals.least_devices(shape, USUAL, f.method == "full" and TRAINED or stored_bytes(f, shape), cache)
  return count > 1 and count or nil
end

-- Cards with more memory are those of data centres (GeForce RTX 5090, NVIDIA).
local OWN_CARD_BYTES <const> = 33e9

-- Whether a model as it is published is too large for devices as people have at home.
local function is_too_wide(f)
  if f.method or f.kv or not f.device or f.model and diffusion.resolve(f.model) or not (f.model or f:is_given("params")) then return false end
  local own = catalog.device(f.device)
  local bytes = f.memory_bytes or own.memory_bytes
  if bytes > OWN_CARD_BYTES and not own.shared_memory then return false end
  local shape = proposals.decoder(f)
  return stored_bytes(f, shape) * core.params({ model = shape }).total_params > bytes * (f.devices or 1)
end

-- Words that ask for the memory of a computer, and not of a card; GB of it as it is sold.
local RAM <const> = { "%f[%a]ram%f[%A]" }
local RAM_ASKED <const> = { "how much %a*%s?ram", "how much system memory", "how much memory", "how many gb of ram", "ram do i need" }
local SOLD_GB <const> = { 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536 }

-- The computer without a card that has the least memory which holds it; nil where none does.
local function computer_for(f)
  if not (f.model or f.params) or f.method then return nil end
  local asked_of = { model = proposals.model_of(f), format = f.weights or "q4_k_m", context_tok = f.context_tok }
  for _, size in ipairs(SOLD_GB) do
    local name = proposals.computer(size * 1e9)
    if how_many.fewest(asked_of, name, 1) == 1 then return name, "a computer with the least memory, as it is sold, that holds it" end
  end
end

-- What no cards that people have at home hold together, in bytes of 4 bit (assumption: six of 24 GB).
local BEYOND_CARDS <const> = 144e9

local function is_beyond_cards(f)
  if not f.owner or f.method or f.model and diffusion.resolve(f.model) or not (f.model or f:is_given("params")) then return false end
  return BITS4_BYTES * core.params({ model = proposals.decoder(f) }).total_params > BEYOND_CARDS
end

-- Share of the bandwidth that weights are read at while one sequence is written (assumption: 60 to 80 % are measured).
local READ_FRAC <const> = 0.7

-- Sequences that are there at one time at most (assumption).
local MOST_AT_ONCE <const> = 4096

-- What is asked, but of how many devices.
local function asked(f)
  local of_file = tostring(f.weights):find("^i?q%d")
  return { kv = of_file and proposals.local_kv(f.kv) or proposals.served_kv(f.kv), model = proposals.model_of(f), format = f.weights,
    purpose = f.method, plan = f.method and f.zero and { zero = f.zero } or nil, context_tok = f.context_tok, batch = f.sequences, host = f.host,
    memory_frac = f.memory_frac, rank = (f.method and f.method ~= "full" or f.adapters) and f.rank or nil, adapters = f.adapters }
end

local fit = {
  name = "fit", title = "Does it fit", words = "Does a model fit on a device, or on which?", question = "fit",
  several = "on",
  facts = {
    model_row, proposals.active,
    { "ram", "Is the memory of a computer asked?", type = "string", title = "Memory of a computer" },
    memory, tables.with(device, { propose = function(f)
      if (f.ram or is_beyond_cards(f)) and not f.memory_bytes then return computer_for(f) end
      return device.propose(f)
    end }), proposals.host[1], proposals.host[2], proposals.host[3],
    { "tuning", "Fine-tuned how (sft, dpo), if at all?", type = "string", title = "Fine-tuned by" },
    { "method", "Trained how (full, lora, qlora), if at all?", type = "string", title = "Trained by", propose = function(f)
      if f.tuning then return "lora", "what most people fine-tune by" end
    end },
    -- "What can I run on a 12 GB card?": the largest in 4 bit.
    tables.with(params, { propose = function(f)
      if f.model or not f.device then return nil end
      local own = catalog.device(f.device)
      local held = own.shared_memory and shared_memory.usable(own) or f.memory_bytes or own.memory_bytes -- the rest is the system's
      local bytes = held * (f.devices or 1)
      local each, how = LEARNS_BYTES[f.method], "what trains there, with some activations"
      if not each then each, how = BITS4_BYTES, "about the largest that it holds in 4 bit with some context" end
      local size = math.max(0.1, math.floor(bytes * LARGEST_FRAC / each / 1e8) / 10) * 1e9
      -- Who wants so many tokens a second reads all weights of a dense model so often.
      local fast = not f.method and f.tokens_per_s and own.mem_bw_bytes_s * (f.devices or 1) * READ_FRAC / f.tokens_per_s / each
      if fast and fast < size then
        return math.max(LEAST_SIZE, math.floor(fast / 1e8) * 1e8), ("about the largest dense model in 4 bit of which %s are read a second; one of experts reads "
          .. "those alone that a token meets, and may be larger in all"):format(units.format(f.tokens_per_s, "tok"))
      end
      local asked_tok = not f.method and f.context_tok
      while asked_tok and size > LEAST_SIZE and how_many.fewest({ format = "q4_k_m", context_tok = math.tointeger(asked_tok // 1),
        model = (proposals.decoder({ params = size })) }, f.device, 1) ~= 1 do
        size = math.floor(size * SMALLER / 1e8) * 1e8
      end
      return size, asked_tok and "about the largest that it holds in 4 bit with the context that is said" or how
    end }),
    which.fact,
    { "tokens_per_s", "Tokens a second that it has to write?", unit = "tok/s", title = "Speed", also = { "output_tokens_per_s" } },
    { "cost_usd", "What may a card cost, in USD?", unit = "USD", title = "Budget of a card" },
    { "owner", "Whose machine is it, where it is one's own?", type = "string", title = "Machine" },
    tables.with(proposals.weights, { propose = function(f)
      if f.method then return nil end
      if (f.owner and not f.device) or f.ram then return "q4_k_m", "what people run on their own machines" end
      if not f.model and not f:is_given("params") and f.device then return "q4_k_m", "what people run on their own cards" end
      if is_too_wide(f) then return "q4_k_m", "as it is published it does not fit; 4 bit are what people run on such cards" end
    end }),
    proposals.kv, proposals.memory_frac,
    { "rank", "Rank of adapters?", unit = "", type = "integer", title = "Rank" },
    { "zero", "Which ZeRO stage (FSDP is 3)?", unit = "", type = "integer", title = "ZeRO" },
    { "context_tok", "Tokens of context?", unit = "tok", type = "integer", title = "Context",
      also = { "seq_len", "input_tokens", "tokens" } },
    { "adapters", "How many LoRA adapters beside it?", unit = "", type = "integer", title = "Adapters" },
    { "sequences", "Sequences at one time?", unit = "", type = "integer", title = "Sequences at one time",
      also = { "batch", "concurrency", "users" } },
    how_many.row,
    how_many.devices(asked),
  },
  -- "Memory for training" is that of all weights, unless a method is said.
  given = function(given, weights, text)
    local learns = (given.method or given.tuning or weights and (weights.finetune or weights.training)) and given.model and diffusion.resolve(given.model)
    if learns then
      errors.input("ask", ("does not know what memory training %s takes, which draws images: leave out the training, and it says what drawing takes"):format(given.model))
    end
    -- "How much RAM on a CPU": its memory is what is asked.
    if given.device == vocabulary.DESKTOP and not given.host_memory_bytes and not given.memory_bytes and mentions.any(text, RAM_ASKED)
      and not mentions.any(text, { vocabulary.DESKTOP:lower():gsub("%-", "[ %%-]?"), "%f[%a]ryzen" }) then
      given = tables.with(given)
      given.device = nil
    end
    given = how_many.given(proposals.of_machine(given), text)
    -- "64 sequences of 128k" are there at one time; more are a job's.
    if given.items and given.items <= MOST_AT_ONCE and given.items % 1 == 0 and not (given.sequences or given.batch or given.concurrency) then
      given = tables.with(given, { sequences = math.tointeger(given.items) })
      given.items = nil
    end
    -- Who has a sum for a card buys one.
    -- A narrow format is that of a cache which is asked about, where no device has to hold weights.
    if wants.is_about("cache", text) and not (given.kv or given.device or given.memory_bytes) and OF_CACHE[given.weights or ""] then
      given = tables.with(given, { kv = given.weights })
      given.weights = nil
    end
    if mentions.any(text, AT_HOME) or given.cost_usd then given = tables.with(given, { owner = "one's own" }) end
    local has_place = given.device or given.host or given.memory_bytes or given.host_memory_bytes
    if not has_place and mentions.any(text, RAM) then given = tables.with(given, { ram = "asked" }) end
    local is_mixed = given.method == "full" and WIDE[given.weights or ""] -- what is trained in mixed precision
    if is_mixed then
      given = tables.with(given)
      given.weights = nil
    end
    if weights and (weights.finetune or 0) > 0 and not given.method and not given.adapters then
      return tables.with(given, { tuning = given.tuning or "sft" })
    end
    local trains = weights and (weights.training or 0) > 0 or mentions.any(text, vocabulary.STATES)
    if not trains or given.method or given.adapters then return given end
    given = tables.with(given, { method = "full" })
    if WIDE[given.weights or ""] then given.weights = nil end -- of what is trained in mixed precision
    return given
  end,
  input = function(f)
    local model = proposals.model_of(f)
    local devices = f.devices or not (f.device or f.which or f.owner) and least_devices(f, model) or nil
    return tables.with(asked(f), { model = model, on = f.device or devices and not f.which and USUAL or nil, devices = devices })
  end,
}

return fit
