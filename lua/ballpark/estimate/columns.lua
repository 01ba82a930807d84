-- Names, units and titles of what an answer about training holds beyond the fields of the core: what
-- result columns carry and `explain` prints.
local columns = {}

columns.list = {
  { name = "plan", unit = "", title = "Plan", doc = "the plan in words" },
  { name = "step_tok", unit = "tok", title = "Tokens per step", doc = "job.global_batch * job.seq_len" },
  { name = "devices", unit = "", title = "Devices", doc = "network.devices" },
  { name = "usd_h", unit = "USD/h", title = "Price of a device", doc = "USD per device and hour: given, or from the catalog" },
  { name = "step_usd", unit = "USD", title = "Cost of a step", doc = "usd_h * devices * step_s / 3600" },
  { name = "tokens", unit = "tok", title = "Tokens of the run", doc = "job.tokens" },
  { name = "steps", unit = "", title = "Steps of the run", doc = "ceil(tokens / step_tok)" },
  { name = "run_s", unit = "s", title = "Training run", doc = "steps * step_s / goodput_frac, see run" },
  { name = "goodput_frac", unit = "frac", title = "Goodput", doc = "share of the run that is progress, see goodput" },
  { name = "device_s", unit = "device s", title = "Device time", doc = "run_s * devices" },
  { name = "cost_usd", unit = "USD", title = "Cost of the run", doc = "device_s * usd_h / 3600" },
  { name = "step_low_s", unit = "s", title = "Step, low", doc = "lower end of the 80 % range of step_s: one run in ten is faster" },
  { name = "step_high_s", unit = "s", title = "Step, high", doc = "upper end of the 80 % range of step_s: one run in ten is slower" },
  { name = "tokens_low_per_s", unit = "tok/s", title = "Throughput, low", doc = "lower end of the 80 % range of tokens_per_s" },
  { name = "tokens_high_per_s", unit = "tok/s", title = "Throughput, high", doc = "upper end of the 80 % range of tokens_per_s" },
  { name = "run_low_s", unit = "s", title = "Training run, low", doc = "lower end of the 80 % range of run_s" },
  { name = "run_high_s", unit = "s", title = "Training run, high", doc = "upper end of the 80 % range of run_s" },
  { name = "cost_low_usd", unit = "USD", title = "Cost, low", doc = "lower end of the 80 % range of cost_usd" },
  { name = "cost_high_usd", unit = "USD", title = "Cost, high", doc = "upper end of the 80 % range of cost_usd" },
  { name = "total_low_bytes", unit = "B", title = "Memory, low", doc = "lower end of the 80 % range of memory.total_bytes" },
  { name = "total_high_bytes", unit = "B", title = "Memory, high", doc = "upper end of the 80 % range of memory.total_bytes" },
  { name = "extrapolated", unit = "", title = "Extrapolated", doc = "why the estimate goes beyond what was ever measured; empty where it does not" },
  { name = "peak_flop_s", unit = "FLOP/s", title = "Dense peak", doc = "dense peak of the device in the format of the matmuls" },
  { name = "short_bytes", unit = "B", title = "Short of memory", doc = "memory.total_bytes less what fits with the chance asked (the capacity at half a chance), when positive" },
  { name = "compute_frac", unit = "frac", title = "Compute share", doc = "(matmul_s + attention_s + elementwise_s + recompute_s + optimizer_s) / step_s" },
  { name = "network_frac", unit = "frac", title = "Network share", doc = "(tp_s + cp_s + ep_s + pp_s + dp_s) / step_s, exposed communication only" },
  { name = "idle_frac", unit = "frac", title = "Idle share", doc = "(bubble_s + host_s + straggler_s) / step_s" },
  { name = "part", unit = "", title = "Part", doc = "part of the memory or of the step" },
  { name = "part_bytes", unit = "B", title = "Bytes", doc = "memory of the part, per device of the fullest stage" },
  { name = "part_s", unit = "s", title = "Seconds", doc = "time of the part in one step; the parts add up to step_s" },
  { name = "share_frac", unit = "frac", title = "Share", doc = "the part over the whole" },
  { name = "evaluated", unit = "", title = "Plans looked at", doc = "plans of the space without duplicates: feasible and rejected" },
  { name = "feasible", unit = "", title = "Feasible plans", doc = "plans that fit together, fit in memory and pass the rules" },
  { name = "fit_chance", unit = "frac", title = "Chance of fitting asked", doc = "least memory.fit_probability of a plan that counts as feasible" },
  { name = "objective", unit = "", title = "Ordered by", doc = "what the best plan is best in" },
  { name = "score", unit = "", title = "Score", doc = "value of the objective, or what a rule's score gave" },
  { name = "verdict", unit = "", title = "Verdict", doc = "feasible, or where the plan was rejected: structure, memory, rule" },
  { name = "rank", unit = "", title = "#", doc = "place in the order of the objective" },
  { name = "reason", unit = "", title = "Rejected for", doc = "class of rejection, in the order in which plans are checked" },
  { name = "plans", unit = "", title = "Plans", doc = "number of plans" },
  { name = "example", unit = "", title = "Example", doc = "one plan of the class: the nearest miss where one is nearer than another" },
  { name = "why", unit = "", title = "Why", doc = "what is wrong with the example" },
}

columns.by_name = {}
for _, column in ipairs(columns.list) do columns.by_name[column.name] = column end

return columns
