-- A search over serving fleets: one model, up to 32 GPUs of a kind, confirmed by the simulation.
--   serving_search_ms      dense 70B model: TP x PP x format x replicas
--   serving_search_moe_ms  671B of experts: attention groups and expert ranks as well
package.path = (arg[0]:match("^(.*)/[^/]*$") or ".") .. "/?.lua;" .. package.path

local catalog = require("ballpark.catalog")
local search = require("ballpark.questions.serve_search.run")
local timing = require("timing")

local function measure(name, model)
  local input = { model = catalog.model(model), devices = { "H100" }, gpus = 32, engine = "vllm",
    load = { rate_per_s = 4, input_tokens = 1500, output_tokens = 300 }, sla = { ttft_s = 1, tpot_s = 0.05 } }
  assert(search.run(input).fits, "nothing meets the SLO")
  print(("%s: %.1f ms"):format(name, timing.ns(1, function() return search.run(input) end) * 1e-6))
end

measure("serving_search_ms", "llama-3.1-70b")
measure("serving_search_moe_ms", "deepseek-v3")
