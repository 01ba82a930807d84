-- What a row of measured serving does not say of its engine, and how much that may matter: the same case is
-- predicted with each unknown setting at values that are just as plausible.
local tables = require("ballpark.tables")
local widths = require("ballpark.range.log_widths")

local serving_unknown = {}

-- Column -> changes of engine, plan or load that somebody else's defaults would be: those of other releases and
-- devices (vLLM and SGLang choose by memory), of launch recipes in public benchmarks.
local others = {
  step_token_budget = { { engine = { token_budget = 2048 } }, { engine = { token_budget = 16384 } } },
  max_running = { { engine = { max_running = 256 } } },
  mem_fraction = { { engine = { memory_frac = 0.8 } }, { engine = { memory_frac = 0.95 } } },
  recv_interval = { { engine = { recv_interval = 10 } } },
  cuda_graph_max_bs = { { engine = { graph_tokens = 128 } }, { engine = { graph_tokens = 2048 } } },
  chunked_prefill = { { engine = { chunked_prefill = true } }, { engine = { chunked_prefill = false } } },
  kv_cache_dtype = { { plan = { kv = "bf16" } }, { plan = { kv = "fp8" } } },
  speculative = { { plan = { drafts = 0 } }, { plan = { drafts = 1 } }, { plan = { drafts = 3 } } },
  protocol = { { load = { lengths = "fixed" } }, { load = { lengths = "uniform", spread = 0.8 } } },
}

-- Only some engines have the setting.
local only = { recv_interval = "sglang" }

-- Blank, or in words that leave it open.
local function unstated(row, column)
  local text = row[column]
  return text == nil or text == "ambiguous" or (column == "kv_cache_dtype" and text == "auto")
end

-- Drafting is open only where the model has a module for it, and nobody says that the run had none.
local function may_draft(row, model)
  if (model.mtp_layers or 0) == 0 or row.mtp_candidate == "no" then return false end
  return row.mtp_candidate == "possible" or unstated(row, "speculative")
end

--- Names of the columns whose settings a row leaves open, sorted.
function serving_unknown.columns(row, model)
  local list = {}
  for _, column in ipairs(tables.sorted_keys(others)) do
    local open = unstated(row, column) and (not only[column] or only[column] == row.engine)
    if column == "speculative" then open = may_draft(row, model) end
    if open then list[#list + 1] = column end
  end
  return list
end

-- What is assumed of columns whose assumption is not said where it is made.
local row_notes = {
  recv_interval = function(input)
    return ("recv_interval %d, the engine's default"):format(input.engine.recv_interval or 1)
  end,
  cuda_graph_max_bs = function(input)
    return ("cuda_graph_max_bs %d, the engine's default"):format(input.engine.graph_tokens)
  end,
  chunked_prefill = function(input)
    return ("chunked_prefill %s, the engine's default"):format(input.engine.chunked_prefill == false and "off" or "on")
  end,
  speculative = function() return "no speculative decoding, though the model has a module for it" end,
  protocol = function(input) return ("protocol not stated: lengths taken as %s"):format(input.load.lengths) end,
}

--- Adds what is assumed of a case's unknown columns to its assumptions.
function serving_unknown.say(case)
  for _, column in ipairs(case.unknown) do
    if row_notes[column] then case.assumed[#case.assumed + 1] = row_notes[column](case.input) end
  end
end

-- Where prompts come one per step, no budget gives a step more.
local function changed(case, change)
  local parts = {}
  for part, fields in pairs(change) do parts[part] = tables.with(case.input[part], fields) end
  if case.most_tokens and parts.engine then
    parts.engine.token_budget = math.min(parts.engine.token_budget, case.most_tokens)
  end
  return tables.with(case, { input = tables.with(case.input, parts) })
end

-- ln of how much longer the changed case takes, by metric; nil where it does not run.
local function moved(case, change, predicted, predict)
  local ok, other = pcall(predict, changed(case, change))
  if not ok then return nil end
  local moves = {}
  for metric, value in pairs(other) do moves[metric] = math.log(value / predicted[metric]) end
  return moves
end

--- Log widths { metric = { down, up } } of a case predicted as `predicted` by `predict`: of all columns, taken as
--- independent.
function serving_unknown.widths(case, predicted, predict)
  local all = widths.none(tables.sorted_keys(predicted))
  for _, column in ipairs(case.unknown) do
    widths.widen(all, others[column], function(change) return moved(case, change, predicted, predict) end)
  end
  return all
end

return serving_unknown
