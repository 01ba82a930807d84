-- fit{}: does a model fit, for inference or for training, on devices or on which of the catalog.
local changes = require("ballpark.questions.fit.changes")
local errors = require("ballpark.errors")
local groups = require("ballpark.questions.fit.groups")
local questions = require("ballpark.questions")
local resolve = require("ballpark.resolve.fit")
local rows = require("ballpark.questions.fit.rows")
local tables = require("ballpark.tables")

local fit = {}

-- Devices of the catalog whose details a report shows: the cheapest to rent and to buy that fit, and those that just do
-- not, one of a size; fewer beside groups that are cheaper, and of those.
local MOST <const> = { rented = 5, bought = 4, near = 3 }
local BESIDE <const> = { rented = 4, bought = 3, near = 1 }
local GROUPS <const> = { rented = 2, bought = 2, near = 0 }

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
local function choose(list, most)
  local rented, bought, sizes, near = 0, 0, {}, 0
  for _, row in ipairs(list) do
    row.shown = false
    if row.sure and row.usd_h then
      rented, row.shown = rented + 1, rented < most.rented
    elseif row.sure then
      row.shown = bought < most.bought and (row.card_usd ~= nil or rented == 0)
      bought = bought + (row.shown and 1 or 0)
    elseif near < most.near and (row.usd_h or row.card_usd) and not sizes[row.usable_bytes] then
      near, row.shown, sizes[row.usable_bytes] = near + 1, true, true
    end
  end
end

-- Groups are asked about where nobody says how many devices there are, and the model is one that several share.
local function add_groups(answer, input)
  if input.devices or answer.setup.call then return end
  answer.groups = groups.of(answer.rows)
  choose(answer.groups, GROUPS)
  local shown
  for _, row in ipairs(answer.groups) do
    row.shown = row.shown and groups.is_cheaper(row, answer.rows)
    if row.shown then rows.complete(row) end
    shown = shown or row.shown
  end
  if shown then choose(answer.rows, BESIDE) end
end

-- The whole catalog, ranked, with the details of those that a report shows.
local function ranked(answer, setup, input)
  add_rows(answer, setup, resolve.catalog(setup.purpose))
  table.sort(answer.rows, rows.before)
  choose(answer.rows, MOST)
  add_groups(answer, input)
  for _, row in ipairs(answer.rows) do
    if row.shown and row.sure then rows.complete(row) elseif row.shown then explain(row) end
  end
end

local function named(answer, setup, list)
  if #list == 0 then errors.input("on", "names no device") end
  add_rows(answer, setup, list)
  for _, row in ipairs(answer.rows) do explain(row) end
end

--- The answer of fit{}: { kind, setup, named, rows, groups, fits, refused ({ device, why }), assumed }; see rows.lua and
--- groups.lua. Of the catalog only rows with `shown` have the details that take several estimates.
---@param input table
function fit.run(input)
  questions.check_known("fit", input)
  local setup, assumed = resolve.setup(input)
  local answer = { kind = "fit", setup = setup, rows = {}, groups = {}, refused = {}, assumed = assumed, named = input.on ~= nil }
  if input.on then named(answer, setup, input.on) else ranked(answer, setup, input) end
  answer.fits = answer.groups[1] ~= nil
  for _, row in ipairs(answer.rows) do answer.fits = answer.fits or row.fits end
  return answer
end

return fit
