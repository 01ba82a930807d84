-- How a published result was measured: number format, runtime, batch and padding of a row, as far as it
-- says so, and the rules of MLPerf's inference benchmark where it is one of its results.
local errors = require("ballpark.errors")

local inference_protocol = {}

local FORMATS <const> = { fp32 = "fp32", tf32 = "tf32", fp16 = "fp16", bf16 = "bf16", fp8 = "fp8", int8 = "int8",
  amp = "fp16" }

--- MLPerf inference rules, server scenario: bound of the 99th percentile in seconds, by benchmark (recalled).
inference_protocol.bounds = { bert = 0.130, resnet50 = 0.015, retinanet = 0.100, dlrm = 0.060 }

-- Mean tokens of a SQuAD question with its paragraph, of 384 (recalled from submitters' reports).
local SQUAD_MEAN <const>, SQUAD_MAX <const> = 178, 384

-- Inputs of a call where all are there from the start and the batch is not told (assumption).
local OFFLINE_BATCH <const> = 1024

-- A chip of these has two cores, and each runs a model of its own (AWS Neuron documentation).
local CORES <const> = { Inferentia2 = 2, Trainium1 = 2 }

--- bert, resnet50, ... of an MLPerf row and its accuracy target ("99", "99.9"), or nil.
function inference_protocol.benchmark(row)
  local bench = row.said.bench
  if not bench or not row.said.scenario then return nil end
  return bench:match("^(%a+%d*)") , bench:match("%-(99[%.9]*)$")
end

local function known_format(text)
  text = text:lower()
  local matmuls = text:match("matmult%-(%w+)")
  return FORMATS[matmuls or text:match("^(%w+)")]
end

-- A submission computes in 8 bits; for 99.9 % of the accuracy in fp8 where the device has it, else in 16.
local function mlperf_format(row, device, kind)
  local _, target = inference_protocol.benchmark(row)
  local fp8 = (device.fp8_flop_s or 0) > 0
  if kind == "encoder" and fp8 then return "fp8" end
  if target == "99.9" or not ((device.int8_flop_s or 0) > 0) then return "fp16" end
  return "int8"
end

--- The number format of a row.
function inference_protocol.format(row, device, kind)
  local format
  if row.precision_weights then
    format = known_format(row.precision_weights)
    if not format then errors.input("precision_weights", "'" .. row.precision_weights .. "' is not known") end
  elseif row.said.bench then
    format = mlperf_format(row, device, kind)
  else
    format = "fp16"
  end
  if format == "bf16" and device.has_bf16 == false then format = "fp16" end
  return format
end

-- What the text of an engine says, first match wins. Triton runs PyTorch models as TorchScript (its documentation).
local RUNTIMES <const> = {
  { "FasterTransformer", "fastertransformer" }, { "TensorRT", "tensorrt" }, { "TRT", "tensorrt" },
  { "TorchScript", "compiled" }, { "XLA", "xla" }, { "ONNX", "compiled" }, { "Triton PyTorch", "compiled" },
  { "PyTorch", "eager" },
  { "TensorFlow", "xla" },
}

-- What hands inputs over, first match wins: a server, or the pipeline of pictures that NVIDIA's DeepLearningExamples time
-- with the network.
local SERVERS <const> = { { "Triton.*dynamic", "triton_concurrent" }, { "Triton", "triton" }, { "%(DLE%)", "pipeline" } }

local function server_of(engine)
  for _, item in ipairs(SERVERS) do
    if engine:find(item[1]) then return item[2] end
  end
  return nil
end

--- The runtime of a row and the server in front of it (nil: none).
function inference_protocol.runtime(row, device)
  local engine = row.engine or ""
  local server = server_of(engine)
  if device.vendor == "AWS" then return "neuron", server end
  for _, item in ipairs(RUNTIMES) do
    if engine:find(item[1], 1, true) then return item[2], server end
  end
  errors.input("engine", "'" .. engine .. "' is not known")
end

--- Cores of the device that run copies side by side.
function inference_protocol.copies(device) return CORES[device.name] or 1 end

--- Inputs of a call; what was assumed about it.
function inference_protocol.batch(row)
  if row.batch_or_concurrency then return row.batch_or_concurrency end
  return OFFLINE_BATCH, ("calls of %d"):format(OFFLINE_BATCH)
end

--- Puts tokens and padding of a text into `input`; what was assumed about them.
function inference_protocol.lengths(row, input)
  local notes = row.notes or ""
  if row.said.bench and notes:find("SQuAD", 1, true) then
    input.tokens, input.mean_tokens, input.padding = SQUAD_MAX, SQUAD_MEAN, "removed"
    return ("padding removed, %d tokens in the mean"):format(SQUAD_MEAN)
  end
  input.tokens = row.input_len
  if notes:find("padding removed", 1, true) and row.input_len then
    input.mean_tokens, input.padding = row.input_len / 2, "removed"
    return "texts half as long as the longest"
  end
end

return inference_protocol
