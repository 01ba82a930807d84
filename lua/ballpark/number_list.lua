-- Ranges of numbers: as a table {from =, to =, step =} or {from =, to =, times =} in a scenario, and as
-- the text 1..8, 0..100+25 or 16..128x2 on a command line.
local ranges = {}

--- The longest list that a range may stand for: more is a mistake in writing.
ranges.MOST = 100000

-- The rounding of sums and products that does not lose a last value.
local SLACK <const> = 1e-9

--- The numbers from `from` to `to`, which go up by `step` or are multiplied by `times`; nil where these do
--- not make a range, and where it is longer than ranges.MOST.
function ranges.list(from, to, step, times)
  local adds = math.type(step) and step > 0 and times == nil
  local multiplies = math.type(times) and times > 1 and step == nil and math.type(from) and from > 0
  local is_number = math.type(from) and math.type(to) and math.abs(from) < math.huge
  if not (is_number and from <= to and (adds or multiplies)) then return nil end
  local list, value, slack = {}, from, math.type(step or times) == "float" and SLACK * math.abs(to) or 0
  while value <= to + slack do
    if #list == ranges.MOST then return nil, true end
    list[#list + 1] = math.min(value, to)
    local after = adds and from + #list * step or value * times
    if after <= value then break end -- beyond what an integer holds
    value = after
  end
  return list
end

local function no_range(text)
  return "'" .. text .. "' is no range: write FROM..TO, FROM..TO+STEP or FROM..TOxFACTOR, as in 1..8 or 16..128x2"
end

-- A number with an end left open, which a path such as ../runs is not.
local function is_half(text) return text:find("^%-?%d[%d.e]*%.%.$") or text:find("^%.%.%-?%d") end

--- The numbers of a text such as 1..8 (every whole number), 0..100+25 or 16..128x2; nil where the text is
--- no range; nil and a sentence where it looks like one and is none.
function ranges.parse(text)
  local from, to, mark, by = text:match("^(%-?[%d.e]-%d)%.%.(%-?[%d.][%d.e]*)([x+]?)(.*)$")
  if not from then return nil, is_half(text) and no_range(text) or nil end
  by = mark == "" and by == "" and 1 or tonumber(by)
  if by then
    local list, too_long = ranges.list(math.tointeger(from) or tonumber(from), math.tointeger(to) or tonumber(to),
      mark ~= "x" and by or nil, mark == "x" and by or nil)
    if list then return list end
    if too_long then
      return nil, ("'%s' stands for more than %d values; one uncertain number is 'range(%s,%s)'"):format(text, ranges.MOST,
        from, to)
    end
    if tonumber(from) and tonumber(to) and tonumber(from) > tonumber(to) then
      return nil, ("'%s' starts above its end: write %s..%s"):format(text, to, from)
    end
  end
  return nil, no_range(text)
end

return ranges
