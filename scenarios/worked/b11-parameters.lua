-- B11: Parameters from the shape, exactly, against what the authors publish and the shorthand.
title "Parameters from the shape"

local list, worst = {}, 0
for i, name in ipairs {
  "gpt2", "gpt3-175b", "llama-7b", "llama-2-70b", "llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b",
  "mistral-7b-v0.1", "mixtral-8x7b", "deepseek-v3", "qwen3-235b-a22b", "gpt-oss-120b", "bert-base-uncased",
  "vit-l-16-224",
} do
  local m = model(name)
  local count = kernel.params { model = m }
  local published = m.published_params
  local shorthand = 12 * m.layers * m.hidden ^ 2 + (m.vocab or 0) * m.hidden
  local off = published and count.total_params / published - 1
  if off then worst = math.max(worst, math.abs(off)) end
  list[i] = { name, count.total_params, published, off, count.active_params, shorthand }
end
rows {
  name = "models", title = "Counted and published",
  columns = { { name = "model" }, { name = "total_params", title = "counted" },
    { name = "published_params", title = "published" }, { name = "off", unit = "frac", title = "difference" },
    { name = "active_params", title = "at work per token" },
    { name = "shorthand", title = "12 L H² + V H" } },
  rows = list,
}
expect("B11 largest difference", worst, { most = 0.01 })
note("The shorthand assumes an ungated feed-forward part of 4 H and as many key/value heads as heads: it "
  .. "misses grouped queries, gates and experts.")
