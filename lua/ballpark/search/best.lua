-- What a search keeps of what it evaluated: in order, the first of those that agree, and so many of them.
local best = {}

-- Whether list a of ranks is before list b; places decide between equal ones.
local function is_before(a, b)
  for i, rank in ipairs(a.ranks) do
    if rank ~= b.ranks[i] then return rank < b.ranks[i] end
  end
  return a.place < b.place
end

--- The items sorted by their ranks, less first; of equal ones the earlier first.
---@param items any[]
---@param ranks_of fun(item: any): number[] the same number of ranks for every item
function best.sorted(items, ranks_of)
  local keyed, list = {}, {}
  for i, item in ipairs(items) do keyed[i] = { item = item, ranks = ranks_of(item), place = i } end
  table.sort(keyed, is_before)
  for i, entry in ipairs(keyed) do list[i] = entry.item end
  return list
end

--- Puts an item into a list that is sorted by its ranks, before the first that is not before it.
function best.insert(items, item, ranks_of)
  local entry, at = { ranks = ranks_of(item), place = math.huge }, 1
  while items[at] and is_before({ ranks = ranks_of(items[at]), place = math.huge }, entry) do at = at + 1 end
  table.insert(items, at, item)
end

--- The first item of each key, in their order.
---@param items any[]
---@param key_of fun(item: any): any
function best.of_each(items, key_of)
  local seen, list = {}, {}
  for _, item in ipairs(items) do
    local key = key_of(item)
    if not seen[key] then list[#list + 1] = item end
    seen[key] = true
  end
  return list
end

--- The first `most` items.
function best.first(items, most) return table.move(items, 1, math.min(#items, most), 1, {}) end

-- At least as good in everything.
local function equals_or_beats(a, b)
  for i, rank in ipairs(a.ranks) do
    if rank > b.ranks[i] then return false end
  end
  return true
end

-- By all ranks in their order, then by place: behind an item there is none that beats it.
local function comes_first(a, b)
  for i, rank in ipairs(a.ranks) do
    if rank ~= b.ranks[i] then return rank < b.ranks[i] end
  end
  return a.place < b.place
end

--- The Pareto front: items that no other beats or equals in all ranks, sorted by the first rank. Of items that are
--- equal in all of them the earliest is kept.
function best.front(items, ranks_of)
  local keyed, kept = {}, {}
  for i, item in ipairs(items) do keyed[i] = { item = item, ranks = ranks_of(item), place = i } end
  table.sort(keyed, comes_first)
  for _, entry in ipairs(keyed) do
    local beaten = false
    for _, other in ipairs(kept) do beaten = beaten or equals_or_beats(other, entry) end
    if not beaten then kept[#kept + 1] = entry end
  end
  table.sort(kept, function(a, b)
    if a.ranks[1] ~= b.ranks[1] then return a.ranks[1] < b.ranks[1] end
    return a.place < b.place
  end)
  local list = {}
  for i, entry in ipairs(kept) do list[i] = entry.item end
  return list
end

--- The item with the least distance and that distance; the earliest of equal ones. Items without a distance are
--- passed over.
---@param items any[]
---@param distance_of fun(item: any): number|nil
function best.nearest(items, distance_of)
  local nearest, least
  for _, item in ipairs(items) do
    local distance = distance_of(item)
    if distance and (not least or distance < least) then nearest, least = item, distance end
  end
  return nearest, least
end

return best
