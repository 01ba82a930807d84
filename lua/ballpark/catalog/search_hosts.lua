-- What nearest-neighbour search runs on: servers by thread, and any accelerator of the catalog as one
-- thread that works on whole batches. Coefficients by kind are fitted (tools/fit/vector_search.lua).
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local fit = require("ballpark.catalog.fitted.vector_search")
local tables = require("ballpark.tables")

local search_hosts = {}

local GB <const>, GiB <const> = 1e9, 1 << 30

local entries = {
  ["server-2024"] = {
    -- 64 cores of 2.4 GHz with two 256-bit fused multiply-adds a cycle; 8 channels of DDR5-4800.
    kind = "cpu", threads = 64, peak_flop_s = 2.4e9 * 32, thread_bytes_s = 12 * GB, mem_bw_bytes_s = 300 * GB,
    memory_bytes = 512 * GiB, source = "a server of one socket as sold in 2024 (assumption)",
  },
  ["server-2016"] = {
    -- The machine of Faiss's CPU figures: Xeon E5-2680 v2, 2.8 GHz, one 256-bit add and multiply a cycle.
    kind = "cpu", threads = 20, peak_flop_s = 2.8e9 * 16, thread_bytes_s = 13 * GB, mem_bw_bytes_s = 100 * GB,
    memory_bytes = 256 * GiB, source = "facebookresearch/faiss@02dbb4e42f, benchs/README.md; data sheet (recalled)",
  },
  ["titan-x-maxwell"] = {
    -- 3072 cores at 1.0 GHz, fused multiply-add; 336 GB/s, 12 GB.
    kind = "gpu", threads = 1, peak_flop_s = 6.1e12, thread_bytes_s = 336 * GB, mem_bw_bytes_s = 336 * GB,
    memory_bytes = 12 * GiB, source = "NVIDIA GeForce GTX Titan X (2015), data sheet (recalled)",
  },
}

local aliases = { ["titan x"] = "titan-x-maxwell", cpu = "server-2024" }

--- Names of the entries besides accelerators, sorted.
function search_hosts.names() return { "server-2016", "server-2024", "titan-x-maxwell" } end

local function accelerator(label)
  local name = devices.resolve(label)
  if not name then return nil end
  local device = devices.get(name)
  if not (device.fp32_flop_s and device.fp32_flop_s > 0) then
    errors.input("host", ("%s has no fp32 peak in the catalog"):format(name))
  end
  return { name = name, kind = "gpu", threads = 1, peak_flop_s = device.fp32_flop_s, source = device.source,
    thread_bytes_s = device.mem_bw_bytes_s, mem_bw_bytes_s = device.mem_bw_bytes_s,
    memory_bytes = device.memory_bytes }
end

--- A host (fields of bp_search_host) by its name, or by that of an accelerator; its kind, cpu or gpu.
function search_hosts.get(name)
  local label = tostring(name):lower()
  local known = aliases[label] or label
  local host, kind
  if entries[known] then
    host = { name = known }
    for key, value in pairs(entries[known]) do host[key] = value end
  else
    host = accelerator(name)
  end
  if not host then errors.choice("host", tostring(name), search_hosts.names()) end
  kind, host.kind = host.kind, nil
  for key, value in pairs(fit[kind]) do host[key] = value end
  return host, kind
end

--- The recall law (fields of bp_recall_law), and how far times lie from predictions, { low, high }.
function search_hosts.law()
  return tables.with({ source = "fitted, see lua/ballpark/catalog/fitted/vector_search.lua" }, fit.recall), fit.spread
end

return search_hosts
