-- Nothing published is near: the order of size rests on the model alone.
return {
  code = "no_comparable",
  severity = "note",
  why = "nothing published is near: the order of size rests on the model alone",
  fix = "look for a run like it, or measure a part",
  find = function(log)
    if log.facts.comparable ~= "" then return {} end
    return { { where = "comparable", message = "no published system is near in kind, size and device" } }
  end,
}
