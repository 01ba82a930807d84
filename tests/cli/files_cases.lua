-- Files that came to harm, two of every reader: an answer or one line. tools/check-deep files has hundreds.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local mutated_files = dofile(here .. "/../lua/mutated_files.lua")

local HARMED <const> = 2

return function(t)
  for _, reader in ipairs(mutated_files.readers) do
    t:check("harmed: " .. reader[1], function(folder)
      math.randomseed(20261124)
      local good = mutated_files.prepare(t.program, folder, reader)
      for i = 0, HARMED do
        local text = i == 0 and good or mutated_files.mutated(math.random, good)
        local code, err = mutated_files.run(t.program, folder, reader, text)
        local wrong = mutated_files.wrong(reader, code, err) or i == 0 and code > 1 and "the good file is refused"
        if wrong then error(("%s\n%s\n%s"):format(wrong, err, text), 0) end
      end
    end)
  end

  t:case("texts that fuzzers began with, and what they found", { "lua", t.root .. "/tests/fuzz/replay.lua",
    out = "\n?%d+ passed, 0 failed" })
end
