-- One kind of replica that a fleet may consist of, and what closed forms say of it under a share of the load.
local cache = require("ballpark.questions.serve.cache")
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local fits = require("ballpark.range.fits")
local halves = require("ballpark.halves")
local loads = require("ballpark.questions.serve.load")
local layout = require("ballpark.resolve.serving.layout")
local resolve = require("ballpark.resolve.serving")
local resolved_load = require("ballpark.resolve.serving.load")
local sizes = require("ballpark.questions.serve_search.sizes")
local tables = require("ballpark.tables")
local units = require("ballpark.resolve.serving.units")

local candidate = {}

local Candidate = {}
local OF_CANDIDATE <const> = { __index = Candidate } -- as that of a fleet

-- What a replica does of a request: all of it, prefill only, or decode only. The front end is that of
-- the replica that takes the request.
local ROLES <const> = {
  all = { limits = { "ttft_s", "tpot_s", "e2e_s" } },
  prefill = { limits = { "ttft_s", "e2e_s" }, load = { output_tokens = 1 }, plan = { draft_tokens = 0 } },
  decode = { limits = { "tpot_s" }, load = { prefix_tokens = resolved_load.WHOLE_PROMPT, shared_tokens = 0 }, engine = { front_s = 0 } },
}

--- What the replica's requests see in the mean at `rate_per_s`.
function Candidate:at(rate_per_s)
  self.input.rate_per_s = rate_per_s
  return core.infer_load(self.input)
end

-- Requests do not come back sooner than that where halves of a fleet have no link between them: infer_load takes no more.
local NEVER_S <const> = 1e9

--- The same of so many users who ask one after another, of one user where a replica has fewer; each of their requests is
--- `apart_s` elsewhere: where its user thinks, or in the other half of the fleet.
function Candidate:of_users(users, apart_s)
  return core.infer_load(tables.with(self.input, { concurrency = math.max(1, users), think_s = math.min(apart_s, NEVER_S) }))
end

--- The same when `up` replicas share the load of the peak; of users with `times` as many of them, and while their requests are
--- elsewhere but with those who think for `apart_s`.
---@param up number
---@param times number|nil 1 unless said
---@param apart_s number|nil what the SLO leaves for the other half, unless said
function Candidate:steady(up, times, apart_s)
  local users = self.ask.users
  local key = users and ("%.17g %.17g %.17g"):format(up, times or 1, apart_s or self.apart_s) or up
  local known = self.seen[key]
  if known then return known end
  self.input.same_frac = 1 / up -- turns of a session come to any replica
  known = users and self:of_users((times or 1) * users.count / up, users.think_s + (apart_s or self.apart_s))
    or self:at(self.ask.load.rate_per_s / up)
  self.seen[key] = known
  return known
end

--- Requests per second that the replica can take, were its requests of other lengths. A prompt that is longer has more in a
--- prefix cache by as much.
---@param lengths { input_tokens: number?, output_tokens: number? } those that differ
---@return number
function Candidate:capacity_of(lengths)
  local own, fixed = self.input, ROLES[self.role].load or {}
  local longer = (lengths.input_tokens or own.input_tokens) / own.input_tokens
  return core.infer_load(tables.with(own, { rate_per_s = self.ask.load.rate_per_s,
    input_tokens = lengths.input_tokens, output_tokens = not fixed.output_tokens and lengths.output_tokens or nil,
    prefix_tokens = not fixed.prefix_tokens and own.prefix_tokens and own.prefix_tokens * longer or nil,
    shared_tokens = own.shared_tokens and own.shared_tokens * longer or nil,
    history_tokens = own.history_tokens * longer })).capacity_per_s
end

--- A mean time that limits are held to. Where prompts run by themselves and come one by one, answers take longer at a part
--- of the load than with all places taken. Fleets are sized for what they take then, so that more replicas are never worse;
--- what requests see is simulated.
---@param steady table what core.infer_load returned
---@param name "ttft_s"|"tpot_s"|"e2e_s"
---@param output_tokens number of an answer
---@return number
function candidate.limited_s(steady, name, output_tokens)
  if not steady.stable or name == "ttft_s" then return steady[name] end
  if name == "tpot_s" then return math.min(steady.tpot_s, steady.full_s / math.max(1, output_tokens - 1)) end
  return math.min(steady.e2e_s, steady.ttft_s + steady.full_s)
end

--- Requests of users in flight at a replica over those that can run at one time.
---@param steady table what requests see of it in the mean
function Candidate.crowd(steady) return steady.requests_per_s * steady.e2e_s / steady.places end

--- What requests of `up` replicas see in the mean under what they are planned for. A rate is held to a share of their capacity.
--- Users ask no faster than they are answered: they are planned for more of them, of whom those that are there are that share.
function Candidate:planned(up)
  local ask = self.ask
  return self:steady(up, ask.users and 1 / ask.fleet.utilization_frac or nil)
end

-- The load of `up` replicas over what they are planned for, and its name.
local function asked_of(self, up, planned)
  local ask = self.ask
  if ask.users then return "room", self.crowd(planned) end
  return "rate", ask.load.rate_per_s / up / (planned.capacity_per_s * ask.fleet.utilization_frac)
end

--- Users for whom `up` replicas have room, as they are planned.
function Candidate:room(up)
  local users, share = self.ask.users, self.ask.fleet.utilization_frac
  return share * halves.largest(0, math.ceil(users.count / share), function(count)
    return self.crowd(self:of_users(count / up, users.think_s + self.apart_s)) <= 1
  end)
end

--- Names of what `up` replicas break, in the mean: "rate", or of users "room", "ttft_s", "tpot_s", "e2e_s"; value over limit
--- each.
function Candidate:broken(up)
  local ask, list, steady = self.ask, {}, self:planned(up)
  local what, asked = asked_of(self, up, steady)
  if asked > 1 then list[what] = asked end
  if not steady.stable then return list end
  for _, name in ipairs(self.limits) do
    local limit = ask.sla.limits[name]
    local mean_s = limit and candidate.limited_s(steady, name, self.input.output_tokens)
    if limit and mean_s > limit then list[name] = mean_s / limit end
  end
  return list
end

-- Replicas for each request of a second, of which any is alone (assumption).
local APART <const> = 1e6

--- Names of what any number of replicas breaks, as `broken` has them: what a request that is alone breaks.
function Candidate:broken_alone()
  local ask = self.ask
  return self:broken(APART * math.max(1, ask.users and ask.users.count or ask.load.rate_per_s))
end

--- Index into self.sizes of the smallest fleet that meets the SLO in the mean, or nil. More replicas are
--- never worse for a request, so that the list can be halved.
function Candidate:fewest()
  local function holds(index) return not next(self:broken(self.sizes[index].up)) end
  local most = #self.sizes
  return most > 0 and holds(most) and halves.smallest(0, most, holds) or nil
end

--- The setup of a replica, as core.serve takes it.
function Candidate:setup()
  local input = self.input
  return { model = input.model, device = input.device, network = input.network, curves = input.curves,
    plan = input.plan, engine = input.engine }
end

--- What its engine prints of the KV cache at its start.
function Candidate:cache()
  local input = self.input
  return cache.of(self:setup(), self.memory, { max_model_len = self.ask.max_model_len,
    request_tokens = input.input_tokens + input.output_tokens,
    shared_tokens = resolved_load.held_once(input, input.input_tokens) })
end

local function missing_bytes(memory, plan)
  return memory.sequence_bytes / (plan.cp or 1) - memory.pool_bytes + memory.usable_bytes - fits.room(memory.usable_bytes)
end

--- Bytes that every device lacks for the weights and one request of mean length, to fit with the chance that is asked;
--- what fits lacks none.
function Candidate:missing_bytes() return missing_bytes(self.memory, self.plan) end

--- A replica of `ranks` devices of a pool that does `role` of a request; raises what no replica can be.
---@param ask table of serving.question
---@param role "all"|"prefill"|"decode"
---@param pool table of serving.supply
---@param apart_s number seconds of a request in the other half of the fleet, for which the SLO leaves so many
function candidate.new(ask, role, apart_s, pool, ranks, plan, engine)
  local about, whole = ROLES[role], ask.load
  plan = resolve.plan(plan, ask.model, engine.name)
  engine = resolve.multiplying(engine, plan, pool.device)
  layout.check_launch(ask.model, plan, engine.name)
  units.check(plan, pool.device, engine.name)
  devices.check_group("plan", pool.device, ranks)
  local load = about.load or {}
  local input = { model = ask.model, device = pool.device, network = pool.network(ranks), curves = pool.curves,
    plan = tables.with(plan, about.plan or {}), engine = tables.with(engine, about.engine or {}) }
  local means = loads.means(whole, nil, ask.samples)
  input.sequence_tokens = means.input_tokens + means.output_tokens
  local memory = core.infer_memory(input)
  if ask.max_model_len and memory.fits then
    input.sequence_tokens = ask.max_model_len
    memory.fits = core.infer_memory(input).fits
  end
  memory.fits = memory.fits and missing_bytes(memory, plan) <= 0
  input.sequence_tokens = nil
  input.input_tokens, input.output_tokens = means.input_tokens, load.output_tokens or means.output_tokens
  input.prefix_tokens = load.prefix_tokens or whole.prefix_tokens
  input.shared_tokens = load.shared_tokens or whole.shared_tokens
  input.history_tokens = engine.prefix_cache ~= false and means.input_tokens - means.new_tokens or 0
  input.turns, input.think_s = whole.turns, whole.think_s
  input.length_cv, input.input_cv, input.one_token_frac = means.length_cv, means.input_cv, means.one_token_frac
  input.pool_tokens = memory.pool_tokens
  local made = setmetatable({ ask = ask, role = role, limits = tables.with(about.limits), pool = pool, ranks = ranks,
    apart_s = apart_s, plan = input.plan, engine = input.engine, memory = memory, input = input, seen = {},
    sizes = sizes.of(ask, pool, ranks) }, OF_CANDIDATE)
  -- A device without the rate of that format is no candidate: better refused here than met in the middle.
  if memory.fits and made.sizes[1] then made:steady(made.sizes[#made.sizes].up) end
  return made
end

--- Whether an error says that somebody wrote a name nobody knows: no plan is to blame for that.
function candidate.is_mistake(e)
  return not errors.is(e) or e.message:find("is not one of", 1, true) ~= nil
    or e.message:find("unknown field", 1, true) ~= nil
end

return candidate
