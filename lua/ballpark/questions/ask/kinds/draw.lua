-- Images drawn by diffusion: diffusion{} answers.
local mentions = require("ballpark.mentions")
local models = require("ballpark.catalog.diffusion")
local proposals = require("ballpark.questions.ask.proposals")
local diffusion = require("ballpark.questions.diffusion.run")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local memory, device = proposals.said_device()

-- Frames of a second (Wan's configuration).
local RATE <const> = 16

local function frames_in(seconds, step) return 1 + step * math.max(1, math.floor(seconds * RATE / step + 0.5)) end

local DAY_S <const> = 86400

-- A rate that follows from others, and how.
local function with_follows(rate, why) return rate, why, nil, nil, true end

-- Four bits of a denoiser are nf4 where nobody says how.
local function format_of(weights) return weights == "int4" and "nf4" or weights end

-- Whether a device holds a call, with changes of it.
local function holds(f, changes)
  local asked = { model = f.model, device = f.device, width = f.width, height = f.height, frames = f.frames, batch = f.batch,
    weights = format_of(f.weights) }
  return diffusion.run(tables.with(asked, changes)).fits
end

-- Whether the parts of a model take turns on a device that does not hold them together, as ComfyUI and diffusers have it.
local function in_turns(f)
  if holds(f) or not holds(f, { offload = true }) then return nil end
  return "yes", "the device does not hold them together"
end

local NARROWER <const> = { "fp8", "nf4" }

-- Fewer bits of the denoiser where the device does not hold it as published, not even in turns: what people then take.
local function narrower(f)
  if holds(f) or holds(f, { offload = true }) then return nil end
  for _, format in ipairs(NARROWER) do
    if holds(f, { weights = format, offload = true }) then return format, "in 16 bit the device does not hold it" end
  end
end

-- Words of images that are made by the day and of those that somebody waits for.
local MAKES <const>, DAILY <const> = { "generat", "%f[%a]produc", "%f[%a]render", "%f[%a]make", "%f[%a]creat" }, { "a day", "per day", "/day", "daily" }
local WAITED <const> = { "service", "users?", "requests?", "%f[%a]app%f[%A]", "api", "latency", "traffic" }

return {
  name = "draw", title = "Images that are drawn", words = "Draw images or films: how long does one take, how many devices for a load?",
  question = "diffusion",
  facts = {
    { "model", "Which model (name of the catalog)?", type = "string", title = "Model", ask = 1,
      propose = proposals.constant("sdxl", "the model most often run by oneself") },
    memory, tables.with(device, { propose = function(f)
      if f.memory_bytes then return device.propose(f) end
      return "L40S", "often rented to draw"
    end }),
    { "width", "Pixels of width?", unit = "", type = "integer", title = "Width" },
    { "height", "Pixels of height?", unit = "", type = "integer", title = "Height" },
    { "frames", "Frames of a film?", unit = "", type = "integer", title = "Frames" },
    { "steps", "Steps of an image?", unit = "", type = "integer", title = "Steps" },
    { "batch", "Images of a call?", unit = "", type = "integer", title = "Batch" },
    tables.with(proposals.weights, { propose = narrower }),
    { "devices", "On how many devices?", unit = "", type = "integer", title = "Devices" },
    { "items", "How many images in all?", unit = "", title = "Images" },
    { "time_s", "In what time?", unit = "s", title = "Deadline", also = { "within_s" } },
    proposals.monthly_users, proposals.requests_per_user_month,
    { "users", "How many users a day?", unit = "", title = "Users a day", propose = function(f)
      if not (f.rate_per_s or f.requests_per_user_month) then return proposals.daily_users(f) end
    end },
    { "requests_per_user_day", "Images of a user a day?", unit = "", title = "Images a user", propose = function(f)
      if f.users and not f.rate_per_s then return 5, "a few tries for one that is kept (assumption)", 2, 20 end
    end },
    { "rate_per_s", "Images per second in the mean?", unit = "1/s", title = "Mean rate", ask = 2, propose = function(f)
      if f.items and f.time_s then return f.items / f.time_s, ("%s in %s"):format(units.format(f.items, ""), units.format(f.time_s, "s")), nil, nil, true end
      if f.requests_per_user_month then return with_follows(proposals.monthly_rate(f)) end
      if not f.users then return nil end
      return f.users * f.requests_per_user_day / DAY_S, ("%s users x %s a day / 86,400 s"):format(units.format(f.users, ""),
        units.format(f.requests_per_user_day, "")), nil, nil, true
    end },
    { "produced", "Are they made all day long, and nobody waits?", type = "boolean", title = "Made all day long" },
    { "peak_ratio", "Peak over the mean?", unit = "", title = "Peak over mean", propose = function(f)
      if f.produced == "yes" then return 1, "so many a day are made one after another", nil, nil, true end
      if f.items and f.rate_per_s then return 1, "nobody waits for one of them", nil, nil, true end
      if f.rate_per_s then return 3, "a service with one region's day: 2 to 4", 2, 4 end
    end },
    { "slo_s", "SLO of an image, seconds?", unit = "s", title = "SLO" },
    proposals.own_price,
    { "in_turns", "Are its parts on the device in turns?", type = "boolean", title = "Parts in turns", propose = in_turns },
  },
  given = function(given, _, text)
    local made_all_day = given.rate_per_s and not (given.users or given.slo_s or given.peak_ratio) and mentions.any(text, MAKES) and mentions.any(text, DAILY)
      and not mentions.any(text, WAITED)
    if made_all_day then given = tables.with(given, { produced = "yes" }) end
    local model = given.model and models.resolve(given.model) and models.get(given.model)
    if not model or (model.frames or 1) == 1 then return given end
    -- Seconds of a film are its length, and frames are no images.
    local counted = given.items and (text or ""):lower():find("%f[%a]frames%f[%A]") and given.items
    local made = tables.with(given, { frames = counted or given.slo_s and frames_in(given.slo_s, model.latent_frames) })
    if counted then made.items = nil end
    made.slo_s = nil
    return made
  end,
  input = function(f)
    return { model = f.model, device = f.device, width = f.width, height = f.height, frames = f.frames, steps = f.steps, batch = f.batch,
      weights = format_of(f.weights), offload = f.in_turns == "yes" or nil, price_usd_h = f.usd_h, images = f.items, devices = f.items and f.devices or nil,
      load = f.rate_per_s and { rate_per_s = f.rate_per_s * f.peak_ratio, sla_s = f.slo_s } or nil }
  end,
}
