-- Answers as they were given: a report shows, emits and checks no answer that the scenario has changed since, because it
-- would carry the scenario's figures as ours.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local kept = {}

-- What an answer was made of is told apart by its parts: a scenario may have changed one of them.
local PARTS <const> = { input = true }

local function prints_of(answer)
  local prints = {}
  for name, value in pairs(answer) do
    local where = tostring(name)
    prints[where] = core.fingerprint(value)
    if PARTS[name] and type(value) == "table" then
      for part, item in pairs(value) do prints[where .. "." .. tostring(part)] = core.fingerprint(item) end
    end
  end
  return prints
end

--- Remembers an answer as it is now; gives it back.
---@param state table of a run
---@param answer any
function kept.keep(state, answer)
  if type(answer) == "table" then state.kept[answer] = prints_of(answer) end
  return answer
end

--- What has changed in an answer since, by name: { "step_s" }, { "input.model" }; empty where nothing has.
---@return string[]
function kept.changed(state, answer)
  local before, list = state.kept[answer or false], {}
  if not before then return list end
  local now = prints_of(answer)
  for _, name in ipairs(tables.sorted_keys(tables.with(now, before))) do
    if before[name] ~= now[name] then
      -- Of a part and what it is in the part says more, and comes next.
      if list[1] and name:sub(1, #list[#list] + 1) == list[#list] .. "." then list[#list] = nil end
      list[#list + 1] = name
    end
  end
  return list
end

--- Refuses an answer that has changed since.
---@param what string the call that takes it: "show"
function kept.check(state, what, answer)
  local names = kept.changed(state, answer)
  if not names[1] then return end
  local advice = names[1]:find("^input%.") and "show an answer before you change what it was asked with, or change a copy"
    or "show figures of your own with facts{} or rows{}"
  errors.input(what, ("takes an answer as it was given, and this one was changed since (%s); %s"):format(
    errors.list(names), advice))
end

return kept
