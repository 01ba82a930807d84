-- How an answer about serving becomes blocks of a result.
local show = {}

local MEMORY <const> = {
  { "weights_bytes", "weights" }, { "activations_bytes", "workspace" }, { "graphs_bytes", "captured graphs" },
  { "buffers_bytes", "buffers of collectives" }, { "context_bytes", "context and libraries" },
  { "pool_bytes", "keys, values, states" }, { "usable_bytes", "all the engine may use" },
}

local SEEN <const> = { { "ttft", "First token" }, { "tpot", "Per token after it" }, { "e2e", "Last token" } }

local function memory_table(answer)
  local rows = {}
  for _, part in ipairs(MEMORY) do rows[#rows + 1] = { part[2], answer.memory[part[1]] } end
  return { name = "memory", title = "Memory per device",
    columns = { { name = "part", title = "" }, { name = "bytes", title = "Size", unit = "B" } }, rows = rows }
end

local function seen_table(answer)
  local rows = {}
  for _, item in ipairs(SEEN) do
    local times = answer.seen[item[1]]
    rows[#rows + 1] = { item[2], times.mean_s, times.p50_s, times.p90_s, times.p99_s }
  end
  return { name = "seen", title = "What requests see", rows = rows, columns = { { name = "what", title = "" },
    { name = "mean", title = "Mean", unit = "s" }, { name = "p50", title = "P50", unit = "s" },
    { name = "p90", title = "P90", unit = "s" }, { name = "p99", title = "P99", unit = "s" } } }
end

local function facts(answer)
  local list = { name = "serving", title = ("%s, %s"):format(answer.input.model.name or "model",
    answer.input.engine.name or "engine") }
  local function fact(name, value, unit, title)
    list[#list + 1] = { name = name, value = value, unit = unit, title = title }
  end
  fact("fits", answer.fits, "", "Fits")
  fact("max_sequences", answer.memory.max_sequences, "", "Sequences that find room")
  if answer.steady then
    fact("capacity_per_s", answer.steady.capacity_per_s, "1/s", "Requests per second at most")
    fact("stable", answer.steady.stable, "", "Keeps up with the load")
  end
  if answer.seen then
    fact("requests_per_s", answer.seen.requests_per_s, "1/s", "Requests per second")
    fact("output_tok_s", answer.seen.output_tok_s, "tok/s", "Tokens of answers per second")
    fact("mean_running", answer.seen.mean_running, "", "Sequences that run")
    fact("preemptions", answer.seen.preemptions, "", "Sequences thrown out and computed again")
  end
  return list
end

--- Adds an answer of serving.run to a result.
function show.answer(result, answer)
  result:facts(facts(answer))
  if answer.seen then result:table(seen_table(answer)) end
  result:table(memory_table(answer))
  if not answer.fits then
    result:warn("one such request does not find room beside the weights; no load was simulated")
  elseif not answer.seen then
    result:warn("the rate is above what the replica can do: waiting grows without end")
  end
  for _, text in ipairs(answer.assumed) do result:assume(text .. ".") end
  result:assume("Curves of experts and decode attention: " .. answer.origin .. ".")
end

return show
