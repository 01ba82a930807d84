-- An answer ten times off every comparable is wrong until the reason is found.
return {
  code = "off_comparable",
  severity = "warning",
  why = "an answer ten times off every comparable is wrong until the reason is found",
  fix = "find the reason: MAC or FLOP, sparse peak, wrong units",
  find = function(log)
    local list = {}
    for _, name in ipairs({ "comparable_ratio", "published_ratio" }) do
      local value = log.facts[name]
      if type(value) == "number" and value > 0 and math.max(value, 1 / value) > 10 then
        list[#list + 1] = { where = name, message = ("%.3g times the nearest published system"):format(value) }
      end
    end
    return list
  end,
}
