-- Memory of a model under an engine of one machine, by the kernel of local_inference{}.
local catalog = require("ballpark.catalog")
local chance = require("ballpark.questions.local_inference.chance")
local core = require("ballpark.core")
local dealt = require("ballpark.resolve.local_inference.dealt")
local fits = require("ballpark.range.fits")
local format = require("ballpark.resolve.local_inference.format")
local halves = require("ballpark.halves")
local local_engines = require("ballpark.catalog.local_engines")
local resolve = require("ballpark.resolve.local_inference")
local stored = require("ballpark.catalog.models.stored")
local tables = require("ballpark.tables")

local local_machine = {}

-- Lengths are known to a part in so many.
local GRAIN <const> = 256

local function at(input, context)
  return core.local_inference(tables.with(input, { context_tok = context, at_tok = context,
    prompt_tok = math.min(input.prompt_tok, context) }))
end

-- Bytes of the cache of one sequence where it binds.
local function cache_of(out, input) return input.device.shared_memory and out.cache_bytes or out.device_cache_bytes end

-- What so many sequences need, each with a cache of its own.
local function need_of(out, input, batch)
  local need, usable = chance.need(out, input)
  return need + (batch - 1) * cache_of(out, input), usable
end

-- The longest length with which a batch surely fits; 0 where none does.
local function longest(input, model, batch)
  local function holds(context)
    local out = at(input, context)
    local need, usable = need_of(out, input, batch)
    return need <= fits.room(usable) and chance.host_holds(out, input)
  end
  local most = (model.max_seq or 0) > 0 and model.max_seq or 1 << 20
  if not holds(1) then return 0 end
  return holds(most) and most or halves.largest(1, most, holds, GRAIN)
end

local function parts_of(out, input, batch)
  local shared = input.device.shared_memory
  local list = { { "weights", out.device_weights_bytes + (shared and out.host_bytes - out.host_cache_bytes or 0) },
    { "KV cache", batch * cache_of(out, input) }, { "compute buffer", out.compute_bytes },
    { "context of the device", input.reserve_bytes } }
  if not shared and out.host_bytes > 0 then list[#list + 1] = { "with the host", out.host_bytes, beside = true } end
  return list
end

-- The file that has the weights as they are published, where nobody says a format: that of llama.cpp, else of 8 bit for
-- what its authors publish in few bits, or of 16.
local function published_file(model)
  return format.published(model) or (stored.read(model).weights and "Q8_0" or "F16")
end

--- The row of a setup with its device, see questions/fit/run.lua.
function local_machine.row(setup)
  local software = setup.software
  local has_own = software and local_engines.own_format(local_engines.family(software))
  local asked = { model = setup.model, device = setup.device, devices = setup.devices,
    format = setup.format or not has_own and published_file(setup.model) or nil, engine = software, host = setup.host,
    context_tok = setup.context_tok, kv = setup.kv or nil, device_layers = setup.device_layers,
    host_experts = setup.host_experts }
  local resolved = resolve.of(asked)
  local changes = setup.host and dealt.of(asked, resolved)
  if changes then
    resolved = resolve.of(tables.with(asked, changes))
    table.insert(resolved.assumed, dealt.said(resolved.input))
  end
  local input = resolved.input
  local out = at(input, setup.context_tok)
  local need, usable = need_of(out, input, setup.batch)
  local room = fits.room(usable) - (need - setup.batch * cache_of(out, input))
  local host_need, host_usable = chance.host(out, input)
  local host_holds = chance.host_holds(out, input)
  -- Embeddings alone, which llama.cpp always leaves there, are not worth a word.
  if host_holds and not dealt.with_host(input) then host_need, host_usable = nil, nil end
  local usd_h = catalog.price_of(setup.device)
  local each = cache_of(out, input)
  return { format = resolved.format, kv = setup.kv or "f16", software = local_engines.said(resolved.key),
    narrow_kv = local_engines.get(resolved.key).narrow_kv,
    need_bytes = need, usable_bytes = usable, host_need_bytes = host_need, host_usable_bytes = host_usable, fits_chance = chance.fits(out, input, (setup.batch - 1) * cache_of(out, input)),
    parts = parts_of(out, input, setup.batch), max_batch = each > 0 and (host_holds and math.max(0, math.floor(room / each)) or 0) or nil,
    sequence_bytes = each > 0 and (input.device.shared_memory and each or out.cache_bytes - out.host_cache_bytes) or nil,
    kv_tokens = each > 0 and host_holds and math.max(0, (usable - need + setup.batch * each) / each * setup.context_tok) or nil,
    max_context_tok = longest(input, resolved.model, setup.batch), assumed = resolved.assumed,
    tokens_per_s = out.tokens_per_s, usd_h = usd_h and usd_h * setup.devices }
end

return local_machine
