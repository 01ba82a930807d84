-- How a row of measured training becomes the input of an estimate. The rules below are the only
-- place where something unknown is settled; they run in this order, look only at declared columns
-- and at the catalog, and every one that had to assume something says so in one sentence.
--
-- A rule is { column =, says = what people read in the reference, apply = function(case) }. apply
-- changes the case and returns the sentence when it assumed something; it raises errors.input when the
-- row cannot be answered.
local errors = require("ballpark.errors")

local rules = {}

local files = { "subject", "model", "layout", "batch", "options", "network", "memory", "held" }

rules.list = {}
for _, file in ipairs(files) do
  for _, rule in ipairs(require("ballpark.validate.rules." .. file)) do
    rules.list[#rules.list + 1] = rule
  end
end

--- The rules as { column, says } in the order in which they run: for explain and README.
function rules.table()
  local list = {}
  for i, rule in ipairs(rules.list) do list[i] = { column = rule.column, says = rule.says } end
  return list
end

--- The input of an estimate for a row. `context` has estimate(input) -> result with memory and time,
--- and may force a profile by `profile` (a class's name or a table of coefficients).
---@param row table see validate.columns
---@param context table
---@return table case { row, input parts, assumed, open (columns that were) }
function rules.resolve(row, context)
  if row.wrong then errors.input("row", row.wrong) end
  local case = { row = row, context = context, assumed = {}, open = {}, plan = {}, job = {} }
  for _, rule in ipairs(rules.list) do
    local said = rule.apply(case)
    if said then
      case.assumed[#case.assumed + 1], case.open[#case.open + 1] = said, rule.column
    end
  end
  return case
end

return rules
