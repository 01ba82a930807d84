-- What a plan does not say, and how much that may matter: it is estimated again with each setting that was
-- assumed at values that are just as plausible.
local core = require("ballpark.core")
local tables = require("ballpark.tables")
local widths = require("ballpark.range.log_widths")

local unstated = {}

-- Setting -> what the plan may as well mean.
local others = {
  recompute = function() return { "none", "selective", "full" } end,
  micro_batch = function(plan) return { math.max(1, plan.micro_batch // 2), 2 * plan.micro_batch } end,
  vpp = function(plan) return { 1, 2 * plan.vpp } end,
  zero = function() return { 1, 3 } end,
}

-- ln of how much more time and memory the changed input takes; nil where it is no plan or does not fit.
local function moved(input, plan, step)
  local ok, other = pcall(core.train_step, tables.with(input, { plan = plan }))
  if not ok or not other.fits then return nil end
  return { time = math.log(other.time.step_s / step.time.step_s),
    memory = math.log(other.memory.total_bytes / step.memory.total_bytes) }
end

-- Moves that a report need not speak of.
local SLIGHT <const> = 0.01

local function matters(width) return math.max(width[1], width[2]) > SLIGHT end

-- Says in each width which settings made it.
local function say(all, named)
  for figure, names in pairs(named) do
    if #names > 0 then all[figure].why = "left open: " .. table.concat(names, ", ") end
  end
end

--- Log widths of an estimate's step time and memory by what its plan leaves open: { time = { down, up }, memory =
--- { down, up } }, of all such settings, taken as independent, with the `why` of each; and the names of those that
--- matter.
---@param input table of core.train_step, the plan as it was asked for
---@param step table what core.train_step says of it
---@param open string[] names of settings that were assumed
---@return {time: number[], memory: number[]}
---@return string[]
function unstated.widths(input, step, open)
  local all, names, named = widths.none({ "time", "memory" }), {}, { time = {}, memory = {} }
  for _, name in ipairs(open) do
    local own = others[name] and widths.widen(all, others[name](step.plan), function(value)
      return moved(input, tables.with(input.plan, { [name] = value }), step)
    end)
    if own and (matters(own.time) or matters(own.memory)) then names[#names + 1] = name end
    for figure, list in pairs(named) do
      if own and matters(own[figure]) then list[#list + 1] = name end
    end
  end
  say(all, named)
  return all, names
end

return unstated
