-- Training logs as runs: the median of the steps after warm-up.
--
-- Megatron-LM prints fields parted by " | " on one line a step; torchtitan prints "name: value" with
-- colour codes. What was run is not in either: it comes from elsewhere.
local errors = require("ballpark.errors")
local statistics = require("ballpark.validate.statistics")

local logs = {}

-- Steps that warm up: allocator, compilation, data loaders. A log keeps at least half of its steps.
logs.WARM_UP = 10

-- Steps after warm-up without which a median means little.
logs.LEAST_STEPS = 3

local GiB <const> = 1 << 30

local function number(text) return text and tonumber((text:gsub(",", ""))) end

local function megatron_line(line)
  local ms = number(line:match("elapsed time per iteration %(ms%):%s*([%d%.]+)"))
  if not ms then return nil end
  return {
    step = number(line:match("iteration%s+(%d+)%s*/")),
    step_s = ms / 1000,
    global_batch = math.tointeger(number(line:match("global batch size:%s*(%d+)"))),
  }
end

local function torchtitan_line(line)
  local _, stop, step = line:find("step:%s*(%d+)")
  local rate = stop and line:match("tps:%s*([%d,%.]+)", stop)
  if not rate then return nil end
  local memory = number(line:match("memory:%s*([%d%.]+)GiB"))
  return { step = number(step), tokens_per_s_device = number(rate), peak_bytes = memory and memory * GiB }
end

-- How many lines of each kind a log has decides what it is.
local kinds = {
  { name = "Megatron-LM", class = "megatron", read = megatron_line },
  { name = "torchtitan", class = "fsdp", read = torchtitan_line },
}

-- Colour codes of terminals.
local function plain(line) return (line:gsub("\27%[[%d;]*m", "")) end

--- Whether a text looks like a log of either kind.
function logs.recognises(text)
  for line in text:gmatch("[^\r\n]+") do
    for _, kind in ipairs(kinds) do
      if kind.read(plain(line)) then return true end
    end
  end
  return false
end

local function read_steps(text)
  for _, kind in ipairs(kinds) do
    local steps = {}
    for line in text:gmatch("[^\r\n]+") do steps[#steps + 1] = kind.read(plain(line)) end
    if #steps > 0 then return kind, steps end
  end
  return nil
end

local function median_of(steps, field, from)
  local values = {}
  for i = from, #steps do values[#values + 1] = steps[i][field] end
  return statistics.median(values)
end

-- A resumed or appended log prints a step again: the last one counts.
local function last_of_each(steps)
  local at, list = {}, {}
  for _, step in ipairs(steps) do
    local key = step.step or #list + 1
    if at[key] then list[at[key]] = step
    else
      list[#list + 1] = step
      at[key] = #list
    end
  end
  return list
end

local function batch_of(steps, from, name)
  local batch = steps[#steps].global_batch
  for i = from, #steps do
    if steps[i].global_batch ~= batch then
      errors.input(name, "the global batch changes during the log: cut it where it is constant")
    end
  end
  return batch
end

--- What a log says: { kind, class, steps, step_s, tokens_per_s_device, peak_bytes, global_batch }, medians.
---@param text string
---@param name string the file's name
function logs.read(text, name)
  local kind, steps = read_steps(text)
  if not kind then errors.input(name, "no step lines of Megatron-LM or torchtitan") end
  steps = last_of_each(steps)
  local skipped = math.min(logs.WARM_UP, #steps // 2)
  local from = skipped + 1
  if #steps - skipped < logs.LEAST_STEPS then
    errors.input(name, ("%d steps are too few: %d for warm-up, and %d are needed after that"):format(
      #steps, skipped, logs.LEAST_STEPS))
  end
  return {
    kind = kind.name, class = kind.class, steps = #steps - skipped, skipped = skipped,
    step_s = median_of(steps, "step_s", from),
    tokens_per_s_device = median_of(steps, "tokens_per_s_device", from),
    peak_bytes = median_of(steps, "peak_bytes", from),
    global_batch = batch_of(steps, from, name),
  }
end

return logs
