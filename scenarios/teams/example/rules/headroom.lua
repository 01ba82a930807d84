-- We keep 5 % of memory free: a run that dies of a spike at night costs more than it gains.
return {
  name = "memory headroom",
  why = "plans must leave 5 % of the memory free",
  reject = function(c) return c.total_bytes > 0.95 * c.capacity_bytes end,
}
