-- A bill that has to come down: what it pays for, as a service that is proposed where nobody describes it, and ranked levers.
local catalog = require("ballpark.catalog")
local levers = require("ballpark.questions.levers.run")
local llm = require("ballpark.questions.ask.kinds.llm")
local page = require("ballpark.questions.ask.page")
local words = require("ballpark.questions.serve.words")

local n = page.n

local MONTH_H <const> = 730
-- The rate at which the fleet is sized to know what a request costs; the bill then says how many there are.
local PROBE_PER_S <const> = 20

local cost = {
  name = "cost", title = "A bill", words = "Bring a monthly bill down: ranked levers",
  facts = { { "budget_usd_month", "What is the bill a month, in USD?", unit = "USD", title = "Bill a month", ask = 1 } },
}

-- The facts of the service, but for users and their rate, which follow from the bill.
for _, row in ipairs(llm.facts) do
  local name = row[1]
  if name == "rate_per_s" then
    cost.facts[#cost.facts + 1] = { name, "Requests per second in the mean?", unit = "1/s", title = "Mean rate" }
  elseif name ~= "users" and name ~= "requests_per_user_day" and name ~= "budget_usd_month" and name ~= "devices" and name ~= "concurrency" then
    cost.facts[#cost.facts + 1] = row
  end
end

--- The five steps.
function cost.steps(p, f)
  if not f.budget_usd_month then
    require("ballpark.errors").input("ask", "needs the bill, such as '300,000 USD a month'")
  end
  for _, name in ipairs({ "budget_usd_month", "params", "peak_ratio", "input_tokens", "output_tokens", "ttft_s", "tpot_s",
    "device", "usd_h" }) do
    p:fact(f, name)
  end
  local probe = setmetatable({ rate_per_s = f.rate_per_s or PROBE_PER_S }, { __index = f })
  local answer, input = llm.fleet(probe)
  if not answer.winner then
    p:contradict("slo", answer.refused)
    p.headline = "no fleet meets the SLO"
    return
  end
  local month = answer.winner.cost_usd_h * MONTH_H
  local request = month / (probe.rate_per_s * MONTH_H * 3600)
  p:add("size", "devices", "Devices that it pays", math.floor(f.budget_usd_month / (MONTH_H * f.usd_h)), "",
    ("%s / (%d h x %s)"):format(n(f.budget_usd_month, "USD"), MONTH_H, n(f.usd_h, "USD/h")), { terms = { f:term("usd_h", -1) },
      brief = true })
  p:add("compute", "request_usd", "A request", request, "USD", ("%s a month at %s: %s"):format(n(month, "USD"),
    n(probe.rate_per_s, "1/s"), words.fleet(answer.winner)), { basis = "estimated" })
  p:add("fleet", "paid_per_s", "Requests it pays", f.budget_usd_month / request / (MONTH_H * 3600), "1/s",
    "in the mean, as such a fleet costs; if you answer fewer, look for idle devices first", { basis = "estimated",
      terms = { f:term("usd_h", -1) }, brief = true })
  for _, row in ipairs(levers.run(input, answer).rows) do
    if row.fits and row.saves_frac then
      table.insert(p.levers, { title = row.title .. (row.which and (" (" .. row.which .. ")") or ""),
        saves_frac = row.saves_frac, cost_usd_month = f.budget_usd_month * (1 - row.saves_frac), costs = row.costs })
    end
  end
  table.sort(p.levers, function(a, b) return a.saves_frac > b.saves_frac end)
  local best = p.levers[1]
  p:add("sanity", "best_usd_month", "With the first lever", best and best.cost_usd_month or f.budget_usd_month, "USD",
    best and best.title .. "; " .. best.costs or "no lever saves", { basis = "estimated", brief = true })
  p.comparable, p.what = answer.comparable, "the tokens per second and device"
  p.notes[#p.notes + 1] = ("The service is proposed: a model of %s on %s. Describe yours by its facts."):format(n(f.params),
    catalog.device(f.device).name)
  p.headline = best and ("%s to %s a month: %s first"):format(n(f.budget_usd_month, "USD"), n(best.cost_usd_month, "USD"),
    best.title) or "no lever saves"
end

return cost
