-- check{}: is this number reasonable? What a claim implies, what is usual, what it contradicts.
local FACTS <const> = {
  { "model", "name of the catalog", type = "string" },
  { "params", "parameters, instead of a model: billion(7)", type = "number" },
  { "active_params", "of them active per token, where they are fewer", type = "number" },
  { "tokens", "tokens of a training run", type = "number" },
  { "device", "name of the catalog", type = "string" },
  { "devices", "how many", type = "integer" },
  { "time_s", "time of the run", type = "number" },
  { "device_s", "device time of the run: hours(82432)", type = "number" },
  { "mfu_frac", "model FLOP utilisation", type = "number" },
  { "tokens_per_s", "tokens per second, of a service those it writes", type = "number" },
  { "tokens_per_s_device", "the same of one device", type = "number" },
  { "flop_s", "model FLOP in a second, of a device or of all", type = "number" },
  { "flop_s_device", "the same of one device", type = "number" },
  { "cost_usd", "money of the run", type = "number" },
  { "usd_h", "USD per device-hour", type = "number" },
  { "rate_per_s", "requests per second of a service", type = "number" },
  { "rate_per_s_device", "the same of one device", type = "number" },
  { "items", "images or texts that an encoder goes through in time_s", type = "number" },
  { "input_tokens", "tokens of a prompt", type = "number" },
  { "output_tokens", "tokens of an answer", type = "number" },
  { "batch", "sequences that run at one time", type = "number" },
  { "concurrency", "clients at one time", type = "number" },
  { "weights", "format of the weights: bf16, fp8, int4, …", type = "string" },
  { "tpot_s", "time per token", type = "number" },
  { "ttft_s", "time to the first token", type = "number" },
  { "seq_len", "tokens of a sequence", type = "number" },
}

local inputs = { { "text", "the claim in free words: '7B on 1T tokens, 512 A100, 5 days'", type = "string" },
  { "kind", "training or serving, where the words leave it open", type = "string" } }
table.move(FACTS, 1, #FACTS, #inputs + 1, inputs)

return {
  name = "check",
  title = "whether a claim is reasonable: what it implies, what is usual, what it contradicts",
  inputs = inputs,
  facts = FACTS,
  needs = {},
  outputs = {
    { "fits", "boolean", "whether nothing is contradicted" },
    { "known", "table", "what was said and what follows from it" },
    { "contradictions", "table[]", "each with code and text" },
    { "remarks", "string[]", "what is possible and unusual" },
    { "normal", "table|nil", "MFU of published runs of the kind: low, median, high, count" },
    { "published", "table[]|nil", "those runs, the highest MFU first: name, device, devices, mfu_frac, date, source" },
    { "unread", "string[]", "facts of the words that the check does not look at" },
    { "comparable", "table|nil", "the nearest published system: text, source, date, ratio" },
  },
  notes = { "A claim in words and facts by name may be mixed; facts by name win." },
  command = "check",
  reason = function(answer) return answer.contradictions[1].text end,
}
