-- Whether `ballpark explain` has an answer for whatever reports print as a label: titles of rows and of columns, and
-- the parts that a table lists.
local scenario = require("ballpark.scenario")
local overrides = require("ballpark.scenario.overrides")
local tree = require("tree")

local report_words = {}

-- Columns whose texts are names of ours, not data.
local NAMES <const> = { part = true, what = true, reason = true }

local function add(labels, label, path)
  if label and label ~= "" and not labels[label] then labels[label] = path end
end

local function add_table(labels, block, path)
  for i, column in ipairs(block.columns) do
    if not column.hide then add(labels, column.title, path) end
    for _, row in ipairs(NAMES[column.name] and not column.hide and block.rows or {}) do
      if type(row[i]) == "string" then add(labels, row[i], path) end
    end
  end
end

-- Questions whose reports the shipped scenarios do not show: nothing fits, a plan that is asked about, money, fleets
-- that break their SLO, two pools.
local MORE_NAME <const>, MORE <const> = "more questions", [[
local job = { global_batch = 64, seq_len = 8192, tokens = trillion(1) }
show(search { model = 'llama-3.1-70b', cluster = { device = 'H100', devices = 8 }, job = job, why = { tp = 4 } })
show(search { model = 'llama-3.1-8b', cluster = { device = 'H100', devices = 16 }, job = job, deadline_s = days(100),
  objective = { "time", "cost" }, space = { system = { device = { 'H100', 'A100' } } } })
show(budget { model = 'llama-3.1-8b', cluster = { device = 'H100' }, job = job, deadline_s = days(100) })
local fleet = { model = 'llama-3.1-8b', devices = 'H100', gpus = 8, load = { rate_per_s = 5, input_tokens = 1000,
  output_tokens = 200 }, sla = { ttft_s = 0.001 } }
show(serve_search(fleet))
show(serve { model = 'mixtral-8x7b', cluster = { device = 'H100', devices = 2 }, prefill_pool = { replicas = 1 },
  load = { arrivals = 'open', rate_per_s = 3, input_tokens = 1000, output_tokens = 200 }, replicas = 2 })
]]

--- The labels of the report of a result: label -> path.
function report_words.add(labels, result, path)
  for _, block in ipairs(result.blocks) do
    if block.kind == "table" and not block.hide then add_table(labels, block, path) end
    for _, fact in ipairs(not block.hide and block.items or {}) do
      if not fact.hide then add(labels, fact.title, path) end
    end
  end
end

-- Whether the author of a scenario has called something so.
local function is_own(source, label)
  return source:find('"' .. label, 1, true) ~= nil or source:find("'" .. label, 1, true) ~= nil
end

--- What nothing explains of the reports of scenarios. `knows(label)` says whether something does.
---@param root string of the repository
---@param paths string[] of scenarios
---@param knows fun(label: string): boolean
function report_words.check(root, paths, knows)
  local labels, complaints = {}, {}
  for _, path in ipairs(paths) do
    local result = scenario.run(scenario.load(root .. "/" .. path), { overrides = overrides.parse() })
    report_words.add(labels, result, path)
  end
  report_words.add(labels, scenario.run({ path = "more.lua", source = MORE }, { overrides = overrides.parse() }),
    MORE_NAME)
  for _, label in ipairs(tree.sorted(labels)) do
    local path = labels[label]
    local source = path == MORE_NAME and MORE or tree.read(root, path)
    if not is_own(source, label) and not knows(label) then
      complaints[#complaints + 1] = ("%s prints '%s', and explain does not know it"):format(path, label)
    end
  end
  return complaints
end

return report_words
