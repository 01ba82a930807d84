-- Inference runtimes for everything that is no language model: what each class of software does, and the
-- coefficients that tools/fit/runtimes.lua fitted to published latencies.
local errors = require("ballpark.errors")
local fit = require("ballpark.catalog.fitted.runtime")
local tables = require("ballpark.tables")

local runtimes = {}

-- Launches of a layer: counted in the block diagrams of the projects' guides; the fitted time of a launch
-- takes what they are off. fused_tokens: sequences for which the project has one attention kernel.
local entries = {
  tensorrt = {
    source = "TensorRT developer guide (2024): layers fused, attention in one kernel, captured graphs; of any length, which "
      .. "is recalled of its kernels that go over keys in tiles",
    kernels = 8, conv_kernels = 1, fused_tokens = 1000000000, quantize = 0,
  },
  fastertransformer = {
    source = "FasterTransformer guides @df4a753486: fused attention up to 384 tokens, else scores stored",
    kernels = 10, conv_kernels = 1, fused_tokens = 384,
  },
  compiled = {
    source = "TorchScript, ONNX Runtime: some elementwise kernels fused, attention as matmuls and softmax",
    kernels = 12, conv_kernels = 1, fused_tokens = 0,
  },
  xla = {
    source = "TensorFlow XLA: elementwise kernels fused, attention as matmuls and softmax",
    kernels = 8, conv_kernels = 1, fused_tokens = 0,
  },
  eager = {
    source = "PyTorch without compilation: one launch for every operator",
    kernels = 24, conv_kernels = 3, fused_tokens = 0,
  },
  neuron = {
    source = "AWS Neuron SDK documentation (2025): whole graphs compiled ahead",
    kernels = 10, conv_kernels = 1, fused_tokens = 0,
  },
}

-- In front of a runtime: who hands inputs over.
local servers = {
  triton = { source = "one client that waits for each answer (perf_analyzer, model_analyzer)" },
  triton_concurrent = { source = "many clients at one time, batched by the server" },
  pipeline = { source = "pictures that a data loader of the same program hands over (NVIDIA DeepLearningExamples)" },
}

local aliases = {
  trt = "tensorrt", ft = "fastertransformer", torchscript = "compiled", onnx = "compiled",
  ["onnx runtime"] = "compiled", pytorch = "eager", torch = "eager",
}

--- Names of all runtimes, sorted.
function runtimes.names() return tables.sorted_keys(entries) end

--- Names of all servers around them, sorted.
function runtimes.servers() return tables.sorted_keys(servers) end

--- How far measured times lie from predicted ones in four of five cases: { low, high } factors of the time,
--- by kind of network (encoder, vision, convnet, recommendation).
function runtimes.spread(kind) return fit.spread[kind] end

local function put(result, part)
  for key, value in pairs(part) do result[key] = value end
end

--- A copy of a runtime, fields of bp_runtime; `server` (may be nil) is put in front. Unknown names are
--- errors.
---@param name string
---@param server string|nil
function runtimes.get(name, server)
  local known = tostring(name):lower()
  known = aliases[known] or known
  if not entries[known] then errors.choice("runtime", tostring(name), runtimes.names()) end
  local result = { name = known }
  for _, part in ipairs({ entries[known], fit.common, fit[known] }) do put(result, part) end
  if server then
    local there = servers[server] and fit[server]
    if not there then errors.choice("server", tostring(server), runtimes.servers()) end
    result.input_bytes_s = there.input_bytes_s
    result.call_s = result.call_s + there.call_s
  end
  return result
end

return runtimes
