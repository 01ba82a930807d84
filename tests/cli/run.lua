-- Runs command lines as people would and looks at exit code, standard output and standard error.
--
--   BALLPARK=build/ballpark build/ballpark lua tests/cli/run.lua [--without=FILE]... [WORD]...
--
-- Runs the cases whose name has a WORD, all but those of FILE_cases.lua. Cases are in tests/cli/*_cases.lua, each a function of the harness. The last line sums up.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local harness = dofile(here .. "/harness.lua")

local words, without = {}, {}
for _, word in ipairs(arg) do
  local file = word:match("^%-%-without=(.+)$")
  if file then without[file] = true else words[#words + 1] = word end
end

local t = harness.new({
  program = os.getenv("BALLPARK") or (here .. "/../../build/ballpark"),
  root = here .. "/../..",
  words = words,
})

for _, name in ipairs({ "answer", "error", "output", "sweep", "search", "budget", "merge", "calibrate", "pipeline", "tune",
  "store", "explained", "serve", "validate_serving", "inference", "question",
  "assistant", "files" }) do
  if not without[name] then dofile(here .. "/" .. name .. "_cases.lua")(t) end
end
os.exit(t:finish())
