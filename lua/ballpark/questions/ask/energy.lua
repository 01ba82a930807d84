-- Whether a prompt asks what devices draw from the net.
local core = require("ballpark.core")
local mentions = require("ballpark.mentions")
local prices = require("ballpark.catalog.prices")
local tables = require("ballpark.tables")

local energy = {}

local WORDS <const> = mentions.whole({ "energy", "power", "electricity", "kwh", "mwh", "mw", "kw", "megawatts?", "kilowatts?", "carbon", "emissions", "watts" })
local OF_CARBON <const> = { "%f[%a]carbon%f[%A]", "%f[%w]co2%f[%W]", "%f[%a]emissions?%f[%A]" }
table.move(OF_CARBON, 1, #OF_CARBON, #WORDS + 1, WORDS)

--- Kilograms of CO2 that a kWh of the net stands for: the mean of the world, from nets of water and nuclear power to those of coal
--- (Ember, Global Electricity Review 2024: 0.48 in 2023; IPCC 2014 for the ends; recalled).
local GRID_KG_KWH <const> = { value = 0.48, low = 0.03, high = 0.9, source = "the world's mean of 2023 (Ember, recalled); 0.03 to 0.9 by the net" }

--- What a server draws over its boards: data sheets give up to 1.8 to 2 at their limits, recalled.
energy.SERVER_RATIO = 1.6

--- The same of a desktop around cards of one's own (assumption), which nothing but a room cools.
energy.DESKTOP_RATIO = 1.25

-- Cards that nobody rents stand in desktops, up to so many.
local MOST_DESKTOP <const> = 4

--- Whether so many of a device stand in a desktop of one's own.
---@param name string of the catalog
---@param count integer
function energy.is_own(name, count) return count <= MOST_DESKTOP and prices.get(name) == nil end

--- What devices draw with what is around them at most, in W; nil where a board has no limit.
---@param device ballpark.device
---@param count integer
---@return number|nil
function energy.power_w(device, count)
  if not device.tdp_w then return nil end
  local own = energy.is_own(device.name, count)
  return count * device.tdp_w * (own and energy.DESKTOP_RATIO or energy.SERVER_RATIO * core.usual_pue)
end

--- The fact that says so; nobody has to give it.
energy.fact = { "energy", "Is energy asked?", type = "string", title = "Energy" }

--- What a kWh of the net stands for, where somebody knows their net.
energy.grid_fact = { "grid_kg_kwh", "Kilograms of CO2 of a kWh?", unit = "kg", title = "CO2 of a kWh", from_zero = true }

--- Kilograms of CO2 of a kWh: { value, low, high, source }, those that are said, with their ends where a range is.
---@param f table facts
function energy.grid(f)
  local entry = f:entry("grid_kg_kwh")
  if not entry then return GRID_KG_KWH end
  return { value = entry.value, low = entry.low or entry.value, high = entry.high or entry.value, source = "the net, as it is said" }
end

--- The facts, with that one where the text asks.
---@param given table<string, any>
---@param text string
function energy.given(given, text)
  if not mentions.any(text, WORDS) then return given end
  return tables.with(given, { energy = mentions.any(text, OF_CARBON) and "carbon" or "asked" })
end

return energy
