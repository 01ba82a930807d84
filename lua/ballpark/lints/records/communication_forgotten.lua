-- Many devices wait for each other: an MFU as high as that of one device leaves no time for it.
return {
  code = "communication_forgotten",
  severity = "warning",
  why = "many devices wait for each other: an MFU as high as that of one device leaves no time for it",
  fix = "take the MFU from a search, or add ring_rule or collective",
  find = function(log)
    if log:has("ring_rule", "collective", "search", "estimate", "train_step") then return {} end
    return log:where("training_rule", function(call)
      return (call.input.devices or 1) > 8 and call.input.mfu_frac >= 0.6 and call.input.mfu_frac < 0.95
    end)
  end,
}
