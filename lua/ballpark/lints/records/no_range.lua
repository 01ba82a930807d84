-- A point estimate hides how wrong it may be.
return {
  code = "no_range",
  severity = "note",
  why = "a point estimate hides how wrong it may be",
  fix = "ask a question, whose answer has a range, or check the number by expect",
  find = function(log)
    if log.expectations > 0 or log:has_question() then return {} end
    return log:where_any({ "training_rule", "request_rule", "replicas" }, function() return true end)
  end,
}
