-- Finds the catalog device that a label means: "NVIDIA H100 80GB HBM3 (SXM5)", "H100-80GB-SXM" and
-- "H100-SXM-80GB" are one.
local devices = require("ballpark.catalog.devices")

local labels = {}

-- Words that vendors put around the name.
local noise = {
  nvidia = true, amd = true, google = true, aws = true, intel = true, huawei = true, cloud = true,
  gpu = true, gpus = true, instinct = true, tensor = true, core = true, oam = true,
  hbm2 = true, hbm2e = true, hbm3 = true, hbm3e = true,
}

-- Words of a label in their order; SXM4 and SXM5 are the SXM of their generation.
local function words_of(label)
  local words = {}
  for word in label:lower():gsub("sxm%d", "sxm"):gmatch("[%w%.]+") do
    if not noise[word] then words[#words + 1] = word end
  end
  return words
end

local function sorted(label)
  local words = words_of(label)
  table.sort(words)
  return table.concat(words, " ")
end

local by_words

local function index()
  if by_words then return by_words end
  by_words = {}
  for _, name in ipairs(devices.names()) do by_words[sorted(name)] = name end
  return by_words
end

--- The catalog name of a label, or nil.
---@param label string
---@return string|nil
function labels.resolve(label)
  local bare = label:gsub("%b()", " ")
  return devices.resolve(label) or index()[sorted(label)] or index()[sorted(bare)]
    or devices.resolve(table.concat(words_of(bare), "-"))
end

return labels
