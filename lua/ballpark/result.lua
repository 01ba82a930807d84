-- What a command or scenario answers: blocks of facts and tables, each value with name, unit and
-- title, and beside them what was assumed, noted, warned and expected. Values are base-unit
-- numbers, text, booleans or nothing; reports decide how they look.
local errors = require("ballpark.errors")

local result = {}

local Result = {}
Result.__index = Result

local ALLOWED = { number = true, string = true, boolean = true, ["nil"] = true }

local function check_text(value, ...)
  if value ~= nil and type(value) ~= "string" then
    errors.input(table.concat({ ... }), "must be text, got " .. type(value))
  end
  return value
end

local HUGE <const> = math.huge

local function is_fine(value) return ALLOWED[type(value)] and value == value and value ~= HUGE and value ~= -HUGE end

-- The place is put into words only for an error.
local function check_value(value, ...)
  if is_fine(value) then return end
  local place = table.concat({ ... })
  if not ALLOWED[type(value)] then
    errors.input(place, "must be a number, text or true/false, got " .. type(value))
  end
  errors.input(place, "is " .. tostring(value) .. ", not a number a report can carry")
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
    difference = column.difference, letters = column.letters, stored = column.stored,
    exact = column.exact, tally = column.tally, axis = column.axis, drawn = column.drawn, mixed = column.mixed }
end

--- What is known of a column before its values: a metatable for facts, whose own fields differ from it.
function result.described(column)
  local description = copy_column(column)
  description.__index, description.described = description, true
  return description
end

-- Descriptions of the ends of a fact's range, by the description of the fact where facts share it.
local ends_of = setmetatable({}, { __mode = "k" })

local function describe_end(fact, which)
  return result.described({ name = fact.name .. "_" .. which, unit = fact.unit, title = fact.title .. ", " .. which,
    hide = true })
end

local function described_ends(fact)
  local shared = getmetatable(fact)
  local known = shared and ends_of[shared]
  if not known then
    known = { describe_end(shared or fact, "low"), describe_end(shared or fact, "high") }
    if shared then ends_of[shared] = known end
  end
  return known
end

--- The ends of a fact's range as facts, step_s_low and step_s_high: what formats of one value a column have. None where
--- it has no range.
function result.ends(fact)
  if fact.range == nil then return {} end
  local known, range = described_ends(fact), fact.range or {}
  return { setmetatable({ value = range.low }, known[1]), setmetatable({ value = range.high }, known[2]) }
end

-- A fact with a shared description is whole as it is.
local function whole_fact(item, place, i)
  local fact = copy_column(item, "facts.", place, "[", i, "]")
  fact.value, fact.text, fact.range, fact.as_sure = item.value, item.text, item.range, item.as_sure
  return fact
end

local illustrated = false

--- Whether results of this run are to hold what only pictures show, such as every operation of a pipeline.
function result.illustrate(wanted) illustrated = wanted end

--- A new, empty result. numbers_only keeps facts and leaves out tables: all that a sweep asks for, and more than
--- a shard does.
---@param about {title: string|nil, command: string|nil, numbers_only: boolean|nil}
function result.new(about)
  about = about or {}
  return setmetatable({
    title = about.title, command = about.command, numbers_only = about.numbers_only,
    illustrated = illustrated and not about.numbers_only,
    blocks = {}, names = {}, assumed = {}, notes = {}, warnings = {}, expectations = {},
    lints = {}, explained = {}, seen = {},
  }, Result)
end

-- The facts of a bundle { bundle = descriptions, values = by name }, those that have a value.
local function unpack_bundle(items, bundle, values)
  for _, description in ipairs(bundle) do
    local value = values[description.name]
    if value ~= nil then items[#items + 1] = setmetatable({ value = value }, description) end
  end
end

-- Values of the core are numbers, text and true or false: only their size is in question.
local function check_bundle(bundle, values)
  for i = 1, #bundle do
    local value = values[bundle[i].name]
    if value ~= value or value == HUGE or value == -HUGE then check_value(value, "facts.", bundle[i].name) end
  end
end

local function check_range(fact)
  for _, which in ipairs({ "low", "high" }) do
    local value = fact.range[which]
    if not is_fine(value) then check_value(value, "facts.", fact.name, ".range.", which) end
  end
end

-- The items of a list of facts, checked; bundles stay what they are where only numbers are wanted.
local function checked_items(self, spec, place)
  local items = {}
  for i, item in ipairs(spec) do
    if item.bundle then
      check_bundle(item.bundle, item.values)
      if self.numbers_only then items[#items + 1] = item else unpack_bundle(items, item.bundle, item.values) end
    else
      local fact = item.described and item or whole_fact(item, place, i)
      if not is_fine(fact.value) then check_value(fact.value, "facts.", fact.name) end
      if fact.range then check_range(fact) end
      items[#items + 1] = fact
    end
  end
  return items
end

--- A list of single values: r:facts{name=, title=, {name=, value=, unit=, title=}, ...}.
--- Facts with hide = true are left out of what people read and kept in machine formats; chance = true
--- marks a probability, stored = true bytes of storage or traffic, exact = true a column of data, tally = true how many
--- of something there are. range = { low, high, why } is that of the value (see ballpark.range), false where a value has
--- none now and may have one in another answer; as_sure is such a range of a value that goes with another
--- one, whose range stands there.
--- Bytes that one sentence names are shown in one unit, unless their `scale` differs.
--- Items can also be facts with a description of result.described, or bundles of such:
--- { bundle = list of descriptions, values = their values by name }.
function Result:facts(spec)
  if self.leading then
    spec = table.move(spec, 1, #spec, 2, { name = spec.name, title = spec.title, { name = "contradiction",
      title = "Does not go", value = self.leading } })
    self.leading = nil
  end
  local block = { kind = "facts", title = spec.title }
  block.name = block_name(self, spec.name, spec.title, "facts")
  block.items = checked_items(self, spec, block.name)
  self.blocks[#self.blocks + 1] = block
  return block
end

--- What was asked and does not go: stands before the first of the facts that come next.
---@param text string
function Result:lead(text) self.leading = text end

--- A table: r:table{name=, title=, columns={{name=, unit=, title=}, ...}, rows={{...}, ...}}.
--- A row is a list in column order, or has the values under the column names. With beside = true a
--- terminal shows the table to the right of the one before. A column with human = true holds sentences
--- in which {name} stands for another value of the row; machine formats leave it out. Columns with the same
--- `scale` are shown in the same unit; difference = true says that percentages are differences of such;
--- mixed = true that its rows differ in unit, and each has digits of its own;
--- drawn = true that it is a picture in letters; axis = true is what a sweep varies; of a
--- text longer than `letters` people see both ends. skip = { [i] = true } leaves row i out of what people read,
--- hide = true all of it.
function Result:table(spec)
  if self.numbers_only then return nil end
  local block = { kind = "table", title = spec.title, columns = {}, rows = {}, beside = spec.beside,
    skip = spec.skip or {}, hide = spec.hide }
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

--- What was asked, for reports that say it: { command = words of a shell, path = of a scenario, text = of it }.
function Result:ask(asked)
  self.asked = self.asked or {}
  for key, value in pairs(asked) do self.asked[key] = value end
end

--- Ranges under uncertain inputs, by the name of the figure: what JSON carries as `ranges`.
function Result:uncertain(ranges)
  self.ranges = self.ranges or {}
  for name, range in pairs(ranges) do self.ranges[name] = self.ranges[name] or range end
end

--- Number of expectations that failed.
function Result:failed()
  local n = 0
  for _, e in ipairs(self.expectations) do
    if not e.ok then n = n + 1 end
  end
  return n
end

local function without_bundles(items)
  local list = {}
  for _, item in ipairs(items) do
    if item.bundle then unpack_bundle(list, item.bundle, item.values) else list[#list + 1] = item end
  end
  return list
end

--- All single values in order, first of a name wins: what a comparison looks at.
function Result:scalars()
  local list, seen = {}, {}
  for _, block in ipairs(self.blocks) do
    local items = block.items or {}
    if self.numbers_only then items = without_bundles(items) end
    for _, fact in ipairs(items) do
      if not seen[fact.name] then
        seen[fact.name] = true
        list[#list + 1] = fact
        for _, ending in ipairs(result.ends(fact)) do list[#list + 1] = ending end
      end
    end
  end
  return list
end

local function add_bundle(descriptions, values, n, item)
  local by_name = item.values
  for _, description in ipairs(item.bundle) do
    local value = by_name[description.name]
    if value ~= nil then
      n = n + 1
      descriptions[n], values[n] = description, value
    end
  end
  return n
end

local function add_fact(descriptions, values, n, item)
  n = n + 1
  descriptions[n], values[n] = item, item.value
  if item.range == nil then return n end
  local known, range = described_ends(item), item.range or {}
  descriptions[n + 1], values[n + 1] = known[1], range.low
  descriptions[n + 2], values[n + 2] = known[2], range.high
  return n + 2
end

--- The same as two lists, descriptions { name, unit } and values, and how many there are: for a sweep, which
--- makes a hundred of them for each of a million points. A name may come again; nil may be a value.
function Result:values()
  local descriptions, values, n = {}, {}, 0
  for _, block in ipairs(self.blocks) do
    for _, item in ipairs(block.items or {}) do
      if item.bundle then
        n = add_bundle(descriptions, values, n, item)
      else
        n = add_fact(descriptions, values, n, item)
      end
    end
  end
  return descriptions, values, n
end

--- The block called `name`, or the one that CSV shows: the first table, or where an answer is one row (one_row) or there is
--- no table the first facts.
function Result:pick(name)
  local first_facts, names
  names = {}
  for _, block in ipairs(self.blocks) do
    names[#names + 1] = block.name
    if block.name == name or (not name and block.kind == "table" and not (self.one_row and first_facts)) then return block end
    first_facts = first_facts or block
  end
  if name then errors.choice("--table", name, names) end
  return first_facts
end

return result
