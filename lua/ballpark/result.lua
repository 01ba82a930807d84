-- What a command or scenario answers: blocks of facts and tables, each value with name, unit and
-- title, and beside them what was assumed, noted, warned and expected. Values are base-unit
-- numbers, text, booleans or nothing; reports decide how they look.
local errors = require("ballpark.errors")

local result = {}

local Result = {}
Result.__index = Result

local ALLOWED = { number = true, string = true, boolean = true, ["nil"] = true }

-- Places are put into words only for an error: a sweep makes a hundred facts per point.
local function check_text(value, ...)
  if value ~= nil and type(value) ~= "string" then
    errors.input(table.concat({ ... }), "must be text, got " .. type(value))
  end
  return value
end

local function check_value(value, ...)
  if not ALLOWED[type(value)] then
    errors.input(table.concat({ ... }), "must be a number, text or true/false, got " .. type(value))
  end
  if value ~= value or value == math.huge or value == -math.huge then
    errors.input(table.concat({ ... }), "is " .. tostring(value) .. ", not a number a report can carry")
  end
end

--- Refuses a value that no report can carry; `where` names it.
function result.check(where, value) check_value(value, where) end

-- Blocks become keys of the machine formats, so their names are made unique and plain.
local function block_name(self, name, title, fallback)
  check_text(name, fallback, ".name")
  check_text(title, fallback, ".title")
  local base = name or (title and title:lower():gsub("[^%w]+", "_"):gsub("^_+", ""):gsub("_+$", ""))
  if not base or base == "" then base = fallback end
  local unique, n = base, 1
  while self.names[unique] do
    n = n + 1
    unique = base .. "_" .. n
  end
  self.names[unique] = true
  return unique
end

local function copy_column(column, ...)
  if type(column) ~= "table" then
    errors.input(table.concat({ ... }), "must be {name = ..., unit = ..., title = ...}, got " .. type(column))
  end
  if column.unit ~= nil and type(column.unit) ~= "string" then
    check_text(column.unit, table.concat({ ... }), ".unit")
  end
  if column.title ~= nil and type(column.title) ~= "string" then
    check_text(column.title, table.concat({ ... }), ".title")
  end
  if type(column.name) ~= "string" or column.name == "" then
    errors.input(table.concat({ ... }), "needs a name")
  end
  return { name = column.name, title = column.title or column.name, unit = column.unit or "",
    align = column.align, hide = column.hide, unit_column = column.unit_column,
    human = column.human, chance = column.chance, scale = column.scale,
    difference = column.difference }
end

--- A new, empty result.
---@param about {title: string|nil, command: string|nil}
function result.new(about)
  about = about or {}
  return setmetatable({
    title = about.title, command = about.command,
    blocks = {}, names = {}, assumed = {}, notes = {}, warnings = {}, expectations = {},
    seen = {},
  }, Result)
end

--- A list of single values: r:facts{name=, title=, {name=, value=, unit=, title=}, ...}.
--- Facts with hide = true are left out of what people read and kept in machine formats; chance = true
--- marks a probability; spread = {name, name} names the facts that are the ends of the value's range.
function Result:facts(spec)
  local block = { kind = "facts", title = spec.title, items = {} }
  block.name = block_name(self, spec.name, spec.title, "facts")
  for i, item in ipairs(spec) do
    local fact = copy_column(item, "facts.", block.name, "[", i, "]")
    check_value(item.value, "facts.", fact.name)
    fact.value, fact.text, fact.spread = item.value, item.text, item.spread
    block.items[i] = fact
  end
  self.blocks[#self.blocks + 1] = block
  return block
end

--- A table: r:table{name=, title=, columns={{name=, unit=, title=}, ...}, rows={{...}, ...}}.
--- A row is a list in column order, or has the values under the column names. With beside = true a
--- terminal shows the table to the right of the one before. A column with human = true holds sentences
--- in which {name} stands for another value of the row; machine formats leave it out. Columns with the same
--- `scale` are shown in the same unit; difference = true says that percentages are differences of such.
function Result:table(spec)
  local block = { kind = "table", title = spec.title, columns = {}, rows = {}, beside = spec.beside }
  block.name = block_name(self, spec.name, spec.title, "table")
  for i, column in ipairs(spec.columns) do
    block.columns[i] = copy_column(column, "table.", block.name, ".columns[", i, "]")
  end
  for i, row in ipairs(spec.rows) do
    local values = {}
    if type(row) ~= "table" then
      errors.input("table." .. block.name .. "[" .. i .. "]", "must be a list of values, got " .. type(row))
    end
    for j, column in ipairs(block.columns) do
      local value = row[j]
      if value == nil then value = row[column.name] end
      check_value(value, "table.", block.name, "[", i, "].", column.name)
      values[j] = value
    end
    block.rows[i] = values
  end
  self.blocks[#self.blocks + 1] = block
  return block
end

local function add_once(self, list, kind, text)
  local key = kind .. "\0" .. text
  if not self.seen[key] then
    self.seen[key] = true
    list[#list + 1] = text
  end
end

--- What the answer rests on without having been told; said once.
function Result:assume(text) add_once(self, self.assumed, "assume", text) end

--- What a reader should know.
function Result:note(text) add_once(self, self.notes, "note", text) end

--- What a reader must know before using the numbers.
function Result:warn(text) add_once(self, self.warnings, "warn", text) end

--- A check of the scenario: {id=, actual=, expected=, rel=, ok=, text=}.
function Result:expectation(e)
  self.expectations[#self.expectations + 1] = e
end

--- A form of its own for JSON and JSON Lines, where a command has promised one.
---@param body table the JSON value
---@param rows table[]|nil one object per line of JSON Lines
function Result:document(body, rows) self.body, self.body_rows = body, rows end

--- Number of expectations that failed.
function Result:failed()
  local n = 0
  for _, e in ipairs(self.expectations) do
    if not e.ok then n = n + 1 end
  end
  return n
end

--- All single values in order, first of a name wins: what a sweep or a comparison looks at.
function Result:scalars()
  local list, seen = {}, {}
  for _, block in ipairs(self.blocks) do
    for _, fact in ipairs(block.items or {}) do
      if not seen[fact.name] then
        seen[fact.name] = true
        list[#list + 1] = fact
      end
    end
  end
  return list
end

--- The block called `name`, or the one that CSV shows: the first table, else the first facts.
function Result:pick(name)
  local first_facts, names
  names = {}
  for _, block in ipairs(self.blocks) do
    names[#names + 1] = block.name
    if block.name == name or (not name and block.kind == "table") then return block end
    first_facts = first_facts or block
  end
  if name then errors.choice("--table", name, names) end
  return first_facts
end

return result
