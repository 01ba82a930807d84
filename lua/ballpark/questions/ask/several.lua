-- Several questions in one prompt: "serve a 405B to 100 users, and train an 8B on 200B tokens" as its clauses. What they are
-- about (a model, a device) is said in one and meant in the others, too.
local errors = require("ballpark.errors")
local facts = require("ballpark.questions.ask.facts")
local grammar = require("ballpark.questions.said.grammar")
local kinds = require("ballpark.questions.ask.kinds")
local mentions = require("ballpark.mentions")
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")

local several = {}

-- Where a prompt may be cut, the clearest first.
local CUTS <const> = { "%s+and%s+also%s+", "[%.;,]%s+also,?%s+", "%.%s+", ";%s+", "[,;]%s+and%s+", "%s+plus%s+", "%s+and%s+" }

-- Words that name a kind of question, rather than words that many use.
local LEAST_WEIGHT <const> = 4

-- What is said once and meant everywhere.
local SHARED <const> = { "model", "params", "active_params", "weights", "device", "vectors", "items", "dim" }

-- Bytes that are read at most to find where a prompt is cut: every cut reads what stands on both of its sides.
local MOST_READ <const> = 32 << 10

-- What a clause says; nil where it cannot be read. `budget.bytes` are what may still be read.
local function read(text, budget)
  budget.bytes = budget.bytes - #text
  if budget.bytes < 0 then
    errors.input("ask", "the prompt has too many clauses to tell its questions apart: ask them one by one, or with --and")
  end
  return (errors.try(grammar.read, text, { lenient = true }))
end

-- Numbers that ask nothing by themselves: "and what would it cost at 2 dollars an hour", "and its cost at 15 cents per kWh".
local OF_ALL <const> = tables.set({ "usd_h", "usd_kwh", "grid_kg_kwh" })

-- Words that ask or tell.
local ASKING <const> = { "how", "what", "which", "can", "could", "will", "does", "do", "is", "are", "fits?", "run", "serve", "host", "train",
  "costs?", "handle", "summari[sz]e", "translate", "classify", "extract", "label", "generate", "fine%-?tune" }

-- Whether a clause asks or tells.
local function is_asking(text)
  for _, word in ipairs(ASKING) do
    if text:lower():find("%f[%w]" .. word .. "%f[%W]") then return true end
  end
  return false
end

-- What a machine is said by, and the words of who has it.
local OF_MACHINE <const> = tables.set({ "device", "devices", "own_devices", "memory_bytes", "host_memory_bytes", "host_bus", "network" })
local HAS <const> = { "%f[%a]have%f[%A]", "%f[%a]has%f[%A]", "%f[%a]got%f[%A]", "%f[%a]own%f[%A]", "%f[%a]using%f[%A]", "%f[%a]use%f[%A]", "%f[%a]there is%f[%A]",
  "%f[%a]there are%f[%A]", "%f[%a]at home%f[%A]", "^%s*on%f[%A]", "^%s*only%f[%A]" }

-- Whether a clause only says on what machine the rest runs: "and I only have a single RTX 3090 at home".
local function is_machine(text, said)
  for name in pairs(said.facts) do
    if not OF_MACHINE[name] then return false end
  end
  return said.facts.device ~= nil and mentions.any(text, HAS) and not is_asking(text)
end

-- A clause that is a question by itself: words that name a kind, and a number.
local function question(text, budget)
  local said = text:find("%w") and read(text, budget)
  if not said then return nil end
  local weight, numbers = 0, 0
  for _, each in pairs(said.weights) do weight = math.max(weight, each) end
  for name, value in pairs(said.facts) do numbers = numbers + (type(value) == "number" and not OF_ALL[name] and 1 or 0) end
  -- "5 TB of text, how many tokens": a corpus alone is what the rest is about.
  if said.facts.tokens and not next(said.facts, next(said.facts)) then return nil end
  if is_machine(text, said) then return nil end
  local kind = weight >= LEAST_WEIGHT and numbers > 0 and kinds.guessed(said)
  -- "…, realistic in a week?": a judgement of what is said before it.
  if kind == "check" and not (said.facts.model or said.facts.params or said.facts.device) then return nil end
  return kind and { text = text, said = said, kind = kind } or nil
end

-- Kinds that words of a plan or of a promise speak for, too: "an fp8 KV cache", "overnight".
local BY_FACTS <const> = tables.set({ "fit", "replica", "batch" })

-- A clause that says no more than facts of what the whole is about: "and a 1k response, on L40S with an fp8 KV cache".
local function is_of_whole(clause, whole)
  local kind = whole and kinds.guessed(whole)
  local own = clause.said.facts
  if not kind or kind == clause.kind or not BY_FACTS[clause.kind or ""] or own.model or own.params then return false end
  if is_asking(clause.text) then return false end
  for name in pairs(facts.named(kinds.get(kind), own)) do
    if not facts.has(kinds.get(kind), name) then return false end
  end
  return true
end

-- Whether one clause speaks of the storage that the checkpoints of the other are written to, and of no vectors.
local function is_of_checkpoints(one, other)
  return one.kind == "storage" and other.kind == "checkpoints" and not (one.said.facts.vectors or one.said.facts.users or one.said.facts.dim)
end

-- What is said of each other: "1k prompts and 10k token answers", "0.6 USD per million input and 2.4 per million output".
local PAIRED <const> = { "input_tokens", "output_tokens", "prefix_tok", "usd_mtok_input", "usd_mtok_output" }

-- Whether neither side of a cut says one of them that the whole does.
local function parts_pair(whole, left, right)
  for _, name in ipairs(PAIRED) do
    if whole and whole.facts[name] and not left.said.facts[name] and not right.said.facts[name] then return true end
  end
  return false
end

-- The first cut that leaves a question on both sides.
local function cut(text, whole, budget)
  for _, pattern in ipairs(CUTS) do
    local from = 1
    while true do
      local first, last = text:find(pattern, from)
      if not first then break end
      local left = question(text:sub(1, first - 1), budget)
      local right = left and question(text:sub(last + 1), budget)
      local is_cut = right and (left.kind ~= right.kind or not whole) and not parts_pair(whole, left, right)
      is_cut = is_cut and not is_of_checkpoints(left, right) and not is_of_checkpoints(right, left)
      if is_cut and not is_of_whole(left, whole) and not is_of_whole(right, whole) then
        return left, right, text:sub(last + 1)
      end
      from = last
    end
  end
end

-- Whether the kind of the whole has parts of its own for what is said, as retrieval has for answers out of what is found.
local function has_own_parts(said, text)
  local kind = said and kinds.guessed(said) and kinds.get(kinds.guessed(said))
  if not kind or not kind.parts then return false end
  local given = facts.named(kind, said.facts)
  if kind.given then given = kind.given(given, said.weights, text) end
  return kind.parts(given) ~= nil
end

-- Facts of one clause that another needs and does not say.
local function shared(from, to)
  local kind, own, lent, given = kinds.get(to.kind), to.said.facts, {}, {}
  for _, name in ipairs(SHARED) do lent[name] = from.said.facts[name] end
  -- A size that is said is not that of another model's name.
  if own.model or own.params then lent.model, lent.params, lent.active_params = nil, nil, nil end
  -- Vectors are stored as their model makes them.
  if to.kind == "storage" and not own.dim then given.dim = lent.dim or proposals.vector_dim(lent.model) end
  local said = facts.named(kind, own)
  for name, value in pairs(facts.named(kind, lent)) do
    if facts.has(kind, name) and said[name] == nil then given[name] = value end
  end
  return given
end

--- The questions of a prompt, each { text, facts that it takes from the others, kind where these would make another of it }; nil
--- where it is one.
---@param text string
---@return table[]|nil
function several.of(text)
  if #text > grammar.MOST_BYTES then return nil end
  local list, rest, budget = {}, text, { bytes = MOST_READ }
  while true do
    local whole = read(rest, budget)
    if whole and kinds.is_bill(whole.facts) then break end -- "60k a month for 10B tokens; would llama 70b be cheaper?"
    if has_own_parts(whole, rest) then break end
    local left, right, behind = cut(rest, whole, budget)
    if not left then break end
    if list[1] then list[#list] = nil end
    list[#list + 1], list[#list + 2], rest = left, right, behind
  end
  if not list[1] then return nil end
  local parts = {}
  for i, to in ipairs(list) do
    local given = {}
    for j, from in ipairs(list) do
      for name, value in pairs(i ~= j and shared(from, to) or {}) do
        if given[name] == nil then given[name] = value end
      end
    end
    -- What is lent makes no other question of it.
    local guessed = kinds.guessed({ facts = tables.with(to.said.facts, given), weights = to.said.weights, text = to.said.text, beside = to.said.beside })
    parts[i] = { text = to.text, facts = given, kind = guessed ~= to.kind and to.kind or nil }
  end
  return parts
end

return several
