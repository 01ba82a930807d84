-- Megatron-LM: a shell script that runs pretrain_gpt.py by torchrun on every node.
local rows = require("ballpark.emit.megatron_rows")
local script = require("ballpark.emit.script")
local shape = require("ballpark.emit.megatron_shape")
local write = require("ballpark.emit.write")

local megatron = { title = "Megatron-LM", classes = { "megatron" }, rows = rows.make(), shape = shape.of, model = shape.read, job = shape.read_job, plain = rows.plain, own = rows.own,
  versions = { { name = "d98e8a6", date = "2026-08-22" } } }

--- Collectives that overlap with matmuls need one hardware queue; FSDP needs several.
function megatron.environment(c)
  local one = (c.plan.tp > 1 or c.plan.cp > 1) and c.plan.zero < 2
  return one and "export CUDA_DEVICE_MAX_CONNECTIONS=1\n" or ""
end

function megatron.write(settings, header, c)
  return table.concat({
    "#!/bin/bash\n", write.comments(header, "#"),
    "# Run on every node with NODE_RANK and MASTER_ADDR set; data and tokenizer flags are passed on.\n",
    "set -euo pipefail\n", megatron.environment(c), script.array(settings),
    script.torchrun(c),
    "    \"${PRETRAIN:-pretrain_gpt.py}\" \"${ARGS[@]}\" \"$@\"\n",
  })
end

return megatron
