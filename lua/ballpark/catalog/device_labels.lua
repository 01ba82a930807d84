-- What people, vendors and drivers call a device: "NVIDIA H100 80GB HBM3", "H100-80GB-SXM5" and "h100" are one.
local machines = require("ballpark.catalog.machines")
local remembered = require("ballpark.remembered")

local device_labels = {}

-- What software sees of a memory is less than what is on the label: 180 of 192 GB on B200.
local MEMORY_SLACK <const> = 0.1

-- Names people write, whatever the case and the separators. Where one does not say which variant it
-- means, it means the one most common in data centres.
local aliases = {
  ["V100"] = "V100-16GB-SXM", ["V100-16GB"] = "V100-16GB-SXM", ["V100-32GB"] = "V100-32GB-SXM",
  ["V100-SXM"] = "V100-16GB-SXM", ["V100-PCIe"] = "V100-32GB-PCIe",
  ["A100"] = "A100-80GB-SXM", ["A100-SXM"] = "A100-80GB-SXM", ["A100-80GB"] = "A100-80GB-SXM",
  ["A100-SXM-80GB"] = "A100-80GB-SXM", ["A100-40GB"] = "A100-40GB-SXM", ["A100-SXM-40GB"] = "A100-40GB-SXM",
  ["A100-PCIe"] = "A100-80GB-PCIe", ["A100-80GB (330W cap)"] = "A100-80GB-SXM",
  ["A800"] = "A800-80GB-SXM", ["A800-80GB"] = "A800-80GB-SXM",
  ["A6000"] = "RTX-A6000", ["A6000-Ada"] = "RTX-6000-Ada", ["6000-Ada"] = "RTX-6000-Ada", ["RTX-A6000-Ada"] = "RTX-6000-Ada", ["4090"] = "RTX-4090", ["RTX-PRO-6000"] = "RTX-PRO-6000-BSE",
  ["RTX-PRO-6000-Blackwell-Server-Edition"] = "RTX-PRO-6000-BSE", ["RTX-PRO-6000-Server-Edition"] = "RTX-PRO-6000-BSE", ["A5000"] = "RTX-A5000", ["3090"] = "RTX-3090",
  ["5090"] = "RTX-5090", ["Data-Center-GPU-Max-1550"] = "Max-1550-tile", ["PVC-Max-1550"] = "Max-1550-tile",
  ["H100"] = "H100-SXM-80GB", ["H100-SXM"] = "H100-SXM-80GB", ["H100-80GB"] = "H100-SXM-80GB",
  ["H100-PCIe"] = "H100-PCIe-80GB", ["H100-NVL"] = "H100-NVL-94GB", ["H100-94GB"] = "H100-NVL-94GB",
  ["H200"] = "H200-SXM-141GB", ["H200-SXM"] = "H200-SXM-141GB", ["H200-NVL"] = "H200-NVL-141GB",
  ["H20"] = "H20-96GB", ["H20-3e"] = "H20-141GB", ["H800"] = "H800-SXM-80GB", ["H800-SXM"] = "H800-SXM-80GB", ["H800-80GB"] = "H800-SXM-80GB",
  ["GH200"] = "GH200-96GB", ["GH200-480GB(96GB HBM3)"] = "GH200-96GB", ["GH200-480GB"] = "GH200-96GB",
  ["B200"] = "B200-SXM-180GB", ["B200-SXM"] = "B200-SXM-180GB",
  ["B100"] = "B100-SXM-192GB", ["B300"] = "B300-SXM-288GB", ["B300-SXM"] = "B300-SXM-288GB", ["B300-SXM-AC"] = "B300-SXM-288GB",
  ["GB200-NVL72"] = "GB200", ["GB200-NVL4"] = "GB200", ["GB200-SXM"] = "GB200", ["GB300-SXM"] = "GB300", ["GB300-NVL72"] = "GB300",
  ["TPU-v7"] = "TPU-v7-Ironwood", ["Ironwood"] = "TPU-v7-Ironwood", ["TPU7x"] = "TPU-v7-Ironwood",
  ["TPU-v7x"] = "TPU-v7-Ironwood", ["v7x"] = "TPU-v7-Ironwood", ["MI250X (1 GCD)"] = "MI250X-GCD",
  -- Packages of two dies, each a device to software: ranks run on dies.
  ["MI250X"] = "MI250X-GCD", ["MI250"] = "MI250-GCD",
  ["MI250X-128GB"] = "MI250X-GCD", ["MI250-128GB"] = "MI250-GCD", ["Max-1550-128GB"] = "Max-1550-tile", ["Ponte-Vecchio"] = "Max-1550-tile",
  ["Trillium"] = "TPU-v6e", ["v4"] = "TPU-v4", ["v5e"] = "TPU-v5e",
  ["TPU-v5-lite"] = "TPU-v5e", ["v5litepod"] = "TPU-v5e", ["v5p"] = "TPU-v5p", ["v6e"] = "TPU-v6e",
  ["Trn1"] = "Trainium1", ["Trn2"] = "Trainium2", ["Trn3"] = "Trainium3", ["Inf2"] = "Inferentia2",
  ["Ascend"] = "Ascend-910B", ["Ascend-910"] = "Ascend-910B", ["910B"] = "Ascend-910B",
  ["910B3"] = "Ascend-910B", ["Ascend-910B3"] = "Ascend-910B", ["910B2"] = "Ascend-910B", ["Ascend-910B2"] = "Ascend-910B", ["PVC"] = "Max-1550-tile", ["Max-1550"] = "Max-1550-tile",
  ["Trainium"] = "Trainium1", ["HL-225"] = "Gaudi2", ["HL-325"] = "Gaudi3", ["HL-325L"] = "Gaudi3", ["HL-225H"] = "Gaudi2", ["HL-225B"] = "Gaudi2", ["Atlas-800T-A2"] = "Ascend-910B", ["Grace-Hopper"] = "GH200-96GB",
  ["RTX-PRO-6000-Blackwell-Workstation-Edition"] = "RTX-PRO-6000-Workstation",
  ["RTX-PRO-6000-Workstation-Edition"] = "RTX-PRO-6000-Workstation",
  ["P100"] = "P100-SXM-16GB", ["P100-SXM"] = "P100-SXM-16GB", ["5080"] = "RTX-5080", ["910C"] = "Ascend-910C",
  ["RTX-8000"] = "Quadro-RTX-8000", ["Spark"] = "GB10", ["Jetson-Orin"] = "Jetson-AGX-Orin-64GB", ["Jetson-AGX-Orin"] = "Jetson-AGX-Orin-64GB",
  ["Jetson-Thor"] = "Jetson-AGX-Thor", ["Jetson-T5000"] = "Jetson-AGX-Thor",
  ["GTX-1060"] = "GTX-1060-6GB", ["RTX-3060"] = "RTX-3060-12GB", ["RTX-3050"] = "RTX-3050-8GB",
  ["RTX-4060-Ti"] = "RTX-4060-Ti-8GB", ["RTX-5060-Ti"] = "RTX-5060-Ti-16GB", ["RX-9060-XT"] = "RX-9060-XT-16GB",
  ["Arc-A770"] = "Arc-A770-16GB", ["A770"] = "Arc-A770-16GB", ["B580"] = "Arc-B580", ["B570"] = "Arc-B570", ["Arc-B60"] = "Arc-Pro-B60", ["Arc-B50"] = "Arc-Pro-B50",
  ["Arc-A310-ECO"] = "Arc-A310", ["P40"] = "Tesla-P40", ["A16"] = "A16-per-GPU", ["P4"] = "Tesla-P4", ["MI50"] = "MI50-16GB",
  ["A4000"] = "RTX-A4000", ["A4500"] = "RTX-A4500", ["A2000"] = "RTX-A2000", ["W7900"] = "Radeon-Pro-W7900",
  ["Orin-Nano"] = "Jetson-Orin-Nano-8GB", ["Jetson-Orin-Nano"] = "Jetson-Orin-Nano-8GB", ["Jetson-Nano-Super"] = "Jetson-Orin-Nano-Super",
  ["Orin-NX"] = "Jetson-Orin-NX-16GB", ["Jetson-Orin-NX"] = "Jetson-Orin-NX-16GB", ["Orin-Nano-Super"] = "Jetson-Orin-Nano-Super", ["AGX-Orin"] = "Jetson-AGX-Orin-64GB",
  ["RTX-PRO-6000-Blackwell"] = "RTX-PRO-6000-Workstation",
  ["M1-Pro"] = "M1-Pro-16", ["M1-Max"] = "M1-Max-32", ["M1-Ultra"] = "M1-Ultra-64", ["M2-Pro"] = "M2-Pro-19",
  ["M2-Max"] = "M2-Max-38", ["M2-Ultra"] = "M2-Ultra-76", ["M3-Pro"] = "M3-Pro-18", ["M3-Max"] = "M3-Max-40",
  ["M3-Ultra"] = "M3-Ultra-80", ["M4-Pro"] = "M4-Pro-20", ["M4-Max"] = "M4-Max-40", ["M5-Pro"] = "M5-Pro-20",
  ["M5-Max"] = "M5-Max-40", ["M2-Ultra (76-core GPU)"] = "M2-Ultra-76",
  ["Strix-Halo"] = "Ryzen-AI-Max+-395", ["Ryzen AI Max+ 395 (Strix Halo)"] = "Ryzen-AI-Max+-395",
  ["Ryzen-AI-Max-395"] = "Ryzen-AI-Max+-395", ["Framework-Desktop"] = "Ryzen-AI-Max+-395", ["AI-Max-395"] = "Ryzen-AI-Max+-395",
  ["DGX-Spark"] = "GB10", ["Raspberry-Pi-5 / CM5 (LPDDR4X-4267)"] = "Raspberry-Pi-5", ["Pi-5"] = "Raspberry-Pi-5", ["Pi-CM5"] = "Raspberry-Pi-5", ["Pi-500+"] = "Raspberry-Pi-5", ["iPhone-15-Pro-Max"] = "iPhone-15-Pro", ["iPhone-16-Pro-Max"] = "iPhone-16-Pro",
  ["Tesla-M40"] = "Tesla-M40-24GB", ["M40"] = "Tesla-M40-24GB", ["Vega-64"] = "RX-Vega-64", ["Vega-56"] = "RX-Vega-56", ["780M"] = "Radeon-780M",
  ["890M"] = "Radeon-890M", ["680M"] = "Radeon-680M", ["Core-Ultra-7-258V"] = "Arc-140V",
  ["Ryzen-7-7840U"] = "Ryzen-7-7840HS", ["W6800"] = "Radeon-Pro-W6800", ["R9700"] = "Radeon-AI-Pro-R9700", ["Raspberry-Pi"] = "Raspberry-Pi-5",
  ["Jetson-Xavier-NX"] = "Jetson-Xavier-NX-8GB", ["Xavier-NX"] = "Jetson-Xavier-NX-8GB", ["K80"] = "Tesla-K80-per-GPU",
  ["A6000-NVLink"] = "RTX-A6000", ["RTX-A6000-NVLink"] = "RTX-A6000", ["A40-NVLink"] = "A40", ["A5000-NVLink"] = "RTX-A5000-NVLink",
  ["A100-MIG-1g.5gb"] = "A100-40GB-MIG-1g.5gb", ["A100-MIG-2g.10gb"] = "A100-40GB-MIG-2g.10gb",
  ["A100-MIG-3g.20gb"] = "A100-40GB-MIG-3g.20gb", ["A100-MIG-4g.20gb"] = "A100-40GB-MIG-4g.20gb", ["A100-MIG-7g.40gb"] = "A100-40GB-MIG-7g.40gb",
  ["Orange-Pi-5"] = "RK3588", ["Rock-5B"] = "RK3588",
  ["Galaxy-S24"] = "Snapdragon-8-Gen-3", ["Galaxy-S25"] = "Snapdragon-8-Elite",
  ["Radxa Orion O6 (CIX P1)"] = "CIX-P1", ["Radxa Orion O6"] = "CIX-P1", ["Minisforum MS-R1"] = "CIX-P1", ["HiFive Premier P550"] = "EIC7700X",
  ["System76 Thelio Astra"] = "Altra-Max-M128-30", ["RISC-V ESWIN EIC7702X"] = "EIC7702X", ["RISC-V ESWIN EIC7700X"] = "EIC7700X",
  ["Xeon SPR 48 cores"] = "Xeon-8488C-48", ["Core Ultra 7 265K"] = "Core-Ultra-7-265K",
}

-- What people leave out of a name: 7900 XTX, Ryzen 7950X, i9-13900K; processors of Intel without a graphics unit (F) or a
-- free clock (K) are the same. Intel sells Xeons of 8000 as Platinum, those of 5000 and 6000 as Gold, of 4000 as Silver, AMD Threadrippers with WX as
-- PRO; slices of A100 are those of its larger memory where both have such.
local series = { { "^RTX%-(%d.*)$" }, { "^GTX%-(%d.*)$" }, { "^RX%-(%d.*)$" }, { "^Ryzen%-%d%-(%d+X.*)$" },
  { "^Ryzen%-%d%-(%d.*)$", "Ryzen-%1" }, { "^Core%-(i%d)%-(%d.*)$", "%1-%2", "%2" }, { "^Core%-(Ultra%-.*)$" },
  { "^Core%-(i%d%-%d+)K$", "%1", "Core-%1", "%1KF", "%1F", "Core-%1F" }, { "^Core%-(i%d%-%d+)$", "%1F", "Core-%1F" },
  { "^Xeon%-(8%d%d%d[%+%u]?)$", "Xeon-Platinum-%1" }, { "^Xeon%-([56]%d%d%d[^P]?)$", "Xeon-Gold-%1" }, { "^Xeon%-(4%d%d%d%u?)$", "Xeon-Silver-%1" }, { "^Xeon%-(6%d%d%dP)$", "Xeon-6-%1" },
  { "^Threadripper%-(%d+WX)$", "Threadripper-PRO-%1", "Ryzen-Threadripper-PRO-%1" }, { "^Threadripper%-(%d+X)$", "Ryzen-Threadripper-%1" },
  { "^(%w+)%-80GB%-MIG%-(.*)$", "%1-MIG-%2" }, { "^H200%-141GB%-MIG%-(.*)$", "H200-MIG-%1" } }

-- Machines that say nothing which their chip does not.
local around = { "macbook pro", "macbook air", "macbook", "mac mini", "mac studio", "mac pro", "imac", "framework desktop",
  "laptop with", "desktop with" }

-- Words that vendors put around the name.
local noise = {
  nvidia = true, amd = true, google = true, aws = true, intel = true, huawei = true, cloud = true,
  gpu = true, gpus = true, geforce = true, tesla = true, instinct = true, oam = true,
  accelerator = true, generation = true, hgx = true, dgx = true, nvl8 = true, radeon = true, apple = true,
  hbm2 = true, hbm2e = true, hbm3 = true, hbm3e = true,
}

local function plain(label) return (tostring(label):lower():gsub("[%s_%-%./%(%)]", "")) end

-- Apple's chips come with more or fewer cores of their GPU, which people write as they like: "M2 Ultra 76c", "76 cores".
local function with_cores(text)
  if not text:find("%f[%w]m[1-9]%f[%W]") or text:find("cpu", 1, true) then return text end
  return (text:gsub("%f[%d](%d+)[%s%-]?cores?%f[%W]", "%1"):gsub("%f[%d](%d+)c%f[%W]", "%1"))
end

-- Words of a label in their order; SXM4 and SXM5 are the SXM of their generation, a 40-core GPU has 40.
local function words_of(label)
  local words = {}
  for word in with_cores(tostring(label):lower()):gsub("tensor core", ""):gsub("sxm%d", "sxm"):gsub("(%d)%-core gpu", "%1"):gmatch("[%w%.]+") do
    if not noise[word] then words[#words + 1] = word:gsub("^(%d+)g$", "%1gb") end
  end
  return words
end

local function sorted(label)
  local words = words_of(label)
  table.sort(words)
  return table.concat(words, " ")
end

-- A slice of TPUs and its number: chips of those with one core, else cores, two in a chip (Google's pages of Cloud TPU).
local function slice_of(text)
  local name, number = text:match("^(.*%f[%w]v%d[ep]?)%-(%d+)$")
  if not name then name, number = text:match("^(.*%f[%w]v%dlitepod)%-(%d+)$") end
  local of_cores = name and (name:find("v[234]$") or name:find("v5p$"))
  if not name or tonumber(number) == 0 then return nil end
  return name, math.max(1, tonumber(number) // (of_cores and 2 or 1))
end

--- What is said of a name in the form of a cloud's machine or slice that no cloud has ("p5.24xlarge", "v5e-0"); nil of others.
---@param label string
---@return string|nil
function device_labels.missing(label)
  local text = label:lower()
  local is_slice = text:find("%f[%w]v%d[ep]?%-0+$") or text:find("%f[%w]v%dlitepod%-0+$")
  return machines.missing(text) or is_slice and "is a slice of a pod without a chip" or nil
end

-- "8x A100", "TPU v4-512" and "p4d.24xlarge" name devices, too.
local function without_count(label)
  local text = label:lower():gsub("^%d+%s*x%s*", "")
  for _, machine in ipairs(around) do
    local rest = text:gsub("%f[%w]" .. machine .. "%f[%W]", " ")
    if rest:find("%w") then text = rest end
  end
  return slice_of(text) or text
end

-- A label without a memory size that it names, and that size in GB.
local function without_memory(label)
  local size
  local rest = label:lower():gsub("%f[%w](%d+)%s?gi?b?%f[%W]", function(number)
    size = tonumber(number)
    return " "
  end)
  return size and rest, size
end

-- What people leave of a name.
local function short_of(label)
  local list = {}
  for _, rule in ipairs(series) do
    if label:find(rule[1]) then
      for i = 2, math.max(2, #rule) do list[#list + 1] = (label:gsub(rule[1], rule[i] or "%1")) end
    end
  end
  return list
end

--- Names of a catalog with their labels: { resolve(label) → name or nil, count_said(label) and in_machine(label) → number of
--- devices or nil, known() → names and labels, sorted, memory_said(label) → GB or nil }.
---@param names string[]
---@param memory_gb fun(name: string): number, number|nil  GiB of a device, and up to which it is sold with others, too
function device_labels.new(names, memory_gb)
  local by_plain, by_words, known, meant = {}, {}, {}, {}
  local function add(label, name)
    by_plain[plain(label)], meant[label] = name, name
    known[#known + 1] = label
  end
  for label, name in pairs(aliases) do add(label, name) end
  for _, name in ipairs(names) do add(name, name) end
  table.sort(known)
  local function index(label, name)
    local key = sorted(label)
    if by_words[key] and by_words[key] ~= name then
      error(("catalog/devices: '%s' means both %s and %s"):format(label, by_words[key], name))
    end
    by_plain[plain(label)], by_words[key] = name, name
  end
  -- Labels in any order of their words, and what people leave of them: made when one is asked that is not written as here.
  local is_indexed = false
  local function index_all()
    if is_indexed then return end
    is_indexed = true
    for _, label in ipairs(known) do
      index(label, meant[label])
      for _, short in ipairs(short_of(label)) do index(short, meant[label]) end
    end
  end
  local function written(label)
    local name = by_plain[plain(label)]
    if name then return name end
    index_all()
    return by_plain[plain(label)]
  end
  local function look(label)
    return written(label) or by_plain[table.concat(words_of(label))] or by_words[sorted(label)]
  end
  -- The memory that a label names beside a device has to be the device's, as far as data sheets round.
  local function with_memory(label)
    local rest, size = without_memory(label)
    local name = rest and look(rest)
    if not name then return nil end
    local own, most = memory_gb(name)
    return (math.abs(size / own - 1) <= MEMORY_SLACK or most and size <= most) and name or nil
  end
  -- "Gaudi 2 HL-225": two names of one device.
  local function said_twice(label)
    local words = words_of(label)
    for i = 1, #words - 1 do
      local name = look(table.concat(words, " ", 1, i))
      if name and name == look(table.concat(words, " ", i + 1)) then return name end
    end
    return nil
  end
  local resolved = remembered(function(label)
    local bare = without_count(label)
    return look(label) or machines.of(label) or look(bare) or machines.of(bare) or with_memory(bare) or with_memory(label)
      or said_twice(bare)
  end)
  local function resolve(label) return resolved(tostring(label)) end
  return {
    resolve = resolve,
    -- A number and "x" are a count where a device stands behind them: "2x RTX 3090", but not "7900 XTX".
    count_said = function(label)
      local count, device = tostring(label):match("^%s*(%d+)%s*[xX]%s*(%S.*)$")
      return count and not look(label) and resolve(device) and math.tointeger(tonumber(count)) or nil
    end,
    known = function() return table.move(known, 1, #known, 1, {}) end,
    -- How many devices a machine or slice of that name has; nil of what is a device, or comes in several sizes.
    in_machine = function(label)
      local text = tostring(label):lower()
      local _, chips = slice_of(text)
      -- A DGX Spark is a name of its own, a DGX H100 is a server of H100.
      local is_device = written(text) or written((text:gsub("s$", "")))
      local machine, count = machines.of(text)
      if machine then return count end
      return chips or not is_device and machines.in_server(text) or nil
    end,
    memory_said = function(label)
      local rest, size = without_memory(without_count(tostring(label)))
      return rest and not look(label) and look(rest) and size or nil
    end,
  }
end

return device_labels
