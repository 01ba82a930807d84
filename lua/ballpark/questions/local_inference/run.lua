-- local_inference{}: does a model fit a machine, how fast are prompt and generation, and what would be better.
local better = require("ballpark.questions.local_inference.better")
local core = require("ballpark.core")
local dealt = require("ballpark.resolve.local_inference.dealt")
local errors = require("ballpark.errors")
local memory = require("ballpark.questions.local_inference.memory")
local questions = require("ballpark.questions")
local range = require("ballpark.range")
local ranges = require("ballpark.range.local_inference")
local resolve = require("ballpark.resolve.local_inference")
local setups = require("ballpark.questions.local_inference.setups")
local tables = require("ballpark.tables")

local local_inference = {}

local LEAST_CHANCE <const> = 0.5

local function at(input, tokens) return core.local_inference(tables.with(input, { at_tok = tokens })) end

-- The range of a speed: of two kinds of device that which is known less well.
local function range_of(metric, answer)
  local input, widest = answer.input, nil
  for _, device in ipairs({ input.device, input.others > 0 and input.other or nil }) do
    local own = ranges.of(metric, { key = answer.resolved.key, device = device.name, architecture = device.architecture, vendor = device.vendor,
      sequences = input.sequences, kinds = ranges.kinds(input.model), unsaid_engine = answer.resolved.unsaid_engine })
    if not widest or own.high > widest.high then widest = own end
  end
  return widest
end

local function add_ranges(answer)
  local generation, prompt = range_of("generation", answer), range_of("prompt", answer)
  answer.range = { generation = range.times(generation, answer.out.tokens_per_s),
    full = range.times(generation, answer.full.tokens_per_s),
    prompt = range.times(prompt, answer.out.prompt_tokens_per_s) }
end

local function check(input)
  if input.others and not input.other then errors.input("others", "of which kind is not said: other") end
  for _, name in ipairs({ "sequences", "context_tok", "prompt_tok", "ubatch_tok", "devices", "others", "device_layers", "host_experts" }) do
    local value = input[name]
    if value ~= nil and not (math.type(value) == "integer" and value >= 0) then
      errors.input(name, "must be a whole number of at least 0")
    end
  end
  if (input.context_tok or 0) > 0 and (input.prompt_tok or 0) > input.context_tok then
    errors.input("prompt_tok", ("%d are more than the context's %d"):format(input.prompt_tok, input.context_tok))
  end
end

-- Layers with a host that nobody named: its bandwidth decides.
local function say_host(answer)
  local resolved = answer.resolved
  if resolved.host_assumed and answer.with_host then
    table.insert(resolved.assumed, ("host %s, %.0f GB/s of memory, none was given"):format(answer.input.host.name,
      answer.input.host.mem_bw_bytes_s / 1e9))
  end
end

-- One setup: speeds, memory and its chance.
local function of_setup(input, resolved)
  local full_input = resolved.input
  local answer = { kind = "local_inference", resolved = resolved, input = full_input, asked = input,
    out = at(full_input, dealt.behind_prompt(full_input)), full = at(full_input, full_input.context_tok) }
  answer.memory = memory.of(resolved, answer.out, input)
  answer.need_bytes, answer.usable_bytes = answer.memory.need_bytes, answer.memory.usable_bytes
  answer.fits_chance = answer.memory.fits_chance
  answer.fits = answer.fits_chance >= LEAST_CHANCE
  answer.max_context_tok = memory.longest(answer.memory, resolved)
  return answer
end

-- The setup as asked; where nobody said a format and 16 bit have no room, that with the narrower one.
local function as_asked(input)
  local answer = of_setup(input, resolve.of(input))
  local narrower = answer.resolved.narrower
  if answer.fits or not narrower then return answer end
  local asked = tables.with(input, { format = narrower })
  local resolved = errors.try(resolve.of, asked)
  if not resolved then return answer end
  table.insert(resolved.assumed, 1, ("weights in %s: none was given, and 16 bit do not fit"):format(narrower))
  return of_setup(asked, resolved)
end

local function finished(answer)
  answer.with_host = dealt.with_host(answer.input)
  add_ranges(answer)
  say_host(answer)
  return answer
end

--- Answers local_inference{}: { kind, fits, fits_chance, need_bytes, usable_bytes, out (generation behind the prompt),
--- full (at the end of the context), range = { generation, full, prompt }, max_context_tok, dealt_context_tok, with_host (words, or
--- nil), better, input, resolved }.
function local_inference.run(input)
  questions.check_known("local_inference", input)
  check(input)
  input = tables.with(input, { read = resolve.read(input) })
  local whole = as_asked(input)
  local changes = dealt.of(input, whole.resolved)
  whole.dealt_context_tok = memory.longest_dealt(input, whole.resolved)
  if not changes then
    whole.better = better.of(whole)
    return finished(whole)
  end
  local asked = tables.with(whole.asked, changes)
  local answer = of_setup(asked, resolve.of(asked))
  answer.dealt_context_tok, answer.better = whole.dealt_context_tok, better.of(whole, answer)
  finished(answer)
  table.insert(answer.resolved.assumed, 1, dealt.said(answer.input))
  return answer
end

--- Several setups in one answer: that of setups.shown, with `setups`, the answers in the order asked.
---@param inputs table[]
---@param axes string[] of setups.of
function local_inference.systems(inputs, axes)
  local answers = {}
  for i, input in ipairs(inputs) do
    local ok, answer = errors.attempt(local_inference.run, input)
    if not ok and answer.kind == "input" and #inputs > 1 then
      answer.message = ("%s (of %s)"):format(answer.message, setups.words(axes, input))
    end
    if not ok then error(answer, 0) end
    answers[i] = answer
  end
  return #answers > 1 and tables.with(setups.shown(answers), { setups = answers }) or answers[1]
end

return local_inference
