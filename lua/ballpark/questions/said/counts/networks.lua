-- The network between nodes, in the words of a prompt: "over 200 Gb/s InfiniBand", "RoCE at 400 Gbit/s per GPU". What they
-- mean ballpark.catalog.network_words says.
local tables = require("ballpark.tables")
local vocabulary = require("ballpark.questions.said.vocabulary")

local networks = {}

local RATES <const> = { g = "Gb/s", gb = "Gb/s", gbit = "Gb/s", gbits = "Gb/s", gbps = "Gb/s", gbe = "GbE", gigabit = "Gb/s", tb = "Tb/s",
  tbit = "Tb/s", tbps = "Tb/s" }

-- Words that name a network alone, and those that only do beside a rate.
local FABRICS <const> = tables.set({ "infiniband", "infinband", "ethernet", "roce", "rocev2", "efa", "slingshot", "omni-path" })
local OF_RATES <const> = tables.with(FABRICS, tables.set({ "ib", "ndr", "hdr", "edr", "xdr", "rdma", "network", "networking", "networks", "fabric",
  "interconnect", "nic", "nics", "hca", "hcas" }))

-- Words that stand between a rate and its network, and before a rate.
local BETWEEN <const> = tables.set({ "per", "/", "each", "a", "of", "node", "gpu", "device", "host", "server", "the" })
local BEFORE_RATE <const> = tables.set({ "at", "of", "with", "=", "is", "only" })
local MOST_BETWEEN <const> = 5

-- Bytes a second have an upper-case B, which words have lost.
local function unit_of(reader, number, word)
  local written = "%f[%d]" .. ("%g"):format(number) .. "%s*GB[p/]s"
  return word == "gb" and reader.text:find(written) and "GB/s" or RATES[word]
end

-- Where a rate ends that begins at an offset, its words, and whether a unit of time stands behind them; nil where none is there.
local function rate_at(reader, at)
  local number, word = reader:number(at), reader:word(at + 1)
  if not number or not word or not RATES[word] or reader:is_cut(at + 1) then return nil end
  local behind, timed = at + 2, word:find("ps$") ~= nil or word == "gbe"
  if reader:word(behind) == "/" and (reader:word(behind + 1) == "s" or reader:word(behind + 1) == "sec") then behind, timed = behind + 2, true end
  return behind, ("%g %s"):format(number, unit_of(reader, number, word)), timed
end

-- The words of a network behind its rate, and where they end; nil where none stands there.
local function fabric_behind(reader, at)
  local words = {}
  for offset = at, at + MOST_BETWEEN do
    local word = not reader:is_cut(offset) and reader:word(offset)
    if not word or not (BETWEEN[word] or OF_RATES[word]) then return nil end
    words[#words + 1] = word
    if OF_RATES[word] then return offset + 1, table.concat(words, " ") end
  end
end

-- "per node", "per GPU" behind a rate.
local function each_behind(reader, at)
  if not reader:is_per(at) or reader:is_cut(at) or not BETWEEN[reader:word(at + 1) or ""] then return at, "" end
  return at + 2, " per " .. reader:word(at + 1)
end

-- Words from the "or" between two networks to the second at most: "infiniband or is 100G ethernet ok".
local MOST_TO_CHOICE <const> = 3

-- Whether a network is one to choose from beside another.
local function is_choice(reader)
  for offset = -1, -MOST_TO_CHOICE, -1 do
    local word = reader:word(offset) or ""
    if vocabulary.BESIDE[word] then return true end
    if reader:number(offset) then return false end
  end
  return false
end

-- Networks are of runs over several nodes.
local function is_of_run(reader) return (reader.trained or reader.tuned) and (not reader.facts.network or reader.lenient and is_choice(reader)) end

--- "200 Gb/s InfiniBand", "8x 400G NDR", "100 Gbit/s per GPU of RoCE": how many tokens.
function networks.read_rate(reader, _, text)
  if not is_of_run(reader) then return nil end
  local links = reader:word(1) == "x" and reader:number(2) and reader:number(0)
  local behind, rate = rate_at(reader, links and 2 or 0)
  local last, words = nil, nil
  if behind then last, words = fabric_behind(reader, behind) end
  if not last and rate and rate:find("GbE$") then last, words = behind, "ethernet" end
  if not last then return nil end
  local each
  last, each = each_behind(reader, last)
  return reader:say("network", ("%s%s %s%s"):format(links and ("%gx "):format(links) or "", rate, words, each), text) and last
end

--- "InfiniBand", "Ethernet at 100 Gbit/s": a network by its word, with the rate behind it: how many tokens.
function networks.read_word(reader, word)
  if not is_of_run(reader) or not OF_RATES[word] then return nil end
  local at = 1
  while at <= 2 and BEFORE_RATE[reader:word(at) or ""] and not reader:is_cut(at) do at = at + 1 end
  local behind, rate, timed = rate_at(reader, at)
  if behind and timed and not reader:is_cut(at) then
    local last, each = each_behind(reader, behind)
    return reader:say("network", ("%s %s%s"):format(rate, word, each), word) and last
  end
  return FABRICS[word] and reader:say("network", word, word) and 1 or nil
end

return networks
