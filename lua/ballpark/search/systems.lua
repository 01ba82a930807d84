-- Searches over systems and jobs, and over the plans of each. `space.system` and `space.job` list values of the
-- fields of cluster{} and job; every combination is searched by itself, and what they found is joined
-- exactly: the best of all are among the best of each.
local best = require("ballpark.search.best")
local differ = require("ballpark.search.differ")
local errors = require("ballpark.errors")
local free = require("ballpark.search.free")
local objectives = require("ballpark.search.objectives")
local searched = require("ballpark.search.searched")
local spaces = require("ballpark.search.space")
local tables = require("ballpark.tables")
local tally = require("ballpark.search.tally")

local systems = {}

-- More points than this are a mistake in writing, or a sweep.
local POINTS_MOST <const> = 10000

-- A value of cluster{} can be a table itself (a device): only lists and ranges are taken apart.
local function values(path, given, system)
  local list = spaces.values(path, given, { free = function() return free.values(path, system) end })
  if #list == 0 then
    errors.infeasible(path .. ": the list is empty, so no system or job is left: list values, or leave it out")
  end
  return list
end

-- Axes { group, field, values } in an order that does not depend on how the table was written.
local function axes_of(space, cluster)
  local axes, system = {}, tables.with(cluster or {}, type(space.system) == "table" and space.system or {})
  for _, group in ipairs({ "system", "job" }) do
    if space[group] ~= nil and type(space[group]) ~= "table" then
      errors.input("space." .. group, "must be a table of fields")
    end
    for _, field in ipairs(tables.sorted_keys(space[group] or {})) do
      local name = group .. "." .. field
      axes[#axes + 1] = { name = name, group = group, field = field,
        values = values("space." .. name, space[group][field], system) }
    end
  end
  return axes
end

-- All combinations of the axes' values, the first axis slowest.
local function combinations(axes)
  local whole = spaces.new(axes)
  if whole.size > POINTS_MOST then errors.input("space", "makes more than " .. POINTS_MOST .. " systems and jobs") end
  local list = {}
  for place, point in whole:points() do
    local groups = { system = {}, job = {} }
    for _, axis in ipairs(axes) do groups[axis.group][axis.field] = point[axis.name] end
    list[place] = groups
  end
  return list
end

-- The cluster that a system of the space is put over: whichever of nodes and devices the space varies
-- takes the place of the other.
local function base_cluster(cluster, system)
  if (system.nodes == nil) == (system.devices == nil) then return cluster end
  local base = tables.with(cluster, {})
  base[system.nodes ~= nil and "devices" or "nodes"] = nil
  return base
end

--- The inputs that `input` stands for, one for each system and job, and the axes { group, field, values }
--- that they are the combinations of; nil when it varies neither.
function systems.inputs(input)
  local space = type(input) == "table" and input.space
  if type(space) ~= "table" or (space.system == nil and space.job == nil) then return nil end
  if space.system and type(input.cluster) == "table" and input.cluster.network then
    errors.input("cluster", "is made already: give it as a plain table when space.system varies it")
  end
  if input.why then errors.input("why", "asks about one plan on one system: leave out space.system and space.job") end
  local inner = tables.with(space, {})
  inner.system, inner.job = nil, nil
  local list = {}
  local axes = axes_of(space, type(input.cluster) == "table" and input.cluster or nil)
  for i, point in ipairs(combinations(axes)) do
    list[i] = tables.with(input, { space = inner, job = tables.with(input.job, point.job) })
    if space.system then
      list[i].cluster = tables.with(base_cluster(input.cluster, point.system), point.system)
    end
  end
  return list, axes
end

local function devices_of(plan) return plan.input.cluster.network.devices end

-- Ranks of a plan of any system by the objectives; less is better.
local function ranks_of(plan, names)
  local ranks = {}
  for i, name in ipairs(names) do ranks[i] = objectives.rank(name, objectives.value(name, plan, devices_of(plan))) end
  return ranks
end

-- Whether a rule's score orders the plans instead of the objective.
local function is_ruled(answers)
  for _, answer in ipairs(answers) do
    for _, plan in ipairs(answer.plans) do
      if plan.score ~= objectives.value(answer.found.objective, plan, devices_of(plan)) then return true end
    end
  end
  return false
end

local function answer_of(plan) return plan.of end

local function all_of(answers, what)
  local list = {}
  for _, answer in ipairs(answers) do table.move(answer[what], 1, #answer[what], #list + 1, list) end
  return list
end

-- All kept plans, best first: by what they are judged by, then the step time, for of equal ones, as on the smallest
-- system, the fastest leads.
local function in_order(answers)
  local ruled = is_ruled(answers)
  return best.sorted(all_of(answers, "plans"), function(plan)
    return { ruled and -plan.score or objectives.order(plan.of.found.objective, plan, devices_of(plan)),
      objectives.handicapped_step(plan) }
  end)
end

local function front_of(answers)
  return best.front(all_of(answers, "front"), function(plan) return ranks_of(plan, plan.of.found.objectives) end)
end

-- Each line says by `of` whose plan its example, the nearest miss, is.
local function tally_of(answers)
  local counts, lines = tally.new(), {}
  for _, answer in ipairs(answers) do
    for _, line in ipairs(answer.found.tally) do
      counts:add(line.reason, tables.with(line, { of = answer }), line.short_bytes or line.time and line.time.step_s,
        line.count)
    end
  end
  for i, sum in ipairs(counts:by_count()) do lines[i] = tables.with(sum.example, { count = sum.count }) end
  return lines
end

-- How much of all spaces was looked at. When the last search was interrupted those before it were looked at whole, and
-- the spaces of the systems behind it are not known.
local function searched_of(answers, count)
  local looked_at, size = 0, 0
  for _, answer in ipairs(answers) do
    looked_at, size = looked_at + answer.found.searched.looked_at, size + answer.found.searched.size
  end
  local why = answers[#answers].found.searched.why
  if why and #answers < count then
    why = ("%s at number %d of %d systems and jobs"):format(why, #answers, count)
  end
  return searched.of(size, looked_at, why)
end

--- One answer from those of all systems and jobs; answers[i] is what search.run of a question gave for inputs[i].
--- answer.systems = { searched, all, axes, plans (the best of each that has one, best first) } says what it went over;
--- lines of the tally say by `of` which answer they are from.
---@param nearest_miss fun(found: table): table|nil
---@param asked {count: integer, axes: table[], differ: string[]|nil}
function systems.join(answers, nearest_miss, asked)
  local first = answers[1]
  local found = tables.with(first.found, { tally = tally_of(answers), searched = searched_of(answers, asked.count) })
  for _, name in ipairs({ "space_size", "evaluated", "feasible", "duplicates", "bounded" }) do
    found[name] = 0
    for _, answer in ipairs(answers) do found[name] = found[name] + answer.found[name] end
  end
  local all = in_order(answers)
  local plans = best.first(differ.first(all, asked.differ), first.input.top or 10)
  local lead = plans[1] and plans[1].of or first
  local joined = tables.with(lead, { found = found, plans = plans, best = plans[1], fits = #plans > 0,
    front = first.front and front_of(answers),
    systems = { searched = #answers, all = asked.count, axes = asked.axes, plans = best.of_each(all, answer_of) } })
  found.plans = lead.found.plans
  joined.nearest_miss = nearest_miss(found)
  return joined
end

return systems
