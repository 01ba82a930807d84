-- What an estimate's uncertainty goes by: a few declared traits of the input, all of them known before
-- anything is measured.
local features = {}

--- { name, what it means }, in the order of the numbers.
features.list = {
  { "generic", "software of no measured class" },
  { "moe", "mixture of experts" },
  { "open", "settings that had to be assumed, up to four" },
  { "nodes", "runs on more than one node" },
  { "narrow", "matmuls in 8 or 4 bit" },
  { "borrowed", "kernel curves of another device" },
}

-- Facts that change a step time by tens of percent when they are guessed wrong, as ballpark.resolve.training names
-- them.
local weighty = {}
for _, name in ipairs({ "recompute", "vpp", "micro_batch", "global_batch", "zero", "precision", "seq_len",
  "ranks", "tp", "software" }) do
  weighty[name] = true
end

-- More open settings than this widen no further.
local MOST_OPEN <const> = 4

local function open_count(open)
  local count = 0
  for _, name in ipairs(open or {}) do
    if weighty[name] then count = count + 1 end
  end
  return math.min(count, MOST_OPEN)
end

local function flag(condition) return condition and 1 or 0 end

local NARROW = { fp8 = true, mxfp8 = true, int8 = true, nvfp4 = true }

--- The device whose measurements the matmul curves of a device are, or nil where they are of nobody's.
---@return string|nil
function features.origin(device)
  return (device.gemm16 and device.gemm16.from or ""):match("^(%S+) ")
end

--- Whether the matmul curves of a device are its own measurements.
function features.measured(device) return device.name ~= nil and features.origin(device) == device.name end

--- The numbers for an estimate: `about` has input (of train_step), known (whether the class of software
--- is), open (names of settings that were assumed).
function features.of(about)
  local input = about.input
  return {
    flag(not about.known),
    flag((input.model.experts or 0) > 0),
    open_count(about.open) / MOST_OPEN,
    flag(input.network.devices > (input.network.node_size or 8)),
    flag(NARROW[input.plan.precision or "bf16"]),
    flag(not features.measured(input.device)),
  }
end

return features
