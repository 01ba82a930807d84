-- Prices move by a third a year: one without a date cannot be checked.
return {
  code = "price_without_date",
  severity = "note",
  why = "prices move by a third a year: one without a date cannot be checked",
  fix = "say in assume where and when it was read, or leave it to the catalog",
  find = function(log)
    if log.text:find("USD") and log.text:find("%f[%d]20%d%d%f[%D]") then return {} end
    return log:where_any({ "budget", "run", "replicas", "batch_queue" }, function(call)
      return type(call.input.price_usd_h) == "number" and call.input.price_usd_h > 0 and not log:is_catalog_price(call.input.price_usd_h)
    end)
  end,
}
