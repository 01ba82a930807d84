-- A plan as the launch settings of training software, or of a serving engine (emit/serving.lua). Every
-- target is one table of rows: per field of the plan its setting, or the reason why the target has none
-- (see emit/settings.lua).
local errors = require("ballpark.errors")
local launch = require("ballpark.emit.launch")
local questions = require("ballpark.questions")
local serving = require("ballpark.emit.serving")
local settings = require("ballpark.emit.settings")
local tables = require("ballpark.tables")

local emit = {}

emit.targets = { "deepspeed", "maxtext", "megatron", "nemo", "slurm", "torchtitan" }
emit.serving_targets = serving.targets

local function is_served(name) return tables.contains(serving.targets, name) end

--- Names of all targets: of training, then of serving.
function emit.names()
  local names = table.move(emit.targets, 1, #emit.targets, 1, {})
  return table.move(serving.targets, 1, #serving.targets, #names + 1, names)
end

--- Refuses the name of an unknown target.
function emit.check(name, path)
  if tables.contains(emit.names(), name) then return name end
  errors.choice(path or "emit", tostring(name), emit.names())
end

--- Kinds of answers that a target launches.
function emit.kinds(name)
  return questions.launched(is_served(name) and "serving" or "training")
end

-- An engine for a training plan, or the other way around.
local function check_kind(answer, name)
  local kind = type(answer) == "table" and answer.kind
  if (emit.kinds("vllm")[kind] or false) == is_served(name) then return end
  errors.input("emit", name .. (is_served(name) and " launches what serve answered"
    or " launches training: for what is served there are " .. table.concat(serving.targets, ", ")))
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
  check_kind(answer, emit.check(name))
  if is_served(name) then return serving.settings(answer, name) end
  local target = require("ballpark.emit." .. name)
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
---@param answer table of estimate, search, serve or serve_search
---@param name string one of emit.names()
---@return string text
---@return string[] missing
function emit.text(answer, name)
  local made = emit.settings(answer, name)
  local missing = sentences(made.missing)
  if is_served(name) then return serving.write(made, name, missing), missing end
  local target = require("ballpark.emit." .. name)
  return target.write(made.settings, launch.header(made.launch, target, missing), made.launch), missing
end

return emit
