-- A run of weeks on many devices is interrupted, saved and restarted.
return {
  code = "no_failures",
  severity = "note",
  why = "a run of weeks on many devices is interrupted, saved and restarted",
  fix = "divide by the share of progress: kernel goodput",
  find = function(log)
    if log:has("goodput", "search", "estimate", "budget") then return {} end
    return log:where_any({ "training_rule", "run" }, function(call)
      local time_s = call.output.wall_s or call.output.time_s
      return time_s > 14 * 86400 and (call.input.devices or 1) >= 64 and (call.input.goodput_frac or 1) == 1
    end)
  end,
}
