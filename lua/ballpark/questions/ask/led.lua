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

-- The facts of a report by name, the first of each.
local function facts_of(r, first)
  local facts = {}
  for i = first, #r.blocks do
    for _, item in ipairs(r.blocks[i].kind == "facts" and r.blocks[i].items or {}) do
      if not item.bundle and facts[item.name] == nil and (type(item.value) == "number" or item.name == "best_lever") then facts[item.name] = item end
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
  local count = facts.devices and facts.devices.value or known.devices or 1
  return { device = device, count = count, usd_h = known.usd_h or prices.get(device.name) }
end

local function cost_of(system, seconds)
  return system and system.usd_h and units.format(system.count * seconds / 3600 * system.usd_h, "USD")
end

-- All that devices draw with their servers and cooling, in W; nil where a board has no limit.
local function power_of(system)
  return system and system.device.tdp_w and system.count * system.device.tdp_w * energy.SERVER_RATIO * core.usual_pue
end

-- How long what is asked takes; nil of a service.
local function seconds_of(facts) return first_of(facts, { "run_s", "time_s" }) end

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
  money_month = function(facts, known)
    if facts.cost_usd_month then return ("%s a month"):format(shown(facts.cost_usd_month)) end
    local system = system_of(facts, known)
    if seconds_of(facts) then -- so much work a month
      local usd = cost_of(system, seconds_of(facts).value)
      return usd and ("%s for %s of %s"):format(usd, units.format(system.count * seconds_of(facts).value, "device s"), system.device.name)
    end
    local usd = cost_of(system, MONTH_S)
    return usd and ("%s a month for %d x %s all the time"):format(usd, system.count, system.device.name)
  end,
  money_year = function(facts, known)
    if facts.cost_usd_month then return ("%s a year"):format(units.format(12 * facts.cost_usd_month.value, "USD")) end
    local system = system_of(facts, known)
    local usd = not seconds_of(facts) and cost_of(system, units.years(1))
    return usd and ("%s a year for %d x %s all the time"):format(usd, system.count, system.device.name)
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
  device_hours = function(facts) return facts.device_s and units.format(facts.device_s.value, "device s") end,
  money = function(facts, known)
    local said = first_of(facts, { "cost_usd", "cost", "cost_usd_month" })
    if said then return shown(said) .. (said.name == "cost_usd_month" and " a month" or "") end
    local system, seconds = system_of(facts, known), seconds_of(facts)
    local usd = seconds and cost_of(system, seconds.value)
    if usd then return ("%s for %s of %s"):format(usd, units.format(system.count * seconds.value, "device s"), system.device.name) end
    return facts.usd_per_mtok and ("%s per million tokens of output"):format(shown(facts.usd_per_mtok))
  end,
  energy_each = function(facts) return facts.token_j and ("%s a token"):format(shown(facts.token_j)) end,
  energy = function(facts, known)
    if facts.energy_j then return ("%s%s"):format(facts.power_w and shown(facts.power_w) .. ", " or "", shown(facts.energy_j)) end
    local system, seconds = system_of(facts, known), seconds_of(facts)
    local power = power_of(system)
    if not power then return facts.power_w and ("%s at most"):format(shown(facts.power_w)) end
    return ("%s of %d x %s with their servers at most, %s%s"):format(units.format(power, "W"), system.count, system.device.name,
      units.format(power * (seconds and seconds.value or MONTH_S), "J"), seconds and " in that time" or " a month")
  end,
  carbon = function(facts, known)
    local seconds, grid = seconds_of(facts), energy.GRID_KG_KWH
    local power = power_of(system_of(facts, known))
    local kwh = facts.energy_j and facts.energy_j.value / 3.6e6 or power and power * (seconds and seconds.value or MONTH_S) / 3.6e6
    return kwh and ("%s of CO2%s, at most: %s kWh of a net with %.2g kg a kWh"):format(units.ranged(kwh * grid.value, kwh * grid.low, kwh * grid.high, "kg"),
      seconds and "" or " a month", units.format(kwh), grid.value)
  end,
  time = function(facts)
    local said = first_of(facts, { "run_s", "time_s", "alone_e2e_s" })
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
  share = function(facts) return facts.mfu_frac and ("%s of the peak, the MFU"):format(shown(facts.mfu_frac)) end,
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
