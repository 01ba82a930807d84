-- Parts of a table of runs, the same on every machine and for every order of the rows: dealt out by a
-- hash of what the rows are.
local fields = require("ballpark.fields")
local lua_source = require("ballpark.lua_source")
local tables = require("ballpark.tables")

local folds = {}

-- 32-bit FNV-1a.
local function hash(text)
  local h = 2166136261
  for i = 1, #text do h = ((h ~ text:byte(i)) * 16777619) & 0xFFFFFFFF end
  -- A last stir: neighbouring names differ in their last letters only.
  h = ((h ~ (h >> 16)) * 2246822507) & 0xFFFFFFFF
  return h ~ (h >> 13)
end

local PARTS <const> = { "model", "plan", "job" }

-- What grows with the number of devices, beside the replicas.
local GROWS <const> = { devices = true, global_batch = true }

local function add_fields(words, part, given, skipped)
  for _, field in ipairs(fields.input("train_step", part)) do
    local name = field.name
    local value = given[name]
    if value ~= nil and value ~= field.default and field.kind ~= "note" and not skipped[name] then
      words[#words + 1] = name .. "=" .. (type(value) == "table" and lua_source.of(value) or tostring(value))
    end
  end
end

-- All fields that are not at their default, so that a field more changes no configuration that leaves it alone.
local function words_of(case, skipped)
  local input = case.input
  local words = { case.class, input.device.name or "" }
  if not skipped.devices then words[#words + 1] = tostring(input.network.devices) end
  for _, part in ipairs(PARTS) do add_fields(words, part, input[part], skipped) end
  return table.concat(words, " ")
end

--- What was run, as text: twins have the same.
function folds.configuration(case) return words_of(case, {}) end

local skipped

--- The same without the number of devices and what grows with it.
function folds.settings(case)
  skipped = skipped or tables.with(GROWS, tables.set(fields.that_set("replicas")))
  return words_of(case, skipped)
end

local function in_order_of_hash(names)
  local hashes = {}
  for _, name in ipairs(names) do hashes[name] = hash(name) end
  table.sort(names, function(a, b)
    local ha, hb = hashes[a], hashes[b]
    if ha ~= hb then return ha < hb end
    return a < b
  end)
  return names
end

--- The fold (1 to count) of every case; twins share one, and folds are as even as that allows.
function folds.deal(cases, count)
  local twins, names, fold_of = {}, {}, {}
  for i, case in ipairs(cases) do
    local name = folds.configuration(case)
    if not twins[name] then names[#names + 1], twins[name] = name, {} end
    table.insert(twins[name], i)
  end
  for n, name in ipairs(in_order_of_hash(names)) do
    for _, i in ipairs(twins[name]) do fold_of[i] = (n - 1) % count + 1 end
  end
  return fold_of, #names
end

--- A set of `count` of the cases' indices; others for another number of the draw.
function folds.sample(cases, count, draw)
  local names, index, set = {}, {}, {}
  for i, case in ipairs(cases) do
    names[i] = (case.row.case_id or "") .. "\0" .. i .. "\0" .. draw
    index[names[i]] = i
  end
  in_order_of_hash(names)
  for n = 1, math.min(count, #names) do set[index[names[n]]] = true end
  return set
end

return folds
