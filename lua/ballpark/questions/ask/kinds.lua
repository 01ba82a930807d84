-- The kinds of question that a prompt may be, one file each in the folder of this name, and which of them words mean.
local errors = require("ballpark.errors")
local lfs = require("lfs")
local tables = require("ballpark.tables")

local kinds = { names = {} }

for name in lfs.dir((package.searchpath("ballpark.questions.ask.kinds", package.path):gsub("%.lua$", ""))) do
  if name:find("%.lua$") then kinds.names[#kinds.names + 1] = name:gsub("%.lua$", "") end
end
table.sort(kinds.names)

--- The record of a kind.
function kinds.get(name)
  if not tables.contains(kinds.names, name) then errors.choice("kind", tostring(name), kinds.names) end
  return require("ballpark.questions.ask.kinds." .. name)
end

-- Facts that only one kind has, in the order in which they decide.
local BY_FACT <const> = { { "jobs_per_s", "platform" }, { "tokens", "training" }, { "mfu_frac", "training" },
  { "vectors", "retrieval" }, { "growth_month_frac", "storage" }, { "users", "llm" }, { "input_tokens", "llm" },
  { "output_tokens", "llm" }, { "ttft_s", "llm" }, { "tpot_s", "llm" }, { "within_s", "encode" } }

--- The kind that words and facts mean.
---@param said { facts: table, kinds: string[] } of ballpark.questions.said.grammar
---@return string
function kinds.of(said)
  for _, name in ipairs(said.kinds) do
    if tables.contains(kinds.names, name) then return name end
  end
  for _, row in ipairs(BY_FACT) do
    if said.facts[row[1]] ~= nil then return row[2] end
  end
  if said.facts.params and (said.facts.devices or said.facts.time_s) then return "training" end
  if said.facts.budget_usd_month then return "cost" end
  errors.input("ask", ("does not know what this is about: say 'train', 'chat', 'recommendations', 'retrieval', 'images', "
    .. "'storage', 'matrix product' or 'platform', or kind = one of %s"):format(table.concat(kinds.names, ", ")))
end

return kinds
