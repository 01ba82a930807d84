-- Rows that the serving targets have in common. A row speaks about one field of plan or engine:
--
--   name     setting that takes the value as it is
--   set      function(value, case) -> { {name, value}, ... } instead of name
--   cannot   text, or function(value, case) -> text or nil: why the target does not say it
--   usual    value that needs no setting
--   implied  true where other settings say it already
--   read     how the value is read back, as in emit/settings.lua
local rows = {}

local CHECKPOINT <const> = "the format is that of the checkpoint: take one that is quantised so"

-- Formats that an engine makes itself from a 16-bit checkpoint.
local function quantised(made, name)
  return {
    usual = "bf16",
    set = function(value) return made[value] and name and { { name, made[value] } } or nil end,
    cannot = function(value) return not made[value] and CHECKPOINT or nil end,
  }
end

--- Rows for the formats of weights: `made` are those the engine makes itself, by the setting `name`.
function rows.weights(made, name) return quantised(made, name) end

--- Row for the experts, which no engine stores in a format of their own unless the checkpoint does.
function rows.experts()
  return { usual = "auto", implied = function(value, c) return value == c.plan.weights end,
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
  return { usual = "auto", cannot = "what is multiplied follows from the checkpoint's format" }
end

--- Row for the KV cache; `name` takes the words of `formats`.
function rows.kv(name, formats)
  return {
    set = function(value) return formats[value] and { { name, formats[value] } } or nil end,
    cannot = function(value) return not formats[value] and "the KV cache is kept in 16 bit or fp8" or nil end,
    implied = function(value) return value == "auto" end,
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

--- Row for drafted tokens; where a method is named, their number is.
function rows.draft_tokens(where)
  return { usual = 0, cannot = "name the draft model or method, with this many tokens, in " .. where }
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

--- What a draft achieves is measured, not set.
function rows.acceptance() return { implied = function() return true end } end

return rows
