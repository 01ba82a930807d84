-- A plan as the launch settings of training software. Every target is one table of rows: per field of
-- the plan its setting, or the reason why the target has none (see emit/settings.lua).
local errors = require("ballpark.errors")
local launch = require("ballpark.emit.launch")
local settings = require("ballpark.emit.settings")

local emit = {}

emit.targets = { "deepspeed", "maxtext", "megatron", "nemo", "slurm", "torchtitan" }

--- Refuses the name of an unknown target.
function emit.check(name, path)
  for _, known in ipairs(emit.targets) do
    if known == name then return name end
  end
  errors.choice(path or "emit", tostring(name), emit.targets)
end

-- The plan to launch: of an estimate, or the best of a search.
local function chosen(answer)
  if type(answer) ~= "table" or (answer.kind ~= "estimate" and answer.kind ~= "search") then
    errors.input("emit", "takes what estimate or search answered")
  end
  local estimate = answer.kind == "search" and answer.best or answer
  if not answer.fits or not estimate then
    errors.infeasible("nothing to launch: " .. (answer.kind == "search" and "no plan is feasible"
      or "the plan does not fit into memory"))
  end
  return estimate
end

--- What a target makes of an answer: { settings = { {name, value}, ... }, missing = { {field, value,
--- reason}, ... }, launch = see emit/launch.lua }. `missing` is what the target cannot express.
function emit.settings(answer, name)
  local target = require("ballpark.emit." .. emit.check(name))
  local case = launch.new(chosen(answer))
  local set, missing = settings.of(target, case)
  return { settings = set, missing = missing, launch = case }
end

--- What is missing as lines for people: "plan.schedule = zbv: Megatron-LM runs 1F1B only".
local function sentences(missing)
  local lines = {}
  for i, item in ipairs(missing) do
    local value = item.value ~= nil and (" = " .. tostring(item.value)) or ""
    lines[i] = item.field .. value .. ": " .. item.reason
  end
  return lines
end

--- The answer's plan as the text of a launch file, and a list of what the file cannot say.
---@param answer table of estimate or search
---@param name string one of emit.targets
---@return string text
---@return string[] missing
function emit.text(answer, name)
  local target = require("ballpark.emit." .. emit.check(name))
  local made = emit.settings(answer, name)
  local missing = sentences(made.missing)
  return target.write(made.settings, launch.header(made.launch, target, missing), made.launch), missing
end

return emit
