-- The shell script that all serving targets are.
local megatron = require("ballpark.emit.megatron")
local write = require("ballpark.emit.write")

local script = {}

--- Header, settings as the array ARGS, and the command that takes them.
function script.write(settings, header, command)
  return table.concat({ "#!/bin/bash\n", write.comments(header, "#"),
    "# MODEL is the checkpoint to serve; further flags are passed on.\n", "set -euo pipefail\n",
    megatron.array(settings), command })
end

return script
