-- Which part of the catalog a name is of, for who asks what it means.
local catalog = require("ballpark.catalog")
local engines = require("ballpark.catalog.engines")
local profiles = require("ballpark.catalog.profiles")
local errors = require("ballpark.errors")

local catalog_names = {}

-- A name of the catalog that `get` finds, or nil.
local function found(get, name)
  local ok, entry = errors.attempt(get, name)
  return ok and type(entry) == "table" and (entry.name or name) or nil
end

local function engine_of(name)
  for _, known in ipairs(engines.names()) do
    if known == name:lower() then return known end
  end
end

local function class_of(name)
  local class, known = profiles.classify(name)
  return known and class or nil
end

-- What it is, the command that says more of the one it finds, and what finds it.
local KINDS <const> = {
  { what = "a device", more = "ballpark catalog devices %s", find = function(name) return found(catalog.device, name) end },
  { what = "a model", more = "ballpark catalog models %s", find = function(name) return found(catalog.model, name) end },
  { what = "an engine for serving", more = "ballpark explain engine", find = engine_of },
  { what = "training software", more = "ballpark catalog profiles %s", find = class_of },
}

--- The kind of a name and what the catalog calls it; nothing where it has none.
---@return table|nil kind { what, more = format of a command }
---@return string|nil
function catalog_names.of(name)
  for _, kind in ipairs(KINDS) do
    local known = kind.find(name)
    if known then return kind, known end
  end
end

return catalog_names
