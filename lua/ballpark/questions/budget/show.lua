-- What a report says of money, time and efficiency.
local plan_text = require("ballpark.questions.training.plan_text")
local simpler = require("ballpark.questions.search.simpler")
local units = require("ballpark.units")

local budget_show = {}

local function hidden(name, unit, value) return { name = name, unit = unit, value = value, hide = true } end

local function asked_words(known)
  local words = {}
  if known.budget_usd then words[#words + 1] = "{budget_usd}" end
  if known.deadline_s then words[#words + 1] = "{asked_s}" end
  if known.mfu_frac then words[#words + 1] = "{asked_mfu_frac} MFU" end
  if known.devices then words[#words + 1] = "{asked_devices} devices" end
  return table.concat(words, ", ")
end

local function add_asked(list, answer)
  local known, terms = answer.known, answer.terms
  list[#list + 1] = { name = "asked", title = "Given", value = "", text = asked_words(known) }
  list[#list + 1] = hidden("budget_usd", "USD", known.budget_usd)
  list[#list + 1] = hidden("asked_s", "s", known.deadline_s)
  list[#list + 1] = hidden("asked_mfu_frac", "frac", known.mfu_frac)
  list[#list + 1] = hidden("asked_devices", "", known.devices)
  list[#list + 1] = { name = "flop", unit = "FLOP", title = "Work", value = terms.flop,
    text = "{flop} at {peak_flop_s} dense " .. terms.precision .. " a device" }
  list[#list + 1] = hidden("peak_flop_s", "FLOP/s", terms.peak_flop_s)
  list[#list + 1] = hidden("usd_h", "USD/h", terms.usd_h)
end

local BOUGHT <const> = { ["until"] = ": what the money buys until then", spent = ": held until the money is spent" }

local function add_found(list, answer)
  local found, known = answer.found, answer.known
  if not found.cost_usd then return end
  if found.devices then
    list[#list + 1] = { name = "devices", title = "Devices", value = found.devices,
      text = "{devices}" .. (answer.terms.multiple > 1 and ", in nodes of {multiple}" or "")
        .. (BOUGHT[found.bought or ""] or "") }
    list[#list + 1] = hidden("multiple", "", answer.terms.multiple)
    list[#list + 1] = { name = "deadline_s", unit = "s", title = "Time", value = found.deadline_s }
  end
  list[#list + 1] = { name = "mfu_frac", unit = "frac", title = "MFU", value = found.mfu_frac,
    text = "{mfu_frac}" .. (found.searched and " by the best plan" or known.mfu_frac and " as given" or " needed")
      .. ", over all time: goodput included" }
  list[#list + 1] = { name = "cost_usd", unit = "USD", title = "Cost", value = found.cost_usd,
    text = "{cost_usd}: {device_s} at {usd_h}" }
  list[#list + 1] = hidden("device_s", "device s", found.device_s)
end

-- The fewest devices in time, where they cost more than the answer.
local function add_fewest(list, fewest)
  if not fewest then return end
  list[#list + 1] = { name = "fewest_devices", title = "Fewest devices", value = fewest.devices,
    text = "{fewest_devices} are in time too: {fewest_s}, {fewest_usd}" }
  list[#list + 1] = hidden("fewest_s", "s", fewest.deadline_s)
  list[#list + 1] = hidden("fewest_usd", "USD", fewest.cost_usd)
end

local function add_reached(list, answer)
  local best = answer.reached and answer.reached.best
  if not best then return end
  local run = best.run
  list[#list + 1] = { name = "plan", title = "Best plan", value = plan_text.short(best.plan),
    text = "{plan} on {plan_devices} devices" }
  list[#list + 1] = hidden("plan_devices", "", run.devices)
  list[#list + 1] = { name = "reached_frac", unit = "frac", title = "reaches",
    value = best.time.mfu_frac * run.goodput_frac,
    text = "{reached_frac} over all time, {run_s}" .. (run.cost_usd and ", {run_usd}" or "") }
  list[#list + 1] = hidden("goodput_frac", "frac", run.goodput_frac)
  list[#list + 1] = { name = "run_s", unit = "s", value = run.run_s, hide = true,
    range = best.range.run_s or false }
  list[#list + 1] = { name = "run_usd", unit = "USD", value = run.cost_usd, hide = true,
    range = best.range.cost_usd or false }
  add_fewest(list, answer.found.fewest)
  simpler.add(list, answer.reached)
end

--- The verdict in words, with the reason where it is no.
function budget_show.verdict(answer)
  local found, known, best = answer.found, answer.known, answer.reached and answer.reached.best
  if found.searched and not found.cost_usd then return "no: no plan was found that does it" end
  if found.feasible then
    if best and not known.mfu_frac then
      return "yes, by the estimate of the best plan"
        .. (best.run.devices ~= found.devices and ", on {plan_devices} devices" or "")
    end
    return known.mfu_frac and "yes, if that efficiency is reached" or "yes, if a plan reaches that efficiency"
  end
  if found.mfu_frac and not known.mfu_frac and found.mfu_frac > 1 then return "no: it takes more than the peak" end
  if best and not known.mfu_frac then return "no: the best plan does not reach it" end
  if answer.input.job.global_batch and not best then return "no: no plan fits that many devices" end
  if known.budget_usd and found.cost_usd and found.cost_usd > known.budget_usd then
    return ("no: the work costs %s so, and %s are given"):format(units.format(found.cost_usd, "USD"), units.format(known.budget_usd, "USD"))
  end
  return "no: the given values contradict each other"
end

local function add_sizes(r, sizes)
  if not sizes then return end
  r:table({ name = "sizes", title = "Time by size of the cluster", columns = { { name = "devices", title = "devices" },
    { name = "deadline_s", unit = "s", title = "time" } }, rows = sizes })
end

--- Puts an answer of budget{} into a result.
function budget_show.answer(r, answer)
  local title = ("%s on %s: money, time, efficiency"):format(answer.input.model.name or "model",
    answer.terms.device.name or "device")
  local list = { name = "budget", title = r.title and title }
  r.title = r.title or title
  add_asked(list, answer)
  add_found(list, answer)
  add_reached(list, answer)
  list[#list + 1] = { name = "feasible", title = "Can be done", value = answer.fits == true,
    text = budget_show.verdict(answer) }
  r:facts(list)
  add_sizes(r, answer.found.sizes)
  for _, text in ipairs(answer.reached and answer.reached.assumed or {}) do r:assume(text) end
  if not answer.reached then
    r:note("Without job.global_batch nothing is said of plans: with it, the best plan is searched and compared.")
  end
end

return budget_show
