-- Formats, files and streams.
local csv = require("ballpark.csv")
local json = require("ballpark.json")

return function(t)
  t:write("table.lua", [[
title "T"
rows { name = "r", columns = { "name", { name = "x_bytes", unit = "B" } }, { 'a,"b"', GiB(1) }, { "c", 1 / 3 } }
facts("F", { { "y_s", 0.1, "s", "Why" } })
]])

  t:case("csv parses back", { "run", "table.lua", "-f", "csv", err = "", check = function(got)
    local header, rows = csv.records(got.out, "out")
    assert(table.concat(header, " ") == "name x_bytes")
    assert(rows[1].cells.name == 'a,"b"' and tonumber(rows[1].cells.x_bytes) == 1073741824)
    assert(tonumber(rows[2].cells.x_bytes) == 1 / 3)
  end })
  t:case("json parses back", { "run", "table.lua", "-f", "json", err = "", check = function(got)
    local document = json.decode(got.out)
    assert(document.title == "T" and document.command == "run")
    assert(document.tables.r.rows[2].x_bytes == 1 / 3)
    assert(document.facts.f.values.y_s == 0.1 and document.facts.f.units.y_s == "s")
  end })
  t:case("jsonl parses back", { "run", "table.lua", "-f", "jsonl", err = "", check = function(got)
    local lines = {}
    for line in got.out:gmatch("[^\n]+") do lines[#lines + 1] = json.decode(line) end
    assert(#lines == 2 and lines[2].x_bytes == 1 / 3)
  end })
  t:case("another table", { "run", "table.lua", "-f", "csv", "--table", "f",
    out = "^name,value,unit,title\ny_s,0%.1,s,Why\n$" })
  t:case("an answer is one row", { "fit", "llama-3.1-8b", "--on", "L4", "-f", "csv", err = "", check = function(got)
    local header, rows = csv.records(got.out, "out")
    assert(#rows == 1 and header[1] == "fits" and rows[1].cells.fits == "true")
    assert(tonumber(rows[1].cells.need_bytes) > 16e9)
  end })
  t:case("answers of several devices are rows", { "fit", "llama-3.1-8b", "--on", "L4,H100", "-f", "csv", err = "",
    out = "^device,[^\n]*\nL4,[^\n]*\nH100" })
  t:case("a part of an answer", { "fit", "llama-3.1-8b", "--on", "L4", "-f", "csv", "--table", "memory", err = "",
    out = "^part,bytes,share_frac\n\"?weights" })
  t:case("markdown", { "run", "table.lua", "-f", "markdown", out = { "^# T\n", "| c | 0" } })
  t:write("page.lua", [[title "<b>&" note "<b>&" facts("<b>&", { { "<b>&", "<b>&" } }) expect("<b>&", 1, { equals = 1 })]])
  t:case("markdown without HTML of others", { "run", "page.lua", "-f", "markdown", check = function(got)
    assert(not got.out:find("<", 1, true) and select(2, got.out:gsub("&lt;b>&", "")) >= 5, got.out)
  end })
  t:check("output through a link leaves the link", function(folder)
    local lfs = require("lfs")
    t:write("aim.csv", "old")
    assert(lfs.link("aim.csv", folder .. "/link.csv", true) and lfs.link("link.csv", folder .. "/link2.csv", true))
    assert(lfs.link("new.csv", folder .. "/hanging.csv", true) and lfs.link("round.csv", folder .. "/round.csv", true))
    for _, name in ipairs({ "link2.csv", "hanging.csv" }) do
      local got = t:run({ "run", "table.lua", "-o", name })
      assert(got.code == 0 and got.err == "", got.err)
      assert(lfs.symlinkattributes(folder .. "/" .. name, "mode") == "link", name .. " is no link any more")
    end
    assert(t:read("aim.csv"):find("^name,x_bytes\n") and t:read("new.csv"):find("^name,x_bytes\n"))
    local got = t:run({ "run", "table.lua", "-o", "round.csv" })
    assert(got.code == 3 and got.err:find("Too many levels of symbolic links", 1, true), got.err)
  end)
  -- What a process has open is written, not put in the place of: as root that would be the end of the machine's /dev/stdout.
  t:check("output to what is open already", function(folder)
    local lfs = require("lfs")
    assert(lfs.link("/proc/self/fd/1", folder .. "/stdout.csv", true))
    local got = t:run({ "run", "table.lua", "-o", "stdout.csv" })
    assert(got.code == 0 and got.out:find("^name,x_bytes\n"), got.err)
    assert(lfs.symlinkattributes(folder .. "/stdout.csv", "mode") == "link")
    t:write("held.csv", "")
    local held = lfs.attributes(folder .. "/held.csv", "ino")
    assert(lfs.link("/dev/fd/3", folder .. "/third.csv", true) and lfs.link("/dev/fd", folder .. "/fds", true))
    for _, name in ipairs({ "/dev/fd/3", "/proc/self/fd/3", "//proc/./self/fd/3", "third.csv", "fds/3" }) do
      t:write("held.csv", "")
      got = t:run({ "run", "table.lua", "-f", "csv", "-o", name }, { after = "</dev/null 3>>held.csv" })
      assert(got.code == 0 and t:read("held.csv"):find("^name,x_bytes\n"), name .. got.err)
      assert(lfs.attributes(folder .. "/held.csv", "ino") == held, name .. ": was replaced")
    end
  end)
  -- Only root can be others: as somebody who shares the folder, with or without the group of the file.
  local nobody = "setpriv --reuid 65534 --regid 65534 "
  if os.execute(nobody .. "--clear-groups test -x '" .. t.program .. "' 2>/dev/null") then
    local lfs = require("lfs")
    local function written(name, before, first, wanted)
      t:check("output in the place of another's: " .. name, function(folder)
        local shared = folder .. "/shared"
        assert(os.execute(("mkdir -m 777 '%s' && touch '%s/o.csv' && chown %s '%s/o.csv' && chmod %s '%s/o.csv'"):format(
          shared, shared, first.owner, shared, first.mode, shared)))
        local got = t:run({ "run", "table.lua", "-o", "shared/o.csv" }, { before = before })
        local about = lfs.attributes(shared .. "/o.csv")
        os.execute("rm -r '" .. shared .. "'")
        local is = ("%d:%d %s"):format(about.uid, about.gid, about.permissions)
        assert(got.code == 0 and about.size > 0 and is == wanted, got.err .. is)
      end)
    end
    written("root", "", { owner = "65534:65533", mode = "640" }, "65534:65533 rw-r-----")
    written("one of its group", nobody .. "--groups 65533", { owner = "0:65533", mode = "664" }, "65534:65533 rw-rw-r--")
    written("a stranger", nobody .. "--clear-groups", { owner = "0:65533", mode = "664" }, "65534:65534 rw----r--")
    written("a stranger, of a file that its group may not read", nobody .. "--clear-groups", { owner = "0:65533", mode = "604" },
      "65534:65534 rw-------")
  end
  t:case("no colour in a pipe", { "run", "table.lua", out = function(text) return not text:find("\27") end })

  t:case("output goes to the file", { "run", "table.lua", "-o", "out.csv", out = "", err = "", check = function()
    assert(t:read("out.csv"):find("^name,x_bytes\n"), "extension decides the format")
  end })
  t:case("format wins over the extension", { "run", "table.lua", "-f", "json", "-o", "out.csv", check = function()
    assert(t:read("out.csv"):find("^{"))
  end })
  t:case("minus is standard output", { "run", "table.lua", "-o", "-", "-f", "csv", out = "^name,x_bytes\n" })
  t:write("kept.csv", "before\n")
  t:write("half.lua", "local x = = 1\n")
  t:case("a failed run leaves the file alone", { "run", "half.lua", "-o", "kept.csv", code = 2, check = function()
    assert(t:read("kept.csv") == "before\n")
  end })

  local quickstart = t.root .. "/scenarios/quickstart.lua"
  for _, format in ipairs({ "table", "markdown", "csv", "json", "jsonl", "html" }) do
    t:case("quickstart is byte-stable as " .. format, { "run", quickstart, "-f", format, err = "", check = function(got)
      assert(t:run({ "run", quickstart, "-f", format }).out == got.out)
    end })
  end
  t:case("search is base units as json", { "run", quickstart, "-f", "json", check = function(got)
    local document = json.decode(got.out)
    local best, first = document.facts.answer.values, document.tables.plans.rows[1]
    assert(best.step_s == first.step_s and best.cost_usd == first.cost_usd)
    assert(math.type(best.total_bytes) == "integer" and best.capacity_bytes == 85899345920)
    assert(best.total_params == 70553706496)
    assert(best.tp * best.pp * best.dp * best.cp == 128)
  end })
  t:case("print goes to standard error", { "lua", t:write("print.lua", [[
local scenario = require("ballpark.scenario")
scenario.run({ path = "p.lua", source = "print('hello', 1)" })
]]), out = "", err = "^hello\t1\n$" })
  t:case("the developer command passes arguments", { "lua", t:write("args.lua", "print(arg[0] ~= nil, arg[1], ...)"),
    "x", "y", out = "^true\tx\tx\ty\n$" })
end
