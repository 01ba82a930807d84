-- How software counts the FLOP of a step in the rates that it prints: model FLOP per token, attention in full, causal
-- (masked pairs left out) or not at all.
local core = require("ballpark.core")
local errors = require("ballpark.errors")

local counted_flop = {}

local attention = {
  full = function(flops) return flops.model_token_full end,
  causal = function(flops) return flops.model_token end,
  none = function(flops) return 3 * flops.matmul_forward end,
}

local WORDS <const> = { "causal", "full", "none" }

--- How the software counts attention, and whether that is stated; unknown words are refused.
---@param stated string|nil software.attention_counted
---@param traits table of ballpark.catalog.profiles
---@param year integer
---@return string
---@return boolean
function counted_flop.attention(stated, traits, year)
  if stated ~= nil then
    if not attention[stated] then errors.choice("software.attention_counted", tostring(stated), WORDS) end
    return stated, true
  end
  local first = traits.causal_flops
  return first and year >= first and "causal" or "full", false
end

local known = {}

--- FLOP of core.flops of a case's model and length, counted once.
---@param case table of ballpark.resolve.training
function counted_flop.of(case)
  local id = tostring(case.model) .. " " .. case.job.seq_len
  known[id] = known[id] or { model = case.model, out = core.flops({ model = case.model, seq_len = case.job.seq_len }) }
  return known[id].out
end

-- FLOP per token of the embedding, where software counts all parameters it holds six times (tied tables once
-- per stage that has one).
local function table_flop(case)
  local shared = case.model.tied_embeddings and case.plan.pp == 1
  return shared and 0 or 6 * case.model.vocab * case.model.hidden
end

--- FLOP per token, and what they count in words.
---@param case table of ballpark.resolve.training
---@param how string|nil full, causal or none; else as the case's software counts
---@return number
---@return string
function counted_flop.per_token(case, how)
  how = how or case.attention_counted
  local flop, words = attention[how](counted_flop.of(case)), (how == "none" and "no" or how) .. " attention"
  if case.traits.counts_tables then return flop + table_flop(case), words .. " and embedding" end
  return flop, words
end

return counted_flop
