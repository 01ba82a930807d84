-- Rows that the serving targets have in common. A row speaks about one field of plan or engine:
--
--   name     setting that takes the value as it is
--   set      function(value, case) -> { {name, value}, ... } instead of name
--   cannot   text, or function(value, case) -> text or nil: why the target does not say it
--   usual    value that needs no setting
--   implied  true where other settings say it already
--   read, unsaid, elsewhere   how the value is read back, as in emit/settings.lua
local formats = require("ballpark.resolve.serving.formats")

local rows = {}

-- What engines call the tools of checkpoints.
local TOOLS <const> = { bitsandbytes = "int4", experts_int8 = "int8", fbgemm_fp8 = "fp8", modelopt = "fp8", modelopt_fp4 = "nvfp4",
  gptq_marlin = "int4", awq_marlin = "int4", w8a8_fp8 = "fp8", w8a8_int8 = "int8", gguf = "int4", petit_nvfp4 = "nvfp4", ptpc_fp8 = "fp8", modelopt_fp8 = "fp8", blockwise_int8 = "int8", nvfp4_online = "nvfp4",
  marlin = "int4", w4afp8 = "int4", auto_round_int8 = "int8" }

-- What engines call formats of the KV cache, besides those of checkpoints.
local CACHES <const> = { fp8_inc = "fp8", fp8_ds_mla = "fp8", fp8_per_token_head = "fp8", int8_per_token_head = "int8",
  int4_per_token_head = "int4", fp4_mx_block16 = "nvfp4", fp4_e2m1 = "nvfp4" }

--- Settings that say nothing of a plan, or what is read without them: `dtype` in 16 bit, the KV cache as the checkpoint
--- has it, and how replicas send it.
rows.plain = { dtype = { "half", "float16", "bfloat16" }, ["kv-transfer-config"] = true, ["disaggregation-mode"] = true,
  ["disaggregation-transfer-backend"] = true, ["model-path"] = true, nnodes = true }

local CHECKPOINT <const> = "the format is that of the checkpoint: take one that is quantised so"

-- Whether a model is published in other formats than the plan has.
local function is_published_otherwise(c)
  local published, plan = formats.published(c.model), c.plan
  if not published then return false end
  local experts = plan.experts == "auto" and plan.weights or plan.experts
  return published.weights ~= plan.weights or (published.experts or published.weights) ~= experts
end

-- The format that a word for the weights means, as an engine's option says it: of "compressed-tensors" and its kind the
-- checkpoint says more.
local function weight_format(word)
  if type(word) ~= "string" then return nil end
  word = word:lower():gsub("_marlin$", ""):gsub("-", "_")
  return TOOLS[word] or formats.is_named(word) and formats.named("plan.weights", word) or nil
end

-- Formats that an engine makes itself from a 16-bit checkpoint.
local function quantised(made, name)
  return {
    unsaid = "bf16", elsewhere = true, read = name and function(set) return weight_format(set[name]) end,
    set = function(value) return made[value] and name and { { name, made[value] } } or nil end,
    cannot = function(value, c)
      if made[value] or value == "bf16" and not is_published_otherwise(c) then return nil end
      return CHECKPOINT
    end,
    implied = function(value) return value == "bf16" end,
  }
end

--- Rows for the formats of weights: `made` are those the engine makes itself, by the setting `name`.
function rows.weights(made, name) return quantised(made, name) end

--- Row for the experts, which no engine stores in a format of their own unless the checkpoint does.
function rows.experts()
  return { usual = "auto", elsewhere = true, implied = function(value, c) return value == c.plan.weights end,
    cannot = function(value, c) return value ~= c.plan.weights and CHECKPOINT or nil end }
end

--- Row for ranks that share the tokens of a prompt.
function rows.cp()
  return { usual = 1, cannot = "set the engine's own context parallelism: its option differs from version to version" }
end

--- Row for blocks that stay for prompts that begin the same, which engines keep by themselves; `off` turns it off.
function rows.prefix_cache(off) return { usual = true, set = function() return { off } end } end

--- Row for what is multiplied.
function rows.activations()
  return { usual = "auto", elsewhere = true, cannot = "what is multiplied follows from the checkpoint's format" }
end

-- The format that a word for the KV cache means: "auto" is the checkpoint's, so that it states none.
local function kv_format(word)
  if type(word) ~= "string" or word == "auto" then return nil end
  if CACHES[word] or not formats.is_named(word) then return CACHES[word] end
  return formats.named("plan.kv", word)
end

-- Whether 16 bit are fp16 on the device of a case, which has no bf16 (Volta, Turing).
local function is_half(c) return c.device ~= nil and c.device.has_bf16 == false end

--- The settings that say so.
function rows.half(c) return is_half(c) and { { "dtype", "half" } } or {} end

--- Row for the KV cache; `name` takes the words of `words`. 16 bit is said as well: unless it is told an engine takes
--- the format that the checkpoint states.
function rows.kv(name, words)
  return {
    elsewhere = true, read = function(set) return kv_format(set[name]) end,
    set = function(value, c)
      local word = words[value]
      if value == "bf16" and is_half(c) then word = words.half or word end
      return word and { { name, word } } or nil
    end,
    cannot = function(value) return not words[value] and "the KV cache is kept in 16 bit or fp8" or nil end,
  }
end

--- Row for a share of memory: it is said only where the engine means the same by it.
function rows.memory(name, meaning)
  return {
    read = name, set = function(value, c) return c.engine.reserve == meaning and { { name, value } } or nil end,
    cannot = function(_, c)
      return c.engine.reserve ~= meaning and "the estimate's share is of something else (engine.reserve = "
        .. c.engine.reserve .. "), so its number cannot be passed on" or nil
    end,
  }
end

--- Row for the order of prompts and decoding, which is the engine's own.
function rows.policy(own)
  return { usual = own, cannot = "the order of prefill and decode is the engine's own" }
end

--- Row for drafted tokens; where a method is named, their number is: `read` finds it.
---@param where string
---@param read fun(set: table<string, any>): integer|nil
function rows.draft_tokens(where, read)
  return { usual = 0, elsewhere = true, cannot = "name the draft model or method, with this many tokens, in " .. where,
    read = function(set) return math.tointeger(tonumber(read(set))) end }
end

--- Row for planning a step while one runs; `off` is the flag that ends it.
---@param off string
function rows.overlap(off)
  return { usual = true, elsewhere = true, set = function(value) return not value and { { off, true } } or {} end,
    read = function(set)
      if set[off] then return false end
    end }
end

--- Row for the largest step that runs as a captured graph; `off` is the flag of an engine that captures none.
---@param off string
---@param row table what is said of other sizes
function rows.graphs(off, row)
  local function set(value)
    if value == 0 then return { { off, true } } end
    return row.name and { { row.name, value } } or {}
  end
  return { usual = row.usual, set = set, cannot = function(value) return value ~= 0 and row.cannot or nil end,
    read = function(settings)
      if settings[off] then return 0 end
      return row.name and settings[row.name]
    end }
end

--- Rows for the room for LoRA adapters: `limit` says how many, `on` turns it on where an engine has to be told.
function rows.adapters(limit, on)
  return { usual = 0,
    set = function(value)
      local settings = { { limit, value } }
      if on then table.insert(settings, 1, { on, true }) end
      return settings
    end,
    read = function(set) return (not on or set[on]) and set[limit] or 0 end }
end

--- Row for what a draft achieves, which is measured and not set.
function rows.acceptance()
  return { implied = function() return true end, cannot = function(_, c)
    return c.plan.draft_tokens > 0 and "what a draft achieves is measured, not set" or nil
  end }
end

return rows
