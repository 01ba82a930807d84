-- The cheapest change that makes a rejected plan one that can run. One field of the plan at a time is left free and
-- all others are held, so every candidate is estimated and checked like any plan of a search; where no single field
-- is enough, two at a time. The cheapest is the one with the shortest step.
local fields = require("ballpark.fields")
local search = require("ballpark.search.plans")
local space = require("ballpark.search.space")
local tables = require("ballpark.tables")

local cheapest_change = {}

-- A field that says nothing without another one is changed together with it.
local TOGETHER <const> = { recompute = { "recompute", "recompute_share" } }
local PART <const> = { recompute_share = true }

-- Changes to list: enough to choose from, few enough to read.
local SHOWN <const> = 6

-- Another number of replicas follows from the other fields; formats, optimizer and adapters train something else.
local function may_change(field)
  return field.sets ~= "replicas" and field.sets ~= "training" and not PART[field.name]
end

-- Lists of fields that make one change each.
local function changes()
  local list = {}
  for i, name in ipairs(fields.of_plan(may_change)) do list[i] = TOGETHER[name] or { name } end
  return list
end

-- The search that leaves these fields of the plan free and holds all others.
local function opened(input, plan, free)
  local held, open = tables.with(plan), {}
  for name in pairs(space.follows()) do held[name] = nil end -- held, they would forbid every other width
  for _, name in ipairs(free) do held[name], open[name] = nil, "free" end
  local asked = tables.with(input, { plan = held, space = open, objective = "step_s", top = 1,
    case = tables.with(input.case, { follows = {} }) }) -- what is held does not follow
  asked.differ, asked.front = nil, nil
  return search.run(asked)
end

-- Whether a search came nearer to a plan that can run than `why` is: less memory short, or no longer this reason.
local function comes_nearer(found, why)
  for _, line in ipairs(found.tally) do
    if line.reason ~= why.reason then return true end
    if line.short_bytes and line.short_bytes < why.short_bytes then return true end
  end
  return false
end

local function setting(name, value)
  return name .. "=" .. (math.type(value) == "float" and ("%.15g"):format(value) or tostring(value))
end

-- "recompute=full,recompute_share=0.5": the fields that differ, as --why takes them, with the replicas if those were
-- asked for; of the plan there and before.
local function words_of(free, plan, before, asked)
  local now, was, names = {}, {}, tables.set(free)
  names.dp = asked.dp and true
  for _, name in ipairs(fields.of_plan(function(field) return names[field.name] end)) do
    if plan[name] ~= before[name] then
      now[#now + 1], was[#was + 1] = setting(name, plan[name]), setting(name, before[name])
    end
  end
  return table.concat(now, ","), table.concat(was, ",")
end

local function row_of(kept, free, before, asked)
  local change, now = words_of(free, kept.plan, before, asked)
  return { change = change, now = now, plan = kept.plan, step_s = kept.time.step_s, memory = kept.memory }
end

-- Shortest step first; of equal ones the order of the plan's fields.
local function sorted(rows)
  local place = {}
  for i, row in ipairs(rows) do place[row] = i end
  table.sort(rows, function(a, b)
    if a.step_s ~= b.step_s then return a.step_s < b.step_s end
    return place[a] < place[b]
  end)
  return table.move(rows, 1, math.min(SHOWN, #rows), 1, {})
end

local function singles(input, why)
  local rows, near = {}, {}
  for _, free in ipairs(changes()) do
    local found = opened(input, why.plan, free)
    if found.plans[1] then
      rows[#rows + 1] = row_of(found.plans[1], free, why.plan, input.why)
    elseif comes_nearer(found, why) then
      near[#near + 1] = free
    end
  end
  return rows, near
end

local function pairs_of(input, why, near)
  local rows = {}
  for i, first in ipairs(near) do
    for j = i + 1, #near do
      local free = table.move(near[j], 1, #near[j], #first + 1, table.move(first, 1, #first, 1, {}))
      local kept = opened(input, why.plan, free).plans[1]
      if kept then rows[#rows + 1] = row_of(kept, free, why.plan, input.why) end
    end
  end
  return rows
end

--- The changes of one field, else of two, with which a rejected plan can run, the shortest step first:
--- { change = "grad_bytes=2", now = "grad_bytes=4", plan, step_s, memory }; empty where there is none.
---@param input table what was searched, complete
---@param why table what search.why said of the plan
function cheapest_change.of(input, why)
  local rows, near = singles(input, why)
  if not rows[1] then rows = pairs_of(input, why, near) end
  return sorted(rows)
end

return cheapest_change
