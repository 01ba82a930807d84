-- A row of measured training with nothing blank, and what the resolver makes of it.
local columns = require("ballpark.measured.training_columns")
local training_case = require("ballpark.validate.training_case")

local measured_row = {}

local GiB <const> = 1 << 30

local full = {
  case_id = "a-1", year = "2024", model = "test", layers = "8", hidden = "1024", heads = "16", kv_heads = "16",
  ffn_hidden = "4096", vocab = "51200", seq_len = "2048", gpu = "H100-SXM-80GB", gpus = "16",
  gpus_per_node = "8", precision = "bf16", flash = "1", tp = "2", pp = "2", vpp = "1", dp = "4", cp = "1",
  zero = "1", sequence_parallel = "1", recompute = "none", micro_batch = "1", global_batch_seqs = "32",
  framework = "megatron-core",
}

-- Memory as a function of the plan, all and of its weights; small unless said otherwise.
local function estimate_with(bytes, weights)
  return function(input)
    return { memory = { total_bytes = bytes and bytes(input.plan) or GiB, weights_bytes = weights or 0,
      capacity_bytes = input.device.memory_bytes }, time = { step_s = 1 / input.plan.micro_batch } }
  end
end

--- The cells of the row with those that `changes` names.
function measured_row.cells(changes)
  local cells = {}
  for key, value in pairs(full) do cells[key] = value end
  for key, value in pairs(changes or {}) do cells[key] = value end
  return cells
end

--- The case of the row with the cells that `changes` names; `bytes`: memory as a function of the plan.
function measured_row.resolve(changes, bytes, weights)
  return training_case.of(columns.row(measured_row.cells(changes)), { estimate = estimate_with(bytes, weights) })
end

--- What was assumed for a case, in one line.
function measured_row.said(case) return table.concat(case.assumed, " | ") end

return measured_row
