-- Reads comma-separated values as RFC 4180 has them: quoted fields with doubled quotes and line
-- breaks inside, LF, CRLF or CR at the end of a line, a byte order mark in front. Broken quoting is
-- one error that names file and line; nothing is repaired by guessing.
local blanks = require("ballpark.blanks")
local errors = require("ballpark.errors")
local files = require("ballpark.files")

local csv = {}

local BOM <const> = "\xEF\xBB\xBF"

-- Letters of the longest number that means one.
local NUMBER_MOST <const> = 64

--- The number that a cell says in decimal digits, nil where it says none: 0x10 is a text.
---@param text string|nil
---@return number|nil
function csv.number(text)
  text = text and blanks.cut(text)
  if not text or #text > NUMBER_MOST or not text:find("^[+-]?%.?%d[%d%.]*[eE]?[+-]?%d*$") then return nil end
  local value = tonumber(text)
  return value and math.abs(value) < math.huge and value or nil
end

local function fail(name, line, message) errors.input(name .. ":" .. line, message) end

local function count_lines(text)
  local count = 0
  for _ in text:gmatch("\n") do count = count + 1 end
  return count
end

-- The quoted field that opens at `from`: its value and the position behind the closing quote.
local function quoted(text, from, name, line)
  local at, parts = from + 1, {}
  while true do
    local close = text:find('"', at, true)
    if not close then fail(name, line, "a quoted field is never closed") end
    parts[#parts + 1] = text:sub(at, close - 1)
    if text:byte(close + 1) ~= 34 then return table.concat(parts), close + 1 end
    parts[#parts + 1] = '"'
    at = close + 2
  end
end

-- The field that starts at `from`: value, position of what ends it, lines it spans beyond its own.
local function field(text, from, name, line)
  if text:byte(from) == 34 then
    local value, behind = quoted(text, from, name, line)
    local extra = count_lines(value)
    if behind <= #text and not text:find("^[,\r\n]", behind) then
      fail(name, line + extra, "text behind the closing quote of a field")
    end
    return value, behind, extra
  end
  local stop = text:find('[,\r\n"]', from) or #text + 1
  if text:byte(stop) == 34 then
    fail(name, line, "a quote inside a field that does not start with one")
  end
  return text:sub(from, stop - 1), stop, 0
end

-- The record that starts at `from`: its fields, where the next one starts, the next line number.
local function record(text, from, name, line)
  local fields = {}
  while true do
    local value, stop, extra = field(text, from, name, line)
    fields[#fields + 1] = value
    line = line + extra
    local byte = text:byte(stop)
    if byte ~= 44 then
      if byte == 13 and text:byte(stop + 1) == 10 then stop = stop + 1 end
      return fields, stop + 1, line + 1
    end
    from = stop + 1
  end
end

--- All records of a text, each a list of strings with the `line` it starts on. Empty lines are
--- skipped.
---@param text string
---@param name string what errors call the text, usually the file's name
---@return table[]
function csv.parse(text, name)
  local records, line = {}, 1
  local at = text:sub(1, 3) == BOM and 4 or 1
  while at <= #text do
    local fields, behind, next_line = record(text, at, name, line)
    if #fields > 1 or fields[1] ~= "" then
      fields.line = line
      records[#records + 1] = fields
    end
    at, line = behind, next_line
  end
  return records
end

local function check_header(header, name)
  local seen = {}
  for i, column in ipairs(header) do
    if column == "" then fail(name, header.line, "column " .. i .. " has no name") end
    if seen[column] then fail(name, header.line, "column '" .. column .. "' is there twice") end
    seen[column] = true
  end
end

--- The first record as header and every other one as { line = n, cells = { column = text } }.
---@param text string
---@param name string
---@return string[] header
---@return table[] rows
function csv.records(text, name)
  local rows = csv.parse(text, name)
  local header = table.remove(rows, 1)
  if not header then fail(name, 1, "no header line") end
  check_header(header, name)
  for i, fields in ipairs(rows) do
    if #fields ~= #header then
      fail(name, fields.line, ("%d fields, the header has %d"):format(#fields, #header))
    end
    local cells = {}
    for j, column in ipairs(header) do cells[column] = fields[j] end
    rows[i] = { line = fields.line, cells = cells }
  end
  header.line = nil
  return header, rows
end

--- The whole text of a file; "-" is standard input.
---@param path string
---@return string
function csv.read(path) return files.read(path) end

return csv
