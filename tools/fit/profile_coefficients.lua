-- The coefficients that tools/fit/profiles.lua fits: field of the profile, which software it applies
-- to, prior value and prior width (standard deviation of its logarithm).
local profile_coefficients = {}

local function everywhere() return true end
local function class(name) return function(case) return case.class == name end end

local list = {
  -- All software.
  { "gemm", "all", 1.05, 0.15 },
  { "sustained_flop_w", "all", 1.08e12, 0.2 },
  { "elementwise", "all", 0.75, 0.15 },
  { "launch", "all", 0.4, 0.4 },
  { "attention_backward", "all", 1.0, 0.15 },
  { "softmax_passes", "all", 3.5, 0.3 },
  { "host_step_s", "others", 5e-3, 0.8 },
  { "host_step_s", "nanotron", 2e-2, 0.8 },
  { "host_tp", "all", 0.08, 0.3 },
  { "straggler", "all", 0.006, 0.6 },
  { "overlap_tp", "all", 0.5, 0.3 },
  { "overlap_dp", "all", 0.7, 0.3 },
  { "exposed_dp", "all", 0.1, 0.6 },
  { "overlap_ep", "all", 0.4, 0.4 },
  { "moe_passes", "all", 5, 0.4 },
  { "expert_gemm", "all", 1.2, 0.25 },
  { "host_moe", "all", 1, 0.7 },
  { "quantize", "all", 0.5, 0.4 },
  -- Eras.
  { "attention", "older_kernels", 1.4, 0.2 },
  { "attention", "older_kernels_fp8_device", 2.0, 0.3 },
  -- Classes.
  { "host_layer_s", "megatron", 4e-4, 0.7 },
  { "host_layer_s", "deepspeed", 8e-4, 0.5 },
  { "host_micro_s", "deepspeed", 1e-3, 0.7 },
  { "host_micro_s", "megatron", 5e-4, 0.7 },
  { "host_layer_s", "fsdp", 5e-4, 0.7 },
  { "host_layer_s", "nanotron", 2e-3, 0.7 },
  { "host_micro_s", "nanotron", 5e-3, 1.2 },
  { "elementwise_passes", "deepspeed", 1.5, 0.3 },
  { "elementwise_passes", "fsdp", 1.3, 0.3 },
  { "elementwise_passes", "nanotron", 2.5, 0.4 },
  { "exposed_fsdp", "fsdp", 0.2, 0.7 },
  { "exposed_fsdp", "jax", 0.1, 0.7 },
  { "selective_mlp", "jax", 0.4, 0.5 },
  { "gemm", "jax", 1.05, 0.15 },
  { "gemm", "neuron", 1.1, 0.25 },
  { "gemm", "gaudi", 1.1, 0.2 },
  { "gemm", "ascend", 1.1, 0.2 },
}

-- Attention kernels of before 2024, on devices without and with 8-bit matmul units (Hopper and later).
local function older(case) return case.older_kernels end
local function fp8(case) return (case.input.device.fp8_flop_s or 0) > 0 end

local scopes = {
  all = everywhere,
  older_kernels = function(case) return older(case) and not fp8(case) end,
  older_kernels_fp8_device = function(case) return older(case) and fp8(case) end,
  others = function(case) return case.class ~= "nanotron" end,
}

for i, entry in ipairs(list) do
  profile_coefficients[i] = {
    field = entry[1], scope = entry[2], prior = entry[3], width = entry[4],
    applies = scopes[entry[2]] or class(entry[2]),
  }
end

-- Shares cannot exceed what the field list allows.
local shares = { overlap_tp = true, overlap_dp = true, overlap_ep = true, exposed_dp = true,
  exposed_fsdp = true, selective_mlp = true }

--- Value of a coefficient at x widths from its prior.
function profile_coefficients.value(coefficient, x)
  local value = coefficient.prior * math.exp(coefficient.width * x)
  if shares[coefficient.field] then value = math.min(value, 0.98) end
  if coefficient.field == "imbalance" then value = math.max(value, 1) end
  return value
end

local function sorted(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local function group_by_scope(x)
  local groups = {}
  for j, coefficient in ipairs(profile_coefficients) do
    local scope = coefficient.scope == "others" and "all" or coefficient.scope
    groups[scope] = groups[scope] or {}
    groups[scope][coefficient.field] = profile_coefficients.value(coefficient, x[j])
  end
  return groups
end

--- The catalog's table of fitted coefficients as Lua source.
function profile_coefficients.source(x, rows)
  local lines = {
    "-- Coefficients of training software, written by tools/fit/profiles.lua; do not edit.",
    "-- Fitted to " .. rows .. " published training steps; priors and scopes are in",
    "-- tools/fit/profile_coefficients.lua.",
    "return {",
    "  rows = " .. rows .. ",",
  }
  local groups = group_by_scope(x)
  for _, scope in ipairs(sorted(groups)) do
    lines[#lines + 1] = "  " .. scope .. " = {"
    for _, field in ipairs(sorted(groups[scope])) do
      lines[#lines + 1] = string.format("    %s = %.4g,", field, groups[scope][field])
    end
    lines[#lines + 1] = "  },"
  end
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n") .. "\n"
end

return profile_coefficients
