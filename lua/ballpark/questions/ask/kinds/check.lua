-- Is a number reasonable? check{} answers, of what is claimed.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local prices = require("ballpark.catalog.prices")
local proposals = require("ballpark.questions.ask.proposals")
local questions = require("ballpark.questions")
local tables = require("ballpark.tables")

local model, params = proposals.said_model()

-- The device that is rented where nobody says one.
local USUAL <const> = "H100"

-- Titles and units of the facts of a claim.
local SHOWN <const> = {
  active_params = { "Active parameters", "" }, tokens = { "Tokens", "tok" }, device = { "Device" }, devices = { "Devices", "" },
  time_s = { "Time", "s" }, device_s = { "Device time", "device s" }, mfu_frac = { "MFU", "frac" }, tokens_per_s = { "Speed", "tok/s" },
  tokens_per_s_device = { "Speed of a device", "tok/s" }, flop_s = { "Computation", "FLOP/s" },
  flop_s_device = { "Computation of a device", "FLOP/s" }, cost_usd = { "Cost", "USD" }, usd_h = { "Price", "USD/h" },
  rate_per_s = { "Rate", "1/s" }, rate_per_s_device = { "Rate of a device", "1/s" }, items = { "Items", "" },
  input_tokens = { "Prompt", "tok" }, output_tokens = { "Answer", "tok" }, batch = { "Batch", "" }, concurrency = { "At one time", "" },
  weights = { "Weights" }, tpot_s = { "Time per token", "s" }, ttft_s = { "Time to the first token", "s" }, seq_len = { "Sequence", "tok" },
}

local check = {
  name = "check", title = "Is it reasonable", words = "Is this number reasonable?", question = "check", facts = { model, params },
}

for _, fact in ipairs(questions.record("check").facts) do
  local name, words, type = fact[1], fact[2], fact.type
  local shown = SHOWN[name]
  if shown then
    check.facts[#check.facts + 1] = { name, words .. "?", title = shown[1], unit = shown[2], type = type ~= "number" and type or nil }
  end
end

check.facts[#check.facts + 1] = { "kind", "Of a training or of a service?", type = "string", title = "Kind" }
check.facts[#check.facts + 1] = { "output_tokens_per_s", "Tokens per second that a service writes?", title = "Tokens written", unit = "tok/s" }

--- A speed of a run is one of training where words say so.
function check.given(given, weights)
  local trains = weights and weights.training or 0
  if trains <= math.max((weights or {}).llm or 0, (weights or {}).replica or 0) or not (given.tokens_per_s or given.tokens_per_s_device) then return given end
  return tables.with(given, { kind = "training" })
end

function check.input(f)
  local claim = { kind = f.kind }
  for _, fact in ipairs(questions.record("check").facts) do claim[fact[1]] = f[fact[1]] end
  if f.output_tokens_per_s then claim.tokens_per_s, claim.kind = f.output_tokens_per_s, "serving" end
  local speed = f.tokens or f.output_tokens_per_s or f.tokens_per_s or f.tokens_per_s_device or f.tpot_s or f.ttft_s or f.rate_per_s
  if f.mfu_frac and f.device and (f.params or f.model) and not speed then
    -- 6 N FLOP a token: a share of the peak is a speed.
    local active = f.params or core.params({ model = catalog.model(f.model) }).active_params
    claim.tokens_per_s_device = f.mfu_frac * catalog.device(f.device).bf16_flop_s / (6 * active)
  end
  -- Money for a run is device time of the device that is said, else of the usual one.
  if f.cost_usd and f.tokens and (f.params or f.model) and not (f.time_s or f.device_s) then
    claim.device = f.device or USUAL
    local usd_h = f.usd_h or prices.get(catalog.device(claim.device).name)
    claim.device_s = usd_h and f.cost_usd / usd_h * 3600
  end
  return claim
end

return check
