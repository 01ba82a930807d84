-- Which quantities each kind of question leads with, of those in wanted.lua; and, where no words speak for a kind, the kind
-- that yields what is wanted from the facts that are given.
local tables = require("ballpark.tables")

local yields = {}

-- What each yields: of a service or a run its time, money and so on; a kind that is not here is chosen by its own words alone.
local OF <const> = {
  batch = { "tokens", "money", "time", "speed", "money_token", "money_request" },
  checkpoints = { "memory", "time", "money_month", "money_year", "money" },
  corpus = { "time", "money", "speed", "money_token", "money_request" },
  cost = { "saving", "money", "money_month", "money_year" },
  encode = { "rate", "latency", "devices", "money", "money_month", "money_year", "speed", "money_token", "money_request" },
  finetune = { "batch", "devices", "time", "money", "memory", "speed" },
  fit = { "users", "memory", "devices", "batch", "tokens" },
  ["local"] = { "latency", "tokens", "speed", "time", "memory", "energy", "energy_each" },
  llm = { "rate", "latency", "energy_each", "saving", "devices", "money", "money_month", "money_year", "energy", "carbon", "share" },
  platform = { "devices", "money", "money_month", "money_year", "share", "wait" },
  recommend = { "rate", "latency", "devices", "money", "money_month", "money_year" },
  rent = { "money", "money_month", "money_year", "energy", "carbon" },
  replica = { "carbon_each", "rate", "users", "latency", "batch", "tokens", "devices", "speed", "money_token", "money_request", "energy_each", "time", "share", "memory" },
  retrieval = { "rate", "latency", "devices", "money", "money_month", "money_year", "memory" },
  storage = { "memory", "money", "money_month", "money_year" },
  training = { "device_hours", "tokens", "devices", "time", "money", "speed", "energy", "carbon", "share", "memory" },
}
for kind, list in pairs(OF) do OF[kind] = tables.set(list) end

--- Whether a kind leads with a quantity; nil of a kind of which nothing is said.
---@param kind string
---@param quantity string
---@return boolean|nil
function yields.of(kind, quantity)
  local own = OF[kind]
  if own then return own[quantity] == true end
end

local function has_model(f) return f.model ~= nil or f.params ~= nil end
local function has_work(f) return f.items or f.examples or f.vectors or f.written_tokens or f.read_tokens or f.method or f.audio_s end

-- Fewer tokens are those of a text.
local LEAST_RUN <const> = 2e6

local function is_run(f) return ((f.tokens or 0) >= LEAST_RUN or f.flop) and not (has_work(f) or f.tokens_per_s or f.tokens_per_s_device) end

local function has_load(f) return f.users or f.monthly_users or f.rate_per_s or f.output_tokens_per_s end
local function at_once(f) return (f.concurrency or 0) > 1 end

-- Rows { quantities, kind, whether the facts that it takes are given }, the first that goes is taken.
local BY_FACTS <const> = {
  { { "judgement" }, "check", function(f) return has_model(f) and f.device and not has_work(f) end },
  { { "speed", "latency" }, "replica", function(f) return has_model(f) and f.devices and at_once(f) and not has_load(f) and not has_work(f) and not f.budget_usd_month end },
  { { "users" }, "replica", function(f) return has_model(f) and f.device and not at_once(f) and not has_load(f) and not has_work(f) and not f.budget_usd_month end },
  { { "tokens" }, "training", function(f) return has_model(f) and (f.cost_usd or f.time_s or f.flop) and not has_work(f) and not has_load(f) end },
  { { "tokens" }, "training", function(f) return f.params and not (f.device or f.memory_bytes or f.model or f.input_tokens) and not has_work(f) and not has_load(f) and not at_once(f) end },
  { { "batch" }, "fit", function(f) return has_model(f) and (f.device or f.memory_bytes) and not has_work(f) and not f.tokens and not has_load(f) end },
  { { "money_month", "money_year" }, "rent", function(f) return f.device and f.devices and has_model(f) and not has_work(f) and not f.tokens and not has_load(f) and not at_once(f) end },
  { { "energy", "carbon" }, "rent", function(f) return f.device and not has_model(f) and not has_work(f) and not f.tokens and not has_load(f) end },
  { { "time", "money" }, "corpus", function(f, weights)
    return (f.vectors or f.items) and (weights.retrieval or weights.corpus or weights.storage) and not has_load(f)
  end },
  { { "money_token", "money_request", "energy_each", "carbon_each" }, "replica", function(f) return has_model(f) and not has_work(f) and not has_load(f) and not at_once(f) end },
  { { "time", "money", "energy", "carbon", "share", "device_hours" }, "training", function(f) return has_model(f) and is_run(f) and not has_load(f) and not at_once(f) end },
}

--- The kind that yields a quantity from facts, where no words speak for one; nil of none.
---@param quantity string
---@param facts table<string, any>
---@param weights table<string, number>|nil what words say of each kind
---@return string|nil
function yields.kind(quantity, facts, weights)
  for _, row in ipairs(BY_FACTS) do
    if tables.contains(row[1], quantity) and row[3](facts, weights or {}) then return row[2] end
  end
end

return yields
