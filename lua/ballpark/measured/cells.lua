-- How the text of a table's cell becomes a value. A blank cell is unknown (nil), never zero and never a
-- default; a cell that does not read is kept as a complaint of its row.
local blanks = require("ballpark.blanks")
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")

local cells = {}

local FLAGS <const> = { ["1"] = true, ["true"] = true, yes = true, on = true, enabled = true, y = true, t = true,
  ["0"] = false, ["false"] = false, no = false, off = false, disabled = false, n = false, f = false }

local BLANKS <const> = { [""] = true, na = true, ["n/a"] = true, nan = true, unknown = true }

local function whole_of(text, least)
  local value = csv.number(text)
  local whole = value and math.tointeger(value)
  return whole and whole >= least and whole or nil
end

-- Far below and above what is measured; the square of a ratio of two is a number still.
local LEAST <const>, MOST <const> = 1e-75, 1e75

--- What is wrong with a number above 0 as a measured one, in the words of what is expected; nil where nothing is.
---@param value number
---@return string|nil
function cells.out_of_range(value)
  if value >= LEAST and value <= MOST then return nil end
  return ("a number from %g to %g"):format(LEAST, MOST)
end

local function positive(text)
  local value = csv.number(text)
  if not value or value <= 0 then return nil, "a number above 0" end
  local expected = cells.out_of_range(value)
  if expected then return nil, expected end
  return value
end

-- Value of a cell by its kind, or nil and what was expected.
local readers = {
  text = function(text) return text end,
  word = function(text) return text end,
  number = positive,
  count = function(text) return whole_of(text, 1), "a whole number of at least 1" end,
  index = function(text) return whole_of(text, 0), "a whole number of at least 0" end,
  flag = function(text) return FLAGS[text:lower()], "1, 0, true or false" end,
}

local function is_blank(text, kind) return text == "" or (kind ~= "text" and BLANKS[text:lower()] or false) end

--- The value of one text without blanks around it, or nil and what is wrong with it.
---@param name string what complaints call it
---@param kind string as in a list of columns
---@param text string
function cells.value(name, kind, text)
  local value, expected = readers[kind](text)
  if value == nil then return nil, ("%s: '%s' is not %s"):format(name, text, expected) end
  return value
end

--- The row of typed values in `texts`; `wrong` is the first that does not read, or nil.
---@param list table[] columns { name, kind, what it holds }; count: whole number of at least 1, index: of at
--- least 0; word: a text that a rule has to understand, so that 'n/a' and 'unknown' are blank as for numbers
---@param texts table<string, string>
---@return table row
function cells.row(list, texts)
  local row = {}
  for _, column in ipairs(list) do
    local name, kind = column[1], column[2]
    local text = blanks.cut(texts[name] or "")
    if not is_blank(text, kind) then
      local value, problem = cells.value(name, kind, text)
      row[name], row.wrong = value, row.wrong or problem
    end
  end
  return row
end

local function set_of(list)
  local set = {}
  for _, name in ipairs(list) do set[type(name) == "table" and name[1] or name] = true end
  return set
end

local function missing_of(about, header)
  local there, missing, targeted = set_of(header), {}, false
  for _, entry in ipairs(about.required) do
    local names, found = type(entry) == "table" and entry or { entry }, false
    for _, name in ipairs(names) do found = found or there[name] end
    if not found then missing[#missing + 1] = table.concat(names, " or ") end
  end
  for _, name in ipairs(about.targets) do targeted = targeted or there[name] end
  if not targeted then
    missing[#missing + 1] = (#about.targets > 1 and "one of " or "") .. table.concat(about.targets, ", ")
  end
  return missing
end

--- Headers of a table whose name is another one's: { [header] = column } of columns that have `also`, a list of what
--- they are called elsewhere, and are not there themselves.
---@param list table[]
---@param header string[]
---@return table<string, string>
function cells.otherwise(list, header)
  local there, meant = set_of(header), {}
  for _, column in ipairs(list) do
    local name = column[1]
    for _, other in ipairs(column.also or {}) do
      if there[other] and not there[name] then meant[other], there[name] = name, true end
    end
  end
  return meant
end

--- Checks a header against { list, beside, required, targets }: missing columns are an error, unknown ones are
--- returned. Of required columns in a list one is enough.
---@param about table
---@param header string[]
---@param name string the file's name
---@return string[] ignored
function cells.check(about, header, name)
  local missing = missing_of(about, header)
  if #missing > 0 then errors.input(name, "columns missing: " .. table.concat(missing, ", ")) end
  local known, beside, ignored = set_of(about.list), set_of(about.beside), {}
  for _, column in ipairs(header) do
    if not known[column] and not beside[column] then ignored[#ignored + 1] = column end
  end
  return ignored
end

return cells
