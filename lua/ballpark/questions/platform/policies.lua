-- How a platform orders its jobs: names that people use, and what the simulation is told.
local errors = require("ballpark.errors")

local policies = {}

local KNOWN <const> = {
  { "fifo", { order = "fifo" }, "first in, first out" },
  { "backfill", { order = "fifo", backfill = true }, "first in, first out, with EASY backfill" },
  { "priority", { order = "priority" }, "by priority" },
  { "preemption", { order = "priority", preempt = true }, "by priority, less urgent jobs are displaced" },
  { "fair_share", { order = "fair_share", backfill = true }, "least recent use first, with EASY backfill" },
}

--- Names of all, in the order in which reports have them.
function policies.names()
  local names = {}
  for i, known in ipairs(KNOWN) do names[i] = known[1] end
  return names
end

--- What a policy is in words.
function policies.words(name)
  for _, known in ipairs(KNOWN) do
    if known[1] == name then return known[3] end
  end
end

--- Fields of the simulation of a policy.
function policies.fields(path, name)
  for _, known in ipairs(KNOWN) do
    if known[1] == name then return known[2] end
  end
  errors.choice(path, tostring(name), policies.names())
end

local function differ(classes, field)
  for _, class in ipairs(classes) do
    if class[field] ~= classes[1][field] then return true end
  end
  return false
end

--- Those that the classes tell apart: without priorities, or projects, an order by them is first in, first out.
function policies.distinct(classes)
  local list = { "fifo", "backfill" }
  if differ(classes, "priority") then table.move({ "priority", "preemption" }, 1, 2, #list + 1, list) end
  if differ(classes, "project") then list[#list + 1] = "fair_share" end
  return list
end

return policies
