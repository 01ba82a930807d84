-- serve{}: replicas of a model under a load, simulated.
local inputs = require("ballpark.questions.inputs")
local tables = require("ballpark.tables")
local needs = inputs.needs

-- Whether replicas keep up with the load. A service whose load is beyond its capacity was not simulated. A trace has an
-- end and is simulated all the same; of two pools, which have no closed form, the simulation says it.
local function keeps_up(answer)
  if answer.seen and not answer.steady then return answer.keeps_up end
  return answer.seen and answer.steady.stable
end

return {
  name = "serve",
  title = "replicas of a model under a load, simulated",
  kinds = { "serving" },
  inputs = {
    inputs.model, inputs.engine,
    tables.with(inputs.cluster, { [2] = "devices of one replica: device, devices, fabric, price" }),
    { "plan", "tp (what the cluster's devices leave unless given), pp, dp (attention groups), cp (of prompts), ep, "
      .. "weights, experts or checkpoint, activations, kv, draft_tokens, acceptance; weights as published unless given",
      is = "group", type = "ballpark.serving_plan" },
    { "load", "arrivals = closed (concurrency), open (rate_per_s, burstiness) or diurnal (rate_per_s, "
      .. "peak_over_mean or rates, period_s); lengths, input_tokens, output_tokens, spread; protocol or client of a "
      .. "benchmark; turns and think_s of sessions: ballpark explain load",
      is = "group", type = "ballpark.serve_load", whole = { "concurrency" } },
    { "trace", "instead of drawn requests: CSV with arrival_s, input_tokens, output_tokens and perhaps "
      .. "prefix_blocks (of load.block_tokens each), or a list of such requests", is = "requests",
      type = "string|table[]" },
    { "samples", "for load.lengths = 'empirical': CSV or list in the same form", is = "requests",
      type = "string|table[]" },
    { "replicas", "how many, 1", type = "integer" },
    { "routing", "two_choices, least_requests, round_robin, random, session, prefix, shared_queue", type = "string" },
    { "autoscale", "utilization_frac of the capacity, or target of a metric (requests, queue, rate) per replica; "
      .. "min, max, delays: ballpark explain autoscale", is = "group", type = "ballpark.autoscale" },
    { "start_s", "from the order of a replica until it serves; by default what the kernel cold_start says",
      type = "number" },
    { "failures", "mtbf_s, repair_s, lose: ballpark explain failures", is = "group", type = "ballpark.failures" },
    { "prefill_pool", "replicas that only prefill, and the link to the others: ballpark explain prefill_pool",
      is = "group", type = "ballpark.prefill_pool" },
    { "percentile", "1 to 99.9, shown beside 50, 90 and 99", type = "number",
      limits = { percentile = { least = 1, most = 99.9 } } },
    { "pool_tokens", "tokens that the KV cache of a replica holds, as an engine prints them at its start; by default "
      .. "what the memory has room for", type = "number" },
    { "max_model_len", "tokens of a prompt and its answer at most, as the engine is told; by default the longest "
      .. "context of the model", type = "integer" },
    { "ran", "true: the run is known to have run, so it had room and its ranks were launched, whatever is counted; "
      .. "a wide system of which only its width is known is taken as disaggregated", type = "boolean" },
  },
  needs = { needs.model, needs.device, needs.rate },
  outputs = {
    { "fits", "boolean", "whether a replica fits into memory" },
    { "memory", "table", "of one device of a replica" },
    { "steady", "table|nil", "closed forms, of one replica; steady.stable says whether it keeps up" },
    { "seen", "table|nil", "the simulation: ttft, tpot, e2e and queue with mean_s, p50_s, p90_s, p99_s" },
    { "keeps_up", "boolean|nil", "whether as many requests were answered as came" },
    { "answered", "table|nil", "requests_per_s and output_tok_s in the long run: of an open load that is carried, its rate" },
    { "open", "table[]", "what was left open, which widens the ranges: field, values and the weight of each" },
    { "range", "table<string, ballpark.range>|nil", "80 % ranges of the means by name: ttft_s, tpot_s, e2e_s" },
    { "extrapolated", "string[]|nil", "why the estimate goes beyond what was measured" },
    { "bill", "table|nil", "what it costs" },
  },
  notes = {
    "fits and steady.stable say why something is missing in an answer.",
    "Of an open loop the first and the last tenth of the arrivals are not counted (load.trim_frac); of a closed "
      .. "loop all are, as benchmarks do, but for load.skip; of a trace and a day all are.",
  },
  command = "serve",
  emit = "serving",
  feasible = function(answer) return answer.fits and keeps_up(answer) end,
  reason = function(answer) return answer.fits and "the load is beyond the capacity" or "memory" end,
}
