-- Families of published training runs that no fit takes and no rule was written from: what estimates of others are
-- worth shows on them. Their rows are scored as sums, at the end of a change.
return { "gpurec", "internevo", "llmc", "maxtext", "narayanan", "vtrain_multi" }
