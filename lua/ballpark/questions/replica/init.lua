-- replica{}: one replica of a model before anybody asks it: what fits, and how fast it is at any number of clients.
local core = require("ballpark.core")
local inputs = require("ballpark.questions.inputs")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")
local needs = inputs.needs

-- From how many tokens a month a price of an API pays the devices, and whether they can do so many.
local function beside_api(answer, last, asked)
  local usd_mtok, tokens_month = asked.usd_mtok, asked.tokens_month
  local month_s, means = units.months(1), answer.means
  local price, parts = units.format(usd_mtok, "USD"), asked.api_parts or ""
  local month_usd = last.usd_per_mtok / 1e6 * last.output_tok_s * month_s
  local tokens = month_usd / usd_mtok * 1e6
  local most = last.requests_per_s * (means.input_tokens + means.output_tokens) * month_s
  if tokens_month then
    local usd, count = tokens_month / 1e6 * usd_mtok, math.max(1, math.ceil(tokens_month / most))
    return ("%s is cheaper: %s tokens a month are %s at the API's %s per million%s, %s on %s that %s paid all the time"):format(usd < count * month_usd and "the API" or "one's own",
      units.tally(tokens_month), units.format(usd, "USD"), price, parts, units.format(count * month_usd, "USD"), units.count(count * answer.devices, "device"),
      count * answer.devices == 1 and "is" or "are")
  end
  return ("an API at %s per million tokens%s is dearer from %s tokens a month: %s"):format(price, parts, units.tally(tokens),
    tokens <= most and units.format(tokens / most, "frac") .. " of what these devices can do" or ("never, these devices do %s at most"):format(units.tally(most)))
end

return {
  name = "replica",
  title = "one replica of a served model: what fits, and how fast it is alone and full",
  inputs = {
    inputs.model, inputs.engine,
    tables.with(inputs.cluster, { [2] = "devices of one replica: device, devices, fabric, price" }),
    { "plan", "tp (what the cluster's devices leave unless given), pp, dp, cp, ep and formats, as for serve",
      is = "group", type = "ballpark.serving_plan" },
    { "load", "input_tokens and output_tokens of a request, 1024 each unless given; lengths and spread; concurrency: clients to look at",
      is = "group", type = "ballpark.serve_load", whole = { "concurrency" } },
    { "max_model_len", "tokens of a prompt and its answer at most, as the engine is told; by default the longest "
      .. "context of the model", type = "integer" },
    { "pool_tokens", "tokens that the KV cache holds, as an engine prints them at its start; by default what the "
      .. "memory has room for", type = "number" },
    { "sla", "ttft_s, tpot_s, e2e_s, and percentile: 1 to 99.9, usually 90: how many clients see that", is = "group",
      limits = { percentile = { least = 1, most = 99.9 } },
      type = "{ttft_s?: number, tpot_s?: number, e2e_s?: number, percentile?: number}" },
    { "curve", "false: memory only, nothing is simulated", type = "boolean" },
  },
  needs = { needs.model, needs.device },
  outputs = {
    { "fits", "boolean", "whether the weights, a step's workspace and one request fit; where max_model_len is given, "
      .. "whether a request of that length does" },
    { "memory", "ballpark.infer_memory_out", "of one device" },
    { "cache", "table", "tokens, range (of them), max_model_len, max_concurrency (requests of that length at one time), sequences (of "
      .. "the lengths that are asked about)" },
    { "curve", "table[]|nil", "by clients, 1, 2, 4 ... as many as run at one time: clients, ttft_s, tpot_s, e2e_s, "
      .. "output_tok_s, user_tok_s, requests_per_s, usd_per_mtok, means of simulated requests" },
    { "asked_row", "table|nil", "of the clients that are asked about: a row of the curve; asked_range: 80 % ranges of its times" },
    { "capacity_per_s", "number|nil", "requests per second of a replica that never lacks them" },
    { "within", "table|nil", "of an SLO: the row of the most clients that see it, to one in sixteen; nil where not even one does" },
    { "range", "table<string, ballpark.range>|nil", "80 % ranges of the times of a lone request" },
    { "full_range", "table<string, ballpark.range>|nil", "the same of the last row of the curve" },
    { "devices", "integer", "of the replica" },
    { "would", "string[]|nil", "where the weights do not fit: what would make them, each in words" },
    { "assumed", "string[]", "what was not given" },
  },
  command = "serve",
  emit = "serving",
  headline = function(answer, asked)
    local last = answer.curve and answer.curve[#answer.curve]
    if not last then
      return ("it does not fit: weights of %s, of %s a device%s"):format(units.format(answer.memory.weights_bytes, "B"),
        units.format(answer.memory.usable_bytes, "B"), answer.would and "; it does " .. table.concat(answer.would, ", or ") or "")
    end
    local first, asked_row = answer.curve[1], not answer.sla and answer.asked_row
    local said = asked.first_token and ("first token of one client after %s; "):format(units.format(first.ttft_s, "s")) or ""
    if asked.devices then said = ("on %s; "):format(units.count(answer.devices, "device")) end
    if asked.whole then said = ("one answer of %.0f tokens takes %s; "):format(answer.means.output_tokens, units.format(first.e2e_s, "s")) end
    if asked.words then said = ("%s of one client; "):format(vocabulary.words_a_minute(first.output_tok_s)) end
    if answer.within then said = ("%s within the SLO; "):format(units.count(answer.within.clients, "client")) end
    if answer.sla and not answer.within then said = "not even one client within the SLO; " end
    if asked.tp then said = ("tp %d; "):format(answer.input.plan.tp) .. said end
    if asked.at_once and not answer.sla then said = ("room for %s at one time; "):format(units.count(last.clients, "client")) end
    -- More than it has room for at one time wait before they are answered.
    local room = answer.cache and math.max(1, answer.cache.sequences // 1)
    if asked_row and room and asked_row.clients > room then
      said = ("%.0f of %s fit at one time, the others wait; "):format(room, units.count(asked_row.clients, "client")) .. said
    end
    if asked.requests_day then said = ("%s requests a day when full; "):format(units.tally(last.requests_per_s * vocabulary.TIMES.day)) .. said end
    if asked.per_money and last.usd_per_mtok then said = ("%s output tokens for a USD when full; "):format(units.tally(1e6 / last.usd_per_mtok)) .. said end
    if asked.per_energy and last.power_w then
      said = ("%s output tokens a joule when full, %s a token; "):format(units.number(last.output_tok_s / last.power_w, 3), units.format(last.power_w / last.output_tok_s, "J")) .. said
    end
    if asked.usd_mtok and last.usd_per_mtok then said = beside_api(answer, last, asked) .. "; " .. said end
    if asked.flop then
      local flops = core.flops({ model = answer.input.model, seq_len = math.ceil(answer.means.input_tokens) })
      return ("%s for a token"):format(units.format(flops.matmul_forward + flops.attention_forward + flops.encoder_forward, "FLOP"))
    end
    local row = asked_row or last
    if asked.prefill and answer.means.output_tokens <= 1 then
      return said .. ("%s of prompts of %.0f tokens when full; the first token of one client after %s"):format(
        units.format(row.requests_per_s * answer.means.input_tokens, "tok/s"), answer.means.input_tokens, units.format(first.ttft_s, "s"))
    end
    if asked.each and not answer.sla then said = ("%s for each; "):format(units.format(row.user_tok_s, "tok/s")) .. said end
    local full = asked.full_frac or 1
    local money = row.usd_per_mtok and full > 0 and ("%s per million tokens"):format(units.format(row.usd_per_mtok / full, "USD"))
    local usd_h = row.usd_per_mtok and row.usd_per_mtok * row.output_tok_s * 3600 / 1e6
    if asked.tokens_month_done and not asked.usd_mtok then
      said = ("%s of output a month when full; "):format(units.tally(row.output_tok_s * full * units.months(1))) .. said
    end
    if asked.tokens_day then said = ("%s of output a day when full; "):format(units.tally(row.output_tok_s * vocabulary.TIMES.day)) .. said end
    if asked.rent and usd_h then
      said = ("%s a month, %s an hour for %s; "):format(units.format(usd_h * vocabulary.TIMES.month / 3600, "USD"), units.format(usd_h, "USD"), units.count(answer.devices, "device")) .. said
    end
    local speed = ("%s of output from %s"):format(units.format(row.output_tok_s, "tok/s"), units.count(row.clients, "client"))
    if full < 1 then said = ("full for %s of the time; "):format(units.format(full, "frac")) .. said end
    if asked.token_price and money and full < 1 then return ("%s of output, %s%s"):format(money, said, speed) end
    if asked.token_price and money and said == "" then return ("%s of output: %s"):format(money, speed) end
    return said .. speed .. (money and ", " .. money or "")
  end,
  price = function(answer) return answer.curve and (answer.asked_row or answer.curve[#answer.curve]).usd_per_mtok end,
  speed = function(answer) return answer.curve and (answer.asked_row or answer.curve[#answer.curve]).output_tok_s end,
  reason = function() return "memory" end,
}
