-- How an answer about a batch job becomes blocks of a result.
local fleet_assumed = require("ballpark.questions.serve.fleet_assumed")
local fleet_facts = require("ballpark.questions.serve.fleet_facts")
local law = require("ballpark.range.law")
local load_of = require("ballpark.questions.serve.load")
local memory_show = require("ballpark.questions.serve.memory_show")
local units = require("ballpark.units")
local words = require("ballpark.questions.serve.words")

local show = {}

-- Rows of the table of choices.
local ROWS <const> = 10

local function job_words(job)
  return ("%d x %s %s"):format(job.replicas, words.pool(job.candidate.pool), words.plan(job.candidate.plan))
end

local function facts(answer)
  local job, ask = answer.winner, answer.ask
  local load = ask.load
  local input, output = load_of.tokens(load)
  local list, fact = fleet_facts.list("batch_job", ("%s, %s: %s prompts"):format(ask.model.name or "model",
    job.candidate.engine.name or "engine", units.tally(answer.prompts)))
  fact("fleet", job_words(job), "", "Cheapest")
  fact("prompts", answer.prompts, "")
  fact("replicas", job.replicas, "")
  fact("devices", job.devices, "", "Devices", { text = "{devices}, {replicas} replica" .. (job.replicas == 1 and "" or "s") })
  fact("start_s", job.kind.start_s, "s")
  fact("deadline_s", answer.deadline_s, "s")
  fact("time_s", job.time_s, "s", "Done in", { range = answer.range.time_s,
    text = "{time_s}" .. (answer.deadline_s and " of {deadline_s}" or "") .. ", {start_s} of it until replicas serve" })
  local sure = answer.sure
  fact("sure_replicas", sure and sure.replicas, "")
  fact("sure_usd", sure and sure.usd, "USD", sure and sure.replicas > job.replicas and "In time for sure" or nil, {
    text = "with {sure_replicas} replicas, {sure_usd}: nine runs in ten of the engine are then in time" })
  fact("usd_h", job.usd_h, "USD/h")
  fact("usd_per_thousand", job.usd / answer.prompts * 1000, "USD")
  fact("usd_per_million", job.usd / (answer.prompts * output) * 1e6, "USD")
  fact("usd", job.usd, "USD", "Cost", { range = answer.range.usd,
    text = "{usd}, {usd_h}; {usd_per_thousand} per thousand prompts, {usd_per_million} per million output tokens" })
  if answer.period_s then
    fact("period_s", answer.period_s, "s")
    fact("usd_month", job.usd * units.months(1) / answer.period_s, "USD", "A month", { text = "{usd_month}, as it comes again every {period_s}" })
  end
  fact("output_tok_s", job.per_s * output, "tok/s")
  fact("input_tok_s", job.per_s * input, "tok/s")
  fact("device_tok_s", job.per_s * output / job.devices, "tok/s")
  fact("per_s", job.per_s, "1/s", "Throughput", { text = "{per_s} answered; {input_tok_s} of input, {output_tok_s} of "
    .. "output, {device_tok_s} per device" })
  memory_show.add_cache(fact, job.candidate:cache())
  fact("range_frac", law.COVERAGE, "frac", "Range", { text = "in brackets: four measured runs in five of this engine are "
    .. "inside" })
  return list
end

local COLUMNS <const> = { { name = "usd", title = "", unit = "USD" },
  { name = "time_s", title = "done in", unit = "s", scale = "time" }, { name = "devices" }, { name = "replicas" },
  { name = "per_s", title = "answered", unit = "1/s" } }

local function row_of(job)
  return { usd = job.usd, time_s = job.time_s, devices = job.devices, replicas = job.replicas, per_s = job.per_s,
    fleet = words.pool(job.candidate.pool) .. " " .. words.plan(job.candidate.plan) }
end

local function table_of(name, title, jobs, with_fleet)
  local rows, columns = {}, table.move(COLUMNS, 1, #COLUMNS, 1, {})
  for i = 1, math.min(ROWS, #jobs) do rows[i] = row_of(jobs[i]) end
  columns[#columns + 1] = with_fleet and { name = "fleet", title = "of" } or nil
  return { name = name, title = title, columns = columns, rows = rows }
end

-- The cheapest of each kind of devices and terms.
local function of_pools(answer)
  local list, seen = {}, {}
  for _, job in ipairs(answer.choices) do
    if not seen[job.candidate.pool] then
      seen[job.candidate.pool] = true
      list[#list + 1] = job
    end
  end
  return list
end

local function assume(result, answer)
  local ask, groups = answer.ask, {}
  if answer.winner then groups[1] = { candidate = answer.winner.candidate } end
  fleet_assumed.say_plans(result, ask, groups)
  for _, text in ipairs(answer.assumed) do result:assume(text .. ".") end
  result:assume("Prompts are handed over all at once, without a server in between; replicas are paid from their order "
    .. "until the last answer, all of them.")
  for _, pool in ipairs(ask.pools) do
    if pool.loss_frac > 0 then
      result:assume(("%s: %.0f %% of the replicas are missing in the mean, and what they had begun is begun again by the "
        .. "others (assumption)."):format(words.pool(pool), 100 * pool.loss_frac))
    end
  end
  fleet_assumed.say_prices(result, ask.pools)
end

--- Adds an answer of batch_job.run to a result.
function show.answer(result, answer)
  fleet_assumed.warn_of_context(result, answer.ask)
  if answer.fits then
    result:facts(facts(answer))
    result:table(table_of("sizes", "The same replicas, fewer or more of them", answer.sizes))
    local pools = of_pools(answer)
    if #pools > 1 then result:table(table_of("pools", "The cheapest of each device", pools, true)) end
    result:table(table_of("choices", "Cheapest first" .. (answer.deadline_s and ", as many as are in time" or
      ", one replica of each"), answer.choices, true))
  else
    result:warn(answer.refused)
    if answer.fastest then result:table(table_of("fastest", "The fastest", { answer.fastest }, true)) end
  end
  result:note(("%s kinds of replicas, %s of them fit into memory"):format(units.tally(answer.tried),
    units.tally(answer.fitting)))
  assume(result, answer)
end

return show
