-- The answer of `ballpark validate training --choice` as a result.
local choice = require("ballpark.validate.choice")
local json = require("ballpark.json")
local new_result = require("ballpark.result").new

local choice_result = {}

local figures = {
  { name = "groups", title = "Groups" }, { name = "plans", title = "Plans" },
  { name = "mean_regret", title = "Regret", unit = "frac" }, { name = "median_regret", title = "Median", unit = "frac" },
  { name = "within_5", title = "Within 5 %", unit = "frac" }, { name = "pairs", title = "Pairs right", unit = "frac" },
  { name = "runs", title = "Runs" }, { name = "random_runs", title = "At random" },
}

local group_columns = {
  { name = "family", title = "Family" }, { name = "model", title = "Model" }, { name = "gpus", title = "Devices" },
  { name = "plans", title = "Plans" }, { name = "case_id", title = "Chosen" }, { name = "best_id", title = "Best" },
  { name = "regret", title = "Regret", unit = "frac" }, { name = "runs", title = "Runs" },
  { name = "random_runs", title = "At random" },
}

local function object(from, names)
  if not from then return json.null end
  local made = json.object({})
  for _, name in ipairs(names) do made[name] = json.or_null(from[name]) end
  return made
end

local function names_of(list, first)
  local names = { first }
  for _, column in ipairs(list) do names[#names + 1] = column.name end
  return names
end

local function objects(list, names)
  local made = json.array({})
  for i, item in ipairs(list) do made[i] = object(item, names) end
  return made
end

--- The promised JSON value: { summary, of_families, families, groups }; fractions, summary null without a group.
function choice_result.document(found)
  local names = names_of(figures)
  local group_names = names_of(group_columns)
  table.insert(group_names, "pairs")
  table.insert(group_names, "right")
  return { summary = object(found.summary, names), of_families = object(found.of_families, names),
    families = objects(found.families, names_of(figures, "family")), groups = objects(found.groups, group_names) }
end

local function with_name(figure, name)
  local row = { family = name }
  for _, column in ipairs(figures) do row[column.name] = figure[column.name] end
  return row
end

--- The result of choice.figures. options: rows (list all groups), name (of the table).
function choice_result.of(found, options)
  local r = new_result({ title = "Plans chosen by estimates: " .. options.name, command = "validate" })
  local rows = {}
  for i, family in ipairs(found.families) do rows[i] = with_name(family, family.family) end
  if found.summary then
    rows[#rows + 1] = with_name(found.of_families, "(mean of families)")
    rows[#rows + 1] = with_name(found.summary, "(all groups)")
  end
  local columns = table.move(figures, 1, #figures, 2, { { name = "family", title = "Family" } })
  r:table({ name = "choice", title = "Choice by family", columns = columns, rows = rows })
  if options.rows then r:table({ name = "choices", title = "Groups", columns = group_columns, rows = found.groups }) end
  if not found.summary then r:warn("No two rows differ in their plan only.") end
  for _, item in ipairs(choice.doc) do r:note(item[1]:gsub("_", " ") .. ": " .. item[2] .. ".") end
  local document = choice_result.document(found)
  r:document(document, document.groups)
  return r
end

return choice_result
