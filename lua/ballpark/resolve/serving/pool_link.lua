-- The link between the pools of a fleet whose prompts are computed apart from their answers.
local pool_link = {}

--- Every device sends its part of a prompt's keys and values over its own link to other nodes: what all those that compute
--- prompts send together, and the least time of one prompt.
---@param device_bytes_s number what a device can send to one of another node
---@param ranks integer devices of a replica that computes prompts
---@param replicas integer of them
---@param prompt_bytes number keys and values of a mean prompt on one of its devices
---@return table { link_bytes_s, link_latency_s } as a prefill_pool has them
function pool_link.of(device_bytes_s, ranks, replicas, prompt_bytes)
  return { link_bytes_s = device_bytes_s * ranks * replicas, link_latency_s = prompt_bytes / device_bytes_s }
end

return pool_link
