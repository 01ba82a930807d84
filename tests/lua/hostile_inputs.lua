-- Good questions, and values that nobody means in place of each of their inputs and of the fields below those. Whatever it
-- is, the question is answered, or refused in one line.
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local questions = require("ballpark.questions")
local report = require("ballpark.report")
local scenario = require("ballpark.scenario")
local tables = require("ballpark.tables")

local hostile_inputs = {}

local function h100(devices) return { device = "H100", devices = devices, price = 2 } end

local REQUEST <const> = { input_tokens = 500, output_tokens = 50 }
local SIZED <const> = tables.with(REQUEST, { rate_per_s = 4 })

--- Inputs by question, small so that an answer takes no time.
hostile_inputs.good = {
  ask = { text = "a chat assistant of 8B for 20k daily users", facts = { users = 20000 } },
  batch_job = { model = "llama-3.1-8b", devices = { "H100" }, prompts = 1000, load = REQUEST, deadline_s = 3600, gpus = 8,
    space = { tp = { 1, 2 } } },
  budget = { model = "llama-3.1-8b", cluster = h100(8), job = { tokens = 1e11, seq_len = 2048 }, budget_usd = 1e5, mfu_frac = 0.4,
    pue = 1.2, price = 2, fit_chance = 0.9 },
  check = { text = "7B on 1T tokens, 512 A100, 5 days", tokens = 1e12, device = "A100-80GB", devices = 512 },
  cost = { fleets = { { name = "a", usd_h = 2, replicas = 3 } }, growth_month_frac = 0.1, horizon_s = 1e8, budget_usd_month = 1e6 },
  diffusion = { model = "sdxl", device = "L40S", batch = 2, steps = 20, width = 1024, height = 1024, load = { rate_per_s = 1, sla_s = 30 },
    price_usd_h = 1 },
  encode = { model = "bert-base-uncased", device = "L4", tokens = 128, batch = 8, load = { rate_per_s = 100, sla_s = 0.5 }, price_usd_h = 1 },
  estimate = { model = "llama-3.1-8b", cluster = h100(8), job = { global_batch = 64, seq_len = 2048, tokens = 1e11 },
    plan = { tp = 2, recompute = "full" }, price = 2, goodput = 0.9, pue = 1.1, software = { name = "megatron", year = 2024 } },
  finetune = { model = "llama-3.1-8b", cluster = h100(2), method = "lora", examples = 1000, epochs = 2, seq_len = 1024, batch = 16,
    rank = 8, targets = "all", deadline_s = 1e5, evaluation = 100, lengths = { mean = 300, deviation = 200 } },
  fit = { model = "llama-3.1-8b:Q4_K_M", on = "RTX-4090", context_tok = 4096, batch = 2, devices = 1, memory_frac = 0.9 },
  image_prompt = { model = "Qwen2.5-VL-7B", device = "L4", width = 640, height = 480, images = 2, text_tokens = 50 },
  latency = { sla_s = 1, percentile = 95, parts = { { name = "a", median_s = 0.1, p99_s = 0.4 }, { name = "b", mean_s = 0.1, cv = 1 } } },
  levers = { model = "llama-3.1-8b", devices = { "H100" }, load = SIZED, sla = { ttft_s = 1, tpot_s = 0.05 }, space = { tp = 1 } },
  local_inference = { model = "llama-3.1-8b", device = "M3-Max-40", format = "Q4_K_M", context_tok = 4096, prompt_tok = 500 },
  pipeline = { stages = 4, micro_batches = 8, forward_s = 1, backward_s = 2, schedule = "1f1b" },
  platform = { classes = { { name = "a", per_day = 4, duration = 3600, devices = 2, bytes = 1e9, ttl_s = 1e5 } }, nodes = 2, node_size = 8,
    policy = "fifo", wait_target_s = 600, storage = { { name = "s", bytes_per_day = 1e9, ttl_s = 1e6 } }, horizon_s = 1e7,
    simulation = { jobs = 200 }, failures = { node_mtbf_s = 1e7, repair_s = 1e4 } },
  recommend = { model = "dlrm-criteo", cluster = h100(2), requests = 100, load = { rate_per_s = 1000, sla_s = 0.1 } },
  replica = { model = "llama-3.1-8b", cluster = h100(1), load = REQUEST, max_model_len = 4096, pool_tokens = 100000, engine = { name = "vllm",
    max_running = 64 }, plan = { tp = 1, weights = "fp8" } },
  rerank = { model = "bge-reranker-v2-m3", device = "L4", documents = 20, document_tokens = 128, load = { rate_per_s = 2, sla_s = 1 } },
  search = { model = "llama-3.1-8b", cluster = h100(8), job = { global_batch = 64, seq_len = 2048, tokens = 1e11 },
    space = { tp = { 1, 2 }, pp = 1, micro_batch = { 1, 2 } }, objective = "step_s", top = 2, fit_chance = 0.8, deadline_s = 1e7 },
  serve = { model = "llama-3.1-8b", cluster = h100(1), engine = { name = "vllm", max_running = 64 }, replicas = 2, percentile = 95,
    load = tables.with(SIZED, { requests = 50, arrivals = "open" }), pool_tokens = 100000, max_model_len = 4096, routing = "round_robin",
    failures = { mtbf_s = 1e6, repair_s = 100 }, start_s = 60 },
  serve_search = { model = "llama-3.1-8b", devices = { { device = "H100", price = 2 } }, load = SIZED, space = { tp = { 1, 2 } },
    sla = { ttft_s = 1, tpot_s = 0.05, percentile = 90 }, spares = 1, zones = 1, utilization_frac = 0.7, surge_frac = 0.1, gpus = 16 },
  speak = { model = "orpheus-3b", device = "L4", voices = 4, text_tok = 50, audio_s = 8, streams = 20 },
  transcribe = { model = "whisper-large-v3", device = "L4", audio_s = 3600, batch = 8, beams = 2, window_tok = 100, audio_per_s = 50 },
  tune = { model = "llama-3.1-8b", cluster = h100(8), job = { global_batch = 64, seq_len = 2048 }, space = { tp = { 1, 2 }, pp = 1 },
    measured = { { tp = 1, step_s = 2.5 }, { tp = 2, status = "oom" } }, runs = 2, within = 0.03 },
  vector_search = { vectors = 1e6, dim = 128, index = "hnsw", ef = 64, rate_per_s = 100, price_usd_h = 1, host = "server-2024" },
}

--- Names of the questions, sorted; sweep{} and ranges{} take functions.
hostile_inputs.names = tables.sorted_keys(hostile_inputs.good)

local LONG <const> = ("x"):rep(70000)
local DEEP = {}
for _ = 1, 300 do DEEP = { DEEP } end

--- Values that nobody means.
hostile_inputs.values = { 0, -1, 1.5, 0 / 0, 1 / 0, -1 / 0, 1e308, -1e308, 1e-320, -0.0, 1 << 53, math.maxinteger, math.mininteger, 1000000, "",
  "x", "1", "\27[31m", "\xff\xfe", "<script>alert(1)</script>", "a\0b", "/etc/passwd", "/dev/zero", LONG, true, false, {}, { 1, 2 }, { {} },
  { x = 1 }, { [1.5] = 1 }, { [true] = {} }, { { { 1 } } }, DEEP, function() return 1 end, print, io.stdout }

local function places(input, path, list)
  for _, key in ipairs(tables.sorted_keys(input)) do
    local here = table.move(path, 1, #path, 1, {})
    here[#here + 1] = key
    list[#list + 1] = here
    if type(input[key]) == "table" then places(input[key], here, list) end
  end
  return list
end

--- Where values stand in the good input of a question, and names that it takes beside those: { { "load", "rate_per_s" }, … }.
function hostile_inputs.places(name)
  local list = places(hostile_inputs.good[name], {}, {})
  for _, row in ipairs(questions.record(name).inputs) do
    if hostile_inputs.good[name][row[1]] == nil then list[#list + 1] = { row[1] } end
  end
  return list
end

-- The good input with a value at a place.
local function changed(input, path, value)
  local copy = tables.copy(input)
  local at = copy
  for i = 1, #path - 1 do at = at[path[i]] end
  at[path[#path]] = value
  return copy
end

local function answered(name, input)
  local state = scenario.state(nil, {})
  local env = environment.new(state)
  env.show(env[name](input))
  local result = scenario.finish(state, "this question")
  for _, format in ipairs({ "json", "table" }) do report.render(result, format, {}) end
  return report.render(result, "json", {})
end

--- What refuses the good input of a question; nil: nothing.
---@param name string
---@return string|nil
function hostile_inputs.refused(name) return (errors.catch(answered, name, tables.copy(hostile_inputs.good[name]))) end

--- What is wrong with how a question ends with a value at a place; nil: nothing.
---@param name string
---@param path string[]
---@param value any
---@return string|nil
function hostile_inputs.wrong(name, path, value)
  local ok, said = pcall(answered, name, changed(hostile_inputs.good[name], path, value))
  if ok then return not pcall(json.decode, said, "answer") and "no JSON" or not utf8.len(said) and "no UTF-8" or nil end
  if not errors.is(said) then return tostring(said) end
  local text = tostring(said)
  if text:find("[%z\1-\31\127]") or not utf8.len(text) then return "no line: " .. text:sub(1, 200) end
  if text:find("0x%x%x%x%x%x%x") then return "an address: " .. text end
  return #text > 4000 and "a refusal of " .. #text .. " bytes" or nil
end

return hostile_inputs
