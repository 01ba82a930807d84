-- Memory of a model that is called once for an answer, by the question that times it: encoders of texts and images, diffusion,
-- and speech to text.
local catalog = require("ballpark.catalog")
local encode = require("ballpark.questions.encode.run")
local errors = require("ballpark.errors")
local fits = require("ballpark.range.fits")
local halves = require("ballpark.halves")
local questions = require("ballpark.questions")
local shared_memory = require("ballpark.resolve.shared_memory")
local subject = require("ballpark.questions.inference.subject")
local tables = require("ballpark.tables")

local call = {}

-- What the driver and libraries take before a weight is loaded (nvidia-smi of PyTorch processes, recalled).
local CONTEXT_BYTES <const> = 0.5e9

-- The widest batch that is tried.
local MOST <const> = 1 << 16

-- The largest is known to a part in so many.
local GRAIN <const> = 64

-- Parts of memory { words, bytes } of a setup with so many inputs at one time, and the runtime.
local NEEDS <const> = {
  encode = function(setup, batch)
    local runtime = setup.software or "compiled"
    local answer = subject.forward(subject.of(setup.model), { device = setup.device, runtime = encode.runtime(runtime),
      batch = batch, tokens = setup.context_tok, dtype = setup.format })
    return { { "weights", answer.weights_bytes }, { "activations", answer.memory_bytes - answer.weights_bytes },
      { "context of the device", CONTEXT_BYTES } }, runtime
  end,
  diffusion = function(setup, batch)
    local answer = questions.runner("diffusion").run({ model = setup.model.name, device = setup.device, batch = batch,
      weights = setup.format, offload = setup.offload, runtime = setup.software })
    return answer.memory, setup.software or "eager"
  end,
  transcribe = function(setup, batch)
    local answer = questions.runner("transcribe").run({ model = setup.model, device = setup.device, batch = batch,
      weights = setup.format, software = setup.software })
    return answer.memory, answer.case.software.name
  end,
}

local function need_of(setup, batch)
  local parts, software = NEEDS[setup.call](setup, batch)
  return tables.total(parts, 2), parts, software
end

--- The row of a setup with its device, see rows.lua.
function call.row(setup)
  if setup.devices > 1 then
    errors.input("devices", setup.model.name .. " is on one device; more of them answer as many times as many")
  end
  local need, parts, software = need_of(setup, setup.batch)
  local usd_h = catalog.price_of(setup.device)
  local usable = shared_memory.usable(setup.device)
  return { format = setup.format or "fp16", software = software, need_bytes = need, usable_bytes = usable, parts = parts,
    fits_chance = fits.chance(need, usable, parts[1][2]), assumed = {}, usd_h = usd_h }
end

--- Fills in the largest batch that surely fits, by doubling and halves; 0 where not even one does.
function call.complete(row)
  local function holds(batch) return need_of(row.setup, batch) <= fits.room(row.usable_bytes) end
  local low, high = 0, 1
  while high <= MOST and holds(high) do low, high = high, 2 * high end
  row.max_batch = halves.largest(low, high, holds, GRAIN)
end

return call
