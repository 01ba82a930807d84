-- One matrix product on a few devices: does it fit, how is it cut, pipeline or tensor parallel, and what training adds.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local device_of_memory = require("ballpark.catalog.device_of_memory")
local mentions = require("ballpark.mentions")
local page = require("ballpark.questions.ask.page")
local peak = require("ballpark.questions.training.peak")
local prices = require("ballpark.catalog.prices")
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local n = page.n

local function count(name, title, value, why)
  return { name, "How many " .. title .. "?", unit = "", type = "integer", title = title, ask = 2,
    propose = proposals.constant(value, why) }
end

-- A stack of blocks as large as the devices hold with a fifth of their memory left over, of the depth of a 30B model at
-- most: attention's four matrices and the MLP's two, 16 bit.
local MOST_LAYERS <const>, STACK_FRAC <const> = 40, 0.8
-- Weights, gradients and optimizer states of a parameter in training (arXiv:1910.02054).
local TRAINED_BYTES <const> = 16

local function stack(f)
  local bytes = (f.memory_bytes or catalog.device(f.device).memory_bytes) * f.devices * STACK_FRAC
  local of_each = math.floor(bytes / ((f.training == "yes" and TRAINED_BYTES or 2) * (4 * f.k * f.k + 2 * f.k * f.n)) / f.devices)
  local layers = math.max(1, math.min(MOST_LAYERS // f.devices, of_each)) * f.devices
  return layers, "a stack that the devices hold, to cut by layers"
end

local matmul = {
  name = "matmul", title = "One matrix product", words = "Y = A W on a few devices: does it fit, PP or TP, why?",
  facts = {
    { "memory_bytes", "Memory of a device?", unit = "B", title = "Memory a device", stored = true },
    { "device", "Which device?", type = "string", title = "Device", ask = 1, propose = function(f)
      if f.memory_bytes then return device_of_memory.name(f.memory_bytes), ("a device of %s"):format(n(f.memory_bytes, "stored")), nil, nil, true end
      return "A100", "the device of most such questions"
    end },
    count("devices", "devices", 2, "the least that can be cut over"),
    count("m", "rows of A (tokens)", 8192, "a batch of prompts"),
    count("k", "columns of A", 8192, "the width of a 70B model"),
    count("n", "columns of W", 28672, "its MLP"),
    { "layers", "Layers of such blocks?", unit = "", type = "integer", title = "Layers",
      propose = stack },
    { "micro_batches", "Micro-batches of a pipeline?", unit = "", type = "integer", title = "Micro-batches",
      propose = proposals.constant(8, "enough to fill a short pipeline") },
    { "bound", "Is it asked what it is bound by?", type = "string", title = "Bound" },
    { "training", "Is it trained (yes or no)?", type = "boolean", title = "Training",
      propose = proposals.constant("no", "inference unless said") },
    { "dtype", "Format?", type = "string", title = "Format", also = { "weights" }, propose = function(f)
      if catalog.device(f.device).has_bf16 ~= false then return "bf16", "usual" end
      return "fp16", "the device has no bf16 arithmetic"
    end },
  },
}

-- Words that ask by what it is bound.
local BOUND <const> = { "bound", "roofline", "intensity", "bottleneck" }

function matmul.given(given, _, text)
  return mentions.any(text, BOUND) and tables.with(given, { bound = "asked" }) or given
end

local function price(f) return (prices.get(catalog.device(f.device).name)) end

-- Memory of the whole product on one device, and of a cut one.
local function memory(p, f, ways)
  local device = catalog.device(f.device)
  local bytes = f.memory_bytes or device.memory_bytes
  local whole = core.matmul({ m = f.m, k = f.k, n = f.n, dtype = f.dtype, training = f.training == "yes",
    device_bytes = bytes })
  p:add("size", "operand_bytes", "Three matrices", whole.a_bytes + whole.w_bytes + whole.y_bytes, "B",
    ("b (m k + k n + m n) = 2 x (%.0f x %.0f + %.0f x %.0f + %.0f x %.0f)"):format(f.m, f.k, f.k, f.n, f.m, f.n), { stored = true,
      brief = true })
  p:add("size", "hidden_bytes", "Hidden beside them", whole.total_bytes - whole.a_bytes - whole.w_bytes - whole.y_bytes, "B",
    f.training == "yes" and "headroom 10 %, workspace, gradients of all three, 12 bytes of optimizer a weight"
    or "headroom 10 %, workspace of 32 MiB", { stored = true, brief = f.training == "yes" or nil })
  p:add("size", "fits", "Fits one device", whole.fits, "", ("%s of %s"):format(n(whole.total_bytes, "stored"),
    n(bytes, "stored")), { brief = true })
  for _, cut in ipairs({ "column", "row" }) do
    local split = core.matmul_split({ m = f.m, k = f.k, n = f.n, dtype = f.dtype, cut = cut, ways = ways })
    p:add("size", cut .. "_bytes", cut == "column" and "Cut by columns" or "Cut by rows",
      split.a_bytes + split.w_bytes + split.y_bytes, "B", cut == "column"
      and ("a device: A whole, W and Y over n; all-gather of Y")
      or "a device: A and W over k, Y whole; all-reduce of Y", { stored = true })
  end
  return whole, bytes
end

--- The five steps.
function matmul.steps(p, f)
  for _, name in ipairs({ "device", "devices", "m", "k", "n", "layers", "micro_batches", "training", "dtype" }) do
    p:fact(f, name)
  end
  local device = catalog.device(f.device)
  local peak_flop_s = peak.of(device, f.dtype) or device.bf16_flop_s
  local whole, bytes = memory(p, f, f.devices)
  local time = core.gemm({ device = device, dtype = f.dtype, m = f.m, n = f.n, k = f.k })
  local forward = f.training == "yes" and core.matmul({ m = f.m, k = f.k, n = f.n, dtype = f.dtype,
    device_bytes = f.memory_bytes or device.memory_bytes }).flop or whole.flop
  p:add("compute", "flop", "Arithmetic", whole.flop, "FLOP", ("%s = %s2 x %.0f x %.0f x %.0f"):format(f.training == "yes"
    and "3 x 2 m k n" or "2 m k n", f.training == "yes" and "3 x " or "", f.m, f.k, f.n), { brief = true })
  p:add("compute", "gemm_s", f.training == "yes" and "Forward on one" or "Time on one", time.time_s, "s",
    ("%s over it, of %s"):format(n(forward / time.time_s, "FLOP/s"), n(peak_flop_s, "FLOP/s")),
    { basis = "estimated", brief = true })
  local turns = peak_flop_s / device.mem_bw_bytes_s
  p:add("compute", "intensity", "Intensity", whole.intensity, "FLOP/B", ("bound by %s: the device turns at %.0f FLOP a byte")
    :format(whole.intensity > turns and "arithmetic" or "memory", turns))
  p.rests_on = device.gemm16 and device.gemm16.from
  p.headline = ("the product %s: %s of %s"):format(whole.fits and "fits one device" or "does not fit one device",
    n(whole.total_bytes, "stored"), n(bytes, "stored"))
  if f.bound then
    p.headline = ("bound by %s: %s of it, and the device turns at %s; %s"):format(whole.intensity > turns and "arithmetic (compute-bound)" or "memory (memory-bound)",
      n(whole.intensity, "FLOP/B"), n(turns, "FLOP/B"), p.headline)
  end
  if f.devices > 1 then matmul.choice(p, f, device) end
  if not whole.fits then
    p.notes[#p.notes + 1] = ("whole it takes %s of %s: it has to be cut"):format(n(whole.total_bytes, "stored"),
      n(bytes, "stored"))
  end
  if price(f) then
    p:add("sanity", "usd_h", "Price", f.devices * price(f), "USD/h", ("%.0f x %s"):format(f.devices, n(price(f), "USD/h")))
  end
end

-- What decides throughput: the bubble of a pipeline against the time that all-reduces take.
local function why_throughput(out)
  return ("a pipeline idles %s of the time, all-reduces take %s"):format(n(out.pp.bubble_frac, "frac"),
    n(out.tp.network_s / out.tp.latency_s, "frac"))
end

-- Pipeline against tensor parallelism of a stack of such blocks, on the link that the devices have.
function matmul.choice(p, f, device)
  local network = catalog.cluster({ device = device, devices = f.devices }).network
  local out = core.pp_or_tp({ device = device, network = network, ways = f.devices, layers = f.layers, hidden = f.k,
    ffn_hidden = f.n, tokens = f.m, micro_batches = f.micro_batches, dtype = f.dtype })
  for _, way in ipairs({ { "pp", "Pipeline" }, { "tp", "Tensor parallel" } }) do
    local cost = out[way[1]]
    p:add("fleet", way[1] .. "_bytes", way[2] .. ", weights", cost.weights_bytes, "B", ("of a device; the stream between blocks, %s, is whole on each"):format(
      n(cost.stream_bytes, "stored")), { stored = true })
    p:add("fleet", way[1] .. "_latency_s", way[2] .. ", latency", cost.latency_s, "s", ("%s of %s a pass, %s of it network")
      :format(units.count(cost.messages, way[1] == "pp" and "send" or "all-reduce"), n(cost.message_bytes, "stored"),
        n(cost.network_s, "s")), { basis = "estimated" })
    p:add("fleet", way[1] .. "_tokens_per_s", way[2] .. ", speed", cost.tokens_per_s, "tok/s",
      ("%.0f micro-batches, bubble %s"):format(f.micro_batches, n(cost.bubble_frac, "frac")), { basis = "estimated" })
  end
  p:add("sanity", "breakeven_bytes_s", "TP pays from", out.latency_breakeven_bytes_s, "B/s",
    ("of all-reduce bandwidth for latency; the link reaches %s"):format(n(out.tp.reached_bytes_s, "B/s")),
    { basis = "estimated", brief = true })
  p.headline = p.headline .. ("; of a stack on %d x %s, %s for latency (all-reduces reach %s, and tensor parallelism pays from %s) and %s for "
    .. "throughput (%s)"):format(f.devices, device.name, out.latency_pick:upper(), n(out.tp.reached_bytes_s, "B/s"),
      n(out.latency_breakeven_bytes_s, "B/s"), out.throughput_pick:upper(), why_throughput(out))
end

return matmul
