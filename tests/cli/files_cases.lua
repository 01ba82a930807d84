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

  -- A slip of the hand loses no input.
  local text = "show(estimate{model='llama-3.1-8b',cluster=cluster{device='H100',devices=8},job={global_batch=8,seq_len=2048}})\n"
  for name, words in pairs({ run = { "run", "input.lua", "-f", "json" }, lint = { "lint", "input.lua", "-f", "markdown" },
    sweep = { "sweep", "input.lua", "--axis", "plan.tp=1,2", "-f", "csv" }, compare = { "compare", "input.lua", "-B", "plan.tp=2", "-f", "markdown" } }) do
    t:write("input.lua", text)
    table.move({ "-o", "./input.lua" }, 1, 2, #words + 1, words)
    words.code, words.out, words.err = 3, "", "^ballpark: cannot write input%.lua: this command reads it\n$"
    words.check = function()
      local file <close> = assert(io.open(t:path("input.lua")))
      assert(file:read("a") == text)
    end
    t:case("an output in the place of an input: " .. name, words)
  end
  t:case("rules that judge nothing", { "run", "input.lua", "--rules", "none.lua", code = 2, out = "",
    err = "^ballpark: %-%-rules judge the plans of a search" })
  t:case("two outputs in one place", { "pipeline", "--pp", "4", "--micro-batches", "8", "--svg", "a.html", "-o", "a.html",
    code = 3, out = "", err = "a%.html: it would be written twice" })
  t:case("an answer in the place of its checkpoint", { "search", "--model", "llama-3.2-1b", "--device", "H100", "--devices", "8",
    "--global-batch", "16", "--seq-len", "1024", "--checkpoint", "same.json", "-o", "./same.json", code = 3, out = "",
    err = "^ballpark: cannot write same%.json: it would be written twice\n$" })
  -- A link that leads to nothing yet is the file that it will lead to.
  local lfs = require("lfs")
  for link, target in pairs({ ["to-state"] = "state", ["p1.html"] = "p2.html", ["fi.csv.resume"] = "fi.csv" }) do
    assert(lfs.link(target, t:path(link), true))
  end
  local function refused_twice(name, written, words)
    words.code, words.out, words.err = 3, "", "^ballpark: cannot write [%w%.-]+: it would be written twice\n$"
    words.check = function() assert(not lfs.attributes(t:path(written)), written .. " was written") end
    t:case("two outputs in one place through a link: " .. name, words)
  end
  refused_twice("checkpoint", "state", { "search", "--model", "llama-3.2-1b", "--device", "H100", "--devices", "8",
    "--global-batch", "16", "--seq-len", "1024", "--checkpoint", "state", "-f", "json", "-o", "to-state" })
  refused_twice("picture", "p2.html", { "pipeline", "--pp", "4", "--micro-batches", "8", "--svg", "p1.html", "-o", "p2.html" })
  t:write("one.lua", "facts('Rows', { { 'x', param('a', 1) } })")
  refused_twice("digests", "fi.csv", { "sweep", "one.lua", "--axis", "a=1", "-o", "fi.csv", "--resume" })
  t:write("rows.csv.resume", "facts('Rows', { { 'x', param('a', 1) } })")
  t:case("digests of rows in the place of a scenario", { "sweep", "rows.csv.resume", "--axis", "a=1,2", "-o", "rows.csv",
    "--resume", code = 3, out = "", err = "^ballpark: cannot write rows%.csv%.resume: this command reads it\n$" })
  t:write("grid-of-files.lua", "facts('Rows', { { 'x', param('a', 1) } })")
  t:case("digests of rows in the place of somebody's file", { "sweep", "grid-of-files.lua", "--axis", "a=1,2", "-o", "rows.csv",
    "--resume", code = 3, out = "", err = "rows%.csv%.resume: what is there was not written by a sweep\n$",
    check = function() assert(t:read("rows.csv.resume"):find("^facts"), "was changed") end })
  -- Whoever starts the program with standard files closed gets no messages in the file that it writes.
  t:write("prints.lua", "print('said') facts('Rows', { { 'x', param('a', 1) } })")
  for name, closed in pairs({ error = "2>&-", input = "<&-", output = ">&-", all = "<&- >&- 2>&-" }) do
    local words = { "sweep", "prints.lua", "--axis", "a=1,2", "--verbose", "-o", "closed.csv", out = "", after = closed,
      check = function()
        assert(t:read("closed.csv") == "a,status,reason,x\n1,ok,,1\n2,ok,,2\n", t:read("closed.csv"))
        os.remove(t:path("closed.csv"))
        os.remove(t:path("closed.csv.resume"))
      end }
    t:case("rows where standard files are closed: " .. name, words)
    words[#words + 1] = "--resume"
    t:case("rows to resume where standard files are closed: " .. name, words)
  end
  t:case("an answer where standard output is closed", { "run", "prints.lua", code = 3, out = "", after = ">&-",
    err = "^said\nballpark: cannot write to standard output: Bad file descriptor\n$" })
  t:case("a picture on standard output", { "pipeline", "--pp", "4", "--micro-batches", "8", "--svg", "-", err = "",
    out = "^<%?xml.*</svg>\n$" })

  t:case("texts that fuzzers began with, and what they found", { "lua", t.root .. "/tests/fuzz/replay.lua",
    out = "\n?%d+ passed, 0 failed" })
end
