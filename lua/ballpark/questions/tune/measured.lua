-- Runs that were measured, as plans of the job of a search: what a run does not say of its plan is as the search was
-- told or has it for all its plans, or follows by the rules.
local cells = require("ballpark.measured.cells")
local columns = require("ballpark.measured.training_columns")
local errors = require("ballpark.errors")
local following = require("ballpark.resolve.training.following")
local labels = require("ballpark.measured.labels")
local models = require("ballpark.catalog.models")
local near = require("ballpark.near")
local resolve = require("ballpark.resolve.training")
local simulated = require("ballpark.resolve.simulated")
local table_rows = require("ballpark.measured.table_rows")
local tables = require("ballpark.tables")
local training_facts = require("ballpark.measured.training_facts")

local measured = {}

-- A column that nobody knows is a slip where its name is nearly one of ours; others are the user's own.
local function check_slips(ignored, name)
  local known = {}
  for i, column in ipairs(columns.list) do known[i] = column[1] end
  for _, column in ipairs(ignored) do
    local meant = near.name(column, known)
    if meant then errors.input(name, ("column '%s': did you mean '%s'?"):format(column, meant)) end
  end
end

local function column_names()
  local names = tables.with(columns.beside or {})
  for _, column in ipairs(columns.list) do names[#names + 1] = column[1] end
  return names
end

local TARGETS <const> = { "step_s", "tokens_per_s_per_gpu", "status" }

local function check_header(header, name)
  local ignored = cells.check({ list = columns.list, beside = columns.beside, required = {}, targets = TARGETS }, header,
    name)
  check_slips(ignored, name)
  return ignored
end

--- Rows of a CSV table of runs of one job, and the names of columns nobody knows. Columns are those of `validate
--- training`; of them only a measurement is needed.
---@param text string
---@param name string of the file
---@return table[] rows
---@return string[] ignored
function measured.read(text, name)
  local rows, ignored = table_rows.read({ list = columns.list, row = columns.row, check = check_header }, text, name)
  for _, row in ipairs(rows) do row.from = ("%s, line %d"):format(name, row.line) end
  return rows, ignored
end

--- The same of a list of a scenario.
---@param list any
---@return table[] rows
function measured.listed(list)
  if list == nil then return {} end
  if type(list) ~= "table" then errors.input("measured", "must be a list of runs") end
  local rows = {}
  for i, item in ipairs(list) do
    local from = ("measured[%d]"):format(i)
    if type(item) ~= "table" then errors.input(from, "must be a table") end
    local meant, texts = cells.otherwise(columns.list, tables.sorted_keys(item)), {}
    for name, value in pairs(item) do texts[meant[name] or name] = tostring(value) end
    errors.only(from, texts, column_names())
    rows[i] = columns.row(texts)
    rows[i].from = from
  end
  return rows
end

-- What a name in a row means: a model's or a device's own name in the catalog, else the name as it is written.
local function meant(known, name) return known(name) or name:lower() end

-- What a row says of the job, which has to be that of the search. A model's name that nobody knows is the user's own word
-- for the run.
local function check_job(row, input)
  local model, device = input.model, input.cluster.device
  local same = { gpus = input.cluster.network.devices, seq_len = input.job.seq_len,
    global_batch_seqs = input.job.global_batch, layers = model.layers, hidden = model.hidden, heads = model.heads,
    kv_heads = model.kv_heads, ffn_hidden = model.ffn_hidden, experts = model.experts, topk = model.topk }
  local function other(name, said, searched)
    errors.input(row.from, ("%s is %s, the search's %s: a run of another job"):format(name, said, searched))
  end
  for _, name in ipairs({ "gpus", "seq_len", "global_batch_seqs", "layers", "hidden", "heads", "kv_heads", "ffn_hidden",
    "experts", "topk" }) do
    if row[name] and same[name] and row[name] ~= same[name] then other(name, row[name], same[name]) end
  end
  local gpu = row.gpu or row.gpu_label
  if gpu and device.name and meant(labels.resolve, gpu) ~= meant(labels.resolve, device.name) then
    other("gpu", gpu, device.name)
  end
  local known = row.model and models.resolve(row.model)
  if known and model.name and known ~= meant(models.resolve, model.name) then other("model", row.model, model.name) end
end

-- Settings that follow from the format of the matmuls.
local BY_FORMAT <const> = tables.set({ "quantized_params", "grad_bytes", "flash" })

-- How far the step that a rate means may be from the one that is stated beside it: rounding, and steps left out of means
-- (assumption).
local ROUNDED <const> = 0.1

local function step_of(row, input)
  local failed = training_facts.failed(row)
  if failed == nil then
    errors.input(row.from, ("status '%s' says neither that the run failed, as oom does, nor that it ended, as ok does"):format(row.status))
  end
  if failed then return nil end
  local rate, stated = row.tokens_per_s_per_gpu, row.step_s
  local by_rate = rate and input.job.global_batch * input.job.seq_len / (rate * input.cluster.network.devices)
  if stated and by_rate and math.abs(math.log(stated / by_rate)) > ROUNDED then
    errors.input(row.from, ("step_s is %.4g, and tokens_per_s_per_gpu means %.4g: not of one run of this job"):format(stated, by_rate))
  end
  if stated or by_rate then return stated or by_rate end
  errors.input(row.from, "says neither step_s nor tokens_per_s_per_gpu nor a status such as oom")
end

-- Settings that the plans of the search have in common without its being told, but for those that go with what the row
-- says itself.
local function in_common(input, said)
  local list, own = {}, following.fields(input.case)
  for name, value in pairs(input.plan or {}) do
    if not own[name] and (not BY_FORMAT[name] or said.precision == nil or said.precision == input.plan.precision) then list[name] = value end
  end
  return list
end

local function plan_of(row, input)
  local facts = input.case.facts
  local said, wrong = errors.try(training_facts.plan, row, input.cluster.network.devices)
  if wrong then errors.input(row.from, tostring(wrong)) end
  local stated = tables.with(tables.with(in_common(input, said), facts.plan), said)
  local case, refused = errors.try(resolve.resolve, tables.with(facts, { plan = stated }), { estimate = simulated.step })
  if refused then errors.input(row.from, tostring(refused)) end
  return case.plan
end

--- The run of a row: { plan, measured_s (nil: it failed), failed, from }.
---@param row table
---@param input table of a search, complete
function measured.run(row, input)
  if row.wrong then errors.input(row.from, row.wrong) end
  check_job(row, input)
  local seconds = step_of(row, input)
  return { plan = plan_of(row, input), measured_s = seconds, failed = seconds == nil, from = row.from }
end

return measured
