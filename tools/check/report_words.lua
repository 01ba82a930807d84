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
local function is_own(source, label) return source:find(label, 1, true) ~= nil end

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
  for _, label in ipairs(tree.sorted(labels)) do
    if not is_own(tree.read(root, labels[label]), label) and not knows(label) then
      complaints[#complaints + 1] = ("%s prints '%s', and explain does not know it"):format(labels[label], label)
    end
  end
  return complaints
end

return report_words
