-- Rules of a napkin, as interviews ask them: the bubble of a pipeline, an all-reduce, how long bytes take, the bandwidth that a
-- speed needs, where a device turns from memory to arithmetic, and the parameters of a shape. Which of them is asked the words and facts say.
local catalog = require("ballpark.catalog")
local check_facts = require("ballpark.questions.check.facts")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local mentions = require("ballpark.mentions")
local page = require("ballpark.questions.ask.page")
local peak = require("ballpark.questions.training.peak")
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")

local n = page.n

-- Fewer tokens are those of a text.
local LEAST_SET <const> = 1e6

-- Words of what is moved beside the weights.
local OF_CACHE <const> = { "kv[ %-]?cache" }

-- Words of each rule, and the facts without which it is not asked.
local RULES <const> = {
  { "bubble", { "bubble" }, function(f) return f.pp and f.micro_batches end },
  { "all_reduce", { "all%-?%s?reduce", "allreduce" }, function(f) return (f.message_bytes or f.memory_bytes or f.params or f.model) and f.devices end },
  { "message", { "all%-?%s?reduce", "allreduce" }, function(f) return (f.model or f.params) and f.batch and not f.devices end },
  { "transfer", { "load", "transfer", "copy", "upload", "download", "move", "broadcast", "how long" }, function(f)
    return (f.message_bytes or f.memory_bytes or f.storage_bytes) and f.bytes_per_s and not (f.rate_per_s or f.users or f.tokens)
  end },
  { "data_set", { "%f[%a]disks?%f[%A]", "%f[%a]store", "%f[%a]storage", "how many [gtp]i?b%f[%A]", "how many terabytes", "how many gigabytes", "how big", "how large" }, function(f)
    return (f.tokens or f.read_tokens or f.written_tokens or 0) >= LEAST_SET and not (f.model or f.params or f.device or f.devices or f.vectors or f.users or f.rate_per_s or f.dim)
  end },
  -- The weights of a model, in the format that is said.
  { "transfer", { "%f[%a]load", "transfer", "%f[%a]copy", "upload", "download", "%f[%a]pull", "%f[%a]push", "%f[%a]move", "%f[%a]fetch", "broadcast", "%f[%a]distribute%f[%A]",
    "cold[ %-]start" }, function(f, text)
    return (f.model or f.params) and f.bytes_per_s and not (f.rate_per_s or f.users or f.tokens or f.concurrency or f.kv) and not mentions.any(text, OF_CACHE)
  end },
  { "bandwidth", { "bandwidth" }, function(f) return (f.model or f.params) and (f.tokens_per_s or f.output_tokens_per_s) and not f.device end },
  { "ridge", { "arithmetic intensity", "compute[%- ]bound", "memory[%- ]bound", "ridge point", "roofline", "bandwidth[%- ]bound",
    "batch size [%a ]*saturat.-decod", "compute or [%a ]*bandwidth", "bandwidth or [%a ]*compute", "compute or [%a ]*memory", "memory or [%a ]*compute", "bottleneck [%a ]*decod", "decod%a* [%a ]*bottleneck" },
    function(f) return (f.device or f.model or f.params) and not (f.m or f.k or f.rate_per_s or f.users) end },
  { "ceiling", { "theoretical", "in theory", "upper bound", "speed of light", "at most in theory" }, function(f)
    return (f.model or f.params) and f.device and not (f.tokens or f.users or f.rate_per_s or f.method)
  end },
  { "shape", { "parameter", "params", "how big", "how large", "size" }, function(f) return f.layers and f.hidden end },
}

-- What each of them is reckoned from, whoever asks for it: of every list one fact.
local NEEDS <const> = {
  bubble = { { "pp" }, { "micro_batches" } },
  all_reduce = { { "message_bytes", "params", "model" }, { "devices" } },
  message = { { "params", "model" }, { "batch" } },
  transfer = { { "message_bytes", "params", "model" }, { "bytes_per_s" } },
  data_set = { { "tokens" } },
  bandwidth = { { "params", "model" }, { "tokens_per_s" } },
  ceiling = { { "params", "model" }, { "device" } },
  ridge = {},
  shape = { { "layers" }, { "hidden" } },
}

-- Formats that are multiplied in 16 bit whatever they are stored in.
local MULTIPLIED <const> = { int4 = "bf16", awq = "bf16", gptq = "bf16", mxfp4 = "bf16" }
-- Bytes of a value of the stream between layers, and the share of the bandwidth that a decode reaches (assumption).
local STREAM_BYTES <const>, READ_FRAC <const> = 2, 0.7
-- Width of a head of models of today, and of an MLP over that of the model (GPT-3, arXiv:2005.14165).
local HEAD <const>, MLP_RATIO <const> = 128, 4

-- Bytes of a weight in the format that is said, the same for all matrices where no model is.
local function weight_bytes(f)
  local shape = (f.model or f.params) and proposals.decoder(f)
  return shape and select(2, check_facts.stored({ weights = f.weights }, { model = shape })) or check_facts.WEIGHT_BYTES[f.weights] or 2
end

local rule = {
  name = "rule", title = "A rule of the napkin", words = "Bubble of a pipeline, time of an all-reduce, where decode turns, parameters of a shape",
  facts = {
    { "rule", "Which rule: bubble, all_reduce, message, data_set, transfer, bandwidth, ceiling, ridge or shape?", type = "string", title = "Rule" },
    { "model", "Which model (name of the catalog)?", type = "string", title = "Model" },
    { "params", "How many parameters?", unit = "", title = "Parameters" },
    { "pp", "How many pipeline stages?", unit = "", type = "integer", title = "Stages" },
    { "micro_batches", "How many micro-batches?", unit = "", type = "integer", title = "Micro-batches" },
    { "tokens_per_s", "Tokens per second?", unit = "tok/s", title = "Speed", also = { "output_tokens_per_s" } },
    { "message_bytes", "Bytes that every rank has?", unit = "B", title = "Message", stored = true, also = { "memory_bytes", "storage_bytes" }, propose = function(f)
      local params = f.params or f.model and core.params({ model = catalog.model(f.model) }).total_params
      if f.rule == "all_reduce" and params then return 2 * params, "gradients in 16 bit, 2 bytes a parameter" end
      if f.rule == "transfer" and params then
        local each = weight_bytes(f)
        return each * params, ("weights of %s, %.3g bytes a parameter"):format(f.weights or "16 bit", each)
      end
    end },
    { "tokens", "How many tokens?", unit = "tok", title = "Tokens", also = { "read_tokens", "written_tokens" } },
    { "bytes_per_s", "Bytes per second that leave a device?", unit = "B/s", title = "Bandwidth" },
    { "utilization_frac", "For which share of the time is it used?", unit = "frac", title = "Used" },
    { "devices", "How many devices?", unit = "", type = "integer", title = "Devices" },
    { "device", "Which device?", type = "string", title = "Device", propose = function(f)
      if f.rule == "ridge" then return "H100", "the device most often rented for it" end
    end },
    { "batch", "Sequences at one time?", unit = "", type = "integer", title = "Sequences at one time", also = { "concurrency" } },
    { "weights", "In which format?", type = "string", title = "Format", propose = function(f)
      if f.rule == "bandwidth" or f.rule == "ceiling" then return "bf16", "as weights are published" end
      if f.rule == "ridge" then return catalog.device(f.device).has_bf16 ~= false and "bf16" or "fp16", "as weights are published" end
    end },
    { "layers", "How many layers?", unit = "", type = "integer", title = "Layers" },
    { "hidden", "How wide is the model?", unit = "", type = "integer", title = "Width" },
    { "ffn", "How wide is the MLP?", unit = "", type = "integer", title = "Width of the MLP", propose = function(f)
      if f.rule == "shape" then return MLP_RATIO * f.hidden, "four times the width, two matrices (GPT-3)" end
    end },
    { "vocab", "How many words has the vocabulary?", unit = "", type = "integer", title = "Vocabulary", propose = function(f)
      if f.rule == "shape" then return 50257, "that of GPT-2 and GPT-3" end
    end },
  },
}

--- The rule that words and facts ask for; nil where they ask for none.
---@param f table<string, any> facts
---@param text string|nil
---@return string|nil
function rule.asked(f, text)
  for _, row in ipairs(RULES) do
    if mentions.any(text, row[2]) and row[3](f, text) then return row[1] end
  end
end

-- Refuses a rule that is none, and facts that it cannot be reckoned from.
local function check_asked(f)
  if f.rule == nil then
    errors.input("rule", "words and facts ask for none: say which with what it needs, one of " .. errors.list(tables.sorted_keys(NEEDS)))
  end
  if not NEEDS[f.rule] then errors.choice("rule", f.rule, tables.sorted_keys(NEEDS)) end
  for _, either in ipairs(NEEDS[f.rule]) do
    local is_said = false
    for _, name in ipairs(either) do is_said = is_said or f[name] ~= nil end
    if not is_said then errors.input("rule", ("%s needs %s, given as --set %s=VALUE"):format(f.rule, table.concat(either, " or "), either[1])) end
  end
end

function rule.given(given, _, text)
  local asked = given.rule and given or tables.with(given, { rule = rule.asked(given, text) })
  check_asked(asked)
  return asked
end

local answers = {}

-- A bubble by the usual schedules, beside that of one device that is never idle.
function answers.bubble(p, f)
  local out = core.bubble({ stages = f.pp, micro_batches = f.micro_batches })
  p:add("compute", "bubble_frac", "Bubble", out.bubble_frac, "frac", ("(p - 1) / (m + p - 1) = %d / %d, of the whole step, of 1F1B and GPipe"):format(
    f.pp - 1, f.micro_batches + f.pp - 1), { brief = true })
  p:add("compute", "ideal_ratio", "Over the work", out.ideal_ratio, "frac", ("(p - 1) / m = %d / %d, as papers have it"):format(f.pp - 1, f.micro_batches), { brief = true })
  local twice = core.bubble({ stages = f.pp, micro_batches = f.micro_batches, vpp = 2 })
  if f.micro_batches % f.pp == 0 then
    p:add("sanity", "interleaved_frac", "Interleaved by two", twice.bubble_frac, "frac", "two parts of a model on every device: more messages")
  end
  p.headline = ("the bubble is %s of the step, %s of the work in it"):format(n(out.bubble_frac, "frac"), n(out.ideal_ratio, "frac"))
  p.main = "bubble_frac"
end

-- A ring over the slowest link of a device, and what its large messages reach.
function answers.all_reduce(p, f)
  local ranks, bytes = f.devices, f.message_bytes
  local wire = 2 * (ranks - 1) / ranks * bytes
  p:add("compute", "wire_bytes", "Leave a device", wire, "B", ("2 (n - 1) / n x %s, in a ring and in a tree"):format(n(bytes, "stored")), { stored = true, brief = true })
  local network
  if f.bytes_per_s then
    network = { devices = ranks, node_size = 1, domain = 1, scaleout = { bw_bytes_s = f.bytes_per_s } }
    p:add("compute", "ideal_s", "At the full bandwidth", wire / f.bytes_per_s, "s", ("over %s of every device"):format(n(f.bytes_per_s, "B/s")), { brief = true })
  else
    network = catalog.cluster({ device = catalog.device(f.device or "H100"), devices = ranks }).network
  end
  local out = core.collective({ network = network, op = "all_reduce", bytes = bytes, ranks = ranks })
  p:add("compute", "time_s", "Time", out.time_s, "s", ("%s reached of a device, by the %s"):format(n(out.busbw_bytes_s, "B/s"), out.algorithm), { basis = "estimated", brief = true })
  p.headline = f.bytes_per_s and ("%s at the full bandwidth, %s as large messages reach"):format(n(wire / f.bytes_per_s, "s"), n(out.time_s, "s"))
    or ("%s: %s leave every device"):format(n(out.time_s, "s"), n(wire, "stored"))
  p.main = "time_s"
end

-- Arithmetic that a byte of memory has to be worth, and the sequences of a decode that are worth it: each weight that is read
-- is multiplied and added once for every sequence.
function answers.ridge(p, f)
  local device = catalog.device(f.device)
  local multiplied = MULTIPLIED[f.weights] or f.weights
  local peak_flop_s = peak.of(device, multiplied) or device.bf16_flop_s
  local ridge = peak_flop_s / device.mem_bw_bytes_s
  p:add("compute", "ridge", "Device turns at", ridge, "FLOP/B", ("%s over %s"):format(n(peak_flop_s, "FLOP/s"), n(device.mem_bw_bytes_s, "B/s")), { brief = true })
  local bytes = weight_bytes(f)
  local batch = ridge * bytes / 2
  p:add("compute", "batch", "Decode turns at", batch, "", ("sequences at one time: 2 FLOP over %.3g bytes of each weight for each of them; keys and values are read for "
    .. "one sequence alone, and hold it at memory for longer"):format(bytes), { brief = true })
  p.headline = ("%s turns at %s, a decode of %.0f sequences at one time with weights in %s, keys and values aside"):format(device.name, n(ridge, "FLOP/B"), batch, f.weights)
  p.main = "batch"
  local count = f.batch or 1
  local does = 2 * count / bytes
  p:add("sanity", "intensity", "Arithmetic of a byte", does, "FLOP/B", ("2 x %d sequences / %.3g bytes: bound by %s"):format(count, bytes, does < ridge and "memory" or "arithmetic"))
  if not f.batch then p.headline = ("one sequence is bound by %s: %s"):format(does < ridge and "memory bandwidth" or "arithmetic", p.headline) end
  if f.batch then
    p.headline = ("a decode of %s does %s and is bound by %s: %s"):format(units.count(count, "sequence"), n(does, "FLOP/B"), does < ridge and "memory" or "arithmetic", p.headline)
  end
end

-- What leaves the layers of a model that is cut by tensor parallelism: the stream of every sequence of a step, behind attention
-- and behind the MLP.
function answers.message(p, f)
  local shape = proposals.decoder(f)
  local bytes = f.batch * shape.hidden * STREAM_BYTES
  p:add("compute", "bytes", "An all-reduce", bytes, "B", ("%d sequences x %d x %d bytes of a decode step"):format(f.batch, shape.hidden, STREAM_BYTES), { stored = true, brief = true })
  p:add("compute", "step_bytes", "A step", 2 * shape.layers * bytes, "B", ("two of %d layers"):format(shape.layers), { stored = true, brief = true })
  p.headline = ("%s an all-reduce, two in each of %d layers: %s of a step"):format(n(bytes, "stored"), shape.layers, n(2 * shape.layers * bytes, "stored"))
  p.main = "bytes"
end

-- Token ids of 16 bit count a vocabulary of 65,536 words; larger ones take 32.
function answers.data_set(p, f)
  local narrow, wide, text = 2 * f.tokens, 4 * f.tokens, vocabulary.TOKEN_BYTES * f.tokens
  p:add("size", "bytes", "As 32-bit ids", wide, "B", ("%s x 4 bytes: vocabularies of more than 65,536 words"):format(n(f.tokens, "tok")), { stored = true, brief = true })
  p:add("size", "narrow_bytes", "As 16-bit ids", narrow, "B", ("%s x 2 bytes: vocabularies of at most 65,536 words"):format(n(f.tokens, "tok")), { stored = true, brief = true })
  p:add("size", "text_bytes", "As text", text, "B", ("about %d characters of English a token; compressed a third of it"):format(vocabulary.TOKEN_BYTES), { stored = true, brief = true })
  p.headline = ("%s as ids of 4 bytes, %s as ids of 2, about %s as text"):format(n(wide, "stored"), n(narrow, "stored"), n(text, "stored"))
  p.main = "bytes"
end

function answers.transfer(p, f)
  local reached = f.bytes_per_s * (f.utilization_frac or 1)
  local of = f.utilization_frac and ("%s of %s"):format(n(f.utilization_frac, "frac"), n(f.bytes_per_s, "B/s")) or n(f.bytes_per_s, "B/s")
  local seconds = f.message_bytes / reached
  p:add("compute", "time_s", "Time", seconds, "s", ("%s / %s, where nothing else is slower; one sender to many takes so many times that, a chain of them hardly more"):format(n(f.message_bytes, "stored"), of), { brief = true })
  p.headline = ("%s: %s at %s"):format(n(seconds, "s"), n(f.message_bytes, "stored"), of)
  p.main = "time_s"
end

-- Bytes of weights that a token meets, read once for each token of one sequence.
function answers.bandwidth(p, f)
  local active = core.params({ model = proposals.decoder(f) }).active_params
  local each = weight_bytes(f)
  local read = active * each
  p:add("size", "read_bytes", "Read for a token", read, "B", ("%s x %.3g bytes"):format(n(active), each), { stored = true, brief = true })
  p:add("compute", "bandwidth", "Bandwidth", read * f.tokens_per_s, "B/s", ("%s x %s"):format(n(read, "stored"), n(f.tokens_per_s, "tok/s")), { brief = true })
  p:add("sanity", "sold", "Bandwidth as it is sold", read * f.tokens_per_s / READ_FRAC, "B/s", ("%s of it are reached (assumption)"):format(n(READ_FRAC, "frac")), { brief = true })
  p.headline = ("%s of weights a second, a device of about %s"):format(n(read * f.tokens_per_s, "stored"), n(read * f.tokens_per_s / READ_FRAC, "B/s"))
  p.main = "bandwidth"
end

-- Tokens of one sequence that a device's bandwidth lets it write at most: each reads the weights that it meets.
function answers.ceiling(p, f)
  local device, count = catalog.device(f.device), f.devices or 1
  local active, each = core.params({ model = proposals.decoder(f) }).active_params, weight_bytes(f)
  local read = active * each
  p:add("size", "read_bytes", "Read for a token", read, "B", ("%s x %.3g bytes"):format(n(active), each), { stored = true, brief = true })
  p:add("compute", "tokens_per_s", "At most", count * device.mem_bw_bytes_s / read, "tok/s", ("%d x %s over %s: one sequence, keys and values aside"):format(count,
    n(device.mem_bw_bytes_s, "B/s"), n(read, "stored")), { brief = true })
  local flop_s = peak.of(device, MULTIPLIED[f.weights] or f.weights) or device.bf16_flop_s
  p:add("compute", "prompt_per_s", "Of a prompt", count * flop_s / (2 * active), "tok/s", ("%d x %s over 2 x %s"):format(count, n(flop_s, "FLOP/s"), n(active)), { brief = true })
  p:add("sanity", "reached", "Reached", READ_FRAC * count * device.mem_bw_bytes_s / read, "tok/s", ("%s of the bandwidth are reached (assumption)"):format(n(READ_FRAC, "frac")), { brief = true })
  p.headline = ("%s of one sequence at most, by bandwidth; about %s are reached; prompts and all sequences together %s at most, by arithmetic"):format(
    n(p.values.tokens_per_s, "tok/s"), n(p.values.reached, "tok/s"), n(p.values.prompt_per_s, "tok/s"))
  p.main = "tokens_per_s"
end

function answers.shape(p, f)
  local counted = core.params({ model = { layers = f.layers, hidden = f.hidden, heads = math.max(1, f.hidden // HEAD), ffn_hidden = f.ffn, vocab = f.vocab,
    gated_mlp = false, tied_embeddings = true } })
  p:add("size", "total_params", "Parameters", counted.total_params, "", ("L (4 h^2 + 2 h f) + V h = %d x (4 x %d^2 + 2 x %d x %d) + %d x %d, norms and biases beside"):format(
    f.layers, f.hidden, f.hidden, f.ffn, f.vocab, f.hidden), { brief = true })
  local shared = f.vocab * f.hidden
  p:add("size", "untied_params", "With a head of its own", counted.total_params + shared, "", ("%s more, where the head is not the embedding"):format(n(shared)))
  p.headline = ("%s parameters, %s with a head that is not the embedding"):format(n(counted.total_params), n(counted.total_params + shared))
  p.main = "total_params"
end

--- The five steps.
function rule.steps(p, f)
  for _, row in ipairs(rule.facts) do
    if row[1] ~= "rule" then p:fact(f, row[1]) end
  end
  answers[f.rule](p, f)
end

return rule
