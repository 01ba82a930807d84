-- What is said of how the software runs, beside its class: graphs, compilation, how tokens go to experts. Each changes
-- the coefficients that stand for it.
local errors = require("ballpark.errors")
local fit = require("ballpark.catalog.fitted.profile")
local tables = require("ballpark.tables")

local launch_settings = {}

-- Time to launch the graph of a layer: one launch in place of some sixty of 8 us, which are the host_layer_s of
-- catalog.profiles (assumption).
local GRAPH_LAUNCH_S <const> = 1e-5

-- Elementwise traffic of eager PyTorch over that of fused kernels, counted in passes over the hidden state of a gated
-- layer of width ratio 3.5: two norms 2 + 2 fused and 11 + 11 eager (cast, square, mean, two products, cast), rotation 2
-- and 8, gate and product 3 and 5 times 3.5, two sums 6 and 6.
local EAGER_PASSES <const> = (22 + 8 + 17.5 + 6) / (4 + 2 + 10.5 + 6)

-- Tokens of the fullest expert-parallel rank over the mean where routing is not forced to be even: an assumption, as
-- load-balancing losses leave it.
local NATURAL_IMBALANCE <const> = 1.15

-- Passes over routed tokens that are left where the kernels that send tokens permute them and those of the experts cast
-- what they write: out of the residual stream, and back into it (count of ours).
local PERMUTED_AS_SENT <const> = 2

-- A graph of a whole step has no host in it that could count tokens: experts then have kernels that need none, and do
-- the permutation and the casts of 8 bit as well.
local whole = { launches = "compiled", expert_counts = "kept", expert_casts = "fused", moe_passes = PERMUTED_AS_SENT }

local layers = { host_layer_s = GRAPH_LAUNCH_S, pipe_collectives = "queued", host_tp = 0 }

-- { name, what values change in the coefficients, what it is }; later ones go over earlier ones.
local SETTINGS = {
  { "compiled", { [true] = { elementwise_passes = 1, adapters = "fused", activation_copies = 1, eager_kept = false,
      eager_scores = false },
    [false] = { elementwise_passes = EAGER_PASSES, eager_scores = true } },
    ("torch.compile; false: %.2g times the elementwise traffic of fused kernels, and stored scores pass by pass"):format(EAGER_PASSES) },
  { "moe_dispatcher", { alltoall = { expert_copies = "each" }, allgather = { expert_copies = "all" },
    deepep = { expert_copies = "merged" }, hybridep = { expert_copies = "merged", expert_counts = "kept",
      moe_passes = fit.hybridep.moe_passes } },
    "how tokens go to experts: alltoall sends one to each of its experts, allgather all to all ranks, deepep and hybridep "
      .. "one to each rank; hybridep lays them out where experts read them and needs no host to count them" },
  { "moe_routing", { balanced = { imbalance = 1 }, natural = { imbalance = NATURAL_IMBALANCE } },
    ("balanced, or natural: the fullest rank has %.4g times the mean"):format(NATURAL_IMBALANCE) },
  { "cuda_graph", { none = {}, on = {}, ["local"] = layers, transformer_engine = layers,
    full_iteration = whole },
    "captured graphs: none, local or transformer_engine (one launch for each layer), full_iteration (none, and experts' tokens are "
      .. "permuted and cast by the kernels that send and compute them); on: of a kind that nobody says" },
}

--- The names of `first` and those of the settings.
function launch_settings.names(first)
  local list = tables.with(first)
  for _, setting in ipairs(SETTINGS) do list[#list + 1] = setting[1] end
  return list
end

--- Rows { name, words } of `first` and of the settings.
function launch_settings.reference(first)
  local rows = tables.with(first)
  for _, setting in ipairs(SETTINGS) do rows[#rows + 1] = { setting[1], setting[3] } end
  return rows
end

--- Coefficients of software whose 8-bit matmuls have such scales; those of a calibration stay.
---@param profile table
---@param scales string rowwise, blockwise, or what costs no more than one scale for a tensor
function launch_settings.with_scales(profile, scales)
  if profile.calibration or not fit[scales] then return profile end
  return tables.with(profile, { fp8_scales = scales, narrow_gemm = fit[scales].narrow_gemm })
end

--- What the recipes of 8 bit cost, in a sentence.
function launch_settings.scales()
  return ("plan.fp8_recipe says how 8-bit matmuls scale: delayed, current and tensorwise cost the same here, their matmuls "
    .. "take %.2f times as long rowwise and %.2f times blockwise; mxfp8 is a precision of its own, of devices with 4-bit "
    .. "matmul units."):format(fit.rowwise.narrow_gemm, fit.blockwise.narrow_gemm)
end

local function worded(values)
  local words = {}
  for value in pairs(values) do words[#words + 1] = tostring(value) end
  table.sort(words)
  return words
end

--- Coefficients with what is said of the software in them; those of a calibration stay, its runs had it.
---@param profile table
---@param software table the fact
function launch_settings.applied(profile, software)
  for _, setting in ipairs(SETTINGS) do
    local name, values = setting[1], setting[2]
    local said = software[name]
    if said ~= nil then
      if not values[said] then errors.choice("software." .. name, tostring(said), worded(values)) end
      if not profile.calibration then profile = tables.with(profile, values[said]) end
    end
  end
  return profile
end

return launch_settings
