-- What a search over serving fleets is asked: its input checked, and all of it filled in.
local buckets = require("ballpark.questions.serve.buckets")
local clients = require("ballpark.questions.serve_search.clients")
local core = require("ballpark.core")
local curve = require("ballpark.questions.serve.curve")
local encoders = require("ballpark.resolve.encoders")
local errors = require("ballpark.errors")
local fleet = require("ballpark.questions.serve.fleet")
local loads = require("ballpark.questions.serve.load")
local promise = require("ballpark.questions.serve.promise")
local questions = require("ballpark.questions")
local resolved = require("ballpark.resolve.serving.load")
local serving = require("ballpark.questions.serve.run")
local sizes = require("ballpark.questions.serve_search.sizes")
local space = require("ballpark.questions.serve_search.space")
local supply = require("ballpark.questions.serve.supply")
local tables = require("ballpark.tables")

local question = {}

local SPARES <const> = 1

-- Of a load that goes through a day: its curve, and its peak over its mean.
local function day_of(given)
  if given.arrivals ~= "diurnal" then return nil, given.peak_over_mean end
  local weights, ratio = curve.weights(given.rates, given.peak_over_mean)
  return { weights = weights, load = given }, ratio
end

-- The peak over the mean sizes a fleet whatever the arrivals are.
local SIZING <const> = { peak_over_mean = true }

-- Refuses what the simulation would not read of a load, whatever fleets come to one: all but what only a search takes.
local function check_drawn(given, arrivals)
  local load = tables.with(given)
  load.buckets, load.peak_over_mean = nil, nil
  core.serve_check({ load = load })
  loads.check_arrivals(given, arrivals, SIZING)
end

-- A load with its lengths: of buckets, which are checked, their means; one bucket is one length.
local function with_lengths(load)
  if load.buckets == nil then return load end
  local lengths = buckets.check(load)
  if load.buckets[2] then return tables.with(load, lengths) end
  local only = load.buckets[1]
  local plain = tables.with(load, { input_tokens = only.input_tokens, output_tokens = only.output_tokens })
  plain.buckets = nil
  return plain
end

-- Of users, who ask one after another: how many there are and how long each thinks; and how their requests are.
local function of_users(given)
  local users, load = clients.of(given)
  check_drawn(tables.with(load, { concurrency = math.ceil(users.count), think_s = users.think_s }), "closed")
  local shared, same = resolved.sharing(load)
  return { load = with_lengths(tables.with(shared, { arrivals = "open" })), same = same, users = users }
end

-- What a fleet is sized for: users, or a rate given as the peak, or as a mean with its ratio.
local function load_of(given)
  if type(given) ~= "table" then errors.input("load", "must be a table, got " .. type(given)) end
  if clients.are_in(given) then return of_users(given) end
  if given.arrivals == "closed" then
    errors.input("load", "a fleet is found for a rate or for users: give rate_per_s, or users and think_s")
  end
  local mean = errors.positive("load.rate_per_s", given.rate_per_s)
  if given.peak_over_mean ~= nil and errors.positive("load.peak_over_mean", given.peak_over_mean) < 1 then
    errors.input("load.peak_over_mean", "must be at least 1, got " .. tostring(given.peak_over_mean))
  end
  check_drawn(given, given.arrivals or "open")
  local shared, same = resolved.sharing(given)
  local day, ratio = day_of(shared)
  local load = tables.with(shared, { arrivals = "open", rate_per_s = mean * (ratio or 1) })
  load.peak_over_mean, load.rates = nil, nil
  return { load = with_lengths(load), same = same, mean_per_s = mean, peak_over_mean = ratio, day = day }
end

-- Refuses prompts that are shorter than their images, of each length that the load has.
local function check_images(model, load)
  for _, one in ipairs(load.buckets or { load }) do encoders.check_prompt(model, one.input_tokens or resolved.TOKENS) end
end

local function fraction(path, value, least, most)
  if type(value) ~= "number" or value < least or value > most or (least == 0 and value ~= value) then
    errors.input(path, ("must be from %g to %g, got %s"):format(least, most, tostring(value)))
  end
  return value
end

local function count(path, value, least)
  if math.type(value) ~= "integer" or value < least then
    errors.input(path, ("must be a whole number of at least %d, got %s"):format(least, tostring(value)))
  end
  return value
end

-- What a fleet has beside the replicas that carry its peak.
local function redundancy(input)
  local target = input.utilization_frac or fleet.UTILIZATION_FRAC
  if type(target) ~= "number" or target <= 0 or target > 1 then
    errors.input("utilization_frac", "must be above 0 and at most 1, got " .. tostring(target))
  end
  return { utilization_frac = target, spares = count("spares", input.spares or SPARES, 0),
    zones = count("zones", input.zones or 1, 1), surge_frac = fraction("surge_frac", input.surge_frac or 0, 0, 1) }
end

-- Replicas include the spares and what another zone needs: some have to be left to serve.
local function check_replicas(ask)
  local most = 0
  for _, all in ipairs(ask.space.replicas or {}) do most = math.max(most, all) end
  local least = sizes.with(ask, { loss_frac = 0 }, 1).replicas
  if ask.space.replicas and most < least then
    errors.input("space.replicas", ("%d with the spares leaves none to serve: give %d or more, or spares = 0")
      :format(most, least))
  end
  return ask
end

--- The question of serving.search with everything filled in: { model, pools, gpus, engine, load (at the peak), users =
--- { count, think_s } in place of its rate, mean_per_s, peak_over_mean and day where they are known, sla, space, fleet, start_s }.
function question.new(input)
  questions.check_known("serve_search", input)
  if type(input.model) ~= "table" then errors.input("model", "is missing") end
  serving.check_writes(input.model)
  local gpus = count("gpus", input.gpus, 1)
  local model, load, prompt = encoders.with_prompt(input.model, input.load)
  local asked = load_of(load)
  check_images(model, load)
  loads.check_length(input.max_model_len, load.buckets and buckets.longest(load.buckets) or loads.longest_sure(load))
  return check_replicas(tables.with(asked, { model = model, prompt = prompt, gpus = gpus, engine = input.engine,
    pools = supply.pools(input.devices, input.terms, gpus), sla = promise.of(input.sla or {}),
    space = space.of(input.space or {}, input.model, gpus), fleet = redundancy(input),
    start_s = input.start_s and errors.positive("start_s", input.start_s),
    max_model_len = input.max_model_len }))
end

return question
