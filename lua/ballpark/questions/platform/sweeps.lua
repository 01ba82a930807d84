-- Sweeps of hyperparameters: how many trials a method takes, their device time, and what they cost.
local core = require("ballpark.core")
local errors = require("ballpark.errors")

local sweeps = {}

-- Trials where nobody says, and which of them stop early. Random search does with 50 to 100, Bayesian search with 20 to
-- 50: rules of thumb; half are stopped after a fifth of their time (assumption).
local METHODS <const> = {
  grid = { kernel = "grid" },
  random = { kernel = "trials", trials = 75 },
  halving = { kernel = "halving", trials = 81 },
  bayesian = { kernel = "trials", trials = 35, pruned_frac = 0.5, pruned_at_frac = 0.2 },
}
local NAMES <const> = { "grid", "random", "halving", "bayesian" }

local FIELDS <const> = { "name", "method", "trials", "parameters", "values", "trial_hours", "trial_device_s", "pruned_frac",
  "pruned_at_frac", "eta", "first_frac", "project", "per_day" }

local MONTH_DAYS <const> = 365 / 12

local function trial_s(path, sweep)
  errors.either(path, sweep, "trial_hours", "trial_device_s")
  if sweep.trial_device_s ~= nil then return errors.positive(path .. ".trial_device_s", sweep.trial_device_s) end
  return 3600 * errors.positive(path .. ".trial_hours", sweep.trial_hours)
end

local function row_of(path, sweep, method, usd_h)
  local known = METHODS[method] or errors.choice(path .. ".method", tostring(method), NAMES)
  local trials = known.kernel ~= "grid" and (sweep.trials or known.trials) or nil
  local size = core.sweep_size({ method = known.kernel, trials = trials, parameters = sweep.parameters, values = sweep.values,
    trial_device_s = trial_s(path, sweep), pruned_frac = sweep.pruned_frac or known.pruned_frac,
    pruned_at_frac = sweep.pruned_at_frac or known.pruned_at_frac, eta = sweep.eta, first_frac = sweep.first_frac })
  local per_day = sweep.per_day and errors.number(path .. ".per_day", sweep.per_day, 0)
  return { path = path, name = sweep.name or method, method = method, per_day = per_day,
    month_device_s = size.device_s * (per_day and per_day * MONTH_DAYS or 1), trials = size.trials, full_device_s = size.full_device_s,
    device_s = size.device_s, saved_frac = size.saved_frac, usd = usd_h and size.device_s / 3600 * usd_h, project = sweep.project,
    assumed = known.kernel ~= "grid" and not sweep.trials }
end

--- Rows { path (of the sweep that was asked for), name, method, trials, full_device_s, device_s, month_device_s (of per_day sweeps, or of this one), saved_frac,
--- usd, project, one_of_several }: of a sweep without a method one of
--- each, so that they can be compared (a grid only where parameters and values are given).
---@param list table[]|nil
---@param usd_h number|nil
function sweeps.rows(list, usd_h)
  local rows = {}
  for i, sweep in ipairs(list or {}) do
    local path = ("sweeps[%d]"):format(i)
    errors.named(path, sweep, FIELDS)
    errors.text(path .. ".name", sweep.name)
    if sweep.method then
      rows[#rows + 1] = row_of(path, sweep, sweep.method, usd_h)
    else
      for _, method in ipairs(NAMES) do
        if method ~= "grid" or sweep.parameters and sweep.values then
          rows[#rows + 1] = row_of(path, sweep, method, usd_h)
          rows[#rows].one_of_several = true
          rows[#rows].name = (sweep.name and sweep.name .. ", " or "") .. method
        end
      end
    end
  end
  return rows
end

--- Devices that sweeps with per_day keep busy in the mean.
---@param rows table[] of sweeps.rows
---@return number
function sweeps.busy(rows)
  local busy = 0
  for _, row in ipairs(rows) do
    if row.per_day and not row.one_of_several then busy = busy + row.per_day * row.device_s / 86400 end
  end
  return busy
end

return sweeps
