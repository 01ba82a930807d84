-- Which field nobody has, where a scenario hands over nothing: expect(id, a.memory.totl_bytes, …) is read where
-- it is written, and the name is looked for in what the answer has.
local errors = require("ballpark.errors")
local near = require("ballpark.near")
local tokens = require("ballpark.scenario.tokens")

local missing = {}

local OPENS <const> = { ["("] = true, ["{"] = true, ["["] = true }
local CLOSES <const> = { [")"] = true, ["}"] = true, ["]"] = true }

local function is(token, text) return token and token.kind == "symbol" and token.text == text end

-- The names of `a.b.c` where that is all there is between two commas from `at` on.
local function chain(list, at)
  local names = {}
  while list[at] and list[at].kind == "name" do
    names[#names + 1] = list[at].text
    if is(list[at + 1], ",") then return names end
    if not is(list[at + 1], ".") then return nil end
    at = at + 2
  end
end

-- Where the second argument of the call begins whose parenthesis is at `open`.
local function second(list, open)
  local depth = 0
  for i = open, #list do
    if list[i].kind == "symbol" then
      depth = depth + (OPENS[list[i].text] and 1 or CLOSES[list[i].text] and -1 or 0)
      if depth == 0 then return nil end
      if depth == 1 and is(list[i], ",") then return i + 1 end
    end
  end
end

local function written(source, line)
  local list = tokens.of(source)
  for i, token in ipairs(list) do
    if token.line == line and token.kind == "name" and token.text == "expect" and is(list[i + 1], "(") then
      local at = second(list, i + 1)
      return at and chain(list, at)
    end
  end
end

-- The local of that name at a level of the stack, the innermost one, else the global.
local function value_of(name, level, env)
  local value, found
  for i = 1, math.huge do
    local key, held = debug.getlocal(level + 1, i)
    if not key then break end
    if key == name then value, found = held, true end
  end
  if found then return value end
  return rawget(env, name)
end

local function keys_of(t)
  local list = {}
  for key in pairs(t) do
    if type(key) == "string" then list[#list + 1] = key end
  end
  table.sort(list)
  return list
end

--- Raises if the second argument of the expect that is being called is a field which is like one of those that are
--- there; `path` is what the message begins with. To be called from what the scenario calls.
function missing.check(path, env)
  local info = debug.getinfo(3, "Sl")
  local file = info and info.source:match("^@(.*)$")
  local handle = file and io.open(file, "rb")
  if not handle then return end
  local names = written(handle:read("a"), info.currentline)
  handle:close()
  local value = names and #names > 1 and value_of(names[1], 3, env)
  for i = 2, names and #names or 0 do
    if type(value) ~= "table" then return end
    local there = keys_of(value)
    if value[names[i]] == nil and near.name(names[i], there) then
      errors.unknown(path .. ": " .. table.concat(names, ".", 1, i - 1), names[i], there)
    end
    value = value[names[i]]
  end
end

return missing
