-- Changes to a local setup, each evaluated: other formats, a packed cache, layers or experts with the host, a second
-- device, the smallest device of the vendor that holds it.
local core = require("ballpark.core")
local dealt = require("ballpark.resolve.local_inference.dealt")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local format = require("ballpark.resolve.local_inference.format")
local halves = require("ballpark.halves")
local local_engines = require("ballpark.catalog.local_engines")
local memory = require("ballpark.questions.local_inference.memory")
local resolve = require("ballpark.resolve.local_inference")
local shared_memory = require("ballpark.resolve.shared_memory")
local tables = require("ballpark.tables")

local better = {}

local LIKELY <const> = 0.9

local function tried(answer, changes)
  local asked = tables.with(answer.asked, changes)
  local resolved = resolve.of(asked)
  local input = resolved.input
  local out = core.local_inference(tables.with(input, { at_tok = math.min(input.prompt_tok, input.context_tok) }))
  local held = memory.of(resolved, out, asked)
  return { changes = changes, fits_chance = held.fits_chance, need_bytes = held.need_bytes,
    usable_bytes = held.usable_bytes, tokens_per_s = out.tokens_per_s, prompt_tokens_per_s = out.prompt_tokens_per_s,
    host_bytes = held.host_bytes }
end

-- Formats of the engine, and the place of the answer's among them, nil where it has none.
local function ladder_of(answer)
  local ladder = local_engines.ladder(answer.resolved.family)
  if not ladder then return format.LADDER, format.place(answer.resolved.format) end
  local own = answer.resolved.format == "BF16" and "F16" or answer.resolved.format
  for i, word in ipairs(ladder) do
    if word == own then return ladder, i end
  end
end

-- The next larger format that fits, and the next smaller one that does.
local function add_formats(answer, add)
  local ladder, place = ladder_of(answer)
  if not place or answer.asked.file_bytes then return end
  for i = place - 1, 1, -1 do
    local item = tried(answer, { format = ladder[i] })
    if item.fits_chance < LIKELY then break end
    if i == place - 1 or i == 1 then add("more bits: " .. ladder[i], item) end
  end
  for i = place + 1, #ladder do
    local item = tried(answer, { format = ladder[i] })
    if item.fits_chance >= LIKELY then return add("fewer bits: " .. ladder[i], item) end
  end
end

-- The largest number in [0, most] for which a setup is likely to fit; nil where even none does not.
local function largest(most, make)
  local function holds(count) return make(count).fits_chance >= LIKELY end
  return holds(0) and halves.largest(0, most + 1, holds) or nil
end

local function add_offload(answer, add)
  local layers = answer.resolved.model.layers
  if answer.fits_chance >= LIKELY or answer.input.device.shared_memory then return end
  if (answer.resolved.model.experts or 0) > 0 and not answer.asked.device_layers then
    local kept = largest(layers, function(count) return tried(answer, { host_experts = layers - count }) end)
    if kept then
      add(("experts of %d layers with the host"):format(layers - kept), tried(answer, { host_experts = layers - kept }))
    end
  end
  local on = largest(layers, function(count) return tried(answer, { device_layers = count }) end)
  if on and on > 0 then
    add(("%d of %d layers with the host"):format(layers - on, layers), tried(answer, { device_layers = on }))
  end
end

-- How much faster a host is than cards, at least, for people to leave them empty (assumption).
local WORTH <const> = 1.05

-- All layers with a host that is faster than the cards, or the experts of all.
local function add_host(answer, add, speed)
  if answer.resolved.host_assumed or not dealt.is_dealt(answer.asked, answer.resolved) then return end
  local changes = { { "all layers with the host", { device_layers = 0 } } }
  if (answer.resolved.model.experts or 0) > 0 then
    changes[2] = { "experts of all layers with the host", { host_experts = answer.resolved.model.layers } }
  end
  for _, change in ipairs(changes) do
    local item = tried(answer, change[2])
    if item.fits_chance >= LIKELY and item.tokens_per_s > WORTH * speed then add(change[1], item) end
  end
end

local function is_alike(device, other)
  return device.vendor == other.vendor and (device.shared_memory or false) == (other.shared_memory or false)
    and device.architecture ~= nil and not device.name:find("%-MIG%-")
    and local_engines.is_processor(device) == local_engines.is_processor(other)
end

-- The limit of macOS raised, where that helps.
local function add_limit(answer, add)
  local device = answer.input.device
  local bytes = answer.fits_chance < LIKELY and shared_memory.raised(device)
  local item = bytes and tried(answer, { raised_limit = true })
  if item and item.fits_chance > answer.fits_chance + 0.01 then add(shared_memory.command(bytes), item) end
end

-- The device of the same vendor with the least memory that holds it, of those the one with most bandwidth.
local function add_device(answer, add)
  if answer.fits_chance >= LIKELY then return end
  local found
  for _, name in ipairs(devices.names()) do
    local device = devices.get(name)
    local smaller = not found or device.memory_bytes < found.device.memory_bytes
      or device.memory_bytes == found.device.memory_bytes and device.mem_bw_bytes_s > found.device.mem_bw_bytes_s
    if smaller and is_alike(device, answer.input.device) and device.memory_bytes > answer.input.device.memory_bytes then
      local item = errors.try(tried, answer, { device = device, other = false }) -- nil where none runs the format there
      if item and item.fits_chance >= LIKELY then found = { device = device, item = item } end
    end
  end
  if found then add("on one " .. found.device.name, found.item) end
end

-- A packed cache, where the engine has one.
local function add_cache(answer, add, about)
  if not about.narrow_kv or answer.input.kv_value_bytes ~= 2 or answer.out.cache_bytes <= 0 then return end
  local item = tried(answer, { kv = about.narrow_kv })
  if answer.fits_chance >= LIKELY or item.fits_chance > answer.fits_chance + 0.01 then
    add("KV cache in " .. about.narrow_kv, item)
  end
end

-- More devices that hold it: one more where they share layers, twice as many where they share matrices. Devices that
-- take turns are no faster than one that holds it alone.
local function add_devices(answer, add, about)
  if answer.input.others > 0 then return end
  local count, layers = answer.input.devices, about.split == "layers"
  if answer.fits_chance < LIKELY and not answer.input.device.shared_memory then
    local more = layers and count + 1 or 2 * count
    local item = tried(answer, { devices = more })
    if item.fits_chance >= LIKELY then add(("%d devices"):format(more), item) end
  elseif layers and count > 1 then
    local item = tried(answer, { devices = 1 })
    if item.fits_chance >= LIKELY then add("1 device", item) end
  end
end

--- Changes in the order of a report, of those that the engine has: { what, changes, fits_chance, need_bytes,
--- usable_bytes, tokens_per_s, prompt_tokens_per_s, host_bytes }; without those that leave layers with the host for want of
--- room where another answer does so already.
---@param answer table with all layers on devices, unless told
---@param dealt_answer table|nil the one whose layers are dealt, which is reported then
function better.of(answer, dealt_answer)
  local list, about = {}, local_engines.get(answer.resolved.key)
  local function add(what, item)
    item.what = what
    list[#list + 1] = item
  end
  add_formats(answer, add)
  add_cache(answer, add, about)
  add_limit(answer, add)
  if about.offloads and not dealt_answer then add_offload(answer, add) end
  add_host(answer, add, (dealt_answer or answer).out.tokens_per_s)
  add_devices(answer, add, about)
  add_device(answer, add)
  return list
end

return better
