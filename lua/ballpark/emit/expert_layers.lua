-- Which layers have experts, as Megatron-LM's --moe-layer-freq says it: a whole number N (layer i has some where i is a multiple
-- of N), or an expression of Python, "([0]*3+[1]*57)", that is worth a list with a 0 for every dense layer and a 1 for one with
-- experts (its moe_freq_type and get_gpt_decoder_block_spec, 2025; recalled). Nothing is run and no list is built: of every part
-- it is known how many entries it has, and how many of them are 0.
local blanks = require("ballpark.blanks")
local errors = require("ballpark.errors")

local expert_layers = {}

-- Beyond any number of layers: so many entries are not told from more.
local MANY <const> = 1000000

-- Parentheses in one another, beyond any pattern that people write.
local DEEPEST <const> = 100

local NOTHING <const> = { entries = 0, dense = 0 }

local function joined(a, b)
  return { entries = math.min(MANY, a.entries + b.entries), dense = math.min(MANY, a.dense + b.dense) }
end

local function repeated(list, times)
  return { entries = math.min(MANY, list.entries * times), dense = math.min(MANY, list.dense * times) }
end

-- A list in brackets, of 0 and 1, or nil.
local function entries_of(text)
  local inner = blanks.cut(text:sub(2, -2))
  if inner:sub(-1) == "," then inner = inner:sub(1, -2) end
  local list = NOTHING
  for word in inner:gmatch("[^,]+") do
    local digit = word:match("^%s*([01])%s*$")
    if not digit then return nil end
    list = joined(list, { entries = 1, dense = digit == "0" and 1 or 0 })
  end
  local _, commas = inner:gsub(",", "")
  return commas == math.max(0, list.entries - 1) and list or nil -- none between two commas
end

local sum

-- Each reads from a place of the text on: what is there, a list or a number, and the place behind it; nil where it does not read.
local function factor(text, at, depth)
  at = text:match("^%s*()", at)
  local list, behind = text:match("^(%b[])()", at)
  if list then return entries_of(list), behind end
  local digits, after = text:match("^(%d+)()", at)
  if digits then return math.tointeger(math.min(MANY, tonumber(digits))), after end
  if text:sub(at, at) ~= "(" or depth >= DEEPEST then return nil end
  local value, close = sum(text, at + 1, depth + 1)
  close = value and text:match("^%s*%)()", close)
  return close and value, close
end

local function times(a, b)
  if type(a) == "table" and type(b) == "table" then return nil end
  if type(a) == "table" then return repeated(a, b) end
  if type(b) == "table" then return repeated(b, a) end
  return math.min(MANY, a * b)
end

local function plus(a, b)
  if type(a) ~= type(b) then return nil end
  return type(a) == "table" and joined(a, b) or math.min(MANY, a + b)
end

-- Parts with a sign between them.
local function chain(text, at, depth, sign, part, join)
  local value, behind = part(text, at, depth)
  while value do
    local next_at = text:match("^%s*%" .. sign .. "()", behind)
    if not next_at then return value, behind end
    local right
    right, behind = part(text, next_at, depth)
    value = right and join(value, right)
  end
end

local function product(text, at, depth) return chain(text, at, depth, "*", factor, times) end

sum = function(text, at, depth) return chain(text, at, depth, "+", product, plus) end

-- What a pattern is worth: a number, or a list; nil where it does not read.
local function worth(pattern)
  if type(pattern) == "table" then
    local words = {}
    for i, entry in ipairs(pattern) do words[i] = tostring(entry) end
    pattern = "[" .. table.concat(words, ",") .. "]"
  end
  local text = tostring(pattern)
  local value, behind = sum(text, 1, 0)
  return value and text:find("^%s*$", behind) and value or nil
end

--- Whether a pattern says what is so without one: all layers have experts.
function expert_layers.are_all(pattern)
  local value = worth(pattern)
  return value == 1 or type(value) == "table" and value.dense == 0
end

--- How many of the layers are dense; nil where the pattern does not read. One of another number of layers is refused.
---@param pattern string|integer|table the expression, the number, or the list itself
---@param layers integer
---@return integer|nil
function expert_layers.dense(pattern, layers)
  local value = worth(pattern)
  if not value then return nil end
  if type(value) ~= "table" then return value > 0 and layers - -(-layers // value) or nil end
  if value.entries ~= layers then
    errors.input("moe-layer-freq", ("must have one entry per layer, %d, got %d%s"):format(layers, value.entries,
      value.entries == MANY and " or more" or ""))
  end
  return value.dense
end

--- The pattern of a model whose first layers are dense.
function expert_layers.leading(dense, layers) return ("([0]*%d+[1]*%d)"):format(dense, layers - dense) end

--- The list that such a pattern is worth.
---@param text string of expert_layers.leading
---@return integer[]
function expert_layers.list(text)
  local list = {}
  for item, count in text:gmatch("%[(%d)%]%*(%d+)") do
    for _ = 1, tonumber(count) do list[#list + 1] = math.tointeger(item) end
  end
  return list
end

return expert_layers
