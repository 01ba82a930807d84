-- Where in a scenario a field is written: from the line of the call that failed and the path of the
-- field ("plan.tp") to the line of `tp = ...` inside `plan = {...}`.
local tokens = require("ballpark.scenario.tokens")

local locate = {}

local OPEN = { ["{"] = "}", ["("] = ")", ["["] = "]" }
local CLOSE = { ["}"] = true, [")"] = true, ["]"] = true }

local function is(token, text) return token and token.kind == "symbol" and token.text == text end

-- Index of `key = value` at the top level of the constructor that opens at `open`: that of the key,
-- and where the constructor ends.
local function find_key(list, open, key)
  local depth = 0
  for i = open, #list do
    local token = list[i]
    if token.kind == "symbol" and OPEN[token.text] then
      depth = depth + 1
    elseif token.kind == "symbol" and CLOSE[token.text] then
      depth = depth - 1
      if depth == 0 then return nil end
    elseif depth == 1 and token.kind == "name" and token.text == key and is(list[i + 1], "=") then
      return i
    end
  end
end

-- The constructor that the value at index `at` opens: `{`, `name{` or `name({`.
local function opens(list, at)
  if is(list[at], "{") then return at end
  if not list[at] or list[at].kind ~= "name" then return nil end
  if is(list[at + 1], "{") then return at + 1 end
  if is(list[at + 1], "(") and is(list[at + 2], "{") then return at + 2 end
end

-- The constructor last assigned to the variable before index `before`.
local function assigned(list, variable, before)
  for i = before, 1, -1 do
    if list[i].kind == "name" and list[i].text == variable and is(list[i + 1], "=")
      and not is(list[i - 1], ".") then
      return opens(list, i + 2)
    end
  end
end

local function first_on_line(list, line)
  for i, token in ipairs(list) do
    if token.line >= line then return i end
  end
end

-- The line of the last part of the path that is found, from constructor `open` on.
local function follow(list, open, parts, first)
  local found
  for p = first, #parts do
    local key = open and find_key(list, open, parts[p])
    if not key then break end
    found = { line = list[key].line, complete = p == #parts }
    local value = list[key + 2]
    open = opens(list, key + 2)
      or (value and value.kind == "name" and assigned(list, value.text, key - 1))
  end
  return found
end

local function split(path)
  local parts = {}
  for part in path:gmatch("[%a_][%w_]*") do parts[#parts + 1] = part end
  return parts
end

-- Follows the path inside each constructor that starts on the line of the call.
local function search(list, line, parts, first)
  local start = first_on_line(list, line)
  local best
  while start and list[start] and list[start].line == line do
    local found = is(list[start], "{") and follow(list, start, parts, first)
    if found and (found.complete or not best) then best = found end
    if best and best.complete then return best end
    start = start + 1
  end
  return best
end

-- The only place where `name {... field = ...}` or `name = {... field = ...}` is written: what remains
-- when the call itself has left the stack (a tail call) or the table was made elsewhere.
local function only_one(list, parts)
  local line
  for i, token in ipairs(list) do
    if token.kind == "name" and token.text == parts[1] then
      local open = opens(list, i) or (is(list[i + 1], "=") and opens(list, i + 2))
      local found = open and follow(list, open, parts, 2)
      if found and found.complete then
        if line and line ~= found.line then return nil end
        line = found.line
      end
    end
  end
  return line
end

--- The line of the field, or that of the call when the field is not written there.
---@param source string text of the scenario
---@param line integer line of the call
---@param path string|nil dotted path of the field
---@return integer
function locate.line(source, line, path)
  local parts = split(path or "")
  if #parts == 0 then return line end
  local list = tokens.of(source)
  local whole = search(list, line, parts, 1)
  if whole and whole.complete then return whole.line end
  -- `model{layers = 3}` says model.layers: the call itself is the first part.
  local inner = #parts > 1 and search(list, line, parts, 2)
  if inner and inner.complete then return inner.line end
  local elsewhere = #parts > 1 and only_one(list, parts)
  return elsewhere or (whole and whole.line) or (inner and inner.line) or line
end

return locate
