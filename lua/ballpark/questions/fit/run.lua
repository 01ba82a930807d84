-- fit{}: does a model fit, for inference or for training, on devices or on which of the catalog.
local changes = require("ballpark.questions.fit.changes")
local errors = require("ballpark.errors")
local questions = require("ballpark.questions")
local resolve = require("ballpark.resolve.fit")
local rows = require("ballpark.questions.fit.rows")
local tables = require("ballpark.tables")

local fit = {}

-- Devices of the catalog whose details a report shows: the cheapest to rent and to buy that fit, and those that just do
-- not, one of a size.
local RENTED <const>, BOUGHT <const>, NEAR <const> = 5, 4, 3

local function explain(row)
  rows.complete(row)
  row.changes = changes.of(row)
  row.cheapest = changes.cheapest(row, row.changes)
end

-- Adds the rows of devices; where none can run it, the first says why itself.
local function add_rows(answer, setup, list)
  for _, device in ipairs(list) do
    local row, reason = rows.try(tables.with(setup, { device = device }))
    if row then
      answer.rows[#answer.rows + 1] = row
    else
      answer.refused[#answer.refused + 1] = { device.name, reason }
    end
  end
  if #answer.rows == 0 then rows.of(tables.with(setup, { device = list[1] })) end
end

-- Which rows of the catalog a report shows, those in their order.
local function choose(list)
  local rented, bought, sizes, near = 0, 0, {}, 0
  for _, row in ipairs(list) do
    if row.sure and row.usd_h then
      rented, row.shown = rented + 1, rented < RENTED
    elseif row.sure then
      row.shown = bought < BOUGHT and (row.card_usd ~= nil or rented == 0)
      bought = bought + (row.shown and 1 or 0)
    elseif near < NEAR and (row.usd_h or row.card_usd) and not sizes[row.usable_bytes] then
      near, row.shown, sizes[row.usable_bytes] = near + 1, true, true
    end
  end
end

-- The whole catalog, ranked, with the details of those that a report shows.
local function ranked(answer, setup)
  add_rows(answer, setup, resolve.catalog(setup.purpose))
  table.sort(answer.rows, rows.before)
  choose(answer.rows)
  for _, row in ipairs(answer.rows) do
    if row.shown and row.sure then rows.complete(row) elseif row.shown then explain(row) end
  end
end

local function named(answer, setup, list)
  if #list == 0 then errors.input("on", "names no device") end
  add_rows(answer, setup, list)
  for _, row in ipairs(answer.rows) do explain(row) end
end

--- The answer of fit{}: { kind, setup, named, rows, fits, refused ({ device, why }), assumed }; see rows.lua. Of the
--- catalog only rows with `shown` have the details that take several estimates.
---@param input table
function fit.run(input)
  questions.check_known("fit", input)
  local setup, assumed = resolve.setup(input)
  local answer = { kind = "fit", setup = setup, rows = {}, refused = {}, assumed = assumed, named = input.on ~= nil }
  if input.on then named(answer, setup, input.on) else ranked(answer, setup) end
  answer.fits = false
  for _, row in ipairs(answer.rows) do answer.fits = answer.fits or row.fits end
  return answer
end

return fit
