-- Releases of serving engines: what a version's text says, and how that release differs from the engine's coefficients.
local fitted = require("ballpark.catalog.fitted.engine_releases")
local tables = require("ballpark.tables")

local engine_releases = {}

--- Coefficients that a release has factors on: how fast experts run, and what prompts cost the host.
engine_releases.FIELDS = { "moe", "eager_kernel_s" }

-- SGLang counts its releases by the third number, the others by the second.
local BY_THIRD <const> = { sglang = true }

--- The release that a text such as "TensorRT-LLM 1.2.0rc6" states, as "1.2"; nil where it states none.
---@param name string of the engine
---@param text string|nil
---@return string|nil
function engine_releases.named(name, text)
  local major, minor, patch = (text or ""):match("(%d+)%.(%d+)%.?(%d*)")
  if not major then return nil end
  local short = ("%d.%d"):format(major, minor)
  return BY_THIRD[name] and ("%s.%d"):format(short, tonumber(patch) or 0) or short
end

local function is_later(a, b)
  local x, y = a:gmatch("%d+"), b:gmatch("%d+")
  for left in x do
    local right = y() or "0"
    if left ~= right then return tonumber(left) > tonumber(right) end
  end
  return false
end

-- Measured points that a release has to have to stand for those nobody states: a few runs may be odd ones.
local ENOUGH <const> = 16

-- The release itself, or the last one before it, or the first there is; today's, the last of which there are enough
-- points, where none is stated.
local function nearest(known, release)
  local first, last, before
  for key, entry in pairs(known) do
    if not first or is_later(first, key) then first = key end
    if entry.points >= ENOUGH and (not last or is_later(key, last)) then last = key end
    if release and not is_later(key, release) and (not before or is_later(key, before)) then before = key end
  end
  if not release then return last end
  return before or first
end

--- An engine's coefficients at a release (nil: today's).
---@param engine table
---@param release string|nil
---@return table
function engine_releases.at(engine, release)
  local known = fitted[engine.name]
  local key = known and nearest(known, release)
  if not key then return engine end
  local changed = {}
  for _, field in ipairs(engine_releases.FIELDS) do changed[field] = engine[field] * known[key][field] end
  return tables.with(engine, changed)
end

return engine_releases
