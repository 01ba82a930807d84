-- What a file of rows already holds: read record by record, so that its size does not matter. Beside FILE
-- lies FILE.resume, which is locked while a run adds rows: its first line says what sweep they are of, each further one
-- is the digest of what was written up to a record (the header of a CSV file is one, too), or the name and the digest of a
-- file that rows were made from.
local core = require("ballpark.core")
local csv_reader = require("ballpark.csv")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local grid = require("ballpark.questions.sweep.run")
local json = require("ballpark.json")
local lfs = require("lfs")
local overrides = require("ballpark.scenario.overrides")
local quantity = require("ballpark.quantity")
local tables = require("ballpark.tables")

local resume = {}

-- By whatever link a file is called, its digests and its lock are the same.
local function digests_of(path) return files.companion(path, ".resume") end

-- Axis values of the rows that a file already holds must be those of the grid.
local function check_row(path, axes, i, value_at)
  local wanted = grid.point(axes, i)
  for a, axis in ipairs(axes) do
    local value, there = quantity.value(overrides.value(wanted[a])), value_at(a, axis.name)
    if tostring(there) ~= tostring(value) and tonumber(there) ~= value then
      errors.usage("--resume: row " .. i .. " of " .. path .. " has " .. axis.name .. "="
        .. tostring(there) .. ", this sweep has " .. wanted[a] .. " there")
    end
  end
end

-- Digests as they were written, one after the other.
local Digests = {}
Digests.__index = Digests

-- The digest behind one more record.
function Digests:next(record)
  self.last = core.digest(self.last .. record)
  return self.last
end

-- Checks the next record against what was written; false where nothing was written of it. A record gets to the disk
-- before its digest does: a run that was killed in between leaves one without.
function Digests:check(record)
  local written = self.list[self.count + 1]
  if not written then return false end
  if self:next(record) ~= written then
    errors.usage(("--resume: row %d of %s is not as it was written; remove the file and %s to begin anew"):format(
      self.count + self.first_row, self.path, digests_of(self.path)))
  end
  self.count = self.count + 1
  return true
end

local function write_line(digests, line)
  local ok, why = digests.file:write(line, "\n")
  if ok then ok, why = digests.file:flush() end
  if not ok then errors.io("cannot write " .. digests_of(digests.path) .. ": " .. why) end
end

--- Notes one more record, which is in the file by now.
function Digests:add(record) write_line(self, self:next(record)) end

local SOURCE <const> = "^file (%x+) (.+)\n$"

local function source_line(name, digest) return ("file %s %s"):format(digest, json.encode(name)) end

local function check_source(path, name, written, digest)
  if not written or written == digest then return end
  errors.usage(("--resume: %s holds rows of another sweep; what differs: the file %s, which they were made from"):format(
    path, name))
end

--- Notes files that rows are made from: digests by path. One that rows before were made from is still the same.
function Digests:reads(seen)
  for _, name in ipairs(tables.sorted_keys(seen)) do
    check_source(self.path, name, self.sources[name], seen[name])
    if not self.sources[name] then
      self.sources[name] = seen[name]
      write_line(self, source_line(name, seen[name]))
    end
  end
end

function Digests:close()
  self.file:close()
  self.lock:close()
end

local function quotes(text) return select(2, text:gsub('"', "")) end

-- Whole CSV records with the bytes up to their end; quoted fields may span lines.
local function csv_records(file)
  local upto = 0
  return function()
    local record, open = "", 0
    repeat
      local line = file:read("L")
      if not line then return nil end
      record = record .. line
      open = open + quotes(line)
    until open % 2 == 0 and line:sub(-1) == "\n"
    upto = upto + #record
    return record, upto
  end
end

-- Axes come first and are rarely quoted: most records need no parser.
local function cells_of(record, path, count)
  if record:find('"', 1, true) then return csv_reader.parse(record, path)[1] end
  local cells = {}
  for cell in (record:sub(1, -2) .. ","):gmatch("(.-),") do
    cells[#cells + 1] = cell
    if #cells == count then break end
  end
  return cells
end

-- Behind the last record that was written whole there is at most one that nothing is known of.
local function check_rest(path, file, records)
  if records() then
    errors.usage(("--resume: %s has rows that no run wrote there; remove it and %s to begin anew"):format(path,
      digests_of(path)))
  end
  return file
end

local function read_csv(file, path, axes, digests)
  local there, records = { done = 0, upto = 0 }, csv_records(file)
  for record, upto in records do
    if not digests:check(record) then
      check_rest(path, file, records)
      break
    end
    there.upto = upto
    if not there.columns then
      there.columns = {}
      for i, name in ipairs(cells_of(record, path, math.huge)) do there.columns[i] = { name = name } end
    else
      there.done = there.done + 1
      local cells = cells_of(record, path, #axes)
      check_row(path, axes, there.done, function(a) return cells[a] end)
    end
  end
  return there
end

-- Every row has all columns, null where it has none of one.
local function columns_of(row)
  local columns = {}
  for i, name in ipairs(type(row) == "table" and tables.sorted_keys(row) or {}) do columns[i] = { name = name } end
  return columns
end

local function read_jsonl(file, path, axes, digests)
  local there, records = { done = 0, upto = 0 }, file:lines("L")
  digests.first_row = 1
  for line in records do
    if line:sub(-1) ~= "\n" then break end
    if not digests:check(line) then
      check_rest(path, file, records)
      break
    end
    there.upto, there.done = there.upto + #line, there.done + 1
    local row = json.parse(line, path .. ":" .. there.done, json.null)
    there.columns = there.columns or columns_of(row)
    if type(row) ~= "table" then errors.usage("--resume: row " .. there.done .. " of " .. path .. " is no row") end
    check_row(path, axes, there.done, function(_, name) return row[name] end)
  end
  return there
end

-- Cuts off a last line that was not finished.
local function cut(path, size)
  local from, problem = io.open(path, "rb")
  if not from then errors.io("cannot read " .. problem) end
  local to <close> = files.stream(path)
  while size > 0 do
    local piece = from:read(math.min(size, 1 << 16))
    to:write(piece)
    size = size - #piece
  end
  from:close()
  to:finish()
end

-- What of two sweeps is not the same, in words.
local function differences(here, there)
  local names, list = {}, {}
  for name in pairs(here) do names[name] = true end
  for name in pairs(there) do names[name] = true end
  for name in pairs(names) do
    if json.encode({ here[name] }) ~= json.encode({ there[name] }) then list[#list + 1] = name end
  end
  table.sort(list)
  return table.concat(list, ", ")
end

local function check_same(path, identity, written)
  if not written then
    errors.usage("--resume: " .. path .. " was not begun with --resume, so nothing says what its rows are of")
  end
  if written ~= identity then
    errors.usage("--resume: " .. path .. " holds rows of another sweep; what differs: "
      .. differences(json.decode(identity), json.decode(written, digests_of(path))))
  end
end

-- A file of that name that no sweep wrote is somebody's: its first line would say what rows are of.
local function check_ours(path, handle)
  local first = handle:read("l")
  handle:seek("set")
  local ok, said = errors.attempt(json.decode, first or "{}", "identity")
  if not ok or type(said) ~= "table" then
    errors.io(("cannot write %s: what is there was not written by a sweep"):format(digests_of(path)))
  end
end

local function check_file(path)
  local mode = lfs.attributes(path, "mode")
  if mode and mode ~= "file" then
    errors.io("cannot write " .. path .. ": --resume needs a file, this is a " .. mode)
  end
end

-- Opened for reading and writing, made where it is not there, and locked. (A lock goes with any handle of
-- the file that this process closes: all goes through this one.)
local function lock(path)
  local beside = digests_of(path)
  check_file(beside)
  local made, problem = io.open(beside, "ab")
  if not made then errors.io("cannot write " .. problem) end
  made:close()
  local file
  file, problem = io.open(beside, "r+b")
  if not file then errors.io("cannot read " .. problem) end
  if not lfs.lock(file, "w") then errors.io("cannot write " .. path .. ": another run is adding to it") end
  return file
end

-- The first record of a CSV file is its header.
local function new_digests(path, list, sources)
  return setmetatable({ path = path, list = list, sources = sources, count = 0, first_row = 0, last = "" }, Digests)
end

-- A run that was killed, or a full disk, may leave the last line without its end: nothing was written of its row then.
local function read_digests(path, handle, digest_of)
  local list, sources = {}, {}
  local size = #core.digest("")
  for line in handle:lines("L") do
    local digest, quoted = line:match(SOURCE)
    local ok, name = errors.attempt(json.decode, quoted or "", "name")
    if digest and ok and type(name) == "string" then
      sources[name] = digest
    elseif line:find("^%x+\n$") and #line == size + 1 then
      list[#list + 1] = line:sub(1, size)
    else
      break -- torn
    end
  end
  for _, name in ipairs(tables.sorted_keys(sources)) do
    check_source(path, name, sources[name], digest_of(name))
  end
  return new_digests(path, list, sources)
end

--- Takes the file for this run alone and checks that what it holds is of the same sweep; an empty one
--- becomes one of this sweep. The lock is held until what is returned is closed.
---@param path string
---@param identity string one line of JSON, an object: what makes the sweep what it is
---@param digest_of fun(name: string): string|nil of a file that rows were made from, as it is now
---@return table claim for resume.read
function resume.claim(path, identity, digest_of)
  check_file(path)
  local claim = { identity = identity, lock = lock(path) }
  check_ours(path, claim.lock)
  if (lfs.attributes(path, "size") or 0) > 0 then
    check_same(path, identity, claim.lock:read("l"))
    claim.digests = read_digests(path, claim.lock, digest_of)
  else
    claim.digests = new_digests(path, {}, {})
  end
  return claim
end

-- What has been checked: digests of rows that are cut off are left out.
local function write_checked(stream, claim)
  local digests = claim.digests
  stream:write(claim.identity .. "\n")
  for _, name in ipairs(tables.sorted_keys(digests.sources)) do
    stream:write(source_line(name, digests.sources[name]) .. "\n")
  end
  for i = 1, digests.count do stream:write(digests.list[i] .. "\n") end
end

-- The file beside it anew, whole or not at all. Both it and what it takes the place of stay open, each with a lock:
-- somebody may have opened the old one.
local function write_beside(path, claim)
  local beside = digests_of(path)
  local stream <close> = files.stream(beside, beside .. ".partial")
  lfs.lock(stream.file, "w")
  write_checked(stream, claim)
  claim.digests.file, claim.digests.lock = stream:place(), claim.lock
end

--- What is complete in the file: { done = rows, columns = of a file that has rows or a header, digests }; the rest is
--- cut off. A file that is not there holds nothing. Records that are added are to be noted in digests, which is to be
--- closed in the end.
function resume.read(path, format, axes, claim)
  local there = { done = 0, upto = 0 }
  if files.exists(path) then
    local file, problem = io.open(path, "rb")
    if not file then errors.io("cannot read " .. problem) end
    local size = file:seek("end")
    file:seek("set")
    there = (format == "csv" and read_csv or read_jsonl)(file, path, axes, claim.digests)
    file:close()
    if there.upto < size then cut(path, there.upto) end
  end
  there.digests = claim.digests
  write_beside(path, claim)
  return there
end

return resume
