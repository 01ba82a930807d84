-- ballpark sweep: a scenario at every point of a grid, one row each, written as they come.
local core = require("ballpark.core")
local edition = require("ballpark.edition")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local grid = require("ballpark.questions.sweep.run")
local json = require("ballpark.json")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local progress = require("ballpark.report.progress")
local quantity = require("ballpark.quantity")
local questions = require("ballpark.questions")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")
local team_rules = require("ballpark.rules")

local sweep = {
  summary = "Run a scenario at every point of a grid",
  examples = {
    "ballpark sweep scenario.lua --axis plan.tp=1,2,4,8 --axis job.global_batch=512,1024",
    "ballpark sweep scenarios/quickstart.lua --axis cluster.devices=64,128,256 -f csv -o sizes.csv",
    "ballpark sweep scenario.lua --axis cluster.device=A100,H100,H200 --columns step_s,cost_usd",
    "ballpark sweep scenario.lua --axis job.seq_len=2048,4096,8192 -o rows.jsonl --resume",
    "ballpark sweep scenario.lua --axis plan.tp=1..8x2 --store results.sqlite",
  },
}

function sweep.define(command)
  command:argument("scenario", "A scenario: a Lua file.")
  command:option("--axis", "A parameter or input of the scenario and its values, as for -D: 1,2,4, or a range as "
    .. "1..8, 0..100+25, 16..128x2. May be repeated; the first varies slowest.")
    :argname("NAME=V1,V2,..."):count("+")
  command:option("--columns", "Only these columns besides the axes, status and reason."):argname("A,B,...")
  command:flag("--resume", "Add rows to the -o FILE (csv or jsonl) as they come, and continue after what is "
    .. "complete there. Give it from the start: FILE.resume beside it says what sweep the rows are of.")
  command:option("--store", "Add the rows to a table of an SQLite file and skip points that are there.")
    :argname("FILE")
  options.define_overrides(command)
  options.define_profile(command)
  options.define_rules(command)
  options.define_output(command)
end

-- The value of an axis as a row has it: in base units.
local function value_of(text) return quantity.value(overrides.value(text)) end

-- Texts of the values, each once.
local function axis_values(name, list)
  local flag = "--axis " .. name
  local values, again = grid.unique(overrides.texts(list, flag), value_of)
  for _, value in ipairs(values) do
    if value == "" then errors.usage(flag .. "=" .. list .. ": an empty value") end
    local number = value_of(value)
    if type(number) == "number" and number - number ~= 0 then
      errors.usage(("%s=%s: '%s' is %s, no number that a row can hold"):format(flag, list, value, number))
    end
  end
  if again then options.say(flag .. ": values that are there twice, such as " .. again .. ", run once") end
  return values
end

local function parse_axes(texts)
  local axes = {}
  for i, text in ipairs(texts) do
    local name, list = text:match("^([%a_][%w_%.]*)=(.+)$")
    if not name then errors.usage("--axis " .. text .. ": expected name=v1,v2,...") end
    axes[i] = { name = name, values = axis_values(name, list) }
  end
  return grid.axes(axes)
end

local function split_columns(text)
  if not text then return nil end
  local names = {}
  for name in text:gmatch("[^,%s]+") do names[#names + 1] = name end
  return names
end

-- The expectation that failed, or what stood in the way of a plan.
local function reason_of(status, outcome, state)
  if status == "failed" then
    for _, e in ipairs(outcome.expectations) do
      if not e.ok then return "expected: " .. e.id end
    end
  end
  return status == "infeasible" and questions.last_reason(state.answers) or nil
end

-- A point in words.
local function name_of(axes, values)
  local list = {}
  for i, axis in ipairs(axes) do list[i] = axis.name .. "=" .. values[i] end
  return table.concat(list, " ")
end

-- What a point gave: descriptions and values of its n facts, or why there are none.
local function run_point(loaded, base, axes, values, chosen)
  local changed = base:copy()
  for i, axis in ipairs(axes) do changed:set(axis.name, values[i], "--axis") end
  local ok, outcome, state = pcall(scenario.run, loaded,
    { overrides = changed, rules = chosen.rules, command = "sweep", numbers_only = true, partial = true })
  if ok then
    options.check_rules(state, chosen)
    local status = outcome:failed() > 0 and "failed" or outcome.infeasible and "infeasible" or "ok"
    local facts, facts_values, n = outcome:values()
    return { status = status, reason = reason_of(status, outcome, state), facts = facts, values = facts_values, n = n }
  end
  -- A point may be impossible; a broken file, rule or option is not a point.
  if errors.is(outcome) and (outcome.kind == "input" or outcome.kind == "infeasible") then
    return { status = "refused", reason = tostring(outcome), facts = {}, values = {}, n = 0, error = outcome }
  end
  -- What is said of an axis names it.
  if not errors.is(outcome) or tostring(outcome):find("--axis", 1, true) == 1 then error(outcome, 0) end
  errors[outcome.kind](("%s: %s"):format(name_of(axes, values), outcome))
end

local function unknown_column(name, facts)
  local names = {}
  for i, fact in ipairs(facts) do names[i] = fact.name end
  errors.choice("--columns", name, names)
end

-- Rows wait for the first point that has an answer, which tells the columns; so many wait at most.
local WAITING_MAX = 1000

local Sweep = {}
Sweep.__index = Sweep

-- All facts of the waiting points, those of the last one first: it is the one that has an answer.
local function facts_of(waiting)
  local facts, seen = {}, {}
  for i = #waiting, 1, -1 do
    for _, fact in ipairs(waiting[i].facts) do
      if not seen[fact.name] then
        seen[fact.name] = true
        facts[#facts + 1] = fact
      end
    end
  end
  return facts
end

-- Facts by name. Where no point has an answer, nobody knows what columns there are.
local function check_wanted(wanted, facts, answered)
  local known = {}
  for _, fact in ipairs(facts) do known[fact.name] = fact end
  for _, name in ipairs(answered and wanted or {}) do
    if not known[name] then unknown_column(name, facts) end
  end
  return known
end

-- Axes, status and reason, then the columns asked for or all there are.
function Sweep:settle(facts, answered)
  local columns, taken = {}, {}
  local function add(column)
    if taken[column.name] then return end
    taken[column.name] = true
    columns[#columns + 1] = column
  end
  for _, axis in ipairs(self.axes) do add({ name = axis.name, axis = true }) end
  add({ name = "status" })
  add({ name = "reason" })
  if self.wanted and #facts > 0 then
    local known = check_wanted(self.wanted, facts, answered)
    for _, name in ipairs(self.wanted) do add({ name = name, unit = (known[name] or {}).unit, title = name }) end
  else
    for _, fact in ipairs(facts) do add({ name = fact.name, unit = fact.unit, title = fact.name }) end
  end
  self:know(columns)
end

function Sweep:know(columns)
  self.columns, self.at = columns, {}
  for i, column in ipairs(columns) do self.at[column.name] = i end
end

function Sweep:row(point)
  local row, at_of, late = {}, self.at, self.late
  for i, axis in ipairs(self.axes) do row[at_of[axis.name]] = point.keys[i] end
  row[at_of.status] = row[at_of.status] or point.status
  row[at_of.reason] = row[at_of.reason] or point.reason
  local facts, values = point.facts, point.values
  for i = 1, point.n do
    local name = facts[i].name
    local at = at_of[name]
    if not at then
      late = late or name
    elseif row[at] == nil then
      row[at] = values[i]
    end
  end
  if not self.wanted then self.late = late end
  return row
end

-- Hands on the rows that can be written: all waiting ones once the columns are known.
function Sweep:flush(last)
  if not self.columns then
    local newest = self.waiting[#self.waiting]
    local answered = newest and (newest.status == "ok" or newest.status == "failed")
    if not answered and not last and #self.waiting < WAITING_MAX then return end
    self:settle(facts_of(self.waiting), answered)
    self.sink:begin(self.columns)
  end
  for _, point in ipairs(self.waiting) do self.sink:row(self:row(point), point) end
  self.waiting = {}
end

-- A store makes columns as they come: nothing waits.
function Sweep:hand_on(point, last)
  if not self.sink.grows then
    self.waiting[#self.waiting + 1] = point
    return self:flush(last)
  end
  if self.wanted and not self.checked and point.status == "ok" then
    check_wanted(self.wanted, point.facts, true)
    self.checked = true
  end
  self.sink:row(nil, point)
end

-- A mistake that every point makes is a mistake of the scenario, not of the points.
function Sweep:check_refusals(total)
  if self.refused == total and self.refused > 1 and self.same_reason then error(self.first_error, 0) end
end

function Sweep:count(point)
  if point.status == "refused" then
    self.refused = self.refused + 1
    self.first_error = self.first_error or point.error
    self.same_reason = self.same_reason ~= false and point.error.message == self.first_error.message
  elseif point.status == "ok" then
    self.feasible = self.feasible + 1
  elseif point.status == "failed" then
    self.failed = self.failed + 1
  end
end

local function key_values(values)
  local keys = {}
  for i, text in ipairs(values) do keys[i] = value_of(text) end
  return keys
end

-- All points in the order of the grid; returns how many were there already.
function Sweep:run(total, answer)
  local shown <close> = progress.new(total, self.quiet and false or nil)
  local there = 0
  for i = 1, total do
    local values = grid.point(self.axes, i)
    local keys = key_values(values)
    local skip = self.sink:has(i, keys)
    if skip then
      there = there + 1
    else
      local seen = {}
      local point = files.noting(function(path, text) seen[files.within(self.folder, path)] = core.digest(text) end, answer, values)
      self.sink:reads(seen)
      point.keys = keys
      self:count(point)
      if i == total then self:check_refusals(total) end
      self:hand_on(point, i == total)
      options.tell(self.chosen, "point " .. i .. " of " .. total .. ": " .. point.status)
    end
    shown:step(skip)
  end
  return there
end

-- What tells this sweep from another in the same store: everything but the values of its axes, with the version of the program.
local function identity(chosen, loaded, axes, format)
  local rules, names, profile, keeps = {}, {}, chosen.profile, chosen.resume or chosen.store
  if profile and files.exists(profile) then profile = files.read(profile) end
  for i, path in ipairs(team_rules.all(chosen.rules)) do rules[i] = files.read(path) end
  for i, axis in ipairs(axes) do names[i] = axis.name end
  return json.encode({ scenario = loaded.source, define = chosen.define, axes = names, rules = rules,
    profile = profile, version = keeps and edition.text() or nil,
    columns = keeps and chosen.columns or nil, format = chosen.resume and format or nil })
end

-- The digest of a file that rows were made from as it is now, by its path as seen from the scenario, which may have moved
-- with it; nil where it is gone.
local function digest_of(folder)
  return function(name)
    local path = files.beside(folder, name)
    return files.exists(path) and core.digest(files.read(path)) or nil
  end
end

local function table_name(path) return (path:match("([^/]+)$"):gsub("%.lua$", "")) end

function sweep.run(chosen)
  local axes = parse_axes(chosen.axis)
  local format = options.format(chosen)
  local loaded, base = scenario.load(chosen.scenario), overrides.parse(chosen.define)
  options.override_profile(chosen, base)
  local total, wanted = grid.size(axes), split_columns(chosen.columns)
  local out <close> = require("ballpark.cli.sink").open(chosen, format, axes, {
    name = table_name(chosen.scenario), identity = identity(chosen, loaded, axes, format), wanted = wanted,
    digest_of = digest_of(files.folder(chosen.scenario)),
    result = result.new({ command = "sweep", title = "Sweep of " .. chosen.scenario }) })
  local self = setmetatable({ axes = axes, wanted = wanted, waiting = {}, sink = out, chosen = chosen,
    folder = files.folder(chosen.scenario), quiet = chosen.verbose, refused = 0, feasible = 0, failed = 0 }, Sweep)
  if out.columns then self:know(out.columns) end
  local there = self:run(total, function(values) return run_point(loaded, base, axes, values, chosen) end)
  out:finish()
  if self.late then
    options.say("left out what the first answer has no column for, such as '" .. self.late
      .. "'; --store keeps it")
  end
  if there == total then options.say("all " .. total .. " points are in " .. (chosen.output or chosen.store)) end
  return (self.failed > 0 or (self.feasible == 0 and there == 0)) and 1 or 0
end

return sweep
