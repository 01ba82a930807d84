-- What a card costs to buy: list prices of the vendors in USD when it was launched, all recalled. Shops ask less or
-- more, and used cards cost a half of it and less.
local card_prices = {}

local SOURCE <const> = "list price at its launch, recalled"

local USD <const> = {
  ["GTX-1060-6GB"] = 249, ["GTX-1070"] = 379, ["GTX-1080"] = 599, ["GTX-1080-Ti"] = 699,
  ["RTX-2060"] = 349, ["RTX-2070"] = 499, ["RTX-2080"] = 699, ["RTX-2080-Ti"] = 999,
  ["RTX-3060-12GB"] = 329, ["RTX-3060-Ti"] = 399, ["RTX-3070"] = 499, ["RTX-3070-Ti"] = 599, ["RTX-3080"] = 699,
  ["RTX-3080-Ti"] = 1199, ["RTX-3090"] = 1499, ["RTX-3090-Ti"] = 1999,
  ["RTX-4060"] = 299, ["RTX-4060-Ti-8GB"] = 399, ["RTX-4060-Ti-16GB"] = 499, ["RTX-4070"] = 599,
  ["RTX-4070-Super"] = 599, ["RTX-4070-Ti"] = 799, ["RTX-4070-Ti-Super"] = 799, ["RTX-4080"] = 1199,
  ["RTX-4080-Super"] = 999, ["RTX-4090"] = 1599,
  ["RTX-5050"] = 249, ["RTX-5060"] = 299, ["RTX-5060-Ti-8GB"] = 379, ["RTX-5060-Ti-16GB"] = 429, ["RTX-5070"] = 549,
  ["RTX-5070-Ti"] = 749, ["RTX-5080"] = 999, ["RTX-5090"] = 1999,
  ["RTX-A6000"] = 4649, ["RTX-6000-Ada"] = 6799,
  ["RX-6700-XT"] = 479, ["RX-6800"] = 579, ["RX-6800-XT"] = 649, ["RX-6900-XT"] = 999,
  ["RX-7600"] = 269, ["RX-7600-XT"] = 329, ["RX-7700-XT"] = 449, ["RX-7800-XT"] = 499, ["RX-7900-GRE"] = 549,
  ["RX-7900-XT"] = 899, ["RX-7900-XTX"] = 999, ["RX-9060-XT-8GB"] = 299, ["RX-9060-XT-16GB"] = 349, ["RX-9070"] = 549,
  ["RX-9070-XT"] = 599,
  ["Arc-A750"] = 289, ["Arc-A770-16GB"] = 349, ["Arc-B570"] = 219, ["Arc-B580"] = 249,
}

--- USD of a card and where the number is from; nil where none is known.
---@param device string catalog name
---@return number|nil usd
---@return string|nil source
function card_prices.get(device)
  if USD[device] then return USD[device], SOURCE end
end

-- Hours of three years, over which what is bought is written off (assumption).
local OWNED_H <const> = 3 * 8760

--- What an hour of a card costs that is bought and used for three years, and how; nil where no price is known.
---@param device string catalog name
---@return number|nil usd_h
---@return string|nil source
function card_prices.of_hour(device)
  local usd = USD[device]
  if not usd then return nil end
  return usd / OWNED_H, ("%d USD of the card at its launch over three years; without power and hosts"):format(usd)
end

--- Names of the devices with a price.
function card_prices.names() return require("ballpark.tables").sorted_keys(USD) end

return card_prices
