-- Whether a search holds the plans that were run: the job of each row whose plan is stated is put as a user's question,
-- with model, cluster, software, batch, length and precision, and nothing of the plan. The search says what becomes of
-- the published plan, and how far its own winner is from it.
local choice = require("ballpark.validate.choice")
local device_could_hold = require("ballpark.validate.device_could_hold")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local plan_text = require("ballpark.questions.training.plan_text")
local plans = require("ballpark.search.plans")
local resolve = require("ballpark.resolve.training")
local search = require("ballpark.questions.search.run")
local simulated = require("ballpark.resolve.simulated")
local statistics = require("ballpark.validate.statistics")
local tables = require("ballpark.tables")
local training_facts = require("ballpark.measured.training_facts")

local held = {}

-- Columns without which nobody knows what was run.
local STATED <const> = { "tp", "pp", "micro_batch", "global_batch_seqs", "seq_len" }

local function is_stated(row)
  for _, name in ipairs(STATED) do
    if not row[name] then return false end
  end
  return not training_facts.failed(row)
end

-- Fields of a plan that say what is trained, in which format: the job, not how it is run.
local JOB <const> = { "precision", "fp8_recipe", "lora_rank", "base_bits", "adapters", "optimizer" }

local function question_of(facts)
  local plan = {}
  for _, name in ipairs(JOB) do plan[name] = facts.plan[name] end
  return { model = facts.model, cluster = facts.cluster, software = facts.software, job = facts.job, plan = plan, top = 1 }
end

-- fn(...), or nil and what is wrong with the row.
local function tried(fn, ...)
  local result, refused = errors.try(fn, ...)
  return result, refused and tostring(refused)
end

local function why_of(answer, plan)
  local asked = tables.with(answer.input.case.facts, { plan = plan })
  local case = resolve.resolve(asked, { estimate = simulated.step })
  return plans.why(answer.input, case.plan)
end

-- What may have been recomputed where a row does not say it, from the least.
local RECOMPUTED <const> = { "none", "selective", "full" }

-- What a search says of a published plan. Where the source does not say what was recomputed (NeMo's tables do not), the
-- plan is held if it is with one of the ways to do it.
local function verdict_of(answer, facts)
  local why = why_of(answer, facts.plan)
  if facts.plan.recompute or facts.plan.recompute_modules then return why end
  for _, way in ipairs(why.verdict == "memory" and RECOMPUTED or {}) do
    local other = why_of(answer, tables.with(facts.plan, { recompute = way }))
    if other.verdict == "feasible" then return other end
  end
  return why
end

-- Names of the fields that a search goes over in which two plans differ.
local function differing(a, b)
  local names = {}
  for _, name in ipairs(fields.searched()) do
    if a[name] ~= b[name] then names[#names + 1] = name end
  end
  return names
end

-- plain: as anybody launches; odd: cut by hand, or seldom run; unseen: in no published run.
local function launch_of(worth)
  if worth.short_context or worth.rare_pipeline or worth.rare_sharding then return "unseen" end
  return worth.handicap > 0 and "odd" or "plain"
end

-- Chance of fitting from which on a plan is more likely to run than not; searches ask for more (fit_chance).
local HALF <const> = 0.5

local function figures(entry, why, best)
  entry.verdict = why.verdict
  entry.reason = why.verdict ~= "feasible" and why.text ~= "" and why.text or nil
  entry.held = why.verdict == "feasible"
  entry.fits = why.memory and why.memory.fit_probability
  entry.tight = why.verdict == "memory" and entry.fits >= HALF
  if not best then return entry end
  entry.winner, entry.launch, entry.published = plan_text.short(best.plan), launch_of(best.worth), plan_text.short(why.plan)
  if why.time then
    entry.gain = why.time.step_s / best.time.step_s - 1
    entry.differs = #differing(best.plan, why.plan)
  end
  return entry
end

-- The answers of searches by what they were asked; nil where the question is refused.
local function answer_of(known, row, facts)
  local key = choice.job_key(row)
  if known[key] == nil then known[key] = tried(search.run, question_of(facts)) or false end
  return known[key] or nil
end

local function entry_of(known, row)
  local facts = tried(training_facts.of, row)
  if not facts then return nil end
  if device_could_hold.states_more({ row = row, device = facts.cluster.device }) then return nil end
  local answer = answer_of(known, row, facts)
  local why = answer and tried(verdict_of, answer, facts)
  if not why then return nil end
  return figures({ case_id = row.case_id, family = row.family or "" }, why, answer.best)
end

local function share(list, is)
  local count = 0
  for _, item in ipairs(list) do count = count + (is(item) and 1 or 0) end
  return #list > 0 and count / #list or nil
end

local function values(list, name)
  local found = {}
  for _, item in ipairs(list) do found[#found + 1] = item[name] end
  return found
end

-- Of several rows: { rows, held, tight, memory (rejected for it), plain, odd, unseen (shares of their winners), gain, differs
-- (medians) }.
local function summary(list)
  local function launched(word) return function(item) return item.launch == word end end
  return { rows = #list, held = share(list, function(item) return item.held end),
    tight = share(list, function(item) return item.tight end),
    memory = share(list, function(item) return item.verdict == "memory" and not item.tight end), plain = share(list, launched("plain")),
    odd = share(list, launched("odd")), unseen = share(list, launched("unseen")),
    gain = statistics.median(values(list, "gain")), differs = statistics.median(values(list, "differs")) }
end

--- What each figure means, for reports.
held.doc = {
  { "held", "share of published plans that a search for their job holds feasible" },
  { "tight", "share that fits with half a chance, but not with the nine in ten that a search asks for" },
  { "memory", "share that has less than half a chance to fit" },
  { "plain", "share of its winners that are launched as they are; odd: with stages cut by hand, odd interleaving, more "
    .. "than 16 stages or tensors across nodes; unseen: with a cut or sharding that no published run has" },
  { "gain", "predicted step of the published plan over that of the winner, less 1, median" },
  { "differs", "searched fields of the plan in which the two differ, median" },
}

--- Of all rows whose plan is stated: { summary, of_families (means of families), families (sorted), rows }.
---@param rows table[] of ballpark.validate.read
function held.of(rows)
  local known, list = {}, {}
  for _, row in ipairs(rows) do
    if not row.wrong and is_stated(row) then list[#list + 1] = entry_of(known, row) end
  end
  local names, parts = statistics.split(list, function(entry) return entry.family end)
  local families, means = {}, { rows = #list }
  for i, name in ipairs(names) do families[i] = tables.with(summary(parts[name]), { family = name }) end
  for _, figure in ipairs({ "held", "tight", "memory", "plain", "odd", "unseen", "gain", "differs" }) do
    local all = values(families, figure)
    local sum = 0
    for _, value in ipairs(all) do sum = sum + value end
    means[figure] = #all > 0 and sum / #all or nil
  end
  return { summary = summary(list), of_families = means, families = families, rows = list }
end

return held
