-- Checkpoints of a training run: bytes of one, of all that are kept, the bandwidth that writing takes, and money.
local best = require("ballpark.search.best")
local core = require("ballpark.core")
local host_prices = require("ballpark.catalog.host_prices")
local mentions = require("ballpark.mentions")
local page = require("ballpark.questions.ask.page")
local proposals = require("ballpark.questions.ask.proposals")
local ratio = require("ballpark.questions.comparables.ratio")
local tables = require("ballpark.tables")
local rows = require("ballpark.catalog.published_checkpoints")
local vocabulary = require("ballpark.questions.said.vocabulary")

local n = page.n

-- 16-bit weights, and the 32-bit weights and two moments of Adam (arXiv:1910.02054); gradients are not saved.
local STATE_BYTES <const> = 14

-- In what time one is written where nobody says (assumption).
local WRITE_S <const> = 60

local model, params = proposals.model("the size most often trained from scratch", 8)

local function params_of(f, shape) return f.model and core.params({ model = shape }).total_params or f.params end

-- Bytes of one checkpoint.
local function bytes_of(f) return params_of(f, proposals.decoder(f)) * f.bytes_per_param end

local checkpoints = {
  name = "checkpoints", title = "Checkpoints", words = "Keep checkpoints of a run: bytes, bandwidth, cost",
  facts = {
    model, params,
    { "devices", "On how many devices does the run go?", unit = "", type = "integer", title = "Devices" },
    { "device", "On which?", type = "string", title = "Device" },
    { "time_s", "How long is the run?", unit = "s", title = "Run", ask = 3, also = { "horizon_s" },
      propose = proposals.constant(30 * 86400, "a month is what teams wait for") },
    { "every_steps", "After how many steps is one written?", unit = "", title = "Every so many steps" },
    { "steps", "How many steps has the run?", unit = "", title = "Steps" },
    { "bytes_per_param", "Bytes of a parameter?", unit = "", title = "Bytes a parameter",
      propose = proposals.constant(STATE_BYTES, "16-bit weights and the states of Adam (arXiv:1910.02054); weights alone are 2") },
    { "storage_bytes", "How much storage is there?", unit = "B", title = "Storage", stored = true, also = { "memory_bytes" } },
    { "kept", "How many are kept (all unless said)?", unit = "", type = "integer", title = "Kept", also = { "replicas", "items" },
      propose = function(f)
        if f.storage_bytes then return math.max(1, f.storage_bytes // bytes_of(f) // 1 | 0), "as many as the storage holds", nil, nil, true end
      end },
    { "bytes_per_s", "Bandwidth of the storage, bytes per second?", unit = "B/s", title = "Storage takes" },
    { "write_s", "In what time is one written?", unit = "s", title = "Written in", also = { "slo_s" }, propose = function(f)
      if f.bytes_per_s then return bytes_of(f) / f.bytes_per_s, "at the bandwidth of the storage", nil, nil, true end
      return WRITE_S, "a minute, so that the next steps hide it"
    end },
    { "every_s", "How often is one written?", unit = "s", title = "Every", ask = 2, propose = function(f)
      if not (f.devices or f.mtbf_s) then return 7200, "two hours: what a failure may lose", 3600, 14400 end
      local lost = core.goodput({ devices = f.devices or 1, checkpoint_s = f.write_s, restart_s = 0, device_mtbf_s = f.mtbf_s })
      return lost.young_s, ("loses least: sqrt(2 x %s x %s between interruptions of %s devices)"):format(n(f.write_s, "s"),
        n(lost.mtbf_s, "s"), n(f.devices or 1))
    end },
    { "object_usd_gb_month", "Object storage, USD per GB and month?", unit = "USD", title = "Object storage", propose = function()
      local known = host_prices.object_usd_gb_month
      return known.value, known.source, known.low, known.high
    end },
    proposals.budget_month,
    { "wanted", "What is asked of one: every, write, or size?", type = "string", title = "Asked" },
    { "mtbf_s", "After what time does one device fail in the mean?", unit = "s", title = "Between failures of a device" },
  },
}

-- A run whose checkpoints are asked about lasts longer; so little is what one of them may take (assumption).
local LEAST_RUN_S <const> = 1800

-- What is asked of one, by words.
local ASKED <const> = { { "every", { "how often", "how frequently", "interval", "optimal checkpoint" } }, { "write", { "how long", "write time", "time to write", "time to save", "takes? to save" } },
  { "write", { "bandwidth", "overhead", "gb/s", "throughput" } }, { "size", { "how big", "how large", "size of", "checkpoint size" } } }

--- "Save a checkpoint in 60 seconds": the time of one.
-- Words of what fails after a time: a node, a device, or the run as a whole; and the longest that is that of a whole run where nobody
-- says of what it is (assumption: devices fail after years).
local FAILS <const> = { { "node", { "node", "server", "host", "machine" } }, { "device", { "gpu", "device", "card", "accelerator" } },
  { "whole", { "cluster", "job", "run", "system", "whole" } } }
local LONGEST_WHOLE_S <const> = 30 * 86400
local AROUND <const> = { "%%f[%%a]%s%%a* mtb?t?f", "mtb?t?f [ofperan ]*%s", "failures? [ofpera ]*%s", "%%f[%%a]%s fails" }

local function fails(text, mtbf_s)
  for _, row in ipairs(FAILS) do
    for _, word in ipairs(row[2]) do
      for _, pattern in ipairs(AROUND) do
        if mentions.any(text, { pattern:format(word) }) then return row[1] end
      end
    end
  end
  return mtbf_s <= LONGEST_WHOLE_S and "whole" or "device"
end

-- The time between failures of one device, from that of what is said to fail.
local function with_mtbf(given, text)
  if not given.mtbf_s or not given.devices then return given end
  local what = fails(text, given.mtbf_s)
  local times = what == "node" and math.min(vocabulary.NODE_SIZE, given.devices) or what == "whole" and given.devices or 1
  return tables.with(given, { mtbf_s = times * given.mtbf_s })
end

function checkpoints.given(given, _, text)
  given = with_mtbf(given, text)
  given = tables.with({ wanted = mentions.first(text, ASKED) }, given)
  if not given.time_s or given.time_s >= LEAST_RUN_S or given.write_s or given.every_s and given.every_s <= given.time_s then return given end
  local made = tables.with(given, { write_s = given.time_s })
  made.time_s = nil
  return made
end

--- The five steps.
function checkpoints.steps(p, f)
  for _, name in ipairs({ "devices", "device", "every_s", "time_s", "every_steps", "steps", "kept", "bytes_per_param", "storage_bytes", "bytes_per_s", "object_usd_gb_month", "budget_usd_month" }) do
    p:fact(f, name)
  end
  local shape, how = proposals.decoder(f)
  local total = params_of(f, shape)
  p:add("size", "total_params", "Parameters", total, "", f.model and "counted from its shape"
    or f:is_given("params") and "given" or how)
  local bytes = total * f.bytes_per_param
  p:add("size", "checkpoint_bytes", "One checkpoint", bytes, "B", ("%s x %g bytes"):format(n(total), f.bytes_per_param),
    { stored = true, brief = true })
  local by_steps = f.steps and f.every_steps and not f:is_given("every_s")
  local counted = f.kept and not by_steps and not f:is_given("every_s") and not f:is_given("time_s")
  local written = counted and f.kept or by_steps and math.max(1, f.steps // f.every_steps) or math.max(1, math.floor(f.time_s / f.every_s))
  p:add("compute", "written", "Written", written, "", counted and "as many as are said" or by_steps and ("%s steps / %s"):format(n(f.steps), n(f.every_steps))
    or ("%s / %s%s"):format(n(f.time_s, "s"), n(f.every_s, "s"), f.time_s < f.every_s and ": the one at the end" or ""), { terms = not (counted or by_steps) and { f:term("every_s", -1) } or nil })
  p:add("compute", "write_bytes_s", "Bandwidth", bytes / f.write_s, "B/s", ("one in %s, over all ranks"):format(n(f.write_s, "s")),
    { brief = true })
  p:add("compute", "writing_frac", "Time that is written", f.write_s / f.every_s, "frac", ("%s of every %s, where steps wait for it"):format(
    n(f.write_s, "s"), n(f.every_s, "s")), { terms = { f:term("every_s", -1) } })
  local kept = math.min(f.kept or written, written)
  p:add("fleet", "kept_bytes", "Kept", kept * bytes, "B", ("%.0f of %.0f"):format(kept, written), { stored = true, brief = true,
    terms = not (f.kept or by_steps) and { f:term("every_s", -1) } or nil })
  local month = kept * bytes / 1e9 * f.object_usd_gb_month
  p:add("sanity", "cost_usd_month", "Cost a month", month, "USD", ("%s x %s USD a GB and month, when all are there"):format(
    n(kept * bytes, "stored"), n(f.object_usd_gb_month)), { brief = true, terms = { f:term("object_usd_gb_month") } })
  local few = math.min(3, kept)
  table.insert(p.levers, { title = ("the last %.0f kept"):format(few), saves_frac = 1 - few / kept,
    cost_usd_month = month * few / kept, costs = "no way back beyond them" })
  table.insert(p.levers, { title = "weights alone of all but the last", saves_frac = (1 - 1 / kept) * (1 - 2 / f.bytes_per_param),
    cost_usd_month = month * (1 - (1 - 1 / kept) * (1 - 2 / f.bytes_per_param)), costs = "a run goes on from the last only" })
  p:keep_budget(month, f.budget_usd_month, "it costs %s a month")
  p.headline = ("%.0f checkpoint%s of %s: %s, %s a month"):format(kept, kept == 1 and "" or "s", n(bytes, "stored"), p:said("kept_bytes"), p:said("cost_usd_month"))
  p.main = "kept_bytes"
  -- What is asked of one leads: when it is written, how large it is, in what time.
  if f.wanted == "size" and not f:is_given("write_s") then p.headline = ("one of %s; %s"):format(n(bytes, "stored"), p.headline) end
  if f:is_given("write_s") and f.wanted ~= "every" or f.bytes_per_s or f.wanted == "write" then
    p.headline = ("one of %s is written in %s at %s, %s of the time; %s"):format(n(bytes, "stored"), n(f.write_s, "s"), n(bytes / f.write_s, "B/s"),
      p:said("writing_frac"), p.headline)
  end
  -- Whether a storage holds all of those that are written.
  local all = f.storage_bytes and (f:is_given("every_s") or by_steps) and written > kept and written * bytes
  if all and all > f.storage_bytes then
    p.headline = ("%s holds %.0f of %.0f: all take %s; %s"):format(n(f.storage_bytes, "stored"), kept, written, n(all, "stored"), p.headline)
  end
  if f.wanted == "every" and not f:is_given("every_s") then p.headline = ("one every %s loses least; %s"):format(n(f.every_s, "s"), p.headline) end
  local published = best.nearest(rows, function(row) return ratio.apart(row.params, total) end)
  p.comparable = { text = ("%s: %s"):format(published.name, n(published.bytes, "stored")), source = published.source,
    date = published.date, ratio = f.bytes_per_param / (published.bytes / published.params) }
  p.what = "the bytes a parameter of a checkpoint"
end

return checkpoints
