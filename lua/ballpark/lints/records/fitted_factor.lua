-- A factor fitted to somebody else's run is no overhead: it hides what is lost.
return {
  code = "fitted_factor",
  severity = "warning",
  why = "a factor fitted to somebody else's run is no overhead: it hides what is lost",
  fix = "leave it 1 and name the losses: kernel goodput",
  find = function(log)
    return log:where_any({ "training_rule", "run" }, function(call) return (call.input.overhead_factor or 1) >= 1.5 end)
  end,
}
