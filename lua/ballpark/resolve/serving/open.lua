-- What a scenario leaves open of a service, and what else each blank may well be: the same case is simulated with each
-- of them, and the range is wider by what that moves.
local engine = require("ballpark.resolve.serving.engine")
local fabrics = require("ballpark.catalog.fabrics")
local loads = require("ballpark.resolve.serving.load")
local tables = require("ballpark.tables")

local open = {}

-- Field -> changes of engine, plan or load that somebody else's defaults would be: those of other releases and
-- devices (vLLM and SGLang choose by memory), of launch recipes in public benchmarks. All are as likely as what is
-- assumed.
local others = {
  ["engine.token_budget"] = { { engine = { token_budget = 2048 } }, { engine = { token_budget = 16384 } } },
  ["engine.max_running"] = { { engine = { max_running = 256 } } },
  ["engine.memory_frac"] = { { engine = { memory_frac = 0.8 } }, { engine = { memory_frac = 0.95 } } },
  ["engine.recv_interval"] = { { engine = { recv_interval = 10 } } },
  ["engine.graph_tokens"] = { { engine = { graph_tokens = 128 } }, { engine = { graph_tokens = 2048 } } },
  ["engine.chunked_prefill"] = { { engine = { chunked_prefill = true } }, { engine = { chunked_prefill = false } } },
  ["plan.kv"] = { { plan = { kv = "bf16" } }, { plan = { kv = "fp8" } } },
  ["plan.draft_tokens"] = { { plan = { draft_tokens = 0 } }, { plan = { draft_tokens = 1 } }, { plan = { draft_tokens = 3 } } },
  -- Drafts of a small model for prose, and those of a module trained with the model for code (orders of size, assumption).
  ["plan.acceptance"] = { { plan = { acceptance = 0.5 } }, { plan = { acceptance = 0.85 } } },
  -- Of one length, answers that stay in lock-step have their prompts in one step, as far as its budget goes.
  ["load.lengths"] = { { load = { lengths = "fixed" } }, { load = { lengths = "uniform", spread = 0.8 } },
    { lock_step = true } },
}

local FABRIC <const> = "cluster.fabric"

-- Networks between nodes that servers are sold with: a collective of few bytes takes five times as long on one of them as on
-- another.
local SOLD <const> = { "efa", "infiniband", "roce" }

-- The networks that one nobody stated may be, at the rate that it has.
local function other_fabrics(network)
  local list = {}
  for _, kind in ipairs(SOLD) do
    if kind ~= network.fabric then
      list[#list + 1] = { network = { fabric = kind, scaleout = tables.with(network.scaleout, (fabrics.scaleout(kind))) } }
    end
  end
  return list
end

-- Whether ranks of a replica talk over a network that nobody stated.
local function is_fabric_open(given, case)
  local plan, network = case.input.plan, case.input.network
  local ranks = (plan.tp or 1) * (plan.pp or 1) * (plan.dp or 1)
  return given.cluster.fabric_assumed == true and ranks > network.domain and tables.contains(SOLD, network.fabric)
end

local SORTED <const> = tables.sorted_keys(tables.with(others, { [FABRIC] = true }))

-- Only some engines have the setting.
local only = { ["engine.recv_interval"] = "sglang" }

-- Whether a field is open; drafting is only where the model has a module for it, and drafts are taken where there are any.
local function is_open(field, given, case)
  if field == FABRIC then return is_fabric_open(given, case) end
  if only[field] and only[field] ~= case.input.engine.name then return false end
  if field == "load.lengths" then
    return not (given.trace or given.samples) and loads.leaves_lengths_open(given.load or {})
  end
  if field == "plan.acceptance" and (case.input.plan.draft_tokens or 0) == 0 then return false end
  if field == "plan.draft_tokens" and (case.input.model.mtp_layers or 0) == 0 then return false end
  local group, name = field:match("^(%l+)%.(.+)$")
  if group == "engine" then return engine.leaves_open(given.engine, name) end
  return (given.plan or {})[name] == nil
end

--- What a resolved case leaves open: { field, values = changes of its input, weight = share of each of them, what is
--- assumed being one more }, in the order of their names.
function open.of(given, case)
  local list = {}
  for _, field in ipairs(SORTED) do
    if is_open(field, given, case) then
      local values = others[field] and tables.copy(others[field]) or other_fabrics(case.input.network)
      list[#list + 1] = { field = field, values = values, weight = 1 / (#values + 1) }
    end
  end
  return list
end

-- Values of fields that a resolved input leaves to the core.
local DEFAULTS <const> = { kv = "bf16", draft_tokens = 0, chunked_prefill = true, lengths = "fixed", recv_interval = 1 }

-- Whether a change leaves a part as it is.
local function is_same(part, fields)
  for name, value in pairs(fields) do
    local now = part[name]
    if now == nil then now = DEFAULTS[name] end
    if now ~= value then return false end
  end
  return true
end

--- The input of a case with one of the changes; nil where it is as it was. Prompts of one length
--- have as much of a step as they had, whatever its budget is.
---@param base table the input that is changed: that of the case, or a shorter run of it
function open.changed(case, base, change)
  if change.lock_step then
    local budget = case.launched.token_budget
    if not case.most_tokens or budget <= base.engine.token_budget then return nil end
    return tables.with(base, { engine = tables.with(base.engine, { token_budget = budget }) })
  end
  local parts, same = {}, true
  for part, fields in pairs(change) do
    parts[part] = tables.with(base[part], fields)
    same = same and is_same(base[part], fields)
  end
  if same then return nil end
  if case.most_tokens and parts.engine then
    parts.engine.token_budget = math.min(parts.engine.token_budget, case.most_tokens)
  end
  return tables.with(base, parts)
end

--- The fields that are open, as a sentence lists them; nil where none is.
function open.words(list)
  if not list[1] then return nil end
  local names = {}
  for i, item in ipairs(list) do names[i] = item.field end
  return table.concat(names, ", ")
end

return open
