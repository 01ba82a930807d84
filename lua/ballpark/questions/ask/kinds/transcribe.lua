-- Speech to text: transcribe{} answers, for the share of the sound that one device takes.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local halves = require("ballpark.halves")
local mentions = require("ballpark.mentions")
local proposals = require("ballpark.questions.ask.proposals")
local speech_software = require("ballpark.catalog.speech_software")
local tables = require("ballpark.tables")
local transcribe = require("ballpark.questions.transcribe.run")

local USUAL_BATCH <const> = 16

-- Seconds of a recording of which nobody says the length (assumption).
local RECORDING_S <const> = 300

-- Words by which recordings are talk that goes on at one time.
local LIVE <const> = { "real%-time", "realtime", "real time", "live", "simultaneous", "concurrent", "at once" }

-- The usual number of windows, halved until the device holds them; one where it holds none.
local function batch_that_fits(f)
  local software = speech_software.get(f.software or speech_software.usual(catalog.device(f.device)))
  if software.alone then return 1, software.name .. " takes one after another" end
  local batch = USUAL_BATCH
  local function holds()
    local answer
    local said = errors.catch(function()
      answer = transcribe.run({ model = f.model, device = f.device, batch = batch, weights = f.weights })
    end)
    return said or answer.fits
  end
  while batch > 1 and not holds() do batch = batch // 2 end
  if batch < USUAL_BATCH then return batch, "as many as the device holds" end
  return batch, "nobody waits for a single one"
end

-- Seconds of a recording that comes at a rate where nobody says, and the least that a recording is cut into: what Whisper hears
-- at once (arXiv:2212.04356).
local CLIP_S <const> = 30

-- Seconds of sound of the device that has the most of it: whole recordings, which are cut where devices are more.
local function share_of(f, devices)
  local recordings = f.items or 1
  local one_s = f.audio_s / recordings
  if devices <= recordings then return math.ceil(recordings / devices) * one_s end
  return math.max(f.audio_s / devices, math.min(one_s, CLIP_S))
end

-- As many as are done in the time that is said; by the sound alone where no number of them is.
local function devices_for(f)
  if not f.time_s or f.streams then return 1, "one unless more are said" end
  local function seconds(devices)
    return transcribe.run({ model = f.model, device = f.device, audio_s = share_of(f, devices), batch = f.batch, weights = f.weights,
      software = f.software }).time_s
  end
  local alone_s, most = seconds(1), math.max(1, math.ceil(math.max(f.items or 1, f.audio_s / CLIP_S)))
  if seconds(most) > f.time_s then return math.ceil(alone_s / f.time_s), "the time of all of the sound over the deadline, which no number of them keeps" end
  return halves.smallest(0, most, function(devices) return seconds(devices) <= f.time_s end), "as many as are done in time"
end

return {
  name = "transcribe", title = "Speech to text", words = "Turn speech to text: how long, on how many devices?",
  question = "transcribe",
  facts = {
    { "model", "Which model (name of the catalog)?", type = "string", title = "Model",
      propose = proposals.constant("whisper-large-v3", "the usual model of quality") },
    proposals.device("L4", "small models of speech"),
    { "items", "How many recordings?", unit = "", title = "Recordings" },
    { "audio_s", "How much sound?", unit = "s", title = "Sound", ask = 1, propose = function(f)
        if f.items then return RECORDING_S * f.items, "five minutes each (assumption)" end
        if not f.streams then return 3600, "an hour" end
        return 86400 * f.streams, "the sound of a day"
      end },
    { "software", "With which software?", type = "string", title = "Software" },
    { "batch", "Windows decoded together?", unit = "", type = "integer", title = "Windows together",
      propose = batch_that_fits },
    { "streams", "Lines that talk at one time?", unit = "", title = "Lines at one time", also = { "concurrency", "users" } },
    { "weights", "Format of the weights?", type = "string", title = "Weights" },
    { "time_s", "In what time?", unit = "s", title = "Deadline", also = { "within_s" } },
    { "devices", "How many devices share the sound?", unit = "", type = "integer", title = "Devices", propose = devices_for },
    proposals.own_price,
  },
  given = function(given, _, text)
    -- "3 hours of meetings each day for 500 employees": those of each.
    if given.users and given.streams then
      given = tables.with(given, { streams = given.streams * given.users })
      given.users = nil
    end
    -- "40 clips of 30 seconds per second": so many talk at one time.
    if given.rate_per_s and not given.streams then
      given = tables.with(given, { streams = given.rate_per_s * (given.slo_s or CLIP_S) })
      given.rate_per_s, given.slo_s, given.peak_ratio = nil, nil, nil
    end
    -- "Transcribe 500 hours": a time alone is that of the sound.
    if given.time_s and not (given.audio_s or given.items or given.streams) then
      given = tables.with(given, { audio_s = given.time_s })
      given.time_s = nil
    end
    if not (given.items and mentions.any(text, LIVE)) then return given end
    local made = tables.with(given, { streams = given.streams or given.items })
    made.items = nil
    return made
  end,
  input = function(f)
    return { model = f.model, device = f.device, audio_s = share_of(f, f.devices), batch = f.batch, weights = f.weights,
      software = f.software, audio_per_s = f.streams, price_usd_h = f.usd_h }
  end,
}
