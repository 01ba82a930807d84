-- How the answer of a search becomes blocks of a result: the best plan like an estimate, the runners
-- up, what was rejected and how near it came.
local chances = require("ballpark.questions.search.chances")
local extent = require("ballpark.questions.search.extent")
local drawn = require("ballpark.questions.search.drawn")
local explained = require("ballpark.questions.training.explained")
local host = require("ballpark.questions.training.host")
local needed = require("ballpark.questions.training.needed")
local objectives = require("ballpark.search.objectives")
local plan_columns = require("ballpark.questions.training.plan_columns")
local plan_text = require("ballpark.questions.training.plan_text")
local relax = require("ballpark.questions.training.relax")
local searched = require("ballpark.search.searched")
local show = require("ballpark.questions.estimate.show")
local simpler = require("ballpark.questions.search.simpler")
local systems = require("ballpark.questions.search.systems")
local systems_assumed = require("ballpark.questions.search.systems_assumed")
local why_show = require("ballpark.questions.search.why_show")

local search_show = {}

local own = show.own

local NUMBERS = {
  { name = "step_s", unit = "s", title = "step" },
  { name = "mfu_frac", unit = "frac", title = "MFU" },
  { name = "tokens_per_s_device", unit = "tok/s", title = "per device", hide = true },
  { name = "total_bytes", unit = "B", title = "memory" },
  { name = "fit_probability", unit = "frac", title = "fits", chance = true },
  { name = "run_s", unit = "s", title = "run" },
  { name = "cost_usd", unit = "USD", title = "" },
  { name = "step_usd", unit = "USD", title = "step" },
  { name = "mtok_usd", unit = "USD", title = "million tokens" },
  { name = "step_j", unit = "J", title = "energy of a step" },
  { name = "headroom_bytes", unit = "B", title = "free" },
  { name = "deadline_probability", unit = "frac", title = "in time", chance = true },
  { name = "bound", title = "bound by", hide = true },
}

-- Shown when they are what the plans are ordered by: column -> objective.
local ASKED = { step_usd = "step_usd", mtok_usd = "tok_usd", step_j = "step_j", headroom_bytes = "headroom_bytes",
  deadline_probability = "deadline_probability" }

-- Why a plan stands behind others that are slower, by its flag of the core's worth.
local REMARKS <const> = { { "uneven_stages", "stages cut by hand" }, { "odd_interleaving", "odd interleaving" },
  { "deep_pipeline", "many stages" }, { "wide_tensors", "tensors across nodes" },
  { "short_context", "short parts, unseen" }, { "rare_pipeline", "stages, unseen" },
  { "rare_sharding", "sharding, unseen" } }

local function remarks(worth)
  local words = {}
  for _, remark in ipairs(REMARKS) do words[#words + 1] = worth[remark[1]] and remark[2] or nil end
  return table.concat(words, "; ")
end

local function plan_row(i, answer)
  local row = { rank = i, score = answer.score, step_s = answer.time.step_s,
    mfu_frac = answer.time.mfu_frac, tokens_per_s_device = answer.time.tokens_per_s_device,
    total_bytes = answer.memory.total_bytes, fit_probability = answer.memory.fit_probability, run_s = answer.run.run_s,
    cost_usd = answer.run.cost_usd, step_usd = answer.run.step_usd,
    mtok_usd = answer.run.step_usd and 1e6 * answer.run.step_usd / answer.run.step_tok, bound = answer.bound }
  row.step_j, row.headroom_bytes = answer.worth.step_j, answer.worth.headroom_bytes
  local input = answer.input
  local has_deadline = (input.deadline_s or 0) > 0 and (input.job.tokens or 0) > 0
  row.deadline_probability = has_deadline and answer.worth.deadline_probability or nil
  row.fastest_chance, row.near_chance = answer.fastest_chance, answer.near_chance
  row.remarks, row.handicap = remarks(answer.worth), answer.worth.handicap
  plan_columns.fill(row, answer.plan)
  return row
end

-- What plans are plans for, where a search went over several systems or jobs. People see what differs
-- from row to row.
local function add_systems(columns, rows, answer, inputs)
  if not answer.systems then return end
  local more, fill = systems.columns(answer.systems.axes)
  for i, row in ipairs(rows) do fill(row, inputs[i]) end
  for _, column in ipairs(more) do
    local same = true
    for _, row in ipairs(rows) do same = same and row[column.name] == rows[1][column.name] end
    column.hide = column.hide or same
    columns[#columns + 1] = column
  end
end

local function is_objective(answer, name)
  for _, objective in ipairs(answer.found.objectives) do
    if objective == name then return true end
  end
  return false
end

local function is_remarkable(rows)
  for _, row in ipairs(rows) do
    if row.remarks ~= "" then return true end
  end
  return false
end

local function add_plans(r, answer, plans, name, title)
  if r.numbers_only then return end
  local columns, rows, inputs, shapes = { { name = "rank", title = "#" } }, {}, {}, {}
  for i, plan in ipairs(plans) do rows[i], inputs[i], shapes[i] = plan_row(i, plan), plan.input, plan.plan end
  add_systems(columns, rows, answer, inputs)
  for _, column in ipairs(plan_columns.of(shapes)) do columns[#columns + 1] = column end
  for _, column in ipairs(NUMBERS) do
    local asked = ASKED[column.name]
    columns[#columns + 1] = asked and { name = column.name, unit = column.unit, title = column.title,
      chance = column.chance, hide = not is_objective(answer, asked) } or column
  end
  if rows[1] and rows[1].fastest_chance then
    columns[#columns + 1] = { name = "fastest_chance", unit = "frac", hide = true }
    columns[#columns + 1] = { name = "near_chance", unit = "frac", hide = true }
  end
  columns[#columns + 1] = { name = "remarks", hide = not is_remarkable(rows) }
  columns[#columns + 1] = { name = "handicap", unit = "frac", hide = true }
  columns[#columns + 1] = { name = "score", hide = true }
  return r:table({ name = name, title = title, columns = columns, rows = rows })
end

-- What only pictures show.
local function add_drawn(r, answer)
  if not r.illustrated or answer.systems or not answer.found.searched.complete then return end
  add_plans(r, answer, drawn.plans(answer), "other_plans", "The fastest plans").hide = true
  r:table({ name = "tp_pp", title = "The best step by tensor and pipeline parallel degree", hide = true,
    rows = drawn.degrees(answer), columns = { { name = "tp", axis = true }, { name = "pp", axis = true }, { name = "status" },
      { name = "reason", title = "out for" }, { name = "step_s", unit = "s", title = "step" } } })
end

-- Systems that people see of a search over many.
local SYSTEMS_MOST <const> = 24

-- The first of each device, and then others as they come, in the order of all.
local function shown_systems(plans)
  local seen, marked, list, left = {}, {}, {}, SYSTEMS_MOST
  local function mark(only_new)
    for _, plan in ipairs(plans) do
      local device = plan.input.cluster.device
      if left > 0 and not marked[plan] and not (only_new and seen[device.name]) then
        seen[device.name], marked[plan], left = true, true, left - 1
      end
    end
  end
  mark(true)
  mark(false)
  for _, plan in ipairs(plans) do list[#list + 1] = marked[plan] and plan or nil end
  return list
end

-- What each system and job can do at best, and how many can do nothing.
local function add_each_system(r, answer)
  local of = answer.systems
  if not of or #of.plans < 2 or r.numbers_only then return end
  local list = shown_systems(of.plans)
  add_plans(r, answer, list, "systems", #list < #of.plans
    and ("The best plan of each system and job, %d of %d"):format(#list, #of.plans)
    or "The best plan of each system and job")
  if #of.plans < of.searched then
    r:note(("%d of %d systems and jobs have no plan that fits"):format(of.searched - #of.plans, of.searched))
  end
end

-- What the shown plans rest on; nothing was found on systems that none is of.
local function assumptions(answer)
  if not answer.systems or not answer.best then return answer.assumed end
  local shown = table.move(answer.plans, 1, #answer.plans, 1, {})
  for _, more in ipairs({ answer.front or {}, shown_systems(answer.systems.plans) }) do
    table.move(more, 1, #more, #shown + 1, shown)
  end
  return systems_assumed(shown, answer.systems.axes)
end

-- What people read of a rejection: the nearest miss where that means something, else the sentence.
local function rejected_row(line, answer)
  local short = plan_text.short(line.example)
  local text = line.text:gsub("^plan%.[%w_]+: ", "")
  local on_host = line.short_bytes and host.is_short(line.memory, line.short_bytes)
  local nearest = line.short_bytes
    and (short .. ": {short_bytes} over the {limit_bytes} " .. (on_host and "of a host" or "that fit"))
    or line.time and (short .. ", {step_s}: " .. text)
    or text
  if line.of then nearest = systems.words(answer.systems.axes, line.of.input) .. ": " .. nearest end
  return { reason = line.reason, plans = line.count, example = short, short_bytes = line.short_bytes,
    limit_bytes = line.short_bytes and host.limit(line.memory, line.short_bytes),
    step_s = line.time and line.time.step_s, why = line.text, nearest = nearest }
end

-- What came nearest first: memory, rules, then what never fitted together.
local function by_nearness(tally)
  local order = {}
  for i, line in ipairs(tally) do
    order[i] = { line = line, class = line.short_bytes and 1 or line.time and 2 or 3, i = i }
  end
  table.sort(order, function(a, b)
    if a.class ~= b.class then return a.class < b.class end
    return a.i < b.i
  end)
  return order
end

local function add_rejected(r, answer)
  if #answer.found.tally == 0 or r.numbers_only then return end
  local rows, inputs = {}, {}
  for i, item in ipairs(by_nearness(answer.found.tally)) do
    rows[i], inputs[i] = rejected_row(item.line, answer), item.line.of and item.line.of.input
  end
  local columns = {
    { name = "reason", title = "for" }, { name = "plans", title = "plans", tally = true },
    { name = "example", hide = true }, { name = "short_bytes", unit = "B", hide = true },
    { name = "limit_bytes", unit = "B", hide = true },
    { name = "step_s", unit = "s", hide = true }, { name = "why", hide = true },
    { name = "nearest", title = "nearest miss, or an example", human = true },
  }
  local first = #columns + 1
  add_systems(columns, rows, answer, inputs)
  for i = first, #columns do columns[i].hide = true end -- the sentence says it
  r:table({ name = "rejected", title = "Rejected", columns = columns, rows = rows })
end

local function add_extent(list, answer)
  local found = answer.found
  local scored = objectives.scoring_rule(found)
  local least = ((found.bounded or 0) > 0 or not found.searched.complete) and "at least " or ""
  list[#list + 1] = own("fit_chance", answer.input.fit_chance, { hide = true })
  list[#list + 1] = own("evaluated", found.evaluated, { title = "Searched",
    text = "{evaluated} plan" .. (found.evaluated == 1 and "" or "s") .. "; " .. least
      .. "{feasible} fit with a chance of {fit_chance} or more; best by "
      .. (scored and ("the score of rule '%s'"):format(scored) or "{objective}") })
  list[#list + 1] = own("feasible", found.feasible, { hide = true })
  list[#list + 1] = own("objective", found.objective, { hide = true })
end

-- Facts about the search itself, for below those of the best plan: what else may be the best comes first, for a first
-- screen ends among them.
local function search_facts(r, answer)
  local list, told = {}, false
  if answer.best and explained.wanted(r, answer.found) then
    told = chances.add(list, answer)
    if not objectives.scoring_rule(answer.found) then simpler.add(list, answer) end
  end
  add_extent(list, answer)
  for _, fact in ipairs(extent.facts(answer, own, told)) do list[#list + 1] = fact end
  return list
end

local function subject(answer)
  if not answer.systems then return show.subject(answer) end
  return (answer.input.model.name or "model") .. " on any of " .. answer.systems.all .. " systems and jobs"
end

local function add_nothing(r, answer)
  local list = { name = "answer", title = subject(answer) .. (answer.found.searched.complete and ": no plan is feasible"
    or ": no feasible plan was found before the search stopped") }
  for _, facts in ipairs({ extent.systems(answer, own), search_facts(r, answer) }) do table.move(facts, 1, #facts, #list + 1, list) end
  local miss = answer.nearest_miss
  if miss then
    if miss.of then
      list[#list + 1] = own("nearest_system", systems.words(answer.systems.axes, miss.of.input))
    end
    list[#list + 1] = { name = "plan", title = "Nearest", value = plan_text.words(miss.example) }
    list[#list + 1] = { name = "reason", title = "Rejected for", value = miss.reason }
    list[#list + 1] = { name = "why", title = "Why", value = miss.text, hide = miss.short_bytes ~= nil }
    for _, fact in ipairs(miss.short_bytes
      and why_show.memory(miss.memory, miss.short_bytes, answer.input.fit_chance) or {}) do
      list[#list + 1] = fact
    end
  end
  r:facts(list)
end

-- Of several systems and jobs the one that came nearest is asked what would do.
local function add_relaxations(r, answer)
  local of = answer.nearest_miss and answer.nearest_miss.of or answer
  local list, together = relax.search(of.input, of.found)
  explained.relax(r, list, together, answer.systems and systems.words(answer.systems.axes, of.input))
end

--- The whole answer of a search.
function search_show.answer(r, answer)
  searched.before(r, answer.found.searched, "plans")
  if answer.best then
    show.plan(r, answer.best, show.subject(answer.best), search_facts(r, answer), extent.systems(answer, own))
    add_plans(r, answer, answer.plans, "plans", "Best plans")
    add_drawn(r, answer)
    add_each_system(r, answer)
    if answer.front then
      add_plans(r, answer, answer.front, "front", "Pareto front of " .. table.concat(answer.found.objectives, ", "))
    end
    show.parts(r, answer.best, true)
  else
    add_nothing(r, answer)
    if answer.found.own_miss then
      r:note("What to relax is not said of a schedule of one's own: constraints are tried under built-in ones.")
    elseif explained.wanted(r, answer.found) then
      add_relaxations(r, answer)
    else
      explained.say_left_out(r, answer.found)
    end
  end
  if answer.why then
    why_show.add(r, answer, explained.wanted(r, answer.found))
    if explained.wanted(r, answer.found) then
      explained.needed(r, needed.of(answer.input, answer.why, answer.best and answer.best.plan),
        needed.goal(answer.found.objective))
    end
  end
  add_rejected(r, answer)
  searched.after(r, answer.found.searched, "plans")
  for _, text in ipairs(assumptions(answer)) do r:assume(text) end
  for _, text in ipairs(answer.warnings) do r:warn(text) end
end

return search_show
