-- Activations take memory beside the states.
return {
  code = "activations_forgotten",
  severity = "warning",
  why = "activations take memory beside the states",
  fix = "ask activation_rule, or a search, which counts the tensors of the model",
  find = function(log)
    if log:has("activation_rule", "search", "estimate", "train_step") then return {} end
    return log:where("states", function(call) return (call.input.device_bytes or 0) > 0 end)
  end,
}
