-- What a few words about a network say: kind of fabric, and rate per node or per device.
-- "8x400Gb/s InfiniBand", "1600 Gbps RoCE", "800 Gbit/s per node (4x HDR)", "4x Omni-Path links/node",
-- "400 Gb/s per GPU", "EFA (p5.48xlarge)", "DCN between slices".
local interconnect = {}

-- Words in lower case, the first one found decides; `gbit` is the rate of one link of that name.
local kinds = {
  { "omni%-?path", fabric = "omni-path", gbit = 100 },
  { "opa", fabric = "omni-path", gbit = 100 },
  { "slingshot", fabric = "slingshot", gbit = 200 },
  { "roce", fabric = "roce" },
  { "rdma over converged", fabric = "roce" },
  { "tcpx", fabric = "tcpx" },
  { "a3 vm", fabric = "tcpx" },
  { "a3%-high", fabric = "tcpx" },
  { "efa", fabric = "efa" },
  { "dcn", fabric = "dcn" },
  { "slices?", fabric = "dcn" },
  { "infini[bn]and", fabric = "infiniband" },
  { "quantum", fabric = "infiniband" },
  { "xdr", fabric = "infiniband", gbit = 800 },
  { "ndr", fabric = "infiniband", gbit = 400 },
  { "hdr", fabric = "infiniband", gbit = 200 },
  { "edr", fabric = "infiniband", gbit = 100 },
  { "fdr", fabric = "infiniband", gbit = 56 },
  { "ib", fabric = "infiniband" },
  { "ethernet", fabric = "ethernet" },
  { "%d+gbe", fabric = "ethernet" },
  { "tcp", fabric = "ethernet" },
}

-- Rates as written, in Gbit/s; bytes have an upper-case B in "GB/s" and "TB/s".
local rates = {
  { "(%d+%.?%d*)%s*GB/s", 8 }, { "(%d+%.?%d*)%s*GBps", 8 },
  { "(%d+%.?%d*)%s*TB/s", 8000 }, { "(%d+%.?%d*)%s*T[Bb]?bi?t?/s", 1000 },
  { "(%d+%.?%d*)%s*Tbps", 1000 },
  { "(%d+%.?%d*)%s*Gbi?t?/s", 1 }, { "(%d+%.?%d*)%s*Gbps", 1 }, { "(%d+%.?%d*)%s*GbE", 1 },
  { "(%d+%.?%d*)%s*Gb%f[%W]", 1 }, { "(%d+%.?%d*)%s*G%f[%W]", 1 },
}

local function kind_of(lower)
  for _, kind in ipairs(kinds) do
    if lower:find("%f[%w]" .. kind[1] .. "%f[%W]") then return kind end
  end
  for _, kind in ipairs(kinds) do -- glued to a number: "NDR400", "200gHDR"
    if #kind[1] > 2 and lower:find(kind[1]) then return kind end
  end
  return {}
end

local function link_gbit(lower)
  for _, kind in ipairs(kinds) do
    if kind.gbit and lower:find(kind[1]) then return kind.gbit end
  end
  return nil
end

-- The first rate in the text: Gbit/s, and where it starts.
local function rate_of(text)
  local best, best_at
  for _, rate in ipairs(rates) do
    local at, _, number = text:find(rate[1])
    if at and (not best_at or at < best_at) then best, best_at = tonumber(number) * rate[2], at end
  end
  return best, best_at
end

-- "8x" or "8 x" right before a rate or a link's name.
local function links_before(text) return tonumber(text:match("(%d+)%s*[xX×*]%s*$")) end

-- Total in Gbit/s of what the text names; nil when it names no rate. Words in parentheses explain
-- what stands before them, so they count only when there is no rate outside of them.
local function total_of(text)
  local outside = text:gsub("%b()", " ")
  for _, part in ipairs({ outside, text }) do
    local gbit, at = rate_of(part)
    if gbit then return gbit * (links_before(part:sub(1, at - 1)) or 1) end
    local count = part:match("(%d+)%s*[xX×*]%s*%a")
    local each = count and link_gbit(part:lower())
    if each then return tonumber(count) * each end
  end
  return nil
end

--- { fabric = kind or nil, node_bytes_s = or device_bytes_s = } of a text.
---@param text string
---@return table
function interconnect.between(text)
  local lower = text:lower()
  local total = total_of(text)
  local said = { fabric = kind_of(lower).fabric }
  if total and total > 0 then
    local bytes_s = total * 1e9 / 8
    local each = lower:find("per gpu") or lower:find("/gpu") or lower:find("per device")
      or lower:find("per accelerator") or lower:find("per chip")
    said[each and "device_bytes_s" or "node_bytes_s"] = bytes_s
  end
  return said
end

--- { domain = n } or { pcie = true } where a text on the links inside says so.
---@param text string
---@return table
function interconnect.inside(text)
  local lower = text:lower()
  local domain = lower:match("nvl(%d+)")
  return {
    domain = domain and tonumber(domain) or nil,
    pcie = lower:find("pcie") ~= nil and not lower:find("nvlink") or nil,
  }
end

return interconnect
