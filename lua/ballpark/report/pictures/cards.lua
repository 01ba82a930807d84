-- Pictures of one machine: what memory and a token's time go to, and what each change needs of it.
local columns = require("ballpark.report.pictures.columns")
local units = require("ballpark.units")

local cards = {}

-- The columns of memory: of `fit`, and of `local`, whose host has memory, too, and which may have a second kind of device.
local PLACES <const> = { { "bytes", "device" }, { "device_bytes", "device" }, { "other_bytes" }, { "host_bytes", "host" } }

-- Places in which something is, the device first, and what is in each by row. Two kinds of device have their own titles.
local function places_of(block)
  local names, found, two = {}, {}, columns.at(block, "other_bytes")
  for _, place in ipairs(PLACES) do
    local at, values = columns.at(block, place[1]), columns.values(block, place[1])
    local used = #found == 0
    for _, value in ipairs(values or {}) do used = used or value and value > 0 end
    if values and used then
      names[#names + 1], found[#found + 1] = two and block.columns[at].title or place[2], values
    end
  end
  return names, found
end

-- Memory that is in the device, of the facts of `fit` and `local`.
local function usable_of(around)
  local usable = around.facts.usable_bytes
  return usable and usable.value
end

--- Memory by part, of the devices and of their host, with what the device has for it where that is not what the parts share
--- out. What stands below the sum lies beside it and is not drawn.
function cards.memory(block, around)
  local names, places, found = columns.values(block, "part"), places_of(block)
  local last
  for i, name in ipairs(names or {}) do last = name:find("^all%f[%W]") and i or last end
  if not found[1] or not last or last < 2 then return nil end
  local usable, all = usable_of(around), 0
  for i = 1, last - 1 do all = all + (found[1][i] or 0) end
  if usable and math.abs(all - usable) < 1e-6 * usable then usable = nil end
  local scaled, label = columns.scale({ all, usable }, "B")
  local series, most = {}, 1
  for i = 1, last - 1 do
    local values = {}
    for at, list in ipairs(found) do values[at] = scaled(list[i] or 0) end
    series[i] = { name = names[i], values = values }
    if (found[1][i] or 0) > (found[1][most] or 0) then most = i end
  end
  return { kind = "bars", title = block.title, flat = true, stacked = true, categories = places, series = series,
    y = columns.axis("memory", label), limit = usable and { name = "usable", value = scaled(usable) } or nil,
    about = ("%s of memory on the device%s; the largest part is %s."):format(units.format(all, "B"),
      usable and ", of " .. units.format(usable, "B") .. " that are usable" or "", names[most]) }
end

--- What the time of a generated token goes to.
function cards.time(block)
  local names, values = columns.values(block, "part"), columns.values(block, "seconds")
  if not names or not values or #values < 2 then return nil end
  local scaled, label = columns.scale(values, "s")
  local drawn, sum, most = {}, 0, 1
  for i, value in ipairs(values) do
    drawn[i], sum = scaled(value), sum + value
    if value > values[most] then most = i end
  end
  return { kind = "bars", title = block.title, flat = true, categories = names, series = { { name = "time", values = drawn } },
    y = columns.axis("time", label), about = ("%s in all; the most is %s with %s."):format(units.format(sum, "s"), names[most],
      units.format(values[most], "s")) }
end

-- Bars of memory that is needed, beside the memory that is there, by the column `name`.
local function needs(block, name, need, there)
  local names, needed, had = columns.values(block, name), columns.values(block, need), columns.values(block, there)
  if not names or not needed or not had then return nil end
  local kept, first, second, all = {}, {}, {}, {}
  for i, value in ipairs(needed) do
    if value and had[i] then
      kept[#kept + 1], first[#first + 1], second[#second + 1] = names[i], value, had[i]
      all[#all + 1] = math.max(value, had[i])
    end
  end
  if not kept[2] then return nil end
  local scaled, label = columns.scale(all, "B")
  local held = 0
  for i = 1, #kept do
    if first[i] <= second[i] then held = held + 1 end
    first[i], second[i] = scaled(first[i]), scaled(second[i])
  end
  return { kind = "bars", title = block.title, flat = true, categories = kept, y = columns.axis("memory", label),
    series = { { name = "needed", values = first }, { name = "there", values = second, faint = true } },
    about = ("Memory that is needed beside what is there: %d of %d need no more than there is."):format(held, #kept) }
end

--- What each change needs, of `fit` and of `finetune`.
function cards.changes(block)
  return needs(block, "change", "need_bytes", "usable_bytes") or needs(block, "change", "total_bytes", "capacity_bytes")
end

--- How fast each change makes generation on one machine.
function cards.better(block)
  local names, values = columns.values(block, "what"), columns.values(block, "tokens_per_s")
  if not names or not values or #values < 2 then return nil end
  local kept, speeds = {}, {}
  for i, value in ipairs(values) do
    if value then kept[#kept + 1], speeds[#speeds + 1] = names[i], value end
  end
  if not kept[2] then return nil end
  local scaled, label = columns.scale(speeds, "tok/s")
  local drawn, most = {}, 1
  for i, value in ipairs(speeds) do
    drawn[i] = scaled(value)
    if value > speeds[most] then most = i end
  end
  return { kind = "bars", title = "Generation with each change", flat = true, categories = kept,
    series = { { name = "generation", values = drawn } }, y = columns.axis("generation", label),
    about = ("The fastest is %s with %s."):format(kept[most], units.format(speeds[most], "tok/s")) }
end

return cards
