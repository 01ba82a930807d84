-- Groups of one kind of device within a node that hold together what fewer of them do not: two, four or eight, as machines are
-- sold and ranks divide heads. Where no group does, the fewest of the devices that come nearest, in several nodes.
local fewest = require("ballpark.questions.fit.fewest")
local rows = require("ballpark.questions.fit.rows")
local tables = require("ballpark.tables")

local groups = {}

local SIZES <const> = { 2, 4, 8 }

-- The smallest group of a row's device within a node that surely holds it; nil where none does. Every byte of one device is on
-- one of the group: less than the need over their number no device has.
local function smallest(row)
  for _, size in ipairs(SIZES) do
    local is_there = size <= (row.device.node_size or 1)
    if is_there and row.need_bytes <= size * row.usable_bytes then
      local group = rows.try(tables.with(row.setup, { devices = size }))
      if group and group.sure then return group end
    end
  end
end

-- The fewest devices of several nodes.
local function of_nodes(row)
  local count = fewest.of(row.setup, row.device.node_size or 1)
  return count and rows.try(tables.with(row.setup, { devices = count }))
end

-- Devices that share their host's memory are machines, of which nobody makes a node; what has no price is not to be had.
local function is_sold(row) return not row.device.shared_memory and (row.usd_h or row.card_usd) ~= nil end

--- Rows of groups of the catalog, each the smallest of its device that surely holds what one does not, in the order of
--- rows.before; where there is none, rows of more devices than a node has, of the `shown` rows.
---@param list table[] rows of single devices
---@return table[]
function groups.of(list)
  local found = {}
  for _, row in ipairs(list) do
    if not row.sure and is_sold(row) then found[#found + 1] = smallest(row) end
  end
  if not found[1] then
    for _, row in ipairs(list) do
      if row.shown and not row.sure and is_sold(row) then found[#found + 1] = of_nodes(row) end
    end
  end
  table.sort(found, rows.before)
  return found
end

-- The least price of single devices that surely hold it; more than any where there are none.
local function least(list, field)
  local price = math.huge
  for _, row in ipairs(list) do
    if row.sure and row[field] then price = math.min(price, row[field]) end
  end
  return price
end

--- Whether a group is cheaper, to rent or to buy, than every single device that surely holds it.
---@param group table row
---@param list table[] rows of single devices
function groups.is_cheaper(group, list)
  for _, field in ipairs({ "usd_h", "card_usd" }) do
    if group[field] and group[field] < least(list, field) then return true end
  end
  return false
end

return groups
