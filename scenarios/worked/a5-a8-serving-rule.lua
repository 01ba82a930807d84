-- A5 to A8: Requests per second of one A100 for a 7B model, and how many it takes for 50k per second.
title "Prefill capacity of a 7B model on paper"

local a100 = device "A100-80GB-SXM"
local request = kernel.request_rule {
  params = billion(7),
  tokens = 100,
  peak_flop_s = a100.bf16_flop_s,
  mfu_frac = 0.40,
  mem_bw_bytes_s = a100.mem_bw_bytes_s,
}
local fleet = kernel.replicas {
  peak_per_s = 50e3,
  capacity_per_s = request.per_s,
  utilization_frac = 0.65,
  spares = 1,
}
assume "Requests of 100 tokens, prefill alone, at 40 % of the dense peak."
assume "50,000 requests/s are the peak; replicas are planned at 65 % of their capacity, with one spare."

facts("One request", {
  { "flop", request.flop, "FLOP", "Forward FLOP, 2 N L" },
  { "time_s", request.time_s, "s", "Latency floor" },
  { "per_s", request.per_s, "1/s", "Requests per second and device" },
  { "decode_token_s", request.decode_token_s, "s", "Floor of one generated token: reading the weights" },
})
facts("Fleet", {
  { "replicas_exact", fleet.exact, "", "Replicas before rounding" },
  { "replicas_needed", fleet.needed, "", "Replicas at the target" },
  { "replicas", fleet.replicas, "", "With the spare" },
})

expect("A5", request.flop, { equals = 1.4e12 })
expect("A6", request.per_s, { equals = 89.1, rel = 6e-4 })
expect("A7", request.time_s, { equals = ms(11.2), rel = 4e-3 })
expect("A8 before rounding", fleet.exact, { equals = 862.9, rel = 6e-5 })
expect("A8", fleet.needed, { equals = 863 })
expect("A8, one of them may fail", fleet.replicas, { equals = 864 })
note("This is prefill. Generated tokens are bound by memory bandwidth: one sequence alone gets a token "
  .. "no faster than the weights can be read, which 2 N L does not see.")
note("The floor is 11.2 ms wherever it is used; 15 ms would be another utilisation (30 %).")
slip("A7: 15 ms in another place", ms(15), request.time_s, "s",
  "A prompt of 100 tokens on a 7B takes 15 ms on an A100 at 40% MFU.")
