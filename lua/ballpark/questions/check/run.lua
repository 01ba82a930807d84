-- Whether a claim about a system is reasonable.
local calls = require("ballpark.questions.check.calls")
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local facts = require("ballpark.questions.check.facts")
local prices = require("ballpark.catalog.prices")
local questions = require("ballpark.questions")
local same_size = require("ballpark.questions.said.same_size")
local serving = require("ballpark.questions.check.serving")
local training = require("ballpark.questions.check.training")
local trainings = require("ballpark.questions.comparables.trainings")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local check = {}

local SERVED <const> = { "usd_mtok", "rate_per_s", "input_tokens", "output_tokens", "tpot_s", "ttft_s", "concurrency", "batch",
  "weights" }

-- What only one of the two has decides; a speed alone is that of training, unless a word says otherwise. And what is
-- assumed about it.
local function kind_of(claim, weights)
  if claim.kind then return claim.kind end
  if weights.finetune and claim.method and claim.method ~= "full" then
    errors.input("check", "checks no training of adapters, which skips gradients: 'ballpark finetune' estimates it")
  end
  if weights.finetune then return "training" end
  if claim.ttft_s or claim.tpot_s then return "serving" end
  if claim.tokens or claim.mfu_frac or claim.flop_s or claim.flop_s_device then return "training" end
  for _, name in ipairs(SERVED) do
    if claim[name] ~= nil then return "serving" end
  end
  if weights.llm or weights.batch then return "serving" end
  local open = (claim.tokens_per_s or claim.tokens_per_s_device) and not weights.training
  return "training", open and "the speed is that of training, 6 N FLOP a token: of a service say 'serving', 2 N" or nil
end

-- Money at a price of an hour is device time.
local function with_device_time(claim, usd_h)
  if claim.cost_usd and usd_h and not (claim.time_s or claim.device_s) then
    claim.device_s = claim.cost_usd / usd_h * 3600
  end
end

-- A run of a published model whose tokens nobody says had those that it was trained on; what is assumed then.
local function with_published_tokens(claim)
  local is_run = claim.time_s or claim.device_s or claim.cost_usd
  local published = is_run and not (claim.tokens or claim.tokens_per_s or claim.tokens_per_s_device or claim.mfu_frac) and trainings.of(claim.model)
  if not published then return nil end
  claim.tokens = published.tokens
  with_device_time(claim, claim.device and prices.get(catalog.device(claim.device).name))
  return ("%s, what it was trained on (%s)"):format(units.format(published.tokens, "tok"), published.source)
end

local function refuse(missing)
  local names, such = {}, {}
  for i, item in ipairs(missing) do names[i], such[i] = item[1], item[2] end
  errors.input("check", ("needs %s, such as '%s'"):format(table.concat(names, " and "), table.concat(such, ", ")))
end

-- Facts that say of what a claim is, and claim nothing but that it has room.
local OF_WHAT <const> = tables.set({ "model", "params", "active_params", "device", "devices", "weights", "kind" })

-- A verdict on a claim of which every figure went by unread would be none.
local function check_looked_at(answer)
  if not answer.unread[1] then return end
  for _, fact in ipairs(questions.record("check").facts) do
    if answer.claim[fact[1]] ~= nil and not OF_WHAT[fact[1]] then return end
  end
  errors.input("check", ("looks at nothing of what is claimed: %s; it looks at tokens, times, speeds, rates, lengths and money"):format(
    table.concat(answer.unread, ", ")))
end

--- Answers check{}: { kind, about (training, serving or calls), claim, known, contradictions, remarks, normal, comparable,
--- fits, assumed }.
function check.run(input)
  questions.check_known("check", input)
  local claim, weights, of_words, words = facts.of(input)
  same_size.check("check", claim)
  local what = facts.subject(claim)
  local about, assumed = "calls", nil
  if what.call then calls.take(claim) else about, assumed = kind_of(claim, weights) end
  if about ~= "calls" and about ~= "training" and about ~= "serving" then
    errors.choice("kind", tostring(about), { "training", "serving" })
  end
  -- Nobody trains on devices that do not hold weights and gradients: such a speed is that of a service.
  local is_open = about == "training" and assumed and what.params and claim.device
  if is_open and not training.has_room(claim, what) then
    about, assumed = "serving", "the speed is that of a service, 2 N FLOP a token: the devices do not hold what training needs"
  elseif is_open and not training.is_below_peak(claim, what) then
    about, assumed = "serving", "the speed is that of a service, 2 N FLOP a token: for training it is above the peak"
  end
  if about == "training" then
    with_device_time(claim, claim.usd_h)
    assumed = with_published_tokens(claim) or assumed
  end
  local how = ({ calls = calls, training = training, serving = serving })[about]
  local missing = how.missing(claim)
  if missing[1] then refuse(missing) end
  local device, price, price_source = facts.device(claim)
  local answer = { kind = "check", about = about, claim = claim, text = input.text, subject = what, device = device,
    contradictions = {}, remarks = {}, assumed = table.move(of_words, 1, #of_words, assumed and 2 or 1, { assumed }), price_source = price_source, unread = facts.unread(claim, words) }
  how.check(answer, claim, what, device, price)
  check_looked_at(answer)
  answer.fits = #answer.contradictions == 0
  return answer
end

return check
