-- Whether a test of a shell holds, of words that are known.
local tables = require("ballpark.tables")

local condition = {}

-- Letters and stars of a pattern that is tried; others match nothing.
local LONGEST <const>, MOST_STARS <const> = 256, 3

--- Whether a text is of a shell's pattern.
---@param text string
---@param pattern string
function condition.matches(text, pattern)
  if text == pattern then return true end
  pattern = pattern:gsub("%*+", "*")
  local _, stars = pattern:gsub("%*", "")
  if #pattern > LONGEST or #text > LONGEST or stars > MOST_STARS or pattern:find("[%[%]]") then return false end
  local as_lua = pattern:gsub("[%^%$%(%)%%%.%+%-]", "%%%0"):gsub("%*", ".*"):gsub("%?", ".")
  return text:find("^" .. as_lua .. "$") ~= nil
end

local NUMBERS <const> = {
  ["-eq"] = function(a, b) return a == b end, ["-ne"] = function(a, b) return a ~= b end,
  ["-lt"] = function(a, b) return a < b end, ["-le"] = function(a, b) return a <= b end,
  ["-gt"] = function(a, b) return a > b end, ["-ge"] = function(a, b) return a >= b end,
}

local function compared(one, op, two)
  if op == "=" or op == "==" then return condition.matches(one, two) end
  if op == "!=" then return not condition.matches(one, two) end
  local a, b = tonumber(one), tonumber(two)
  if NUMBERS[op] and a and b then return NUMBERS[op](a, b) end
  return nil
end

-- One test without && and ||; nil where only a run decides it.
local function simple(words)
  if words[1] == "!" then
    local inner = simple(table.move(words, 2, #words, 1, {}))
    if inner == nil then return nil end
    return not inner
  end
  if #words == 0 then return false end
  if #words == 1 then return words[1] ~= "" end
  if #words == 2 and words[1] == "-z" then return words[2] == "" end
  if #words == 2 and words[1] == "-n" then return words[2] ~= "" end
  if #words == 3 then return compared(words[1], words[2], words[3]) end
  return nil
end

local AND <const>, OR <const> = tables.set({ "&&", "-a" }), tables.set({ "||", "-o" })

local function parts(words, at)
  local list, part = {}, {}
  for _, word in ipairs(words) do
    if at[word] then
      list[#list + 1], part = part, {}
    else
      part[#part + 1] = word
    end
  end
  list[#list + 1] = part
  return list
end

--- Whether a test holds; nil where only a run decides it.
---@param words string[] between the brackets
---@return boolean|nil
function condition.holds(words)
  local any = false
  for _, part in ipairs(parts(words, OR)) do
    local all = true
    for _, one in ipairs(parts(part, AND)) do
      local holds = simple(one)
      if holds == false then
        all = false
      elseif holds == nil and all then
        all = nil
      end
    end
    if all then return true end
    if all == nil then any = nil end
  end
  return any
end

local SUMS <const> = { ["=="] = "-eq", ["!="] = "-ne", ["<"] = "-lt", ["<="] = "-le", [">"] = "-gt", [">="] = "-ge" }

--- Whether a comparison in (( )) holds; nil where only a run decides it.
---@param text string between the brackets
---@return boolean|nil
function condition.sum(text)
  local one, op, two = text:match("^%s*(%d+)%s*([=!<>]=?)%s*(%d+)%s*$")
  if one and SUMS[op] then return compared(one, SUMS[op], two) end
  local number = tonumber(text)
  return number and number ~= 0
end

return condition
