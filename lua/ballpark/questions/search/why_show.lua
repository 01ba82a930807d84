-- What happened to the plan that was asked about, as facts of a result.
local difference = require("ballpark.questions.compare.difference")
local host = require("ballpark.questions.training.host")
local varied = require("ballpark.questions.training.varied")
local plan_text = require("ballpark.questions.training.plan_text")
local show = require("ballpark.questions.estimate.show")
local systems = require("ballpark.questions.search.systems")

local own = show.own
local why_show = {}

--- Facts of how far a plan is from fitting: those a sentence takes its values from, and the sentence.
function why_show.memory(memory, short_bytes, fit_chance)
  return {
    own("short_bytes", short_bytes, { hide = true }),
    own("limit_bytes", host.limit(memory, short_bytes), { hide = true }),
    own("fit_chance", fit_chance, { hide = true }),
    { name = "fit_probability", unit = "frac", title = "Short of memory", chance = true, value = memory.fit_probability,
      text = host.is_short(memory, short_bytes) and "{short_bytes} over the {limit_bytes} of a host"
        or "fits with {fit_probability} chance, {fit_chance} asked; {short_bytes} over the {limit_bytes} "
        .. "that chance allows" },
  }
end

-- How a model is cut is said even where it is not.
local CUTS <const> = { vpp = true, cp = true }

-- What nobody asked for of the plan that was looked at; a share of layers belongs to the recomputation asked for.
local function filled_in(input, asked, plan)
  local given, space = input.plan or {}, type(input.space) == "table" and input.space or {}
  local function is_told(name)
    local values = space[name]
    local one = values ~= nil and values ~= "free" and (type(values) ~= "table" or #values == 1)
    return asked[name] ~= nil or given[name] ~= nil or one
  end
  return plan_text.words(plan, function(field) return not is_told(field.name) end, CUTS)
end

-- The cheapest change that makes the plan fit, and what it then is.
local function add_change(list, why)
  if not why.changes then return end
  local first = why.changes[1]
  if not first then
    list[#list + 1] = own("fits_with", "no change of one or two fields of the plan")
    return
  end
  list[#list + 1] = own("fits_with", first.change, {
    text = "{fits_with} (now " .. first.now
      .. "): {fits_with_step_s}, {fits_with_bytes} of {fits_with_capacity_bytes}" })
  list[#list + 1] = own("fits_with_step_s", first.step_s, { hide = true })
  list[#list + 1] = own("fits_with_bytes", first.memory.total_bytes, { hide = true })
  list[#list + 1] = own("fits_with_capacity_bytes", first.memory.capacity_bytes, { hide = true })
end

-- All changes that do, where there is a choice.
local function changes_table(r, why)
  if not why.changes or #why.changes < 2 or r.numbers_only then return end
  local rows = {}
  for i, row in ipairs(why.changes) do
    rows[i] = { change = row.change, now = row.now, step_s = row.step_s, total_bytes = row.memory.total_bytes,
      fit_probability = row.memory.fit_probability, plan = plan_text.short(row.plan) }
  end
  r:table({ name = "fits_with", title = "Changes that make it fit, each tried; the shortest step first", rows = rows,
    columns = { { name = "change" }, { name = "now" }, { name = "step_s", unit = "s", title = "step" },
      { name = "total_bytes", unit = "B", title = "memory" },
      { name = "fit_probability", unit = "frac", title = "fits", chance = true }, { name = "plan", hide = true } } })
end

--- The best plan that has all values that were asked for; nil when there is none.
function why_show.best(input)
  local open = input
  for field, value in pairs(input.why) do
    open = varied.with(open, { "plan", field }, value)
    open = varied.with(open, { "space", field }, nil)
  end
  return varied.best(open)
end

-- The better of the best plan with the values asked for and of the plan itself, which may have what no value of the
-- space is (a share of layers that was filled in).
local function better(best, why)
  if why.verdict ~= "feasible" or best and best.time.step_s <= why.time.step_s then return best end
  return { plan = why.plan, time = why.time }
end

-- Where the seconds go that the plan takes beyond the best one, part by part.
local function difference_table(r, why, best)
  if not best or why.verdict ~= "feasible" or why.rank == 1 or r.numbers_only then return end
  local rows = {}
  for i, row in ipairs(difference.time(best, why)) do
    rows[i] = { part = row.part, best_part_s = row.a, part_s = row.b, more_s = row.difference }
  end
  local function seconds(name, title) return { name = name, unit = "s", title = title, scale = "part", exact = true } end
  r:table({ name = "time_difference", title = "Where its seconds go against the best plan", rows = rows,
    columns = { { name = "part", title = "" }, seconds("best_part_s", "best"), seconds("part_s", "this plan"),
      seconds("more_s", "more") } })
  r:note("A scenario of this search says the same of memory: ballpark compare SCENARIO --plans PLAN_A PLAN_B.")
end

local function add_best(list, best)
  if not best then
    list[#list + 1] = own("best_plan", "none is feasible")
    return
  end
  list[#list + 1] = own("best_plan", plan_text.short(best.plan), { text = "{best_plan}: {best_step_s}" })
  list[#list + 1] = own("best_step_s", best.time.step_s, { hide = true })
end

--- The block about answer.why; `best` looks for the best plan with the values asked for, too.
function why_show.add(r, answer, best)
  local why, input = answer.why, answer.input
  local filled = filled_in(input, input.why, why.plan)
  local system = answer.systems and systems.words(answer.systems.axes, input)
  local list = { name = "why", title = "Why " .. plan_text.short(why.plan) .. (system and " on " .. system or ""),
    own("why_system", system, { hide = true }),
    own("verdict", why.verdict),
    own("rule", why.verdict == "rule" and why.reason or nil, { hide = why.verdict ~= "rule" }),
    { name = "why", title = "Reason", value = why.text, hide = why.text == "" or why.short_bytes ~= nil },
    own("filled_in", filled, { hide = filled == "" }),
    own("rank", why.rank, { title = "Place", hide = why.rank == nil,
      text = "{rank} of {feasible} feasible plans" }),
    own("feasible", why.feasible, { hide = true }),
  }
  if why.short_bytes then
    for _, fact in ipairs(why_show.memory(why.memory, why.short_bytes, input.fit_chance)) do
      list[#list + 1] = fact
    end
  end
  if why.time and why.verdict ~= "memory" then
    list[#list + 1] = { name = "step_s", unit = "s", title = "Step", value = why.time.step_s }
    list[#list + 1] = { name = "mfu_frac", unit = "frac", title = "MFU", value = why.time.mfu_frac }
  end
  if why.memory then
    list[#list + 1] = { name = "total_bytes", unit = "B", title = "Memory", value = why.memory.total_bytes,
      text = "{total_bytes} of {capacity_bytes}" }
    list[#list + 1] = { name = "capacity_bytes", unit = "B", value = why.memory.capacity_bytes, hide = true }
  end
  add_change(list, why)
  if best then add_best(list, better(why_show.best(input), why)) end
  r:facts(list)
  difference_table(r, why, answer.best)
  changes_table(r, why)
end

return why_show
