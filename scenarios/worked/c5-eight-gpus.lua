-- C5: Eight GPUs: how do tensor, pipeline and data parallelism combine, and what sets each?
title "Eight GPUs"

local function plan_for(name)
  return search {
    model = model(name),
    cluster = cluster { device = "H100-SXM-80GB", nodes = 1, node_size = 8 },
    job = { global_batch = 64, seq_len = 4096 },
    plan = { cp = 1 },
    space = { tp = { 1, 2, 4, 8 }, pp = { 1, 2, 4, 8 }, vpp = { 1 }, zero = { 1, 3 },
      micro_batch = { 1, 2, 4 }, recompute = { "none", "selective", "full" } },
    top = 3,
  }
end

local list = {}
for i, name in ipairs { "llama-3.2-1b", "llama-3.1-8b", "llama-2-13b", "gemma-2-27b" } do
  local answer = plan_for(name)
  local best = answer.best
  local line = { name, answer.fits }
  if best then
    for _, field in ipairs { "tp", "pp", "dp", "zero", "micro_batch", "recompute" } do
      line[#line + 1] = best.plan[field]
    end
    line[#line + 1], line[#line + 2], line[#line + 3] = best.time.step_s, best.memory.total_bytes, best.time.mfu_frac
  end
  list[i] = line
end
rows {
  name = "by_model", title = "Best plan by model",
  columns = { { name = "model" }, { name = "fits" }, { name = "tp" }, { name = "pp" }, { name = "dp" },
    { name = "zero", title = "ZeRO" }, { name = "micro_batch", title = "mb" }, { name = "recompute" },
    { name = "step_s", unit = "s", title = "step" }, { name = "total_bytes", unit = "B", title = "memory" },
    { name = "mfu_frac", unit = "frac", title = "MFU" } },
  rows = list,
}

-- The middle one in full, with a reason for every rejected plan.
local answer = plan_for "llama-2-13b"
show(answer)

local tallied = 0
for _, line in ipairs(answer.found.tally) do
  tallied = tallied + line.count
  expect("C5 a reason and an example: " .. line.reason, line.text ~= "", { equals = true })
end
expect("C5 every plan is accounted for", answer.found.feasible + tallied, { equals = answer.found.evaluated })
expect("C5 the devices are used", answer.best.plan.tp * answer.best.plan.pp * answer.best.plan.dp, { equals = 8 })
expect("C5 a small model needs no tensor parallelism", list[1][3], { equals = 1 })
expect("C5 a 27B model fits only sharded further", list[4][3] * list[4][4] > 1 or list[4][6] == 3,
  { equals = true })
note("Memory decides first: states and activations have to fit. Then data parallelism costs least, tensor "
  .. "parallelism stays inside the NVLink domain, pipelines need many micro-batches per stage.")
