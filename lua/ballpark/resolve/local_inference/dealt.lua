-- How llama.cpp and Ollama deal a model that the devices do not hold, where nobody tells them: as many layers as fit on
-- the devices, the others with the host; of a model with experts all layers, and the experts of as many as fit.
local core = require("ballpark.core")
local halves = require("ballpark.halves")
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

--- Layers on the devices, and layers whose experts are with the host: { device_layers } or { host_experts }, the faster of both;
--- nil where the devices hold the whole model, or nothing of it.
---@param input table of core.local_inference
---@return table|nil
function dealt.of(input)
  local layers = input.model.layers
  local on = largest(layers, function(count) return tables.with(input, { device_layers = count }) end)
  if not on or on == layers then return nil end
  local best = { device_layers = on }
  if (input.model.experts or 0) > 0 then
    local kept = largest(layers, function(count) return tables.with(input, { host_experts = layers - count }) end)
    local experts = kept and { host_experts = layers - kept }
    if experts and core.local_inference(tables.with(input, experts)).token_s
      < core.local_inference(tables.with(input, best)).token_s then
      best = experts
    end
  end
  return best
end

return dealt
