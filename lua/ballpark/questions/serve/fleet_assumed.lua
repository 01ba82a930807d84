-- What reports of fleets say that was assumed: formats, redundancy, rates, prices.
local formats = require("ballpark.resolve.serving.formats")
local loads = require("ballpark.questions.serve.load")
local platform = require("ballpark.resolve.serving.platform")
local resolve = require("ballpark.resolve.serving")
local serving = require("ballpark.questions.serve.run")
local units = require("ballpark.resolve.serving.units")
local words = require("ballpark.questions.serve.words")

local fleet_assumed = {}

local function redundancy_words(fleet)
  local list = { fleet.spares == 1 and "1 spare" or fleet.spares .. " spares" }
  if fleet.zones > 1 then list[#list + 1] = ("one of %d zones lost at the same time"):format(fleet.zones) end
  if fleet.surge_frac > 0 then
    list[#list + 1] = ("%.0f %% more replicas during a roll-out"):format(100 * fleet.surge_frac)
  end
  return table.concat(list, ", ")
end

-- Fewer bits than the checkpoint is published in are cheaper, and nothing here knows what they do to the answers.
local function narrowed(model, groups)
  local published = formats.published(model) or {}
  for _, group in ipairs(groups) do
    for _, part in ipairs({ "weights", "experts" }) do
      local chosen, given = group.candidate.plan[part], published[part] or "bf16"
      if chosen and chosen ~= "auto" and chosen ~= "bf16" and chosen ~= given then
        return ("%s in %s, published in %s: whether answers stay as good has to be evaluated."):format(
          part == "weights" and "Weights" or "Experts", chosen, given)
      end
    end
  end
  return nil
end

-- What becomes of formats that devices of the groups do not multiply, once each.
local function say_of_formats(result, groups)
  local said = {}
  for _, group in ipairs(groups) do
    local text = units.said(group.candidate.plan, group.candidate.pool.device)
    if text and not said[text] then result:assume(text .. ".") end
    said[text or ""] = true
  end
end

-- What the engines that were asked about are calibrated on. All devices are compared by them, so that it is said of
-- all, whichever was chosen.
local function say_of_engines(result, ask)
  local devices = {}
  for i, pool in ipairs(ask.pools) do devices[i] = pool.device end
  for _, name in ipairs(ask.space.engine) do
    local text = serving.calibrated((resolve.engine(name or ask.engine)), ask.model, devices)
    if text then result:assume(text .. ".") end
  end
end

-- What serving on devices of the groups rests on, once each.
local function say_of_platforms(result, groups)
  local said = {}
  for _, group in ipairs(groups) do
    local candidate = group.candidate
    local text = platform.said(candidate.pool.device, candidate.engine.name or "engine")
    if text and not said[text] then result:assume(text .. ".") end
    said[text or ""] = true
  end
end

--- Says what was assumed of the formats, engines and lengths of groups of replicas.
function fleet_assumed.say_plans(result, ask, groups)
  local fewer_bits = narrowed(ask.model, groups)
  if fewer_bits then result:assume(fewer_bits) end
  say_of_formats(result, groups)
  say_of_engines(result, ask)
  say_of_platforms(result, groups)
  local lengths = not ask.load.buckets and loads.assumed(ask.load)
  for _, text in ipairs({ lengths or false, ask.same or false }) do
    if text then result:assume(text:gsub("^%l", string.upper) .. ".") end
  end
end

--- Says what was assumed of a question and of the groups of replicas that answer it.
---@param each string what the spares are of
function fleet_assumed.say(result, ask, groups, each)
  fleet_assumed.say_plans(result, ask, groups)
  if ask.sla.percentile_open then
    result:assume(("The SLO holds for %g requests in a hundred: no percentile was given."):format(ask.sla.percentile))
  end
  local share = 100 * ask.fleet.utilization_frac
  if ask.users then
    result:assume(("Redundancy: %s. The others have room for %.0f users, of whom %.0f are %.0f %%, and keep the SLO in the mean with all "
      .. "of them, behind a router that knows the requests in flight."):format(redundancy_words(ask.fleet), 100 * ask.users.count / share,
      ask.users.count, share))
    result:assume("The users are all there at the peak, and all the time for costs per token.")
    return
  end
  result:assume(("Redundancy: %s%s. The others are planned at %.0f %% of their capacity at most, Poisson "
    .. "arrivals behind a router that knows the requests in flight."):format(redundancy_words(ask.fleet), each or "", share))
  result:assume(ask.peak_over_mean and ("The peak is %g times the mean rate."):format(ask.peak_over_mean)
    or "The rate is the peak, and the mean for costs per token: no peak_over_mean was given.")
end

--- Says who comes instead of a rate, where users do.
function fleet_assumed.say_users(result, answer)
  local who = answer.clients
  if not who then return end
  result:facts({ name = "users", { name = "users", value = who.users, hide = true },
    { name = "think_s", value = who.think_s, unit = "s", hide = true } })
  result:assume(("%.0f users, each of whom waits for an answer%s and asks again: %.3g per s with answers that take %.3g s in the "
    .. "mean%s.%s"):format(who.users, who.think_s > 0 and (", thinks %g s"):format(who.think_s) or "", who.rate_per_s, who.e2e_s,
    who.settled and "" or " (rate and fleet did not settle)", who.by_chance and " They are taken to come by chance "
    .. "at that rate, which is harder than so many users are: quicker answers have them come more often, and a faster device "
    .. "may take more replicas." or ""))
end

--- Warns of requests of a question, or of one of its buckets, that are longer than the model was made for.
function fleet_assumed.warn_of_context(result, ask)
  for _, lengths in ipairs(ask.load.buckets or { loads.means(ask.load) }) do
    local text = words.too_long(ask.model, lengths.input_tokens + lengths.output_tokens)
    if text then result:warn(text) end
  end
end

--- Notes percentiles of parts of an SLO that longer simulations moved, each by what share.
---@param of string|nil what they are of, where there are several
function fleet_assumed.say_unsettled(result, sla, unsettled, of)
  for _, name in ipairs({ "ttft_s", "tpot_s", "e2e_s" }) do
    local moved = unsettled[name]
    if moved then
      result:note(("P%g of %s%s is %.0f %% %s over more simulated requests: it has not settled")
        :format(sla.percentile, words.parts[name], of and " of " .. of or "", 100 * math.abs(moved),
        moved > 0 and "higher" or "lower"))
    end
  end
end

--- Says where prices are from.
function fleet_assumed.say_prices(result, pools)
  for _, pool in ipairs(pools) do
    if pool.assumed then result:assume((pool.device.name or "device") .. ": " .. pool.assumed .. ".") end
  end
end

return fleet_assumed
