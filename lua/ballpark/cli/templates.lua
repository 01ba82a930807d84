-- What `ballpark new` writes.
local templates = {}

templates.training = [[
-- One plan on one cluster: does it fit, how fast is it, what does it cost?
-- Run it:            ballpark run FILE
-- Change an input:   ballpark run FILE -D plan.tp=8 -D job.global_batch=2048
-- What a name means: ballpark explain plan.tp

title "My training run"

-- A name of the catalog (ballpark catalog models), a config.json, or a table of your own:
--   hf "path/to/config.json"
--   model { layers = 32, hidden = 4096, heads = 32, kv_heads = 8, ffn_hidden = 14336, vocab = 128256 }
local llama = model "llama-3.1-8b"

-- Devices, prices: ballpark catalog devices, ballpark catalog prices.
local machines = cluster { device = "H100", nodes = 8 }

local answer = estimate {
  model = llama,
  cluster = machines,
  job = {
    global_batch = param("global_batch", 512, "sequences in one optimizer step"),
    seq_len = 8192,
    tokens = trillion(1), -- of the whole run
  },
  plan = {
    tp = 2, -- tensor-parallel ranks; data-parallel ranks follow from the rest
    micro_batch = 1,
    recompute = "none", -- none, selective, full
  },
}
show(answer)

-- A line that fails the run (exit code 1) when a number drifts:
-- expect("fits in memory", answer.memory.total_bytes, { most = GiB(80) })
]]

templates.search = [[
-- The best plans for a model on a cluster.
-- Run it:               ballpark run FILE
-- Why not some plan:    ballpark run FILE --why tp=8,pp=4
-- Fewer devices:        ballpark run FILE -D cluster.devices=32

title "Best plan for my cluster"

show(search {
  model = model "llama-3.1-8b",
  cluster = cluster { device = "H100", devices = 64 },
  job = { global_batch = 512, seq_len = 8192, tokens = trillion(1) },
  -- Fields left out take all useful values; a list narrows them.
  space = {
    recompute = { "none", "selective", "full" },
  },
  objective = "step_s", -- what to order by: step_s, mfu_frac, tokens_per_s, step_usd
  top = 5,
})
]]

templates.serving = [[
-- Replicas of a model under a load: what requests see, and what it costs.
-- Run it:                ballpark run FILE
-- Another load:          ballpark run FILE -D load.rate_per_s=20 -D replicas=3
-- As a launch script:    ballpark run FILE --emit vllm
-- What there is to say:  ballpark explain serve

title "My service"

local answer = serve {
  -- A name of the catalog (ballpark catalog models), a config.json or a table of fields.
  model = model "llama-3.1-8b",
  -- The devices of one replica.
  cluster = cluster { device = "H100", devices = 1 },
  engine = "vllm", -- vllm, sglang, trtllm
  plan = { tp = 1, weights = "fp8", kv = "fp8" },
  replicas = param("replicas", 2, "replicas of the model"),
  load = {
    arrivals = "open", -- or closed with concurrency, or diurnal with peak_over_mean
    rate_per_s = 16,
    lengths = "lognormal",
    spread = 0.6,
    input_tokens = 1500,
    output_tokens = 300,
  },
}
show(answer)

-- A line that fails the run (exit code 1) when an SLO is broken; seen is missing when the load is too much:
-- expect("first token, P90", answer.seen and answer.seen.ttft.p90_s, { most = 0.5 })
]]

templates.sweep = [[
-- A grid of your own making: one row per point.
-- Run it:      ballpark run FILE
-- As a table:  ballpark run FILE -f csv -o sizes.csv
-- (Any scenario can be swept from outside, too: ballpark sweep FILE --axis plan.tp=1,2,4)

title "How big a cluster?"

local llama = model "llama-3.1-8b"

show(sweep {
  axes = {
    { name = "devices", values = { 32, 64, 128 } },
    { name = "tp", values = { 1, 2, 4 } },
  },
  run = function(p)
    local answer = estimate {
      model = llama,
      cluster = cluster { device = "H100", devices = p.devices },
      job = { global_batch = 512, seq_len = 8192, tokens = trillion(1) },
      plan = { tp = p.tp },
    }
    return {
      fits = answer.fits,
      run_s = answer.run.run_s,
      cost_usd = answer.run.cost_usd,
      memory_bytes = answer.memory.total_bytes,
    }
  end,
  columns = {
    { name = "fits" },
    { name = "run_s", unit = "s", title = "run" },
    { name = "cost_usd", unit = "USD", title = "cost" },
    { name = "memory_bytes", unit = "B", title = "memory" },
  },
})
]]

templates.rule = [[
-- A rule of a team: filters, scores or prices the plans of a search.
-- Use it:  ballpark search ... --rules FILE   or   search { ..., rules = { "FILE" } }
-- `c` is a read-only view of one plan and its estimate, all fields by their bare names: c.tp, c.pp,
-- c.total_bytes, c.step_s, c.mfu_frac, c.usd_h, c.node_size, c.seq_len ... (ballpark explain NAME).
-- Give one or more of reject, score and price.
return {
  name = "no TP across nodes",
  why = "tensor-parallel traffic between nodes is too slow", -- printed when the rule rejects
  reject = function(c)
    return c.tp > c.node_size
  end,
  -- reject = function(c) return c.total_bytes > 0.85 * c.capacity_bytes end, -- of the fullest device
  -- score = function(c) return c.mfu_frac end, -- higher is better
  -- price = function(c) return 2.5 end, -- USD per device-hour
}
]]

return templates
