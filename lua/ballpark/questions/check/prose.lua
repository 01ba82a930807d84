-- Somebody's estimate in prose, clause by clause: each is a claim, and facts go on from clause to clause.
local check = require("ballpark.questions.check.run")
local errors = require("ballpark.errors")
local figures = require("ballpark.questions.check.figures")
local grammar = require("ballpark.questions.said.grammar")
local lints = require("ballpark.lints")
local questions = require("ballpark.questions")
local tables = require("ballpark.tables")

local prose = {}

-- An estimate is some pages; each of its clauses is checked.
local MOST_BYTES <const> = 64 << 10

-- Tokens that a service writes are its speed.
local function of_service(facts)
  return tables.with(facts, { tokens_per_s = facts.tokens_per_s or facts.output_tokens_per_s })
end

-- Facts of a clause; false where it is no claim.
local function facts_of(clause)
  -- "6ND" is a rule and no number.
  local ok, said = errors.attempt(grammar.read, (clause:gsub("%f[%w][26]%s?[×x*]?%s?N%s?[DL]%f[%W]", "")))
  if ok then return next(said.facts) and of_service(said.facts) or false end
  if errors.is(said) then return false end
  error(said, 0)
end

-- What was said of a system stays until another system is spoken of.
local OF_SYSTEM <const> = { "time_s", "device_s", "cost_usd", "tokens_per_s", "tokens_per_s_device", "rate_per_s", "tpot_s" }

-- Facts that a check can take; others would spoil what comes after them.
local checked

local function is_checked(name)
  if not checked then
    checked = {}
    for _, fact in ipairs(questions.record("check").facts) do checked[fact[1]] = true end
  end
  return checked[name]
end

-- What a text says that is about training.
local function trains(text)
  local lower = text:lower()
  return lower:find("train") ~= nil or lower:find("mfu") ~= nil or lower:find("6%s?[%*x×]?%s?n%s?[%*x×]?%s?d") ~= nil
    or lower:find("%d%s?[bt] tokens") ~= nil or lower:find("illion tokens") ~= nil
end

local function goes_on(known, facts)
  -- A speed that is said has an MFU of its own.
  if facts.tokens_per_s or facts.tokens_per_s_device then known.mfu_frac = nil end
  if facts.devices or facts.device then
    for _, name in ipairs(OF_SYSTEM) do known[name] = nil end
  end
  -- A size is that of another model than the one that was named before, and the other way round.
  if facts.params and not facts.model then known.model = nil end
  if facts.model and not facts.params then known.params = nil end
  for name, value in pairs(facts) do
    -- "4x ResNet-50" is a comparison.
    if is_checked(name) and not (name == "model" and facts.peak_ratio) then known[name] = value end
  end
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
  local list, known, seen, kind = {}, {}, {}, not trains(text) and "serving" or nil
  local function add(clause, code, severity, message, fix)
    if seen[message] then return end
    seen[message] = true
    list[#list + 1] = { code = code, severity = severity, where = "line " .. clause.line, message = message, fix = fix }
  end
  for _, clause in ipairs(clauses(text)) do
    local facts = facts_of(clause.text)
    if facts then
      goes_on(known, facts)
      local answer = errors.try(check.run, tables.with(known, { kind = kind }))
      for _, item in ipairs(answer and answer.contradictions or {}) do
        add(clause, item.code, "warning", item.text, "compute it again, with units")
      end
      for _, remark in ipairs(answer and answer.remarks or {}) do
        add(clause, "unusual", "note", remark, "say why it is so")
      end
    end
  end
  return list
end

--- What is wrong with an estimate in prose: claims that contradict themselves or the devices, figures that contradict the
--- catalog, and what it leaves out: list of { code, severity, where, message, fix }.
---@param text string
function prose.lints(text)
  if #text > MOST_BYTES then
    errors.usage(("lint: the text has %d bytes, more than the %d that are read as an estimate"):format(#text, MOST_BYTES))
  end
  if not text:find("%d") then errors.usage("lint: the text has no numbers, so it is no estimate") end
  local list, known, seen = of_claims(text), {}, {}
  for _, item in ipairs(figures.contradicted(text)) do
    if not seen[item.message] then
      seen[item.message] = true
      list[#list + 1] = { code = item.code, severity = "warning", where = "line " .. item.line, message = item.message,
        fix = item.fix }
    end
  end
  for _, item in ipairs(list) do known[item.code] = true end
  for _, item in ipairs(lints.of_text(text)) do
    if not known[item.code] then list[#list + 1] = item end
  end
  return list
end

return prose
