-- C6: What does training add to the weights, and which remedy frees memory at the least cost?
title "Remedies for memory, ranked"

local shape, eight = model "llama-3.1-8b", cluster { device = "H100-SXM-80GB", nodes = 1, node_size = 8 }
local function with(changes)
  local plan = { tp = 1, pp = 1, zero = 0, micro_batch = 1, recompute = "none" }
  for key, value in pairs(changes) do plan[key] = value end
  return estimate {
    model = shape, cluster = eight, job = { global_batch = 64, seq_len = 8192 }, plan = plan,
  }
end

local base = with {}
local weights = 2 * base.params.total_params
local parts = {}
for i, name in ipairs {
  "weights", "gradients", "optimizer", "activations", "working", "logits", "overhead", "total",
} do
  parts[i] = { name, base.memory[name .. "_bytes"], base.memory[name .. "_bytes"] / weights }
end
rows {
  name = "base", title = "8B on every device, nothing sharded",
  columns = { { name = "part" }, { name = "bytes", unit = "B", title = "memory" },
    { name = "of_weights", title = "times the weights" } },
  rows = parts,
}

local remedies = {
  { "ZeRO 1: shard the optimizer", { zero = 1 } },
  { "ZeRO 2: and the gradients", { zero = 2 } },
  { "ZeRO 3 (FSDP): and the weights", { zero = 3 } },
  { "recompute attention only", { recompute = "selective" } },
  { "recompute everything", { recompute = "full" } },
  { "tensor parallelism over 2", { tp = 2 } },
  { "tensor parallelism over 8", { tp = 8 } },
  { "pipeline of 2", { pp = 2 } },
  { "16-bit gradients", { grad_bytes = 2 } },
}
local ranked = {}
for _, remedy in ipairs(remedies) do
  local answer = with(remedy[2])
  ranked[#ranked + 1] = { remedy[1], base.memory.total_bytes - answer.memory.total_bytes,
    answer.time.step_s - base.time.step_s, answer.memory.total_bytes, answer.fits }
end
-- Bytes freed per second lost; what frees without losing time comes first, the most bytes first.
local function worth(r)
  if r[2] <= 0 then return -1 end
  return r[3] <= 0 and math.huge or r[2] / r[3]
end
table.sort(ranked, function(a, b)
  if worth(a) ~= worth(b) then return worth(a) > worth(b) end
  if a[2] ~= b[2] then return a[2] > b[2] end
  return a[1] < b[1]
end)
local list = {}
for i, r in ipairs(ranked) do
  list[i] = { i, r[1], r[2], r[3], r[3] > 0 and r[2] > 0 and r[2] / r[3] or nil, r[4], r[5] }
end
rows {
  name = "remedies", title = "Bytes freed per second lost",
  columns = { { name = "rank", title = "#" }, { name = "remedy" },
    { name = "freed_bytes", unit = "B", title = "freed" }, { name = "lost_s", unit = "s", title = "longer step" },
    { name = "per_second", unit = "B/s", title = "freed per second" },
    { name = "total_bytes", unit = "B", title = "then takes" }, { name = "fits" } },
  rows = list,
}

local place = {}
for i, r in ipairs(ranked) do place[r[1]] = i end
expect("C6 training keeps many times the weights", base.memory.total_bytes / weights, { least = 8 })
expect("C6 it does not fit as it is", base.fits, { equals = false })
expect("C6 sharding states comes before recomputing", place["ZeRO 1: shard the optimizer"]
  < place["recompute everything"], { equals = true })
expect("C6 the first remedies cost little time", ranked[1][3] / base.time.step_s, { most = 0.02 })
note("Sharding states costs traffic that hides under compute; recomputing costs a third more matmuls. "
  .. "Shard first, recompute what is still too much.")
