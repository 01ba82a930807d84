-- What the targets that are shell scripts have in common.
local write = require("ballpark.emit.write")

local script = {}

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
function script.array(settings)
  local out, seen = { "ARGS=(" }, {}
  for _, pair in ipairs(settings) do
    local line = "    " .. words(pair)
    if not seen[line] then out[#out + 1] = line end
    seen[line] = true
  end
  out[#out + 1] = ")"
  return table.concat(out, "\n") .. "\n"
end

--- The start of the command that runs one process per device on every node; the program follows.
---@param c table launch case
function script.torchrun(c)
  return ("exec torchrun --nnodes %d --nproc-per-node %d --node-rank \"${NODE_RANK:-0}\" \\\n")
    :format(c.nodes, c.devices_per_node)
    .. "    --master-addr \"${MASTER_ADDR:-localhost}\" --master-port \"${MASTER_PORT:-6000}\" \\\n"
end

return script
