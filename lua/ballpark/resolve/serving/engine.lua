-- What a serving engine is set to where a scenario does not say: defaults of its release, device and load.
local releases = require("ballpark.catalog.engine_releases")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local loads = require("ballpark.resolve.serving.load")
local packing = require("ballpark.resolve.serving.packing")
local tables = require("ballpark.tables")
local units = require("ballpark.resolve.serving.units")

local engine = {}

-- Release since which vLLM plans a step while one runs: release notes of 0.14 (2026-01).
local VLLM_OVERLAPS <const> = "0.14"

-- Times of the front end, of which a client that costs little leaves a share.
local FRONT <const> = { "front_s", "front_sequence_s", "front_token_s" }

-- Settings whose default a report names where nobody states them.
local NAMED <const> = { "token_budget", "max_running", "memory_frac", "graph_tokens", "chunked_prefill" }

-- Words that an engine is described by, which are no fields of it in the catalog. That of a published row may be any.
local DESCRIBED <const> = { name = true, version = true, year = true, published = true }

local function as_table(value)
  if value == nil then return {} end
  if type(value) == "string" then return { name = value } end
  if type(value) ~= "table" then errors.input("engine", "must be a name or a table, got " .. type(value)) end
  errors.text("engine.name", value.name)
  return value
end

-- Name, release and year as one text, from which the catalog takes the generation.
local function text_of(given)
  local parts = { given.name or "vllm" }
  for _, name in ipairs({ "version", "year" }) do parts[#parts + 1] = given[name] and tostring(given[name]) end
  return table.concat(parts, " ")
end

-- The engine of the catalog on a device, before any setting, and what is to be said of it.
local function base_of(given, device)
  if not given.published then engines.check(given.name or "vllm", device) end
  local base, said = engines.published(text_of(given), device)
  if engines.named(given.name) == "generic" then said = nil end
  if not said and engines.beyond(base.name) then
    said = ("engine %s is extrapolated: %s"):format(base.name, base.source)
  end
  return base, given.name == nil and "engine vllm, no other was given" or said
end

-- Whether the next step is planned while one runs: SGLang not while it drafts, vLLM from a release on, TensorRT-LLM as the
-- catalog has it.
local function overlaps(engine_of_release, given, draft_tokens)
  local name = engine_of_release.name
  if name == "sglang" and draft_tokens > 0 then return false end
  if name ~= "vllm" then return engine_of_release.overlap ~= false end
  return not releases.is_before(text_of(given), VLLM_OVERLAPS)
end

local function default_words(full, given)
  local list = {}
  for _, name in ipairs(NAMED) do
    if given[name] == nil or given[name] == "auto" then
      local value = full[name]
      if value == nil then value = true end
      if type(value) == "boolean" then value = value and "on" or "off" end
      list[#list + 1] = name .. " " .. tostring(value)
    end
  end
  return list[1] and ("engine defaults: %s"):format(table.concat(list, ", ")) or nil
end

-- The fields that were given; "auto" leaves a setting to the engine and says that nobody changed it.
local function put_over(base, given)
  for key, item in pairs(given) do
    if item ~= "auto" and not DESCRIBED[key] then base[key] = item end
  end
end

-- What vLLM starts a server with on devices of less memory, and on A100: EngineArgs._set_default_args of 0.8 to 0.11
-- (2025), which looks for 70 GiB.
local SMALL <const> = { token_budget = 2048, max_running = 256 }
local SMALL_BYTES <const> = 70 * (1 << 30)

local function is_small(device)
  return (device.memory_bytes or math.huge) < SMALL_BYTES or (device.name or ""):find("^A100") ~= nil
end

-- Prompts that run whole have to find room in one step: vLLM before 0.8 takes at least this for a longest request.
local LEAST_WHOLE <const> = 2048

-- Settings that follow from the device and from the longest request, where nobody states them.
local function put_defaults(base, device, longest)
  if base.name == "vllm" and device and is_small(device) then
    for name, value in pairs(SMALL) do base[name] = value end
  end
  if engines.is_before_v1(base.name) and longest then base.token_budget = math.max(LEAST_WHOLE, longest) end
end

--- The engine of a name, or of a table whose `name` says which one it changes: its fields, and what was assumed. It is
--- that of one device and its vendor's kernels, before the load is known.
---@param value string|table|nil
---@param device table|nil
---@param draft_tokens integer|nil tokens drafted per step
---@param longest integer|nil tokens of a request at most, where the engine is told
---@return table engine
---@return string|nil said of the engine itself
---@return string|nil defaults
function engine.of(value, device, draft_tokens, longest)
  local given = as_table(value)
  local full, said = base_of(given, device or {})
  put_defaults(full, device, longest)
  if given.overlap == nil and not engines.beyond(full.name) then
    full.overlap = overlaps(full, given, draft_tokens or 0)
  end
  put_over(full, given)
  if given.max_lora_rank and not given.published and (full.max_loras or 0) == 0 and given.max_loras == nil then
    errors.input("engine.max_lora_rank", "is the rank of LoRA adapters, and there are none: say how many as max_loras")
  end
  return full, said, default_words(full, given)
end

--- The engine with the weights of a plan: its pace may be known of 16 bit only.
---@param base table
---@param plan table
---@param device table
function engine.multiplying(base, plan, device)
  if not (engines.slows_16_bit(base.name) and units.are_narrow(plan, device)) then return base end
  return tables.with(base, { slowdown = 1 })
end

--- Whether a setting of the engine was left open by what was given.
function engine.leaves_open(value, name) return as_table(value)[name] == nil end

--- Tokens of a step at least for prompts of so many tokens, where the engine does not cut them and is not told how many:
--- one that is longer is refused (TensorRT-LLM documentation, tuning of max_num_tokens, 2025), and where answers share
--- its step, one that just fills the budget waits until there are none.
---@param base table
---@param prompt_tokens number
function engine.holding(base, prompt_tokens)
  if base.chunked_prefill ~= false then return base end
  local beside = base.policy == "mixed" and base.max_running or 0
  return tables.with(base, { token_budget = math.max(base.token_budget, math.ceil(prompt_tokens) + beside) })
end

--- The engine under a load, before its plan is known: a client that costs little leaves a share of the front end's times,
--- unless they are given; prompts of one length come one by one, see resolve/serving/packing.lua.
--- Also the shares of its fields that the client leaves, and the tokens of a step that the load never exceeds.
function engine.under(base, load, value, plan)
  local given, full, shares, most_tokens = as_table(value), tables.with(base), {}, nil
  local share = loads.front_share(load)
  if engine.leaves_open(given, "token_budget") then full = engine.holding(full, load.input_tokens or loads.TOKENS) end
  for _, field in ipairs(FRONT) do
    if share ~= 1 and given[field] == nil then full[field], shares[field] = full[field] * share, share end
  end
  if packing.is_of(full, load) then
    most_tokens = packing.one_by_one(load, load.concurrency or 1, plan or {})
    full.profile_tokens = full.token_budget
    full.token_budget = math.min(full.token_budget, most_tokens)
  end
  return full, shares, most_tokens
end

-- Times that pass in a server, and between it and who calls it.
local SERVER <const> = { front_s = 0, front_sequence_s = 0, front_token_s = 0, submit_s = 0 }

--- The engine for who calls it in the same process: whole requests come at once, and nothing is sent.
function engine.in_process(base) return tables.with(base, SERVER) end

return engine
