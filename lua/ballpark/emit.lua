-- A plan as the launch settings of training software, or of a serving engine (emit/serving.lua). Every
-- target is one table of rows: per field of the plan its setting, or the reason why the target has none
-- (see emit/settings.lua).
local errors = require("ballpark.errors")
local launch = require("ballpark.emit.launch")
local questions = require("ballpark.questions")
local serving = require("ballpark.emit.serving")
local settings = require("ballpark.emit.settings")
local tables = require("ballpark.tables")
local versions = require("ballpark.emit.versions")
local write = require("ballpark.emit.write")

local emit = {}

emit.targets = { "deepspeed", "maxtext", "megatron", "nemo", "slurm", "torchtitan" }
emit.serving_targets = serving.targets

local function is_served(name) return tables.contains(serving.targets, name) end

--- Names of all targets: of training, then of serving.
function emit.names()
  local names = table.move(emit.targets, 1, #emit.targets, 1, {})
  return table.move(serving.targets, 1, #serving.targets, #names + 1, names)
end

--- The target that "TARGET" or "TARGET@VERSION" names, as it is at that version, the newest unless one is named. An
--- unknown target or version is an error.
function emit.target(text, path)
  local name, version = versions.split(tostring(text))
  if not tables.contains(emit.names(), name) then errors.choice(path or "emit", name, emit.names()) end
  local target = require((is_served(name) and "ballpark.emit.serving." or "ballpark.emit.") .. name)
  return versions.at(target, version, path or "emit"), name
end

--- Kinds of answers that a target launches.
function emit.kinds(text)
  return questions.launched(is_served((versions.split(text))) and "serving" or "training")
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

-- What is estimated as of a class of software is not what another one takes: a row of what is missing, or nil.
local function other_software(case, target)
  if not case or tables.contains(target.classes, case.class) then return nil end
  return { field = "software", value = case.class, reason = ("the plan was chosen and estimated as of that class; "
    .. "--profile %s, or profile = in a scenario, has what %s does"):format(target.classes[1], target.title) }
end

--- What a target makes of an answer: { settings = { {name, value}, ... }, missing = { {field, value,
--- reason}, ... }, launch = see emit/launch.lua }. `missing` is what the target cannot express.
function emit.settings(answer, text)
  local target, name = emit.target(text)
  check_kind(answer, name)
  if is_served(name) then return serving.settings(answer, target) end
  local case = launch.new(chosen(answer))
  local set, missing = settings.of(target, case)
  missing[#missing + 1] = other_software(case.estimate.input.case, target)
  return { settings = set, missing = missing, launch = case }
end

--- What is missing as lines for people: "plan.schedule = zbv: Megatron-LM runs 1F1B only".
local function sentences(missing)
  local lines = {}
  for i, item in ipairs(missing) do
    local value = type(item.value) == "number" and write.shell(item.value) or tostring(item.value)
    value = item.value ~= nil and " = " .. value or ""
    lines[i] = item.field .. value .. ": " .. item.reason
  end
  return lines
end

--- The answer's plan as the text of a launch file, and a list of what the file cannot say.
---@param answer table of estimate, search, serve or serve_search
---@param where string one of emit.names(), with @VERSION behind it for one that is not the newest
---@return string text
---@return string[] missing
function emit.text(answer, where)
  local made, target, name = emit.settings(answer, where), emit.target(where)
  local missing = sentences(made.missing)
  if is_served(name) then return serving.write(made, target, missing), missing end
  return target.write(made.settings, launch.header(made.launch, target, missing), made.launch), missing
end

return emit
