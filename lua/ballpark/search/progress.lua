-- One search on its way: the open search of the core, the chunks it is cut into, and its checkpoint.
local chunks = require("ballpark.search.chunks")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local tables = require("ballpark.tables")

local progress = {}

local Progress = {}
Progress.__index = Progress

-- Seconds of work between two looks at what other ranks want.
local PIECE_S <const> = 0.2

--- The request as text, and which core answers it: what a checkpoint and a shard must agree in. Threads do not matter.
function progress.fingerprint(asked)
  local same = tables.with(asked)
  same.threads, same.sources = nil, core.sources
  for _, rule in ipairs(same.rules or {}) do
    if not rule.text then
      errors.input("rules", "must be files, not functions of the scenario, in a search with --shard or --checkpoint")
    end
  end
  return json.encode(same)
end

--- A search ready to run. how: { k = which of the command, shard = {i, n}?, checkpoint = checkpoint?, workers =
--- ranks that work on it }.
function progress.open(asked, how)
  local self = setmetatable({ search = core.search_open(asked), k = how.k, checkpoint = how.checkpoint, begin = 0,
    upto = 0 }, Progress)
  if how.shard or how.checkpoint then self.request = progress.fingerprint(asked) end
  local saved = how.checkpoint and how.checkpoint:of(how.k, self.request)
  if saved then how.checkpoint:give(self.search, saved.state) end
  -- Shards are cut alike by however many ranks each is searched.
  local size, shard = self.search:size(), how.shard or { i = 1, n = 1 }
  local length = saved and saved.length or chunks.length(size, how.shard and shard.n or how.workers)
  self.chunks = chunks.new(size, length, shard, saved and saved.done)
  return self
end

--- Goes through positions, calling between() now and then.
function Progress:work(begin, upto, between)
  self.begin, self.upto = begin, upto
  local at = begin
  while at < upto do
    at = self.search:run(at, upto, PIECE_S)
    if between then between() end
  end
end

--- Saves what whole chunks found, which may be in the middle of another one. Where a Ctrl-C came just as
--- one was added, what was saved before stays.
function Progress:save()
  if not self.checkpoint or self.changing then return end
  self.checkpoint:save(self.k, { request = self.request, length = self.chunks.length, done = self.chunks:done(),
    state = self.search:kept() })
end

local function save_if_due(self)
  if self.checkpoint and self.checkpoint:is_due() then self:save() end
end

--- What was found up to here belongs to whole chunks.
function Progress:keep()
  self.search:keep()
  self.begin, self.upto = 0, 0
end

--- Chunk n was gone through here.
function Progress:finish(n)
  self.changing = true
  self:keep()
  self.chunks:finish(n)
  self.changing = false
  save_if_due(self)
end

--- Chunks that others have gone through, and what they found in them.
function Progress:add(list, state)
  self.changing = true
  for _, n in ipairs(list) do self.chunks:finish(n) end
  self.search:add(state)
  self.changing = false
  save_if_due(self)
end

--- Goes through all chunks that are left; between() is called now and then.
function Progress:all(between)
  for n, begin, upto in function() return self.chunks:next() end do
    self:work(begin, upto, between)
    self:finish(n)
  end
end

--- Positions looked at in a chunk that was not finished.
function Progress:partial()
  local position = self.search:position()
  return position <= self.upto and math.max(0, position - self.begin) or 0
end

--- What was found in a chunk that was not finished, when the rest has been taken; it is forgotten.
function Progress:rest()
  self.search:keep()
  return self.search:take()
end

--- Positions looked at.
function Progress:looked_at() return self.chunks.looked_at + self:partial() end

return progress
