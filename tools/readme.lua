-- Fills the marked blocks of README.md with what the program prints now, or with --check says which of
-- them differ and fails (exit 1):
--   build/ballpark lua tools/readme.lua [--check]
-- The errors of families left out need the published runs, which are not shipped:
--   build/ballpark lua tools/readme.lua --left-out RUNS.csv FLAGS.csv
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local root = here .. "/.."
package.path = here .. "/check/?.lua;" .. package.path

local blocks = require("readme_blocks")
local files = require("ballpark.files")
local lfs = require("lfs")

local function absolute(path) return path:sub(1, 1) == "/" and path or (lfs.currentdir() .. "/" .. path) end

local program = absolute(os.getenv("BALLPARK") or (root .. "/build/ballpark"))
local path, output = root .. "/README.md", blocks.output(program, root)
local text = files.read(path)
if arg[1] == "--check" then
  local complaints = blocks.check(text, output)
  for _, complaint in ipairs(complaints) do io.stderr:write(complaint, "\n") end
  if #complaints > 0 then os.exit(1, true) end
elseif arg[1] == "--left-out" then
  files.write(path, blocks.with_left_out(text, output, absolute(arg[2]), absolute(arg[3])))
else
  files.write(path, blocks.filled(text, output))
end
