-- Recomputation is no progress: MFU counts six FLOP, HFU what runs.
return {
  code = "recomputation_useful",
  severity = "warning",
  why = "recomputation is no progress: MFU counts six FLOP, HFU what runs",
  fix = "leave flop_per_param_tok at 6",
  find = function(log)
    return log:where_any({ "mfu", "training_rule" }, function(call) return (call.input.flop_per_param_tok or 6) > 6 end)
  end,
}
