-- The pipeline schedules that the core knows, by name: what each is, where its stages lie, and what other programs
-- call it.
local core = require("ballpark.core")

local schedules = {}

--- All of them, in the core's order; the fields are those of core.schedules.
---@type table[]
schedules.all = core.schedules()

local by_name = {}
for _, facts in ipairs(schedules.all) do by_name[facts.name] = facts end

--- What is known of a schedule, or nil.
---@param name string
---@return table|nil
function schedules.of(name) return by_name[name] end

--- Their names in words: "1f1b, gpipe or zb_h1". With `is`, only of those for which it answers yes.
---@param is nil|fun(facts: table): boolean
---@param word? string between the last two, "or" unless given
---@return string
function schedules.names(is, word)
  local names = {}
  for _, facts in ipairs(schedules.all) do
    if not is or is(facts) then names[#names + 1] = facts.name end
  end
  local last = table.remove(names)
  return #names == 0 and last or table.concat(names, ", ") .. " " .. (word or "or") .. " " .. last
end

-- Lower case without spaces, dashes and underscores: programs are named in all these ways.
local function plain(text) return (text:lower():gsub("[^%w]", "")) end

--- The schedule that a program is named after, or nil: "Megatron zero-bubble" runs zb_h1. A name with 1F1B in it
--- does not say whether it interleaves, and counts for nothing.
---@param software string
---@return string|nil
function schedules.named_by(software)
  local name, found = plain(software), nil
  for _, facts in ipairs(schedules.all) do
    for _, word in ipairs(facts.interleaves and {} or { plain(facts.name), facts.software }) do
      if name:find(word, 1, true) and #word > #(found and found.word or "") then
        found = { word = word, name = facts.name }
      end
    end
  end
  return found and found.name
end

return schedules
