-- Sweeps from the command line: rows, refused points, files that a later run continues.
local csv = require("ballpark.csv")

return function(t)
  t:write("grid.lua", "local a, b = param('a', 1), param('b', 'x')\n"
    .. "if a == 3 then estimate(5) end\n"
    .. "facts('F', { { 'y_s', a / 3, 's' }, { 'said', b } })\n"
    .. "expect('small', a, { most = 4 })\n")

  t:case("sweep prints rows", { "sweep", "grid.lua", "--axis", "a=1,2", "--axis", "b=x,y", "-f", "csv", err = "",
    out = "^a,b,status,reason,y_s,said\n1,x,ok,,0%.3333333333333333,x\n1,y,ok,,[%d%.]+,y\n"
      .. "2,x,ok,,[%d%.]+,x\n2,y,ok,,[%d%.]+,y\n$" })
  t:case("sweep as a table", { "sweep", "grid.lua", "--axis", "a=1,2", out = { "a +status +y_s", "1 +ok" } })
  t:case("sweep as jsonl", { "sweep", "grid.lua", "--axis", "a=1", "-f", "jsonl", out = '"y_s":0%.3333333333333333' })
  t:case("refused points have a reason", { "sweep", "grid.lua", "--axis", "a=3,1", "-f", "csv", err = "",
    out = { '\n3,refused,"grid%.lua:2: estimate: takes a table, got number",', "\n1,ok,," } })
  t:case("failed points are named and counted", { "sweep", "grid.lua", "--axis", "a=1,5", "-f", "csv", code = 1,
    out = "\n5,failed,expected: small," })
  t:case("ranges of an axis", { "sweep", "grid.lua", "--axis", "a=1..2,4", "--columns", "said", "-f", "csv",
    err = "", out = "^a,status,reason,said\n1,ok,,x\n2,ok,,x\n4,ok,,x\n$" })
  t:case("values that are there twice are run once", { "sweep", "grid.lua", "--axis", "a=1,2,1,2.0", "--columns",
    "said", "-f", "csv", out = "^a,status,reason,said\n1,ok,,x\n2,ok,,x\n$", err = "twice, such as 1, run once" })
  t:case("a range that is none", { "sweep", "grid.lua", "--axis", "a=4..1", code = 2, out = "",
    err = "^ballpark: %-%-axis a: '4%.%.1' starts above its end: write 1%.%.4\n$" })
  for _, more in ipairs({ { "-o", "inf.csv" }, { "-o", "inf.jsonl", "--resume" }, { "--store", "inf.sqlite" }, { "-f", "table" } }) do
    t:case("an axis of a number that is none: " .. more[2], { "sweep", "grid.lua", "--axis", "a=1,1e400", more[1], more[2], more[3],
      code = 2, out = "", err = "^ballpark: %-%-axis a=1,1e400: '1e400' is inf, no number that a row can hold\n$",
      check = function() assert(not io.open(t:path(more[2])), "nothing is written") end })
  end
  t:case("columns can be chosen", { "sweep", "grid.lua", "--axis", "a=1", "--columns", "said", "-f", "csv",
    out = "^a,status,reason,said\n1,ok,,x\n$" })
  t:case("columns have names", { "sweep", "grid.lua", "--axis", "a=1", "--columns", "sad", code = 2, out = "",
    err = "did you mean 'said'" })
  t:case("axes need values", { "sweep", "grid.lua", "--axis", "a", code = 2, err = "expected name=v1,v2" })
  t:case("axes need to mean something", { "sweep", "grid.lua", "--axis", "c=1,2", code = 2, out = "",
    err = "nothing in grid%.lua uses 'c'" })
  t:write("mistaken.lua", "model {\n  layers = 2,\n  layer = 3,\n}\n")
  t:case("a mistake of the scenario is no point", { "sweep", "mistaken.lua", "--axis", "a=1,2", code = 2, out = "",
    err = "mistaken%.lua:3: model%.layer" })

  -- A scenario that reads the best plan unguarded: where there is none, the point has the reason of the search.
  local SEARCH <const> = "local answer = search { model = model 'llama-3.1-70b', cluster = cluster { device = 'H100', devices = param('n', 64) },"
    .. " job = { global_batch = 64, seq_len = 8192, tokens = billion(10) }, plan = { micro_batch = 1, zero = 1 } }\n"
  t:write("unguarded.lua", SEARCH .. "show(answer)\nexpect('cost', answer.best.run.cost_usd, { most = 1e9 })\n")
  t:case("sweep over a point without a plan", { "sweep", "unguarded.lua", "--axis", "n=64,1,128", "--columns", "step_s", "-f", "csv", err = "",
    out = "^n,status,reason,step_s\n64,ok,,[%d%.]+\n1,infeasible,memory,\n128,ok,,[%d%.]+\n$" })
  t:case("run of a scenario without a plan shows what it has shown", { "run", "unguarded.lua", "-D", "n=1", code = 1,
    out = "Short of memory.*nothing feasible %(memory%)",
    err = "^ballpark: nothing feasible %(memory%); then unguarded%.lua:3: attempt to index a nil value %(field 'best'%)\n$" })
  t:write("unshown.lua", SEARCH .. "facts('F', { { 'usd', USD(answer.best and answer.best.run.cost_usd) } })\n")
  t:case("run of a scenario without a plan that shows nothing", { "run", "unshown.lua", "-D", "n=1", code = 1,
    out = "Short of memory", err = "^ballpark: nothing feasible %(memory%); then unshown%.lua:2: " })
  t:case("lint of a scenario without a plan", { "lint", "unguarded.lua", "-D", "n=1", code = 1, out = "",
    err = "nothing feasible %(memory%); then unguarded%.lua:3: " })
  -- A mistake that no search is to blame for ends the sweep, names its point and leaves the rows up to it.
  t:write("slipped.lua", SEARCH .. "show(answer)\nlocal none\nif param('k', 1) == 2 then facts('F', { { 'x', none.x } }) end\n")
  t:case("a mistake at a point names it", { "sweep", "slipped.lua", "--axis", "n=64", "--axis", "k=1,2", "--columns", "step_s",
    "-o", "slipped.csv", "--resume", code = 2, out = "", err = "^ballpark: n=64 k=2: slipped%.lua:4: attempt to index a nil value %(local 'none'%)\n$",
    check = function() assert(t:read("slipped.csv"):find("^n,k,status,reason,step_s\n64,1,ok,,[%d%.]+\n$"), t:read("slipped.csv")) end })

  local words = { "sweep", "grid.lua", "--axis", "a=1,2,3,4", "--axis", "b=x,y", "-f", "csv" }
  local whole = t:run(words).out
  local resumed = table.move(words, 1, #words, 1, {})
  table.move({ "-o", "grid.csv", "--resume" }, 1, 3, #resumed + 1, resumed)

  -- Cut at many places, also in the middle of a line or a quoted reason: always the same file at the end.
  for _, cut in ipairs({ 0, 5, #whole // 3, #whole // 2, #whole - 30, #whole - 1, #whole }) do
    local case = table.move(resumed, 1, #resumed, 1, {})
    t:write("grid.csv", whole:sub(1, cut))
    case.check = function() assert(t:read("grid.csv") == whole, "cut at " .. cut .. ": " .. t:read("grid.csv")) end
    t:case("resume after " .. cut .. " bytes", case)
  end
  local jsonl = { "sweep", "grid.lua", "--axis", "a=1,2", "--axis", "b=x,y", "-o", "grid.jsonl", "--resume" }
  jsonl.check = function()
    local complete = t:read("grid.jsonl")
    t:write("grid.jsonl", complete:sub(1, #complete // 2))
    t:run(jsonl)
    assert(t:read("grid.jsonl") == complete)
  end
  t:case("resume of jsonl", jsonl)
  -- The first point says a fact that the others do not: every row has a cell for it, resumed or not.
  t:write("uneven.lua", "local a = param('a', 1) facts('F', { { 'x', a }, a == 1 and { 'only', 1 } or nil })")
  local uneven = { "sweep", "uneven.lua", "--axis", "a=1,2,3,4", "-o", "uneven.jsonl", "--resume" }
  uneven.check = function()
    local complete = t:read("uneven.jsonl")
    assert(complete:find('"a":4,"only":null', 1, true), complete)
    t:write("uneven.jsonl", complete:sub(1, #complete // 2))
    t:run(uneven)
    assert(t:read("uneven.jsonl") == complete)
  end
  t:case("resume of jsonl whose first row has more", uneven)
  t:write("foreign.csv", "a,status,reason,y_s,said\n1,ok,,3,x\nand half")
  t:case("resume of a file of another's", { "sweep", "grid.lua", "--axis", "a=1,2", "-o", "foreign.csv", "--resume",
    code = 2, err = "foreign%.csv was not begun with %-%-resume",
    check = function() assert(t:read("foreign.csv"):find("and half$"), "was cut") end })
  local function resumed_sweep(...)
    return { "sweep", "grid.lua", "-o", "other.csv", "--resume", "--axis", "a=1,2", ... }
  end
  local begun = resumed_sweep()
  begun.check = function()
    assert(t:read("other.csv.resume"):find(require("ballpark.edition").text(), 1, true), "does not say by which version of the program")
  end
  t:case("a sweep to resume", begun)
  local function refused(name, pattern, case)
    case.code, case.out, case.err = 2, "", pattern
    case.check = function() assert(t:read("other.csv"):find("\n2,ok"), "was changed") end
    t:case(name, case)
  end
  refused("resume with other values", "row 1 of other%.csv has a=1, this sweep has 9",
    { "sweep", "grid.lua", "-o", "other.csv", "--resume", "--axis", "a=9,2" })
  refused("resume with another -D", "another sweep; what differs: define\n", resumed_sweep("-D", "b=z"))
  refused("resume with other columns", "what differs: columns\n", resumed_sweep("--columns", "said"))
  refused("resume with another axis", "what differs: axes\n", resumed_sweep("--axis", "b=x"))
  for _, folder in ipairs({ "team", "team/ballpark", "team/ballpark/rules" }) do require("lfs").mkdir(t:path(folder)) end
  t:write("team/ballpark/rules/of_all.lua", "return { name = 'x', reject = function() return false end }")
  local with_team = resumed_sweep()
  with_team.before = "XDG_CONFIG_HOME='" .. t:path("team") .. "'"
  refused("resume with another rule of the team's folder", "what differs: rules\n", with_team)
  local text = t:read("grid.lua")
  t:write("grid.lua", text .. "-- changed\n")
  refused("resume of another text", "what differs: scenario\n", resumed_sweep())
  t:write("grid.lua", text)
  local kept = t:read("other.csv.resume")
  require("lfs").mkdir(t:path("other.csv.resume.partial"))
  t:case("resume where its digests cannot be written anew", { "sweep", "grid.lua", "-o", "other.csv", "--resume", "--axis", "a=1,2,4",
    code = 3, out = "", err = "cannot write other%.csv%.resume: other%.csv%.resume%.partial: Is a directory", check = function()
      assert(t:read("other.csv.resume") == kept, "was emptied")
    end })
  require("lfs").rmdir(t:path("other.csv.resume.partial"))
  t:case("resume with more values", { "sweep", "grid.lua", "-o", "other.csv", "--resume", "--axis", "a=1,2,4",
    check = function() assert(t:read("other.csv"):find("\n4,ok"), "no new row") end })
  -- A figure of a finished row, its digest, a row that nobody wrote: refused, and nothing is changed.
  local good, beside = t:read("other.csv"), t:read("other.csv.resume")
  local function altered(name, pattern, rows, digests)
    t:write("other.csv", rows)
    t:write("other.csv.resume", digests)
    t:case(name, { "sweep", "grid.lua", "-o", "other.csv", "--resume", "--axis", "a=1,2,4,8", code = 2, out = "",
      err = pattern, check = function() assert(t:read("other.csv") == rows, "was changed") end })
  end
  altered("resume of another figure", "row 2 of other%.csv is not as it was written",
    good:gsub("(\n2,ok.-)%d(%D-\n)", "%19%2", 1), beside)
  altered("resume of another digest", "row 1 of other%.csv is not as it was written", good,
    beside:gsub("\n%x%x%x(%x*\n%x*\n%x*\n)$", "\n000%1"))
  altered("resume of another last digest", "row 3 of other%.csv is not as it was written", good, beside:gsub("%x%x%x\n$", "000\n"))
  altered("resume of a digest torn before others", "other%.csv has rows that no run wrote", good,
    beside:gsub("%x%x%x(\n%x*\n)$", "%1"))
  altered("resume of rows that nobody wrote", "other%.csv has rows that no run wrote", good .. "8,ok,,1,x\n9,ok,,1,x\n",
    beside)
  t:write("other.csv", good)
  t:write("other.csv.resume", (beside:gsub("%x+\n$", "")))
  t:case("resume where the last row has no digest yet", { "sweep", "grid.lua", "-o", "other.csv", "--resume", "--axis",
    "a=1,2,4", out = "", check = function()
      assert(t:read("other.csv") == good and t:read("other.csv.resume") == beside)
    end })
  for lost = 1, 33, 8 do
    t:write("other.csv.resume", beside:sub(1, -1 - lost))
    t:case(("resume where the last digest lacks %d bytes"):format(lost), { "sweep", "grid.lua", "-o", "other.csv", "--resume", "--axis",
      "a=1,2,4", out = "", check = function()
        assert(t:read("other.csv") == good and t:read("other.csv.resume") == beside)
      end })
  end
  t:write("slow.lua", "local a = param('a', 1) local s = 0 for i = 1, 1e8 do s = s + i end facts('F', { { 'x', a } })")
  t:case("two runs on one file", { "sweep", "slow.lua", "-o", "slow.csv", "--resume", "--axis", "a=1,2,3,4,5,6",
    code = 3,
    err = "^ballpark: cannot write slow%.csv: another run is adding to it\n$",
    before = "{ '" .. t.program .. "' sweep slow.lua -o slow.csv --resume --axis a=1,2,3,4,5,6 >first.log 2>&1 & }; "
      .. "while ! [ -s slow.csv.resume ]; do sleep 0.01; done;",
    after = "</dev/null; code=$?; kill $!; wait; (exit $code)" })
  local lfs = require("lfs")
  assert(lfs.link("slow.csv", t:path("slow-link.csv"), true))
  for _, name in ipairs({ "slow.csv", "slow.csv.resume" }) do os.remove(t:path(name)) end
  t:case("two runs on one file, the other to resume through a link", { "sweep", "slow.lua", "-o", "slow-link.csv", "--resume",
    "--axis", "a=1,2,3,4,5,6", code = 3, err = "^ballpark: cannot write slow%-link%.csv: another run is adding to it\n$",
    before = "{ '" .. t.program .. "' sweep slow.lua -o slow.csv --resume --axis a=1,2,3,4,5,6 >first.log 2>&1 & }; "
      .. "while ! [ -s slow.csv.resume ]; do sleep 0.01; done;",
    after = "</dev/null; code=$?; kill $!; wait; (exit $code)",
    check = function() assert(not lfs.attributes(t:path("slow-link.csv.resume"))) end })
  t:case("an axis given twice", { "sweep", "grid.lua", "--axis", "a=1,2", "--axis", "a=3", code = 2, out = "",
    err = "sweep%.axes%.a: is given twice" })
  t:write("point.lua", "estimate { model = 'llama-3.1-8b', cluster = { device = 'H100', devices = param('n', 1) },"
    .. " job = { global_batch = 64, seq_len = 4096 }, plan = { tp = 1 } }")
  t:case("columns of points without an answer", { "sweep", "point.lua", "--axis", "n=1", "-f", "csv",
    "--columns", "fits,nothing", code = 1, out = "n,status,reason,fits,nothing\n1,infeasible,memory,false,\n" })
  t:case("columns that no answer has", { "sweep", "point.lua", "--axis", "n=1,64", "--columns", "nothing", code = 2,
    out = "", err = "%-%-columns: 'nothing' is not one of" })
  t:case("an axis that nothing uses", { "sweep", "point.lua", "--axis", "m=1,64", code = 2, out = "",
    err = "^ballpark: %-%-axis m=1: nothing in point%.lua uses 'm'" })
  t:case("an end left open", { "sweep", "point.lua", "--axis", "n=1..", code = 2, out = "",
    err = "'1%.%.' is no range: write FROM%.%.TO" })
  t:write("late.lua", "show(latency { sla_s = ms(param('sla', 1)), parts = { { name = 'a', fixed_s = 0.1 } } })")
  t:case("missed SLOs have a reason", { "sweep", "late.lua", "--axis", "sla=1,400", "-f", "csv", "--columns",
    "fits", out = { "\n1,infeasible,the parts take longer than the SLO allows,false\n", "\n400,ok,,true\n" } })
  t:case("infeasible points have a reason", { "sweep", "point.lua", "--axis", "n=1,64", "-f", "csv",
    "--columns", "fits", out = { "\n1,infeasible,memory,false\n", "\n64,ok,,true\n" } })
  t:case("resume of a device", { "sweep", "grid.lua", "--axis", "a=1", "--resume", "-o", "/dev/full", "-f", "csv",
    code = 3, out = "", err = "^ballpark: cannot write /dev/full: %-%-resume needs a file, this is a char device\n$" })
  t:case("resume needs a file", { "sweep", "grid.lua", "--axis", "a=1", "--resume", code = 2, err = "needs %-o FILE" })
  t:case("sweep into a file is whole", { "sweep", "grid.lua", "--axis", "a=1,2", "-o", "whole.csv", out = "",
    check = function()
      local header, rows = csv.records(t:read("whole.csv"), "whole.csv")
      assert(#header == 5 and #rows == 2)
    end })
  t:case("sweep of a cluster", { "sweep", t.root .. "/scenarios/quickstart.lua", "--axis", "cluster.nodes=8,16",
    "--columns", "devices,run_s", "-f", "csv", out = "\n8,ok,,64,[%d%.]+\n16,ok,,128,[%d%.]+\n", err = "" })
end
