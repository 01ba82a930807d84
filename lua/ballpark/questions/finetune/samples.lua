-- Tokens of the samples of a data set from CSV: a column tokens, a line each. Anything odd is refused with its line.
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local samples = {}

-- Columns of a histogram.
local COUNTS <const> = tables.set({ "count", "counts", "samples", "n", "weight", "frequency" })

--- Whether a text is the path of such a file, not the name of a data set.
function samples.is_path(text) return text:find("%.csv$") ~= nil or text:find("/", 1, true) ~= nil or text == "-" end

--- The tokens of every sample of a CSV text.
---@param text string
---@param name string of the file
---@return number[]
function samples.read(text, name)
  local columns, records = csv.records(text, name)
  for _, column in ipairs(columns) do
    if COUNTS[column:lower()] then
      errors.input(name, ("has a column '%s', and a line is one sample: give as many lines as there are samples"):format(column))
    end
  end
  if not tables.contains(columns, "tokens") then
    errors.input(name, "has no column 'tokens', one sample a line; it has " .. errors.list(columns))
  end
  local list = {}
  for i, record in ipairs(records) do
    local tokens = tonumber(record.cells.tokens)
    if not tokens or not (tokens > 0) or tokens == math.huge then
      errors.input(name .. ":" .. record.line, ("tokens: '%s' is not a number above 0"):format(record.cells.tokens or ""))
    end
    list[i] = tokens
  end
  if #list == 0 then errors.input(name, "has no samples") end
  return list
end

return samples
