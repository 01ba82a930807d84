-- Runs every scenario of the project: each must end with exit code 0, which its `expect` lines
-- decide, with a report on stdout and nothing on stderr.
--
--   BALLPARK=build/ballpark build/ballpark lua tests/scenarios/run.lua
--
-- A file that returns something is a team's data or rule and no scenario of its own.
local lfs = require("lfs")
local read = require("ballpark.files").read

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local root = here .. "/../.."
local program = os.getenv("BALLPARK") or (root .. "/build/ballpark")

local function is_scenario(path)
  return path:find("%.lua$") and not ("\n" .. read(path)):find("\nreturn%f[^%w_]")
end

local function add_scenarios(list, folder)
  for name in lfs.dir(folder) do
    local path = folder .. "/" .. name
    if name:sub(1, 1) == "." then
      goto continue
    elseif lfs.attributes(path, "mode") == "directory" then
      add_scenarios(list, path)
    elseif is_scenario(path) then
      list[#list + 1] = path
    end
    ::continue::
  end
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Exit code, stdout and stderr of `ballpark run PATH`.
local function run(path)
  local out, err = os.tmpname(), os.tmpname()
  local command = ("%s run %s >%s 2>%s"):format(quoted(program), quoted(path), quoted(out), quoted(err))
  local _, _, code = os.execute(command)
  local printed, said = read(out), read(err)
  os.remove(out)
  os.remove(err)
  return code, printed, said
end

local scenarios = {}
add_scenarios(scenarios, root .. "/scenarios")
table.sort(scenarios)

local passed, failed = 0, 0
for _, path in ipairs(scenarios) do
  local code, printed, said = run(path)
  if code == 0 and printed ~= "" and said == "" then
    passed = passed + 1
  else
    failed = failed + 1
    print(("--- %s: exit code %d"):format(path:sub(#root + 2), code))
    print(said)
    print(printed)
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and passed > 0, true)
