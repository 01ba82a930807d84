-- What the core knows of the fields of a profile.
local core = require("ballpark.core")

local profile_fields = {}

local fields

-- { name, unit, min, max, doc } of every field, by name and as a list.
local function all()
  if fields then return fields end
  fields = {}
  for _, kernel in ipairs(core.kernels()) do
    for _, field in ipairs(kernel.name == "train_step" and kernel.input.fields or {}) do
      for _, sub in ipairs(field.name == "profile" and field.schema.fields or {}) do
        fields[sub.name], fields[#fields + 1] = sub, sub
      end
    end
  end
  return fields
end

--- The fields by name, with unit, min and max.
function profile_fields.limits() return all() end

--- Names in the order of the core.
function profile_fields.names()
  local names = {}
  for i, field in ipairs(all()) do names[i] = field.name end
  return names
end

return profile_fields
