-- Is a number reasonable? check{} answers, of what is claimed.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local proposals = require("ballpark.questions.ask.proposals")

local model, params = proposals.said_model()

-- A fact of a claim: { name, title, unit }.
local function claimed(name, title, unit, type)
  return { name, title .. "?", unit = unit, title = title, type = type }
end

-- What check{} takes of them, by its name.
local TAKEN <const> = { "model", "params", "tokens", "device", "devices", "time_s", "device_s", "cost_usd", "usd_h", "mfu_frac",
  "tokens_per_s", "tokens_per_s_device", "step_s", "seq_len" }

local check = {
  name = "check", title = "Is it reasonable", words = "Is this number reasonable?", question = "check",
  facts = {
    model, params, claimed("tokens", "Tokens", "tok"), claimed("device", "Device", nil, "string"),
    claimed("devices", "Devices", "", "integer"), claimed("time_s", "Time", "s"), claimed("device_s", "Device time", "device s"),
    claimed("cost_usd", "Cost", "USD"), claimed("usd_h", "Price", "USD/h"), claimed("mfu_frac", "MFU", "frac"),
    claimed("tokens_per_s", "Speed", "tok/s"), claimed("tokens_per_s_device", "Speed of a device", "tok/s"),
    claimed("step_s", "Step", "s"), claimed("seq_len", "Sequence", "tok", "integer"),
  },
}

function check.input(f)
  local claim = {}
  for _, name in ipairs(TAKEN) do claim[name] = f[name] end
  local speed = f.tokens or f.tokens_per_s or f.tokens_per_s_device or f.step_s
  if f.mfu_frac and f.device and (f.params or f.model) and not speed then
    -- 6 N FLOP a token: a share of the peak is a speed.
    local active = f.params or core.params({ model = catalog.model(f.model) }).active_params
    claim.tokens_per_s_device = f.mfu_frac * catalog.device(f.device).bf16_flop_s / (6 * active)
  end
  return claim
end

return check
