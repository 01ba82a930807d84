-- A fleet sized for the mean breaks at every peak.
return {
  code = "mean_for_peak",
  severity = "warning",
  why = "a fleet sized for the mean breaks at every peak",
  fix = "state peak_ratio above 1, or say that the rate is the peak",
  find = function(log)
    local sized = log:has("replicas", "batch_queue", "encode", "recommend", "serve_search")
    if not sized then return {} end
    local list = log:where("load", function(call) return (call.input.peak_ratio or 1) <= 1 end)
    table.move(log:where("ask", function(call) return (call.output.values.peak_ratio or 2) <= 1 end), 1, 1, #list + 1, list)
    return list
  end,
}
