-- The chunks of a search: pieces of its positions, worked on by whoever is free and done in any order. A
-- shard has every n-th of them, so that costly regions are shared out.
local chunks = {}

-- Chunks per worker: enough of them to keep everybody busy to the end, and so small that a checkpoint loses little.
local PER_WORKER <const> = 64
local LONGEST <const> = 1 << 22

--- Positions of a chunk where so many workers share in them.
function chunks.length(size, workers)
  local length = (size - 1) // (workers * PER_WORKER) + 1
  return math.min(length, LONGEST)
end

local Chunks = {}
Chunks.__index = Chunks

--- The chunks of shard i of n, each of `length` of `size` positions; `done` is what done() gave of the same.
function chunks.new(size, length, shard, done)
  local all = (size - 1) // length + 1
  local self = setmetatable({ size = size, length = length, shard = shard, given = 0, looked_at = 0, upto = 0,
    beyond = {}, count = all >= shard.i and (all - shard.i) // shard.n + 1 or 0 }, Chunks)
  for n = 0, math.min(done and done.upto or 0, self.count) - 1 do self:finish(n) end
  for _, n in ipairs(done and done.beyond or {}) do self:finish(n) end
  return self
end

-- Begin and end of chunk n, from 0.
function Chunks:range(n)
  local begin = (n * self.shard.n + self.shard.i - 1) * self.length
  return begin, begin + math.min(self.length, self.size - begin)
end

function Chunks:is_done(n) return n < self.upto or self.beyond[n] ~= nil end

--- The next chunk that nobody has had: its number, begin and end; nil when all are given out.
function Chunks:next()
  while self.given < self.count do
    local n = self.given
    self.given = n + 1
    if not self:is_done(n) then return n, self:range(n) end
  end
end

--- Chunk n has been gone through.
function Chunks:finish(n)
  local begin, upto = self:range(n)
  self.looked_at = self.looked_at + upto - begin
  self.beyond[n] = true
  while self.beyond[self.upto] do
    self.beyond[self.upto] = nil
    self.upto = self.upto + 1
  end
end

--- Whether nothing is left to do.
function Chunks:are_done() return self.upto == self.count end

--- What has been gone through, for a checkpoint: the first so many chunks, and these.
function Chunks:done()
  local beyond = {}
  for n in pairs(self.beyond) do beyond[#beyond + 1] = n end
  table.sort(beyond)
  return { upto = self.upto, beyond = beyond }
end

return chunks
