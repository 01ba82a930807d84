-- local_inference{}: does a model fit a machine, how fast are prompt and generation, and what would be better.
local better = require("ballpark.questions.local_inference.better")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local memory = require("ballpark.questions.local_inference.memory")
local questions = require("ballpark.questions")
local range = require("ballpark.range")
local ranges = require("ballpark.range.local_inference")
local resolve = require("ballpark.resolve.local_inference")
local tables = require("ballpark.tables")

local local_inference = {}

local LEAST_CHANCE <const> = 0.5

local function at(input, tokens, context)
  return core.local_inference(tables.with(input, { at_tok = tokens, context_tok = context }))
end

local function add_ranges(answer)
  local resolved = answer.resolved
  local about = { key = resolved.key, device = answer.input.device.name, architecture = resolved.architecture }
  local generation, prompt = ranges.of("generation", about), ranges.of("prompt", about)
  answer.range = { generation = range.times(generation, answer.out.tokens_per_s),
    full = range.times(generation, answer.full.tokens_per_s),
    prompt = range.times(prompt, answer.out.prompt_tokens_per_s) }
end

local function check(input)
  for _, name in ipairs({ "context_tok", "prompt_tok", "devices", "device_layers", "host_experts" }) do
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
  if resolved.host_assumed and (answer.input.device_layers or (answer.input.host_experts or 0) > 0) then
    table.insert(resolved.assumed, ("host %s, %.0f GB/s of memory, none was given"):format(answer.input.host.name,
      answer.input.host.mem_bw_bytes_s / 1e9))
  end
end

--- Answers local_inference{}: { kind, fits, fits_chance, need_bytes, usable_bytes, out (generation behind the prompt),
--- full (at the end of the context), range = { generation, full, prompt }, max_context_tok, better, input, resolved }.
function local_inference.run(input)
  questions.check_known("local_inference", input)
  check(input)
  local resolved = resolve.of(input)
  local full_input = resolved.input
  local context = full_input.context_tok
  local answer = { kind = "local_inference", resolved = resolved, input = full_input, asked = input,
    out = at(full_input, math.min(full_input.prompt_tok, context), context), full = at(full_input, context, context) }
  answer.memory = memory.of(resolved, answer.out, input)
  answer.need_bytes, answer.usable_bytes = answer.memory.need_bytes, answer.memory.usable_bytes
  answer.fits_chance = answer.memory.fits_chance
  answer.fits = answer.fits_chance >= LEAST_CHANCE
  answer.max_context_tok = memory.longest(answer.memory, resolved)
  add_ranges(answer)
  say_host(answer)
  answer.better = better.of(answer)
  return answer
end

return local_inference
