-- B7, B8: Activations of a 13B model, 8 sequences of 4096, and what checkpointing leaves of them.
title "Activations of a 13B model"

local shape = { batch = 8, seq_len = 4096, hidden = 5120, heads = 40, layers = 40 }
local function rule(changes)
  local full = {}
  for _, part in ipairs { shape, changes } do
    for key, value in pairs(part) do full[key] = value end
  end
  return kernel.activation_rule(full)
end

local split = rule { tp = 4, every = 4 }
facts("One layer", {
  { "layer_whole_bytes", split.layer_whole_bytes, "B", "All of it" },
  { "layer_bytes", split.layer_bytes, "B", "On one of 4 devices" },
})
facts("40 layers, a checkpoint every 4, TP 4", {
  { "kept_bytes", split.kept_bytes, "B", "Without checkpointing" },
  { "conservative_bytes", split.conservative_bytes, "B", "Conservative form" },
  { "exact_bytes", split.exact_bytes, "B", "Exact form" },
  { "best_every_conservative", split.best_every_conservative, "", "Best spacing, conservative form" },
  { "best_every_exact", split.best_every_exact, "", "Best spacing, exact form" },
})
expect("B7", split.layer_whole_bytes, { equals = GB(32.55), rel = 2e-4 })
expect("B7 at TP 4", split.layer_bytes, { equals = GB(8.14), rel = 7e-4 })
expect("B8 conservative", split.conservative_bytes, { equals = GB(113.9), rel = 5e-4 })
expect("B8 does not fit", split.conservative_bytes > GB(80), { equals = true })
expect("B8 exact", split.exact_bytes, { equals = GB(35.9), rel = 1.5e-3 })
expect("B8 best spacing, conservative", split.best_every_conservative, { equals = math.sqrt(40) })
note(string.format("In decimal gigabytes: a layer %.2f GB, %.2f GB at TP 4; conservative %.1f GB, exact %.1f GB.",
  split.layer_whole_bytes / GB(1), split.layer_bytes / GB(1), split.conservative_bytes / GB(1),
  split.exact_bytes / GB(1)))
note("The conservative form counts a kept layer input as if it were a whole layer of activations: it says "
  .. "113.9 GB where 35.9 GB are kept. sqrt(L) is the best spacing only under that form.")

local list = {}
for i, every in ipairs { 1, 2, 4, 8 } do
  local classic, flash = rule { tp = 4, every = every }, rule { tp = 4, every = every, flash = true }
  list[i] = { every, classic.conservative_bytes, classic.exact_bytes, flash.exact_bytes }
end
rows {
  name = "spacing", title = "By spacing",
  columns = { { name = "every", title = "layers between checkpoints" },
    { name = "conservative_bytes", unit = "B", title = "conservative" },
    { name = "exact_bytes", unit = "B", title = "exact" },
    { name = "flash_bytes", unit = "B", title = "exact, scores never stored" } },
  rows = list,
}
expect("the exact form wants checkpoints close together", list[1][3] < list[3][3], { equals = true })
slip("B8: checkpoints by the conservative form", split.conservative_bytes, split.exact_bytes, "B")
