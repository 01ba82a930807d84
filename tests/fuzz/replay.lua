-- Every text of tests/fuzz/corpus, and the files that are named, through the readers of targets.lua:
--
--   build/ballpark lua tests/fuzz/replay.lua [TARGET FILE]
--
-- What a fuzzer found once is in the corpus and stays found. Exit code 1 where a reader lets any through as a bug.
local lfs = require("lfs")

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local targets = dofile(here .. "/targets.lua")

-- Not ballpark.files: some targets confine it.
local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local passed, failed = 0, 0
local function try(name, path)
  local ok, problem = pcall(targets[name], read(path))
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
    print(("%s: %s: %s"):format(name, path, tostring(problem):sub(1, 500)))
  end
end

if arg[1] then
  try(arg[1], arg[2])
else
  for name in pairs(targets) do
    local folder = here .. "/corpus/" .. name
    for file in lfs.dir(folder) do
      if not file:find("^%.") then try(name, folder .. "/" .. file) end
    end
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
