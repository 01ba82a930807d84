-- Numbers of money: a run's, a month's, an hour's, whatever currency they are in.
local currencies = require("ballpark.catalog.currencies")
local devices = require("ballpark.catalog.devices")
local mentions = require("ballpark.mentions")
local names = require("ballpark.questions.said.names")
local prices = require("ballpark.questions.said.prices")
local prices_known = require("ballpark.catalog.prices")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local vocabulary = require("ballpark.questions.said.vocabulary")

local money = {}

local NOUNS <const>, TIMES <const>, SIZES <const> = vocabulary.NOUNS, vocabulary.TIMES, vocabulary.SIZES

local DOLLARS <const> = tables.set({ "$", "usd", "dollar", "dollars", "bucks" })
local CENTS <const>, CENT <const> = tables.set({ "cent", "cents", "ct", "cts" }), 0.01

-- US dollars of a unit of the currency that a word names; nil where it names none.
local function currency(word)
  if not word then return nil end
  return DOLLARS[word] and 1 or CENTS[word] and CENT or currencies[word] or word:find("^euros?$") and currencies.eur or nil
end

-- Words before a sum that is to be saved, and before one that a bill is to come down to.
local SAVED <const> = tables.set({ "cut", "save", "saves", "saving", "by" })
money.SAVED = SAVED
local CUT_TO <const> = tables.set({ "to", "under", "below" })

-- Words that count nothing.
local PLAIN <const> = require("ballpark.questions.said.plain_words").is

-- Words of a million behind "per" and "/".
local MILLIONS <const> = tables.set({ "million", "m" })

-- Whose tokens an API's price is of, by the word for them.
local SIDES <const> = { input = "input", inputs = "input", prompt = "input", prompts = "input", output = "output", outputs = "output", completion = "output",
  completions = "output", generated = "output", answers = "output" }
-- Words between them and the price behind, and words of prompts that the vendor has in its cache.
local TO_PRICE <const> = tables.set({ "$", "at", "@", "is", "=", "price", "prices", "costs", "cost", "for", "tokens", "token", "usd" })
local MOST_TO_PRICE <const>, CACHED <const> = 4, tables.set({ "cached", "cache" })

-- Whether "per million", "/M" or "per 1M" stands at an offset.
local function is_per_million(reader, at)
  local is_per = reader:word(at) == "per" or reader:word(at) == "/"
  return is_per and (reader:number(at + 1) == 1e6 or MILLIONS[reader:word(at + 1) or ""]) or false
end

-- "per million tokens", "/ 1M output tokens", "per million input", "per Mtok": how many words, and whose tokens.
local function per_million_tokens(reader, at)
  local is_mtok = reader:word(at + 1) == "mtok" and (reader:word(at) == "per" or reader:word(at) == "/")
  if not is_mtok and not is_per_million(reader, at) then return nil end
  local side = not reader:is_cut(at + 2) and SIDES[reader:word(at + 2) or ""] or nil
  local behind = at + (side and 3 or 2)
  if reader:is_cut(behind) then return (side or is_mtok) and behind - at or nil, side end
  if NOUNS[reader:word(behind) or ""] == "tokens" then return behind + 1 - at, side end
  return (side or is_mtok) and behind - at or nil, side
end

-- Words at most between whose tokens a price is of and how many of them: "0.6 USD input and 2.4 USD output per million tokens".
local TO_MILLION <const> = 6

-- The same where whose tokens stands first, and their number behind the other price.
local function side_first(reader, at)
  local side = SIDES[reader:word(at) or ""]
  if not side then return nil end
  local used = NOUNS[reader:word(at + 1) or ""] == "tokens" and 2 or 1
  local of_these = per_million_tokens(reader, at + used)
  if of_these then return used + of_these, side end
  for offset = at + used, at + used + TO_MILLION do
    if per_million_tokens(reader, offset) then return used, side end
  end
end

-- Whose tokens stands before the price: "input $0.5", "output tokens at 1.5 USD"; and whether they are cached ones.
local function side_before(reader)
  local offset = -1
  while offset > -MOST_TO_PRICE and TO_PRICE[reader:word(offset) or ""] do offset = offset - 1 end
  if reader.at + offset < reader.free then return nil end
  return SIDES[reader:word(offset) or ""], CACHED[reader:word(offset - 1) or ""]
end

-- No API asks more for a million tokens (assumption).
local MOST_MTOK <const> = 200

-- Words that speak of what is sold by the million of tokens.
local OF_TOKENS <const> = { "%f[%a]tok", "%f[%a]mtok", "%f[%a]llms?%f[%A]", "language model", "%f[%a]api%f[%A]" }

-- Whether tokens or a model that writes them are spoken of, before the reader's place or behind it.
local function speaks_of_tokens(reader)
  if reader.facts.model or reader.facts.params or mentions.any(reader.text, OF_TOKENS) then return true end
  for offset = 1 - reader.at, #reader.list - reader.at do
    local token = reader.list[reader.at + offset]
    if token.scale == "b" or vocabulary.WRITERS[token.word or ""] or token.word and names.model(reader, offset) then return true end
  end
  return false
end

-- A small sum "per million", "/M", "per 1M" with nothing counted behind: that of tokens, where those or a model are spoken of;
-- how many words.
local function per_million(reader, value, text, at)
  if value > MOST_MTOK or not is_per_million(reader, at) then return nil end
  local behind = not reader:is_cut(at + 2) and reader:word(at + 2) or nil
  if behind and not (vocabulary.LINKING[behind] or vocabulary.BESIDE[behind] or PLAIN[behind]) or not speaks_of_tokens(reader) then return nil end
  reader:note(("%s USD per million are read as those of a million tokens (assumption)."):format(text))
  return 2
end

-- What an API asks for a million tokens, for those of prompts and of answers apart where it does. Cached prompts have no place.
local function read_api(reader, value, text, at)
  local used, side = per_million_tokens(reader, at)
  if not used then used, side = side_first(reader, at) end
  if not used then used = per_million(reader, value, text, at) end
  local before, is_cached = side_before(reader)
  local is_next = before and (reader.api_prices or reader.facts.usd_mtok) and value <= MOST_MTOK and not reader:per(at)
  if not used and not is_next then return nil end
  if is_cached then
    reader:list_apart(text .. " of cached prompts")
    return at + (used or 0)
  end
  side = side or before
  if not side then return reader:say("usd_mtok", value, text) and at + used end
  reader.api_prices = tables.with(reader.api_prices or {}, { [side] = { value = value, text = text } })
  return at + (used or 0)
end

-- Units of energy that a price is of, in kWh.
local KWH <const> = { kwh = 1, ["kilowatt-hour"] = 1, mwh = 1000 }

-- "Per node hour", "an hour per node" behind a price: how many words.
local function nodes_of_price(reader, at, seconds, used)
  if reader:is_per(at) and NOUNS[reader:word(at + 1) or ""] == "nodes" then
    return TIMES[reader:word(at + 2) or ""] == TIMES.hour and 3 or reader:per(at + 2) == TIMES.hour and 4 or nil
  end
  if seconds ~= TIMES.hour then return nil end
  local behind = at + used
  if reader:word(behind) ~= "per" then return nil end
  if NOUNS[reader:word(behind + 1) or ""] == "nodes" then return used + 2 end
  local _, length, of_machine = names.device(reader, behind + 1) -- "98.32 USD an hour per p5.48xlarge"
  if of_machine then return used + 1 + length, of_machine end
end

-- Words between a machine and its price: "an 8xH100 node costing $25 per hour".
local PRICED <const> = tables.set({ "$", "usd", "at", "@", "costs", "cost", "costing", "for", "is", "=", "priced", "price", "of" })

-- Devices of the machine that stands before a price, where one does: "p5.48xlarge at $98.32/hr", "nodes at 25 USD an hour".
local function machine_before(reader)
  local offset = -1
  while PRICED[reader:word(offset) or ""] do offset = offset - 1 end
  local word = reader:word(offset) or ""
  if NOUNS[word] == "nodes" and not word:find("^cluster") then return vocabulary.NODE_SIZE end
  local _, _, of_machine = names.device(reader, offset)
  return of_machine and word:find("%.") and of_machine or nil
end

local BOUGHT <const> = tables.set({ "buy", "purchase", "own" })

-- Words between what is bought and its price, the least of a server (assumption), and words of prompts that buy.
local BOUGHT_FOR <const>, LEAST_BOUGHT <const> = tables.set({ "for", "at", "costs", "cost", "costing", "is", "of", "$", "about", "around" }), 1000
local BUYS <const> = { "%f[%a]buy%f[%A]", "%f[%a]buying%f[%A]", "%f[%a]bought%f[%A]", "%f[%a]purchas" }

-- What is bought behind its price: "300k USD for the server"; how many words say it.
local MACHINES <const> = tables.set({ "server", "servers", "box", "machine", "node", "system", "cards", "gpus", "hardware", "all", "them", "it" })

local function machine_behind(reader, at)
  if reader:is_cut(at) or reader:word(at) ~= "for" then return nil end
  local further = vocabulary.ARTICLES[reader:word(at + 1) or ""] and at + 2 or at + 1
  return MACHINES[reader:word(further) or ""] and not reader:is_cut(further) and further + 1 - at or nil
end

--- "Buy an 8xH100 server for 280k": what all of it costs to buy, where renting stands beside it.
function money.read_bought(reader, value, text)
  local currency_behind = currency(reader:word(1)) ~= nil
  local is_sum = reader.list[reader.at].scale == "k" or currency_behind or reader:word(-1) == "$"
  local at = currency_behind and 2 or 1
  local of_machine = machine_behind(reader, at)
  if not is_sum or value < LEAST_BOUGHT or not (BOUGHT_FOR[reader:word(-1) or ""] or of_machine) or not mentions.any(reader.text, BUYS) then return nil end
  if not reader.text:lower():find("%f[%a]rent") then return nil end
  if of_machine then return reader:say("buy_usd", value * (currency(reader:word(1)) or 1), text) and at + of_machine end
  if reader:per(at) or NOUNS[reader:word(at) or ""] then return nil end
  return reader:say("buy_usd", value * (currency(reader:word(1)) or 1), text) and at
end

--- Whether the number at the reader's place is what a device costs that is bought: "30000 USD to buy".
function money.is_bought(reader)
  local at = currency(reader:word(1)) and 2 or 1
  if reader:word(at) == "each" then at = at + 1 end
  return not reader:is_cut(at) and reader:word(at) == "to" and BOUGHT[reader:word(at + 1) or ""] == true
end

-- Whether more than anybody asks of a device is what so many cost: "8xH100 at $20/h".
local function is_of_all(reader, value)
  local f = reader.facts
  local known = f.device and (f.devices or 1) > 1 and prices_known.all(f.device) or {}
  return known[1] ~= nil and value > known[#known].usd_h and not prices.unlike(f.device, value / f.devices)
end

-- A sum behind "at" that is what an hour of the device costs somewhere: "64 H100 at $2.2 each".
local function is_of_hour(reader, value, before)
  local device = (before == "at" or before == "@") and reader.facts.device
  return device and prices_known.all(device)[1] and not prices.unlike(device, value) and not reader.facts.usd_h
end

-- Words between an API and its price.
local TO_API <const> = tables.set({ "$", "at", "@", "for", "costs", "cost", "costing", "of", "is", "price", "with", "=" })

local function api_before(reader)
  local offset = -1
  while TO_API[reader:word(offset) or ""] do offset = offset - 1 end
  return reader:word(offset) == "api" and not reader:is_cut(offset + 1)
end

--- Money: of a run, by the month, by the hour; that of a bill may come down to another or by one.
function money.read_money(reader, value, text, at)
  local of_tokens = read_api(reader, value, text, at)
  if of_tokens then return of_tokens end
  -- "Against a $0.3 API", "an API at $0.6": APIs are sold by the million of tokens.
  local of_api = value <= MOST_MTOK and (reader:word(at) == "api" and 1 or api_before(reader) and not reader:per(at) and 0)
  if of_api then
    reader:note(("%s USD of an API are read as those of a million tokens (assumption)."):format(text))
    return reader:say("usd_mtok", value, text) and at + of_api
  end
  local of_energy = reader:is_per(at) and KWH[reader:word(at + 1) or ""]
  if of_energy then return reader:say("usd_kwh", value / of_energy, text) and at + 2 end
  local seconds, used = reader:per(at)
  local of_hour = reader:is_per(at) and (reader:word(at + 1) or ""):match("^(.+)%-hours?$")
  if of_hour and (NOUNS[of_hour] == "devices" or devices.resolve(of_hour)) then
    seconds, used = TIMES.hour, 2 -- "2 USD per GPU-hour"
  elseif not seconds and reader:per_device(at) then
    at = at + reader:per_device(at)
    seconds, used = reader:per(at)
    -- "1,460 USD per GPU per month" is a price, and no sum.
    if seconds and seconds > TIMES.hour then return reader:say("usd_h", value * TIMES.hour / seconds, text) and at + used end
    if not seconds and TIMES[reader:word(at) or ""] then seconds, used = TIMES[reader:word(at)], 1 end -- "per GPU hour"
  end
  local before = reader:word(-1)
  if currency(before) then before = reader:word(-2) end
  -- "3.90 USD x 730 h" is the price of an hour.
  if reader:word(at) == "x" and reader:number(at + 1) and TIMES[reader:word(at + 2) or ""] == TIMES.hour then
    reader:say("usd_h", value, text)
    return at + 3
  end
  local of_nodes, each = nodes_of_price(reader, at, seconds, used)
  if of_nodes then
    reader:note(("%s an hour is that of a node of %d devices%s."):format(units.format(value, "USD"), each or vocabulary.NODE_SIZE,
      each and "" or " (assumption)"))
    return reader:say("usd_h", value / (each or vocabulary.NODE_SIZE), text) and at + of_nodes
  end
  if seconds == TIMES.hour then
    local is_each = of_hour or reader:per_device(at + used) or reader:word(at + used) == "each"
    local machine = not is_each and (machine_before(reader) or is_of_all(reader, value) and reader.facts.devices)
    if machine then
      reader:note(("%s an hour are those of %d devices together (assumption)."):format(units.format(value, "USD"), machine))
    end
    reader:say("usd_h", value / (machine or 1), text)
    return at + used
  elseif not seconds and reader.facts.budget_usd_month and CUT_TO[before or ""] then
    -- "$1M a year down to $600k": of a year, too.
    reader:say("target_usd_month", value / (reader.of_year and 12 or 1), text)
    return at
  end
  local month = seconds and value * TIMES.month / seconds
  if seconds == TIMES.year then month = value / 12 end
  if month and SAVED[before or ""] then
    reader:say("saved_usd_month", month, text)
  elseif month and reader.facts.budget_usd_month and CUT_TO[before or ""] then
    reader:say("target_usd_month", month, text)
  elseif month then
    reader.of_year = seconds == TIMES.year
    reader:say("budget_usd_month", month, text)
  elseif is_of_hour(reader, value, before) then
    reader:note(("%s of a %s are read as those of an hour (assumption)."):format(units.format(value, "USD"), reader.facts.device))
    reader:say("usd_h", value, text)
    return at
  else
    reader:say("cost_usd", value, text)
    return at
  end
  return at + used
end

-- "Inference cost of 13B": what costs, not how much. A letter B is a size, and other scales are behind "of" where no size is
-- said and no article makes a sum of it ("at a cost of 2M").
local COSTED <const> = tables.set({ "cost", "costs", "price", "pricing" })

local function is_size_of_cost(reader)
  local scale, facts = reader.list[reader.at].scale, reader.facts
  if facts.params or facts.model or not SIZES[scale] then return false end
  if scale == "b" then return reader:named(COSTED) ~= nil end
  return reader:word(-1) == "of" and COSTED[reader:word(-2) or ""] and not vocabulary.ARTICLES[reader:word(-3) or ""]
end

--- Whether the number at the reader's place is money though no currency is said: a word of money stands right before it, or
-- somewhere before and nothing is counted.
function money.is_money(reader, at)
  if is_size_of_cost(reader) then return false end
  -- "0.2 USD per million input tokens and 0.6 per million output tokens".
  if (reader.api_prices or reader.facts.usd_mtok) and per_million_tokens(reader, at) then return true end
  if reader:named(vocabulary.MONEY) or reader.facts.budget_usd_month and CUT_TO[reader:word(-1) or ""] then
    return true
  end
  local seconds = reader:per(at)
  if seconds == TIMES.hour and reader:word(-1) == "at" then return true end -- "H100 at 2.10/h"
  -- "2.5/gpu-hr": nothing else comes by the hour of a device.
  local unit = reader:is_per(at) and not reader:is_cut(at + 1) and (reader:word(at + 1) or ""):match("^(.+)%-hours?$")
  if unit and (NOUNS[unit] == "devices" or devices.resolve(unit)) then return true end
  return seconds ~= nil and seconds >= TIMES.week and reader.is_about_money
end

--- The sum at the reader's place, where it is one: US dollars, and what it takes.
function money.read_sum(reader, value, text)
  local before = not reader:is_cut(0) and reader.at > reader.free and currency(reader:word(-1)) or nil
  local behind = not reader:is_cut(1) and currency(reader:word(1)) or nil
  if reader:word(1) == "$" and reader:number(2) then behind = nil end -- that of the next
  local rate = before or behind
  if not rate then return nil end
  if rate ~= 1 and rate ~= CENT then
    local name = (before and reader:word(-1) or reader:word(1)):upper()
    reader:note(("%s %s are %s at %g USD each, a mean of 2025 (assumption)."):format(text, name, units.format(value * rate, "USD"), rate))
  end
  local at = behind and 2 or 1
  local further = not reader:is_cut(at) and reader:word(at)
  if further == "usd" or further == "dollars" or further == "$" and not reader:number(at + 1) then at = at + 1 end
  return money.read_money(reader, value * rate, text, at)
end

--- "Train 7B for 100k, H100": a sum, where nothing is counted.
function money.is_sum_for(reader, token)
  local last = reader.list[reader.at + 1]
  return reader:word(-1) == "for" and (token.scale == "k" or token.scale == "m") and (not last or last.is_cut == true)
end

return money
