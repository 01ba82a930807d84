-- Can I train Llama-3.1-70B on 128 H100, how, how long and for how much?
--   tools/run scenarios/quickstart.lua
--   ballpark run scenarios/quickstart.lua -D cluster.devices=256      another cluster
--   ballpark run scenarios/quickstart.lua --why tp=8,pp=2             what about this plan?

show(search {
  model = hf "models/llama-3.1-70b", -- the shape, from a config.json in Hugging Face's format
  cluster = cluster { device = "H100", nodes = 16, node_size = 8, fabric = "infiniband" },
  job = { global_batch = 1024, seq_len = 8192, tokens = trillion(15) },
  top = 3,
})
