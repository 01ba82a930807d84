-- ballpark lint: the mistakes of a scenario, or of somebody's estimate in prose.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")

local lint = {
  summary = "Mistakes of a scenario, or of an estimate in prose: what is forgotten, and slips of units",
  examples = { "ballpark lint scenarios/quickstart.lua", "ballpark lint estimate.txt --strict" },
  notes = { "A file that ends in .lua is run as a scenario. Any other is read line by line as claims,",
    "whose facts go on from line to line." },
}

function lint.define(command)
  command:argument("file", "A scenario, or a text; - is a text from standard input."):args("?")
  command:flag("--codes", "List all codes with why and fix, instead.")
  options.define_overrides(command)
  options.define_output(command)
end

-- Facts of a clause; false where it is no claim.
local function facts_of(clause)
  local ok, said = pcall(require("ballpark.questions.said.grammar").read, clause)
  if ok then return next(said.facts) and said.facts or false end
  if errors.is(said) then return false end
  error(said, 0)
end

-- What was said of a system stays until another system is spoken of.
local OF_SYSTEM <const> = { "time_s", "device_s", "cost_usd", "tokens_per_s", "tokens_per_s_device", "rate_per_s", "tpot_s" }

local function goes_on(known, facts)
  if facts.devices or facts.device then
    for _, name in ipairs(OF_SYSTEM) do known[name] = nil end
  end
  for name, value in pairs(facts) do known[name] = value end
end

-- Clauses of a text with the number of their line.
local function clauses(text)
  local list, number = {}, 0
  for line in (text .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    for clause in (line:gsub("[%.,;:]%s", "\0") .. "\0"):gmatch("(.-)%z") do
      if clause:find("%w") then list[#list + 1] = { text = clause, line = number } end
    end
  end
  return list
end

-- What each clause contradicts, with what those before it said.
local function of_claims(text)
  local list, known, seen = {}, {}, {}
  local function add(clause, code, severity, message, fix)
    if seen[message] then return end
    seen[message] = true
    list[#list + 1] = { code = code, severity = severity, where = "line " .. clause.line, message = message, fix = fix }
  end
  for _, clause in ipairs(clauses(text)) do
    local facts = facts_of(clause.text)
    if facts then
      goes_on(known, facts)
      local ok, answer = pcall(require("ballpark.questions.check.run").run, known)
      if not ok and not errors.is(answer) then error(answer, 0) end
      for _, item in ipairs(ok and answer.contradictions or {}) do
        add(clause, item.code, "warning", item.text, "compute it again, with units")
      end
      for _, remark in ipairs(ok and answer.remarks or {}) do
        add(clause, "unusual", "note", remark, "say why it is so")
      end
    end
  end
  return list
end

local function of_text(text)
  if not text:find("%d") then errors.usage("lint: the text has no numbers, so it is no estimate") end
  local list, known = of_claims(text), {}
  for _, item in ipairs(list) do known[item.code] = true end
  for _, item in ipairs(require("ballpark.lints").of_text(text)) do
    if not known[item.code] then list[#list + 1] = item end
  end
  return list, {}
end

local function of_scenario(file, chosen)
  local found = scenario.run(scenario.load(file), { overrides = overrides.parse(chosen.define), command = "run" })
  return found.lints, found.explained
end

local function all_codes()
  local r, rows = result.new({ command = "lint", title = "Lints" }), {}
  for i, record in ipairs(require("ballpark.lints").records) do rows[i] = { record.code, record.severity, record.why, record.fix } end
  r:table({ name = "codes", rows = rows, columns = { { name = "code" }, { name = "severity" }, { name = "why", letters = 70 },
    { name = "fix" } } })
  return r
end

--- What is wrong with an estimate, as a result.
---@param what { file: string|nil, text: string|nil } a scenario or a text
---@param chosen table options
function lint.answered(what, chosen)
  local found, explained
  if what.file and what.file:find("%.lua$") then
    found, explained = of_scenario(what.file, chosen)
  else
    found, explained = of_text(what.text or files.read(what.file))
  end
  local r = result.new({ command = "lint", title = what.file or "An estimate" })
  r:facts({ name = "lint", { name = "lints", title = "Found", value = #found }, { name = "explained", title = "Explained",
    value = #explained } })
  r.lints, r.explained = found, explained
  return r
end

function lint.run(chosen)
  options.format(chosen)
  if chosen.codes then return options.emit(all_codes(), chosen) end
  if not chosen.file then errors.usage("lint needs a file, a scenario or a text (see 'ballpark lint --help')") end
  return options.emit(lint.answered({ file = chosen.file }, chosen), chosen)
end

return lint
