-- How the searches of one command are carried out: on how many threads, as which shard of several, with a
-- checkpoint, by several ranks, or from parts that were searched before. What they answer depends on none of these.
-- The command line makes one execution and gives it to the searches that a scenario asks for.
local checkpoint = require("ballpark.search.checkpoint")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local interrupt = require("ballpark.interrupt")
local progress = require("ballpark.search.progress")
local seen = require("ballpark.report.progress")

local execution = {}

local Execution = {}
Execution.__index = Execution

local WHOLE <const> = { i = 1, n = 1 }

--- The execution of one command. settings: threads, a number; shard, {i, n}; checkpoint, a path; parts, a list of
--- parts to take instead of searching. It comes to have `part`, what a shard found, and `interrupted`, how far the
--- search came that Ctrl-C ended.
function execution.new(settings)
  return setmetatable({ settings = settings or {}, searches = 0, questions = 0 }, Execution)
end

-- Goes on until the end or a Ctrl-C: the open search, and how far it came if that was not the end.
local function alone(run)
  local shown <close> = seen.new(run.chunks.size, nil, nil, "plans")
  local ok, e = pcall(run.all, run, function() shown:reach(run:looked_at()) end)
  if ok then return run.search end
  if not interrupt.ends_here(e) then error(e, 0) end
  run:save()
  return run.search, { looked_at = run:looked_at(), size = run.chunks.size }
end

-- The checkpoint is one for all searches of the command.
local function opened(self, asked, workers)
  local settings = self.settings
  if settings.checkpoint then
    self.checkpoint = self.checkpoint or checkpoint.open(settings.checkpoint, settings.shard or WHOLE)
  end
  return progress.open(asked, { k = self.searches, shard = settings.shard, checkpoint = self.checkpoint,
    workers = workers })
end

-- The open search after all that is to be done, and how far an interrupt let it come.
local function carried_out(self, asked)
  if core.ranks and core.ranks.size > 1 then
    return require("ballpark.search.ranks").run(asked, function(workers) return opened(self, asked, workers) end)
  end
  return alone(opened(self, asked, 1))
end

local function keep_part(self, asked, search)
  local shard = self.settings.shard
  if not shard then return end
  self.part = self.part or { kind = "search part", shard = shard.i, shards = shard.n, searches = {} }
  self.part.searches[self.searches] = { request = progress.fingerprint(asked), state = search:state() }
end

-- Seconds that whoever asked has to say what was found up to a Ctrl-C (assumption: many times what a report takes).
local REPORT_S <const> = 2

-- What an interrupt has left to do is not done; scenarios get the answer of a search that saw nothing, and no time to ask
-- for ever.
local function searched(self, asked)
  local search, interrupted
  if self.interrupted then
    search = core.search_open(asked)
    interrupted = { looked_at = 0, size = search:size() }
  else
    search, interrupted = carried_out(self, asked)
    if interrupted then core.time_limit(REPORT_S) end
  end
  keep_part(self, asked, search)
  local answer = search:answer()
  answer.interrupted = interrupted
  self.interrupted = self.interrupted or interrupted
  return answer
end

local function joined(self, asked)
  local search, request = core.search_open(asked), progress.fingerprint(asked)
  for _, part in ipairs(self.settings.parts) do
    local found = part.searches[self.searches]
    if not found or found.request ~= request then
      errors.usage(part.path .. ": is a part of another search, or of another version of program, scenario, rules or catalog")
    end
    local ok, e = pcall(search.add, search, found.state, true)
    interrupt.pass_on(e)
    if not ok then errors.usage(part.path .. ": is not a part of a search: " .. tostring(e)) end
  end
  return search:answer()
end

--- The answer of core.search; `asked` is its request. point: which of the systems and jobs of one
--- question this is, from 1.
function Execution:run(asked, point)
  asked.threads = self.settings.threads or asked.threads
  self.searches = self.searches + 1
  if (point or 1) == 1 then self.questions = self.questions + 1 end
  if self.questions > 1 and self.settings.shard then
    errors.usage("a scenario with several searches cannot be run with --shard: the later ones may depend on what "
      .. "the first finds as a whole")
  end
  if self.settings.parts then return joined(self, asked) end
  return searched(self, asked)
end

--- Refuses, for a shard, what no part can be written of.
function Execution:refuse_shard(text)
  if self.settings.shard then errors.infeasible(text) end
end

--- Whether its checkpoint has what was found.
function Execution:is_saved() return self.checkpoint ~= nil and not self.checkpoint.failure end

--- Why its checkpoint could not be written the last time; nil where it was, or none was asked for.
function Execution:unsaved() return self.checkpoint and self.checkpoint.failure end

--- To be called when all that was asked has been printed: nothing is left to go on with.
function Execution:finish()
  if self.checkpoint and not self.interrupted then self.checkpoint:remove() end
end

return execution
