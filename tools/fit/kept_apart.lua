-- Families of published training runs that no fit takes: what estimates of others are worth shows on them. Their rows
-- are scored as sums, at the end of a change. No rule was written from them but four: what tensor parallelism takes nanotron's
-- host (host_tp), what EFA takes for a message that a matmul waits for (waited_s of ballpark.catalog.fabrics), and that
-- tensor parallelism may take twice its time between domains (ballpark.range.extrapolated), all read from rows of ultra;
-- and what InternEvo's optimizer copies in an update, from its own. Steps of rings between nodes follow NCCL's code,
-- with rows of ultra in sight.
return { "gpurec", "internevo", "llmc", "maxtext", "narayanan", "ultra", "vtrain_multi" }
