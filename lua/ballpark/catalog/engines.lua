-- Serving engines: their defaults for settings a user may leave blank, as their documentation has them,
-- and the coefficients that tools/fit/serving.lua fitted to published measurements.
local blanks = require("ballpark.blanks")
local errors = require("ballpark.errors")
local fit = require("ballpark.catalog.fitted.engine")
local kinds = require("ballpark.catalog.fitted.engine_kinds")
local local_engines = require("ballpark.catalog.local_engines")
local releases = require("ballpark.catalog.engine_releases")
local near = require("ballpark.near")
local printable = require("ballpark.printable")
local tables = require("ballpark.tables")

local engines = {}

local entries = {
  vllm = {
    source = "vLLM V1 documentation, engine arguments (2025): chunked prefill with decoding, KV on demand, "
      .. "recomputation of the latest",
    policy = "mixed", token_budget = 8192, max_running = 1024, memory_frac = 0.9, block_tokens = 16,
    graph_tokens = 512, reserve_output = false, flash = true, narrow_prompts = true,
    -- Its design document of CUDA graphs (2025): in pieces by default since V1, for every step they are large enough for.
    graph_pieces = true,
    -- Its hybrid manager of the cache leaves chunks of attention out unless an environment variable asks for them (0.10.1, 2025;
    -- recalled): seven caches of Llama 4 that 0.8.4 printed hold every token in every layer.
    chunk_kept = 1,
    -- Its fused_moe kernels in Triton and Marlin take tokens by sorted indices; FlashInfer's, CUTLASS's and DeepGEMM's of
    -- 8 and 4 bit want them permuted (vllm/model_executor/layers/fused_moe, 2025).
    gathers = "16_bit",
    -- While it samples: fp32 logits, their sorted copy and 64-bit indices, counted by hand; 15 are left for all of it
    -- where 0.11 printed its cache (a notebook of Unsloth, 2025).
    logit_bytes = 16,
    -- A context of CUDA takes 0.4 to 0.5 GB (recalled); libraries are counted apart.
    context_bytes = 5e8,
  },
  sglang = {
    source = "SGLang documentation, server arguments (2025): prefill before decoding, chunks of 8192",
    policy = "prefill_first", token_budget = 8192, max_running = 1024, memory_frac = 0.85,
    block_tokens = 1, graph_tokens = 512, reserve_output = false, reserve = "static",
    -- A pool of their own, of 0.8 of the others' tokens (its swa_full_tokens_ratio).
    window_kept = 0.8, chunk_kept = 0.8,
    -- Triton's fused_moe, of 8 bit too, unless another runner is asked for (its server arguments, 2025).
    gathers = "8_bit",
    -- It turns overlap off where there are stages (server_args.py, 2025; recalled).
    stages_ahead = false,
  },
  trtllm = {
    source = "TensorRT-LLM documentation, LLM API (2025): guaranteed no evict, KV for 90 % of free memory",
    policy = "mixed", token_budget = 8192, max_running = 2048, memory_frac = 0.9, reserve = "free",
    block_tokens = 32, graph_tokens = 512, reserve_output = true, chunked_prefill = false, narrow_prompts = true,
    -- It forgets where its max_attention_window says so, which is blank unless given (LlmArgs, kv_cache_config, 2025).
    window_kept = 1,
    -- AllReduceFusionOp of its kernels, RESIDUAL_RMS_NORM_QUANT_FP8 and _NVFP4 (tensorrt_llm/functional.py, 2025).
    sum_fusion = "quantize",
  },
}

--- Names of the engines that coefficients are fitted for, sorted.
function engines.fitted() return tables.sorted_keys(entries) end

-- Devices that vLLM has wheels or plug-ins for: CUDA from compute capability 7.0 on and ROCm from CDNA 2 on, TPU, Gaudi,
-- Neuron, Ascend (its installation guide, 2025). The rest is run with llama.cpp.
local SERVED <const> = { volta = true, turing = true, ampere = true, ["ampere-hbm"] = true, ada = true, hopper = true,
  blackwell = true, ["blackwell-hbm"] = true, cdna2 = true, cdna3 = true }

--- Whether people run engines of many sequences on a device.
function engines.run_on(device)
  return not device.shared_memory and (device.architecture == nil or SERVED[device.architecture] == true)
end

--- Whether an engine lets nobody into a batch before all of it is over.
---@param name string
function engines.is_static(name) return (kinds[name] or {}).static == true end

--- Names of all engines that requests can be sent to one by one, sorted.
function engines.names()
  local list = {}
  for _, name in ipairs(tables.sorted_keys(tables.with(entries, kinds))) do
    if not engines.is_static(name) then list[#list + 1] = name end
  end
  return list
end

local aliases = { ["tensorrt-llm"] = "trtllm", ["tensorrt_llm"] = "trtllm", ["tensorrtllm"] = "trtllm", trt = "trtllm" }

local function known_name(text)
  local name = text:lower()
  name = aliases[name] or name
  return (entries[name] or kinds[name]) and name or nil
end

--- The engine that a text such as "TensorRT-LLM 1.0" begins with; nil where it is none of these.
---@param text string|nil
---@return string|nil
function engines.named(text)
  local word = (text or ""):match("^[%a%-_%d]+") or ""
  return known_name(word) or known_name(word:match("^[%a%-_]+") or "") or known_name(word:match("^%a+") or "")
end

-- Engines that launch every kernel of a step: names, and the first release, or year where there is none, that captures graphs
-- (TGI's release notes of 2.0, 2024-04; LightLLM's and DeepSpeed-MII's code; recalled). Without one all releases do.
local launching = {
  ["deepspeed-mii"] = {}, ["deepspeed-fastgen"] = {}, mii = {}, punica = {}, ["s-lora"] = {},
  tgi = { release = "2.0", year = 2024 }, ["text-generation-inference"] = { release = "2.0", year = 2024 },
  lightllm = { release = "1.0", year = 2024 },
}

-- Other engines of many requests that nobody measured for us.
local OTHERS <const> = { aphrodite = true, deepspeed = true, ["deepspeed-inference"] = true, fastdeploy = true, ipex = true,
  jetstream = true, lmdeploy = true, mindie = true, openvino = true, ["rtp-llm"] = true, turbomind = true }

-- The name that a text begins with, in small letters.
local function word_of(text) return (text:match("^[%a%-_]+") or text):lower():gsub("%-$", "") end

-- What generates on Gaudi without an engine is Optimum Habana, which runs models of several devices under DeepSpeed (its
-- examples, 2024; recalled).
local ON_GAUDI <const> = { deepspeed = true, habana = true, transformers = true, huggingface = true }

--- Whether a name that is no engine's means Optimum Habana on a device.
function engines.is_on_gaudi(text, device)
  return ON_GAUDI[word_of(text)] == true and (device.name or ""):find("^Gaudi") ~= nil
end

-- Whether a generic engine stands for the one of a name, which people serve with.
local function is_stood_for(text)
  local word = word_of(text)
  return launching[word] ~= nil or OTHERS[word] == true
end

--- Refuses what is no engine of the catalog and has no stand-in: others are asked for as generic.
---@param text string its name, with a version where one is said
---@param device table
function engines.check(text, device)
  local known = engines.named(text)
  if known and engines.is_static(known) or not known and engines.is_on_gaudi(text, device) then
    errors.input("engine", ("'%s' runs a batch until its last answer is over, and requests are served one by one: say generic for them"):format(text))
  end
  if known or is_stood_for(text) then return end
  local names = engines.names()
  local of_one = local_engines.family(text)
  if of_one then errors.input("engine", ("'%s' serves one sequence or a static batch: 'ballpark local' answers"):format(text)) end
  local meant = near.name(text:match("^[%a%-_]+") or text, names)
  errors.input("engine", ("'%s' is no engine that is modelled%s"):format(printable.line(text), meant
    and (", did you mean '" .. meant .. "'?") or (": say one of %s, which is any other"):format(table.concat(names, ", "):gsub("generic, (.*)$", "%1, generic"))))
end

-- Settings and coefficients of an engine of the fit.
local function of_fit(name)
  local result = { name = name }
  for _, part in ipairs({ fit.common, fit[name] or {}, entries[name] }) do
    for key, value in pairs(part) do result[key] = value end
  end
  return result
end

--- A copy of an engine's settings and coefficients, fields of bp_engine, at its release of today; unknown names are an
--- error.
---@param name string
---@param text string|nil that states another release
---@return table
function engines.get(name, text)
  local known = known_name(tostring(name))
  if not known then errors.choice("engine", tostring(name), engines.names()) end
  local kind = kinds[known]
  if not kind then return releases.at(of_fit(known), releases.named(known, text)) end
  local like = kind.release and releases.at(of_fit(kind.like), kind.release) or of_fit(kind.like)
  return tables.with(tables.with(like, kind.engine), { name = known })
end

--- Whether an engine is vLLM before V1.
function engines.is_before_v1(name) return name:find("^vllm_v0") ~= nil end

--- Whether an engine does not start where its cache does not hold one request of max_model_len: vLLM raises an error
--- (vllm/v1/core/kv_cache_utils.py); SGLang and TensorRT-LLM start and take no request that is longer than the cache (recalled).
function engines.wants_whole_context(name) return name == "vllm" or engines.is_before_v1(name) end

--- The engine of the fit whose software an engine is: itself, or the one that it is a former release of.
---@param name string
function engines.like(name) return kinds[name] and kinds[name].release and kinds[name].like or name end

--- Whether only matmuls in 16 bit are as slow as the engine says.
---@param name string
function engines.slows_16_bit(name) return (kinds[name] or {}).slowed == "16_bit" end

--- How far an engine is from what coefficients were fitted to: factors { low, high } of a predicted time that hold
--- four in five of what was measured, nil for those of the fit.
---@param name string
function engines.beyond(name) return kinds[name] and kinds[name].range end

-- First releases, and years, of the engines that coefficients are of: vLLM's V1 (release notes of 0.8.0, 2025-03),
-- TensorRT-LLM with multi-block mode by default (0.14, 2024-11; recalled).
local CURRENT <const> = { vllm = { release = "0.8", year = 2025, said = "vLLM" }, trtllm = { release = "0.14", year = 2025, said = "TensorRT-LLM" } }

-- Whether a version, or a year where there is none, is before those, and what it is; nil where neither is said.
local function is_former(name, text)
  local current = CURRENT[name]
  local before, said = releases.is_before(text, current.release, current.year)
  return before, said and ("%s %s"):format(current.said, said)
end

-- Release, and end of the years, before which vLLM had no captured graphs of steps that only decode (release notes of
-- 0.2.6, 2023-12; recalled).
local GRAPHS <const> = { release = "0.2.6", year = 2024 }

-- Release of TensorRT-LLM, and end of the years, before which XQA kernels were an option (trtllm-build's options of 2024;
-- recalled).
local XQA <const> = { release = "0.8", year = 2024 }

-- TensorRT-LLM before multi-block mode, as a text states its release.
local function old_trtllm(said, text)
  local engine = engines.get("trtllm_v0")
  if releases.is_before(text, XQA.release, XQA.year) then engine.apart_below = 0 end
  return engine, ("extrapolated: %s is one before 0.14, whose attention reads the keys of a head in one block of threads"):format(said)
end

-- The engine before V1, on a device, as a text states its release.
local function old_vllm(said, device, text)
  local on = kinds.vllm_v0.on
  local engine = engines.get(on[device.architecture] or on[device.vendor] or "vllm_v0")
  local slower = engine.slowdown > 1 and (", its %s on %s %g times as slow as curves say"):format(
    engines.slows_16_bit(engine.name) and "matmuls of 16 bit" or "kernels", on[device.architecture] and device.name or device.vendor,
    engine.slowdown)
  local eager = releases.is_before(text, GRAPHS.release, GRAPHS.year)
  if eager then engine.graph_tokens = 0 end
  return engine, ("extrapolated: %s is the engine before 0.8, prompts in steps of their own, planning that waits%s%s")
    :format(said, eager and ", no captured graphs" or "", slower or "")
end

-- Whether a text states one of these, of a release that launches: one without release is of today.
local function launches(text)
  local graphs = launching[word_of(text)]
  if not graphs then return false end
  return not graphs.release or releases.is_before(text, graphs.release, graphs.year) == true
end

-- The engine that stands for one nobody models.
local function stand_in(text, device)
  local on = kinds.generic.on[device.vendor]
  if not on and launches(text) then return engines.get("generic_launching"), ", which launches every kernel" end
  return engines.get(on or "generic"), ""
end

--- The engine of a table's row: one of the fit, an older generation, or for names nobody knows a generic one; and what
--- is to be said of it. Names that are nearly one of ours are an error.
---@param text string name, with its version or year where that is said
---@param device table|nil
---@param unversioned string|nil what vLLM without a version or year is: vllm (unless given) or vllm_v0
function engines.published(text, device, unversioned)
  local name = engines.named(text)
  device = device or {}
  if name == "vllm_v0" then return old_vllm("vllm_v0", device, text) end
  if name == "vllm" then
    local before, said = is_former(name, text)
    if before or before == nil and unversioned == "vllm_v0" then
      return old_vllm(said or "vLLM without a version, taken as one before 0.8: it", device, text)
    end
  end
  if name == "trtllm" then
    local before, said = is_former(name, text)
    if before then return old_trtllm(said, text) end
  end
  if name and name ~= "generic" then return engines.get(name, text) end
  local word = text:match("^[%a%-_]+") or text
  text = blanks.cut_end(text)
  if engines.is_on_gaudi(text, device) then
    return engines.get("optimum-habana"), ("extrapolated: '%s' on Gaudi is Optimum Habana's generation of static batches"):format(text)
  end
  if not name and near.typo(word, engines.names()) then errors.choice("engine", word, engines.names()) end
  local engine, how = stand_in(text, device)
  local said = ("extrapolated: engine '%s' is not modelled, a generic one stands for it%s"):format(text, how)
  local alone = local_engines.family(text) and "; one sequence or a static batch of it is what `ballpark local` answers, by measured runs" or ""
  return engine, said .. alone
end

return engines
