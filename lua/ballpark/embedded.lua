-- What programs ask that have the engine inside: a question by its name and JSON, answered with JSON and an exit code.
local core = require("ballpark.core")
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local interrupt = require("ballpark.interrupt")
local json = require("ballpark.json")
local questions = require("ballpark.questions")
local report = require("ballpark.report")
local scenario = require("ballpark.scenario")
local tables = require("ballpark.tables")

local embedded = {}

local INTERNAL <const> = 70

local function exit_code(result)
  return (result:failed() > 0 or result.infeasible) and errors.codes.infeasible or 0
end

local function kernel(name, input)
  local env = environment.new(scenario.state(nil, {}))
  return 0, json.encode(env.kernel[name](input), true) .. "\n"
end

local function source(input)
  errors.only("scenario", input, { "source" })
  if type(input.source) ~= "string" then errors.input("scenario.source", "must be the text of a scenario") end
  local result = scenario.run(scenario.of_text("scenario", input.source), { partial = true })
  return exit_code(result), report.render(result, "json")
end

-- The tables that a scenario would write: without what marks them as lists and objects of JSON.
local function unmarked(value)
  if type(value) ~= "table" then return value end
  setmetatable(value, nil)
  for _, item in pairs(value) do unmarked(item) end
  return value
end

local function answered(name, text, format)
  local input = unmarked(json.decode(text, "input"))
  if type(input) ~= "table" then errors.input("input", "must be a JSON object") end
  if name == "scenario" then return source(input) end
  local of_kernel = name:match("^kernel%.(.+)$")
  if of_kernel then return kernel(of_kernel, input) end
  if not tables.contains(questions.names, name) then errors.choice("question", name, questions.names) end
  local state = scenario.state(nil, {})
  local result = scenario.answer(state, name, input)
  return exit_code(result), report.render(result, format or "json")
end

local function refused(e)
  local known = errors.is(e)
  -- Ctrl-C and the time limit are for the program that asked, and end it.
  interrupt.pass_on(e)
  if errors.is_of_memory(e) then
    return errors.codes.input, json.encode({ error = { kind = "input",
      message = "needs more memory than the process may take; BALLPARK_MEMORY_GIB=N allows the program more" } }, true) .. "\n"
  end
  local kind, message = known and e.kind or "internal", known and e.message or tostring(e)
  return known and e.code or INTERNAL, json.encode({ error = { kind = kind, message = message,
    path = known and e.path or nil } }, true) .. "\n"
end

--- Answers a question; raises nothing but an interrupt.
---@param name string of a question, "kernel.NAME" or "scenario"
---@param text string a JSON object: the inputs as scenarios have them, in base units
---@param format string|nil of the report of a question: "json" unless said
---@return integer exit code
---@return string JSON, or the report
function embedded.answer(name, text, format)
  local ok, code, answer = pcall(answered, tostring(name), text or "{}", format)
  if ok then return code, answer end
  return refused(code)
end

--- Version of the engine.
embedded.version = core.version

return embedded
