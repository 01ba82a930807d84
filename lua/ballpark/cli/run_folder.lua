-- ballpark run FOLDER: every scenario of a folder as a page: what each checks and whether it holds, where a source slipped
-- and what catches it, and which lints are explained.
local errors = require("ballpark.errors")
local lfs = require("lfs")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")

local run_folder = {}

--- Names of the scenarios in a folder, sorted.
---@param folder string
---@return string[]
function run_folder.scenarios(folder)
  local names = {}
  for name in lfs.dir(folder) do
    if name:find("%.lua$") then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function add_slips(rows, found)
  for _, block in ipairs(found.blocks) do
    for _, row in ipairs(block.name == "slips" and block.rows or {}) do rows[#rows + 1] = row end
  end
end

-- Whether a lint is one of the slips, which have a table of their own.
local function is_shown(slips, where)
  for _, row in ipairs(slips) do
    if row[1] == where then return true end
  end
  return false
end

--- The page of a folder; infeasible where an expectation failed.
---@param folder string
---@param settings table for ballpark.scenario
---@return table result
function run_folder.page(folder, settings)
  local r, rows, slips, lints = result.new({ command = "run", title = folder }), {}, {}, {}
  local names = run_folder.scenarios(folder)
  if not names[1] then errors.usage(folder .. ": has no scenarios (*.lua)") end
  for i, name in ipairs(names) do
    local found = scenario.run(scenario.load(folder:gsub("/$", "") .. "/" .. name), settings())
    rows[i] = { name, found.title or name, #found.expectations, found:failed(), #found.lints }
    for _, e in ipairs(found.expectations) do
      if not e.ok then r:expectation(e) end
    end
    add_slips(slips, found)
    for _, lint in ipairs(found.explained) do
      if not is_shown(slips, lint.where) then lints[#lints + 1] = { name, lint.code, lint.because } end
    end
    for _, lint in ipairs(found.lints) do r.lints[#r.lints + 1] = lint end
  end
  r:table({ name = "scenarios", title = "Scenarios, and what of them holds", rows = rows, columns = { { name = "file" },
    { name = "title", title = "" }, { name = "checked" }, { name = "failed" }, { name = "lints" } } })
  if slips[1] then
    r:table({ name = "slips", title = "Where a source slipped, and what catches it", rows = slips, columns = {
      { name = "id", title = "" }, { name = "said", unit_column = "unit" }, { name = "right", unit_column = "unit" },
      { name = "unit", hide = true }, { name = "factor", title = "off by" }, { name = "code", title = "caught by" },
      { name = "prose", title = "in prose by" } } })
  end
  if lints[1] then
    r:table({ name = "explained", title = "Lints that the scenarios explain", rows = lints, columns = { { name = "file" },
      { name = "code", title = "lint" }, { name = "because" } } })
  end
  return r
end

return run_folder
