-- What is to be served, as launch settings look at it: plan and engine with every field filled in.
local fields = require("ballpark.fields")

local case = {}

-- Settings of an engine that a user chooses; its other fields are what it costs.
local SETTINGS <const> = { "policy", "token_budget", "max_running", "chunked_prefill", "prefix_cache", "reserve_output",
  "memory_frac", "block_tokens", "recv_interval", "stream_interval", "batch_wait", "graph_tokens", "overlap", "max_loras", "max_lora_rank" }

local function described(group) return fields.input("infer_load", group) end

-- Fields of a group by the names that are there, with what was given or else their default.
local function filled(group, given)
  local values = {}
  for _, field in ipairs(described(group)) do
    local value = given[field.name]
    if value == nil then value = field.default end
    values[field.name] = value
  end
  return values
end

--- Descriptions of the fields of plan and engine that can be said, by group.
function case.described()
  local groups = { plan = {}, engine = {} }
  for _, item in ipairs(case.fields()) do
    for _, field in ipairs(described(item.group)) do
      if field.name == item.name then table.insert(groups[item.group], field) end
    end
  end
  return groups
end

local cached

--- Names of what can be said, in order: {group =, name =} of every field of the plan and of the
--- settings of an engine.
function case.fields()
  if cached then return cached end
  local list = {}
  for _, field in ipairs(described("plan")) do
    if field.kind ~= "note" then list[#list + 1] = { group = "plan", name = field.name } end
  end
  for _, name in ipairs(SETTINGS) do list[#list + 1] = { group = "engine", name = name } end
  cached = list
  return list
end

-- Room over the longest request of the load: chat templates and special tokens are no part of anybody's counts, and
-- lengths that were given are seldom the longest there will be (assumption).
local ROOM <const>, WHOLE <const> = 1.125, 256

-- Tokens that a request may have, where the load has a longest one; no more than the model was made for.
local function longest(load, model)
  if load.lengths == "lognormal" or load.lengths == "exponential" then return nil end
  local tokens = math.ceil((load.input_tokens or 1024) + (load.output_tokens or 1024))
  local roomy = math.ceil(ROOM * tokens / WHOLE) * WHOLE
  local most = model.max_seq or 0
  return most > 0 and math.max(tokens, math.min(roomy, most)) or roomy
end

--- The case of one kind of replica, as serving.run answers for it where it fits.
function case.new(answer)
  local input = answer.input
  local node = math.min(input.network.node_size or 8, input.network.devices)
  local c = { plan = filled("plan", input.plan), engine = filled("engine", answer.launched or input.engine),
    model = input.model,
    device = input.device, memory = answer.memory, steady = answer.steady, seen = answer.seen,
    longest = answer.max_model_len or longest(input.load, input.model), replicas = answer.replicas or 1 }
  c.ranks = c.plan.tp * c.plan.dp * c.plan.pp
  c.nodes = (c.ranks + node - 1) // node
  c.name = input.engine.name
  return c
end

return case
