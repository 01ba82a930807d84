-- Releases of serving engines: what a version's text says, and how that release differs from the engine's coefficients.
local fitted = require("ballpark.catalog.fitted.engine_releases")
local tables = require("ballpark.tables")

local engine_releases = {}

--- Coefficients that a release has factors on: how fast experts run, and what prompts cost the host.
engine_releases.FIELDS = { "moe", "eager_kernel_s" }

-- SGLang counts its releases by the third number, the others by the second.
local BY_THIRD <const> = { sglang = true }

-- The three numbers of a version that a text states, the last one 0 where it has two; nil where it states none, or one beyond
-- what an integer holds: no release is so called.
local function numbers_of(text)
  local major, minor, patch = (text or ""):match("%f[%d](%d+)%.(%d+)%.?(%d*)")
  if not major then return nil end
  local x, y, z = math.tointeger(tonumber(major)), math.tointeger(tonumber(minor)), math.tointeger(tonumber(patch) or 0)
  if x and y and z then return x, y, z end
end

--- The release that a text such as "TensorRT-LLM 1.2.0rc6" states, as "1.2"; nil where it states none.
---@param name string of the engine
---@param text string|nil
---@return string|nil
function engine_releases.named(name, text)
  local major, minor, patch = numbers_of(text)
  if not major then return nil end
  local short = ("%d.%d"):format(major, minor)
  return BY_THIRD[name] and ("%s.%d"):format(short, patch) or short
end

local function is_later(a, b)
  local x, y = a:gmatch("%d+"), b:gmatch("%d+")
  for left in x do
    local right = y() or "0"
    if left ~= right then return tonumber(left) > tonumber(right) end
  end
  return false
end

--- Whether a text states a release before another, as "1.1", or, where it states none, a year before the one given; nil
--- where it states neither. Also what it states, as "0.7" or "of 2024".
---@param text string|nil
---@param release string
---@param year integer|nil
---@return boolean|nil
---@return string|nil
function engine_releases.is_before(text, release, year)
  local major, minor, patch = numbers_of(text)
  if major then
    local own = ("%d.%d.%d"):format(major, minor, patch)
    return is_later(release, own), ("%d.%d"):format(major, minor)
  end
  local own = year and (text or ""):match("%f[%d]20%d%d%f[%D]")
  if own then return tonumber(own) < year, "of " .. own end
end

-- Measured points that have to stand for a release nobody measured: a few runs may be odd ones.
local ENOUGH <const> = 16

local function newest_first(known)
  local list = tables.sorted_keys(known)
  table.sort(list, is_later)
  return list
end

-- Factors of a release nobody states, or later than any: the mean of the last ones, by their points, of as many as have
-- enough.
local function todays(known, order)
  local sums, points = {}, 0
  for _, key in ipairs(order) do
    for _, field in ipairs(engine_releases.FIELDS) do
      sums[field] = (sums[field] or 0) + known[key].points * math.log(known[key][field])
    end
    points = points + known[key].points
    if points >= ENOUGH then break end
  end
  local mean = {}
  for field, sum in pairs(sums) do mean[field] = math.exp(sum / points) end
  return mean
end

-- Of a release that was measured or followed: its own, those of the last one before it, or of the first there is.
local function nearest(known, order, release)
  for _, key in ipairs(order) do
    if not is_later(key, release) then return known[key] end
  end
  return known[order[#order]]
end

-- Settings that releases before one had otherwise, the earliest first.
local former = { vllm = {
  -- Groups of layers with caches of their own came in 0.9.1 (2025; recalled).
  { before = "0.9", settings = { window_kept = 1 } },
}, sglang = {
  -- Pools of their own for layers with a window: since 0.5, unasked (2025; recalled).
  { before = "0.5.0", settings = { window_kept = 1, chunk_kept = 1 } },
}, trtllm = {
  -- The engine in C++, before the one on PyTorch that its performance pages have from 0.19 on: a step is planned when the
  -- last one is over, in next to no time, and Triton answers. Its times were chosen on first tokens of 0.14 on H100 at 30
  -- given rates; 15 on H200 are met within 5 % in the mean (within 61 with the Python server's and steps planned ahead).
  -- It launches a kernel in 5 to 10 us (recalled).
  { before = "0.19", settings = { overlap = false, plan_s = 0, plan_sequence_s = 0, front_s = 0.01, front_sequence_s = 2.5e-4,
    submit_s = 5e-4, eager_kernel_s = 8e-6 } },
  -- 1.0 calls kernels that quantise while they sum for few models only, and has a loop without overlap for pipeline stages
  -- (_executor_loop_pp of its PyExecutor; recalled).
  { before = "1.1", settings = { sum_fusion = "norm", stages_ahead = false } },
} }

local function with_settings(engine, release)
  for _, was in ipairs(release and former[engine.name] or {}) do
    if is_later(was.before, release) then engine = tables.with(engine, was.settings) end
  end
  return engine
end

--- An engine's settings and coefficients at a release (nil: today's).
---@param engine table
---@param release string|nil
---@return table
function engine_releases.at(engine, release)
  engine = with_settings(engine, release)
  local known = fitted[engine.name] or {}
  local order = newest_first(known)
  if not order[1] then return engine end
  local is_new = not release or is_later(release, order[1])
  local factors, changed = is_new and todays(known, order) or nearest(known, order, release), {}
  for _, field in ipairs(engine_releases.FIELDS) do changed[field] = engine[field] * factors[field] end
  return tables.with(engine, changed)
end

return engine_releases
