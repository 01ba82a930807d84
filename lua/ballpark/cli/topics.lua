-- What `explain` says of the questions a scenario can ask, from their records, and of what else is no struct of the
-- core.
local questions = require("ballpark.questions")
local launch_settings = require("ballpark.resolve.training.launch_settings")
local recompute_modules = require("ballpark.resolve.training.recompute_modules")

local topics = {}

topics.by_name = {
  recompute_modules = {
    title = "plan.recompute_modules: what backward computes again, in Megatron Core's words",
    of = "plan", column = "module",
    inputs = recompute_modules.reference(),
    notes = { "A list, as { 'mla_up_proj', 'moe' }, or one name, in place of plan.recompute. The space of a search "
      .. "takes the fields that they stand for: recompute_moe = { false, true }." },
  },
  stage_layers = {
    title = "plan.stage_layers: the layers of every stage of a pipeline, as { 10, 10, 10, 8 }",
    of = "plan",
    inputs = {
      { "pp", "follows: as many as there are numbers, or as plan.pp says where vpp numbers of each stage are given, "
        .. "stage after stage and round again" },
      { "first_layers", "layers of the first stage, and last_layers of the last: what the list stands for" },
    },
    notes = { "The numbers add up to the layers of the model; all stages between the ends have as many." },
  },
  software = {
    title = "software{...}: who trains it, and how that runs",
    inputs = launch_settings.reference({
      { "name", "as you know it: Megatron-LM, NeMo, torchtitan; ballpark catalog profiles lists the classes" },
      { "year", "of the software" },
      { "version", "its release; one called after its month, as 25.09, says the year" },
      { "attention_counted", "attention in the FLOP rates that it prints: full, causal or none; an estimate then says "
        .. "such a rate" },
    }),
    notes = { "software = 'NeMo' alone is its name.", launch_settings.scales() },
  },
  cluster = {
    title = "cluster{...}: devices and how they are connected",
    inputs = {
      { "device", "name of the catalog or a table of fields: ballpark explain device" },
      { "devices", "how many; or nodes" },
      { "node_size", "devices of a node" },
      { "domain", "devices that fast links join" },
      { "host_memory_bytes", "memory of one host in bytes, for what is offloaded; unknown unless given" },
      { "network", "network between nodes in words: '8x ConnectX-7 400 Gb/s InfiniBand', '1600 Gb/s RoCE per node'" },
      { "fabric", "the same by name: ballpark catalog clusters" },
      { "nic_bytes_s", "network bandwidth of a device, per direction: Gbit_s(400)" },
      { "price", "USD per device-hour, or the name of a provider" },
      { "name", "what reports call it; cluster('NAME', { … }) changes one of the catalog" },
    },
    notes = { "What is not given comes from the catalog of the device and is said under 'Assumed'." },
  },
}

-- Rows for what a question takes; the fields of its kernel, which `explain` lists beside it, are one row.
local function inputs_of(record)
  local rows, names = {}, {}
  for _, row in ipairs(record.inputs) do
    if row.kernel then names[#names + 1] = row[1] else rows[#rows + 1] = { row[1], row[2] } end
  end
  if names[1] then
    rows[#rows + 1] = { names[1], (names[2] and "and " .. table.concat(names, ", ", 2) .. ": " or "")
      .. "as the kernel " .. record.name .. " takes them" }
  end
  return rows
end

local function answers_of(record)
  local rows = {}
  for i, row in ipairs(record.outputs) do rows[i] = { row[1], row[3] } end
  return function(r)
    r:table({ name = "answer", title = "Answers", rows = rows,
      columns = { { name = "field" }, { name = "doc", title = "meaning" } } })
  end
end

for _, record in ipairs(questions.records()) do
  topics.by_name[record.name] = { title = record.name .. "{...}: " .. record.title, inputs = inputs_of(record),
    tables = table.move(record.tables or {}, 1, #(record.tables or {}), 2, { answers_of(record) }),
    notes = record.notes or {} }
end

--- The blocks of a topic in a result.
function topics.add(r, name)
  local topic = topics.by_name[name]
  if not topic then return end
  r:table({ name = name, title = topic.title, rows = topic.inputs,
    columns = { { name = topic.column or "input" }, { name = "doc", title = "meaning" } } })
  for _, add_table in ipairs(topic.tables or {}) do add_table(r) end
  for _, note in ipairs(topic.notes) do r:note(note) end
end

return topics
