-- Machines of clouds and servers of vendors: which devices are in them, and how many (vendors' pages of their machines,
-- recalled).
local tables = require("ballpark.tables")

local machines = {}

-- So many sizes of a series have one device.
local function of_one(names, others)
  for name in names:gmatch("%S+") do others[name] = 1 end
  return others
end

-- AWS: "g5.12xlarge" is a size of a series; `whole` devices are in one where no size is said, of series that are rented whole.
local amazon = {
  p3 = { device = "V100-16GB-SXM", sizes = { ["2xlarge"] = 1, ["8xlarge"] = 4, ["16xlarge"] = 8 } },
  p3dn = { device = "V100-32GB-SXM", whole = 8, sizes = { ["24xlarge"] = 8 } },
  p4d = { device = "A100-40GB-SXM", whole = 8, sizes = { ["24xlarge"] = 8 } },
  p4de = { device = "A100-80GB-SXM", whole = 8, sizes = { ["24xlarge"] = 8 } },
  p5 = { device = "H100-SXM-80GB", whole = 8, sizes = { ["4xlarge"] = 1, ["48xlarge"] = 8 } },
  p5e = { device = "H200-SXM-141GB", whole = 8, sizes = { ["48xlarge"] = 8 } },
  p5en = { device = "H200-SXM-141GB", whole = 8, sizes = { ["48xlarge"] = 8 } },
  ["p6-b200"] = { device = "B200-SXM-180GB", whole = 8, sizes = { ["48xlarge"] = 8 } },
  ["p6-b300"] = { device = "B300-SXM-288GB", whole = 8, sizes = { ["48xlarge"] = 8 } },
  ["p6e-gb200"] = { device = "GB200", whole = 4, sizes = { ["36xlarge"] = 4 } },
  g4dn = { device = "T4", sizes = of_one("xlarge 2xlarge 4xlarge 8xlarge 16xlarge", { ["12xlarge"] = 4, metal = 8 }) },
  g5 = { device = "A10G",
    sizes = of_one("xlarge 2xlarge 4xlarge 8xlarge 16xlarge", { ["12xlarge"] = 4, ["24xlarge"] = 4, ["48xlarge"] = 8 }) },
  g6 = { device = "L4",
    sizes = of_one("xlarge 2xlarge 4xlarge 8xlarge 16xlarge", { ["12xlarge"] = 4, ["24xlarge"] = 4, ["48xlarge"] = 8 }) },
  gr6 = { device = "L4", whole = 1, sizes = of_one("4xlarge 8xlarge", {}) },
  g6e = { device = "L40S",
    sizes = of_one("xlarge 2xlarge 4xlarge 8xlarge 16xlarge", { ["12xlarge"] = 4, ["24xlarge"] = 4, ["48xlarge"] = 8 }) },
  g7e = { device = "RTX-PRO-6000-BSE",
    sizes = of_one("2xlarge 4xlarge 8xlarge", { ["12xlarge"] = 2, ["24xlarge"] = 4, ["48xlarge"] = 8 }) },
  trn1 = { device = "Trainium1", sizes = { ["2xlarge"] = 1, ["32xlarge"] = 16 } },
  trn1n = { device = "Trainium1", whole = 16, sizes = { ["32xlarge"] = 16 } },
  trn2 = { device = "Trainium2", whole = 16, sizes = { ["3xlarge"] = 1, ["48xlarge"] = 16 } },
  trn2u = { device = "Trainium2", whole = 16, sizes = { ["48xlarge"] = 16 } },
  inf2 = { device = "Inferentia2", sizes = of_one("xlarge 8xlarge", { ["24xlarge"] = 6, ["48xlarge"] = 12 }) },
}

-- Google: "a3-highgpu-8g" says its devices, "g2-standard-48" its virtual CPUs.
local google = {
  ["a2-highgpu"] = { device = "A100-40GB-SXM", sizes = { ["1g"] = 1, ["2g"] = 2, ["4g"] = 4, ["8g"] = 8 } },
  ["a2-megagpu"] = { device = "A100-40GB-SXM", whole = 16, sizes = { ["16g"] = 16 } },
  ["a2-ultragpu"] = { device = "A100-80GB-SXM", sizes = { ["1g"] = 1, ["2g"] = 2, ["4g"] = 4, ["8g"] = 8 } },
  ["a3-highgpu"] = { device = "H100-SXM-80GB", sizes = { ["1g"] = 1, ["2g"] = 2, ["4g"] = 4, ["8g"] = 8 } },
  ["a3-edgegpu"] = { device = "H100-SXM-80GB", whole = 8, sizes = { ["8g"] = 8 } },
  ["a3-megagpu"] = { device = "H100-SXM-80GB", whole = 8, sizes = { ["8g"] = 8 } },
  ["a3-ultragpu"] = { device = "H200-SXM-141GB", whole = 8, sizes = { ["8g"] = 8 } },
  ["a4-highgpu"] = { device = "B200-SXM-180GB", whole = 8, sizes = { ["8g"] = 8 } },
  ["a4x-highgpu"] = { device = "GB200", whole = 4, sizes = { ["4g"] = 4 } },
  ["g2-standard"] = { device = "L4", sizes = of_one("4 8 12 16 32", { ["24"] = 2, ["48"] = 4, ["96"] = 8 }) },
  ["g4-standard"] = { device = "RTX-PRO-6000-BSE", sizes = { ["48"] = 1, ["96"] = 2, ["192"] = 4, ["384"] = 8 } },
}

-- Azure: "ND96isr_H100_v5" is a size of what its page calls the ND H100 v5 series.
local azure = {
  ["nd-h100-v5"] = { device = "H100-SXM-80GB", whole = 8, sizes = { ["nd96isr-h100-v5"] = 8 } },
  ["nd-h200-v5"] = { device = "H200-SXM-141GB", whole = 8, sizes = { ["nd96isr-h200-v5"] = 8 } },
  ["nd-mi300x-v5"] = { device = "MI300X", whole = 8, sizes = { ["nd96isr-mi300x-v5"] = 8 } },
  ["nd-a100-v4"] = { device = "A100-40GB-SXM", whole = 8, sizes = { ["nd96asr-v4"] = 8, ["nd96asr-a100-v4"] = 8 } },
  ["ndm-a100-v4"] = { device = "A100-80GB-SXM", whole = 8, sizes = { ["nd96amsr-a100-v4"] = 8 } },
  ["nd-gb200-v6"] = { device = "GB200", whole = 4, sizes = { ["nd128isr-gb200-v6"] = 4, ["nd128isr-ndr-gb200-v6"] = 4 } },
  ["ndv2"] = { device = "V100-32GB-SXM", whole = 8, sizes = { ["nd40rs-v2"] = 8 } },
  ["nc-a100-v4"] = { device = "A100-80GB-PCIe",
    sizes = { ["nc24ads-a100-v4"] = 1, ["nc48ads-a100-v4"] = 2, ["nc96ads-a100-v4"] = 4 } },
  ["nc-h100-v5"] = { device = "H100-NVL-94GB",
    sizes = { ["nc40ads-h100-v5"] = 1, ["nc80adis-h100-v5"] = 2 } },
  ["nc-t4-v3"] = { device = "T4", sizes = of_one("nc4as-t4-v3 nc8as-t4-v3 nc16as-t4-v3", { ["nc64as-t4-v3"] = 4 }) },
}

-- Oracle: a number behind the device says how many.
local oracle = {
  ["bm.gpu.h100"] = { device = "H100-SXM-80GB", whole = 8, sizes = { ["8"] = 8 } },
  ["bm.gpu.h200"] = { device = "H200-SXM-141GB", whole = 8, sizes = { ["8"] = 8 } },
  ["bm.gpu.b200"] = { device = "B200-SXM-180GB", whole = 8, sizes = { ["8"] = 8 } },
  ["bm.gpu.mi300x"] = { device = "MI300X", whole = 8, sizes = { ["8"] = 8 } },
  ["bm.gpu.l40s"] = { device = "L40S", whole = 4, sizes = { ["4"] = 4 } },
  ["bm.gpu.a100-v2"] = { device = "A100-80GB-SXM", whole = 8, sizes = { ["8"] = 8 } },
  ["bm.gpu4"] = { device = "A100-40GB-SXM", whole = 8, sizes = { ["8"] = 8 } },
}

-- Servers of a vendor around devices that are named beside them: "DGX H100".
local servers = { dgx = 8, hgx = 8 }

-- Names whose device is said and not how many of it.
local others = { ["trn2-ultraserver"] = "Trainium2" }

-- How a size is joined to its series where its name has not both, and the forms of names of machines: what is captured of
-- one is the same for all of a series.
local clouds = {
  { series = amazon, joined = "%s.%s", forms = { "^([pg]%d+[%w%-]*)%.%d*xlarge$", "^([pg]%d+[%w%-]*)%.metal$",
    "^(trn%d+%w*)%.%d*xlarge$", "^(inf%d+)%.%d*xlarge$" } },
  { series = google, joined = "%s-%s", forms = { "^(a%d+x?%-%a+gpu)%-%d+g$", "^(g%d+%-standard)%-%d+$" } },
  { series = oracle, joined = "%s.%s", forms = { "^(bm%.gpu[%w%.%-]*)%.%d+$" } },
  { series = azure, forms = { "^(n[dcv])%d+%a*(%-[%w%-]*v%d+)$" } },
}

-- Machines and series by name: { device, count }, with count nil where a size has to say.
local by_name = {}
for name, device in pairs(others) do by_name[name] = { device = device } end
for _, cloud in ipairs(clouds) do
  for series, entry in pairs(cloud.series) do
    by_name[series] = { device = entry.device, count = entry.whole }
    for size, count in pairs(entry.sizes) do
      by_name[cloud.joined and cloud.joined:format(series, size) or size] = { device = entry.device, count = count }
    end
  end
end

-- One way to write a name: "Standard_ND96isr_H100_v5" and "ND96isr H100 v5".
local function plain(label) return (label:lower():gsub("[%s_]+", "-"):gsub("^standard%-", ""):gsub("^azure%-", "")) end

--- The device of a machine that a label names, and how many of it; nil where it names none, a nil number where no size
--- says.
---@param label string
---@return string|nil device
---@return integer|nil count
function machines.of(label)
  local known = by_name[plain(label)]
  if known then return known.device, known.count end
end

--- How many devices a vendor's server has that a label begins with ("DGX H100"); nil of others.
---@param label string
---@return integer|nil
function machines.in_server(label)
  local text = label:lower()
  return servers[text] or servers[text:match("^(%a+)[%s%-]") or ""]
end

-- What a name in a form of a cloud shares with all of its series; nil of others.
local function kin_of(cloud, name)
  for _, form in ipairs(cloud.forms) do
    local first, second = name:match(form)
    if first then return first .. (second or "") end
  end
end

--- What is said of a name in the form of a cloud's machine that is none of this list; nil of others.
---@param label string
---@return string|nil
function machines.missing(label)
  local name = plain(label)
  if by_name[name] then return nil end
  for _, cloud in ipairs(clouds) do
    local kin, sizes = kin_of(cloud, name), {}
    for _, known in ipairs(kin and tables.sorted_keys(by_name) or {}) do
      if kin_of(cloud, known) == kin then sizes[#sizes + 1] = known end
    end
    if sizes[1] then return "is no machine of its series, which are " .. table.concat(sizes, ", ") end
    if kin then
      return "is no machine that is known here: say its device; series of its cloud are "
        .. table.concat(tables.sorted_keys(cloud.series), ", ")
    end
  end
end

return machines
