-- Runs command lines as people would and looks at exit code, standard output and standard error.
--
--   BALLPARK=build/ballpark build/ballpark lua tests/cli/run.lua [WORD]...    cases whose name has a WORD
--
-- Cases are in tests/cli/*_cases.lua, each a function of the harness. The last line sums up.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local harness = dofile(here .. "/harness.lua")

local t = harness.new({
  program = os.getenv("BALLPARK") or (here .. "/../../build/ballpark"),
  root = here .. "/../..",
  words = { table.unpack(arg) },
})

for _, name in ipairs({ "answer", "error", "output", "sweep", "search", "budget", "merge", "calibrate", "pipeline", "tune",
  "store", "explained", "serve", "validate_serving", "inference", "question",
  "assistant", "files" }) do
  dofile(here .. "/" .. name .. "_cases.lua")(t)
end
os.exit(t:finish())
