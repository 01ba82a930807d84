-- What a platform's jobs leave behind: by class, with retention to a steady state, in tiers, and what it costs.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local host_prices = require("ballpark.catalog.host_prices")

local storage = {}

local DAY_S <const> = 86400

-- Tiers by name: which price each has.
local TIERS <const> = { standard = "object_usd_gb_month", infrequent = "infrequent_usd_gb_month",
  archive = "archive_usd_gb_month" }

local function tier_of(path, name)
  if not TIERS[name] then errors.choice(path, tostring(name), { "standard", "infrequent", "archive" }) end
  return host_prices[TIERS[name]]
end

-- Kept once as much expires as is written, or at the horizon where nothing expires.
local function kept(write_bytes_s, ttl_s, replication, horizon_s)
  local out = core.retention({ write_bytes_s = write_bytes_s, ttl_s = ttl_s, replication = replication,
    horizon_s = horizon_s })
  return ttl_s > 0 and out.steady_bytes or out.horizon_bytes, out
end

-- Bytes of the first tier, of the one that what is older goes to, and the kernel's answer for both.
local function tiers_of(class, write_bytes_s, horizon_s)
  local ttl_s, copies = class.ttl_s or 0, class.replication or 1
  local all, out = kept(write_bytes_s, ttl_s, copies, horizon_s)
  local cold_after = class.cold_after_s
  if not cold_after or ttl_s > 0 and cold_after >= ttl_s then return all, 0, out end
  local hot = cold_after > 0 and math.min(all, (kept(write_bytes_s, cold_after, copies, horizon_s))) or 0
  return hot, all - hot, out
end

local function row_of(path, class, write_bytes_s, horizon_s)
  local hot, cold, out = tiers_of(class, write_bytes_s, horizon_s)
  local first, second = tier_of(path .. ".tier", class.tier or "standard"),
    tier_of(path .. ".cold_tier", class.cold_tier or "infrequent")
  return { name = class.name, per_day_bytes = out.per_day_bytes, ttl_s = class.ttl_s or 0, hot_bytes = hot,
    cold_bytes = cold, bytes = hot + cold, steady = out.steady, grows = (class.ttl_s or 0) == 0,
    usd_month = (hot * first.value + cold * second.value) / 1e9, sources = { first.source, cold > 0 and second.source or nil } }
end

local FIELDS <const> = { "name", "bytes_per_day", "ttl_s", "replication", "tier", "cold_after_s", "cold_tier" }

--- Rows of what classes of jobs write (bytes of each) and of what is stored besides, and their sums:
--- { rows = { name, per_day_bytes, ttl_s, hot_bytes, cold_bytes, bytes, steady, grows, usd_month }, per_day_bytes, bytes,
--- usd_month, grows, sources }; nil where nothing is stored.
---@param classes table[] of classes.read
---@param besides table[]|nil { name, bytes_per_day, ttl_s, ... }
---@param horizon_s number when what never expires is counted
function storage.of(classes, besides, horizon_s)
  local sum, seen = { rows = {}, per_day_bytes = 0, bytes = 0, usd_month = 0, grows = false, sources = {} }, {}
  local function add(path, class, write_bytes_s)
    local row = row_of(path, class, write_bytes_s, horizon_s)
    sum.rows[#sum.rows + 1] = row
    for _, name in ipairs({ "per_day_bytes", "bytes", "usd_month" }) do sum[name] = sum[name] + row[name] end
    sum.grows = sum.grows or row.grows
    for _, source in pairs(row.sources) do
      if not seen[source] then sum.sources[#sum.sources + 1] = source end
      seen[source] = true
    end
  end
  for i, class in ipairs(classes) do
    if class.bytes then add(("classes[%d]"):format(i), class, class.rate_per_s * class.bytes) end
  end
  for i, class in ipairs(besides or {}) do
    local path = ("storage[%d]"):format(i)
    errors.named(path, class, FIELDS)
    add(path, { name = errors.text(path .. ".name", class.name) or path, ttl_s = class.ttl_s and errors.number(path .. ".ttl_s", class.ttl_s, 0),
      replication = class.replication, tier = class.tier, cold_after_s = class.cold_after_s, cold_tier = class.cold_tier },
      errors.number(path .. ".bytes_per_day", class.bytes_per_day, 0) / DAY_S)
  end
  return sum.rows[1] and sum or nil
end

return storage
