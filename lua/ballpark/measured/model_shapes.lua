-- The shape of the model that a row names: of a config in a folder, or of the catalog.
local catalog = require("ballpark.catalog")
local files = require("ballpark.files")
local hf = require("ballpark.hf")

local model_shapes = {}

-- Where a folder may hold the config of owner/name.
local function config_paths(folder, id)
  local name = id:match("([^/]+)$")
  local flat = id:gsub("/", "--")
  return {
    folder .. "/" .. flat .. "_config.json", folder .. "/" .. flat .. ".json", folder .. "/" .. id .. "/config.json",
    folder .. "/" .. flat .. "/config.json", folder .. "/" .. name .. "/config.json", folder .. "/" .. name .. ".json",
    folder .. "/" .. name .. "_config.json",
  }
end

--- The shape of a model by catalog name, Hugging Face id, or config in `folder`; and whether it is of the folder.
---@param id string
---@param folder string|nil
---@return table model
---@return boolean read
function model_shapes.of(id, folder)
  for _, path in ipairs(folder and config_paths(folder, id) or {}) do
    if files.exists(path) then
      local model = hf.read(path)
      return model, true
    end
  end
  return catalog.model(id), false
end

return model_shapes
