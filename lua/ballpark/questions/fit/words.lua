-- Answers of fit{} in words.
local core = require("ballpark.core")
local units = require("ballpark.units")

local words = {}

-- More bytes than those of one copy are copies; blocks of the cache round a little up.
local COPIED <const> = 1.1

-- Formats of a cache of one byte a value.
local NARROW_CACHE <const> = { fp8 = true, int8 = true, q8_0 = true }

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

-- What a part takes on all devices together, in bytes.
local function bytes_of(row, pattern)
  for _, part in ipairs(row.parts) do
    if part[1]:find(pattern) then return part[2] * row.devices end
  end
end

local function shown(bytes) return units.format(bytes, "B") end

-- Keys and values of a sequence once, where devices hold copies of them: MLA's, and those of fewer heads than devices.
local function sequence_once(setup, row)
  local once = core.kv_cache({ model = setup.model, tokens = setup.context_tok })
  if row.sequence_bytes <= COPIED * once.sequence_bytes then return row.sequence_bytes end
  return once.sequence_bytes * (NARROW_CACHE[row.kv or setup.kv or ""] and 0.5 or 1)
end

-- What is asked about the memory of a row, in words; nil where it is only whether it fits.
local function asked_words(setup, row, asked)
  local context, count = row.max_context_tok or 0, setup.batch
  if asked.cache_token and row.sequence_bytes then
    return ("%s of keys and values for a token"):format(shown(sequence_once(setup, row) / setup.context_tok))
  end
  if asked.cache_tokens and (row.kv_tokens or 0) > 0 then return ("%s of keys and values beside the weights"):format(units.format(row.kv_tokens, "tok")) end
  if asked.cache and row.sequence_bytes then
    return ("%s of keys and values for %s of %s"):format(shown(sequence_once(setup, row) * count), sequences(count), units.format(setup.context_tok, "tok"))
  end
  local weights = asked.weights and setup.purpose == "inference" and bytes_of(row, "^weights")
  if weights then return ("weights of %s in %s"):format(units.format(weights, "stored"), row.format) end
  if asked.context and context > 0 then return ("%s of context with 90 %% chance"):format(units.format(context, "tok")) end
  if asked.batch and (row.max_batch or 0) > 0 and not setup.call then return ("a batch of %s of %d tok"):format(sequences(row.max_batch), setup.context_tok) end
  if asked.at_once and setup.purpose == "inference" and (row.max_batch or 0) > 0 and not setup.call then
    return ("room for %s of %s with 90 %% chance"):format(sequences(row.max_batch), units.format(setup.context_tok, "tok"))
  end
  if asked.largest then return setup.model.name end
  local states = asked.optimizer and setup.purpose ~= "inference" and bytes_of(row, "^optimizer")
  if states then return ("%s of optimizer states, %s in all"):format(shown(states), shown(row.need_bytes * row.devices)) end
  if asked.memory then return shown(row.need_bytes * row.devices) .. (row.devices > 1 and " on all devices together" or "") end
end

-- One row: what is asked, and whether it fits.
local function one_line(setup, row, asked)
  local said = asked_words(setup, row, asked)
  local held = ("%s of %s%s"):format(shown(row.need_bytes), shown(row.usable_bytes), row.devices > 1 and " of each device" or "")
  local fits = row.sure and "it fits: " or row.fits and "it just fits: " or "it does not fit: "
  local cheapest = not row.fits and row.cheapest and "; it does with " .. row.cheapest.what or ""
  local on = (asked.home or asked.devices) and row.sure and (" on %s"):format(words.devices(row)) or ""
  return (said and said .. "; " or "") .. fits .. held .. on .. cheapest
end

-- The first of rows and groups that surely hold it by a price ("usd_h", "card_usd").
local function cheapest_by(answer, price)
  local best
  for _, list in ipairs({ answer.rows, answer.groups }) do
    for _, row in ipairs(list) do
      if row.sure and row[price] and (not best or row[price] < best[price]) then best = row end
    end
  end
  return best
end

-- Cards within a budget that a line has room for.
local MOST_CARDS <const> = 3

-- The dearest of those that surely hold it and keep a budget.
local function within_budget(answer, usd)
  local list, names = {}, {}
  for _, rows in ipairs({ answer.rows, answer.groups }) do
    for _, row in ipairs(rows) do
      if row.sure and row.card_usd and row.card_usd <= usd then list[#list + 1] = row end
    end
  end
  table.sort(list, function(a, b) return a.card_usd > b.card_usd or a.card_usd == b.card_usd and a.device.name < b.device.name end)
  for i = 1, math.min(MOST_CARDS, #list) do names[i] = ("%s (%s at its launch)"):format(words.devices(list[i]), units.format(list[i].card_usd, "USD")) end
  return names[1] and ("within %s, %s; "):format(units.format(usd, "USD"), table.concat(names, ", ")) or ("none within %s; "):format(units.format(usd, "USD"))
end

-- The cheapest in words: to rent, or to buy where one's own machine is meant.
local function cheapest_words(answer, asked)
  local card = asked.home and cheapest_by(answer, "card_usd")
  if card then return (", the cheapest to buy is %s, %s at its launch"):format(words.devices(card), units.format(card.card_usd, "USD")) end
  local best = cheapest_by(answer, "usd_h")
  return best and (", the cheapest to rent is %s at %s"):format(words.devices(best), units.format(best.usd_h, "USD/h")) or ""
end

--- The answer in a line; what is asked for comes first (ask/asked.lua).
function words.headline(answer, asked)
  local row = answer.rows[1]
  if answer.named and #answer.rows == 1 and #answer.refused == 0 then return one_line(answer.setup, row, asked) end
  local count = 0
  for _, each in ipairs(answer.rows) do count = count + (each.sure and 1 or 0) end
  local said = row and not asked.context and not asked.largest and not asked.batch and asked_words(answer.setup, row, asked)
  local kept = asked.card_budget_usd and within_budget(answer, asked.card_budget_usd) or ""
  return ("%s%s%d of %d devices hold it alone%s"):format(kept, said and said .. "; " or "", count, #answer.rows,
    cheapest_words(answer, asked))
end

return words
