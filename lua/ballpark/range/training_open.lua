-- How much wider a range of training is for what the facts leave open.
local fields = require("ballpark.fields")
local left_open = require("ballpark.resolve.training.left_open")
local tables = require("ballpark.tables")
local training = require("ballpark.range.training")
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

--- Log widths down and up of the time of a step, of the time of a token and of the memory, by what is left open, all
--- facts taken as independent: { step = { down, up }, token =, memory = }, with the `why` of each; and the names of the
--- facts that matter.
---@param case table of ballpark.resolve.training
---@param out table what core.train_step says of its input
---@return {step: number[], token: number[], memory: number[]}
---@return string[] names
function training_open.widths(case, out)
  local all, names, named = widths.none({ "step", "token", "memory" }), {}, { step = {}, token = {}, memory = {} }
  for _, name in ipairs(left_open.names(case)) do
    local own, any = widths.widen(all, left_open.moves(case, out, name), itself), false
    for figure, list in pairs(named) do
      if matters(own[figure]) then list[#list + 1], any = name, true end
    end
    if any then names[#names + 1] = name end
  end
  say(all, named)
  return all, names
end

-- What profile.memory_spread holds at most.
local MOST_SPREAD <const> = 2

--- The memory of an estimate with its chance of fitting by what is left open, too: the width of that is one more spread
--- of the memory, that on the side where the capacity lies.
---@param input table of core.train_step
---@param memory table what it says of the memory
---@param wide table of training_open.widths
---@param estimate fun(input: table): table as core.train_step
---@return table memory
function training_open.memory(input, memory, wide, estimate)
  local down, up = wide.memory[1], wide.memory[2]
  local width = memory.total_bytes <= memory.capacity_bytes and up or down
  if width == 0 then return memory end
  local spread = input.profile.memory_spread or fields.default("train_step", "profile", "memory_spread")
  local all = math.min(math.sqrt(spread ^ 2 + (width / training.HALF_80) ^ 2), MOST_SPREAD)
  local profile = tables.with(input.profile, { memory_spread = all })
  return estimate(tables.with(input, { profile = profile })).memory
end

return training_open
