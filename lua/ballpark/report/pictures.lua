-- Pictures of a result as plain data: what HTML draws with a library and a terminal with blocks. They are made from the
-- tables of the result by the tables' names, so whoever has the result (a page in a browser, say) can make them.
-- No files, threads or processes here. A picture:
--   kind    "bars" | "lines" | "points" | "heat" | "spans" | "intervals", with what the kind needs (below)
--   block   name of the table it is made from, which stands beside it
--   beside  name of another table that stands there instead, where the own one is too long to read
--   title, about  a heading; a sentence that says it all to who does not see it
--   x, y    { title, log, zero }: axes, with the unit in the title; zero: begins there
-- bars       categories; series { name, values, faint }; stacked; flat (categories downwards); limit { name, value };
--            whiskers { category (from 0), low, high }
-- lines      series { name, points { x, y }, steps, faint }; limits { name, value }
-- points     series { name, points { x, y, text, y_low, y_high }, faint, joined, chosen };
--            diagonal; small; labelled: what stands before the colon in a text stands beside its point
-- heat       columns, rows (texts); cells { column, row (from 0), value or false, text }; unit
-- spans      rows (texts); spans { row (from 0), from, to, kind, text }; kinds { kind, name }
-- intervals  rows { name, low, high, middle or false, text }; middle of all, with its name
local pictures = {}

-- Rooms by what they draw; each is { [name of a table] = function(block, around) -> picture, ... }.
local ROOMS <const> = { "cards", "platform", "ranges", "serving", "sweep", "training", "validation" }

local makers

local function known_makers()
  if makers then return makers end
  makers = {}
  for _, room in ipairs(ROOMS) do
    for name, make in pairs(require("ballpark.report.pictures." .. room)) do
      makers[name] = makers[name] or {}
      table.insert(makers[name], make)
    end
  end
  return makers
end

-- What makers see besides their table: tables and first facts of the result by name.
local function around_of(r)
  local around = { tables = {}, facts = {} }
  for _, block in ipairs(r.blocks) do
    if block.kind == "table" then around.tables[block.name] = around.tables[block.name] or block end
    for _, fact in ipairs(block.items or {}) do around.facts[fact.name] = around.facts[fact.name] or fact end
  end
  return around
end

--- The pictures of a result by the name of their table, each a list.
---@param r table see ballpark.result
---@return table<string, table[]>
function pictures.of(r)
  local found, around = {}, around_of(r)
  for _, block in ipairs(r.blocks) do
    for _, make in ipairs(block.kind == "table" and known_makers()[block.name:gsub("_%d+$", "")] or {}) do
      for _, picture in ipairs({ make(block, around) }) do
        picture.block = block.name
        found[block.name] = found[block.name] or {}
        table.insert(found[block.name], picture)
      end
    end
  end
  return found
end

return pictures
