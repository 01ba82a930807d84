-- Serving engines: their defaults for settings a user may leave blank, as their documentation has them,
-- and the coefficients that tools/fit/serving.lua fitted to published measurements.
local errors = require("ballpark.errors")
local fit = require("ballpark.catalog.engine_fit")

local engines = {}

local entries = {
  vllm = {
    source = "vLLM V1 documentation, engine arguments (2025): chunked prefill with decoding, KV on demand, "
      .. "recomputation of the latest",
    policy = "mixed", token_budget = 8192, max_running = 1024, memory_frac = 0.9, block_tokens = 16,
    graph_tokens = 512, reserve_output = false, flash = true,
  },
  sglang = {
    source = "SGLang documentation, server arguments (2025): prefill before decoding, chunks of 8192",
    policy = "prefill_first", token_budget = 8192, max_running = 1024, memory_frac = 0.85,
    block_tokens = 1, graph_tokens = 512, reserve_output = false, reserve = "static",
  },
  trtllm = {
    source = "TensorRT-LLM documentation, LLM API (2025): guaranteed no evict, KV for 90 % of free memory",
    policy = "mixed", token_budget = 8192, max_running = 2048, memory_frac = 0.9, reserve = "free",
    block_tokens = 32, graph_tokens = 512, reserve_output = true, chunked_prefill = false,
  },
}

--- Names of all engines, sorted.
function engines.names() return { "sglang", "trtllm", "vllm" } end

local aliases = { ["tensorrt-llm"] = "trtllm", ["tensorrt_llm"] = "trtllm", ["tensorrtllm"] = "trtllm", trt = "trtllm" }

local function known_name(text)
  local name = text:lower()
  name = aliases[name] or name
  return entries[name] and name or nil
end

--- The engine that a text such as "TensorRT-LLM 1.0" begins with; nil where it is none of these.
---@param text string|nil
---@return string|nil
function engines.named(text) return known_name((text or ""):match("^[%a%-_]+") or "") end

--- A copy of an engine's settings and coefficients, fields of bp_engine; unknown names are an error.
---@param name string
---@return table
function engines.get(name)
  local known = known_name(tostring(name))
  if not known then errors.choice("engine", tostring(name), engines.names()) end
  local result = { name = known }
  for _, part in ipairs({ fit.common, fit[known] or {}, entries[known] }) do
    for key, value in pairs(part) do result[key] = value end
  end
  return result
end

return engines
