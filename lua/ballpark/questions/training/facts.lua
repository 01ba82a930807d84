-- Single values of answers about training with what is known of them: name, unit and title are made once
-- and shared by all answers, for a sweep makes a hundred facts of every point.
local columns = require("ballpark.questions.training.columns")
local fields = require("ballpark.fields")
local result = require("ballpark.result")

local facts = {}

-- Output fields of train_step by struct, sorted by name.
local sorted = {}

local function fields_of(group)
  if not sorted[group] then
    local list = fields.output("train_step", group)
    sorted[group] = table.move(list, 1, #list, 1, {})
    table.sort(sorted[group], function(a, b) return a.name < b.name end)
  end
  return sorted[group]
end

-- name -> description, one set for facts that people read and one for hidden ones.
local function descriptions(column_of)
  local function set(hide)
    return setmetatable({}, { __index = function(known, name)
      local column = column_of(name)
      known[name] = result.described({ name = name, unit = column.unit, title = column.title, hide = hide,
        stored = column.stored, tally = column.tally })
      return known[name]
    end })
  end
  return { shown = set(nil), hidden = set(true) }
end

local function described_field(group)
  return function(name)
    for _, field in ipairs(fields_of(group)) do
      if field.name == name then return { unit = field.unit, title = field.doc } end
    end
  end
end

local OWN = descriptions(function(name) return columns.by_name[name] end)
local FIELDS = { memory = descriptions(described_field("memory")), time = descriptions(described_field("time")),
  plan = descriptions(function(name) return { title = "plan." .. name } end) }

--- A fact of ballpark.questions.estimate.columns; `extra` is what differs from its column, and becomes the fact.
function facts.own(name, value, extra)
  extra = extra or {}
  extra.value = value
  return setmetatable(extra, OWN.shown[name])
end

--- The same, left out of what people read.
function facts.hidden(name, value) return setmetatable({ value = value }, OWN.hidden[name]) end

--- A fact of a field of answer.memory or answer.time.
function facts.field(group, name, value, extra)
  extra = extra or {}
  extra.value = value
  return setmetatable(extra, FIELDS[group].shown[name])
end

--- The same, left out of what people read.
function facts.hidden_field(group, name, value) return setmetatable({ value = value }, FIELDS[group].hidden[name]) end

-- Descriptions of the fields of a struct that are not in `but`, by name; made once for each `but`.
local bundles = {}

local function bundle_of(group, but)
  bundles[group] = bundles[group] or setmetatable({}, { __mode = "k" })
  local list = bundles[group][but]
  if list then return list end
  list = {}
  for _, field in ipairs(fields_of(group)) do
    if not but[field.name] then list[#list + 1] = FIELDS[group].hidden[field.name] end
  end
  bundles[group][but] = list
  return list
end

--- Hidden facts of all fields of a struct of an answer, by name; `but`, a table that stays, names those to
--- leave out.
function facts.all(list, group, values, but)
  list[#list + 1] = { bundle = bundle_of(group, but), values = values }
end

return facts
