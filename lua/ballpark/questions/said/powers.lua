-- Numbers with an exponent as people write them.
local powers = {}

-- Raised digits and what they are written as here: one byte that no text has.
local RAISED <const> = { ["⁰"] = "\x10", ["¹"] = "\x11", ["²"] = "\x12", ["³"] = "\x13", ["⁴"] = "\x14", ["⁵"] = "\x15",
  ["⁶"] = "\x16", ["⁷"] = "\x17", ["⁸"] = "\x18", ["⁹"] = "\x19", ["⁻"] = "\x1d" }

--- A text with "3.5 x 10^8", "10^12", "10**7", "10⁹" and "2^20" as one number each: an exponent by itself counts nothing.
---@param text string
---@return string
function powers.plain(text)
  text = text:gsub("[\x10-\x1d]", " ")
  for sign, byte in pairs(RAISED) do text = text:gsub(sign, byte) end
  text = text:gsub("(%d)x10([%^%*\x10-\x1d])", "%1*10%2")
  text = text:gsub("%f[%w%.]10([\x10-\x1d]+)", function(raised)
    return "10^" .. raised:gsub(".", function(byte) return string.char(byte:byte() + 0x20) end)
  end):gsub("[\x10-\x1d]", "")
  text = text:gsub("%*%*", "^"):gsub("%f[%w%.]10%s?%^%s?{?(%-?%d+)}?", "10^%1")
  text = text:gsub("%f[%w%.]2%s?%^%s?{?(%d%d?)}?%f[^%w]", function(exponent) return ("%.0f"):format(2 ^ tonumber(exponent)) end)
  text = text:gsub("·", "*"):gsub("%f[%w%.](%d[%d%.,]*)%s*[x%*]%s*10%^(%-?%d+)", "%1e%2")
  return (text:gsub("%f[%w%.]10%^(%-?%d+)", "1e%1"))
end

return powers
