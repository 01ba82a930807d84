-- The shell script that all serving targets are.
local shell = require("ballpark.emit.script")
local write = require("ballpark.emit.write")

local script = {}

local function head(header, usage)
  return "#!/bin/bash\n" .. write.comments(header, "#") .. write.comments(usage, "#") .. "set -euo pipefail\n"
end

--- Settings as the array ARGS, and the command that takes them.
function script.command(settings, command) return shell.array(settings) .. command end

--- The script that starts one replica.
---@param header string[]
---@param body string of script.command
function script.one(header, body)
  return head(header, { "MODEL is the checkpoint to serve; further flags are passed on." }) .. body
end

--- The script of a fleet of different replicas: its first argument says which to start.
---@param header string[]
---@param parts { role: string, body: string }[] in order
function script.many(header, parts)
  local names = {}
  for i, part in ipairs(parts) do names[i] = part.role end
  local all = table.concat(names, ", ")
  local out = { head(header, { "First argument: which to start (" .. all .. "). MODEL is the checkpoint to serve; "
    .. "further flags are passed on." }), ("role=${1:?%s}\nshift\ncase $role in\n"):format(all) }
  for _, part in ipairs(parts) do out[#out + 1] = part.role .. ")\n" .. part.body .. ";;\n" end
  out[#out + 1] = ("*)\necho \"unknown role '$role': %s\" >&2\nexit 2\n;;\nesac\n"):format(all)
  return table.concat(out)
end

return script
