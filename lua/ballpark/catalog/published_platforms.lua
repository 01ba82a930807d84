-- Published platforms of jobs, to set an answer beside: the share of their devices that jobs held, from the idlest to the
-- busiest part of them.
return {
  { name = "Helios, four clusters of 6,416 devices", low = 0.65, high = 0.90, date = "2021-11",
    source = "Hu et al., Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters, SC 2021, "
      .. "recalled" },
}
