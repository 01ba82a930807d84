-- B3, B4: How long do the all-reduces of data and tensor parallelism take?
title "All-reduces on paper"

local gradients = kernel.ring_rule { bytes = 2 * billion(70), ranks = 128, bw_bytes_s = GB_s(50) }
facts("Gradients of 70B over 128 ranks at 50 GB/s", {
  { "dp_wire_bytes", gradients.wire_bytes, "B", "Sent by a rank" },
  { "dp_time_s", gradients.time_s, "s", "Ring" },
})
expect("B3", gradients.time_s, { equals = 5.56, rel = 9e-4 })

-- Activations of 4 sequences of 4096 tokens, width 8192; two all-reduces in each of 80 layers.
local message = 2 * 4 * 4096 * 8192
local tensor = kernel.ring_rule { bytes = message, ranks = 8, bw_bytes_s = GB_s(450), count = 160 }
facts("160 all-reduces of tensor parallelism over 8 ranks", {
  { "message_bytes", message, "B", "One message, 2 B S H" },
  { "two_way_s", tensor.two_way_s, "s", "Divided by 900 GB/s" },
  { "tp_time_s", tensor.time_s, "s", "Ring at 450 GB/s per direction" },
})
expect("B4 volume", message, { equals = MB(268.4), rel = 2e-4 })
expect("B4 by the two-way number", tensor.two_way_s, { equals = ms(47.7), rel = 1e-3 })
expect("B4 ring, per direction", tensor.time_s, { equals = ms(167), rel = 2e-3 })
note(string.format("The message is %.1f MB in decimal megabytes.", message / MB(1)))
note("900 GB/s is NVLink in both directions together, and a ring all-reduce sends 2 (n-1)/n of the "
  .. "buffer: 167 ms, not 47.7 ms. Bandwidth here is per direction, always.")

-- The same on measured links: latency and how bandwidth ramps up count too.
local h100 = cluster { device = "H100-SXM-80GB", nodes = 1, node_size = 8 }
local real = kernel.collective {
  network = h100.network, op = "all_reduce", bytes = message, ranks = 8,
}
facts("On the links of an H100 node", {
  { "one_s", real.time_s, "s", "One all-reduce" },
  { "all_s", 160 * real.time_s, "s", "160 of them" },
  { "busbw_bytes_s", real.busbw_bytes_s, "B/s", "Bus bandwidth reached" },
})
expect("measured links are slower than the ring at full bandwidth", 160 * real.time_s, { least = tensor.time_s })
slip("B4: the bandwidth of NVLink", GB_s(900), GB_s(450), "B/s",
  "The all-reduces of the H100 run at 900 GB/s over NVLink.")
