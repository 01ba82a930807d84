-- A request goes through more than the model.
return {
  code = "inference_alone",
  severity = "warning",
  why = "a request goes through more than the model",
  fix = "add network, features, queueing and what follows as parts",
  find = function(log)
    local list = log:where("latency", function(call) return #call.input.parts == 1 end)
    local budgets = log:where("latency_budget", function(call)
      local parts = 0
      for name, value in pairs(call.input) do parts = parts + (name ~= "sla_s" and value ~= 0 and 1 or 0) end
      return parts <= 1
    end)
    return table.move(budgets, 1, #budgets, #list + 1, list)
  end,
}
