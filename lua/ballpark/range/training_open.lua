-- How much wider a range of training is for what the facts leave open.
local fields = require("ballpark.fields")
local law = require("ballpark.range.law")
local left_open = require("ballpark.resolve.training.left_open")
local tables = require("ballpark.tables")
local widths = require("ballpark.range.log_widths")

local training_open = {}

-- Moves that a report need not speak of.
local SLIGHT <const> = 0.01

local function matters(width) return math.max(width[1], width[2]) > SLIGHT end

-- Says in each width which facts made it.
local function say(all, named)
  for figure, names in pairs(named) do
    if #names > 0 then all[figure].why = "left open: " .. table.concat(names, ", ") end
  end
end

local function itself(move) return move end

--- Log widths of what software adds that was measured by few: traits.spread.
---@param case table of ballpark.resolve.training
function training_open.own(case)
  local time = case.traits.spread and case.traits.spread.time or 0
  return { step = { time, time }, token = { time, time }, memory = { 0, 0 } }
end

--- Log widths down and up of the time of a step, of the time of a token and of the memory, by what is left open, all
--- facts taken as independent: { step = { down, up }, token =, memory = }, with the `why` of each; of a run that is
--- known to have run fits, the chances that it fits with the other values; and the names of the facts that matter.
---@param case table of ballpark.resolve.training
---@param out table what core.train_step says of its input
---@return {step: number[], token: number[], memory: number[], fits: number[]|nil}
---@return string[] names
function training_open.widths(case, out)
  local all, names, named = training_open.own(case), {}, { step = {}, token = {}, memory = {} }
  local fits = {}
  for _, name in ipairs(left_open.names(case)) do
    local moves, chances = left_open.moves(case, out, name)
    table.move(chances, 1, #chances, #fits + 1, fits)
    local own, any = widths.widen(all, moves, itself), false
    for figure, list in pairs(named) do
      if matters(own[figure]) then list[#list + 1], any = name, true end
    end
    if any then names[#names + 1] = name end
  end
  say(all, named)
  all.fits = case.facts.ran and fits or nil
  return all, names
end

-- The chance that a run fits of which one of several things is true, each as likely as the others before it is known that
-- it ran: what would not have fitted is then the less likely to be what it did (Bayes).
local function weighed(chance, others)
  local sum, squares = chance, chance ^ 2
  for _, other in ipairs(others) do sum, squares = sum + other, squares + other ^ 2 end
  return sum > 0 and squares / sum or 0
end

-- What profile.memory_spread holds at most.
local MOST_SPREAD <const> = 2

--- The memory of an estimate with its chance of fitting by what is left open, too: of a run that is known to have run
--- the chances of all that it may have been, weighed by themselves. Of one that is planned, what is open is its owner's to
--- choose. Values that take more memory are chosen where there is room for them, and take nothing from the chance. Values
--- that take less add to the chance of a run that is too large: their width is one more spread of the memory.
---@param input table of core.train_step
---@param memory table what it says of the memory
---@param wide table of training_open.widths
---@param estimate fun(input: table): table as core.train_step
---@return table memory
function training_open.memory(input, memory, wide, estimate)
  if wide.fits then return tables.with(memory, { fit_probability = weighed(memory.fit_probability, wide.fits) }) end
  local width = wide.memory[1]
  if width == 0 or memory.total_bytes <= memory.capacity_bytes then return memory end
  local spread = input.profile.memory_spread or fields.default("train_step", "profile", "memory_spread")
  local all = math.min(math.sqrt(spread ^ 2 + (width / law.HALF_80) ^ 2), MOST_SPREAD)
  local profile = tables.with(input.profile, { memory_spread = all })
  return estimate(tables.with(input, { profile = profile })).memory
end

return training_open
