-- From a prompt to a page: which kind of question it is, the facts given and proposed, and the five steps.
local asked = require("ballpark.questions.ask.asked")
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local facts = require("ballpark.questions.ask.facts")
local grammar = require("ballpark.questions.said.grammar")
local kinds = require("ballpark.questions.ask.kinds")
local page = require("ballpark.questions.ask.page")
local device_prices = require("ballpark.catalog.prices")
local plausible = require("ballpark.resolve.plausible")
local price_terms = require("ballpark.catalog.price_terms")
local prices = require("ballpark.questions.said.prices")
local questions = require("ballpark.questions")
local same_size = require("ballpark.questions.said.same_size")
local several = require("ballpark.questions.ask.several")
local tables = require("ballpark.tables")
local which = require("ballpark.questions.ask.which")
local yields = require("ballpark.questions.ask.yields")

local ask = {}

-- Of a prompt, numbers that nothing reads are listed.
local LENIENT <const> = { lenient = true }

-- What serves where nobody says.
local USUAL_ENGINE <const> = "vllm"

-- What an interview asks at most.
local MOST_ASKED <const> = 6

-- Words of questions that need more than words: pattern, what it is, where it is answered.
local ELSEWHERE <const> = {
  { "latency budget", "a latency budget", "ballpark latency" },
  { "which run .-next", "which run to measure next", "ballpark tune" },
  { "how many lora adapters", "how many adapters fit", "'ballpark fit MODEL --on DEVICE --adapters 32 --lora-rank 16' says whether so many do" },
  { "break%-even", "where two prices break even", "ask of each device with 'or' between them, or 'ballpark compare'",
    unless = "%f[%a]buy" },
  { "network bandwidth [dt]o", "the bandwidth that a run needs", "compare networks with 'ballpark sweep', as 'ballpark help sweeps' shows" },
  { "to load an? .-%d+b .-from", "how long weights take to load", "their bytes over the bandwidth of where they lie; 'ballpark explain cold_start'",
    unless = "%d ?g?b/s" },
}

-- Leads a question that needs a file or a list to the command that answers it.
local function check_other(text)
  for _, row in ipairs(ELSEWHERE) do
    if text:find(row[1]) and not (row.unless and text:find(row.unless)) then errors.input("ask", ("does not answer about %s: %s"):format(row[2], row[3])) end
  end
end

-- How often a prompt may go on: every piece is an answer, which may be a search.
local MOST_PIECES <const> = 16

-- The pieces of a prompt that goes on: "…; then 8 GPUs; then training".
local function pieces(text)
  local list = {}
  for piece in (text:gsub("[;%.,:]%s*[Aa]?n?d?%s*[Tt]hen%f[%W]:?", "\0") .. "\0"):gmatch("(.-)%z") do
    if piece:find("%w") then list[#list + 1] = piece end
    if #list > MOST_PIECES then
      errors.input("ask", ("the prompt goes on more than %d times: ask less, or go on with --follow"):format(MOST_PIECES - 1))
    end
  end
  return list
end

-- What a kind without a place for it does anyway: one device, one at a time, and a rate that is the peak.
local MEANT_ANYWAY <const> = { devices = 1, peak_ratio = 1, concurrency = 1 }

-- Facts of words that the kind does not have: they change nothing, and the page says so. Where most are such, the
-- question is another one than was read: an answer to the rest of it would be none. Devices that are counted stand beside
-- those that a kind comes to, as its second result.
local function without_strangers(kind, given, by_name, unread, words)
  local kept, used, strange, there = {}, 0, {}, nil
  local idle = kind.idle and kind.idle(given) or {}
  for _, name in ipairs(tables.sorted_keys(given)) do
    if idle[name] and words[name] and by_name[name] == nil then
      unread[#unread + 1] = words[name]
    elseif facts.has(kind, name) or by_name[name] ~= nil then
      kept[name], used = given[name], used + 1
    elseif name == "devices" and given[name] > 1 and facts.has(kind, "device") and yields.of(kind.name, "devices") then
      there, used = given[name], used + 1
    elseif MEANT_ANYWAY[name] ~= given[name] then
      strange[#strange + 1] = words[name] or facts.in_words(kinds.all(), name, given[name])
    end
  end
  if #strange > used then
    errors.input("ask", ("reads a question about %s, which has no place for %s: say --kind, one of %s, or leave it out"):format(
      kind.title:gsub("^%u%l", string.lower), table.concat(strange, ", "), table.concat(kinds.names, ", ")))
  end
  table.move(strange, 1, #strange, #unread + 1, unread)
  return kept, there
end

-- Of what is given that which the kind has a place for.
local function own_of(kind, given)
  local own = {}
  for name, value in pairs(given) do own[name] = facts.has(kind, name) and value or nil end
  return own
end

-- The device of a question, as it is said or would be proposed; nil where the kind has none.
local function device_of(kind, given, spans)
  if given.device or not facts.has(kind, "device") or given.which then return given.device end
  return facts.of(kind, own_of(kind, given), spans).device
end

-- What the catalog has for an hour of a device, as an entry of a fact; nil where nobody rents it.
local function listed_price(device)
  local usd_h, source = device_prices.get(catalog.device(device).name)
  return usd_h and { value = usd_h, why = source }
end

-- What somebody who is named asks for an hour of the device, where the catalog knows it and no other price is said.
local function with_provider(kind, given, said)
  if not said.provider or given.usd_h or not facts.has(kind, "usd_h") then return given end
  local device = device_of(kind, given, said.spans)
  for _, row in ipairs(device and device_prices.all(catalog.device(device).name) or {}) do
    if row.provider == said.provider.name then
      said.notes[#said.notes + 1] = ("%s an hour of %s is what %s asks (%s)."):format(page.n(row.usd_h, "USD"), device, row.provider, row.source)
      return tables.with(given, { usd_h = row.usd_h })
    end
  end
  said.unread[#said.unread + 1] = said.provider.text
  return given
end

-- Terms of a rent are off the price on demand, unless the price is said, which is then that of the terms.
local function with_terms(kind, given, said)
  if not said.term or given.terms or given.paid_on then return given end
  if not facts.has(kind, "usd_h") then
    if not given.usd_h then said.unread[#said.unread + 1] = said.term.text end
    return given
  end
  if facts.has(kind, "paid_on") then given = tables.with(given, { paid_on = said.term.name }) end
  if given.usd_h then return given end
  local frac = price_terms.get(said.term.name, "terms").frac
  said.factors.price = (said.factors.price or 1) * frac
  said.notes[#said.notes + 1] = ("'%s': %s of the price on demand (assumption)."):format(said.term.text, page.n(frac, "frac"))
  return given
end

-- A discount is off the price that is said, else off that of the device, whose range goes down with it.
local function with_discount(kind, given, said)
  local factor = said.factors.price
  if not factor or not facts.has(kind, "usd_h") then return given end
  said.factors.price = nil
  if given.usd_h then return tables.with(given, { usd_h = factor * given.usd_h }) end
  local device = device_of(kind, given, said.spans)
  local price = facts.of(kind, own_of(kind, given), said.spans):entry("usd_h") or device and listed_price(device)
  if not price then
    said.factors.price = factor
    return given
  end
  said.spans.usd_h = { low = factor * (price.low or price.value), high = factor * (price.high or price.value),
    why = ("%s off: %s"):format(page.n(1 - factor, "frac"), price.why) }
  return tables.with(given, { usd_h = factor * price.value })
end

-- A factor by which a bill is to come down ("cut it in half") is a target of it, where the kind knows one; others change
-- nothing in the first question of a prompt.
local function with_factors(kind, given, factors, unread)
  for _, name in ipairs(tables.sorted_keys(factors)) do
    if name == "budget" and facts.has(kind, "target_usd_month") then
      if given.budget_usd_month then
        given = tables.with(given, { target_usd_month = factors[name] * given.budget_usd_month })
      else
        given = tables.with(given, { target_frac = factors[name] })
      end
    else
      unread[#unread + 1] = ("%.3g times the %s"):format(factors[name], name:gsub("_", " "))
    end
  end
  return given
end

-- An engine that is named, where the kind has a place for it; the usual one changes nothing elsewhere.
local function with_engine(kind, given, said)
  if not said.engine or given.engine then return given end
  if facts.has(kind, "engine") then return tables.with(given, { engine = said.engine }) end
  if said.engine ~= USUAL_ENGINE then said.unread[#said.unread + 1] = said.engine end
  return given
end

-- Where it is asked which device and none is named, devices are compared; a kind that cannot says that it did not read it. A
-- price that is said is that of one device.
local function with_which(kind, given, said, text)
  local words = which.asked(text)
  if not words or given.device or kind.compares == "own" then return given end
  local goes_on = text and pieces(text)[2] ~= nil -- stages are of one device
  if not facts.has(kind, "which") or given.usd_h or kind.compares == "each" and goes_on then
    said.unread[#said.unread + 1] = words
    return given
  end
  if kind.compares == "rented" or kind.compares == "each" then
    said.notes[#said.notes + 1] = ("No device is named: of those commonly rented (assumption), %s are compared."):format(which.LISTED)
  end
  return tables.with(given, { which = "asked" })
end

-- Of a prompt of which more is not read, the rest is another question.
local MOST_UNREAD_FRAC <const> = 0.5

-- What was read of a prompt, or of none.
local function read(input)
  if not input.text then return { facts = {}, weights = {}, unread = {}, notes = {}, spans = {}, said = {}, factors = {}, beside = {} } end
  if not input.kind then check_other(input.text:lower()) end
  local said = grammar.read(pieces(input.text)[1] or input.text, LENIENT)
  -- One user is no load of a day: somebody is there alone.
  if said.facts.users == 1 and not said.facts.concurrency then said.facts.users, said.facts.concurrency = nil, 1 end
  if said.unread_numbers > #said.order then
    errors.input("ask", ("does not understand most numbers of the prompt: %s; say what they count, as in '7B', '1T tokens', "
      .. "'512 A100', '5 days'"):format(table.concat(said.unread, ", ")))
  end
  local words = 0
  for _, text in ipairs(said.unread) do
    for _ in text:gmatch("%S+") do words = words + 1 end
  end
  if words > MOST_UNREAD_FRAC * said.words and (input.kind or kinds.guessed(said)) then
    errors.input("ask", ("reads less than half of the prompt, and not: %s; it reads English"):format(table.concat(said.unread, ", ")))
  end
  return said
end

--- What is known of a question before anything is proposed: the record of its kind, the facts given, and the words that
--- nothing read. Facts by name go over those of the words.
---@param input table of ask{}
---@return table kind
---@return table<string, any> given
---@return string[] unread
---@return { parts: table[]|nil, beside: table[], notes: string[], spans: table } more the questions that a prompt has in it
--- beside each other, devices to choose from beside that of the facts, how something was read, and ends of what was given as
--- a range
function ask.understood(input)
  local said = read(input)
  -- Words with a slip in them are read as what they are meant to be.
  local text = input.text and (said.text ~= (pieces(input.text)[1] or input.text) and said.text or input.text)
  local by_name, ends = facts.typed(kinds.all(), input.facts or {})
  for name in pairs(by_name) do said.spans[name] = ends[name] end
  local given = tables.with(said.facts, by_name)
  if not input.text and not input.kind and not next(given) then
    errors.input("ask", "needs a prompt, such as 'train 7B on 1T tokens', or kind = one of "
      .. table.concat(kinds.names, ", "))
  end
  local kind = kinds.get(input.kind or kinds.of({ facts = given, weights = said.weights, text = said.text, beside = said.beside }))
  if given.other and not facts.has(kind, "other") then
    errors.input("ask", ("%s and %s are two kinds of device, which share a model on one's own machine alone: ask of one, or of "
      .. "each with 'or' between them"):format(given.device, given.other))
  end
  local meant
  kinds.check_trained(kind.name, { facts = given, weights = said.weights, text = text })
  given, meant = facts.named(kind, given, said.spans)
  table.move(meant, 1, #meant, #said.notes + 1, said.notes)
  same_size.check("ask", given)
  if kind.given then given = kind.given(given, said.weights, text, said.spans) end
  given = with_which(kind, given, said, text)
  given = with_engine(kind, given, said)
  given = with_terms(kind, given, said)
  given = with_provider(kind, given, said)
  given = with_discount(kind, given, said)
  given = with_factors(kind, given, said.factors, said.unread)
  local parts = input.text and kind.parts and kind.parts(given, said.spans)
  if parts then given = parts[1].facts end
  local there
  given, there = without_strangers(kind, given, by_name, said.unread, said.said)
  return kind, given, said.unread, { text = text, there = there, parts = parts, beside = said.beside, notes = said.notes, spans = said.spans }
end

--- Whether words and facts leave open what a question is about.
function ask.is_open(input)
  if input.kind or input.parts then return false end
  local said = read(input)
  return kinds.guessed({ facts = tables.with(said.facts, (facts.typed(kinds.all(), input.facts or {}))), weights = said.weights, text = said.text }) == nil
end

--- What an interview would ask: list of { row, value (proposed), why }, at most six.
function ask.open(input)
  local kind, given, _, more = ask.understood(input)
  return facts.open(kind, given, MOST_ASKED, more.spans), kind
end

local function by_savings(a, b)
  if (a.saves_frac or -math.huge) ~= (b.saves_frac or -math.huge) then
    return (a.saves_frac or -math.huge) > (b.saves_frac or -math.huge)
  end
  -- Of the same price that is better which leaves more idle.
  if (a.busy_frac or 1) ~= (b.busy_frac or 1) then return (a.busy_frac or 1) < (b.busy_frac or 1) end
  return a.title < b.title
end

-- Rounding of a cost that just meets a budget.
local SLACK <const> = 1 + 1e-9

-- Which levers keep a budget that the answer breaks, each alone; said beside what does not go.
local function say_who_keeps(p, known)
  local budget = known.budget_usd_month or known.cost_usd
  for _, item in ipairs(p.contradictions) do
    local kept = {}
    for _, lever in ipairs(item.code == "budget" and p.levers or {}) do
      local cost = lever.cost_usd_month or lever.cost_usd
      if cost and cost <= budget * SLACK and #kept < 3 then
        kept[#kept + 1] = ("%s (%s)"):format(lever.title, page.n(cost, "USD"))
      end
    end
    if kept[1] then
      item.text = item.text .. "; kept by " .. table.concat(kept, ", or ")
    elseif item.code == "budget" and p.levers[1] then
      item.text = item.text .. "; no lever of those below keeps it alone"
    end
  end
end

-- Facts that were given and can hardly be meant: prices that nobody asks, SLOs that nobody waits for.
local function warn_strange(p, known)
  local function given(name) return known:is_given(name) and known[name] or nil end
  local function warn(text) p.warnings[#p.warnings + 1] = text end
  local unlike = given("usd_h") and known.device and prices.unlike(catalog.device(known.device).name, known.usd_h)
  if unlike then warn(unlike.text) end
  plausible.check({ sla = { ttft_s = given("ttft_s") or given("slo_s"), tpot_s = given("tpot_s") } }, warn)
end

-- Whether the devices that there are do what is asked, of a kind that comes to a number of its own.
local function beside_those_there(p, there)
  local needed = p.values.devices or p.values.replicas
  if not (there and needed and p.headline) then return end
  p.headline = ("%.0f %s: %s"):format(there, there >= needed and "are enough" or "are too few", p.headline)
end

-- The page of a kind with the facts given.
local function paged(kind, given, input, unread, more)
  if kind.question then
    errors.input("ask", ("a prompt about %s is answered by another question and stands alone: ask it without 'then' and "
      .. "without others beside it"):format(kind.title:gsub("^%u%l", string.lower)))
  end
  local known, p = facts.of(kind, given, more.spans), page.new()
  table.move(more.notes, 1, #more.notes, 1, p.assumed)
  warn_strange(p, known)
  if kind.priced and known.device and not known.usd_h then
    errors.input("usd_h", ("%s has no price in the catalog: give one, as --set usd_h=0.5"):format(known.device))
  end
  kind.steps(p, known)
  beside_those_there(p, more.there)
  table.sort(p.levers, by_savings)
  say_who_keeps(p, known)
  local proposed = {}
  for _, name in ipairs(known.order) do
    local entry = known:entry(name)
    if not entry.given and not entry.follows then proposed[#proposed + 1] = { name, entry.value, entry.why, entry.row } end
  end
  return { kind = "ask", about = kind.name, title = kind.title, text = input.text, words = more.text, given = given, spans = known:spans(), proposed = proposed,
    lines = p.lines, values = p.values, ranges = p.ranges, contradictions = p.contradictions, warnings = p.warnings,
    notes = p.notes, assumed = p.assumed, levers = p.levers, headline = p.headline, aside = p.aside, comparable = p.comparable,
    what = p.what, rests_on = p.rests_on, tables = p.tables, brief = input.brief == true, drivers = (p:line(p.main) or {}).drivers or {}, fits = #p.contradictions == 0,
    missing = kind.missing and kind.missing(known) or facts.missing(known), unread = unread, known = known, stages = {} }
end

-- The kind and facts that words which go on change; "then training" is a fact of what is a product of matrices.
local function changed_kind(before, said, given)
  local kind = kinds.get(before.about)
  if not next(said.weights) or said.weights[kind.name] then return kind end
  for _, name in ipairs(tables.sorted_keys(said.weights)) do
    if facts.has(kind, name) then
      given[name] = "yes"
      return kind
    end
  end
  return kinds.get(kinds.of(said))
end

-- Facts that hold what a factor changes, the first that is known; money is that of the page before.
local function factored(kind, before, factors, given, unread)
  for _, name in ipairs(tables.sorted_keys(factors)) do
    local factor, fact, value = factors[name], name
    if name == "budget" then
      fact = facts.has(kind, "budget_usd_month") and "budget_usd_month" or "cost_usd"
      value = before.given[fact] or before.values.cost_usd_month or before.values.cost
    else
      value = before.known[name]
    end
    if value and facts.has(kind, fact) then
      local changed = factor * value
      given[fact] = math.type(value) == "integer" and math.max(1, math.floor(changed)) or changed
    else
      unread[#unread + 1] = ("%.3g times %s"):format(factor, name:gsub("_", " "))
    end
  end
end

-- Ends of the facts that go on from an answer: those that are said anew, and those of what stays or is multiplied.
local function spans_on(before, given, anew, spans)
  local list = tables.with(spans)
  for name, span in pairs(before.spans) do
    local factor = anew[name] == nil and given[name] and given[name] / before.given[name]
    if factor then list[name] = { low = factor * span.low, high = factor * span.high, why = span.why } end
  end
  return list
end

-- What goes on from an answer: the same facts with those of the words over them.
local function further(before, piece, input)
  local said = grammar.read(piece, LENIENT)
  local given = {}
  local kind = changed_kind(before, said, given)
  for name, value in pairs(before.given) do
    if facts.has(kind, name) and given[name] == nil then given[name] = value end
  end
  local own = without_strangers(kind, (facts.named(kind, said.facts, said.spans)), {}, said.unread, said.said)
  for name, value in pairs(own) do given[name] = value end
  factored(kind, before, said.factors, given, said.unread)
  local by_name, ends = facts.typed(kinds.all(), input.facts or {})
  for name, value in pairs(by_name) do given[name], said.spans[name] = value, ends[name] end
  if kind.given and kind.name ~= before.about then given = kind.given(given, said.weights, piece, said.spans) end
  said.spans = spans_on(before, given, tables.with(own, by_name), said.spans)
  local answer = paged(kind, given, { text = piece:match("^%s*(.-)[%s%.%?]*$"), brief = input.brief }, said.unread, said)
  answer.changed = {}
  for _, name in ipairs(tables.sorted_keys(given)) do
    if given[name] ~= before.given[name] then answer.changed[#answer.changed + 1] = name end
  end
  return answer
end

-- Puts a value into an input at its path ("space.system.device").
local function put(input, path, value)
  local group, last = path:match("^(.*)%.([^.]+)$")
  local into = input
  for name in (group or ""):gmatch("[^.]+") do
    into[name] = into[name] or {}
    into = into[name]
  end
  into[last or path] = value
end

-- The model that an answer is of where the words name none and no size; nil of others.
local function assumed_model(given, for_it)
  if given.model or given.params or for_it.model == nil then return nil end
  return type(for_it.model) == "string" and for_it.model or for_it.model.name
end

--- What another question answers: its name, its input, and what was read of the prompt ({ title, text, known, unread }).
--- Nothing where ask{} answers itself.
---@param input table of ask{}
function ask.handed_over(input)
  if input.text and pieces(input.text)[2] then return nil end
  questions.check_known("ask", input)
  local kind, given, unread, more = ask.understood(input)
  if not kind.question then return nil end
  local known = facts.of(kind, given, more.spans)
  local for_it = kind.input(known)
  if more.beside[1] and kind.several then
    local names = { given.device }
    for i, item in ipairs(more.beside) do names[i + 1] = item.device end
    put(for_it, kind.several, names)
  end
  local wanted = asked.of(more.text, given)
  wanted.count = wanted.devices and known.devices or nil
  wanted.assumed_model = not wanted.largest and assumed_model(given, for_it) or nil
  return kind.question, for_it, { title = kind.title, text = input.text, words = more.text, known = known, unread = unread,
    question = kind.question, given = given, about = kind.name, notes = more.notes, asked = wanted }
end

-- An answer of another question as a part: what it costs is said in its own report. What the whole prompt asks for stands first
-- in that of a part without words of its own.
local function as_part(answer, text)
  if answer.kind == "ask" then return answer end
  local prompt = answer.prompt
  if prompt and not prompt.text then prompt.asked = tables.with(asked.of(text, prompt.given), prompt.asked) end
  local fits = questions.is_feasible(answer) ~= false
  local reason = questions.reason(answer)
  local said = questions.headline(answer) or "see below: " .. answer.prompt.question:gsub("_", "-")
  return { title = answer.prompt.title, other = answer, values = {}, fits = fits, headline = said .. (reason and ", " .. reason or ""),
    contradictions = reason and { { code = answer.prompt.question, text = answer.prompt.title .. ": " .. reason } } or {} }
end

-- What a part costs, by the month or once; nil where it cannot be had.
local function price_of(part) return part.fits and (part.values.cost_usd_month or part.values.cost) or nil end

-- Choices that a line has room for.
local MOST_IN_LINE <const> = 3

-- Choices of which none has a price by the month: the fastest first, where their question says how fast each is, with what it
-- does; where money is asked about, the cheapest.
local function fastest_first(answer)
  local list, is_ranked, is_cheapest = {}, true, asked.is_about("cheaper", answer.text)
  for _, part in ipairs(answer.parts) do
    is_cheapest = is_cheapest and part.other ~= nil and questions.price(part.other) ~= nil
  end
  for i, part in ipairs(answer.parts) do
    local speed = part.other and (is_cheapest and 1 / questions.price(part.other) or questions.speed(part.other))
    is_ranked = is_ranked and (speed ~= nil or not part.fits)
    list[i] = { part = part, speed = part.fits and speed or 0, at = i }
  end
  if not is_ranked then return "each is in the table" end
  table.sort(list, function(a, b) return a.speed > b.speed or a.speed == b.speed and a.at < b.at end)
  answer.best = list[1].part
  local said = { ("%s is the %s: %s"):format(list[1].part.title, is_cheapest and "cheapest" or "fastest", list[1].part.headline) }
  for i = 2, #list <= MOST_IN_LINE and #list or 1 do said[i] = ("%s: %s"):format(list[i].part.title, list[i].part.headline) end
  return table.concat(said, "; ")
end

-- Lengths or networks beside each other, with how many times as long as of the first a run takes.
local function side_by_side(answer, by_count)
  local said, first = {}, by_count and answer.parts[1].values.run_s or answer.parts[1].values.device_s or (answer.parts[1].other and (answer.parts[1].other.run or {}).run_s)
  for i, part in ipairs(answer.parts) do
    local seconds = by_count and part.values.run_s or part.values.device_s or part.other and (part.other.run or {}).run_s
    local times = i > 1 and first and seconds and (answer.parts[1].values.device_s and not by_count and " (%.3g times the device time)" or " (%.3g times as long)"):format(seconds / first) or ""
    said[i] = ("%s%s: %s"):format(part.title, times, part.headline)
  end
  return table.concat(said, "; ")
end

-- Facts whose choices have names of their own.
local NAMED_CHOICES <const> = tables.set({ "device", "devices", "seq_len", "network", "weights", "kv", "host_bus", "no_drafts" })

-- The fact of which a choice is, where it is another than those; nil of others.
local function plain_choice(item)
  local name = next(item)
  return not NAMED_CHOICES[name] and next(item, name) == nil and name or nil
end

--- Answers beside each other: every part by itself, and what they cost together. Of a choice nothing is added up: the
--- cheapest is the answer.
function ask.together(answers, input, is_choice)
  local answer = { kind = "ask", about = "mix", text = input.text, parts = {}, contradictions = {}, values = { cost_usd_month = 0,
    cost = 0 }, fits = true, brief = input.brief == true, lines = {}, given = {}, levers = {}, headline = "", is_choice = is_choice }
  local best
  for i, found in ipairs(answers) do
    local part = as_part(found, input.text)
    answer.parts[i], answer.fits = part, answer.fits and part.fits
    if is_choice then part.title = input.names[i] end
    answer.values.cost = answer.values.cost + (part.values.cost or 0)
    answer.values.cost_usd_month = answer.values.cost_usd_month + (part.values.cost_usd_month or 0)
    table.move(part.contradictions, 1, #part.contradictions, #answer.contradictions + 1, answer.contradictions)
    local price = price_of(part)
    if part.fits and (not best or price and price < (price_of(best) or math.huge)) then best = part end
  end
  if not is_choice then return answer end
  local _, _, unread, more = ask.understood(input)
  answer.fits, answer.values, answer.unread, answer.notes, answer.best = best ~= nil, best and best.values or {}, unread, more.notes, best
  local is_priced = best and price_of(best)
  local first = more.beside[1] or {}
  answer.is_each = (first.devices and not first.device or first.seq_len or first.network or next(first) and plain_choice(first) or first.weights and answer.parts[1].values.device_s) ~= nil
  answer.headline = answer.is_each and best and side_by_side(answer, first.devices ~= nil) or is_priced and ("%s: %s"):format(best.title, best.headline) or best and fastest_first(answer)
    or "none of them does what is asked"
  if best then answer.contradictions = {} end
  return answer
end

local function one(input)
  local kind, given, unread, more = ask.understood(input)
  local list = input.text and pieces(input.text) or {}
  if more.parts and list[2] then
    errors.input("ask", "a prompt with several questions or devices stands alone: ask it without 'then'")
  end
  if more.parts then
    local found = {}
    for i, part in ipairs(more.parts) do
      local own = {}
      for name, value in pairs(part.facts) do own[name] = facts.has(kinds.get(part.kind), name) and value or nil end
      found[i] = paged(kinds.get(part.kind), own, { text = input.text, brief = input.brief }, i == 1 and unread or {},
        { notes = i == 1 and more.notes or {}, spans = tables.with(more.spans, part.spans) })
    end
    return ask.together(found, input)
  end
  local answer = paged(kind, given, input, unread, more)
  local before = answer
  for i = 2, #list do
    before = further(before, list[i], input)
    answer.stages[#answer.stages + 1] = before
    table.move(before.unread, 1, #before.unread, #answer.unread + 1, answer.unread)
    answer.fits = answer.fits and before.fits
  end
  answer.given, answer.spans = before.given, before.spans -- a follow-up goes on from the last
  return answer
end

-- Refuses what cannot be read of a question, or of one of those that it has in it.
local function check_read(input)
  local parts = ask.parts(input)
  if not parts then ask.understood(input) end
  for _, part in ipairs(parts or {}) do check_read(part) end
end

-- The parts that a mix lists, which are read before the first is answered.
local function listed(input)
  if input.text or input.kind or input.facts then
    errors.input("parts", "stand alone: text, kind and facts belong into them")
  end
  local list = {}
  for i, part in ipairs(input.parts) do
    if type(part) ~= "table" then errors.input(("parts[%d]"):format(i), "must be a table with text, kind or facts") end
    list[i] = tables.with(part, { brief = input.brief or part.brief })
  end
  for _, part in ipairs(list) do check_read(part) end
  return list
end

-- The same question for each of the rented devices, of which one is to be chosen.
local function by_rented(kind, given, spans, brief)
  local list = {}
  for i, name in ipairs(which.RENTED) do
    list[i] = { kind = kind.name, facts = facts.ranged(tables.with(given, { device = name }), spans), brief = brief }
    list[i].facts.which = nil
  end
  return list, which.RENTED
end

-- The same question for each of several devices or formats, of which one is to be chosen; nil where none stand beside each
-- other, or one answer is about all of them.
local function by_choice(input)
  local kind, given, _, more = ask.understood(input)
  if given.which and kind.compares == "each" and not pieces(input.text)[2] then return by_rented(kind, given, more.spans, input.brief) end
  if not more.beside[1] then return nil end
  if pieces(input.text)[2] then
    errors.input("ask", "a prompt with several questions or devices stands alone: ask it without 'then'")
  end
  local is_same = true
  for _, item in ipairs(more.beside) do
    is_same = is_same and item.device ~= nil and (not item.devices or item.devices == given.devices)
  end
  if kind.several and is_same then return nil end
  local list, names, plain = {}, {}, plain_choice(more.beside[1])
  for i, item in ipairs(table.move(more.beside, 1, #more.beside, 2, { {} })) do
    local own = tables.with(given, (facts.named(kind, item)))
    if own.devices == 1 and not facts.has(kind, "devices") then own.devices = nil end -- "a 3090" of a question about one
    list[i] = { kind = kind.name, facts = own, brief = input.brief }
    local device = own.device and ((own.devices and own.devices .. " x " or "") .. own.device) or own.devices and own.devices .. " devices"
    names[i] = item.seq_len and page.n(item.seq_len, "tok") or item.network or item.weights and item.weights:upper() or item.kv and "KV cache in " .. item.kv or device
  end
  if plain then
    for i, own in ipairs(list) do names[i] = facts.in_words(kinds.all(), plain, own.facts[plain]) end
  end
  if more.beside[1].no_drafts then names[1], names[2] = "with drafts", "without" end
  if more.beside[1].weights then names[1] = given.weights:upper() end
  if more.beside[1].network then names[1] = given.network end
  if more.beside[1].seq_len then
    local length = 0
    for _, name in ipairs({ "seq_len", "context_tok", "input_tokens", "prompt_tok" }) do length = given[name] or length end
    names[1] = page.n(length, "tok")
  end
  if more.beside[1].kv then names[1] = "KV cache in " .. given.kv end
  for i, own in ipairs(list) do
    local spans = tables.with(more.spans)
    for name in pairs(more.beside[i - 1] or {}) do spans[name] = nil end -- a choice of its own
    own.facts = facts.ranged(own.facts, spans)
  end
  return list, names
end

--- The questions that an input has in it: inputs of ask{}, each a question; names of the choices where one of them is to be
--- chosen. Nil where it is one question.
---@param input table of ask{}
---@return table[]|nil parts
---@return string[]|nil names
function ask.parts(input)
  if input.parts then return listed(input) end
  if not input.text or input.kind then return nil end
  local list = not pieces(input.text)[2] and several.of(input.text)
  if not list then return by_choice(input) end
  for i, part in ipairs(list) do
    list[i] = { text = part.text, kind = part.kind, facts = tables.with(part.facts, input.facts), brief = input.brief }
  end
  return list
end

--- Answers ask{}: see its record.
function ask.run(input)
  questions.check_known("ask", input)
  local parts, names = ask.parts(input)
  if not parts then return one(input) end
  local found = {}
  for i, part in ipairs(parts) do found[i] = ask.run(part) end
  return ask.together(found, tables.with(input, { names = names }), names ~= nil)
end

return ask
