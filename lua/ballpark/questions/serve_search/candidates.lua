-- All replicas of a space: those a fleet may be made of, those that do not fit, those that cannot be.
local candidate = require("ballpark.questions.serve_search.candidate")
local encoders = require("ballpark.resolve.encoders")
local errors = require("ballpark.errors")
local resolve = require("ballpark.resolve.serving")
local space = require("ballpark.questions.serve_search.space")
local tables = require("ballpark.tables")

local candidates = {}

-- Engines on a device by their name in the space; false is the one that was asked for beside it.
local function engines_of(ask, device)
  local made = {}
  return function(name, draft_tokens)
    local key = tostring(name) .. " " .. draft_tokens
    made[key] = made[key] or (resolve.engine(name or ask.engine, device, draft_tokens, ask.load))
    return made[key]
  end
end

local function take(found, ...)
  local ok, made = errors.attempt(candidate.new, found.ask, "all", 0, ...)
  if ok then return made end
  if candidate.is_mistake(made) then error(made, 0) end
  return nil, made
end

local function add(found, pool, ranks, plan, engine, flavour)
  local made, refusal = take(found, pool, ranks, plan, engine)
  found.tried = found.tried + 1
  if not made then
    found.refused[#found.refused + 1] = { pool = pool, plan = plan, error = refusal }
    return
  end
  made.place, made.flavour = found.tried, flavour
  local list = made.memory.fits and found.list or found.unfit
  list[#list + 1] = made
end

-- Seconds that the SLO leaves a request in the other half of a fleet; where it does not say, what they are in a replica that
-- does both, with all places taken.
local function apart_s(whole, role)
  local limits = whole.ask.sla.limits
  local of_half = role == "decode" and limits.ttft_s
    or role == "prefill" and limits.tpot_s and limits.tpot_s * whole.input.output_tokens or math.huge
  local left = math.min(of_half, limits.e2e_s or math.huge)
  if left < math.huge or not whole.sizes[1] then return left end
  local full = whole:steady(whole.sizes[#whole.sizes].up)
  return role == "decode" and full.ttft_s or full.full_s
end

-- The same replicas for a half of each request. Memory is that of the whole, so that what fits still does.
local function in_role(found, role)
  local list = {}
  for i, whole in ipairs(found.list) do
    list[i] = candidate.new(found.ask, role, apart_s(whole, role), whole.pool, whole.ranks, whole.plan, whole.engine)
    list[i].place, list[i].flavour = whole.place, whole.flavour
  end
  return list
end

--- Every replica of the space: { list = those that fit, unfit, refused = points that no replica can have,
--- tried, aggregated, prefill, decode = the lists that fleets of each pattern are made of, assumed }.
function candidates.all(ask)
  local engine, said = resolve.engine(ask.engine)
  local found = { ask = ask, list = {}, unfit = {}, refused = {}, tried = 0, assumed = { said } }
  for _, text in ipairs({ encoders.said(ask.model, engine.name) or false, ask.prompt or false }) do
    if text then found.assumed[#found.assumed + 1] = text end
  end
  for _, pool in ipairs(ask.pools) do
    space.each(ask.space, ask.gpus, engines_of(ask, pool.device), function(...) add(found, pool, ...) end)
  end
  if found.tried == 0 then errors.input("space", "no point of it has " .. ask.gpus .. " devices or fewer") end
  if #found.refused == found.tried then error(found.refused[1].error, 0) end
  found.aggregated = tables.contains(ask.space.pattern, "aggregated") and found.list or {}
  local split = tables.contains(ask.space.pattern, "disaggregated")
  found.prefill, found.decode = split and in_role(found, "prefill") or {}, split and in_role(found, "decode") or {}
  return found
end

return candidates
