-- serve_search{}: the cheapest fleet that holds an SLO.
local inputs = require("ballpark.questions.inputs")
local needs = inputs.needs

local function has_slo(input)
  local sla = type(input.sla) == "table" and input.sla or {}
  return sla.ttft_s ~= nil or sla.tpot_s ~= nil or sla.e2e_s ~= nil
end

local function has_users(input)
  local load = type(input.load) == "table" and input.load or {}
  return load.users ~= nil or load.concurrency ~= nil
end

return {
  name = "serve_search",
  title = "the cheapest fleet that meets an SLO",
  kinds = { "serving_search", "serving_mix" },
  inputs = {
    inputs.model,
    { "devices", "names, or { device, price, term }: ballpark catalog devices", type = "string|(string|ballpark.device)[]",
      required = true },
    { "gpus", "devices there are at most; without, as many as it takes", type = "integer" },
    { "load", "rate_per_s of the peak, or of the mean with peak_over_mean; or users who ask one after another and think_s "
      .. "that each thinks (concurrency: the same without thinking); lengths: ballpark explain load; or buckets, each "
      .. "with share, input_tokens, output_tokens", is = "group", type = "table", required = true },
    { "sla", "ttft_s, tpot_s, e2e_s, and percentile: 1 to 99.9, usually 90", is = "group",
      limits = { percentile = { least = 1, most = 99.9 } },
      type = "{ttft_s?: number, tpot_s?: number, e2e_s?: number, percentile?: number}", required = true },
    inputs.engine,
    { "max_model_len", "tokens of a prompt and its answer at most, as the engine is told: a replica has to hold one such "
      .. "request; by default one of mean length", type = "integer" },
    { "space", "tp, pp, ep, attention_dp, format, kv, engine, max_running, token_budget, draft_tokens, replicas, pattern: "
      .. "one value or a list each", is = "fleet_space", type = "table<string, any>" },
    { "terms", "on_demand, reserved, reserved_3y, spot: one or a list to choose from; of several a stated price is "
      .. "that on demand, or else of the first", type = "string|string[]" },
    { "utilization_frac", "share of the capacity to plan with, 0.7", type = "number" },
    { "spares", "replicas that may fail at the peak, also with a zone lost, 1", type = "integer" },
    { "zones", "of which one may be lost, 1", type = "integer" },
    { "surge_frac", "extra replicas during a roll-out, 0", type = "number" },
    { "start_s", "load.arrivals = 'diurnal': from the order of a replica until it serves", type = "number" },
  },
  needs = {
    needs.model, { "devices", such = '"H100"', option = "device" },
    { "load.rate_per_s", such = "8", option = "rate", met = has_users },
    { "sla.ttft_s", such = "1", option = "ttft", met = has_slo },
  },
  outputs = {
    { "fits", "boolean", "whether a fleet meets the SLO" },
    { "winner", "table|nil", "groups, replicas, devices, cost_usd_h, seen" },
    { "range", "table<string, ballpark.range>|nil", "80 % ranges: cost_usd_h, replicas, devices, ttft_s, tpot_s, e2e_s" },
    { "fleets", "table[]", "cheapest first, in the mean" },
    { "front", "table[]", "the Pareto front of cost, TTFT and TPOT in the mean, cheapest first" },
    { "rejected", "table", "what became of the other replicas" },
    { "searched", "table", "how much of the space was looked at: size, looked_at, complete, why" },
    { "clients", "table|nil", "of a load of users: users, think_s, rate_per_s, e2e_s, settled, by_chance" },
    { "day", "table|nil", "of a load that goes through a day" },
    { "breaks", "string[]|nil", "where nothing holds: the parts of the SLO, worst first" },
    { "helped", "boolean|nil", "where nothing holds: whether more devices may hold the SLO" },
    { "reachable", "table|nil", "where nothing holds: the best of each part" },
    { "nearest", "table|nil", "where nothing holds: the fleet that comes nearest" },
    { "enough", "table|nil", "where nothing holds: a fleet of more devices that would" },
  },
  command = "serve",
  emit = "serving",
  reason = function(answer) return answer.refused end,
}
