-- How the main searches of a command are carried out: on how many threads, as which shard of several,
-- with a checkpoint, by several processes, or from parts that were searched before. What they answer
-- depends on none of these. The command line sets `drive.settings`; scenarios do not see it.
local checkpoint = require("ballpark.search.checkpoint")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local runs = require("ballpark.search.run")

local drive = {}

--- threads: number; shard: {i, n}; checkpoint: path; parts: list of parts to take instead of searching.
drive.settings = {}

--- What the searches left for others: `part` of a shard, `interrupted` when Ctrl-C ended them.
drive.outcome = {}

-- Searches so far, those of them that were asked by themselves, and the checkpoint they share.
local count, questions, book = 0, 0, nil
local WHOLE <const> = { i = 1, n = 1 }

-- Goes on until the end or a Ctrl-C: the open search, and how far it came if that was not the end.
local function alone(run)
  local ok, e = pcall(run.all, run)
  if ok then return run.s end
  if not runs.is_interrupt(e) then error(e, 0) end
  run:save()
  return run.s, { looked_at = run:looked_at(), size = run.turns.size }
end

local function opened(asked, sharers)
  local settings = drive.settings
  if settings.checkpoint then book = book or checkpoint.open(settings.checkpoint, settings.shard or WHOLE) end
  return runs.open(asked, { k = count, shard = settings.shard, book = book, sharers = sharers })
end

-- The open search after all that is to be done, and how far an interrupt let it come.
local function carried_out(asked)
  if core.ranks and core.ranks.size > 1 then
    return require("ballpark.search.ranks").run(asked, function(sharers) return opened(asked, sharers) end)
  end
  return alone(opened(asked, 1))
end

local function keep_part(asked, s)
  local shard = drive.settings.shard
  if not shard then return end
  local part = drive.outcome.part or { kind = "search part", shard = shard.i, shards = shard.n, searches = {} }
  part.searches[count] = { request = runs.fingerprint(asked), state = s:state() }
  drive.outcome.part = part
end

-- What an interrupt has left to do is not done; scenarios get the answer of a search that saw nothing.
local function searched(asked)
  local s, interrupted
  if drive.outcome.interrupted then
    s = core.search_open(asked)
    interrupted = { looked_at = 0, size = s:size() }
  else
    s, interrupted = carried_out(asked)
  end
  keep_part(asked, s)
  local answer = s:answer()
  answer.interrupted = interrupted
  drive.outcome.interrupted = drive.outcome.interrupted or interrupted ~= nil
  return answer
end

local function joined(asked, parts)
  local s, request = core.search_open(asked), runs.fingerprint(asked)
  for _, part in ipairs(parts) do
    local search = part.searches[count]
    if not search or search.request ~= request then
      errors.usage(part.path .. ": is a part of another search, or of another version of scenario, rules or catalog")
    end
    local ok, e = pcall(s.add, s, search.state)
    if not ok then errors.io(part.path .. ": " .. tostring(e)) end
  end
  return s:answer()
end

--- The answer of core.search; `asked` is its request. point: which of the systems and jobs of one
--- question this is, from 1.
function drive.run(asked, point)
  local settings = drive.settings
  asked.threads = settings.threads or asked.threads
  count = count + 1
  if (point or 1) == 1 then questions = questions + 1 end
  if questions > 1 and settings.shard then
    errors.usage("a scenario with several searches cannot be run with --shard: the later ones may depend on what "
      .. "the first finds as a whole")
  end
  if settings.parts then return joined(asked, settings.parts) end
  return searched(asked)
end

--- To be called when all that was asked has been printed: nothing is left to go on with.
function drive.finish()
  if book and not drive.outcome.interrupted then book:remove() end
end

return drive
