-- Habits of the house that a machine can see: nothing left to do, no stray whitespace, no path of
-- somebody's machine.
local tree = require("tree")

local house = {}

-- Spelled so that this file does not find itself.
local LEFT_OVER = { "TO" .. "DO", "FIX" .. "ME", "XX" .. "X" }
local MACHINE_PATHS = { "/wo" .. "rk/", "/ho" .. "me/%a", "%.%./sha" .. "red" }

local function line_fault(line)
  if line:find("[ \t]$") then return "ends in whitespace" end
  if line:find("\t", 1, true) then return "has a tab" end
  for _, word in ipairs(LEFT_OVER) do
    if line:find("%f[%w]" .. word .. "%f[%W]") then return "says " .. word end
  end
  for _, path in ipairs(MACHINE_PATHS) do
    if line:find(path) then return "names a path of one machine" end
  end
end

-- Inputs of the fuzzers are what they are: bytes, of which any may be missing.
local function is_fuzzed(path) return path:find("^tests/fuzz/corpus/") ~= nil end

-- What the top of the tree holds besides dot files and build folders.
local TOP = { ["CMakeLists.txt"] = true, ["LICENSE"] = true, ["README.md"] = true, core = true, lua = true,
  scenarios = true, tests = true, tools = true }

--- Complaints about the names at the top of the tree.
function house.check_top(names)
  local complaints = {}
  for _, name in ipairs(names) do
    if not TOP[name] and name:sub(1, 1) ~= "." and not name:find("^build") then
      complaints[#complaints + 1] = name .. ": does not belong at the top of the tree"
    end
  end
  table.sort(complaints)
  return complaints
end

--- Complaints about `files` (path -> text of sources).
function house.check(files)
  local complaints = {}
  local function complain(path, number, text)
    complaints[#complaints + 1] = ("%s:%d: %s"):format(path, number, text)
  end
  local function look_at(path)
    local text, count = files[path], 0
    for number, line in tree.lines((text:gsub("\n$", ""))) do
      count = number
      local fault = line_fault(line)
      if fault then complain(path, number, fault) end
    end
    if text:sub(-1) ~= "\n" then complain(path, count, "does not end with a line end") end
  end
  for _, path in ipairs(tree.sorted(files)) do
    if not is_fuzzed(path) then look_at(path) end
  end
  return complaints
end

return house
