-- What a file of rows already holds: read record by record, so that its size does not matter. Beside FILE
-- lies FILE.resume, which says what sweep the rows are of and is locked while a run adds to them.
local csv_reader = require("ballpark.csv")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local grid = require("ballpark.questions.sweep.run")
local json = require("ballpark.json")
local lfs = require("lfs")
local overrides = require("ballpark.scenario.overrides")
local quantity = require("ballpark.quantity")

local resume = {}

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

local function read_csv(file, path, axes)
  local there = { done = 0, upto = 0 }
  for record, upto in csv_records(file) do
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

local function read_jsonl(file, path, axes)
  local there = { done = 0, upto = 0 }
  for line in file:lines("L") do
    if line:sub(-1) ~= "\n" then break end
    there.upto, there.done = there.upto + #line, there.done + 1
    local row = json.decode(line, path .. ":" .. there.done)
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
      .. differences(json.decode(identity), json.decode(written, path .. ".resume")))
  end
end

-- Opened for reading and writing, made where it is not there, and locked. (A lock goes with any handle of
-- the file that this process closes: all goes through this one.)
local function lock(path)
  local beside = path .. ".resume"
  local made, problem = io.open(beside, "ab")
  if not made then errors.io("cannot write " .. problem) end
  made:close()
  local file = assert(io.open(beside, "r+b"))
  if not lfs.lock(file, "w") then errors.io("cannot write " .. path .. ": another run is adding to it") end
  return file
end

--- Takes the file for this run alone and checks that what it holds is of the same sweep; an empty one
--- becomes one of this sweep. The lock is held until the handle that is returned is closed.
---@param path string
---@param identity string one line of JSON, an object: what makes the sweep what it is
function resume.claim(path, identity)
  local mode = lfs.attributes(path, "mode")
  if mode and mode ~= "file" then
    errors.io("cannot write " .. path .. ": --resume needs a file, this is a " .. mode)
  end
  local file = lock(path)
  if (lfs.attributes(path, "size") or 0) > 0 then
    check_same(path, identity, file:read("l"))
    return file
  end
  -- Only the first line counts: what is left of a longer one lies behind it.
  local ok, why = file:write(identity, "\n")
  if ok then ok, why = file:flush() end
  if not ok then errors.io("cannot write " .. path .. ".resume: " .. why) end
  return file
end

--- What is complete in the file: { done = rows, columns = of a CSV file that has a header }; the rest is
--- cut off. A file that is not there holds nothing.
function resume.read(path, format, axes)
  if not files.exists(path) then return { done = 0 } end
  local file, problem = io.open(path, "rb")
  if not file then errors.io("cannot read " .. problem) end
  local size = file:seek("end")
  file:seek("set")
  local there = (format == "csv" and read_csv or read_jsonl)(file, path, axes)
  file:close()
  if there.upto < size then cut(path, there.upto) end
  return there
end

return resume
