-- A latency budget as a sum of distributions: the percentile of the sum against the SLO, not the sum of the
-- parts' percentiles.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local questions = require("ballpark.questions")
local tables = require("ballpark.tables")

local latency = {}

-- Parts that core.part_sum adds at most.
local MOST_VARYING <const> = 64

-- Usual SLOs of services: assumption.
local PERCENTILE <const> = 99

-- Standard normal score of the 84th percentile, at which a lognormal is one deviation above its median.
local ONE_DEVIATION <const> = 0.8413447460685429

-- Shares of the percentiles that a simulation answers with.
local SEEN <const> = { { "p50_s", 0.5 }, { "p90_s", 0.9 }, { "p99_s", 0.99 } }

local FORMS = {
  {
    fields = { "fixed_s" },
    read = function(path, part) return { fixed_s = errors.number(path .. ".fixed_s", part.fixed_s, 0) } end,
  },
  {
    fields = { "median_s", "p99_s" },
    read = function(path, part)
      local median = errors.positive(path .. ".median_s", part.median_s)
      return { shares = { 0.5, 0.99 }, values = { median, errors.number(path .. ".p99_s", part.p99_s, median) } }
    end,
  },
  {
    fields = { "mean_s", "cv" },
    read = function(path, part)
      local mean, cv = errors.positive(path .. ".mean_s", part.mean_s), errors.number(path .. ".cv", part.cv, 0)
      local variance = math.log(1 + cv * cv)
      local median = mean * math.exp(-variance / 2)
      return { shares = { 0.5, ONE_DEVIATION }, values = { median, median * math.exp(math.sqrt(variance)) } }
    end,
  },
  {
    fields = { "p50_s", "p90_s", "p99_s" },
    read = function(path, part)
      local shares, values = {}, {}
      for i, item in ipairs(SEEN) do
        shares[i] = item[2]
        values[i] = i == 1 and errors.positive(path .. ".p50_s", part.p50_s)
          or errors.number(path .. "." .. item[1], part[item[1]], values[i - 1])
      end
      return { shares = shares, values = values }
    end,
  },
}

local TIMES <const> = { "ttft", "tpot", "e2e", "queue" }

-- What requests see of a call that is batched in front of replicas, or of one that is alone.
local function of_call(path, answer)
  local batching = answer.fleet and answer.fleet.batching
  if not batching then return { fixed_s = answer.out.time_s } end
  return FORMS[2].read(path, { median_s = batching.p50_s, p99_s = batching.p99_s })
end

-- Another budget, as what it comes to.
local function of_budget(path, answer)
  if answer.median_s == answer.value_s then return { fixed_s = answer.value_s } end
  local share = answer.percentile / 100
  if share <= 0.5 then errors.input(path .. ".answer", "a budget that is a part has a percentile above 50") end
  return { shares = { 0.5, share }, values = { answer.median_s, answer.value_s } }
end

local OF_KIND <const> = { encode = of_call, recommend = of_call, vector_search = of_call, latency = of_budget }

-- What a serving answer saw of one of its times, as percentiles; calls and budgets by what they come to.
local function from_answer(path, part)
  local answer = part.answer
  local of_kind = type(answer) == "table" and OF_KIND[answer.kind or ""]
  if of_kind then return of_kind(path, answer) end
  if type(answer) == "table" and answer.kind == "serving_search" then answer = answer.winner end
  local seen = type(answer) == "table" and answer.seen
  if not seen then
    errors.input(path .. ".answer", "must be what serve or serve_search answered, with simulated requests, or encode, "
      .. "recommend, vector_search or latency")
  end
  local which = part.time or "e2e"
  if not tables.contains(TIMES, which) then errors.choice(path .. ".time", tostring(which), TIMES) end
  local times = seen[which]
  if not (times.p50_s > 0) then return { fixed_s = times.mean_s } end
  return FORMS[#FORMS].read(path, { p50_s = times.p50_s, p90_s = math.max(times.p90_s, times.p50_s),
    p99_s = math.max(times.p99_s, times.p90_s, times.p50_s) })
end

local function known_fields()
  local names = { "name", "answer", "time" }
  for _, form in ipairs(FORMS) do table.move(form.fields, 1, #form.fields, #names + 1, names) end
  return names
end

-- The form whose fields, and no others, a part has.
local function form_of(path, part)
  errors.named(path, part, known_fields())
  local given = 0
  for key in pairs(part) do given = given + (key == "name" and 0 or 1) end
  for _, form in ipairs(FORMS) do
    local has = 0
    for _, field in ipairs(form.fields) do has = has + (part[field] ~= nil and 1 or 0) end
    if has == #form.fields and has == given then return form end
  end
  errors.input(path, "needs one of: fixed_s; median_s and p99_s; mean_s and cv; p50_s, p90_s and p99_s; or answer")
end

local function part_of(i, given)
  local path = ("parts[%d]"):format(i)
  if type(given) ~= "table" then errors.input(path, "must be a table, got " .. type(given)) end
  local part = given.answer ~= nil and from_answer(path, given) or form_of(path, given).read(path, given)
  part.name = given.name or ("part " .. i)
  if type(part.name) ~= "string" then errors.input(path .. ".name", "must be text") end
  return part
end

-- Parts that vary, for the core, and the seconds of those that do not.
local function sorted_out(parts)
  local varying, fixed_s = {}, 0
  for _, part in ipairs(parts) do
    if part.fixed_s then fixed_s = fixed_s + part.fixed_s else varying[#varying + 1] = part end
  end
  return varying, fixed_s
end

-- Percentile of a part by itself, as the core has its quantile function.
local function own_percentile(part, share)
  return part.fixed_s or core.part_sum({ part }, share, 0).quantile
end

local function describe(parts, answer, sum, share)
  local at = 0
  for i, part in ipairs(parts) do
    at = at + (part.fixed_s and 0 or 1)
    local own = part.fixed_s or sum.means[at]
    local without = part.fixed_s and answer.value_s - part.fixed_s or sum.without[at] + answer.fixed_s
    answer.parts[i] = { name = part.name, mean_s = own, percentile_s = own_percentile(part, share),
      share = own > 0 and own / answer.mean_s or 0, saves_s = answer.value_s - without }
  end
end

local function largest(parts, field)
  local best
  for _, part in ipairs(parts) do
    if not best or part[field] > best[field] then best = part end
  end
  return best
end

--- Answers latency{ sla_s, percentile (99), parts = list of { name, and one of: fixed_s; median_s, p99_s; mean_s, cv;
--- p50_s, p90_s, p99_s; answer of serve with time = "ttft", "tpot", "e2e" or "queue", or of encode, recommend,
--- vector_search and latency } }: { kind, value_s = the
--- percentile of the sum, left_s, fits, within_frac, mean_s, median_s, stacked_s = the sum of the parts' percentiles,
--- parts = { name, mean_s, percentile_s, share, saves_s }, dominant }.
function latency.run(input)
  questions.check_known("latency", input)
  local sla = errors.positive("sla_s", input.sla_s)
  local percentile = errors.number("percentile", input.percentile or PERCENTILE, 1)
  if percentile > 99.9 then errors.input("percentile", "must be from 1 to 99.9, got " .. tostring(percentile)) end
  if type(input.parts) ~= "table" or #input.parts == 0 then errors.input("parts", "must list what takes time") end
  local parts, share = {}, percentile / 100
  for i, given in ipairs(input.parts) do parts[i] = part_of(i, given) end
  local varying, fixed_s = sorted_out(parts)
  if #varying > MOST_VARYING then
    errors.input("parts", ("%d of them vary, and at most %d are added: give some together, or as fixed"):format(#varying, MOST_VARYING))
  end
  local sum = varying[1] and core.part_sum(varying, share, sla - fixed_s)
    or { quantile = 0, median = 0, mean = 0, below = fixed_s <= sla and 1 or 0 }
  local answer = { kind = "latency", sla_s = sla, percentile = percentile, fixed_s = fixed_s,
    value_s = fixed_s + sum.quantile, mean_s = fixed_s + sum.mean, median_s = fixed_s + sum.median,
    within_frac = sum.below, parts = {}, stacked_s = 0 }
  describe(parts, answer, sum, share)
  for _, part in ipairs(answer.parts) do answer.stacked_s = answer.stacked_s + part.percentile_s end
  answer.left_s = sla - answer.value_s
  answer.fits = answer.left_s >= 0
  answer.dominant = largest(answer.parts, "saves_s").name
  return answer
end

return latency
