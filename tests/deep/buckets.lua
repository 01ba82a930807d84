-- Fleets for lengths in buckets, of which more cannot cost more, on many drawn loads:
--
--   tools/check-deep buckets [COUNT [FIRST [SHOWN]]]
--
-- One bucket against one length; several against all as long as the longest; the same under a looser SLO; and so of users.
-- Prints how many of each kind cost more, and those that do most. Exit code 1 where any costs more than SAME times.
local catalog = require("ballpark.catalog")
local open_size = require("ballpark.questions.serve_search.open_size")
local search = require("ballpark.questions.serve_search.run")
local tables = require("ballpark.tables")

local count, first, shown = tonumber(arg[1]) or 60, tonumber(arg[2]) or 1, tonumber(arg[3]) or 20
local SAME <const> = 1.02
local MODELS <const> = { "llama-3.1-8b", "qwen3-32b", "llama-3.1-70b", "gpt-oss-120b", "mistral-7b" }
local DEVICES <const> = { "H100", "H200", "A100-80GB", "L40S", "L4" }

-- Draws of a case: Lehmer's generator.
local function drawing(seed)
  local state = seed * 48271 % 2147483647
  local draw = {}
  function draw.unit()
    state = state * 48271 % 2147483647
    return state / 2147483647
  end
  function draw.of(list) return list[1 + math.floor(draw.unit() * #list)] end
  -- Between two numbers, each of its decades as likely.
  function draw.between(low, high) return low * (high / low) ^ draw.unit() end
  for _ = 1, 4 do draw.unit() end
  return draw
end

local function lengths(draw)
  return { input_tokens = math.floor(draw.between(50, 6000)), output_tokens = math.floor(draw.between(20, 300)) }
end

local function buckets_of(draw, many)
  local list, sum = {}, 0
  for i = 1, many do
    list[i] = lengths(draw)
    list[i].share = draw.between(0.05, 1)
    sum = sum + list[i].share
  end
  for _, bucket in ipairs(list) do bucket.share = bucket.share / sum end
  return list
end

local function longest(list)
  local input, output = 0, 0
  for _, bucket in ipairs(list) do
    input, output = math.max(input, bucket.input_tokens), math.max(output, bucket.output_tokens)
  end
  return { input_tokens = input, output_tokens = output }
end

-- A question whose load is to be given, and how many requests come: at a rate, or of users.
local function question(draw)
  local sla = { ttft_s = draw.between(0.3, 3), tpot_s = draw.between(0.012, 0.1), percentile = draw.of({ 90, 95, 99 }) }
  return { model = catalog.model(draw.of(MODELS)), engine = draw.of({ "vllm", "sglang", "trtllm" }), sla = sla,
    devices = { { device = draw.of(DEVICES), price = draw.between(0.8, 8) } }, space = { pattern = "aggregated" } }
end

local function cost(input, load, changes)
  local answer = search.run(tables.with(tables.with(input, changes), { load = load }))
  return answer.fits and open_size.cost_of(answer) or math.huge
end

local function looser(draw, sla)
  local name = draw.of({ "ttft_s", "tpot_s" })
  return { sla = tables.with(sla, { [name] = sla[name] * draw.between(1.02, 2) }) }
end

local KINDS <const> = {
  { name = "one bucket for one length", of = function(draw, input, comes)
    local one = lengths(draw)
    return cost(input, tables.with(comes, one)), cost(input, tables.with(comes, { buckets = { tables.with(one, { share = 1 }) } }))
  end },
  { name = "shorter than the longest", of = function(draw, input, comes)
    local list = buckets_of(draw, draw.of({ 2, 3 }))
    -- A prompt that comes between delays a shorter answer by more of its time: answers are alike.
    for _, bucket in ipairs(list) do bucket.output_tokens = list[1].output_tokens end
    return cost(input, tables.with(comes, longest(list))), cost(input, tables.with(comes, { buckets = list }))
  end },
  { name = "a looser SLO", of = function(draw, input, comes)
    local load = tables.with(comes, { buckets = buckets_of(draw, draw.of({ 2, 3 })) })
    return cost(input, load), cost(input, load, looser(draw, input.sla))
  end },
}

local dearer, asked, failed = {}, 0, 0
for _, of_users in ipairs({ false, true }) do
  for _, kind in ipairs(KINDS) do
    local pairs_of, worse, refused = 0, 0, 0
    for index = first, first + count - 1 do
      local draw = drawing(index)
      local input = question(draw)
      local comes = of_users and { users = math.floor(draw.between(10, 1000)), think_s = draw.between(0.5, 20) }
        or { rate_per_s = draw.between(0.5, 40) }
      local before, after = kind.of(draw, input, comes)
      if before == math.huge then
        refused = refused + 1
      else
        pairs_of = pairs_of + 1
        if after > SAME * before then
          worse = worse + 1
          dearer[#dearer + 1] = { ratio = after / before, text = ("%s, %s, case %d: %.4g USD/h, and then %.4g"):format(
            of_users and "users" or "a rate", kind.name, index, before, after) }
        end
      end
    end
    asked, failed = asked + pairs_of, failed + worse
    print(("%-7s %-26s %5d pairs, %4d cost more; %d have no fleet"):format(of_users and "users" or "a rate", kind.name, pairs_of,
      worse, refused))
  end
end
table.sort(dearer, function(a, b) return a.ratio > b.ratio end)
for i = 1, math.min(shown, #dearer) do print(("%.3f times  %s"):format(dearer[i].ratio, dearer[i].text)) end
print(("%d passed, %d failed"):format(asked - failed, failed))
os.exit(failed == 0)
