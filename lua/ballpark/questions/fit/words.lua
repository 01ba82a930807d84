-- Answers of fit{} in words.
local units = require("ballpark.units")

local words = {}

local PURPOSES <const> = { inference = "inference", full = "training all weights", lora = "LoRA", qlora = "QLoRA" }

local function devices_of(count, name) return count > 1 and ("%d x %s"):format(count, name) or name end

--- "2 x RTX-3090", or the name alone.
function words.devices(row) return devices_of(row.devices, row.device.name) end

--- "Llama-3.1-8B, bf16, for inference on RTX-4090 with vllm", or without a device.
---@param answer table
---@param row table|nil
function words.title(answer, row)
  local setup = answer.setup
  local name = setup.model.name or "model"
  if not row then
    local format = answer.rows[1].format
    for _, other in ipairs(answer.rows) do format = other.format == format and format or nil end
    return ("%s%s, for %s"):format(name, format and ", " .. format or "", PURPOSES[setup.purpose])
  end
  return ("%s, %s, for %s on %s with %s"):format(name, row.format, PURPOSES[setup.purpose],
    devices_of(row.devices, row.device.name), row.software)
end

-- What one call of a model takes in.
local CALLS <const> = { encode = "input", diffusion = "image", transcribe = "window" }

-- "1 sequence", "17 sequences".
local function sequences(count) return units.count(count, "sequence") end

--- What is the largest that surely fits.
function words.largest(setup, row)
  local context, batch = row.max_context_tok or 0, row.max_batch
  if setup.call and (batch or 0) > 0 then return ("%s at one time, with 90 %% chance"):format(units.count(batch, CALLS[setup.call])) end
  if context < 1 and (batch or 0) < 1 then return "nothing fits with 90 % chance" end
  local list = {}
  if context > 0 then
    list[1] = ("%s of {max_context_tok}"):format(setup.purpose == "inference" and sequences(setup.batch) or "1 sequence")
  end
  if (batch or 0) > setup.batch then list[#list + 1] = ("%s of %d tok"):format(sequences(batch), setup.context_tok) end
  return table.concat(list, ", or ") .. ", with 90 % chance" .. (row.host_need_bytes and ", as the layers are dealt" or "")
end

return words
