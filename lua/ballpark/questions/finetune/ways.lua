-- How a fine-tuning is run where nobody states it: as the software does unasked, unless that does not surely fit, or
-- another way is clearly faster: states sharded, or layers recomputed so that more samples go through at a time.
local errors = require("ballpark.errors")
local fits = require("ballpark.range.fits")
local recompute_modules = require("ballpark.resolve.training.recompute_modules")
local tables = require("ballpark.tables")
local zero_stages = require("ballpark.resolve.training.zero_stages")

local ways = {}

-- Stages of the software from the usual one on, but for the usual one itself where the plan has it. Those that memory asked
-- for at one micro-batch are not for each: each stage always is another way.
local function stages(plan, case)
  local usual = case.zero_usual
  local list = zero_stages.beyond(case.profile, usual)
  if plan.zero ~= usual then table.insert(list, 1, usual) end
  return list
end

-- What the plan may have besides, each with its words; none of it where it is stated, or where the software does not launch
-- it.
local function others(facts, plan, case)
  local list = {}
  for _, zero in ipairs(case.zero_open and plan.dp * plan.cp > 1 and stages(plan, case) or {}) do
    list[#list + 1] = { changes = { zero = zero }, words = ("ZeRO stage %d"):format(zero) }
  end
  if not facts.plan.recompute and not recompute_modules.any(facts.plan) then
    -- Recomputing alone is another way only where the first does not recompute; beside a sharding it always is, since
    -- what a plan of sharded states recomputes of itself depends on the memory that is left.
    for i = plan.recompute == "full" and 1 or 0, #list do
      local beside = list[i] or { changes = {}, words = "" }
      list[#list + 1] = { changes = tables.with(beside.changes, { recompute = "full" }),
        words = beside.words .. (i > 0 and ", " or "") .. "full recomputation" }
    end
  end
  return list
end

-- The facts of every way but the first, each with its words.
local function stated(facts, first)
  local list = others(facts, first.plan, first.input.case)
  for i, other in ipairs(list) do
    list[i] = { words = other.words, facts = tables.with(facts, { plan = tables.with(facts.plan, other.changes) }) }
  end
  return list
end

--- So much faster another way has to be for software to be run otherwise than as it comes: estimates of a step are no
--- closer (assumption).
ways.WORTH_IT = 1.05

--- A way with this chance is worth the try where it is so much faster than all that surely fit: memory runs out in the
--- first steps if it does (assumption). A greater advantage to ask for would be what the answer loses where a faster
--- network makes the surer way take less than that.
ways.NEARLY = 0.8

-- The chance that a way can be run, answers generated beside it too.
local function chance_of(way) return way.rollout and way.rollout.refused and 0 or way.memory.fit_probability end

local function is_sure(way) return chance_of(way) >= fits.SURE end

-- Chances, and shares of the memory, that are too close for one way to be called surer than another.
local SLIGHT_CHANCE <const>, SLIGHT_SHARE <const> = 0.01, 0.001

-- Of ways the greatest chance, and the least memory of those that have it.
local function likeliest(list)
  local most, least = 0, math.huge
  for _, way in ipairs(list) do most = math.max(most, chance_of(way)) end
  for _, way in ipairs(list) do
    if chance_of(way) >= most - SLIGHT_CHANCE then least = math.min(least, way.memory.total_bytes) end
  end
  return most, least
end

--- Of ways those that surely fit, and those that are as sure as any: as likely, with no more memory.
---@param list table[] with memory, and rollout where answers are generated
---@return table[]
function ways.surest(list)
  local most, least = likeliest(list)
  local found = {}
  for _, way in ipairs(list) do
    local is_as_sure = chance_of(way) >= most - SLIGHT_CHANCE and way.memory.total_bytes <= (1 + SLIGHT_SHARE) * least
    if is_sure(way) or is_as_sure then found[#found + 1] = way end
  end
  return found
end

-- Times that are the same but for rounding.
local SAME <const> = 1 + 1e-9

--- The fastest of the ways that are surest; of some that are as fast the one of least memory.
---@param list table[] with example_s, memory and rollout
---@return table
function ways.fastest(list)
  local best
  for _, way in ipairs(ways.surest(list)) do
    local is_as_fast = best and way.example_s <= SAME * best.example_s
    if not best or SAME * way.example_s < best.example_s or is_as_fast and way.memory.total_bytes < best.memory.total_bytes then
      best = way
    end
  end
  return best
end

-- Of ways the one to be preferred; the first is kept where it is as sure as any, unless another is worth it.
local function preferred(list)
  local best = ways.fastest(list)
  local keeps = tables.contains(ways.surest(list), list[1]) and ways.WORTH_IT * best.example_s >= list[1].example_s
  return keeps and list[1] or best
end

-- Times that are too close for one way to be called faster than another.
local CLOSE <const> = 1.01

-- The fastest of ways with a chance of at least `chance` that is `by` times as fast as another, or the likeliest of some that
-- are next to as fast; nil where none is.
local function faster(list, than, chance, by)
  local found, least = {}, math.huge
  for _, way in ipairs(list) do
    if chance_of(way) >= chance and by * way.example_s < than.example_s then
      found[#found + 1], least = way, math.min(least, way.example_s)
    end
  end
  local best
  for _, way in ipairs(found) do
    if way.example_s <= CLOSE * least and (not best or chance_of(way) > chance_of(best)) then best = way end
  end
  return best
end

-- What another way has otherwise, in words.
local function difference(way, from)
  local plan, words = way.plan, {}
  if plan.zero ~= from.plan.zero then words[1] = ("ZeRO stage %d"):format(plan.zero) end
  if plan.recompute ~= from.plan.recompute or #words == 0 then
    words[#words + 1] = (plan.recompute == "none" and "no" or plan.recompute) .. " recomputation"
  end
  return table.concat(words, ", ")
end

-- Likelier than not.
local LIKELY <const> = 0.5

-- Another way that is worth knowing of: the one that would surely fit, or the faster one that is less sure.
local function beside(list, best, sure)
  local other = best ~= sure and sure or faster(list, best, LIKELY, ways.WORTH_IT)
  return other and { words = difference(other, best), answer = other }
end

local function note(best, words, other)
  local assumed = best.input.case.assumed
  if chance_of(best) < fits.SURE and other and is_sure(other.answer) then
    local text = ("though %s would fit more surely and take %.2g times as long"):format(other.words,
      other.answer.example_s / best.example_s)
    words = words and words .. ", " .. text or text
  elseif words then
    words = words .. (is_sure(best) and ", the fastest that surely fits" or ", the likeliest to fit")
  end
  assumed[#assumed + 1] = words
end

--- The best answer of try(facts), with `beside`, { words, answer } of another way that is surer or faster, where there is
--- one: among ways that surely fit the fastest, unless one that nearly does is clearly faster; else the likeliest to fit.
---@param facts table as estimate{} takes them
---@param try fun(facts: table): table an answer with input, plan, memory, example_s and rollout
function ways.best(facts, try)
  local list, words = { try(facts) }, {}
  for _, other in ipairs(stated(facts, list[1])) do
    local way = errors.try(try, other.facts) -- more ranks than the batch has sequences for are no way
    if way then
      list[#list + 1] = way
      words[way] = other.words
    end
  end
  local sure = preferred(list)
  local best = is_sure(sure) and faster(list, sure, ways.NEARLY, ways.WORTH_IT) or sure
  best.beside = beside(list, best, sure)
  note(best, words[best], best.beside)
  return best
end

--- The greatest chance with which a way fits, or the first that is sure.
---@param facts table as estimate{} takes them
---@param try fun(facts: table): table an answer with input, plan and memory
function ways.chance(facts, try)
  local first = try(facts)
  local most = first.memory.fit_probability
  if most >= fits.SURE then return most end
  for _, other in ipairs(stated(facts, first)) do
    local way = errors.try(try, other.facts)
    most = math.max(most, way and way.memory.fit_probability or 0)
    if most >= fits.SURE then return most end
  end
  return most
end

return ways
