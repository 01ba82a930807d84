-- ballpark compare: the numbers of two runs side by side.
local errors = require("ballpark.errors")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local questions = require("ballpark.questions")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local compare = {
  summary = "Split the difference of two scenarios, two variants or two plans into parts",
  examples = {
    "ballpark compare a.lua b.lua",
    "ballpark compare scenarios/quickstart.lua -B cluster.device=H200",
    "ballpark compare scenarios/quickstart.lua --plans tp=8,pp=4 tp=4,pp=8",
    "ballpark compare scenarios/quickstart.lua -A profile=megatron -B profile=profile.lua",
  },
}

function compare.define(command)
  command:argument("a", "A scenario.")
  command:argument("b", "Another one. Default: the same."):args("?")
  command:option("-A", "An override for A only, as -D. May be repeated.")
    :argname("KEY=VALUE"):count("*")
  command:option("-B", "An override for B only, as -D. May be repeated.")
    :argname("KEY=VALUE"):count("*")
  command:option("--plans", "Two plans of one scenario, as in tp=8,pp=4 tp=4,pp=8. What they leave open is "
    .. "as the scenario has it."):argname({ "PLAN_A", "PLAN_B" }):args(2)
  command:flag("--all", "Show what is equal, too.")
  options.define_profile(command)
  options.define_overrides(command)
  options.define_rules(command)
  options.define_output(command)
end

-- `side` is what A or B is: { path, flag, definitions, plan }.
local function run_one(chosen, side)
  local changed = overrides.parse(chosen.define):define(side.definitions, side.flag)
  if side.plan then changed:define({ "plan=" .. side.plan }, "--plans") end
  local outcome, state = scenario.run(scenario.load(side.path), {
    overrides = options.override_profile(chosen, changed),
    rules = chosen.rules, command = "compare",
  })
  options.check_rules(state, chosen)
  return outcome, state
end

-- What a run estimated last: an estimate, or the best plan of a search.
local function estimate_of(state)
  for i = #state.answers, 1, -1 do
    local answer = state.answers[i]
    if answer.kind == "estimate" then return answer end
    if answer.kind == "search" then return answer.best end
  end
end

-- Time and memory by part, where both runs estimated something.
local function add_difference(r, state_a, state_b)
  local a, b = estimate_of(state_a), estimate_of(state_b)
  if not (a and b) then return end
  require("ballpark.questions.compare.difference").show(r, a, b)
  local formats = require("ballpark.questions.training.precision").differ(a, b)
  if formats then r:warn(formats) end
end

-- A and B: the scenario, and what each has of its own.
local function sides_of(chosen)
  local plans = chosen.plans or {}
  if chosen.plans and chosen.b then errors.usage("--plans compares two plans of one scenario, not of two") end
  for _, plan in ipairs(plans) do overrides.record("--plans", plan) end
  return { path = chosen.a, flag = "-A", definitions = chosen.A, plan = plans[1] },
    { path = chosen.b or chosen.a, flag = "-B", definitions = chosen.B, plan = plans[2] }
end

-- What stands in for numbers that one side does not have, or that mean nothing there.
local function warn_infeasible(r, side, outcome, state)
  if not outcome.infeasible then return end
  local last = state.answers[#state.answers]
  local reason = questions.reason(last)
  if last.nearest_miss then
    reason = "no plan passes, the nearest is stopped by " .. last.nearest_miss.reason
  elseif last.kind == "estimate" then
    reason = "its plan does not fit into " .. reason
  end
  r:warn(side .. " is not feasible" .. (reason and ": " .. reason or "") .. ".")
end

-- What a side has of its own as it was written, or else its scenario.
local function label(side)
  local own = table.move(side.definitions, 1, #side.definitions, 1, {})
  own[#own + 1] = side.plan
  return #own > 0 and table.concat(own, " ") or side.path
end

local function by_name(facts)
  local map = {}
  for _, fact in ipairs(facts) do map[fact.name] = fact end
  return map
end

-- A row of a number or text that one run has. Bytes of storage and traffic are counted by powers of ten.
local function row_with(fact, a, b)
  return { name = fact.name, base_unit = fact.unit, shown_in = fact.stored and "stored" or fact.unit, a = a, b = b }
end

local function row_of(fact, other)
  local a, b = fact.value, other and other.value
  local row = row_with(fact, a, b)
  row.equal = a == b
  if type(a) == "number" and type(b) == "number" then
    row.difference = b - a
    if a ~= 0 then row.ratio = b / a end
  end
  return row
end

-- One row per number or text that either run has, in the order of A.
local function rows_of(a, b)
  local in_a, in_b, rows = by_name(a), by_name(b), {}
  for _, fact in ipairs(a) do rows[#rows + 1] = row_of(fact, in_b[fact.name]) end
  for _, fact in ipairs(b) do
    if not in_a[fact.name] then
      rows[#rows + 1] = row_with(fact, nil, fact.value)
    end
  end
  return rows
end

-- Sentences stand above the table; a column of them would push the numbers off the screen.
local LONG = 24

local function is_long(value) return type(value) == "string" and #value > LONG end

local function sentence(row, side)
  local value = row[side]
  return { name = row.name .. "_" .. side, title = row.name .. " " .. side:upper(), value = value,
    text = value == "" and "none" or nil, hide = value == nil }
end

-- Rows of the table and facts for the sentences; equal values only when asked for.
local function shown(rows, all)
  local list, sentences = {}, {}
  for _, row in ipairs(rows) do
    if row.equal and not all then
      goto continue
    elseif is_long(row.a) or is_long(row.b) then
      sentences[#sentences + 1] = sentence(row, "a")
      sentences[#sentences + 1] = sentence(row, "b")
    else
      list[#list + 1] = row
    end
    ::continue::
  end
  return list, sentences
end

-- Numbers that a comparison is mostly made for, and their names for people.
local FIRST <const> = { { "run_s", "Run" }, { "step_s", "Step" }, { "cost_usd", "Cost" }, { "step_usd", "Cost of a step" }, { "seen_ttft_s", "TTFT" },
  { "seen_tpot_s", "TPOT" }, { "cost_usd_h", "Cost of an hour" }, { "tokens_per_s", "Throughput" } }
local MOST_FIRST <const> = 3

-- The answer: how many times as long, and as dear, B is.
local function heads_of(rows)
  local known, list = {}, { name = "heads" }
  for _, row in ipairs(rows) do known[row.name] = row end
  for _, head in ipairs(FIRST) do
    local row = known[head[1]]
    if row and row.ratio and #list < MOST_FIRST then
      list[#list + 1] = { name = head[1] .. "_ratio", title = head[2], value = row.ratio, text = row.equal and ("%s in both"):format(units.format(row.a, row.shown_in))
        or ("%s in A, %s in B, %.3g times"):format(units.format(row.a, row.shown_in), units.format(row.b, row.shown_in), row.ratio) }
    end
  end
  return list
end

-- What one side alone is warned of.
local function warn_of(r, side, own, other)
  for _, text in ipairs(own.warnings) do
    if not tables.contains(other.warnings, text) then r:warn(side .. ": " .. text) end
  end
end

function compare.run(chosen)
  options.format(chosen)
  local side_a, side_b = sides_of(chosen)
  if not chosen.b and not chosen.plans and #chosen.A == 0 and #chosen.B == 0 then
    errors.usage("compare needs a second scenario, -A, -B or --plans (see 'ballpark compare --help')")
  end
  local a, state_a = run_one(chosen, side_a)
  local b, state_b = run_one(chosen, side_b)
  local rows = rows_of(a:scalars(), b:scalars())
  if #rows == 0 then errors.infeasible("neither run has a number to compare") end
  local r = result.new({ command = "compare", title = "A: " .. label(side_a) .. "   B: " .. label(side_b) })
  warn_infeasible(r, "A", a, state_a)
  warn_infeasible(r, "B", b, state_b)
  warn_of(r, "A", a, b)
  warn_of(r, "B", b, a)
  local heads = heads_of(rows)
  if heads[1] then r:facts(heads) end
  local list, sentences = shown(rows, chosen.all)
  if #sentences > 0 then r:facts(sentences) end
  add_difference(r, state_a, state_b)
  r:table({ name = "compare", title = #r.blocks > 0 and "Everything that differs" or nil, columns = {
    { name = "name", title = "" }, { name = "base_unit", hide = true },
    { name = "shown_in", hide = true, human = true },
    { name = "a", title = "A", unit_column = "shown_in" },
    { name = "b", title = "B", unit_column = "shown_in" },
    { name = "ratio", title = "B / A" },
    { name = "difference", title = "B - A", unit_column = "shown_in", difference = true },
  }, rows = list })
  local left_out = #rows - #list - #sentences // 2
  if left_out > 0 then r:note(left_out .. " equal values left out; --all shows them.") end
  r.infeasible = a.infeasible or b.infeasible
  return options.emit(r, chosen)
end

return compare
