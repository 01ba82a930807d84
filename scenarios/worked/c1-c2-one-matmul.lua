-- C1, C2: Does Y = A W fit a device, and what else takes memory beside the three matrices?
title "Memory of one matmul"

local shape = { m = param("m", 8192, "rows of A"), k = param("k", 8192, "columns of A"),
  n = param("n", 28672, "columns of W") }
local function ask(changes)
  local full = { m = shape.m, k = shape.k, n = shape.n, device_bytes = GB(80) }
  for key, value in pairs(changes) do full[key] = value end
  return kernel.matmul(full)
end
local inference = ask { bias = true, residual = true, kv_bytes = GB(8) }
local training = ask { bias = true, residual = true, training = true, in_flight = 4 }

local consumers = { "a_bytes", "w_bytes", "y_bytes", "headroom_bytes", "workspace_bytes", "partial_bytes",
  "bias_bytes", "residual_bytes", "kv_bytes", "gradients_bytes", "optimizer_bytes", "retained_bytes",
  "total_bytes", "spare_bytes" }
local list = {}
for i, name in ipairs(consumers) do
  list[i] = { (name:gsub("_bytes", ""):gsub("_", " ")), inference[name], training[name] }
end
rows {
  name = "consumers", title = "Who takes the memory",
  columns = { { name = "consumer" }, { name = "inference_bytes", unit = "B", title = "inference" },
    { name = "training_bytes", unit = "B", title = "training" } },
  rows = list,
}
assume "16-bit storage, fp32 sums; 10 % headroom, 32 MiB of workspace; training: Adam, 4 micro-batches in flight."

-- b (m k + k n + m n) by hand, and the decision with its terms.
local function operands(m, k, n) return 2 * (m * k + k * n + m * n) end
expect("C1 bytes", inference.a_bytes + inference.w_bytes + inference.y_bytes,
  { equals = operands(shape.m, shape.k, shape.n) })
expect("C1 decision", inference.fits, { equals = inference.total_bytes <= GB(80) })
expect("C1 terms add up", inference.total_bytes + inference.spare_bytes, { equals = GB(80) })
expect("C1 headroom", inference.headroom_bytes, { equals = operands(shape.m, shape.k, shape.n) / 10 })

-- The precision of the sums is apart: fp32 sums cost memory only where k is cut.
local cut = ask { split_k = 8 }
expect("C1 sums in fp32 are free in registers", ask({}).partial_bytes, { equals = 0 })
expect("C1 sums under split k", cut.partial_bytes, { equals = 8 * 4 * shape.m * shape.n })

expect("C2 training keeps gradients of all three", training.gradients_bytes,
  { equals = operands(shape.m, shape.k, shape.n) })
expect("C2 optimizer", training.optimizer_bytes, { equals = 12 * shape.k * shape.n })
expect("C2 what training adds", training.total_bytes / (inference.total_bytes - GB(8)), { least = 3 })
