-- Rows of sweeps in an SQLite file: one table per sweep, columns named as everywhere and typed, whole
-- numbers exact to 64 bits. Rows are committed in batches: whatever stops the program loses at most the
-- last one, and a later run skips what is there. The table ballpark_digests has the digest of every row, by which a later
-- run knows that it is as it was written, and ballpark_files that of every file which rows were made from.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local interrupt = require("ballpark.interrupt")
local json = require("ballpark.json")
local tables = require("ballpark.tables")

local store = {}

-- A commit costs milliseconds; rows of a second are little to lose.
local BATCH_ROWS, BATCH_S = 10000, 1

-- So long one run waits for another that writes to the same file.
local WAIT_MS <const> = 10000

-- Digests of one statement.
local ROWS_AT_ONCE <const> = 400

local Store = {}
Store.__index = Store

local function library()
  local present, luasql = pcall(require, "luasql.sqlite3")
  interrupt.pass_on(luasql)
  if not present then
    errors.io("--store needs SQLite for Lua: install the Debian package lua-sql-sqlite3 (tools/setup test)")
  end
  return luasql
end

-- The same names come with every row.
local identifiers = setmetatable({}, { __index = function(known, name)
  known[name] = '"' .. name:gsub('"', '""') .. '"'
  return known[name]
end })

local function identifier(name) return identifiers[name] end

-- A value as SQL text. Text with a NUL would end there, so it goes as bytes.
local function literal(value)
  if value == nil then return "NULL" end
  if type(value) == "boolean" then return value and "1" or "0" end
  if type(value) == "number" then
    local text = json.number(value)
    return math.type(value) == "float" and not text:find("[%.e]") and text .. ".0" or text
  end
  if value:find("\0", 1, true) then
    return "CAST(x'" .. value:gsub(".", function(c) return ("%02x"):format(c:byte()) end) .. "' AS TEXT)"
  end
  return "'" .. value:gsub("'", "''") .. "'"
end

-- What SQLite calls the type of a value; it converts nothing of its own when the type fits.
local function type_of(value)
  if type(value) == "boolean" then return "BOOLEAN" end
  if type(value) == "string" then return "TEXT" end
  return math.type(value) == "integer" and "INTEGER" or "REAL"
end

function Store:fail(problem)
  if tostring(problem):find("is locked", 1, true) then
    errors.io(("cannot use %s: another program has been writing to it for more than %d s; run the same command again "
      .. "later, rows that are stored stay"):format(self.path, WAIT_MS // 1000))
  end
  errors.io("cannot use " .. self.path .. ": " .. tostring(problem):gsub("^LuaSQL: ", ""))
end

-- A cursor is noted as it is opened, whenever a Ctrl-C comes: a connection with one that nobody closes cannot be closed.
local function execute(self, sql)
  local outcome, problem = self.connection:execute(sql)
  if not outcome then self:fail(problem) end
  if type(outcome) ~= "number" then self.cursors[outcome] = true end
  return outcome
end

function Store:execute(sql) return interrupt.held(execute, self, sql) end

-- Calls visit(row) for all rows of a question, each a list.
function Store:each(sql, visit)
  -- Left early, by a Ctrl-C, it is closed with the connection.
  local cursor = self:execute(sql)
  local row, problem = cursor:fetch({}, "n")
  while row do
    visit(row)
    row, problem = cursor:fetch({}, "n")
  end
  cursor:close()
  self.cursors[cursor] = nil
  if problem then self:fail(problem) end -- a disk that cannot be read is not the end of the rows
end

-- All rows of a question.
function Store:rows(sql)
  local list = {}
  self:each(sql, function(row) list[#list + 1] = row end)
  return list
end

-- Names taken: SQLite does not tell upper from lower case.
function Store:taken()
  local names = {}
  for _, row in ipairs(self:rows("SELECT name FROM sqlite_master")) do names[row[1]:lower()] = true end
  return names
end

-- What a row holds, by which its digest is made: columns that are empty do not count, they may have come later.
local function digest_of(row, columns)
  local held = {}
  for i, name in ipairs(columns) do
    local value = row[i + 1]
    if math.type(value) == "float" and value - value ~= 0 then value = tostring(value) end -- no run stores one
    held[name] = value
  end
  return core.digest(json.encode(held))
end

-- SQLite's names for the number of a row. An axis may have such a name, and hides it.
local ROW_NAMES <const> = { "rowid", "oid", "_rowid_" }

function Store:row_name()
  for _, name in ipairs(ROW_NAMES) do
    if not self.at[name] then return "t." .. name end
  end
  errors.usage("--store: axes cannot be called " .. table.concat(ROW_NAMES, ", ") .. " all at once")
end

-- Calls visit(rowid, digest of what is there now, digest as it was written or nil) for rows behind `rowid`, or for all.
function Store:each_digest(rowid, visit)
  local list, number = {}, self:row_name()
  for i, name in ipairs(self.columns) do
    -- Lua reads bytes as the text that they were; no run stores any.
    list[i] = ("CASE typeof(t.%s) WHEN 'blob' THEN NULL ELSE t.%s END"):format(identifier(name), identifier(name))
  end
  list[#list + 1] = "d.digest"
  self:each(("SELECT %s, %s FROM %s t LEFT JOIN ballpark_digests d ON d.table_name = %s AND "
    .. "d.row = %s%s ORDER BY %s"):format(number, table.concat(list, ", "), identifier(self.name), literal(self.name), number,
    rowid and (" WHERE %s > %d"):format(number, rowid) or "", number), function(row) visit(row[1], digest_of(row, self.columns), row[#self.columns + 2]) end)
end

-- Refuses a table of which a row is not what was written.
function Store:check_rows()
  self:each_digest(nil, function(rowid, digest, written)
    self.last_row = rowid
    if digest == written then return end
    errors.usage(("row %d of table %s of %s is not as it was written; remove the table to begin anew"):format(rowid,
      self.name, self.path))
  end)
end

-- Digests of the rows since the last commit, as they are in the file.
function Store:seal()
  local values, last = {}, self.last_row
  self:each_digest(last, function(rowid, digest)
    last = rowid
    values[#values + 1] = ("(%s, %d, '%s')"):format(literal(self.name), rowid, digest)
  end)
  for first = 1, #values, ROWS_AT_ONCE do
    self:execute("INSERT OR REPLACE INTO ballpark_digests VALUES "
      .. table.concat(values, ", ", first, math.min(#values, first + ROWS_AT_ONCE - 1)))
  end
  self.last_row = last
end

local function refuse_source(self, name)
  errors.usage(("the file %s is not what rows of table %s of %s were made from; remove the table to begin anew"):format(name,
    self.name, self.path))
end

-- Refuses a table whose rows were made from files that are not what they were.
function Store:check_sources()
  for _, row in ipairs(self:rows("SELECT path, digest FROM ballpark_files WHERE table_name = " .. literal(self.name)
    .. " ORDER BY path")) do
    self.sources[row[1]] = row[2]
    if self.digest_of(row[1]) ~= row[2] then refuse_source(self, row[1]) end
  end
end

--- Notes files that the next rows are made from: digests by path.
---@param seen table<string, string>
function Store:reads(seen)
  for _, name in ipairs(tables.sorted_keys(seen)) do
    local written = self.sources[name] or self.unsaved[name]
    if written and written ~= seen[name] then refuse_source(self, name) end
    if not written then self.unsaved[name] = seen[name] end
  end
end

-- Files that were noted go with the first of their rows.
function Store:save_sources()
  for _, name in ipairs(tables.sorted_keys(self.unsaved)) do
    self:execute(("INSERT OR IGNORE INTO ballpark_files VALUES (%s, %s, '%s')"):format(literal(self.name), literal(name),
      self.unsaved[name]))
    self.sources[name] = self.unsaved[name]
  end
  self.unsaved = {}
end

-- Refuses a file that SQLite finds damaged, and tables on which a trigger would write something else.
function Store:check_file()
  local found = self:rows("PRAGMA integrity_check(1)")[1][1]
  if found ~= "ok" then self:fail("it is damaged (" .. tostring(found):gsub("%s+", " ") .. ")") end
  local trigger = self:rows("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'")[1]
  if trigger then
    errors.usage(("table %s of %s has the trigger %s, which could change what is stored; remove it first"):format(trigger[2],
      self.path, trigger[1]))
  end
end

-- Refuses a name that is not a table's: a view, or a virtual table of one, may give other rows each time, or rows
-- without end.
function Store:check_table(name)
  local kind = self:rows(("SELECT CASE type WHEN 'table' THEN 'virtual table' ELSE type END FROM sqlite_master WHERE name = %s "
    .. "COLLATE NOCASE AND (type <> 'table' OR sql NOT LIKE 'CREATE TABLE %%')"):format(literal(name)))[1]
  if kind then errors.usage(("%s of %s is a %s, not a table; remove it first"):format(name, self.path, kind[1])) end
end

-- Refuses constraints that are not ours, by which SQLite may drop rows or put others in their place without a word.
-- `unique`: lists of columns that may be said to be so, as they are written here.
function Store:check_constraints(name, unique)
  local allowed = {}
  for i, columns in ipairs(unique) do allowed[i] = table.concat(columns, "\0"):lower() end
  for _, index in ipairs(self:rows(("SELECT name FROM pragma_index_list(%s) WHERE \"unique\""):format(literal(name)))) do
    local columns = {}
    for i, row in ipairs(self:rows(("SELECT COALESCE(name, '') FROM pragma_index_info(%s) ORDER BY seqno"):format(literal(index[1])))) do
      columns[i] = row[1]
    end
    if not tables.contains(allowed, table.concat(columns, "\0"):lower()) then
      errors.usage(("table %s of %s has a unique index on %s, which could change what is stored; remove it first"):format(name,
        self.path, table.concat(columns, ", ")))
    end
  end
end

-- The same of the table of a sweep, none of whose columns has a constraint of its own.
function Store:check_own_constraints()
  self:check_constraints(self.name, { self.keys })
  local column = self:rows(('SELECT name, pk FROM pragma_table_info(%s) WHERE pk OR "notnull"'):format(literal(self.name)))[1]
  if column then
    errors.usage(("column %s of table %s of %s is %s, which could change what is stored; remove the table to begin anew"):format(column[1],
      self.name, self.path, column[2] > 0 and "a primary key" or "not null"))
  end
end

-- Finds the sweep with this identity, or a free name for it.
function Store:claim(name, identity)
  local found = self:rows("SELECT table_name FROM ballpark_sweeps WHERE identity = " .. literal(identity))
  if found[1] and type(found[1][1]) ~= "string" then self:fail("it is damaged (a sweep without a table)") end
  if found[1] then return found[1][1] end
  local base = name:gsub("[^%w_]", "_"):gsub("^(%d)", "_%1")
  if base == "" or base:lower():find("^sqlite_") or base:lower():find("^ballpark_") then base = "sweep" end
  local taken, unique, n = self:taken(), base, 1
  while taken[unique:lower()] do
    n = n + 1
    unique = base .. "_" .. n
  end
  return unique, unique ~= base and base or nil
end

-- Columns that the table has, in order; none when there is no table yet.
function Store:read_columns()
  self.columns, self.at = {}, {}
  -- Position of a column by any spelling of its name: SQLite ignores case.
  self.places = setmetatable({}, { __index = function(places, name)
    local at = self.at[name:lower()]
    rawset(places, name, at)
    return at
  end })
  for _, row in ipairs(self:rows("SELECT name FROM pragma_table_info(" .. literal(self.name) .. ")")) do
    self.columns[#self.columns + 1] = row[1]
    self.at[row[1]:lower()] = #self.columns
  end
  self.exists = #self.columns > 0
end

--- Opens FILE for the sweep that `identity` (a text) stands for; `name` is what its table is called when
--- that is free, `keys` are the columns that tell its points apart. Close it with <close>.
---@param path string
---@param about {name: string, identity: string, keys: string[], digest_of: fun(path: string): string|nil} digest_of: of a file
--- that rows were made from, as it is now
function store.open(path, about)
  local self = setmetatable({ path = path, keys = about.keys, cursors = {}, pending = 0, stored = 0, last_row = 0,
    identity = about.identity, wanted_name = about.name, committed = os.time(), digest_of = about.digest_of, sources = {},
    unsaved = {} },
    Store)
  local problem
  local key_names = {}
  for i, key in ipairs(about.keys) do key_names[i] = identifier(key) end
  self.key_list = table.concat(key_names, ", ")
  self.environment = library().sqlite3()
  -- SQLite takes both for a database that is gone with the process.
  if path == "" or path:find(":memory:", 1, true) then errors.io(("cannot write '%s': a store is a file"):format(path)) end
  -- Nor is file:... a URI of SQLite's here.
  self.connection, problem = self.environment:connect(path:sub(1, 1) == "/" and path or "./" .. path)
  if not self.connection then self:fail(problem) end
  self:rows("PRAGMA busy_timeout = " .. WAIT_MS)
  self:check_file()
  for _, name in ipairs({ "ballpark_sweeps", "ballpark_digests", "ballpark_files" }) do self:check_table(name) end
  self:execute("CREATE TABLE IF NOT EXISTS ballpark_sweeps (table_name TEXT PRIMARY KEY, identity TEXT UNIQUE)")
  self:execute("CREATE TABLE IF NOT EXISTS ballpark_digests (table_name TEXT, row INTEGER, digest TEXT, "
    .. "PRIMARY KEY (table_name, row)) WITHOUT ROWID")
  self:execute("CREATE TABLE IF NOT EXISTS ballpark_files (table_name TEXT, path TEXT, digest TEXT, "
    .. "PRIMARY KEY (table_name, path)) WITHOUT ROWID")
  self:check_constraints("ballpark_sweeps", { { "table_name" }, { "identity" } })
  self:check_constraints("ballpark_digests", { { "table_name", "row" } })
  self:check_constraints("ballpark_files", { { "table_name", "path" } })
  self.name, self.instead_of = self:claim(about.name, about.identity)
  self:check_table(self.name)
  self:read_columns()
  if self.exists then
    self:check_own_constraints()
    self.stored = self:rows("SELECT COUNT(*) FROM " .. identifier(self.name))[1][1]
    self:check_rows()
    self:check_sources()
  end
  return self
end

-- The table and its entry appear together. Another run may have made them since this one looked.
function Store:create(key_values)
  self:begin()
  self.name = self:claim(self.wanted_name, self.identity)
  self:read_columns()
  if self.exists then return self:check_own_constraints() end
  local parts = {}
  for i, key in ipairs(self.keys) do
    parts[i] = identifier(key) .. " " .. type_of(key_values[i])
  end
  parts[#parts + 1] = "UNIQUE (" .. self.key_list .. ")"
  self:execute("CREATE TABLE " .. identifier(self.name) .. " (" .. table.concat(parts, ", ") .. ")")
  self:execute("INSERT OR REPLACE INTO ballpark_sweeps VALUES (" .. literal(self.name) .. ", " .. literal(self.identity)
    .. ")")
  for _, kept in ipairs({ "ballpark_digests", "ballpark_files" }) do
    self:execute(("DELETE FROM %s WHERE table_name = %s"):format(kept, literal(self.name)))
  end
  self:read_columns()
end

-- Another run may write to the same file between two batches, and add columns.
function Store:begin()
  if self.open_batch then return end
  self:execute("BEGIN IMMEDIATE")
  self.open_batch = true
  local version = self:rows("PRAGMA schema_version")[1][1]
  if self.exists and version ~= self.schema_version then
    self:read_columns()
    self:check_own_constraints()
  end
  self.schema_version = version
end

--- Commits the rows since the last commit.
function Store:commit()
  if not self.open_batch then return end
  self:seal()
  self:execute("COMMIT")
  self.open_batch, self.pending, self.committed = false, 0, os.time()
end

--- Whether a point with these key values is stored.
function Store:has(key_values)
  if self.stored == 0 then return false end
  local tests = {}
  for i, key in ipairs(self.keys) do tests[i] = identifier(key) .. " = " .. literal(key_values[i]) end
  return #self:rows("SELECT 1 FROM " .. identifier(self.name) .. " WHERE " .. table.concat(tests, " AND ")) > 0
end

function Store:add_column(name, value)
  self:execute("ALTER TABLE " .. identifier(self.name) .. " ADD COLUMN " .. identifier(name) .. " "
    .. type_of(value))
  self.columns[#self.columns + 1] = name
  self.at[name:lower()] = #self.columns
end

--- Stores one point: its key values and a list of { name =, value = }; columns appear as they come.
function Store:insert(key_values, facts)
  if not self.exists then interrupt.held(self.create, self, key_values) end
  self:begin()
  self:save_sources()
  local names, values, seen = {}, {}, {}
  local function add(name, value)
    local at = self.places[name]
    if value == nil or (at and seen[at]) then return end
    if not at then
      self:add_column(name, value)
      at = self.places[name]
    end
    seen[at] = true
    names[#names + 1], values[#values + 1] = identifier(name), literal(value)
  end
  for i, key in ipairs(self.keys) do add(key, key_values[i]) end
  for _, fact in ipairs(facts) do add(fact.name, fact.value) end
  -- Of two runs of one sweep, both of which find the same, the first has it. What else the table does not take is lost.
  self:execute(("INSERT INTO %s (%s) VALUES (%s) ON CONFLICT (%s) DO NOTHING"):format(identifier(self.name),
    table.concat(names, ", "), table.concat(values, ", "), self.key_list))
  self.pending = self.pending + 1
  if self.pending >= BATCH_ROWS or os.time() - self.committed >= BATCH_S then self:commit() end
end

--- Commits and closes.
function Store:finish()
  self:commit()
  self:close()
end

function Store:close()
  if not self.connection then return end
  for cursor in pairs(self.cursors) do pcall(cursor.close, cursor) end
  self.connection:close()
  self.environment:close()
  self.connection = nil
end

local function leave(self)
  if self.connection and self.open_batch then pcall(self.commit, self) end
  self:close()
end

-- Left early (an error, Ctrl-C): the rows that are whole stay.
function Store:__close() interrupt.held(leave, self) end

return store
