-- No run reaches the peak: published ones stay below 55 %.
return {
  code = "mfu_of_peak",
  severity = "warning",
  why = "no run reaches the peak: published ones stay below 55 %",
  fix = "use 0.3 to 0.5, or let a search say what plans reach",
  find = function(log)
    return log:where_any({ "training_rule", "request_rule", "budget" }, function(call)
      return (call.input.mfu_frac or 0) >= 0.95 and (call.input.devices or 1) > 1
    end)
  end,
}
