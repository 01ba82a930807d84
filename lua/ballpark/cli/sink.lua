-- Where the rows of a sweep go: machine formats line by line as they come, the others at the end.
-- With --resume the rows are appended to the file and a later run goes on behind the last whole line.
local csv_reader = require("ballpark.csv")
local csv = require("ballpark.report.csv")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local json = require("ballpark.json")
local jsonl = require("ballpark.report.jsonl")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")

local sink = {}

local Sink = {}
Sink.__index = Sink

-- Axis values of the rows that a file already holds must be those of the grid.
local function check_row(path, axes, i, values)
  local wanted = require("ballpark.sweep").point(axes, i)
  for a, axis in ipairs(axes) do
    local value, there = overrides.value(wanted[a]), values[axis.name]
    if tostring(there) ~= tostring(value) and tonumber(there) ~= value then
      errors.usage("--resume: row " .. i .. " of " .. path .. " has " .. axis.name .. "="
        .. tostring(there) .. ", this sweep has " .. wanted[a] .. " there")
    end
  end
end

local function csv_state(self, path, text, axes)
  if text == "" then return end
  local header, rows = csv_reader.records(text, path)
  self.columns, self.at = {}, {}
  for i, name in ipairs(header) do
    self.columns[i] = { name = name }
    self.at[name] = i
  end
  for i, row in ipairs(rows) do check_row(path, axes, i, row.cells) end
  self.done = #rows
end

local function jsonl_state(self, path, text, axes)
  for line in text:gmatch("[^\n]+") do
    self.done = self.done + 1
    check_row(path, axes, self.done, json.decode(line, path .. ":" .. self.done))
  end
end

-- What is complete in the file: everything up to the last line feed outside quotes.
local function complete_part(text)
  local upto, inside = 0, false
  for at, c in text:gmatch('()(["\n])') do
    if c == '"' then
      inside = not inside
    elseif not inside then
      upto = at
    end
  end
  return text:sub(1, upto)
end

local function resume(self, chosen, axes)
  local path = chosen.output
  if not path or path == "-" or not (self.format == "csv" or self.format == "jsonl") then
    errors.usage("--resume needs -o FILE with csv or jsonl")
  end
  if files.exists(path) then
    local text = files.read(path)
    local kept = self.format == "csv" and complete_part(text) or text:match("^(.*\n)") or ""
    local read_state = self.format == "csv" and csv_state or jsonl_state
    read_state(self, path, kept, axes)
    if kept ~= text then files.write(path, kept) end
  end
  local problem
  self.file, problem = io.open(path, "ab")
  if not self.file then errors.io("cannot write " .. problem) end
end

function Sink:emit(text)
  if self.file then
    local ok, problem = self.file:write(text)
    if ok then ok, problem = self.file:flush() end
    if not ok then errors.io("cannot write " .. self.chosen.output .. ": " .. problem) end
  elseif self.direct then
    files.print(text)
  else
    self.parts[#self.parts + 1] = text
  end
end

--- Called once, before the first row of a new file.
function Sink:begin(columns)
  self.columns = columns
  if self.format ~= "csv" then return end
  local names = {}
  for i, column in ipairs(columns) do names[i] = column.name end
  self:emit(csv.line(names, #names))
end

function Sink:row(row)
  if self.format == "csv" then return self:emit(csv.line(row, #self.columns)) end
  if self.format == "jsonl" then return self:emit(jsonl.line(self.columns, row)) end
  self.rows[#self.rows + 1] = row
end

--- Writes what was held back.
function Sink:finish()
  if self.file then
    self.file:close()
  elseif self.rows then
    if self.columns then
      self.result:table({ name = "sweep", columns = self.columns, rows = self.rows })
    end
    options.emit(self.result, self.chosen)
  elseif not self.direct then
    files.write(self.chosen.output, table.concat(self.parts))
  end
end

--- `done` rows are already there; with them `columns` and `at` (name -> position) are known.
function sink.open(chosen, format, axes, result)
  local self = setmetatable({ chosen = chosen, format = format, result = result, done = 0, parts = {} },
    Sink)
  if chosen.resume then
    resume(self, chosen, axes)
  elseif format == "csv" or format == "jsonl" then
    self.direct = not chosen.output or chosen.output == "-"
  else
    self.rows = {}
  end
  return self
end

return sink
