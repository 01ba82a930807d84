-- Options of a search that say how it is carried out, not what is asked: threads, shards, checkpoints.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local execution = require("ballpark.search.execution")
local files = require("ballpark.files")
local options = require("ballpark.cli.options")
local sealed = require("ballpark.sealed")

local effort = {}

--- --threads, --shard, --checkpoint and --exhaustive on a command.
function effort.define(command)
  command:option("--threads", "Threads to search on. The answer is the same for any number."):argname("N")
  command:option("--shard", "Search one of N parts only, for 'ballpark merge'; needs -o FILE.json."):argname("I/N")
  command:option("--checkpoint", "Save what is found to FILE now and then, and go on from it."):argname("FILE")
  command:flag("--exhaustive", "Look at every plan of a space of more than 20 million, without bounds.")
end

local function threads_of(chosen)
  if not chosen.threads then return nil end
  local threads = math.tointeger(tonumber(chosen.threads))
  if not threads or threads < 1 or threads > 256 then
    errors.usage("--threads: must be a whole number from 1 to 256, got '" .. chosen.threads .. "'")
  end
  return threads
end

local function shard_of(chosen)
  if not chosen.shard then return nil end
  local i, n = chosen.shard:match("^(%d+)/(%d+)$")
  i, n = math.tointeger(i), math.tointeger(n)
  if not i or not n or i < 1 or i > n then
    errors.usage("--shard: must be I/N with I from 1 to N, as in 3/8, got '" .. chosen.shard .. "'")
  end
  if not chosen.output or chosen.output == "-" then errors.usage("--shard needs -o FILE.json for its part of the search") end
  if chosen.format or chosen.emit or chosen.why or chosen.sensitivity then
    errors.usage("--shard writes a part of a search: give --format, --emit, --why and --sensitivity when all are there")
  end
  return { i = i, n = n }
end

--- The execution of the main searches of this command, as `chosen` says; chosen.parts are those of a merge.
function effort.prepare(chosen)
  if chosen.checkpoint == "" then errors.usage("--checkpoint: names no file") end
  chosen.execution = execution.new({ threads = threads_of(chosen), shard = shard_of(chosen),
    checkpoint = chosen.checkpoint, parts = chosen.parts })
  return chosen.execution
end

--- Writes the part of a shard, with the words that made it. True when that is all there is to print.
function effort.wrote_part(chosen)
  if not chosen.shard then return false end
  local part = chosen.execution.part
  if not part then errors.usage("--shard needs a scenario that searches") end
  if chosen.execution.interrupted then return true end
  part.arguments = chosen.arguments
  files.write(chosen.output, sealed.text(part))
  return true
end

--- Whether another process of mpirun prints what this one has found, too.
function effort.is_helper() return core.ranks ~= nil and core.ranks.rank > 0 end

--- Whether Ctrl-C has ended a search of this command.
function effort.was_interrupted(chosen)
  return chosen ~= nil and chosen.execution ~= nil and chosen.execution.interrupted ~= nil
end

--- The exit code, and a word on what Ctrl-C left undone. An answer whose checkpoint could not be written to the end is
--- whole, but not all that was asked for.
function effort.code(chosen, code)
  chosen.execution:finish()
  if not chosen.execution.interrupted then
    local failure = chosen.execution:unsaved()
    if not failure or code ~= 0 then return code end
    options.say("the answer is whole; its checkpoint was not written: " .. failure)
    return errors.codes.io
  end
  options.say("interrupted: this is what was found up to then" .. (chosen.execution:is_saved()
    and "; the same command goes on from " .. chosen.checkpoint or ""))
  return errors.codes.interrupted
end

return effort
