-- A Lua source text as tokens with line numbers: enough to find a field in a table constructor.
local tokens = {}

-- Position after the long bracket that opens at `at` ("[[", "[==["), or nil.
local function long_bracket(source, at)
  local level = source:match("^%[(=*)%[", at)
  if not level then return nil end
  local _, stop = source:find("]" .. level .. "]", at, true)
  return (stop or #source) + 1
end

local function quoted_end(source, at)
  local quote = source:sub(at, at)
  local i = at + 1
  while i <= #source do
    local c = source:sub(i, i)
    if c == "\\" then
      i = i + 1
    elseif c == quote or c == "\n" then
      return i + 1
    end
    i = i + 1
  end
  return i
end

local function comment_end(source, at)
  return long_bracket(source, at + 2) or (source:find("\n", at, true) or #source + 1)
end

-- Kind and end of the token at `at`; no kind for what is skipped.
local function scan(source, at)
  local c = source:sub(at, at)
  if c:find("%s") then return nil, source:match("^%s+()", at) end
  if source:sub(at, at + 1) == "--" then return nil, comment_end(source, at) end
  if c:find("[%a_]") then return "name", source:match("^[%w_]+()", at) end
  if c:find("%d") then return "number", source:match("^[%w%.]+()", at) end
  if c == "'" or c == '"' then return "string", quoted_end(source, at) end
  local long = c == "[" and long_bracket(source, at)
  if long then return "string", long end
  return "symbol", source:match("^[=~<>]=()", at) or at + 1
end

--- List of {kind = "name"|"number"|"string"|"symbol", text =, line =}.
---@param source string
function tokens.of(source)
  local list, at, line = {}, 1, 1
  while at <= #source do
    local kind, stop = scan(source, at)
    local text = source:sub(at, stop - 1)
    if kind then list[#list + 1] = { kind = kind, text = text, line = line } end
    for _ in text:gmatch("\n") do line = line + 1 end
    at = stop
  end
  return list
end

return tokens
