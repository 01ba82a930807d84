-- Weights alone are not what a replica or a run takes.
return {
  code = "weights_only",
  severity = "warning",
  why = "weights alone are not what a replica or a run takes",
  fix = "add an overhead, or ask infer_memory, kv_cache or states for what else there is",
  find = function(log)
    if log:has("kv_cache", "infer_memory", "states", "serve", "serve_search", "search", "estimate", "train_step") then return {} end
    return log:where("weights", function(call) return (call.input.overhead_factor or 1) == 1 end)
  end,
}
