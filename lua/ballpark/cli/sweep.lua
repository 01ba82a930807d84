-- ballpark sweep: a scenario at every point of a grid, one row each, written as they come.
local errors = require("ballpark.errors")
local grid = require("ballpark.sweep")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")

local sweep = {
  summary = "Run a scenario at every point of a grid",
  examples = {
    "ballpark sweep scenario.lua --axis plan.tp=1,2,4,8 --axis job.global_batch=512,1024",
    "ballpark sweep scenarios/quickstart.lua --axis cluster.devices=64,128,256 -f csv -o sizes.csv",
    "ballpark sweep scenario.lua --axis cluster.device=A100,H100,H200 --columns step_s,cost_usd",
    "ballpark sweep scenario.lua --axis job.seq_len=2048,4096,8192 -o rows.jsonl --resume",
  },
}

function sweep.define(command)
  command:argument("scenario", "A scenario: a Lua file.")
  command:option("--axis", "A parameter or input of the scenario and its values, as for -D. May be "
    .. "repeated; the first varies slowest."):argname("NAME=V1,V2,..."):count("+")
  command:option("--columns", "Only these columns besides the axes, status and reason."):argname("A,B,...")
  command:flag("--resume", "Continue after what is complete in the -o FILE (csv or jsonl).")
  options.define_overrides(command)
  options.define_profile(command)
  options.define_rules(command)
  options.define_output(command)
end

local function parse_axes(texts)
  local axes = {}
  for i, text in ipairs(texts) do
    local name, list = text:match("^([%a_][%w_%.]*)=(.+)$")
    if not name then errors.usage("--axis " .. text .. ": expected name=v1,v2,...") end
    local values = {}
    for part in (list .. ","):gmatch("(.-),") do
      if part == "" then errors.usage("--axis " .. text .. ": an empty value") end
      values[#values + 1] = part
    end
    axes[i] = { name = name, values = values }
  end
  return grid.axes(axes)
end

local function split_columns(text)
  if not text then return nil end
  local names = {}
  for name in text:gmatch("[^,%s]+") do names[#names + 1] = name end
  return names
end

-- What a point gave: the values of its facts, or why there are none.
local function run_point(loaded, base, axes, values, rules)
  local changed = base:copy()
  for i, axis in ipairs(axes) do changed:set(axis.name, values[i]) end
  local ok, outcome = pcall(scenario.run, loaded,
    { overrides = changed, rules = rules, command = "sweep" })
  if ok then
    local status = outcome:failed() > 0 and "failed" or outcome.infeasible and "infeasible" or "ok"
    return { status = status, facts = outcome:scalars() }
  end
  -- A point may be impossible; a broken file, rule or option is not a point.
  if errors.is(outcome) and (outcome.kind == "input" or outcome.kind == "infeasible") then
    return { status = "refused", reason = tostring(outcome), facts = {}, error = outcome }
  end
  error(outcome, 0)
end

local function unknown_column(name, facts)
  local names = {}
  for i, fact in ipairs(facts) do names[i] = fact.name end
  errors.choice("--columns", name, names)
end

local Sweep = {}
Sweep.__index = Sweep

-- Columns are known with the first point that has facts; rows before it wait.
function Sweep:settle(facts)
  local columns, taken = {}, {}
  local function add(column)
    if taken[column.name] then return end
    taken[column.name] = true
    columns[#columns + 1] = column
    self.at[column.name] = #columns
  end
  self.at = {}
  for _, axis in ipairs(self.axes) do add({ name = axis.name }) end
  add({ name = "status" })
  add({ name = "reason" })
  if self.wanted and #facts > 0 then
    local known = {}
    for _, fact in ipairs(facts) do known[fact.name] = fact end
    for _, name in ipairs(self.wanted) do
      if not known[name] then unknown_column(name, facts) end
      add({ name = name, unit = known[name].unit, title = name })
    end
  else
    for _, fact in ipairs(facts) do add({ name = fact.name, unit = fact.unit, title = fact.name }) end
  end
  self.columns = columns
end

function Sweep:row(point)
  local row = {}
  local function set(name, value)
    local at = self.at[name]
    if at and row[at] == nil then row[at] = value end
  end
  for i, axis in ipairs(self.axes) do set(axis.name, overrides.value(point.values[i])) end
  set("status", point.status)
  set("reason", point.reason)
  for _, fact in ipairs(point.facts) do set(fact.name, fact.value) end
  return row
end

-- Hands on the rows that can be written: all waiting ones once the columns are known.
function Sweep:flush(last)
  if not self.columns then
    local facts = self.waiting[#self.waiting] and self.waiting[#self.waiting].facts or {}
    if #facts == 0 and not last then return end
    self:settle(facts)
    self.sink:begin(self.columns)
  end
  for _, point in ipairs(self.waiting) do self.sink:row(self:row(point)) end
  self.waiting = {}
end

-- A mistake that every point makes is a mistake of the scenario, not of the points.
function Sweep:check_refusals(total)
  if self.refused == total and self.refused > 1 and self.same_reason then error(self.first_error, 0) end
end

function Sweep:take(point)
  self.waiting[#self.waiting + 1] = point
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

function sweep.run(chosen)
  local axes = parse_axes(chosen.axis)
  local format = options.format(chosen)
  local loaded = scenario.load(chosen.scenario)
  local base = options.override_profile(chosen, overrides.parse(chosen.define))
  local total = grid.size(axes)
  local self = setmetatable({ axes = axes, wanted = split_columns(chosen.columns), waiting = {},
    refused = 0, feasible = 0, failed = 0 }, Sweep)
  self.sink = require("ballpark.cli.sink").open(chosen, format, axes,
    result.new({ command = "sweep", title = "Sweep of " .. chosen.scenario }))
  self.columns, self.at = self.sink.columns, self.sink.at
  for i = self.sink.done + 1, total do
    local values = grid.point(axes, i)
    local point = run_point(loaded, base, axes, values, chosen.rules)
    point.values = values
    self:take(point)
    if i == total then self:check_refusals(total) end
    self:flush(i == total)
    options.tell(chosen, "point " .. i .. " of " .. total .. ": " .. point.status)
  end
  self.sink:finish()
  if self.sink.done == total then options.say("all " .. total .. " points are in " .. chosen.output) end
  return (self.failed > 0 or (self.feasible == 0 and self.sink.done == 0)) and 1 or 0
end

return sweep
