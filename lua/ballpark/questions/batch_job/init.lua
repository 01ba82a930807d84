-- batch_job{}: many prompts whose answers nobody waits for: done by when, on how many devices, for how much.
local blanks = require("ballpark.blanks")
local inputs = require("ballpark.questions.inputs")
local units = require("ballpark.units")
local needs = inputs.needs

return {
  name = "batch_job",
  title = "many prompts offline: done by when, on how many devices, for how much",
  inputs = {
    inputs.model,
    { "devices", "names, or { device, price, term }: ballpark catalog devices", type = "string|(string|ballpark.device)[]",
      required = true },
    { "prompts", "how many", type = "number", required = true },
    { "load", "input_tokens and output_tokens of a prompt and its answer, means; lengths and spread", is = "group",
      type = "ballpark.serve_load" },
    { "deadline_s", "when all have to be answered; without, replicas are added as long as you like", type = "number" },
    { "period_s", "after what time as many come again: a month of it is then priced", type = "number" },
    { "gpus", "devices there are at most, used without a deadline where that costs hardly more; without, as many as it takes", type = "integer" },
    inputs.engine,
    { "space", "tp, pp, ep, attention_dp, format, kv, engine, max_running, token_budget, draft_tokens: one value or a "
      .. "list each", is = "fleet_space", type = "table<string, any>" },
    { "terms", "on_demand, reserved, reserved_3y, spot: one or a list to choose from", type = "string|string[]" },
    { "start_s", "from the order of a replica until it serves; by default what the kernel cold_start says",
      type = "number" },
  },
  needs = { needs.model, { "devices", such = '"H100"', option = "device" },
    { "prompts", such = "million(1)" } },
  outputs = {
    { "fits", "boolean", "whether some replicas answer all prompts in time" },
    { "winner", "table|nil", "the cheapest: candidate, replicas, devices, time_s, usd, per_s, usd_h" },
    { "sure", "table|nil", "of a deadline: so many of the same that they are in time at the upper end of the range" },
    { "range", "table<string, ballpark.range>|nil", "80 % ranges of time_s and usd of the winner" },
    { "choices", "table[]", "the cheapest of each device, terms and plan that is in time, cheapest first" },
    { "sizes", "table[]", "the winner with other numbers of replicas: replicas, devices, time_s, usd" },
    { "refused", "string|nil", "where none is in time: why, in a line" },
    { "fastest", "table|nil", "where none is in time: the fastest" },
  },
  command = {
    summary = "Answer many prompts offline: done by when, on how many devices, for how much",
    examples = {
      "ballpark batch-job --model llama-3.1-8b --device H100,L4 --prompts 'million(10)' \\",
      "    --input-tokens 1000 --output-tokens 200 --deadline 'hours(24)' --terms on_demand,spot",
    },
    options = {
      { "model", "model", "Catalog name, or a config.json or its folder.", "text" },
      { "device", "devices", "Catalog name, or several to choose from, with commas.", "text" },
      { "prompts", "prompts", "How many, as 10M." },
      { "input-tokens", "load.input_tokens", "Tokens of a prompt, mean; of uniform lengths the longest." },
      { "output-tokens", "load.output_tokens", "Tokens of an answer, mean; of uniform lengths the longest." },
      { "deadline", "deadline_s", "When all have to be answered: 24h, 3d." },
      { "every", "period_s", "After what time as many come again: 24h; a month of it is then priced." },
      { "gpus", "gpus", "Devices there are at most; where no deadline is said, all that cost hardly more are used." },
      { "weights", "space.format", "Format of weights: bf16, fp8, nvfp4, ...; several with commas.", "text" },
      { "engine", "engine", "vllm, sglang or trtllm.", "text" },
      { "terms", "terms", "How devices are paid: on_demand, reserved, reserved_3y, spot.", "text" },
      { "start", "start_s", "Seconds from the order of a replica until it serves." },
    },
    complete = function(input)
      for _, field in ipairs({ "devices", "terms" }) do input[field] = input[field] and blanks.between_commas(input[field]) end
      if input.space then input.space.format = blanks.between_commas(input.space.format) end
    end,
  },
  headline = function(answer)
    local job = answer.winner
    return job and ("%s, %s on %s"):format(units.format(job.usd, "USD"), units.format(job.time_s, "s"), units.count(job.devices, "device"))
  end,
  reason = function(answer) return answer.refused end,
}
