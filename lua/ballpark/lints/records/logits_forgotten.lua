-- Logits of a large vocabulary take gigabytes in the last stage, and the rule of layers leaves them out.
return {
  code = "logits_forgotten",
  severity = "note",
  why = "logits of a large vocabulary take gigabytes in the last stage, and the rule of layers leaves them out",
  fix = "ask a search or an estimate, which count them",
  find = function(log)
    if log:has("search", "estimate", "train_step") or not log:has("states") then return {} end
    return log:where("activation_rule", function() return true end)
  end,
}
