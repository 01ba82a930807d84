-- Tables of measured timings, and what each curve is fitted to of them.
local csv = require("ballpark.csv")
local files = require("ballpark.files")

local timings = {}

--- Records of a table: cells by column, as text.
function timings.read(path)
  local _, records = csv.records(files.read(path), path)
  return records
end

--- Sets of rows, sorted by the key that their records have in common.
---@param records table[]
---@param key_of fun(cells): string|nil|false nothing for a record that is left out
---@param make fun(cells): table the set, with `rows`, of the first record of a key
---@param row_of fun(cells, set): table
---@return table[]
function timings.sets(records, key_of, make, row_of)
  local by_key, keys = {}, {}
  for _, record in ipairs(records) do
    local key = key_of(record.cells)
    if key and not by_key[key] then
      by_key[key] = make(record.cells)
      keys[#keys + 1] = key
    end
    if key then table.insert(by_key[key].rows, row_of(record.cells, by_key[key])) end
  end
  table.sort(keys)
  local sets = {}
  for i, key in ipairs(keys) do sets[i] = by_key[key] end
  return sets
end

return timings
