-- What the rows and columns of reports are called where that is no field and no word of the glossary: { label, meaning }.
-- `explain` knows them; a label may have been written for several reports.
local report_labels = {}

report_labels.entries = {
  -- Of any report.
  { "Bound by", "the part of the time that is largest, or the limit that would be broken first: what to change first" },
  { "Cost", "money of the run, or of the fleet per hour, month and year: devices times their price; see usd_h" },
  { "Cost of a step", "money of one training step: step_usd" },
  { "Energy", "power of all boards over the time: hosts and cooling are counted only by pue" },
  { "all", "the sum of the rows above" },
  { "other", "rows that are too small for a line of their own, together" },
  { "step", "time of one training step, or of one step of an engine; the sum of its parts" },
  { "limit", "what was asked for at most" },
  { "each", "devices of one replica" },
  { "spare", "replicas that may fail at the peak without breaking the SLO" },
  { "of limit", "the value over what was asked for at most" },
  { "of", "what the rows are made of: devices and plan" },
  { "mean", "the mean over all requests, or over the day" },
  { "low", "lower end of the 80 % range: one true value in ten is below" },
  { "high", "upper end of the 80 % range: one true value in ten is above" },
  { "for", "the check that turned these plans away: ballpark explain reason" },
  { "nearest miss, or an example", "of the plans that a check turned away the one that came nearest, or the first" },
  { "Place", "the plan's place among all that fit, by what is ordered by" },
  { "works with", "the value with which something fits or the asked plan wins, everything else as asked" },
  { "best plan then", "the best plan of a search with that value" },
  { "step then", "step time with that value" },
  { "place then", "the asked plan's place with that value" },
  { "winner then", "the best plan when the input is so much lower or higher" },
  { "step down", "change of the step time when the input is a tenth lower" },
  { "step cost down", "change of a step's cost when the input is a tenth lower" },
  { "up", "the same when the input is a tenth higher" },
  { "B - A", "value of B less value of A" },
  { "Can be done", "whether money, time and efficiency can be had together" },
  { "Given", "what was asked for" },
  { "reaches", "share of the efficiency that was asked for which the best plan reaches" },
  { "Nearest to the SLO", "the simulated fleet that breaks it least" },
  { "missing", "memory that is short, on each device" },
  { "the rate at the planned utilisation", "requests per second that replicas carry at the share of their capacity "
    .. "that is planned with" },
  { "width", "how wide a range is, in log of true / estimate: 0.1 is 10 % up and down" },
  { "Assumed", "what the answer rests on and nobody said" },
  { "Comparable", "the published system that is most like this, to see whether the order of size is right: help check" },
  { "Signed", "mean of predicted / measured - 1: below 0 predictions are too low" },
  { "Median", "the middle one of the errors, half are below" },
  { "In 2x", "share of predictions that are between half and twice what was measured" },
  { "Nearest", "the rejected plan that came nearest to passing" },
  { "Rows", "rows of the table of measurements that this is about" },
  { "Target", "the figure that is compared with what was measured" },
  { "Covered", "rows of a measured table that have a prediction" },
  { "Families", "the same figure, each family of sources counted once, however many rows it has" },
  { "Ran", "measured runs that are known to have run, so that memory held them" },
  { "Failed", "measured runs that are known to have run out of memory" },
  { "Chance below half", "of the runs that ran, the share that is said to fit with less than half a chance" },
  { "Chance above half", "of the runs that ran out of memory, the share that is said to fit with more than half a "
    .. "chance" },
  -- Training: parts of memory and of a step.
  { "weights", "parameters in the format that they are multiplied in, of the fullest stage: weights_bytes" },
  { "gradients", "gradients that are kept until the optimizer runs: gradients_bytes" },
  { "optimizer states", "master weights and moments: optimizer_bytes" },
  { "activations", "what forward keeps for backward, for all micro-batches in flight: activations_bytes" },
  { "working set", "what one layer needs while it runs, forward and backward, and then gives back: working_bytes" },
  { "logits", "outputs over the vocabulary and their gradient, on the last stage: logits_bytes" },
  { "context, fragmentation", "context of the device, libraries, buffers of collectives and what the allocator cannot "
    .. "use: overhead_bytes" },
  { "matmuls", "matrix multiplications of forward and backward: matmul_s" },
  { "attention", "attention itself, without its projections: attention_s" },
  { "recomputation", "forward computed again in backward: recompute_s" },
  { "optimizer", "updating the weights: optimizer_s" },
  { "tensor-parallel traffic", "collectives inside of layers that nothing hides: tp_s" },
  { "context-parallel traffic", "keys and values on their way round that nothing hides: cp_s" },
  { "expert traffic", "all-to-all of tokens to their experts and back that nothing hides: ep_s" },
  { "sends between stages", "activations and gradients from stage to stage that nothing hides: pp_s" },
  { "data-parallel traffic", "gradients, and weights of FSDP, over replicas that nothing hides: dp_s" },
  { "offloading", "copies to the host and updates there that nothing hides: offload_s" },
  { "waiting for the host", "the device waits for kernels to be launched: host_s" },
  { "stragglers", "what a step waits for because devices differ: straggler_s" },
  { "Lost", "share of a run that is no progress: saving, work done again, restarts, evaluation, waiting for data; "
    .. "lost_frac" },
  { "fits", "chance that it fits into memory: fit_probability; of serving, yes or no" },
  { "kept", "activations that forward keeps for backward on a stage; of a pipeline the most at one time" },
  { "working", "what one layer of a stage needs while it runs, and then gives back: working_bytes" },
  { "waits", "share of a step in which a stage waits for other stages: pipeline_idle_frac" },
  { "exposed network", "share of a step in which devices wait for traffic that no computing hides: network_frac" },
  { "in flight", "micro-batches whose forward is done and whose backward is not: their activations are kept" },
  { "sequence parallel", "activations between tensor-parallel regions are cut along the sequence: sequence_parallel" },
  -- Pipelines.
  { "Step", "time of one training step; of a pipeline from its first operation to its last" },
  { "Most kept", "the most activations, or bytes, that a device of the pipeline keeps at one time" },
  { "peak memory", "the most bytes that a device keeps at one time" },
  { "One character", "the time that one character of the drawing stands for" },
  { "busy", "time with an operation running" },
  { "idle", "time in which a device waits for others" },
  { "on device", "the device, counted from 0, on which that is" },
  { "one device", "the same work without a pipeline" },
  -- Serving.
  { "Throughput", "what is done per second: tokens of training, or requests answered and output tokens" },
  { "Capacity", "requests per second that all replicas can do; more would wait longer and longer" },
  { "Load", "the requests that come, and how long they are" },
  { "Peak load", "requests per second at the peak of the day, which the replicas must carry with the spares down" },
  { "Each replica", "devices, running sequences and tokens of a step of one replica, and how many replicas are spare" },
  { "Cheapest fleet", "the replicas that meet the SLO for the least money, as simulated" },
  { "One kind of replica", "the cheapest fleet if all lengths shared one kind of replica" },
  { "Cost per million tokens", "money per million output tokens, and per million tokens of input and output together" },
  { "Waiting to run", "from the arrival of a request until the engine first works on it: the front end (tokenising, "
    .. "scheduling; ballpark explain front_s), then the step that is under way, then whoever came before; some 50 ms "
    .. "of front end are there without any queue" },
  { "KV cache, states", "memory for keys and values of the running requests, or for states of recurrent layers" },
  { "workspace", "activations of one step" },
  { "captured graphs", "memory of CUDA graphs" },
  { "buffers of collectives", "buffers of NCCL and of custom all-reduce" },
  { "context and libraries", "context of the device and libraries, before the engine has done anything" },
  { "all the engine may use", "memory of the device times engine.memory_frac" },
  { "Prompt tokens found in a cache", "share of input tokens whose keys and values were kept from earlier requests" },
  { "Replicas at most", "the most replicas that were up at one time" },
  { "Replicas started", "how often the autoscaler started one" },
  { "Failures of replicas", "how many failed while the load was simulated" },
  { "Requests that started over", "requests of replicas that failed, sent again" },
  { "closed form", "mean from formulas instead of simulation: what the search ranks plans by" },
  { "simulated", "what simulated requests see; chosen: the answer, failed: it broke the SLO" },
  { "tokens in/out", "input and output tokens of a request" },
  { "a month", "money of 730 hours" },
  { "saves", "share of the money that this saves" },
  { "it costs", "what a change costs beside money" },
  { "least", "the fewest replicas of the day" },
  { "most", "the most replicas of the day" },
  { "short", "share of the day in which there are fewer replicas than its load needs" },
  -- Encoders, networks of images, recommenders.
  { "Time of a call", "from the start of a batch to its last result" },
  { "Texts or images per second", "batches after each other, without waiting" },
  { "Largest batch", "the largest that fits into memory" },
  { "Arithmetic of one", "FLOP of one text or image" },
  { "Tokens of one", "tokens that one text or image is" },
  { "Share of the dense peak", "FLOP of the call over what the device could do in that time" },
  { "host, launches", "the device waits for kernels to be launched" },
  { "Padded to", "every text is filled up to this length" },
  { "Mean time of a request", "waiting for company and for the device, and its batch" },
  { "P99 of a request", "99 requests in a hundred take at most this long" },
  { "Load over what full batches can do", "beyond 1 requests wait longer and longer" },
  { "Share of the time a batch is under way", "how busy a replica is" },
  { "Replicas that meet the SLO", "the fewest, spares not counted" },
  { "All replicas", "of all replicas together" },
  { "Per second", "batches after each other, without waiting" },
  { "With spares", "those replicas and the spares" },
  { "to empty", "time until a queue that has built up is worked off" },
  { "longest wait", "what the last request of a full queue waits" },
  { "used", "share of the capacity" },
  { "All tables", "bytes of all embedding tables" },
  { "Devices that hold them", "the fewest whose memory holds the tables" },
  { "exchange", "embeddings sent between devices" },
  { "call", "start of one call: host, launches" },
  { "Items per second", "candidates that are ranked" },
  { "Requests per second", "requests that are answered" },
  { "a device", "the same per device" },
  -- Vector search.
  { "Building a shard", "time to index the vectors of one host" },
  { "Memory of a shard", "bytes of vectors, codes and graph of one host" },
  { "Shards that hold the index", "hosts over which the vectors are cut, so that each holds its part" },
  { "Nearest found first", "chance that the first result is the nearest vector" },
  { "Vectors compared with a query, per shard", "distances that one query takes" },
  { "Queries per second", "of one host; one call after the other, or with all threads busy" },
  { "Per second, busy", "queries per second with all threads busy" },
  { "Replicas for the rate", "copies of all shards that carry the load" },
  { "Utilisation at the rate", "load over what the replicas can do" },
  { "one call", "time of one query when nothing else runs" },
  { "building", "time to make the index" },
  -- Prompts in five steps.
  { "Answer", "what came out, in a line" },
  { "Does not go", "what was asked and does not go together: the exit code is 1" },
  { "Not said", "what a good prompt would have said; proposals stand in for it" },
  { "Proposed", "facts that nobody gave, with what stands in for them" },
  { "Range from", "what makes the range of the answer wide, with shares of its squared width" },
  { "formula, assumption, source", "how a line came about: formula with numbers, or what was assumed and why" },
  { "Best lever", "the change that saves most: see the table of levers" },
  { "All a month", "what all parts cost a month" },
  { "run", "money of the whole run with this change" },
  -- Claims.
  { "Verdict", "whether a claim can be, and whether it is usual" },
  { "Contradicted", "what a claim does not agree with: ballpark help check" },
  { "check", "the name of what a claim does not agree with, or of the slip of units that it looks like" },
  { "Usual", "what published systems of the kind reach" },
  { "Device time", "device-hours of the run" },
  { "Speed of a device", "tokens per second of one device" },
  { "Model FLOP of a device", "six FLOP per active parameter and token, over the time of one device" },
  { "Tokens written", "output tokens of all devices" },
  { "Tokens, prompts too", "input and output tokens of all devices" },
  { "Of the peak", "share of the dense peak of the devices that the arithmetic takes" },
  { "Fastest token", "time to read all weights once: no single sequence is faster" },
  { "Fastest first token", "the arithmetic of the prompt at the peak" },
  { "Sequences", "how many must share a step so that the bandwidth does" },
  { "Million tokens", "money of a million tokens" },
  -- Latency budgets.
  { "Requests within it", "share of requests whose parts add up to no more than the budget" },
  { "Left", "the budget less the sum" },
  { "Most to gain", "the part without which the sum at the percentile would fall most" },
  { "Sum of the parts' P99", "what one would add up by hand: more than the P99 of the sum" },
  { "P99 of the sum", "percentile of the parts added up, each drawn from its distribution" },
  { "P99 of the sum without it: less by", "what the percentile of the sum would lose with this part" },
  { "of the mean", "share of the mean of the sum" },
}

-- Lower-case label -> entry.
local by_label = {}
for _, entry in ipairs(report_labels.entries) do by_label[entry[1]:lower()] = entry end

-- "P90 of the sum" is "P99 of the sum" of another percentile; "Padded to 384" says a number.
local function general(label) return (label:lower():gsub("%f[%w]p%d[%d%.]*", "p99"):gsub("%s+%d[%d%.,]*$", "")) end

--- The entry of a label in any case, or nil. Behind a comma stands which of several it is: "building, within 3x".
---@param label string
---@return {[1]: string, [2]: string}|nil
function report_labels.find(label)
  local plain = general(label)
  return by_label[label:lower()] or by_label[plain] or by_label[plain:match("^(.-),") or ""]
end

--- All labels.
function report_labels.names()
  local names = {}
  for i, entry in ipairs(report_labels.entries) do names[i] = entry[1] end
  return names
end

return report_labels
