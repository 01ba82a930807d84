-- Prompts that nobody waits for: done by when, on how many devices, for how much? batch_job{} answers.
local energy = require("ballpark.questions.ask.energy")
local mentions = require("ballpark.mentions")
local proposals = require("ballpark.questions.ask.proposals")
local tables = require("ballpark.tables")
local vocabulary = require("ballpark.questions.said.vocabulary")
local which = require("ballpark.questions.ask.which")

-- Tokens of a page or two, and more than a prompt has.
local DAY_S <const> = 86400
local PAGE <const>, LONGEST_PROMPT <const> = 1000, 2e6
-- Tokens of a text that is written to an instruction, and of that (assumptions).
local WRITTEN <const>, INSTRUCTION <const> = 1000, 200
-- Who reads pages as images, tokens of one, and those of its text (assumptions).
local PAGE_READER <const>, PAGE_IMAGE <const>, PAGE_TEXT <const> = "Qwen2.5-VL-7B", 2000, 700

-- What says that prompts are pages, or are to be translated.
local PAGES <const>, TRANSLATION <const> = { "%f[%w]ocr%f[%W]" }, { "%f[%a]translat" }

-- Tokens of an image that a model sees, and what says that prompts are such.
local IMAGE <const>, IMAGES <const> = 1300, { "%f[%a]images?%f[%A]", "%f[%a]photos?%f[%A]", "%f[%a]pictures?%f[%A]" }

-- The same of a film, as its frames are sampled.
local FILM <const>, FILMS <const> = 8192, { "%f[%a]videos?%f[%A]", "%f[%a]films?%f[%A]", "%f[%a]clips?%f[%A]", "%f[%a]movies?%f[%A]" }
local TRANSCRIPTS <const> = { "transcript", "subtitle", "comment", "title", "description" }

-- Words of tasks whose answer is a class, and its tokens (assumption).
local CLASSES <const>, CLASS <const> = { "classif", "moderat", "sentiment", "spam", "toxic" }, 10

-- Texts that are short by what they are called, with an instruction before them: tokens (assumption).
local SHORT <const>, SHORT_TEXT <const> = mentions.whole({ "tweets?", "comments?", "titles?", "headlines?", "messages?", "reviews?", "queries", "search queries",
  "sentences?", "posts?", "product names?", "utterances", "prompts of chat", "sms" }), 200

local model, params = proposals.model("a usual size of an open assistant", 8)
local device = proposals.device("H100")

-- The devices to choose from: that of the facts, or those that are rented where it is asked which.
local function devices_of(f)
  if f.which then return which.RENTED end
  return { f.usd_h and { device = f.device, price = f.usd_h } or f.device }
end

return {
  name = "batch", title = "Prompts offline", words = "Answer many prompts offline: how many devices, how long, for how much?",
  question = "batch_job", compares = "rented",
  facts = {
    tables.with(model, { propose = function(f)
      if f.of_pages == "yes" then return PAGE_READER, "an open model that reads pages as images" end
    end }),
    params, proposals.active, energy.grid_fact, { "of_pages", "Are the prompts pages to be read as images?", type = "boolean", title = "Pages as images" },
    { "of_images", "Are the prompts images?", type = "boolean", title = "Images" },
    { "of_short", "Are the prompts short texts?", type = "boolean", title = "Short texts" },
    { "of_films", "Are the prompts films?", type = "boolean", title = "Films" },
    { "of_classes", "Is a class all that is answered?", type = "boolean", title = "Classes" },
    { "as_long", "Are answers as long as their prompts, as translations are?", type = "boolean", title = "As long as prompts" },
    which.fact, tables.with(device, { propose = function(f)
      if not f.which then return device.propose(f) end
    end }), proposals.weights, proposals.kv,
    { "written_tokens", "How many tokens are written in all?", unit = "tok", title = "Tokens written" },
    { "read_tokens", "How many tokens are read in all?", unit = "tok", title = "Tokens read" },
    { "prompts", "How many prompts?", unit = "", title = "Prompts", ask = 2, also = { "items", "vectors", "examples" },
      propose = function(f)
        if f.written_tokens and f.read_tokens then
          return math.ceil(f.read_tokens / (f.input_tokens or PAGE)), "tokens read over those of a prompt", nil, nil, true
        elseif f.written_tokens then
          return math.ceil(f.written_tokens / (f.output_tokens or WRITTEN)), "tokens written over those of an answer", nil, nil, true
        elseif f.read_tokens then
          return math.ceil(f.read_tokens / (f.input_tokens or PAGE)), "tokens read over those of a prompt", nil, nil, true
        end
        return 1e6, "a million documents"
      end },
    { "input_tokens", "Tokens of a prompt?", unit = "tok", title = "Prompt", ask = 3, also = { "tokens", "seq_len" },
      propose = function(f)
        if f.of_pages == "yes" then return PAGE_IMAGE, "a page as an image of 1.5 million pixels, 784 of them a token (assumption)" end
        if f.of_images == "yes" then return IMAGE, "an image of a million pixels, 784 of them a token (assumption)" end
        if f.of_films == "yes" then return FILM, "32 frames of a film, 256 tokens each: its length is not modelled (assumption)" end
        if f.written_tokens and not f.read_tokens then return INSTRUCTION, "an instruction (assumption)" end
        if f.of_short == "yes" then return SHORT_TEXT, "a short text and what to do with it (assumption)", 80, 500 end
        return PAGE, "a page or two"
      end },
    { "output_tokens", "Tokens of an answer?", unit = "tok", title = "Answer", propose = function(f)
      if f.of_pages == "yes" then return PAGE_TEXT, "the text of a page" end
      if f.of_classes == "yes" then return CLASS, "the name of a class (assumption)", 1, 50 end
      if f.as_long == "yes" then return f.input_tokens, "as long as the prompt" end
      if f.written_tokens and f.read_tokens then
        return math.max(1, f.written_tokens / f.prompts), "tokens written over the prompts", nil, nil, true
      end
      if f.written_tokens then return WRITTEN, "a text of a page or two (assumption)" end
      return 200, "a summary"
    end },
    proposals.period,
    { "time_s", "Done within what time?", unit = "s", title = "Deadline", also = { "within_s", "horizon_s" }, propose = proposals.within_period },
    { "devices", "Devices there are at most?", unit = "", type = "integer", title = "Devices at most" },
    proposals.own_price,
  },
  -- Tokens in all are so many pages, and a rate is the prompts of a day.
  given = function(given, _, text)
    if mentions.any(text, PAGES) then given = tables.with({ of_pages = "yes" }, given) end
    if mentions.any(text, CLASSES) then given = tables.with({ of_classes = "yes" }, given) end
    if mentions.any(text, SHORT) then given = tables.with({ of_short = "yes" }, given) end
    if mentions.any(text, FILMS) and not mentions.any(text, TRANSCRIPTS) then given = tables.with({ of_films = "yes" }, given) end
    if mentions.any(text, IMAGES) and not given.of_pages then given = tables.with({ of_images = "yes" }, given) end
    if mentions.any(text, TRANSLATION) or mentions.any(text, vocabulary.AS_LONG) then given = tables.with({ as_long = "yes" }, given) end
    if given.rate_per_s and not given.prompts then
      given = tables.with(given, { prompts = given.rate_per_s * DAY_S, period_s = DAY_S })
      given.rate_per_s = nil
    end
    if not given.input_tokens or given.input_tokens < LONGEST_PROMPT or given.prompts then return given end
    return tables.with(given, { prompts = math.ceil(given.input_tokens / PAGE), input_tokens = PAGE })
  end,
  input = function(f)
    local format, kv = proposals.served_format(f.weights), proposals.served_kv(f.kv)
    return { model = proposals.model_of(f), devices = devices_of(f), prompts = f.prompts, deadline_s = f.time_s, period_s = f.period_s, gpus = f.devices,
      load = { input_tokens = math.tointeger(f.input_tokens // 1), output_tokens = math.tointeger(f.output_tokens // 1) },
      space = (format or kv) and { format = format, kv = kv } or nil }
  end,
}
