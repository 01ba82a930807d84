-- Requests drawn for a simulation: the same lengths and gaps for the same seed, at any rate.
local draw = {}

-- Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators (2014): splitmix64.
local function generator(seed)
  local state = seed
  return function()
    state = state + 0x9e3779b97f4a7c15
    local z = (state ~ (state >> 30)) * 0xbf58476d1ce4e5b9
    z = (z ~ (z >> 27)) * 0x94d049bb133111eb
    return (((z ~ (z >> 31)) >> 11) + 1) * 2.0 ^ -53 -- above 0, at most 1
  end
end

local function normal(unit) return math.sqrt(-2 * math.log(unit())) * math.cos(2 * math.pi * unit()) end

-- Shapes of lengths, as core.serve has them: mean 1, of uniform ones the longest 1.
local SHAPES <const> = {
  fixed = function() return 1 end,
  uniform = function(unit, spread)
    local least = math.min(spread, 1)
    return least + (1 - least) * unit()
  end,
  lognormal = function(unit, spread) return math.exp(spread * normal(unit) - 0.5 * spread * spread) end,
  exponential = function(unit) return -math.log(unit()) end,
}

local function whole(tokens) return math.max(1, math.floor(tokens + 0.5)) end

-- The bucket of a load that a number from 0 to 1 falls into; a load without buckets is one itself.
local function bucket_of(load, at)
  for _, bucket in ipairs(load.buckets or {}) do
    at = at - bucket.share
    if at <= 0 then return bucket end
  end
  return load.buckets and load.buckets[#load.buckets] or load
end

--- Requests of a load, at one per second: { arrival_s, input_tokens, output_tokens } each.
function draw.requests(load, count)
  local unit, now, list = generator(load.seed or 1), 0, {}
  local shape, spread = SHAPES[load.lengths or "fixed"], load.spread or 0.8
  for i = 1, count do
    local bucket = bucket_of(load, unit())
    now = now - math.log(unit())
    list[i] = { arrival_s = now, input_tokens = whole((bucket.input_tokens or 1024) * shape(unit, spread)),
      output_tokens = whole((bucket.output_tokens or 1024) * shape(unit, spread)) }
  end
  return list
end

--- The requests at `rate_per_s`, with `changes` to each.
function draw.at(requests, rate_per_s, changes)
  local list = {}
  for i, request in ipairs(requests) do
    list[i] = { arrival_s = request.arrival_s / rate_per_s,
      input_tokens = changes and changes.input_tokens or request.input_tokens,
      output_tokens = changes and changes.output_tokens or request.output_tokens }
  end
  return list
end

return draw
