-- Twice a dense peak is the sparse one: matrices of training are dense.
return {
  code = "sparse_peak",
  severity = "note",
  why = "twice a dense peak is the sparse one: matrices of training are dense",
  fix = "use the dense peak of the data sheet",
  find = function(log)
    return log:where_any({ "training_rule", "request_rule", "mfu", "budget" }, function(call)
      return log:is_twice(call.input.peak_flop_s, "bf16_flop_s", "fp8_flop_s")
    end)
  end,
}
