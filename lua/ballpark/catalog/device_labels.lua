-- What people, vendors and drivers call a device: "NVIDIA H100 80GB HBM3", "H100-80GB-SXM5" and "h100" are one.
local device_labels = {}

-- Names people write, whatever the case and the separators. Where one does not say which variant it
-- means, it means the one most common in data centres.
local aliases = {
  ["V100"] = "V100-16GB-SXM", ["V100-16GB"] = "V100-16GB-SXM", ["V100-32GB"] = "V100-32GB-SXM",
  ["V100-SXM"] = "V100-16GB-SXM", ["V100-PCIe"] = "V100-32GB-PCIe",
  ["A100"] = "A100-80GB-SXM", ["A100-SXM"] = "A100-80GB-SXM", ["A100-80GB"] = "A100-80GB-SXM",
  ["A100-SXM-80GB"] = "A100-80GB-SXM", ["A100-40GB"] = "A100-40GB-SXM", ["A100-SXM-40GB"] = "A100-40GB-SXM",
  ["A100-PCIe"] = "A100-80GB-PCIe", ["A100-80GB (330W cap)"] = "A100-80GB-SXM",
  ["A800"] = "A800-80GB-SXM", ["A800-80GB"] = "A800-80GB-SXM",
  ["A6000"] = "RTX-A6000", ["4090"] = "RTX-4090", ["RTX-PRO-6000"] = "RTX-PRO-6000-BSE",
  ["RTX-PRO-6000-Blackwell-Server-Edition"] = "RTX-PRO-6000-BSE", ["A5000"] = "RTX-A5000", ["3090"] = "RTX-3090",
  ["5090"] = "RTX-5090", ["Data-Center-GPU-Max-1550"] = "Max-1550",
  ["H100"] = "H100-SXM-80GB", ["H100-SXM"] = "H100-SXM-80GB", ["H100-80GB"] = "H100-SXM-80GB",
  ["H100-PCIe"] = "H100-PCIe-80GB", ["H100-NVL"] = "H100-NVL-94GB", ["H100-94GB"] = "H100-NVL-94GB",
  ["H200"] = "H200-SXM-141GB", ["H200-SXM"] = "H200-SXM-141GB", ["H200-NVL"] = "H200-NVL-141GB",
  ["H20"] = "H20-96GB", ["H800"] = "H800-SXM-80GB", ["H800-80GB"] = "H800-SXM-80GB",
  ["GH200"] = "GH200-96GB", ["GH200-480GB(96GB HBM3)"] = "GH200-96GB", ["GH200-480GB"] = "GH200-96GB",
  ["B200"] = "B200-SXM-180GB", ["B200-SXM"] = "B200-SXM-180GB",
  ["B300"] = "B300-SXM-288GB", ["B300-SXM"] = "B300-SXM-288GB",
  ["GB200-NVL72"] = "GB200", ["GB300-NVL72"] = "GB300",
  ["TPU-v7"] = "TPU-v7-Ironwood", ["Ironwood"] = "TPU-v7-Ironwood", ["TPU7x"] = "TPU-v7-Ironwood",
  ["TPU-v7x"] = "TPU-v7-Ironwood", ["v7x"] = "TPU-v7-Ironwood", ["MI250X (1 GCD)"] = "MI250X-GCD",
  ["Trillium"] = "TPU-v6e", ["v4"] = "TPU-v4", ["v5e"] = "TPU-v5e",
  ["TPU-v5-lite"] = "TPU-v5e", ["v5litepod"] = "TPU-v5e", ["v5p"] = "TPU-v5p", ["v6e"] = "TPU-v6e",
  ["Trn1"] = "Trainium1", ["Trn2"] = "Trainium2", ["Trn3"] = "Trainium3", ["Inf2"] = "Inferentia2",
  ["Ascend"] = "Ascend-910B", ["Ascend-910"] = "Ascend-910B",
}

-- Words that vendors put around the name.
local noise = {
  nvidia = true, amd = true, google = true, aws = true, intel = true, huawei = true, cloud = true,
  gpu = true, gpus = true, geforce = true, tesla = true, instinct = true, oam = true,
  accelerator = true, generation = true,
  hbm2 = true, hbm2e = true, hbm3 = true, hbm3e = true,
}

local function plain(label) return (tostring(label):lower():gsub("[%s_%-%./%(%)]", "")) end

-- Words of a label in their order; SXM4 and SXM5 are the SXM of their generation.
local function words_of(label)
  local words = {}
  for word in tostring(label):lower():gsub("tensor core", ""):gsub("sxm%d", "sxm"):gmatch("[%w%.]+") do
    if not noise[word] then words[#words + 1] = word end
  end
  return words
end

local function sorted(label)
  local words = words_of(label)
  table.sort(words)
  return table.concat(words, " ")
end

--- Names of a catalog with their labels: { resolve(label) → name or nil, known() → names and labels, sorted }.
---@param names string[]
function device_labels.new(names)
  local by_plain, by_words, known = {}, {}, {}
  local function add(label, name)
    local key = sorted(label)
    if by_words[key] and by_words[key] ~= name then
      error(("catalog/devices: '%s' means both %s and %s"):format(label, by_words[key], name))
    end
    by_plain[plain(label)], by_words[key] = name, name
    known[#known + 1] = label
  end
  for label, name in pairs(aliases) do add(label, name) end
  for _, name in ipairs(names) do add(name, name) end
  table.sort(known)
  return {
    resolve = function(label)
      return by_plain[plain(label)] or by_plain[table.concat(words_of(label))] or by_words[sorted(label)]
    end,
    known = function() return table.move(known, 1, #known, 1, {}) end,
  }
end

return device_labels
