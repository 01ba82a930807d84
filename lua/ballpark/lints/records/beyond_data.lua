-- An estimate beyond everything that was measured is an extrapolation.
return {
  code = "beyond_data",
  severity = "note",
  why = "an estimate beyond everything that was measured is an extrapolation",
  fix = "widen the range, or measure a part",
  find = function(log)
    local list, seen = {}, {}
    for _, call in ipairs(log.calls) do
      local reasons = type(call.output) == "table" and (call.output.extrapolated
        or type(call.output.best) == "table" and call.output.best.extrapolated)
      for _, reason in ipairs(type(reasons) == "table" and reasons or {}) do
        if not seen[reason] then list[#list + 1] = { where = call.name, message = reason } end
        seen[reason] = true
      end
    end
    return list
  end,
}
