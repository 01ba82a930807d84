-- What crossing from Lua into the core costs: a bound call reads its table field by field, checks
-- names, types and ranges, and makes a table of the answer.
--   binding_call_ns   core.mfu with all of its six fields given
--   lua_call_ns       baseline: the same formula in Lua over the same table, nothing checked
package.path = (arg[0]:match("^(.*)/[^/]*$") or ".") .. "/?.lua;" .. package.path

local core = require("ballpark.core")
local timing = require("timing")

local CALLS = 50000

local input = { params = 70e9, tokens_per_s = 1e6, devices = 1024, peak_flop_s = 989e12,
  flop_per_param_tok = 6, target_frac = 0.4 }

local function mfu(q)
  local per_device = q.flop_per_param_tok * q.params * q.tokens_per_s / q.devices
  local share = per_device / q.peak_flop_s
  return { mfu_frac = share, flop_s_device = per_device, of_target_frac = share / q.target_frac,
    tokens_per_s_target = q.tokens_per_s / (share / q.target_frac) }
end

local bound, plain = core.mfu(input), mfu(input)
assert(math.abs(bound.mfu_frac / plain.mfu_frac - 1) < 1e-12, "the baseline computes something else")

timing.print("binding_call_ns", timing.ns(CALLS, function() return core.mfu(input) end), "ns")
timing.print("lua_call_ns", timing.ns(CALLS, function() return mfu(input) end), "ns")
