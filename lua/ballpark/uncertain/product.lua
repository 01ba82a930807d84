-- The 80 % range of a product of quantities that are known within ranges of their own, taken as independent and
-- lognormal: widths add up in squares, without draws. What is widest drives the range. What is no product, or where terms
-- are not independent, is drawn: ballpark.uncertain.draws.
local product = {}

-- Half widths of a term in logarithms, below and above; a term with a negative power turns around.
local function widths(term)
  local down = term.low and math.log(term.value / term.low) or 0
  local up = term.high and math.log(term.high / term.value) or 0
  if (term.power or 1) < 0 then return up * -term.power, down * -term.power end
  return down * (term.power or 1), up * (term.power or 1)
end

-- What widens a term: itself, or what the term's own range comes from.
local function add_drivers(list, term, width)
  local own = term.drivers and term.drivers[1] and term.drivers or { { name = term.name, share = 1 } }
  for _, driver in ipairs(own) do
    local known
    for _, other in ipairs(list) do known = known or other.name == driver.name and other end
    if known then
      known.width = known.width + width * driver.share
    else
      list[#list + 1] = { name = driver.name, width = width * driver.share }
    end
  end
end

--- The range of `value`, a product of terms: { low, high, drivers = { name, share } widest first }; nil where none of them
--- has a range. A term that is such a product brings the drivers of its own.
---@param value number
---@param terms table[] each { name, value, low, high, power, drivers }
---@return {low: number, high: number, drivers: table[]}|nil
function product.range(value, terms)
  local down2, up2, drivers = 0, 0, {}
  for _, term in ipairs(terms) do
    local down, up = widths(term)
    down2, up2 = down2 + down * down, up2 + up * up
    if down + up > 0 then add_drivers(drivers, term, (down + up) ^ 2) end
  end
  if #drivers == 0 or not (value > 0) then return nil end
  local all = 0
  for _, driver in ipairs(drivers) do all = all + driver.width end
  for _, driver in ipairs(drivers) do driver.share, driver.width = driver.width / all, nil end
  table.sort(drivers, function(a, b)
    if a.share ~= b.share then return a.share > b.share end
    return a.name < b.name
  end)
  return { low = value * math.exp(-math.sqrt(down2)), high = value * math.exp(math.sqrt(up2)), drivers = drivers }
end

return product
