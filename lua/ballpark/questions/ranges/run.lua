-- A function of uncertain numbers: traced into an expression that the core works out for many draws where it can be, and
-- called for every draw where not.
local dimensions = require("ballpark.dimensions")
local draws = require("ballpark.uncertain.draws")
local errors = require("ballpark.errors")
local node = require("ballpark.uncertain.node")
local quantity = require("ballpark.quantity")
local questions = require("ballpark.questions")
local result = require("ballpark.result")
local tables = require("ballpark.tables")
local uncertain = require("ballpark.uncertain")

local ranges = {}

-- Draws of a matrix where every draw calls the function.
local CALLED_SAMPLES <const> = 64

-- The uncertain numbers among the inputs, named after them.
local function leaves_of(inputs)
  local list, seen = {}, {}
  for _, name in ipairs(tables.sorted_keys(inputs)) do
    local value = inputs[name]
    if uncertain.is(value) then
      local own = node.leaves(value, {}, {})
      for _, leaf in ipairs(own) do leaf.name = leaf.name or name end
      node.leaves(value, list, seen)
    end
  end
  return list
end

-- The inputs where the leaves are worth what `of` says.
local function inputs_at(inputs, of)
  local plain = {}
  for name, value in pairs(inputs) do
    plain[name] = uncertain.is(value) and quantity.new(node.value(value, of), value.dimension, value.sure) or value
  end
  return plain
end

local function check_row(row)
  if type(row) ~= "table" or quantity.is(row) or uncertain.is(row) then
    errors.input("ranges.run", "must return a table of numbers by name or an answer, got " .. quantity.type(row))
  end
  return row
end

-- The nodes of what the traced function gives, or nil where it cannot be traced.
local function traced(run, inputs)
  uncertain.tracing = true
  local ok, row = errors.attempt(run, inputs)
  uncertain.tracing = false
  if not ok or type(row) ~= "table" or row.kind then return nil end
  local nodes, any = {}, false
  for name, value in pairs(row) do
    if not (uncertain.is(value) or type(value) == "number" or quantity.is(value)) then return nil end
    if uncertain.is(value) then nodes[name], any = value, true end
  end
  return any and nodes or nil
end

--- The figures of an answer: { name = { value, low, high, unit, title, hide } }, numbers only.
---@param answer table of a question
function ranges.figures(answer)
  local shown, row, ends = result.new({ numbers_only = true }), {}, {}
  questions.show(shown, answer)
  for place, fact in ipairs(shown:scalars()) do
    if type(fact.value) == "number" and not ends[fact.name] then
      local range = fact.range or fact.as_sure or {}
      row[fact.name] = { value = fact.value, low = range.low, high = range.high, unit = fact.unit, title = fact.title,
        hide = fact.hide, place = place, stored = fact.stored }
      if fact.range ~= nil then ends[fact.name .. "_low"], ends[fact.name .. "_high"] = true, true end
    end
  end
  return row
end

local function row_of(value)
  if check_row(value).kind then return ranges.figures(value) end
  local row = {}
  for name, item in pairs(value) do
    local number = quantity.value(item)
    if type(number) == "number" then
      row[name] = { value = number, unit = quantity.is(item) and dimensions.unit(item.dimension) or "", title = name }
    end
  end
  return row
end

local function called(spec, leaves, limits)
  local samples = spec.samples or CALLED_SAMPLES
  local figures, rows = draws.run({ leaves = leaves, samples = samples, seed = spec.seed, indices = "saltelli",
    evaluate = function(of)
      local _, value = uncertain.within(of, spec.run, inputs_at(spec.inputs, of))
      return row_of(value)
    end })
  for _, figure in ipairs(figures) do
    local like = {}
    for _, row in ipairs(rows) do like = row[figure.name] or like end
    figure.place, figure.hide, figure.stored = like.place, like.hide, like.stored
    if limits[figure.name] then figure.broken = draws.broken(figure, limits[figure.name]) end
  end
  return figures, #rows
end

local function worked_out(spec, leaves, limits, nodes)
  local figures, samples = draws.tape(nodes, { samples = spec.samples, seed = spec.seed, limits = limits,
    leaves = leaves })
  for _, figure in ipairs(figures) do
    figure.unit, figure.title = dimensions.unit(figure.dimension), figure.name
  end
  return figures, samples
end

local function limits_of(given)
  local limits = {}
  for _, name in ipairs(tables.sorted_keys(given or {})) do
    local limit = given[name]
    if type(limit) ~= "table" then errors.input("limits." .. name, "must be { most = } or { least = }") end
    errors.only("limits." .. name, limit, { "least", "most" })
    limits[name] = { least = quantity.value(limit.least), most = quantity.value(limit.most) }
  end
  return limits
end

local function check(spec)
  questions.check_known("ranges", spec)
  if type(spec.inputs) ~= "table" then
    errors.input("ranges.inputs", "must be a table, got " .. type(spec.inputs))
  end
  if type(spec.run) ~= "function" then
    errors.input("ranges.run", "must be a function of the inputs, got " .. type(spec.run))
  end
  local leaves = leaves_of(spec.inputs)
  if not leaves[1] then errors.input("ranges.inputs", "has no uncertain number: write one as range(40, 80)") end
  return leaves
end

local function check_limits(limits, by_name)
  for _, name in ipairs(tables.sorted_keys(limits)) do
    if not by_name[name] then errors.unknown("limits", name, tables.sorted_keys(by_name), "result") end
  end
end

--- Answers ranges{ inputs =, run =, limits =, samples =, seed =, title = }: { kind, ranges = figures by name, samples,
--- traced }; see the record.
function ranges.run(spec)
  local leaves, limits = check(spec), limits_of(spec.limits)
  local nodes = traced(spec.run, spec.inputs)
  local figures, samples = (nodes and worked_out or called)(spec, leaves, limits, nodes)
  local by_name = {}
  for _, figure in ipairs(figures) do by_name[figure.name] = figure end
  check_limits(limits, by_name)
  return { kind = "ranges", title = spec.title, ranges = by_name, limits = limits, samples = samples,
    traced = nodes ~= nil }
end

return ranges
