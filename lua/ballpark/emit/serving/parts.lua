-- The kinds of replicas that an answer consists of, as launch settings see them: one, one for prefill and one for
-- answers, or one per pool of lengths.
local core = require("ballpark.core")
local tables = require("ballpark.tables")

local parts = {}

local function memory_of(input)
  return core.infer_memory({ model = input.model, device = input.device, network = input.network, plan = input.plan,
    engine = input.engine })
end

-- serve{} knows the prefill pool by its plan and number only.
local function of_serve(answer)
  local pool = answer.input.prefill_pool
  if type(pool) ~= "table" or (pool.replicas or 0) == 0 then return { { answer = answer } } end
  local input = tables.with(answer.input, { plan = pool.plan })
  return { { role = "prefill", answer = tables.with(answer, { input = input, replicas = pool.replicas,
    memory = memory_of(input) }) },
    { role = "decode", answer = tables.with(answer, { replicas = answer.input.replicas }) } }
end

-- Pools of lengths have no load of their own: the longest of theirs is what a replica must hold.
local function of_lengths(answer)
  local list = {}
  for i, pool in ipairs(answer.pools) do
    local input, longest = pool.candidate:setup(), { input_tokens = 0, output_tokens = 0 }
    for _, b in ipairs(pool.buckets) do
      local bucket = answer.ask.load.buckets[b]
      if bucket.input_tokens + bucket.output_tokens > longest.input_tokens + longest.output_tokens then
        longest = bucket
      end
    end
    input.load = { input_tokens = longest.input_tokens, output_tokens = longest.output_tokens }
    list[i] = { role = "pool" .. i, answer = { input = input, memory = pool.candidate.memory, seen = pool.seen,
      replicas = pool.replicas } }
  end
  return list
end

--- { { role = nil where one kind of replica does all, answer = input, memory, steady or nil, seen, replicas }, ... }.
---@param answer table of serving.run, serving.search or serving.mix
function parts.of(answer)
  if answer.kind == "serving_mix" then return of_lengths(answer) end
  if answer.kind == "serving" or answer.kind == "replica" then return of_serve(answer) end
  local list = {}
  for i, replica in ipairs(answer.kinds) do
    list[i] = { role = answer.kinds[2] and replica.role or nil, answer = replica }
  end
  return list
end

--- Whether these are prefill and decode replicas, which send each other the KV cache.
function parts.are_split(list) return list[1].role == "prefill" end

return parts
