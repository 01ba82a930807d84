-- A team's rules: where they are found and what the core gets of them. The core runs them in a
-- sandbox of their own; nothing of a rule file is executed here.
local blanks = require("ballpark.blanks")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local lfs = require("lfs")
local units = require("ballpark.units")

local rules = {}

--- The folder whose rules apply to every search: $XDG_CONFIG_HOME/ballpark/rules.
function rules.folder()
  local base = os.getenv("XDG_CONFIG_HOME")
  if not base or base:sub(1, 1) ~= "/" then
    local home = os.getenv("HOME")
    if not home or home == "" then return nil end
    base = home .. "/.config"
  end
  return base .. "/ballpark/rules"
end

--- The rule files of a folder, sorted; none when there is no such folder.
---@return string[]
function rules.find(folder)
  local found = {}
  if not folder or lfs.attributes(folder, "mode") ~= "directory" then return found end
  for name in lfs.dir(folder) do
    if name:match("%.lua$") and name:sub(1, 1) ~= "." then found[#found + 1] = folder .. "/" .. name end
  end
  table.sort(found)
  return found
end

-- One item for the core: the text of a file, or the table as it was written in a scenario.
local function item(i, rule)
  if type(rule) == "string" then
    local text = blanks.without_mark(files.read(rule))
    return { text = text, chunk = "@" .. rule }
  end
  if type(rule) == "table" then return rule end
  errors.input("rules[" .. i .. "]", "must be the path of a rule file or a rule's table, got " .. type(rule))
end

--- The given paths and tables, then the paths of the team's folder.
---@param given (string|table)[]|nil
---@param folder string|nil the team's folder, default rules.folder(), where files are not confined; false for none
---@return (string|table)[]
function rules.all(given, folder)
  if folder == nil then folder = not files.is_confined() and rules.folder() end
  local all = table.move(given or {}, 1, #(given or {}), 1, {})
  for _, path in ipairs(rules.find(folder)) do all[#all + 1] = path end
  return all
end

--- What core.search takes as rules: those of rules.all. A file named twice counts once.
---@param given (string|table)[]|nil
---@param folder string|nil the team's folder, default rules.folder(); false for none
function rules.load(given, folder)
  if type(given) ~= "table" and given ~= nil then
    errors.input("rules", "must be a list of paths and tables, got " .. type(given))
  end
  local loaded, seen = {}, {}
  for i, rule in ipairs(rules.all(given, folder)) do
    if type(rule) ~= "string" or not seen[rule] then loaded[#loaded + 1] = item(i, rule) end
    seen[rule] = true
  end
  return loaded
end

--- fn(...), where a mistake found in one of the rule files among `loaded` is that rule's (exit 4), not
--- one of the scenario that names the file.
function rules.call(loaded, fn, ...)
  local outcome = table.pack(pcall(fn, ...))
  if outcome[1] then return table.unpack(outcome, 2, outcome.n) end
  local e = outcome[2]
  for _, rule in ipairs(errors.is(e) and e.kind == "input" and loaded or {}) do
    local file = rule.chunk and rule.chunk:match("^@(.*)$")
    if file and e.path:sub(1, #file) == file then errors.rule("rule " .. tostring(e)) end
  end
  error(e, 0)
end

--- The unit functions that rules may call, as factors: { GiB = 1073741824, ... }.
function rules.units()
  local factors = {}
  for name, make in pairs(units.scope) do factors[name] = make(1) end
  return factors
end

return rules
