-- The catalog's table of fitted coefficients as Lua source.
local lua_source = require("ballpark.lua_source")

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

--- `list` as ballpark.catalog.coefficients has it, its `values`, and how many rows they come from.
function profile_table.source(list, values, rows)
  local groups = group_by_scope(list, values)
  groups.rows = rows
  return ("-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.\n"
    .. "-- Fitted to %d published training steps; priors and scopes are in\n"
    .. "-- lua/ballpark/catalog/coefficients.lua.\nreturn %s\n"):format(rows, lua_source.of(groups, 4))
end

return profile_table
