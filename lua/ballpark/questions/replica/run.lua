-- A replica without a load: its memory, and what a growing number of clients sees of it.
local errors = require("ballpark.errors")
local halves = require("ballpark.halves")
local promise = require("ballpark.questions.serve.promise")
local questions = require("ballpark.questions")
local serving = require("ballpark.questions.serve.run")
local tables = require("ballpark.tables")

local replica = {}

-- Tokens of a prompt and of an answer, where nobody gives them: of a model or an engine that takes less, half each.
local TOKENS <const> = 1024

-- Clients that keep an SLO are sought to one in so many.
local FINE <const> = 16

-- What only a load would say.
local LOAD <const> = { "input_tokens", "output_tokens", "lengths", "spread", "concurrency", "prefix_tokens", "shared_tokens" }

local function lengths_of(input)
  local load = input.load or {}
  errors.only("load", load, LOAD)
  if (input.model.cross_layers or 0) > 0 then return load end
  local most = input.max_model_len or input.model.max_seq or 0
  local half = most > 0 and math.max(1, math.min(TOKENS, most // 2)) or TOKENS
  return tables.with({ input_tokens = half, output_tokens = half }, load)
end

-- Clients that are asked about, if any, and the lengths of their requests alone.
local function clients_asked(load)
  if load.concurrency == nil then return load end
  local lengths = tables.with(load)
  lengths.concurrency = nil
  return lengths, errors.whole("load.concurrency", load.concurrency)
end

-- An engine of vLLM refuses to start where its cache does not hold one request of the length that it is told.
local function holds_longest(answer, input)
  return not input.max_model_len or (answer.cache.max_concurrency or 0) >= 1
end

-- Numbers of clients that are tried: powers of two, as many as run at one time, and those that are asked about.
local function clients_of(answer, asked)
  local engine, plan = answer.input.engine, answer.input.plan
  local most = math.max(1, math.min(answer.cache.sequences, engine.max_running * (plan.dp or 1)) // 1)
  local list, clients = {}, 1
  while clients < most do
    list[#list + 1] = clients
    clients = 2 * clients
  end
  list[#list + 1] = math.tointeger(most) or most
  if asked and not tables.contains(list, asked) then
    list[#list + 1] = asked
    table.sort(list)
  end
  return list
end

local function point_of(clients, served)
  local seen = served.seen
  return { clients = clients, ttft_s = seen.ttft.mean_s, tpot_s = seen.tpot.mean_s, e2e_s = seen.e2e.mean_s,
    requests_per_s = seen.requests_per_s, output_tok_s = seen.output_tok_s,
    user_tok_s = seen.tpot.mean_s > 0 and 1 / seen.tpot.mean_s or nil,
    usd_per_mtok = served.bill and served.bill.usd_per_mtok, power_w = served.bill and served.bill.power_w }
end

-- One replica under so many clients.
local function served_by(ask, clients)
  return serving.run(tables.with(ask, { load = tables.with(ask.load, { arrivals = "closed", concurrency = clients }) }))
end

-- The row of the most clients that see the SLO, from one that does up to a number of them that breaks it.
local function most_within(ask, sla, row, broken)
  halves.largest(row.clients, broken, function(clients)
    local served = served_by(ask, clients)
    local holds = not next(promise.broken(served.seen, sla))
    if holds then row = point_of(clients, served) end
    return holds
  end, FINE)
  return row
end

local function add_curve(answer, ask, sla, asked)
  answer.curve = {}
  local last, within, broken
  for i, clients in ipairs(clients_of(answer, asked)) do
    last = served_by(ask, clients)
    answer.curve[i] = point_of(clients, last)
    if clients == asked then answer.asked_row, answer.asked_range = answer.curve[i], last.range end
    if sla and not broken then
      if next(promise.broken(last.seen, sla)) then broken = clients else within = answer.curve[i] end
    end
    if i == 1 then answer.range, answer.extrapolated = last.range, last.extrapolated end
  end
  answer.full_range, answer.assumed = last.range, last.assumed
  answer.capacity_per_s = last.steady.capacity_per_s
  answer.sla, answer.within = sla, within and broken and most_within(ask, sla, within, broken) or within
end

-- Gain of two halves that is worth a word.
local WORTH <const> = 1.05

-- Requests per second of two replicas with half of the copies each, where that is more: one front end hands over to all copies of
-- a replica.
local function halved_per_s(answer, ask)
  local plan, network = answer.input.plan, ask.cluster.network
  local copies = plan.dp or 1
  if copies % 2 > 0 or network.devices % 2 > 0 then return nil end
  local half = errors.try(serving.run, tables.with(ask, { plan = tables.with(ask.plan or {}, { dp = copies // 2 }),
    cluster = tables.with(ask.cluster, { network = tables.with(network, { devices = network.devices // 2 }) }),
    load = tables.with(ask.load, { arrivals = "closed", concurrency = 1 }) }))
  local per_s = half and half.steady and 2 * half.steady.capacity_per_s
  return per_s and per_s > WORTH * answer.capacity_per_s and per_s or nil
end

-- Formats of fewer bits that are tried where the weights do not fit, the widest first, and the share of a device's memory
-- that weights alone may take so that there is room beside them (assumption).
local NARROWER <const>, MOST_WEIGHTS <const> = { "fp8", "int4" }, 0.95

-- What would fit where the weights do not: fewer bits on these devices, or more devices of as many bits; nil where the
-- weights are not what is too large.
local function would_fit(answer, ask)
  local list, memory = {}, answer.memory
  local over = memory.weights_bytes / (MOST_WEIGHTS * memory.usable_bytes)
  if over <= 1 then return nil end
  for _, format in ipairs(NARROWER) do
    local narrow = not list[1] and errors.try(serving.held, tables.with(ask, { plan = tables.with(ask.plan, { checkpoint = format }) }))
    if narrow and narrow.fits then list[1] = ("with weights in %s"):format(format) end
  end
  list[#list + 1] = ("on %.0f devices"):format(ask.cluster.network.devices * 2 ^ math.ceil(math.log(over, 2)))
  return list
end

--- Answers replica{}: { kind, input, fits, memory, cache, curve, capacity_per_s, range, full_range, assumed, sla and
--- within (the row of the most clients that see it; nil where not even one does) where an SLO is given, asked_row and
--- asked_range (of the clients that are asked about), halved_per_s (of two replicas with half of the copies each, where that
--- is more) }; without a
--- curve where nothing fits or none is asked for.
function replica.run(input)
  questions.check_known("replica", input)
  local load, asked = clients_asked(lengths_of(input))
  local ask = { model = input.model, engine = input.engine, cluster = input.cluster, plan = input.plan,
    load = load, max_model_len = input.max_model_len, pool_tokens = input.pool_tokens }
  local sla = input.sla and promise.of(input.sla)
  ask.percentile = sla and sla.percentile
  local answer = serving.held(ask)
  answer.kind, answer.devices = "replica", ask.cluster.network.devices
  answer.fits = answer.fits and holds_longest(answer, input)
  if answer.fits and input.curve ~= false then
    add_curve(answer, ask, sla, asked)
    answer.halved_per_s = halved_per_s(answer, ask)
  end
  if not answer.fits and input.curve ~= false then answer.would = would_fit(answer, ask) end
  return answer
end

return replica
