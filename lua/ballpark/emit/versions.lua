-- Versions of the software that settings are for. A target lists those that it knows, oldest first:
-- { name =, date = of its sources where they say one, and whatever of the target is otherwise in it }.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local versions = {}

--- Target and version of "TARGET" or "TARGET@VERSION".
---@param text string
---@return string target
---@return string|nil version
function versions.split(text)
  local target, version = text:match("^([^@]*)@(.*)$")
  return target or text, version
end

--- The target as it is at a version, the newest unless one is named.
---@param target table
---@param name string|nil
---@param path string of the input, for errors
function versions.at(target, name, path)
  local known = {}
  for i, version in ipairs(target.versions) do
    if version.name == name then return tables.with(target, tables.with(version, { version = version })) end
    known[i] = version.name
  end
  if name then errors.choice(path, name, known) end
  return versions.at(target, known[#known], path)
end

--- The target's name with its version: "torchtitan 238fa99 (2026-02-23)".
function versions.title(target)
  local version = target.version
  return target.title .. " " .. version.name .. (version.date and " (" .. version.date .. ")" or "")
end

return versions
