-- What a team's rule costs inside the search: a predicate on two fields of every feasible plan.
--   rule_call_ns     time that the rule adds, per plan it judges
--   rule_lua_ns      baseline: the same predicate on a plain Lua table, outside of any sandbox
--   search_rule_plans_per_s  plans estimated and judged by that rule, per second
--   search_peak_mb   peak resident memory of this program after a search of 3.5e9 plans, top 10
package.path = (arg[0]:match("^(.*)/[^/]*$") or ".") .. "/?.lua;" .. package.path

local core = require("ballpark.core")
local timing = require("timing")

local function request(rules)
  return {
    model = { layers = 96, hidden = 12288, heads = 96, ffn_hidden = 49152, gated_mlp = false, vocab = 51200 },
    device = { memory_bytes = 1e15, mem_bw_bytes_s = 2.039e12, bf16_flop_s = 312e12 },
    network = { devices = 64, scaleup = { bw_bytes_s = 300e9 }, scaleout = { bw_bytes_s = 25e9 } },
    job = { global_batch = 256, seq_len = 2048 },
    rules = rules,
  }
end

local function across_nodes(c) return c.tp > c.node_size end

local plain = request()
local ruled = request({ { name = "no TP across nodes", reject = across_nodes } })
local judged = core.search(plain).feasible
assert(core.search(ruled).feasible < judged, "the rule rejects nothing")

local without = timing.ns(1, function() return core.search(plain) end)
local with = timing.ns(1, function() return core.search(ruled) end)
local view = { tp = 8, node_size = 8 }
timing.print("search_rule_plans_per_s", judged / (with * 1e-9), "plans/s")
timing.print("rule_call_ns", (with - without) / judged, "ns")
timing.print("rule_lua_ns", timing.ns(1000000, function() return across_nodes(view) end), "ns")

-- The kernel's own count of this process; Linux has it.
local function peak_mb()
  local status = io.open("/proc/self/status")
  if not status then return 0 end
  local text = status:read("a")
  status:close()
  return (tonumber(text:match("VmHWM:%s*(%d+) kB")) or 0) * 1024 / 1e6
end

local vast = request()
vast.device.memory_bytes = 80e9
vast.network.devices = 256
vast.space = { sequence_parallel = "free", overlap_dp = "free", overlap_tp = "free", schedule = "free",
  grad_bytes = "free", optimizer = "free", offload = "free", flash = "free" }
assert(core.search(vast).space_size >= 1e9)
timing.print("search_peak_mb", peak_mb(), "MB")
