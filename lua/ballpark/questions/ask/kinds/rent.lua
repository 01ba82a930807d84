-- Devices by the hour, whatever they do: rent for a time, power and electricity, and what the cards cost to buy.
local card_prices = require("ballpark.catalog.card_prices")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local energy = require("ballpark.questions.ask.energy")
local mentions = require("ballpark.mentions")
local page = require("ballpark.questions.ask.page")
local price_terms = require("ballpark.catalog.price_terms")
local prices = require("ballpark.catalog.prices")
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")
local paid_on = require("ballpark.questions.ask.paid_on")
local units = require("ballpark.units")

local n = page.n

local MONTH_S <const>, YEAR_S <const> = units.months(1), units.years(1)
local OWNED_S <const> = 3 * YEAR_S

-- Money for all of the time, whether it is said by the month or in all.
local function money(f)
  return f.cost_usd or f.budget_usd_month and f.budget_usd_month * f.time_s / MONTH_S
end

local function is_own(f)
  return f.device ~= nil and f.devices ~= nil and energy.is_own(catalog.device(f.device).name, f.devices)
end

-- Share of the time that they are used, and draw power.
local function used(f) return f.utilization_frac or 1 end

local function pue_of(f) return is_own(f) and 1 or core.usual_pue end

local rent = {
  name = "rent", title = "Devices by the hour", words = "Rent devices for a time: money, power, electricity",
  facts = {
    { "owned", "Is buying asked about?", type = "string", title = "Buying" },
    proposals.device("H100-SXM-80GB"),
    { "time_s", "For how long?", unit = "s", title = "Time", ask = 2, also = { "within_s", "horizon_s" },
      propose = function(f)
        if f.owned then return OWNED_S, "three years, over which what is bought is written off (assumption)" end
        return MONTH_S, "a month, as bills are written"
      end },
    { "utilization_frac", "For which share of the time are they used?", unit = "frac", title = "Used" },
    proposals.price,
    { "cost_usd", "What may it cost in all, in USD?", unit = "USD", title = "Budget" },
    { "budget_usd_month", "What may it cost a month, in USD?", unit = "USD", title = "Budget a month" },
    { "devices", "How many devices?", unit = "", type = "integer", title = "Devices", ask = 1, propose = function(f)
      local sum = money(f)
      if not (f.usd_h and sum) then return 1, "one, which others are so many times" end
      return math.max(1, math.floor(sum / (f.time_s / 3600 * f.usd_h))), "as many as the budget pays all the time", nil, nil, true
    end },
    -- At their limits a DGX A100 draws 6.5 kW and its boards 3.2, a DGX H100 10.2 and 5.6, a DGX B200 14.3 and 8 (data
    -- sheets of NVIDIA, recalled).
    { "host_ratio", "Power of a server over that of its boards?", unit = "", title = "Server over boards",
      propose = function(f)
        if is_own(f) then return energy.DESKTOP_RATIO, "a desktop around a card of one's own (assumption)", 1.1, 1.5 end
        return energy.SERVER_RATIO, "servers with their processors, fans and network: data sheets give up to 1.8 to 2, recalled", 1.3, 2
      end },
    { "usd_kwh", "USD of a kWh?", unit = "USD", title = "Price of a kWh",
      propose = proposals.constant(0.12, "industry pays 0.06 to 0.20, households up to 0.40 (assumption)", 0.06, 0.4) },
    energy.fact, energy.grid_fact,
    { "spare_frac", "Which share more of them is spare, counted among the devices?", unit = "frac", above_one = true, title = "Spare among them" },
    { "rack_w", "Power of a rack?", unit = "W", title = "Power of a rack", propose = function(f)
      if f.racks then return 40e3, "four servers of eight such devices, as air cools them; 15 to 130 kW are built (assumption)", 15e3, 130e3 end
    end },
    { "terms", "Are other terms of price asked?", type = "string", title = "Terms" },
    { "buy_usd", "What do they cost to buy, in USD?", unit = "USD", title = "To buy" },
    { "racks", "Are racks asked?", type = "string", title = "Racks" },
  },
}

-- Words by which racks are asked about.
local RACKS <const>, TERMS <const> = { "%f[%a]racks?%f[%A]" }, { "reserved", "on[%- ]demand", "%f[%a]commit" }

-- Words of a commitment, of years, and of three of them.
local COMMITS <const>, YEARS <const>, THREE_YEARS <const> = { "reserved", "%f[%a]commit" }, { "%f[%a]years?%f[%A]", "%f[%a]yrs?%f[%A]", "%f[%a]annual" }, { "3[- ]?ye?a?rs?%f[%A]", "three[- ]years?" }

-- Words by which buying is asked about.
local BUYS <const> = { "%f[%a]buy%f[%A]", "%f[%a]buying%f[%A]", "%f[%a]purchas", "%f[%a]ownership%f[%A]", "%f[%a]owning%f[%A]" }

-- Words of a year.
local YEARLY <const> = { "%f[%a]yearly%f[%A]", "%f[%a]annual", "per year", "a year", "/year" }

-- What rounding leaves is no device.
local ROUNDING <const> = 1e-9

function rent.given(given, _, text)
  local hours = not given.utilization_frac and tonumber((text or ""):lower():match("(%d+%.?%d*) ?h[ours]* ?[ap/][er]* ?day"))
  if hours and hours > 0 and hours <= 24 then given = tables.with(given, { utilization_frac = hours / 24 }) end
  local terms = mentions.any(text, TERMS) and (mentions.any(text, COMMITS) and mentions.any(text, THREE_YEARS) and "reserved_3y" or "reserved") or nil
  local is_open = not (given.time_s or given.horizon_s or given.cost_usd or given.budget_usd_month)
  if is_open and mentions.any(text, COMMITS) and mentions.any(text, YEARS) then
    given = tables.with(given, { time_s = units.years(price_terms.get(terms, "terms").years) })
  end
  if not given.time_s and not given.horizon_s and mentions.any(text, YEARLY) then given = tables.with(given, { time_s = YEAR_S }) end
  if given.spare_frac and given.devices then -- whole devices more
    given = tables.with(given, { devices = math.ceil(given.devices * (1 + given.spare_frac) - ROUNDING) })
  end
  given = energy.given(given, text)
  if mentions.any(text, RACKS) then given = tables.with(given, { racks = "asked", energy = given.energy or "asked" }) end
  if terms then given = tables.with(given, { terms = terms }) end
  return mentions.any(text, BUYS) and tables.with(given, { owned = "asked" }) or given
end

-- A card that nobody rents is bought, and written off by the hour.
local function is_bought(f) return not f:is_given("usd_h") and prices.get(catalog.device(f.device).name) == nil end

-- Terms of price that commit.
local COMMITTED <const> = { "reserved", "reserved_3y" }

-- What the same devices cost on other terms, and at the cheapest provider.
local function levers(p, f, usd)
  local function pull(title, frac, costs)
    table.insert(p.levers, { title = title, saves_frac = 1 - frac, cost_usd_month = usd * frac * MONTH_S / f.time_s, costs = costs })
  end
  local least = prices.all(catalog.device(f.device).name)[1]
  if least and least.usd_h < f.usd_h and not f:is_given("usd_h") then
    pull(("at %s, %s"):format(least.provider, n(least.usd_h, "USD/h")), least.usd_h / f.usd_h, "what its network and support are; prices move")
  end
  local spot = price_terms.get("spot", "terms")
  pull("spot devices", spot.frac, spot.words)
  for _, name in ipairs(COMMITTED) do
    local frac = price_terms.committed(name, f.time_s)
    if frac < 1 then pull("devices " .. price_terms.get(name, "terms").words, frac, "they are paid when nothing runs") end
  end
  table.sort(p.levers, function(a, b) return a.saves_frac > b.saves_frac end)
end

-- What is owed where the devices are committed.
local function committed_words(f, usd)
  return paid_on.owed(tables.contains(COMMITTED, f.terms) and f.terms or "reserved", f.time_s, usd)
end

-- Rent by the hour, by the month and in all.
local function cost(p, f, device_s)
  if not f.usd_h then
    p.notes[#p.notes + 1] = ("No price of %s is known: say one, as '2 USD/h'."):format(f.device)
    return nil
  end
  local usd = device_s / 3600 * f.usd_h
  p:add("fleet", "usd_h_all", "An hour of all", f.devices * f.usd_h, "USD", ("%d x %s"):format(f.devices, n(f.usd_h, "USD/h")),
    { terms = { f:term("usd_h") } })
  p:add("fleet", "cost_usd_month", "A month", f.devices * f.usd_h * MONTH_S / 3600, "USD", ("%s of all of them"):format(n(MONTH_S, "s")),
    { terms = { f:term("usd_h") } })
  p:add("fleet", "cost", "Cost", usd, "USD", ("%s at %s"):format(n(device_s, "device s"), n(f.usd_h, "USD/h")),
    { brief = true, terms = { f:term("usd_h"), f:term("time_s") } })
  p:keep_budget(usd, f.cost_usd, "they cost %s")
  p:keep_budget(f.devices * f.usd_h * MONTH_S / 3600, f.budget_usd_month, "they cost %s a month")
  return usd
end

-- What every provider of the catalog asks.
local function asked_by_each(p, f)
  local each = {}
  for i, price in ipairs(prices.all(catalog.device(f.device).name)) do each[i] = ("%s %s"):format(price.provider, n(price.usd_h, "USD/h")) end
  if each[2] then p.notes[#p.notes + 1] = ("On demand: %s."):format(table.concat(each, ", ")) end
end

-- What they may cost to buy so that it is cheaper than to rent them while they are used: the rent, less the electricity that
-- an owner pays.
local function buying(p, f, usd)
  if not f.owned or not usd or is_bought(f) then return end
  local electricity = p.values.electricity_usd or 0
  local left = math.max(0, usd * used(f) - electricity)
  local month = left / f.time_s * MONTH_S
  if f.buy_usd and month > 0 then
    p:add("sanity", "even_s", "Bought is cheaper after", f.buy_usd / month * MONTH_S, "s", ("%s over %s a month: the rent for %s of the time, less electricity"):format(
      n(f.buy_usd, "USD"), n(month, "USD"), n(used(f), "frac")), { brief = true, terms = { f:term("usd_h", -1) } })
    p.headline = ("bought for %s they are cheaper than rented after %.3g months; %s"):format(n(f.buy_usd, "USD"), f.buy_usd / month, p.headline)
    return
  end
  p:add("sanity", "buy_below_usd", "Buying pays below", left, "USD", ("%s of rent for %s of the time, less %s of electricity; a room, repairs and who runs "
    .. "them are not counted"):format(n(usd * used(f), "USD"), n(used(f), "frac"), n(electricity, "USD")), { brief = true, terms = { f:term("usd_h") } })
  p.headline = ("buying pays below %s, %s a device: the rent for %s of %s, less electricity; %s"):format(p:said("buy_below_usd"),
    n(left / f.devices, "USD"), n(used(f), "frac"), n(f.time_s, "s"), p.headline)
end

-- Money first, or power where that is asked.
local function lead(p, f, usd)
  local rented = usd and ("%s an hour, %s for %s"):format(n(f.devices * f.usd_h, "USD"), p:said("cost"), n(f.time_s, "s"))
  local drawn = p.values.power_w and (f.energy and ("%s, %s and %s of electricity over %s"):format(p:said("power_w"), p:said("energy_j"),
    p:said("electricity_usd"), n(f.time_s, "s")) or p:said("power_w"))
  local parts = {}
  for _, part in ipairs(f.energy and { drawn or false, rented or false } or { rented or false, drawn or false }) do
    if part then parts[#parts + 1] = part end
  end
  local racks = p.values.racks and ("%.0f racks of %s, "):format(p.values.racks, n(f.rack_w, "W")) or ""
  p.headline = ("%d x %s: %s%s"):format(f.devices, catalog.device(f.device).name, racks, table.concat(parts, "; "))
  p.main = f.energy and p.values.power_w and "electricity_usd" or usd and "cost" or "power_w"
end

--- The five steps.
function rent.steps(p, f)
  local device = catalog.device(f.device)
  for _, name in ipairs({ "device", "spare_frac", "devices", "time_s", "utilization_frac", "usd_h", "host_ratio", "usd_kwh", "cost_usd", "budget_usd_month" }) do p:fact(f, name) end
  local device_s = f.devices * f.time_s
  p:add("size", "device_s", "Device time", device_s, "device s", ("%d x %s"):format(f.devices, n(f.time_s, "s")))
  p:add("size", "memory_bytes", "Memory of all", f.devices * device.memory_bytes, "B", ("%d x %s"):format(f.devices,
    n(device.memory_bytes, "B")))
  p:add("size", "flop_s", "Peak of all", f.devices * device.bf16_flop_s, "FLOP/s", ("%d x %s, dense, 16 bit"):format(f.devices,
    n(device.bf16_flop_s, "FLOP/s")))
  if device.tdp_w then
    local power = f.devices * device.tdp_w * f.host_ratio * pue_of(f)
    p:add("compute", "power_w", "Power", power, "W", ("%d x %s of a board x %.3g x PUE %.3g, all of them busy"):format(f.devices,
      n(device.tdp_w, "W"), f.host_ratio, pue_of(f)), { brief = true, terms = { f:term("host_ratio") } })
    p:add("compute", "energy_j", "Energy", power * f.time_s * used(f), "J", ("over %s%s"):format(n(f.time_s, "s"), used(f) < 1 and (", for %s of it"):format(n(used(f), "frac")) or ""), { brief = true,
      terms = { f:term("host_ratio"), f:term("time_s") } })
  end
  if f.racks and p.values.power_w then
    -- What the racks draw is the power without that of cooling.
    local drawn = p.values.power_w / pue_of(f)
    p:add("compute", "racks", "Racks", math.ceil(drawn / f.rack_w), "", ("%s of servers over %s of each"):format(n(drawn, "W"), n(f.rack_w, "W")), { brief = true })
  end
  local usd = cost(p, f, device_s)
  if p.values.energy_j then
    p:add("sanity", "electricity_usd", "Electricity", p.values.energy_j / 3.6e6 * f.usd_kwh, "USD", ("%s x %s a kWh%s"):format(
      n(p.values.energy_j, "J"), n(f.usd_kwh, "USD"), usd and not is_bought(f) and "; rents include it" or ""), { brief = true,
        terms = { f:term("host_ratio"), f:term("time_s"), f:term("usd_kwh") } })
  end
  local bought, source = card_prices.get(device.name)
  if bought then
    p:add("sanity", "bought_usd", "To buy the cards", f.devices * bought, "USD", ("%d x %s: %s"):format(f.devices, n(bought, "USD"), source),
      { brief = true })
  end
  if usd and not is_bought(f) then levers(p, f, usd) end
  asked_by_each(p, f)
  lead(p, f, usd)
  if f.terms and usd and not is_bought(f) then p.headline = ("%s; %s"):format(p.headline, committed_words(f, usd)) end
  buying(p, f, usd)
end

return rent
