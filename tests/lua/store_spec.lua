-- The SQLite store: typed columns, exact numbers, sweeps kept apart, rows that survive a broken run.
local errors = require("ballpark.errors")
local luasql = require("luasql.sqlite3")
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local interrupted = dofile(here .. "/interrupted.lua")
local ours = dofile(here .. "/files.lua")
local store = require("ballpark.store")

local function rows(path, sql)
  local environment = luasql.sqlite3()
  local connection = assert(environment:connect(path))
  local cursor, list = assert(connection:execute(sql)), {}
  local row = cursor:fetch({}, "n")
  while row do
    list[#list + 1] = row
    row = cursor:fetch({}, "n")
  end
  cursor:close()
  connection:close()
  environment:close()
  return list
end

local function change(path, sql)
  local environment = luasql.sqlite3()
  local connection = assert(environment:connect(path))
  assert(connection:execute(sql))
  connection:close()
  environment:close()
end

describe("the store", function()
  local folder, path
  before_each(function()
    folder = ours.folder()
    path = folder .. "/s.sqlite"
  end)
  after_each(function() ours.remove(folder) end)

  local function open(about)
    about = about or {}
    return store.open(path, { name = about.name or "grid", identity = about.identity or "one",
      keys = about.keys or { "a", "plan.tp" } })
  end

  it("keeps every value and its type", function()
    local s = open()
    s:insert({ 1, "x" }, { { name = "bytes", value = math.maxinteger }, { name = "step_s", value = 0.1 },
      { name = "whole_s", value = 3.0 }, { name = "fits", value = true }, { name = "said", value = "it's \"so\"\n" },
      { name = "raw", value = "a\0b" }, { name = "none" }, { name = "least", value = math.mininteger } })
    s:finish()
    local row = rows(path, [[SELECT bytes, typeof(bytes), step_s, typeof(whole_s), fits, said, hex(raw), least,
      typeof(least) FROM grid]])[1]
    assert.same({ math.maxinteger, "integer", 0.1, "real", 1, "it's \"so\"\n", "610062", math.mininteger, "integer" },
      row)
    local types = rows(path, "SELECT name, type FROM pragma_table_info('grid')")
    assert.same({ { "a", "INTEGER" }, { "plan.tp", "TEXT" }, { "bytes", "INTEGER" }, { "step_s", "REAL" },
      { "whole_s", "REAL" }, { "fits", "BOOLEAN" }, { "said", "TEXT" }, { "raw", "TEXT" }, { "least", "INTEGER" } },
      types)
  end)

  it("does not take a disk that cannot be read for the end of the rows", function()
    local s = open()
    local connection = s.connection
    local cursor = { fetch = function() return nil, "LuaSQL: disk I/O error" end, close = function() end }
    s.connection = { execute = function() return cursor end }
    local text, raised = errors.catch(s.taken, s)
    s.connection = connection
    s:close()
    assert.matches("^cannot use .*s%.sqlite: disk I/O error$", text)
    assert.equal(3, raised.code)
  end)

  -- The connection of a store, with a Ctrl-C as each statement that has a word in it has been carried out.
  local function interrupted_after(s, word)
    local connection = s.connection
    local function execute(_, sql) return connection:execute(sql) end
    local broken = interrupted.after(execute)
    return { close = function() return connection:close() end,
      execute = function(self, sql) return (sql:find(word, 1, true) and broken or execute)(self, sql) end }
  end

  it("closes a cursor that is open as a Ctrl-C comes, before anybody has it", function()
    local s = open()
    s.connection = interrupted_after(s, "sqlite_master")
    assert.is_true(interrupted.raised(s.taken, s))
    assert.is_nil((errors.catch(s.close, s)))
  end)

  it("makes a table with its entry, whenever a Ctrl-C comes", function()
    local function broken_off()
      local s <close> = open({ keys = { "a" } })
      s.connection = interrupted_after(s, "CREATE TABLE")
      s:insert({ 1 }, {})
    end
    assert.is_true(interrupted.raised(broken_off))
    local s = open({ keys = { "a" } })
    s:insert({ 1 }, {})
    s:finish()
    assert.same({ { "grid" } }, rows(path, "SELECT table_name FROM ballpark_sweeps"))
  end)

  for _, keys in ipairs({ { "rowid", "b" }, { "RowID", "OID" } }) do
    it("tells rows apart where axes have SQLite's names for that: " .. table.concat(keys, ", "), function()
      local s = open({ keys = keys })
      for _, first in ipairs({ 9, "x", 2 }) do
        s:insert({ first, 1 }, {})
        s:commit()
      end
      s:finish()
      local again = open({ keys = keys })
      assert.equal(3, again.stored)
      assert.is_true(again:has({ "x", 1 }))
      again:close()
      change(path, ("UPDATE grid SET %s = 7 WHERE %s = 2"):format(keys[1], keys[1]))
      assert.matches("^row 3 of table grid of .* is not as it was written", (errors.catch(open, { keys = keys })))
    end)
  end

  it("refuses a row that was changed and put before the first", function()
    local s = open({ keys = { "a" } })
    s:insert({ 1 }, { { name = "n", value = 2 } })
    s:finish()
    change(path, "UPDATE grid SET rowid = -5, n = 3")
    assert.matches("^row %-5 of table grid of .* is not as it was written", (errors.catch(open, { keys = { "a" } })))
  end)

  it("refuses a text that a bit has made bytes, which no question for the text finds", function()
    local s = open({ keys = { "a" } })
    s:insert({ 1 }, { { name = "said", value = "ok" } })
    s:finish()
    change(path, "UPDATE grid SET said = CAST(said AS BLOB)")
    assert.matches("^row 1 of table grid of .* is not as it was written", (errors.catch(open, { keys = { "a" } })))
  end)

  it("loses no row that the table does not take", function()
    local about = { keys = { "a" }, identity = "t", name = "t" }
    local s = open(about)
    s:insert({ 1 }, { { name = "n", value = -2 } })
    s:finish()
    change(path, "DROP TABLE t")
    change(path, "CREATE TABLE t (a INTEGER UNIQUE, n INTEGER CHECK (n < 0))")
    s = open(about)
    local text, raised = errors.catch(s.insert, s, { 2 }, { { name = "n", value = 2 } })
    s:close()
    assert.matches("^cannot use .*s%.sqlite: .*failed", text)
    assert.equal(3, raised.code)
  end)

  it("refuses constraints that are not its own", function()
    local about = { keys = { "a" }, identity = "t", name = "t" }
    local s = open(about)
    s:insert({ 1 }, { { name = "n", value = 2 } })
    s:finish()
    -- Those who only look rows up are let in.
    change(path, "CREATE INDEX looks ON t (n)")
    open(about):finish()
    change(path, "CREATE UNIQUE INDEX once ON t (n)")
    assert.matches("^table t of .* has a unique index on n, which could change what is stored; remove it first$", (errors.catch(open, about)))
    local columns = { ["(a INTEGER UNIQUE, n INTEGER UNIQUE ON CONFLICT REPLACE)"] = "a unique index on n",
      ["(a INTEGER UNIQUE, n INTEGER, UNIQUE (n, a) ON CONFLICT IGNORE)"] = "a unique index on n, a",
      ["(a INTEGER UNIQUE, n INTEGER PRIMARY KEY ON CONFLICT REPLACE)"] = "column n .* is a primary key",
      ["(a INTEGER UNIQUE, n INTEGER NOT NULL ON CONFLICT IGNORE)"] = "column n .* is not null" }
    for sql, refusal in pairs(columns) do
      change(path, "DROP TABLE t")
      change(path, "CREATE TABLE t " .. sql)
      assert.matches(refusal .. ".*which could change what is stored", (errors.catch(open, about)))
    end
    -- Nor may another program make one between two batches.
    change(path, "DROP TABLE t")
    change(path, "CREATE TABLE t (a INTEGER, n INTEGER, UNIQUE (a))")
    s = open(about)
    change(path, "CREATE UNIQUE INDEX once ON t (n)")
    assert.matches("a unique index on n", (errors.catch(s.insert, s, { 2 }, { { name = "n", value = 3 } })))
    s:close()
  end)

  it("refuses sweeps without a table, and views", function()
    local s = open({ keys = { "a" } })
    s:insert({ 1 }, { { name = "n", value = 2 } })
    s:finish()
    change(path, "UPDATE ballpark_sweeps SET table_name = NULL")
    assert.matches("damaged", (errors.catch(open, { keys = { "a" } })))
    change(path, "UPDATE ballpark_sweeps SET table_name = 'seen'")
    change(path, "CREATE VIEW seen AS SELECT * FROM grid")
    assert.matches("^seen of .* is a view, not a table; remove it first$", (errors.catch(open, { keys = { "a" } })))
  end)

  for _, name in ipairs({ "ballpark_sweeps", "ballpark_digests", "ballpark_files" }) do
    it("refuses a view in the place of a table of its own, whose rows may have no end: " .. name, function()
      local s = open({ keys = { "a" } })
      s:insert({ 1 }, { { name = "n", value = 2 } })
      s:finish()
      change(path, ("ALTER TABLE %s RENAME TO was"):format(name))
      for kind, sql in pairs({ view = "CREATE VIEW %s AS SELECT * FROM was", ["virtual table"] = "CREATE VIRTUAL TABLE %s USING rtree(a, b, c)" }) do
        change(path, sql:format(name:upper()))
        local text, raised = errors.catch(open, { keys = { "a" } })
        assert.matches(("^%s of .* is a %s, not a table; remove it first$"):format(name, kind), text)
        assert.equal(2, raised.code)
        change(path, ("DROP %s %s"):format(kind == "view" and "VIEW" or "TABLE", name))
      end
    end)
  end

  it("refuses axes that leave no name for the number of a row", function()
    local s = open({ keys = { "rowid", "oid", "_rowid_" } })
    local text = errors.catch(function()
      s:insert({ 1, 2, 3 }, {})
      s:commit()
    end)
    s:close()
    assert.matches("all at once", text)
  end)

  it("takes columns as they come", function()
    local s = open({ keys = { "a" } })
    s:insert({ 1 }, { { name = "early", value = 1 } })
    s:insert({ 2 }, { { name = "late", value = 2.5 } })
    s:finish()
    assert.same({ { 1, 1 }, { 2, nil, 2.5 } }, rows(path, "SELECT * FROM grid ORDER BY a"))
  end)

  it("knows what it has, also when opened again", function()
    local s = open()
    assert.is_false(s:has({ 1, "x" }))
    s:insert({ 1, "x" }, {})
    s:finish()
    s = open()
    assert.equal(1, s.stored)
    assert.is_true(s:has({ 1, "x" }))
    assert.is_false(s:has({ 1, "y" }))
    s:insert({ 1, "y" }, { { name = "n", value = 1 } })
    s:finish()
    assert.equal(2, rows(path, "SELECT COUNT(*) FROM grid")[1][1])
  end)

  it("gives another sweep another table", function()
    local one = open({ keys = { "a" } })
    one:insert({ 1 }, {})
    one:finish()
    local two = open({ keys = { "a" }, identity = "two" })
    assert.equal("grid_2", two.name)
    assert.equal("grid", two.instead_of)
    two:insert({ 1 }, {})
    two:finish()
    local again = open({ keys = { "a" } })
    assert.equal("grid", again.name)
    assert.is_nil(again.instead_of)
    again:finish()
  end)

  it("finds a name for any scenario", function()
    for _, name in ipairs({ "a b;c", "7", "sqlite_x", "ballpark_sweeps", "", "select" }) do
      local s = open({ name = name, identity = name, keys = { "a" } })
      s:insert({ 1 }, { { name = "order", value = 1 } })
      s:finish()
    end
    assert.equal(6, rows(path, "SELECT COUNT(*) FROM ballpark_sweeps")[1][1])
  end)

  it("keeps whole rows of a run that broke off, and none of a row that was refused", function()
    pcall(function()
      local s <close> = open({ keys = { "a" } })
      s:insert({ 1 }, {})
      s:insert({ 2 }, { { name = "x", value = 0 / 0 } })
    end)
    assert.same({ { 1 } }, rows(path, "SELECT a FROM grid"))
  end)

  it("refuses a file that is no database", function()
    ours.write(folder, "s.sqlite", ("not a database\n"):rep(100))
    local text, raised = errors.catch(open)
    assert.matches("s%.sqlite: .*not a database", text)
    assert.equal(3, raised.code)
  end)

  it("refuses rows that are not as they were written, and keeps others of the table", function()
    local s = open({ keys = { "a" } })
    for i = 1, 500 do s:insert({ i }, { { name = "n", value = i / 3 }, { name = "said", value = "x" } }) end
    s:finish()
    open({ keys = { "a" } }):finish()
    change(path, "DELETE FROM grid WHERE a = 7")
    open({ keys = { "a" } }):finish()
    change(path, "UPDATE grid SET n = n * (1 + 1e-15) WHERE a = 450")
    local text, raised = errors.catch(open, { keys = { "a" } })
    assert.matches("^row 450 of table grid of .*s%.sqlite is not as it was written", text)
    assert.equal(2, raised.code)
    open({ keys = { "a" }, identity = "two" }):finish()
  end)

  it("refuses a number that no run stores", function()
    local s = open({ keys = { "a" } })
    s:insert({ 1 }, { { name = "n", value = 1 / 3 } })
    s:finish()
    change(path, "UPDATE grid SET n = 9e999")
    assert.matches("^row 1 of table grid of .* is not as it was written", (errors.catch(open, { keys = { "a" } })))
  end)

  it("lets two runs of one sweep write to one file", function()
    local one, two = open({ keys = { "a" } }), open({ keys = { "a" } })
    one:insert({ 1 }, { { name = "x", value = 1 } })
    one:commit()
    two:insert({ 1 }, { { name = "x", value = 1 }, { name = "y", value = 2 } })
    two:insert({ 2 }, { { name = "y", value = 2 } })
    two:commit()
    one:insert({ 3 }, { { name = "y", value = 2 } })
    one:finish()
    two:finish()
    assert.same({ { 1, 1 }, { 2, nil, 2 }, { 3, nil, 2 } }, rows(path, "SELECT * FROM grid ORDER BY a"))
    open({ keys = { "a" } }):finish()
  end)
end)
