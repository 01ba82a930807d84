-- The coefficients that tools/fit/memory.lua fits, per class of software: field of the profile, prior
-- value and prior width (standard deviation of its logarithm). Only the excess of fragmentation over 1
-- varies.
local lua_source = require("ballpark.lua_source")
local tables = require("ballpark.tables")

local memory_coefficients = {}

local GiB <const> = 1 << 30

local lists = {
  -- Logs what PyTorch allocated, so context and fragmentation stay assumptions (see profiles.lua).
  megatron = {
    { "activation_copies", 1, 0.05 },  -- fused kernels: the tensor list is what there is
    { "logit_bytes", 10, 0.3 },        -- bf16 logits, fp32 copy, fp32 gradient
    { "working_grad_bytes", 2, 0.3 },  -- 16-bit gradients on their way into fp32
  },
  deepspeed = {
    -- nvidia-smi: context and NCCL's buffers, 2 GiB; and the buckets that gradients and parameters pass through,
    -- reduce_bucket_size and allgather_bucket_size of 5e8 elements of 16 bit each: defaults of DeepSpeed's
    -- configuration, its documentation of ZeRO, 2022.
    { "context_bytes", 2 * GiB + 2 * 5e8 * 2, 0.4 },
    { "fragmentation", 1.15, 0.5 },    -- reserved over allocated
    { "activation_copies", 1.1, 0.1 },
    { "logit_bytes", 12, 0.3 },
    { "backward_grad_bytes", 2, 0.3 }, -- the bf16 optimizer keeps 16-bit gradients beside fp32 ones
  },
  nanotron = {
    { "context_bytes", 1 * GiB, 0.4 },
    { "fragmentation", 1.08, 0.5 },
    { "activation_copies", 1.3, 0.2 }, -- unfused activation, norms and rotary embedding keep more
    { "logit_bytes", 14, 0.3 },        -- and a second fp32 copy for the exponentials
    { "backward_grad_bytes", 2, 0.3 }, -- added up after the backward of a micro-batch
  },
  internevo = {
    { "context_bytes", 1 * GiB, 0.4 },
    { "fragmentation", 1.1, 0.5 },
    { "activation_copies", 1.15, 0.15 },
    { "logit_bytes", 12, 0.3 },
    { "backward_grad_bytes", 2, 0.3 },
  },
}

--- The classes that have coefficients, sorted.
function memory_coefficients.classes() return tables.sorted_keys(lists) end

--- Coefficients of a class, maybe none.
function memory_coefficients.of(class)
  local list = {}
  for j, entry in ipairs(lists[class] or {}) do
    list[j] = { field = entry[1], prior = entry[2], width = entry[3] }
  end
  return list
end

--- Value of a coefficient at x widths from its prior.
function memory_coefficients.value(coefficient, x)
  local base = coefficient.field == "fragmentation" and 1 or 0
  return base + (coefficient.prior - base) * math.exp(coefficient.width * x)
end

--- The catalog's table as Lua source. `results` per class: list, x, spread; `unseen` is the spread of
--- software that no fit has seen.
function memory_coefficients.source(results, unseen, rows)
  local classes = { unseen = { memory_spread = unseen } }
  for class, result in pairs(results) do
    local values = { memory_spread = result.spread }
    for j, c in ipairs(result.list) do values[c.field] = memory_coefficients.value(c, result.x[j]) end
    classes[class] = values
  end
  return ("-- Memory coefficients of training software, written by tools/fit/memory.lua; do not edit.\n"
    .. "-- Fitted to %d published peaks; priors are in tools/fit/memory_coefficients.lua.\nreturn %s\n"):format(
    rows, lua_source.of(classes, 4))
end

return memory_coefficients
