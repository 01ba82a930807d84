-- What a file of rows already holds: read record by record, so that its size does not matter.
local csv_reader = require("ballpark.csv")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local grid = require("ballpark.sweep")
local json = require("ballpark.json")
local overrides = require("ballpark.scenario.overrides")

local resume = {}

-- Axis values of the rows that a file already holds must be those of the grid.
local function check_row(path, axes, i, value_at)
  local wanted = grid.point(axes, i)
  for a, axis in ipairs(axes) do
    local value, there = overrides.value(wanted[a]), value_at(a, axis.name)
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
