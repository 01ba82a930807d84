-- Whether a prompt asks what devices draw from the net.
local mentions = require("ballpark.mentions")
local tables = require("ballpark.tables")

local energy = {}

local WORDS <const> = mentions.whole({ "energy", "power", "electricity", "kwh", "mwh", "carbon", "co2", "watts" })

--- The fact that says so; nobody has to give it.
energy.fact = { "energy", "Is energy asked?", type = "string", title = "Energy" }

--- The facts, with that one where the text asks.
---@param given table<string, any>
---@param text string
function energy.given(given, text)
  return mentions.any(text, WORDS) and tables.with(given, { energy = "asked" }) or given
end

return energy
