-- ballpark new: a commented file to start from.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local options = require("ballpark.cli.options")
local templates = require("ballpark.cli.templates")

local new = {
  summary = "Write a commented scenario or rule to start from",
  examples = {
    "ballpark new my-run.lua",
    "ballpark new my-search.lua --kind search",
    "ballpark new my-service.lua --kind serving",
    "ballpark new no-tp-across-nodes.lua --kind rule",
  },
}

local KINDS = { "training", "search", "serving", "sweep", "rule" }

function new.define(command)
  command:argument("file", "The file to write, which must not exist; '-' is standard output.")
  command:option("--kind", table.concat(KINDS, ", ") .. "."):argname("KIND"):default("training")
end

function new.run(chosen)
  local text = templates[chosen.kind]
  if not text then errors.choice("--kind", chosen.kind, KINDS) end
  if chosen.file == "-" then
    files.print(text)
    return 0
  end
  if files.exists(chosen.file) then
    errors.io("cannot write " .. chosen.file .. ": it is there already")
  end
  files.write(chosen.file, text)
  options.say(chosen.kind == "rule"
    and ("wrote " .. chosen.file .. "; use it with: ballpark search ... --rules " .. chosen.file)
    or ("wrote " .. chosen.file .. "; run it with: ballpark run " .. chosen.file))
  return 0
end

return new
