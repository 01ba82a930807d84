-- The layers of the Lua library: which module may require which, and that folders beside each other inside a group
-- (questions/serve and questions/serve_search) do not need each other in a circle. A module belongs to the group of
-- its first name below ballpark: ballpark.report and ballpark.report.csv are both "report".
local tree = require("tree")

local lua_layers = {}

-- The layers from the lowest to the highest. A folder or module may require those of its own layer and of the layers
-- below it. Those of one layer must not need each other in a circle.
local LAYERS = {
  { "blanks", "dimensions", "divisors", "halves", "mentions", "near", "number_list", "printable", "tables" },
  { "errors", "lua_source", "name_length", "remembered", "term" },
  { "csv", "files", "json", "quantity", "result", "units" },
  { "report" },
  { "core" },
  { "edition", "sealed", "store", "interrupt" },
  { "catalog", "fields", "lints", "schedules", "uncertain" },
  { "hf", "rules" },
  { "resolve" },
  { "range" },
  { "search" },
  { "measured" },
  { "questions" },
  { "validate" },
  { "calibrate" },
  { "emit" },
  { "from" },
  { "init", "manual", "meta", "scenario" },
  { "cli", "embedded" },
}

local height = {}
for rank, groups in ipairs(LAYERS) do
  for _, group in ipairs(groups) do height[group] = rank end
end

-- Libraries from outside, and who may require them.
local LIBRARIES = {
  argparse = { cli = true }, dkjson = { hf = true, json = true }, ["luasql.sqlite3"] = { store = true },
  lfs = { cli = true, edition = true, files = true, hf = true, lints = true, questions = true, rules = true, scenario = true },
  readline = { cli = true },
  term = { term = true },
}

local function group_of(module)
  return module == "ballpark" and "init" or module:match("^ballpark%.([%w_]+)") or module
end

local function group_of_path(path)
  return path:match("^lua/ballpark/([%w_]+)")
end

local function allows(group, wanted)
  if (LIBRARIES[wanted] or {})[group] then return true end
  return height[wanted] ~= nil and height[wanted] <= height[group]
end

-- The line without its comment; good enough where no string holds "--".
local function code_of(line) return (line:gsub("%-%-.*$", "")) end

-- require under another name would hide what a module sees. What may follow the word: a call, or the
-- comma of pcall(require, ...).
local function hides_require(code)
  for behind in code:gmatch("%f[%w_]require%f[^%w_]%s*([^%s]?)") do
    if not behind:find("[%(\"',]") then return true end
  end
  return code:find("[\"']require[\"']") ~= nil
end

-- Who of a layer requires whom of the same layer, with the first place: beside[group][wanted] = { path, line }.
local function add_neighbour(beside, group, wanted, path, number)
  if group == wanted or height[group] ~= height[wanted] then return end
  beside[group] = beside[group] or {}
  beside[group][wanted] = beside[group][wanted] or { path, number }
end

-- Whether `from` needs `to`, by itself or through others of their layer.
local function needs(beside, from, to, seen)
  if seen[from] then return false end
  seen[from] = true
  for wanted in pairs(beside[from] or {}) do
    if wanted == to or needs(beside, wanted, to, seen) then return true end
  end
  return false
end

local function check_circles(beside, complain)
  for _, group in ipairs(tree.sorted(beside)) do
    for _, wanted in ipairs(tree.sorted(beside[group])) do
      if needs(beside, wanted, group, {}) then
        local place = beside[group][wanted]
        complain(place[1], place[2], ("'%s' and '%s' need each other"):format(group, wanted))
      end
    end
  end
end

-- The folder of a module inside its group, as "questions/serve"; nil where it lies in the group itself.
local function inner_folder(path) return path:match("^lua/ballpark/([%w_]+/[%w_]+)/") end

-- Who of the inner folders requires whom, as add_neighbour has it for groups.
local function add_inner(beside, path, module, files, number)
  local own, file = inner_folder(path), "lua/" .. module:gsub("%.", "/")
  local other = files[file .. ".lua"] and inner_folder(file .. ".lua") or files[file .. "/init.lua"] and inner_folder(file
    .. "/init.lua")
  if not own or not other or own == other then return end
  beside[own] = beside[own] or {}
  beside[own][other] = beside[own][other] or { path, number }
end

local function check_file(path, files, beside, complain)
  local group = group_of_path(path)
  if not height[group] then
    return complain(path, 1, "no rule says what '" .. group .. "' may require (tools/check/lua_layers.lua)")
  end
  for number, line in tree.lines(files[path]) do
    local code = code_of(line)
    for module in code:gmatch("require[%s%(,]*[\"']([%w_%.]+)[\"']") do
      local wanted = group_of(module)
      if not allows(group, wanted) then
        complain(path, number, ("requires %s: '%s' must not see '%s'"):format(module, group, wanted))
      end
      add_neighbour(beside, group, wanted, path, number)
      add_inner(beside, path, module, files, number)
    end
    if hides_require(code) then complain(path, number, "gives require another name") end
  end
end

--- Complaints about `files` (path -> text of everything below lua/ballpark).
function lua_layers.check(files)
  local complaints, beside = {}, {}
  local function complain(path, number, text)
    complaints[#complaints + 1] = ("%s:%d: %s"):format(path, number, text)
  end
  for _, path in ipairs(tree.sorted(files)) do check_file(path, files, beside, complain) end
  check_circles(beside, complain)
  return complaints
end

return lua_layers
