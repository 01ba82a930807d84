-- How many of a device it takes to hold what is asked about: the fewest that surely do.
local resolve = require("ballpark.resolve.fit")
local rows = require("ballpark.questions.fit.rows")
local tables = require("ballpark.tables")

-- Numbers that are tried: those of one machine, then whole machines of eight.
local COUNTS <const> = { 1, 2, 3, 4, 6, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256 }

-- Tensor-parallel ranks of engines divide heads: no three or six of them.
local NO_RANKS <const> = tables.set({ 3, 6 })

local fewest = {}

--- The fewest devices, more than `above` and at most `most`, that surely hold a setup of resolve/fit.lua; nil where none do.
---@param setup table
---@param above integer
---@param most integer|nil all that are tried
---@return integer|nil
function fewest.of(setup, above, most)
  local serves = resolve.way(setup) == "serving"
  for _, count in ipairs(COUNTS) do
    if count > above and count <= (most or math.huge) and not (serves and NO_RANKS[count]) then
      local row = rows.try(tables.with(setup, { devices = count }))
      if row and row.sure then return count end
    end
  end
end

return fewest
