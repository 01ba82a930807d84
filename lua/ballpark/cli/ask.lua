-- ballpark ask: a prompt in free words, an interview on a terminal, a follow-up that changes facts.
local blanks = require("ballpark.blanks")
local errors = require("ballpark.errors")
local facts_of_kind = require("ballpark.questions.ask.facts")
local files = require("ballpark.files")
local json = require("ballpark.json")
local kinds = require("ballpark.questions.ask.kinds")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local plain = require("ballpark.scenario.plain")
local question = require("ballpark.cli.question")
local scenario = require("ballpark.scenario")
local spread = require("ballpark.uncertain.spread")
local tables = require("ballpark.tables")
local term = require("ballpark.term")
local tokens = require("ballpark.questions.said.tokens")
local uncertain = require("ballpark.uncertain")
local units = require("ballpark.units")

local ask = {
  summary = "From a vague prompt to an answer in five steps, with what was not said proposed",
  examples = {
    "ballpark ask 'train a model of 7B on 1T tokens'",
    "ballpark ask 'a chat assistant of 70B for 2M daily users' --brief",
    "ballpark ask 'moderate images, 1M uploads an hour, burst 3x, within 10 minutes, ViT-L'",
    "ballpark ask 'a chat assistant of 70B for 2M daily users' -f json -o chat.json",
    "ballpark ask --follow chat.json --set budget_usd_month=150000",
    "ballpark ask 'one matrix product on two GPUs of 24 GB; then 8 GPUs; then training'",
    "ballpark ask 'what is wrong with estimate.txt?'",
  },
  notes = {
    "Facts by name: --set NAME=VALUE, as tokens=trillion(1); 'ballpark ask --facts KIND' lists those of a kind.",
    "On a terminal at most six questions are asked, each with a proposed answer; --yes takes them all.",
  },
}

function ask.define(command)
  command:argument("prompt", "The prompt in free words."):args("*")
  command:option("--kind", "What it is about: " .. table.concat(kinds.names, ", ") .. "."):argname("KIND")
  command:option("--set", "A fact by name, over the words. May be repeated."):argname("NAME=VALUE"):count("*")
  command:option("--follow", "The JSON of an answer whose facts go on."):argname("FILE.json")
  command:option("--and", "Another prompt, answered with it. May be repeated."):argname("PROMPT"):count("*")
    :target("also")
  command:option("--facts", "List the facts of a kind with their proposals, instead of an answer."):argname("KIND")
  command:flag("--brief", "Ten lines.")
  command:flag("--yes", "Ask nothing on a terminal.")
  options.define_overrides(command)
  options.define_output(command)
end

-- A number as people write it: "50k", "7B", "3.5"; nil where it is none.
local function number_of(text)
  if #text > tokens.LONGEST_NUMBER then return nil end
  local list = tokens.of(text)
  return #list == 1 and list[1].number or nil
end

-- "50k..100k" as a range, "1..2T" as in words; nil where it is none.
local function range_of(text)
  local low, high = text:match("^(%S-)%.%.(%S+)$")
  low, high = low and number_of(low), high and number_of(high)
  if not (low and high) then return nil end
  local list = tokens.of(text)
  if #list == 1 and list[1].low then low, high = list[1].low, list[1].high end
  return overrides.range(("%.17g..%.17g"):format(low, high))
end

-- Shares of a distribution below the ends of a range and below what it is taken for.
local ENDS <const> = { low = 0.1, value = 0.5, high = 0.9 }

-- An uncertain number as the range of a fact. What is reckoned from several of them has no ends that are told so simply.
local function ends_of(name, value)
  local function worth(of) return uncertain.within(of, plain.inputs, "facts", { [name] = value }) end
  local leaves, ends = worth({}), {}
  if leaves[2] then errors.usage(("--set %s: is reckoned from several ranges: give one, as %s=LOW..HIGH"):format(name, name)) end
  for key, share in pairs(ENDS) do
    ends[key] = select(2, worth({ [leaves[1]] = spread.quantile(leaves[1].spread, share) }))[name]
  end
  if ends.low > ends.high then ends.low, ends.high = ends.high, ends.low end
  return ends
end

-- The facts that options give, and those of them that are uncertain.
local function set_facts(facts, drawn, chosen)
  local wrong = {}
  for _, text in ipairs(chosen.set) do
    local name, written = text:match("^([%a_][%w_]*)%s*=%s*(.+)$")
    if name then
      if facts_of_kind.unit(kinds.all(), name) == "s" then question.check_time(("--set %s=%s"):format(name, written), written) end
      local value = range_of(written) or overrides.value(written, "--set " .. name)
      drawn[name] = uncertain.is(value) and value or nil
      facts[name] = drawn[name] and ends_of(name, value) or value
    else
      wrong[#wrong + 1] = "--set " .. text
    end
  end
  if wrong[1] then errors.usage(table.concat(wrong, ", ") .. ": expected name=value") end
end

local FACTS <const> = { number = true, string = true, boolean = true }

-- The facts in a document, with their ends; nil where it has none that are some.
local function given_in(document)
  local values, ends = tables.at(document, "facts", "given", "values"), tables.at(document, "facts", "given", "range")
  if type(values) ~= "table" or ends ~= nil and type(ends) ~= "table" then return nil end
  local given = {}
  for name, value in pairs(values) do
    local around = tables.at(ends, name)
    local low, high = tables.at(around, "low"), tables.at(around, "high")
    if type(name) ~= "string" or not FACTS[type(value)] then return nil end
    local is_range = type(value) == "number" and type(low) == "number" and type(high) == "number" and 0 < low and low < high
    if around ~= nil and not is_range then return nil end
    given[name] = around and { low = low, high = high, value = value } or value
  end
  return given
end

-- What the answer in a file was asked, and was told.
local function followed(path)
  local ok, document = errors.attempt(json.decode, files.read(path))
  local about = ok and (tables.at(document, "facts", "answer", "values", "about") or tables.at(document, "facts", "prompt", "values", "about"))
  local given = ok and given_in(document)
  if not given or not tables.contains(kinds.names, about) then
    errors.usage("--follow " .. path .. ": is no answer of 'ballpark ask -f json'")
  end
  return about, given
end

-- The input, and those of its facts that are uncertain.
local function asked(chosen)
  local drawn = {}
  local input = { kind = chosen.kind, text = chosen.prompt[1] and table.concat(chosen.prompt, " ") or nil,
    brief = chosen.brief, facts = {} }
  if chosen.follow then
    local kind, given = followed(chosen.follow)
    input.kind = input.kind or kind
    for name, value in pairs(given) do
      if not (input.text and require("ballpark.questions.said.grammar").read(input.text).facts[name] ~= nil) then
        input.facts[name] = value
        drawn[name] = type(value) == "table" and uncertain.scope.range(value.low, value.high) or nil
      end
    end
  end
  set_facts(input.facts, drawn, chosen)
  if not chosen.also[1] then return input, drawn end
  local parts = { input }
  for i, text in ipairs(chosen.also) do parts[i + 1] = { text = text, brief = chosen.brief } end
  return { parts = parts, brief = chosen.brief }, drawn
end

-- A line as the value of a fact; nil where it is none, which is said.
local function typed(row, line)
  local value, refused = errors.try(facts_of_kind.value, row, overrides.value(blanks.cut(line), row[1]))
  if refused then io.stderr:write(tostring(refused), "\n") end
  return value
end

-- Asks what a question is about that says nothing of it; whether somebody answered. What is no kind is asked for once more.
local function interview_about(input)
  for _, name in ipairs(kinds.names) do io.stderr:write(("  %-12s %s\n"):format(name, kinds.get(name).words)) end
  for _ = 1, 2 do
    io.stderr:write("What is it about? ")
    local line = files.line()
    local said = line and line:match("^%s*(.-)%s*$")
    if not said or said == "" then return false end
    if tables.contains(kinds.names, said) then
      input.kind = said
      return true
    end
    local ok, e = errors.attempt(kinds.get, said)
    if not ok then io.stderr:write(tostring(e), "\n") end
  end
  return false
end

-- Asks for what matters and was not given. An empty line takes the proposal; what cannot be read is asked for once more.
local function interview(input)
  local run = require("ballpark.questions.ask.run")
  if run.is_open(input) and not interview_about(input) or run.parts(input) then return end
  local open = run.open(input)
  for _, entry in ipairs(open) do
    local row = entry.row
    local shown = entry.value ~= nil and (type(entry.value) == "number" and units.format(entry.value, row.unit or "")
      or tostring(entry.value))
    for _ = 1, 2 do
      io.stderr:write(row[2], shown and (" [%s: %s] "):format(shown, entry.why) or " [leave open] ")
      local line = files.line()
      if line == nil then return end
      if not line:find("%S") then break end
      local value = typed(row, line)
      if value ~= nil then
        input.facts[row[1]] = value
        break
      end
    end
  end
end

-- "What is wrong with estimate.txt?", "what is wrong with: 7B takes 25,000 years on one A100": an estimate of somebody,
-- for lint. A text without either is led to it.
local function estimate_of(chosen)
  local text = table.concat(chosen.prompt, " ")
  if chosen.kind or not (text:find("[Ww]rong with") or text:find("[Ee]stimate in ")) then return nil end
  for word in text:gmatch("[%w%._/%-]+%.%a%w*") do
    if files.exists(word) then return { file = word } end
  end
  local said = text:match("[Ww]rong with:?%s+(.*%d.*)")
  if said then return { text = said } end
  errors.usage("ask: name the file, as in 'what is wrong with estimate.txt?': 'ballpark lint FILE' answers it, of texts and "
    .. "of scenarios; '-' is standard input")
end

-- Whether another question answers, or a part of what is asked.
local function is_handed_over(input)
  local run = require("ballpark.questions.ask.run")
  local parts = run.parts(input)
  for _, part in ipairs(parts or {}) do
    if is_handed_over(part) then return true end
  end
  return not parts and run.handed_over(input) ~= nil
end

local function answer(chosen, state)
  local input, drawn = asked(chosen)
  if not input.parts and not chosen.yes and term.is_terminal(io.stdin) and term.is_terminal(io.stderr) then
    interview(input)
  end
  -- What another question answers has no ranges of facts: it is asked for draws of them.
  local first = input.parts and input.parts[1] or input
  if next(drawn) and is_handed_over(first) then first.facts = tables.with(first.facts, drawn) end
  return scenario.answer(state, "ask", input)
end

-- The facts of a kind as a table.
local function facts_of(name)
  local kind, rows = kinds.get(name), {}
  local known = facts_of_kind.of(kind, kind.example or {})
  for i, row in ipairs(kind.facts) do
    local entry = known:entry(row[1])
    rows[i] = { row[1], row[2], entry and not entry.given and (type(entry.value) == "number"
      and units.format(entry.value, row.unit or "") or tostring(entry.value)) or nil, entry and entry.why }
  end
  local r = require("ballpark.result").new({ command = "ask", title = kind.words })
  r:table({ name = "facts", title = "Facts, for --set NAME=VALUE", rows = rows, columns = { { name = "fact" },
    { name = "question", title = "asks" }, { name = "proposal", title = "proposed" }, { name = "why", title = "because" } } })
  return r
end

function ask.run(chosen)
  options.format(chosen)
  if chosen.facts then return options.emit(facts_of(chosen.facts), chosen) end
  local estimate = estimate_of(chosen)
  if estimate then return options.emit(require("ballpark.cli.lint").answered(estimate, chosen), chosen) end
  local state = scenario.state(nil, { command = "ask", overrides = overrides.parse(chosen.define) })
  return options.emit(question.blamed(chosen, nil, answer, chosen, state), chosen)
end

return ask
