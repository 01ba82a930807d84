-- Values that nobody means in place of each input of each question, and of the fields below it:
--
--   tools/check-deep inputs [QUESTION]
--
-- Prints what ends otherwise than with an answer or one line. Exit code 1 where any does.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local hostile = dofile(here .. "/../lua/hostile_inputs.lua")

-- Seconds of CPU time that no answer of these small questions takes.
local LONG_S <const> = 20

io.stdout:setvbuf("line")
local passed, failed = 0, 0
for _, name in ipairs(hostile.names) do
  if not arg[1] or arg[1] == name then
    local before, tried = failed, 0
    for _, path in ipairs(hostile.places(name)) do
      for index, value in ipairs(hostile.values) do
        local began = os.clock()
        local wrong = hostile.wrong(name, path, value)
        wrong = wrong or os.clock() - began > LONG_S and ("%.0f s"):format(os.clock() - began) or nil
        tried = tried + 1
        if wrong then
          failed = failed + 1
          print(("%s: %s, value %d: %s"):format(name, table.concat(path, "."), index, wrong:sub(1, 500)))
        end
      end
    end
    passed = passed + tried - (failed - before)
    print(("%-16s %5d values, %d failed"):format(name, tried, failed - before))
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
