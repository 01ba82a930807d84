-- The published measurement nearest to an answer about a model that is no language model, and what is estimated for it.
local best = require("ballpark.search.best")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local ratio = require("ballpark.questions.comparables.ratio")
local rows = require("ballpark.catalog.published_media")
local searches = require("ballpark.catalog.published_searches")
local stores = require("ballpark.catalog.published_stores")
local units = require("ballpark.units")

local measured = {}

-- Another model is as far as a device of so many times the speed.
local OTHER_MODEL <const> = math.log(100)

--- Rows about a question.
function measured.of(question)
  local list = {}
  for _, row in ipairs(rows) do
    if row.question == question then list[#list + 1] = row end
  end
  return list
end

local function as_words(row)
  return ("%s on %s%s"):format(row.input.model, row.input.device,
    row.input.runtime and " under " .. row.input.runtime or row.input.software and " under " .. row.input.software or "")
end

--- { text, source, date, value, unit, ratio = estimated over measured } of the row nearest to a model on a device.
---@param question string
---@param run fun(input: table): table the question itself
---@param model string
---@param device table
function measured.nearest(question, run, model, device)
  local row = best.nearest(measured.of(question), function(row)
    return (row.input.model == model and 0 or OTHER_MODEL)
      + ratio.apart(catalog.device(row.input.device).bf16_flop_s, device.bf16_flop_s)
  end)
  local estimated = run(row.input)[row.figure]
  return { text = as_words(row), source = row.source .. (row.recalled and ", recalled" or ""), date = row.date,
    value = row.value, unit = row.unit, ratio = estimated / row.value, formatted = units.format(row.value, row.unit) }
end

local function search_words(row)
  local asked = row.input
  return ("%s among %s vectors of %d on %s, %s"):format(asked.index, units.number(asked.vectors, 0), asked.dim,
    asked.host, asked.batch > 1 and units.number(asked.batch, 0) .. " queries together" or "a query at a time")
end

--- The same of a search among vectors with an index of that kind; nil where none is published.
---@param run fun(input: table): table
---@param input table index, vectors, dim
function measured.nearest_search(run, input)
  local list = {}
  for _, row in ipairs(searches) do
    if row.input.index == (input.index or "flat") then list[#list + 1] = row end
  end
  if not list[1] then return nil end
  local row = best.nearest(list, function(row)
    return ratio.apart(row.input.vectors * row.input.dim, input.vectors * input.dim)
  end)
  return { text = search_words(row), source = row.source, date = row.date, value = row.time_s, unit = "s",
    ratio = run(row.input).out.time_s / row.time_s, formatted = units.format(row.time_s, "s") }
end

--- The same of the memory of an index of that kind; nil where none is published.
---@param index string of kernel.embedding_store
---@param copy_bytes number memory of a copy of one's own
function measured.nearest_store(index, copy_bytes)
  local list = {}
  for _, row in ipairs(stores) do
    if row.store.index == index then list[#list + 1] = row end
  end
  if not list[1] then return nil end
  local row = best.nearest(list, function(row) return ratio.apart(row.memory_bytes, copy_bytes) end)
  return { text = ("%s: %s"):format(row.name, units.format(row.memory_bytes, "stored")), source = row.source .. ", recalled",
    date = row.date, ratio = core.embedding_store(row.store).memory_bytes / row.memory_bytes }
end

--- Adds it to a list of facts.
function measured.add(fact, near)
  fact("comparable_ratio", near.ratio, "", "Comparable", nil, ("{comparable_ratio} times what was measured is "
    .. "estimated for %s: %s (%s; %s)"):format(near.text, near.formatted, near.source, near.date))
end

return measured
