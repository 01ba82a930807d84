-- What is proposed for facts that several kinds of question need: a value, why, and the range that it may lie in. All are
-- assumptions that say so; a fact that is given takes their place.
local card_prices = require("ballpark.catalog.card_prices")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local decoder_of_size = require("ballpark.resolve.decoder_of_size")
local device_of_memory = require("ballpark.catalog.device_of_memory")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local host_prices = require("ballpark.catalog.host_prices")
local local_engines = require("ballpark.catalog.local_engines")
local models = require("ballpark.catalog.models")
local prices = require("ballpark.catalog.prices")
local product = require("ballpark.uncertain.product")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local variants = require("ballpark.catalog.models.variants")
local vocabulary = require("ballpark.questions.said.vocabulary")

local proposals = {}

local function constant(value, why, low, high) return function() return value, why, low, high end end

proposals.constant = constant

--- Device: what is most rented for the purpose.
function proposals.device(name, why)
  return { "device", "Which device?", type = "string", title = "Device", ask = 4,
    propose = constant(name, why or "the device most often rented for it") }
end

--- Price of a device-hour: the median of the catalog, between its cheapest and dearest; of a card that nobody rents, what it cost over three years.
proposals.price = { "usd_h", "USD per device-hour?", unit = "USD/h", title = "Price",
  propose = function(f)
    local list = prices.all(catalog.device(f.device).name)
    local usd_h, source = prices.get(catalog.device(f.device).name)
    if not usd_h then return card_prices.of_hour(catalog.device(f.device).name) end
    return usd_h, source, list[1].usd_h, list[#list].usd_h
  end }

--- Price of a device-hour where it is not the catalog's; nobody has to say.
proposals.own_price = { "usd_h", "USD per device-hour?", unit = "USD/h", title = "Price" }

--- Price of an hour of a server without devices, between the cheapest and the dearest of the table.
proposals.server_price = { "server_usd_h", "USD of a server-hour?", unit = "USD/h", title = "Server",
  propose = function()
    local price = host_prices.server_usd_h
    return price.value, price.source, price.low, price.high
  end }

--- How often work comes again that nobody waits for; it is then done by the next time.
proposals.period = { "period_s", "After what time does it come again?", unit = "s", title = "Comes again after" }

function proposals.within_period(f)
  if f.period_s then return f.period_s, "before it comes again", nil, nil, true end
end

--- Share of the capacity to plan with.
proposals.utilization = { "utilization_frac", "Share of the capacity to plan with?", unit = "frac", title = "Utilisation",
  propose = constant(0.7, "headroom for queueing and bursts") }

-- Of the users of a month, those of a day: products that people need daily reach a half, others a tenth (assumption).
local DAILY_FRAC <const>, LOW_DAILY <const>, HIGH_DAILY <const> = 0.2, 0.1, 0.5

-- Users of a month of a service that has found its users (assumption): a million of them come on a day.
local MONTHLY_USERS <const> = 5e6

--- Users of a month, where that is what is said; or where it is said what each of them asks in one.
proposals.monthly_users = { "monthly_users", "How many users a month, where that is what you know?", unit = "", title = "Users a month",
  propose = function(f)
    if not f.requests_per_user_month or f.rate_per_s then return nil end
    if f.users then
      return f.users / DAILY_FRAC, "a fifth of a month's users come on a day (assumption: 10 to 50 %)", f.users / HIGH_DAILY, f.users / LOW_DAILY
    end
    return MONTHLY_USERS, "a service that has found its users", MONTHLY_USERS / 10, MONTHLY_USERS * 10
  end }

--- The users of a day that those of a month are; nil where nobody said them.
function proposals.daily_users(f)
  if not f.monthly_users then return nil end
  return DAILY_FRAC * f.monthly_users, "a fifth of a month's users come on a day (assumption: 10 to 50 %)",
    LOW_DAILY * f.monthly_users, HIGH_DAILY * f.monthly_users
end

--- What each of those users asks in a month, on whichever days.
proposals.requests_per_user_month = { "requests_per_user_month", "Requests of a month's user a month?", unit = "", title = "Requests a user and month" }

--- The mean rate of both, and how.
function proposals.monthly_rate(f)
  return f.monthly_users * f.requests_per_user_month / units.months(1), ("%s users x %s a month / %s s"):format(
    units.format(f.monthly_users, ""), units.format(f.requests_per_user_month, ""), units.format(units.months(1), ""))
end

proposals.peak = { "peak_ratio", "Peak over the mean?", unit = "", title = "Peak over mean", ask = 5,
  propose = constant(3, "a service with one region's day: 2 to 4", 2, 4) }

-- Bytes of a value by its format.
local BYTES <const> = { fp32 = 4, fp16 = 2, bf16 = 2, fp8 = 1, int8 = 1, int4 = 0.5 }

--- Format of a vector's values, and what one of them takes.
proposals.value_format = { "weights", "Format of a value: fp32, fp16, bf16, int8, …?", type = "string", title = "Format" }
proposals.value_bytes = { "bytes_per_value", "Bytes of a value?", unit = "", title = "Bytes a value", propose = function(f)
  local bytes = BYTES[f.weights or ""]
  if bytes then return bytes, "of " .. f.weights, nil, nil, true end
  return 4, "fp32, as it is trained; 2 in fp16 halve it"
end }

--- Links of a vector in an index that is a graph.
proposals.links = { "links", "Links M of a vector (hnsw)?", unit = "", type = "integer", title = "Links of a vector" }

--- Requests that come at the peak: what replicas are planned for, where a rate is that of the mean.
proposals.peak_rate = { "peak_per_s", "Requests per second at the peak?", unit = "1/s", title = "Peak rate", propose = function(f)
  if not f.rate_per_s then return nil end
  local peak = f.rate_per_s * f.peak_ratio
  local ends = product.range(peak, { f:term("rate_per_s"), f:term("peak_ratio") }) or {}
  local how = f.peak_ratio == 1 and ("%s, which is the peak"):format(units.format(f.rate_per_s, "1/s"))
    or ("%s in the mean x %s"):format(units.format(f.rate_per_s, "1/s"), units.format(f.peak_ratio, ""))
  return peak, how, ends.low, ends.high, true
end }

proposals.spares = { "spares", "Replicas that may fail?", unit = "", type = "integer", title = "Spares", from_zero = true,
  propose = constant(1, "one replica may fail at the peak") }

-- What a part of a request beside the model may take of its SLO at most where nobody says: at the 99th percentile it is three
-- times as long (assumption).
local PART_FRAC <const> = 0.1

--- Time of a part of a request beside the model: what is usual, and less where the SLO leaves no more.
function proposals.part(name, question, title, usual_s, why, low_s, high_s)
  return { name, question, unit = "s", title = title, usual = usual_s, propose = function(f)
    local most = PART_FRAC * f.slo_s
    if usual_s <= most then return usual_s, why, low_s, high_s end
    return most, ("a tenth of the SLO, which leaves no more; usual are %s"):format(units.format(usual_s, "s"))
  end }
end

--- The latency of a request whose parts beside the model are facts of that kind, and a note where they were proposed
--- shorter than usual: `budget` answers with the parts' times by name.
function proposals.with_parts(p, f, names, budget)
  local own, usual, titles = {}, {}, {}
  for _, name in ipairs(names) do
    local entry = f:entry(name)
    own[name], usual[name] = entry.value, entry.value
    if not entry.given and entry.value < entry.row.usual then
      usual[name] = entry.row.usual
      titles[#titles + 1] = ("%s %s, usual are %s"):format(entry.row.title:lower(), units.format(entry.value, "s"),
        units.format(entry.row.usual, "s"))
    end
  end
  local answer = budget(own)
  if titles[1] and answer.fits then
    local with_usual = budget(usual)
    if not with_usual.fits then
      p.warnings[#p.warnings + 1] = ("The SLO is kept with parts that are proposed to suit it (%s): with the usual ones P%g is %s."):format(
        table.concat(titles, "; "), f.percentile, units.format(with_usual.value_s, "s"))
    end
  end
  return answer
end

--- Money by the month that may be spent, of a service of which nobody says the time; nobody has to say.
proposals.budget_month = { "budget_usd_month", "What may it cost a month, in USD?", unit = "USD", title = "Budget a month",
  also = { "cost_usd" }, also_means = "A budget without a time is of a month." }

--- The device of a question, checked by the catalog, with the memory that it was told to have.
function proposals.device_of(f) return catalog.device(f.device) end

--- Parameters that a token meets, of a model of experts.
proposals.active = { "active_params", "Parameters that a token meets?", unit = "", title = "Active parameters" }

--- The decoder that a question means: of the catalog by name, else of its size; and what was assumed.
function proposals.decoder(f)
  if f.model then return catalog.model(f.model), "given" end
  return decoder_of_size.of(f)
end

-- Encoders of texts, of which the nearest in size lends its layers: those of BERT, and decoders that were made encoders.
local ENCODERS <const> = { "all-MiniLM-L6-v2", "bert-base-uncased", "bert-large-uncased", "Qwen3-Embedding-0.6B", "Qwen3-Embedding-4B",
  "Qwen3-Embedding-8B" }

--- The size of an encoder, where nobody says its name.
proposals.encoder_params = { "params", "How many parameters, where that is what you know?", unit = "", title = "Parameters", least = 1e6,
  such = "300M for 300 million" }

--- The encoder that a question means: its name, or the layers of the encoder of texts nearest to the size, with an MLP that takes
--- what is left; and what was assumed.
function proposals.encoder(f)
  if f.model or not f.params then return f.model, "given" end
  local best, least
  for _, name in ipairs(ENCODERS) do
    local model = catalog.model(name)
    local apart = math.abs(math.log(core.params({ model = model }).total_params / f.params))
    if not least or apart < least then best, least = model, apart end
  end
  if decoder_of_size.is_close(least) then return best, "the shape of " .. best.name .. ", nearest in size" end
  local shape = tables.with(best, { name = ("an encoder of %s parameters"):format(units.format(f.params, "")) })
  decoder_of_size.fit_mlp(shape, f.params)
  return shape, ("the %d layers of width %d of %s, nearest in size, with an MLP of %d"):format(shape.layers, shape.hidden, best.name,
    shape.ffn_hidden)
end

--- Facts of a decoder model: its name or its size.
function proposals.model(why, billions)
  return { "model", "Which model (name of the catalog)?", type = "string", title = "Model" },
    { "params", "How many parameters?", unit = "", title = "Parameters", ask = 1, least = 1e6, such = "7B for 7 billion",
      propose = function(f)
        if f.model then return core.params({ model = catalog.model(f.model) }).total_params, "counted from its shape", nil, nil, true end
        return billions * 1e9, why
      end }
end

--- Facts of a model that has to be said: its name or its size.
function proposals.said_model()
  return { "model", "Which model (name of the catalog)?", type = "string", title = "Model", ask = 1 },
    { "params", "How many parameters?", unit = "", title = "Parameters", least = 1e6, such = "7B for 7 billion" }
end

--- The model of such facts: its name, or a decoder of that size.
function proposals.model_of(f)
  if f.model then return f.model end
  if not f.params then errors.input("ask", "does not say which model: its name or its size, as 'llama-3.1-8b' or 'a 7B'") end
  return (proposals.decoder(f))
end

--- A device, or what a memory alone means; none is proposed.
function proposals.said_device()
  return { "memory_bytes", "Memory of a device?", unit = "B", title = "Memory a device", stored = true },
    { "device", "Which device?", type = "string", title = "Device", ask = 2, propose = function(f)
      if f.memory_bytes then return device_of_memory.label(f.memory_bytes), ("a device of %s"):format(
        units.format(f.memory_bytes, "stored")), nil, nil, true end
    end }
end

--- Ranks of a plan that are said, as rows of facts.
proposals.ranks = {
  { "tp", "How many tensor-parallel ranks?", unit = "", type = "integer", title = "TP" },
  { "pp", "How many pipeline stages?", unit = "", type = "integer", title = "PP" },
  { "dp", "How many data-parallel ranks?", unit = "", type = "integer", title = "DP" },
  { "cp", "How many context-parallel ranks?", unit = "", type = "integer", title = "CP" },
  { "ep", "How many ranks share the experts?", unit = "", type = "integer", title = "EP" },
}

--- Facts of the machine around a device.
proposals.host = {
  { "host", "Which processor beside the device?", type = "string", title = "Host" },
  { "host_memory_bytes", "Memory of the host?", unit = "B", title = "Memory of the host", stored = true },
  { "host_bus", "Which memory has the host (ddr4, ddr5)?", type = "string", title = "Memory of the host is" },
}

-- A device with so much memory as people write it; itself where its name says it, or it has another.
local function with_memory(name, bytes)
  if not bytes or name:lower():find("%f[%d]%d+gb") then return name end
  local label = ("%s-%.0fgb"):format(name, bytes / 1e9)
  return devices.resolve(label) and label or name
end

-- What a machine of such a memory has as its processor: a desktop's where its board holds so much, else a server's.
local function board_for(bus, bytes)
  local desktop = vocabulary.DESKTOPS[bus or ""] or vocabulary.DESKTOP
  if not bytes or with_memory(desktop, bytes) ~= desktop then return desktop end
  return vocabulary.SERVERS[bus or ""] or vocabulary.SERVER
end

--- A computer without a card that has so much memory.
function proposals.computer(bytes) return with_memory(board_for(nil, bytes), bytes) end

--- The facts of a machine, with its memory as part of the name of what has it: a processor and a chip that shares the host's
--- memory have all that is said, a card has that of the host beside it. Memory of a host alone is a machine without a card.
function proposals.of_machine(given)
  local alone = not given.device and not given.devices and not given.memory_bytes and given.host_memory_bytes
  local desktop = board_for(given.host_bus, given.host_memory_bytes)
  local name = given.device or alone and (given.host or desktop)
  if not name then
    if not given.host and not given.host_memory_bytes then return given end
    return tables.with(given, { host = with_memory(given.host or desktop, given.host_memory_bytes) })
  end
  local made = tables.with(given)
  local device = catalog.device(name)
  if device.shared_memory or local_engines.is_processor(device) then
    made.device = with_memory(name, given.memory_bytes or given.host_memory_bytes)
  else
    made.device = with_memory(name, given.memory_bytes)
    if given.host or given.host_memory_bytes or given.host_bus then
      made.host = with_memory(given.host or desktop, given.host_memory_bytes)
    end
  end
  if made.device ~= name then made.memory_bytes = nil end
  return made
end

-- Share of a device that weights and caches may take, and devices of one replica at most.
local USABLE <const>, MOST_SHARED <const> = 0.85, 64

--- How many of a device hold a model by rule, a power of two: so many bytes of a parameter, and more.
function proposals.least_devices(shape, device, bytes_per_param, more_bytes)
  local bytes = core.params({ model = shape }).total_params * bytes_per_param + (more_bytes or 0)
  local usable, count = catalog.device(device).memory_bytes * USABLE, 1
  while count < MOST_SHARED and count * usable < bytes do count = 2 * count end
  return count
end

--- Share of a prompt that the prefix cache has.
proposals.prefix = { "prefix_frac", "Which share of a prompt is cached?", unit = "frac", title = "Cached share of a prompt" }

--- The same as so many tokens, which prompts have in common.
proposals.prefix_said = { "prefix_tok", "Tokens of a prompt that are cached?", unit = "tok", title = "Cached of a prompt" }

--- Tokens of a prompt that are cached; nil where nobody says them or the share.
function proposals.prefix_tokens(f)
  local cached = f.prefix_tok and math.min(f.prefix_tok, f.input_tokens) or f.prefix_frac and f.prefix_frac * f.input_tokens
  return cached and math.tointeger(cached // 1)
end

--- Of these, those that prompts have in common: a share that is found may be of each user's own history.
function proposals.shared_tokens(f) return not f.prefix_tok and f.prefix_frac and 0 or nil end

--- Values of a vector that a model of the catalog makes of a text, as wide as it is inside; nil of others.
---@param name string|nil
---@return integer|nil
function proposals.vector_dim(name)
  if not name or not models.resolve(name) then return nil end
  local shape = catalog.model(name)
  return shape.arch == "encoder" and (shape.cross_layers or 0) == 0 and shape.hidden or nil
end

--- The format of the weights; as published unless said.
proposals.weights = { "weights", "Format of the weights?", type = "string", title = "Weights" }

--- The format of the KV cache; in 16 bit unless said.
proposals.kv = { "kv", "Format of the KV cache?", type = "string", title = "KV cache" }

local SERVED_KV <const> = { q8_0 = "int8", q4_0 = "int4" }

--- The share of a device that a serving engine may use; its own unless said.
proposals.memory_frac = { "memory_frac", "Which share of a device may the engine use?", unit = "frac", title = "Share of a device" }

--- The format of a cache as engines of data centres have it, and as llama.cpp does.
function proposals.served_kv(kv) return SERVED_KV[kv] or kv end
function proposals.local_kv(kv) return kv == "int4" and "q4_0" or kv end

--- That format as engines of data centres have it: AWQ and GPTQ are 4-bit weights.
function proposals.served_format(weights)
  if weights == "awq" or weights == "gptq" then return "int4" end
  if weights == "fp16" then return "bf16" end -- as wide
  return weights and (variants.format("model-" .. weights) or weights)
end

--- Whether a name is one of a model of the catalog.
function proposals.is_model(name) return models.resolve(name) ~= nil end

--- The network between nodes in words; what the device is sold with unless said.
proposals.network = { "network", "Which network between nodes, in words?", type = "string", title = "Network" }

proposals.offloaded = { "offloaded", "Do states of the optimizer move to the host?", type = "boolean", title = "Offloaded" }

--- What moves to the host where it is said that something does: with ZeRO 3 the weights, too (DeepSpeed's documentation of
--- offload_param, recalled).
---@param f table facts, with zero and offloaded
---@return string|nil offload of a plan
function proposals.offload(f)
  if f.offloaded ~= "yes" then return nil end
  return f.zero == 3 and "optimizer_weights" or "optimizer"
end

return proposals
