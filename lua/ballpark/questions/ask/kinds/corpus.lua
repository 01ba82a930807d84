-- A corpus once through an encoder: how many device-hours, how many devices for a deadline, for how much.
local calls = require("ballpark.questions.comparables.calls")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local dealt = require("ballpark.questions.inference.dealt")
local encoders = require("ballpark.questions.ask.kinds.encode")
local mentions = require("ballpark.mentions")
local named_data = require("ballpark.questions.said.named_data")
local page = require("ballpark.questions.ask.page")
local proposals = require("ballpark.questions.ask.proposals")
local subject = require("ballpark.questions.inference.subject")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local n = page.n

-- Tokens of a document as encoders see it: most end there (BERT, BGE, E5).
local DOCUMENT <const> = 512
local DOCUMENTS <const> = mentions.whole({ "documents?", "docs", "articles?", "papers?", "pdfs?", "books?", "emails?", "contracts?",
  "reports?" })

-- Words of an encoder that is small.
local SMALL <const> = { "small [%a ]-model", "small [%a ]-encoder", "small [%a ]-embedder", "tiny [%a ]-model", "mini ?lm", "lightweight [%a ]-model" }

local corpus = {
  name = "corpus", title = "A corpus once through an encoder",
  words = "Embed or classify a corpus: how many device-hours, how many devices, for how much?",
  facts = {
    { "model", "Which network (name of the catalog)?", type = "string", title = "Model", ask = 2,
      propose = function(f)
        if f.params then return nil end
        if f.of_small == "yes" then return "all-MiniLM-L6-v2", "a usual small encoder of texts" end
        return "bge-large-en-v1.5", "a usual encoder of texts"
      end }, { "of_small", "Is a small encoder meant?", type = "boolean", title = "Small" }, proposals.encoder_params,
    { "seq_len", "Tokens of a text?", unit = "tok", type = "integer", title = "Tokens", ask = 3,
      also = { "input_tokens" }, propose = function(f)
        local usual, why = encoders.usual_tokens(f)
        if not (f.of_documents == "yes" or f.corpus_tok) or not usual then return usual, why end
        return DOCUMENT, "documents are cut where most encoders end"
      end },
    { "of_documents", "Are the texts documents?", type = "boolean", title = "Documents" },
    { "corpus_tok", "How many tokens have all texts together?", unit = "tok", title = "Tokens of all", also = { "tokens", "read_tokens" } },
    { "items", "How many texts or images?", unit = "", title = "Items", ask = 1, also = { "vectors", "examples" },
      propose = function(f)
        if f.corpus_tok then return math.max(1, f.corpus_tok / (f.seq_len or 1)), "tokens of all over those of a text", nil, nil, true end
        return 1e7, "ten million", 1e6, 1e8
      end },
    proposals.device("L4", "small encoders are cheapest there"),
    proposals.period,
    { "time_s", "In what time?", unit = "s", title = "Deadline", also = { "within_s", "horizon_s" }, propose = proposals.within_period },
    { "devices", "How many devices?", unit = "", type = "integer", title = "Devices", propose = function(f)
      if not f.time_s then return 1, "one: the device-hours are the same for more" end
    end },
    { "cost_usd", "What may it cost, in USD?", unit = "USD", title = "Budget" },
    proposals.price,
  },
}

--- Long texts by what they are called. Tokens beside a number of texts are those of each.
function corpus.given(given, _, text)
  if given.corpus_tok and given.items and not given.seq_len then
    given = tables.with(given, { seq_len = math.ceil(given.corpus_tok) })
    given.corpus_tok = nil
  end
  named_data.check(text, given.items or given.vectors or given.examples or given.corpus_tok or given.tokens or given.read_tokens, "10M documents of 400 tokens")
  if mentions.any(text, SMALL) and not given.model then given = tables.with({ of_small = "yes" }, given) end
  return mentions.any(text, DOCUMENTS) and tables.with({ of_documents = "yes" }, given) or given
end

-- Seconds of a call of so many on a device.
local function call_of(answer)
  return function(batch) return subject.forward(answer.subject, tables.with(answer.input, { batch = batch })).time_s end
end

-- Texts of which a call is not full are counted by the call and not by the rate.
local ROUNDED <const> = 0.01

--- The five steps.
function corpus.steps(p, f)
  for _, name in ipairs({ "items", "model", "params", "seq_len", "device", "devices", "time_s", "usd_h", "cost_usd" }) do p:fact(f, name) end
  local device = catalog.device(f.device)
  local best, answer = encoders.speed(f, f.device)
  encoders.add_shape(p, f)
  encoders.add_memory(p, answer)
  if not answer.fits then return encoders.contradict_memory(p, device) end
  p:add("compute", "item_flop", "One item", answer.out.item_flop, "FLOP",
    "two FLOP for each multiply-accumulate, attention counted")
  local rule = core.request_rule({ params = answer.out.item_flop / 2, tokens = 1, peak_flop_s = device.bf16_flop_s,
    mfu_frac = 0.4 })
  p:add("compute", "rule_per_s", "A device by rule", rule.per_s, "1/s", ("%s x 40 %% / %s"):format(
    n(device.bf16_flop_s, "FLOP/s"), n(answer.out.item_flop, "FLOP")))
  local around = answer.range.per_s
  p:add("compute", "per_s", "A device estimated", best.per_s, "1/s", ("%.2f times the rule: bound by %s"):format(
    best.per_s / rule.per_s, answer.out.bound), { basis = "estimated", low = best.per_s * around.low / answer.out.per_s,
    high = best.per_s * around.high / answer.out.per_s, brief = true })
  local terms = { f:term("items"), p:term("per_s", -1) }
  local call_s, at_rate_s = call_of(answer), f.items / best.per_s
  local devices = f.devices or dealt.fewest(f.items, best.batch, call_s, f.time_s) or math.ceil(at_rate_s / f.time_s)
  local all = dealt.among(f.items, devices, best.batch, call_s)
  local device_s, run_s = all.device_s, all.time_s
  local is_rate = math.abs(device_s / at_rate_s - 1) < ROUNDED
  p:add("compute", "device_s", "All of them", device_s, "device s", is_rate and ("%s / %s"):format(n(f.items), n(best.per_s, "1/s"))
    or ("%s in calls of up to %d that are not full"):format(n(f.items), best.batch), { basis = "estimated", terms = terms, brief = true })
  p:add("fleet", "devices", "Devices", devices, "", f:is_given("devices") and "given" or f.time_s
    and ("device time / %s"):format(n(f.time_s, "s")) or "one: more are as dear and sooner done", { brief = true })
  p:add("fleet", "run_s", "Time", run_s, "s", "reading, tokenising and writing are not counted",
    { basis = "estimated", terms = terms, brief = true })
  if f.time_s and run_s > f.time_s then
    p:contradict("deadline", ("it takes %s on %.0f x %s, and the deadline is %s"):format(n(run_s, "s"), devices,
      device.name, n(f.time_s, "s")))
  end
  p.comparable = calls.nearest({ spread = answer.subject.spread, item_flop = answer.out.item_flop, device = device,
    per_s_device = best.per_s })
  p.what, p.main = "the share of the peak", "run_s"
  p.headline = ("%.0f x %s for %s"):format(devices, device.name, p:said("run_s"))
  if not f.usd_h then return end
  local usd = device_s / 3600 * f.usd_h
  p:add("sanity", "cost", "Cost", usd, "USD", ("%s x %s"):format(n(device_s, "device s"), n(f.usd_h, "USD/h")),
    { basis = "estimated", terms = { terms[1], terms[2], f:term("usd_h") }, brief = true })
  p:add("sanity", "usd_per_million", "A million items", usd / f.items * 1e6, "USD", "cost over items")
  if f.period_s then
    p:add("sanity", "usd_month", "A month", usd * units.months(1) / f.period_s, "USD", ("%s every %s"):format(n(usd, "USD"), n(f.period_s, "s")),
      { basis = "estimated", brief = true })
  end
  p:keep_budget(usd, f.cost_usd, "it costs %s")
  for _, name in ipairs(encoders.RENTED) do
    local other = catalog.device(name)
    local price = name ~= f.device and other.name ~= device.name and require("ballpark.catalog.prices").get(other.name)
    local own, on_other
    if price then own, on_other = encoders.speed(f, name) end
    if on_other and on_other.fits then
      local cost = dealt.among(f.items, devices, own.batch, call_of(on_other)).device_s / 3600 * price
      table.insert(p.levers, { title = other.name, cost_usd = cost, saves_frac = 1 - cost / usd, costs = "moving" })
    end
  end
  p.headline = p.headline .. ", " .. p:said("cost")
end

return corpus
