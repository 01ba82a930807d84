-- Options of a search that describe the system and the job: one value describes it, several are searched
-- over.
local errors = require("ballpark.errors")
local overrides = require("ballpark.scenario.overrides")
local quantity = require("ballpark.quantity")
local uncertain = require("ballpark.uncertain")
local units = require("ballpark.units")

local systems = {}

local function is_count(value) return quantity.is(value) or uncertain.is(value) or math.tointeger(value) ~= nil and type(value) == "number" end
local function is_name(value) return type(value) == "string" end

local COUNT = { is = is_count, what = "a whole number" }
local NAME = { is = is_name, what = "a name" }
local PRICE = { is = function(value) return is_name(value) or type(value) == "number" or quantity.is(value) or uncertain.is(value) end,
  what = "a number or a name" }

local OPTIONS = {
  { name = "device", group = "system", takes = NAME, argname = "DEVICES", doc = "Catalog name." },
  { name = "devices", group = "system", takes = COUNT, doc = "How many." },
  { name = "nodes", group = "system", takes = COUNT, doc = "How many nodes, instead of devices." },
  { name = "fabric", group = "system", takes = NAME, argname = "NAMES",
    doc = "Network between nodes: infiniband, roce, efa, ..." },
  { name = "network", group = "system", argname = "WORDS", words = true,
    doc = "The same in words: '8x ConnectX-7 400 Gb/s InfiniBand', '1600 Gb/s RoCE per node'." },
  { name = "price", group = "system", takes = PRICE, doc = "USD per device-hour, or a provider." },
  { name = "global_batch", group = "job", takes = COUNT, doc = "Sequences in one step." },
  { name = "seq_len", group = "job", takes = COUNT, doc = "Tokens in one sequence." },
}

local function flag(about) return "--" .. about.name:gsub("_", "-") end

--- The options on a command.
function systems.define(command)
  for _, about in ipairs(OPTIONS) do
    command:option(flag(about), about.doc):argname(about.argname or "VALUES")
  end
  command:option("--cluster", "A system of the catalog, instead of device and number."):argname("NAME")
end

--- The first of these options that is given, or nil.
function systems.given(chosen)
  for _, about in ipairs(OPTIONS) do
    if chosen[about.name] then return flag(about) end
  end
  return chosen.cluster and "--cluster"
end

local function check(about, text, values)
  if values == "free" then return end
  -- Nobody compares prices of one device: two numbers are one with a decimal comma.
  local point = about.name == "price" and units.point_words(text) or ""
  if point ~= "" then errors.usage(("%s: '%s' is no number%s"):format(flag(about), text, point)) end
  for _, value in ipairs(values) do
    if not about.takes.is(value) then
      errors.usage(flag(about) .. ": must be " .. about.takes.what .. ", got '" .. text .. "'")
    end
  end
end

-- The values of an option; "2..4" is one uncertain number where one is wanted.
local function values_of(about, text, wants_one)
  if about.words then return { text } end
  local range = wants_one and overrides.range(text)
  return range and { range } or overrides.values(text, flag(about))
end

--- What the options say: { system = { field = value }, job = { field = value } } of single values, and
--- the space of those with several, { system =, job = } with lists. wants_one: for a question that takes one value each.
function systems.read(chosen, wants_one)
  local fixed, space = { system = {}, job = {} }, {}
  for _, about in ipairs(OPTIONS) do
    local text = chosen[about.name]
    local values = text and values_of(about, text, wants_one)
    if values and about.takes then check(about, text, values) end
    if values and values ~= "free" and #values == 1 then
      fixed[about.group][about.name] = values[1]
    elseif values then
      space[about.group] = space[about.group] or {}
      space[about.group][about.name] = values
    end
  end
  return fixed, space
end

--- The fields of the cluster; a system of the catalog is made, with them as changes.
function systems.cluster(chosen, env, fixed, space)
  if not chosen.cluster then return fixed end
  if space.system then errors.usage("--cluster names one system: give one value to each of its options") end
  return env.cluster(chosen.cluster, fixed)
end

return systems
