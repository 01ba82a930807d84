-- What was simulated of a service, as facts and a table: what it answers, times with their ranges, what bounds them.
local law = require("ballpark.range.law")

local seen_show = {}

local HIDDEN <const> = { hide = true }

local TIMES <const> = { { "ttft", "TTFT" }, { "tpot", "TPOT" }, { "e2e", "E2E" } }
local ROWS <const> = { { "mean_s", "mean" }, { "p50_s", "P50" }, { "p90_s", "P90" }, { "p99_s", "P99" } }

-- Mean and percentiles, with the one that was asked for in its place.
local function rows_of(asked)
  local list, at = table.move(ROWS, 1, #ROWS, 1, {}), #ROWS + 1
  if not asked then return list end
  for i = #ROWS, 2, -1 do
    local known = tonumber(ROWS[i][2]:sub(2))
    if known == asked then return list end
    if known > asked then at = i end
  end
  table.insert(list, at, { "at_s", ("P%g"):format(asked) })
  return list
end

--- Percentiles down, times across: each column has one unit.
function seen_show.table(answer)
  local columns, rows = { { name = "what", title = "" } }, {}
  for _, time in ipairs(TIMES) do columns[#columns + 1] = { name = time[1], title = time[2], unit = "s" } end
  columns[#columns + 1] = { name = "queue", title = "Waiting to run", unit = "s" }
  for i, row in ipairs(rows_of(answer.input.percentile)) do
    rows[i] = { row[2] }
    for j, time in ipairs(TIMES) do rows[i][j + 1] = answer.seen[time[1]][row[1]] end
    rows[i][#TIMES + 2] = answer.seen.queue[row[1]]
  end
  return { name = "seen", title = "What requests see", columns = columns, rows = rows }
end

--- Facts of throughput. Here and below `fact(name, value, unit, title, options)` takes one.
function seen_show.add_rates(fact, answer)
  local answered, known = answer.answered, answer.bill
  fact("output_tok_s", answered.output_tok_s, "tok/s", "Output tokens per second", HIDDEN)
  fact("device_tok_s", answered.output_tok_s / math.max(known.devices, 1e-9), "tok/s", "Per device", HIDDEN)
  fact("mean_running", answer.seen.mean_running, "", "Sequences that run", HIDDEN)
  fact("requests_per_s", answered.requests_per_s, "1/s", "Throughput",
    { text = "{requests_per_s} answered, {output_tok_s} of output, {device_tok_s} per device" })
end

local function range_text(answer)
  return "in brackets, of the means: four measured runs in five of this engine are inside"
    .. (#answer.extrapolated > 0 and "; extrapolated: {extrapolated}" or "")
end

--- Facts of the mean times, with their ranges.
function seen_show.add_times(fact, answer)
  for _, time in ipairs(TIMES) do
    local name = time[1] .. "_s"
    fact(name, answer.seen[time[1]].mean_s, "s", time[2], { range = answer.range and answer.range[name] or nil })
  end
  if answer.range then
    fact("range_frac", law.COVERAGE, "frac", "Coverage of the ranges", HIDDEN)
    fact("extrapolated", table.concat(answer.extrapolated, "; "), "", "Range", { text = range_text(answer) })
  end
end

-- Parts of a decode step with the sequences that run in the mean.
local PARTS <const> = {
  { "weights and matmuls", "matmul", { "matmul_s", "moe_s", "head_s" } },
  { "KV cache", "kv", { "decode_s" } },
  { "traffic between devices", "traffic", { "collective_s" } },
  { "the host and gaps between kernels", "host", { "host_s" } },
}

-- A link that is in use for more than this share of the time is what the rest waits for.
local LINK_FULL <const> = 0.98

--- Whether what was seen waited for the link between the pools.
function seen_show.is_link_full(answer) return answer.seen.link_busy_frac > LINK_FULL end

--- Facts of what a decode step is made of, and which part bounds it.
function seen_show.add_bound(fact, answer)
  local step, names, largest = answer.step, {}, nil
  for i, part in ipairs(PARTS) do
    local sum = 0
    for _, name in ipairs(part[3]) do sum = sum + step[name] end
    local name = "step_" .. part[2] .. "_frac"
    fact(name, sum / step.time_s, "frac", "Of a decode step: " .. part[1], HIDDEN)
    names[i] = ("{%s} %s"):format(name, part[1])
    if not largest or sum > largest.sum then largest = { sum = sum, name = part[1] } end
  end
  local prompts = answer.steady and answer.steady.prompt_share
  fact("prompt_frac", prompts, "frac", "Share of the time that prefill takes", HIDDEN)
  local bound = seen_show.is_link_full(answer) and "the link between the pools"
    or prompts and prompts > 0.5 and "prefill" or largest.name
  fact("bound", bound, "", "Bound by", { text = bound .. (prompts and "; prefill takes {prompt_frac} of the time" or "")
    .. "; of a decode step " .. table.concat(names, ", ") })
end

-- Of all replicas, each shown where it says something.
local REST <const> = {
  { "busy_frac", "frac", "Time with a step running", function() return false end },
  { "cached_frac", "frac", "Prompt tokens found in a cache", function(v) return v > 0 end },
  { "preemptions", "", "Sequences thrown out and computed again", function(v) return v > 0 end },
  { "peak_running", "", "Sequences in a replica at most", function() return false end },
  { "pool_peak_frac", "frac", "Fullest the pool of a replica was", function(v) return v > 0.9 end },
  { "peak_replicas", "", "Replicas at most", function(_, seen) return seen.starts > 0 end },
  { "starts", "", "Replicas started", function(v) return v > 0 end },
  { "failed", "", "Failures of replicas", function(v) return v > 0 end },
  { "retried", "", "Requests that started over", function(v) return v > 0 end },
  { "lost", "", "Requests lost", function(v) return v > 0 end },
  { "replica_s", "s", "Time of replicas that is paid", function() return false end },
  { "link_busy_frac", "frac", "Time the pools' link was in use", function(v) return v > 0 end },
  { "duration_s", "s", "From the first arrival to the last answer", function() return false end },
  { "requests", "", "Requests simulated", function() return false end },
}

--- Facts of replicas and of their pools.
function seen_show.add_rest(fact, answer)
  for _, item in ipairs(REST) do
    local value = answer.seen[item[1]]
    fact(item[1], value, item[2], item[3], { hide = not item[4](value, answer.seen) })
  end
  local transfer = answer.seen.transfer.mean_s
  fact("transfer_s", transfer, "s", "KV cache moves, mean", { hide = transfer == 0 })
end

return seen_show
