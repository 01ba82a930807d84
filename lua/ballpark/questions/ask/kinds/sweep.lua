-- A sweep of hyperparameters: device time and money of its trials, run to the end, stopped early, or by successive halving.
local core = require("ballpark.core")
local page = require("ballpark.questions.ask.page")
local proposals = require("ballpark.questions.ask.proposals")

local tables = require("ballpark.tables")

local n = page.n

-- When trials are stopped early, and one in how many goes on by successive halving (rules of thumb).
local STOPPED_AT <const>, ETA <const> = 0.2, 3
-- Random trials of which the best is among the best twentieth of all with 95 % chance: 0.95^60 is 0.05.
local RANDOM_TRIALS <const> = 60

local sweep = {
  name = "sweep", title = "A sweep", priced = true, words = "Trials of hyperparameters: device time, cost, where to cap them",
  facts = {
    { "parameters", "Of a grid: how many parameters?", unit = "", type = "integer", title = "Parameters" },
    { "values_each", "Of a grid: how many values of each?", unit = "", type = "integer", title = "Values of each" },
    { "trials", "How many trials?", unit = "", type = "integer", title = "Trials", ask = 1, propose = function(f)
      if not (f.parameters and f.values_each) then return 75, "random search does with 50 to 100", 50, 100 end
      return core.sweep_size({ method = "grid", parameters = f.parameters, values = f.values_each, trial_device_s = 1 }).trials,
        ("every one of %.0f^%.0f; a random search does with 50 to 100"):format(f.values_each, f.parameters), nil, nil, true
    end },
    { "trial_s", "How long does a trial run?", unit = "s", title = "A trial runs", ask = 2, also = { "time_s" },
      propose = function(f)
        if f.trial_device_s then return f.trial_device_s / (f.devices or 1), "its device time over its devices", nil, nil, true end
        return 4 * 3600, "a short fine-tune", 3600, 16 * 3600
      end },
    { "trial_device_s", "Device time of a trial, instead?", unit = "device s", title = "Device time of a trial",
      also = { "device_s" } },
    { "devices", "Devices of a trial?", unit = "", type = "integer", title = "Devices of a trial", ask = 3,
      propose = proposals.constant(1, "a short fine-tune") },
    proposals.device("H100"),
    proposals.price,
    { "pruned_frac", "Share of the trials that may be stopped early?", unit = "frac", title = "Stopped early",
      propose = proposals.constant(0.5, "median stopping") },
    { "cost_usd", "Money for it?", unit = "USD", title = "Budget", also = { "budget_usd_month" } },
  },
}

local function sized(f, changes)
  return core.sweep_size(tables.with({ trials = f.trials, trial_device_s = f.trial_device_s or f.trial_s * f.devices }, changes))
end

--- The five steps.
function sweep.steps(p, f)
  for _, name in ipairs({ "parameters", "values_each", "trials", "trial_s", "trial_device_s", "devices", "device", "usd_h", "pruned_frac", "cost_usd" }) do
    p:fact(f, name)
  end
  local terms = { f:term("trials"), f:term("trial_s") }
  local whole = sized(f)
  local early = sized(f, { pruned_frac = f.pruned_frac, pruned_at_frac = STOPPED_AT })
  local halving = sized(f, { method = "halving", eta = ETA })
  local each_s = whole.full_device_s / f.trials
  p:add("compute", "trial_device_s", "A trial", each_s, "device s", ("%s on %.0f device%s"):format(n(f.trial_s, "s"), f.devices,
    f.devices == 1 and "" or "s"), { terms = { terms[2] } })
  p:add("compute", "device_s", "All to the end", whole.full_device_s, "device s", ("%.0f trials x %s"):format(f.trials,
    n(each_s, "device s")), { terms = terms, brief = true })
  p:add("compute", "early_device_s", "Stopped early", early.device_s, "device s", ("%s of the trials stop after a fifth"):format(
    n(f.pruned_frac, "frac")), { terms = terms, brief = true })
  p:add("compute", "halving_device_s", "Successive halving", halving.device_s, "device s", ("one trial in %d goes on, %g times "
    .. "as long"):format(ETA, ETA), { terms = terms, brief = true })
  p:add("fleet", "serial_s", "One after another", f.trials * f.trial_s, "s", ("on the %.0f device%s of a trial"):format(f.devices,
    f.devices == 1 and "" or "s"), { terms = terms })
  p:add("fleet", "devices_at_once", "All at one time", f.trials * f.devices, "", ("devices, for %s"):format(n(f.trial_s, "s")),
    { terms = { terms[1] } })
  -- Device time of each trial is said, and devices: those are what all of them share.
  local shared = f:is_given("trial_device_s") and f:is_given("devices") and f.devices
  if shared then
    p:add("fleet", "shared_s", "On all devices", whole.full_device_s / shared, "s", ("%s over %.0f devices, all of them busy"):format(
      n(whole.full_device_s, "device s"), shared), { terms = { terms[1] }, brief = true })
  end
  local function cost(device_s) return device_s / 3600 * f.usd_h end
  local usd = cost(whole.full_device_s)
  p:add("sanity", "cost", "Cost", usd, "USD", ("%s at %s"):format(n(whole.full_device_s, "device s"), n(f.usd_h, "USD/h")),
    { terms = { terms[1], terms[2], f:term("usd_h") }, brief = true })
  local function pull(title, device_s, costs)
    table.insert(p.levers, { title = title, cost_usd = cost(device_s), saves_frac = 1 - device_s / whole.full_device_s,
      costs = costs })
  end
  pull("trials stopped early", early.device_s, "those that start slowly and end well are lost")
  pull("successive halving", halving.device_s, "what is judged early must tell what comes late")
  if f.trials > RANDOM_TRIALS then
    pull(("a random search of %.0f trials"):format(RANDOM_TRIALS), whole.full_device_s * RANDOM_TRIALS / f.trials,
      "the best of a grid may be missed; more values of each parameter are tried")
  end
  pull("half of the trials", whole.full_device_s / 2, "a coarser search")
  if f.cost_usd then
    p:add("sanity", "cap_trials", "Cap of trials", math.floor(f.cost_usd / cost(each_s)), "", "money over that of a trial: from "
      .. "there on a guardrail refuses a sweep before it runs", { brief = true })
    p:keep_budget(usd, f.cost_usd, "it costs %s")
  end
  p.notes[#p.notes + 1] = "Sweeps of a platform beside its jobs, and what budgets of projects refuse: ballpark help platforms."
  p.headline = ("%.0f trials of %s: %s, %s; %s with early stops, %s by successive halving"):format(f.trials,
    n(each_s, "device s"), n(whole.full_device_s, "device s"), p:said("cost"), n(cost(early.device_s), "USD"),
    n(cost(halving.device_s), "USD"))
  if shared then p.headline = ("%s on %.0f devices; %s"):format(p:said("shared_s"), shared, p.headline) end
  p.main = "cost"
end

return sweep
