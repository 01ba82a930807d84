-- The page of an answer: five steps, each with lines that carry formula, numbers, assumption, source and range.
local product = require("ballpark.uncertain.product")
local titles = require("ballpark.questions.ask.titles")
local units = require("ballpark.units")

local page = {}

--- The five steps: name, title.
page.STEPS = { { "scope", "1 Scope" }, { "size", "2 Size" }, { "compute", "3 Compute" }, { "fleet", "4 Fleet" },
  { "sanity", "5 Sanity" } }

--- How many there are where the demand is so many times as large: `count` of them now, for a demand of `needed` times what
--- one does before it is whole, `each` at a time. One and what is spare stay.
function page.counted(count, needed, each)
  each = each or 1
  local now = math.max(1, math.ceil(needed))
  return function(factor) return count + each * (math.max(1, math.ceil(needed * factor)) - now) end
end

--- A term of a sum of which only `part` goes with it.
function page.share(sum, part, term)
  if not term then return nil end
  local function at(value) return value and sum + part * (value / term.value - 1) end
  return { name = term.name, value = sum, low = at(term.low), high = at(term.high), drivers = term.drivers }
end

local Page = {}
Page.__index = Page

function page.new()
  local self = setmetatable({ lines = {}, values = {}, ranges = {}, contradictions = {}, warnings = {}, notes = {},
    assumed = {}, levers = {}, drivers = {} }, Page)
  for _, step in ipairs(page.STEPS) do self.lines[step[1]] = {} end
  return self
end

--- A number with its unit as people read it.
function page.n(value, unit) return units.format(value, unit or "") end

-- Ends of a range of things that are counted: two digits of large ones.
local function counted(value)
  local digits = math.max(0, math.floor(math.log(math.max(1, value), 10)) - 1)
  return units.format(math.floor(value / 10 ^ digits + 0.5) * 10 ^ digits, "")
end

--- The value of a line as people read it, its range behind it: "54 (50 to 78)".
function page.shown(line)
  if line.value == nil then return "–" end
  if type(line.value) == "string" then return line.value end
  if type(line.value) == "boolean" then return line.value and "yes" or "no" end
  local unit = line.stored and "stored" or line.unit
  if line.low and line.is_count then
    return ("%s (%s to %s)"):format(units.format(line.value, line.unit), counted(line.low), counted(line.high))
  elseif line.low then return units.ranged(line.value, line.low, line.high, unit) end
  return units.format(line.value, unit)
end

--- Adds a line to a step: name, title, value, unit, how (formula with numbers, assumption) and more: low and high, or
--- terms (of which the value is a product; counted = function(factor) -> what is counted where the product is so many times
--- as large, of what has no fractions), source, basis (given, proposed, computed or estimated), stored (bytes of
--- storage), brief (it is on the ten-line page).
function Page:add(step, name, title, value, unit, how, more)
  local line = { name = name, title = title, value = value, unit = unit or "", how = how or "", basis = "computed" }
  for key, item in pairs(more or {}) do line[key] = item end
  if line.terms then
    local range = product.range(value, line.terms)
    if range then line.low, line.high, line.drivers = range.low, range.high, range.drivers end
    if range and line.counted then
      line.low, line.high, line.is_count = line.counted(range.low / value), line.counted(range.high / value), true
    end
    line.terms, line.counted = nil, nil
  end
  if line.low and line.high and line.low == line.high then line.low, line.high, line.drivers = nil, nil, nil end
  table.insert(self.lines[step], line)
  self.values[name] = value
  if line.low then self.ranges[name] = { low = line.low, high = line.high } end
  return line
end

--- Adds a fact as a line of the scope.
function Page:fact(facts, name, more)
  local entry = facts:entry(name)
  if not entry then return nil end
  local row = entry.row
  local how = (entry.given or entry.follows) and entry.why or "proposed: " .. entry.why
  local line = self:add("scope", name, row.title or name, entry.value, row.unit or "", how, { low = entry.low,
    high = entry.high, basis = entry.given and "given" or entry.follows and "computed" or "proposed", stored = row.stored })
  for key, item in pairs(more or {}) do line[key] = item end
  return line
end

--- The line of a name that has been set already; nil where there is none.
function Page:line(name)
  for _, step in ipairs(page.STEPS) do
    for _, line in ipairs(self.lines[step[1]]) do
      if line.name == name then return line end
    end
  end
end

--- A line of a name as a term of a product; nil where there is none.
function Page:term(name, power)
  local line = self:line(name)
  return line and { name = titles.within_line(line.title), value = line.value, low = line.low, high = line.high,
    drivers = line.drivers, power = power }
end

--- What a line of a name says, with its range, for the answer's head.
function Page:said(name) return page.shown(self:line(name)) end

--- What was asked and does not go: stands in the head of the report.
function Page:contradict(code, text) table.insert(self.contradictions, { code = code, text = text }) end

--- Contradicts a budget that a cost breaks; nothing where nobody gave one. costs: what it costs, in words with a place
--- for the sum, "the fleet costs %s a month".
function Page:keep_budget(usd, budget, costs)
  if not budget or usd <= budget then return end
  self:contradict("budget", (costs .. ", and the budget is %s"):format(page.n(usd, "USD"), page.n(budget, "USD")))
end

return page
