-- Data sheets often quote both directions of a link together: a ring uses one.
return {
  code = "two_way_bandwidth",
  severity = "note",
  why = "data sheets often quote both directions of a link together: a ring uses one",
  fix = "use half of it",
  find = function(log)
    return log:where("ring_rule", function(call) return log:is_twice(call.input.bw_bytes_s, "link_bytes_s") end)
  end,
}
