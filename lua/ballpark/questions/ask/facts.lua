-- The facts of a kind of question: given, or proposed with a source and a range. A proposal may use the facts before it.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local grammar = require("ballpark.questions.said.grammar")
local tables = require("ballpark.tables")
local titles = require("ballpark.questions.ask.titles")
local tokens = require("ballpark.questions.said.tokens")
local units = require("ballpark.units")

local facts = {}

local Facts = {}

-- f.rate_per_s is the value of a fact; f:entry(name) all that is known of it.
function Facts.__index(self, name) return Facts[name] or rawget(self, "values")[name] end

--- { value, given, why, low, high, row, follows (from others, and is no proposal) } of a fact, or nil where there is none.
function Facts:entry(name) return self.entries[name] end

--- A fact as a term of a product.
function Facts:term(name, power)
  local entry = self.entries[name]
  return { name = entry.row.title or name, value = entry.value, low = entry.low, high = entry.high, power = power }
end

--- A proposal that is known better once all facts are there.
function Facts:refine(name, value, why)
  local entry = self.entries[name]
  self.values[name], entry.value, entry.why, entry.low, entry.high = value, value, why, nil, nil
end

--- Ends of those that were said as ranges, by name: { low, high, why }.
function Facts:spans()
  local spans = {}
  for _, name in ipairs(self.order) do
    local entry = self.entries[name]
    if entry.given and entry.low then spans[name] = { low = entry.low, high = entry.high, why = entry.why } end
  end
  return spans
end

--- Whether somebody said it.
function Facts:is_given(name) return self.entries[name] ~= nil and self.entries[name].given end

--- Whether somebody said one of them.
function Facts:is_any_given(names)
  for _, name in ipairs(names) do
    if self:is_given(name) then return true end
  end
  return false
end

-- What a fact of yes or no may be given as.
local YES_OR_NO <const> = { [true] = "yes", [false] = "no", ["true"] = "yes", ["false"] = "no", yes = "yes", no = "no" }

-- A value as people write it: "7B", "30 days", "24 GB", "3 %"; the text itself where it is none.
local function from_words(row, text)
  local list = tokens.of(text)
  if not (list[1] and list[1].number) then return text end
  if #list == 1 then return row.type == "integer" and math.tointeger(list[1].number) or list[1].number end
  if row.unit == "frac" and #list == 2 and list[2].word == "%" then return list[1].number / 100 end
  local ok, said = errors.attempt(grammar.read, text)
  if not ok then return text end
  local f = said.facts
  if row.unit == "s" then return f.time_s or f.slo_s or text end
  return row.unit == "B" and f.memory_bytes or text
end

local function check_name(row, value)
  if type(value) == "string" then return end
  errors.input(row[1], "must be a name, got " .. (type(value) == "table" and "a table: write the name alone" or tostring(value)))
end

local function check_value(row, value)
  local is_number = row.type ~= "string" and row.type ~= "boolean"
  if type(value) == "string" and #value <= tokens.LONGEST_NUMBER and is_number then value = from_words(row, value) end
  if row.type == "boolean" then
    return YES_OR_NO[value] or errors.choice(row[1], tostring(value), { "yes", "no" })
  end
  if row.type == "string" then
    check_name(row, value)
    if row[1] == "device" then catalog.device(value) end -- refused where nobody knows it
    return value
  end
  if type(value) ~= "number" or not ((value > 0 or value == 0 and row.from_zero) and value < math.huge) then
    errors.input(row[1], ("must be a number %s, got %s"):format(row.from_zero and "from 0" or "above 0", errors.in_short(value)))
  end
  if row.unit == "frac" and value > 1 and not row.above_one then
    errors.input(row[1], ("must be a share, at most 1, got %.6g: write 0.4 or '40 %%'"):format(value))
  end
  if row.least and value < row.least then
    errors.input(row[1], ("%.6g %s: too few, say %s"):format(value, (row.title or row[1]):lower(), row.such))
  end
  if row.type == "integer" then return math.tointeger(value) or errors.input(row[1], "must be a whole number") end
  return value + 0.0 -- products of such counts are beyond what an integer holds
end

--- The value of a fact as it goes on; refused where it is none.
facts.value = check_value

local function proposed(row, all)
  if not row.propose then return nil end
  local value, why, low, high, follows = row.propose(all)
  if value == nil then return nil end
  if math.type(value) == "integer" and row.type ~= "integer" then value = value + 0.0 end -- as what is given
  return { value = value, given = false, why = why, low = low, high = high, row = tables.copy(row), follows = follows == true }
end

-- A count that is known between two ends is a whole number, and so are they.
local function counted(row, value, span)
  return span and row.type == "integer" and type(value) == "number" and math.floor(value + 0.5) or value
end

local function given_entry(row, value, span)
  local ends = span and span.low <= value and value <= span.high and span or {}
  return { value = value, given = true, why = span and span.why or ends.low and "given as a range" or "given", row = tables.copy(row),
    low = counted(row, ends.low, span), high = counted(row, ends.high, span) }
end

-- A function that gives what a check of a value gives and keeps why it refuses it, and one that raises all that was kept.
local function gathering()
  local wrong = {}
  local function tried(check, ...)
    local value, refused = errors.try(check, ...)
    wrong[#wrong + 1] = refused
    return value
  end
  return tried, function()
    if #wrong == 1 then error(wrong[1], 0) end
    local texts = {}
    for i, e in ipairs(wrong) do texts[i] = tostring(e) end
    if wrong[1] then errors.input(nil, table.concat(texts, "; ")) end
  end
end

-- Refuses what is unknown or wrong of the facts given, all at once.
local function check_all(kind, names, given, all, spans)
  local tried, raise_all = gathering()
  for _, name in ipairs(tables.sorted_keys(given)) do tried(errors.only, kind.name, { [name] = true }, names, "fact") end
  -- Given facts come first: a proposal may ask whether they are there.
  for _, row in ipairs(kind.facts) do
    if given[row[1]] ~= nil then all.values[row[1]] = tried(check_value, row, counted(row, given[row[1]], spans[row[1]])) end
  end
  raise_all()
end

-- The middle of two ends: the geometric mean, the arithmetic one where nothing is one of them.
local function middle(low, high) return low > 0 and math.sqrt(low * high) or high / 2 end

-- The number that a fact is taken for which is given as { low, high, value, why }: their middle where no value is said; and its
-- ends as numbers.
local function number_of(row, ends)
  local low, high = check_value(row, ends.low), check_value(row, ends.high)
  if low > high then errors.input(row[1], ("starts above its end: %.6g to %.6g"):format(low, high)) end
  local value = check_value(row, counted(row, ends.value or middle(low, high), ends))
  if value < low or value > high then errors.input(row[1], ("%.6g is not between its ends, %.6g and %.6g"):format(value, low, high)) end
  return value, { low = low, high = high, why = ends.why }
end

local function is_range(value) return type(value) == "table" and value.low ~= nil and value.high ~= nil end

-- Refuses names that are none, and what no kind knows beside them.
local function refuse_unnamed(rows, given, names)
  local tried, raise_all = gathering()
  for _, name in ipairs(tables.sorted_keys(given)) do
    if not names[name] then tried(errors.only, "ask", { [name] = true }, tables.sorted_keys(names), "fact") end
  end
  for _, row in ipairs(rows) do tried(check_name, row, given[row[1]]) end
  raise_all()
end

--- Facts given by name as the numbers and names that they have to be, whichever of these kinds is then asked; and the ends of
--- those that are given as ranges.
---@param list table[] records of kinds
---@param given table<string, any>
---@return table<string, any> numbers
---@return table<string, { low: number, high: number, why: string|nil }> spans
function facts.typed(list, given)
  local numbers, spans, names, unnamed = tables.with(given), {}, {}, {}
  for _, kind in ipairs(list) do
    for _, row in ipairs(kind.facts) do
      local name, value = row[1], numbers[row[1]]
      if value ~= nil and row.type == "string" and type(value) ~= "string" and not names[name] then unnamed[#unnamed + 1] = row end
      if value ~= nil and type(value) ~= "number" and row.type ~= "string" and row.type ~= "boolean" then
        local number, span = (is_range(value) and number_of or check_value)(row, value)
        numbers[name], spans[name] = number, span
      end
      names[name] = true
    end
  end
  if unnamed[1] then refuse_unnamed(unnamed, given, names) end
  return numbers, spans
end

--- Facts of which those that are known between two ends are given as ranges.
---@param given table<string, any>
---@param spans table<string, { low: number, high: number, why: string|nil }>
---@return table<string, any>
function facts.ranged(given, spans)
  local all = tables.with(given)
  for name, span in pairs(spans) do
    local value = given[name]
    local holds = type(value) == "number" and span.low <= value and value <= span.high
    all[name] = holds and tables.with(span, { value = value }) or value
  end
  return all
end

--- The facts of a kind.
---@param kind table a record of ballpark.questions.ask.kinds
---@param given table<string, any>
---@param spans table<string, { low: number, high: number }>|nil ends of facts that were given as a range, and why where they were not
function facts.of(kind, given, spans)
  local names, all = {}, setmetatable({ values = {}, entries = {}, order = {} }, Facts)
  for i, row in ipairs(kind.facts) do names[i] = row[1] end
  check_all(kind, names, given, all, spans or {})
  for _, row in ipairs(kind.facts) do
    local name, value = row[1], all.values[row[1]]
    local entry = value ~= nil and given_entry(row, value, spans and spans[name]) or proposed(row, all)
    if entry then
      all.values[name], all.entries[name] = entry.value, entry
      all.order[#all.order + 1] = name
    end
  end
  return all
end

-- Facts without which an answer is one to a question that nobody asked.
local MATTERS_MOST <const> = 2

--- Titles of the facts that matter most and that nobody said.
function facts.missing(all)
  local list = {}
  for _, name in ipairs(all.order) do
    local entry = all:entry(name)
    if not entry.given and not entry.follows and entry.row.ask and entry.row.ask <= MATTERS_MOST then
      list[#list + 1] = titles.within_line(entry.row.title or name)
    end
  end
  return list
end

--- Facts that nobody gave and a kind would ask for, those that matter most first, at most `most`: rows of the kind with
--- their proposals.
function facts.open(kind, given, most, spans)
  local all, list = facts.of(kind, given, spans), {}
  for _, name in ipairs(all.order) do
    local entry = all:entry(name)
    if not entry.given and not entry.follows and entry.row.ask then list[#list + 1] = entry end
  end
  for _, row in ipairs(kind.facts) do
    if row.ask and not all:entry(row[1]) then list[#list + 1] = { row = row } end
  end
  table.sort(list, function(a, b)
    if a.row.ask ~= b.row.ask then return a.row.ask < b.row.ask end
    return a.row[1] < b.row[1]
  end)
  return table.move(list, 1, math.min(most, #list), 1, {})
end

-- What "within 10 minutes" may mean, in the order of preference: a backlog done, an answer, a run ended.
local WITHIN <const> = { "within_s", "slo_s", "time_s" }

-- The row of a fact in the first of these kinds that has it; nil where none does.
local function row_of(list, name)
  for _, kind in ipairs(list) do
    for _, row in ipairs(kind.facts) do
      if row[1] == name then return row end
    end
  end
end

--- A fact as people say it, by the title that any of these kinds has for it: "price 2.5 USD/h".
---@param list table[] records of kinds
function facts.in_words(list, name, value)
  local row = row_of(list, name)
  if row then
    local shown = type(value) == "number" and units.format(value, row.stored and "stored" or row.unit or "") or tostring(value)
    return ("%s %s"):format(titles.within_line(row.title or name), shown)
  end
  return ("%s %s"):format(name:gsub("_", " "), type(value) == "number" and ("%.6g"):format(value) or tostring(value))
end

--- The unit of a fact in the first of these kinds that has it; nil where none does.
---@param list table[] records of kinds
function facts.unit(list, name)
  local row = row_of(list, name)
  return row and row.unit
end

--- Whether a kind has a fact of that name.
function facts.has(kind, name) return row_of({ kind }, name) ~= nil end

-- The facts of words under the names that the kind has for them: a row's `also` are other names of it, of which
-- `also_means` says how it is then meant.
local function renamed(kind, given, spans)
  local facts_of_kind, notes = tables.with(given), {}
  for _, row in ipairs(kind.facts) do
    for _, other in ipairs(row.also or {}) do
      if facts_of_kind[row[1]] == nil and facts_of_kind[other] ~= nil and not facts.has(kind, other) then
        facts_of_kind[row[1]], facts_of_kind[other] = facts_of_kind[other], nil
        spans[row[1]] = spans[other]
        notes[#notes + 1] = row.also_means
      end
    end
  end
  return facts_of_kind, notes
end

--- The facts of words under the names that the kind has for them, "within" among them; and sentences on what was meant.
---@param spans table|nil their ends, which get those names as well
---@return table<string, any> given
---@return string[] notes
function facts.named(kind, given, spans)
  local notes
  spans = spans or {}
  given, notes = renamed(kind, given, spans)
  if given.within_s == nil then return given, notes end
  for _, name in ipairs(WITHIN) do
    -- Where it is said already, "within" stays as it is, which is said.
    if facts.has(kind, name) and (given[name] == nil or given[name] == given.within_s) then
      local facts_of_kind = tables.with(given)
      facts_of_kind.within_s = nil
      facts_of_kind[name], spans[name] = given.within_s, spans.within_s
      return facts_of_kind, notes
    end
  end
  return given, notes
end

return facts
