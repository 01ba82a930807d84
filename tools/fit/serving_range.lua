-- How far predictions of serving lie from measurements they never saw, dense models and those with experts apart: the
-- catalog's table of 80 % ranges. What a row does not say, or a device that borrows its curves, widens the range of
-- that row by itself: the table holds what is left.
local range = require("ballpark.range.serving")
local simulate = require("ballpark.questions.serve.simulate")
local tables = require("ballpark.tables")

local serving_range = {}

--- The time per token of an engine that is full.
serving_range.FULL = "full_ms"

local SHARE <const> = 0.1 -- of the weight below a range, and above it

-- Of a normal law, at that share.
local Z <const> = 1.2816

local KINDS <const> = { "dense", "experts" }

--- Log widths { ttft_ms = { down, up }, ... } of what a case leaves open, of its own.
function serving_range.own_widths(case)
  local function run(input) return simulate.means((simulate.run(case, input))) end
  if not case.open[1] then return {} end
  local widths = {}
  for name, width in pairs(range.left_open(case, case.input, run(case.input), run)) do
    widths[name:gsub("_s$", "_ms")] = width
  end
  return widths
end

-- How much wider a law of so many groups is than one of many: Student's t of one degree of freedom less over the normal law
-- (Cornish and Fisher's first two terms, within 1 % from four degrees on), and the error of its middle.
local function few(groups)
  if groups < 2 then return 2 end
  local freedom, square = groups - 1, Z * Z
  local student = 1 + (square + 1) / (4 * freedom) + (5 * square * square + 16 * square + 3) / (96 * freedom * freedom)
  return student * math.sqrt(1 + 1 / groups)
end

-- Items of a list by value, with weights that let a cell count by the root of its rows, and the number of its groups.
local function weighted(items, without)
  local counts, groups, list, sum = {}, {}, {}, 0
  for _, item in ipairs(items) do counts[item.cell] = (counts[item.cell] or 0) + 1 end
  for _, item in ipairs(items) do
    if item.group ~= without then
      list[#list + 1] = { value = item.beyond, weight = counts[item.cell] ^ -0.5 }
      sum, groups[item.group] = sum + list[#list].weight, true
    end
  end
  table.sort(list, function(a, b) return a.value < b.value end)
  return list, sum, #tables.sorted_keys(groups)
end

local function at(list, sum, share)
  local below = 0
  for _, item in ipairs(list) do
    below = below + item.weight
    if below >= share * sum then return item.value end
  end
  return list[#list].value
end

--- Ends of the range of a list of items { group, cell, beyond }, in e-folds: a group that is left out does not count.
function serving_range.ends(items, without)
  local list, sum, groups = weighted(items, without)
  if not list[1] then return 0, 0 end
  local factor = few(groups)
  return math.min(0, factor * at(list, sum, SHARE)), math.max(0, factor * at(list, sum, 1 - SHARE))
end

local ends = serving_range.ends

local function of_kind(items, kind, metric)
  local list = {}
  for _, item in ipairs(items) do
    if item.kind == kind and item.metric == metric then list[#list + 1] = item end
  end
  return list
end

-- Share of groups, and of rows, that are in the range of the other groups, and how many groups there are; of the rows
-- that `counts` says count.
local function held(list, counts)
  local inside, rows, all, groups, count = {}, 0, 0, 0, 0
  for _, item in ipairs(list) do
    local of = inside[item.group] or { rows = 0, held = 0 }
    if not of.low then of.low, of.high = ends(list, item.group) end
    inside[item.group] = of
    if counts(item) then
      local is_in = item.beyond >= of.low and item.beyond <= of.high and 1 or 0
      of.rows, of.held, rows, all = of.rows + 1, of.held + is_in, rows + is_in, all + 1
    end
  end
  for _, of in pairs(inside) do
    if of.rows > 0 then groups, count = groups + of.held / of.rows, count + 1 end
  end
  return 100 * groups / count, 100 * rows / all, count
end

local function everything() return true end

local function not_flagged(item) return not item.flagged end

--- The table's text from items { group, cell, kind, metric, flagged, beyond (ln of measured over predicted without the
--- group, beyond the row's own widths) }; prints how many groups the range of the others holds, with their flagged rows
--- and without.
function serving_range.text(items, metrics)
  local lines = {}
  for _, kind in ipairs(KINDS) do
    local parts = {}
    for _, metric in ipairs(metrics) do
      local list = of_kind(items, kind, metric)
      local low, high = ends(list)
      parts[#parts + 1] = ("%s = { %.3f, %.3f }"):format(metric, math.exp(low), math.exp(high))
      for _, part in ipairs({ { "all", everything }, { "not flagged", not_flagged } }) do
        io.write(("  %-8s %-8s %-11s %.1f %% of groups, %.1f %% of rows in the range of the others, of %d groups\n"):format(kind,
          metric, part[1], held(list, part[2])))
      end
    end
    lines[#lines + 1] = ("  %s = { %s },\n"):format(kind, table.concat(parts, ", "))
  end
  return table.concat(lines)
end

return serving_range
