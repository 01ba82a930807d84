-- How the main search of a command is carried out: on how many threads, as which shard of several,
-- with a checkpoint, by several processes, or from parts that were searched before. What it answers
-- depends on none of these. The command line sets `drive.settings`; scenarios do not see it.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local json = require("ballpark.json")

local drive = {}

--- threads: number; shard: {i, n}; checkpoint: path; parts: list of states to take instead of searching.
drive.settings = {}

--- What the last run left for others: `part` of a shard, `interrupted` when Ctrl-C ended it.
drive.outcome = {}

-- Positions go to a shard in turns, so that costly regions are shared out; a turn is small enough that
-- a checkpoint loses little and there are some for everybody.
local TURNS <const> = 64
local TURN_MOST <const> = 1 << 22

-- Seconds between two checkpoints.
local CHECKPOINT_S <const> = 1

local function turn_size(size, shards)
  local turn = (size + shards * TURNS - 1) // (shards * TURNS)
  return math.min(math.max(turn, 1), TURN_MOST)
end

-- The request as text: what a checkpoint and a shard must agree in. Threads do not matter.
local function fingerprint(asked)
  local same = {}
  for key, value in pairs(asked) do same[key] = value end
  same.threads = nil
  for _, rule in ipairs(same.rules or {}) do
    if not rule.text then
      errors.input("rules", "must be files, not functions of the scenario, in a search with --shard or --checkpoint")
    end
  end
  return json.encode(same)
end

local function is_interrupt(e) return tostring(e):find("interrupted", 1, true) ~= nil end

-- Checkpoints --------------------------------------------------------------------------------------

local function load_checkpoint(path, request, shard)
  if not path or not files.exists(path) then return nil end
  local saved = json.decode(files.read(path), path)
  if type(saved) ~= "table" or saved.kind ~= "search checkpoint" then
    errors.usage("--checkpoint: " .. path .. " is not a checkpoint of a search")
  end
  if saved.request ~= request or saved.shard ~= shard.i or saved.shards ~= shard.n then
    errors.usage("--checkpoint: " .. path .. " is of another search; remove it to start this one")
  end
  return saved
end

local function save_checkpoint(path, request, shard, done, state)
  files.write(path, json.encode({ kind = "search checkpoint", request = request, shard = shard.i,
    shards = shard.n, done = done, state = state }))
end

-- Turns --------------------------------------------------------------------------------------------

local Run = {}
Run.__index = Run

local function new_run(asked, settings)
  local shard = settings.shard or { i = 1, n = 1 }
  local s = core.search_open(asked)
  local size = s:size()
  local self = setmetatable({ s = s, size = size, shard = shard, turn = size, done = 0,
    path = settings.checkpoint, saved = os.time() }, Run)
  if settings.shard or settings.checkpoint then self.turn = turn_size(size, shard.n) end
  if settings.shard or settings.checkpoint then self.request = fingerprint(asked) end
  local saved = load_checkpoint(self.path, self.request, shard)
  if saved then
    s:add(saved.state)
    self.done = saved.done
  end
  return self
end

-- Begin and end of this shard's turn number n (from 0), nil behind the last.
function Run:range(n)
  local begin = (n * self.shard.n + self.shard.i - 1) * self.turn
  if begin >= self.size then return nil end
  return begin, math.min(begin + self.turn, self.size)
end

function Run:step()
  local begin, upto = self:range(self.done)
  if not begin then return false end
  self.s:run(begin, upto)
  self.done = self.done + 1
  if self.path and os.time() - self.saved >= CHECKPOINT_S then self:save() end
  return true
end

function Run:save()
  save_checkpoint(self.path, self.request, self.shard, self.done, self.s:state())
  self.saved = os.time()
end

-- Positions looked at; the turn that an interrupt cut counts as far as it came.
function Run:looked_at()
  local begin = self:range(self.done)
  return self.done * self.turn + (begin and math.max(0, self.s:position() - begin) or 0)
end

-- Goes on until the end or a Ctrl-C; a checkpoint then holds what whole turns found.
function Run:all()
  local ok, e = pcall(function()
    while self:step() do end
  end)
  if ok then return true end
  if not is_interrupt(e) then error(e, 0) end
  return false
end

local function searched(asked, settings)
  local run = new_run(asked, settings)
  local finished = run:all()
  if settings.shard then
    drive.outcome.part = { kind = "search part", request = run.request, shard = run.shard.i,
      shards = run.shard.n, state = run.s:state() }
  end
  local answer = run.s:answer()
  if not finished then
    answer.interrupted = { looked_at = run:looked_at(), size = run.size }
    drive.outcome.interrupted = true
  elseif run.path then
    os.remove(run.path)
  end
  return answer
end

-- Parts --------------------------------------------------------------------------------------------

local function joined(asked, parts)
  local s, request = core.search_open(asked), fingerprint(asked)
  for _, part in ipairs(parts) do
    if part.request ~= request then
      errors.usage(part.path .. ": is a part of another search, or of another version of scenario, rules or catalog")
    end
    local ok, e = pcall(s.add, s, part.state)
    if not ok then errors.io(part.path .. ": " .. tostring(e)) end
  end
  return s:answer()
end

--- The answer of core.search; `asked` is its request.
function drive.run(asked)
  local settings = drive.settings
  asked.threads = settings.threads or asked.threads
  if drive.outcome.ran and (settings.shard or settings.checkpoint or settings.parts) then
    errors.usage("a scenario with several searches cannot be run with --shard or --checkpoint")
  end
  drive.outcome.ran = true
  if settings.parts then return joined(asked, settings.parts) end
  if core.ranks and core.ranks.size > 1 then
    if settings.shard or settings.checkpoint then
      errors.usage("--shard and --checkpoint are for searches without mpirun")
    end
    return require("ballpark.search.ranks").run(asked)
  end
  return searched(asked, settings)
end

return drive
