-- A bill that has to come down: what it pays for, as a service that is proposed where nobody describes it, and ranked levers.
local catalog = require("ballpark.catalog")
local levers = require("ballpark.questions.levers.run")
local llm = require("ballpark.questions.ask.kinds.llm")
local mentions = require("ballpark.mentions")
local page = require("ballpark.questions.ask.page")
local same = require("ballpark.questions.levers.same")
local tables = require("ballpark.tables")
local words = require("ballpark.questions.serve.words")
local units = require("ballpark.units")

local n = page.n

local MONTH_H <const> = units.MONTH_H
-- The rate at which the fleet is sized to know what a request costs; the bill then says how many there are.
local PROBE_PER_S <const> = 20

-- A bill of which a sum is to be saved is so many times the sum where nobody says it.
local TIMES_SAVED <const> = 3

local cost = {
  name = "cost", title = "A bill", priced = true, words = "Bring a monthly bill down: ranked levers",
  facts = {
    { "saved_usd_month", "What is to be saved a month, in USD?", unit = "USD", title = "To be saved a month" },
    { "target_frac", "To which share of the bill is it to come down?", unit = "frac", title = "Share aimed at" },
    { "budget_usd_month", "What is the bill a month, in USD?", unit = "USD", title = "Bill a month", ask = 1, propose = function(f)
      if f.saved_usd_month then
        return TIMES_SAVED * f.saved_usd_month, ("%.0f times what is to be saved (assumption)"):format(TIMES_SAVED),
          1.2 * f.saved_usd_month, 10 * f.saved_usd_month
      end
      if f.target_frac then return 1e5, "the bill of a service of some size (assumption)", 1e4, 1e6 end
    end },
    { "target_usd_month", "To what is it to come down, in USD a month?", unit = "USD", title = "Aimed at a month",
      propose = function(f)
        if not f.budget_usd_month then return nil end
        if f.saved_usd_month then
          return f.budget_usd_month - f.saved_usd_month, "the bill less what is to be saved", nil, nil, true
        elseif f.target_frac then
          return f.target_frac * f.budget_usd_month, ("%s of the bill"):format(n(f.target_frac, "frac")), nil, nil, true
        end
      end },
  },
}

-- Words of a bill by the year.
local YEARLY <const> = { "%f[%a]yearly", "%f[%a]annual", "per year", "a year", "/year", "/yr" }

--- A sum without a time is that of a month, or of a year where words say so: "our monthly bill is now 42k".
function cost.given(given, _, text)
  if not given.cost_usd or given.budget_usd_month then return given end
  local made = tables.with(given, { budget_usd_month = given.cost_usd / (mentions.any(text, YEARLY) and 12 or 1) })
  made.cost_usd = nil
  return made
end

local LEFT_OUT <const> = tables.set({ "users", "monthly_users", "requests_per_user_day", "budget_usd_month", "concurrency" })

-- The facts of the service, but for users and their rate, which follow from the bill.
for _, row in ipairs(llm.facts) do
  local name = row[1]
  if name == "rate_per_s" then
    cost.facts[#cost.facts + 1] = { name, "Requests per second in the mean?", unit = "1/s", title = "Mean rate" }
  elseif name == "usd_h" then
    cost.facts[#cost.facts + 1] = tables.with(row, { propose = function(f)
      if not (f.devices and f.budget_usd_month) then return row.propose(f) end
      return f.budget_usd_month / (f.devices * MONTH_H), ("the bill over %.0f devices"):format(f.devices), nil, nil, true
    end })
  elseif name == "devices" then
    table.insert(cost.facts, 1, { name, "How many devices does it pay?", unit = "", type = "integer", title = "Devices" })
  elseif not LEFT_OUT[name] then
    cost.facts[#cost.facts + 1] = row
  end
end

-- Which levers reach what is aimed at, each alone.
local function aim(p, f)
  local reached = {}
  for _, lever in ipairs(p.levers) do
    if lever.cost_usd_month <= f.target_usd_month then
      reached[#reached + 1] = ("%s (%s)"):format(lever.title, n(lever.cost_usd_month, "USD"))
    end
  end
  if not reached[1] then
    p:contradict("target", ("no lever alone brings %s down to %s"):format(n(f.budget_usd_month, "USD"),
      n(f.target_usd_month, "USD")))
  end
  p.headline = ("%s to %s a month: %s"):format(n(f.budget_usd_month, "USD"), n(f.target_usd_month, "USD"), reached[1]
    and "reached alone by " .. table.concat(reached, ", or by ", 1, math.min(3, #reached)) or "no lever reaches it alone")
end

--- The five steps.
function cost.steps(p, f)
  if not f.budget_usd_month then
    require("ballpark.errors").input("ask", "needs the bill, such as '300,000 USD a month'")
  end
  for _, name in ipairs({ "budget_usd_month", "devices", "saved_usd_month", "target_usd_month", "model", "params", "peak_ratio", "input_tokens", "output_tokens", "ttft_s", "tpot_s",
    "device", "usd_h" }) do
    p:fact(f, name)
  end
  local probe = setmetatable({ rate_per_s = f.rate_per_s or PROBE_PER_S, devices = false }, { __index = f })
  local answer, input = llm.fleet(probe)
  if not answer.winner then
    p:contradict("slo", answer.refused)
    p.headline = "no fleet meets the SLO"
    return
  end
  local month = answer.winner.cost_usd_h * MONTH_H
  local request = month / (probe.rate_per_s * units.months(1))
  p:add("size", "devices", "Devices that it pays", f.devices or math.floor(f.budget_usd_month / (MONTH_H * f.usd_h)), "",
    f.devices and "given" or ("%s / (%.0f h x %s)"):format(n(f.budget_usd_month, "USD"), MONTH_H, n(f.usd_h, "USD/h")),
    { terms = { f:term("usd_h", -1) }, brief = true })
  p:add("compute", "request_usd", "A request", request, "USD", ("%s a month at %s: %s"):format(n(month, "USD"),
    n(probe.rate_per_s, "1/s"), words.fleet(answer.winner)), { basis = "estimated" })
  p:add("fleet", "paid_per_s", "Requests it pays", f.budget_usd_month / request / units.months(1), "1/s",
    "in the mean, as such a fleet costs; if you answer fewer, look for idle devices first", { basis = "estimated",
      terms = { f:term("usd_h", -1) }, brief = true })
  for _, row in ipairs(levers.run(input, answer).rows) do
    if row.fits and row.saves_frac then
      table.insert(p.levers, { title = row.title .. (row.which and (" (" .. row.which .. ")") or ""),
        saves_frac = row.saves_frac, cost_usd_month = f.budget_usd_month * (1 - row.saves_frac), costs = row.costs .. same.words(row.same),
        busy_frac = row.same and row.same.own_busy_frac })
    end
  end
  table.sort(p.levers, function(a, b) return a.saves_frac > b.saves_frac end)
  local best = p.levers[1]
  p:add("sanity", "best_usd_month", "With the first lever", best and best.cost_usd_month or f.budget_usd_month, "USD",
    best and best.title .. "; " .. best.costs or "no lever saves", { basis = "estimated", brief = true })
  p.comparable, p.what = answer.comparable, "the tokens per second and device"
  p.notes[#p.notes + 1] = ("The service is %s: %s on %s. Describe yours by its facts."):format(
    (f:is_given("model") or f:is_given("params")) and "taken from the words" or "proposed",
    f.model or "a model of " .. n(f.params), catalog.device(f.device).name)
  p.headline = best and ("%s to %s a month: %s first"):format(n(f.budget_usd_month, "USD"), n(best.cost_usd_month, "USD"),
    best.title) or "no lever saves"
  if f.target_usd_month then aim(p, f) end
end

return cost
