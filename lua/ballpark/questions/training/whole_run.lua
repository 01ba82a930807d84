-- The whole run behind a step: its time with what is lost, its cost and energy, and what it reads and
-- writes.
local core = require("ballpark.core")
local errors = require("ballpark.errors")

local run = {}

-- What a long run loses, where nothing is said: assumptions of a well-kept cluster. The failure rate
-- is the default of the kernel goodput.
local USUAL_LOSSES <const> = { checkpoint_s = 30, restart_s = 600 }

-- Power of the data centre over that of the devices, where nothing is said: as in searches.
run.PUE = core.usual_pue

-- Token ids as they are stored: 32-bit integers, or 16 bits where the vocabulary allows it.
local WIDE_BYTES <const>, NARROW_BYTES <const>, NARROW_VOCAB <const> = 4, 2, 1 << 16

--- The inputs of the kernel goodput: as given, else as usual. Nil where the input states the share itself.
function run.losses(input)
  if type(input.goodput) == "number" then return nil end
  local losses = { devices = input.cluster.network.devices }
  for field, value in pairs(USUAL_LOSSES) do losses[field] = value end
  for field, value in pairs(input.goodput or {}) do losses[field] = value end
  return losses
end

--- Refuses a goodput that is none, whether or not a run is asked about.
function run.check_goodput(input)
  local given = input.goodput
  if type(given) == "number" and not (given > 0 and given <= 1) then
    errors.input("goodput", ("must be a share of the run, above 0 and at most 1, got %.15g"):format(given))
  end
  if type(given) == "table" then core.goodput(run.losses(input)) end
end

-- What the kernel goodput says; or nil and why nothing is left of the time: with very many devices the
-- usual losses can eat all of it, which is an answer.
local function goodput_of(input)
  local losses = run.losses(input)
  if not losses then return { goodput_frac = input.goodput } end
  local ok, outcome = errors.attempt(core.goodput, losses)
  if ok then
    outcome.lost_frac = 1 - outcome.goodput_frac
    outcome.interruption_frac = outcome.rework_frac + outcome.restart_frac
    outcome.checkpoint_s = losses.checkpoint_s
    outcome.evaluation_frac, outcome.stall_frac = losses.evaluation_frac or 0, losses.stall_frac or 0
    return outcome
  end
  if input.goodput then error(outcome, 0) end
  return nil, outcome.message
end

--- Share of a run's time that makes progress: none where failures leave no time.
function run.progress(input)
  local goodput = goodput_of(input)
  return goodput and goodput.goodput_frac or 0
end

-- Stored bytes of a token; nil for images, whose files nobody can guess.
local function token_bytes(input)
  local given, model = input.token_bytes, input.model
  if given ~= nil and (type(given) ~= "number" or not (given > 0)) then
    errors.input("token_bytes", "must be the stored bytes of one token, got " .. tostring(given))
  end
  if given then return given end
  if model.arch == "vision" then return nil end
  return (model.vocab or NARROW_VOCAB) < NARROW_VOCAB and NARROW_BYTES or WIDE_BYTES
end

-- Whether a checkpoint holds the 14 bytes a parameter of Adam in mixed precision: other optimizers and formats have other
-- states, frozen weights have none, and adapters are saved by themselves.
local function saves_fourteen(plan)
  return plan.optimizer == "adam" and plan.precision ~= "fp32" and plan.precision ~= "tf32" and plan.master_bytes == 4
    and (plan.trained_layers or 0) == 0 and (plan.lora_rank or 0) == 0
end

-- What a run of the tokens reads, and what a checkpoint writes.
local function add_data(answer, input, plan, params)
  local network, bytes = input.cluster.network, token_bytes(input)
  if bytes then
    answer.token_bytes, answer.data_bytes = bytes, 0.0 + input.job.tokens * (bytes + 0.0)
    answer.input_bytes_s = answer.step_tok * bytes / answer.step_s
    answer.input_node_bytes_s = answer.input_bytes_s * math.min(network.node_size or 8, network.devices)
      / network.devices
  end
  if not saves_fourteen(plan) then return end
  local saved = core.checkpoints({ params = params.total_params, interval_s = 1, run_s = 0 })
  answer.checkpoint_bytes = saved.checkpoint_bytes
  local pause = answer.losses and answer.losses.checkpoint_s or 0
  answer.checkpoint_bytes_s = pause > 0 and saved.checkpoint_bytes / pause or nil
end

local function add_energy(answer, whole, input)
  answer.power_w, answer.pue = input.cluster.device.tdp_w, input.pue or run.PUE
  if (answer.power_w or 0) > 0 then answer.energy_j = whole.energy_j end
end

--- What a step costs and what a run of job.tokens takes; no run when the job names no tokens, and a
--- sentence `never` when failures leave no time.
---@param input table of an estimate, complete
---@param plan table
---@param params table what the kernel params says of the model
---@param step_s number
---@param usd_h number|nil USD per device-hour
function run.of(input, plan, params, step_s, usd_h)
  local job, devices = input.job, input.cluster.network.devices
  local step_tok = job.global_batch * job.seq_len
  local asked = { step_s = step_s, batch_tokens = step_tok, tokens = step_tok, devices = devices,
    price_usd_h = usd_h, power_w = input.cluster.device.tdp_w, pue = input.pue or run.PUE }
  local answer = { step_tok = step_tok, devices = devices, usd_h = usd_h, step_s = step_s }
  answer.step_usd = usd_h and core.run(asked).cost_usd
  if not job.tokens or job.tokens == 0 then return answer end
  answer.tokens = job.tokens
  local goodput, never = goodput_of(input)
  answer.never = never
  if not goodput then return answer end
  answer.goodput_frac = goodput.goodput_frac
  answer.losses = goodput.lost_frac and goodput or nil
  asked.tokens, asked.goodput_frac = job.tokens, goodput.goodput_frac
  local whole = core.run(asked)
  answer.steps, answer.run_s, answer.device_s = whole.steps, whole.wall_s, whole.device_s
  answer.cost_usd = usd_h and whole.cost_usd
  add_energy(answer, whole, input)
  add_data(answer, input, plan, params)
  return answer
end

return run
