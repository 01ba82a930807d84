-- What a family of configs is: a declarative mapping from Hugging Face keys to our fields.
--
--   fixed     fields that the architecture decides, not the config
--   keys      our field = key, or list of keys of which the first that is written counts
--   flags     the same for true/false
--   needed    fields that have to be given; `keys` says by which key
--   defaults  what the architecture takes for keys that are missing
--   harmless  keys without influence on the shape, beyond those of every config
--   rules     functions (reader, model) for all that is not one key for one field
local family = {}

local MAPS = { "fixed", "keys", "flags", "defaults" }
local LISTS = { "needed", "rules" }

--- A family like `base` with changes: maps are merged (in keys and flags, false removes an entry),
--- harmless keys added, rules and needed replaced when given. A family of its own extends {}.
function family.extend(base, changes)
  local made = { harmless = {} }
  for _, name in ipairs(MAPS) do
    made[name] = {}
    for k, v in pairs(base[name] or {}) do made[name][k] = v end
    for k, v in pairs(changes[name] or {}) do made[name][k] = v end
  end
  for _, name in ipairs(LISTS) do
    made[name] = changes[name] or base[name] or {}
  end
  made.harmless = table.move(base.harmless or {}, 1, #(base.harmless or {}), 1, {})
  table.move(changes.harmless or {}, 1, #(changes.harmless or {}), #made.harmless + 1, made.harmless)
  return made
end

--- A copy of a rule list with more at its end.
function family.with_rules(base, ...)
  local more = { ... }
  local made = table.move(base.rules or {}, 1, #(base.rules or {}), 1, {})
  return table.move(more, 1, #more, #made + 1, made)
end

return family
