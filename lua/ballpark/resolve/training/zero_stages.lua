-- ZeRO stages that software shards states by, as its profile says.
local fields = require("ballpark.fields")

local zero_stages = {}

-- Word of the core's profile -> stages, as the search launches them.
local STAGES <const> = { all = { 1, 2, 3 }, fsdp = { 2, 3 }, weights = { 3 }, optimizer = { 1 } }

--- The stages of software beyond one, the lowest first.
---@param profile table
---@param zero integer
---@return integer[]
function zero_stages.beyond(profile, zero)
  local list = {}
  for _, stage in ipairs(STAGES[profile.zero_stages or fields.default("train_step", "profile", "zero_stages")]) do
    if stage > zero then list[#list + 1] = stage end
  end
  return list
end

return zero_stages
