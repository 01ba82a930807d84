-- What a prompt wants to know, by its words: an answer begins with it.
local api_price = require("ballpark.questions.ask.api_price")
local how_many = require("ballpark.questions.ask.how_many")
local mentions = require("ballpark.mentions")
local quantities = require("ballpark.questions.ask.wanted")

local asked = {}

-- Patterns of words for each.
local WORDS <const> = {
  memory = { "how much v?ram", "much vram", "how much gpu memory", "how much memory", "how many gi?b%f[%A]", "how many gigabytes", "how big",
    "memory to%f[%A]", "memory for%f[%A]", "memory of%f[%A]", "memory [%a ]*take", "vram for", "vram to%f[%A]", "vram need", "memory need", "memory require", "vram require", "memory footprint",
    "ram do i need", "memory does", "min%a* v?ram", "min%a* memory" },
  weights = { "how many gi?b is", "how many gi?b are", "how many gigabytes is", "download", "size of the weights", "size of the file", "file size",
    "how big is", "how large is", "disk space", "size on disk", "disk size" },
  cache = { "kv[ %-]?cache size", "size of [%a ]*kv[ %-]?cache", "how large [%a ]*kv[ %-]?cache", "how big [%a ]*kv[ %-]?cache",
    "how much [%a ]*kv[ %-]?cache", "^%W*kv[ %-]?cache", "kv[ %-]?cache for", "kv size", "kv[ %-]?cache memory", "kv[ %-]?cache gi?b" },
  cache_tokens = { "how many tokens [%a ]*fit", "tokens [%a ]*in [%a ]*kv", "tokens of kv", "how many tokens [%a ]*cache", "tokens [%a ]*kv[ %-]?cache hold" },
  context = { "longest context", "max%a* context", "what context", "which context", "how much context", "how long a context", "context can i",
    "context length can", "how many tokens of context", "max%a* ctx", "what ctx", "which ctx", "how much ctx", "longest ctx", "ctx can i",
    "double [%a ]*context", "double [%a ]*ctx", "more context", "how long can [%a ]*context", "context length [%a ]*fit", "how much context", "context [%a ]*possible", "possible context", "usable context" },
  batch = { "best batch", "optimal batch", "pick [%a ]*batch", "choose [%a ]*batch", "batch size for", "batch size should", "batch size do i", "what batch", "which batch", "largest batch", "max%a* batch", "biggest batch", "how large a batch", "how big a batch", "batch size can",
    "batch size i can", "batch size we can", "batch can i", "batch size fits", "batch size will fit", "batch size possible" },
  trained = { "trainable param", "trainable weights", "parameters does [%a ]*lora" },
  adapter = { "adapter size", "size of [%a ]*adapter", "size of [%a ]*lora", "lora size", "adapter file", "lora file", "how big [%a ]*lora", "how big [%a ]*adapter", "how large [%a ]*adapter", "how large [%a ]*lora" },
  largest = { "which llm", "what llm", "which models? can", "largest %a*%s?model", "biggest %a*%s?model", "best %a*%s?model", "best %a*%s?llm", "largest llm", "biggest llm", "best llm", "models? can i run", "llms? can i run",
    "max%a* model size", "largest model size", "biggest model size", "max%a* size", "what size [%a ]-models?%f[%A]", "which size [%a ]-models?%f[%A]", "what size llm", "size of model", "size model", "how big a %a*%s?model", "how big of an? %a*%s?model", "how large an? %a*%s?model", "models? can my",
    "models? could i run", "models? should i run", "models? can we run", "models? can it run" },
  home = { "at home", "locally", "home ?lab", "my own pc", "my own machine", "desktop", "gaming pc", "consumer", "to buy", "should i buy", "%f[%a]build%f[%A]" },
  step = { "seconds per step", "seconds a step", "time per step", "step time", "s/step", "sec per step", "how long is a step", "time of a step" },
  energy = { "electricity", "%f[%a]kwh%f[%A]", "%f[%a]watts?%f[%A]", "power draw", "power consumption", "how much power", "how much energy" },
  per_energy = { "tokens? per watt", "tokens? per joule", "tokens?/w", "tok/w", "tok/j", "tokens?/j", "tokens? per kwh", "energy efficien" },
  cheaper = { "cost", "cheap", "price", "%$", "dollar", "money" },
  whole = { "to generate", "to write %d", "to answer", "to produce", "to output %d" },
  tp = { "what tensor", "which tensor", "what tp%f[%A]", "which tp%f[%A]", "how many tp", "tensor parallel size" },
  requests_day = { "requests? per day", "requests? a day", "requests?/day", "req/day", "queries per day", "queries a day", "prompts a day", "prompts per day" },
  per_money = { "tokens? per dollar", "tokens? a dollar", "tokens?/%$", "tok/%$", "tokens? per %$", "tokens? per usd", "tokens? for a dollar" },
  token_price = { "%$ ?/ ?m%s?tok", "%$ ?/ ?1?m tok", "cost per million", "price per million", "per m%s?tok", "/m%s?tok" },
  cache_token = { "kv[%s%-]?cache [%a ]*per token", "kv[%s%-]?cache size per token", "kv per token", "per token kv", "kv[%s%-]?cache [%a ]*each token",
    "kv[%s%-]?cache [%a ]*a token" },
  tokens_month_done = { "tokens? ?/ ?month", "tokens? per month", "tokens? a month", "tok/month", "tokens? in a month" },
  tokens_day = { "tokens? ?/ ?day", "tokens? per day", "tokens? a day", "tok/day", "tokens? in a day" },
  rent = { "cost to run", "cost of running", "cost [%a ]*24/7", "24/7 cost", "to run [%w%.%- ]* 24/7", "running [%w%.%- ]* 24/7" },
  sound_day = { "audio [%a ]*per day", "audio [%a ]*a day", "speech [%a ]*per day", "transcribe per day", "transcribe a day", "transcribe in a day", "hours [%a ]*per day", "hours [%a ]*a day" },
  words = { "words per minute", "words per second", "words a minute", "words a second", "words/s", "words/min" },
  first_token = { "to prefill", "prefill time", "prefill take", "prefill %d", "time to first token", "ttft", "first token", "prompt processing", "process a prompt", "prompt takes?%f[%A]" },
  each = { "per user%W*", "each user", "per client", "for each user", "a user gets" },
  at_once = { "number of users", "max%a* users", "how many people", "how many concurrent", "how many users", "how many simultaneous", "how many requests at", "how many sequences", "max%a* concurren", "^%W*concurrency", "what concurrency", "which concurrency" },
  prefill = { "prefill [%a ]*throughput", "prefill speed", "prefill tok", "input tok%a*/s", "input tok%a* per sec", "input tok%a* a sec", "prompt tok%a*/s",
    "prompt tok%a* per sec", "tok%a*/s[%a%d ]* prefill", "tok%a*/sec[%a%d ]* prefill", "tok%a* per second[%a%d ]* prefill", "prefill [%a%d ]*tok%a*/s", "prefill [%a%d ]*tok%a* per sec" },
  optimizer = { "optimi[sz]er", "%f[%a]adamw?%f[%A]" },
  flop = { "flops? per token", "flops? [%a ]*one token", "flops? [%a ]*a token", "flops? to generate" },
  devices = { "min%a* number of", "minimum %a* to run", "fewest", "how many gpus", "how many cards", "how many devices" },
}

-- Words that ask for a context where no length is said: "4060 Ti 16GB context for Gemma 2 9B".
local CONTEXT_OF <const> = { "%f[%a]context for%f[%A]", "%f[%a]ctx for%f[%A]", "%f[%a]context on%f[%A]", "%f[%a]ctx on%f[%A]", "context size for", "context length for", "%f[%a]context%W*$", "%f[%a]ctx%W*$" }

-- Words that ask for the most of what stands behind them, over a word or two: "largest context", "max usable ctx".
local MOST <const>, MOST_OF <const> = { "largest", "longest", "biggest", "maximum", "max", "how long", "how large", "how big" }, {
  context = { "contexts?", "ctx" } }
for name, nouns in pairs(MOST_OF) do
  for _, most in ipairs(MOST) do
    for _, noun in ipairs(nouns) do table.insert(WORDS[name], "%f[%a]" .. most .. " ?[%a%-]* ?[%a%-]* " .. noun .. "%f[%A]") end
  end
end

--- Whether a text asks for one of them.
---@param name string
---@param text string|nil
function asked.is_about(name, text) return mentions.any(text, WORDS[name]) end

--- What a text asks for, by name; nothing of no text. usd_mtok is what an API asks for a million tokens, beside which the answer
--- is to stand.
---@param text string|nil
---@param given table<string, any> facts
---@return table<string, boolean|number>
function asked.of(text, given)
  local wanted = {}
  for name in pairs(WORDS) do wanted[name] = asked.is_about(name, text) or nil end
  local has_length = given.seq_len or given.context_tok or given.input_tokens or given.tokens
  wanted.context = wanted.context or not has_length and mentions.any(text, CONTEXT_OF) or nil
  for _, row in ipairs(quantities.of(text, given)) do
    if row.name == "memory" then wanted.memory = true end
  end
  wanted.devices = wanted.devices or how_many.is_asked(text) or nil
  wanted.usd_mtok, wanted.tokens_month = given.usd_mtok, given.tokens_month
  wanted.api_parts = api_price.parts(given)
  wanted.card_budget_usd = given.cost_usd
  wanted.seen_tok_s = given.seen_tok_s
  wanted.full_frac = given.utilization_frac
  wanted.answer_tok = given.output_tokens or given.written_tokens
  return wanted
end

return asked
