-- What would make a model fit a device, each change evaluated by the kernel that answered: for inference other formats
-- of weights and cache, fewer tokens, layers or experts with the host, more devices, the next device; for training what
-- finetune{} tries.
local fewest = require("ballpark.questions.fit.fewest")
local fits = require("ballpark.range.fits")
local format = require("ballpark.resolve.local_inference.format")
local halves = require("ballpark.halves")
local resolve = require("ballpark.resolve.fit")
local rows = require("ballpark.questions.fit.rows")
local tables = require("ballpark.tables")
local training = require("ballpark.questions.fit.training")

local changes = {}

-- Formats of served checkpoints, from wide to narrow: word of publishers, bits, what people call it.
local SERVED <const> = { { "fp8", 8, "fp8" }, { "awq", 4, "4 bit (AWQ, GPTQ)" } }

local BITS <const> = { bf16 = 16, fp8 = 8, fp8_block = 8, int8 = 8 }

-- Devices of a node at most, over which tensor-parallel ranks are dealt.
local OF_NODE <const> = 8

-- The format that files of llama.cpp are mostly pulled in.
local USUAL_FILE <const> = "Q4_K_M"

local function is_training(row) return row.setup.purpose ~= "inference" end

-- Less than this share of the memory saved is no change.
local LEAST_SAVED <const> = 0.005

-- How full memory is.
local function filled(row) return row.need_bytes / row.usable_bytes end

-- A list of changes of a row, and add(what, change of the setup, hardware) that evaluates one; what is refused or saves
-- nothing is left out.
local function list_of(row)
  local list = {}
  return list, function(what, change, hardware)
    local other = rows.try(tables.with(row.setup, change))
    if not other or filled(other) > (1 - LEAST_SAVED) * filled(row) then return nil end
    list[#list + 1] = { what = what, need_bytes = other.need_bytes, usable_bytes = other.usable_bytes,
      fits_chance = other.fits_chance, max_context_tok = other.max_context_tok, kv_tokens = other.kv_tokens, usd_h = other.usd_h,
      card_usd = other.card_usd, hardware = hardware, software = other.software }
    return other
  end
end

local function add_cache(row, add)
  local narrow = row.narrow_kv
  if narrow and row.kv ~= narrow and row.kv ~= "fp8" and (row.kv_tokens or 0) < math.huge then
    add("KV cache in " .. narrow, { kv = narrow })
  end
end

-- Engines are told to leave this much less of a device when it is all theirs (assumption).
local MOST_FRAC <const> = 0.95

local function add_share(row, add)
  if row.sure or resolve.way(row.setup) ~= "serving" or row.setup.memory_frac then return end
  add(("%g of the device for %s"):format(MOST_FRAC, row.software), { memory_frac = MOST_FRAC })
end

-- Where the weights have room, fewer tokens may have it, too.
local function add_tokens(row, add)
  if row.sure or (row.max_context_tok or 0) < 1 then return end
  add(("%d tokens at most"):format(row.max_context_tok), { context_tok = row.max_context_tok })
end

-- Narrower files of llama.cpp: the widest that surely fits; where all fit, the next.
local function add_files(row, add, first)
  for i = first, #format.LADDER do
    local word = format.LADDER[i]
    local other = rows.try(tables.with(row.setup, { format = word, kv = false }))
    if other and other.sure then return add(("weights in %s, with %s"):format(word, other.software),
      { format = word, kv = false }) end
  end
end

-- The authors' own format by llama.cpp, else narrower files than the usual one, where the row has no room.
local function add_other_files(row, add)
  local word = format.published(row.setup.model)
  local change = { format = word, kv = false, software = "llama.cpp" }
  local other = word and rows.try(tables.with(row.setup, change))
  if not (other and other.sure) then return add_files(row, add, format.place(USUAL_FILE)) end
  add(("weights in %s, with %s"):format(word, other.software), change)
end

local function add_formats(row, add)
  local place = format.place(row.format)
  if place then return add_files(row, add, place + 1) end
  local bits = BITS[row.format:match("experts ([%w_]+)") or row.format:match("^[%w_]+")] or 4
  local sure
  for _, served in ipairs(SERVED) do
    if served[2] < bits and resolve.way(row.setup) == "serving" then
      local other = add("weights in " .. served[3], { format = served[1] })
      sure = sure or other and other.sure
    end
  end
  if not sure and not row.sure then add_other_files(row, add) end
end

-- The most layers in [0, most] that the device surely holds; nil where it does not even hold none.
local function most_layers(most, make)
  local function holds(count)
    local row = rows.try(make(count))
    return row ~= nil and row.need_bytes <= fits.room(row.usable_bytes)
  end
  return holds(0) and halves.largest(0, most + 1, holds) or nil
end

-- The file of llama.cpp that has a row's weights, or the usual one.
local function file_of(row)
  return format.place(row.format) and row.format or format.published(row.setup.model) or USUAL_FILE
end

-- Layers, or experts of layers, with the host, of a file of llama.cpp.
local function add_host(row, add)
  local setup, layers = row.setup, row.setup.model.layers
  if row.sure or setup.device.shared_memory or setup.devices > 1 then return end
  local word = file_of(row)
  local function with(change) return tables.with({ format = word, kv = false, software = "llama.cpp" }, change) end
  if (setup.model.experts or 0) > 0 then
    local kept = most_layers(layers, function(count)
      return tables.with(setup, with({ host_experts = layers - count }))
    end)
    if kept and kept < layers then
      add(("experts of %d layers with the host, %s, llama.cpp"):format(layers - kept, word),
        with({ host_experts = layers - kept }))
    end
  end
  local on = most_layers(layers, function(count) return tables.with(setup, with({ device_layers = count })) end)
  if on and on > 0 and on < layers then
    add(("%d of %d layers with the host, %s, llama.cpp"):format(layers - on, layers, word), with({ device_layers = on }))
  end
end

local function add_devices(row, add)
  if row.sure or row.device.shared_memory then return end
  local count = fewest.of(row.setup, row.devices)
  if not count then return end
  local is_one_rank = resolve.way(row.setup) == "serving" and count <= OF_NODE
  add(("%d devices%s"):format(count, is_one_rank and (", TP %d"):format(count) or ""), { devices = count }, true)
end

-- A device of the same name as the row's is one with more memory.
local function name_of(device, row)
  if device.name ~= row.device.name then return device.name end
  return ("%s with %.3g GB"):format(device.name, device.memory_bytes / (device.shared_memory and 1 << 30 or 1e9))
end

local function add_next_device(row, add)
  if row.sure then return end
  local best
  for _, device in ipairs(resolve.catalog(row.setup.purpose)) do
    if device.vendor == row.device.vendor and device.memory_bytes > row.device.memory_bytes then
      local other = rows.try(tables.with(row.setup, { device = device }))
      if other and other.sure and (not best or rows.before(other, best)) then best = other end
    end
  end
  if best then
    add(("on %s%s"):format(best.devices > 1 and best.devices .. " x " or "", name_of(best.device, row)), { device = best.device }, true)
  end
end

-- Of diffusion: fewer bits, its parts on the device one after another, and both.
local function add_turns(row, add)
  local setup = row.setup
  if setup.call ~= "diffusion" then return end
  local formats = setup.format and {} or { "fp8", "nf4" }
  for _, word in ipairs(formats) do add("weights in " .. word, { format = word }) end
  if setup.offload then return end
  local alone = add("its parts on the device in turns", { offload = true })
  if alone and alone.sure then return end
  for _, word in ipairs(formats) do
    local both = add(("its parts in turns, weights in %s"):format(word), { format = word, offload = true })
    if both and both.sure then return end
  end
end

local function of_call(row)
  local list, add = list_of(row)
  add_turns(row, add)
  add_next_device(row, add)
  return list
end

local function of_inference(row)
  if row.setup.call then return of_call(row) end
  local list, add = list_of(row)
  for _, part in ipairs({ add_cache, add_share, add_tokens, add_formats, add_host, add_devices, add_next_device }) do part(row, add) end
  return list
end

-- What a change costs, for its order: first what leaves the run and its devices as they are, then another run, then other
-- devices; of those the faster, or the one with less rent.
local function rank(change)
  local times = change.times_step or 1
  if change.hardware then return 2, (change.usd_h or change.card_usd or math.huge) * times end
  return change.another and 1 or 0, times
end

local function cheaper(a, b)
  local rank_a, cost_a = rank(a)
  local rank_b, cost_b = rank(b)
  if rank_a ~= rank_b then return rank_a < rank_b end
  return cost_a < cost_b
end

--- The changes of a row in the order of a report: { what, need_bytes, usable_bytes, fits_chance, max_context_tok, kv_tokens,
--- usd_h, times_step, hardware }.
function changes.of(row)
  if is_training(row) then return training.changes(row) end
  return of_inference(row)
end

--- Of changes the cheapest that makes a row fit surely, or several of the run's own together; nil where nothing does, or
--- where it fits as it is. What needs no other device comes first, of inference in the order of changes.of, which loses
--- least first, of training the fastest.
---@param row table
---@param list table[] of changes.of
function changes.cheapest(row, list)
  if row.sure then return nil end
  local best
  for _, change in ipairs(list) do
    if change.fits_chance >= fits.SURE and (not best or cheaper(change, best)) then best = change end
  end
  local is_own = best and rank(best) == 0
  return not is_own and is_training(row) and training.together(row) or best
end

return changes
