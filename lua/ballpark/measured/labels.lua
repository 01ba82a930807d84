-- Finds the catalog device that a table's label means: remarks in parentheses ("H100 80GB (SXM5)") do not count
-- where no device is called so.
local devices = require("ballpark.catalog.devices")

local labels = {}

--- The catalog name of a label, or nil.
---@param label string
---@return string|nil
function labels.resolve(label) return devices.resolve(label) or devices.resolve((label:gsub("%b()", " "))) end

return labels
