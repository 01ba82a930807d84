-- Sweeps into an SQLite file: resumed, grown, broken off.
local luasql = require("luasql.sqlite3")

return function(t)
  t:write("cells.lua", "local a, b = param('a', 1), param('b', 1)\n"
    .. "facts('F', { { 'y_s', a / 3 + b, 's' }, { 'n', math.tointeger(a * b) }, { 'said', \"it's\" } })\n")

  local function ask(file, sql)
    local environment = luasql.sqlite3()
    local connection = assert(environment:connect(t:path(file)))
    local cursor = assert(connection:execute(sql))
    local row = type(cursor) ~= "number" and cursor:fetch({}, "n") or nil -- a statement says how many rows it changed
    if row then cursor:close() end
    connection:close()
    environment:close()
    return row
  end

  local words = { "sweep", "cells.lua", "--axis", "a=1,2", "--axis", "b=1,2,3", "--store", "s.sqlite" }
  words.out, words.err = "", "rows are in table cells of s%.sqlite"
  words.check = function()
    assert(ask("s.sqlite", "SELECT COUNT(*), SUM(n), MAX(y_s), MIN(status), MIN(said) FROM cells")[1] == 6)
    assert(ask("s.sqlite", "SELECT typeof(n) || typeof(y_s) FROM cells")[1] == "integerreal")
    assert(ask("s.sqlite", "SELECT SUM(n) FROM cells")[1] == 18)
  end
  t:case("sweep into a store", words)
  for _, name in ipairs({ "", ":memory:" }) do
    t:case("a store that is no file: '" .. name .. "'", { "sweep", "cells.lua", "--axis", "a=1", "--store", name, code = 3,
      out = "", err = "^ballpark: cannot write '" .. name .. "': a store is a file\n$" })
  end
  t:case("a store that is a queue", { "sweep", "cells.lua", "--axis", "a=1", "--store", "queue.fifo", before = "mkfifo queue.fifo;", code = 3,
    out = "", err = "^ballpark: cannot write 'queue%.fifo': a store is a file, and this is a named pipe\n$" })
  t:case("a store that is a folder", { "sweep", "cells.lua", "--axis", "a=1", "--store", ".", code = 3, out = "",
    err = "^ballpark: cannot write '%.': a store is a file, and this is a directory\n$" })
  t:case("a store is a path, and no URI of SQLite", { "sweep", "cells.lua", "--axis", "a=1", "--store",
    "file:m?mode=memory", err = "rows are in table", check = function()
      assert(ask("file:m?mode=memory", "SELECT COUNT(*) FROM cells")[1] == 1)
    end })
  t:case("sweep into a store again", { "sweep", "cells.lua", "--axis", "a=1,2", "--axis", "b=1,2,3", "--store",
    "s.sqlite", out = "", err = "all 6 points are in s%.sqlite", check = words.check })
  t:case("sweep into a store with more points", { "sweep", "cells.lua", "--axis", "a=0,1,2,3", "--axis", "b=3,1,2",
    "--store", "s.sqlite", check = function()
      assert(ask("s.sqlite", "SELECT COUNT(*) FROM cells")[1] == 12)
      assert(ask("s.sqlite", "SELECT COUNT(DISTINCT a * 100 + b) FROM cells")[1] == 12)
    end })
  -- A store that lost its end, and one that writes what nobody asked for.
  local whole = t:read("s.sqlite")
  if #whole > 0 then -- of cases by a word the first may not have run
    for _, lost in ipairs({ 1, 2000, 4096, #whole // 2 }) do
      t:write("short.sqlite", whole:sub(1, -lost - 1))
      t:case("a store without its last bytes: " .. lost, { "sweep", "cells.lua", "--axis", "a=0,1,2,3,4", "--axis", "b=3,1,2",
        "--store", "short.sqlite", code = 3, out = "", err = "^ballpark: cannot use short%.sqlite: [^\n]*\n$" })
    end
    t:write("acts.sqlite", whole)
    ask("acts.sqlite", "CREATE TRIGGER acts AFTER INSERT ON cells BEGIN UPDATE cells SET n = 7; END")
    t:case("a store with a trigger", { "sweep", "cells.lua", "--axis", "a=0,1,2,3,4", "--axis", "b=3,1,2", "--store", "acts.sqlite",
      code = 2, out = "", err = "^ballpark: table cells of acts%.sqlite has the trigger acts[^\n]*\n$" })
    t:write("unique.sqlite", whole)
    ask("unique.sqlite", "CREATE TABLE other (a INTEGER, b INTEGER, status TEXT, y_s REAL, n INTEGER, said TEXT, UNIQUE (n) ON CONFLICT REPLACE, UNIQUE (a, b))")
    ask("unique.sqlite", "INSERT INTO other SELECT a, b, status, y_s, n, said FROM cells WHERE a = 1")
    ask("unique.sqlite", "DROP TABLE cells")
    ask("unique.sqlite", "ALTER TABLE other RENAME TO cells")
    t:case("a store with a constraint of somebody", { "sweep", "cells.lua", "--axis", "a=0,1,2,3,4", "--axis", "b=3,1,2", "--store", "unique.sqlite",
      code = 2, out = "", err = "^ballpark: table cells of unique%.sqlite has a unique index on n[^\n]*\n$" })
  end
  -- Files that rows are made from belong to them.
  local function config(layers)
    return t:write("read.json", ('{"model_type": "llama", "hidden_size": 1024, "num_hidden_layers": %d, "num_attention_heads": 8, '
      .. '"intermediate_size": 4096, "vocab_size": 32000, "max_position_embeddings": 4096}'):format(layers))
  end
  t:write("reads.lua", "show(estimate { model = hf('re' .. 'ad.json'), cluster = cluster { device = 'H100', devices = 8 },"
    .. " job = { global_batch = 64, seq_len = param('s', 1024) }, plan = { tp = 1, micro_batch = 1 } })")
  local function reads(values, more)
    local case = { "sweep", "reads.lua", "--axis", "s=" .. values }
    table.move(more, 1, #more, 5, case)
    return case
  end
  local into = { { "--store", "reads.sqlite" }, { "-o", "reads.jsonl", "--resume" }, { "-o", "reads.csv", "--resume" } }
  local function refused_after(name, values, change)
    for _, more in ipairs(into) do
      config(16)
      t:case("rows before " .. name .. " " .. more[2], reads("512,1024", more))
      change()
      local case = reads(values, more)
      case.code, case.out, case.err = 2, "", "^ballpark: [^\n]*the file read%.json[^\n]*\n$"
      t:case(name .. " " .. more[2], case)
    end
  end
  refused_after("a config that changed, and all rows are there", "512,1024", function() config(8) end)
  refused_after("a config that changed, with more rows", "512,1024,2048", function() config(8) end)
  refused_after("a config that is gone", "512,1024", function() os.remove(t:path("read.json")) end)
  config(16)
  for _, more in ipairs(into) do t:case("the same config, with more rows " .. more[2], reads("512,1024,2048", more)) end

  t:case("sweep of something else gets its own table", { "sweep", "cells.lua", "--axis", "a=1,2", "-D", "b=7",
    "--store", "s.sqlite", err = "holds another sweep of cells.*table cells_2", check = function()
      assert(ask("s.sqlite", "SELECT COUNT(*) FROM cells_2")[1] == 2)
    end })
  t:case("a store is the only way out", { "sweep", "cells.lua", "--axis", "a=1", "--store", "s.sqlite", "-f", "csv",
    code = 2, err = "leave out %-%-output, %-%-format" })
  t:case("a store that is something else", { "sweep", "cells.lua", "--axis", "a=1", "--store", "cells.lua", code = 3,
    err = "cannot use cells%.lua" })
  t:case("a store that cannot be", { "sweep", "cells.lua", "--axis", "a=1", "--store", "no/such/s.sqlite", code = 3,
    err = "cannot use no/such/s%.sqlite" })
  t:case("columns of a store can be chosen", { "sweep", "cells.lua", "--axis", "a=1", "--store", "c.sqlite",
    "--columns", "n", check = function()
      assert(ask("c.sqlite", "SELECT group_concat(name) FROM pragma_table_info('cells')")[1] == "a,status,n")
    end })
  t:case("other columns of a store are another table", { "sweep", "cells.lua", "--axis", "a=1", "--store", "c.sqlite",
    "--columns", "y_s", check = function()
      assert(ask("c.sqlite", "SELECT group_concat(name) FROM pragma_table_info('cells_2')")[1] == "a,status,y_s")
    end })
  t:case("columns of a store have names", { "sweep", "cells.lua", "--axis", "a=1", "--store", "c2.sqlite",
    "--columns", "nn", code = 2, err = "did you mean 'n'" })

  -- Killed in the middle, as often as it takes: what is there stays, the rest follows.
  local list = {}
  for i = 1, 120 do list[i] = tostring(i) end
  local axis = table.concat(list, ",")
  local big = { "sweep", "cells.lua", "--axis", "a=" .. axis, "--axis", "b=" .. axis, "--store", "k.sqlite" }
  -- Of 14,400 points; --verbose says each.
  local function said(points) return ('[ "$(grep -c "point .* of" .err)" -ge %d ]'):format(points) end
  big[#big + 1] = "--verbose"
  for _ = 1, 2 do
    local killed = t:run(big, { before = t:signal_when("KILL", said(2000)) })
    assert(killed.code == 137, "was not killed: " .. killed.code .. killed.err)
  end
  big.check = function()
    assert(ask("k.sqlite", "PRAGMA integrity_check")[1] == "ok")
    assert(ask("k.sqlite", "SELECT COUNT(*) FROM cells")[1] == 14400)
    assert(ask("k.sqlite", "SELECT SUM(n) FROM cells")[1] == (120 * 121 // 2) ^ 2)
  end
  t:case("a killed sweep goes on", big)

  -- Long enough to be interrupted on any machine.
  for i = 121, 1000 do list[i] = tostring(i) end
  axis = table.concat(list, ",")
  local long = { "sweep", "cells.lua", "--verbose", "--axis", "a=" .. axis, "--axis", "b=" .. axis }
  local function broken_off(name, more, check)
    local case = table.move(long, 1, #long, 1, {})
    table.move(more, 1, #more, #case + 1, case)
    case.before = t:signal_when(more.signal or "INT", said(100))
    case.code, case.check = 130, check
    t:case(name, case)
  end
  broken_off("an interrupted sweep keeps its rows", { "--store", "i.sqlite" }, function()
    assert(ask("i.sqlite", "SELECT COUNT(*) FROM cells")[1] >= 100)
  end)
  broken_off("a terminated file is not there", { "-o", "t.csv", signal = "TERM" }, function()
    for name in require("lfs").dir(t.folder) do assert(not name:find("^t%.csv"), name) end
  end)
  broken_off("an interrupted file is not there", { "-o", "i.csv" }, function()
    for name in require("lfs").dir(t.folder) do assert(not name:find("^i%.csv"), name) end
  end)
end
