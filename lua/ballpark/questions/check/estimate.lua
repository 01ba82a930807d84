-- What is estimated for a service as it is claimed: the tokens that a replica writes for so many sequences, or a file on
-- one's own machine.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local facts = require("ballpark.questions.check.facts")
local formats = require("ballpark.resolve.serving.formats")
local local_inference = require("ballpark.questions.local_inference.run")
local serving = require("ballpark.questions.serve.run")

local estimate = {}

-- Tokens of a prompt and of an answer that nobody says: assumption, as of one replica in `ballpark ask`.
local PROMPT <const>, ANSWER <const> = 1000, 300

local function on_own_machine(claim, what, device, devices, sequences)
  local found = local_inference.run({ model = facts.shape(what), device = device, devices = devices, format = claim.weights,
    sequences = sequences, prompt_tok = claim.input_tokens, context_tok = claim.input_tokens and claim.input_tokens
      + (claim.output_tokens or 0) })
  if not found.fits then return nil end
  return found.out.tokens_per_s, found.range.generation.high, "local"
end

-- Sequences of a replica that are simulated at most: engines run some thousand at one time, the others wait and change no speed.
local MOST_SEQUENCES <const> = 8192

local function of_replica(claim, what, device, devices, sequences)
  local found = serving.run({ model = facts.shape(what), cluster = catalog.cluster({ device = device, devices = devices }),
    plan = claim.weights and { checkpoint = formats.named("weights", claim.weights) } or nil,
    load = { input_tokens = claim.input_tokens or PROMPT, output_tokens = claim.output_tokens or ANSWER, arrivals = "closed",
      concurrency = math.min(sequences, MOST_SEQUENCES) } })
  if not found.fits then return nil end
  local seen = found.seen.tpot.mean_s
  return found.seen.output_tok_s, found.seen.output_tok_s * seen / found.range.tpot_s.low, "serve"
end

--- Tokens a second that all sequences of a claim write together: the estimate, the upper end of its 80 % range, and the
--- command that says more. Nil where the estimate needs what the claim does not say.
---@param claim table
---@param what table of facts.subject
---@param device table
---@param sequences number at one time
---@return number|nil per_s
---@return number|nil high
---@return string|nil command
function estimate.of(claim, what, device, sequences)
  sequences = math.tointeger(sequences)
  if not sequences then return nil end
  local is_file = claim.weights and facts.WEIGHT_BYTES[claim.weights] == nil
  local per_s, high, command = errors.try(is_file and on_own_machine or of_replica, claim, what, device, claim.devices or 1, sequences)
  if per_s then return per_s, high, command end
end

return estimate
