-- B11: Parameters from the shape, exactly, against what the authors publish and the shorthand.
title "Parameters from the shape"

local list, worst = {}, 0
for i, name in ipairs {
  "gpt2", "gpt2-xl", "gpt-j-6b", "gpt3-175b", "opt-175b", "bloom-176b", "falcon-40b", "pythia-12b", "llama-7b",
  "llama-2-7b", "llama-2-70b", "llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "mistral-7b-v0.1",
  "mixtral-8x7b", "mixtral-8x22b", "gemma-2-9b", "phi-4", "qwen2.5-7b", "qwen3-235b-a22b", "deepseek-v2",
  "deepseek-v3", "glm-4.5", "grok-1", "kimi-k2", "gpt-oss-120b", "bert-base-uncased", "roberta-large",
  "vit-l-16-224",
} do
  local m = model(name)
  local count = kernel.params { model = m }
  local published = m.published_params
  local shorthand = 12 * m.layers * m.hidden ^ 2 + (m.vocab or 0) * m.hidden
  local off = published and count.total_params / published - 1
  if off then worst = math.max(worst, math.abs(off)) end
  -- A count that is published to the last parameter must be met, a rounded one within 1 %.
  if published then
    expect("B11 " .. name, count.total_params,
      { equals = published, rel = published % 1000000 == 0 and 0.01 or 0 })
  end
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
-- By hand: embedding and head 2 * 128256 * 4096; per layer two norms of 4096, queries and output 2 * 4096^2, keys
-- and values 2 * 4096 * 1024, three matrices 4096 * 14336; one norm at the end.
expect("B11 8B by hand", kernel.params { model = model "llama-3.1-8b" }.total_params, { equals =
  2 * 128256 * 4096 + 32 * (2 * 4096 + 2 * 4096 ^ 2 + 2 * 4096 * 1024 + 3 * 4096 * 14336) + 4096, rel = 0 })
expect("B11 largest difference", worst, { most = 0.01 })
note("The shorthand assumes an ungated feed-forward part of 4 H and as many key/value heads as heads: it "
  .. "misses grouped queries, gates and experts.")
