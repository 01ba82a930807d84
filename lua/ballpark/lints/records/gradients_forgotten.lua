-- Gradients take 2 or 4 bytes a parameter.
return {
  code = "gradients_forgotten",
  severity = "note",
  why = "gradients take 2 or 4 bytes a parameter",
  fix = "use the convention 2+2+12, or say why there are none",
  find = function(log)
    return log:where("states", function(call) return (call.input.convention or ""):find("+0+", 1, true) ~= nil end)
  end,
}
