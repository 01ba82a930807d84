-- D2, D3, D9: What do hyperparameter sweeps cost, and does the budget allow them?
title "Hyperparameter sweeps"

local function sweep_of(trials, trial_s, pruned, at)
  return kernel.sweep_size {
    trials = trials, trial_device_s = trial_s, pruned_frac = pruned, pruned_at_frac = at,
  }
end
local usual = sweep_of(20, hours(4), 0.5, 0.2)
local worst_low, worst_high = sweep_of(100, hours(8), 0.78, 0.2), sweep_of(100, hours(8), 0.63, 0.2)
local halving = kernel.sweep_size { method = "halving", trials = 81, eta = 3, trial_device_s = hours(8) }
rows {
  name = "sweeps", title = "With early stops",
  columns = { { name = "sweep" }, { name = "trials" },
    { name = "full_device_s", unit = "device s", title = "all to the end" },
    { name = "device_s", unit = "device s", title = "with early stops" },
    { name = "saved_frac", unit = "frac", title = "saved" } },
  { "20 x 4 h, half stopped", usual.trials, usual.full_device_s, usual.device_s, usual.saved_frac },
  { "100 x 8 h, 63 % stopped", 100, worst_high.full_device_s, worst_high.device_s, worst_high.saved_frac },
  { "100 x 8 h, 78 % stopped", 100, worst_low.full_device_s, worst_low.device_s, worst_low.saved_frac },
  { "81 x 8 h, successive halving", 81, halving.full_device_s, halving.device_s, halving.saved_frac },
}
assume "A stopped trial has run 20 % of its time."
expect("D2", usual.full_device_s / hours(1), { equals = 80 })
expect("D2 with pruning", usual.device_s / hours(1), { equals = 48 })
expect("D2 worst case", worst_low.full_device_s / hours(1), { equals = 800 })
expect("D2 worst case with much pruning", worst_low.device_s / hours(1), { least = 300, most = 400 })
expect("D2 worst case with less", worst_high.device_s / hours(1), { least = 300, most = 400 })

local grid = kernel.sweep_size { method = "grid", parameters = 5, values = 4, trial_device_s = hours(4) }
local random = sweep_of(75, hours(4), 0, 1)
local bayesian = sweep_of(35, hours(4), 0.5, 0.2)
rows {
  name = "methods", title = "5 parameters of 4 values",
  columns = { { name = "method" }, { name = "trials" },
    { name = "device_s", unit = "device s", title = "device time" } },
  { "grid", grid.trials, grid.device_s },
  { "random, 75 trials", random.trials, random.device_s },
  { "Bayesian, 35 trials, half stopped", bayesian.trials, bayesian.device_s },
}
assume "Random search does with 50 to 100 trials, Bayesian with 20 to 50: rules of thumb."
expect("D3", grid.trials, { equals = 1024 })
expect("D3 grid takes", grid.device_s / hours(1), { equals = 4096 })
expect("D3 random takes", random.device_s / hours(1), { equals = 300 })
expect("D3 random is a tenth of the grid", random.trials / grid.trials, { most = 0.1 })
-- Half of 35 run to the end, half a fifth of the way: 35 * 4 h * (0.5 + 0.5 * 0.2).
expect("D3 Bayesian takes", bayesian.device_s / hours(1), { equals = 84 })
expect("D3 Bayesian saves", bayesian.saved_frac, { equals = 0.4 })

-- D9: reported before it runs.
local function guard(request)
  return kernel.guardrail {
    budget_device_s = hours(500), spent_device_s = hours(120), reserved_device_s = hours(40),
    request_device_s = request,
  }
end
local refused, allowed = guard(worst_low.full_device_s), guard(usual.device_s)
rows {
  name = "guardrail", title = "Project budget of 500 device-hours, 120 spent, 40 promised",
  columns = { { name = "request" }, { name = "allowed" },
    { name = "over_device_s", unit = "device s", title = "over by" },
    { name = "scale_frac", unit = "frac", title = "share that fits" } },
  { "100 x 8 h", refused.allowed, refused.over_device_s, refused.scale_frac },
  { "20 x 4 h, half stopped", allowed.allowed, allowed.over_device_s, allowed.scale_frac },
}
warn(string.format("The sweep of 100 trials would break the project's budget by %.0f device-hours.",
  refused.over_device_s / hours(1)))
expect("D9 refused", refused.allowed, { equals = false })
expect("D9 over by", refused.over_device_s / hours(1), { equals = 460 })
expect("D9 allowed", allowed.allowed, { equals = true })
