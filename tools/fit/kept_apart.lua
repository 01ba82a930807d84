-- Families of published training runs that no fit takes: what estimates of others are worth shows on them. Their rows
-- are scored as sums, at the end of a change. No rule was written from them but one: what tensor parallelism takes
-- nanotron's host (host_tp) is read from rows of ultra.
return { "gpurec", "internevo", "llmc", "maxtext", "narayanan", "ultra", "vtrain_multi" }
