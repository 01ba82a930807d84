-- Image networks that are no plain stack of transformer layers: convolutional ones by their totals, and
-- hierarchies of transformer stages.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local networks = {}

local TORCHVISION = "torchvision model table: GFLOPS there are MAC, counted twice here (recalled, not read again)"
local ACTIVATIONS = "; activations: Radosavovic et al., arXiv:2003.13678, and timm's table (recalled)"
local COLOURS <const> = 3

-- name, billion MAC, million weights, million activations, layers, pixels of a side, and how often what is apart from
-- convolutions reads or writes those activations. That is counted: a norm and an activation function in place 2 each, a
-- sum of two branches 3 over half of the values (ResNet), concatenated inputs three times twice (DenseNet), a norm, a
-- scale and a sum of one width and GELU of four beside six widths written (ConvNeXt).
local TOTALS <const> = {
  { "resnet18", 1.814, 11.69, 2.48, 21, 224, 5.5 },
  { "resnet34", 3.664, 21.80, 3.74, 37, 224, 5.5 },
  { "resnet50", 4.089, 25.56, 11.11, 54, 224, 5.5 },
  { "resnet101", 7.801, 44.55, 16.23, 105, 224, 5.5 },
  { "resnet152", 11.514, 60.19, 22.56, 156, 224, 5.5 },
  { "resnext50-32x4d", 4.230, 25.03, 14.40, 54, 224, 5.5 },
  { "vgg11", 7.609, 132.86, 7.44, 11, 224, 2 },
  { "vgg13", 11.308, 133.05, 12.25, 13, 224, 2 },
  { "vgg16", 15.470, 138.36, 13.56, 16, 224, 2 },
  { "vgg19", 19.632, 143.67, 14.86, 19, 224, 2 },
  { "densenet121", 2.834, 7.98, 6.90, 121, 224, 11 },
  { "inception-v3", 5.713, 27.16, 8.97, 95, 299, 5 },
  { "convnext-base", 15.355, 88.59, 28.75, 113, 224, 2.5 },
}

local SWIN = "Liu et al., arXiv:2103.14030, table 7; patch merging (about a twentieth of the FLOP) left out"

local DEEP <const>, SHALLOW <const> = { 2, 2, 18, 2 }, { 2, 2, 6, 2 } -- layers by stage

-- width of the first stage (heads are 32 wide), layers by stage, pixels of a side, tokens of a window's side;
-- version 2: arXiv:2111.09883
local STAGES <const> = {
  ["swin-tiny"] = { 96, SHALLOW, 224, 7 }, ["swin-small"] = { 96, DEEP, 224, 7 },
  ["swin-base"] = { 128, DEEP, 224, 7 }, ["swin-large"] = { 192, DEEP, 224, 7 },
  ["swinv2-tiny"] = { 96, SHALLOW, 256, 8 }, ["swinv2-small"] = { 96, DEEP, 256, 8 },
  ["swinv2-base"] = { 128, DEEP, 256, 8 }, ["swinv2-large"] = { 192, DEEP, 256, 16 },
}

local PATCH <const>, HEAD <const> = 4, 32

local function hierarchy(name, spec)
  local stages, image, window = {}, spec[3], spec[4]
  local side = image // PATCH
  for i, layers in ipairs(spec[2]) do
    local hidden = spec[1] << (i - 1)
    stages[i] = { tokens = side * side, model = { name = name .. " stage " .. i, arch = "encoder", layers = layers,
      hidden = hidden, heads = hidden // HEAD, ffn_hidden = 4 * hidden, gated_mlp = false, lm_head = false,
      norm = "layer", qkv_bias = true, out_bias = true, mlp_bias = true, sliding_window = window * window,
      vocab = 0 } }
    side = side // 2
  end
  return { name = name, kind = "stages", stages = stages, image = image, source = SWIN,
    item_bytes = COLOURS * image * image * 4 }
end

local entries = {
  -- Levels of 800 / 8 to 800 / 128 have 13,343 places; a class head of 9 x 264 outputs costs 48 billion
  -- MAC more there than torchvision's of 9 x 91.
  retinanet = { kind = "convnet", name = "retinanet", image_flop = 2 * (151.5e9 + 48e9), params = 37.9e6,
    activations = 255e6, layers = 110, image = 800,
    source = "RetinaNet of MLPerf (ResNeXt-50, OpenImages, 264 classes): torchvision's 151.5 billion MAC "
      .. "(recalled) and the wider class head; activations: backbone's by area, and the heads'" },
}
for _, row in ipairs(TOTALS) do
  entries[row[1]] = { kind = "convnet", name = row[1], image_flop = 2e9 * row[2], params = 1e6 * row[3],
    activations = 1e6 * row[4], layers = row[5], image = row[6], apart_passes = row[7], source = TORCHVISION .. ACTIVATIONS }
end
for name, spec in pairs(STAGES) do entries[name] = hierarchy(name, spec) end

local function plain(name) return (tostring(name):lower():gsub("^[^/]+/", ""):gsub("[%s_%-]", "")) end

local by_plain = {}
for name in pairs(entries) do by_plain[plain(name)] = name end
-- As torchvision and timm call them.
for _, size in ipairs({ "tiny", "small", "base", "large" }) do
  by_plain["swin" .. size:sub(1, 1)] = "swin-" .. size
  by_plain[plain(("swin_%s_patch4_window7_224"):format(size))] = "swin-" .. size
end

--- Names of all entries, sorted.
function networks.names()
  return tables.sorted_keys(entries)
end

--- The entry's name that a name means, or nil.
function networks.resolve(name) return by_plain[plain(name)] end

--- A copy of an entry: { kind = "convnet", fields of bp_convnet } or { kind = "stages", stages, ... }.
function networks.get(name)
  local known = networks.resolve(name)
  if not known then errors.choice("network", tostring(name), networks.names()) end
  return tables.copy(entries[known])
end

return networks
