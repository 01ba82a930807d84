-- The answer of `ballpark validate training --search` as a result.
local held = require("ballpark.validate.held")
local json = require("ballpark.json")
local new_result = require("ballpark.result").new

local held_result = {}

local FIGURES <const> = {
  { name = "rows", title = "Rows" }, { name = "held", title = "Held", unit = "frac" },
  { name = "tight", title = "Tight", unit = "frac" }, { name = "memory", title = "No memory", unit = "frac" }, { name = "plain", title = "Plain", unit = "frac" },
  { name = "odd", title = "Odd", unit = "frac" }, { name = "unseen", title = "Unseen", unit = "frac" },
  { name = "gain", title = "Gain", unit = "frac" }, { name = "differs", title = "Differs" },
}

local ROW <const> = {
  { name = "case_id", title = "Row" }, { name = "family", hide = true }, { name = "verdict", title = "Published plan" },
  { name = "fits", title = "Fits", unit = "frac", hide = true }, { name = "reason", hide = true }, { name = "published", hide = true }, { name = "winner", title = "Winner" },
  { name = "launch", title = "Launch" }, { name = "gain", title = "Gain", unit = "frac" },
  { name = "differs", title = "Differs" },
}

local function object(from, columns, first)
  local made = json.object({})
  if first then made[first] = json.or_null(from[first]) end
  for _, column in ipairs(columns) do made[column.name] = json.or_null(from[column.name]) end
  return made
end

local function objects(list, columns, first)
  local made = json.array({})
  for i, item in ipairs(list) do made[i] = object(item, columns, first) end
  return made
end

--- The promised JSON value: { summary, of_families, families, rows }; fractions.
function held_result.document(found)
  return { summary = object(found.summary, FIGURES), of_families = object(found.of_families, FIGURES),
    families = objects(found.families, FIGURES, "family"), rows = objects(found.rows, ROW) }
end

local function named(figures, name)
  local row = { family = name }
  for _, column in ipairs(FIGURES) do row[column.name] = figures[column.name] end
  return row
end

--- The result of held.of. options: rows (list all), name (of the table).
function held_result.of(found, options)
  local r = new_result({ title = "Published plans in searches for their jobs: " .. options.name, command = "validate" })
  local rows = {}
  for i, family in ipairs(found.families) do rows[i] = named(family, family.family) end
  rows[#rows + 1] = named(found.of_families, "(mean of families)")
  rows[#rows + 1] = named(found.summary, "(all rows)")
  r:table({ name = "held", title = "Held by family", rows = rows,
    columns = table.move(FIGURES, 1, #FIGURES, 2, { { name = "family", title = "Family" } }) })
  if options.rows then r:table({ name = "rows", title = "Rows", columns = ROW, rows = found.rows }) end
  if #found.rows == 0 then r:warn("No row states its plan.") end
  for _, item in ipairs(held.doc) do r:note(item[1] .. ": " .. item[2] .. ".") end
  local document = held_result.document(found)
  r:document(document, document.rows)
  r.infeasible = #found.rows == 0
  return r
end

return held_result
