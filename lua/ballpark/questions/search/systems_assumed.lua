-- What the plans that a report shows of several systems and jobs rest on: what all of them do, and what only some
-- do with whose it is.
local systems = require("ballpark.questions.search.systems")

local function device_of(answer) return answer.input.cluster.device.name or "device" end

-- Answers of the plans, each once, in the order of the plans.
local function answers_of(plans)
  local seen, list = {}, {}
  for _, plan in ipairs(plans) do
    if not seen[plan.of] then list[#list + 1] = plan.of end
    seen[plan.of] = true
  end
  return list
end

-- Names of devices if it is these devices that tell the holders from all, or nil.
local function devices_of(holders, all)
  local holds, named, names = {}, {}, {}
  for _, answer in ipairs(holders) do holds[answer] = true end
  for _, answer in ipairs(holders) do
    local name = device_of(answer)
    if not named[name] then names[#names + 1] = name end
    named[name] = true
  end
  for _, answer in ipairs(all) do
    if named[device_of(answer)] and not holds[answer] then return nil end
  end
  return table.concat(names, ", ")
end

local function whose(holders, all, axes)
  local names = devices_of(holders, all)
  if names then return names end
  local words = {}
  for i, answer in ipairs(holders) do words[i] = systems.words(axes, answer.input) end
  return table.concat(words, "; ")
end

--- Sentences for the assumptions of all shown plans, those of the first plan's system first.
---@param plans table[] each with `of`, the answer that it is from
---@param axes table[] of ballpark.search.systems
---@return string[]
return function(plans, axes)
  local all, holders, order, list = answers_of(plans), {}, {}, {}
  for _, answer in ipairs(all) do
    for _, text in ipairs(answer.assumed) do
      if not holders[text] then holders[text], order[#order + 1] = {}, text end
      table.insert(holders[text], answer)
    end
  end
  for i, text in ipairs(order) do
    list[i] = #holders[text] == #all and text or whose(holders[text], all, axes) .. ": " .. text
  end
  return list
end
