-- The quantities that a prompt wants, by its words: what chooses between the kinds of question that could answer it, and what
-- the first line of the answer has to hold.
local mentions = require("ballpark.mentions")
local tables = require("ballpark.tables")

local wanted = {}

-- Each: its name, what it is called, words that ask for it, what a line has that answers it, facts under which the words
-- ask for nothing, and facts (with) of which one has to be there. What is of one of many (a token, a request) and what comes again (a month) are quantities of their own.
local ROWS <const> = {
  { name = "saving", title = "what saves", words = { "can [%a]+ save", "could [%a]+ save", "to save", "reduce [%a ]*cost", "reduce [%a ]*bill", "cut [%a ]*cost", "cut [%a ]*bill", "lower [%a ]*cost", "lower [%a ]*bill", "save money", "bring [%a ]*cost", "bring [%a ]*down" }, line = { "saves? ", "saving" },
    but = { "to save [%a%d ]*checkpoint", "checkpoint", "to save [%a%d ]*model", "to save [%a%d ]*state" } },
  { name = "judgement", title = "a judgement", words = { "good or bad", "%f[%a]normal%f[%A]", "%f[%a]slow%?", "%f[%a]low%?", "%f[%a]bad%?", "%f[%a]good%?", "too slow", "seems? low", "seems? slow", "is that good", "is this good", "is that ok",
    "%f[%a]decent%f[%A]", "as expected", "expected%?", "expect more", "that slow", "this slow", "so slow", "underperform", "something wrong", "reasonable", "realistic", "plausible" },
    line = { "." }, with = { "tokens_per_s", "output_tokens_per_s", "tokens_per_s_device", "rate_per_s_device", "flop_s_device", "mfu_frac", "tpot_s" } },
  { name = "tokens", title = "tokens", words = { "total tokens", "optimal tokens", "optimal number of tokens", "tokens to train", "how many tokens", "how large [%a ]*data", "how big [%a ]*data", "how much data", "dataset size", "size of [%a ]*dataset", "token budget", "tokens can i", "tokens could", "tokens should" }, line = { "%d tok", "tokens" }, but = { "tokens per s", "tokens/s", "tokens a s", "tokens per day", "tokens a day", "tokens/day" } },
  { name = "batch", title = "a batch", words = { "best batch", "optimal batch", "what batch", "which batch", "max%a* batch", "largest batch", "biggest batch", "batch size for", "batch size should", "batch size can" }, line = { "batch", "sequences" } },
  { name = "carbon_each", title = "CO2 of tokens", words = { "carbon per [%a%d ]*tok", "co2 per [%a%d ]*tok", "emissions per [%a%d ]*tok" }, line = { "CO2 per" } },
  { name = "rate", title = "requests a second", words = { "how many requests", "how many req/s", "how many rps", "how many qps", "requests per second", "requests/s" }, line = { "requests", "%d per s%f[%A]", "/s%f[%A].*requests" },
    unless = { "rate_per_s", "users", "monthly_users" } },
  { name = "carbon", title = "CO2", words = { "%f[%a]carbon%f[%A]", "%f[%w]co2%f[^%w]", "%f[%a]emissions?%f[%A]" }, line = { "CO2" } },
  { name = "energy_each", title = "energy of a token", words = { "energy per ", "energy an? %a*%s?token", "joules? per ", "joules? a ", "joules?/", "j/tok", "watt hours per ", "%f[%a]wh per ", "kwh per [%a%d ]*tok", "kwh per [%a%d ]*request",
    "%f[%a]k?wh [%w%.%- ]-million [%a ]*tok", "%f[%a]k?wh [%w%.%- ]-1 ?m [%a ]*tok", "energy [%w%.%- ]-million [%a ]*tok", "energy [%w%.%- ]-1 ?m [%a ]*tok", "electricity [%w%.%- ]-million [%a ]*tok", "electricity [%w%.%- ]-1 ?m [%a ]*tok", "power per token", "tok%a* per watt", "tok%a*/w%f[%A]", "tok%a* per joule", "tok%a*/j%f[%A]", "energy efficien" }, line = { "J a token", "a joule", "Wh a token" } },
  { name = "energy", title = "energy", words = { "electricity", "%f[%a]k?wh%f[%A]", "how much energy", "how much power", "power draw", "%f[%a]watts%f[%A]", "power budget", "power consumption",
    "power need", "energy cost", "energy use", "energy need", "energy to ", "energy of ", "energy for ", "power for " },
    line = { "%d [kMGT]?Wh", "%d [kMG]?W%f[%A]", "J a token", "USD of electricity", "joule" }, unless = { "usd_kwh" } },
  { name = "money_request", title = "money for a request", words = { "costs? per [%d%a]* ?req", "costs? per [%d%a]* ?quer", "costs? per [%d%a]* ?message", "costs? per [%d%a]* ?answer", "costs? per [%d%a]* ?call%f[%A]",
    "costs? of a request", "costs? of one request", "costs? a request", "price per [%d%a]* ?req", "price per [%d%a]* ?quer" }, line = { "USD per thousand requests", "USD a request" } },
  { name = "money_image", title = "money for an image", words = { "%$ ?/? ?p?e?r? image", "costs? per [%a]* ?image", "price per [%a]* ?image", "cents? per [%a]* ?image", "usd per [%a]* ?image",
    "costs? of an image", "costs? an image", "costs? of one image" }, line = { "USD an image" } },
  { name = "money_token", title = "money for tokens", words = { "costs? per 1?k?m? ?tok", "costs? per mil", "price per 1?k?m? ?tok", "price per mil", "per million [%a ]*tok", "per 1 ?m[%a ]*tok", "%$ ?/ ?1?m ?tok", "per m ?tok", "/m ?tok",
    "costs? of [%a%d ]*million [%a]* ?tokens", "expensive [%a%d ]*million [%a]* ?tokens", "price of [%a%d ]*million [%a]* ?tokens", "million [%a]* ?tokens cost" }, line = { "USD per million", "USD per thousand tok" } },
  { name = "money_month", title = "money a month", words = { "monthly cost", "monthly bill", "cost a month", "cost per month", "month cost", "month bill", "bill per month", "bill a month", "per month cost", "cost [%a%d ]-per month", "cost [%a%d ]-a month",
    "cost [%a%d ]-each month", "monthly price", "monthly spend", "24/7 cost", "cost [%w%.%- ]*24/7", "monthly [%a]+ bill", "monthly budget" },
    line = { "USD a month", "USD [%(%d,%.%) to]*a month", "USD of electricity", "USD [%(%d,%.%) to%aM]*for %d" } },
  { name = "money", title = "money", words = { "how much .-%f[%a]costs?%f[%A]", "what .-%f[%a]costs?%f[%A]", "^%W*costs?%f[%A]", "how much money", "how expensive", "cost per", "cost to ", "cost of ",
    "costs? for ", "price to ", "price of ", "price for ", "^%W*price%f[%A]", "how much .-%f[%a]bill%f[%A]", "%f[%a]bill%?", "how many dollars", "how much [%$]", "what budget", "how much budget", "how much would .-%f[%a]pay%f[%A]", "how much do [%a ]*pay%f[%A]", "cost%?", "cost%W*$" },
    line = { "USD", "no price" }, but = { "cost in [%a%- ]*memory", "cost in [%a%- ]*vram", "memory cost", "cost in [%a%- ]*ram", "cost me in" } },
  { name = "money_year", title = "money a year", words = { "yearly cost", "annual cost", "cost per year", "cost a year", "yearly bill", "annual bill", "annual spend", "yearly spend", "cost [%a%d ]-per year", "cost [%a%d ]-a year", "annual price" },
    line = { "USD a year", "for 365 days", "over 365 days" } },
  { name = "latency", title = "a latency", words = { "latency", "%f[%a]tpot%f[%A]", "time per token", "time per output token", "ms per token", "ms/tok", "response time", "inter%-token" },
    line = { "TPOT", "TTFT", "first token", "P%d%d", "takes %d", "s a call", "ms a token", "s for %d" }, unless = { "tpot_s", "ttft_s", "slo_s", "e2e_s" } },
  { name = "users", title = "how many at one time", words = { "how many users", "number of users", "max%a* users", "how many people", "users can", "how many concurrent", "max%a* concurren" }, line = { "clients?", "sequences", "users" },
    unless = { "users", "monthly_users" } },
  { name = "device_hours", title = "device time", words = { "gpu%-?%s?hours", "[%a]%d+%-?%s?hours", "device%-?%s?hours" }, line = { "device%-hours", "device%-days" }, but = { "per gpu%-?%s?hour", "per hour" } },
  { name = "time", title = "a time", words = { "how long does", "how long do ", "how long will", "how long would", "how long to ", "how long is ", "how long until", "how long for", "how long roughly", "how long per", "how long%W*$", ",? how long%W*$", "how many hours", "how many days", "how many weeks", "how many months", "how many minutes", "how much time",
    "training time", "time to ", "duration" },
    line = { "%d [mu]?s%f[%W]", "%d min", "%d h%f[%W]", "days", "weeks", "months", "years", "hours" }, but = { "how many hours of", "gpu hours", "gpu%-hours", "%a%d+ hours" } },
  { name = "wait", title = "a wait", words = { "queue wait", "wait time", "waiting time", "queue time", "queueing time", "queuing time", "how long .-%f[%a]waits?%f[%A]", "how long .-%f[%a]queue" }, line = { "waits? %d" }, unless = { "wait_s" } },
  { name = "memory", title = "memory", words = { "how much v?ram", "how much gpu memory", "how much memory", "memory breakdown", "memory footprint", "vram for", "vram need", "memory need", "memory require", "vram require", "vram usage", "memory usage", "min%a* v?ram", "min%a* memory",
    "how much .-%f[%a]v?ram%f[%A]", "what vram", "v?ram to%f[%A]" }, line = { "%d [kKMGTP]i?B" } },
  { name = "speed", title = "a speed", words = { "how fast", "throughput", "toks?/s%f[%A]", "tokens?/s%f[%A]", "tokens?/sec", "tok/sec", "tok%a* per sec", "%f[%a]t/s%f[%A]", "%f[%a]tps%f[%A]", "images per sec", "images?/s", "%f[%a]speed%f[%A%?]" },
    line = { "/s%f[%A]", "per s%f[%A]", "a second", "TTFT", "after %d", "a call", "times its speed" },
    unless = { "tokens_per_s", "output_tokens_per_s", "tpot_s", "tokens_per_s_device", "rate_per_s", "rate_per_s_device" } },
  { name = "share", title = "a share of the peak", words = { "utili[sz]ation", "%f[%a]mfu%f[%A]" }, line = { "%%" }, unless = { "utilization_frac", "memory_frac", "mfu_frac" } },
}

local function first_of(text, patterns)
  local first
  for _, pattern in ipairs(patterns) do
    local at = text:find(pattern)
    if at and (not first or at < first) then first = at end
  end
  return first
end

-- Quantities that are meant where one of another name is asked, too: "monthly cost of" is money a month alone.
local COVERED <const> = { money = { "money_request", "money_image", "money_token", "money_month", "money_year" }, energy = { "energy_each", "carbon", "carbon_each" }, carbon = { "carbon_each" } }

local function is_covered(name, found)
  for _, other in ipairs(COVERED[name] or {}) do
    if found[other] then return true end
  end
  return false
end

--- What a text wants, what stands first in it first: rows { name, title, line = patterns of a line that has it }.
---@param text string|nil
---@param given table<string, any> facts
---@return table[]
function wanted.of(text, given)
  local found, list, lower = {}, {}, (text or ""):lower()
  for _, row in ipairs(ROWS) do
    found[row.name] = (not row.with or tables.has_any(given, row.with or {})) and not tables.has_any(given, row.unless or {}) and not (row.but and mentions.any(lower, row.but)) and first_of(lower, row.words) or nil
  end
  for _, row in ipairs(ROWS) do
    -- What is judged stands before the judgement that is asked.
    if row.name == "judgement" and found.judgement then return { row } end
    if found[row.name] and not is_covered(row.name, found) then list[#list + 1] = { row = row, at = found[row.name] } end
  end
  table.sort(list, function(a, b) return a.at < b.at or a.at == b.at and a.row.name < b.row.name end)
  for i, item in ipairs(list) do list[i] = item.row end
  return list
end

-- Words that ask whether something can be.
local VERDICT <const> = { "^%W*can%f[%A]", "^%W*will%f[%A]", "^%W*could%f[%A]", "^%W*would%f[%A]", "%f[%a]enough", "%f[%a]suffic", "%f[%a]ok%f[%A]", "feasible", "possible", "%f[%a]can [%a]+ %f[%a]run",
  "%f[%a]will it%f[%A]", "%f[%a]can it%f[%A]", "%f[%a]can they%f[%A]", "%f[%a]can we%f[%A]", "able to" }

--- Whether a text asks whether something can be.
---@param text string
function wanted.is_verdict(text) return mentions.any(text, VERDICT) end

--- Whether a line has a quantity.
---@param row table of wanted.of
---@param line string
function wanted.is_in(row, line) return mentions.found(line, row.line) end

return wanted
