-- Every constant of the model says where it comes from: a named number, or a number in a formula
-- that is more than arithmetic, has a comment on its line or above it in the same block of lines.
local c_text = require("c_text")
local tree = require("tree")

local constants = {}

-- Seconds of a minute, an hour and a day need no source.
local calendar = { [60] = true, [3600] = true, [86400] = true }

-- Small whole numbers, a half and powers of ten are arithmetic, not knowledge.
local function is_arithmetic(value)
  if value == 0.5 or calendar[value] then return true end
  if value == math.floor(value) and value <= 4 then return true end
  local power = value > 0 and math.log(value, 10) or 0
  return math.abs(power - math.floor(power + 0.5)) < 1e-12
end

-- The numbers with a point or an exponent in a line of code; the digits of a name are none.
local function decimals(code)
  local found, at = {}, 1
  while true do
    local start, stop = code:find("%f[%w_%.]%.?%d[%d%.]*", at)
    if not start then return found end
    local digits = code:sub(start, stop)
    local exponent = code:match("^[eE][%+%-]?%d+", stop + 1) or ""
    if exponent ~= "" or digits:find(".", 1, true) then
      found[#found + 1] = tonumber(digits .. exponent)
    end
    at = stop + 1 + #exponent
  end
end

local function is_named(code)
  local value = code:match("^%s*#%s*define%s+[%u%d_]+%s+([%(%-]?[%d%.].*)$")
    or code:match("^%s*static const%s[%w_ ]+=%s*([%(%-]?[%d%.].*);")
  return value and not calendar[tonumber(value)]
end

local function check_line(code)
  if is_named(code) then return "constant without a comment that gives its source" end
  for _, value in ipairs(decimals(code)) do
    if not is_arithmetic(value) then
      return ("%g in a formula: name it and give its source"):format(value)
    end
  end
end

--- Complaints about `files` (path -> text of the sources below core/kernel and its users).
function constants.check(files)
  local complaints = {}
  for _, path in ipairs(tree.sorted(files)) do
    local lines = c_text.lines(files[path])
    for number, code in ipairs(c_text.lines(c_text.code(files[path]))) do
      local fault = check_line(code)
      if fault and not c_text.commented(lines, number) then
        complaints[#complaints + 1] = ("%s:%d: %s"):format(path, number, fault)
      end
    end
  end
  return complaints
end

return constants
