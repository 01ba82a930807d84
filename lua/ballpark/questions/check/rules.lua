-- Rules of thumb that an estimate in prose works out: 6 N D, the KV cache, a ring of all-reduces, the bubble of a pipeline, what
-- a day makes of a month.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local models = require("ballpark.catalog.models")
local slips = require("ballpark.lints.slips")
local units = require("ballpark.units")

local rules = {}

-- A figure agrees with a rule so far.
local AGREE <const> = 1.15

local function apart(a, b) return a > 0 and b > 0 and math.max(a / b, b / a) or math.huge end

local SCALES <const> = { k = 1e3, K = 1e3, m = 1e6, M = 1e6, b = 1e9, B = 1e9, t = 1e12, T = 1e12, million = 1e6, billion = 1e9, trillion = 1e12 }

-- The number that a pattern finds, with the scale behind it.
local function number_in(text, pattern)
  local digits, scale = text:match(pattern)
  local value = digits and tonumber((digits:gsub(",", "")))
  return value and value * (SCALES[scale or ""] or 1) or nil
end

-- Computation of a training run: "6ND = 4.2e22", "FLOPs = 4.2e22".
local function training(s, say)
  local said = number_in(s.text, "6%s?[%*x×]?%s?N%s?[%*x×]?%s?D%s*[=≈~]+%s*(%d[%d%.]*[eE]%+?%d+)")
    or s.lower:find("train") and number_in(s.text, "FLOPs?%s*[=≈~:]+%s*(%d[%d%.]*[eE]%+?%d+)")
  if not (said and s.params and s.tokens) then return end
  local right = 6 * s.params * s.tokens
  if apart(said, right) <= AGREE then return end
  local slip = slips.of(said, right, "FLOP")
  say(slip and slip.code or "contradiction", ("6 N D is said to be %.3g, and 6 x %s x %s is %.3g: %s"):format(said, units.format(s.params, ""),
    units.format(s.tokens, ""), right, slip and slip.text or ("off by %.3g"):format(apart(said, right))), slips.FIX)
end

-- The decoder that is spoken of, by its name.
local function decoder_in(text)
  for word in text:gmatch("%a[%w%-%.]+") do
    local name = models.resolve((word:gsub("[%-%.]+$", "")))
    if name and word:find("%d") and (catalog.model(name).arch or "decoder") == "decoder" then return catalog.model(name) end
  end
end

local BYTES <const> = { { "fp8", 1 }, { "int8", 1 }, { "8%-bit", 1 }, { "fp32", 4 } }

local function kv_cache(s, say)
  if not s.lower:find("kv[%s%-]cache") then return end
  local model, tokens = decoder_in(s.text), number_in(s.text, "(%d[%d,%.]*)([kK]?) tokens") or number_in(s.lower, "context of (%d[%d,%.]*)(k?)")
  if not (model and tokens) then return end
  local sequences = number_in(s.lower, "batch%D-(%d[%d,]*)") or number_in(s.lower, "(%d[%d,]*) sequences")
    or number_in(s.lower, "(%d[%d,]*) users") or 1
  local each = 2
  for _, row in ipairs(BYTES) do each = s.lower:find(row[1]) and row[2] or each end
  local right = core.kv_cache({ model = model, tokens = math.ceil(tokens) }).sequence_bytes * sequences * each / 2
  for _, figure in ipairs(s.figures) do
    if figure.unit == "B" and apart(figure.value, right) > AGREE then
      local ratio = right / figure.value
      local why = math.abs(ratio - 2) < 0.15 and "keys and values are two" or ("off by %.3g"):format(apart(figure.value, right))
      say("contradiction", ("a KV cache of %s, and %s keeps %s for %g x %g tokens: %s"):format(units.format(figure.value, "stored"), model.name,
        units.format(right, "stored"), sequences, tokens, why), "2 (keys, values) x layers x KV heads x width x bytes x tokens")
    end
  end
end

-- A ring sends 2 (P - 1) / P of the gradients over each link.
local function ring(s, say)
  local ranks = s.lower:find("all%-?reduce") and number_in(s.lower, "over (%d[%d,]*)")
  if not (ranks and s.params and s.lower:find("gradient")) then return end
  local bandwidth, time
  for _, figure in ipairs(s.figures) do
    if figure.unit == "B/s" then bandwidth = bandwidth or figure.value elseif figure.unit == "s" then time = time or figure.value end
  end
  if not (bandwidth and time) then return end
  local right = core.ring_rule({ bytes = 2 * s.params, ranks = math.tointeger(ranks), bw_bytes_s = bandwidth }).time_s
  if apart(time, right) <= AGREE then return end
  local forgotten = math.abs(right / time - 2) < 0.15
  say("contradiction", ("an all-reduce of %s, and a ring of %d takes %s for %s parameters in 16 bit: %s"):format(units.format(time, "s"), ranks,
    units.format(right, "s"), units.format(s.params, ""), forgotten and "everything goes round twice" or ("off by %.3g"):format(apart(time, right))),
    "2 (P - 1) / P x bytes / bandwidth")
end

local function bubble(s, say)
  local stages = s.lower:find("bubble") and number_in(s.lower, "(%d[%d,]*)%s+stages") or number_in(s.lower, "p%s*=%s*(%d+)")
  local batches = number_in(s.lower, "(%d[%d,]*)%s+micro%-?batches") or number_in(s.lower, "m%s*=%s*(%d+)")
  if not (s.lower:find("bubble") and stages and batches) then return end
  local of_step, of_ideal = (stages - 1) / (batches + stages - 1), (stages - 1) / batches
  for _, figure in ipairs(s.figures) do
    if figure.unit == "frac" and apart(figure.value, of_step) > 1.02 then
      local is_ideal = apart(figure.value, of_ideal) < 1.02
      say(is_ideal and "bubble_of_ideal" or "contradiction", ("a bubble of %s with %g stages and %g micro-batches%s: (p - 1) / (m + p - 1) is %s of the step")
        :format(units.format(figure.value, "frac"), stages, batches, is_ideal and " is that of the ideal time, (p - 1) / m" or "",
          units.format(of_step, "frac")), "say of what: of the step")
    end
  end
end

local SPANS <const> = { { "day", 1 }, { "week", 7 }, { "month", 30.4 }, { "year", 365 } }

-- Bytes by the day beside those by the month or the year.
local function by_day(s, say)
  local found = {}
  for digits, prefix, word in s.text:gmatch("(%d[%d,%.]*)%s*([KMGTP])i?B%s*[/aper]+n?%s*(%a+)") do
    for _, span in ipairs(SPANS) do
      if word:find("^" .. span[1]) then
        found[#found + 1] = { value = tonumber((digits:gsub(",", ""))) * ({ K = 1e3, M = 1e6, G = 1e9, T = 1e12, P = 1e15 })[prefix], span = span }
      end
    end
  end
  for i = 2, #found do
    local a, b = found[1], found[i]
    local right = a.value / a.span[2] * b.span[2]
    if a.span ~= b.span and apart(b.value, right) > AGREE then
      local slip = slips.of(b.value, right, "B")
      say(slip and slip.code or "contradiction", ("%s a %s, and %s a %s make %s: %s"):format(units.format(b.value, "stored"), b.span[1],
        units.format(a.value, "stored"), a.span[1], units.format(right, "stored"), slip and slip.text
        or ("off by %.3g"):format(apart(b.value, right))), slips.FIX)
    end
  end
end

-- More sequences than a batch has: its tokens.
local MOST_SEQUENCES <const> = 1e5

local function batch(s, say)
  local count = s.lower:find("batch") and number_in(s.lower, "(%d[%d,%.]*)(%a?)%s*sequences")
  if count and count >= MOST_SEQUENCES then
    say("tokens_as_sequences", ("a batch of %s sequences is one of so many tokens"):format(units.format(count, "")),
      "divide the tokens of a batch by those of a sequence")
  end
end

--- Checks the rules that a sentence works out: calls say(code, message, fix) for what is wrong.
---@param s table text, lower, figures, params and tokens that were spoken of last
function rules.check(s, say)
  for _, rule in ipairs({ training, kv_cache, ring, bubble, by_day, batch }) do rule(s, say) end
end

return rules
