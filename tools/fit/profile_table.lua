-- The catalog's table of fitted coefficients as Lua source.
local tables = require("ballpark.tables")

local profile_table = {}

-- Scopes that leave out the classes which say a value of their own.
local but_a_few = { others = true, launched = true }

local function group_by_scope(list, values)
  local groups = {}
  for j, coefficient in ipairs(list) do
    local scope = but_a_few[coefficient[2]] and "all" or coefficient[2]
    groups[scope] = groups[scope] or {}
    groups[scope][coefficient[1]] = values[j]
  end
  return groups
end

--- `list` as ballpark.calibrate.coefficients has it, its `values`, and how many rows they come from.
function profile_table.source(list, values, rows)
  local lines = {
    "-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.",
    "-- Fitted to " .. rows .. " published training steps; priors and scopes are in",
    "-- lua/ballpark/calibrate/coefficients.lua.",
    "return {",
    "  rows = " .. rows .. ",",
  }
  local groups = group_by_scope(list, values)
  for _, scope in ipairs(tables.sorted_keys(groups)) do
    lines[#lines + 1] = "  " .. scope .. " = {"
    for _, field in ipairs(tables.sorted_keys(groups[scope])) do
      lines[#lines + 1] = string.format("    %s = %.4g,", field, groups[scope][field])
    end
    lines[#lines + 1] = "  },"
  end
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n") .. "\n"
end

return profile_table
