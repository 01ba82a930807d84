-- From a prompt to a page: which kind of question it is, the facts given and proposed, and the five steps.
local errors = require("ballpark.errors")
local facts = require("ballpark.questions.ask.facts")
local grammar = require("ballpark.questions.said.grammar")
local kinds = require("ballpark.questions.ask.kinds")
local page = require("ballpark.questions.ask.page")
local questions = require("ballpark.questions")
local tables = require("ballpark.tables")

local ask = {}

-- What an interview asks at most.
local MOST_ASKED <const> = 6

-- What "within 10 minutes" may mean, in the order of preference: a backlog done, an answer, a run ended.
local WITHIN <const> = { "within_s", "slo_s", "time_s" }

local function has_fact(kind, name)
  for _, row in ipairs(kind.facts) do
    if row[1] == name then return true end
  end
  return false
end

-- The facts of words, with "within" under the name that the kind has for it.
local function of_kind(kind, given)
  if given.within_s == nil then return given end
  for _, name in ipairs(WITHIN) do
    if has_fact(kind, name) then
      local facts_of_kind = tables.with(given)
      facts_of_kind.within_s = nil
      if facts_of_kind[name] == nil then facts_of_kind[name] = given.within_s end
      return facts_of_kind
    end
  end
  return given
end

-- Words of questions that have a command of their own.
local ELSEWHERE <const> = {
  { "%f[%w]q?lora%f[%W]", "fine-tuning one model", "ballpark finetune, or ballpark fit MODEL --for lora" },
  { "%f[%w]fine%-?%s?tune%s", "fine-tuning one model", "ballpark finetune, or ballpark fit MODEL --for lora" },
  { "%f[%w]fits?%f[%W].*%f[%w]on%f[%W]", "whether a model fits", "ballpark fit MODEL --on DEVICE" },
}

-- Leads a question that is not about a system to the command that answers it.
local function check_other(text)
  if text:find("platform", 1, true) or text:find("matri", 1, true) then return end
  for _, row in ipairs(ELSEWHERE) do
    if text:find(row[1]) then errors.input("ask", ("does not answer about %s: %s"):format(row[2], row[3])) end
  end
end

--- What is known of a question before anything is proposed: the record of its kind and the facts given. Facts by name go
--- over those of the words.
---@param input table of ask{}
---@return table kind
---@return table<string, any> given
function ask.understood(input)
  if input.text and not input.kind then check_other(input.text:lower()) end
  local said = input.text and grammar.read(input.text) or { facts = {}, kinds = {} }
  local given = tables.with(said.facts, input.facts)
  if not input.text and not input.kind and not next(given) then
    errors.input("ask", "needs a prompt, such as 'train 7B on 1T tokens', or kind = one of "
      .. table.concat(kinds.names, ", "))
  end
  local kind = kinds.get(input.kind or kinds.of({ facts = given, kinds = said.kinds }))
  given = of_kind(kind, given)
  if kind.given then given = kind.given(given) end
  return kind, given
end

--- What an interview would ask: list of { row, value (proposed), why }, at most six.
function ask.open(input)
  local kind, given = ask.understood(input)
  return facts.open(kind, given, MOST_ASKED), kind
end

-- What drives the range of the number that the page is about, widest first.
local function drivers_of(p)
  for _, step in ipairs(page.STEPS) do
    for _, line in ipairs(p.lines[step[1]]) do
      if line.name == p.main then return line.drivers or {} end
    end
  end
  return {}
end

local function by_savings(a, b)
  if (a.saves_frac or -math.huge) ~= (b.saves_frac or -math.huge) then
    return (a.saves_frac or -math.huge) > (b.saves_frac or -math.huge)
  end
  return a.title < b.title
end

local function one(input)
  local kind, given = ask.understood(input)
  local known, p = facts.of(kind, given), page.new()
  kind.steps(p, known)
  table.sort(p.levers, by_savings)
  local proposed = {}
  for _, name in ipairs(known.order) do
    local entry = known:entry(name)
    if not entry.given then proposed[#proposed + 1] = { name, entry.value, entry.why, entry.row } end
  end
  return { kind = "ask", about = kind.name, title = kind.title, text = input.text, given = given, proposed = proposed,
    lines = p.lines, values = p.values, ranges = p.ranges, contradictions = p.contradictions, warnings = p.warnings,
    notes = p.notes, assumed = p.assumed, levers = p.levers, headline = p.headline, comparable = p.comparable,
    what = p.what, tables = p.tables, brief = input.brief == true, drivers = drivers_of(p), fits = #p.contradictions == 0,
    missing = kind.missing and kind.missing(known) or {} }
end

-- A mix: every part by itself, and what they cost together.
local function mix(input)
  if input.text or input.kind or input.facts then
    errors.input("parts", "stand alone: text, kind and facts belong into them")
  end
  local answer = { kind = "ask", about = "mix", parts = {}, contradictions = {}, values = { cost_usd_month = 0 },
    fits = true, brief = input.brief == true, lines = {}, given = {}, levers = {}, headline = "" }
  for i, part in ipairs(input.parts) do
    if type(part) ~= "table" then errors.input(("parts[%d]"):format(i), "must be a table with text, kind or facts") end
    local found = one(part)
    answer.parts[i] = found
    answer.fits = answer.fits and found.fits
    answer.values.cost_usd_month = answer.values.cost_usd_month + (found.values.cost_usd_month or 0)
    table.move(found.contradictions, 1, #found.contradictions, #answer.contradictions + 1, answer.contradictions)
  end
  return answer
end

--- Answers ask{}: see its record.
function ask.run(input)
  questions.check_known("ask", input)
  if input.parts then return mix(input) end
  return one(input)
end

return ask
