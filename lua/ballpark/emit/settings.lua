-- Walks a target's rows. A row speaks about one field of the plan:
--
--   name      setting that takes the field's value as it is
--   set       function(value, launch) -> { {name, value}, ... } instead of name
--   cannot    text, or function(value, launch) -> text or nil: why the target does not say it (all)
--   usual     value that needs no setting: what the target does anyway
--   implied   function(value, launch) -> true where other settings say it already
--
-- and how the field is read back (emit/backwards.lua), where trying the field's values does not say it:
--
--   read      name of the setting that holds it, or function(settings by name, launch) -> value or nil
--   unsaid    value where nothing says it, if that is not the usual one
--   elsewhere true where another than the program says it (the client's code, the checkpoint): silence of a file that
--             we did not write states nothing
--   values    values to try of a field that has no list of its own
--
-- A field without a row is named as not expressed unless it has its default, so that a field that the
-- core learns tomorrow is not dropped.
local launch = require("ballpark.emit.launch")

local settings = {}

local function reason_of(row, value, c)
  if type(row.cannot) == "function" then return row.cannot(value, c) end
  return row.cannot
end

local function settings_of(row, value, c)
  if row.set then return row.set(value, c) or {} end
  if row.name then return { { row.name, value } } end
  return {}
end

local function take(row, field, c, found, missing)
  local value = c.plan[field.name]
  if row.usual ~= nil and value == row.usual then return end
  local pairs_of, reason = settings_of(row, value, c), reason_of(row, value, c)
  for _, pair in ipairs(pairs_of) do found[#found + 1] = pair end
  if reason then
    missing[#missing + 1] = { field = "plan." .. field.name, value = value, reason = reason }
  elseif #pairs_of == 0 and not (row.implied and row.implied(value, c)) then
    error("no setting and no reason for plan." .. field.name .. " = " .. tostring(value))
  end
end

--- Settings of the target in the order of the plan's fields after those of model and job, and what it
--- cannot express: { {field =, value =, reason =}, ... }.
---@param target table { rows = {[field] = row}, shape = function(launch) -> settings, missing }
function settings.of(target, c)
  local found, missing = target.shape(c)
  for _, field in ipairs(launch.plan_fields()) do
    local row = target.rows[field.name]
    if c:means(field.name) then
      if row then
        take(row, field, c, found, missing)
      elseif c.plan[field.name] ~= field.default then
        missing[#missing + 1] = { field = "plan." .. field.name, value = c.plan[field.name],
          reason = "no setting of " .. target.title .. " is known for it" }
      end
    end
  end
  return found, missing
end

return settings
