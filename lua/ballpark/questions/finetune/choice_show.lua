-- The same run on several systems in a report: which to take, and a row of each.
local choice = require("ballpark.questions.finetune.choice")
local plan_text = require("ballpark.questions.training.plan_text")

local choice_show = {}

local function devices_of(answer)
  local cluster = answer.input.cluster
  return ("%d x %s"):format(cluster.network.devices, cluster.device.name or "device")
end

-- How many surely fit and have no price, in words.
local function unpriced(chosen)
  local count = 0
  for _, answer in ipairs(chosen.answers) do
    if choice.is_sure(answer) and not answer.run.cost_usd then count = count + 1 end
  end
  return count > 0 and (", %d of them without a price"):format(count) or ""
end

-- Why the first is the one to take.
local function reason(chosen)
  local best, sure = chosen.best, chosen.sure
  if sure == 0 then return "the nearest to it; none surely fits" end
  if sure == 1 then return "the only one that surely fits" end
  if not best.run.cost_usd then return ("the fastest of %d that surely fit; none has a price"):format(sure) end
  return ("the cheapest of %d that surely fit"):format(sure) .. unpriced(chosen)
end

--- Adds which system to take.
---@param add fun(fact: table)
---@param chosen table of choice.of
function choice_show.facts(add, chosen)
  local best, fastest = chosen.best, chosen.fastest
  add({ name = "best_devices", title = "Best", value = devices_of(best), text = "{best_devices}, " .. reason(chosen) })
  add({ name = "fastest_run_s", value = fastest.run.run_s, unit = "s", hide = true })
  add({ name = "fastest_cost_usd", value = fastest.run.cost_usd, unit = "USD", hide = true })
  add({ name = "fastest_devices", title = "Fastest", value = devices_of(fastest), hide = fastest == best or not choice.is_sure(fastest),
    text = "{fastest_devices}, {fastest_run_s}" .. (fastest.run.cost_usd and " for {fastest_cost_usd}" or ", no price known") })
end

local function row_of(answer)
  local memory, run, cluster = answer.memory, answer.run, answer.input.cluster
  return { device = cluster.device.name, devices = cluster.network.devices, plan = plan_text.short(answer.plan),
    total_bytes = memory.total_bytes, capacity_bytes = memory.capacity_bytes, fit_probability = memory.fit_probability,
    step_s = answer.step_s, tokens_per_s = answer.tokens_per_s, run_s = run.run_s, cost_usd = run.cost_usd, usd_h = run.usd_h,
    refused = answer.contradictions[1] and answer.contradictions[1].code }
end

--- Adds a row of each system, the best first, and last those that are refused.
---@param result table
---@param chosen table of finetune.systems
function choice_show.table(result, chosen)
  local rows, is_refused = {}, #chosen.refused > 0
  for i, answer in ipairs(chosen.answers) do
    rows[i] = row_of(answer)
    is_refused = is_refused or rows[i].refused ~= nil
  end
  for _, refused in ipairs(chosen.refused) do
    local cluster = refused.input.cluster
    rows[#rows + 1] = { device = cluster.device.name, devices = cluster.network.devices, refused = refused.why }
  end
  result:table({ name = "systems", title = "The run on each, the best first", rows = rows, columns = {
    { name = "device" }, { name = "devices" }, { name = "plan", hide = true },
    { name = "total_bytes", title = "needs", unit = "B", scale = "memory" },
    { name = "capacity_bytes", title = "of", unit = "B", scale = "memory" },
    { name = "fit_probability", title = "fits", unit = "frac", chance = true },
    { name = "step_s", title = "step", unit = "s", hide = true }, { name = "tokens_per_s", title = "", unit = "tok/s" },
    { name = "run_s", title = "run", unit = "s", scale = "time" }, { name = "cost_usd", title = "cost", unit = "USD" },
    { name = "usd_h", title = "rent of one", unit = "USD/h", hide = true },
    { name = "refused", title = "does not go for", hide = not is_refused } } })
end

return choice_show
