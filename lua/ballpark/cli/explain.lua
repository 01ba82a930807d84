-- ballpark explain: formula, units, validity and source of whatever has a name.
local catalog_names = require("ballpark.cli.catalog_names")
local errors = require("ballpark.errors")
local index = require("ballpark.cli.index")
local near = require("ballpark.near")
local options = require("ballpark.cli.options")
local result = require("ballpark.result")
local schedules = require("ballpark.schedules")
local topics = require("ballpark.cli.topics")
local units = require("ballpark.units")

local explain = {
  summary = "Explain any name or abbreviation: formula, units, validity, source",
  examples = {
    "ballpark explain",
    "ballpark explain gemm",
    "ballpark explain plan.tp",
    "ballpark explain mfu_frac",
    "ballpark explain TTFT",
    "ballpark explain validate",
  },
}

function explain.define(command)
  command:argument("name", "Name of a kernel, struct, field, column or unit, or an abbreviation. Default: list them.")
    :args("?")
  options.define_output(command)
end

local KINDS = { int = "whole number", num = "number", flag = "true or false", enum = "name",
  struct = "table", note = "text" }

-- Limits are shown as written in the field list, not scaled to a unit.
local function limit(value) return string.format("%.15g", value) end

local function range(field)
  if field.names then return table.concat(field.names, ", ") end
  if not field.min then return "" end
  if field.max == math.huge then
    return field.min == -math.huge and "any" or ("from " .. limit(field.min))
  end
  return limit(field.min) .. " to " .. limit(field.max)
end

local function default(field)
  if field.required then return "required" end
  if field.default == nil then return "" end
  if type(field.default) == "number" then return limit(field.default) end
  return tostring(field.default)
end

local function field_rows(schema)
  local rows = {}
  for i, field in ipairs(schema.fields) do
    rows[i] = { field.name, KINDS[field.kind], field.unit, default(field), field.doc }
  end
  return rows
end

local function add_fields(r, title, schema)
  r:table({ title = title, columns = {
    { name = "field", title = "field" }, { name = "kind", title = "kind" },
    { name = "base_unit", title = "unit" }, { name = "default", title = "default" },
    { name = "doc", title = "meaning" },
  }, rows = field_rows(schema) })
end

local TRAINING_PLAN <const> = "plan"
local CANNOT_BE_FREE <const> = "cannot be: list the values to compare"

-- How the fields of a training plan behave in a search.
local function add_search_behaviour(r, schema)
  local rows = {}
  for _, field in ipairs(schema.fields) do
    if field.kind ~= "note" then
      rows[#rows + 1] = { field.name, field.searched and "yes" or "", field.matters, field.free or CANNOT_BE_FREE }
    end
  end
  r:table({ name = "search", title = "In a search", columns = { { name = "field" },
    { name = "searched", title = "tried unasked" }, { name = "matters", title = "makes a difference when" },
    { name = "free", title = "'free' stands for" } }, rows = rows })
end

local function add_kernel(r, kernel)
  r:facts({ title = kernel.name .. ": " .. kernel.title,
    { name = "formula", title = "Formula", value = kernel.formula },
    { name = "validity", title = "Valid", value = kernel.validity },
    { name = "source", title = "Source", value = kernel.source },
    { name = "call", title = "In a scenario", value = "kernel." .. kernel.name .. "{...}" } })
  add_fields(r, kernel.name .. " takes", kernel.input)
  add_fields(r, kernel.name .. " gives", kernel.output)
end

-- How a field behaves in a search; said of the fields of training plans only.
local function behaviour(struct, field)
  local hide = struct.schema.name ~= TRAINING_PLAN or field.kind == "note"
  return { name = "matters", title = "Makes a difference", value = field.matters, hide = hide },
    { name = "free", title = "'free' stands for", value = field.free or CANNOT_BE_FREE, hide = hide },
    { name = "searched", title = "Tried unasked", value = field.searched and "yes" or "no",
      hide = hide }
end

local function add_field(r, entry)
  local field, struct = entry.field, entry.struct
  local made_by = struct.made_by
  if made_by and struct.seen[made_by.name .. " input"] then made_by = nil end -- given back as it came
  local function of_kernel(what, title)
    return { name = what, title = title, value = made_by and made_by[what], hide = not made_by }
  end
  local matters, free, searched = behaviour(struct, field)
  r:facts({ title = struct.schema.name .. "." .. field.name .. ": " .. field.doc,
    { name = "kind", title = "Kind", value = KINDS[field.kind] },
    { name = "base_unit", title = "Unit", value = field.unit == "" and "none" or field.unit },
    { name = "default", title = "Default", value = default(field), hide = default(field) == "" },
    { name = "range", title = "Allowed", value = range(field), hide = range(field) == "" },
    matters, free, searched,
    { name = "used_by", title = "Used by", value = table.concat(struct.used, ", ") },
    { name = "made_by", title = "From", value = made_by and ("kernel " .. made_by.name), hide = not made_by },
    of_kernel("formula", "Formula"), of_kernel("validity", "Valid"), of_kernel("source", "Source") })
end

local function add_column(r, column)
  r:facts({ title = column.name .. ": " .. column.title,
    { name = "formula", title = "Formula", value = column.doc },
    { name = "base_unit", title = "Unit", value = column.unit == "" and "none" or column.unit },
    { name = "validity", title = "Valid", value = column.validity, hide = not column.validity },
    { name = "source", title = "Source", value = column.source, hide = not column.source },
    { name = "kind", title = "Kind", value = "column of answers about training" } })
end

-- A name that an enumeration gives to a value, as in schedule = "gpipe".
local function add_value(r, entry, name)
  local field, struct = entry.field, entry.struct
  local schedule = schedules.of(name) or {}
  local function of_schedule(key, title)
    return { name = key, title = title, value = schedule[key], hide = not schedule[key] }
  end
  r:facts({ title = name .. ": a value of " .. struct.schema.name .. "." .. field.name,
    of_schedule("about", "Is"), of_schedule("formula", "Formula"), of_schedule("source", "Source"),
    { name = "doc", title = "Field", value = field.doc },
    { name = "range", title = "Values", value = range(field) },
    { name = "used_by", title = "Used by", value = table.concat(struct.used, ", ") } })
end

local function add_measured(r, column)
  r:facts({ title = column[1] .. ": " .. column[3],
    { name = "kind", title = "Kind", value = "column of a table of measured runs, " .. column[2] },
    { name = "call", title = "More", value = "ballpark explain validate" } })
end

local function add_word(r, entry)
  r:facts({ title = entry[1] .. ": " .. entry[2], { name = "meaning", title = "Meaning", value = entry[3] } })
end

-- What questions of scenarios call so.
local function add_asked(r, rows, name)
  r:table({ name = "questions", title = name .. " in questions of scenarios", rows = rows, columns = {
    { name = "question" }, { name = "what", title = "is" }, { name = "type" }, { name = "doc", title = "meaning" } } })
end

local function add_shown_unit(r, name, shown)
  r:facts({ title = name .. ": a unit of reports",
    { name = "makes", title = "Is", value = ("%s %s"):format(limit(shown.factor), shown.unit) } })
end

-- Names of the catalog, and of software, have pages of their own.
local function add_catalog(r, name)
  local kind, known = catalog_names.of(name)
  if not kind then return end
  r:facts({ title = ("%s: %s"):format(name, kind.what),
    { name = "known", title = "Is", value = known, hide = known == name },
    { name = "call", title = "More", value = kind.more:format(known) } })
end

local function add_objective(r, name, says)
  r:facts({ title = name .. ": an objective of searches",
    { name = "meaning", title = "Orders by", value = says },
    { name = "call", title = "In a search", value = "--objective " .. name } })
end

local function add_label(r, entry)
  r:facts({ title = entry[1] .. ", of reports", { name = "meaning", title = "Meaning", value = entry[2] } })
end

local function add_range_end(r, name, of)
  local low = name:find("_low$") ~= nil
  r:facts({ title = ("%s: %s end of the range of %s"):format(name, low and "lower" or "upper", of),
    { name = "validity", title = "Means", value = ("four true values in five are inside of the range, one in ten is %s")
      :format(low and "below" or "above") },
    { name = "formula", title = "Formula", value = "half^2 = law^2 + other^2 + ...: half in ln(true / estimate); "
      .. "law is what measured runs were off by that no fit had seen, and each other cause is independent of it" },
    { name = "call", title = "More", value = "ballpark explain " .. of } })
end

local function add_found(r, found, name)
  if found.word then add_word(r, found.word) end
  if found.label then add_label(r, found.label) end
  if found.kernel then add_kernel(r, found.kernel) end
  if found.struct then
    add_fields(r, name .. ": " .. found.struct.schema.doc, found.struct.schema)
    if name == TRAINING_PLAN then add_search_behaviour(r, found.struct.schema) end
  end
  if found.topic then topics.add(r, found.topic) end
  if found.column then add_column(r, found.column) end
  for _, entry in ipairs(found.fields) do add_field(r, entry) end
  for _, entry in ipairs(found.values) do add_value(r, entry, name) end
  if found.measured then add_measured(r, found.measured) end
  if found.objective and not (found.column or found.fields[1]) then add_objective(r, name, found.objective) end
  if found.asked and not (found.struct or found.topic) then add_asked(r, found.asked, name) end
  if found.range_of and #r.blocks == 0 then add_range_end(r, name, found.range_of) end
  if found.unit then
    r:facts({ title = name .. "(x)",
      { name = "makes", title = "Makes", value = found.unit } })
  end
  if found.uncertain then
    r:facts({ title = ("%s(%s)"):format(name, found.uncertain[1]),
      { name = "makes", title = "Gives", value = found.uncertain[2] } })
  end
end

-- `validate` is no kernel, but its table of columns and its rules for blanks are worth a name.
local function add_validate(r)
  local columns, rules = require("ballpark.measured.training_columns"), require("ballpark.resolve.training")
  r:table({ name = "columns", title = "Columns of a table of measured runs", columns = {
    { name = "column" }, { name = "kind" }, { name = "doc", title = "meaning" } },
    rows = columns.list })
  r:table({ name = "readings", title = "How the texts of columns are read", columns = {
    { name = "column" }, { name = "says", title = "reading" } },
    rows = require("ballpark.measured.training_facts").reference })
  r:table({ name = "rules", title = "What open facts mean, of tables and of scenarios, in the order of the rules",
    columns = { { name = "fact" }, { name = "says", title = "rule" } }, rows = rules.table() })
  r:table({ name = "finetuning_columns", title = "Columns of a table of measured fine-tuning runs", columns = {
    { name = "column" }, { name = "kind" }, { name = "doc", title = "meaning" } },
    rows = require("ballpark.measured.finetuning_columns").list })
  r:table({ name = "finetuning_readings", title = "How texts of its columns are read", columns = {
    { name = "column" }, { name = "says", title = "reading" } },
    rows = require("ballpark.measured.finetuning_facts").reference })
  r:table({ name = "inference_columns", title = "Columns of a table of published inference results", columns = {
    { name = "column" }, { name = "kind" }, { name = "doc", title = "meaning" } },
    rows = require("ballpark.measured.inference_columns").list })
  r:table({ name = "groups", title = "Groups of --group and --where that are no columns", columns = {
    { name = "table" }, { name = "group" }, { name = "says", title = "meaning" } },
    rows = require("ballpark.validate.traits").reference() })
  r:table({ name = "choices", title = "Figures of --choice", columns = { { name = "figure" }, { name = "says",
    title = "meaning" } }, rows = require("ballpark.validate.choice").doc })
  r:table({ name = "figures", title = "Targets and figures", columns = { { name = "column", title = "name" },
    { name = "says", title = "meaning" } }, rows = require("ballpark.validate.result").reference() })
  r:table({ name = "serving_columns", title = "Columns of points of a serving benchmark", columns = {
    { name = "column" }, { name = "kind" }, { name = "doc", title = "meaning" } },
    rows = require("ballpark.measured.serving_columns").list })
  r:table({ name = "memory_columns", title = "Columns of what engines print of their memory",
    columns = { { name = "column" }, { name = "kind" }, { name = "doc", title = "meaning" } },
    rows = require("ballpark.measured.memory_columns").list })
  r:table({ name = "throughput_columns", title = "Columns of published throughput", columns = {
    { name = "column" }, { name = "doc", title = "meaning" } },
    rows = require("ballpark.validate.throughput").columns })
end

local function list_all(r, names)
  local kernels, structs = {}, {}
  for i, kernel in ipairs(names.order) do kernels[i] = { kernel.name, kernel.title } end
  for name, struct in pairs(names.structs) do
    if not name:find(".", 1, true) then
      structs[#structs + 1] = { name, struct.schema.doc, #struct.schema.fields }
    end
  end
  table.sort(structs, function(a, b) return a[1] < b[1] end)
  r:table({ title = "Kernels", columns = { { name = "kernel" }, { name = "title" } }, rows = kernels })
  r:table({ title = "Structs", columns = { { name = "struct" }, { name = "title" },
    { name = "fields" } }, rows = structs })
  r:note("Fields, values (gpipe), columns, unit functions, questions (search) and abbreviations (TTFT) are explained "
    .. "by name too: ballpark explain mfu_frac. All abbreviations: ballpark help glossary.")
end

-- Everything that explains a name, as blocks of a result.
local function add_all(r, names, name)
  if name == "validate" then add_validate(r) end
  add_found(r, index.find(names, name), name)
  local called = #r.blocks == 0 and index.called(names, name)
  if called then add_found(r, index.find(names, called), called) end
  local shown = #r.blocks == 0 and units.shown(name)
  if shown then add_shown_unit(r, name, shown) end
  if #r.blocks == 0 then add_catalog(r, name) end
end

--- Whether anything explains each of many names: a function of a name.
function explain.knower()
  local names = index.build()
  return function(name)
    local r = result.new({ command = "explain" })
    add_all(r, names, name)
    return #r.blocks > 0
  end
end

function explain.run(chosen)
  local names = index.build()
  local r = result.new({ command = "explain" })
  if not chosen.name then
    list_all(r, names)
    return options.emit(r, chosen)
  end
  add_all(r, names, chosen.name)
  if #r.blocks == 0 then
    local meant = near.name(chosen.name, index.names(names))
    errors.usage("nothing is called '" .. chosen.name .. "'"
      .. (meant and (", did you mean '" .. meant .. "'?") or ", see ballpark explain"))
  end
  return options.emit(r, chosen)
end

return explain
