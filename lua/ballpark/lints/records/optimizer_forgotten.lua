-- Training keeps gradients and optimizer states: 16 bytes a parameter, not 2.
return {
  code = "optimizer_forgotten",
  severity = "warning",
  why = "training keeps gradients and optimizer states: 16 bytes a parameter, not 2",
  fix = "ask the kernel states, or a search",
  find = function(log)
    if not log:has("training_rule") or log:has("states", "search", "estimate", "train_step") then return {} end
    return log:where("weights", function() return true end)
  end,
}
