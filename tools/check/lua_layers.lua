-- The layers of the Lua library: which module may require which. A module belongs to the group of
-- its first name below ballpark: ballpark.report and ballpark.report.csv are both "report".
local tree = require("tree")

local lua_layers = {}

local function set(...)
  local members = {}
  for _, name in ipairs({ ... }) do members[name] = true end
  return members
end

-- What every layer above the leaves may use.
local LEAVES = { "errors", "fields", "near", "files", "json", "log_widths", "ranges", "tables", "units" }

local function above_leaves(...)
  local members = set(...)
  for _, name in ipairs(LEAVES) do members[name] = true end
  return members
end

-- Group -> groups and outside libraries it may require besides itself; "*" is everything but cli.
local rules = {
  near = set(),
  fields = set("core"),
  log_widths = set(),
  ranges = set(),
  tables = set(),
  lua_source = set("tables"),
  errors = set("near"),
  units = set("errors"),
  files = set("errors", "lfs"),
  json = set("errors", "tables", "dkjson"),
  csv = set("errors", "files"),
  term = set("term"),
  result = set("errors"),
  report = set("errors", "json", "result", "term", "units"),
  catalog = set("errors", "near", "tables", "units"),
  hf = set("errors", "fields", "near", "files", "json", "tables", "dkjson", "lfs"),
  rules = above_leaves("core", "lfs"),
  search = above_leaves("core", "catalog", "rules", "result"),
  latency = above_leaves("core", "result"),
  pipeline = above_leaves("core", "result"),
  emit = above_leaves("core", "estimate", "result"),
  store = above_leaves("luasql.sqlite3"),
  serving = above_leaves("core", "catalog", "csv", "result"),
  inference = above_leaves("core", "catalog", "result"),
  sweep = above_leaves("estimate", "result"),
  estimate = above_leaves("core", "catalog", "intervals", "result", "rules", "search"),
  intervals = above_leaves("core", "calibrate", "catalog"),
  validate = above_leaves("core", "catalog", "csv", "estimate", "hf", "inference", "intervals", "result", "serving"),
  calibrate = above_leaves("core", "catalog", "csv", "intervals", "lua_source", "result", "scenario", "validate"),
  scenario = { ["*"] = true },
  meta = set(),
  init = { ["*"] = true },
  cli = { ["*"] = true, cli = true, argparse = true },
}

local function group_of(module)
  return module == "ballpark" and "init" or module:match("^ballpark%.([%w_]+)") or module
end

local function group_of_path(path)
  return path:match("^lua/ballpark/([%w_]+)")
end

local function allows(group, wanted)
  local rule = rules[group]
  if wanted == group or rule[wanted] then return true end
  return rule["*"] and wanted ~= "cli" and (rules[wanted] ~= nil or wanted == "core" or wanted == "lfs")
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
  if not rules[group] then
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
