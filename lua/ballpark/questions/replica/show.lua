-- How an answer about a replica without a load becomes blocks of a result.
local engines = require("ballpark.catalog.engines")
local fixes = require("ballpark.questions.serve.fixes")
local law = require("ballpark.range.law")
local memory_show = require("ballpark.questions.serve.memory_show")
local serve_show = require("ballpark.questions.serve.show")
local units = require("ballpark.units")
local words = require("ballpark.questions.serve.words")

local show = {}

local HIDDEN <const> = { hide = true }

local TIMES <const> = { { "ttft_s", "TTFT" }, { "tpot_s", "TPOT" }, { "e2e_s", "E2E" } }

-- Times of one end of the curve, with their ranges.
local function add_end(fact, name, title, point, ranges, text)
  for _, time in ipairs(TIMES) do
    fact(name .. "_" .. time[1], point[time[1]], "s", title .. ": " .. time[2], { hide = true, range = ranges[time[1]] })
  end
  fact(name .. "_tok_s", point.output_tok_s, "tok/s", title, { text = text:gsub("%$", name) })
end

-- Of an SLO: the most clients that see it.
local function add_within(fact, answer)
  if not answer.sla then return end
  local limits, row = {}, answer.within
  for _, time in ipairs(TIMES) do
    local limit = answer.sla.limits[time[1]]
    if limit then limits[#limits + 1] = ("%s within %s"):format(time[2], units.format(limit, "s")) end
  end
  local promised = ("P%.15g of %s"):format(answer.sla.percentile, table.concat(limits, ", "))
  if not row then
    fact("within", "not even one client keeps " .. promised, "", "Within the SLO")
    return
  end
  fact("within_clients", row.clients, "", "Clients within the SLO", HIDDEN)
  fact("within_requests_per_s", row.requests_per_s, "1/s", "Requests within the SLO", HIDDEN)
  fact("within_tok_s", row.output_tok_s, "tok/s", "Within the SLO",
    { text = "{within_clients} " .. (row.clients == 1 and "client at most keeps " or "clients at most keep ") .. promised .. ": {within_tok_s} of output, {within_requests_per_s}" })
end

local function add_speed(fact, answer)
  if not answer.curve then return end
  local first, last = answer.curve[1], answer.curve[#answer.curve]
  fact("clients", last.clients, "", "Clients that run at one time", HIDDEN)
  fact("capacity_per_s", answer.capacity_per_s, "1/s", "Capacity", HIDDEN)
  add_end(fact, "alone", "One client", first, answer.range,
    "{$_tok_s} of output; TTFT {$_ttft_s}, TPOT {$_tpot_s}")
  if answer.asked_row then
    fact("asked_clients", answer.asked_row.clients, "", "Clients that are asked about", HIDDEN)
    add_end(fact, "asked", units.count(answer.asked_row.clients, "client"), answer.asked_row, answer.asked_range,
      "{$_tok_s} of output; TTFT {$_ttft_s}, TPOT {$_tpot_s}")
  end
  add_end(fact, "full", "Full", last, answer.full_range,
    "{$_tok_s} of output from {clients} clients; TTFT {$_ttft_s}, TPOT {$_tpot_s}; {capacity_per_s} at most")
  add_within(fact, answer)
  fact("usd_per_mtok", last.usd_per_mtok, "USD", "Cost", { hide = not last.usd_per_mtok,
    text = "{usd_per_mtok} per million output tokens when full" })
  if last.power_w then
    fact("power_w", last.power_w, "W", "Energy", { text = "{power_w} of all boards when full, at most; {token_j} an output token" })
    fact("token_j", last.power_w / last.output_tok_s, "J", "Energy of an output token", HIDDEN)
  end
  fact("range_frac", law.COVERAGE, "frac", "Coverage of the ranges", HIDDEN)
  fact("extrapolated", table.concat(answer.extrapolated, "; "), "", "Extrapolated",
    { hide = #answer.extrapolated == 0 })
end

local function curve_table(answer)
  return { name = "curve", title = "By clients that each wait for their answer; means of simulated requests",
    rows = answer.curve, columns = { { name = "clients" }, { name = "ttft_s", title = "TTFT", unit = "s" },
      { name = "tpot_s", title = "TPOT", unit = "s" }, { name = "e2e_s", title = "E2E", unit = "s" },
      { name = "output_tok_s", title = "output", unit = "tok/s" },
      { name = "user_tok_s", title = "each", unit = "tok/s" },
      { name = "requests_per_s", title = "requests", unit = "1/s" },
      { name = "usd_per_mtok", title = "per million output tokens", unit = "USD" } } }
end

local function warn(result, answer)
  local cache, stops = answer.cache, engines.wants_whole_context(answer.input.engine.name or "vllm")
  local short = (cache.max_concurrency or 1) < 1
  local held = math.floor(cache.tokens or 0)
  if answer.fits and short then
    result:warn(("the cache does not hold one request of %d tokens, the longest context of the model: "
      .. (stops and "vllm starts with a max_model_len of %d at most" or "the engine takes none of more than %d")):format(
      cache.max_model_len, held))
  elseif not answer.fits and answer.memory.fits and short then
    result:warn(("the cache holds %d tokens, and one request of max_model_len has %d: " .. (stops and "the engine does not start"
      or "the engine starts, and takes no request that long")):format(held, cache.max_model_len))
  elseif not answer.fits then
    result:warn("one such request does not find room beside the weights" .. fixes.of_memory(answer))
  end
  if answer.halved_per_s then
    result:warn(("one front end hands requests to all %d copies: two replicas side by side, with half of the devices each, answer %.3g "
      .. "per s and not %.3g"):format(answer.input.plan.dp, answer.halved_per_s, answer.capacity_per_s))
  end
end

--- Adds an answer of replica.run to a result.
function show.answer(result, answer)
  local title = serve_show.subject(answer)
  local list = { name = "replica", title = result.title and title }
  result.title = result.title or title
  local function fact(name, value, unit, label, more)
    local one = { name = name, value = value, unit = unit, title = label }
    for key, item in pairs(more or {}) do one[key] = item end
    list[#list + 1] = one
  end
  fact("plan", words.plan_line(answer.input.plan), "", "Plan")
  fact("input_tokens", answer.means.input_tokens, "tok", "Prompt, mean", HIDDEN)
  fact("output_tokens", answer.means.output_tokens, "tok", "Answer, mean", HIDDEN)
  memory_show.add(fact, answer)
  add_speed(fact, answer)
  result:facts(list)
  if answer.curve then result:table(curve_table(answer)) end
  result:table(memory_show.table(answer.memory))
  warn(result, answer)
  for _, text in ipairs(answer.assumed) do result:assume(text .. ".") end
  result:assume(("Requests of %.15g tokens in and %.15g out."):format(answer.means.input_tokens,
    answer.means.output_tokens))
  if answer.curve and answer.price_assumed then result:assume("Price: " .. answer.price_assumed .. ".") end
end

return show
