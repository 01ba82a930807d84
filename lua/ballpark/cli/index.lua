-- Everything that has a name: kernels, the structs and fields they read and write, result columns,
-- units. One index for `explain`, made from what the core says of itself.
local columns = require("ballpark.questions.training.columns")
local core = require("ballpark.core")
local glossary = require("ballpark.manual.glossary")
local objectives = require("ballpark.search.objectives")
local questions = require("ballpark.questions")
local kinds = require("ballpark.questions.ask.kinds")
local report_labels = require("ballpark.manual.report_labels")
local tables = require("ballpark.tables")
local topics = require("ballpark.cli.topics")
local uncertain = require("ballpark.uncertain")
local units = require("ballpark.units")

local index = {}

local function add_to(list_by_key, key, item)
  list_by_key[key] = list_by_key[key] or {}
  table.insert(list_by_key[key], item)
end

-- Fields of a schema, each schema once; `used` collects the kernels that read or write it.
local function add_schema(self, schema, kernel, direction)
  local known = self.structs[schema.name]
  if not known then
    known = { schema = schema, used = {}, seen = {} }
    self.structs[schema.name] = known
    for _, field in ipairs(schema.fields) do
      add_to(self.fields, field.name, { field = field, struct = known })
      for _, value in ipairs(field.names or {}) do add_to(self.values, value, { field = field, struct = known }) end
    end
  end
  local use = kernel .. " " .. direction
  if not known.seen[use] then
    known.seen[use] = true
    known.used[#known.used + 1] = use
    known.made_by = known.made_by or (direction == "output" and self.kernels[kernel] or nil)
  end
  for _, field in ipairs(schema.fields) do
    if field.schema then add_schema(self, field.schema, kernel, direction) end
  end
end

-- The input and output of a kernel may carry the kernel's name as theirs: keep them apart.
local function top_schema(schema, kernel, direction)
  return { name = kernel .. (direction == "input" and ".in" or ".out"), doc = schema.doc,
    fields = schema.fields }
end

-- Columns of tables of measured runs, by name.
local function measured_columns()
  local by_name = {}
  for _, column in ipairs(require("ballpark.measured.training_columns").list) do by_name[column[1]] = column end
  return by_name
end

-- What questions take and answer, by name; what several of them say in the same words is one row:
-- { "estimate, search", "input" | "answer", type, doc }.
local function of_questions()
  local by_name = {}
  local function add(name, record, what, type_of, doc)
    by_name[name] = by_name[name] or {}
    for _, row in ipairs(by_name[name]) do
      if row[2] == what and row[4] == doc then
        row[1] = row[1] .. ", " .. record.name
        return
      end
    end
    table.insert(by_name[name], { record.name, what, type_of, doc })
  end
  for _, record in ipairs(questions.records()) do
    for _, row in ipairs(record.inputs) do add(row[1], record, "input", row.type, row[2]) end
    for _, row in ipairs(record.outputs) do add(row[1], record, "answer", row[2], row[3]) end
  end
  for _, kind in ipairs(kinds.all()) do
    for _, row in ipairs(kind.facts) do
      if row.title then add(row.title, { name = "ask --kind " .. kind.name }, "fact " .. row[1], row.type or "number", row[2]) end
    end
  end
  return by_name
end

--- The index: kernels, structs, fields, their named values, columns of answers and of measured runs, units
--- and the questions of scenarios, all by name.
function index.build()
  local self = { kernels = {}, structs = {}, fields = {}, values = {}, columns = columns.by_name,
    measured = measured_columns(), units = units.makes, uncertain = uncertain.says, topics = topics.by_name, asked = of_questions(),
    order = core.kernels() }
  for _, kernel in ipairs(self.order) do
    self.kernels[kernel.name] = kernel
    add_schema(self, top_schema(kernel.input, kernel.name, "input"), kernel.name, "input")
    add_schema(self, top_schema(kernel.output, kernel.name, "output"), kernel.name, "output")
  end
  local serve = core.serve_about()
  add_schema(self, top_schema(serve.input, "serve", "input"), "serve", "input")
  add_schema(self, top_schema(serve.output, "serve", "output"), "serve", "output")
  local platform = core.platform_about()
  add_schema(self, top_schema(platform.input, "platform", "input"), "platform", "input")
  add_schema(self, platform.class, "platform", "input")
  add_schema(self, top_schema(platform.output, "platform", "output"), "platform", "output")
  add_schema(self, platform.class_output, "platform", "output")
  return self
end

-- `plan.tp`: the field in the struct of that name, or else in what a field of that name holds.
local function dotted(self, owner, name)
  local own, held = {}, {}
  for _, entry in ipairs(self.fields[name] or {}) do
    local struct = entry.struct.schema.name
    if struct == owner or struct == owner .. ".in" or struct == owner .. ".out" then own[#own + 1] = entry end
    for _, holder in ipairs(self.fields[owner] or {}) do
      if holder.field.schema and holder.field.schema.name == struct then
        held[#held + 1] = entry
        break
      end
    end
  end
  return #own > 0 and own or held
end

--- What `name` (a kernel, struct, field, path such as plan.tp or gemm.in.k, column, unit, label of reports or word of
--- the glossary) means: {kernel=, struct=, fields={}, values={}, column=, measured=, unit=, topic=, word=, label=, asked=,
--- objective=, range_of=}; nothing found leaves all of them out. range_of: of step_s_low it is step_s.
function index.find(self, name)
  local owner, last = name:match("^([%w_%.]+)%.([%w_]+)$")
  local ranged = name:match("^(.+)_low$") or name:match("^(.+)_high$")
  return {
    range_of = ranged and (self.columns[ranged] or self.fields[ranged]) and ranged or nil,
    kernel = self.kernels[name],
    struct = self.structs[name],
    fields = owner and dotted(self, owner:match("([%w_]+)$") == "in" and owner or owner, last)
      or self.fields[name] or {},
    column = self.columns[name],
    unit = self.units[name], uncertain = self.uncertain[name],
    values = self.values[name] or {},
    measured = self.measured[name],
    word = glossary.find(name),
    label = report_labels.find(name),
    objective = objectives.says(name),
    asked = self.asked[name],
    topic = self.topics[name] and name or owner and (self.topics[last] or {}).of == owner and last or nil,
  }
end

--- All names that `explain` knows, sorted.
function index.names(self)
  local set = {}
  for _, group in ipairs({ self.kernels, self.structs, self.fields, self.columns, self.units, self.uncertain, self.values,
    self.measured, self.topics, self.asked }) do
    for name in pairs(group) do set[name] = true end
  end
  for _, list in ipairs({ glossary.names(), report_labels.names(), objectives.names }) do
    for _, name in ipairs(list) do set[name] = true end
  end
  return tables.sorted_keys(set)
end

-- "KV cache", "kv_cache" and "KV-cache" are one form.
local function form(text) return (text:lower():gsub("[%s_%-]+", " ")) end

-- Of "TTFT, P99", "recall, low" and "Replicas, mean" what stands before the comma, and of several the one.
local function shorter(text)
  local head = text:match("^(.-),")
  if head and head ~= "" then return head end
  return text:match("^(.+)s$")
end

-- What reports call a field of a struct: its label, and its words without what a value fills in.
local function labels_of(field)
  local list = { field.label }
  if field.words then list[#list + 1] = field.words:gsub("%%[%d%.]*%a", ""):match("^%s*(.-)%s*$") end
  return list
end

local function called(self, wanted)
  for _, name in ipairs(index.names(self)) do
    if form(name) == wanted then return name end
  end
  for _, name in ipairs(tables.sorted_keys(self.columns)) do
    if form(self.columns[name].title or "") == wanted then return name end
  end
  for _, name in ipairs(tables.sorted_keys(self.fields)) do
    for _, entry in ipairs(self.fields[name]) do
      for _, label in ipairs(labels_of(entry.field)) do
        if label ~= "" and form(label) == wanted then return name end
      end
    end
  end
end

--- The name of the thing that a report calls `text`, in any case, with spaces, underlines or hyphens, one or several;
--- nil where there is none.
function index.called(self, text)
  while text do
    local name = called(self, form(text))
    if name then return name end
    text = shorter(text)
  end
end

return index
