-- Searches over systems and jobs, and over the plans of each. `space.system` and `space.job` list values of the
-- fields of cluster{} and job; every combination is searched by itself, and what they found is joined
-- exactly: the best of all are among the best of each.
local differ = require("ballpark.search.differ")
local errors = require("ballpark.errors")
local free = require("ballpark.search.free")
local objectives = require("ballpark.search.objectives")
local ranges = require("ballpark.number_list")
local tables = require("ballpark.tables")

local systems = {}

-- More points than this are a mistake in writing, or a sweep.
local POINTS_MOST <const> = 10000

-- {from=, to=, step=} or {from=, to=, times=} as a list.
local function range(path, spec)
  return ranges.list(spec.from, spec.to, spec.step, spec.times)
    or errors.input(path, "must be a list, or {from =, to =, step =} or {from =, to =, times =}")
end

-- A value of cluster{} can be a table itself (a device): only lists and ranges are taken apart.
local function values(path, given, system)
  if given == "free" then return free.values(path, system) end
  if type(given) ~= "table" then return { given } end
  if given.from ~= nil then return range(path, given) end
  if next(given) == nil then
    errors.infeasible(path .. ": the list is empty, so no system or job is left: list values, or leave it out")
  end
  if #given == 0 then errors.input(path, "must be a value, a list of values or a range") end
  return given
end

-- Axes { group, field, values } in an order that does not depend on how the table was written.
local function axes_of(space, cluster)
  local axes, system = {}, tables.with(cluster or {}, type(space.system) == "table" and space.system or {})
  for _, group in ipairs({ "system", "job" }) do
    if space[group] ~= nil and type(space[group]) ~= "table" then
      errors.input("space." .. group, "must be a table of fields")
    end
    for _, field in ipairs(tables.sorted_keys(space[group] or {})) do
      axes[#axes + 1] = { group = group, field = field,
        values = values("space." .. group .. "." .. field, space[group][field], system) }
    end
  end
  return axes
end

-- All combinations of the axes' values, the first axis slowest.
local function combinations(axes)
  local points = { { system = {}, job = {} } }
  for _, axis in ipairs(axes) do
    local longer = {}
    for _, point in ipairs(points) do
      for _, value in ipairs(axis.values) do
        local group = tables.with(point[axis.group], { [axis.field] = value })
        longer[#longer + 1] = tables.with(point, { [axis.group] = group })
      end
      if #longer > POINTS_MOST then errors.input("space", "makes more than " .. POINTS_MOST .. " systems and jobs") end
    end
    points = longer
  end
  return points
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

-- What the plan is judged by, then the step time: of equal ones, as on the smallest system, the fastest
-- leads.
local function order_of(plan, objective, ruled)
  return ruled and -plan.score or ranks_of(plan, { objective })[1], plan.time.step_s
end

-- All kept plans, best first.
local function in_order(answers)
  local all, ruled = {}, is_ruled(answers)
  for _, answer in ipairs(answers) do
    for _, plan in ipairs(answer.plans) do
      local rank, second = order_of(plan, answer.found.objective, ruled)
      all[#all + 1] = { plan = plan, rank = rank, second = second, place = #all }
    end
  end
  table.sort(all, function(a, b)
    if a.rank ~= b.rank then return a.rank < b.rank end
    if a.second ~= b.second then return a.second < b.second end
    return a.place < b.place
  end)
  local plans = {}
  for i, item in ipairs(all) do plans[i] = item.plan end
  return plans
end

-- The best plan of each answer that has one, in the order of all.
local function best_of_each(plans)
  local seen, list = {}, {}
  for _, plan in ipairs(plans) do
    if not seen[plan.of] then list[#list + 1] = plan end
    seen[plan.of] = true
  end
  return list
end

-- At least as good in everything, and better in something or earlier.
local function beats(a, b)
  local better = a.place < b.place
  for i, rank in ipairs(a.ranks) do
    if rank > b.ranks[i] then return false end
    better = better or rank < b.ranks[i]
  end
  return better
end

local function front_of(answers)
  local all = {}
  for _, answer in ipairs(answers) do
    for _, plan in ipairs(answer.front) do
      all[#all + 1] = { plan = plan, ranks = ranks_of(plan, answer.found.objectives), place = #all }
    end
  end
  local kept = {}
  for _, a in ipairs(all) do
    local beaten = false
    for _, b in ipairs(all) do
      beaten = beaten or (a ~= b and beats(b, a))
    end
    if not beaten then kept[#kept + 1] = a end
  end
  table.sort(kept, function(a, b)
    if a.ranks[1] ~= b.ranks[1] then return a.ranks[1] < b.ranks[1] end
    return a.place < b.place
  end)
  local front = {}
  for i, a in ipairs(kept) do front[i] = a.plan end
  return front
end

-- Nearer misses take the place of the example.
local function is_nearer(line, than)
  if line.short_bytes then return line.short_bytes < than.short_bytes end
  return line.time ~= nil and line.time.step_s < than.time.step_s
end

-- Each line says by `of` whose plan its example is.
local function add_line(lines, by_reason, line, answer)
  local sum = by_reason[line.reason]
  line = tables.with(line, { of = answer })
  if not sum then
    sum = line
    by_reason[line.reason] = sum
    lines[#lines + 1] = sum
    return
  end
  local count = sum.count + line.count
  if is_nearer(line, sum) then
    for key, value in pairs(line) do sum[key] = value end
  end
  sum.count = count
end

local function tally_of(answers)
  local lines, by_reason = {}, {}
  for _, answer in ipairs(answers) do
    for _, line in ipairs(answer.found.tally) do add_line(lines, by_reason, line, answer) end
  end
  table.sort(lines, function(a, b)
    if a.count ~= b.count then return a.count > b.count end
    return a.reason < b.reason
  end)
  return lines
end

-- How far all searches came when the last was interrupted: those before it were looked at whole.
local function interrupted(answers)
  local last = answers[#answers].found
  if not last.interrupted then return nil end
  local looked_at, size = last.interrupted.looked_at, last.interrupted.size
  for i = 1, #answers - 1 do
    looked_at, size = looked_at + answers[i].found.space_size, size + answers[i].found.space_size
  end
  return { looked_at = looked_at, size = size }
end

--- One answer from those of all systems and jobs; answers[i] is what search.run of a question gave for inputs[i].
--- answer.systems = { searched, all, axes, plans (the best of each that has one, best first) } says what it went over;
--- lines of the tally say by `of` which answer they are from.
---@param asked {count: integer, axes: table[], differ: string[]|nil}
function systems.join(answers, nearest_miss, asked)
  local first = answers[1]
  local found = tables.with(first.found, { tally = tally_of(answers), interrupted = interrupted(answers) })
  for _, name in ipairs({ "space_size", "evaluated", "feasible", "duplicates", "bounded" }) do
    found[name] = 0
    for _, answer in ipairs(answers) do found[name] = found[name] + answer.found[name] end
  end
  local all = in_order(answers)
  local plans = differ.first(all, asked.differ)
  plans = table.move(plans, 1, math.min(#plans, first.input.top or 10), 1, {})
  local lead = plans[1] and plans[1].of or first
  local joined = tables.with(lead, { found = found, plans = plans, best = plans[1], fits = #plans > 0,
    front = first.front and front_of(answers),
    systems = { searched = #answers, all = asked.count, axes = asked.axes, plans = best_of_each(all) } })
  found.plans = lead.found.plans
  joined.nearest_miss = nearest_miss(found)
  return joined
end

return systems
