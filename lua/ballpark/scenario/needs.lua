-- What a question cannot do without and was not given: all of it at once, with values to go on from.
local errors = require("ballpark.errors")

local needs = {}

local function value_at(input, path)
  for name in path:gmatch("[%w_]+") do
    if type(input) ~= "table" then return nil end
    input = input[name]
  end
  return input
end

local function is_missing(need, input, command)
  if need.options_only and not command then return false end
  if value_at(input, need[1]) ~= nil then return false end
  return not (need.met and need.met(input))
end

-- As a scenario says it: job.seq_len = 4096.
local function in_scenario(need) return need[1], need[1] .. " = " .. need.such end

-- As the command line says it: --seq-len 4096, --deadline 'days(30)'.
local function as_option(need)
  local flag = "--" .. (need.option or need[1]:match("[%w_]+$"):gsub("_", "-"))
  local value = need.words or need.such:gsub('"', "")
  return flag, flag .. " " .. (value:find("[(%s]") and "'" .. value .. "'" or value)
end

local function listed(texts)
  if #texts == 1 then return texts[1] end
  return table.concat(texts, ", ", 1, #texts - 1) .. " and " .. texts[#texts]
end

--- Raises if the input of a question lacks what it needs.
---@param record table of the question
---@param input table with what the command line put over it
---@param command string|nil the command whose options made the input; nil of a scenario
function needs.check(record, input, command)
  local names, values, without = {}, {}, ""
  for _, need in ipairs(record.needs or {}) do
    if is_missing(need, input, command) then
      without = need.without and without .. "; " .. need.without or without
      names[#names + 1], values[#values + 1] = (command and as_option or in_scenario)(need)
    end
  end
  if not names[1] then return end
  if command then
    errors.usage(("%s needs %s, such as %s%s (see 'ballpark %s --help')"):format(command, listed(names),
      table.concat(values, " "), without, command))
  end
  errors.input(record.name, ("needs %s, such as %s"):format(listed(names), table.concat(values, ", ")))
end

return needs
