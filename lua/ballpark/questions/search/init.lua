-- search{}: the best plans of a space.
local inputs = require("ballpark.questions.inputs")
local late = require("ballpark.questions.training.late")
local objectives = require("ballpark.search.objectives")
local systems = require("ballpark.search.systems")
local needs = inputs.needs

local function objectives_table(r)
  local rows = {}
  for i, name in ipairs(objectives.names) do
    rows[i] = { name, table.concat(objectives.words(name), ", "), objectives.rank(name, 1) < 0 and "more" or "less",
      objectives.says(name) }
  end
  r:table({ name = "objectives", title = "Objectives", columns = { { name = "objective" },
    { name = "words", title = "or" }, { name = "better" }, { name = "doc", title = "meaning" } }, rows = rows })
end

return {
  name = "search",
  title = "the best plans of a space",
  inputs = inputs.joined(inputs.training, {
    { "space", "per plan field one value, a list, or 'free'; tp, pp, vpp, cp, ep, zero, recompute and micro_batch are "
      .. "free unless fixed, all others stay at their default unless listed. space.system and space.job do the same "
      .. "for fields of cluster and job: a value, a list, {from =, to =, step = or times =}, or 'free' for any of "
      .. "device, devices, nodes, fabric, price, global_batch, seq_len; each combination is searched, and the answer "
      .. "is one", is = "space", type = "table<string, any>" },
    { "objective", "what to order by, or a list: the first orders, all make the Pareto front; see the table below",
      type = "string|string[]" },
    { "top", "how many plans to answer, 10", type = "integer" },
    { "front", "how many plans a Pareto front may have, 1000", type = "integer" },
    { "differ", "list of fields of plans, and over several systems of systems and jobs (device, devices, ...): of "
      .. "plans that agree in all of them only the best is kept", type = "string|string[]" },
    { "fit_chance", "least chance of fitting into memory, 0.9", type = "number" },
    { "deadline_s", "time for the run of job.tokens: a best plan that takes longer does not go (exit code 1); and "
      .. "for the objective deadline_probability", type = "number" },
    { "time_spread", "standard deviation of ln(measured / estimated) step time that the chance of meeting the "
      .. "deadline goes by; from the 80 % range of the class of software", type = "number" },
    { "exhaustive", "true looks at every plan of a space of more than 20 million, without bounds", type = "boolean" },
    { "rules", "rule files or tables that reject, score or price plans", is = "rules",
      type = "string|(string|table)[]" },
    { "why", "a plan to explain, whatever became of it", is = "group", type = "table" },
  }),
  needs = { needs.model, needs.device, needs.devices, needs.global_batch, needs.seq_len },
  in_rows = function() return true end,
  outputs = {
    { "fits", "boolean", "whether any plan does" },
    { "best", "ballpark.estimate_answer", "the first of the plans" },
    { "plans", "ballpark.estimate_answer[]", "best first" },
    { "front", "ballpark.estimate_answer[]|nil", "the Pareto front of several objectives" },
    { "found", "table", "how many plans there are, the tally of rejections, and searched: size, looked_at, "
      .. "complete and why, how much of the space was looked at" },
    { "nearest_miss", "table|nil", "the rejected plan that lacks least" },
    { "why", "table|nil", "what became of the plan that was asked about" },
    { "assumed", "string[]", "what was not given" },
  },
  tables = { objectives_table },
  notes = {
    "Checked in this order: devices, heads, layers, sequence, experts, sharding, batch, schedule, precision, "
      .. "memory, rules; a plan is tallied under the first check it fails.",
    "Ties go to the first plan of the space, so the same question has the same answer.",
  },
  command = "search",
  emit = "training",
  split = systems.inputs,
  feasible = function(answer) return answer.fits and not late.text(answer) end,
  contradiction = late.text,
  reason = function(answer) return late.text(answer) or answer.nearest_miss and answer.nearest_miss.reason end,
}
