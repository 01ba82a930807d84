-- Numbers of carbon: what a kWh of the net stands for.
local tables = require("ballpark.tables")

local carbon = {}

-- Kilograms of a unit by the word for it, which may have what is weighed in it: "gCO2e".
local KG <const> = { g = 1e-3, grams = 1e-3, gram = 1e-3, gr = 1e-3, kg = 1, kgs = 1, kilograms = 1, kilogram = 1, kilos = 1, kilo = 1, t = 1000, tonnes = 1000, tons = 1000 }
local KWH <const> = { kwh = 1, ["kilowatt-hour"] = 1, mwh = 1000 }
-- What is weighed, and words around it: "grams of CO2 equivalent".
local WEIGHED <const> = tables.set({ "of", "co2", "co2e", "co2eq", "co2-eq", "co2-e", "carbon", "eq", "equivalent", "equivalents", "emissions", "emitted" })

local function kg_of(word)
  return KG[word] or KG[(word:match("^(k?g)co2[%a%-]*$"))]
end

--- "400 g CO2/kWh", "0.2 kg per kWh": kilograms of CO2 of a kWh; how many tokens.
function carbon.read_intensity(reader, value, text)
  local word = not reader:is_cut(1) and reader:word(1)
  local kg = word and kg_of(word)
  if not kg then return nil end
  local at = 2
  while not reader:is_cut(at) and WEIGHED[reader:word(at) or ""] do at = at + 1 end
  local kwh = reader:is_per_each(at) and KWH[reader:word(at + 1) or ""]
  return kwh and reader:say("grid_kg_kwh", value * kg / kwh, text) and at + 2
end

return carbon
