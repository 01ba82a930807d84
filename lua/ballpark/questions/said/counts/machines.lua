-- Numbers of devices: by a device's name, by nodes, by their memory, and time of devices.
local catalog = require("ballpark.catalog")
local devices = require("ballpark.catalog.devices")
local mentions = require("ballpark.mentions")
local names = require("ballpark.questions.said.names")
local prices = require("ballpark.catalog.prices")
local tables = require("ballpark.tables")
local vocabulary = require("ballpark.questions.said.vocabulary")

local machines = {}

local NOUNS <const>, TIMES <const>, BYTES <const>, SIZES <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.BYTES, vocabulary.SIZES

-- Words by which it is asked how many machines.
local NODES_ASKED <const> = { "how many servers", "how many nodes", "how many machines", "how many boxes", "how many hosts", "number of servers",
  "number of nodes" }

local HOURS <const> = tables.set({ "gpu-hours", "gpu-hour", "device-hours", "device-hour", "chip-hours", "tpu-hours", "card-hours" })

--- "2 A100-hours", "500 GPU-hours", "1.72M A100 GPU-hours": device time.
function machines.read_device_hours(reader, value, text)
  local word = reader:word(1)
  local name, length = names.device(reader, 1)
  if name and HOURS[reader:word(1 + length) or ""] then
    reader:say("device_s", value * TIMES.hour, text)
    reader:say("device", name, text)
    return 2 + length
  end
  local hours = word and (word:match("^(.+)-hours?$") or word:match("^(.+)-hrs?$")
    or ((reader:word(2) == "hours" or reader:word(2) == "hour") and word))
  local device = hours and devices.resolve(hours)
  if hours == word and reader:is_cut(2) then return nil end -- "4 A100, hours?"
  if not hours or not (NOUNS[hours] == "devices" or NOUNS[hours .. "s"] == "devices" or device) then return nil end
  reader:say("device_s", value * TIMES.hour, text)
  if device then reader:say("device", device, text) end
  return hours == word and 3 or 2
end

--- Devices of so many packages of two dies that the tokens at an offset name: software sees each die as a device, and people count
--- what they buy. Nil of others.
function machines.dies_of(reader, offset, device, length, count)
  local label = reader:label(offset, length) or ""
  local dies = devices.dies_named(catalog.device(device), label)
  if dies == 1 or NOUNS[reader:word(offset + length) or ""] == nil and (reader:word(offset + length) or ""):find("^gcds?$") then return nil end
  reader:note(("%g %s are %g devices: software sees each of the %d dies of one as a device."):format(count, label:upper(), count * dies, dies))
  return count * dies
end

local A_NODE <const> = tables.set({ "node", "server", "machine", "box", "host" })

-- Words of machines that one person has, too: of cards that nobody rents they have one.
local function is_rented(device) return prices.get(catalog.device(device).name) ~= nil end

--- Whether one machine of a device that data centres have is named at an offset behind it: "an H200 node", "1 H100 server".
function machines.is_node_of(reader, offset, device)
  return not reader:is_cut(offset) and A_NODE[reader:word(offset) or ""] and is_rented(device)
end

-- "3 L40S per server": those of each of the machines that are said before or behind, or are asked for.
local function read_of_each_node(reader, value, text, device, behind)
  if not reader:is_per_each(behind) or not A_NODE[reader:word(behind + 1) or ""] then return nil end
  reader:say("device", device, text)
  if reader.nodes then
    reader:say_devices(reader:of_nodes(value), nil, text)
  elseif mentions.any(reader.text, NODES_ASKED) then
    reader:note(("Machines of %g devices: the answer says how many devices, of which each has so many."):format(value))
  else
    reader.node_size = { value = value, text = text }
  end
  return behind + 2
end

--- A number of a device: "512 A100", "8 x H100", "2 p4d" (machines of eight).
function machines.read_with_device(reader, value, text)
  local word, scale = reader:word(1), reader.list[reader.at].scale
  if scale ~= "million" and SIZES[scale] then return nil end -- "34B A100" is a size and a device
  local device, length, of_machine = names.device(reader, word == "x" and 2 or 1)
  if not device or word ~= "x" and TIMES[word] or reader:is_cut(1) then return nil end
  if reader:is_denied() then
    reader:deny("device", device)
    return (word == "x" and 2 or 1) + length
  end
  -- "How many 8xH100 nodes": what is asked is how many of them.
  local behind = (word == "x" and 2 or 1) + length
  if reader:word(-1) == "many" and NOUNS[reader:word(behind) or ""] == "nodes" then
    reader:note(("Nodes of %s devices: the answer says how many devices."):format(text))
    return reader:say("device", device, text) and behind + 1
  end
  -- "10 A100 nodes" are so many nodes, "a 8xH100 node" is one.
  local plural = (reader:word(behind) or ""):find("s$") ~= nil
  if word ~= "x" and plural and NOUNS[reader:word(behind) or ""] == "nodes" and not reader:is_cut(behind) and not reader.nodes then
    reader.nodes = { value = value, text = text }
    return reader:say("device", device, text) and behind + 1
  end
  -- "One H200 node" is one, too, where it is not said of how many.
  if value == 1 and word ~= "x" and not of_machine and machines.is_node_of(reader, behind, device) and not reader.nodes then
    reader.nodes = { value = value, text = text }
    return reader:say("device", device, text) and behind + 1
  end
  local of_each = read_of_each_node(reader, value, text, device, behind)
  if of_each then return of_each end
  if of_machine and of_machine > 1 then
    reader:note(("%s %s are %g devices: such a machine has %d."):format(text, reader:word(word == "x" and 2 or 1),
      value * of_machine, of_machine))
    value = value * of_machine
  end
  local from = word == "x" and 2 or 1
  value = machines.dies_of(reader, from, device, length, value) or value
  reader:say_devices(reader:of_nodes(value, device), device, text)
  return from + length
end

-- What stands behind a memory that is a device's; at the end of a prompt nothing has to.
local function is_of_devices(reader, at)
  local word = reader:word(at)
  return NOUNS[word or ""] == "devices" or word == "vram" or not reader.list[reader.at + at]
end

--- "Two 24 GB cards", "2 x 48GB GPUs", "on 2x24GB": devices of so much memory, whatever they are called.
function machines.read_with_memory(reader, value, text)
  local glued, unit = (reader:word(1) or ""):match("^x(%d+)(%a+)$")
  if glued and BYTES[unit] and is_of_devices(reader, 2) and math.tointeger(value) then
    reader:say_devices(reader:of_nodes(value), nil, text)
    reader:say("memory_bytes", tonumber(glued) * BYTES[unit], text .. reader:word(1))
    return 2
  end
  local at = reader:word(1) == "x" and 2 or 1
  local bytes = BYTES[reader:word(at + 1) or ""]
  local size = bytes and not reader:is_cut(at + 2) and reader:number(at)
  if not size or not is_of_devices(reader, at + 2) or math.tointeger(value) == nil then return nil end
  reader:say_devices(reader:of_nodes(value), nil, text)
  reader:say("memory_bytes", size * bytes, reader.list[reader.at + at].text)
  return at + 3
end

-- Devices of a machine at most, of those that people count by rows and columns.
local MOST_OF_NODE <const> = 1024

--- "64 x 8 A100", "16x8 H100", "2 x 8xH100": so many machines of so many devices.
function machines.read_grid(reader, value, text)
  local word, each, at = reader:word(1), nil, nil
  if word == "x" and reader:number(2) then
    each, at = reader:number(2), reader:word(3) == "x" and 4 or 3
  elseif word then
    each, at = tonumber(word:match("^x(%d+)$")), reader:word(2) == "x" and 3 or 2
  end
  local device, length = nil, nil
  if each and each <= MOST_OF_NODE then device, length = names.device(reader, at) end
  if not device then return nil end
  reader:note(("%s of %.0f devices are %.0f devices."):format(text, each, value * each))
  reader:say_devices(value * each, device, text)
  return at + length
end

local ON <const> = tables.set({ "on", "only", "just" })

--- Whether a word says that there is nothing but a processor: "on CPU", "on a CPU", "CPU-only".
function machines.is_processor_alone(reader, word)
  if word == "cpu-only" then return true end
  if word ~= "cpu" and word ~= "cpus" then return false end
  local before = reader:word(-1)
  return ON[before or ""] or (before == "a" or before == "the" or before == "my") and ON[reader:word(-2) or ""] or false
end

--- "128 instead of 64 H100": so many, and not the others.
function machines.read_instead(reader, value, text)
  local is_so = reader:word(1) == "instead" and reader:word(2) == "of" and reader:number(3) and not reader:is_cut(1)
  local device, length
  if is_so then device, length = names.device(reader, 4) end
  local noun = is_so and NOUNS[reader:word(4) or ""] == "devices"
  if not (device or noun) then return nil end
  reader:note(("%s is read, and %g left out: ask of each with 'or' between them to compare."):format(text, reader:number(3)))
  return reader:say_devices(value, device, text) and 4 + (length or 1)
end

-- More than these are no machines but another number.
local MOST_MACHINES <const> = 10000

--- "12 8xA100 boxes": so many machines of each.
function machines.read_machines(reader, value, text)
  local each = reader:number(1)
  if not each or reader:word(2) ~= "x" or reader:is_cut(1) or value % 1 ~= 0 or value >= MOST_MACHINES then return nil end
  local device, length = names.device(reader, 3)
  if not device then return nil end
  reader:note(("%s of %g devices are %g devices."):format(text, each, value * each))
  local behind = 3 + length
  return reader:say_devices(math.tointeger(value * each), device, text) and behind + (NOUNS[reader:word(behind) or ""] == "nodes" and 1 or 0)
end

local OF_DEVICES <const> = tables.set({ "them", "those", "these" })

--- "I have 1000 of them": as many of the device that was said.
function machines.read_of_them(reader, value, text)
  local is_so = reader:word(1) == "of" and OF_DEVICES[reader:word(2) or ""] and reader.facts.device and not reader.facts.devices
  if not is_so or value % 1 ~= 0 then return nil end
  reader:say_devices(value, nil, text)
  return 3
end

return machines
