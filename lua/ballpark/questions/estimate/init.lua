-- estimate{}: one plan on one cluster.
local inputs = require("ballpark.questions.inputs")
local late = require("ballpark.questions.training.late")
local needs = inputs.needs

return {
  name = "estimate",
  title = "one plan on one cluster",
  inputs = inputs.training,
  needs = { needs.model, needs.device, needs.devices, needs.global_batch, needs.seq_len },
  outputs = {
    { "fits", "boolean", "whether the plan fits into memory" },
    { "plan", "ballpark.plan", "with everything filled in" },
    { "memory", "ballpark.memory", "of one device, by what it holds" },
    { "allocated_bytes", "number", "of that, what the software allocates: without its context and fragmentation" },
    { "time", "ballpark.time", "of a step, by what it is spent on" },
    { "bound", "string", "what takes most of it" },
    { "params", "ballpark.params_out", "parameters of the model" },
    { "run", "ballpark.run", "time, cost and energy of the run of job.tokens" },
    { "range", "table<string, ballpark.range>", "80 % ranges by name: step_s and what follows from it" },
    { "extrapolated", "string[]", "why the estimate goes beyond what was measured" },
    { "few_sources", "string|nil", "that no source, or one alone, has published runs of such software on such devices" },
    { "assumed", "string[]", "what was not given" },
  },
  emit = "training",
  feasible = function(answer) return answer.fits and not late.endless(answer) end,
  contradiction = late.endless,
  reason = function(answer)
    if answer.fits then return late.endless(answer) end
    return answer.memory.total_bytes <= answer.memory.capacity_bytes and "memory of the host" or "memory"
  end,
}
