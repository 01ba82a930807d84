-- The range of a speed of local inference: by how near the fit has come to the device (it saw the device under the engine,
-- another one of its architecture, only the engine, or nothing, as of models of a kind and cards of a vendor whose kernels nobody
-- measured), and by whether the engine is said.
local fitted = require("ballpark.catalog.fitted.local")
local law = require("ballpark.range.law")
local learn = require("ballpark.range.learn")
local range = require("ballpark.range")
local shipped = require("ballpark.catalog.fitted.local_range")
local tables = require("ballpark.tables")

local local_inference = {}

local WHY <const> = {
  architecture = "the device is not among those measured, others of its architecture are",
  engine = "no device of the architecture is among those measured under this engine",
  nothing = "nobody measured this engine for us",
  vendor = "no device of the vendor is among those measured under this engine",
  experts = "no model with experts is among those measured under this engine",
  latent = "no model with latent keys is among those measured under this engine",
  several = "the fit has seen one sequence at a time",
}

--- Kinds of a model that an engine has kernels of their own for: experts, latent (keys).
---@param model table
---@return string[]
function local_inference.kinds(model)
  local list = {}
  if (model.experts or 0) > 0 then list[#list + 1] = "experts" end
  if (model.kv_lora_rank or 0) > 0 then list[#list + 1] = "latent" end
  return list
end

-- The first kind of a model that is not among those seen; nil where all are.
local function unseen(kinds, of_engine)
  for _, kind in ipairs(kinds or {}) do
    if not tables.contains(of_engine.kinds or {}, kind) then return kind end
  end
end

local function is_processor(key) return key:find("cpu$") ~= nil end

-- Cards of another vendor run kernels of their own, where processors run the same code.
local function is_of_other_vendor(about, of_engine)
  return about.vendor ~= nil and not is_processor(about.key) and not tables.contains(of_engine.vendors or {}, about.vendor)
end

--- How near the fit has come: device, architecture, engine or nothing; a vendor or a kind of models that it has not seen under
--- the engine (vendor, experts, latent); several sequences at one time it has not seen at all.
---@param metric string prompt or generation
---@param about {key: string, device: string, architecture: string|nil, vendor: string|nil, sequences: integer|nil, kinds: string[]|nil}
---@param seen table|nil { key = { prompt, generation = { devices, architectures, vendors, kinds } } }, of the catalog's fit unless given
function local_inference.nearness(metric, about, seen)
  if (about.sequences or 1) > 1 then return "several" end
  local of_engine = ((seen or fitted.seen)[about.key] or {})[metric]
  if not of_engine then return "nothing" end
  local kind = unseen(about.kinds, of_engine)
  if kind then return kind end
  if tables.contains(of_engine.devices, about.device) then return "device" end
  if is_of_other_vendor(about, of_engine) then return "vendor" end
  return about.architecture and tables.contains(of_engine.architectures, about.architecture) and "architecture" or "engine"
end

-- How far away the fit is.
local FAR <const> = { device = 0, architecture = 1, engine = 2, nothing = 3, vendor = 3, experts = 3, latent = 3, several = 3 }

--- What the uncertainty goes by: the fit did not see the device, nor its architecture, nor the engine; and which of two
--- engines ran is not said.
---@param metric string
---@param about table as of nearness, and unsaid_engine: boolean|nil
---@param seen table|nil as of nearness
---@return number[]
function local_inference.features(metric, about, seen)
  local far = FAR[local_inference.nearness(metric, about, seen)]
  return { far >= 1 and 1 or 0, far >= 2 and 1 or 0, far >= 3 and 1 or 0, about.unsaid_engine and 1 or 0 }
end

-- Half of the range of prompts that nobody measured under an engine, in e-folds, at least: which share of the units its matmuls
-- reach is an order of size, within a factor of two (one deviation) of that of other engines, as the fit takes it.
local UNSEEN_PROMPT <const> = law.HALF_80 * math.log(2)

-- The same of tokens of a processor that the fit has not seen: boards, modules and power limits differ more than cards do. Of
-- twelve speeds of nine processors, each left out of a fit to processors, ten are within.
local UNSEEN_PROCESSOR <const> = 0.55

-- Half of the range of a speed, in e-folds.
local function half_of(metric, about, seen, near)
  local half = learn.half(shipped[metric], local_inference.features(metric, about, seen))
  local least = metric == "prompt" and near == "nothing" and UNSEEN_PROMPT
    or metric == "generation" and near ~= "device" and is_processor(about.key) and UNSEEN_PROCESSOR or 0
  return math.max(half, least)
end

--- The range of a speed as factors on it.
---@param metric string prompt or generation
---@param about table as of features
---@param seen table|nil as of nearness
---@return ballpark.range
function local_inference.of(metric, about, seen)
  local near = local_inference.nearness(metric, about, seen)
  local width = half_of(metric, about, seen, near)
  return law.factor({ width, width }, {}, WHY[near] and { range.beyond(WHY[near]) } or nil)
end

return local_inference
