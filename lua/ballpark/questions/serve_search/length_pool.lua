-- A pool of one kind of replicas for some buckets of lengths: what is known of the replicas it takes, simulation after simulation.
local candidate = require("ballpark.questions.serve_search.candidate")
local confirm = require("ballpark.questions.serve_search.confirm")
local deals = require("ballpark.questions.serve_search.deals")
local fleet = require("ballpark.questions.serve.fleet")
local growth = require("ballpark.questions.serve_search.growth")
local halves = require("ballpark.halves")
local tables = require("ballpark.tables")

local length_pool = {}

local Pool = {}
local OF_POOL <const> = { __index = Pool }

-- Lengths to draw from: so many of the rarest bucket, that shares are right to a part in a hundred; and at most as many as
-- requests are simulated, so that a bucket is never rarer than one of those.
local OF_RAREST <const>, SAMPLES <const> = 50, 100000

-- Lengths of a pool's requests, in the shares of its buckets.
local function samples_of(buckets, share)
  local rarest, list = math.huge, {}
  for _, bucket in ipairs(buckets) do rarest = math.min(rarest, bucket.share / share) end
  local all = math.min(SAMPLES, math.ceil(OF_RAREST / rarest))
  for _, bucket in ipairs(buckets) do
    local lengths = { input_tokens = bucket.input_tokens, output_tokens = bucket.output_tokens }
    for _ = 1, math.max(1, math.floor(all * bucket.share / share + 0.5)) do list[#list + 1] = lengths end
  end
  return list
end

-- The question of a pool's buckets alone.
local function question_of(ask, pool)
  local list, input, output = {}, 0, 0
  for i, b in ipairs(pool.buckets) do
    local bucket = ask.load.buckets[b]
    list[i] = bucket
    input, output = input + bucket.share * bucket.input_tokens, output + bucket.share * bucket.output_tokens
  end
  local load = tables.with(ask.load, { rate_per_s = pool.share * ask.load.rate_per_s, lengths = list[2] and "empirical",
    input_tokens = list[2] and input / pool.share or list[1].input_tokens,
    output_tokens = list[2] and output / pool.share or list[1].output_tokens })
  load.buckets = nil
  return tables.with(ask, { load = load, samples = list[2] and samples_of(list, pool.share) })
end

-- Index of the smallest size with so many replicas that keeps the SLO in the mean, or nil.
local function first_size(made, least)
  local function is_enough(index)
    local up = made.sizes[index].up
    return up >= least and not next(made:broken(up))
  end
  local most = #made.sizes
  return most > 0 and is_enough(most) and halves.smallest(0, most, is_enough) or nil
end

--- A pool of deals.cheapest, of which nothing is simulated: { option, buckets, share, need, key, cost_usd_h and devices = the
--- least that it takes by what is known, next = the fleet to simulate, held = the smallest that did, failed = the last that did
--- not }.
function length_pool.new(ask, dealt)
  local self = setmetatable(tables.with(dealt), OF_POOL)
  self.ask = ask
  local kind = dealt.option.candidate
  local made = candidate.new(question_of(ask, dealt), "all", 0, kind.pool, kind.ranks, kind.plan, kind.engine)
  made.place = kind.place
  local up = ask.users and 1 or deals.whole(dealt.need)
  local index = first_size(made, up)
  if index then
    self:go(fleet.new({ { made, index } }))
  elseif next(made:broken_alone()) then
    self:drop()
  else
    self:lacks(math.max(up, ask.gpus // kind.ranks + 1))
  end
  return self
end

-- Simulates this next, or knows that what held is the smallest.
function Pool:go(this)
  local least = this and this.least or this or self.held
  self.next, self.cost_usd_h, self.devices = this, least.cost_usd_h, least:most_devices()
end

-- More replicas would do than there are devices for.
function Pool:lacks(up)
  self.next = nil
  self.cost_usd_h, self.devices = deals.price(self.ask, self.option, up)
  self.devices = math.max(self.devices, self.ask.gpus + 1)
end

-- No number of replicas would do.
function Pool:drop() self.next, self.cost_usd_h, self.devices = nil, math.huge, math.huge end

--- Whether its smallest number of replicas is known.
function Pool:is_settled() return self.held ~= nil and self.next == nil end

--- Simulates it once.
function Pool:try()
  local this = self.next
  local step, broken = this.step, confirm.broken(this)
  if not broken then return self:drop() end
  if not next(broken) then
    self.held = this
    return self:go(step and growth.between(step.from, this, 1))
  end
  this.failed, self.failed = broken, this
  if self.held then return self:go(growth.between(this, self.held, 1)) end
  if confirm.is_hopeless(this) then return self:drop() end
  local more = growth.larger(this, 1)
  if more then self:go(more) else self:lacks(this.up + 1) end
end

--- What an answer says of it: of what held, or else of what failed last; nil where nothing was simulated.
function Pool:shown()
  local this = self.held or self.failed
  if not this then return nil end
  return tables.with(this.groups[1], { buckets = self.buckets, share = self.share, seen = this.seen, unsettled = this.unsettled })
end

return length_pool
