-- Slurm: the batch script around Megatron-LM's settings, one torchrun per node.
local megatron = require("ballpark.emit.megatron")
local script = require("ballpark.emit.script")
local write = require("ballpark.emit.write")

local slurm = { title = "Slurm with Megatron-LM", classes = { "megatron" }, software = "Megatron-LM", rows = megatron.rows, shape = megatron.shape, model = megatron.model, job = megatron.job, plain = megatron.plain, own = megatron.own,
  versions = megatron.versions }

local function job_name(c)
  return ((c.model.name or "training"):gsub("[^%w_%.-]", "-"))
end

function slurm.write(settings, header, c)
  return table.concat({
    "#!/bin/bash\n",
    "#SBATCH --job-name=", job_name(c), "\n",
    "#SBATCH --nodes=", tostring(c.nodes), "\n",
    "#SBATCH --ntasks-per-node=1\n",
    "#SBATCH --gpus-per-node=", tostring(c.devices_per_node), "\n",
    "#SBATCH --exclusive\n",
    write.comments(header, "#"),
    "# Submit with: sbatch FILE [data and tokenizer flags]\n",
    "set -euo pipefail\n", megatron.environment(c), script.array(settings),
    "MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n",
    "srun torchrun --nnodes \"$SLURM_NNODES\" --nproc-per-node ", tostring(c.devices_per_node), " \\\n",
    "    --rdzv-backend c10d --rdzv-id \"$SLURM_JOB_ID\" --rdzv-endpoint \"$MASTER_ADDR:${MASTER_PORT:-6000}\" \\\n",
    "    \"${PRETRAIN:-pretrain_gpt.py}\" \"${ARGS[@]}\" \"$@\"\n",
  })
end

return slurm
