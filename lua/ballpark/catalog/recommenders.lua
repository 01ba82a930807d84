-- Recommendation models with embedding tables, by the layers their papers and benchmarks give.
local errors = require("ballpark.errors")

local recommenders = {}

-- Weights and number of matmuls of layers from `first` inputs through `widths`.
local function stack(first, widths)
  local params, from = 0, first
  for _, width in ipairs(widths) do
    params, from = params + from * width, width
  end
  return params, #widths
end

local function widths_of(spec, field)
  local list = spec[field]
  if type(list) ~= "table" then errors.input("recommender." .. field, "must be a list of widths, got " .. tostring(list)) end
  for i, width in ipairs(list) do errors.number(("recommender.%s[%d]"):format(field, i), width, 1) end
end

-- Refuses what layers cannot be, before their weights are counted.
local function check(spec)
  for _, field in ipairs({ "tables", "rows", "dim", "top" }) do
    if spec[field] == nil then errors.input("recommender." .. field, "is missing") end
  end
  for _, field in ipairs({ "tables", "rows", "dim", "lookups", "dense_features", "items" }) do
    if spec[field] ~= nil then errors.number("recommender." .. field, spec[field], 0) end
  end
  widths_of(spec, "top")
  if spec.bottom then widths_of(spec, "bottom") end
  local cross = spec.cross
  if not cross then return end
  if type(cross) ~= "table" then errors.input("recommender.cross", "must be { layers =, rank = }, got " .. tostring(cross)) end
  for _, field in ipairs({ "layers", "rank" }) do errors.number("recommender.cross." .. field, cross[field], 0) end
end

--- A recommender (fields of bp_recommender) from its layers: bottom and top are lists of widths, cross is
--- { layers, rank } of low-rank crosses over all features; without it features are joined by dot products.
---@param spec table name, source, tables, rows, dim, lookups, dense_features, bottom, top, cross, items
function recommenders.make(spec)
  check(spec)
  local features = spec.tables + (spec.bottom and 1 or 0)
  local bottom, bottom_layers = stack(spec.dense_features or 13, spec.bottom or {})
  local joined = features * spec.dim
  local params, layers = bottom, bottom_layers
  if spec.cross then
    params = params + spec.cross.layers * 2 * joined * spec.cross.rank
    layers = layers + 2 * spec.cross.layers
  else
    joined = spec.dim + features * (features - 1) // 2
  end
  local top, top_layers = stack(joined, spec.top)
  return { name = spec.name, source = spec.source, tables = spec.tables, rows = spec.rows, dim = spec.dim,
    lookups = spec.lookups or spec.tables, dense_features = spec.dense_features or 13,
    dense_params = params + top, dense_layers = layers + top_layers, items = spec.items or 1 }
end

local DLRM_TOP = { 1024, 1024, 512, 256, 1 }

local entries = {
  -- A sample of MLPerf ranks 100 to 700 items, 270 in the mean (inference rules, recommendation).
  ["dlrm-dcnv2"] = recommenders.make({ name = "dlrm-dcnv2", tables = 26, rows = 204184588, dim = 128,
    lookups = 214, bottom = { 512, 256, 128 }, cross = { layers = 3, rank = 512 }, top = DLRM_TOP, items = 270,
    source = "MLPerf DLRM-DCNv2, multi-hot Criteo 1TB: github:mlcommons/training recommendation_v2 (recalled)" }),
  ["dlrm-criteo"] = recommenders.make({ name = "dlrm-criteo", tables = 26, rows = 15e6, dim = 128, lookups = 26,
    bottom = { 512, 256, 128 }, top = DLRM_TOP,
    source = "github:NVIDIA/DeepLearningExamples@729963dd47 PyTorch/Recommendation/DLRM, small: rows seen 15 times "
      .. "(table sizes recalled)" }),
}

local aliases = { ["dlrm-dcnv2-mlperf"] = "dlrm-dcnv2", ["dlrm-v2"] = "dlrm-dcnv2", ["dlrm-dle-small"] = "dlrm-criteo" }

--- The entry's name that a name means, or nil.
function recommenders.resolve(name)
  local known = tostring(name):lower()
  known = aliases[known] or known
  return entries[known] and known or nil
end

--- Names of all entries, sorted.
function recommenders.names() return { "dlrm-criteo", "dlrm-dcnv2" } end

--- A copy of an entry, fields of bp_recommender; unknown names are errors.
function recommenders.get(name)
  local known = recommenders.resolve(name)
  if not known then errors.choice("recommender", tostring(name), recommenders.names()) end
  local copy = {}
  for key, value in pairs(entries[known]) do copy[key] = value end
  return copy
end

return recommenders
