-- What is said of the host where states or activations are offloaded to it.
local core = require("ballpark.core")

local host = {}

-- Default of a field of an input of train_step, as the core has it.
local function default_of(struct, name)
  for _, kernel in ipairs(core.kernels()) do
    for _, group in ipairs(kernel.name == "train_step" and kernel.input.fields or {}) do
      for _, field in ipairs(group.name == struct and group.schema.fields or {}) do
        if field.name == name then return field.default end
      end
    end
  end
end

local function rate(bytes_s) return ("%.4g GB/s"):format(bytes_s / 1e9) end

local function of_profile(input, name) return input.profile[name] or default_of("profile", name) end

-- Pinned copies over PCI Express: LINK_SHARE of core/kernel/train_states.c.
local LINK_SHARE <const> = 0.8

local function link(input)
  local stated = of_profile(input, "host_link_bytes_s")
  if stated > 0 then return stated end
  return LINK_SHARE * (input.cluster.device.host_bytes_s or default_of("device", "host_bytes_s"))
end

--- The rates that an offloading plan is estimated with, or nil for a plan that offloads nothing.
---@param input table of an estimate
---@param plan table with the fields offload and offload_activations
---@return string|nil
function host.words(input, plan)
  local offload, share = plan.offload or "none", plan.offload_activations or 0
  local about = {}
  if share > 0 then about[1] = "activations copied at " .. rate(link(input)) .. " each way, beside computing" end
  if offload ~= "none" then
    about[#about + 1] = "states at " .. rate(of_profile(input, "host_bw_bytes_s")) .. " per device"
  end
  if offload:find("_nvme$") then
    about[#about + 1] = "drives at " .. rate(of_profile(input, "nvme_bytes_s")) .. " per device"
  end
  if #about == 0 then return nil end
  return "Host: " .. table.concat(about, ", ") .. "; how much memory it has is not checked."
end

return host
