-- Fills the marked blocks of README.md with what the program prints now, or with --check says which of
-- them differ and fails (exit 1):
--   build/ballpark lua tools/readme.lua [--check]
-- Errors of families left out, and where they sit (README.md, the manual and tests/validate/README.md), need the
-- published runs and points, which are not shipped:
--   build/ballpark lua tools/readme.lua --left-out RUNS.csv FLAGS.csv
--   build/ballpark lua tools/readme.lua --served POINTS.csv FLAGS.csv
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local root = here .. "/.."
package.path = here .. "/check/?.lua;" .. here .. "/fit/?.lua;" .. package.path

local blocks = require("readme_blocks")
local csv = require("ballpark.csv")
local files = require("ballpark.files")
local kept_apart = require("kept_apart")
local lfs = require("lfs")

-- A file of the rows that no fit takes: those of FLAGS, and the families kept apart.
local function skipped(runs, flags)
  local apart, lines = {}, { "case_id" }
  for _, family in ipairs(kept_apart) do apart[family] = true end
  for _, path in ipairs({ runs, flags }) do
    local _, records = csv.records(files.read(path), path)
    for _, record in ipairs(records) do
      local row = record.cells
      if path == flags or apart[row.family] then lines[#lines + 1] = row.case_id end
    end
  end
  local path = os.tmpname()
  files.write(path, table.concat(lines, "\n") .. "\n")
  return path
end

local function absolute(path) return path:sub(1, 1) == "/" and path or (lfs.currentdir() .. "/" .. path) end

local program = absolute(os.getenv("BALLPARK") or (root .. "/build/ballpark"))
local path, page_path = root .. "/README.md", root .. "/tests/validate/README.md"
local text, output = files.read(path), blocks.output(program, root)
if arg[1] == "--check" then
  local complaints = blocks.check(text, output)
  for _, complaint in ipairs(complaints) do io.stderr:write(complaint, "\n") end
  if #complaints > 0 then os.exit(1, true) end
elseif arg[1] == "--left-out" then
  local manual_path = require("ballpark.manual").path("validate")
  local runs, flags = absolute(arg[2]), absolute(arg[3])
  local skip = skipped(runs, flags)
  local readme, manual, page = blocks.with_left_out(text, files.read(manual_path), files.read(page_path), output,
    { runs = runs, flags = flags, skip = skip, apart = kept_apart })
  os.remove(skip)
  files.write(path, readme)
  files.write(manual_path, manual)
  files.write(page_path, page)
elseif arg[1] == "--served" then
  files.write(page_path, blocks.with_served(files.read(page_path), output, absolute(arg[2]), absolute(arg[3])))
else
  files.write(path, blocks.filled(text, output))
end
