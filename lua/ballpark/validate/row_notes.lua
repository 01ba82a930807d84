-- Why rows of a validation are not covered and what was assumed of them, in the words of the rows, counted.
local statistics = require("ballpark.validate.statistics")

local row_notes = {}

-- What people read of assumptions before --rows.
local MOST_ASSUMED <const> = 12

-- Sentences with the numbers left out, most frequent first, with how many rows say each and one of them.
local function counted(said)
  local names, parts = statistics.split(said, function(saying) return (saying.text:gsub("%d+", "N")) end)
  local list = {}
  for i, name in ipairs(names) do list[i] = { #parts[name], parts[name][1].case_id, parts[name][1].text } end
  table.sort(list, function(a, b)
    if a[1] ~= b[1] then return a[1] > b[1] end
    return a[2] .. a[3] < b[2] .. b[3]
  end)
  return list
end

-- A run with several measures is one that is not covered, where they share the reason.
local function uncovered(rows)
  local said, last = {}, {}
  for _, row in ipairs(rows) do
    if row.status == "uncovered" and not (row.row == last.row and row.reason == last.reason) then
      said[#said + 1] = { case_id = row.case_id, text = row.reason }
      last = row
    end
  end
  return counted(said)
end

-- A run with several measures assumes once.
local function assumed(rows)
  local said, last = {}, nil
  for _, row in ipairs(rows) do
    for _, text in ipairs(row.row ~= last and row.assumed or {}) do
      said[#said + 1] = { case_id = row.case_id, text = text }
    end
    last = row.row
  end
  return counted(said)
end

-- Letters of a row's name for people: longer ones would push the sentence off the screen.
local NAME_LETTERS <const> = 32

local function add_table(r, name, title, heading, rows)
  if #rows == 0 then return end
  r:table({ name = name, title = title, columns = { { name = "count", title = "Rows" },
    { name = "example", title = "Such as", letters = NAME_LETTERS },
    { name = "reason", title = heading } }, rows = rows })
end

--- Adds the tables of both to a result, those that are not empty.
function row_notes.add(r, rows)
  add_table(r, "uncovered", "Not covered", "Reason", uncovered(rows))
  local list = assumed(rows)
  if #list > MOST_ASSUMED then r:note("Further assumptions are with the rows: --rows, or -f json.") end
  add_table(r, "assumed", "Assumed where columns are blank", "Assumption",
    table.move(list, 1, math.min(#list, MOST_ASSUMED), 1, {}))
end

return row_notes
