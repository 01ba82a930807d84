-- The fleet that was chosen, for whoever runs it and whoever pays: replicas, bill, what binds, the SLO.
local bill = require("ballpark.questions.serve.bill")
local comparables = require("ballpark.questions.comparables.show")
local concurrency = require("ballpark.questions.serve.concurrency")
local fleet_assumed = require("ballpark.questions.serve.fleet_assumed")
local fleet_facts = require("ballpark.questions.serve.fleet_facts")
local fleet_range = require("ballpark.questions.serve_search.fleet_range")
local law = require("ballpark.range.law")
local memory_show = require("ballpark.questions.serve.memory_show")
local promise = require("ballpark.questions.serve.promise")
local ratio = require("ballpark.questions.comparables.ratio")
local words = require("ballpark.questions.serve.words")

local winner_show = {}

-- Costs closer than that cannot be told apart: prices are snapshots, times are met within a fifth.
local TIE_FRAC <const> = 0.02

-- A range that has no upper end is said in a note.
local function finite(range) return range and range.high < math.huge and range or false end

local function add_cost(fact, answer)
  local range = finite(answer.range.cost_usd_h)
  fleet_facts.add_bill(fact, bill.of(answer.winner, answer.ask.load, answer.ask.mean_per_s), range)
  if not range or range.low == range.high then return end
  fact("range_frac", law.COVERAGE, "frac", "Range", { text = "in brackets: the cheapest and the dearest fleet that meets the "
    .. "SLO when steps are as fast, or as slow, as in four of five published measurements" })
end

-- What one replica fewer would break.
local function add_binding(fact, answer)
  for _, tight in ipairs(answer.smaller) do
    local group = answer.winner.groups[tight.group]
    local suffix = group.role == "all" and "" or "_" .. group.role
    fact("bound_by" .. suffix, tight.part)
    fact("bound_frac" .. suffix, tight.ratio - 1, "frac")
    fact("bound_ratio" .. suffix, tight.ratio)
    local with = ": with {fewer" .. suffix .. "} replicas"
    fact("fewer" .. suffix, tight.replicas, "", "Bound by", { text = words.parts[tight.part] .. with
      .. (group.role == "all" and "" or " for " .. words.roles[group.role])
      .. " it is {bound_ratio" .. suffix .. "} times what is allowed" })
  end
end

local function is_tie(answer, other)
  local winner = answer.winner
  return not other.failed and other.cost_usd_h <= winner.cost_usd_h * (1 + TIE_FRAC)
    and words.fleet(other) ~= words.fleet(winner)
end

local function add_ties(fact, answer)
  local ties = {}
  for _, other in ipairs(answer.fleets) do
    if is_tie(answer, other) then ties[#ties + 1] = words.fleet(other) end
  end
  fact("ties", #ties, "")
  if #ties > 0 then
    fact("tie", ties[1], "", "Tie", { text = "{ties} other fleet" .. (#ties == 1 and " costs" or "s cost")
      .. " the same within 2 %: an estimate cannot tell them apart; the first is {tie}" })
  end
end

local function add_replica(fact, group)
  local engine = group.candidate.engine
  fact("ranks", group.candidate.ranks, "")
  fact("spares", group.replicas - group.up, "")
  fact("token_budget", engine.token_budget, "tok")
  fact("max_running", engine.max_running, "", "Each replica", { text = "{ranks} device"
    .. (group.candidate.ranks == 1 and "" or "s") .. ", at most {max_running} sequences and {token_budget} a step; "
    .. "{replicas} replica" .. (group.replicas == 1 and "" or "s") .. ", {spares} spare" })
end

-- KV cache of the replicas that decode.
local function add_cache(fact, answer)
  local groups = answer.winner.groups
  memory_show.add_cache(fact, groups[#groups].candidate:cache())
end

-- What requests see of each promise.
local function add_seen(fact, answer)
  for _, name in ipairs({ "ttft_s", "tpot_s", "e2e_s" }) do
    local limit = answer.ask.sla.limits[name]
    if limit then
      fact("limit_" .. name, limit, "s")
      fact("seen_" .. name, answer.winner.seen[promise.part[name]].at_s, "s", words.parts[name], { range = finite(answer.range[name]),
        text = ("{seen_%s} at P%g; the SLO is {limit_%s}"):format(name, answer.ask.sla.percentile, name) })
    end
  end
end

local function facts(answer)
  local winner, ask = answer.winner, answer.ask
  local list, fact = fleet_facts.list("fleet", ("%s, %s"):format(ask.model.name or "model",
    winner.candidate.engine.name or "engine"))
  fact("device", words.pool(winner.candidate.pool))
  fact("plan", words.plan(winner.candidate.plan))
  fact("fleet", words.fleet(winner), "", "Cheapest fleet")
  if not winner.groups[2] then add_replica(fact, winner.groups[1]) end
  fact("pattern", winner.pattern)
  fact("replicas", winner.replicas, "", nil, { range = finite(answer.range.replicas) })
  fleet_facts.add_devices(fact, winner.groups, winner.devices, winner:most_devices(),
    not ask.gpus_open and ask.gpus or nil)
  fleet_facts.add_load(fact, ask, winner.capacity_per_s)
  add_seen(fact, answer)
  add_cache(fact, answer)
  add_cost(fact, answer)
  add_binding(fact, answer)
  add_ties(fact, answer)
  comparables.service(fact, answer.comparable)
  return list
end

local function replicas_table(answer)
  local rows = {}
  for i, group in ipairs(answer.winner.groups) do
    local candidate = group.candidate
    rows[i] = { words.roles[group.role], group.replicas, group.replicas - group.up, candidate.ranks, group.devices,
      group.cost_usd_h, candidate.engine.max_running, candidate.engine.token_budget,
      words.pool(candidate.pool) .. " " .. words.plan(candidate.plan) }
  end
  return { name = "replicas", title = "Replicas; devices of each, sequences and tokens of a step at most",
    rows = rows, columns = { { name = "role", title = "compute" }, { name = "replicas" },
    { name = "spares", title = "spare" }, { name = "ranks", title = "each" }, { name = "devices" },
    { name = "cost", title = "", unit = "USD/h" }, { name = "max_running", title = "sequences" },
    { name = "token_budget", title = "step" }, { name = "plan", title = "of" } } }
end

local function slo_table(answer)
  local winner, rows = answer.winner, {}
  for _, name in ipairs({ "ttft_s", "tpot_s", "e2e_s" }) do
    local limit = answer.ask.sla.limits[name]
    if limit then
      local seen, range = winner.seen[promise.part[name]].at_s, answer.range[name]
      rows[#rows + 1] = { words.parts[name], limit, seen, range.low, range.high, seen / limit,
        winner.steady[name] }
    end
  end
  return { name = "slo", rows = rows,
    title = ("SLO at P%g, simulated with the spares down; four runs in five are between low and high")
      :format(answer.ask.sla.percentile),
    columns = { { name = "part", title = "" }, { name = "limit", title = "limit", unit = "s", scale = "time" },
      { name = "seen", title = "simulated", unit = "s", scale = "time" },
      { name = "seen_low", title = "low", unit = "s", scale = "time" },
      { name = "seen_high", title = "high", unit = "s", scale = "time" },
      { name = "used", title = "of limit", unit = "frac" },
      { name = "mean", title = "closed form", unit = "s", scale = "time" } } }
end

--- Adds the winner of an answer of serving.search to a result.
function winner_show.add(result, answer)
  result:facts(facts(answer))
  if answer.winner.groups[2] then result:table(replicas_table(answer)) end
  result:table(slo_table(answer))
  local one = answer.winner.candidate
  if result.illustrated and not answer.winner.groups[2] then
    result:table(concurrency.table(one:setup(), answer.ask.load, answer.ask.load, math.min(one.engine.max_running, one:cache().sequences)))
  end
  fleet_assumed.say_unsettled(result, answer.ask.sla, answer.winner.unsettled)
  local near = answer.comparable
  if near and ratio.verdict(near.ratio) == "suspect" then
    result:warn("the capacity is ten times off what was published for " .. near.text)
  end
  if not finite(answer.range.cost_usd_h) then
    result:note(fleet_range.NONE)
  end
end

return winner_show
