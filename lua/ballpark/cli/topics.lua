-- What `explain` says of the questions a scenario can ask: their inputs are no struct of the core.
local objectives = require("ballpark.search.objectives")
local recompute_modules = require("ballpark.questions.estimate.recompute_modules")

local topics = {}

local SHARED = {
  { "model", "name of the catalog, config.json, or a table of fields: ballpark explain model" },
  { "cluster", "device, devices or nodes, node_size, domain, fabric, nic_bytes_s, host_memory_bytes, price" },
  { "job", "global_batch, seq_len, tokens: ballpark explain job" },
  { "plan", "fields of the plan that are fixed: ballpark explain plan; lists stage_layers and recompute_modules" },
  { "profile", "class of software: ballpark catalog profiles; by default what the device's vendor is used with" },
  { "price", "USD per device-hour, instead of the cluster's" },
  { "goodput", "share of a run that is progress, or inputs of the kernel goodput: { checkpoint_s, restart_s, "
    .. "device_mtbf_s, evaluation_frac, stall_frac, interval_s }" },
  { "pue", "power of the data centre over that of its computers, 1.1" },
  { "token_bytes", "stored bytes of one token of the training data, 2 or 4 by the vocabulary" },
}

local SERVED = {
  { "model", "name of the catalog, config.json, or a table of fields: ballpark explain model" },
  { "engine", "vllm, sglang, trtllm, vllm_v0 (before 0.8; vllm_v0_rocm, vllm_v0_xpu), generic, a table with name and "
    .. "what is different, or a file of 'ballpark calibrate serving': ballpark explain engine" },
}

local function joined(first, rows)
  local all = table.move(first, 1, #first, 1, {})
  return table.move(rows, 1, #rows, #all + 1, all)
end

local function with(rows) return joined(SHARED, rows) end

local function objectives_table(r)
  local rows = {}
  for i, name in ipairs(objectives.names) do
    rows[i] = { name, table.concat(objectives.words(name), ", "), objectives.rank(name, 1) < 0 and "more" or "less",
      objectives.says(name) }
  end
  r:table({ name = "objectives", title = "Objectives", columns = { { name = "objective" },
    { name = "words", title = "or" }, { name = "better" }, { name = "doc", title = "meaning" } }, rows = rows })
end

topics.by_name = {
  estimate = {
    title = "estimate{...}: one plan on one cluster",
    inputs = SHARED,
    notes = { "Answers fits, plan, memory, time, run, low and high (the 80 % range), assumed." },
  },
  recompute_modules = {
    title = "plan.recompute_modules: what backward computes again, in Megatron Core's words",
    of = "plan", column = "module",
    inputs = recompute_modules.reference(),
    notes = { "A list, as { 'mla_up_proj', 'moe' }, or one name, in place of plan.recompute. The space of a search "
      .. "takes the fields that they stand for: recompute_moe = { false, true }." },
  },
  stage_layers = {
    title = "plan.stage_layers: the layers of every stage of a pipeline, as { 10, 10, 10, 8 }",
    of = "plan",
    inputs = {
      { "pp", "follows: as many as there are numbers, or as plan.pp says where vpp numbers of each stage are given, "
        .. "stage after stage and round again" },
      { "first_layers", "layers of the first stage, and last_layers of the last: what the list stands for" },
    },
    notes = { "The numbers add up to the layers of the model; all stages between the ends have as many." },
  },
  search = {
    title = "search{...}: the best plans of a space",
    inputs = with({
      { "space", "per plan field one value, a list, or 'free'; tp, pp, vpp, cp, ep, zero, recompute and "
        .. "micro_batch are free unless fixed, all others stay at their default unless listed. space.system and "
        .. "space.job do the same for fields of cluster and job: a value, a list, {from =, to =, step = or times =}, "
        .. "or 'free' for any of device, devices, nodes, fabric, price, global_batch, seq_len; each "
        .. "combination is searched, and the answer is one" },
      { "objective", "what to order by, or a list: the first orders, all make the Pareto front; see the table below" },
      { "top", "how many plans to answer, 10" },
      { "front", "how many plans a Pareto front may have, 1000" },
      { "differ", "list of fields of plans, and over several systems of systems and jobs (device, devices, ...): of "
        .. "plans that agree in all of them only the best is kept" },
      { "fit_chance", "least chance of fitting into memory, 0.9" },
      { "deadline_s", "time for the run of job.tokens, for the objective deadline_probability" },
      { "time_spread", "standard deviation of ln(measured / estimated) step time that the chance of meeting the "
        .. "deadline goes by; from the 80 % range of the class of software" },
      { "exhaustive", "true looks at every plan of a space of more than 20 million, without bounds" },
      { "rules", "rule files or tables that reject, score or price plans" },
      { "why", "a plan to explain, whatever became of it" },
    }),
    tables = { objectives_table },
    notes = {
      "Checked in this order: devices, heads, layers, sequence, experts, sharding, batch, schedule, precision, "
        .. "memory, rules; a plan is tallied under the first check it fails.",
      "Ties go to the first plan of the space, so the same question has the same answer.",
      "Answers plans (estimates, best first), best, found (tally of rejections), nearest_miss, why.",
    },
  },
  serve = {
    title = "serve{...}: replicas of a model under a load, simulated",
    inputs = joined(SERVED, {
      { "cluster", "devices of one replica: device, devices, fabric, price" },
      { "plan", "tp, pp, dp (attention groups), cp (of prompts), ep, weights, experts, activations, kv, drafts, "
        .. "acceptance; weights as published unless given" },
      { "load", "arrivals = closed (concurrency), open (rate_per_s, burstiness) or diurnal (rate_per_s, "
        .. "peak_over_mean or rates, period_s); lengths, input_tokens, output_tokens, spread; turns and think_s of "
        .. "sessions: ballpark explain load" },
      { "trace", "instead of drawn requests: CSV with arrival_s, input_tokens, output_tokens and perhaps "
        .. "prefix_blocks (of load.block_tokens each), or a list of such requests" },
      { "samples", "for load.lengths = 'empirical': CSV or list in the same form" },
      { "replicas", "how many, 1" },
      { "routing", "two_choices, least_requests, round_robin, random, session, prefix, shared_queue" },
      { "autoscale", "utilization_frac of the capacity, or target of a metric (requests, queue, rate) per replica; "
        .. "min, max, delays: ballpark explain autoscale" },
      { "start_s", "from the order of a replica until it serves; by default what the kernel cold_start says" },
      { "failures", "mtbf_s, repair_s, lose: ballpark explain failures" },
      { "prompt_pool", "replicas that only compute prompts, and the link to the others: ballpark explain prompt_pool" },
      { "percentile", "1 to 99.9, shown beside 50, 90 and 99" },
    }),
    notes = {
      "Answers memory, steady (closed forms, of one replica), seen (the simulation: ttft, tpot, e2e and queue with "
        .. "mean_s, p50_s, p90_s, p99_s), low and high (80 % range of the means), bill, keeps_up; fits and "
        .. "steady.stable say why something is missing.",
      "Of an open loop the first and the last tenth of the arrivals are not counted (load.trim_frac); of a closed "
        .. "loop all are, as benchmarks do, but for load.skip; of a trace and a day all are.",
    },
  },
  sweep = {
    title = "sweep{...}: a function over a grid",
    inputs = {
      { "axes", "list of { name =, values = { ... } }" },
      { "run", "function of a point { name = value, ... } that gives a table of numbers, texts and true/false" },
      { "columns", "list of { name =, unit =, title = } in the order of the report" },
    },
    notes = { "From outside any scenario is swept by: ballpark sweep FILE --axis name=v1,v2." },
  },
  pipeline = {
    title = "pipeline{...}: a pipeline schedule, simulated",
    inputs = {
      { "stages", "devices of the pipeline" },
      { "micro_batches", "of a step" },
      { "schedule", "its name (ballpark explain schedule), or a function that gives each device's order" },
      { "vpp", "virtual stages per device" },
      { "forward_s", "of a micro-batch on a device, or a list by stage; also backward_s, weight_s, send_s, "
        .. "activation_bytes" },
    },
    notes = { "Answers step_s, bubble, memory over time and, with steps = true, every operation." },
  },
  cluster = {
    title = "cluster{...}: devices and how they are connected",
    inputs = {
      { "device", "name of the catalog or a table of fields: ballpark explain device" },
      { "devices", "how many; or nodes" },
      { "node_size", "devices of a node" },
      { "domain", "devices that fast links join" },
      { "host_memory_bytes", "memory of one host in bytes, for what is offloaded; unknown unless given" },
      { "fabric", "network between nodes by name: ballpark catalog clusters" },
      { "nic_bytes_s", "network bandwidth of a device, per direction: Gbit_s(400)" },
      { "price", "USD per device-hour, or the name of a provider" },
      { "name", "a cluster of the catalog, which the other fields change" },
    },
    notes = { "What is not given comes from the catalog of the device and is said under 'Assumed'." },
  },
  serve_search = {
    title = "serve_search{...}: the cheapest fleet that holds a promise",
    inputs = {
      { "model", "name of the catalog, config.json, or a table of fields" },
      { "devices", "names, or { device, price, term }: ballpark catalog devices" },
      { "gpus", "devices there are at most" },
      { "load", "rate_per_s of the peak, or of the mean with peak_over_mean; lengths: ballpark explain load; "
        .. "or buckets, each with share, input_tokens, output_tokens" },
      { "sla", "ttft_s, tpot_s, e2e_s, and percentile: 1 to 99.9, usually 90" },
      { "engine", "vllm, sglang, trtllm, a table that changes one, or a file of calibrate serving" },
      { "space", "tp, pp, ep, attention_dp, format, kv, engine, max_running, token_budget, drafts, replicas, pattern: "
        .. "one value or a list each" },
      { "terms", "on_demand, reserved, reserved_3y, spot: one or a list to choose from" },
      { "utilization_frac", "share of the capacity to plan with, 0.7" },
      { "spares", "replicas that may fail at the peak, also with a zone lost, 1" },
      { "zones", "of which one may be lost, 1" },
      { "surge_frac", "extra replicas during a roll-out, 0" },
      { "start_s", "load.arrivals = 'diurnal': from the order of a replica until it serves" },
    },
    notes = { "Answers fits, winner (groups, replicas, devices, cost_usd_h, seen), fleets, rejected, day; or breaks, "
      .. "reachable, nearest, enough." },
  },
  levers = {
    title = "levers{...}: what one change at a time would save",
    inputs = {
      { "…", "the fields of serve_search; a second argument may be its answer" },
    },
    notes = { "Answers base and rows, best first: name, title, which, costs, fits, cost_usd_h, saves_frac, fleet." },
  },
  latency = {
    title = "latency{...}: the percentile of a sum of times",
    inputs = {
      { "sla_s", "what was promised" },
      { "percentile", "99" },
      { "parts", "each with a name and fixed_s; median_s and p99_s; mean_s and cv; p50_s, p90_s and p99_s; or answer "
        .. "of serve and time (ttft, tpot, e2e, queue)" },
    },
    notes = { "Answers value_s, left_s, fits, within_frac, mean_s, stacked_s, parts (mean_s, percentile_s, saves_s), "
      .. "dominant." },
  },
  encode = {
    title = "encode{...}: texts or images once through a network on one device",
    inputs = {
      { "model", "name of the catalog (models, networks), fields of an encoder, or the totals of a convolutional "
        .. "network: ballpark explain convnet" },
      { "device", "name or fields of a device" },
      { "runtime", "tensorrt (the default), fastertransformer, compiled, xla, eager, neuron, or a table whose name "
        .. "says which it changes: ballpark explain runtime" },
      { "server", "triton (one client) or triton_concurrent, who hands the inputs over; none by default" },
      { "dtype", "format of weights and matmuls, fp16" },
      { "batch", "and tokens, mean_tokens, padding, image, head, item_bytes: as the kernel encode takes them" },
      { "load", "requests of one input each: rate_per_s, and window_s, max_batch, sla_s (99th percentile), "
        .. "utilization_frac (0.7), spares: answers the fewest replicas" },
      { "price_usd_h", "USD per device-hour, instead of the catalog's" },
    },
    notes = { "Answers out (of the kernel), low and high (factors of its time, four of five), batches, fleet." },
  },
  recommend = {
    title = "recommend{...}: ranking with embedding tables",
    inputs = {
      { "model", "name of the catalog (recommenders), totals: ballpark explain recommender, or layers: tables, rows, "
        .. "dim, lookups, dense_features, bottom and top (lists of widths), cross = { layers, rank }, items" },
      { "cluster", "made by cluster{}; tables are spread over its devices unless `devices` says fewer" },
      { "requests", "requests of one call, each of `items` of the model" },
      { "dtype", "and row_value_bytes, devices, sharding, skew: as the kernel recommend takes them" },
      { "runtime", "and server and load: as for encode{}" },
    },
    notes = { "Answers out (of the kernel), low and high (factors of its time, four of five), fleet." },
  },
  vector_search = {
    title = "vector_search{...}: nearest neighbours from an index",
    inputs = {
      { "host", "name (ballpark catalog search_hosts, or an accelerator) or fields: ballpark explain search_host" },
      { "vectors", "and dim, index, lists, probes, code_bytes, hamming, links, ef, results, batch, shards, replicas: "
        .. "as the kernel vector_search takes them" },
      { "recall", "instead of probes or ef: the share of nearest vectors to find, by the least effort" },
      { "law", "fields of the law of recall that your data are known to follow: ballpark explain recall_law" },
      { "rate_per_s", "queries per second, for which replicas are counted at utilization_frac (0.7)" },
    },
    notes = { "Answers out (of the kernel), low and high (factors of its time), trade (recall by effort), load." },
  },
  budget = {
    title = "budget{...}: of budget, deadline and efficiency, any two give the third",
    inputs = with({
      { "budget_usd", "what may be spent: million(2)" },
      { "deadline_s", "time for all tokens: days(30)" },
      { "mfu_frac", "model FLOP utilisation over all of the time, goodput included; or job.global_batch, so that a "
        .. "search finds what plans reach" },
      { "space", "what that search may vary, as for search{}" },
    }),
    notes = {
      "The cluster may leave devices open: { device = 'H100' }. Devices are bought in whole nodes.",
      "job needs tokens and seq_len. The arithmetic is that of the kernel of the same name.",
      "Answers found (devices, mfu_frac, deadline_s, cost_usd, feasible), reached (the search) and fits.",
    },
  },
}

--- The blocks of a topic in a result.
function topics.add(r, name)
  local topic = topics.by_name[name]
  if not topic then return end
  r:table({ name = name, title = topic.title, rows = topic.inputs,
    columns = { { name = topic.column or "input" }, { name = "doc", title = "meaning" } } })
  for _, add_table in ipairs(topic.tables or {}) do add_table(r) end
  for _, note in ipairs(topic.notes) do r:note(note) end
end

return topics
