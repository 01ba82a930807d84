-- Whether two outputs are the same: texts equal, numbers but for the last digits, where C libraries differ.
local same = {}

local LAST_DIGITS = 1e-9

-- A line as its text with every number replaced, and the numbers.
local function taken_apart(line)
  local numbers = {}
  local text = line:gsub("%-?%d[%d,]*%.?%d*[eE]?[+-]?%d*", function(number)
    local value = tonumber((number:gsub(",", "")))
    if not value then return nil end
    numbers[#numbers + 1] = value
    return "#"
  end)
  return text, numbers
end

local function same_line(wanted, got)
  if wanted == got then return true end
  local text_a, a = taken_apart(wanted)
  local text_b, b = taken_apart(got)
  if text_a ~= text_b or #a ~= #b then return false end
  for i = 1, #a do
    if math.abs(a[i] - b[i]) > LAST_DIGITS * math.max(math.abs(a[i]), math.abs(b[i])) then return false end
  end
  return true
end

local function lines(text)
  local list = {}
  for line in (text .. "\n"):gmatch("(.-)\n") do list[#list + 1] = line end
  return list
end

--- The first lines that differ, for people; nil where none does.
function same.difference(wanted, got)
  local a, b, found = lines(wanted), lines(got), {}
  for i = 1, math.max(#a, #b) do
    if not same_line(a[i] or "", b[i] or "") or (a[i] == nil) ~= (b[i] == nil) then
      found[#found + 1] = ("  line %d\n  - %s\n  + %s"):format(i, a[i] or "(nothing)", b[i] or "(nothing)")
    end
    if #found == 5 then break end
  end
  return #found > 0 and table.concat(found, "\n") or nil
end

return same
