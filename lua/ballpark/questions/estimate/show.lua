-- How an answer about training becomes blocks of a result.
local core = require("ballpark.core")
local comparables = require("ballpark.questions.comparables.show")
local facts = require("ballpark.questions.training.facts")
local host = require("ballpark.questions.training.host")
local peak = require("ballpark.questions.training.peak")
local plan_text = require("ballpark.questions.training.plan_text")
local precision = require("ballpark.questions.training.precision")
local run_show = require("ballpark.questions.training.whole_run_show")
local stages = require("ballpark.questions.training.stages")
local ranges = require("ballpark.range")
local counted_flop = require("ballpark.resolve.training.counted_flop")
local units = require("ballpark.units")

local show = {}

-- Parts in the order of a table, largest concerns first; titles for people.
local MEMORY_PARTS = {
  { "weights_bytes", "weights" }, { "gradients_bytes", "gradients" },
  { "optimizer_bytes", "optimizer states" }, { "activations_bytes", "activations" },
  { "working_bytes", "working set" }, { "logits_bytes", "logits" },
  { "overhead_bytes", "context, fragmentation" },
}
local TIME_PARTS = {
  { "matmul_s", "matmuls", "compute" }, { "attention_s", "attention", "compute" },
  { "elementwise_s", "elementwise", "compute" }, { "recompute_s", "recomputation", "compute" },
  { "optimizer_s", "optimizer", "compute" },
  { "tp_s", "tensor-parallel traffic", "network" }, { "cp_s", "context-parallel traffic", "network" },
  { "ep_s", "expert traffic", "network" }, { "pp_s", "sends between stages", "network" },
  { "dp_s", "data-parallel traffic", "network" },
  { "offload_s", "offloading", "offload" },
  { "bubble_s", "pipeline bubble", "idle" }, { "host_s", "waiting for the host", "idle" },
  { "straggler_s", "stragglers", "idle" },
}

show.memory_parts, show.time_parts = MEMORY_PARTS, TIME_PARTS

local own, field, hidden, hidden_field = facts.own, facts.field, facts.hidden, facts.hidden_field

show.own = own

local function device_name(answer)
  return answer.input.cluster.device.name or "device"
end

-- Share of the step by what its parts are, see columns.lua.
local function shares(time)
  local sums = {}
  for _, part in ipairs(TIME_PARTS) do sums[part[3]] = (sums[part[3]] or 0) + time[part[1]] / time.step_s end
  return sums
end

-- How large the model is, and how long it is trained for that.
local function add_size(add, answer)
  local params, tokens = answer.params, answer.run.tokens
  add(own("total_params", params.total_params, { title = "Parameters", text = "{total_params}"
    .. (params.active_params < params.total_params and ", {active_params} of them active per token" or "")
    .. (tokens and "; {tokens_per_param} training tokens per parameter" or "") }))
  add(hidden("active_params", params.active_params))
  add(hidden("tokens_per_param", tokens and tokens / params.total_params))
end

local function add_step(list, answer)
  local time, plan = answer.time, answer.plan
  local function add(fact) list[#list + 1] = fact end
  add(own("plan", plan_text.words(plan)))
  add_size(add, answer)
  add(hidden("step_tok", answer.run.step_tok))
  add(field("time", "step_s", time.step_s, { title = "Step", range = answer.range.step_s,
    text = "{step_s} for {step_tok}, {micro_batches} micro-batch"
      .. (time.micro_batches == 1 and "" or "es") .. (plan.pp > 1 and " per pipeline" or "") }))
  add(field("time", "tokens_per_s", time.tokens_per_s, { title = "Throughput",
    range = answer.range.tokens_per_s,
    text = "{tokens_per_s}, {tokens_per_s_device} per device" }))
  local function as_sure(value) return ranges.against(answer.range.step_s, value) end
  add(field("time", "tokens_per_s_device", time.tokens_per_s_device, { hide = true, as_sure = as_sure(time.tokens_per_s_device) }))
  add(hidden("peak_flop_s", peak.of(answer.input.cluster.device, plan.precision)))
  add(field("time", "hfu_frac", time.hfu_frac, { hide = true, as_sure = as_sure(time.hfu_frac) }))
  add(field("time", "mfu_frac", time.mfu_frac, { title = "MFU", as_sure = as_sure(time.mfu_frac),
    text = "{mfu_frac} of the dense " .. plan.precision
      .. " peak {peak_flop_s}" .. (answer.input.model.arch and answer.input.model.arch ~= "decoder" and ""
      or " (causal counted half)") .. "; HFU {hfu_frac}" }))
  for _, fact in ipairs(precision.facts(answer)) do add(fact) end
  local case = answer.input.case
  if case.attention_stated then
    local flop, words = counted_flop.per_token(case)
    local rate = flop * time.tokens_per_s_device
    add(own("counted_flop_s", rate, { title = "FLOP rate", as_sure = as_sure(rate),
      text = "{counted_flop_s} per device, " .. words .. " counted" }))
  end
end

-- The input that brings most of a figure's width, where there is more than one.
local function largest_text(figure)
  local driver = figure.drivers[1]
  if not driver or not figure.drivers[2] then return "" end
  return (" (%s: %s of it)"):format(driver.name, units.format(driver.total or driver.first, "frac"))
end

-- Figures of the head that what was given as a range moves, with that range.
local DRAWN <const> = { { "run_s", "run", "s" }, { "cost_usd", "cost", "USD" } }

local function drawn_text(figures)
  local parts = {}
  for _, row in ipairs(DRAWN) do
    local figure = figures[row[1]]
    if figure then
      parts[#parts + 1] = ("%s %s to %s%s"):format(row[2], units.format(figure.low, row[3]), units.format(figure.high, row[3]),
        largest_text(figure))
    end
  end
  return "in brackets: the model's own error alone; with the inputs that are ranges: "
    .. (parts[1] and table.concat(parts, ", ") or "see Ranges")
end

-- Where the inputs that are ranges decide whether it can be done.
local function feasible_text(under_draws)
  local share = under_draws and under_draws.fits_share
  return share and share < 1 and ("; can be done in %s of the draws of the inputs"):format(units.chance(share)) or ""
end

local function range_text(answer)
  local unstated, under_draws = answer.unstated or {}, answer.under_draws
  if under_draws and next(under_draws.ranges) then return drawn_text(under_draws.ranges) .. feasible_text(under_draws) end
  return "in brackets: four runs in five are inside"
    .. (#unstated > 0 and ", wider by what the plan leaves open: " .. table.concat(unstated, ", ") or "")
    .. (answer.range.cost_usd and answer.input.price == nil and answer.input.cluster.usd_h_spread
      and "; cost with the spread of prices" or "")
    .. (answer.few_sources and "; " .. answer.few_sources or "")
    .. (#answer.extrapolated > 0 and "; extrapolated: {extrapolated}" or "") .. feasible_text(under_draws)
end

local function add_range(list, answer)
  list[#list + 1] = own("extrapolated", table.concat(answer.extrapolated, "; "),
    { title = "Range", text = range_text(answer) })
end

local function add_bound(list, answer)
  local sums = shares(answer.time)
  for _, kind in ipairs({ "compute", "network", "offload", "idle" }) do
    list[#list + 1] = hidden(kind .. "_frac", sums[kind])
  end
  list[#list + 1] = field("time", "bound", answer.bound, { title = "Bound by",
    text = "{bound}: {compute_frac} computing, {network_frac} exposed network, "
      .. (sums.offload > 0 and "{offload_frac} offloading, " or "") .. "{idle_frac} bubble, host, stragglers" })
end

-- What is offloaded, and where there is how much room for it; each place has its own unit.
local ELSEWHERE <const> = { { "host_bytes", "host" }, { "nvme_bytes", "nvme" }, { "host_node_bytes", "host" },
  { "nvme_node_bytes", "nvme" }, { "host_capacity_bytes", "host" }, { "paged_bytes", "paged" } }

-- Words for how an answer fits, or does not.
local function fit_text(answer, short)
  if answer.input.ran and short > 0 then
    return "{total_bytes} of {capacity_bytes}; it ran, so the estimate is {short_bytes} too high or more"
  elseif answer.fits then
    return "{total_bytes} of {capacity_bytes} on the fullest stage; fits with {fit_probability} chance"
  elseif short <= 0 then
    return "does not fit into memory of the host; {total_bytes} of {capacity_bytes} on the device"
  end
  return "does not fit: {total_bytes} of {capacity_bytes}, {short_bytes} too much; "
    .. "{fit_probability} chance that it fits after all"
end

local function add_memory(list, answer)
  local memory, network = answer.memory, answer.input.cluster.network
  local short = memory.total_bytes - memory.capacity_bytes
  list[#list + 1] = { name = "fits", title = "fits", value = answer.fits, hide = true }
  list[#list + 1] = hidden("short_bytes", math.max(0, short))
  list[#list + 1] = hidden_field("memory", "capacity_bytes", memory.capacity_bytes)
  for _, place in ipairs(ELSEWHERE) do
    list[#list + 1] = field("memory", place[1], memory[place[1]], { hide = true, scale = place[2] })
  end
  list[#list + 1] = field("memory", "fit_probability", memory.fit_probability, { hide = true, chance = true })
  list[#list + 1] = field("memory", "total_bytes", memory.total_bytes, { title = "Memory",
    range = answer.range.total_bytes,
    text = fit_text(answer, short) .. host.offloaded_text(memory, math.min(network.node_size, network.devices)) })
  local case = answer.input.case
  list[#list + 1] = own("allocated_bytes", answer.allocated_bytes, { range = answer.range.allocated_bytes,
    hide = case.traits.memory_log ~= "allocated", text = "{allocated_bytes}, which " .. case.class .. " logs as its memory" })
end

local SHOWN = { step_s = true, tokens_per_s = true, tokens_per_s_device = true, hfu_frac = true,
  mfu_frac = true, bound = true, total_bytes = true, capacity_bytes = true, fit_probability = true,
  host_bytes = true, nvme_bytes = true, host_node_bytes = true, nvme_node_bytes = true, host_capacity_bytes = true,
  paged_bytes = true }

local NOTHING = {}

-- Every other number of the core, for machine formats, sweeps and comparisons.
local function add_rest(list, answer)
  facts.all(list, "memory", answer.memory, SHOWN)
  facts.all(list, "time", answer.time, SHOWN)
  facts.all(list, "plan", answer.plan, NOTHING)
end

-- Parts below this share of the whole are shown as one.
local SMALL_FRAC = 0.003

local function part_rows(parts, values, whole)
  local rows, rest = {}, 0
  for _, part in ipairs(parts) do
    local value = values[part[1]]
    if value >= SMALL_FRAC * whole then
      rows[#rows + 1] = { part[2], value, value / whole }
    else
      rest = rest + value
    end
  end
  if rest > 0 then rows[#rows + 1] = { "other", rest, rest / whole } end
  return rows
end

local function part_table(r, name, title, unit_name, unit, parts, values, total, whole, beside)
  local rows = part_rows(parts, values, whole)
  rows[#rows + 1] = { total, whole, 1 }
  r:table({ name = name, title = title, beside = beside, columns = {
    { name = "part", title = "" }, { name = unit_name, unit = unit, title = "" },
    { name = "share_frac", unit = "frac", title = "" },
  }, rows = rows })
end

-- Of a pipeline: which of its stages a table is about.
local function of_stage(answer, stage, is)
  return answer.plan.pp > 1 and (" (stage %d, the %s)"):format(stage, is) or ""
end

--- Memory by part and time by part, side by side on a terminal, and the stages of a pipeline, which a report
--- with much else to say leaves to machine formats.
function show.parts(r, answer, hide_stages)
  if r.numbers_only then return end
  part_table(r, "memory", "Memory per device" .. of_stage(answer, answer.memory.stage, "fullest"), "part_bytes", "B",
    MEMORY_PARTS, answer.memory, "all", answer.memory.total_bytes)
  part_table(r, "time", "Time of a step" .. of_stage(answer, answer.time.slowest_stage, "slowest"), "part_s", "s",
    TIME_PARTS, answer.time, "step", answer.time.step_s, true)
  stages.show(r, answer, hide_stages)
end

--- The facts of one plan; `more` facts come after what people read, `first` ones before.
function show.plan(r, answer, title, more, first)
  local list = { name = "answer", title = r.title and title }
  r.title = r.title or title
  for _, fact in ipairs(first or {}) do list[#list + 1] = fact end
  add_step(list, answer)
  run_show.add(list, answer)
  add_range(list, answer)
  add_bound(list, answer)
  add_memory(list, answer)
  if not r.numbers_only then
    comparables.of_estimate(function(fact) list[#list + 1] = fact end, r, answer)
  end
  for _, fact in ipairs(more or {}) do list[#list + 1] = fact end
  add_rest(list, answer)
  r:facts(list)
  if answer.time.mfu_frac > answer.time.hfu_frac then
    r:note("MFU is above HFU: it counts three forward passes of all weights, and gradients of frozen weights are never "
      .. "computed.")
  end
end

-- What a shape without a name is called: its size.
local function of_size(model)
  local count = core.params({ model = model }).total_params
  return count >= 1e9 and ("a model of %.3gB"):format(count / 1e9) or ("a model of %.3gM"):format(count / 1e6)
end

--- "Llama-3.1-70B on 128 H100-SXM-80GB".
function show.subject(answer)
  local input = answer.input
  local name = input.model.name or of_size(input.model)
  return name .. " on " .. input.cluster.network.devices .. " x " .. device_name(answer)
end

--- An estimate: facts, parts, assumptions.
function show.answer(r, answer)
  show.plan(r, answer, show.subject(answer))
  show.parts(r, answer)
  local explained = require("ballpark.questions.training.explained")
  if not answer.fits and explained.wanted(r) then
    explained.relax(r, require("ballpark.questions.training.relax").estimate(answer.input, answer.plan))
  end
  for _, text in ipairs(answer.assumed) do r:assume(text) end
  for _, text in ipairs(answer.warnings) do r:warn(text) end
end

return show
