-- Hardly anybody serves in 32 bit: it is twice the memory and a fraction of the speed.
return {
  code = "fp32_by_default",
  severity = "note",
  why = "hardly anybody serves in 32 bit: it is twice the memory and a fraction of the speed",
  fix = "say bytes_per_param = 2, or that it is 32 bit on purpose",
  find = function(log)
    local list = log:where("weights", function(call) return call.input.bytes_per_param == 4 end)
    for _, name in ipairs({ "encode", "recommend" }) do
      local found = log:where(name, function(call) return call.input.dtype == "fp32" end)
      table.move(found, 1, #found, #list + 1, list)
    end
    return list
  end,
}
