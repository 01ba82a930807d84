-- What a device-hour costs on demand, by provider: list prices as read, snapshots that move by a third.
local currencies = require("ballpark.catalog.currencies")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local units = require("ballpark.units")

local prices = {}

local lists = {
  {
    provider = "AWS",
    source = "AWS us-east-1 on-demand, after the June 2025 price cut (skypilot-catalog aws vms.csv, 2025)",
    usd_h = {
      ["A100-40GB-SXM"] = 2.745,
      ["A100-80GB-SXM"] = 3.43,
      ["A10G"] = 1.006,
      ["B200-SXM-180GB"] = 14.24,
      ["H100-SXM-80GB"] = 6.88,
      ["H200-SXM-141GB"] = 7.912,
      ["L4"] = 0.8048,
      ["L40S"] = 1.861,
      ["T4"] = 0.526,
      ["Trainium1"] = 1.34375,
      ["Trainium1-core"] = 0.671875, -- half a chip
      ["Trainium2"] = 2.4,
      ["V100-16GB-SXM"] = 3.06,
    },
  },
  {
    provider = "Crusoe",
    source = "Crusoe on-demand (gpuhunt crusoe.py, 2026-08; B200 marked an estimate there)",
    usd_h = {
      ["A100-40GB-PCIe"] = 1.45,
      ["A100-80GB-PCIe"] = 1.65,
      ["A100-80GB-SXM"] = 1.95,
      ["A40"] = 0.9,
      ["B200-SXM-180GB"] = 7.25,
      ["H100-SXM-80GB"] = 3.9,
      ["H200-SXM-141GB"] = 4.29,
      ["L40S"] = 1.0,
      ["MI300X"] = 3.45,
    },
  },
  {
    provider = "Google",
    source = "Google Cloud on-demand, per chip (gpuhunt tpu_pricing.json, 2024-12)",
    usd_h = {
      ["TPU-v4"] = 3.22,
      ["TPU-v5e"] = 1.2,
      ["TPU-v5p"] = 4.2,
      ["TPU-v6e"] = 2.7,
    },
  },
  {
    provider = "Lambda",
    source = "Lambda on-demand (skypilot-catalog v8/lambda/vms.csv@95eaf484fa)",
    usd_h = {
      ["A100-40GB-SXM"] = 1.29,
      ["B200-SXM-180GB"] = 4.99,
      ["GH200-96GB"] = 1.49,
      ["H100-SXM-80GB"] = 2.99,
      ["V100-16GB-SXM"] = 0.55,
    },
  },
  {
    provider = "Nebius",
    source = "Nebius on-demand (skypilot-catalog v8/nebius/vms.csv@0082b0435f)",
    usd_h = {
      ["B200-SXM-180GB"] = 5.5,
      ["H100-SXM-80GB"] = 2.95,
      ["H200-SXM-141GB"] = 3.5,
      ["L40S"] = 1.5484,
    },
  },
  {
    provider = "OCI",
    source = "OCI on-demand (skypilot-catalog v8/oci/vms.csv@0588751183)",
    usd_h = {
      ["A10"] = 2.0,
      ["A100-40GB-SXM"] = 3.05,
      ["A100-80GB-SXM"] = 4.0,
      ["B200-SXM-180GB"] = 14.0,
      ["B300-SXM-288GB"] = 15.0,
      ["GB200"] = 16.0,
      ["GB300"] = 18.0,
      ["H100-SXM-80GB"] = 10.0,
      ["H200-SXM-141GB"] = 10.0,
      ["L40S"] = 3.5,
      ["MI300X"] = 6.0,
      ["MI355X"] = 8.6,
      ["V100-16GB-SXM"] = 2.95,
    },
  },
  {
    provider = "RunPod",
    source = "RunPod as listed by gpu.blog, date not given",
    usd_h = { ["H100-NVL-94GB"] = 3.07 },
  },
  {
    provider = "DeepSeek",
    source = "assumption: not a list price, what DeepSeek's inference overview reckons with (2025-02)",
    usd_h = { ["H800-SXM-80GB"] = 2.0 },
  },
}

--- Every known price of a device, cheapest first: { usd_h, provider, source }.
---@param device string catalog name
function prices.all(device)
  local found = {}
  for _, list in ipairs(lists) do
    if list.usd_h[device] then
      found[#found + 1] = { usd_h = list.usd_h[device], provider = list.provider, source = list.source }
    end
  end
  table.sort(found, function(a, b)
    if a.usd_h ~= b.usd_h then return a.usd_h < b.usd_h end
    return a.provider < b.provider
  end)
  return found
end

--- The lowest and the highest price of all lists.
function prices.span()
  local least, most = math.huge, 0
  for _, list in ipairs(lists) do
    for _, usd_h in pairs(list.usd_h) do least, most = math.min(least, usd_h), math.max(most, usd_h) end
  end
  return least, most
end

-- Signs of currencies before or behind a number.
local SIGNS <const> = { ["€"] = "eur", ["£"] = "gbp", ["¥"] = "jpy" }

-- Money of another currency has no provider of its name: it says what it is in the catalog's.
local function check_currency(text)
  local number, code = text:match("^(%d[%d%.]*)%s*(%a%a%a)%f[%A]")
  if not number then code, number = text:match("^(%a%a%a)%s*(%d[%d%.]*)") end
  for sign, name in pairs(SIGNS) do
    local behind = text:match("^" .. sign .. "%s*(%d[%d%.]*)") or text:match("^(%d[%d%.]*)%s*" .. sign)
    if behind then number, code = behind, name end
  end
  local usd, value = currencies[(code or ""):lower()], tonumber(number)
  if not usd or not value then return end
  errors.input("cluster.price", ("'%s' is in %s, and prices are in USD an hour: at %g USD (mean of 2025, recalled) it is %.3g"):format(
    text, code:upper(), usd, value * usd))
end

local function check_number(text)
  local words = units.point_words(text)
  if words ~= "" then errors.input("cluster.price", ("'%s' is no number%s"):format(text, words)) end
end

local function of_provider(found, device, provider)
  check_currency(provider)
  check_number(provider)
  for _, row in ipairs(found) do
    if row.provider:lower() == provider:lower() then return row.usd_h, row.source end
  end
  local names = {}
  for _, row in ipairs(found) do names[#names + 1] = row.provider end
  if #names == 0 then errors.input("price", "nobody in the catalog sells " .. device) end
  errors.choice("cluster.price", provider, names)
end

-- { usd_h, source } of the median over providers.
local function median_of(found, device)
  if #found == 0 then return { nil, "no price known for " .. device } end
  if #found == 1 then return { found[1].usd_h, "the only price known: " .. found[1].source } end
  local low, high = found[(#found + 1) // 2], found[#found // 2 + 1]
  return { (low.usd_h + high.usd_h) / 2,
    string.format("median of %d providers (%.2f %s to %.2f %s)", #found, found[1].usd_h,
      found[1].provider, found[#found].usd_h, found[#found].provider) }
end

-- Medians by device: a sweep asks for the same one a million times.
local medians = {}

--- USD per device and hour with its source: that of `provider`, else the median over providers (of
--- two middle ones their mean). nil when no price is known.
---@param device string catalog name
---@param provider string|nil
---@return number|nil usd_h
---@return string source
function prices.get(device, provider)
  if provider then return of_provider(prices.all(device), device, provider) end
  medians[device] = medians[device] or median_of(prices.all(device), device)
  return medians[device][1], medians[device][2]
end

-- Numbers of a device that its price is of.
local PRICED_BY <const> = { "memory_bytes", "mem_bw_bytes_s", "fp16_flop_s", "bf16_flop_s", "fp8_flop_s", "fp4_flop_s" }

--- What a price of the catalog is of, as words behind its source, where the device is another one than the catalog has under
--- its name; none where it is that.
---@param device table
---@return string
function prices.whose(device)
  local known, other = devices.get(device.name), {}
  for _, field in ipairs(PRICED_BY) do
    if device[field] ~= nil and device[field] ~= known[field] then other[#other + 1] = field end
  end
  if #other == 0 then return "" end
  return (", of the catalog's %s, which has another %s"):format(device.name, table.concat(other, ", "))
end

--- prices.get of a device in the hand, whose source says whether it is another one than the catalog's.
---@param device table
---@param provider string|nil
---@return number|nil usd_h
---@return string source
function prices.of(device, provider)
  local usd_h, source = prices.get(device.name or "", provider)
  return usd_h, usd_h and source .. prices.whose(device) or source
end

-- The value that a share of a sorted list lies below, straight between neighbours.
local function quantile(found, share)
  local at = 1 + share * (#found - 1)
  local below = math.floor(at)
  local above = math.min(below + 1, #found)
  return found[below].usd_h + (at - below) * (found[above].usd_h - found[below].usd_h)
end

--- USD per device and hour that one provider in ten is below, and one above: { low, high }; nil below two providers.
---@param device string catalog name
---@return {low: number, high: number}|nil
function prices.spread(device)
  local found = prices.all(device)
  if #found < 2 then return nil end
  return { low = quantile(found, 0.1), high = quantile(found, 0.9) }
end

return prices
