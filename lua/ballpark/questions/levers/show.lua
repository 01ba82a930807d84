-- Levers in a report: what each change would cost, what it saves, and what it asks for.
local fleet_assumed = require("ballpark.questions.serve.fleet_assumed")
local fleets_show = require("ballpark.questions.levers.fleets_show")
local promise = require("ballpark.questions.serve.promise")
local same = require("ballpark.questions.levers.same")
local words = require("ballpark.questions.serve.words")

local levers_show = {}

local function seen_of(row, part)
  local seen = row.fits and row.fleet.seen
  return seen and seen[promise.part[part]].at_s or nil
end

local function parts_of(broken)
  local list = {}
  for i, part in ipairs(broken) do list[i] = words.parts[part] end
  return table.concat(list, ", ")
end

-- What stands behind the numbers: the fleet, or why there is none.
local function outcome_of(row)
  if row.refused then return row.refused end
  if not row.fits then
    return (row.answer.searched.complete and "breaks " or "none was found; the nearest breaks ")
      .. parts_of(row.answer.breaks)
  end
  return words.fleet(row.fleet)
end

-- A price that only one provider has may be gone tomorrow.
local function has_lone_price(row)
  for _, group in ipairs(row.fits and row.fleet.groups or {}) do
    if (group.candidate.pool.assumed or ""):find("the only price known", 1, true) then return true end
  end
  return false
end

local function costs_of(row)
  return row.costs .. same.words(row.same) .. (has_lone_price(row) and "; the price is of one provider" or "")
end

local function base_row(base)
  local fleet = base.winner or base.nearest
  return { "as it is", "base", fleet.cost_usd_h, base.fits and 0 or nil, base.fits,
    seen_of({ fits = base.fits, fleet = fleet }, "ttft_s"),
    seen_of({ fits = base.fits, fleet = fleet }, "tpot_s"), "", words.fleet(fleet) }
end

-- Pools of the fleets that rows show, those of the question first, once each.
local function pools_of(answer)
  local list, seen = table.move(answer.base.ask.pools, 1, #answer.base.ask.pools, 1, {}), {}
  for _, pool in ipairs(list) do seen[pool.assumed or ""] = true end
  for _, row in ipairs(answer.rows) do
    for _, group in ipairs(row.fits and row.fleet.groups or {}) do
      local pool = group.candidate.pool
      if not seen[pool.assumed or ""] then list[#list + 1] = pool end
      seen[pool.assumed or ""] = true
    end
  end
  return list
end

-- Where prices are from, and which questions have requests longer than their model was made for.
local function say_behind(result, answer)
  fleet_assumed.warn_of_context(result, answer.base.ask)
  for _, row in ipairs(answer.rows) do
    if row.answer then fleet_assumed.warn_of_context(result, row.answer.ask) end
  end
  fleet_assumed.say_prices(result, pools_of(answer))
end

--- Adds an answer of serving.levers to a result.
function levers_show.answer(result, answer)
  if answer.of then return fleets_show.answer(result, answer) end
  local base = answer.base
  if not (base.winner or base.nearest) then
    result:warn("no replica of what was asked for can be had: there is nothing to change")
    return
  end
  local rows = { base_row(base) }
  for _, row in ipairs(answer.rows) do
    rows[#rows + 1] = { row.title .. (row.which and (" (" .. row.which .. ")") or ""), row.name, row.cost_usd_h,
      row.saves_frac, row.fits, seen_of(row, "ttft_s"), seen_of(row, "tpot_s"), costs_of(row),
      outcome_of(row) }
  end
  local title = "Levers, each searched and simulated again; TTFT and TPOT at P%g"
  result:table({ name = "levers", rows = rows, title = title:format(base.ask.sla.percentile), columns = {
    { name = "lever", title = "" }, { name = "name", hide = true },
    { name = "cost_usd_h", title = "", unit = "USD/h" }, { name = "saves_frac", title = "saves", unit = "frac" },
    { name = "fits", hide = true }, { name = "ttft_s", title = "TTFT", unit = "s" },
    { name = "tpot_s", title = "TPOT", unit = "s" }, { name = "costs", title = "it costs" },
    { name = "fleet", hide = true } } })
  for _, row in ipairs(answer.rows) do
    if not row.fits then result:note(row.title .. ": " .. outcome_of(row)) end
  end
  fleets_show.pointless(result, answer)
  result:assume("Levers are pulled one at a time; what two save together is not the sum.")
  say_behind(result, answer)
end

return levers_show
