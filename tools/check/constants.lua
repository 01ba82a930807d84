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

-- Words by which a comment says where a number comes from: literature, measurement, software that does it
-- so, a count of what is read and written, the format of numbers, or that somebody assumed it.
local SOURCES = {
  "arxiv", "appendix", "chapter", "doi", "equation", "et al", "figure", "isbn", "paper", "section", "table",
  "data sheet", "definition", "documentation", "ieee", "manual", "specification",
  "arithmetic", "assum", "of ours", "per cent", "rule of thumb",
  "counted", "fitted", " fit", "measured", "timed", "timings", "@",
  "cublas", "cutlass", "deepgemm", "deepseek", "flash", "megatron", "reference", "ring attention",
  "2^53", "16 bit", "16-bit", "bytes", "fp32", "read and", "reads",
}

local function names_source(comment)
  comment = comment:lower()
  for _, word in ipairs(SOURCES) do
    if comment:find(word, 1, true) then return true end
  end
  return false
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
      local comment = fault and c_text.comments(lines, number)
      if fault and not comment then
        complaints[#complaints + 1] = ("%s:%d: %s"):format(path, number, fault)
      elseif fault and not names_source(comment) then
        complaints[#complaints + 1] = ("%s:%d: the comment names no source (%s)"):format(path, number,
          comment:gsub("%s+", " "))
      end
    end
  end
  return complaints
end

return constants
