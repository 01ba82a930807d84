-- At 100 % of its capacity a queue grows without end.
return {
  code = "no_headroom",
  severity = "warning",
  why = "at 100 % of its capacity a queue grows without end",
  fix = "plan with utilization_frac of 0.6 to 0.8",
  find = function(log)
    local function full(share) return share ~= nil and share >= 0.95 end
    local list = log:where("replicas", function(call) return full(call.input.utilization_frac) end)
    for _, name in ipairs({ "serve_search", "encode", "recommend", "vector_search" }) do
      local found = log:where(name, function(call)
        return full(call.input.utilization_frac) or type(call.input.load) == "table" and full(call.input.load.utilization_frac)
      end)
      table.move(found, 1, #found, #list + 1, list)
    end
    return list
  end,
}
