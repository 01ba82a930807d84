-- B10: 30B in 30 days for 2M USD: how many GPUs, and how efficient do they have to be?
title "Budget, deadline, efficiency: give two"

local h100_peak = TFLOP_s(989)
local function budget(tokens, known)
  known.flop = 6 * billion(30) * tokens
  known.peak_flop_s, known.price_usd_h, known.multiple = h100_peak, 4, 64
  return kernel.budget(known)
end

local short = budget(billion(600), { budget_usd = million(2), deadline_s = days(30) })
local long = budget(trillion(2), { budget_usd = million(2), deadline_s = days(30) })
local small = budget(trillion(2), { devices = 512, deadline_s = days(30) })
rows {
  name = "asked", title = "30 days, 2M USD, 4 USD/h",
  columns = { { name = "tokens", unit = "tok" }, { name = "devices_exact", title = "devices paid for" },
    { name = "devices" }, { name = "mfu_frac", unit = "frac", title = "MFU required" },
    { name = "cost_usd", unit = "USD", title = "cost" } },
  { billion(600), short.devices_exact, short.devices, short.mfu_frac, short.cost_usd },
  { trillion(2), long.devices_exact, long.devices, long.mfu_frac, long.cost_usd },
  { trillion(2), small.devices_exact, small.devices, small.mfu_frac, small.cost_usd },
}
expect("B10 devices paid for", math.floor(short.devices_exact), { equals = 694 })
expect("B10 devices", short.devices, { equals = 640 })
expect("B10 600B tokens", short.mfu_frac, { equals = 0.0658, rel = 8e-4 })
expect("B10 2T tokens", long.mfu_frac, { equals = 0.219, rel = 3e-3 })
expect("B10 2T tokens on 512", small.mfu_frac, { equals = 0.274, rel = 2e-3 })

local fast = budget(trillion(2), { deadline_s = days(30), mfu_frac = 0.40 })
local cheap = budget(trillion(2), { budget_usd = million(1), devices = 256, mfu_frac = 0.40 })
facts("The other directions, 2T tokens at 40 % MFU", {
  { "deadline_devices", fast.devices, "", "Devices for 30 days" },
  { "deadline_cost_usd", fast.cost_usd, "USD", "What they cost" },
  { "budget_deadline_s", cheap.deadline_s, "s", "Time on 256 devices" },
  { "budget_cost_usd", cheap.cost_usd, "USD", "What that costs" },
  { "budget_feasible", cheap.feasible, "", "Within 1M USD" },
})
expect("B10 the third from deadline and efficiency", fast.devices, { equals = 384 })
expect("B10 a budget that does not suffice says so", cheap.feasible, { equals = false })
assume "Devices come in multiples of 64; efficiency includes whatever is lost to failures."
assume "4 USD per device-hour, as the question states; list prices of 2025 are around it."
