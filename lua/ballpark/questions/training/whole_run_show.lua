-- What a report says of the whole run: time, losses, cost, energy, data.
local facts = require("ballpark.questions.training.facts")
local ranges = require("ballpark.range")

local run_show = {}

-- What a run loses, in the order in which it is told: share, words.
local LOSSES = {
  { "checkpoint_frac", "saving {checkpoint_frac} (every {interval_s})" },
  { "interruption_frac", "interruptions {interruption_frac} (every {mtbf_s})" },
  { "evaluation_frac", "evaluation {evaluation_frac}" },
  { "stall_frac", "waiting for data {stall_frac}" },
}

-- What the words need, and more for machines.
local ABOUT_LOSSES = { "rework_frac", "restart_frac", "checkpoint_s", "interval_s", "daly_s", "mtbf_s" }

local function fact(name, value, extra)
  if not extra then return facts.hidden(name, value) end
  if extra.hide == nil then extra.hide = true end
  return facts.own(name, value, extra)
end

local function loss_words(losses)
  local words = {}
  for _, loss in ipairs(LOSSES) do
    if losses[loss[1]] > 0 then words[#words + 1] = loss[2] end
  end
  return "{lost_frac}: " .. table.concat(words, ", ")
end

-- Losses that nobody stated are worth a line from here on; goodput says them in short.
local WORTH_A_LINE <const> = 0.01

local function add_losses(add, losses, stated)
  if not losses then return end
  add(fact("lost_frac", losses.lost_frac, { hide = not stated and losses.lost_frac < WORTH_A_LINE,
    text = loss_words(losses) }))
  for _, loss in ipairs(LOSSES) do add(fact(loss[1], losses[loss[1]])) end
  for _, name in ipairs(ABOUT_LOSSES) do add(fact(name, losses[name])) end
end

-- The ratio of the ends of a range, where there is one.
local function add_cost(add, run, range, time_range)
  add(fact("cost_usd", run.cost_usd, { hide = not run.run_s, title = "Cost", range = range or false,
    text = (run.cost_usd and "{cost_usd}: {device_s} at {usd_h}" or "price unknown: {device_s}")
      .. (run.energy_j and "; {energy_j}" or "") }))
  if not run.energy_j then return end
  add(fact("energy_j", run.energy_j, { as_sure = ranges.along(time_range, run.energy_j) }))
  for _, name in ipairs({ "power_w", "pue" }) do add(fact(name, run[name])) end
end

-- Data in, and checkpoints out, as one line.
local function data_words(run)
  local words = {}
  if run.data_bytes then
    words[1] = "{data_bytes} of tokens read at {input_bytes_s}"
  end
  if run.checkpoint_bytes then
    words[#words + 1] = "checkpoints of {checkpoint_bytes}"
      .. (run.checkpoint_bytes_s and " at {checkpoint_bytes_s}" or "")
  end
  return table.concat(words, "; ")
end

local DATA = { "data_bytes", "token_bytes", "input_bytes_s", "input_node_bytes_s", "checkpoint_bytes",
  "checkpoint_bytes_s" }

local function add_data(add, run)
  local shown
  for _, name in ipairs(DATA) do
    if run[name] then
      add(fact(name, run[name], not shown and { hide = false, title = "Data", text = data_words(run) } or nil))
      shown = true
    end
  end
end

--- Adds the facts of answer.run to a list.
function run_show.add(list, answer)
  local run = answer.run
  local function add(item) list[#list + 1] = item end
  for _, name in ipairs({ "devices", "usd_h" }) do add(fact(name, run[name])) end
  add(fact("step_usd", run.step_usd, { hide = run.run_s ~= nil or not run.step_usd }))
  for _, name in ipairs({ "tokens", "steps" }) do add(fact(name, run[name])) end
  add(fact("device_s", run.device_s, { as_sure = ranges.along(answer.range.run_s, run.device_s) }))
  add(fact("goodput_frac", run.goodput_frac))
  add(fact("run_s", run.run_s, { hide = not run.tokens, range = answer.range.run_s or false,
    text = run.never and ("never ends: " .. run.never) or "{run_s} for {tokens}, {goodput_frac} goodput" }))
  add_losses(add, run.losses, answer.input.goodput ~= nil)
  add_cost(add, run, answer.range.cost_usd, answer.range.run_s)
  add_data(add, run)
end

return run_show
