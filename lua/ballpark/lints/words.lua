-- Lints of an estimate in prose: what a text that makes a mistake says, and what it leaves out. Words are looked for in
-- lower case; a text is an estimate once it has numbers.
local mentions = require("ballpark.mentions")

local words = {}

-- Code of a lint, patterns of which one must stand there, patterns of which none may.
local ROWS <const> = {
  { "weights_only", { "%f[%a]weights", "model size", "2 bytes", "fp16" }, { "kv", "cache", "overhead", "activation", "optimizer",
    "headroom", "%f[%a]states" } },
  { "mean_for_peak", { "average", "%f[%a]mean%f[%A]", "per day", "a day" }, { "peak", "burst", "%f[%a]max" },
    { "qps", "req", "rps", "images", "users" } },
  { "no_headroom", { "100%s*%% util", "fully utili", "full capacity" }, { "headroom" } },
  { "inference_alone", { "latency", "%f[%d]%d+%s*ms" }, { "network", "feature", "queue", "retrieval", "preprocess" } },
  { "fp32_by_default", { "fp32", "32%-bit", "4 bytes" }, { "fp16", "bf16", "16%-bit" } },
  { "fp32_by_default", { "run in fp32", "serve in fp32", "served in fp32", "runs in fp32" }, {} },
  { "no_range", { "%d" }, { "±", "%+/%-", "range", "between", "%f[%S]%d[%d%.,]*%a?%s*%-%s*%d", "%d%s*to%s*%d", "%.%.", "about%s+%d+x" } },
  { "no_comparable", { "%d" }, { "published", "compar", "measured", "took", "benchmark", "mlperf", "paper", "arxiv" } },
  { "mfu_of_peak", { "100%s*%% mfu", "mfu 100", "at peak flop", "full peak" }, {} },
  { "optimizer_forgotten", { "%f[%a]train" }, { "optimizer", "adam", "16 bytes", "18 bytes", "%f[%a]states", "zero" },
    { "memory", "%d%s*gb", "%d%s*gib" } },
  { "activations_forgotten", { "optimizer", "adam" }, { "activation", "checkpoint" }, { "memory", "%d%s*gb", "%d%s*gib" } },
  { "communication_forgotten", { "%f[%a]train" }, { "network", "communic", "all%-reduce", "mfu", "nvlink", "infiniband" } },
  { "no_redundancy", { "one replica", "1 replica", "single replica", "one gpu is enough" }, { "spare", "redundan" } },
  { "no_failures", { "%d+%s*weeks", "%d%d%.?%d*%s*days", "months" }, { "fail", "restart", "checkpoint", "goodput", "interrupt" },
    { "%f[%a]train" } },
  { "price_without_date", { "usd", "%$", "dollar" }, { "20%d%d" } },
  { "fitted_factor", { "real%-world factor", "overhead factor", "fudge", "safety factor" }, {} },
}

--- Codes of the lints that a text makes, in order.
---@param text string
---@return string[]
function words.of(text)
  local codes = {}
  for _, row in ipairs(ROWS) do
    if mentions.any(text, row[2]) and not mentions.any(text, row[3]) and (not row[4] or mentions.any(text, row[4])) then
      if codes[#codes] ~= row[1] then codes[#codes + 1] = row[1] end
    end
  end
  return codes
end

return words
