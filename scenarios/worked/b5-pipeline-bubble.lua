-- B5: The bubble of a pipeline of 8 stages with 32 micro-batches.
title "Pipeline bubble"

local one = kernel.bubble { stages = 8, micro_batches = 32 }
facts("1F1B, 8 stages, 32 micro-batches", {
  { "bubble_frac", one.bubble_frac, "frac", "Bubble over the whole time, (p-1)/(m+p-1)" },
  { "ideal_ratio", one.ideal_ratio, "frac", "Bubble over the time without it, (p-1)/m" },
})
expect("B5", one.bubble_frac, { equals = 0.179, rel = 3e-3 })
expect("B5, the other convention", one.ideal_ratio, { equals = 0.219, rel = 2e-3 })
note "Two conventions are in use: 17.9 % of the time that passes, or 21.9 % on top of the ideal time."

local list = {}
local function add(name, options)
  options.stages, options.micro_batches = 8, 32
  local b = kernel.bubble(options)
  list[#list + 1] = { name, b.bubble_frac, b.in_flight, b.weight_copies }
  return b
end
add("GPipe", { schedule = "gpipe" })
add("1F1B", {})
add("interleaved, 2 per device", { vpp = 2 })
add("interleaved, 4 per device", { vpp = 4 })
add("zero bubble H1", { schedule = "zb_h1" })
add("zero bubble H2", { schedule = "zb_h2" })
add("zero bubble V", { schedule = "zbv" })
add("DualPipe", { schedule = "dualpipe" })
rows {
  name = "schedules", title = "By schedule",
  columns = { { name = "schedule" }, { name = "bubble_frac", unit = "frac", title = "bubble" },
    { name = "in_flight", title = "micro-batches kept" }, { name = "weight_copies", title = "copies of weights" } },
  rows = list,
}
assume "Backward takes twice the forward, half of it for weight gradients; stages are even."
expect("interleaving divides the bubble", list[3][2] / (1 - list[3][2]), { equals = one.ideal_ratio / 2 })
