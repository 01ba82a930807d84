-- The catalog's table of fitted coefficients as Lua source.
local lua_source = require("ballpark.lua_source")

local profile_table = {}

-- Scopes that leave out the classes which say a value of their own.
local but_a_few = { others = true, launched = true, permuting = true }

local function common_name(coefficient) return coefficient[1]:match("^common%.(.*)$") end

local function group_by_scope(list, values)
  local groups = {}
  for j, coefficient in ipairs(list) do
    if not common_name(coefficient) then
      local scope = but_a_few[coefficient[2]] and "all" or coefficient[2]
      groups[scope] = groups[scope] or {}
      groups[scope][coefficient[1]] = values[j]
    end
  end
  return groups
end

--- `list` as ballpark.catalog.coefficients has it, its `values`, and how many rows they come from.
function profile_table.source(list, values, rows)
  local groups = group_by_scope(list, values)
  groups.rows = rows
  return ("-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.\n"
    .. "-- Fitted to %d published training steps; priors and scopes are in\n"
    .. "-- lua/ballpark/catalog/coefficients.lua. What all classes have in common is in\n"
    .. "-- core/kernel/describe/common_fit.h.\nreturn %s\n"):format(rows, lua_source.of(groups, 4))
end

local HEADER <const> = [[
/*
** Constants of all training software, written by tools/fit/profiles.lua; do not edit. Fitted to %d published
** training steps of all classes together; priors and scopes are in lua/ballpark/catalog/coefficients.lua.
*/
#ifndef BP_KERNEL_COMMON_FIT_H
#define BP_KERNEL_COMMON_FIT_H

%s

#endif
]]

--- The constants among them, as the core's header.
function profile_table.header(list, values, rows)
  local lines = {}
  for j, coefficient in ipairs(list) do
    local name = common_name(coefficient)
    if name then lines[#lines + 1] = ("#define BP_FIT_%s %.4g"):format(name:upper(), values[j]) end
  end
  table.sort(lines)
  return HEADER:format(rows, table.concat(lines, "\n"))
end

return profile_table
