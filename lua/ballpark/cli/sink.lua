-- Where the rows of a sweep go. Machine formats are written as rows come, others at the end; a file is
-- put in place when it is whole. With --resume rows are appended and a later run goes on behind the last
-- whole line; with --store they go into an SQLite file, and points that are there are skipped.
--
-- A sink has  has(i, values)   whether point i of the grid is there already
--             begin(columns)   once, before the first row, unless `columns` are known
--             row(row, point)  one row in column order; the point it came from
--             reads(seen)      files that the next row is made from, digests by their path as seen from the scenario
--             finish()         and closes by itself when it is left before
local csv = require("ballpark.report.csv")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local lfs = require("lfs")
local jsonl = require("ballpark.report.jsonl")
local options = require("ballpark.cli.options")

local sink = {}

local function sink_type(parent)
  local class = setmetatable({}, { __index = parent })
  class.__index = class
  function class.__close(self) self:leave() end
  return class
end

local Sink = sink_type(nil)

function Sink.has() return false end
function Sink:begin(columns) self.columns = columns end
function Sink.leave() end
function Sink.reads() end

-- Machine formats, line by line to whatever `out` is: {write =, finish =}.
local Lines = sink_type(Sink)

function Lines:has(i) return i <= self.done end

function Lines:begin(columns)
  self.columns, self.csv_line = columns, csv.liner()
  if self.format ~= "csv" then return end
  local names = {}
  for i, column in ipairs(columns) do names[i] = column.name end
  self.out:write(csv.line(names, #names))
end

function Lines:row(row)
  self.out:write(self.format == "csv" and self.csv_line(row, #self.columns) or jsonl.line(self.columns, row))
end

function Lines:reads(seen)
  if self.out.digests then self.out.digests:reads(seen) end
end

function Lines:finish() self.out:finish() end

function Lines:leave()
  local close = getmetatable(self.out).__close
  if close then close(self.out) end
end

-- Standard output, a line at a time.
local Printed = {}
Printed.__index = Printed
function Printed.write(_, text) files.print(text) end
function Printed.finish() end

-- A file that is added to: every row is out when it is written.
local Appended = {}
Appended.__index = Appended

function Appended:write(text)
  local ok, problem = self.file:write(text)
  if ok then ok, problem = self.file:flush() end
  if not ok then errors.io("cannot write " .. self.path .. ": " .. problem) end
  self.digests:add(text)
end

function Appended:finish()
  self.file:close()
  self.digests:close()
end

-- What people read needs all rows to line up.
local Whole = sink_type(Sink)

function Whole:row(row) self.rows[#self.rows + 1] = row end

function Whole:finish()
  if self.columns then
    self.result:table({ name = "sweep", columns = self.columns, rows = self.rows })
  end
  options.emit(self.result, self.chosen)
end

-- An SQLite file: columns are made as they come.
local Stored = sink_type(Sink)
Stored.grows = true

function Stored:has(_, values) return self.store:has(values) end

function Stored:row(_, point)
  local facts = { { name = "status", value = point.status }, { name = "reason", value = point.reason } }
  for i = 1, point.n do
    local name = point.facts[i].name
    if not self.wanted or self.wanted[name] then facts[#facts + 1] = { name = name, value = point.values[i] } end
  end
  self.store:insert(point.keys, facts)
end

function Stored:reads(seen) self.store:reads(seen) end

function Stored:finish()
  self.store:finish()
  options.say("rows are in table " .. self.store.name .. " of " .. self.store.path)
end

function Stored:leave() getmetatable(self.store).__close(self.store) end

local function open_stored(chosen, axes, about)
  if chosen.resume or chosen.output or chosen.format then
    errors.usage("--store is a way out of its own: leave out --output, --format and --resume")
  end
  local keys = {}
  for i, axis in ipairs(axes) do keys[i] = axis.name end
  local mode = lfs.attributes(chosen.store, "mode")
  if mode and mode ~= "file" then errors.io(("cannot write '%s': a store is a file, and this is a %s"):format(chosen.store, mode)) end
  local opened = require("ballpark.store").open(chosen.store, { name = about.name, identity = about.identity,
    keys = keys, digest_of = about.digest_of })
  if opened.instead_of then
    options.say(chosen.store .. " holds another sweep of " .. opened.instead_of
      .. " (the scenario, its rules, -D, the axes or the version of the program differ); this one goes into table " .. opened.name)
  end
  local wanted
  for _, name in ipairs(about.wanted or {}) do
    wanted = wanted or {}
    wanted[name] = true
  end
  return setmetatable({ store = opened, wanted = wanted }, Stored)
end

local function open_resumed(chosen, format, axes, about)
  if not chosen.output or chosen.output == "-" or not (format == "csv" or format == "jsonl") then
    errors.usage("--resume needs -o FILE with csv or jsonl")
  end
  local resume = require("ballpark.cli.resume")
  local there = resume.read(chosen.output, format, axes, resume.claim(chosen.output, about.identity, about.digest_of))
  local file, problem = io.open(chosen.output, "ab")
  if not file then errors.io("cannot write " .. problem) end
  return setmetatable({ format = format, done = there.done, columns = there.columns, csv_line = csv.liner(),
    out = setmetatable({ file = file, digests = there.digests, path = chosen.output }, Appended) }, Lines)
end

--- The sink that the options ask for; leave it with <close>.
---@param chosen table options of the command
---@param format string
---@param axes table[]
---@param about {name: string, identity: string, digest_of: (fun(name: string): string|nil), wanted: string[]|nil, result: table}
function sink.open(chosen, format, axes, about)
  if chosen.store then return open_stored(chosen, axes, about) end
  if chosen.resume then return open_resumed(chosen, format, axes, about) end
  if format ~= "csv" and format ~= "jsonl" then
    return setmetatable({ chosen = chosen, result = about.result, rows = {} }, Whole)
  end
  local to_stdout = not chosen.output or chosen.output == "-"
  return setmetatable({ format = format, done = 0,
    out = to_stdout and setmetatable({}, Printed) or files.stream(chosen.output) }, Lines)
end

return sink
