-- One search on its way: the open search of the core, the turns of it, and the checkpoint it goes into.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local tables = require("ballpark.tables")
local turns = require("ballpark.search.turns")

local run = {}

local Run = {}
Run.__index = Run

-- Seconds of work between two looks at what others want.
local PIECE_S <const> = 0.2

--- The request as text: what a checkpoint and a shard must agree in. Threads do not matter.
function run.fingerprint(asked)
  local same = tables.with(asked)
  same.threads = nil
  for _, rule in ipairs(same.rules or {}) do
    if not rule.text then
      errors.input("rules", "must be files, not functions of the scenario, in a search with --shard or --checkpoint")
    end
  end
  return json.encode(same)
end

--- Whether an error is a Ctrl-C.
function run.is_interrupt(e) return not errors.is(e) and tostring(e):find("interrupted", 1, true) ~= nil end

--- A search ready to run. how: { k = which of the command, shard = {i, n}?, book = checkpoint?, sharers =
--- ranks that work on it }.
function run.open(asked, how)
  local self = setmetatable({ s = core.search_open(asked), k = how.k, book = how.book, begin = 0, upto = 0 }, Run)
  if how.shard or how.book then self.request = run.fingerprint(asked) end
  local saved = how.book and how.book:of(how.k, self.request)
  if saved then self.s:add(saved.state) end
  -- Shards are cut alike by however many ranks each is searched.
  local size, shard = self.s:size(), how.shard or { i = 1, n = 1 }
  local length = saved and saved.length or turns.length(size, how.shard and shard.n or how.sharers)
  self.turns = turns.new(size, length, shard, saved and saved.done)
  return self
end

--- Goes through positions, calling between() now and then.
function Run:work(begin, upto, between)
  self.begin, self.upto = begin, upto
  local at = begin
  while at < upto do
    at = self.s:run(at, upto, PIECE_S)
    if between then between() end
  end
end

--- Saves what whole turns found, which may be in the middle of another one. Where a Ctrl-C came just as
--- one was added, what was saved before stays.
function Run:save()
  if not self.book or self.changing then return end
  self.book:save(self.k, { request = self.request, length = self.turns.length, done = self.turns:done(),
    state = self.s:kept() })
end

local function save_if_due(self)
  if self.book and self.book:is_due() then self:save() end
end

--- What was found up to here belongs to whole turns.
function Run:keep()
  self.s:keep()
  self.begin, self.upto = 0, 0
end

--- Turn n was gone through here.
function Run:finish(n)
  self.changing = true
  self:keep()
  self.turns:finish(n)
  self.changing = false
  save_if_due(self)
end

--- Turns that others have gone through, and what they found in them.
function Run:add(list, state)
  self.changing = true
  for _, n in ipairs(list) do self.turns:finish(n) end
  self.s:add(state)
  self.changing = false
  save_if_due(self)
end

--- Goes through all turns that are left; between() is called now and then.
function Run:all(between)
  for n, begin, upto in function() return self.turns:next() end do
    self:work(begin, upto, between)
    self:finish(n)
  end
end

--- Positions looked at in a turn that was not finished.
function Run:partial()
  local position = self.s:position()
  return position <= self.upto and math.max(0, position - self.begin) or 0
end

--- What was found in a turn that was not finished, when the rest has been taken; it is forgotten.
function Run:rest()
  self.s:keep()
  return self.s:take()
end

--- Positions looked at.
function Run:looked_at() return self.turns.looked_at + self:partial() end

return run
