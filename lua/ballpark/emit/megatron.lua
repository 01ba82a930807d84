-- Megatron-LM: a shell script that runs pretrain_gpt.py by torchrun on every node.
local rows = require("ballpark.emit.megatron_rows")
local shape = require("ballpark.emit.megatron_shape")
local write = require("ballpark.emit.write")

local megatron = { title = "Megatron-LM", rows = rows.make(), shape = shape.of }

--- One setting as words of a command line.
local function words(pair)
  local name, value = pair[1], pair[2]
  if value == true then return "--" .. name end
  if type(value) ~= "table" then return "--" .. name .. " " .. write.shell(value) end
  local list = {}
  for i, item in ipairs(value) do list[i] = write.shell(item) end
  return "--" .. name .. " " .. table.concat(list, " ")
end

--- The settings as the array ARGS of a shell script; the same setting twice is written once.
function megatron.array(settings)
  local out, seen = { "ARGS=(" }, {}
  for _, pair in ipairs(settings) do
    local line = "    " .. words(pair)
    if not seen[line] then out[#out + 1] = line end
    seen[line] = true
  end
  out[#out + 1] = ")"
  return table.concat(out, "\n") .. "\n"
end

--- Collectives that overlap with matmuls need one hardware queue; FSDP needs several.
function megatron.environment(c)
  local one = (c.plan.tp > 1 or c.plan.cp > 1) and c.plan.zero < 2
  return one and "export CUDA_DEVICE_MAX_CONNECTIONS=1\n" or ""
end

function megatron.write(settings, header, c)
  return table.concat({
    "#!/bin/bash\n", write.comments(header, "#"),
    "# Run on every node with NODE_RANK and MASTER_ADDR set; data and tokenizer flags are passed on.\n",
    "set -euo pipefail\n", megatron.environment(c), megatron.array(settings),
    ("exec torchrun --nnodes %d --nproc-per-node %d --node-rank \"${NODE_RANK:-0}\" \\\n")
      :format(c.nodes, c.devices_per_node),
    "    --master-addr \"${MASTER_ADDR:-localhost}\" --master-port \"${MASTER_PORT:-6000}\" \\\n",
    "    \"${PRETRAIN:-pretrain_gpt.py}\" \"${ARGS[@]}\" \"$@\"\n",
  })
end

return megatron
