-- Replicas, fleets and parts of an SLO in words, as reports name them.
local core = require("ballpark.core")
local tables = require("ballpark.tables")

local words = {}

--- What a part of the SLO, or a reason, is called.
words.parts = { ttft_s = "TTFT", tpot_s = "TPOT", e2e_s = "E2E",
  rate = "the rate at the planned utilisation", room = "room for so many users in flight", memory = "the memory",
  gpus = "the number of devices, spares included" }

--- What replicas of a role do.
words.roles = { all = "prefill and decode", prefill = "prefill", decode = "decode" }

--- A plan as "tp=4,weights=fp8".
function words.plan(plan)
  local parts = {}
  for _, name in ipairs({ "tp", "pp", "dp", "ep" }) do
    if (plan[name] or 1) > 1 then parts[#parts + 1] = name .. "=" .. plan[name] end
  end
  for _, name in ipairs({ "weights", "experts", "activations", "kv" }) do
    if plan[name] then parts[#parts + 1] = name .. "=" .. plan[name] end
  end
  if (plan.draft_tokens or 0) > 0 then parts[#parts + 1] = "draft_tokens=" .. plan.draft_tokens end
  return table.concat(parts, ",")
end

--- A plan in words: "tp 4, weights fp8, KV bf16".
function words.plan_line(plan)
  local parts = { "tp " .. (plan.tp or 1) }
  for _, name in ipairs({ "pp", "dp", "cp", "ep" }) do
    if (plan[name] or 1) > 1 then parts[#parts + 1] = name .. " " .. plan[name] end
  end
  parts[#parts + 1] = "weights " .. (plan.weights or "bf16")
  if plan.experts then parts[#parts + 1] = "experts " .. plan.experts end
  parts[#parts + 1] = "KV " .. (plan.kv or "bf16")
  if (plan.draft_tokens or 0) > 0 then
    parts[#parts + 1] = ("speculative decoding of %d draft tokens, each accepted with %g"):format(plan.draft_tokens,
      plan.acceptance or 0.7)
  end
  return table.concat(parts, ", ")
end

--- A pool of devices: its name, and its terms unless on demand.
function words.pool(pool)
  local name = pool.device.name or "device"
  return pool.term == "on_demand" and name or name .. " " .. pool.term:gsub("_", " ")
end

--- A group of replicas: "4 x H100-SXM-80GB tp=2,weights=fp8".
function words.group(group)
  return ("%d x %s %s"):format(group.replicas, words.pool(group.candidate.pool), words.plan(group.candidate.plan))
end

--- All groups of a fleet.
function words.fleet(fleet)
  local list = {}
  for i, group in ipairs(fleet.groups) do
    list[i] = (group.role == "all" and "" or words.roles[group.role] .. ": ") .. words.group(group)
  end
  return table.concat(list, "; ")
end

-- Fields of a prefill pool, with their defaults.
local function with_defaults(pool)
  local full = tables.with(pool)
  for _, field in ipairs(core.serve_about().input.fields) do
    for _, item in ipairs(field.name == "prefill_pool" and field.schema.fields or {}) do
      if full[item.name] == nil then full[item.name] = item.default end
    end
  end
  return full
end

--- How the KV cache moves to the decode replicas of an input of core.serve; nil where prefill has no pool of its own.
function words.link(input)
  local pool = input.prefill_pool
  if type(pool) ~= "table" or (pool.replicas or 0) == 0 then return nil end
  pool = with_defaults(pool)
  local late = pool.link_latency_s > 0 and (", each %.3g ms later"):format(1e3 * pool.link_latency_s) or ""
  return ("%.4g GB/s, %s%s"):format(pool.link_bytes_s / 1e9, (pool.layer_wise == true or pool.layer_wise == 1)
    and "layer by layer" or "whole prompts", late)
end

--- That a request of so many tokens is longer than a model was made for, or nil where it is not.
function words.too_long(model, tokens)
  local longest = model.max_seq or 0
  if longest <= 0 or tokens <= longest then return nil end
  return ("a request has %.0f tokens in the mean, more than the %d %s was made for"):format(tokens, longest,
    model.name or "the model")
end

return words
