-- Fields of a plan as columns of a table of plans. Where all plans have the usual value people do not see the column.
local plan_text = require("ballpark.questions.training.plan_text")

local plan_columns = {}

-- Formats of numbers are said in tables only where they are not the usual one.
local function is_always(field) return field.always and field.kind ~= "enum" end

-- States are sharded over all data-parallel ranks unless a plan says less.
local function usual_of(field, plan)
  if field.name == "shard" then return plan.zero == 0 and plan.shard or plan.dp * plan.cp end
  return field.default
end

-- A switch that all plans have alike stands in the line of the best one, and tells none apart.
local function differs(plans, field)
  for _, plan in ipairs(plans) do
    local other = plan[field.name] ~= usual_of(field, plan)
    if field.kind == "flag" then other = plan[field.name] ~= plans[1][field.name] end
    if other then return true end
  end
  return false
end

--- The columns of a table of these plans: { name, title, unit, hide }.
function plan_columns.of(plans)
  local list = {}
  for i, field in ipairs(plan_text.fields()) do
    list[i] = { name = field.name, title = field.label, unit = field.unit ~= "" and field.unit or nil,
      hide = not is_always(field) and not differs(plans, field) }
  end
  return list
end

--- Puts the fields of a plan into a row of that table.
function plan_columns.fill(row, plan)
  for _, field in ipairs(plan_text.fields()) do row[field.name] = plan[field.name] end
end

return plan_columns
