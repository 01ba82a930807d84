-- How the answer of a search becomes blocks of a result: the best plan like an estimate, the runners
-- up, what was rejected and how near it came.
local explained = require("ballpark.estimate.explained")
local needed = require("ballpark.estimate.needed")
local plan_text = require("ballpark.estimate.plan_text")
local relax = require("ballpark.estimate.relax")
local show = require("ballpark.estimate.training_show")

local own = show.own

-- Plan fields as columns: {field, usual value, title}. Where all plans have the usual value people do
-- not see the column.
local PLAN_COLUMNS = {
  { "tp" }, { "pp" }, { "vpp", 1 }, { "dp" }, { "cp", 1 }, { "ep", 1 }, { "etp", 1 },
  { "micro_batch", nil, "mb" }, { "zero", nil, "ZeRO" }, { "recompute", "none" },
  { "schedule", "1f1b" }, { "precision", "bf16" }, { "sequence_parallel", true },
}

local function differs(plans, field, usual)
  for _, answer in ipairs(plans) do
    if answer.plan[field] ~= usual then return true end
  end
  return false
end

local function plan_columns(plans)
  local columns = {}
  for _, column in ipairs(PLAN_COLUMNS) do
    columns[#columns + 1] = { name = column[1], title = column[3] or column[1],
      hide = column[2] ~= nil and not differs(plans, column[1], column[2]) }
  end
  return columns
end

local NUMBERS = {
  { name = "step_s", unit = "s", title = "step" },
  { name = "mfu_frac", unit = "frac", title = "MFU" },
  { name = "tokens_per_s_device", unit = "tok/s", title = "per device", hide = true },
  { name = "total_bytes", unit = "B", title = "memory" },
  { name = "fit_probability", unit = "frac", title = "fits", chance = true },
  { name = "run_s", unit = "s", title = "run" },
  { name = "cost_usd", unit = "USD", title = "" },
  { name = "bound", title = "bound by", hide = true },
}

local function plan_row(i, answer)
  local row = { rank = i, score = answer.score, step_s = answer.time.step_s,
    mfu_frac = answer.time.mfu_frac, tokens_per_s_device = answer.time.tokens_per_s_device,
    total_bytes = answer.memory.total_bytes, fit_probability = answer.memory.fit_probability, run_s = answer.run.run_s,
    cost_usd = answer.run.cost_usd, bound = answer.bound }
  for _, column in ipairs(PLAN_COLUMNS) do row[column[1]] = answer.plan[column[1]] end
  return row
end

local function add_plans(r, answer)
  local columns, rows = { { name = "rank", title = "#" } }, {}
  for _, column in ipairs(plan_columns(answer.plans)) do columns[#columns + 1] = column end
  for _, column in ipairs(NUMBERS) do columns[#columns + 1] = column end
  columns[#columns + 1] = { name = "score", hide = true }
  for i, plan in ipairs(answer.plans) do rows[i] = plan_row(i, plan) end
  r:table({ name = "plans", title = "Best plans", columns = columns, rows = rows })
end

-- What people read of a rejection: the nearest miss where that means something, else the sentence.
local function rejected_row(line)
  local short = plan_text.short(line.example)
  local text = line.text:gsub("^plan%.[%w_]+: ", "")
  local nearest = line.short_bytes and (short .. " misses by {short_bytes}")
    or line.time and (short .. ", {step_s}: " .. text)
    or text
  return { reason = line.reason, plans = line.count, example = short, short_bytes = line.short_bytes,
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
  if #answer.found.tally == 0 then return end
  local rows = {}
  for i, item in ipairs(by_nearness(answer.found.tally)) do rows[i] = rejected_row(item.line) end
  r:table({ name = "rejected", title = "Rejected", columns = {
    { name = "reason", title = "for" }, { name = "plans", title = "plans" },
    { name = "example", hide = true }, { name = "short_bytes", unit = "B", hide = true },
    { name = "step_s", unit = "s", hide = true }, { name = "why", hide = true },
    { name = "nearest", title = "nearest miss, or an example", human = true },
  }, rows = rows })
end

-- Facts about the search itself, for below those of the best plan.
local function search_facts(answer)
  local found = answer.found
  return {
    own("fit_chance", answer.input.fit_chance, { hide = true }),
    own("evaluated", found.evaluated, { title = "Searched",
      text = "{evaluated} plans; {feasible} fit with a chance of {fit_chance} or more; best by {objective}" }),
    own("feasible", found.feasible, { hide = true }),
    own("objective", found.objective, { hide = true }),
  }
end

local function add_why(r, why)
  local list = { name = "why", title = "Why " .. plan_text.short(why.plan),
    own("verdict", why.verdict),
    { name = "why", title = "Reason", value = why.text, hide = why.text == "" or why.short_bytes ~= nil },
    own("short_bytes", why.short_bytes, { hide = why.short_bytes == nil }),
    own("rank", why.rank, { title = "Place", hide = why.rank == nil,
      text = "{rank} of {feasible} feasible plans" }),
    own("feasible", why.feasible, { hide = true }),
  }
  if why.time and why.verdict ~= "memory" then
    list[#list + 1] = { name = "step_s", unit = "s", title = "Step", value = why.time.step_s }
    list[#list + 1] = { name = "mfu_frac", unit = "frac", title = "MFU", value = why.time.mfu_frac }
  end
  if why.memory then
    list[#list + 1] = { name = "total_bytes", unit = "B", title = "Memory", value = why.memory.total_bytes,
      text = "{total_bytes} of {capacity_bytes}" }
    list[#list + 1] = { name = "capacity_bytes", unit = "B", value = why.memory.capacity_bytes, hide = true }
  end
  r:facts(list)
end

local function add_nothing(r, answer)
  local list = { name = "answer", title = show.subject(answer) .. ": no plan is feasible" }
  for _, fact in ipairs(search_facts(answer)) do list[#list + 1] = fact end
  local miss = answer.nearest_miss
  if miss then
    list[#list + 1] = { name = "plan", title = "Nearest", value = plan_text.words(miss.example) }
    list[#list + 1] = { name = "reason", title = "Rejected for", value = miss.reason }
    list[#list + 1] = { name = "why", title = "Why", value = miss.text, hide = miss.short_bytes ~= nil }
    list[#list + 1] = own("short_bytes", miss.short_bytes, { hide = miss.short_bytes == nil })
  end
  r:facts(list)
end

--- The whole answer of a search.
return function(r, answer)
  if answer.best then
    show.answer(r, answer.best, show.subject(answer.best), search_facts(answer))
    add_plans(r, answer)
    show.parts(r, answer.best)
  else
    add_nothing(r, answer)
    if explained.wanted(r) then explained.relax(r, relax.search(answer.input, answer.found)) end
  end
  if answer.why then
    add_why(r, answer.why)
    if explained.wanted(r) then
      explained.needed(r, needed.of(answer.input, answer.why, answer.best and answer.best.plan))
    end
  end
  add_rejected(r, answer)
  for _, text in ipairs(answer.assumed) do r:assume(text) end
  for _, text in ipairs(answer.warnings) do r:warn(text) end
end
