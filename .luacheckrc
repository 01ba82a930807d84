std = "lua54"
max_line_length = false
codes = true
-- not (a <= b) is no mistake for a > b: the two differ for NaN.
ignore = { "581" }
exclude_files = { "build*/", "lua/ballpark/meta/" } -- meta is generated, for editors

-- What a scenario sees besides plain Lua (lua/ballpark/scenario, lua/ballpark/units.lua).
stds.scenario = {
  read_globals = {
    -- inputs
    "model", "hf", "device", "cluster", "price", "profile", "param",
    -- questions
    "estimate", "search", "budget", "sweep", "pipeline", "platform", "kernel", "serve", "serve_search", "levers", "latency", "encode", "diffusion", "transcribe", "rerank", "recommend", "vector_search", "check", "ask", "cost", "image_prompt",
    -- the report
    "title", "facts", "show", "emit", "rows", "note", "assume", "expect", "slip", "accept",
    -- units
    "B", "kB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB", "PiB",
    "GFLOP", "TFLOP", "PFLOP", "EFLOP", "ZFLOP", "GFLOP_s", "TFLOP_s", "PFLOP_s", "EFLOP_s",
    "MB_s", "GB_s", "TB_s", "Mbit_s", "Gbit_s", "Tbit_s",
    "ns", "us", "ms", "s", "minutes", "hours", "days", "weeks", "months", "years",
    "per_s", "per_minute", "per_hour", "per_day", "USD", "W", "kW", "MW", "Wh", "kWh", "MWh",
    "tokens", "thousand", "million", "billion", "trillion", "percent",
  },
}
-- Data: one row, one line.
files["lua/ballpark/catalog/"] = { max_line_length = false }
files["lua/ballpark/questions/training/columns.lua"] = { max_line_length = false }
files["scenarios/"] = { std = "lua54+scenario", max_line_length = 130 }
files["tests/lua/*_spec.lua"] = { std = "lua54+busted" }
-- The runner hands busted its own command line.
files["tests/lua/run.lua"] = { globals = { "arg" } }
-- `ballpark lua` sets arg.
files["lua/ballpark/cli.lua"] = { globals = { "arg" } }
