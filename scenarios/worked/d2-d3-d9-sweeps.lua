-- D2, D3, D9: What do hyperparameter sweeps cost, and does the budget allow them?
title "Hyperparameter sweeps"

-- A trial that is stopped early has run a fifth of its time.
local function early(name, trials, trial_hours, pruned)
  return { name = name, method = "bayesian", trials = trials, trial_hours = trial_hours, pruned_frac = pruned,
    pruned_at_frac = 0.2, project = "chat" }
end
local asked = platform {
  classes = { { name = "fine-tunes", per_day = per_day(1), duration = hours(1) } },
  sweeps = {
    early("20 x 4 h, half stopped", 20, 4, 0.5),
    early("100 x 8 h, 63 % stopped", 100, 8, 0.63),
    early("100 x 8 h, 78 % stopped", 100, 8, 0.78),
    { name = "100 x 8 h", method = "random", trials = 100, trial_hours = 8, project = "chat" },
    { name = "5 parameters of 4 values", parameters = 5, values = 4, trial_hours = 4 },
    { name = "8 h", method = "halving", trial_hours = 8 },
  },
  projects = { { name = "chat", budget_device_hours = 500, spent_device_hours = 160 } },
}
local list, by = {}, {}
for i, s in ipairs(asked.sweeps) do
  by[s.name] = s
  list[i] = { s.name, s.trials, s.full_device_s, s.device_s, s.saved_frac, s.allowed, s.over_device_s }
end
rows {
  name = "sweeps", title = "Sweeps; of project chat beside 160 of 500 device-hours that are spent",
  columns = { { name = "sweep" }, { name = "trials" },
    { name = "full_device_s", unit = "device s", title = "all to the end" },
    { name = "device_s", unit = "device s", title = "with early stops" },
    { name = "saved_frac", unit = "frac", title = "saved" }, { name = "allowed" },
    { name = "over_device_s", unit = "device s", title = "over by" } },
  rows = list,
}
assume "Random search does with 50 to 100 trials, Bayesian with 20 to 50: rules of thumb."
for _, c in ipairs(asked.contradictions) do warn(c.text) end

local function trial_hours(name) return by[name].device_s / hours(1) end
expect("D2", by["20 x 4 h, half stopped"].full_device_s / hours(1), { equals = 80 })
expect("D2 with pruning", trial_hours("20 x 4 h, half stopped"), { equals = 48 })
expect("D2 worst case", trial_hours("100 x 8 h"), { equals = 800 })
expect("D2 worst case with much pruning", trial_hours("100 x 8 h, 78 % stopped"), { least = 300, most = 400 })
expect("D2 worst case with less", trial_hours("100 x 8 h, 63 % stopped"), { least = 300, most = 400 })

local grid, random = by["5 parameters of 4 values, grid"], by["5 parameters of 4 values, random"]
expect("D3 grid", grid.trials, { equals = 1024 })
expect("D3 grid takes", grid.device_s / hours(1), { equals = 4096 })
expect("D3 random is less than a tenth of the grid", random.trials / grid.trials, { most = 0.1 })
-- Half of 35 run to the end, half a fifth of the way: 35 * 4 h * (0.5 + 0.5 * 0.2).
expect("D3 Bayesian takes", trial_hours("5 parameters of 4 values, bayesian"), { equals = 84 })
-- 81 trials run 1/81 of 8 h, 27 go on to 3/81, 9 to 9/81, 3 to 27/81 and one to the end: 8 h + 4 x 8 h x 2/3.
expect("D3 halving takes", trial_hours("8 h"), { equals = 8 * (1 + 4 * 2 / 3) })

-- D9: reported before it runs, beside what is spent; what was refused is not spent.
expect("D9 allowed", by["20 x 4 h, half stopped"].allowed, { equals = true })
expect("D9 refused", by["100 x 8 h"].allowed, { equals = false })
expect("D9 over by", by["100 x 8 h"].over_device_s / hours(1), { equals = 160 + 48 + 800 - 500 })
