-- How llama.cpp and Ollama deal a model that the devices do not hold, where nobody tells them: as many layers as fit on
-- the devices, the others with the host; of a model with experts all layers, and the experts of as many as fit.
local core = require("ballpark.core")
local halves = require("ballpark.halves")
local local_engines = require("ballpark.catalog.local_engines")
local tables = require("ballpark.tables")

local dealt = {}

-- Share of the usable memory that they fill: what they count is as rough as what we do (nine in ten of needs that are
-- known to three hundredths).
local FILLED <const> = 0.96

-- The largest number up to `most` for which every device has room; nil where one has not even for none.
local function largest(most, input_of)
  local function holds(count)
    local out = core.local_inference(input_of(count))
    return out.device_bytes <= FILLED * out.usable_bytes and out.other_bytes <= FILLED * out.other_usable_bytes
  end
  return holds(0) and halves.largest(0, most + 1, holds) or nil
end

--- Whether the software deals: it can, a host is beside the device, and nobody told it how to.
---@param asked table of local_inference{}: device_layers, host_experts
---@param resolved table of resolve/local_inference.lua
function dealt.is_dealt(asked, resolved)
  local device, told = resolved.input.device, asked.device_layers or (asked.host_experts or 0) > 0
  return not told and local_engines.get(resolved.key).offloads == true and not device.shared_memory
    and not local_engines.is_processor(device)
end

--- Tokens behind which the first line of a report speaks of generation: those of the prompt.
---@param input table of core.local_inference
function dealt.behind_prompt(input) return math.min(input.prompt_tok, input.context_tok) end

local function speed(input, changes)
  local at = tables.with(input, { at_tok = dealt.behind_prompt(input) })
  return core.local_inference(tables.with(at, changes)).tokens_per_s
end

-- Of layouts the one that is faster.
local function faster(input, one, other)
  return one and speed(input, one) > speed(input, other) and one or other
end

--- Layers on the devices, or layers whose experts are with the host: { device_layers } or { host_experts }, as many as the
--- devices hold, the faster of both behind the prompt. Nil where the devices hold the whole model, or nothing of it, or where
--- the software does not deal.
---@param asked table of local_inference{}: device_layers, host_experts
---@param resolved table of resolve/local_inference.lua
---@param input table|nil of core.local_inference, that of `resolved` unless said
---@return table|nil
function dealt.of(asked, resolved, input)
  if not dealt.is_dealt(asked, resolved) then return nil end
  input = input or resolved.input
  local layers = input.model.layers
  local on = largest(layers, function(count) return tables.with(input, { device_layers = count }) end)
  if not on or on == layers then return nil end
  local best = { device_layers = on }
  if (input.model.experts or 0) == 0 then return best end
  local kept = largest(layers, function(count) return tables.with(input, { host_experts = layers - count }) end)
  return faster(input, kept and { host_experts = layers - kept }, best)
end

--- What of the model the host has, in words; nil where the devices have all of it.
---@param input table of core.local_inference
function dealt.with_host(input)
  local layers, on = input.model.layers, input.device_layers
  if (input.host_experts or 0) > 0 then
    return ("experts of %d of %d layers"):format(math.min(input.host_experts, layers), layers)
  end
  return on and on < layers and ("%d of %d layers"):format(layers - on, layers) or nil
end

--- The same as what was assumed of a model that nobody dealt.
function dealt.said(input)
  return ("%s with the host, as the %s no room for them: llama.cpp and Ollama deal them so unless told"):format(
    dealt.with_host(input), input.devices + input.others > 1 and "devices have" or "device has")
end

return dealt
