-- The layers of the Lua library: which module may require which. A module belongs to the group of
-- its first name below ballpark: ballpark.report and ballpark.report.csv are both "report".
local tree = require("tree")

local lua_layers = {}

-- The layers from the lowest to the highest. A folder or module of a layer may require its own layer and those
-- below it, so no two folders can need each other.
local LAYERS = {
  { "near", "number_list", "tables" },
  { "errors", "lua_source", "term" },
  { "csv", "files", "json", "result", "units" },
  { "report", "store" },
  { "core" },
  { "catalog", "fields" },
  { "hf", "rules" },
  { "resolve" },
  { "search" },
  { "measured", "validate", "questions", "range", "calibrate" },
  { "emit" },
  { "init", "manual", "meta", "scenario" },
  { "cli" },
}

local height = {}
for rank, groups in ipairs(LAYERS) do
  for _, group in ipairs(groups) do height[group] = rank end
end

-- Libraries from outside, and who may require them.
local LIBRARIES = {
  argparse = { cli = true }, dkjson = { hf = true, json = true }, ["luasql.sqlite3"] = { store = true },
  lfs = { cli = true, files = true, hf = true, rules = true, scenario = true }, term = { term = true },
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

local function check_file(path, text, complain)
  local group = group_of_path(path)
  if not height[group] then
    return complain(path, 1, "no rule says what '" .. group .. "' may require (tools/check/lua_layers.lua)")
  end
  for number, line in tree.lines(text) do
    local code = code_of(line)
    for module in code:gmatch("require[%s%(,]*[\"']([%w_%.]+)[\"']") do
      local wanted = group_of(module)
      if not allows(group, wanted) then
        complain(path, number, ("requires %s: '%s' must not see '%s'"):format(module, group, wanted))
      end
    end
    if hides_require(code) then complain(path, number, "gives require another name") end
  end
end

--- Complaints about `files` (path -> text of everything below lua/ballpark).
function lua_layers.check(files)
  local complaints = {}
  local function complain(path, number, text)
    complaints[#complaints + 1] = ("%s:%d: %s"):format(path, number, text)
  end
  for _, path in ipairs(tree.sorted(files)) do check_file(path, files[path], complain) end
  return complaints
end

return lua_layers
