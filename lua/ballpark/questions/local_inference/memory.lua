-- What a model takes of a machine's memory: by the kernel of the engine that runs it, that of many sequences where the
-- engine is one of those, so that fit{} and this say the same.
local chance = require("ballpark.questions.local_inference.chance")
local core = require("ballpark.core")
local dealt = require("ballpark.resolve.local_inference.dealt")
local fits = require("ballpark.range.fits")
local halves = require("ballpark.halves")
local serving = require("ballpark.questions.held.serving")
local tables = require("ballpark.tables")

local memory = {}

local SERVING <const> = "vllm"

-- Contexts are known to a part in so many.
local GRAIN <const> = 256

-- The setup of resolve/fit.lua that a local one is.
local function setup_of(resolved, asked)
  local input = resolved.input
  return { purpose = "inference", model = resolved.model, device = input.device, devices = input.devices,
    format = resolved.format, kv = asked.kv ~= "f16" and asked.kv or nil, context_tok = input.context_tok, batch = input.sequences,
    software = SERVING }
end

local function of_serving(resolved, asked)
  local row, parts = serving.row(setup_of(resolved, asked)), {}
  for i, part in ipairs(row.parts) do parts[i] = { part[1], part[2], 0 } end
  return { need_bytes = row.need_bytes, usable_bytes = row.usable_bytes, fits_chance = row.fits_chance, parts = parts,
    max_context_tok = row.max_context_tok, host_bytes = 0 }
end

-- The longest context that surely fits a setup of each length; 0 where one token does not.
local function longest(resolved, setup_of_length)
  local most = (resolved.model.max_seq or 0) > 0 and resolved.model.max_seq or 1 << 20
  local function holds(tokens)
    local input = setup_of_length(tables.with(resolved.input, { at_tok = tokens, context_tok = tokens }))
    local out = core.local_inference(input)
    local need, usable = chance.need(out, input)
    return need <= fits.room(usable) and chance.host_holds(out, input)
  end
  return holds(most) and most or halves.largest(0, most, holds, GRAIN)
end

local function parts_of(out, input)
  return { { "weights", out.device_weights_bytes, out.host_bytes - out.host_cache_bytes, out.other_weights_bytes },
    { "KV cache", out.device_cache_bytes, out.host_cache_bytes, out.other_cache_bytes },
    { "compute buffer", out.compute_bytes, 0, out.compute_bytes },
    { "context of the device", input.reserve_bytes, 0, input.reserve_bytes } }
end

--- { need_bytes, usable_bytes, fits_chance, parts = { words, bytes of a device, bytes of the host, bytes of a device of the
--- second kind }, host_bytes, host_need_bytes and host_usable_bytes where layers are with a host }; need and usable bytes are those of the fuller kind.
---@param resolved table of resolve/local_inference.lua
---@param out table of core.local_inference
---@param asked table of local_inference{}
function memory.of(resolved, out, asked)
  if resolved.family == SERVING then return of_serving(resolved, asked) end
  local need, usable = chance.need(out, resolved.input)
  local host_need, host_usable = chance.host(out, resolved.input)
  return { need_bytes = need, usable_bytes = usable, fits_chance = chance.fits(out, resolved.input), host_need_bytes = host_need,
    host_usable_bytes = host_usable,
    parts = parts_of(out, resolved.input), host_bytes = out.host_bytes }
end

local function as_it_is(input) return input end

--- The longest context that memory holds, with what is on devices and host as it is.
---@param held table of memory.of
function memory.longest(held, resolved) return held.max_context_tok or longest(resolved, as_it_is) end

--- The longest context where as many layers are with the host as it takes; nil of software that is not to deal them.
---@param asked table of local_inference{}
function memory.longest_dealt(asked, resolved)
  if not dealt.is_dealt(asked, resolved) then return nil end
  return longest(resolved, function(input) return tables.with(input, dealt.of(asked, resolved, input) or {}) end)
end

return memory
