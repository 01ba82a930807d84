-- Coefficients that are fitted to measured step times: number of the profile (common.launch: one that all
-- classes have in common), which software it applies to, prior value and prior width (standard deviation of its logarithm), highest value.
-- `published` is what the shipped profiles are fitted with, `own` what a calibration on somebody's own
-- runs changes.
local attention_kernels = require("ballpark.catalog.attention_kernels")
local profiles = require("ballpark.catalog.profiles")
local tables = require("ballpark.tables")

local coefficients = {}

-- Shares that hide or show something are never quite whole.
local SHARE_HIGH <const> = 0.98

-- Priors of the host's time per layer: sixty to eighty launches of an eager layer at 7 to 9 us each.
coefficients.published = {
  -- All software.
  { "gemm", "all", 1.05, 0.15 },
  { "sustained_flop_w", "all", 1.08e12, 0.2 },
  { "sustained_flop_w", "rack", 1.08e12, 0.2 },
  { "common.elementwise", "all", 0.75, 0.15 },
  { "common.launch", "all", 0.4, 0.4 },
  -- Sizes of 8 elements instead of 64, three halvings, cost about half as much again: assumption.
  { "common.misaligned", "all", 0.15, 0.5, high = 1 },
  { "common.attention_backward", "all", 1.0, 0.15 },
  -- Where scores are stored: a fused softmax with scale and mask reads and writes, dropout reads, writes and keeps a mask.
  { "common.softmax_passes", "all", 4.5, 0.3 },
  { "host_step_s", "others", 5e-3, 0.5 },
  { "host_step_s", "nanotron", 2e-2, 0.8 },
  -- Launching the collectives of tensor parallelism: their number does not depend on the ranks.
  { "host_tp", "others", 0.2, 0.5 },
  -- 4.5 ms a layer, forward and backward, at 2, 4 and 8 ranks alike, in its benchmark of models of 1.3, 3.6 and 8.9
  -- billion parameters at micro-batch 1 (huggingface.co/spaces/nanotron/ultrascale-playbook, 2025).
  { "host_tp", "nanotron", 0.85, 0.3 },
  { "common.straggler", "all", 0.006, 0.25 },
  -- Curves of networks between nodes are of one collective on an idle cluster; in training, groups and jobs share
  -- its switches. One share for each network, held to what all had together when they shared one (0.65 to 0.73).
  { "scaleout", "all", 0.8, 0.15 },
  { "scaleout", "infiniband", 0.8, 0.15 },
  { "scaleout", "roce", 0.8, 0.15 },
  { "scaleout", "omni-path", 0.8, 0.15 },
  { "common.overlap_tp", "all", 0.5, 0.3, high = SHARE_HIGH },
  { "common.overlap_dp", "all", 0.7, 0.3, high = SHARE_HIGH },
  { "exposed_dp", "all", 0.1, 0.6, high = SHARE_HIGH },
  -- Compute hides expert traffic but for the cores that send: 20 of 132 (arXiv:2412.19437, section 3.2.2).
  { "common.overlap_ep", "all", 0.85, 0.1, high = SHARE_HIGH },
  -- Permute, sort by expert, and the same back: seven passes, at three quarters of other kernels' bandwidth
  -- (permute against other elementwise kernels, MooreThreads/SimuMax@4dcaae513b, B200).
  { "moe_passes", "permuting", 9, 0.3 },
  -- Kernels that dispatch write tokens where their experts read them, and sum what comes back: of seven passes two are
  -- left beside those of the weights (count of ours).
  { "moe_passes", "hybridep", 5, 0.3 },
  -- One kernel instead of five makes the scan of Mamba-2 1.5 to 2.5 times faster on A100 and H100 ("Accelerating
  -- Mamba2 with Kernel Fusion", pytorch.org, 2025; recalled, not read again).
  { "common.mixer_passes", "all", 1.5, 0.3 },
  -- Fused MoE timings of even routing and 128 to 8,192 rows per expert, less 7 passes, over plain matmuls with half a
  -- tile of 128 rows more for each expert: 0.80 to 1.05 on six devices in 16 and 8 bit. Half a tile fits best on
  -- all of them (32 to 96 rows); without it few rows look slow and many fast (ai-dynamo/aiconfigurator@095f58a51c).
  { "expert_gemm", "all", 0.93, 0.05 },
  -- A copy to the host, and some tens of launches until the device is busy again: assumption.
  { "common.moe_wait_s", "launched", 1e-3, 0.5 },
  -- 4-bit kernels of serving reach half of the peak; cuBLAS has gained since: assumption.
  { "common.gemm_fp4", "all", 0.85, 0.2 },
  { "common.quantize", "all", 0.5, 0.4 },
  -- A scale for each row: casts in two directions for every operand, and sums in fp32 outside of the matmul units. On
  -- eight H100 Llama 3 8B gains a tenth by it and a quarter by one scale for a tensor (torchao's float8 README, recalled).
  { "narrow_gemm", "rowwise", 1.3, 0.08 },
  -- Blocks that software scales: kernels of serving take 1.1 to 1.2 times as long as with one scale (curves.gemm, H100).
  { "narrow_gemm", "blockwise", 1.1, 0.1 },
  -- Generations of attention kernels, over the curves of today's. FlashAttention-2 on A100 at 16,384 tokens and head
  -- width 128 does about 195 TFLOP/s forward and 180 backward (arXiv:2307.08691, figures 5 and 6), the curve 145 and,
  -- by its backward, 105. Today's on H100 are 1.5 to 2 times as fast forward as FlashAttention-2 and 1.5 to 1.75 times backward,
  -- and their own backward is 550 of 650 (arXiv:2407.08608, abstract, figures 5 and 6).
  { "attention", "all", 0.9, 0.15 },
  { "attention", "first_attention", 1.2, 0.2 },
  { "attention", "first_attention_hopper", 2.0, 0.3 },
  { "attention", "second_attention_ampere", 0.8, 0.1 },
  { "attention_backward", "second_attention_ampere", 0.8, 0.1 },
  { "attention", "second_attention_hopper", 1.75, 0.15 },
  { "attention_backward", "second_attention_hopper", 0.8, 0.1 },
  { "attention", "cudnn_2024_hopper", 1.3, 0.15 },
  { "attention_backward", "today_attention_hopper", 0.85, 0.15 },
  -- Classes.
  { "host_layer_s", "megatron", 4e-4, 0.3 },
  { "host_layer_s", "eager", 7e-4, 0.2 },
  { "host_micro_s", "eager", 1e-3, 0.5 },
  { "host_micro_s", "megatron", 5e-4, 0.7 },
  { "host_layer_s", "fsdp", 5e-4, 0.3 },
  { "common.host_pipe", "nanotron", 1, 0.7 },
  { "elementwise_passes", "deepspeed", 1.5, 0.3 },
  { "elementwise_passes", "fsdp", 1.3, 0.3 },
  { "elementwise_passes", "nanotron", 2.5, 0.4 },
  { "exposed_fsdp", "fsdp", 0.2, 0.7, high = SHARE_HIGH },
  { "exposed_fsdp", "jax", 0.1, 0.7, high = SHARE_HIGH },
  { "common.selective_mlp", "jax", 0.4, 0.5, high = SHARE_HIGH },
  { "gemm", "tpu", 1.05, 0.15 },
  { "expert_gemm", "tpu", 1.0, 0.1 }, -- no timings
  { "gemm", "neuron", 1.1, 0.25 },
  -- Its ceiling is the best matmul that a search found. Timed devices train at 0.86 (H100) to 0.89 (A100) of theirs
  -- (curves and fit over stas00/ml-engineering@744d01e18b), and shapes of layers are not the best: another tenth (assumption).
  { "gemm", "gaudi", 1.25, 0.2 },
  -- All rows at hand are in 8 bit, which the rest of a step in 16 bit says nothing of: published pairs gain a third by it
  -- where matmuls at their ceilings would by a half (Llama 2 7B on eight, arXiv:2409.12517, table 3; recalled).
  { "narrow_gemm", "gaudi", 1.3, 0.3 },
  { "gemm", "ascend", 1.1, 0.2 },
}

-- Factors on what the built-in profile says: prior 1. Widths: how far classes of software, devices and
-- networks differ from each other in the published fit; assumption where that has one value only, as
-- for networks, whose collectives were timed on NVLink alone.
coefficients.own = {
  { "gemm", "all", 1, 0.15 },
  { "sustained_flop_w", "all", 1, 0.15 },
  { "elementwise_passes", "all", 1, 0.3 },
  { "attention", "all", 1, 0.3 },
  { "host_layer_s", "all", 1, 0.7 },
  { "host_tp", "split", 1, 0.7 },
  { "host_micro_s", "all", 1, 0.7 },
  { "host_step_s", "all", 1, 0.8 },
  { "scaleup", "all", 1, 0.4 },
  { "scaleout", "spanning", 1, 0.4 },
  { "exposed_dp", "all", 1, 0.7 },
  { "exposed_fsdp", "all", 1, 0.7 },
  { "latency", "all", 1, 0.5 },
  { "moe_passes", "moe", 1, 0.4 },
  { "expert_gemm", "moe", 1, 0.2 },
}

local scopes = {
  all = function() return true end,
  others = function(case) return case.class ~= "nanotron" end,
  eager = function(case) return profiles.runs_eagerly(case.class) end,
  -- Compiled programs know their shapes: no host waits for them. Profiles of somebody's own need not say it.
  launched = function(case) return case.input.profile.launches ~= "compiled" end,
  -- Kernels of whole graphs permute what they send.
  permuting = function(case) return case.input.profile.expert_casts ~= "fused" end,
  hybridep = function(case)
    local profile = case.input.profile
    return profile.expert_counts == "kept" and profile.expert_casts ~= "fused"
  end,
  -- Where a coefficient has no effect it need not be tried.
  moe = function(case) return (case.input.model.experts or 0) > 0 end,
  split = function(case) return (case.input.plan.tp or 1) > 1 end,
  spanning = function(case)
    return case.input.network.devices > (case.input.network.domain or 1)
  end,
}

-- Scopes by what a case has besides its class.
scopes.rack = function(case) return profiles.in_rack(case.input.device) end

local by_case = { "rack", "launched", "permuting", "hybridep" }

local function add_scope(name, holds)
  by_case[#by_case + 1], scopes[name] = name, holds
end

for _, scope in ipairs(attention_kernels.SCOPES) do
  add_scope(scope, function(case)
    return attention_kernels.scope(case.input.profile.attention_kernels, case.input.device) == scope
  end)
end
for _, scales in ipairs({ "rowwise", "blockwise" }) do
  add_scope(scales, function(case) return case.input.profile.fp8_scales == scales end)
end
for _, fabric in ipairs({ "infiniband", "roce", "omni-path" }) do
  add_scope(fabric, function(case) return case.input.network.fabric == fabric end)
end

--- Whether a coefficient of a list applies to a case of validate.cases.
function coefficients.applies(coefficient, case)
  local scope = scopes[coefficient[2]]
  if scope then return scope(case) end
  return case.class == coefficient[2] or profiles.like(case.class) == coefficient[2]
end

--- Text that is the same for cases to which the same coefficients apply.
function coefficients.kind(case)
  local words = { case.class }
  for _, scope in ipairs(by_case) do
    words[#words + 1] = tostring(scopes[scope](case))
  end
  return table.concat(words, " ")
end

local function rows_of(coefficient, cases)
  local rows = {}
  for i, case in ipairs(cases) do
    if coefficients.applies(coefficient, case) then rows[#rows + 1] = i end
  end
  return rows
end

--- A list of coefficients over cases, as core.batch takes it; as factors on what the profiles of the
--- cases say if `factors`.
---@param list table[] coefficients.published or .own
---@param cases table[] from validate.cases
---@param factors boolean|nil
function coefficients.over(list, cases, factors)
  local result = {}
  for j, coefficient in ipairs(list) do
    result[j] = { field = "profile." .. coefficient[1], prior = factors and 1 or coefficient[3],
      width = coefficient[4], high = not factors and coefficient.high or nil, times = factors,
      rows = coefficient[2] ~= "all" and rows_of(coefficient, cases) or nil }
  end
  return result
end

--- A profile with another value of a coefficient, which may be of those in common.
---@param profile table
---@param coefficient table of one of the lists
---@param value number
function coefficients.with(profile, coefficient, value)
  local common = coefficient[1]:match("^common%.(.*)$")
  if not common then return tables.with(profile, { [coefficient[1]] = value }) end
  return tables.with(profile, { common = tables.with(profile.common, { [common] = value }) })
end

--- A coefficient's name in a table: "host_layer_s of fsdp".
function coefficients.name(coefficient)
  return coefficient[2] == "all" and coefficient[1] or (coefficient[1] .. " of " .. coefficient[2])
end

return coefficients
