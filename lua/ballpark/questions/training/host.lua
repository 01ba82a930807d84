-- What is said of the host where states or activations are offloaded to it.
local fields = require("ballpark.fields")
local host_links = require("ballpark.catalog.host_links")
local offload = require("ballpark.questions.training.offload")
local units = require("ballpark.units")

local host = {}

local function rate(bytes_s) return ("%.4g GB/s"):format(bytes_s / 1e9) end

local function common(input) return input.profile.common or {} end

local function constant(input, name)
  local about = fields.by_name(fields.input("train_step", "profile")).common.schema.fields
  return common(input)[name] or fields.by_name(about)[name].default
end

-- As bp_host_link of core/kernel/train_states.c, and where both factors come from.
local function link(input)
  local device, share = input.cluster.device, constant(input, "host_link")
  local whole = device.host_bytes_s or fields.default("train_step", "device", "host_bytes_s")
  local recalled = device.name and whole == host_links.of(device.name)
  return ("%s each way per device, %.4g %%%s of the %s of its link%s"):format(rate(share * whole), 100 * share,
    common(input).host_link and "" or " (assumed)", rate(whole), recalled and " (recalled from data sheets)" or "")
end

--- The rates that an offloading plan is estimated with, or nil for a plan that offloads nothing.
---@param input table of an estimate
---@param plan table with the fields offload and offload_activations
---@return string|nil
function host.words(input, plan)
  local states, share = plan.offload or "none", plan.offload_activations or 0
  if states == "none" and share <= 0 then return nil end
  local about = { "copies at " .. link(input) }
  if share > 0 then about[#about + 1] = "those of activations beside computing" end
  if offload.uses_drives(states) then
    about[#about + 1] = "drives at " .. rate(constant(input, "nvme_bytes_s")) .. " per device"
  end
  local bytes = input.cluster.network.host_memory_bytes or 0
  return "Host: " .. table.concat(about, ", ") .. "; " .. (bytes > 0
    and ("its memory of %.4g GiB is taken to hold nothing else."):format(bytes / units.GiB(1))
    or "how much memory it has is not known (cluster.host_memory_bytes), so not checked.")
end

--- What plans have elsewhere than on their device, as words of a fact: its values are fields of a memory.
---@param memory table memory of an answer
---@param node integer devices of a node
function host.offloaded_text(memory, node)
  local texts = {}
  if memory.host_bytes > 0 then
    local known = memory.host_capacity_bytes > 0 and " of {host_capacity_bytes}" or ""
    texts[1] = "; offloads up to {host_bytes} a device to memory of the host, {host_node_bytes}" .. known
      .. " a node of " .. node
  end
  if memory.nvme_bytes > 0 then
    texts[#texts + 1] = "; up to {nvme_bytes} a device to its drives, {nvme_node_bytes} a node"
  end
  if memory.paged_bytes > 0 then
    texts[#texts + 1] = "; {paged_bytes} of paged moments stay beside it while there is room"
  end
  return table.concat(texts)
end

--- Whether it is its host's memory that a plan misses by so many bytes, not its device's.
function host.is_short(memory, short_bytes)
  return memory.host_capacity_bytes > 0 and memory.host_node_bytes - memory.host_capacity_bytes == short_bytes
end

--- What the plan that misses by so many bytes may have.
---@return integer bytes
function host.limit(memory, short_bytes)
  return host.is_short(memory, short_bytes) and memory.host_capacity_bytes or memory.total_bytes - short_bytes
end

return host
