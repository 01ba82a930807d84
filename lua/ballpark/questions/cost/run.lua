-- What fleets cost: hourly prices of any answer brought to months, years and a horizon.
local errors = require("ballpark.errors")
local hourly = require("ballpark.questions.cost.hourly")
local questions = require("ballpark.questions")
local units = require("ballpark.units")

local cost = {}

local MONTH_S <const>, YEAR_S <const> = units.months(1), units.years(1)

-- Nobody plans fleets for longer.
local MOST_YEARS <const> = 100

local function usd_h_of(path, fleet)
  if fleet.answer == nil then return errors.number(path .. ".usd_h", fleet.usd_h, 0) * errors.number(path .. ".replicas",
    fleet.replicas or 1, 0) end
  if type(fleet.answer) ~= "table" or not fleet.answer.kind then
    errors.input(path .. ".answer", "must be what a question answered")
  end
  return hourly.of(fleet.answer) or errors.input(path .. ".answer", "has no fleet with a price: give a load, and a price where "
    .. "the catalog has none")
end

-- Money of so many months at a monthly growth, the last of them in part.
local function over(usd_month, growth, months)
  local whole, sum = math.floor(months + 1e-9), 0
  for month = 0, whole - 1 do sum = sum + usd_month * (1 + growth) ^ month end
  return sum + usd_month * (1 + growth) ^ whole * math.max(0, months - whole)
end

local ALLOWED <const> = { "name", "answer", "usd_h", "replicas", "growth_month_frac" }

--- Answers cost{}: see its record.
function cost.run(input)
  questions.check_known("cost", input)
  if type(input.fleets) ~= "table" or #input.fleets == 0 then errors.input("fleets", "must list fleets") end
  local horizon = errors.number("horizon_s", input.horizon_s or YEAR_S, 1)
  if horizon > MOST_YEARS * YEAR_S then errors.input("horizon_s", ("must be at most %d years"):format(MOST_YEARS)) end
  local budget = input.budget_usd_month
  if budget ~= nil then errors.number("budget_usd_month", budget, 0) end
  local months = horizon / MONTH_S
  local answer = { kind = "cost", fleets = {}, usd_month = 0, usd_year = 0, usd_horizon = 0, usd_last_month = 0,
    horizon_s = horizon, budget_usd_month = budget }
  for i, fleet in ipairs(input.fleets) do
    local path = ("fleets[%d]"):format(i)
    if type(fleet) ~= "table" then errors.input(path, "must be a table, got " .. type(fleet)) end
    errors.only(path, fleet, ALLOWED)
    local growth = errors.number(path .. ".growth_month_frac", fleet.growth_month_frac or input.growth_month_frac or 0, -0.99)
    local usd_h = usd_h_of(path, fleet)
    local row = { name = fleet.name or ("fleet " .. i), usd_h = usd_h, usd_month = usd_h * units.MONTH_H, growth = growth }
    row.usd_year, row.usd_horizon = over(row.usd_month, growth, 12), over(row.usd_month, growth, months)
    row.usd_last_month = row.usd_month * (1 + growth) ^ math.max(0, math.ceil(months - 1e-9) - 1)
    answer.fleets[i] = row
    for _, name in ipairs({ "usd_month", "usd_year", "usd_horizon", "usd_last_month" }) do
      answer[name] = answer[name] + row[name]
    end
  end
  if not (answer.usd_year + answer.usd_horizon + answer.usd_last_month < math.huge) then
    errors.input("fleets", "cost more over the horizon than a number can say")
  end
  for _, row in ipairs(answer.fleets) do row.share = answer.usd_month > 0 and row.usd_month / answer.usd_month or 0 end
  answer.fits = not budget or answer.usd_month <= budget
  return answer
end

return cost
