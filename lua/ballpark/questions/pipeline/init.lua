-- pipeline{}: a pipeline schedule, simulated.
return {
  name = "pipeline",
  title = "a pipeline schedule, simulated",
  inputs = {
    { "stages", "devices of the pipeline", type = "integer", required = true },
    { "micro_batches", "of a step", type = "integer", required = true },
    { "schedule", "its name (ballpark explain schedule), or a function that gives each device's order",
      type = "string|function" },
    { "vpp", "virtual stages per device", type = "integer" },
    { "group", "interleaved: micro-batches that go through one virtual stage before the next", type = "integer" },
    { "forward_s", "of a micro-batch on a device, or a list by stage", type = "number|number[]" },
    { "backward_s", "its whole backward, or a list", type = "number|number[]" },
    { "weight_s", "the part of backward that makes weight gradients, or a list", type = "number|number[]" },
    { "weight_frac", "the same as a share of backward", type = "number" },
    { "send_s", "from the end of an operation to its arrival on the next device", type = "number" },
    { "activation_bytes", "what a device keeps of one micro-batch, or a list", type = "number|number[]" },
    { "pair_frac", "time of a forward and a backward that run together (as under dualpipe), over the sum of both",
      type = "number" },
    { "layout", "of a schedule that is a function: where its stages lie: loop, v or both_ways", type = "string" },
    { "name", "what the report calls it", type = "string" },
  },
  needs = {
    { "stages", such = "8", option = "pp" }, { "micro_batches", such = "32", option = "micro-batches" },
  },
  outputs = {
    { "makespan_s", "number", "of a step" },
    { "work_s", "number", "of the busiest device" },
    { "bubble_s", "number", "what a device waits" },
    { "closed_s", "number|nil", "the bubble of the closed form, where it applies" },
    { "devices", "table[]", "each with busy_s, idle_s, in_flight, peak, peak_at_s and its steps" },
  },
  command = "pipeline",
}
