-- A1, A2: How much memory do the weights of a 7B model take, and what does serving it take?
title "Weights and serving footprint of a 7B model"

local size = kernel.weights {
  params = billion(7),
  bytes_per_param = 2, -- fp16
  overhead_factor = 1.2, -- activations, KV cache of a few requests, context
  device_bytes = GB(40),
}
assume "20 % on top of the weights for whatever runs beside them; a KV cache of many requests is apart."

facts("Memory", {
  { "weights_bytes", size.weights_bytes, "B", "Weights in fp16" },
  { "footprint_bytes", size.footprint_bytes, "B", "Serving footprint" },
  { "devices", size.devices, "", "Devices of 40 GB that hold it" },
})

expect("A1", size.weights_bytes, { equals = GB(14) })
expect("A2", size.footprint_bytes, { equals = GB(16.8) })
note(string.format("In decimal gigabytes: weights %.1f GB, footprint %.1f GB (tables are in GiB, 2^30 bytes). "
  .. "Rounding the second to 17 before going on would carry 1 %% of error along.", size.weights_bytes / GB(1),
  size.footprint_bytes / GB(1)))
