-- A quantity that a prompt wants, from the facts of its report: as one of them says it, or as it follows from device time,
-- prices and power.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local energy = require("ballpark.questions.ask.energy")
local errors = require("ballpark.errors")
local prices = require("ballpark.catalog.prices")
local units = require("ballpark.units")

local led = {}

local MONTH_S <const> = units.months(1)

-- A value as people read it, with its range.
local function shown(fact)
  local range = fact.range or nil
  return range and range.low and units.ranged(fact.value, range.low, range.high, fact.unit) or units.format(fact.value, fact.unit)
end

-- Facts that are words: the best lever, and that nobody is within the SLO.
local TEXTS <const> = { best_lever = true, within = true }

-- The facts of a report by name, the first of each.
local function facts_of(r, first)
  local facts = {}
  for i = first, #r.blocks do
    for _, item in ipairs(r.blocks[i].kind == "facts" and r.blocks[i].items or {}) do
      if not item.bundle and facts[item.name] == nil and (type(item.value) == "number" or TEXTS[item.name]) then facts[item.name] = item end
    end
  end
  return facts
end

-- The first of names that is a fact.
local function first_of(facts, names)
  for _, name in ipairs(names) do
    if facts[name] then return facts[name] end
  end
end

-- What the devices are, how many, and what an hour of one costs; nil where nobody knows.
local function system_of(facts, known)
  local device = known.device and errors.try(catalog.device, known.device)
  if not device then return nil end
  local counted = facts.devices or facts.replicas
  return { device = device, count = counted and counted.value or known.devices or 1, usd_h = known.usd_h or prices.get(device.name) }
end

-- Device time of what is done once; nil of what always runs.
local function work_s(facts, system)
  if facts.run_s then return facts.device_s and facts.device_s.value or facts.run_s.value * system.count end
  if facts.prompts and facts.time_s then return facts.time_s.value * system.count end
  if facts.audio_s and facts.time_s and not facts.devices then return facts.time_s.value end -- of one device
end

-- Whether devices are there all the time.
local function always_runs(facts) return (facts.cost_usd_month or facts.usd_per_mtok or facts.need_bytes or facts.audio_s and facts.devices) ~= nil end

-- What device time costs, in words; nil where no price is known.
local function cost_of(system, device_s)
  local usd = system.usd_h and device_s and device_s / 3600 * system.usd_h
  return usd and ("%s for %s of %s"):format(units.format(usd, "USD"), units.format(device_s, "device s"), system.device.name)
end

-- What all devices cost that are there for so long, in words.
local function cost_of_all(system, facts, seconds, per)
  local usd = system and system.usd_h and always_runs(facts) and system.count * seconds / 3600 * system.usd_h
  return usd and ("%s %s for %d x %s all the time"):format(units.format(usd, "USD"), per, system.count, system.device.name)
end

-- Energy that devices draw with what is around them, in J, and whether it is that of a month; nil where a board has no limit.
local function energy_of(facts, system)
  if facts.energy_j then return facts.energy_j.value, false end
  local power = system and energy.power_w(system.device, system.count)
  local once = power and work_s(facts, system)
  if once then return power / system.count * once, false end
  if power and always_runs(facts) then return power * MONTH_S, true end
end

-- CO2 of what is drawn from the net, with the range of nets, or of the one that is said.
local function carbon_of(kwh, known)
  local grid = energy.grid(known)
  if grid.low == grid.high then return units.format(kwh * grid.value, "kg") end
  return units.ranged(kwh * grid.value, kwh * grid.low, kwh * grid.high, "kg")
end

-- Energy of a million tokens with what is around the boards; nil where nobody knows that of one.
local function kwh_of_million(facts)
  return facts.token_j and facts.token_j.value * 1e6 * energy.SERVER_RATIO * core.usual_pue / 3.6e6
end

local QUANTITIES <const> = {
  saving = function(facts) return facts.best_lever and ("most is saved by %s"):format((facts.best_lever.value:gsub(": saves (.-);", ", %1;"))) end,
  money_token = function(facts, known)
    local month, rate = facts.cost_usd_month, facts.rate_per_s
    if facts.usd_per_mtok then return ("%s per million tokens of output"):format(shown(facts.usd_per_mtok)) end
    local each = rate and known.input_tokens and known.output_tokens and known.input_tokens + known.output_tokens
    return month and each and ("%s per million tokens of prompts and answers"):format(units.format(month.value / MONTH_S / rate.value / each * 1e6, "USD"))
  end,
  money_request = function(facts, known)
    local tokens, month, rate = facts.usd_per_mtok, facts.cost_usd_month, facts.rate_per_s
    if month and rate then return ("%s per thousand requests"):format(units.format(month.value / MONTH_S / rate.value * 1e3, "USD")) end
    return tokens and known.output_tokens and ("%s per thousand requests when full"):format(units.format(tokens.value * known.output_tokens / 1e3, "USD"))
  end,
  money_image = function(facts, known)
    local thousand, month, rate = facts.usd_per_thousand, facts.cost_usd_month, known.rate_per_s
    local usd = month and rate and month.value / MONTH_S / rate or thousand and thousand.value / 1e3
    return usd and ("%s an image"):format(units.format(usd, "USD"))
  end,
  money_month = function(facts, known)
    local month, system = facts.cost_usd_month or facts.usd_month, system_of(facts, known)
    if month then return ("%s a month"):format(shown(month)) end
    return system and (cost_of(system, work_s(facts, system)) or cost_of_all(system, facts, MONTH_S, "a month"))
  end,
  money_year = function(facts, known)
    local month = facts.cost_usd_month or facts.usd_month
    if month then return ("%s a year"):format(units.format(12 * month.value, "USD")) end
    return cost_of_all(system_of(facts, known), facts, units.years(1), "a year")
  end,
  latency = function(facts)
    for _, row in ipairs({ { "asked_", "" }, { "alone_", " for one client" }, { "seen_", "" } }) do
      local first, each, whole = facts[row[1] .. "ttft_s"], facts[row[1] .. "tpot_s"], facts[row[1] .. "e2e_s"]
      if each then
        return ("TPOT %s%s%s%s"):format(shown(each), first and ", TTFT " .. shown(first) or "", whole and ", an answer " .. shown(whole) or "", row[2])
      end
    end
    return facts.generation_tok_s and ("TPOT %s"):format(units.format(1 / facts.generation_tok_s.value, "s"))
  end,
  device_hours = function(facts, known)
    local system = system_of(facts, known)
    local work = system and work_s(facts, system) or facts.run_s and facts.device_s and facts.device_s.value
    return work and units.format(work, "device s")
  end,
  money = function(facts, known)
    local said, system = first_of(facts, { "cost_usd", "cost", "usd", "cost_usd_month" }), system_of(facts, known)
    if said then return shown(said) .. (said.name == "cost_usd_month" and " a month" or "") end
    return system and cost_of(system, work_s(facts, system))
      or facts.usd_per_mtok and ("%s per million tokens of output"):format(shown(facts.usd_per_mtok))
  end,
  energy_each = function(facts)
    local kwh = kwh_of_million(facts)
    return kwh and ("%s a token; %s kWh per million tokens with servers and cooling"):format(shown(facts.token_j), units.format(kwh))
  end,
  energy = function(facts, known)
    local system = system_of(facts, known)
    local joule, of_month = energy_of(facts, system)
    if not joule then return facts.power_w and ("%s at most"):format(shown(facts.power_w)) end
    if facts.energy_j then return ("%s%s"):format(facts.power_w and shown(facts.power_w) .. ", " or "", shown(facts.energy_j)) end
    return ("%s of %d x %s with what is around them at most, %s%s"):format(units.format(energy.power_w(system.device, system.count), "W"), system.count,
      system.device.name, units.format(joule, "J"), of_month and " a month" or " in all")
  end,
  carbon_each = function(facts, known)
    local kwh = kwh_of_million(facts)
    return kwh and ("%s of CO2 per million tokens of output when full, with servers and cooling"):format(carbon_of(kwh, known))
  end,
  -- At most so many come that each is answered within the SLO, where one is said.
  rate = function(facts)
    if facts.within then return "no request a second within the SLO, which not even one client sees" end
    local within = facts.within_requests_per_s
    local mean, peak = facts.rate_per_s, facts.peak_per_s
    if mean and peak and not within then return ("%s requests a second in the mean, %s at the peak"):format(units.format(mean.value, ""), units.format(peak.value, "")) end
    local rate = within or facts.capacity_per_s
    return rate and ("%s requests a second at most%s"):format(units.format(rate.value, ""), within and " within the SLO" or "")
  end,
  carbon = function(facts, known)
    local joule, of_month = energy_of(facts, system_of(facts, known))
    local kwh = joule and joule / 3.6e6
    return kwh and ("%s of CO2%s, at most: %s kWh of a net with %.2g kg a kWh"):format(carbon_of(kwh, known), of_month and " a month" or "",
      units.format(kwh), energy.grid(known).value)
  end,
  time = function(facts)
    local said = first_of(facts, { "run_s", "alone_e2e_s" })
    if not said and facts.prompt_s then return ("the first token after %s"):format(shown(facts.prompt_s)) end
    return said and shown(said) .. (said.name == "alone_e2e_s" and " for an answer to one client" or "")
  end,
  memory = function(facts)
    local said = first_of(facts, { "total_bytes", "need_bytes", "memory_bytes" })
    return said and ("%s of memory a device"):format(shown(said))
  end,
  speed = function(facts)
    local said = first_of(facts, { "tokens_per_s", "generation_tok_s", "full_tok_s" })
    return said and shown(said)
  end,
  wait = function(facts) return facts.wait_s and ("a job waits %s in the mean"):format(shown(facts.wait_s)) end,
  share = function(facts, known)
    local there = known.own_devices
    if facts.sustained and there then return ("%s of the devices busy"):format(units.format(facts.sustained.value / there, "frac")) end
    return facts.mfu_frac and ("%s of the peak, the MFU"):format(shown(facts.mfu_frac))
  end,
}

--- A quantity in words, from the blocks of a result from `first` on; nil where they have it not and it does not follow.
---@param r ballpark.result
---@param first integer
---@param name string of wanted.lua
---@param known table facts, with what was proposed
---@return string|nil
function led.of(r, first, name, known)
  return QUANTITIES[name] and QUANTITIES[name](facts_of(r, first), known) or nil
end

return led
