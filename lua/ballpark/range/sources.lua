-- How far sources are from each other, beside what their runs differ by among themselves: whoever runs the same software
-- on the same kind of device has another cluster, another release, another way of measuring.
--
-- A cell is a class of software on a kind of device; of peaks of memory a class. The effect of a source in a cell is the median of its residuals
-- there. tau^2 of a cell is the mean square of its sources' effects, held to that of all cells. An estimate in a cell of
-- n sources is for one more of them: its spread is tau * sqrt(1 + 1 / n).
local law = require("ballpark.range.law")

local sources = {}

-- Runs that make a source a whole one; fewer count in proportion.
local FULL_ROWS <const> = 10

-- Sources that the spread of all cells is worth in each: a choice of ours, half of the sources of the fullest cell.
local HELD <const> = 3

-- What a cell without any source counts as: the spread is then tau * sqrt(3). An assumption: such a cell can not be looked
-- into, and sources that are alone in theirs are too few to say it.
local LEAST_SOURCES <const> = 0.5

local NARROW <const> = { { "fp4_flop_s", "4 bit" }, { "fp8_flop_s", "8 bit" } }

--- The kind of a device: its vendor, the narrowest floating-point format it multiplies, and whether it is a card.
---@param device table
---@return string
function sources.kind(device)
  local bits = "16 bit"
  for _, format in ipairs(NARROW) do
    if (device[format[1]] or 0) > 0 then bits = format[2] break end
  end
  return ("%s, %s%s"):format(device.vendor or "unknown vendor", bits, device.link == "pcie" and ", PCIe" or "")
end

--- The cell of an estimate { input, class }.
---@return string
function sources.cell(about) return about.class .. " on " .. sources.kind(about.input.device) end

-- { [cell] = { [family] = residuals } }
local function parted(samples)
  local parts = {}
  for _, sample in ipairs(samples) do
    if sample.cell then
      local cell = parts[sample.cell] or {}
      parts[sample.cell] = cell
      cell[sample.family] = cell[sample.family] or {}
      table.insert(cell[sample.family], sample.residual)
    end
  end
  return parts
end

local function add(sum, weight, effect, count)
  sum.weight, sum.squares = sum.weight + weight, sum.squares + weight * effect * effect
  sum.sources = sum.sources + count
end

local function empty() return { weight = 0, squares = 0, sources = 0 } end

local function effect_of(residuals)
  table.sort(residuals)
  local n = #residuals
  return { weight = math.min(1, n / FULL_ROWS), effect = (residuals[(n + 1) // 2] + residuals[n // 2 + 1]) / 2 }
end

--- What samples { family, cell, residual } say, nil where none has a cell: { all, cells } of sums { weight, squares, sources }, and the effects
--- { weight, effect } of each family in each cell, by which one can be left out again.
---@param samples table[]
---@return table|nil sums
---@return table|nil effects
function sources.learn(samples)
  local sums, effects = { all = empty(), cells = {} }, {}
  for cell, families in pairs(parted(samples)) do
    local names = {}
    for family in pairs(families) do names[#names + 1] = family end
    table.sort(names) -- sums do not hang on the order of a table
    sums.cells[cell], effects[cell] = empty(), {}
    for _, family in ipairs(names) do
      local own = effect_of(families[family])
      effects[cell][family] = own
      add(sums.cells[cell], own.weight, own.effect, 1)
    end
  end
  local cells = {}
  for cell in pairs(sums.cells) do cells[#cells + 1] = cell end
  if #cells == 0 then return nil end
  table.sort(cells)
  for _, cell in ipairs(cells) do
    local sum = sums.cells[cell]
    sums.all.weight, sums.all.squares = sums.all.weight + sum.weight, sums.all.squares + sum.squares
    sums.all.sources = sums.all.sources + sum.sources
  end
  return sums, effects
end

--- How many sources have been seen in a cell.
---@param sums table|nil
---@param cell string
---@return integer
function sources.count(sums, cell)
  local sum = sums and sums.cells[cell]
  return sum and sum.sources or 0
end

--- Half width of what one more source of a cell is off by, in e-folds: 0 where nothing is known of sources.
---@param sums table|nil of sources.learn
---@param cell string|nil
---@param own {weight: number, effect: number}|nil a source of the cell that is left out
---@return number
function sources.half(sums, cell, own)
  if not sums or not cell or sums.all.weight <= 0 then return 0 end
  local sum, less = sums.cells[cell] or empty(), own or { weight = 0, effect = 0 }
  local all = (sums.all.squares - less.weight * less.effect ^ 2) / math.max(1e-9, sums.all.weight - less.weight)
  local weight = sum.weight - less.weight
  local tau2 = (sum.squares - less.weight * less.effect ^ 2 + HELD * all) / (weight + HELD)
  return law.HALF_80 * math.sqrt(math.max(0, tau2) * (1 + 1 / math.max(LEAST_SOURCES, weight)))
end

return sources
