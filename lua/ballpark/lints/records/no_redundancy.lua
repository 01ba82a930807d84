-- One replica is an outage waiting for its day.
return {
  code = "no_redundancy",
  severity = "warning",
  why = "one replica is an outage waiting for its day",
  fix = "add spares = 1",
  find = function(log)
    local list = log:where_any({ "replicas", "batch_queue" }, function(call) return call.output.replicas == 1 end)
    for _, name in ipairs({ "encode", "recommend" }) do
      local found = log:where(name, function(call) return call.output.fleet and call.output.fleet.replicas == 1 end)
      table.move(found, 1, #found, #list + 1, list)
    end
    return list
  end,
}
