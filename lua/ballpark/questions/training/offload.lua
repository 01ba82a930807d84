-- What the values of a plan's `offload` say, by their names in the core (core/kernel/plan.h).
local offload = {}

--- Whether weights move to the host too, not only the optimizer's states.
---@param value string
---@return boolean
function offload.moves_weights(value) return value:find("^optimizer_weights") ~= nil end

--- Whether what moves lies on drives of the host, not in its memory.
---@param value string
---@return boolean
function offload.uses_drives(value) return value:find("_nvme$") ~= nil end

return offload
